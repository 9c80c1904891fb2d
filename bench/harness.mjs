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

function seconds(exports, workload, runs) {
  const started = performance.now();
  exports.tamis_bench_run(workload, runs);
  return (performance.now() - started) / 1000;
}

/** The least of several repetitions, after a warm-up; each lasts at least 10 ms, so that coarse clocks will do. */
function seconds_per_run(exports, workload) {
  let runs = 1;
  while (seconds(exports, workload, runs) < 0.01) runs *= 2;
  const repetitions = Array.from({ length: 15 }, () => seconds(exports, workload, runs));
  return Math.min(...repetitions) / runs;
}

/** One CSV line per workload: target,name,kind,seconds_per_run,flops,bytes,checksum. Without times, each runs once. */
export function* lines(exports, target, times = true) {
  const e = exports, whole = (number) => number.toFixed(0);
  for (let i = 0; i < e.tamis_bench_count(); ++i) {
    const checksum = BigInt.asUintN(64, e.tamis_bench_checksum(i)).toString(16).padStart(16, '0');
    const least = times ? Number(seconds_per_run(e, i).toPrecision(6)) : 0;
    const name = text(e, e.tamis_bench_name(i)), kind = text(e, e.tamis_bench_kind(i));
    yield [target, name, kind, least, whole(e.tamis_bench_flops(i)), whole(e.tamis_bench_bytes(i)), checksum].join();
  }
}
