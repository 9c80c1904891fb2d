// The panel Draw: what it shows, what it does when used, and what it says when it cannot work.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  compressedBytes, downloadedHeader, inEveryLook, moveSlider, notice, screenshot, settled, stage, trainInNode, trainedAfter,
} from './support.mjs';

const scene = stage();
const { withPage } = scene;

const numbers = (text) => text.match(/\d[\d,.]*/g).map((found) => Number(found.replaceAll(',', '')));
const kept = async (page) => Number(await page.textContent('#kept'));
const blank = (page) => page.$$eval('#maps svg > rect:not(.cursor)', (cells) =>
  cells.filter((cell) => cell.style.fill === 'transparent').length);

test('is trained without a click, soon, with no complaint and few bytes', async (t) => {
  const times = [];
  for (let i = 0; i < 3; ++i) {
    const requests = [];
    const prepare = (page) => page.on('requestfinished', (request) => requests.push(request.url()));
    await withPage(async (page) => {
      times.push(Math.round(await trainedAfter(page)));
      const said = await settled(page);
      assert.match(said, /^\d+ of 64 features, model \d+ bytes, arena \d+ bytes, certified within [\d.]+ % of optimal in \d+ ms\. \d+ of 599 held-out digits right\.$/);
      assert.deepEqual(page.complaints, []);
      assert.ok(requests.every((address) => address.startsWith(scene.server.address)), 'asks no other host');
      const bytes = i === 0 ? await compressedBytes(requests) : 0;
      if (bytes) t.diagnostic(`page and module: ${bytes} bytes compressed, in ${requests.length} files`);
      assert.ok(bytes <= 130_000);
    }, { prepare });
  }
  t.diagnostic(`first trained model on screen after ${times.join(', ')} ms`);
  assert.ok(Math.min(...times) < 2000);
});

test('the header it hands out has a self-test and the bits that Node computes', async () => {
  await withPage(async (page) => {
    await settled(page);
    const { name, text } = await downloadedHeader(page);
    assert.equal(name, 'digits.h');
    assert.match(text, /digits_self_test/);
    assert.match(text, /digits_predict/);
    const model = await trainInNode({ loss: 'squared-hinge', penalty: 'l1', lambda: 0.03, tolerance: 0.01 });
    assert.equal(text, model.toC({ name: 'digits' }));
  });
});

test('keeps less and less as lambda rises', async () => {
  await withPage(async (page) => {
    await settled(page);
    const seen = [];
    for (const share of [0.35, 0.55, 0.75, 0.9, 1]) {
      await moveSlider(page, share);
      await settled(page);
      seen.push([await kept(page), await blank(page)]);
    }
    const features = seen.map(([count]) => count);
    const blanks = seen.map(([, count]) => count);
    for (let i = 1; i < seen.length; ++i) {
      assert.ok(features[i] <= features[i - 1], `features kept: ${features}`);
      assert.ok(blanks[i] >= blanks[i - 1], `blank pixels: ${blanks}`);
    }
    assert.ok(features[0] > 35 && features.at(-1) === 0 && blanks.at(-1) === 640);
    assert.deepEqual(page.complaints, []);
  });
});

test('trains with every loss and penalty', async () => {
  await withPage(async (page) => {
    await settled(page);
    for (const loss of ['hinge', 'squared-hinge'])
      for (const penalty of ['ridge', 'group-linf', 'group-l2', 'l1']) {
        await page.check(`[name=loss][value=${loss}]`, { force: true });
        await page.check(`[name=penalty][value=${penalty}]`, { force: true });
        assert.match(await settled(page), /certified within/, `${loss}, ${penalty}`);
      }
    assert.deepEqual(page.complaints, []);
  });
});

test('the confusion matrix counts every held-out digit, and the accuracy is its diagonal', async () => {
  await withPage(async (page) => {
    await settled(page);
    const rows = await page.$$eval('#confusion tbody tr', (rows) =>
      rows.map((row) => [...row.querySelectorAll('td')].map((cell) => Number(cell.textContent) || 0)));
    assert.equal(rows.flat().reduce((a, b) => a + b), 599);
    const right = rows.reduce((sum, row, k) => sum + row[k], 0);
    assert.equal(await page.textContent('#right'), `right, ${right} of 599`);
    assert.equal(numbers(await page.textContent('#accuracy'))[0], Math.round(right / 0.599) / 10);
    assert.ok(right > 500);
  });
});

test('pixels can be read by pointer and by keyboard', async () => {
  await withPage(async (page) => {
    await settled(page);
    await page.locator('#maps svg').first().hover({ position: { x: 3, y: 3 } });
    assert.equal(await page.textContent('#readout'), 'Row 1, column 1: not used');
    await page.mouse.move(0, 0);
    await page.focus('#maps');
    await page.keyboard.press('ArrowRight');
    assert.match(await page.textContent('#readout'), /^Row 4, column 4: used by \d+ of 10 classes$/);
    await page.keyboard.press('ArrowDown');
    assert.match(await page.textContent('#readout'), /^Row 5, column 4/);
  });
});

test('dragging stays smooth, and at rest nothing runs', async (t) => {
  await withPage(async (page) => {
    await settled(page);
    const drag = await page.evaluate(async () => {
      const slider = document.querySelector('#lambda');
      let painted = 0;
      const watch = new MutationObserver(() => ++painted);
      watch.observe(document.querySelector('#time'), { childList: true });
      let longest = 0;
      let last = performance.now();
      const end = last + 2000;
      while (last < end) {
        slider.value = String(Number(slider.max) * (0.6 + 0.3 * Math.sin(last / 300)));
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        await new Promise(requestAnimationFrame);
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      }
      return { painted, longest: Math.round(longest) };
    });
    t.diagnostic(`dragging: ${drag.painted / 2} models a second on screen, longest frame ${drag.longest} ms`);
    assert.ok(drag.painted >= 4);
    await settled(page);
    await page.waitForTimeout(500);

    const session = await scene.browser.context.newCDPSession(page);
    await session.send('Performance.enable');
    const busy = async () =>
      (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration').value;
    const start = await busy();
    await page.waitForTimeout(1000);
    const spent = 1000 * ((await busy()) - start);
    t.diagnostic(`at rest: ${spent.toFixed(1)} ms of work in a second`);
    assert.ok(spent < 30);
  });
});

test('without SIMD the base module gives the same model', async () => {
  const prepare = (page) => page.addInitScript(() => (WebAssembly.validate = () => false));
  const headers = [];
  await withPage(async (page) => {
    await settled(page);
    assert.equal(await page.textContent('#engine'), 'WebAssembly, base');
    headers.push((await downloadedHeader(page)).text);
  }, { prepare });
  await withPage(async (page) => {
    await settled(page);
    assert.equal(await page.textContent('#engine'), 'WebAssembly, SIMD');
    headers.push((await downloadedHeader(page)).text);
  });
  assert.equal(headers[0], headers[1]);
});

test('says so when there is no WebAssembly', async () => {
  const prepare = (page) => page.addInitScript(() => delete globalThis.WebAssembly);
  await withPage(async (page) => {
    assert.equal(await notice(page), 'This page trains in WebAssembly, which this browser does not have or has switched off.');
    assert.ok(await page.isDisabled('#lambda'));
    await screenshot(page, 'no-webassembly');
  }, { prepare });
});

for (const [what, files, reason] of [
  ['worker', '**/worker-script-*.js', /the worker cannot run/],
  ['module', '**/*.wasm', /module cannot be loaded/],
])
  test(`says so when the ${what} does not load`, async () => {
    await withPage(async (page) => {
      assert.match(await notice(page), reason);
      assert.match(await notice(page), /^Training is not possible here: .*\. Reloading the page may help\.$/);
      assert.ok(await page.isDisabled('#lambda'));
    }, { prepare: (page) => page.route(files, (route) => route.abort()) });
  });

test('fits the screen, light and dark, wide and narrow', async () => {
  await inEveryLook(scene, '', async (page, look) => {
    await settled(page);
    await screenshot(page, `draw-${look}`);
  });
});
