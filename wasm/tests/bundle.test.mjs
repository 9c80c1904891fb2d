// The packed package in pages, as it is and by bundlers, in headless Chromium.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { installPackage, project, tools } from './support.mjs';

const chromium_program = process.env.TAMIS_CHROMIUM ?? '/usr/bin/chromium';
const folder = mkdtempSync(path.join(tmpdir(), 'tamis-'));

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

window.flowerOf = async (tamis) => flower(await tamis.train(problem));
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

const html = (head) => `<!doctype html><title>flowers</title><link rel="icon" href="data:,">${head}<script type="module" src="page.js"></script>`;
/** How the page gets into a folder, with nothing configured but what the README says. */
const ways = {
  async 'as it is'(out) {
    const imports = { tamis: './tamis/tamis.js', 'tamis/embedded': './tamis/embedded.js', 'tamis/worker': './tamis/worker.js' };
    cpSync(path.join(folder, 'node_modules/tamis'), path.join(out, 'tamis'), { recursive: true });
    cpSync(path.join(folder, 'page.js'), path.join(out, 'page.js'));
    writeFileSync(path.join(out, 'index.html'), html(`<script src="tamis/tamis.global.js"></script><script type="importmap">${JSON.stringify({ imports })}</script>`));
  },
  async Vite(out) {
    const { build } = await import(pathToFileURL(path.join(path.dirname(vite), 'dist/node/index.js')));
    const [, shown] = readFileSync(path.join(folder, 'node_modules/tamis/README.md'), 'utf8').match(/export default (\{.*\});  \/\/ vite\.config\.js/);
    const configuration = Function(`return ${shown}`)();
    await build({ ...configuration, root: folder, base: './', configFile: false, logLevel: 'error', worker: { format: 'es' },
      build: { ...configuration.build, outDir: out } });
  },
  async webpack(out) {
    const webpack = createRequire(path.join(tools, 'webpack/'))('webpack');
    const options = { mode: 'production', context: folder, entry: './page.js', output: { path: out, filename: 'page.js' }, performance: { hints: false } };
    const stats = await promisify(webpack)(options);
    assert.equal(stats.toString({ all: false, errors: true, warnings: true }), '');
    writeFileSync(path.join(out, 'index.html'), html(''));
  },
  async esbuild(out) {
    const { build } = createRequire(path.join(project, 'web/package.json'))('esbuild');
    const entryPoints = { page: 'page.js', 'worker-script': 'tamis/worker-script' };
    const { warnings } = await build({ absWorkingDir: folder, entryPoints, outdir: out, bundle: true, format: 'esm' });
    assert.deepEqual(warnings, []);
    const installed = path.join(folder, 'node_modules/tamis');
    for (const name of readdirSync(installed)) if (name.endsWith('.wasm')) cpSync(path.join(installed, name), path.join(out, name));
    writeFileSync(path.join(out, 'index.html'), html(''));
  },
};

const skip = (!vite && 'no vite: build the page') || (!playwright && 'no playwright-core: build the tests of the page');
let browser;
before(async () => {
  if (skip) return;
  installPackage(folder);
  writeFileSync(path.join(folder, 'index.html'), html(''));
  writeFileSync(path.join(folder, 'page.js'), page);
  const { chromium } = createRequire(import.meta.url)(playwright);
  browser = await chromium.launch({ executablePath: chromium_program, args: ['--headless', '--no-sandbox', '--disable-gpu'] });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

for (const [way, bring] of Object.entries(ways)) test(`a page trains, and notices that its worker has ended: ${way}`, { skip }, async () => {
  const out = path.join(folder, 'out', way);
  mkdirSync(out, { recursive: true });
  await bring(out);

  const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
  const server = createServer((request, response) => {
    const name = new URL(request.url, 'http://here').pathname.replace(/\/$/, '/index.html');
    response.setHeader('content-type', types[path.extname(name)] ?? 'text/plain');
    response.end(readFileSync(path.join(out, name)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const tab = await browser.newPage();
  try {
    const complaints = [];
    tab.on('pageerror', (error) => complaints.push(error.message));
    tab.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    await tab.goto(`http://127.0.0.1:${server.address().port}/`);
    await tab.waitForFunction('window.there');
    assert.deepEqual(await tab.evaluate('used()'), Array(6).fill('setosa'));
    assert.deepEqual(await tab.evaluate('lost()'), ['worker_lost', 'worker_lost', 'converged']);
    if (way === 'as it is') assert.equal(await tab.evaluate('tamis.load().then(flowerOf)'), 'setosa');
    assert.deepEqual(complaints, []);
  } finally {
    await tab.close();
    server.close();
  }
});
