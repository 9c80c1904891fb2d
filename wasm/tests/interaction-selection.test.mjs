import assert from 'node:assert/strict';
import path from 'node:path';
import test, { after } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createWorkerClient, dist, load, refusal } from './support.mjs';

const tamis = await load();
const samples = Array.from({ length: 40 }, (_, i) => [(i * 7) % 11 - 5, (i * 5) % 9 - 4, (i * 3) % 7 - 3].map((x) => x / 4));
const values = samples.map(([a, b, c], i) => a - 2 * a * b + c + ((i * 13) % 8 - 3) / 8);
const y = values.map((value) => (value < 0 ? 'low' : 'high'));
const curve = { X: samples, values, hierarchy: 'strong', tolerance: 1e-3 };
const classes = { X: samples, y, hierarchy: 'weak', tolerance: 1e-3 };

/** Everything a training came to, without the time it took. */
const outcome = ({ data: { report: { milliseconds, ...report }, ...data } }) => ({ report, ...data });
const refused = async (problem, options, status, sentence) =>
  assert.match((await refusal(() => tamis.selectInteractions(problem, options), status)).message, sentence);
const mean = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

test('a choice says what was held out, and trains with the chosen lambda', async () => {
  for (const precision of ['float', 'double']) {
    const found = await tamis.selectInteractions({ ...curve, precision }, { points: 8 });
    const { points, lambdaMin, lambda1se, lambda, model } = found;
    assert.equal(points.length, 8);
    assert.equal(points[0].nonzeros, 0);
    points.forEach((point, i) => {
      assert.equal(point.status, 'converged');
      assert.ok(i === 0 || point.lambda < points[i - 1].lambda);
      assert.ok(Math.abs(point.mean - 2 * point.meanLoss) < 1e-5 * (1 + point.mean), 'squares, and their halves');
    });
    assert.ok(Math.abs(points[7].lambda / points[0].lambda - 0.01) < 1e-6);
    const means = points.map((point) => point.mean), least = Math.min(...means);
    assert.equal(lambdaMin, points[means.indexOf(least)].lambda);
    const { standardError } = points[means.indexOf(least)];
    assert.equal(lambda1se, points.find((point) => point.mean <= least + standardError * (1 + 1e-6)).lambda);
    assert.equal(lambda, lambda1se);
    assert.deepEqual(outcome(model), outcome(await tamis.trainInteractions({ ...curve, precision, lambda })));
    assert.equal((await tamis.selectInteractions({ ...curve, precision }, { points: 8, choose: 'min' })).lambda, lambdaMin);
  }
});

test('what is measured has not been trained on', async () => {
  const lambdas = [0.2, 0.02];
  for (const problem of [{ ...curve, X: samples.slice(0, 12), values: values.slice(0, 12) }, { ...classes, X: samples.slice(0, 12), y: y.slice(0, 12) }]) {
    const exact = { ...problem, tolerance: 1e-7, precision: 'double' };
    const { points } = await tamis.selectInteractions(exact, { lambdas, folds: 12, stratified: false });
    for (const [l, lambda] of lambdas.entries()) {
      const errors = [];
      for (let i = 0; i < 12; ++i) {
        const without = (list) => list?.filter((_, other) => other !== i);
        const model = await tamis.trainInteractions({ ...exact, X: without(exact.X), values: without(exact.values), y: without(exact.y), lambda });
        errors.push(exact.y ? Number(model.predictAll([exact.X[i]])[0] !== exact.y[i]) : (model.predictValues([exact.X[i]])[0] - exact.values[i]) ** 2);
      }
      assert.ok(Math.abs(points[l].mean - mean(errors)) < 1e-4 * (1 + mean(errors)), `${points[l].mean} is not ${mean(errors)}`);
    }
  }
});

test('samples held out once, whole groups, lambda2 as given, squares', async () => {
  const once = await tamis.selectInteractions(classes, { points: 4, validation: 1 / 4, measure: 'loss' });
  for (const { mean, lossStandardError } of once.points) {
    assert.equal(lossStandardError, 0);
    assert.ok(Math.abs(10 * mean - Math.round(10 * mean)) < 1e-5, 'ten of forty samples');
  }
  assert.equal(once.lambda, once.lambdaMin);
  const groups = samples.map((_, i) => `g${i % 5}`);
  await tamis.selectInteractions(curve, { points: 3, groups });
  await refused(curve, { points: 3, groups, folds: 6 }, 'invalid_option', /5 groups for 6 folds/);
  const given = await tamis.selectInteractions({ ...curve, lambda2: 0.3 }, { lambdas: [0.1] });
  assert.equal(given.model.lambda2, 0.3);
  const proportion = await tamis.selectInteractions(curve, { lambdas: [0.1] });
  assert.notEqual(given.points[0].mean, proportion.points[0].mean);
  const squares = await tamis.selectInteractions({ ...curve, hierarchy: 'full', norm: 'ridge' }, { points: 4 });
  assert.ok(squares.points[0].nonzeros > 0);
});

test('progress and stopping', async () => {
  const seen = [];
  await tamis.selectInteractions(curve, { points: 6, sliceMilliseconds: 0, onProgress: (progress) => void seen.push(progress) });
  assert.deepEqual([...new Set(seen.map(({ stage }) => stage))], ['path', 'folds']);
  assert.ok(seen.every(({ share }, i) => share >= 0 && share <= 1 && (i === 0 || share >= seen[i - 1].share)));
  await refused(curve, { sliceMilliseconds: 0, onProgress: () => false }, 'stopped', /stopped/);
});

test('a worker chooses the same', async () => {
  const client = createWorkerClient(new Worker(path.join(dist, 'worker-script.js')));
  after(() => client.close());
  const [here, there] = await Promise.all([tamis, client].map((face) => face.selectInteractions(classes, { points: 5, folds: 3 })));
  assert.deepEqual(there.points, here.points);
  assert.equal(there.lambda, here.lambda);
  assert.deepEqual(outcome(there.model), outcome(here.model));
});

test('one sentence for what makes no sense', async () => {
  await refused({ ...curve, lambda: 0.1 }, {}, 'invalid_option', /lambda: is what is chosen/);
  await refused(curve, { folds: 1 }, 'invalid_option', /folds: 1/);
  await refused(curve, { folds: 41 }, 'invalid_option', /40 samples for 41 folds/);
  await refused(curve, { folds: 3, validation: 0.25 }, 'invalid_option', /folds or this/);
  await refused(curve, { validation: 0.7 }, 'invalid_option', /between 0 and 1\/2/);
  await refused(curve, { refit: true }, 'invalid_option', /refit/);
  await refused(curve, { lambdas: [0.1, 0] }, 'invalid_lambda', /lambdas\[1\]: 0/);
  await refused(curve, { lambdas: [0.1, 0.2] }, 'invalid_lambda', /descend/);
  await refused(curve, { measure: 'luck' }, 'invalid_option', /measure/);
  await refused({ ...curve, hierarchy: 'weak', norm: 'ridge' }, {}, 'invalid_combination', /ridge makes nothing zero/);
  const rare = { ...classes, y: y.map((_, i) => (i < 2 ? 'rare' : 'other')) };
  await refused(rare, { folds: 3 }, 'invalid_option', /rare.*2 samples, fewer than the 3 folds/);
  await refused({ ...classes, y: y.map((_, i) => (i ? 'other' : 'rare')) }, { folds: 3, stratified: false }, 'missing_class', /rare.*outside fold/);
});
