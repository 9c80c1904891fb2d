// Sparse samples as they are, and memory as large as a run needs it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import test, { after } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createWorkerClient, dist, load, madeUpProblem, outcome, refusal, small } from './support.mjs';

const client = createWorkerClient(new Worker(path.join(dist, 'worker-script.js')));
after(() => client.close());
const tamis = await load();
const { Classifier } = await import(path.join(dist, 'tamis.js'));

/** The same samples as compressed columns. */
function compressed(X) {
  const [values, rows, starts] = [[], [], [0]];
  for (let j = 0; j < X[0].length; ++j) {
    X.forEach((row, i) => row[j] !== 0 && (values.push(row[j]), rows.push(i)));
    starts.push(values.length);
  }
  return { values, rows, starts, samples: X.length, features: X[0].length };
}
/** A problem with most of its values zero. */
function sparseProblem(seed) {
  const problem = madeUpProblem(seed);
  return { ...problem, groups: 'rows', X: problem.X.map((row) => row.map((x) => (Math.abs(x) < 0.6 ? 0 : x))) };
}
/** By how many bytes memory grows while `work` is under way. */
async function grownBy(work) {
  const { grow } = WebAssembly.Memory.prototype;
  let bytes = 0;
  WebAssembly.Memory.prototype.grow = function (pages) {
    bytes += 65536 * pages;
    return grow.call(this, pages);
  };
  try {
    await work(() => bytes);
  } finally {
    WebAssembly.Memory.prototype.grow = grow;
  }
  return bytes;
}

/** 2,000 texts of four classes: common words, and a few of each class. */
const y = Array.from({ length: 2000 }, (_, i) => i % 4);
const lines = y.map((label, i) => {
  let state = i + 1;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  return Array.from({ length: 60 }, () => (next() < 0.06 ? `own${label}x${Math.floor(8 * next())}` : `word${Math.floor(30000 * next() ** 3)}`)).join(' ');
});

test('2,000 texts of 2^18 hashed features are trained on in one call', async () => {
  const X = await tamis.hashText(lines);
  assert.deepEqual([X.samples, X.features], [2000, 2 ** 18]);
  const problem = { X, y, loss: 'squared-hinge', penalty: 'group-l2', lambda: 0.004 };
  let model;
  const bytes = await grownBy(async () => (model = await tamis.train(problem)));
  assert.equal(model.report.status, 'converged');
  assert.ok(bytes > model.report.arenaBytes && bytes < 2 ** 27, `${bytes} bytes`); // spread out, the samples alone would take 2 GiB
  assert.ok(model.keptFeatures.length > 10 && model.keptFeatures.length < 100, `${model.keptFeatures.length} features`);
  assert.ok(model.evaluate(X, y).accuracy > 0.95);
  assert.deepEqual(outcome(await client.train(problem)), outcome(model));
  assert.deepEqual(outcome(tamis.trainSync(problem)), outcome(model));
  const other = await refusal(() => tamis.train({ ...problem, X: { ...X, values: X.values.map((x, e) => (e === 7 ? NaN : x)) } }), 'invalid_data');
  assert.equal(other.row, X.rows[7]);
  assert.ok(X.starts[other.column] <= 7 && X.starts[other.column + 1] > 7, other.message);
});

test('sparse samples train the models that the same samples spread out train, paths and folds alike', async () => {
  const within = (a, b, tolerance) => assert.ok(Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b), 1e-6), `${a}, ${b}`);
  for (let seed = 1; seed <= 28; ++seed) {
    const problem = sparseProblem(seed);
    const sparse = { ...problem, X: compressed(problem.X) };
    const [one, other] = [tamis.trainSync(sparse), await tamis.train(problem)];
    assert.equal(one.report.status, other.report.status, `seed ${seed}`);
    within(one.report.objective, other.report.objective, 2e-3);
    assert.deepEqual(one.predictAll(sparse.X), one.predictAll(problem.X));
    assert.deepEqual(one.scoresOfAll(sparse.X), one.scoresOfAll(problem.X));
  }
  const { X, y } = sparseProblem(10);
  const asked = { y, loss: 'logistic', penalty: 'l1' };
  const [sparse, dense] = [{ ...asked, X: compressed(X) }, { ...asked, X }];
  const [path, same] = [await tamis.path(sparse, { points: 8 }), await tamis.path(dense, { points: 8 })];
  path.points.forEach(({ lambda, report }, i) => {
    within(lambda, same.points[i].lambda, 1e-5);
    within(report.objective, same.points[i].report.objective, 1e-3);
  });
  const options = { points: 8, folds: 3, refit: true, calibrate: 'sigmoid' };
  const [chosen, usual] = [await tamis.crossValidate(sparse, options), await tamis.crossValidate(dense, options)];
  within(chosen.lambda, usual.lambda, 1e-5);
  assert.deepEqual(chosen.model.keptFeatures, usual.model.keptFeatures);
  assert.deepEqual(chosen.refit.keptFeatures, usual.refit.keptFeatures);
  const halves = { subsamples: 6, falseSelections: 2, points: 6 };
  const frequencies = ({ ranked }) => ranked.map(({ name, frequency }) => [name, frequency]);
  assert.deepEqual(frequencies(await tamis.stabilitySelection(sparse, halves)), frequencies(await tamis.stabilitySelection(dense, halves)));
});

test('a classifier takes hashed texts as they are', async () => {
  const X = await tamis.hashText(lines.slice(0, 400));
  const labels = y.slice(0, 400).map((label) => 'abcd'[label]);
  const texts = await new Classifier({ lambda: 0.004 }).fit(X, labels);
  assert.equal(texts.report.status, 'converged');
  assert.ok(texts.score(X, labels) > 0.9);
  assert.equal(texts.predict(X).length, 400);
  assert.equal(texts.report.features, 2 ** 18);
});

test('the memory of a run is as large as the run needs it, and does not grow under way', async () => {
  const [samples, features] = [2500, 8000]; // 80 MB
  const values = new Float32Array(samples * features);
  values.forEach((_, e) => e % 11 === 0 && (values[e] = (e % 13) / 13));
  for (let i = 0; i < samples; i += 2) values[samples * (features - 1) + i] = 5;
  const problem = { X: { values, samples, features, layout: 'columns' }, y: Array.from({ length: samples }, (_, i) => i % 2),
    loss: 'squared-hinge', penalty: 'l1', lambda: 0.5 };
  const during = [];
  const bytes = await grownBy(async (grown) => {
    const model = await tamis.train(problem, { onProgress: () => void during.push(grown()), sliceMilliseconds: 1 });
    assert.equal(model.report.status, 'converged');
    assert.deepEqual(model.keptFeatures, [features - 1]);
    const { least } = tamis.trainingBytes({ ...problem, X: undefined, samples, features, classes: 2 });
    const tight = await tamis.train({ ...problem, memoryLimit: least });
    assert.equal(tight.report.arenaBytes, least);
    await refusal(() => tamis.train({ ...problem, memoryLimit: least - 1 }), 'arena_too_small');
  });
  assert.ok(during.length > 1 && during.every((grown) => grown === during[0]), during.join());
  assert.ok(bytes > 2 * values.byteLength);
  assert.equal(await grownBy(() => tamis.train(small)), 0); // what fits into a module trains there
});

test('compressed columns that are none are refused', async () => {
  const X = compressed(small.X);
  for (const [change, message] of [
    [{ starts: [0, 3] }, /^X\.starts must have/], [{ starts: [0, 4, 3], rows: [0, 1, 2, 3, 4, 5], samples: 6 }, /^X\.starts\[1\] and X\.starts\[2\] are not two places/],
    [{ starts: [0, 3, 7] }, /^X\.starts\[1\] and X\.starts\[2\]/], [{ starts: [-1, 3, 6] }, /^X\.starts\[0\]/],
    [{ rows: [0, 1, 3, 0, 1, 2] }, /^X\.rows\[2\] is not below 3/], [{ rows: [0, 2, 1, 0, 1, 2] }, /^X\.rows\[2\] is not above/],
    [{ rows: [0, 1, 1, 0, 1, 2] }, /^X\.rows\[2\] is not above/], [{ rows: [0, 0.5, 2, 0, 1, 2] }, /^X\.rows\[1\] is not a whole number/], [{ samples: 2.5 }, /^X\.samples and X\.features/],
  ])
    assert.match((await refusal(() => tamis.train({ ...small, X: { ...X, ...change } }), 'invalid_shape')).message, message);
});

test('where there is one module given, and in double precision, sparse samples are spread out', async () => {
  const bytes = readFileSync(path.join(dist, 'tamis.wasm'));
  const problem = sparseProblem(4);
  const sparse = { ...problem, X: compressed(problem.X) };
  const one = await load({ wasm: bytes });
  assert.deepEqual(outcome(await one.train(sparse)), outcome(one.trainSync(problem)));
  const given = await load({ wasm: bytes, wasmLarge: readFileSync(path.join(dist, 'tamis-large.wasm')) });
  assert.deepEqual(outcome(given.trainSync(sparse)), outcome(tamis.trainSync(sparse)));
  const double = { precision: 'double' };
  assert.deepEqual(outcome(await tamis.train({ ...sparse, ...double })), outcome(await tamis.train({ ...problem, ...double })));
});
