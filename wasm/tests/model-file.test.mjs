import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { command, createWorkerClient, dist, iris, load, project, refusal, runCommand } from './support.mjs';

const { Model } = await import(pathToFileURL(path.join(dist, 'tamis.js')));
const tamis = await load();
const folder = mkdtempSync(path.join(tmpdir(), 'tamis-'));
after(() => rmSync(folder, { recursive: true }));
const file = (name) => path.join(folder, name);
const bits = (numbers) => [...numbers];

const kinds = {
  linear: () => tamis.train({ ...iris, loss: 'logistic', penalty: 'group-l2', lambda: 0.01 }),
  double: () => tamis.train({ ...iris, loss: 'hinge', penalty: 'l1', lambda: 0.02, precision: 'double' }),
  calibrated: async () => (await tamis.crossValidate({ ...iris, loss: 'squared-hinge', penalty: 'l1' }, { points: 8, calibrate: 'softmax' })).model,
  sets: () => tamis.train({ ...iris, y: iris.y.map((y, i) => (i % 3 ? [y] : [y, 'third'])), loss: 'ranking-squared-hinge', penalty: 'ridge', lambda: 0.1,
    thresholds: 'per-class' }),
  interactions: () => tamis.trainInteractions({ ...iris, hierarchy: 'weak', lambda: 0.02 }),
  regression: () => tamis.trainInteractions({ X: iris.X, values: iris.X.map(([a, b]) => a * b), hierarchy: 'strong', lambda: 0.05, precision: 'double' }),
  kernels: () => tamis.trainKernels({ ...iris, kernels: ['linear', 'gaussian:0.5', 'sigmoid:0.1,-1'], p: 2, q: 1, r: 1, lambda: 0.05 }),
  binary: () => tamis.trainKernels({ X: iris.X.slice(0, 100), y: iris.y.slice(0, 100), kernels: ['polynomial:2,1', 'distance'], p: 1, q: 2, r: 2, lambda: 0.05,
    precision: 'double', intercept: true }),
};
for (const [name, make] of Object.entries(kinds))
  test(`${name}: the file gives the same model back, here and in a worker, with the same bits`, async () => {
    const model = await make();
    const json = JSON.stringify(model);
    const again = await Model.fromJSON(json);
    assert.deepEqual(JSON.parse(JSON.stringify(again)), JSON.parse(json));
    assert.deepEqual(again.classes, model.classes?.map(String) ?? null);
    for (const x of iris.X) assert.deepEqual(bits(again.scores(x)), bits(model.scores(x)));
    assert.deepEqual(again.predictAll(iris.X), model.predictAll(iris.X));
    if (name === 'linear' || name === 'calibrated') assert.deepEqual(again.probabilities(iris.X[70]), model.probabilities(iris.X[70]));
    if (name === 'sets') assert.deepEqual(again.predictSets(iris.X), model.predictSets(iris.X));
    const header = model.toC({ name: 'm' });
    assert.equal((await tamis.fromJSON(JSON.parse(json))).toC({ name: 'm' }), header);
    const client = createWorkerClient(new Worker(path.join(dist, 'worker-script.js')));
    assert.equal(await (await client.fromJSON(json)).toC({ name: 'm' }), header);
    client.close();
  });

test('models of the command predict here with its bits, and its files come out again', { skip: !command && 'no command to compare with' }, async () => {
  const table = path.join(project, 'tests/data/iris.csv');
  const gaps = file('gaps.csv');
  writeFileSync(gaps, readFileSync(table, 'utf8').split('\n').map((line, i) => (i % 7 === 3 ? line.replace(/,[\d.]+/, ',') : line)).join('\n'));
  const holes = iris.X.map((row, i) => ((i + 1) % 7 === 3 ? [NaN, ...row.slice(1)] : row));
  const linear = ['train', '--loss', 'logistic', '--penalty', 'l1', '--lambda', '0.02'];
  const kernels = ['kernels', '--kernel', 'linear', '--kernel', 'gaussian:0.5', '--p', '2', '--q', '1', '--r', '1', '--lambda', '0.05', '--max-iterations', '300'];
  const cases = [
    [linear], [[...linear, '--precision', 'float']], [[...linear, '--standardise']], [[...linear, '--scale', '3', '--min-max']],
    [[...linear, '--missing', 'mean', '--scale', '3', '--precision', 'float'], gaps, holes],
    [['interactions', '--loss', 'squared-hinge', '--hierarchy', 'weak', '--lambda', '0.02', '--standardise']],
    [kernels], [[...kernels, '--standardise']], [[...kernels, '--scale', '2']],
  ];
  for (const [[what, ...options], data = table, X = iris.X] of cases) {
    runCommand(what, data, ...options, '--quiet', '--model', file('command.json'));
    const text = readFileSync(file('command.json'), 'utf8');
    const model = await Model.fromJSON(text);
    assert.deepEqual(JSON.parse(JSON.stringify(model)), JSON.parse(text), options.join(' '));
    const lines = runCommand('predict', file('command.json'), data, '--scores').trim().split('\n').slice(1);
    X.forEach((x, i) => {
      const [label, ...scores] = lines[i].split(',');
      const own = bits(model.scores(x));
      assert.deepEqual(own, model.precision === 'float' ? scores.map(Math.fround) : scores.map(Number), `${options.join(' ')}: ${i}`);
      assert.equal(model.predict(x), label);
    });
    const stored = model.toJSON();
    if (stored.scale !== 1 || stored.preparation?.missing_means || (what === 'kernels' && stored.standardisation))
      assert.match((await refusal(() => model.toC(), 'invalid_option')).message, /^the model .* first: export its file by the tamis command$/);
    else assert.match(model.toC(), /self_test/);
  }
  runCommand('train', table, ...linear.slice(1), '--normalise', 'l2', '--quiet', '--model', file('command.json'));
  const error = await refusal(() => Model.fromJSON(readFileSync(file('command.json'), 'utf8')), 'invalid_data');
  assert.match(error.message, /prepared by 'normalise', which the tamis command does/);
});

test('what is no model file is refused in a sentence', async () => {
  const good = JSON.parse(JSON.stringify(await kinds.linear()));
  for (const [what, wrong, says] of [
    ['text', 'a,b\n1,2', /^the model file is no JSON: /],
    ['null', null, /is not one of tamis/],
    ['a later version', { ...good, version: 2 }, /is of version 2/],
    ['another kind', { ...good, kind: 'tree' }, /is of the kind 'tree'/],
    ['a row that is missing', { ...good, coefficients: { ...good.coefficients, values: good.coefficients.values.slice(1) } }, /rows of coefficients where there should be/],
    ['a word for a number', { ...good, intercept: ['x', 0, 0] }, /has no intercepts that can be read/],
    ['indices out of order', { ...good, coefficients: { ...good.coefficients, indices: good.coefficients.indices.slice().reverse() } }, /out of order/],
    ['no coefficients', { ...good, coefficients: undefined }, /^the model file is damaged: /],
    ['one class', { ...good, classes: ['a'] }, /fewer than two classes/],
    ['another precision', { ...good, precision: 'half' }, /precision 'half'/],
    ['a scale of 0', { ...good, scale: 0 }, /scale 0/],
  ])
    assert.match((await refusal(() => Model.fromJSON(wrong), 'invalid_data')).message, says, what);
});
