import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { command, createWorkerClient, dist, iris, load, project, refusal, runCommand } from './support.mjs';

const { elementaryOf } = await import(pathToFileURL(path.join(dist, 'elementary.js')));

/** Runs work(file), file(name) being in a folder of its own that is gone afterwards. */
async function inFolder(work) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tamis-'));
  try {
    return await work((name) => path.join(folder, name));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const tamis = await load();
const sparse = { p: 2, q: 1, r: 1 };
// A core and a ring around it, which no line parts.
const points = Array.from({ length: 40 }, (_, i) => {
  const radius = i % 2 ? 2 : 0.7 * Math.sin(1.7 * i);
  return [radius * Math.cos(2.3 * i), radius * Math.sin(2.3 * i)].map((x) => Number(x.toFixed(2)) + 0);
});
const rings = {
  X: points, y: points.map((_, i) => (i % 2 ? 'ring' : 'core')), featureNames: ['a', 'b'],
  kernels: ['linear', 'gaussian:1', 'sigmoid:1,-1'], ...sparse, lambda: 0.02, intercept: true, tolerance: 1e-3,
};
const flowers = { ...iris, kernels: ['linear', 'gaussian:1', 'laplacian:2', 'chi2', 'kl'], ...sparse, lambda: 0.02, tolerance: 1e-3 };
const norms = [1, 2].flatMap((p) => [1, 2].flatMap((q) => [1, 2].map((r) => ({ p, q, r }))));

/** Everything a training came to, without the time it took. */
const outcome = ({ data: { report: { milliseconds, ...report }, ...data } }) => ({ report, ...data });

const numbersOf = (name) =>
  readFileSync(path.join(project, 'tests/reference/data', name), 'utf8').trim().split('\n').map((line) => line.split(',').map(Number));

test('certified optima of given matrices: the objective is the optimum, the bound is below it', async () => {
  const cases = readFileSync(path.join(project, 'tests/reference/kernel_cases.csv'), 'utf8').trim().split('\n').slice(1);
  assert.ok(cases.length >= 10);
  for (const line of cases) {
    const [id, data, p, q, r, lambda, optimum] = line.split(',').map((field, i) => (i < 2 ? field : Number(field)));
    const matrices = [1, 2, 3].map((t) => numbersOf(`${data}_K${t}.csv`)); // the third is not symmetric
    const y = numbersOf(`${data}_y.csv`).map(([label]) => label);
    const n = y.length;
    const model = await tamis.trainKernels({ matrices, y, p, q, r, lambda: lambda / n, tolerance: 1e-7, precision: 'double' });
    const { status, objective, dualObjective } = model.report;
    assert.equal(status, 'converged', id);
    assert.ok(n * objective >= optimum * (1 - 1e-9) && n * objective <= optimum * (1 + 1.01e-7), `${id}: ${n * objective}`);
    assert.ok(n * dualObjective <= optimum * (1 + 1e-9), `${id}: ${n * dualObjective}`);
    // The scores make the objective: column i of the matrices is what is known of sample i.
    const columns = y.map((_, i) => matrices.map((matrix) => matrix.map((row) => row[i])));
    const losses = columns.map((values, i) => Math.max(0, 1 - Math.sign(y[i]) * model.scores(values)[1]) ** 2);
    const of = new Map(model.terms.map(({ kernel, sample, coefficients: [alpha] }) => [`${kernel} ${sample}`, Math.abs(alpha)]));
    const alpha = (t, l) => of.get(`${t} ${l}`) ?? 0;
    const [groups, others] = r === 1 ? [n, 3] : [3, n];
    let penalty = 0;
    for (let g = 0; g < groups; ++g) {
      let inside = 0;
      for (let o = 0; o < others; ++o) inside += (r === 1 ? alpha(o, g) : alpha(g, o)) ** p;
      penalty += inside ** (q / p);
    }
    const value = losses.reduce((a, b) => a + b) / n + (lambda / n / q) * penalty;
    assert.ok(Math.abs(value - objective) <= 1e-12 * objective, `${id}: ${value}`);
    assert.deepEqual(model.predictAll(columns), columns.map((values) => model.predict(values)));
  }
});

const ringModel = await tamis.trainKernels(rings);

test('rings: few samples tell them apart', () => {
  assert.equal(ringModel.report.status, 'converged');
  assert.deepEqual(ringModel.predictAll(points), rings.y);
  assert.deepEqual(ringModel.classes, ['core', 'ring']);
  assert.ok(ringModel.keptSamples.length <= 6, `${ringModel.keptSamples}`);
  assert.deepEqual([...new Set(ringModel.terms.map(({ sample }) => sample))].sort((a, b) => a - b), ringModel.keptSamples);
  assert.deepEqual([...new Set(ringModel.terms.map(({ kernel }) => kernel))], ringModel.keptKernels);
  assert.equal(ringModel.terms.length, ringModel.report.nonzeroRows);
  const [first, second] = ringModel.scores(points[0]);
  assert.equal(first, -second);
  assert.ok(ringModel.report.lambdaMax > 0.02);
});

test('few kernels, classes, forms, constants', async () => {
  const few = await tamis.trainKernels({ ...rings, r: 2, lambda: 0.2 });
  assert.deepEqual(few.keptKernels, ['gaussian:1']);
  const twice = await tamis.trainKernels({ ...rings, kernels: ['gaussian:2', 'gaussian:1', 'gaussian:1'] });
  assert.deepEqual(twice.keptKernels.slice(-2), ['gaussian:1', 'gaussian:1']);
  const both = await tamis.trainKernels({ ...rings, form: 'multiclass' });
  assert.equal(both.intercepts.length, 2);
  assert.equal(both.terms[0].coefficients.length, 2);
  assert.deepEqual(both.predictAll(points), rings.y);
  const model = await tamis.trainKernels({ ...flowers, kernels: [...flowers.kernels, 'constant'] });
  assert.equal(model.report.status, 'converged');
  assert.ok(!model.keptKernels.includes('constant') && model.intercepts.some((b) => b !== 0));
  const right = model.predictAll(iris.X).filter((label, i) => label === iris.y[i]).length;
  assert.ok(right >= 143, `${right}`);
});

test('with and without SIMD, the same bits', async () => {
  const [base, simd] = await Promise.all([false, true].map((simd) => load({ simd })));
  for (const precision of ['float', 'double'])
    for (const norm of norms)
      for (const problem of [rings, { ...flowers, kernels: ['gaussian:1', 'distance'], maxIterations: 30 }]) {
        const [one, other] = await Promise.all([base, simd].map((tamis) => tamis.trainKernels({ ...problem, ...norm, precision })));
        assert.deepStrictEqual(outcome(one), outcome(other), `${precision} ${Object.values(norm)}`);
        assert.equal(one.toC(), other.toC());
      }
});

/** Of a hexadecimal literal of C. */
function fromHex(text) {
  const [, sign, whole, fraction = '', power] = text.match(/^(-?)0x(\d)\.?([0-9a-f]*)p([+-]\d+)f?$/) ?? [, text[0] === '-' ? '-' : '', '0', '', '0'];
  return (sign ? -1 : 1) * parseInt(whole + fraction, 16) * 2 ** (Number(power) - 4 * fraction.length);
}

/** What the library has computed for the self-test in a header. */
const expectedOf = (header) =>
  header.match(/expected\[\d+\]\[\d+\] = \{\n([^;]*)\};/)[1].match(/-?0[x.][^,}]*/g).map(fromHex);

test('kernels have the bits of the library, whatever their arguments', async () => {
  const all = ['gaussian:1', 'laplacian:0.3', 'sigmoid:1.3,-0.2', 'kl', 'chi2', 'polynomial:5,-0.3', 'distance'];
  for (const precision of ['float', 'double'])
    for (const kernel of all) {
      const Reals = precision === 'float' ? Float32Array : Float64Array;
      const data = {
        ...(await tamis.trainKernels({ ...rings, precision })).data, features: 1, featureNames: null, kernels: [kernel], samples: [[0.7]],
        origins: Uint32Array.of(0), termKernels: Uint32Array.of(0), termSamples: Uint32Array.of(0), coefficients: Reals.of(1), intercepts: Reals.of(0),
      };
      const model = await tamis.fromDataBeside(data);
      const X = Array.from({ length: 5000 }, (_, i) => [((i * 0.6180339887498949) % 1) ** (1 + (i % 5)) * 4]);
      assert.deepEqual(expectedOf(model.toC({ samples: X })), X.flatMap((x) => [...model.scores(x)].map((score) => score + 0)), `${precision} ${kernel}`);
    }
});

test('elementary functions are accurate', () => {
  for (const precision of ['float', 'double']) {
    const { round, exponential, logarithm, hyperbolicTangent } = elementaryOf(precision);
    const epsilon = precision === 'float' ? 2 ** -23 : 2 ** -52;
    const near = (value, exact, units, what) =>
      assert.ok(Math.abs(value - exact) <= units * epsilon * Math.abs(exact), `${precision} ${what}: ${value} is not ${exact}`);
    for (let i = 0; i < 20000; ++i) {
      const x = round((i * 0.6180339887498949 % 1) * 80);
      near(exponential(-x), Math.exp(-x), 2, `exp(-${x})`);
      near(logarithm(exponential(-x)), Math.log(exponential(-x)), 2, `log(exp(-${x}))`);
      near(hyperbolicTangent(round(x / 20 - 2)), Math.tanh(round(x / 20 - 2)), 4, `tanh(${x / 20 - 2})`);
    }
    assert.deepEqual([exponential(0), exponential(-1e30), exponential(-Infinity), logarithm(1), hyperbolicTangent(0)], [1, 0, 0, 0, 0]);
    assert.deepEqual([hyperbolicTangent(Infinity), hyperbolicTangent(-1e30)], [1, -1]);
  }
});

test('slices, progress, stopping, limits', async () => {
  const long = { ...flowers, lambda: 1e-4, tolerance: 1e-15, precision: 'double' };
  const reports = [];
  const stopped = await tamis.trainKernels(long, { sliceMilliseconds: 1, onProgress: (report) => reports.push(report) < 4 });
  assert.equal(stopped.report.status, 'stopped');
  assert.equal(reports.length, 5);
  assert.ok(reports.every((report, i) => i === 0 || report.gap <= reports[i - 1].gap));
  const controller = new AbortController();
  controller.abort();
  const aborted = await tamis.trainKernels(long, { signal: controller.signal, bestOnAbort: true });
  assert.deepEqual([aborted.report.status, aborted.report.iterations], ['stopped', 0]);
  assert.deepEqual([aborted.terms, aborted.keptSamples], [[], []]);
  const limited = await tamis.trainKernels({ ...long, maxIterations: 20 });
  assert.deepEqual([limited.report.status, limited.report.iterations], ['iteration_limit', 20]);
  const again = await tamis.trainKernels({ ...long, maxIterations: 20 }, { sliceMilliseconds: 1 });
  assert.deepEqual(outcome(again), outcome(limited));
});

test('matrices in columns or typed, samples in columns: the same problem', async () => {
  const values = Float64Array.from({ length: 80 }, (_, e) => points[e % 40][Math.floor(e / 40)]);
  assert.deepEqual(outcome(await tamis.trainKernels({ ...rings, X: { values, samples: 40, features: 2, layout: 'columns' } })),
    outcome(ringModel));
  const { X, kernels, featureNames, ...given } = rings;
  const linear = points.map(([a, b]) => points.map(([c, d]) => Math.fround(Math.fround(a * c) + Math.fround(b * d))));
  const matrix = { values: Float32Array.from(linear.flat()), samples: 40, features: 40 };
  const [one, other] = await Promise.all([[linear], [matrix]].map((matrices) => tamis.trainKernels({ ...given, matrices })));
  assert.deepEqual(outcome(one), outcome(other));
  assert.equal(one.features, null);
  await refusal(() => one.toC(), 'invalid_option');
  await refusal(() => JSON.stringify(one), 'invalid_option');
  await refusal(() => one.predict([1, 2]), 'invalid_shape');
  await refusal(() => one.predict([new Array(40).fill(NaN)]), 'invalid_data');
});

// With all kinds of kernels: what the library computes for a self-test, JavaScript has to the last bit.
test('a C header has the scores of the model', () => inFolder(async (file) => {
  const histograms = iris.X.map((row, i) => (i % 5 ? row : [0, ...row.slice(1)]));
  const problems = {
    rings: { ...rings, p: 1 },
    few: { ...rings, r: 2, lambda: 0.2, precision: 'double' },
    flowers: { ...flowers, X: histograms, p: 1, q: 2, lambda: 0.1, maxIterations: 40 },
    exact: { ...flowers, X: histograms, p: 2, q: 2, lambda: 0.1, precision: 'double', maxIterations: 40 },
    plain: { ...flowers, kernels: ['polynomial:3,0.5', 'distance', 'sigmoid:0.1,-0.3', 'linear', 'constant'], p: 2, q: 2, maxIterations: 40 },
  };
  for (const [name, problem] of Object.entries(problems)) {
    const model = await tamis.trainKernels(problem);
    assert.ok(name === 'few' || name === 'rings' || model.keptKernels.length >= 4, `${model.keptKernels}`);
    const scores = problem.X.flatMap((row) => [...model.scores(row)]);
    assert.deepEqual(expectedOf(model.toC({ name, samples: problem.X })), scores.map((score) => score + 0));
    const header = model.toC({ name });
    assert.match(header, new RegExp(`static inline int ${name}_self_test\\(void\\)`));
    const type = model.precision === 'float' ? 'float' : 'double';
    const rows = problem.X.map((row) => `{${row.join(', ')}}`);
    writeFileSync(file('use.c'), `#include <stdio.h>\n${header}
      static const ${type} x[${rows.length}][${model.features}] = {${rows.join(',\n')}};
      int main(void) { ${type} s[${name.toUpperCase()}_CLASSES]; int i, k;
        for (i = 0; i < ${rows.length}; ++i) { ${name}_scores(x[i], s);
          for (k = 0; k < ${name.toUpperCase()}_CLASSES; ++k) printf("%.17g\\n", (double)s[k]); }
        return ${name}_self_test(); }\n`);
    try {
      execFileSync('cc', ['-std=c99', '-Wall', '-Wextra', '-Wno-unused-function', '-Wno-unused-const-variable', '-Werror',
        '-ffp-contract=off', file('use.c'), '-lm', '-o', file('use')]);
    } catch (error) {
      if (error.code === 'ENOENT') return;
      throw error;
    }
    const printed = execFileSync(file('use'), { encoding: 'utf8' }).trim().split('\n').map(Number);
    const size = Math.max(...printed.map(Math.abs));
    const epsilon = (type === 'float' ? 2 ** -23 : 2 ** -52) * 2000;
    assert.equal(printed.length, scores.length);
    // The library of C has other exponentials.
    printed.forEach((value, i) => assert.ok(Math.abs(value - scores[i]) <= epsilon * size, `${name} ${i}: ${value} ${scores[i]}`));
  }
  await refusal(() => ringModel.toC({ name: '3d' }), 'invalid_option');
  await refusal(() => ringModel.toC({ samples: [[1]] }), 'invalid_shape');
}));

test('the command: the same certificate, the same model file, the same scores to the last bit', { skip: !command && 'no command to compare with' }, () => inFolder(async (file) => {
  writeFileSync(file('rings.csv'), `y,a,b\n${points.map((row, i) => [rings.y[i], ...row].join()).join('\n')}\n`);
  const data = {
    rings: { table: file('rings.csv'), problem: { ...rings, kernels: [...rings.kernels, 'polynomial:2,1', 'distance'] } },
    flowers: { table: path.join(project, 'tests/data/iris.csv'), problem: { ...flowers, lambda: 0.1 } },
  };
  for (const { table, problem } of Object.values(data))
    for (const norm of [{ p: 2, q: 1, r: 1 }, { p: 1, q: 2, r: 2 }, { p: 2, q: 2, r: 1 }])
      for (const precision of ['float', 'double']) {
        const { p, q, r } = norm;
        const model = await tamis.trainKernels({ ...problem, ...norm, precision, maxIterations: 500 });
        runCommand('kernels', table, ...problem.kernels.flatMap((kernel) => ['--kernel', kernel]), '--p', String(p), '--q', String(q),
          '--r', String(r), '--lambda', String(problem.lambda), '--tolerance', '1e-3', '--max-iterations', '500', '--precision', precision, '--quiet',
          ...(problem.intercept ? ['--intercept'] : []), '--report', file('report.json'), '--model', file('command.json'));
        const report = JSON.parse(readFileSync(file('report.json'), 'utf8'));
        assert.equal(report.iterations, model.report.iterations);
        assert.equal(report.dual_objective, model.report.dualObjective);
        const rounding = precision === 'float' ? 1e-5 : 1e-12; // the command computes its own in double
        assert.ok(Math.abs(report.objective - model.report.objective) <= rounding * report.objective);
        assert.deepEqual(report.coefficients.values, model.terms.map(({ coefficients }) => coefficients));
        const json = JSON.parse(JSON.stringify(model));
        assert.deepEqual(json, JSON.parse(readFileSync(file('command.json'), 'utf8')));
        writeFileSync(file('model.json'), JSON.stringify(model));
        const header = runCommand('export', file('model.json'), '--format', 'c', '--name', 'm', '--precision', precision);
        assert.equal(model.toC({ name: 'm' }), header.replace(/\/\* The features:\n[^/]*\*\/\n/, ''));
        const lines = runCommand('predict', file('model.json'), table, '--scores').trim().split('\n').slice(1);
        problem.X.forEach((row, i) => {
          const [label, ...scores] = lines[i].split(',');
          const own = [...model.scores(row)];
          if (precision === 'double') assert.deepEqual(own, scores.map(Number), `${i}`);
          else own.forEach((score, k) => assert.ok(Math.abs(score - Number(scores[k])) <= 1e-4 * (1 + Math.abs(score))));
          assert.equal(String(model.predict(row)), label);
        });
      }
}));

test('a worker trains the same model', async () => {
  const client = createWorkerClient(new Worker(path.join(dist, 'worker-script.js')));
  after(() => client.close());
  const reports = [];
  for (const precision of ['float', 'double']) {
    const problem = { ...rings, precision };
    const [there, here] = [await client.trainKernels(problem, { onProgress: (report) => void reports.push(report) }),
      await tamis.trainKernels(problem)];
    assert.deepEqual(outcome(there), outcome(here));
    assert.deepEqual(there.terms, here.terms);
    assert.deepEqual(there.predictAll(points), here.predictAll(points));
    assert.equal(await there.toC({ name: 'rings' }), here.toC({ name: 'rings' }));
    assert.deepEqual(there.toJSON(), here.toJSON());
  }
  assert.equal(reports.at(-1).status, 'converged');
  const stopped = await client.trainKernels({ ...flowers, tolerance: 1e-15, precision: 'double' }, { onProgress: () => false });
  assert.equal(stopped.report.status, 'stopped');
  const error = await refusal(() => client.trainKernels({ ...rings, kernels: ['linear', 'gaussian:0'] }), 'invalid_option');
  assert.equal(error.kernel, 1);
});

// What is wrong, what it comes to, and what the message says.
const replaced = (list, i, value) => list.map((entry, e) => (e === i ? value : entry));
const { X, kernels, featureNames, ...apart } = rings;
const ones = points.map(() => new Float32Array(40).fill(1));
const given = { ...apart, matrices: [ones, ones] };
const refusals = [
  ['neither kernels nor matrices', rings, { kernels: undefined }, 'invalid_option', 'kernels and matrices are neither given'],
  ['both', rings, { matrices: [ones] }, 'invalid_option', 'kernels and matrices are both given'],
  ['no kernels', rings, { kernels: [] }, 'invalid_option', "kernels must be an array such as ['linear'"],
  ['a single kernel', rings, { kernels: 'linear' }, 'invalid_option', 'kernels must be an array'],
  ['an unknown kernel', rings, { kernels: ['linear', 'cubic'] }, 'invalid_option', "kernels[1]: 'cubic' is not one of linear, polynomial"],
  ['no width', rings, { kernels: ['gaussian'] }, 'invalid_option', "kernels[0]: 'gaussian' is not written as in gaussian:0.5", { kernel: 0 }],
  ['too many numbers', rings, { kernels: ['linear:1'] }, 'invalid_option', "kernels[0]: 'linear:1' is not written as linear", { kernel: 0 }],
  ['a word for a number', rings, { kernels: ['sigmoid:1,x'] }, 'invalid_option', "kernels[0]: 'sigmoid:1,x' is not written as in sigmoid:0.1,-1", { kernel: 0 }],
  ['width 0', rings, { kernels: ['linear', 'gaussian:0'] }, 'invalid_option', 'kernels[1] (gaussian:0): the width of a kernel must be positive', { kernel: 1 }],
  ['a broken degree', rings, { kernels: ['polynomial:1.5,0'] }, 'invalid_option', 'the degree of a polynomial kernel must be a whole number', { kernel: 0 }],
  ['p 3', rings, { p: 3 }, 'invalid_option', 'p: 3 is not 1 or 2'],
  ['no q', rings, { q: undefined }, 'invalid_option', 'q: undefined is not 1 or 2'],
  ['r as text', rings, { r: '1' }, 'invalid_option', "r: '1' is not 1 or 2"],
  ['an unknown form', rings, { form: 'ternary' }, 'invalid_option', "form: 'ternary' is not one of auto, binary, multiclass"],
  ['binary form of three classes', flowers, { form: 'binary' }, 'invalid_shape', 'form: binary is for two classes; here are 150 samples, 4 features and 3'],
  ['no lambda', rings, { lambda: undefined }, 'invalid_lambda', 'lambda: undefined is not positive and finite'],
  ['lambda 0', rings, { lambda: 0 }, 'invalid_lambda', 'lambda: 0 is not positive'],
  ['lambda too small for float', rings, { lambda: 1e-60 }, 'invalid_lambda', 'lambda: 1e-60 is not positive'],
  ['a loss', rings, { loss: 'squared-hinge' }, 'invalid_option', 'loss: training with kernels has no such option'],
  ['sample weights', rings, { sampleWeights: [1] }, 'invalid_option', 'sampleWeights: training with kernels has no such option'],
  ['tolerance 0', rings, { tolerance: 0 }, 'invalid_option', 'tolerance: the tolerance must be positive'],
  ['no iterations', rings, { maxIterations: 0 }, 'invalid_option', 'maxIterations: 0 is not'],
  ['one class', rings, { y: rings.y.map(() => 'a') }, 'invalid_shape', 'two classes; here are 40 samples, 2 features and 1 class'],
  ['no samples', rings, { X: [], y: [], featureNames: undefined }, 'invalid_shape', 'at least one sample'],
  ['too few labels', rings, { y: ['a'] }, 'invalid_shape', 'y has 1 labels for 40 samples'],
  ['NaN in X', rings, { X: replaced(points, 3, [1, NaN]) }, 'invalid_data', 'X[3][1]: a sample holds', { row: 3, column: 1 }],
  ['a value too large for float', rings, { X: replaced(points, 3, [1, 1e300]) }, 'invalid_data', 'X[3][1]: 1e+300 does not fit', { row: 3, column: 1 }],
  ['negative histograms', rings, { kernels: ['linear', 'chi2'] }, 'invalid_data', 'kernels[1] (chi2), samples 0 and 1: the value of a kernel',
    { kernel: 1, row: 0, column: 1 }],
  ['a kernel beyond float', rings, { X: replaced(points, 0, [1e30, 1]) }, 'invalid_data', 'kernels[0] (linear), samples 0 and 0:', { kernel: 0, row: 0, column: 0 }],
  ['a kernel of zeros', rings, { X: points.map(() => [0, 0]) }, 'invalid_data', 'kernels[0] (linear): a kernel is zero for every pair', { kernel: 0 }],
  ['names for other features', rings, { featureNames: ['a'] }, 'invalid_shape', 'featureNames has 1 entries for 2 features'],
  ['samples with matrices', given, { X }, 'invalid_option', 'X: matrices are used without samples'],
  ['names with matrices', given, { featureNames }, 'invalid_option', 'featureNames: matrices are used without samples'],
  ['no matrices', given, { matrices: [] }, 'invalid_option', 'matrices must be an array of at least one matrix'],
  ['a matrix of another size', given, { matrices: [ones, ones.slice(1)] }, 'invalid_shape', 'matrices[1] has 39 rows of 40 values where y has 40 labels', { kernel: 1 }],
  ['NaN in a matrix', given, { matrices: [ones, replaced(ones, 5, replaced([...ones[0]], 7, NaN))] }, 'invalid_data',
    'matrices[1][5][7]: it is not a finite number', { kernel: 1, row: 5, column: 7 }],
  ['a matrix of zeros', given, { matrices: [ones, ones.map(() => new Float32Array(40))] }, 'invalid_data', 'matrices[1]: a kernel is zero', { kernel: 1 }],
  ['no labels', given, { y: undefined }, 'invalid_label', 'y must be an array of labels'],
  ['too little memory allowed', rings, { memoryLimit: 100 }, 'arena_too_small', 'memoryLimit: training needs an arena of'],
  ['too many samples', rings, { X: { values: Float32Array.from({ length: 5000 }, Math.sin), samples: 5000, features: 1 },
    y: Float32Array.from({ length: 5000 }, (_, i) => i % 2), featureNames: undefined }, 'arena_too_small', 'training needs'],
];
for (const [name, problem, wrong, status, message, place = {}] of refusals)
  test(`${name}: ${status}`, async () => {
    const error = await refusal(() => tamis.trainKernels({ ...problem, ...wrong }), status);
    assert.ok(error.message.includes(message), error.message);
    assert.deepEqual([error.kernel, error.row, error.column], [place.kernel, place.row, place.column]);
  });

test('samples to predict are checked', async () => {
  await refusal(() => ringModel.predict([1]), 'invalid_shape');
  await refusal(() => ringModel.predictAll([[1, 2, 3]]), 'invalid_shape');
  const error = await refusal(() => ringModel.predictAll([[1, 2], [1, NaN]]), 'invalid_data');
  assert.deepEqual([error.row, error.column], [1, 1]);
  const histograms = await tamis.trainKernels({ ...flowers, kernels: ['chi2'] });
  await refusal(() => histograms.scores([-1, 1, 1, 1]), 'invalid_data');
});

test('refused trainings give their memory back', async () => {
  const large = { ...rings, featureNames: undefined, kernels: ['linear', 'chi2'], y: Float32Array.from({ length: 1500 }, (_, i) => i % 2) };
  const X = { values: Float32Array.from({ length: 1500 }, (_, i) => Math.sin(i)), samples: 1500, features: 1 };
  for (let i = 0; i < 20; ++i) await refusal(() => tamis.trainKernels({ ...large, X }), 'invalid_data');
  const model = await tamis.trainKernels({ ...large, kernels: ['linear'], X: { ...X, values: X.values.map(Math.abs) }, lambda: 1e3 });
  assert.ok(model.report.arenaBytes > 32e6, `${model.report.arenaBytes}`);
});

test('a module of kernels may be given, and one that is not there is named', async () => {
  const loaded = await load({ wasmKernels: readFileSync(path.join(dist, 'tamis-kernels.wasm')), simd: false });
  assert.deepEqual(outcome(await loaded.trainKernels(rings)), outcome(ringModel));
  const missing = await load({ wasmKernels: '/nowhere/tamis.wasm' });
  const error = await refusal(() => missing.trainKernels(rings), 'unsupported');
  assert.match(error.message, /^the float module of kernels cannot be loaded: /);
});
