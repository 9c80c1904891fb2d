// The page without a network after the first visit, and how it comes to another build.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { buildWithoutBench, moveSlider, nothingRuns, openBrowser, openPage, page_folder, pageHas, serveFolder, settled, tableSettled } from './support.mjs';

const names = ['draw', 'table', 'plane', 'race', 'bench', 'home'];
const other_build = buildWithoutBench();
const skip = !pageHas('bench-base') && 'there is one build only: this one has no benchmarks either';
const folders = [other_build];
const sites = [];
const nothing = mkdtempSync(path.join(tmpdir(), 'tamis-none-'));
folders.push(nothing);
let browser;
before(async () => (browser = await openBrowser()));
after(async () => {
  await browser?.close();
  for (const { gone } of sites) gone();
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** A server of the page, whose files change, and that can be gone: each at a port, and so with caches, of its own. */
async function site() {
  const folder = mkdtempSync(path.join(tmpdir(), 'tamis-site-'));
  folders.push(folder);
  const files = path.join(folder, 'page');
  mkdirSync(files);
  writeFileSync(path.join(folder, 'index.html'), '<!doctype html><title>beyond</title>');
  const { host, close } = await serveFolder('site', folder);
  const made = {
    address: `${host}site/page/`,
    beyond: `${host}site/`,
    put(from, only = () => true) {
      for (const name of readdirSync(files).filter(only)) rmSync(path.join(files, name), { recursive: true });
      for (const name of readdirSync(from).filter(only)) cpSync(path.join(from, name), path.join(files, name), { recursive: true });
    },
    write: (name, text) => writeFileSync(path.join(files, name), text),
    gone: close,
  };
  sites.push(made);
  return made;
}
/** The script that a build begins with. */
const mainOf = (folder) => readFileSync(path.join(folder, 'index.html'), 'utf8').match(/src="\.\/(assets\/index-[\w-]+\.js)"/)[1];
const mainIn = (page) => page.getAttribute('script[type=module]:not([async])', 'src').then((src) => src.replace('./', ''));

/** In the page: what of its files the browser keeps, by version. */
const kept = (page) => page.evaluate(async () => Object.fromEntries(await Promise.all((await caches.keys()).map(async (name) =>
  [name, (await (await caches.open(name)).keys()).map(({ url }) => url)]))));
/** Waits until the browser keeps the page. */
const ready = (page) => page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated');
/** Waits until the next build waits. */
const waits = (page) => until(page, async () => (await navigator.serviceWorker.getRegistration())?.waiting?.state === 'installed');

/** Waits until a promise of the page comes to true. */
async function until(page, condition, value) {
  for (let turn = 0; turn < 1000; ++turn) {
    if (await page.evaluate(condition, value)) return;
    await page.evaluate(() => new Promise((resolve) => plainTimeout(resolve, 100)));
  }
  throw new Error(`never: ${condition}`);
}

async function withPages(count, use) {
  const pages = await Promise.all(Array.from({ length: count }, () => openPage(browser.context, { offline: true, prepare: (page) => page.addInitScript(() => {
    /** States of the versions that came up in this page. */
    globalThis.versions = [];
    navigator.serviceWorker?.getRegistration().then((registration) => registration?.addEventListener('updatefound', () => {
      const worker = registration.installing;
      worker.addEventListener('statechange', () => versions.push(worker.state));
    }));
  }) })));
  try {
    await use(...pages);
  } finally {
    await Promise.all(pages.map((page) => page.close()));
  }
}

/** Shows every panel, most of them for the first time, and waits until it rests; `stops`: the race, once two solvers have run. */
async function showAll(page, { stops = false } = {}) {
  await page.bringToFront(); // a page behind another has few frames
  for (const name of names) {
    await page.click(`#tab-${name}`);
    if (name === 'race' && stops) {
      await page.locator('#standings tbody tr:nth-child(3) td:last-child:not(:empty)').waitFor();
      await page.click('#race-stop');
    }
    await page.waitForFunction((name) => {
      const panel = document.querySelector(`#panel-${name}:not([hidden])`);
      return panel?.querySelector('.root').childElementCount > 0 && [...panel.querySelectorAll('.result')].every((one) => one.getAttribute('aria-busy') !== 'true');
    }, name);
    await nothingRuns(page);
    assert.ok(await page.isHidden(`#notice-${name}`), await page.textContent(`#notice-${name}`));
  }
}

test('after the first visit there is no network, and every part of the page works', async () => {
  const { address, put, gone } = await site();
  put(page_folder);
  await withPages(1, async (page) => {
    await page.goto(address);
    await settled(page);
    await ready(page);
    const [[version, files], ...others] = Object.entries(await kept(page));
    assert.deepEqual(others, []);
    const built = readdirSync(page_folder, { recursive: true })
      .filter((name) => /\.\w+$/.test(name) && name !== 'service-worker.js' && !name.startsWith('guide/'));
    const base = (name) => /\/tamis(?!-model|.*-simd)[\w-]*\.wasm$/.test(name);
    assert.deepEqual(files.sort(), built.filter((name) => !base(name)).map((name) => address + name).sort(), 'all but the guide and what this browser does not load');
    assert.ok(built.some(base) && version.includes(address));
    gone();
    await assert.rejects(page.evaluate(() => fetch('elsewhere')), /Failed to fetch/);
    await page.reload();
    const first = await settled(page);
    await moveSlider(page, 0.8);
    assert.notEqual(await settled(page), first);
    await showAll(page);
    await page.goto(`${address}index.html?from=here#table`);
    assert.match(await tableSettled(page), /features kept/);
    assert.deepEqual(page.complaints.filter((text) => !/ERR_CONNECTION_REFUSED/.test(text)), []);
  });
});

test('another build is taken whole at the next visit; a page that is open keeps its own', { skip }, async () => {
  const { address, put, gone } = await site();
  const [one, other] = [mainOf(page_folder), mainOf(other_build)];
  assert.notEqual(one, other);
  put(page_folder);
  await withPages(2, async (page, beside) => {
    await page.goto(address);
    await ready(page);
    await page.goto('about:blank');
    put(other_build); // of the first there is nothing left
    await page.goto(address);
    await settled(page);
    assert.equal(await mainIn(page), one);
    await waits(page);
    await beside.goto(address); // a second one, also of the first build
    await settled(beside);
    assert.equal(await mainIn(beside), one);
    await beside.reload(); // two are open: none is changed
    await settled(beside);
    assert.equal(await mainIn(beside), one);
    await showAll(page, { stops: true });
    assert.deepEqual([page.complaints, beside.complaints], [[], []]);
    await beside.goto('about:blank');
    await page.goto(`${address}#race`);
    for (let visits = 0; visits < 100 && (await mainIn(page)) !== other; ++visits) await page.reload(); // the only one, when the browser has noticed
    assert.equal(await mainIn(page), other);
    assert.ok(page.url().startsWith(`${address}#race`), page.url());
    await page.locator('#panel-race:not([hidden])').waitFor();
    await ready(page);
    const versions = Object.values(await kept(page));
    assert.equal(versions.length, 1);
    assert.ok(versions[0].includes(address + other) && !versions[0].includes(address + one));
    gone();
    await page.reload();
    await page.click('#tab-draw');
    assert.match(await settled(page), /certified within/);
    assert.equal(await mainIn(page), other);
  });
});

test('a build that is closed while the next one waits is followed by it', { skip }, async () => {
  const { address, beyond, put } = await site();
  put(page_folder);
  await withPages(1, async (page) => {
    await page.goto(address);
    await ready(page);
    put(other_build);
    await page.reload();
    await waits(page);
    await page.goto(beyond);
    await until(page, async (address) => {
      const { active, waiting } = await navigator.serviceWorker.getRegistration(address);
      return active.state === 'activated' && !waiting;
    }, address);
    await page.goto(address);
    assert.equal(await mainIn(page), mainOf(other_build));
  });
});

test('a build that is half there is not taken', { skip }, async () => {
  const { address, put, gone } = await site();
  put(page_folder);
  await withPages(1, async (page) => {
    await page.goto(address);
    await ready(page);
    for (const half of [(name) => name === 'service-worker.js', (name) => name !== 'index.html']) {
      put(page_folder);
      put(other_build, half);
      await page.reload();
      await page.waitForFunction(() => versions.includes('redundant'));
      assert.equal(await page.evaluate(() => versions.includes('installed')), false);
    }
    gone();
    await page.reload();
    assert.match(await settled(page), /certified within/);
    assert.equal(await mainIn(page), mainOf(page_folder));
    await showAll(page, { stops: true });
  });
});

test('what is at that address instead is seen at the visit after the next', async () => {
  const { address, put, write } = await site();
  put(page_folder);
  await withPages(1, async (page) => {
    await page.goto(address);
    await ready(page);
    put(nothing);
    write('index.html', '<!doctype html><title>another</title>');
    await page.goto(address);
    await until(page, async () => (await caches.keys()).length === 0 && !(await navigator.serviceWorker.getRegistration()));
    await page.goto('about:blank');
    await page.goto(address);
    assert.equal(await page.title(), 'another');
  });
});
