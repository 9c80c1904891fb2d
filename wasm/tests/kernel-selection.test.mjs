import assert from 'node:assert/strict';
import path from 'node:path';
import test, { after } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createWorkerClient, dist, load, refusal } from './support.mjs';

const tamis = await load();
const samples = Array.from({ length: 36 }, (_, i) => [(i * 7) % 11 - 5, (i * 5) % 9 - 4].map((x) => x / 4));
const far = samples.map(([a, b], i) => a * a + b * b + ((i * 13) % 8 - 3) / 8 > 1);
const kernels = ['gaussian:0.5', 'linear', 'sigmoid:1,-1'];
const two = { X: samples, y: far.map((is) => (is ? 'far' : 'near')), kernels, p: 2, q: 1, r: 1, tolerance: 1e-3 };
const three = { ...two, y: samples.map(([a], i) => (far[i] ? (a > 0 ? 'right' : 'left') : 'near')), intercept: true };
const gaussian = ([a, b], [c, d]) => Math.exp(-2 * ((a - c) ** 2 + (b - d) ** 2));
const matrices = [samples.map((x) => samples.map((z) => gaussian(x, z)))];

/** Everything a training came to, without the time it took. */
const outcome = ({ data: { report: { milliseconds, ...report }, ...data } }) => ({ report, ...data });
const refused = async (problem, options, status, sentence) =>
  assert.match((await refusal(() => tamis.selectKernels(problem, options), status)).message, sentence);
const mean = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

test('a choice says what was held out, and trains with the chosen lambda', async () => {
  for (const precision of ['float', 'double'])
    for (const [problem, ratio] of [[two, 1e-3], [{ ...three, p: 1, q: 2, r: 2 }, 1e-5]]) {
      const found = await tamis.selectKernels({ ...problem, precision }, { points: 6 });
      const { points, lambdaMin, lambda1se, lambda, model } = found;
      assert.equal(points.length, 6);
      if (problem === two) assert.equal(points[0].nonzeros, 0);
      points.forEach((point, i) => {
        assert.equal(point.status, 'converged');
        assert.ok(i === 0 || point.lambda < points[i - 1].lambda);
      });
      assert.ok(Math.abs(points[5].lambda / points[0].lambda / ratio - 1) < 1e-5);
      const means = points.map((point) => point.mean), least = Math.min(...means);
      assert.equal(lambdaMin, points[means.indexOf(least)].lambda);
      const { standardError } = points[means.indexOf(least)];
      assert.equal(lambda1se, points.find((point) => point.mean <= least + standardError * (1 + 1e-6)).lambda);
      assert.equal(lambda, lambda1se);
      assert.deepEqual(outcome(model), outcome(await tamis.trainKernels({ ...problem, precision, lambda })));
    }
});

test('what is measured has not been trained on', async () => {
  const some = 12, lambdas = [0.1, 0.01];
  for (const problem of [two, three]) {
    const exact = { ...problem, X: samples.slice(0, some), y: problem.y.slice(0, some), tolerance: 1e-7, precision: 'double' };
    const { points } = await tamis.selectKernels(exact, { lambdas, folds: some, stratified: false });
    for (const [l, lambda] of lambdas.entries()) {
      const errors = [];
      for (let i = 0; i < some; ++i) {
        const without = (list) => list.filter((_, other) => other !== i);
        const model = await tamis.trainKernels({ ...exact, X: without(exact.X), y: without(exact.y), lambda });
        errors.push(Number(model.predict(exact.X[i]) !== exact.y[i]));
      }
      assert.ok(Math.abs(points[l].mean - mean(errors)) < 1e-9, `${points[l].mean} is not ${mean(errors)}`);
    }
  }
});

test('matrices, samples held out once, whole groups', async () => {
  const plain = { ...two, kernels: ['gaussian:0.5'], tolerance: 1e-9, precision: 'double' };
  const given = { ...plain, X: undefined, kernels: undefined, matrices };
  const [one, other] = await Promise.all([plain, given].map((problem) => tamis.selectKernels(problem, { points: 4, folds: 3 })));
  one.points.forEach((point, i) => assert.ok(Math.abs(point.meanLoss - other.points[i].meanLoss) < 1e-6));
  const once = await tamis.selectKernels(two, { points: 3, validation: 1 / 4, measure: 'loss' });
  for (const { mean: share, lossStandardError } of once.points) {
    assert.equal(lossStandardError, 0);
    assert.ok(Math.abs(9 * share - Math.round(9 * share)) < 1e-5, 'nine of 36 samples');
  }
  const groups = samples.map((_, i) => `g${i % 6}`);
  await tamis.selectKernels(two, { points: 2, groups });
  await refused(two, { points: 2, groups, folds: 7 }, 'invalid_option', /6 groups for 7 folds/);
});

test('progress and stopping', async () => {
  const seen = [];
  await tamis.selectKernels(two, { points: 4, sliceMilliseconds: 0, onProgress: (progress) => void seen.push(progress) });
  assert.deepEqual([...new Set(seen.map(({ stage }) => stage))], ['path', 'folds']);
  assert.ok(seen.every(({ share }, i) => share >= 0 && share <= 1 && (i === 0 || share >= seen[i - 1].share)));
  await refused(two, { sliceMilliseconds: 0, onProgress: () => false }, 'stopped', /stopped/);
});

test('a worker chooses and bounds the same', async () => {
  const client = createWorkerClient(new Worker(path.join(dist, 'worker-script.js')));
  after(() => client.close());
  const problem = { ...two, rademacher: { draws: 20 } };
  const [here, there] = await Promise.all([tamis, client].map((face) => face.selectKernels(problem, { points: 4, folds: 3 })));
  assert.deepEqual(there.points, here.points);
  assert.equal(there.lambda, here.lambda);
  assert.deepEqual(outcome(there.model), outcome(here.model));
  assert.deepEqual(there.model.rademacher, here.model.rademacher);
});

test('the bound of the error is what its definition says', async () => {
  const problem = { X: undefined, y: two.y, matrices, p: 1, q: 1, r: 1, lambda: 0.05, tolerance: 1e-6, precision: 'double' };
  const model = await tamis.trainKernels({ ...problem, rademacher: { draws: 400, delta: 0.1, seed: 3 } });
  const { bound, clippedLoss, complexity, standardError, deviation, radius, hasProvedRate, draws, delta, seed } = model.rademacher;
  assert.deepEqual([draws, delta, seed, hasProvedRate], [400, 0.1, 3, true]);
  const n = samples.length, labels = two.y.map((label) => (label === model.classes[1] ? 1 : -1));
  const alpha = new Map(model.terms.map(({ sample, coefficients }) => [sample, coefficients[0]]));
  const scores = matrices[0].map((_, i) => [...alpha].reduce((sum, [l, a]) => sum + a * matrices[0][l][i], 0));
  const near = (one, other) => assert.ok(Math.abs(one - other) < 1e-9, `${one} is not ${other}`);
  near(radius, [...alpha.values()].reduce((sum, a) => sum + Math.abs(a), 0));
  near(clippedLoss, mean(scores.map((score, i) => Math.min(Math.max(0, 1 - labels[i] * score) ** 2, 1))));
  near(deviation, Math.sqrt(Math.log(10) / (2 * n)));
  near(bound, clippedLoss + 16 * complexity + deviation);
  let state = 7, total = 0; // signs of another generator: the same mean but for the standard errors
  for (let d = 0; d < 4000; ++d) {
    const signs = samples.map(() => ((state = (state * 48271) % 2147483647) & 1024 ? 1 : -1));
    total += Math.max(...matrices[0].map((row) => Math.abs(row.reduce((sum, value, i) => sum + value * signs[i], 0)))) / n;
  }
  assert.ok(Math.abs(radius * total / 4000 - complexity) < 5 * standardError, `${radius * total / 4000} is not ${complexity}`);
  assert.equal((await tamis.trainKernels(problem)).rademacher, null);
});

test('one sentence for what makes no sense', async () => {
  await refused({ ...two, lambda: 0.1 }, {}, 'invalid_option', /lambda: is what is chosen.*trainKernels/);
  await refused(two, { folds: 37 }, 'invalid_option', /36 samples for 37 folds/);
  await refused(two, { refit: true }, 'invalid_option', /refit/);
  await refused(two, { lambdas: [0.1, 0] }, 'invalid_lambda', /lambdas\[1\]: 0.*coefficients are not determined/);
  await refused({ ...two, q: 3 }, {}, 'invalid_option', /q: 3/);
  await refused({ ...two, y: two.y.map((_, i) => (i ? 'other' : 'rare')) }, { folds: 3, stratified: false }, 'missing_class', /rare.*outside fold/);
  const bounded = (rademacher, more, sentence) => refused({ ...two, ...more, rademacher }, { points: 2 }, 'invalid_option', sentence);
  await bounded(1000, {}, /rademacher: 1000/);
  await bounded({ draws: 1 }, {}, /draws: 1/);
  await bounded({ delta: 1 }, {}, /delta: 1/);
  await bounded({ seed: -1 }, {}, /seed: -1/);
  await bounded({}, { intercept: true }, /kernel constant/);
  await bounded({}, { y: three.y }, /one score/);
});
