// The package as one file, in a page that has nothing but it: as a file of its own, from another host, and by an import map.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openBrowser, openPage, package_folder, serveFolder, tamisInNode, testData } from './support.mjs';

const [as_script, as_module, ...others] = [...readFileSync(path.join(package_folder, 'README.md'), 'utf8').matchAll(/```html\n([^]*?)```/g)].map(([, html]) => html);
assert.deepEqual(others, []);
const folders = [];
let browser;
before(async () => (browser = await openBrowser()));
after(async () => {
  await browser?.close();
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** A folder with that page and one file of the package. */
function folderOf(html, file) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tamis-'));
  folders.push(folder);
  writeFileSync(path.join(folder, 'index.html'), `<!doctype html><meta charset="utf-8"><title>flowers</title><link rel="icon" href="data:,"><body>${html}`);
  if (file) copyFileSync(path.join(package_folder, file), path.join(folder, file));
  return folder;
}

/** The page at that address, once it has said `setosa`; it may ask for itself and for what is in `files`. */
async function saysSetosa(address, files, use = () => {}) {
  const page = await openPage(browser.context);
  const requests = [];
  page.on('request', (request) => /^(data|blob):/.test(request.url()) || requests.push(request.url()));
  try {
    await page.goto(address);
    await page.waitForFunction(() => document.body.innerText.includes('setosa'));
    await use(page);
    assert.deepEqual(requests, [address, ...files]);
    assert.deepEqual(page.complaints, []);
  } finally {
    await page.close();
  }
}

/** In the page: what a training comes to of `tamis`, loaded. */
async function comesTo(problem) {
  const model = await (await tamis.load()).train(problem);
  return { weights: [...model.weights], predicted: model.predictAll(problem.X) };
}
const iris = testData('iris.csv').trim().split('\n').slice(1).map((line) => line.split(','));
const problem = { X: iris.map((row) => row.slice(1).map(Number)), y: iris.map(([label]) => label), loss: 'squared-hinge', penalty: 'group-l2', lambda: 0.01 };

test('the script of the README works in a page that is a file, and trains to the bits of the package', async () => {
  const folder = pathToFileURL(folderOf(as_script, 'tamis.global.js'));
  const expected = await (await tamisInNode()).train(problem);
  await saysSetosa(`${folder}/index.html`, [`${folder}/tamis.global.js`], async (page) => {
    const { weights, predicted } = await page.evaluate(comesTo, problem);
    assert.deepEqual(weights, [...expected.weights]);
    assert.deepEqual(predicted, expected.predictAll(problem.X));
    const refusal = await page.evaluate((problem) => tamis.load().then((library) => library.train({ ...problem, precision: 'double' })).catch(String), problem);
    assert.match(refusal, /^TamisError: the double module cannot be loaded: tamis-double(-simd)?\.wasm is not inside this file: give its bytes by load\({ wasmDouble: … }\), or take the whole package$/);
  });
});

test('the script works from another host than the page', async () => {
  const there = await serveFolder('files', folderOf('', 'tamis.global.js'));
  const script = `${there.host}files/tamis.global.js`;
  const here = await serveFolder('page', folderOf(as_script.replace('tamis.global.js', script), null));
  try {
    await saysSetosa(`${here.host}page/index.html`, [script]);
  } finally {
    there.close();
    here.close();
  }
});

test('the module of the README works by an import map', async () => {
  const { host, close } = await serveFolder('flowers', folderOf(as_module, 'tamis.bundle.js'));
  try {
    await saysSetosa(`${host}flowers/index.html`, [`${host}flowers/tamis.bundle.js`]);
  } finally {
    close();
  }
});

test('the package as many files: what returns at once loads its module at once, without a complaint', async () => {
  const { host, close } = await serveFolder('package', package_folder);
  const page = await openPage(browser.context);
  try {
    const loaded = [];
    page.on('request', (request) => request.url().endsWith('.wasm') && loaded.push(path.basename(request.url())));
    await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
    await page.goto(`${host}package/version.js`); // a page beside the package
    const header = await page.evaluate(async (problem) => {
      const { load } = await import('./tamis.js');
      return (await load()).trainSync(problem).toC({ name: 'flowers' });
    }, problem);
    assert.equal(header, (await tamisInNode()).trainSync(problem).toC({ name: 'flowers' }));
    assert.deepEqual(loaded, ['tamis-squared-hinge-groups-simd.wasm', 'tamis-model.wasm']);
    assert.deepEqual(page.complaints, []);
  } finally {
    await page.close();
    close();
  }
});
