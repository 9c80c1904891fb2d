// The panel Bench: the suite's workloads in a worker, beside the recorded native figures.
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { test } from 'node:test';
import { buildWithoutBench, inEveryLook, notice, pageHas, screenshot, serveFolder, stage } from './support.mjs';

const scene = stage();
const { withPage } = scene;
const at = '#bench';
const skip = !pageHas('bench-simd') && 'the page was built without the benchmark suite';
const recorded = JSON.parse(readFileSync(new URL('../../bench/recorded.json', import.meta.url), 'utf8'));

const kinds = (page, value) => page.check(`[name=bench-kinds][value="${value}"]`, { force: true });
const rows = (page) => page.$$eval('#bench-table [data-workload]', (all) => all.map((row) =>
  [row.dataset.workload, ...[...row.querySelectorAll('td')].map((cell) => cell.textContent)]));

/** Waits until the page has no worker but that which trains. */
async function alone(page) {
  while (page.workers().length > 1) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('shows what was recorded, and loads no module before it is asked to', async () => {
  const requests = [];
  await withPage(async (page) => {
    await page.locator('#bench-table').waitFor();
    const shown = await rows(page);
    assert.deepEqual(shown.map(([name]) => name), recorded.workloads.map(({ name }) => name));
    assert.ok(shown.every(([, native, simd, base]) => /^[\d.]+ (ns|µs|ms|s)$/.test(native) && simd === '' && base === ''));
    const said = await page.textContent('#bench-recorded');
    assert.ok(said.includes(recorded.machine.processor) && said.includes(recorded.machine.date), said);
    assert.ok(!requests.some((address) => /bench-(base|simd)/.test(address)));
    assert.deepEqual(page.complaints, []);
  }, { at, prepare: (page) => page.on('request', (request) => requests.push(request.url())) });
});

test('runs the workloads in both modules, compares times and results with native ones, and rests then', { skip }, async (t) => {
  await withPage(async (page) => {
    await kinds(page, 'prediction');
    await page.click('#bench-run');
    assert.equal(await page.textContent('#bench-run'), 'Cancel');
    await page.locator('#bench-result[aria-busy=false]').waitFor();
    const said = await page.textContent('#bench-status');
    t.diagnostic(said);
    assert.match(said, /^SIMD [\d.]+ times native of its width \(geometric mean of \d+\) · base [\d.]+ times native of its width \(geometric mean of \d+\) · the results are the same bits$/);
    const expected = recorded.workloads.filter(({ kind }) => kind === 'prediction');
    const shown = await rows(page);
    assert.deepEqual(shown.map(([name]) => name), expected.map(({ name }) => name));
    for (const [name, , simd, base, ratios, results] of shown) {
      assert.match(simd, /^[\d.]+ (ns|µs|ms|s)$/, name);
      assert.match(base, /^[\d.]+ (ns|µs|ms|s)$/, name);
      assert.match(ratios, /^[\d.]+ ×[\d.]+ ×$/, name);
      assert.equal(results, 'same bits', name);
    }
    await alone(page);
    assert.deepEqual(page.complaints, []);
  }, { at });
});

test('without modules it shows what they took in a recorded browser, and sends nobody to a compiler', async () => {
  const folder = buildWithoutBench();
  const { host, close } = await serveFolder('page', folder);
  try {
    await withPage(async (page) => {
      await page.goto(`${host}page/index.html#bench`);
      await page.locator('#bench-table').waitFor();
      for (const [name, , simd, base, ratios] of await rows(page)) {
        const { seconds } = recorded.workloads.find((one) => one.name === name);
        assert.deepEqual([simd !== '', base !== ''], ['browser-simd', 'browser-base'].map((target) => Boolean(seconds[target])), name);
        assert.match(ratios, /^([\d.]+ ×)*$/);
      }
      assert.match(await page.textContent('#bench-says'), /^recorded in Chromium .* SIMD [\d.]+ times native of its width .* same bits$/);
      assert.deepEqual(await page.$$eval('#bench-table [data-here]', (all) => all.map((one) => one.textContent)), ['SIMD, recorded', 'base, recorded']);
      assert.ok(await page.isHidden('#bench-run'));
      assert.ok(await page.isHidden('#notice-bench'));
      assert.doesNotMatch(await page.textContent('#panel-bench'), /TAMIS_|built|configure/);
      for (const width of [1280, 390, 320]) {
        await page.setViewportSize({ width, height: 844 });
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
        await screenshot(page, `bench-recorded-${width}`);
      }
      assert.deepEqual(page.complaints, []);
    });
  } finally {
    close();
    rmSync(folder, { recursive: true });
  }
});

test('is cancelled at once, by its button and by leaving, and runs again', { skip }, async () => {
  await withPage(async (page) => {
    const begin = async () => {
      await page.click('#bench-run');
      await page.waitForFunction(() => /^\d+ of \d+/.test(document.querySelector('#bench-says').textContent));
      assert.equal(page.workers().length, 2);
    };
    await page.locator('#bench-run').waitFor();
    await begin();
    await page.click('#bench-run');
    assert.equal(await page.textContent('#bench-says'), 'cancelled');
    assert.equal(await page.textContent('#bench-run'), 'Run');
    await alone(page);
    await begin();
    await page.click('#tab-draw');
    await page.click('#tab-bench');
    assert.equal(await page.textContent('#bench-says'), 'cancelled, as another part of the page was opened');
    await alone(page);
    await page.focus('#bench-run');
    await page.keyboard.press('Enter');
    assert.equal(await page.textContent('#bench-run'), 'Cancel');
  }, { at });
});

test('says so when a module does not load, when results differ, and without WebAssembly', { skip }, async () => {
  await withPage(async (page) => {
    await page.click('#bench-run');
    assert.match(await notice(page, 'bench'), /^The benchmarks cannot run here: .+\. Reloading the page may help\.$/);
    assert.equal(await page.textContent('#bench-run'), 'Run');
  }, { at, prepare: (page) => page.route('**/bench-simd*.wasm', (route) => route.fulfill({ status: 404 })) });
  await withPage(async (page) => {
    await kinds(page, 'prediction');
    await page.click('#bench-run');
    await page.locator('#bench-result[aria-busy=false]').waitFor();
    assert.match(await page.textContent('#bench-status'), /with other results$/);
    assert.ok((await rows(page)).some(([, , , , , results]) => results === 'other bits'));
  }, { at, prepare: (page) => page.route('**/bench-*.js', async (route) => { // one native result is another
    const response = await route.fetch();
    const last = recorded.workloads.findLast(({ kind }) => kind === 'prediction').checksum;
    await route.fulfill({ response, body: (await response.text()).replace(last, last.replace(/./g, '1')) });
  }) });
  await withPage(async (page) => {
    assert.equal(await notice(page, 'bench'), 'The benchmarks need WebAssembly, which this browser does not have or has switched off.');
    assert.ok(await page.isDisabled('#bench-run'));
  }, { at, prepare: (page) => page.addInitScript(() => delete globalThis.WebAssembly) });
});

test('without SIMD the base module runs alone', { skip }, async () => {
  await withPage(async (page) => {
    await kinds(page, 'prediction');
    await page.click('#bench-run');
    await page.locator('#bench-result[aria-busy=false]').waitFor();
    assert.match(await page.textContent('#bench-status'), /^base [\d.]+ times native/);
    assert.ok((await rows(page)).every(([, , simd, base]) => simd === '' && base !== ''));
  }, { at, prepare: (page) => page.addInitScript(() => (WebAssembly.validate = () => false)) });
});

test('fits the screen, light and dark, wide and narrow', { skip }, async () => {
  await inEveryLook(scene, at, async (page, look) => {
    await kinds(page, 'prediction');
    await page.click('#bench-run');
    await page.locator('#bench-result[aria-busy=false]').waitFor();
    await screenshot(page, `bench-${look}`);
  });
});
