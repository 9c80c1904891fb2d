// Stability selection: planted features are found, counts are those of trainings on the halves, the command's numbers.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { Worker } from 'node:worker_threads';
import { command, createWorkerClient, digits, dist, iris, load, madeUpProblem, project, refusal, runCommand, small } from './support.mjs';

const tamis = await load({ baselines: true, double: true });
const client = createWorkerClient(new Worker(path.join(dist, 'worker-script.js')));
after(() => client.close());

/** Two classes that follow the first three of 30 features. */
function planted() {
  let state = 5;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 31 - 1;
  const X = Array.from({ length: 120 }, () => Array.from({ length: 30 }, random));
  return { X, y: X.map((x) => Number(x[0] + x[1] - x[2] + 0.3 * random() > 0)), loss: 'squared-hinge', penalty: 'l1' };
}
const without = ({ lambda, ...problem }) => problem;

test('planted features are found, noise is left', async () => {
  const told = [];
  const found = await tamis.stabilitySelection(planted(), {
    subsamples: 30, points: 10, ratio: 1e-3, onProgress: ({ half, halves, share }) => void told.push([half, halves, share]),
  });
  assert.deepEqual(found.ranked.slice(0, 3).map(({ features }) => features[0]).sort(), [0, 1, 2]);
  assert.ok(found.ranked.slice(0, 3).every(({ selected, frequency }) => selected && frequency === 1));
  assert.ok(found.ranked.slice(3).every(({ selected }) => !selected));
  assert.deepEqual([found.units, found.subsamples, found.threshold, found.lambdas.length], [30, 30, 0.9, 10]);
  assert.equal(found.maxFeatures, Math.floor(Math.sqrt(0.8 * 30)));
  assert.ok(found.selectedByHalf > 3 && found.selectedByHalf <= 2 * found.maxFeatures);
  assert.equal(found.expectedFalseSelections, found.selectedByHalf ** 2 / ((2 * 0.9 - 1) * 30));
  assert.deepEqual(told.at(-1), [30, 30, 1]);
  for (const { frequency, frequencies } of found.ranked) assert.equal(frequency, Math.max(...frequencies));
});

test('complementary halves count what trainings on them keep', async () => {
  // With two pairs, of which the halves are not told, every frequency is a quarter; with lambda given, a path of one point.
  const problem = { ...planted(), tolerance: 1e-6, precision: 'double' };
  const lambdas = [0.1];
  const { ranked, selectedByHalf } = await tamis.stabilitySelection(problem, { subsamples: 4, lambdas, maxFeatures: 30, seed: 3 });
  assert.ok(ranked.every(({ frequency }) => Number.isInteger(4 * frequency)));
  assert.ok(Math.abs(ranked.reduce((sum, { frequency }) => sum + frequency, 0) - selectedByHalf) < 1e-12);
  const [one, other] = await Promise.all([3, 4].map((seed) => tamis.stabilitySelection(problem, { subsamples: 4, lambdas, seed })));
  assert.notDeepEqual(one.ranked, other.ranked);
});

test('groups of the problem are units, every kind of problem goes, a worker says the same', async () => {
  const grouped = { ...planted(), penalty: 'group-l2', featureNames: Array.from({ length: 30 }, (_, j) => `f${j}`) };
  const options = { subsamples: 10, points: 5 };
  const blocks = await tamis.stabilitySelection({ ...grouped, groups: { blocks: 7 } }, options);
  assert.deepEqual([blocks.units, blocks.ranked[0].features, blocks.ranked[0].name], [5, [0, 1, 2, 3, 4, 5, 6], 'f0 and 6 more']);
  const listed = await tamis.stabilitySelection({ ...grouped, groups: Array.from({ length: 30 }, (_, j) => j % 3) }, options);
  assert.deepEqual([listed.units, listed.ranked[0].features.length], [3, 10]);
  assert.deepEqual(await client.stabilitySelection({ ...grouped, groups: { blocks: 7 } }, options), blocks);
  for (let seed = 1; seed <= 14; ++seed) {
    const problem = without(madeUpProblem(seed));
    if (problem.penalty === 'ridge') continue;
    const one = await tamis.stabilitySelection(problem, { subsamples: 4, points: 3 });
    assert.deepEqual(await tamis.stabilitySelection(problem, { subsamples: 4, points: 3, sliceMilliseconds: 0.01 }), one);
  }
});

const skip = !command || !runCommand('--help').includes('stability') ? 'no command to compare with' : false;
test('the numbers of the command', { skip }, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tamis-'));
  try {
    for (const [name, scale, { X, y }, given, options] of [
      ['iris.csv', 1, iris, [], {}],
      ['iris.csv', 1, iris, ['--max-features', '2', '--false-selections', '2', '--seed', '7'], { maxFeatures: 2, falseSelections: 2, seed: 7 }],
      ['digits.csv', 16, digits, ['--threshold', '0.7', '--lambda-values', '0.05,0.02'], { threshold: 0.7, lambdas: [0.05, 0.02] }],
    ]) {
      const report = path.join(folder, 'report.json');
      runCommand('stability', path.join(project, 'tests/data', name), '--scale', String(scale), '--loss', 'hinge', '--penalty', 'group-l2',
        '--subsamples', '8', ...(options.lambdas ? [] : ['--lambdas', '12']), ...given, '--report', report, '--quiet');
      const wanted = JSON.parse(readFileSync(report, 'utf8'));
      const problem = { X, y, loss: 'hinge', penalty: 'group-l2', precision: 'double' };
      const found = await tamis.stabilitySelection(problem, { subsamples: 8, ...(options.lambdas ? {} : { points: 12 }), ...options });
      const numbers = ({ indices, features = indices, frequency, selected, frequencies }) => ({ features, frequency, selected, frequencies });
      assert.deepEqual(found.ranked.filter(({ frequency }) => frequency > 0).map(numbers), wanted.ranked.map(numbers));
      assert.deepEqual([found.maxFeatures, found.threshold, found.selectedByHalf, found.expectedFalseSelections],
        [wanted.max_features, wanted.threshold, wanted.selected_by_half, wanted.expected_false_selections]);
      found.lambdas.forEach((lambda, l) => assert.ok(Math.abs(lambda - wanted.lambdas[l]) <= 1e-12 * lambda));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('it stops, and says what is wrong', async () => {
  const problem = planted();
  for (const library of [tamis, client]) {
    await refusal(() => library.stabilitySelection(problem, { onProgress: () => false }), 'stopped');
    const controller = new AbortController();
    const stop = { signal: controller.signal, onProgress: ({ half }) => void (half === 2 && controller.abort()) };
    await refusal(() => library.stabilitySelection(problem, stop), 'stopped');
  }
  const cases = [
    [{}, { subsamples: 5 }, 'invalid_option', /5 is odd/],
    [{}, { threshold: 0.5 }, 'invalid_option', /^threshold: 0.5 does not lie above 1\/2/],
    [{}, { falseSelections: 0 }, 'invalid_option', /^falseSelections: 0 is not positive/],
    [{}, { threshold: 0.9, falseSelections: 1, maxFeatures: 2 }, 'invalid_option', /leave one out/],
    [{}, { maxFeatures: 30, falseSelections: 0.001, subsamples: 2 }, 'invalid_option', /lower maxFeatures/],
    [{}, { seed: -1 }, 'invalid_option', /^seed/],
    [{}, { lambdas: [0.1, 0.2] }, 'invalid_lambda', /must descend/],
    [{ penalty: 'ridge' }, {}, 'invalid_option', /keeps every feature/],
    [{ eta: 1 }, {}, 'invalid_eta', /eta/],
    [{ y: undefined }, {}, 'invalid_label', /y must be/],
    [{ X: [[1, 2], [3, NaN], [5, 7]], y: [0, 0, 1] }, {}, 'invalid_data', /^X\[1\]\[1\]/],
    [{ X: small.X, y: small.y }, { lambdas: [0.1] }, 'missing_class', /^class 'b' has one sample, and halves need one each/],
  ];
  for (const [change, options, status, sentence] of cases)
    assert.match((await refusal(() => tamis.stabilitySelection({ ...problem, ...change }, options), status)).message, sentence);
  await tamis.stabilitySelection(problem, { subsamples: 2, lambdas: [0.1] }); // nothing of the refused is held
});
