// The chapters on the suite itself: ratios, agreement, floors, cold starts, all workloads.
import { againstFloor, floors, geometricMean, isDouble, median, quantile, ratio, ratios } from './analysis.mjs';
import { chart } from './chart.mjs';

const two = (value) => (Number.isFinite(value) ? value.toFixed(2) : '–');
const percent = (value) => `${Math.round(100 * value)} %`;
const verdict = (met) => (met ? 'met' : '**missed**');
export const time = (seconds) => (seconds >= 1 ? `${seconds.toPrecision(3)} s` : seconds >= 1e-3 ? `${(1e3 * seconds).toPrecision(3)} ms`
  : `${(1e6 * seconds).toPrecision(3)} µs`);
const has = (names, ...wanted) => wanted.every((name) => names.includes(name));
const families = (names) => [...new Set(names.map((name) => name.match(/^(gcc|clang)-/)?.[1]).filter(Boolean))];

/** What is compared with what: { what, target, base, mean, worst } with the goals where there are some. */
export function comparisons(names) {
  const out = [], add = (what, target, base, goals = {}) => { if (has(names, target, base)) out.push({ what, target, base, ...goals }); };
  const peer = names.includes('clang-sse') ? 'clang' : 'gcc';  // Emscripten is clang
  add('WebAssembly with SIMD, Node, beside native of the same width', 'wasm-simd', `${peer}-sse`, { mean: 1.25, worst: 1.6 });
  add('the same in Chromium’s worker', 'browser-simd', `${peer}-sse`, { mean: 1.25, worst: 1.6 });
  add('WebAssembly without SIMD, Node, beside native scalar', 'wasm-base', `${peer}-scalar`, { mean: 1.3 });
  add('the same in Chromium’s worker', 'browser-base', `${peer}-scalar`, { mean: 1.3 });
  add('WebAssembly with SIMD beside what users build natively', 'wasm-simd', 'gcc-native');
  add('the npm package, built for size', 'wasm-simd-package', 'wasm-simd');
  add('the npm package without SIMD', 'wasm-base-package', 'wasm-base');
  add('WebAssembly with SIMD, double', 'wasm-simd-double', `${peer}-sse-double`, { mean: 1.25, worst: 1.6 });
  for (const family of families(names)) {
    add('wider must not lose: SSE beside scalar', `${family}-sse`, `${family}-scalar`, { worst: 1.1 });
    add('as users build it beside SSE', `${family}-native`, `${family}-sse`, { worst: 1.1 });
    add('AVX2 beside SSE', `${family}-avx2`, `${family}-sse`, { worst: 1.1 });
    add('AVX-512 beside AVX2', `${family}-avx512`, `${family}-avx2`, { worst: 1.1 });
    add('double beside float', `${family}-native-double`, `${family}-native`);
  }
  add('clang++ beside g++', 'clang-native', 'gcc-native');
  return out;
}

export function ratiosFirst(document, workloads, names) {
  document.heading('Ratios');
  document.text('Times of one target over those of another, round by round within one run, medians; geometric mean over all kernels, solves ' +
    'and predictions, and the worst. Below 1 is faster. A wider build counts as slower than a narrower one beyond 1.1, which is what medians of short loops vary by.');
  const kinds = [['kernel', 'kernels'], ['solve', 'solves'], ['prediction', 'predictions']];
  const rows = [], missed = [];
  for (const { what, target, base, mean, worst } of comparisons(names)) {
    const all = ratios(workloads, target, base);
    if (!all) continue;
    const parts = kinds.map(([kind]) => two(ratios(workloads, target, base, [kind])?.mean ?? NaN));
    const goals = [mean && `mean ≤ ${mean}: ${verdict(all.mean <= mean)}`, worst && `worst ≤ ${worst}: ${verdict(all.worst <= worst)}`].filter(Boolean);
    rows.push([`${what}: ${target} / ${base}`, two(all.mean), ...parts, `${two(all.worst)} (${all.at})`, goals.join('; ') || '–']);
    if (mean && all.mean > mean) missed.push(`${target} / ${base}: the mean is ${two(all.mean / mean)} times the goal.`);
    if (worst && all.worst > worst) missed.push(`${target} / ${base}: the worst, ${all.at}, is ${two(all.worst / worst)} times the goal.`);
  }
  document.table(['', 'mean', ...kinds.map(([, name]) => name), 'worst', 'goal'], rows);
  if (missed.length > 0) {
    document.text('Goals that are missed, and by how much:');
    document.list(missed);
    document.text('Modules and native targets have the same sources and levels of optimisation, and Emscripten is clang++: beside clang++ at the same width, ' +
      'what remains is the code that the engine generates from the module. Small solves, of microseconds, are mostly comparisons and calls, which it ' +
      'inlines less. The npm package is built for size besides: its rows say what that costs.');
  }
  const others = ['wasm-simd', 'browser-simd'].filter((name) => names.includes(name));
  const base = names.includes('clang-sse') ? 'clang-sse' : 'gcc-sse';
  if (others.length > 0 && names.includes(base)) {
    const drawn = [...workloads.values()].filter(({ kind }) => kind !== 'floor');
    document.plot('ratios.svg', chart(`Time against ${base} (1 = as fast)`, others,
      drawn.map((workload) => ({ name: workload.name, ratios: others.map((target) => ratio(workload, target, base)?.median ?? NaN) }))));
  }
}

export function agreement(document, wrong, names) {
  document.heading('Are the results the same?');
  if (wrong.length === 0) document.text(`Every workload has the same bits on ${names.filter((name) => !isDouble(name)).join(', ')}` +
    `${names.some(isDouble) ? `, and in double on ${names.filter(isDouble).join(', ')}` : ''}.`);
  else document.list(wrong.map((sentence) => `**DIFFERENT RESULTS** ${sentence}`));
}

// ---- floors ---------------------------------------------------------------------------------------------------------

/** The native target of the same vector width, whose floor counts for a module too. */
const sameWidth = { 'wasm-simd': 'clang-sse', 'browser-simd': 'clang-sse', 'wasm-simd-package': 'clang-sse', 'wasm-base': 'clang-scalar',
  'browser-base': 'clang-scalar', 'wasm-base-package': 'clang-scalar', 'wasm-simd-double': 'clang-sse-double' };
/** Kernels that are loops of products: the goal of the issue is for these; others are bound by comparisons. */
export const isProduct = (name) => /^(dot|multiply|transposed_multiply|cholesky|column_)/.test(name);

/** Per target: { name, goal, mean, met, count, worst, at } over the kernels that are products. */
export function floorSummary(workloads, names) {
  return names.filter((name) => !/native-double|avx512/.test(name)).map((name) => {
    const floor = floors(workloads, name, sameWidth[name]), goal = /wasm|browser/.test(name) ? 0.6 : 0.75;
    const found = [...workloads.values()].filter((workload) => workload.kind === 'kernel' && isProduct(workload.name))
      .map((workload) => ({ name: workload.name, ...againstFloor(workload, name, floor) })).filter(({ fraction }) => fraction > 0);
    if (found.length === 0) return null;
    const worst = found.reduce((a, b) => (b.fraction < a.fraction ? b : a));
    return { name, goal, floor, mean: geometricMean(found.map(({ fraction }) => fraction)), met: found.filter(({ fraction }) => fraction >= goal).length,
      count: found.length, worst: worst.fraction, at: worst.name };
  }).filter(Boolean);
}

export function floorsOf(document, workloads, names) {
  const summary = floorSummary(workloads, names);
  if (summary.length === 0) return;
  document.heading('How far from what the machine can do');
  document.text('The floor of a kernel is what its multiplications and additions take at the peak that independent ones reach, or its traffic at the ' +
    'bandwidth of a working set of its size, read or updated in place, in order or by rows whose numbers are in a list, whichever is longer; both are measured in the same run, in the same build, ' +
    'at its own vector width (for WebAssembly: by clang++ at that width, if that is more). Padding to whole vectors counts as nothing, so where the ' +
    'lanes are classes three of them reach at most 75 % in float and two 50 %.');
  const giga = (value) => (value / 1e9).toPrecision(3);
  document.table(['target', 'peak, Gflop/s', 'read 16 kB … 64 MB, GB/s', 'kernels at goal', 'mean', 'least'], summary.map((one) => [one.name,
    giga(one.floor.peak), one.floor.read.map(([, rate]) => giga(rate)).join(', '), `${one.met} of ${one.count} at ≥ ${percent(one.goal)}`,
    percent(one.mean), `${percent(one.worst)} (${one.at})`]));
  const shown = summary.filter(({ name }) => ['gcc-sse', 'clang-sse', 'gcc-native', 'wasm-simd', 'wasm-base', 'browser-simd'].includes(name));
  const rows = [...workloads.values()].filter(({ kind }) => kind === 'kernel').map((workload) => [workload.name, ...shown.map(({ name, floor }) => {
    const at = againstFloor(workload, name, floor);
    return at ? `${percent(at.fraction)} ${at.bound === 'traffic' ? 't' : 'a'}, ${at.gflops.toFixed(1)}` : '–';
  })]);
  document.text('Share of the floor (a: arithmetic binds, t: traffic), and Gflop/s:');
  document.table(['kernel', ...shown.map(({ name }) => name)], rows);
  document.text('What bounds the kernels below their goals. **A W** has samples in its lanes, and no padding: per feature a tile takes two vectors of samples ' +
    'and four coefficients, each in all lanes, for eight products and eight additions. Without AVX a coefficient is a load and a shuffle, and every ' +
    'product overwrites a copy: instructions, not units, are short, at two thirds of the peak. **AᵀU** has classes in its lanes, or with AVX2, where rows would ' +
    'leave half of their last vector empty, features, for which X is first turned around: three shuffles for eight numbers, shared by all classes, so few of them pay most. ' +
    'Fused operations, which would count twice, are off: they change bits. ' +
    '**Inner products** add lane by lane in one chain: their order is part of the definition, so they run at the latency of an addition. ' +
    '**Sparse columns** add entry after entry to one sum, at the latency of an addition where rows are short; violations are masks as well, of which ' +
    'the floor counts none, and each entry looks its label up. **Projections and proximal operators** are chains of comparisons, roots and divisions per row; neither arithmetic nor traffic binds them, ' +
    'and the goal is not for them.');
}

// ---- cold starts, and all workloads -----------------------------------------------------------------------------------

export function coldStarts(document, workloads, cold) {
  const names = Object.keys(cold ?? {});
  if (names.length === 0) return;
  document.heading('The first run');
  document.text('Each solve once in a fresh instance whose code no engine has seen, its compilation (`instantiate`) apart, beside the median of warm runs. ' +
    'Engines begin with quick code and replace it while it runs.');
  const warm = (name, workload) => median(workloads.get(workload)?.runs[name]?.seconds ?? [NaN]);
  const rows = names.map((name) => {
    const found = cold[name].benchmarks.map((one) => ({ name: one.name, ratio: (1e-9 * one.real_time) / warm(name, one.name), instantiate: one.instantiate }))
      .filter(({ ratio: value }) => value > 0);
    if (found.length === 0) return null;
    const worst = found.reduce((a, b) => (b.ratio > a.ratio ? b : a));
    return [name, two(geometricMean(found.map((one) => one.ratio))), `${two(worst.ratio)} (${worst.name})`, time(median(found.map((one) => one.instantiate)))];
  }).filter(Boolean);
  document.table(['target', 'first run / warm, mean', 'worst', 'instantiate, median'], rows);
}

export function workloadTable(document, workloads, names) {
  document.heading('All workloads');
  const base = ['gcc-native', 'clang-native', names[0]].find((name) => names.includes(name));
  if (!base) return;
  const others = names.filter((name) => name !== base);
  document.text(`Median time on ${base} with its quartiles, and the other targets as multiples of it.`);
  for (const kind of ['kernel', 'solve', 'prediction', 'floor']) {
    const rows = [...workloads.values()].filter((workload) => workload.kind === kind && workload.runs[base]).map((workload) => {
      const { seconds } = workload.runs[base];
      return [workload.name, `${time(median(seconds))} (${time(quantile(seconds, 0.25))} – ${time(quantile(seconds, 0.75))})`,
        ...others.map((name) => two(ratio(workload, name, base)?.median ?? NaN))];
    });
    if (rows.length > 0) document.heading(`${kind[0].toUpperCase()}${kind.slice(1)}s`, 3);
    document.table(['workload', base, ...others], rows);
  }
}

export function measured(document, { documents, notRun, failed }) {
  document.heading('What was measured');
  document.table(['target', 'compiler or engine', 'flags', 'rounds'], Object.entries(documents).map(([name, rounds]) => [name,
    rounds[0].context.compiler ?? '', `\`${rounds[0].context.flags ?? 'as the npm package is built (wasm/CMakeLists.txt)'}\``, rounds.length]));
  const lines = [...Object.entries(notRun).map(([name, reason]) => `${name}: not run: ${reason}`),
    ...Object.entries(failed).map(([name, reason]) => `${name}: **FAILED**: ${reason}`)];
  if (lines.length > 0) document.list(lines);
}
