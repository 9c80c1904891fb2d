// The panel Draw: what it shows, what it does when used, and what it says when it cannot work.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { drawn } from './drawn.mjs';
import { draw } from './states.mjs';
import {
  compressedBytes, downloadedHeader, drag, inEveryLook, moveSlider, nothingRuns, notice, openMore, screenshot, settled, shareHoldsDataWhenAsked, stage,
  trainedAfter, trainInNode,
} from './support.mjs';

const scene = stage();
const { withPage } = scene;

const numbers = (text) => text.match(/\d[\d,.]*/g).map((found) => Number(found.replaceAll(',', '')));
const kept = async (page) => Number(await page.textContent('#kept'));
const blank = (page) => page.$$eval('#maps svg', (maps) => 64 * maps.length - maps.flatMap((map) => [...map.querySelectorAll('rect:not(.cursor)')])
  .filter((cell) => cell.style.fill !== 'transparent').length);

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
      assert.ok(bytes <= 125_000);
    }, { prepare });
  }
  t.diagnostic(`first trained model on screen after ${times.join(', ')} ms`);
});

test('shows a model of a quarter of the samples first, and then the one of all', async () => {
  const prepare = (page) => page.addInitScript(() => {
    globalThis.endings = [];
    const look = () => endings.push(document.getElementById('ending')?.textContent);
    addEventListener('DOMContentLoaded', () => new MutationObserver(look).observe(document.body, { subtree: true, childList: true }));
  });
  await withPage(async (page) => {
    await settled(page);
    const said = (await page.evaluate(() => endings)).filter((ending, i, all) => ending && ending !== all[i - 1]);
    assert.deepEqual(said.slice(said.findIndex((ending) => ending.startsWith('from'))), ['from 300 samples, within', 'certified within']);
  }, { prepare });
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
    assert.ok(features[0] > 35 && features.at(-1) === 0 && blanks[0] < 640 && blanks.at(-1) === 640, `${features}; ${blanks}`);
    assert.deepEqual(page.complaints, []);
  });
});

test('trains with every loss and penalty', async () => {
  await withPage(async (page) => {
    await settled(page);
    await openMore(page);
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
    for (const when of ['at once', 'after the path']) {
      const { painted, frames, seconds } = await drag(page, '#lambda', '#time', 10);
      t.diagnostic(`dragging ${when}: ${(painted / seconds).toFixed(1)} models a second on screen, ${frames} frames for ${painted}`);
      assert.ok(painted >= 10, 'models are painted while the slider moves');
      await settled(page);
      await nothingRuns(page);
    }
    const slid = await settled(page);
    await moveSlider(page, 0.7); // a model of the path, then one of its own
    assert.equal(await page.getAttribute('#result', 'aria-busy'), 'true');
    const trained = await settled(page);
    assert.notEqual(trained, slid);
    await settled(page);
    await nothingRuns(page);
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

// ---- drawings

/** What is read, without the pixels that are looked at: the features that the model keeps. */
async function reading(page) {
  const [said, kept] = [await page.textContent('#reading'), await page.textContent('#kept')];
  return said.replace(new RegExp(`^tamis (reads .*), looking at ${kept} of 64 pixels$`), '$1');
}
const add = (page, name) => page.click(`#add [data-class="${name}"]`);
const drawings = (page) => page.$$eval('#drawings button', (all) => all.map((button) => button.getAttribute('aria-label')));
const ink = (page) => page.$$eval('#cells .ink', (cells) => cells.map((cell) => 16 * Number(cell.style.fillOpacity)));

test('what is drawn is recognised, while it is drawn, after undo and redo, and by touch', async () => {
  await withPage(async (page) => {
    await settled(page);
    await page.locator('#reading', { hasText: 'tamis reads 3, looking at 38 of 64 pixels' }).waitFor(); // a digit draws itself
    await nothingRuns(page);
    assert.ok((await ink(page)).length > 10);
    assert.ok(await page.isDisabled('#undo') && await page.isDisabled('#wipe'));
    for (const [digit, strokes] of drawn.entries()) {
      await draw(page, strokes);
      assert.equal(await reading(page), `reads ${digit}`);
      const scores = await page.$$eval('#scores li', (all) => all.map((row) => [row.querySelector('b').textContent, row.className]));
      assert.deepEqual(scores.filter(([, look]) => look === 'best').map(([name]) => name), [String(digit)]);
      const counts = await ink(page);
      assert.ok(counts.slice(0, 8).some(Boolean) && counts.slice(-8).some(Boolean), 'as high as the bitmap');
      assert.ok(Math.abs(counts.reduce((a, b) => a + b) - 312) < 40, 'as much ink as the digits have');
      await page.click('#wipe');
      assert.equal(await reading(page), 'with mouse, pen or finger');
    }
    await draw(page, drawn[4]); // two strokes
    await page.click('#undo');
    assert.notEqual(await reading(page), 'with mouse, pen or finger');
    await page.click('#undo');
    assert.equal(await reading(page), 'with mouse, pen or finger');
    await page.click('#redo');
    await page.focus('#cells');
    await page.keyboard.press('Control+y');
    assert.equal(await reading(page), 'reads 4');
    assert.ok(await page.isDisabled('#redo'));
    await page.click('#wipe');
    const box = await page.locator('#pad').boundingBox();
    const session = await scene.browser.context.newCDPSession(page);
    const touch = (type, ...at) => session.send('Input.dispatchTouchEvent', { type, touchPoints: at.map(([x, y]) => ({ x: box.x + box.width * x, y: box.y + box.height * y })) });
    const [stroke] = drawn[0];
    await touch('touchStart', stroke.slice(0, 2));
    for (let i = 2; i < stroke.length; i += 2) await touch('touchMove', stroke.slice(i, i + 2));
    assert.equal(await reading(page), 'reads 0', 'before the finger is lifted');
    await touch('touchEnd');
    assert.equal(await reading(page), 'reads 0');
    assert.deepEqual(page.complaints, []);
  });
});

test('drawings are collected, trained on, taken away and undone', async () => {
  await withPage(async (page) => {
    await settled(page);
    await moveSlider(page, 0.45);
    const before = await settled(page);
    await page.focus('#add [data-class="1"]');
    await page.keyboard.press('Enter');
    assert.equal(await page.textContent('#drawing-status'), 'There is nothing to add: draw first.');
    await draw(page, drawn[7]);
    await add(page, 1); // a seven that is said to be a one, five times
    for (let i = 0; i < 5; ++i) {
      await draw(page, drawn[7]);
      await add(page, 1);
    }
    assert.equal(await page.textContent('#drawing-status'), 'Added to class 1, which has 6 drawings.');
    assert.equal((await drawings(page)).length, 6);
    const taught = await settled(page);
    assert.notEqual(taught.split(', certified')[0], before.split(', certified')[0]);
    await draw(page, drawn[7]);
    assert.equal(await reading(page), 'reads 1');
    await page.click('#wipe');
    await page.click('#drawings button');
    assert.equal((await drawings(page)).length, 5);
    for (let i = 0; i < 3; ++i) await page.click('#undo'); // taken away, wiped, and drawn
    assert.equal((await drawings(page)).length, 6);
    while (await page.isEnabled('#undo')) await page.click('#undo');
    assert.deepEqual(await drawings(page), []);
    assert.equal((await settled(page)).replace(/\d+ ms/, ''), before.replace(/\d+ ms/, ''));
    assert.deepEqual(page.complaints, []);
  });
});

test('drawings alone make classes of their own, and come back from their link', async (t) => {
  let link, said;
  const line = (y) => [[0.2, y, 0.8, y]], ring = [drawn[0][0]];
  await withPage(async (page) => {
    await settled(page);
    await page.check('[name=base][value=drawings]', { force: true });
    assert.equal(await reading(page), 'Training needs drawings of two classes: draw one, and add it to a class.');
    for (const name of ['ring', 'dash']) {
      await page.fill('#new-class', name);
      await page.press('#new-class', 'Enter');
    }
    await page.fill('#new-class', 'ring');
    await page.press('#new-class', 'Enter');
    assert.equal(await page.textContent('#drawing-status'), 'There is a class ring already.');
    await draw(page, ring);
    await add(page, 'ring');
    assert.equal(await reading(page), 'Training needs drawings of two classes: draw one of another class.');
    await draw(page, line(0.5));
    await add(page, 'dash');
    said = await settled(page);
    assert.match(said, /2 of 2 drawings right\.$/);
    t.diagnostic(said);
    assert.equal(await page.locator('#maps figure').count(), 2);
    const { name: file, text } = await downloadedHeader(page);
    assert.equal(file, 'drawings.h');
    assert.match(text, /int drawings_predict\(/);
    const [button, example] = await page.$$eval('#download, #take-home-code', (all) => all.map((one) => one.textContent).reverse());
    assert.match(button, /^Download drawings\.h/);
    assert.doesNotMatch(example, /digits/);
    assert.match(example, /#include "drawings\.h"[^]* = drawings_predict\(pixels\);/);
    await draw(page, line(0.3));
    assert.equal(await reading(page), 'reads dash');
    await page.click('#wipe');
    await draw(page, [[0.6, 0.3, 0.4, 0.3, 0.35, 0.6, 0.6, 0.65, 0.62, 0.32]]);
    assert.equal(await reading(page), 'reads ring');
    await nothingRuns(page);
    const held = (address) => JSON.parse(inflateRawSync(Buffer.from(address.split('?1=')[1], 'base64url')));
    assert.equal(held(page.url()).drawings, undefined, 'no drawing in the address');
    await page.click('#share');
    await page.getByLabel('with the data: 2 drawings and the names of classes').check();
    await page.locator('#sharing-says', { hasText: 'Whoever has the link has the data' }).waitFor();
    link = await page.inputValue('#sharing-link');
    assert.equal(held(link).drawings.drawings.length, 2);
  });
  await withPage(async (page) => {
    assert.equal((await settled(page)).replace(/\d+ ms/, ''), said.replace(/\d+ ms/, ''));
    assert.equal(page.url(), link);
    await shareHoldsDataWhenAsked(page, '2 drawings and the names of classes', ({ drawings }) => drawings);
    assert.deepEqual(await drawings(page), ['Remove drawing 1 of class dash', 'Remove drawing 1 of class ring']);
    assert.ok(await page.isChecked('[name=base][value=drawings]'));
    assert.deepEqual(page.complaints, []);
  }, { at: new URL(link).hash });
  const broken = { loss: 'hinge', penalty: 'l1', tolerance: 0.01, share: 0.5, drawings: { digits: true, named: [], drawings: [['7', 'abc']] } };
  await withPage(async (page) => {
    assert.equal(await notice(page), 'The link has a drawing that cannot be read. The page starts as usual.');
    assert.match(await settled(page), /certified within/);
  }, { at: `#draw?1=${deflateRawSync(JSON.stringify(broken)).toString('base64url')}` });
});

test('drawings alone with one class: the hint has room, and nothing of the model before is on screen', async () => {
  for (const [width, height] of [[1280, 900], [390, 844], [320, 640]])
    await withPage(async (page) => {
      await settled(page);
      await page.fill('#new-class', 'ring');
      await page.press('#new-class', 'Enter');
      await draw(page, [drawn[0][0]]);
      await add(page, 'ring');
      await settled(page);
      await page.check('[name=base][value=drawings]', { force: true });
      await settled(page);
      assert.equal(await reading(page), 'Training needs drawings of two classes: draw one of another class.');
      const [title, hint] = await page.evaluate(() => ['drawing-title', 'reading'].map((id) => {
        const range = document.createRange();
        range.selectNodeContents(document.querySelector(`#${id}`));
        return range.getBoundingClientRect().toJSON();
      }));
      assert.ok(hint.left >= 0 && hint.right <= width, JSON.stringify(hint));
      assert.ok(hint.top >= title.bottom || hint.left >= title.right, 'the hint is beside its heading, or below it');
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      assert.deepEqual(await page.$$eval('#result b, #arena-bytes, #accuracy', (all) => all.map((one) => one.textContent)), Array(6).fill('–'));
      assert.deepEqual(await page.$$eval('#confusion td', (cells) => cells.map((cell) => cell.textContent).join('')), '');
      assert.equal(await page.locator('#objective-curve *, #gap-curve *').count(), 0);
      await screenshot(page, `draw-one-class-${width}`);
      await page.check('[name=base][value=digits]', { force: true });
      assert.match(await settled(page), /held-out digits right\.$/);
    }, { prepare: (page) => page.setViewportSize({ width, height }) });
});

test('the keyboard alone paints pixels, adds them to a class and trains', async () => {
  await withPage(async (page) => {
    await settled(page);
    await page.focus('#cells');
    for (let i = 0; i < 3; ++i) await page.keyboard.press('ArrowUp');
    for (let i = 0; i < 8; ++i) {
      for (const key of [' ', 'ArrowRight', 'Enter', 'ArrowLeft', 'ArrowDown']) await page.keyboard.press(key);
    }
    for (const left of [16, 0, 16]) {
      assert.equal(await page.textContent('#cell-readout'), `Row 8, column 4: ink ${left} of 16`);
      await page.keyboard.press(' ');
    }
    await page.keyboard.press(' ');
    const counts = await ink(page);
    assert.deepEqual(counts.flatMap((count, j) => (count > 0 ? [j % 8] : [])), Array.from({ length: 8 }, () => [3, 4]).flat());
    assert.equal(await reading(page), 'reads 1');
    await page.focus('#add [data-class="1"]');
    await page.keyboard.press('Enter');
    assert.deepEqual(await drawings(page), ['Remove drawing 1 of class 1']);
    assert.equal(await page.evaluate(() => document.activeElement.dataset.class), '1', 'the focus stays');
    await settled(page);
    assert.deepEqual(page.complaints, []);
  });
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
  ['module', '**/*.wasm', /module of squared-hinge cannot be loaded/],
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
    await page.locator('#reading[data-reads]').waitFor();
    await nothingRuns(page);
    const bottom = await page.evaluate(() => document.querySelector('#lambda').getBoundingClientRect().bottom);
    assert.ok(bottom <= (await page.viewportSize()).height, `the first screen has pad and slider: ${bottom} in ${look}`);
    await screenshot(page, `draw-${look}`);
  });
});
