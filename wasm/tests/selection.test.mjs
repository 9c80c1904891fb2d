// Paths and cross-validation against trainings one by one, their endings before the end, and what they refuse.
import assert from 'node:assert/strict';
import test from 'node:test';
import { digits, iris, load, madeUpProblem, outcome, refusal, small } from './support.mjs';

const tamis = await load({ baselines: true, double: true });
const flowers = { ...iris, loss: 'hinge', penalty: 'l1' };
const long = { ...digits, loss: 'squared-hinge', penalty: 'l1', tolerance: 1e-6 };

function close(actual, expected, relative) {
  assert.ok(Math.abs(actual - expected) <= relative * Math.abs(expected), `${actual} is not ${expected}`);
}

/** The objective of train for one lambda. */
const alone = (problem, lambda) => tamis.trainSync({ ...problem, lambda }).report.objective;

test('points of a path are trainings at their lambdas', async () => {
  for (const [loss, penalty] of [['hinge', 'l1'], ['hinge', 'ridge'], ['logistic', 'group-l2'], ['squared-hinge', 'elastic-net']])
    for (const precision of ['float', 'double']) {
      const problem = { ...iris, loss, penalty, precision, tolerance: 1e-5 };
      const { points, status } = await tamis.path(problem, { points: 8 });
      assert.deepEqual([points.length, status], [8, 'converged']);
      if (penalty !== 'ridge') assert.equal(points[0].nonzeroRows, 0);
      close(points[7].lambda / points[0].lambda, penalty === 'ridge' ? 1e-4 : 1e-3, 1e-5);
      for (const { lambda, report, nonzeroRows, model } of points) {
        close(report.objective, alone(problem, lambda), 2e-5);
        assert.deepEqual([report.nonzeroRows, model.keptFeatures.length], [nonzeroRows, nonzeroRows]);
        assert.equal(model.report, report);
        assert.deepEqual([model.toJSON().lambda, model.classes, model.features], [lambda, ['0', '1', '2'], 4]);
        assert.ok(report.milliseconds >= 0);
      }
      assert.equal(points[3].model, points[3].model);
      const { model } = points[7];
      assert.ok(model.evaluate(iris.X, iris.y).accuracy > 0.9);
      assert.match(model.toC(), /self_test/);
      assert.deepEqual(tamis.fromBlob(model.toBlob(), { classes: model.classes }).predictAll(iris.X), model.predictAll(iris.X));
    }
});

test('the lambdas may be given, down to zero', async () => {
  const lambdas = [0.5, 0.1, 0.02];
  const { points } = await tamis.path(flowers, { lambdas });
  assert.deepEqual(points.map((point) => point.lambda), lambdas.map(Math.fround));
  for (const penalty of ['l1', 'ridge']) {
    const path = await tamis.path({ ...flowers, penalty, tolerance: 1e-3 }, { lambdas: [0.1, 0] });
    assert.deepEqual(path.points.map((point) => point.lambda), [Math.fround(0.1), 0]);
  }
});

test('every kind of problem has a path, in every slice the same', async () => {
  for (let seed = 1; seed <= 14; ++seed) {
    const { lambda, ...problem } = madeUpProblem(seed);
    const one = await tamis.path(problem, { points: 4, ratio: 0.1 });
    const other = await tamis.path(problem, { points: 4, ratio: 0.1, sliceMilliseconds: 0.01 });
    assert.equal(one.points.length, 4, `seed ${seed}`);
    assert.deepEqual(one.points.map(({ model }) => outcome(model)), other.points.map(({ model }) => outcome(model)));
  }
});

test('a path ends before too many features', async () => {
  const { points, status } = await tamis.path(long, { points: 30, ratio: 0.01, maxFeatures: 12 });
  assert.equal(status, 'converged');
  assert.ok(points.length > 2 && points.length < 30);
  assert.ok(points.every(({ nonzeroRows }) => nonzeroRows <= 12));
});

test('a path that is stopped returns its prefix', async () => {
  const whole = await tamis.path(long, { points: 12, ratio: 0.1 });
  const controller = new AbortController();
  const seen = [];
  const stopped = await tamis.path(long, {
    points: 12, ratio: 0.1, signal: controller.signal, bestOnAbort: true, sliceMilliseconds: 1,
    onPoint: (point) => {
      seen.push(point);
      if (seen.length === 4) controller.abort();
    },
  });
  assert.equal(stopped.status, 'stopped');
  assert.deepEqual(seen, stopped.points);
  assert.ok(stopped.points.length >= 4 && stopped.points.length < 12);
  stopped.points.forEach(({ model }, l) => assert.deepEqual(outcome(model), outcome(whole.points[l].model)));
  const one = await tamis.path(long, { points: 12, onPoint: () => false });
  assert.deepEqual([one.status, one.points.length], ['stopped', 1]);
  const early = await tamis.path(long, { points: 12, signal: controller.signal, bestOnAbort: true });
  assert.equal(early.status, 'stopped');
  assert.ok(early.points.length <= 1);
});

test('progress grows to the end', async () => {
  for (const run of ['path', 'crossValidate']) {
    const told = [];
    await tamis[run](flowers, {
      points: 10, ...(run === 'path' ? {} : { refit: true }), sliceMilliseconds: 0.5, onProgress: (progress) => void told.push(progress),
    });
    told.reduce((before, after) => (assert.ok(after.share >= before.share, JSON.stringify([before, after])), after));
    assert.equal(told.at(-1).share, 1);
    assert.ok(told.every(({ report, point, points }) => report.iterations >= 0 && point <= points));
    assert.deepEqual([...new Set(told.map(({ stage }) => stage))], run === 'path' ? ['path'] : ['path', 'folds', 'refit']);
  }
});

test('cross-validation chooses a point of the path', async () => {
  const result = await tamis.crossValidate(flowers, { points: 15, seed: 2 });
  const path = await tamis.path(flowers, { points: 15 });
  assert.deepEqual(result.points.map((point) => point.lambda), path.points.map((point) => point.lambda));
  assert.deepEqual(result.points.map((point) => point.nonzeroRows), path.points.map((point) => point.nonzeroRows));
  const least = Math.min(...result.points.map((point) => point.mean));
  const best = result.points.find((point) => point.lambda === result.lambdaMin);
  assert.equal(best.mean, least);
  assert.ok(result.lambda1se >= result.lambdaMin);
  assert.equal(result.lambda1se, result.points.find((point) => point.mean <= best.mean + best.standardError).lambda);
  assert.deepEqual([result.lambda, result.refit], [result.lambda1se, null]);
  const { model } = path.points.find((point) => point.lambda === result.lambda);
  assert.deepEqual(outcome(result.model), outcome(model));
  assert.ok(best.mean < 0.1 && best.meanLoss > 0 && best.lossStandardError > 0);
  const again = await tamis.crossValidate(flowers, { points: 15, seed: 2, sliceMilliseconds: 0.1, choose: 'min', measure: 'loss' });
  assert.deepEqual(again.points, result.points);
  assert.equal(again.lambda, again.lambdaMin);
  assert.equal(again.points.find((point) => point.lambda === again.lambda).meanLoss,
    Math.min(...again.points.map((point) => point.meanLoss)));
  const other = await tamis.crossValidate(flowers, { points: 15, seed: 3 });
  assert.notDeepEqual(other.points, result.points);
});

test('held-out means are those of training on the other samples', async () => {
  const problem = { ...flowers, precision: 'double', tolerance: 1e-8 };
  const lambda = 0.05;
  const groups = iris.X.map((_, i) => `subject ${i % 3}`); // each group a fold of its own
  const { points: [point] } = await tamis.crossValidate(problem, { lambdas: [lambda], folds: 3, groups });
  const shares = [0, 1, 2].map((out) => {
    const part = (list, held) => Array.from(list).filter((_, i) => (i % 3 === out) === held);
    const model = tamis.trainSync({ ...problem, lambda, X: part(iris.X, false), y: part(iris.y, false) });
    return 1 - model.evaluate(part(iris.X, true), part(iris.y, true)).accuracy;
  });
  const mean = shares.reduce((sum, share) => sum + share) / 3;
  close(point.mean, mean, 1e-9);
  close(point.standardError, Math.sqrt(shares.reduce((sum, share) => sum + (share - mean) ** 2, 0) / 3 / 2), 1e-6);
});

test('the lambda of a refit is that of the folds, each with the features that its own samples choose', async () => {
  const problem = { ...flowers, tolerance: 1e-5 };
  const groups = iris.y.map((_, i) => i % 3);
  const { lambda, model, refit } = await tamis.crossValidate(problem, { lambdas: [0.5, 0.1], folds: 3, groups, refit: true });
  const ridge = (kept) => ({
    X: iris.X.map((x) => kept.map((j) => x[j])), y: iris.y, loss: 'hinge', penalty: 'ridge', tolerance: 1e-5,
  });
  const lambdas = (await tamis.path(ridge(model.keptFeatures), { points: 50 })).points.map((point) => point.lambda);
  const sums = lambdas.map(() => ({ wrong: 0, loss: 0 }));
  for (const fold of [0, 1, 2]) {
    const sampleWeights = groups.map((group) => Number(group !== fold));
    const kept = (await tamis.train({ ...problem, lambda, sampleWeights })).keptFeatures;
    const { points } = await tamis.path({ ...ridge(kept), sampleWeights }, { lambdas });
    points.forEach((point, l) => iris.X.forEach((x, i) => {
      if (groups[i] !== fold) return;
      const scores = Array.from(point.model.scores(kept.map((j) => x[j])));
      const label = model.classes.indexOf(iris.y[i]);
      sums[l].wrong += Number(scores.indexOf(Math.max(...scores)) !== label);
      sums[l].loss += Math.max(...scores.map((score, k) => score + Number(k !== label))) - scores[label];
    }));
  }
  const better = (x, y) => (x.wrong !== y.wrong ? x.wrong < y.wrong : x.loss < y.loss);
  const best = sums.reduce((found, sum, l) => (better(sum, sums[found]) ? l : found), 0);
  assert.equal(refit.toJSON().lambda, lambdas[best]);
});

test('refitting is ridge on the kept features', async () => {
  const problem = { ...flowers, tolerance: 1e-5 };
  const { model, refit } = await tamis.crossValidate(problem, { lambdas: [0.5, 0.1], refit: true });
  const kept = model.keptFeatures;
  assert.ok(kept.length > 0 && kept.length < 4);
  assert.deepEqual([refit.keptFeatures, refit.features, refit.toJSON().penalty], [kept, 4, 'ridge']);
  const restricted = { X: iris.X.map((x) => kept.map((j) => x[j])), y: iris.y, loss: 'hinge', penalty: 'ridge', tolerance: 1e-5 };
  assert.ok(refit.evaluate(iris.X, iris.y).accuracy >= model.evaluate(iris.X, iris.y).accuracy);
  const given = await tamis.crossValidate(problem, { lambdas: [0.5, 0.1], refit: { lambda: 0.25 } });
  assert.equal(given.refit.toJSON().lambda, 0.25);
  close(given.refit.report.objective, alone(restricted, 0.25), 2e-5);
  assert.equal((await tamis.crossValidate(problem, { lambdas: [100], refit: true })).refit, null);
});

test('a cross-validation that is stopped has no result', async () => {
  for (const from of ['path', 'folds', 'refit'])
    await refusal(
      () => tamis.crossValidate(flowers, { refit: true, sliceMilliseconds: 0.5, onProgress: ({ stage }) => stage !== from }),
      'stopped',
    );
  const controller = new AbortController();
  controller.abort();
  await refusal(() => tamis.crossValidate(flowers, { signal: controller.signal }), 'stopped');
});

test('an error in a callback frees the memory', async () => {
  const fail = () => {
    throw new RangeError('mine');
  };
  await assert.rejects(tamis.path(flowers, { onPoint: fail }), RangeError);
  await assert.rejects(tamis.crossValidate(long, { onProgress: fail }), RangeError);
  const large = { values: new Float32Array(12e6), samples: 60000, features: 200, layout: 'columns' };
  for (let i = 0; i < 60000; ++i) large.values[i + (i % 200) * 60000] = 1;
  const y = Array.from({ length: 60000 }, (_, i) => i % 2);
  assert.equal(tamis.trainSync({ X: large, y, loss: 'hinge', penalty: 'l1', lambda: 1e-4, maxIterations: 1 }).report.status,
    'iteration_limit');
});

const rare = { ...small, X: [[1], [2], [3], [4], [5]], y: ['a', 'b', 'a', 'a', 'b'] };
const refusals = [
  ['eta', 'path', { eta: 0.1 }, {}, 'invalid_eta', 'eta: a path is'],
  ['a solver without path', 'path', { solver: 'constrained-primal-dual' }, {}, 'invalid_combination', 'cannot go on'],
  ['a solver for another loss', 'path', { solver: 'fista' }, {}, 'invalid_combination', 'smooth loss'],
  ['no loss', 'path', { loss: undefined }, {}, 'invalid_option', 'loss: undefined'],
  ['NaN', 'path', { X: [[1, 2], [3, NaN], [5, 6]] }, {}, 'invalid_data', 'X[1][1]'],
  ['rising lambdas', 'path', {}, { lambdas: [0.1, 0.2] }, 'invalid_lambda',
    'lambdas[1]: 0.2 is not below 0.1: they must descend'],
  ['equal lambdas', 'path', {}, { lambdas: [0.1, 0.1] }, 'invalid_lambda', 'lambdas[1]'],
  ['a negative lambda', 'path', {}, { lambdas: [0.1, -1] }, 'invalid_lambda', 'lambdas[1]: -1 is not a finite number'],
  ['a word as lambda', 'path', {}, { lambdas: ['0.1'] }, 'invalid_lambda', "lambdas[0]: '0.1' is not"],
  ['no lambdas', 'path', {}, { lambdas: [] }, 'invalid_option', 'lambdas must be an array of numbers'],
  ['lambdas and points', 'path', {}, { lambdas: [1], points: 3 }, 'invalid_option', 'lambdas: points and ratio are for'],
  ['half a point', 'path', {}, { points: 0.5 }, 'invalid_option', 'points: 0.5'],
  ['a ratio of 1', 'path', {}, { ratio: 1 }, 'invalid_option', 'ratio: 1 does not lie between 0 and 1'],
  ['no features', 'path', {}, { maxFeatures: 0 }, 'invalid_option', 'maxFeatures: 0'],
  ['too little memory', 'path', {}, { memoryLimit: 100 }, 'arena_too_small', 'memoryLimit: training needs an arena of'],
  ['one fold', 'crossValidate', {}, { folds: 1 }, 'invalid_option', 'folds: 1 is not a whole number of at least 2'],
  ['a rare class', 'crossValidate', rare, { folds: 3 }, 'invalid_option', "class 'b' has 2 samples, fewer than the 3 folds"],
  ['too many folds', 'crossValidate', rare, { folds: 6, stratified: false }, 'invalid_option', 'there are 5 samples for 6 folds'],
  ['too few groups', 'crossValidate', rare, { folds: 3, groups: [1, 1, 2, 2, 2] }, 'invalid_option',
    'there are 2 groups for 3 folds'],
  ['a class in one fold', 'crossValidate', rare, { folds: 2, groups: ['x', 'y', 'x', 'x', 'y'] }, 'missing_class',
    'has no sample outside fold'],
  ['groups for other samples', 'crossValidate', rare, { groups: [1, 2] }, 'invalid_shape', 'groups has 2 entries for 5 samples'],
  ['groups that are no array', 'crossValidate', rare, { groups: 'rows' }, 'invalid_option', 'groups must be an array'],
  ['a negative seed', 'crossValidate', rare, { folds: 2, seed: -1 }, 'invalid_option', 'seed: -1'],
  ['an unknown measure', 'crossValidate', rare, { measure: 'f1' }, 'invalid_option', "measure: 'f1' is not one of error, loss"],
  ['an unknown choice', 'crossValidate', rare, { choose: 'max' }, 'invalid_option', "choose: 'max' is not one of 1se, min"],
  ['an unknown refit', 'crossValidate', rare, { refit: { lambda: -1 } }, 'invalid_option', 'refit:'],
];
for (const [name, run, wrong, options, status, message] of refusals)
  test(`${run} refuses ${name}: ${status}`, async () => {
    const { lambda, ...problem } = { ...small, ...wrong };
    const error = await refusal(() => tamis[run](problem, options), status);
    assert.ok(error.message.includes(message), error.message);
    assert.equal(tamis.trainSync(small).report.status, 'converged');
  });

test('the error of a missing class names class and fold', async () => {
  const error = await refusal(() => tamis.crossValidate(rare, { folds: 2, groups: ['x', 'y', 'x', 'x', 'y'] }), 'missing_class');
  assert.match(error.message, /^class '[ab]' has no sample outside fold [01]$/);
  assert.ok(error.column <= 1 && error.fold <= 1);
});
