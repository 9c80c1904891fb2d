// node browser.mjs MODULE.wasm json SECONDS | cold [brief]: what node.mjs prints, from a worker in headless Chromium. The target of
// bench-simd.wasm is browser-simd. Without Chromium or what drives it, the only line says 'not run: …'.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

const program = process.env.TAMIS_CHROMIUM ?? '/usr/bin/chromium';
const program_arguments = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** playwright-core of the browser tests, or null. */
function driver() {
  try {
    return createRequire(new URL('../tests/browser/package.json', import.meta.url))('playwright-core').chromium;
  } catch {
    return null;
  }
}

/** Serves an empty page, the harness and the module. */
async function serve(module) {
  const script = (file) => ['text/javascript', () => readFile(new URL(file, import.meta.url))];
  const files = {
    '/': ['text/html', () => '<!doctype html><link rel="icon" href="data:,"><title>bench</title>'],
    '/harness.mjs': script('harness.mjs'),
    '/worker.mjs': script('worker.mjs'),
    '/bench.wasm': ['application/wasm', () => readFile(module)],
  };
  const server = createServer(async ({ url }, response) => {
    const [type, content] = files[url] ?? [];
    if (!content) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': type }).end(await content());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function runInWorker(page, options) {
  return page.evaluate((options) => new Promise((resolve, reject) => {
    const worker = new Worker('/worker.mjs', { type: 'module' });
    worker.onmessage = ({ data }) => (data.error ? reject(new Error(data.error)) : resolve(data.result));
    worker.onerror = (event) => reject(new Error(event.message ?? 'the worker did not start'));
    worker.postMessage({ module: '/bench.wasm', options });
  }), options);
}

const [module, mode, ...rest] = process.argv.slice(2);
const chromium = driver();
if (!chromium) {
  console.log('not run: playwright-core is missing; `npm ci` in tests/browser installs it');
} else if (!existsSync(program)) {
  console.log(`not run: ${program} is missing; install chromium or set TAMIS_CHROMIUM`);
} else {
  const server = await serve(module);
  const profile = mkdtempSync(path.join(tmpdir(), 'tamis-bench-'));
  try {
    const options = { executablePath: program, args: program_arguments };
    const context = await chromium.launchPersistentContext(profile, options);
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const target = path.basename(module, '.wasm').replace('bench', 'browser');
    console.log(JSON.stringify(await runInWorker(page, { target, least: Number(rest[0]), cold: mode === 'cold', brief: rest.at(-1) === 'brief' })));
    await context.close();
  } finally {
    rmSync(profile, { recursive: true, force: true });
    server.close();
    server.closeAllConnections();
  }
}
