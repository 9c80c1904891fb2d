/** In a worker of its own: runs the workloads of the benchmark suite, each in one module after the other. */
import { lines, load, type Exports } from 'tamis-bench';

export interface Order {
  /** Addresses of the modules by their target. */
  modules: Record<string, string>;
  /** The kinds of workloads to run. */
  kinds: string[];
}
export type News =
  | { type: 'begin'; workloads: { name: string; kind: string }[] }
  | { type: 'figure'; target: string; name: string; kind: string; seconds: number; checksum: string }
  | { type: 'done' }
  | { type: 'failed'; message: string };

const send = (news: News) => postMessage(news);

addEventListener('message', ({ data }: MessageEvent<Order>) => void run(data).catch((error: Error) => send({ type: 'failed', message: error.message })));

async function run({ modules, kinds }: Order): Promise<void> {
  const all = await Promise.all(Object.entries(modules).map(async ([target, address]) => {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`${new URL(address, location.href).pathname} answers ${response.status}`);
    return { target, exports: await load(await response.arrayBuffer()) };
  }));
  const [first] = all;
  const chosen = workloadsOf(first!.exports).filter(({ kind }) => kinds.includes(kind));
  send({ type: 'begin', workloads: chosen.map(({ name, kind }) => ({ name, kind })) });
  const runs = all.map(({ target, exports }) => lines(only(exports, chosen.map(({ number }) => number)), target));
  for (let i = 0; i < chosen.length; ++i)
    for (const run of runs) {
      const [target, name, kind, seconds, , , checksum] = (run.next().value as string).split(',');
      send({ type: 'figure', target: target!, name: name!, kind: kind!, seconds: Number(seconds), checksum: checksum! });
    }
  send({ type: 'done' });
}

function workloadsOf(exports: Exports): { number: number; name: string; kind: string }[] {
  const text = (address: number) => {
    const bytes = new Uint8Array(exports.memory.buffer);
    return String.fromCharCode(...bytes.subarray(address, bytes.indexOf(0, address)));
  };
  return Array.from({ length: exports.tamis_bench_count() }, (_, number) => ({
    number, name: text(exports.tamis_bench_name(number)), kind: text(exports.tamis_bench_kind(number)),
  }));
}

/** The module as if it had these workloads alone. */
function only(exports: Exports, numbers: readonly number[]): Exports {
  const functions = Object.entries(exports).filter(([name]) => name.startsWith('tamis_bench_')).map(([name, call]) =>
    [name, (i: number, ...rest: number[]) => (call as (...numbers: number[]) => unknown)(numbers[i]!, ...rest)]);
  return { ...Object.fromEntries(functions), memory: exports.memory, tamis_bench_count: () => numbers.length } as Exports;
}
