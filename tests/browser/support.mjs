// Serves the built page with `vite preview`, opens it in headless Chromium, and solves the same problem in Node.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inflateRawSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { holdOut } from '../../web/plugins/hold-out.js';

const project = fileURLToPath(new URL('../..', import.meta.url));
const build = path.resolve(process.env.TAMIS_BUILD ?? path.join(project, 'build/test'));
export const page_folder = path.join(build, 'web/dist');
export const package_folder = path.join(build, 'wasm/dist');
/** What a Python finds this build's package in. */
export const python_folder = path.join(build, 'python');
export const screenshots = path.join(build, 'web/screenshots');
mkdirSync(screenshots, { recursive: true });

const browser_program = process.env.TAMIS_CHROMIUM ?? '/usr/bin/chromium';
const browser_arguments = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

// ---- the server

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** { address, close } of a server of the built page. */
export async function serve() {
  const port = await freePort();
  const vite = path.join(project, 'web/node_modules/vite/bin/vite.js');
  const server = spawn(process.execPath,
    [vite, 'preview', '--outDir', page_folder, '--host', '127.0.0.1', '--port', String(port), '--strictPort'],
    { cwd: path.join(project, 'web'), stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  await new Promise((resolve, reject) => {
    const listen = (data) => {
      said += data;
      if (said.includes(String(port))) resolve();
    };
    server.stdout.on('data', listen);
    server.stderr.on('data', listen);
    server.on('exit', () => reject(new Error(`the server ended: ${said}`)));
  });
  server.removeAllListeners('exit');
  return { address: `http://127.0.0.1:${port}/`, close: () => server.kill() };
}

const types = { html: 'text/html', js: 'text/javascript', css: 'text/css', wasm: 'application/wasm', svg: 'image/svg+xml' };

/** Builds the page without the modules of the benchmark suite, as the first command does; the folder that it is in. */
export function buildWithoutBench() {
  const folder = mkdtempSync(path.join(tmpdir(), 'tamis-page-'));
  const vite = path.join(project, 'web/node_modules/vite/bin/vite.js');
  execFileSync(process.execPath, [vite, 'build', '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn'], {
    cwd: path.join(project, 'web'), env: { ...process.env, TAMIS_WASM_DIST: package_folder, TAMIS_BENCH_DIST: path.join(folder, 'none') },
  });
  return folder;
}

/** { host, close } of a plain server that has the built page in a folder of that name, and nothing else. */
export async function serveFolder(folder, from = page_folder) {
  const server = createHttpServer((request, response) => {
    const pathname = new URL(request.url, 'http://localhost').pathname.replace(/\/$/, '/index.html');
    const file = path.join(from, pathname.slice(folder.length + 1));
    if (!pathname.startsWith(`/${folder}/`) || !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': types[pathname.split('.').pop()] ?? 'application/octet-stream' }).end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { host: `http://127.0.0.1:${server.address().port}/`, close };
}

// ---- the browser

/** A browser with nothing in its profile. */
export async function openBrowser() {
  const profile = mkdtempSync(path.join(tmpdir(), 'tamis-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: browser_program,
    args: browser_arguments,
    viewport: { width: 1280, height: 900 },
  });
  const close = async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  };
  return { context, close };
}

// No test says how long something may take: tests wait for states, and count frames, messages and calls. This is what
// ends one that would wait for ever, however busy the machine.
const patience = 300_000; // milliseconds

/** A new page whose complaints are collected in `page.complaints`. `offline`: it may keep its files, which else each page fetches. */
export async function openPage(context, { prepare, offline = false } = {}) {
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  page.complaints = [];
  page.traffic = { moves: 0, open: 0 };
  for (const [event, opens] of [['request', 1], ['requestfinished', -1], ['requestfailed', -1]])
    page.on(event, () => {
      ++page.traffic.moves;
      page.traffic.open += opens;
    });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) page.complaints.push(message.text());
  });
  page.on('pageerror', (error) => page.complaints.push(error.message));
  await page.addInitScript(watchWork);
  if (!offline) await page.addInitScript(() => delete Navigator.prototype.serviceWorker);
  await prepare?.(page);
  return page;
}

/**
 * In the page, before its own scripts: counts in `work` what its scripts are called for by frames, timers and workers, and
 * has in `due` what they are still to be called for.
 */
function watchWork() {
  globalThis.work = 0;
  globalThis.due = new Set();
  globalThis.plainTimeout = setTimeout.bind(globalThis);
  for (const [begin, end] of [['requestAnimationFrame', 'cancelAnimationFrame'], ['setTimeout', 'clearTimeout'], ['setInterval', 'clearInterval']]) {
    const [plainBegin, plainEnd] = [begin, end].map((name) => globalThis[name].bind(globalThis));
    globalThis[begin] = (call, ...values) => {
      if (typeof call !== 'function') return plainBegin(call, ...values);
      const name = plainBegin((...given) => {
        ++work;
        if (begin !== 'setInterval') due.delete(`${end} ${name}`);
        return call(...given);
      }, ...values);
      ++work;
      due.add(`${end} ${name}`);
      return name;
    };
    globalThis[end] = (name) => {
      if (due.delete(`${end} ${name}`)) ++work;
      plainEnd(name);
    };
  }
  let workers = 0;
  globalThis.Worker = class extends Worker {
    #name = `worker ${++workers}`;
    constructor(...given) {
      super(...given);
      this.addEventListener('message', ({ data }) => {
        ++work;
        if (['done', 'failed'].includes(data?.type) || 'result' in Object(data) || 'error' in Object(data)) due.delete(`${this.#name} ${data.id}`);
      });
    }
    postMessage(order, ...values) {
      ++work;
      if (order?.type !== 'stop') due.add(`${this.#name} ${order?.id}`);
      super.postMessage(order, ...values);
    }
    terminate() {
      for (const one of due) if (one.startsWith(`${this.#name} `)) due.delete(one);
      super.terminate();
    }
  };
}

/**
 * Waits until the page has come to rest: it is called for nothing, nothing is due and nothing is loaded, for ten turns of a
 * timer, which are the longer the busier the machine is. What is due and does not come, as of a worker that has died, is
 * waited for as long as fifty.
 */
export async function nothingRuns(page) {
  let before;
  do {
    before = page.traffic.moves;
    await page.evaluate(async ([patience, loading]) => {
      const start = performance.now();
      for (let before = work, quiet = 0; quiet < (due.size > 0 || loading ? 50 : 10); before = work) {
        if (performance.now() - start > patience) throw new Error('something runs all the time');
        await new Promise((resolve) => plainTimeout(resolve, 30));
        quiet = work === before ? quiet + 1 : 0;
      }
    }, [patience, page.traffic.open > 0]);
  } while (page.traffic.moves !== before);
}

/**
 * Drags a slider to and fro, one step a frame, until `result` has changed `wanted` times; gives how often it changed, in
 * how many frames and seconds.
 */
export const drag = (page, slider, result, wanted) => page.evaluate(async ([slider, result, wanted, patience]) => {
  const input = document.querySelector(slider);
  let painted = 0;
  const watch = new MutationObserver(() => ++painted);
  watch.observe(document.querySelector(result), { childList: true });
  const start = performance.now();
  let frames = 0;
  for (; painted < wanted && performance.now() - start < patience; ++frames) {
    input.value = String(Number(input.max) * (0.6 + 0.3 * Math.sin(frames / 18)));
    input.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise(requestAnimationFrame);
  }
  watch.disconnect();
  return { painted, frames, seconds: (performance.now() - start) / 1000 };
}, [slider, result, wanted, patience]);

/** Has the page count what its workers tell it: `page.evaluate(() => told)`. */
export const watchMessages = (page) => page.addInitScript(() => {
  globalThis.told = 0;
  globalThis.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      this.addEventListener('message', () => ++told);
    }
  };
});

/** For all tests of a file: the page served and a browser. Gives { server, browser, withPage }. */
export function stage() {
  const stage = { withPage };
  before(async () => {
    stage.server = await serve(); // where that fails there is no browser to close
    stage.browser = await openBrowser();
  });
  after(async () => {
    await stage.browser?.close();
    stage.server?.close();
  });
  /** A page, loaded, that is closed after `use`; `at`: the fragment of its address. */
  async function withPage(use, { at = '', ...options } = {}) {
    const page = await openPage(stage.browser.context, options);
    try {
      await page.goto(stage.server.address + at);
      await use(page);
    } finally {
      await page.close();
    }
  }
  return stage;
}

/** What the notice of a panel says, once it says something. */
export async function notice(page, panel = 'draw') {
  await page.locator(`#notice-${panel}`).waitFor();
  return page.textContent(`#notice-${panel}`);
}

/** The page does not scroll sideways. */
export async function withinTheScreen(page, width) {
  const [wide, ...what] = await page.evaluate(() => [document.documentElement.scrollWidth, ...[...document.querySelectorAll('body *')]
    .filter((part) => part.getBoundingClientRect().right > innerWidth + 1)
    .map(({ tagName, id, className }) => `${tagName.toLowerCase()}#${id}.${className}`)]);
  assert.equal(wide, width, `scrolls sideways at ${width}; beyond the edge: ${what.join(' ')}`);
}

/** Wide, narrow and as narrow as can be, light and dark; `use` gets each page and the end of its name. */
export async function inEveryLook(stage, at, use) {
  for (const [width, height] of [[1280, 900], [390, 844], [320, 640]])
    for (const colorScheme of ['light', 'dark'])
      await stage.withPage(async (page) => {
        await use(page, `${width}-${colorScheme}`);
        await withinTheScreen(page, width);
      }, {
        at,
        prepare: async (page) => {
          await page.setViewportSize({ width, height });
          await page.emulateMedia({ colorScheme });
        },
      });
}

/**
 * Of a page whose link has brought it data: what Share gives without a tick, and says of it, has none of them, and what it gives with one has
 * them all. `held`: the data in the state of a link.
 */
export async function shareHoldsDataWhenAsked(page, what, held) {
  const stateIn = (address) => JSON.parse(inflateRawSync(Buffer.from(address.split('?1=')[1], 'base64url')));
  const given = async () => {
    const link = await page.inputValue('#sharing-link');
    assert.match(await page.textContent('#sharing-says'), new RegExp(`^The link has ${link.length.toLocaleString('en-GB')} characters\\.`));
    return held(stateIn(link));
  };
  assert.ok(held(stateIn(page.url())), 'the address keeps them');
  await page.click('#share');
  await page.locator('#sharing-says', { hasText: 'and none of the data' }).waitFor();
  assert.equal(await given(), undefined);
  await page.getByLabel(`with the data: ${what}`).check();
  await page.locator('#sharing-says', { hasText: 'Whoever has the link has the data' }).waitFor();
  assert.ok(await given());
  await page.keyboard.press('Escape');
}

/** Milliseconds from navigation to the first trained model on screen. */
export async function trainedAfter(page) {
  const mark = await page.waitForFunction(() => performance.getEntriesByName('trained')[0]?.startTime);
  return mark.jsonValue();
}

/** Waits until the model on screen is the last one wished for, and gives the sentence that says so. */
export async function settled(page) {
  await page.locator('#result[aria-busy=false]').waitFor();
  return page.textContent('#status');
}

/** What axe-core finds wrong, by its own rules. */
export async function axeViolations(page) {
  await page.evaluate(readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8'));
  const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 80)).join(', ')}`);
}

/** Opens what the panel Draw has behind More. */
export const openMore = (page) => page.evaluate(() => (document.querySelector('#more').open = true));

/** Moves the slider to a share of its way, as dragging does. */
export function moveSlider(page, share, which = '#lambda') {
  return page.locator(which).evaluate((slider, share) => {
    slider.value = String(share * Number(slider.max));
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  }, share);
}

export async function downloadedHeader(page) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#download')]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
}

// ---- the plane

/** Waits until its model is the last one wished for and painted, and gives the sentence that says so. */
export async function planeSettled(page) {
  await page.locator('#plane-result[aria-busy=false]').waitFor();
  await page.locator('#stage[data-painted]').waitFor();
  return page.textContent('#plane-status');
}

// ---- the part with kernels

/** Brings it into sight. */
export async function scrollToKernels(page) {
  await page.click('#tab-plane');
  await page.locator('#titanic').waitFor();
  await page.locator('#titanic').evaluate((part) => part.scrollIntoView());
  await page.locator('#kernels').waitFor();
}

/** Brings it into sight and waits for its first model. */
export async function showKernels(page) {
  await scrollToKernels(page);
  return kernelsSettled(page);
}

/** Waits until its model is the last one wished for, and gives the sentence that says so. */
export async function kernelsSettled(page) {
  await page.locator('#kernel-result[aria-busy=false]').waitFor();
  return page.textContent('#kernel-status');
}

/** Checks exactly these kernels. */
export async function chooseKernels(page, kernels) {
  for (const box of await page.locator('[name=kernel]').all())
    await box.setChecked(kernels.includes(await box.inputValue()), { force: true });
}

/** Milliseconds from asking for another norm until its model is on screen. */
export function normOnScreenAfter(page, norm) {
  return page.evaluate((norm) => new Promise((resolve) => {
    const result = document.querySelector('#kernel-result');
    const watch = new MutationObserver(() => {
      if (result.getAttribute('aria-busy') !== 'false') return;
      watch.disconnect();
      resolve(performance.now() - start);
    });
    watch.observe(result, { attributeFilter: ['aria-busy'] });
    const start = performance.now();
    document.querySelector(`[name=norm][value="${norm}"]`).click();
  }), norm);
}

export const screenshot = (page, name) => page.screenshot({ path: path.join(screenshots, `${name}.png`), fullPage: true });

// ---- the same problem in Node

/** The package, in Node. */
export async function loadPackage(options) {
  const { load } = await import(pathToFileURL(path.join(package_folder, 'tamis.js')));
  return load(options);
}

export async function trainInNode(problem) {
  const rows = readFileSync(path.join(project, 'tests/data/digits.csv'), 'utf8').trim().split('\n').slice(1)
    .map((line) => line.split(',').map(Number));
  const out = holdOut(rows.map(([label]) => label), 1 / 3, 0n);
  const kept = rows.filter((_, i) => !out[i]);
  const X = kept.map((row) => row.slice(1).map((value) => value / 16));
  return (await loadPackage()).train({ X, y: kept.map(([label]) => label), ...problem });
}

/** A model of people as web/src/panels/plane/titanic.js draws them. */
export async function trainKernelsInNode(problem, { training: { X, y } }) {
  return (await loadPackage()).trainKernels({ X, y, ...problem });
}

/** Whether the page was built with a file of a name that begins so. */
export const pageHas = (name) => readdirSync(path.join(page_folder, 'assets')).some((file) => file.startsWith(name));

/** Compressed bytes of the files that a browser with SIMD loads. */
export async function compressedBytes(addresses) {
  const { gzipSync } = await import('node:zlib');
  const files = addresses.map((address) => new URL(address).pathname.replace(/^\/$/, '/index.html'));
  return files.reduce((sum, file) => sum + gzipSync(readFileSync(path.join(page_folder, file)), { level: 9 }).length, 0);
}

// ---- the panel Table

/** Waits until the model on screen is the one that is taken home, and gives the sentence that says so. */
export async function tableSettled(page) {
  await page.locator('#table-result[aria-busy=false]').waitFor();
  return page.textContent('#table-status');
}

/** Gives the page a file as dropping one on the panel does. `parts`: texts, or { bytes } or { text, times }. */
export function dropFile(page, name, ...parts) {
  return page.evaluate(([name, parts]) => {
    const pieces = parts.flatMap((part) =>
      typeof part === 'string' ? [part] : part.bytes ? [new Uint8Array(part.bytes)] : [part.text.repeat(part.times)]);
    const data = new DataTransfer();
    data.items.add(new File(pieces, name));
    document.querySelector('#panel-table').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  }, [name, parts]);
}

/** Has the page collect its tasks above 50 ms, in milliseconds: `page.evaluate(() => longTasks)`. */
export const watchLongTasks = (page) => page.addInitScript(() => {
  globalThis.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask', buffered: true });
});

/** A file of the panel Take home: its name and text. */
export async function downloaded(page, kind) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(`[data-kind=${kind}]`)]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
}

export const testData = (name) => readFileSync(path.join(project, 'tests/data', name), 'utf8');
/** A program of this build, or null. */
export const program = (name) => [path.join(build, 'lib/cli', name), path.join(build, name)].find(existsSync) ?? null;
export const tamisInNode = async () => (await import(pathToFileURL(path.join(package_folder, 'tamis.js')))).load();
