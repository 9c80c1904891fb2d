// Runs the workloads of a module, in Node and in a worker of a page alike.

/** The module's functions; `bytes` is its content. */
export async function load(bytes) {
  const { instance } = await WebAssembly.instantiate(bytes, {});
  instance.exports._initialize?.();
  return instance.exports;
}

function text(exports, address) {
  const bytes = new Uint8Array(exports.memory.buffer);
  return String.fromCharCode(...bytes.subarray(address, bytes.indexOf(0, address)));
}

const hexadecimal = (checksum) => BigInt.asUintN(64, checksum).toString(16).padStart(16, '0');

function seconds(exports, workload, runs) {
  const started = performance.now();
  exports.tamis_bench_run(workload, runs);
  return (performance.now() - started) / 1000;
}

/** How many runs take at least so many seconds, twice, since once may be an interruption; they warm up as well. */
function enough(exports, workload, least) {
  const lasts = (runs) => seconds(exports, workload, runs) >= least;
  for (let runs = 1; ; runs *= 2) if (lasts(runs) && lasts(runs)) return runs;
}

/** The least of several repetitions, after a warm-up; each lasts at least 10 ms, so that coarse clocks will do. */
function seconds_per_run(exports, workload) {
  const runs = enough(exports, workload, 0.01);
  const repetitions = Array.from({ length: 15 }, () => seconds(exports, workload, runs));
  return Math.min(...repetitions) / runs;
}

/** Number, name and kind of each workload. */
export function workloads(exports) {
  return Array.from({ length: exports.tamis_bench_count() }, (_, number) => ({
    number, name: text(exports, exports.tamis_bench_name(number)), kind: text(exports, exports.tamis_bench_kind(number)),
  }));
}

/**
 * One CSV line per workload: target,name,kind,seconds_per_run,flops,bytes,checksum. Without times, each runs once.
 * `wanted` chooses among { number, name, kind }.
 */
export function* lines(exports, target, times = true, wanted = () => true) {
  const e = exports, whole = (number) => number.toFixed(0);
  for (const { number, name, kind } of workloads(e).filter(wanted)) {
    const checksum = hexadecimal(e.tamis_bench_checksum(number));
    const least = times ? Number(seconds_per_run(e, number).toPrecision(6)) : 0;
    yield [target, name, kind, least, whole(e.tamis_bench_flops(number)), whole(e.tamis_bench_bytes(number)), checksum].join();
  }
}

/** What a brief measurement leaves out. */
export const longest = /^squared-hinge.*2000x784x10/;

/** An entry of Google Benchmark's JSON. */
const entry = (name, iterations, seconds, others) => ({
  name, run_name: name, run_type: 'iteration', repetitions: 1, repetition_index: 0, threads: 1, iterations,
  real_time: 1e9 * seconds, cpu_time: 1e9 * seconds, time_unit: 'ns', ...others,
});

/** Runs and seconds of each: together at least so many seconds, after a warm-up; of a long one, which has run before, one. */
function several(exports, workload, least) {
  const once = seconds(exports, workload, 1);
  if (once >= 20 * least) return [1, once];
  const runs = enough(exports, workload, least);
  return [runs, seconds(exports, workload, runs) / runs];
}

/** What Google Benchmark natively says of each workload, run for at least so many seconds after a warm-up. */
export function* benchmarks(exports, least, wanted = () => true) {
  const e = exports;
  for (const { number, name, kind } of workloads(e).filter(wanted)) {
    const label = `${kind} ${hexadecimal(e.tamis_bench_checksum(number))}`;
    const [runs, took] = several(e, number, least);
    yield entry(name, runs, took, {
      label, flops: e.tamis_bench_flops(number), bytes: e.tamis_bench_bytes(number), span: e.tamis_bench_span(number),
      traffic: e.tamis_bench_traffic(number),
    });
  }
}

/**
 * Runs everything for a while, and waits for the engine to finish the code that it makes of what runs often; the short
 * workloads again, until none becomes faster by a fifth: on a busy machine that code comes late.
 */
async function warmUp(exports, passes, wanted) {
  let left = workloads(exports).filter(wanted).map(({ number }) => ({ number, least: Infinity, short: true }));
  for (let pass = 0, faster = true; pass < passes && faster; ++pass) {
    faster = false;
    for (const workload of left) {
      let spent = 0, runs = 1, least = Infinity;
      for (; spent < 0.015; runs *= 2) {
        const took = seconds(exports, workload.number, runs);
        least = Math.min(least, took / runs);
        spent += took;
      }
      workload.short = runs > 2;
      faster ||= least < 0.8 * workload.least;
      workload.least = Math.min(workload.least, least);
    }
    left = left.filter(({ short }) => short);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** The module with a section that says nothing, other in each copy: engines compile it anew. */
function copyOf(bytes, number) {
  const section = [0, 6, 1, 120, ...new Uint8Array(Uint32Array.of(number).buffer)];  // custom, its size, named x
  const copy = new Uint8Array(bytes.byteLength + section.length);
  copy.set(new Uint8Array(bytes));
  copy.set(section, bytes.byteLength);
  return copy;
}

/** The first run of each solve in an instance of its own, compiled for it; `instantiate` is how long that took. */
export async function* coldBenchmarks(bytes, wanted) {
  const solves = workloads(await load(bytes)).filter(({ kind }) => kind === 'solve').filter(wanted);
  for (const { number, name } of solves) {
    const started = performance.now();
    const e = await load(copyOf(bytes, number + Math.floor(1e9 * Math.random())));
    const instantiate = (performance.now() - started) / 1000;
    e.tamis_bench_run(number, 0);  // draws the data
    yield entry(name, 1, seconds(e, number, 1), { label: `cold ${hexadecimal(e.tamis_bench_checksum(number))}`, instantiate });
  }
}

/** A document as Google Benchmark writes one. A `brief` one leaves out the longest solve, and warms up less. */
export async function measure(bytes, { target, engine, least, cold, brief }) {
  const found = [], wanted = ({ name }) => !brief || !longest.test(name);
  if (cold) {
    for await (const one of coldBenchmarks(bytes, wanted)) found.push(one);
  } else {
    const exports = await load(bytes);
    await warmUp(exports, brief ? 3 : 6, wanted);
    found.push(...benchmarks(exports, least, wanted));
  }
  return { context: { date: new Date().toISOString(), target, compiler: engine }, benchmarks: found };
}
