// Samples with several labels, and the settings of published solvers: the answers of the command, every refusal with its
// sentence.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { command, digits, iris, load, outcome, refusal, runCommand, small } from './support.mjs';

const tamis = await load();

/** Irises with what they are like beside: some samples with two labels, one with none. */
const y = iris.y.map((species, i) => [species, ...(iris.X[i][2] > 4.5 ? ['long'] : []), ...(iris.X[i][1] > 3.2 ? ['wide'] : [])]);
y[17] = [];
const sets = { X: iris.X, y, loss: 'ranking-squared-hinge', penalty: 'l1', lambda: 0.02 };
const csv = `labels,a,b,c,d\n${iris.X.map((x, i) => [y[i].join(';'), ...x].join(',')).join('\n')}\n`;

function inFolder(work) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tamis-'));
  try {
    return work((name) => path.join(folder, name));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('ranks the labels of a sample above the others', async () => {
  const model = await tamis.train(sets);
  assert.equal(model.report.status, 'converged');
  assert.deepEqual(model.classes, [...new Set(y.flat())].sort());
  // The objective anew, from the scores, pair by pair.
  let loss = 0;
  iris.X.forEach((x, i) => {
    const scores = model.scores(x);
    const inside = model.classes.map((label) => y[i].includes(label));
    scores.forEach((high, r) => inside[r] && scores.forEach((low, k) => !inside[k] && (loss += Math.max(0, 1 + low - high) ** 2)));
  });
  const objective = loss / iris.X.length + 0.02 * model.weights.reduce((sum, w) => sum + Math.abs(w), 0);
  assert.ok(Math.abs(objective - model.report.objective) < 1e-5 * objective);
  await refusal(() => model.predictSet(iris.X[0]), 'invalid_option');
  await refusal(() => model.evaluate(iris.X, iris.y), 'invalid_option');
});

for (const thresholds of ['linear', 'per-class'])
  test(`sets by ${thresholds} thresholds are those of the command`, { skip: !command }, async () => {
    const model = await tamis.train({ ...sets, thresholds, precision: 'double' });
    inFolder((file) => {
      writeFileSync(file('iris.csv'), csv);
      runCommand('train', file('iris.csv'), '--loss', 'ranking-squared-hinge', '--penalty', 'l1', '--lambda', '0.02', '--precision', 'double',
        '--thresholds', thresholds, '--model', file('theirs.json'), '--report', file('report.json'), '--quiet');
      const theirs = JSON.parse(readFileSync(file('theirs.json'), 'utf8'));
      const report = JSON.parse(readFileSync(file('report.json'), 'utf8'));
      assert.deepEqual(model.classes, theirs.classes);
      assert.equal(model.thresholds.kind, thresholds);
      for (const part of ['slopes', 'offsets'])
        model.thresholds[part].forEach((value, k) => assert.ok(Math.abs(value - theirs.thresholds[part][k]) < 1e-9));
      const evaluated = model.evaluateSets(iris.X, y);
      const { samples, exact, hammingLoss, microF1 } = evaluated.sets;
      assert.equal(samples, 150);
      for (const [ours, said] of [[exact * samples, 'sets_right'], [hammingLoss, 'hamming_loss'], [microF1, 'micro_f1'],
        [evaluated.rankingLoss, 'ranking_loss'], [evaluated.accuracy, 'top_accuracy']])
        assert.ok(Math.abs(ours - report[`train_${said}`]) < 1e-9, `${said}: ${ours}, ${report[`train_${said}`]}`);

      // And the command reads the model, and predicts the same sets.
      writeFileSync(file('ours.json'), JSON.stringify(model));
      const lines = runCommand('predict', file('ours.json'), file('iris.csv'), '--sets').trimEnd().split('\n');
      const ours = model.predictSets(iris.X).map((set) => set.join(','));
      assert.deepEqual(lines.slice(-150), ours);
    });
  });

test('paths and folds choose lambda for label sets', async () => {
  const { lambda, ...problem } = sets;
  const { points } = await tamis.path(problem, { points: 5 });
  assert.equal(points.length, 5);
  const alone = await tamis.train({ ...problem, lambda: points[4].lambda });
  assert.ok(Math.abs(alone.report.objective - points[4].report.objective) < 2e-4 * alone.report.objective);
  const chosen = await tamis.crossValidate(problem, { points: 5, folds: 3 });
  assert.equal(chosen.points.length, 5);
  assert.ok(chosen.points.every(({ mean }) => mean >= 0 && mean <= 1));
  assert.ok(chosen.model.evaluateSets(iris.X, y).accuracy > 0.9);
  const groups = iris.X.map((_, i) => i % 10);
  assert.equal((await tamis.crossValidate(problem, { points: 3, folds: 5, groups })).points.length, 3);
  for (const [options, words] of [[{ stratified: true }, 'stratified'], [{ calibrate: 'softmax' }, 'calibrate']])
    assert.ok((await refusal(() => tamis.crossValidate(problem, { points: 2, folds: 3, ...options }), 'invalid_option')).message.includes(words));
  assert.ok((await refusal(() => tamis.stabilitySelection(problem), 'invalid_option')).message.includes('halves'));
  assert.ok((await refusal(() => tamis.path({ ...problem, thresholds: 'linear' }), 'invalid_option')).message.includes('train() alone'));
});

const squared = { X: digits.X.slice(0, 200), y: digits.y.slice(0, 200), loss: 'squared-hinge', penalty: 'group-l2', lambda: 0.01, maxIterations: 30 };
for (const [solver, change, options] of [
  ['fobos-as-printed', { seed: 2 ** 33 + 5 }, ['--seed', String(2 ** 33 + 5)]],
  ['fobos-as-printed', { learningRate: 0.03 }, ['--learning-rate', '0.03', '--seed', '0']],
  ['bcd-constant-step-as-printed', { seed: 7 }, ['--seed', '7']],
  ['bcd-line-search-as-printed', { shrinking: true }, ['--shrinking']],
  ['bcd-line-search-as-printed', { stopping: { rule: 'violation-sum', threshold: 0.1 } }, ['--stopping', 'violation-sum:0.1']],
  ['bcd-line-search-as-printed', { stopping: { rule: 'violation-max', threshold: 0.1 } }, ['--stopping', 'violation-max:0.1']],
  ['sparsa-as-printed', { stopping: { rule: 'iterates', threshold: 0.01 } }, ['--stopping', 'iterates:0.01']],
])
  test(`${solver} with ${JSON.stringify(change)} does what the command does`, { skip: !command }, async () => {
    const plain = await tamis.train({ ...squared, solver });
    const changed = await tamis.train({ ...squared, solver, ...change });
    assert.notDeepEqual([outcome(changed).weights, changed.report.epochs], [outcome(plain).weights, plain.report.epochs]);
    inFolder((file) => {
      writeFileSync(file('digits.csv'), `y,${digits.featureNames.join(',')}\n${squared.X.map((x, i) => [squared.y[i], ...x].join(',')).join('\n')}\n`);
      runCommand('train', file('digits.csv'), '--loss', 'squared-hinge', '--penalty', 'group-l2', '--lambda', '0.01', '--max-iterations', '30',
        '--precision', 'float', '--solver', solver, ...options, '--report', file('report.json'), '--model', file('model.json'), '--quiet');
      const report = JSON.parse(readFileSync(file('report.json'), 'utf8'));
      assert.equal(changed.report.iterations, report.iterations ?? report.solver?.iterations);
      const { indices, values } = JSON.parse(readFileSync(file('model.json'), 'utf8')).coefficients;
      const ours = changed.toJSON().coefficients;
      assert.deepEqual(ours.indices, indices);
      assert.deepEqual(ours.values.flat().map((w) => w + 0), values.flat().map((w) => w + 0)); // without the sign of zero
    });
  });

const ranked = { ...small, loss: 'ranking-squared-hinge', y: [['a'], ['b'], ['a']] };
for (const [name, problem, status, words] of [
  ['one label per sample', { ...ranked, y: ['a', 'b', 'a'] }, 'invalid_label', 'y[0]: with ranking-squared-hinge'],
  ['a label that is none', { ...ranked, y: [['a'], [null], []] }, 'invalid_label', 'y[1][0]'],
  ['a label twice', { ...ranked, y: [['a'], ['b', 'c', 'b'], []] }, 'invalid_label', 'y[1]: names a label twice'],
  ['a label of every sample', { ...ranked, y: [['a', 'b'], ['a'], ['a']] }, 'missing_class', "class 'a': no sample of positive weight ranks"],
  ['thresholds for another loss', { ...small, thresholds: 'linear' }, 'invalid_option', 'it is for ranking-squared-hinge, not for hinge'],
  ['unknown thresholds', { ...ranked, thresholds: 'best' }, 'invalid_option', "thresholds: 'best' is not one of linear, per-class"],
  ['a solver of second derivatives', { ...ranked, solver: 'block-coordinate-descent' }, 'invalid_combination', 'second derivatives'],
  ['a seed for nothing random', { ...small, seed: 3 }, 'invalid_option', 'a seed is for solvers that draw at random'],
  ['half a seed', { ...small, seed: 0.5 }, 'invalid_option', 'seed: 0.5 is not'],
  ['a learning rate for other solvers', { ...small, learningRate: 0.1 }, 'invalid_option', 'learning_rate is for fobos-as-printed'],
  ['a learning rate of 0', { ...small, learningRate: 0 }, 'invalid_option', "learningRate: 0 is neither 'auto'"],
  ['shrinking for other solvers', { ...small, shrinking: true }, 'invalid_option', 'shrinking and stopping by violations are for bcd'],
  ['a stopping rule for other solvers', { ...small, stopping: { rule: 'iterates', threshold: 1 } }, 'invalid_option', 'stopping by iterates is for'],
  ['an unknown stopping rule', { ...small, stopping: { rule: 'soon' } }, 'invalid_option', "stopping: 'soon' is not one of gap, iterates"],
  ['a stopping rule by its name', { ...small, stopping: 'soon' }, 'invalid_option', "stopping: 'soon' is not"],
  ['no threshold', { ...small, stopping: { rule: 'iterates' } }, 'invalid_option', 'stopping: the threshold of iterates is undefined'],
  ['a threshold of the gap', { ...small, stopping: { threshold: 1 } }, 'invalid_option', 'gap takes no threshold'],
])
  test(`${name}: ${status}`, async () => {
    const error = await refusal(() => tamis.train(problem), status);
    assert.ok(error.message.includes(words), error.message);
  });

test('trainings beside have none of these options', async () => {
  for (const name of ['seed', 'learningRate', 'shrinking', 'stopping', 'thresholds'])
    await refusal(() => tamis.trainInteractions({ X: iris.X, y: iris.y, hierarchy: 'weak', lambda: 0.1, [name]: 1 }), 'invalid_option');
});

test('lambda2 as a ratio is lambda2, at every lambda', async () => {
  const problem = { X: iris.X, y: iris.y, hierarchy: 'weak' };
  const by = await tamis.trainInteractions({ ...problem, lambda: 0.05, lambda2Ratio: 0.25 });
  const given = await tamis.trainInteractions({ ...problem, lambda: 0.05, lambda2: 0.0125 });
  const usual = await tamis.trainInteractions({ ...problem, lambda: 0.05 });
  assert.deepEqual(by.terms, given.terms);
  assert.notDeepEqual(by.terms, usual.terms);
  const options = { lambdas: [0.1, 0.05], folds: 3, choose: 'min' };
  const chosen = await tamis.selectInteractions({ ...problem, lambda2Ratio: 0.25 }, options);
  const others = await tamis.selectInteractions(problem, options);
  assert.notDeepEqual(chosen.points.map(({ meanLoss }) => meanLoss), others.points.map(({ meanLoss }) => meanLoss));
  const half = await tamis.selectInteractions({ ...problem, lambda2Ratio: 0.5 }, options);
  assert.deepEqual(half.points, others.points);
  for (const [wrong, status, words] of [
    [{ lambda2: 0.1, lambda2Ratio: 1 }, 'invalid_option', 'both given'],
    [{ hierarchy: 'main', lambda2Ratio: 1 }, 'invalid_option', 'main has none'],
    [{ lambda2Ratio: -1 }, 'invalid_lambda', 'lambda2Ratio: -1 is not at least 0'],
    [{ hierarchy: 'full', lambda2Ratio: 0 }, 'invalid_lambda', 'is not positive'],
    [{ lambda2Ratio: NaN }, 'invalid_lambda', 'lambda2Ratio: NaN'],
  ])
    assert.ok((await refusal(() => tamis.trainInteractions({ ...problem, lambda: 0.1, ...wrong }), status)).message.includes(words));
});
