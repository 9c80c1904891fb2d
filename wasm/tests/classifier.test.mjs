import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { command, createWorkerClient, dist, iris, load, project, refusal, runCommand } from './support.mjs';

const { Classifier, Model } = await import(pathToFileURL(path.join(dist, 'tamis.js')));
const folder = mkdtempSync(path.join(tmpdir(), 'tamis-'));
after(() => rmSync(folder, { recursive: true }));
const file = (name) => path.join(folder, name);
const { X, y, featureNames } = iris;
const table = readFileSync(path.join(project, 'tests/data/iris.csv'), 'utf8');
const marks = ['NA', 'N/A', 'n/a', '#N/A', 'NaN', 'nan', 'null', 'NULL', 'None', '-', '?', ''];

test('fits, predicts, gives probabilities and scores, with defaults that its report says', async () => {
  const flowers = await new Classifier().fit(X, y);
  assert.ok(flowers instanceof Classifier);
  const predicted = flowers.predict(X);
  assert.equal(flowers.score(X, y), predicted.filter((label, i) => label === y[i]).length / 150);
  assert.ok(flowers.score(X, y) > 0.9);
  flowers.predictProbabilities(X).forEach((shares, i) => {
    assert.ok(Math.abs(shares.reduce((a, b) => a + b) - 1) < 1e-12);
    assert.equal(flowers.classes[shares.indexOf(Math.max(...shares))], predicted[i]);
  });
  const { loss, penalty, lambda, lambdaChosenBy, selection, status, samples, features } = flowers.report;
  assert.deepEqual([loss, penalty, status, samples, features], ['logistic', 'group-l2', 'converged', 150, 4]);
  assert.equal(lambdaChosenBy, 'cross-validation: 5 folds, the largest within one standard error of the least error');
  assert.deepEqual([lambda, selection.points.length], [selection.lambda1se, 50]);
  const tamis = await load();
  const chosen = await tamis.crossValidate({ X, y, loss: 'logistic', penalty: 'group-l2' });
  assert.deepEqual(flowers.model.weights, chosen.model.weights);
  const given = await new Classifier({ loss: 'hinge', penalty: 'l1', lambda: 0.02 }).fit(X, y, { featureNames });
  assert.deepEqual([given.report.lambda, given.report.lambdaChosenBy, given.report.selection], [0.02, 'given', null]);
  assert.deepEqual(given.model.weights, (await tamis.train({ X, y, loss: 'hinge', penalty: 'l1', lambda: 0.02 })).weights);
  assert.deepEqual(given.report.keptFeatures, given.model.keptFeatures.map((j) => featureNames[j]));
  await refusal(() => given.predictProbabilities(X), 'invalid_option');
  const calibrated = await new Classifier({ loss: 'hinge', penalty: 'l1', lambda: 0.02, calibrate: 'softmax' }).fit(X, y);
  assert.equal(calibrated.report.lambda, Math.fround(0.02));
  assert.equal(calibrated.predictProbabilities(X.slice(0, 2)).length, 2);
});

test('samples in every form make the same model, and are predicted in every form', async () => {
  const flat = Float64Array.from(X.flat());
  const objects = X.map((row, i) => Object.fromEntries([['kind', y[i]], ...featureNames.map((name, j) => [name, row[j]])]));
  const sparse = { samples: 150, features: 4, starts: Uint32Array.of(0, 150, 300, 450, 600),
    rows: Uint32Array.from({ length: 600 }, (_, e) => e % 150), values: Float64Array.from({ length: 600 }, (_, e) => X[e % 150][Math.floor(e / 150)]) };
  const lines = table.trim().split('\n');
  const label = lines[0].split(',')[0];
  const semicolons = lines.map((line) => line.replaceAll(',', ';').replaceAll('.', ',')).join('\r\n');
  const quoted = lines.map((line, i) => (i ? line : line.split(',').map((name) => `"${name}"`).join(',')) + '\n').join('\n');
  const headless = lines.slice(1).map((line) => line.split(',').slice(1).join('\t')).join('\n');
  const forms = {
    rows: [X, y], 'typed rows': [X.map((row) => Float64Array.from(row)), y], matrix: [{ values: flat, samples: 150, features: 4 }, y],
    'flat with shape': [{ data: flat, shape: [150, 4] }, y], objects: [objects, 'kind', objects.map(({ kind, ...rest }) => rest)],
    'objects and labels': [objects.map(({ kind, ...rest }) => rest), y], sparse: [sparse, y], CSV: [table, label, table],
    'CSV with semicolons': [semicolons, label], 'CSV with quotes': [quoted, label], 'CSV without names': [headless, y],
  };
  const wanted = await new Classifier({ lambda: 0.02, standardise: true }).fit(X, y);
  const bits = (classifier) => [[...classifier.model.weights], [...classifier.model.intercepts]];
  for (const [name, [samples, labels, others = samples]] of Object.entries(forms)) {
    const made = await new Classifier({ lambda: 0.02, standardise: true }).fit(samples, labels);
    assert.deepEqual(bits(made), bits(wanted), name);
    assert.deepEqual(made.predict(others), wanted.predict(X), name);
    assert.equal(made.score(samples, labels), wanted.score(X, y), name);
    if (/objects|CSV/.test(name) && name !== 'CSV without names')
      assert.deepEqual(made.toJSON().features, made.model.keptFeatures.map((j) => featureNames[j]), name);
  }
});

test('labels are words, numbers or booleans, and come back as they were', async () => {
  for (const labels of [y, y.map((name) => [...new Set(y)].indexOf(name) * 10), Float64Array.from({ length: 150 }, (_, i) => i % 3), y.map((name) => name === y[0])]) {
    const made = await new Classifier({ lambda: 0.01 }).fit(X, labels);
    const kind = typeof labels[0];
    assert.ok(made.predict(X).every((label) => typeof label === kind));
    assert.deepEqual(new Set(made.classes), new Set(labels));
    assert.equal(made.score(X, labels), made.predict(X).filter((label, i) => label === labels[i]).length / 150);
  }
});

test('standardises and fills missing values as the command does, and its file is the command’s', { skip: !command && 'no command to compare with' }, async () => {
  const gaps = table.split('\n').map((line, i) => (i % 7 === 3 ? line.replace(/,[\d.]+/, `,${marks[Math.floor(i / 7) % marks.length]}`) : line)).join('\n');
  writeFileSync(file('gaps.csv'), gaps);
  writeFileSync(file('iris.csv'), table);
  const label = table.split(',')[0];
  for (const [options, flags] of [[{ standardise: true }, ['--standardise']], [{}, []]]) {
    const made = await new Classifier({ ...options, missing: 'mean', loss: 'logistic', penalty: 'l1', lambda: 0.02, precision: 'double', tolerance: 1e-8 }).fit(gaps, label);
    runCommand('train', file('gaps.csv'), '--missing', 'mean', ...flags, '--loss', 'logistic', '--penalty', 'l1', '--lambda', '0.02', '--tolerance', '1e-8',
      '--quiet', '--model', file('command.json'));
    const [own, theirs] = [JSON.parse(JSON.stringify(made)), JSON.parse(readFileSync(file('command.json'), 'utf8'))];
    assert.deepEqual([own.features, own.classes], [theirs.features, theirs.classes]);
    const near = (a, b) => a.forEach((x, i) => assert.ok(Math.abs(x - b[i]) < 1e-6 * (1 + Math.abs(x)), `${a} ${b}`));
    near(own.coefficients.values.flat(), theirs.coefficients.values.flat());
    near(own.intercept, theirs.intercept);
    near(own.preparation.missing_means, theirs.preparation.missing_means);
    writeFileSync(file('own.json'), JSON.stringify(made));
    assert.deepEqual(runCommand('predict', file('own.json'), file('gaps.csv')).trim().split('\n'), made.predict(gaps));
    const printed = runCommand('predict', file('own.json'), file('iris.csv'), '--scores').trim().split('\n').slice(1);
    assert.deepEqual(printed.map((line) => line.split(',').slice(1).map(Number)), X.map((x) => [...made.model.scores(x)]), 'the same bits');
    assert.deepEqual((await Model.fromJSON(JSON.stringify(made))).predictAll(X), made.predict(X));
    await refusal(() => made.toC(), 'invalid_option');
  }
  runCommand('cv', path.join(project, 'tests/data/iris.csv'), '--standardise', '--loss', 'hinge', '--penalty', 'l1', '--quiet', '--model', file('cv.json'));
  const chosen = await new Classifier({ standardise: true, loss: 'hinge', penalty: 'l1', precision: 'double', points: 100 }).fit(table, label);
  const { lambda } = JSON.parse(readFileSync(file('cv.json'), 'utf8'));
  assert.ok(Math.abs(chosen.report.lambda / lambda - 1) < 1e-6, `${chosen.report.lambda} ${lambda}`);
});

test('a worker trains for it', async () => {
  const client = createWorkerClient(new Worker(path.join(dist, 'worker-script.js')));
  const told = [];
  const made = await new Classifier({ library: client, lambda: 0.02 }).fit(X, y, { onProgress: (report) => void told.push(report) });
  assert.deepEqual([...made.model.weights], [...(await new Classifier({ lambda: 0.02 }).fit(X, y)).model.weights]);
  assert.match(await made.toC(), /_self_test/);
  assert.ok(told.length > 0);
  const error = await refusal(() => new Classifier({ library: client }).fit(X, y, { signal: AbortSignal.abort() }), 'stopped');
  assert.equal(error.name, 'AbortError');
  client.close();
});

const fit = (X, y, wishes, options) => new Classifier({ lambda: 0.1, ...options }).fit(X, y, wishes);
const two = [{ a: 1, b: 2 }, { a: 3, b: 5 }];
for (const [what, work, status, says] of [
  ['an unknown option', () => new Classifier({ standardize: true }), 'invalid_option', /^standardize: Classifier has no such option; the nearest is standardise$/],
  ['an option of fit', () => new Classifier({ sampleWeights: [1] }), 'invalid_option', /^sampleWeights: Classifier takes it in the third argument of fit$/],
  ['an option of the constructor', () => fit(X, y, { lambda: 1 }), 'invalid_option', /^lambda: fit takes it in new Classifier$/],
  ['standardise as a word', () => new Classifier({ standardise: 'yes' }), 'invalid_option', /'yes' is neither true nor false/],
  ['another treatment of missing values', () => new Classifier({ missing: 'median' }), 'invalid_option', /'median' is not one of refuse, mean/],
  ['an unknown loss', () => fit(X, y, {}, { loss: 'huber' }), 'invalid_option', /^loss: 'huber'/],
  ['no fit', () => new Classifier().predict(X), 'unknown', /^the classifier has not been fitted/],
  ['no labels', () => fit(X), 'invalid_label', /^y is missing/],
  ['too few labels', () => fit(X, ['a']), 'invalid_shape', /^y has 1 labels for 150 samples$/],
  ['a label that is missing', () => fit([[1], [2], [3]], ['a', null, 'b']), 'invalid_label', /^y\[1\]: the label is missing$/],
  ['a column that is not there', () => fit(two, 'c'), 'invalid_shape', /^X\[0\] has no 'c'$/],
  ['a column of nameless samples', () => fit(X, 'kind'), 'invalid_shape', /^y: 'kind' names a column, and these samples have no names/],
  ['a column that a CSV has not', () => fit('a,b\n1,2\n3,4', 'c'), 'invalid_shape', /^the first line of the CSV has no 'c'$/],
  ['a ragged CSV', () => fit('a,b\n1,2\n3', 'b'), 'invalid_shape', /^row 3 of the CSV has 1 fields where the first has 2$/],
  ['an open quotation mark', () => fit('a,b\n1,"2\n3,4', 'b'), 'invalid_shape', /^row 2 of the CSV has a quotation mark that is not closed/],
  ['a word in a CSV', () => fit('a,b,l\n1,2,x\n3,red,y', 'l'), 'invalid_data', /^X\[1\]\.b: 'red' is not a number, and features are$/],
  ['a number as a string', () => fit([{ a: '1', l: 'x' }, { a: 2, l: 'y' }], 'l'), 'invalid_data', /^X\[0\]\.a: '1' is a string, not a number/],
  ['a bigint', () => fit([[1n], [2n]], ['a', 'b']), 'invalid_data', /^X\[0\]\[0\]: 1n is a bigint, not a number/],
  ['a missing value', () => fit([{ a: 1, l: 'x' }, { a: null, l: 'y' }], 'l'), 'invalid_data', /^X\[1\], 'a': the value is missing: give missing: 'mean'/],
  ['a column without a value', () => fit([[NaN], [null]], ['a', 'b'], {}, { missing: 'mean' }), 'invalid_data', /^feature 0 has no value, so there is no mean/],
  ['a label that is missing in a CSV', () => fit('a,l\n1,x\n2,\n3,y', 'l'), 'invalid_label', /^y\[1\]: the label is missing$/],
  ['a label that is missing among numbers', () => fit('a,l\n1,0\n2,-\n3,1', 'l'), 'invalid_label', /^y\[1\]: the label is missing$/],
  ['one class', () => fit([[1], [2]], ['a', 'a']), 'invalid_shape', /two classes/],
])
  test(`${what}: ${status}`, async () => {
    const error = await refusal(work, status);
    assert.match(error.message, says);
  });

test('a mark of missing numbers is a label like others among words', async () => {
  const made = await fit('a,l\n1,None\n2,full\n3,-\n1.5,None', 'l');
  assert.deepEqual(made.classes, ['-', 'None', 'full']);
});

test('samples of another shape or without a feature are not predicted', async () => {
  const made = await fit(two.concat([{ b: 1, a: 0 }]), ['x', 'y', 'x']);
  assert.deepEqual(made.predict([{ b: 2, more: 'text', a: 1 }]), made.predict([[1, 2]]));
  assert.match((await refusal(() => made.predict([{ a: 1 }]), 'invalid_shape')).message, /^X\[0\] has no 'b'$/);
  assert.match((await refusal(() => made.predict([[1, 2, 3]]), 'invalid_shape')).message, /must have 2 features, these have 3/);
  assert.match((await refusal(() => made.predict([1, 2]), 'invalid_shape')).message, /X\[0\] is not an array of numbers/);
  assert.deepEqual(made.predict('b,a\n2,1\n'), made.predict([[1, 2]]));
  assert.deepEqual(made.predict([]), []);
});
