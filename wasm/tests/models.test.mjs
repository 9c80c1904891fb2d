import assert from 'node:assert/strict';
import test from 'node:test';
import { iris, load, outcome, refusal } from './support.mjs';

const tamis = await load({ double: true });
const problem = { ...iris, loss: 'hinge', penalty: 'group-l2', lambda: 0.1 };
const models = ['float', 'double'].map((precision) => tamis.trainSync({ ...problem, precision }));

test('a model has plain arrays of its own', () => {
  for (const model of models) {
    const Reals = model.precision === 'float' ? Float32Array : Float64Array;
    assert.ok(model.weights instanceof Reals && model.intercepts instanceof Reals);
    assert.equal(model.weights.length, model.features * model.classes.length);
    assert.equal(model.keptFeatures.length, model.report.nonzeroRows);
    assert.ok(model.keptFeatures.length > 0 && model.keptFeatures.length < model.features);
    const before = outcome(model);
    tamis.trainSync({ ...problem, lambda: 0 , maxIterations: 50 });
    assert.deepEqual(outcome(model), before);
  }
});

test('scores are sums in the order of the features, rounded each time', () => {
  for (const model of models) {
    const round = model.precision === 'float' ? Math.fround : Number;
    const x = iris.X[77];
    model.scores(x).forEach((score, k) => {
      let sum = model.intercepts[k];
      x.forEach((value, j) => (sum = round(sum + round(round(value) * model.weights[j * model.classes.length + k]))));
      assert.equal(score, sum);
    });
  }
});

test('prediction takes the best score, the first of equals', () => {
  for (const model of models) {
    const labels = model.predictAll(iris.X);
    assert.deepEqual(labels, iris.X.map((x) => model.predict(x)));
    assert.ok(labels.filter((label, i) => label === iris.y[i]).length > 120);
    assert.deepEqual(model.predictAll([]), []);
  }
  const none = tamis.trainSync({ ...problem, lambda: 1e6, intercept: false });
  assert.equal(none.predict(iris.X[149]), none.classes[0]);
  assert.deepEqual(none.keptFeatures, []);
});

test('samples of the wrong shape or kind are refused', async () => {
  const [model] = models;
  await refusal(() => model.predict([1, 2, 3]), 'invalid_shape');
  await refusal(() => model.predict(undefined), 'invalid_shape');
  await refusal(() => model.predictAll([[1, 2], [3, 4]]), 'invalid_shape');
  assert.equal((await refusal(() => model.predict([1, 2, NaN, 4]), 'invalid_data')).column, 2);
  assert.equal((await refusal(() => model.predictAll([iris.X[0], [1, 'x', 3, 4]]), 'invalid_data')).row, 1);
  await refusal(() => model.scores([1, 2, 3, 1e300]), 'invalid_data');
});

test('a blob gives the same model back', () => {
  for (const model of models) {
    const blob = model.toBlob();
    assert.ok(blob instanceof Uint8Array);
    const again = tamis.fromBlob(blob, { classes: model.classes, featureNames: iris.featureNames });
    assert.deepEqual(again.weights, model.weights.map((w) => w + 0)); // a blob drops the sign of zeros
    assert.deepEqual(again.intercepts, model.intercepts);
    assert.deepEqual(again.classes, model.classes);
    assert.deepEqual(again.predictAll(iris.X), model.predictAll(iris.X));
    assert.deepEqual(again.toBlob(), blob);
    assert.deepEqual([again.report.status, again.report.nonzeros], ['unknown', model.report.nonzeros]);
    assert.ok(Number.isNaN(again.report.objective));
    assert.deepEqual(tamis.fromBlob(blob).classes, [0, 1, 2]);
  }
});

test('a damaged blob is refused, wherever the damage is', async () => {
  const blob = models[0].toBlob();
  for (let i = 0; i < blob.length; ++i) {
    const damaged = blob.slice();
    damaged[i] ^= 16;
    await refusal(() => tamis.fromBlob(damaged), 'invalid_data');
    await refusal(() => tamis.fromBlob(blob.slice(0, i)), 'invalid_data');
  }
  await refusal(() => tamis.fromBlob('TMSB'), 'invalid_data');
  await refusal(() => tamis.fromBlob(blob, { classes: ['a', 'b'] }), 'invalid_shape');
  await refusal(() => tamis.fromBlob(blob, { featureNames: ['a'] }), 'invalid_shape');
});

test('a C header has the names asked for', async () => {
  const [model] = models;
  const text = model.toC({ name: 'flowers', samples: iris.X.slice(0, 5) });
  assert.match(text, /^\/\* flowers: a linear classifier trained by tamis /);
  assert.match(text, /static inline int flowers_self_test\(void\)/);
  assert.match(text, /samples\[5\]/);
  assert.ok(text.endsWith('#endif\n'));
  const label = tamis.trainSync({ ...problem, y: iris.y.map((y) => `grün "${y}"`) }).toC();
  assert.match(label, /"grün \\"0\\""/);
  await refusal(() => model.toC({ name: '3d' }), 'invalid_option');
  await refusal(() => model.toC({ name: 'a b' }), 'invalid_option');
  await refusal(() => model.toC({ samples: [[1]] }), 'invalid_shape');
});

test('JSON holds the shortest decimals of a float', () => {
  const [model] = models;
  const json = model.toJSON();
  assert.deepEqual(json.coefficients.indices, model.keptFeatures);
  json.coefficients.values.forEach((row, r) =>
    row.forEach((value, k) => {
      const weight = model.weights[model.keptFeatures[r] * model.classes.length + k];
      assert.equal(Math.fround(value), weight);
      assert.ok(String(value).length <= String(weight).length);
    }),
  );
  assert.deepEqual(json.features, model.keptFeatures.map((j) => `${iris.featureNames?.[j]}`));
});

test('probabilities are the softmax of the scores of a logistic model', async () => {
  const model = tamis.trainSync({ ...iris, loss: 'logistic', penalty: 'l1', lambda: 0.01 });
  const x = iris.X[60];
  const scores = Array.from(model.scores(x), Math.exp);
  const sum = scores.reduce((a, b) => a + b);
  model.probabilities(x).forEach((p, k) => assert.ok(Math.abs(p - scores[k] / sum) < 1e-6));
  assert.ok(Math.abs(model.probabilities(x).reduce((a, b) => a + b) - 1) < 1e-12);
  const error = await refusal(() => models[0].probabilities(x), 'invalid_option');
  assert.match(error.message, /this one has hinge/);
});

test('a model is judged: accuracy, macro-F1, log-loss, confusion, labels that it does not know', async () => {
  const model = tamis.trainSync({ ...iris, loss: 'logistic', penalty: 'l1', lambda: 0.01 });
  const predicted = model.predictAll(iris.X);
  const { accuracy, macroF1, logLoss, confusion, unseen } = model.evaluate(iris.X, iris.y);
  assert.equal(accuracy, predicted.filter((label, i) => label === iris.y[i]).length / 150);
  assert.equal(confusion.flat().reduce((a, b) => a + b), 150);
  confusion.forEach((row, k) =>
    row.forEach((count, l) =>
      assert.equal(count, predicted.filter((label, i) => label === model.classes[l] && iris.y[i] === model.classes[k]).length)));
  const f1 = confusion.map((row, k) => {
    const total = row.reduce((a, b) => a + b) + confusion.reduce((a, other) => a + other[k], 0);
    return (2 * row[k]) / total;
  });
  assert.ok(Math.abs(macroF1 - (f1[0] + f1[1] + f1[2]) / 3) < 1e-12);
  const loss = iris.X.reduce((a, x, i) => a - Math.log(model.probabilities(x)[model.classes.indexOf(iris.y[i])]), 0) / 150;
  assert.ok(Math.abs(logLoss - loss) < 1e-9);
  assert.equal(unseen, 0);
  const strange = model.evaluate(iris.X.slice(0, 4), [0, '0', 'moss', 'moss']);
  assert.deepEqual([strange.accuracy, strange.unseen, strange.logLoss], [0.5, 2, Infinity]);
  assert.equal(models[0].evaluate(iris.X, iris.y).logLoss, null);
  await refusal(() => model.evaluate(iris.X, ['a']), 'invalid_shape');
});
