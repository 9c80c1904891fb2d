import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { pathToFileURL } from 'node:url';
import { dist, project } from './support.mjs';

const chromium_program = process.env.TAMIS_CHROMIUM ?? '/usr/bin/chromium';
const folder = mkdtempSync(path.join(tmpdir(), 'tamis-'));
after(() => rmSync(folder, { recursive: true }));

/** What belongs to the page and its tests: null where it is not installed. */
const find = (where, name) => {
  try {
    return createRequire(path.join(project, where, 'package.json')).resolve(name);
  } catch {
    return null;
  }
};
const vite = find('web', 'vite/package.json');
const playwright = find('tests/browser', 'playwright-core');

const page = `
import { load } from 'tamis';
import { embedded, load as loadEmbedded } from 'tamis/embedded';
import { createWorkerClient } from 'tamis/worker';

const X = [[5.1, 3.5, 1.4, 0.2], [7.0, 3.2, 4.7, 1.4], [6.3, 3.3, 6.0, 2.5]];
const problem = { X, y: ['setosa', 'versicolor', 'virginica'], loss: 'hinge', penalty: 'l1', lambda: 0.02 };
const flower = (model) => model.predict([5.0, 3.4, 1.5, 0.2]);

window.used = async () => {
  const tamis = await load();
  const client = createWorkerClient();
  const other = createWorkerClient(undefined, await embedded());
  const models = [
    await tamis.train(problem), await tamis.train({ ...problem, precision: 'double' }), await client.train(problem),
    await (await loadEmbedded({ simd: false })).train(problem), await other.train(problem),
    await tamis.train({ ...problem, loss: 'logistic', solver: 'sparsa-as-printed' }),
  ];
  client.close();
  other.close();
  return models.map(flower);
};

/** The status that a training ends with whose worker is ended behind the client's back, and that of the next one. */
window.lost = async () => {
  const made = [];
  const Made = window.Worker;
  window.Worker = class extends Made {
    constructor(...given) {
      super(...given);
      made.push(this);
    }
  };
  const client = createWorkerClient();
  window.Worker = Made;
  await client.ready;
  const long = { ...problem, X: Array.from({ length: 300 }, (_, i) => Array.from({ length: 64 }, (_, j) => Math.sin(i * j + i * i))),
    y: Array.from({ length: 300 }, (_, i) => i % 10), lambda: 1e-5, tolerance: 1e-9 };
  const status = (training) => training.then(({ report }) => report.status, (error) => error.status);
  const first = await status(client.train(long, { onProgress: () => made[0].terminate() }));
  return [first, await status(client.train(problem)), await status(createWorkerClient().train(problem))];
};
window.there = true;
`;

test('a bundled page trains, and notices that its worker has ended', {
  skip: (!vite && 'no vite: build the page') || (!playwright && 'no playwright-core: build the tests of the page'),
}, async () => {
  cpSync(dist, path.join(folder, 'node_modules/tamis'), { recursive: true });
  mkdirSync(path.join(folder, 'node_modules'), { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  writeFileSync(path.join(folder, 'index.html'), '<!doctype html><title>flowers</title><link rel="icon" href="data:,"><script type="module" src="page.js"></script>');
  writeFileSync(path.join(folder, 'page.js'), page);
  const { build } = await import(pathToFileURL(path.join(path.dirname(vite), 'dist/node/index.js')));
  await build({ root: folder, base: './', configFile: false, logLevel: 'error', worker: { format: 'es' }, build: { target: 'es2022' } });

  const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
  const server = createServer((request, response) => {
    const name = new URL(request.url, 'http://here').pathname.replace(/\/$/, '/index.html');
    response.setHeader('content-type', types[path.extname(name)] ?? 'text/plain');
    response.end(readFileSync(path.join(folder, 'dist', name)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { chromium } = createRequire(import.meta.url)(playwright);
  const browser = await chromium.launch({ executablePath: chromium_program, args: ['--headless', '--no-sandbox', '--disable-gpu'] });
  try {
    const tab = await browser.newPage();
    const complaints = [];
    tab.on('pageerror', (error) => complaints.push(error.message));
    tab.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    await tab.goto(`http://127.0.0.1:${server.address().port}/`);
    await tab.waitForFunction('window.there');
    assert.deepEqual(await tab.evaluate('used()'), Array(6).fill('setosa'));
    assert.deepEqual(await tab.evaluate('lost()'), ['worker_lost', 'worker_lost', 'converged']);
    assert.deepEqual(complaints, []);
  } finally {
    await browser.close();
    server.close();
  }
});
