// The recipes of recipes.md, as they stand there, in a project that has the packed package, React, and web workers for Node.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { pathToFileURL } from 'node:url';
import { digits, installPackage, iris, load, outcome, project, tools } from './support.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'tamis-'));
after(() => rmSync(folder, { recursive: true }));
installPackage(folder);
for (const name of ['react', 'react-test-renderer', 'web-worker']) symlinkSync(path.join(tools, name), path.join(folder, 'node_modules', name));
const installed = path.join(folder, 'node_modules/tamis');
const own = (name) => import(pathToFileURL(path.join(folder, name)));
globalThis.Worker = (await import(pathToFileURL(createRequire(path.join(tools, 'web-worker/')).resolve('web-worker')))).default;

const recipes = new Map([...readFileSync(path.join(installed, 'recipes.md'), 'utf8').matchAll(/<!-- snippet: ([\w.-]+) -->\n```\w+\n([^]*?)```/g)]
  .map(([, name, code]) => [name, code]));
for (const [name, code] of recipes) if (name.includes('.')) writeFileSync(path.join(folder, name), code);

const species = ['setosa', 'versicolor', 'virginica'];
const flowers = { X: iris.X, y: iris.y.map((label) => species[label]), loss: 'hinge', penalty: 'l1', lambda: 0.02 };
const sample = [5.0, 3.4, 1.5, 0.2];
/** Not solved for many seconds, unless it is aborted. */
const endless = { ...digits, loss: 'hinge', penalty: 'l1', lambda: 1e-7, tolerance: 1e-12, maxIterations: 1e9 };

test('there are recipes for all that are promised, and each is run here', () => {
  assert.deepEqual([...recipes.keys()], ['notebook-load', 'notebook-train', 'use-model.jsx', 'flower.jsx', 'classify.mjs', 'trainer.js', 'train-apart.js']);
});

test('the cells of a notebook train, and stop when they are invalidated', async () => {
  /** Runs a cell with what others have declared, and gives what it declares. */
  const cell = (name, scope) => {
    const code = recipes.get(name);
    const declared = [...code.matchAll(/^const \{? ?(\w+)/gm)].map(([, variable]) => variable);
    const AsyncFunction = (async () => {}).constructor;
    return new AsyncFunction(...Object.keys(scope), `${code}\nreturn { ${declared} };`)(...Object.values(scope));
  };
  const attached = (name) => ({ url: async () => String(pathToFileURL(path.join(installed, name))) });
  const { tamis } = await cell('notebook-load', { FileAttachment: attached });
  const shown = [];
  const notebook = { tamis, ...flowers, display: (value) => shown.push(value) };
  const { model } = await cell('notebook-train', { ...notebook, invalidation: new Promise(() => {}) });
  assert.equal(model.predict(sample), 'setosa');
  assert.deepEqual(shown, [`reads ${model.keptFeatures.length} of 4 features`]);

  const { X, y, lambda } = endless;
  const invalidated = cell('notebook-train', { ...notebook, X, y, lambda, invalidation: new Promise((resolve) => setImmediate(resolve)) });
  await assert.rejects(invalidated, { name: 'AbortError' });
  assert.equal(shown.length, 1);
});

test('the hook trains in a worker, shows what it comes to, and aborts what is no longer wanted', async () => {
  // Made of JSX as bundlers make it.
  const { build } = createRequire(path.join(project, 'web/package.json'))('esbuild');
  await build({ absWorkingDir: folder, entryPoints: ['flower.jsx'], outfile: path.join(folder, 'flower.js'), bundle: true, packages: 'external',
    format: 'esm', jsx: 'automatic', logLevel: 'error' });
  const require = createRequire(path.join(folder, 'package.json'));
  const [{ act, create }, { createElement }] = [require('react-test-renderer'), require('react')];
  globalThis.IS_REACT_ACT_ENVIRONMENT = true;
  const [made, sent] = [[], []];
  globalThis.Worker = class extends globalThis.Worker {
    constructor(...given) {
      super(...given);
      made.push(this);
    }
    postMessage(message) {
      sent.push(message.type);
      super.postMessage(message);
    }
  };
  const { Flower } = await own('flower.js');
  const element = (problem) => createElement(Flower, { problem, sample });
  const complaints = [];
  const usual = console.error;
  console.error = (...words) => complaints.push(words.join(' '));
  const shown = new Set();
  let renderer;
  /** Renders until the text is like that. */
  const until = async (pattern) => {
    for (;;) {
      const text = renderer.toJSON().children.join('');
      shown.add(text);
      if (pattern.test(text)) return text;
      await act(() => new Promise((resolve) => setImmediate(resolve)));
    }
  };
  try {
    await act(() => (renderer = create(element(endless))));
    await until(/^within .* of optimal$/); // and it would go on for long
    await act(() => renderer.update(element(flowers)));
    await until(/^setosa$/);
    await act(() => renderer.update(element({ ...flowers, X: [[1], [NaN]], y: ['a', 'b'] })));
    assert.equal(await until(/finite/), 'X[1][0]: a sample holds a value that is not finite: remove or impute it');
    await act(() => renderer.update(element({ ...flowers })));
    await until(/^setosa$/);
    await act(() => renderer.unmount());
    assert.equal(made.length, 1);
    assert.deepEqual(sent, ['load', 'perform', 'stop', 'perform', 'perform', 'perform']);
    assert.deepEqual([...shown].filter((text) => /signal/.test(text)), []);
    assert.deepEqual(complaints.filter((words) => !words.includes('react-test-renderer is deprecated')), []);
  } finally {
    console.error = usual;
    for (const worker of made) worker.terminate();
  }
});

test('the stream classifies lines, and ends with a sentence at one that it cannot', async () => {
  const model = await (await load()).train(flowers);
  writeFileSync(path.join(folder, 'model.json'), JSON.stringify(model));
  const classified = (samples) => spawnSync(process.execPath, ['classify.mjs', 'model.json'],
    { cwd: folder, encoding: 'utf8', input: samples.map((sample) => `${JSON.stringify(sample)}\n`).join('') });
  const { status, stdout, stderr } = classified(iris.X);
  assert.deepEqual([status, stdout, stderr], [0, iris.X.map((x) => `${model.predict(x)}\n`).join(''), '']);
  const refused = classified([sample, sample.slice(1)]);
  assert.deepEqual([refused.status, refused.stdout, refused.stderr],
    [1, 'setosa\n', 'a sample must have 4 features, this one has 3\n']);
});

test('the worker reads a file itself, and hands over the model or a sentence', async () => {
  const { trainApart } = await own('train-apart.js');
  const file = new Blob([['species', ...iris.featureNames], ...iris.X.map((row, i) => [flowers.y[i], ...row])].map((row) => `${row}\n`));
  const { model, score } = await trainApart(file, 'species', { loss: 'hinge', penalty: 'l1', lambda: flowers.lambda });
  const expected = await (await load()).train(flowers);
  assert.deepEqual(outcome(model).weights, outcome(expected).weights);
  assert.equal(score, expected.evaluate(iris.X, flowers.y).accuracy);
  await assert.rejects(trainApart(file, 'no such column', {}), { message: /no such column/ });
});
