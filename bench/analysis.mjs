// What the measurements say: medians, ratios, floors, agreement.

export const quantile = (values, q) => {
  const sorted = [...values].sort((a, b) => a - b), at = (sorted.length - 1) * q, low = Math.floor(at);
  return sorted[low] + (sorted[Math.min(low + 1, sorted.length - 1)] - sorted[low]) * (at - low);
};
export const median = (values) => quantile(values, 0.5);
export const geometricMean = (values) => Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

const nanoseconds = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };

/**
 * Documents of Google Benchmark's form, several per target, as workloads: Map of name to { name, kind, flops, bytes, span,
 * traffic, runs: { target: { seconds: [one per round], checksum } } }.
 */
export function collect(documents) {
  const workloads = new Map();
  for (const [target, rounds] of Object.entries(documents))
    for (const { benchmarks } of rounds)
      for (const one of benchmarks) {
        const name = one.name.replace(/\/real_time$/, ''), [kind, checksum] = one.label.split(' ');
        const { flops, bytes, span, traffic } = one;
        if (!workloads.has(name)) workloads.set(name, { name, kind, flops, bytes, span, traffic, runs: {} });
        const run = (workloads.get(name).runs[target] ??= { seconds: [], checksum, flops, bytes, span });
        run.seconds.push(1e-9 * nanoseconds[one.time_unit] * one.real_time);
        if (run.checksum !== checksum) run.checksum = 'changes';
      }
  return workloads;
}

export const isDouble = (target) => target.endsWith('-double');

/** One sentence per workload whose results are wrong or not the same bits on all targets of one precision. */
export function disagreements(workloads, targets) {
  const out = [];
  for (const precision of [false, true]) {
    const group = targets.filter((target) => isDouble(target) === precision);
    for (const { name, runs } of workloads.values()) {
      const found = group.map((target) => runs[target]?.checksum ?? 'did not run it');
      if (new Set(found).size > 1 || found.includes('0000000000000000') || found.includes('changes'))
        out.push(`${name}: ${group.map((target, t) => `${target} ${found[t]}`).join(', ')}`);
    }
  }
  return out;
}

/** { median, low, high } of the ratios of the times of two targets, round by round; null where one is missing. */
export function ratio(workload, target, base) {
  const above = workload.runs[target]?.seconds, below = workload.runs[base]?.seconds;
  if (!above || !below) return null;
  const rounds = Array.from({ length: Math.min(above.length, below.length) }, (_, r) => above[r] / below[r]);
  return { median: median(rounds), low: quantile(rounds, 0.25), high: quantile(rounds, 0.75) };
}

/** Of the workloads that are not floors: { mean, worst, at, count } of the ratios, geometric mean and largest; or null. */
export function ratios(workloads, target, base, kinds = ['kernel', 'solve', 'prediction']) {
  const found = [...workloads.values()].filter(({ kind }) => kinds.includes(kind))
    .map((workload) => ({ name: workload.name, value: ratio(workload, target, base)?.median })).filter(({ value }) => value > 0);
  if (found.length === 0) return null;
  const worst = found.reduce((a, b) => (b.value > a.value ? b : a));
  return { mean: geometricMean(found.map(({ value }) => value)), worst: worst.value, at: worst.name, count: found.length };
}

// ---- floors ---------------------------------------------------------------------------------------------------------

/** The floors of traffic, by what a workload's mostly does. */
const patterns = ['read', 'update', 'read_rows', 'update_rows'];

/**
 * What a target reached in the same run: { peak: flop/s, read: [[span, byte/s]…], update: …, read_rows: …, update_rows: … }. `also` is another target
 * of the same vector width: the better of the two counts, so that code that is poor in both does not look good.
 */
export function floors(workloads, target, also) {
  const rate = (workload, unit) => Math.max(...[target, also].map((name) => {
    const run = workload.runs[name];
    return run ? run[unit] / median(run.seconds) : 0;
  }));
  const out = { peak: 0, ...Object.fromEntries(patterns.map((pattern) => [pattern, []])) };
  for (const workload of workloads.values()) {
    if (workload.kind !== 'floor') continue;
    if (workload.name === 'peak') out.peak = rate(workload, 'flops');
    else out[patterns[workload.traffic]].push([workload.span, rate(workload, 'bytes')]);
  }
  return out;
}

/** Bandwidth of a working set of so many bytes: between the measured ones, straight in logarithms. */
export function bandwidth(curve, span) {
  if (span <= curve[0][0]) return curve[0][1];
  for (let i = 1; i < curve.length; ++i) {
    const [[low, slow], [high, fast]] = [curve[i - 1], curve[i]];
    if (span <= high) return Math.exp(Math.log(slow) + (Math.log(fast / slow) * Math.log(span / low)) / Math.log(high / low));
  }
  return curve.at(-1)[1];
}

/** { fraction, bound: 'arithmetic' or 'traffic', gflops } of a workload on a target; null where its costs are not counted. */
export function againstFloor(workload, target, floor) {
  const run = workload.runs[target];
  if (!run || !(run.flops > 0) || !(floor.peak > 0)) return null;
  const seconds = median(run.seconds), arithmetic = run.flops / floor.peak;
  const traffic = run.bytes / bandwidth(floor[patterns[workload.traffic]], run.span);
  return {
    fraction: Math.max(arithmetic, traffic) / seconds, bound: arithmetic >= traffic ? 'arithmetic' : 'traffic',
    gflops: run.flops / seconds / 1e9,
  };
}

// ---- growth ---------------------------------------------------------------------------------------------------------

/** The slope of log y against log x by least squares, over points [[x, y]]; NaN of fewer than three. */
export function exponent(points) {
  if (points.length < 3) return NaN;
  const logs = points.map((point) => point.map(Math.log)), mean = (i) => logs.reduce((sum, log) => sum + log[i], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  return logs.reduce((sum, log) => sum + (log[0] - x) * (log[1] - y), 0) / logs.reduce((sum, log) => sum + (log[0] - x) ** 2, 0);
}
