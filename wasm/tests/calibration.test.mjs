// Calibrated probabilities of cross-validation: how good they are, the same as in a worker and by the command.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { Worker } from 'node:worker_threads';
import { command, createWorkerClient, digits, dist, iris, load, project, refusal, runCommand } from './support.mjs';

const tamis = await load({ double: true });
const client = createWorkerClient(new Worker(path.join(dist, 'worker-script.js')));
after(() => client.close());

const flowers = { ...iris, loss: 'squared-hinge', penalty: 'l1' };
const options = { points: 8, folds: 5, choose: 'min', seed: 2 };

test('digits: held-out probabilities can be taken at their word', async () => {
  const problem = { X: digits.X.slice(0, 900), y: digits.y.slice(0, 900), loss: 'squared-hinge', penalty: 'l1' };
  const [X, y] = [digits.X.slice(900), digits.y.slice(900)];
  const { model } = await tamis.crossValidate(problem, { lambdas: [0.02, 0.01], choose: 'min', calibrate: 'softmax' });
  const { kind, status, slopes, offsets, heldOut } = model.calibration;
  assert.deepEqual([kind, slopes.length, offsets.length, new Set(slopes).size], ['softmax', 10, 10, 1]);
  assert.match(status, /^(converged|precision_limit)$/);
  assert.ok(heldOut.calibrationError < 0.03 && heldOut.error < 0.08 && heldOut.logLoss < 0.25, JSON.stringify(heldOut));
  assert.ok(Math.abs(heldOut.bins.reduce((sum, { weight }) => sum + weight, 0) - 1) < 1e-9);
  const judged = model.evaluate(X, y);
  const probabilities = X.map((x) => model.probabilities(x));
  const logLoss = probabilities.reduce((sum, p, i) => sum - Math.log(p[model.classes.indexOf(y[i])]), 0) / X.length;
  assert.ok(Math.abs(judged.logLoss - logLoss) < 1e-9 && logLoss < 0.4, `${logLoss}`);
  for (const p of probabilities) assert.ok(Math.abs(p.reduce((a, b) => a + b) - 1) < 1e-12 && p.every((x) => x >= 0));
});

test('both kinds, with and without ridge on the kept features, here and in a worker', async () => {
  const plain = await tamis.crossValidate(flowers, options);
  assert.equal(plain.model.calibration, null);
  assert.equal(plain.model.toJSON().calibration, null);
  assert.throws(() => plain.model.probabilities(iris.X[0]), { status: 'invalid_option', message: /with a calibration/ });
  for (const calibrate of ['sigmoid', 'softmax'])
    for (const precision of ['float', 'double']) {
      const told = [];
      const onProgress = ({ stage, share }) => void told.push([stage, share]);
      const problem = { ...flowers, precision };
      const here = await tamis.crossValidate(problem, { ...options, calibrate, refit: true, onProgress, sliceMilliseconds: 1 });
      assert.deepEqual(told.at(-1), ['calibration', 1]);
      assert.ok(told.every(([, share], i) => i === 0 || share >= told[i - 1][1] - 1e-12), 'shares do not fall');
      const there = await client.crossValidate(problem, { ...options, calibrate, refit: true });
      for (const which of ['model', 'refit']) {
        const { calibration } = here[which];
        assert.equal(calibration.kind, calibrate);
        assert.deepEqual(there[which].calibration, calibration);
        if (calibrate === 'softmax') assert.ok(calibration.slopes.every((slope) => slope > 0 && slope === calibration.slopes[0]));
        assert.ok(calibration.heldOut.logLoss < 0.5, `${calibrate} ${which} ${calibration.heldOut.logLoss}`);
        const { kind, slopes, offsets } = calibration;
        assert.deepEqual(here[which].toJSON().calibration, { kind, slopes, offsets });
        const z = Array.from(here[which].scores(iris.X[60]), (score, k) => slopes[k] * score + offsets[k]);
        const raw = z.map((x) => (kind === 'softmax' ? Math.exp(x) : 1 / (1 + Math.exp(-x))));
        const total = raw.reduce((a, b) => a + b);
        here[which].probabilities(iris.X[60]).forEach((p, k) => assert.ok(Math.abs(p - raw[k] / total) < 1e-12));
      }
      assert.notDeepEqual(here.refit.calibration, here.model.calibration);
    }
});

const skip = !command || !runCommand('cv', '--help').includes('--calibrate') ? 'no command to compare with' : false;
test('the calibration of the command, and its probabilities', { skip }, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tamis-'));
  try {
    const data = path.join(project, 'tests/data/iris.csv');
    for (const [calibrate, refit] of [['softmax', false], ['sigmoid', false], ['softmax', true]]) {
      const file = path.join(folder, 'model.json');
      const said = JSON.parse(runCommand('cv', data, '--loss', 'squared-hinge', '--penalty', 'l1', '--lambda-values', '0.1,0.05,0.02', '--choose',
        'min', '--seed', '2', '--calibrate', calibrate, ...(refit ? ['--refit', '--refit-lambda', '0.01'] : []), '--model', file));
      const library = await load({ double: true });
      const result = await library.crossValidate({ ...flowers, precision: 'double' }, {
        lambdas: [0.1, 0.05, 0.02], choose: 'min', seed: 2, calibrate, refit: refit && { lambda: 0.01 },
      });
      const model = refit ? result.refit : result.model;
      const wanted = JSON.parse(readFileSync(file, 'utf8')).calibration;
      const near = (found, expected, what) => assert.ok(Math.abs(found - expected) <= 1e-6 * Math.abs(expected), `${what}: ${found}, ${expected}`);
      assert.equal(model.calibration.kind, wanted.kind);
      for (const list of ['slopes', 'offsets']) wanted[list].forEach((x, k) => near(model.calibration[list][k], x, list));
      near(model.calibration.heldOut.logLoss, said.calibration.held_out.log_loss, 'log-loss');
      near(model.calibration.heldOut.calibrationError, said.calibration.held_out.calibration_error, 'calibration error');

      // The command predicts with what is written here.
      const own = path.join(folder, 'own.json');
      writeFileSync(own, JSON.stringify(model));
      const rows = runCommand('predict', own, data, '--probabilities').trim().split('\n').slice(1);
      rows.forEach((row, i) => row.split(',').slice(1).forEach((p, k) => {
        const found = model.probabilities(iris.X[i])[k];
        assert.ok(Math.abs(found - Number(p)) < 1e-9, `${i} ${k}: ${found} ${p}`);
      }));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('it stops, and says what is wrong', async () => {
  for (const library of [tamis, client]) {
    const stop = ({ stage }) => stage !== 'calibration';
    await refusal(() => library.crossValidate(flowers, { ...options, calibrate: 'softmax', sliceMilliseconds: 0.01, onProgress: stop }), 'stopped');
    await refusal(() => library.crossValidate(flowers, { ...options, calibrate: 'platt' }), 'invalid_option');
  }
  const few = { ...flowers, X: iris.X.slice(0, 103), y: iris.y.slice(0, 103) };
  const error = await refusal(() => tamis.crossValidate(few, { ...options, calibrate: 'softmax' }), 'invalid_option');
  assert.match(error.message, /class '2' has 3 samples, fewer than the 5 folds/);
  const weights = iris.y.map((label) => (label === '2' ? 0 : 1));
  await refusal(() => tamis.crossValidate({ ...flowers, sampleWeights: weights }, { ...options, calibrate: 'sigmoid' }), 'missing_class');
});
