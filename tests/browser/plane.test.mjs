// The panel Plane: points by pointer and by keyboard, the models of them, and the regions in the colours of the classes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  drag, inEveryLook, loadPackage, moveSlider, nothingRuns, notice, planeSettled, screenshot, showKernels, stage,
} from './support.mjs';

const scene = stage();
const { withPage } = scene;
const at = '#plane';

const numbers = (text) => text.match(/\d[\d,.]*/g).map((found) => Number(found.replaceAll(',', '')));
const marks = (page) => page.locator('#stage .mark').count();
const press = async (page, ...keys) => {
  for (const key of keys) await page.keyboard.press(key);
};
const choose = (page, name, value) => page.check(`[name=${name}][value="${value}"]`, { force: true });

/** Clicks a place of the plane, which reaches from −1 to 1. */
async function click(page, x, y, options) {
  const box = await page.locator('#stage').boundingBox();
  await page.locator('#stage svg').click({ position: { x: (box.width * (x + 1)) / 2, y: (box.height * (1 - y)) / 2 }, ...options });
}

/** The colours of places of the plane. */
const colours = (page, places) => page.$eval('#stage canvas', (canvas, places) => {
  const copy = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
  const context = copy.getContext('2d', { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  const at = (share) => Math.min(canvas.width - 1, Math.floor(canvas.width * share));
  return places.map(([x, y]) => [...context.getImageData(at((x + 1) / 2), at((1 - y) / 2), 1, 1).data].slice(0, 3));
}, places);
/** Which of red, green and blue is the strongest: classes 1, 2 and 3 are blue, orange and green. */
const hue = ([red, green, blue]) => ['orange', 'green', 'blue'][[red, green, blue].indexOf(Math.max(red, green, blue))];
const corners = [[-0.9, 0.9], [0.9, 0.9], [-0.9, -0.9], [0.9, -0.9]];

/** The points on screen. */
const pointsOn = (page) => page.$$eval('#stage .mark', (all) => all.map((mark) => {
  const [x, y] = mark.getAttribute('transform').match(/-?[\d.]+/g).map(Number);
  return { x: [x, 0 - y], y: Number(mark.getAttribute('class').match(/\d/)) };
}));

test('is trained when it is shown, and says how well', async () => {
  await withPage(async (page) => {
    assert.match(await planeSettled(page),
      /^\d+ of 100 points right, \d+ of 100 samples, 3 of 3 kernels, certified within [\d.]+ % of optimal in [\d.]+ ms\.$/);
    assert.equal(await marks(page), 100);
    assert.equal(await page.locator('#relevances figure').count(), 3);
    const [left, right] = await colours(page, [[-0.9, 0.5], [0.9, -0.5]]);
    assert.deepEqual([hue(left), hue(right)], ['blue', 'orange']);
    assert.deepEqual(page.complaints, []);
  }, { at });
});

test('a click places a point and trains; undo, redo and clear', async () => {
  await withPage(async (page) => {
    await planeSettled(page);
    await page.click('#plane-clear');
    assert.equal(await marks(page), 0);
    assert.equal(await page.textContent('#plane-status'), 'Place points of two classes.');
    assert.deepEqual(await colours(page, [[0, 0]]), [[0, 0, 0]], 'no regions');
    await choose(page, 'kind', 'linear');
    await click(page, -0.5, 0.2);
    assert.equal(await page.textContent('#plane-status'), 'Place points of two classes.');
    await choose(page, 'label', 1);
    await click(page, 0.5, 0.2);
    assert.match(await planeSettled(page), /^2 of 2 points right, 1 of 2 terms/);
    let [west, east] = await colours(page, [[-0.8, 0], [0.8, 0]]);
    assert.deepEqual([hue(west), hue(east)], ['blue', 'orange']);
    await choose(page, 'label', 2);
    await click(page, 0, -0.9);
    assert.match(await planeSettled(page), /^3 of 3 points right/);
    assert.equal(hue((await colours(page, [[0, -0.95]]))[0]), 'green');
    await page.click('#plane-undo');
    assert.match(await planeSettled(page), /^2 of 2 points right/);
    await page.click('#plane-undo');
    assert.equal(await marks(page), 1);
    await page.click('#plane-redo');
    await page.click('#plane-redo');
    assert.match(await planeSettled(page), /^3 of 3 points right/);
    assert.ok(await page.isDisabled('#plane-redo'));
    await click(page, -0.49, 0.2, { button: 'right' });
    assert.equal(await marks(page), 2);
    await choose(page, 'label', '');
    await click(page, 0, -0.88);
    assert.equal(await marks(page), 1);
    assert.deepEqual(page.complaints, []);
  }, { at });
});

test('a swipe over the plane scrolls and places nothing, a tap places, and points are dragged by mouse and by finger', async () => {
  await withPage(async (page) => {
    await planeSettled(page);
    await page.click('#examples [value=blobs]');
    await planeSettled(page);
    assert.equal(await page.textContent('#place'), 'Click or tap to place a point, drag one to move it.');
    await page.locator('#stage').scrollIntoViewIfNeeded();
    const at = async (x, y) => {
      const box = await page.locator('#stage').boundingBox();
      return { x: box.x + (box.width * (x + 1)) / 2, y: box.y + (box.height * (1 - y)) / 2 };
    };
    const session = await scene.browser.context.newCDPSession(page);
    const touch = (type, ...touchPoints) => session.send('Input.dispatchTouchEvent', { type, touchPoints });
    const swipe = async (from, to) => {
      await touch('touchStart', from);
      for (let i = 1; i <= 8; ++i) await touch('touchMove', { x: from.x + ((to.x - from.x) * i) / 8, y: from.y + ((to.y - from.y) * i) / 8 });
      await touch('touchEnd');
    };
    const before = await pointsOn(page);
    const empty = [0.9, 0.9];
    const scrolled = await page.evaluate(() => scrollY);
    const from = await at(...empty);
    await swipe(from, { x: from.x - 5, y: from.y - 120 });
    await page.waitForFunction((scrolled) => scrollY > scrolled, scrolled);
    assert.deepEqual(await pointsOn(page), before);
    await page.waitForFunction(() => new Promise((resolve) => { // until the page has come to rest
      const top = scrollY;
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(scrollY === top)));
    }));
    const place = await at(...empty);
    await touch('touchStart', place);
    await touch('touchEnd');
    assert.equal((await pointsOn(page)).length, before.length + 1);
    await page.click('#plane-undo');
    await planeSettled(page);

    const moved = async (to) => {
      const all = await pointsOn(page);
      assert.equal(all.length, before.length);
      assert.deepEqual(all.slice(1), before.slice(1));
      assert.ok(Math.hypot(all[0].x[0] - to[0], all[0].x[1] - to[1]) < 0.03, JSON.stringify(all[0]));
    };
    const target = [-0.8, -0.9];
    const [start, end] = [await at(...before[0].x), await at(...target)];
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(end.x, end.y, { steps: 5 });
    await moved(target); // before it is let go
    await page.mouse.up();
    await moved(target);
    assert.match(await planeSettled(page), /of 105 points right/);
    await page.click('#plane-undo');
    assert.deepEqual(await pointsOn(page), before);
    await swipe(await at(...before[0].x), await at(...target));
    await moved(target);
    assert.deepEqual(page.complaints, []);
  }, { at, prepare: (page) => page.setViewportSize({ width: 390, height: 844 }) });
});

test('the keyboard alone places points, chooses classes, removes and undoes', async () => {
  await withPage(async (page) => {
    await planeSettled(page);
    await page.focus('#plane-clear');
    await press(page, 'Enter');
    await page.focus('#stage');
    await press(page, 'ArrowLeft', 'ArrowLeft', ' ', '2', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'Shift+ArrowUp', 'Enter');
    assert.match(await planeSettled(page), /^2 of 2 points right/);
    assert.deepEqual(await pointsOn(page), [{ x: [-0.2, 0], y: 0 }, { x: [0.1, 0.02], y: 1 }]);
    assert.equal(await page.textContent('#place'), 'x₁ = 0.10, x₂ = 0.02: class 2');
    await press(page, 'Delete');
    assert.equal(await marks(page), 1);
    await press(page, 'Control+z');
    assert.equal(await marks(page), 2);
    await press(page, 'Control+Shift+z');
    assert.equal(await marks(page), 1);
  }, { at });
});

test('regions and what is kept follow the model', async () => {
  await withPage(async (page) => {
    await planeSettled(page);
    await page.click('#examples [value=xor]');
    await choose(page, 'kind', 'linear');
    const [right] = numbers(await planeSettled(page));
    assert.ok(right < 70, `a line does not part XOR: ${right} of 96`);
    const linear = await colours(page, corners);
    await choose(page, 'kind', 'interactions');
    await choose(page, 'hierarchy', 'full');
    await moveSlider(page, 0.5, '#plane-lambda');
    const lambda = 0.0001 * 100_000 ** 0.5;
    assert.match(await planeSettled(page), /^96 of 96 points right, 1 of 5 terms/);
    const crossed = await colours(page, corners);
    assert.deepEqual(crossed.map(hue), ['orange', 'blue', 'blue', 'orange']);
    assert.notDeepEqual(crossed, linear);
    assert.deepEqual(await page.$$eval('#terms tbody tr', (rows) => rows.filter((row) => row.querySelector('.for')).map((row) => row.querySelector('th').textContent)), ['x₁·x₂']);

    const points = await pointsOn(page);
    const tamis = await loadPackage();
    for (const hierarchy of ['weak', 'strong', 'main']) {
      await choose(page, 'hierarchy', hierarchy);
      const said = numbers(await planeSettled(page));
      const model = await tamis.trainInteractions({ X: points.map(({ x }) => x), y: points.map(({ y }) => y), hierarchy, lambda, tolerance: 0.01 });
      assert.equal(said[2], new Set(model.terms.map(({ features }) => features.join())).size, hierarchy);
      assert.equal(said[0], points.filter(({ x, y }) => model.predict(x) === y).length);
    }
    await choose(page, 'kind', 'kernels');
    for (const norm of ['211', '212', '111', '122', '121', '221']) {
      await choose(page, 'plane-norm', norm);
      const said = numbers(await planeSettled(page));
      const [p, q, r] = [...norm].map(Number);
      const model = await tamis.trainKernels({ X: points.map(({ x }) => x), y: points.map(({ y }) => y), kernels: ['linear', 'gaussian:0.15', 'gaussian:0.5'],
        p, q, r, lambda, intercept: true, tolerance: 0.01, maxIterations: 20_000 });
      assert.deepEqual([said[2], said[4]], [model.keptSamples.length, model.keptKernels.length], norm);
      const shown = await page.$$eval('#relevances figure', (all) => all.map((figure) => figure.querySelectorAll('.mark').length));
      assert.deepEqual(shown, ['linear', 'gaussian:0.15', 'gaussian:0.5'].map((kernel) => model.terms.filter((term) => term.kernel === kernel).length), norm);
    }
    await moveSlider(page, 1, '#plane-lambda');
    await choose(page, 'plane-norm', '111');
    assert.match(await planeSettled(page), /0 of 96 samples, 0 of 3 kernels/);
    for (const box of await page.locator('[name=plane-kernel]').all()) await box.setChecked(false, { force: true });
    assert.equal(await page.textContent('#plane-error'), 'Choose at least one kernel.');
    assert.deepEqual(page.complaints, []);
  }, { at });
});

test('the points and the model come back from their link, and what is wrong with one is told', async () => {
  let link, said, points;
  await withPage(async (page) => {
    await planeSettled(page);
    await page.click('#plane-clear');
    for (const [label, x, y] of [[0, -0.5, 0.5], [1, 0.3, 0.1], [4, 0.8, -0.7]]) {
      await choose(page, 'label', label);
      await click(page, x, y);
    }
    await choose(page, 'kind', 'interactions');
    await choose(page, 'hierarchy', 'weak');
    await moveSlider(page, 0.3, '#plane-lambda');
    said = await planeSettled(page);
    points = await pointsOn(page);
    await nothingRuns(page);
    link = page.url();
  }, { at });
  await withPage(async (page) => {
    const untimed = (text) => text.replace(/[\d.]+ ms/, '');
    assert.equal(untimed(await planeSettled(page)), untimed(said));
    assert.deepEqual(await pointsOn(page), points);
    assert.ok(await page.isChecked('[name=hierarchy][value=weak]'));
  }, { at: new URL(link).hash });
  await withPage(async (page) => {
    assert.equal(await notice(page, 'plane'), 'The link does not say what is in the plane. This part starts as usual.');
    assert.match(await planeSettled(page), /of 100 points right/);
  }, { at: `#plane?1=${(await import('node:zlib')).deflateRawSync(JSON.stringify({ points: '0zz00', kind: 'linear' })).toString('base64url')}` });
});

test('plays the path from where nothing is kept down to lambda, stops on the way, and ends with the model that was there', async () => {
  await withPage(async (page) => {
    for (const kind of ['kernels', 'linear']) {
      await choose(page, 'kind', kind);
      const untimed = (text) => text.replace(/[\d.]+ ms/, '');
      const before = untimed(await planeSettled(page));
      const lambda = Number(await page.textContent('#plane-lambda-value'));
      await nothingRuns(page);
      const link = page.url();
      await page.evaluate(() => {
        globalThis.seen = [];
        const text = (id) => document.querySelector(id).textContent;
        globalThis.watch = new MutationObserver(() => seen.push({ lambda: Number(text('#plane-lambda-value')), kept: parseInt(text('#plane-kept')),
          most: Number(text('#plane-lambda-max').match(/[\d.]+/)[0]), button: text('#plane-play') }));
        watch.observe(document.querySelector('#plane-time'), { childList: true });
      });
      await page.click('#plane-play');
      assert.equal(untimed(await planeSettled(page)), before);
      const seen = await page.evaluate(() => (watch.disconnect(), seen));
      assert.ok(seen.length >= 10 && seen.length <= 42, `${seen.length} models`);
      assert.ok(seen[0].lambda >= seen[0].most && seen[0].kept === 0, JSON.stringify(seen[0]));
      seen.slice(1).forEach((one, i) => assert.ok(one.lambda < seen[i].lambda, `${one.lambda} after ${seen[i].lambda}`));
      assert.equal(seen.at(-1).lambda, lambda);
      assert.ok(seen.at(-1).kept > 0);
      assert.equal(seen[0].button, 'Stop playing');
      assert.equal(await page.textContent('#plane-play'), 'Play the path');
      await nothingRuns(page);
      assert.equal(page.url(), link);
    }
    const lambda = await page.textContent('#plane-lambda-value');
    await page.click('#plane-play');
    await page.locator('#plane-play', { hasText: 'Stop playing' }).waitFor();
    await page.click('#plane-play');
    await planeSettled(page);
    await nothingRuns(page);
    assert.notEqual(await page.textContent('#plane-lambda-value'), lambda);
    await page.click('#plane-play');
    await page.click('#examples [value=xor]');
    assert.match(await planeSettled(page), /of 96 points right/);
    await nothingRuns(page);
    assert.equal(await page.textContent('#plane-play'), 'Play the path');
    await page.click('#plane-clear');
    assert.ok(await page.isDisabled('#plane-play'));
    assert.deepEqual(page.complaints, []);
  }, { at });
});

test('noise scatters the points of an example, and points held out are not trained on', async () => {
  let link;
  await withPage(async (page) => {
    await planeSettled(page);
    const usual = await pointsOn(page);
    const slide = (name, value) => moveSlider(page, value / 50, `#plane-${name}`);
    await slide('noise', 0);
    assert.match(await planeSettled(page), /^100 of 100 points right/);
    const still = await pointsOn(page);
    await slide('noise', 50);
    await planeSettled(page);
    const scattered = await pointsOn(page);
    const distance = (a, b) => a.reduce((sum, { x }, i) => sum + Math.hypot(x[0] - b[i].x[0], x[1] - b[i].x[1]), 0);
    assert.ok(distance(scattered, still) > 2 * distance(usual, still) && distance(usual, still) > 1);
    await page.click('#plane-undo');
    assert.deepEqual(await pointsOn(page), still);
    assert.equal(await page.inputValue('#plane-noise'), '0');
    await slide('noise', 20);
    assert.deepEqual(await pointsOn(page), usual);

    assert.equal(await page.textContent('#plane-held-value'), 'none');
    assert.ok(await page.isHidden('#plane-test-right'));
    await slide('noise', 50);
    await slide('held', 30);
    const [right, trained, testRight, tested] = numbers(await planeSettled(page));
    assert.equal(trained + tested, 100);
    assert.ok(tested > 25 && tested < 35, `${tested} held out`);
    assert.equal(await page.textContent('#plane-test-right'), `${testRight} of ${tested}`);
    const rims = await page.$$eval('#stage .mark', (all) => all.map((mark) => mark.classList.contains('held-out')));
    assert.equal(rims.filter(Boolean).length, tested);
    const points = (await pointsOn(page)).map((point, i) => ({ ...point, out: rims[i] }));
    const [training, test] = [points.filter(({ out }) => !out), points.filter(({ out }) => out)];
    for (const part of [training, test]) assert.ok(Math.abs(part.filter(({ y }) => y === 0).length - part.length / 2) <= 2);
    const tamis = await loadPackage();
    const model = await tamis.trainKernels({ X: training.map(({ x }) => x), y: training.map(({ y }) => y), kernels: ['linear', 'gaussian:0.15', 'gaussian:0.5'],
      p: 2, q: 1, r: 1, lambda: 0.01, intercept: true, tolerance: 0.01, maxIterations: 20_000 });
    const rightOf = (part) => part.filter(({ x, y }) => model.predict(x) === y).length;
    assert.deepEqual([right, testRight], [rightOf(training), rightOf(test)]);
    await nothingRuns(page);
    link = page.url();
    await click(page, -0.9, 0.9);
    assert.ok(await page.isDisabled('#plane-noise'), 'these are no longer the points of an example');
    await planeSettled(page);
    assert.deepEqual(page.complaints, []);
  }, { at });
  await withPage(async (page) => {
    assert.match(await planeSettled(page), /held out right/);
    assert.deepEqual([await page.inputValue('#plane-noise'), await page.inputValue('#plane-held')], ['50', '30']);
  }, { at: new URL(link).hash });
});

test('takes three hundred points and no more', async () => {
  await withPage(async (page) => {
    await planeSettled(page);
    await choose(page, 'kind', 'linear');
    await page.focus('#stage');
    for (let i = 0; i < 201; ++i) await page.keyboard.press(' ');
    assert.equal(await marks(page), 300);
    assert.equal(await notice(page, 'plane'), '300 points are the most: training with kernels takes the cube of them.');
    await page.click('#plane-undo');
    assert.equal(await marks(page), 299);
    assert.ok(await page.isHidden('#notice-plane'));
  }, { at });
});

test('dragging lambda leaves the page responsive, and at rest nothing runs', async (t) => {
  await withPage(async (page) => {
    await planeSettled(page);
    const { painted, frames, seconds } = await drag(page, '#plane-lambda', '#plane-time', 10);
    t.diagnostic(`${(painted / seconds).toFixed(1)} models a second, ${frames} frames for ${painted}`);
    assert.ok(painted >= 10);
    await planeSettled(page);
    await nothingRuns(page);
  }, { at });
});

test('fits the screen, light and dark, wide and narrow', async () => {
  await inEveryLook(scene, at, async (page, look) => {
    await planeSettled(page);
    await page.click('#examples [value=blobs]');
    await planeSettled(page);
    await showKernels(page);
    await screenshot(page, `plane-${look}`);
  });
});
