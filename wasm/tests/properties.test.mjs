// Any problem either trains, to numbers that make sense, or is refused by a TamisError with a sentence; and whatever came
// before, the modules go on as if nothing had been. The problems are fast-check's, from a fixed seed; it prints the
// smallest problem that fails.

import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { load, outcome, small, TamisError, tools } from './support.mjs';

const { default: fc } = await import(pathToFileURL(path.join(tools, 'fast-check/lib/esm/fast-check.js')));
const tamis = await load();
const runs = Number(process.env.TAMIS_FUZZ_RUNS ?? 1);
const settings = (count) => ({ numRuns: count * runs, seed: 1, endOnFailure: false });

// ---- what problems are made of -------------------------------------------------------------------------------------

/** Numbers that solvers can do something with, and now and then those at the ends of their range. */
const number = fc.oneof(
  { weight: 300, arbitrary: fc.integer({ min: -40, max: 40 }).map((n) => n / 8) },
  { weight: 1, arbitrary: fc.constantFrom(0, -0, NaN, Infinity, -Infinity, 1e-45, 1e-30, 1e30, 3e38, 1e39, 1e-320, Number.MAX_VALUE) },
  { weight: 1, arbitrary: fc.double() },
);
/** What nobody should pass. */
const odd = fc.oneof(
  fc.constantFrom(null, undefined, NaN, -1, 0.5, Infinity, 2 ** 31, 2 ** 32, 2 ** 53, '', '1', 'x', [], {}, true, 3n, Symbol.iterator),
  fc.anything({ maxDepth: 2, withBigInt: true, withTypedArray: true, withSparseArray: true, withNullPrototype: true }),
);
const sample = (features, value) => fc.oneof(
  { weight: 6, arbitrary: fc.array(value, { minLength: features, maxLength: features }) },
  { weight: 1, arbitrary: fc.array(value, { minLength: features, maxLength: features }).map((row) => Float64Array.from(row, Number)) },
);

/** Samples with their labels: rows, or a matrix in either layout and any type of numbers. */
const samples = fc.record({ count: fc.integer({ min: 0, max: 9 }), features: fc.integer({ min: 0, max: 5 }) }).chain(({ count, features }) => {
  const rows = fc.array(sample(features, number), { minLength: count, maxLength: count });
  const matrix = fc.record({
    type: fc.constantFrom(Float32Array, Float64Array, Int8Array, Uint16Array, Array),
    list: fc.array(number, { minLength: count * features, maxLength: count * features }),
    layout: fc.constantFrom('rows', 'columns', undefined),
  }).map(({ type, list, layout }) => ({ values: type.from(list), samples: count, features, ...(layout && { layout }) }));
  const y = fc.array(fc.constantFrom('a', 'b', 'c', 0, 1), { minLength: count, maxLength: count });
  return fc.record({ X: fc.oneof({ weight: 3, arbitrary: rows }, { weight: 1, arbitrary: matrix }), y });
});

/** Undefined `others` times as often. */
const seldom = (arbitrary, others = 12) => fc.oneof({ weight: others, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

/** The samples, most of the options, and sometimes one thing replaced by what it should not be. */
const problems = (options, names) => fc.record({
  data: samples,
  options,
  wrong: seldom(fc.record({ name: fc.constantFrom('X', 'y', ...names), value: odd }), 3),
  ragged: seldom(fc.nat()),
}).map(({ data, options: given, wrong, ragged }) => {
  const problem = { ...data, ...given };
  for (const name of Object.keys(problem)) if (problem[name] === undefined) delete problem[name];
  if (ragged !== undefined && Array.isArray(problem.X) && problem.X.length)
    problem.X = problem.X.with?.(ragged % problem.X.length, [1]) ?? [[1], ...problem.X.slice(1)];
  if (problem.loss === 'least-squares') {
    problem.values = problem.y.map((label) => label.toString().charCodeAt(0) / 8);
    delete problem.y;
  }
  if (wrong) problem[wrong.name] = wrong.value;
  return problem;
});
const positive = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(1e-3, 0.01, 0.1, 1) }, { weight: 1, arbitrary: number });

const linear = problems(
  fc.record({
    loss: fc.constantFrom('hinge', 'squared-hinge', 'logistic', 'one-vs-rest-squared-hinge'),
    penalty: fc.constantFrom('ridge', 'l1', 'group-l2', 'group-linf', 'elastic-net', 'sparse-group', 'reweighted-l1'),
    lambda: positive,
    tolerance: seldom(positive),
    maxIterations: fc.integer({ min: 1, max: 60 }),
    intercept: seldom(fc.boolean()),
    groups: seldom(fc.oneof(fc.constant('rows'), fc.record({ blocks: fc.integer({ min: -1, max: 4 }) }), fc.array(fc.nat(5), { maxLength: 6 }))),
    l1Ratio: seldom(number),
    epsilon: seldom(number),
    margin: seldom(number),
    margins: seldom(fc.array(number, { maxLength: 9 })),
    sampleWeights: seldom(fc.array(number, { maxLength: 9 })),
    eta: seldom(number),
    seed: seldom(fc.nat()),
    solver: seldom(fc.constantFrom('auto', 'two-phase', 'primal-dual', 'crammer-singer-dual', 'block-coordinate-descent')),
  }),
  ['loss', 'penalty', 'lambda', 'tolerance', 'maxIterations', 'intercept', 'groups', 'l1Ratio', 'epsilon', 'margin', 'margins',
    'sampleWeights', 'solver', 'precision', 'featureNames'],
);
const interactions = problems(
  fc.record({
    loss: fc.constantFrom('least-squares', 'squared-hinge'),
    hierarchy: fc.constantFrom('weak', 'strong', 'full', 'main'),
    norm: seldom(fc.constantFrom('l1', 'linf', 'l2')),
    lambda: positive,
    lambda2: seldom(number),
    tolerance: seldom(positive),
    maxIterations: fc.integer({ min: 1, max: 40 }),
  }),
  ['loss', 'values', 'hierarchy', 'norm', 'lambda', 'lambda2', 'tolerance', 'maxIterations', 'intercept', 'precision', 'featureNames'],
);
const kernels = problems(
  fc.record({
    kernels: fc.array(fc.oneof(
      fc.constantFrom('linear', 'distance', 'chi2', 'kl', 'constant', 'gaussian:1', 'laplacian:0.5', 'polynomial:2,1', 'sigmoid:0.1,-1'),
      fc.tuple(fc.constantFrom('gaussian', 'polynomial', 'sigmoid', 'linear'), number, number).map(([kind, a, b]) => `${kind}:${a},${b}`),
      fc.tuple(fc.constantFrom('gaussian', 'laplacian'), number).map(([kind, a]) => `${kind}:${a}`),
    ), { minLength: 1, maxLength: 3 }),
    p: fc.constantFrom(1, 2), q: fc.constantFrom(1, 2), r: fc.constantFrom(1, 2),
    form: seldom(fc.constantFrom('binary', 'multiclass')),
    lambda: positive,
    tolerance: seldom(positive),
    maxIterations: fc.integer({ min: 1, max: 40 }),
  }),
  ['kernels', 'p', 'q', 'r', 'form', 'lambda', 'tolerance', 'maxIterations', 'precision', 'featureNames'],
);

// ---- what must hold ------------------------------------------------------------------------------------------------

/** What `train` comes to; null where it refuses as it should. */
async function trained(train, problem) {
  try {
    return await train(problem);
  } catch (error) {
    assert.ok(error instanceof TamisError, `expected a TamisError, got ${error?.stack ?? error}`);
    assert.equal(typeof error.status, 'string');
    assert.ok(error.message.length > 10, `not a sentence: ${error.message}`);
    return null;
  }
}

function checkReport({ status, objective, gap, relativeGap }) {
  assert.ok(['converged', 'precision_limit', 'iteration_limit', 'stopped'].includes(status), status);
  assert.ok(!Number.isNaN(objective), `objective ${objective}, ${status}`);
  assert.ok(!(gap < 0) && !(relativeGap < 0), `gap ${gap}`);
  if (status === 'converged') assert.ok(Number.isFinite(objective) && Number.isFinite(gap), `${objective} ${gap}`);
}
function checkPredictions(model, problem) {
  const labels = model.predictAll(problem.X);
  for (const label of labels) assert.ok(model.classes.includes(label), `${String(label)} is no class`);
}

let expected; // of a problem that has nothing to do with the others
const worksAsBefore = () => {
  const now = outcome(tamis.trainSync(small));
  assert.deepEqual(now, (expected ??= now), 'the module works as before');
};
const modulesWork = async () => {
  worksAsBefore();
  const X = [[0, 0], [0, 1], [1, 0], [1, 1]];
  const y = [0, 1, 1, 0];
  const model = await tamis.trainInteractions({ X, values: [0, 0, 0, 1], loss: 'least-squares', hierarchy: 'weak', lambda: 1e-3 });
  assert.equal(model.report.status, 'converged');
  const kernel = await tamis.trainKernels({ X, y, kernels: ['gaussian:0.5'], p: 1, q: 2, r: 1, lambda: 0.01 });
  assert.deepEqual(kernel.predictAll(X), y);
};

test('linear models', async () => {
  worksAsBefore();
  let models = 0;
  await fc.assert(fc.asyncProperty(linear, async (problem) => {
    const model = await trained((p) => tamis.trainSync(p), problem);
    worksAsBefore();
    if (!model) return;
    ++models;
    checkReport(model.report);
    checkPredictions(model, problem);
    const blob = tamis.fromBlob(model.toBlob(), { classes: model.classes });
    assert.ok(blob.weights.every((weight, i) => weight === model.weights[i]), 'a blob has the same weights'); // but for -0
  }), settings(2000));
  assert.ok(models > 100, `${models} of the problems train`);
});

test('interactions', async () => {
  let models = 0;
  await fc.assert(fc.asyncProperty(interactions, async (problem) => {
    const model = await trained((p) => tamis.trainInteractions(p), problem);
    worksAsBefore();
    if (!model) return;
    ++models;
    checkReport(model.report);
    if (model.classes) checkPredictions(model, problem);
  }), settings(700));
  assert.ok(models > 50, `${models} of the problems train`);
  await modulesWork();
});

test('kernels', async () => {
  let models = 0;
  await fc.assert(fc.asyncProperty(kernels, async (problem) => {
    const model = await trained((p) => tamis.trainKernels(p), problem);
    worksAsBefore();
    if (!model) return;
    ++models;
    checkReport(model.report);
    await trained(() => checkPredictions(model, problem), problem); // a kernel may have no value for a sample
  }), settings(700));
  assert.ok(models > 30, `${models} of the problems train`);
  await modulesWork();
});

test('samples of huge sizes are refused', async () => {
  const size = fc.constantFrom(0, 1, 3, 1e5, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53, 1e300, -1, 0.5, NaN);
  await fc.assert(fc.asyncProperty(size, size, size, async (count, features, length) => {
    if (count * features <= 1e6 && length === count * features) return; // a matrix that is what it says
    const values = { length };
    const y = { length: count };
    const model = await trained((p) => tamis.trainSync(p), { ...small, X: { values, samples: count, features }, y });
    assert.equal(model, null);
    worksAsBefore();
  }), settings(300));
});

test('any bytes are a blob or are refused', async () => {
  const blob = tamis.trainSync(small).toBlob();
  const changed = fc.record({ at: fc.nat(blob.length - 1), to: fc.nat(255), length: fc.nat(blob.length) })
    .map(({ at, to, length }) => blob.slice(0, length).map((byte, i) => (i === at ? to : byte)));
  await fc.assert(fc.asyncProperty(fc.oneof(changed, fc.uint8Array({ maxLength: 200 }), odd), async (bytes) => {
    const model = await trained((b) => tamis.fromBlob(b), bytes);
    if (model) assert.ok(model.classes.includes(model.predict([1, 2])));
    worksAsBefore();
  }), settings(1000));
});
