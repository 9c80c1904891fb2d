import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { Worker } from 'node:worker_threads';
import { command, createWorkerClient, dist, iris, load, project, refusal, runCommand } from './support.mjs';

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
const grid = [-1, 1].flatMap((a) => [-1, 1].flatMap((b) => [-1, -0.5, 0, 0.5, 1].map((c) => [a, b, c])));
const xor = { X: grid, y: grid.map(([a, b]) => (a * b > 0 ? 'same' : 'differ')), featureNames: ['a', 'b', 'noise'], lambda: 0.05 };
const curve = { X: grid, values: grid.map(([a, b, c]) => 3 + a * b + c), lambda: 0.01, tolerance: 1e-3 };
const flowers = { ...iris, lambda: 0.01, tolerance: 1e-3 };

/** Everything a training came to, without the time it took. */
const outcome = ({ data: { report: { milliseconds, ...report }, ...data } }) => ({ report, ...data });

const numbersOf = (name) =>
  readFileSync(path.join(project, 'tests/reference/data', name), 'utf8').trim().split('\n').map((line) => line.split(',').map(Number));
const cases = readFileSync(path.join(project, 'tests/reference/cases.csv'), 'utf8').trim().split('\n')
  .map((line) => line.split(',')).filter(([, problem]) => problem === 'C_reg' || problem === 'C_cls');

test('certified optima: the objective is the optimum, the bound is below it', { skip: !cases.length && 'no cases' }, async () => {
  for (const [id, , data, parameters, optimum, bound] of cases) {
    const given = Object.fromEntries(parameters.split(';').map((parameter) => parameter.split('=')));
    const [X, targets] = [numbersOf(`${data}_X.csv`), numbersOf(`${data}_y.csv`).map(([y]) => y)];
    const { length: n } = X;
    const lambda = Number(given.lambda ?? given.lambda1); // of the sum over samples
    const model = await tamis.trainInteractions({
      X, [given.lambda1 ? 'y' : 'values']: targets, hierarchy: given.hierarchy, norm: given.r === 'inf' ? 'linf' : 'l1',
      lambda: lambda / n, lambda2: Number(given.lambda2 ?? lambda / 2) / n, tolerance: 1e-6, intercept: false, precision: 'double',
    });
    const { status, objective, dualObjective } = model.report;
    assert.equal(status, 'converged', id);
    assert.ok(n * objective >= bound * (1 - 1e-9) && n * objective <= optimum * (1 + 1.01e-6), `${id}: ${n * objective}`);
    assert.ok(n * dualObjective <= optimum * (1 + 1e-9), `${id}: ${n * dualObjective}`);
  }
});

test('exclusive or: the product alone tells', async () => {
  for (const hierarchy of ['weak', 'strong', 'full']) {
    const model = await tamis.trainInteractions({ ...xor, hierarchy });
    assert.equal(model.report.status, 'converged');
    assert.deepEqual(model.predictAll(xor.X), xor.y);
    assert.deepEqual(model.classes, ['differ', 'same']);
    for (const label of model.classes) {
      const [first, ...others] = model.terms.filter((term) => term.class === label);
      assert.deepEqual([first.features, first.names], [[0, 1], ['a', 'b']]);
      assert.ok(Math.sign(first.coefficient) === (label === 'same' ? 1 : -1) && Math.abs(first.coefficient) > 0.3);
      for (const { coefficient } of others) assert.ok(Math.abs(coefficient) < 1e-3, `${hierarchy} ${coefficient}`);
    }
  }
  const main = await tamis.trainInteractions({ ...xor, hierarchy: 'main' });
  assert.ok(main.terms.every(({ features }) => features.length === 1));
  assert.equal(main.lambda2, null);
  assert.notDeepEqual(main.predictAll(xor.X), xor.y);
});

const flowerModels = await Promise.all(['weak', 'strong'].map((hierarchy) => tamis.trainInteractions({ ...flowers, hierarchy })));

test('a regression predicts numbers', async () => {
  const model = await tamis.trainInteractions({ ...curve, hierarchy: 'strong' });
  assert.equal(model.report.status, 'converged');
  assert.equal(model.classes, null);
  assert.deepEqual(model.terms.slice(0, 2).map(({ features }) => features.join()).sort(), ['0,1', '2']);
  assert.deepEqual(model.terms[0].names, model.terms[0].features.map((j) => `x${j}`));
  const values = model.predictValues(grid);
  assert.ok(values instanceof Float32Array);
  values.forEach((value, i) => assert.ok(Math.abs(value - curve.values[i]) < 0.05));
  assert.deepEqual(model.predictAll(grid), [...values]);
  assert.equal(model.predict(grid[3]), model.scores(grid[3])[0]);
  assert.ok(model.report.lambdaMax > 0.01);
  await refusal(() => flowerModels[0].predictValues(iris.X), 'invalid_option');
});

test('iris: nearly all are right, in terms of kept features', () => {
  for (const model of flowerModels) {
    assert.equal(model.report.status, 'converged');
    assert.ok(model.report.relativeGap <= 1e-3);
    const right = model.predictAll(iris.X).filter((label, i) => label === iris.y[i]).length;
    assert.ok(right >= 145, `${right}`);
    const kept = new Set(model.terms.flatMap(({ features }) => features));
    assert.deepEqual([...kept].sort(), model.keptFeatures);
    assert.equal(model.report.nonzeroRows <= kept.size, true);
  }
  const strong = flowerModels[1];
  const mains = new Set(strong.terms.filter(({ features }) => features.length === 1).map((term) => `${term.class} ${term.features}`));
  for (const { class: label, features } of strong.terms) for (const j of features) assert.ok(mains.has(`${label} ${j}`));
});

test('with and without SIMD, the same bits', async () => {
  const [base, simd] = await Promise.all([false, true].map((simd) => load({ simd })));
  for (const precision of ['float', 'double'])
    for (const hierarchy of ['weak', 'strong', 'full', 'main'])
      for (const norm of ['l1', 'linf', 'l2', ...(hierarchy === 'full' || hierarchy === 'main' ? ['ridge'] : [])])
        for (const problem of [xor, curve, { ...flowers, maxIterations: 300 }]) {
          const [one, other] = await Promise.all([base, simd].map((tamis) =>
            tamis.trainInteractions({ ...problem, hierarchy, norm, precision })));
          assert.deepStrictEqual(outcome(one), outcome(other), `${precision} ${hierarchy} ${norm}`);
          assert.equal(one.toC(), other.toC());
        }
});

test('slices, progress, stopping, limits', async () => {
  const long = { ...flowers, hierarchy: 'weak', norm: 'l2', lambda: 1e-3, tolerance: 1e-13, precision: 'double' };
  const reports = [];
  const stopped = await tamis.trainInteractions(long, { sliceMilliseconds: 1, onProgress: (report) => reports.push(report) < 5 });
  assert.equal(stopped.report.status, 'stopped');
  assert.equal(reports.length, 6);
  assert.ok(reports.every((report, i) => i === 0 || report.gap <= reports[i - 1].gap));
  assert.ok(stopped.terms.length > 0);
  const controller = new AbortController();
  controller.abort();
  const aborted = await tamis.trainInteractions(long, { signal: controller.signal, bestOnAbort: true });
  assert.deepEqual([aborted.report.status, aborted.report.iterations], ['stopped', 0]);
  const limited = await tamis.trainInteractions({ ...long, maxIterations: 40 });
  assert.deepEqual([limited.report.status, limited.report.iterations], ['iteration_limit', 40]);
  const again = await tamis.trainInteractions({ ...long, maxIterations: 40 }, { sliceMilliseconds: 1 });
  assert.deepEqual(outcome(again), outcome(limited));
});

test('a matrix in columns is the same problem', async () => {
  const values = Float64Array.from({ length: 600 }, (_, e) => iris.X[e % 150][Math.floor(e / 150)]);
  const matrix = { values, samples: 150, features: 4, layout: 'columns' };
  assert.deepEqual(outcome(await tamis.trainInteractions({ ...flowers, hierarchy: 'weak', X: matrix })), outcome(flowerModels[0]));
});

test('more terms than there is room for at first', async () => {
  const features = 370; // 68635 products and squares, nearly all of them kept
  const row = (seed) => Float32Array.from({ length: features }, (_, j) => Math.sin(seed * 1.7 + j * (j + 3 * seed)));
  const model = await tamis.trainInteractions({
    X: [row(1), row(2), row(3)], values: [1, 2, 4], hierarchy: 'full', lambda: 1e-6, lambda2: 1e-9, intercept: false,
    maxIterations: 5,
  });
  assert.ok(model.terms.length > 65536, `${model.terms.length}`);
  assert.ok(model.terms.every(({ coefficient }) => coefficient !== 0));
});

test('a C header has the scores of the model', () => inFolder(async (file) => {
  const problems = { flowers, curve: { ...curve, precision: 'double' } };
  for (const [name, problem] of Object.entries(problems)) {
    const model = await tamis.trainInteractions({ ...problem, hierarchy: 'strong' });
    const header = model.toC({ name });
    assert.match(header, new RegExp(`static inline int ${name}_self_test\\(void\\)`));
    assert.match(header, problem === flowers ? /samples\[3\]/ : /samples\[2\]/);
    const type = model.precision === 'float' ? 'float' : 'double';
    const rows = problem.X.map((row) => `{${row.join(', ')}}`);
    writeFileSync(file('use.c'), `#include <stdio.h>\n${header}
      static const ${type} x[${rows.length}][${model.features}] = {${rows.join(',\n')}};
      int main(void) { ${type} s[${name.toUpperCase()}_CLASSES]; int i, k;
        for (i = 0; i < ${rows.length}; ++i) { ${name}_scores(x[i], s);
          for (k = 0; k < ${name.toUpperCase()}_CLASSES; ++k) printf("%.17g\\n", (double)s[k]); }
        return ${name}_self_test(); }\n`);
    let compiler = 'cc';
    try {
      execFileSync(compiler, ['-std=c99', '-Wall', '-Wextra', '-Wno-unused-function', '-Wno-unused-const-variable', '-Werror',
        '-ffp-contract=off', file('use.c'), '-o', file('use')]);
    } catch (error) {
      if (error.code === 'ENOENT') return;
      throw error;
    }
    const printed = execFileSync(file('use'), { encoding: 'utf8' }).trim().split('\n').map(Number);
    assert.deepEqual(printed, problem.X.flatMap((row) => [...model.scores(row)]));
  }
  await refusal(() => flowerModels[0].toC({ name: '3d' }), 'invalid_option');
  await refusal(() => flowerModels[0].toC({ samples: [[1]] }), 'invalid_shape');
}));

test('the command: the same certificate, and it reads the model file', { skip: !command && 'no command to compare with' }, () => inFolder(async (file) => {
  writeFileSync(file('curve.csv'), `y,a,b,c\n${grid.map((row, i) => [curve.values[i], ...row].join()).join('\n')}\n`);
  const data = {
    flowers: { table: path.join(project, 'tests/data/iris.csv'), problem: { ...flowers, lambda: 0.02 }, loss: 'squared-hinge' },
    curve: { table: file('curve.csv'), problem: { ...curve, featureNames: ['a', 'b', 'c'] }, loss: 'least-squares' },
  };
  for (const { table, problem, loss } of Object.values(data))
    for (const hierarchy of ['weak', 'strong', 'full', 'main'])
      for (const precision of ['float', 'double']) {
        const model = await tamis.trainInteractions({ ...problem, hierarchy, norm: 'linf', precision });
        runCommand('interactions', table, '--hierarchy', hierarchy, '--norm', 'linf', '--loss', loss, '--lambda',
          String(problem.lambda), '--tolerance', '1e-3', '--precision', precision, '--quiet', '--report', file('report.json'),
          '--model', file('command.json'));
        const report = JSON.parse(readFileSync(file('report.json'), 'utf8'));
        assert.equal(report.iterations, model.report.iterations);
        assert.equal(report.dual_objective, model.report.dualObjective);
        assert.ok(Math.abs(report.objective - model.report.objective) <= 1e-6 * report.objective); // in double by the command
        assert.equal(report.terms.length, model.terms.length);
        const told = ({ features, coefficient, class: label }) => [features.join('·'), coefficient, label];
        assert.deepEqual(report.terms.map(told),
          model.terms.map(({ names, coefficient, class: label }) => told({ features: names, coefficient, class: label ?? undefined })));
        const json = JSON.parse(JSON.stringify(model));
        assert.deepEqual(json, JSON.parse(readFileSync(file('command.json'), 'utf8')));
        writeFileSync(file('model.json'), JSON.stringify(model));
        // The command also writes the names of the features, as a comment.
        const header = runCommand('export', file('model.json'), '--format', 'c', '--name', 'm', '--precision', precision);
        assert.equal(model.toC({ name: 'm' }), header.replace(/\/\* Their names:\n[^/]*\*\/\n/, ''));
        const predicted = runCommand('predict', file('model.json'), table).trim().split('\n').map(Number);
        model.predictAll(problem.X).forEach((value, i) => assert.ok(Math.abs(predicted[i] - Number(value)) < 1e-5, `${i}`));
      }
}));

test('a worker trains the same model', async () => {
  const client = createWorkerClient(new Worker(path.join(dist, 'worker-script.js')));
  after(() => client.close());
  const reports = [];
  for (const precision of ['float', 'double']) {
    const problem = { ...flowers, hierarchy: 'strong', precision };
    const [there, here] = [await client.trainInteractions(problem, { onProgress: (report) => void reports.push(report) }),
      await tamis.trainInteractions(problem)];
    assert.deepEqual(outcome(there), outcome(here));
    assert.deepEqual(there.terms, here.terms);
    assert.deepEqual(there.predictAll(iris.X), here.predictAll(iris.X));
    assert.equal(await there.toC({ name: 'iris' }), here.toC({ name: 'iris' }));
    assert.deepEqual(there.toJSON(), here.toJSON());
  }
  assert.equal(reports.at(-1).status, 'converged');
  const stopped = await client.trainInteractions({ ...flowers, hierarchy: 'weak', norm: 'l2', lambda: 1e-3, tolerance: 1e-13, precision: 'double' }, {
    onProgress: () => false,
  });
  assert.equal(stopped.report.status, 'stopped');
  const error = await refusal(() => client.trainInteractions({ ...xor, hierarchy: 'weak', X: [[NaN]], y: [1] }), 'invalid_shape');
  assert.match(error.message, /two classes/);
});

// What is wrong, what it comes to, and what the message says.
const [classes, regression] = [{ ...xor, hierarchy: 'weak' }, { ...curve, hierarchy: 'weak' }];
const replaced = (list, i, value) => list.map((entry, e) => (e === i ? value : entry));
const refusals = [
  ['no hierarchy', classes, { hierarchy: undefined }, 'invalid_option', 'hierarchy: undefined is not one of weak, strong, full, main'],
  ['an unknown hierarchy', classes, { hierarchy: 'total' }, 'invalid_option', "hierarchy: 'total' is not one of"],
  ['an unknown norm', classes, { norm: 'l3' }, 'invalid_option', "norm: 'l3' is not one of l1, linf, l2"],
  ['an unknown loss', classes, { loss: 'hinge' }, 'invalid_option', "loss: 'hinge' is not one of least-squares, squared-hinge"],
  ['the other loss', classes, { loss: 'least-squares' }, 'invalid_option', 'loss: least-squares is for numbers, given as values'],
  ['the other loss of a regression', regression, { loss: 'squared-hinge' }, 'invalid_option', 'is for classes, given as y'],
  ['y and values', classes, { values: curve.values }, 'invalid_option', 'y and values are both given: give the labels'],
  ['neither y nor values', classes, { y: undefined }, 'invalid_option', 'y and values are neither given'],
  ['no lambda', classes, { lambda: undefined }, 'invalid_lambda', 'lambda: undefined is not positive and finite'],
  ['lambda 0', classes, { lambda: 0 }, 'invalid_lambda', 'lambda: 0 is not positive'],
  ['lambda too small for float', classes, { lambda: 1e-60 }, 'invalid_lambda', 'lambda: 1e-60 is not positive'],
  ['a negative lambda2', classes, { lambda2: -1 }, 'invalid_lambda', 'lambda2: -1 is not at least 0'],
  ['lambda2 as text', classes, { lambda2: '1' }, 'invalid_lambda', "lambda2: '1' is not at least 0"],
  ['lambda2 0 of full', classes, { hierarchy: 'full', lambda2: 0 }, 'invalid_lambda', 'lambda2: 0 is not positive'],
  ['lambda2 of main', classes, { hierarchy: 'main', lambda2: 1 }, 'invalid_option', 'hierarchy main has none'],
  ['sample weights', classes, { sampleWeights: xor.y.map(() => 1) }, 'invalid_option', 'sampleWeights: training with interactions has no'],
  ['a penalty', classes, { penalty: 'l1' }, 'invalid_option', 'penalty: training with interactions has no such option'],
  ['tolerance 0', classes, { tolerance: 0 }, 'invalid_option', 'tolerance: the tolerance must be positive'],
  ['no iterations', classes, { maxIterations: 0 }, 'invalid_option', 'maxIterations: 0 is not'],
  ['one class', classes, { y: xor.y.map(() => 'a') }, 'invalid_shape', 'two classes if y is given; here are 20 samples, 1 class and 3'],
  ['no samples', regression, { X: [], values: [] }, 'invalid_shape', 'at least one sample and one feature'],
  ['too few values', regression, { values: [1] }, 'invalid_shape', 'values has 1 entries for 20 samples'],
  ['NaN in values', regression, { values: replaced(curve.values, 4, NaN) }, 'invalid_data', 'values[4]: it is not a finite number', { row: 4 }],
  ['a word in values', regression, { values: replaced(curve.values, 4, 'x') }, 'invalid_data', 'values[4]', { row: 4 }],
  ['a value too large for float', regression, { values: replaced(curve.values, 4, 1e300) }, 'invalid_data',
    'values[4]: 1e+300 does not fit in single precision', { row: 4 }],
  ['NaN in X', classes, { X: replaced(xor.X, 2, [1, NaN, 1]) }, 'invalid_data', 'X[2][1]: a sample holds', { row: 2, column: 1 }],
  ['names for other features', classes, { featureNames: ['a'] }, 'invalid_shape', 'featureNames has 1 entries for 3 features'],
  ['too little memory allowed', classes, { memoryLimit: 100 }, 'arena_too_small', 'memoryLimit: training needs an arena of'],
  ['too many samples', { ...regression, X: { values: new Float32Array(5000), samples: 5000, features: 1 }, values: new Float32Array(5000) },
    {}, 'arena_too_small', 'training needs'],
];
for (const [name, problem, wrong, status, message, place = {}] of refusals)
  test(`${name}: ${status}`, async () => {
    const error = await refusal(() => tamis.trainInteractions({ ...problem, ...wrong }), status);
    assert.ok(error.message.includes(message), error.message);
    assert.deepEqual([error.row, error.column], [place.row, place.column]);
  });

test('refused trainings give their memory back', async () => {
  const large = { X: { values: Float32Array.from({ length: 2000 }, (_, i) => Math.sin(i)), samples: 2000, features: 1 }, hierarchy: 'weak', lambda: 0.1 };
  for (let i = 0; i < 20; ++i) await refusal(() => tamis.trainInteractions({ ...large, values: new Float32Array(2000).fill(NaN) }), 'invalid_data');
  const model = await tamis.trainInteractions({ ...large, values: Float32Array.from({ length: 2000 }, (_, i) => Math.cos(i)), maxIterations: 1 });
  assert.ok(model.report.arenaBytes > 32e6);
});

test('a module of interactions may be given, and one that is not there is named', async () => {
  const given = await load({ wasmInteractions: readFileSync(path.join(dist, 'tamis-interactions.wasm')), simd: false });
  assert.deepEqual(outcome(await given.trainInteractions({ ...flowers, hierarchy: 'weak' })), outcome(flowerModels[0]));
  const missing = await load({ wasmInteractions: '/nowhere/tamis.wasm' });
  const error = await refusal(() => missing.trainInteractions(classes), 'unsupported');
  assert.match(error.message, /^the float module of interactions cannot be loaded: /);
});
