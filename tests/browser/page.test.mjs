// The demo page in a browser: what it shows, what it does when used, and what it says when it cannot work.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { groups, split } from '../../web/src/titanic.js';
import {
  chooseKernels, compressedBytes, downloadedHeader, kernelsSettled, moveSlider, normOnScreenAfter, openBrowser, openPage, screenshot,
  serve, settled, showKernels, trainInNode, trainKernelsInNode, trainedAfter,
} from './support.mjs';

let server, browser;
before(async () => {
  [server, browser] = await Promise.all([serve(), openBrowser()]);
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** A page, loaded, that is closed after `use`. */
async function withPage(use, options) {
  const page = await openPage(browser.context, options);
  try {
    await page.goto(server.address);
    await use(page);
  } finally {
    await page.close();
  }
}

const numbers = (text) => text.match(/\d[\d,.]*/g).map((found) => Number(found.replaceAll(',', '')));
const kept = async (page) => Number(await page.textContent('#kept'));
const blank = (page) => page.$$eval('#maps svg > rect:not(.cursor)', (cells) =>
  cells.filter((cell) => cell.style.fill === 'transparent').length);
/** Kernel, samples that it keeps, and how many are drawn. */
const terms = (page) => page.$$eval('#kept-terms tbody tr', (rows) => rows.map((row) =>
  [row.querySelector('th').textContent, Number(row.querySelectorAll('td')[1].textContent), row.querySelectorAll('rect').length]));
const moveKernelSlider = (page, share) => moveSlider(page, share, '#kernel-lambda');
const notice = (page) => page.locator('#notice').textContent();

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
      assert.ok(requests.every((address) => address.startsWith(server.address)), 'asks no other host');
      const bytes = i === 0 ? await compressedBytes(requests) : 0;
      if (bytes) t.diagnostic(`page and module: ${bytes} bytes compressed, in ${requests.length} files`);
      assert.ok(bytes <= 120_000);
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

    const session = await browser.context.newCDPSession(page);
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
    await page.locator('#kernels').scrollIntoViewIfNeeded();
    await page.locator('#kernel-notice').waitFor();
    assert.match(await page.textContent('#kernel-notice'), /^Training with kernels is not possible here: WebAssembly is absent/);
    assert.ok(await page.isDisabled('#kernel-lambda'));
    await screenshot(page, 'no-webassembly');
  }, { prepare });
});

for (const [what, files, reason] of [
  ['worker', '**/worker-script-*.js', /the worker cannot run/],
  ['module', '**/*.wasm', /module cannot be loaded/],
])
  test(`says so when the ${what} does not load`, async () => {
    await withPage(async (page) => {
      await page.locator('#notice').waitFor();
      assert.match(await notice(page), reason);
      assert.match(await notice(page), /^Training is not possible here: .*\. Reloading the page may help\.$/);
      assert.ok(await page.isDisabled('#lambda'));
    }, { prepare: (page) => page.route(files, (route) => route.abort()) });
  });

test('kernels: loaded once they are in sight, few bytes, and the model that Node computes', async (t) => {
  const requests = [];
  const prepare = (page) => page.on('requestfinished', (request) => requests.push(request.url()));
  await withPage(async (page) => {
    await settled(page);
    const before = requests.length;
    assert.ok(requests.every((address) => !/kernel/.test(address)));
    const said = await showKernels(page);
    const bytes = await compressedBytes(requests.slice(before));
    t.diagnostic(`kernels: ${bytes} bytes compressed more, in ${requests.length - before} files`);
    assert.ok(bytes <= 60_000);
    const drawn = split(150, 1);
    const model = await trainKernelsInNode(
      { kernels: ['linear', 'gaussian:0.1', 'gaussian:100'], p: 2, q: 1, r: 1, lambda: 0.1 }, drawn);
    const right = ({ X, y }) => model.predictAll(X).filter((label, i) => label === y[i]).length;
    const found = numbers(said);
    assert.deepEqual(found.slice(0, 4), [model.keptSamples.length, 150, model.keptKernels.length, 3]);
    assert.ok(found[4] <= 0.01 && found[4] > 0, said);
    assert.deepEqual(found.slice(6), [right(drawn.test), 2051, right(drawn.training), 150]);
    assert.ok(right(drawn.test) > 1500);
    assert.deepEqual(await terms(page), ['linear', 'gaussian:0.1', 'gaussian:100'].map((kernel) => {
      const of = model.terms.filter((term) => term.kernel === kernel);
      return [kernel, of.length, of.length];
    }));
    assert.deepEqual(page.complaints, []);
  }, { prepare });
});

test('kernels: the people are those of the published table, and what is predicted for them is what is counted', async () => {
  const sum = (of) => groups.reduce((total, group) => total + of(group), 0);
  assert.deepEqual([sum(({ died }) => died), sum(({ survived }) => survived)], [1490, 711]);
  assert.deepEqual([1, 2, 3, 4].map((travel) => sum((group) => (group.travel === travel ? group.died + group.survived : 0))),
    [325, 285, 706, 885]);
  await withPage(async (page) => {
    await showKernels(page);
    const cells = await page.$$eval('#people td[class]', (cells) => cells.map(({ className, textContent }) => [className, textContent]));
    assert.equal(cells.length, 14);
    const all = cells.map(([kind, text]) => [kind, ...numbers(text)]);
    assert.equal(all.reduce((total, [, survived]) => total + survived, 0), 711);
    const right = all.reduce((total, [kind, survived, on_board]) => total + (kind === 'survives' ? survived : on_board - survived), 0);
    const [ofOthers, , ofTrained] = numbers(await page.textContent('#kernel-status')).slice(-4);
    assert.equal(ofOthers + ofTrained, right);
  });
});

test('kernels: every norm keeps what its name says', async () => {
  await withPage(async (page) => {
    await showKernels(page);
    for (const kernel of ['laplacian:1', 'sigmoid:0.5,-1']) await page.check(`[name=kernel][value="${kernel}"]`, { force: true });
    await moveKernelSlider(page, 0.5);
    const kept = {};
    let samples;
    for (const norm of ['211', '212', '111', '122', '121', '221']) {
      await page.check(`[name=norm][value="${norm}"]`, { force: true });
      assert.match(await kernelsSettled(page), /certified within 0\.0\d* %/, norm);
      kept[norm] = await terms(page);
      if (norm === '211') samples = Number(await page.textContent('#kernel-samples'));
    }
    const pairs = (norm) => kept[norm].reduce((total, [, count]) => total + count, 0);
    const all = kept[221].every(([, count]) => count === 150);
    assert.ok(all, 'all keeps all');
    assert.ok(samples > 0 && samples < 20, `few samples: ${samples}`);
    assert.ok(kept[211].every(([, count]) => count > samples / 2), `the same of all kernels: ${kept[211]}`);
    const kernels = kept[212].map(([, count]) => count);
    assert.ok(kernels.every((count) => count === 150 || count === 0) && kernels.includes(0), `all samples of few kernels: ${kernels}`);
    assert.ok(pairs(111) < pairs(211) && pairs(111) < pairs(212), 'few of both');
    assert.ok(kept[122].every(([, count]) => count > 0 && count < 75), 'few samples in each kernel');
    assert.ok(pairs(121) >= 150 && pairs(121) < 5 * 150, 'few kernels in each sample');
    assert.deepEqual(page.complaints, []);
  });
});

test('kernels: keep nothing at the end of the slider, the last of many lambdas, and draw others', async () => {
  await withPage(async (page) => {
    const first = await showKernels(page);
    await moveKernelSlider(page, 1);
    assert.match(await kernelsSettled(page), /^0 of 150 samples and 0 of 3 kernels kept/);
    assert.match(await page.textContent('#kernel-lambda-max'), /^nothing is kept from 3\.\d+ on$/);
    await page.evaluate(async () => {
      const slider = document.querySelector('#kernel-lambda');
      for (let i = 0; i < 60; ++i) {
        slider.value = String(250 * Math.abs(Math.sin(i)));
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        await new Promise(requestAnimationFrame);
      }
    });
    await moveKernelSlider(page, 0.4);
    const same = await kernelsSettled(page);
    const untimed = (said) => said.replace(/[\d.]+ ms/, '');
    assert.equal(untimed(same), untimed(first));
    await page.click('#kernel-draw');
    const drawn = split(150, 2);
    const said = numbers(await kernelsSettled(page));
    const model = await trainKernelsInNode(
      { kernels: ['linear', 'gaussian:0.1', 'gaussian:100'], p: 2, q: 1, r: 1, lambda: 0.1 }, drawn);
    assert.equal(said.at(-2), model.predictAll(drawn.training.X).filter((label, i) => label === drawn.training.y[i]).length);
    assert.equal(said[0], model.keptSamples.length);
  });
});

test('kernels: what is wrong with them is said beside them, in a sentence, and can be mended', async () => {
  await withPage(async (page) => {
    await showKernels(page);
    const complaint = async (own) => {
      await page.fill('#kernel-others', own);
      await page.press('#kernel-others', 'Enter');
      await page.locator('#kernel-error:not(:empty)').waitFor();
      return page.textContent('#kernel-error');
    };
    assert.equal(await complaint('gauss:1'),
      "gauss:1: 'gauss' is not one of linear, polynomial, gaussian, laplacian, sigmoid, distance, chi2, kl, constant.");
    assert.equal(await complaint('gaussian'), "gaussian: 'gaussian' is not written as in gaussian:0.5.");
    assert.match(await complaint('gaussian:0'), /^gaussian:0: .*\.$/);
    assert.match(await complaint('chi2'), /^chi2, samples \d+ and \d+: .*\.$/);
    await screenshot(page, 'kernels-complaint');
    assert.equal(await page.getAttribute('#kernel-others', 'aria-invalid'), 'true');
    await page.fill('#kernel-others', 'gaussian:2 constant');
    await page.press('#kernel-others', 'Enter');
    await page.locator('#kernel-error:empty').waitFor({ state: 'attached' });
    assert.match(await kernelsSettled(page), /of 5 kernels kept/);
    assert.deepEqual((await terms(page)).map(([kernel]) => kernel), ['linear', 'gaussian:0.1', 'gaussian:100', 'gaussian:2', 'constant']);
    await page.fill('#kernel-others', '');
    await chooseKernels(page, []);
    assert.equal(await page.textContent('#kernel-error'), 'Choose at least one kernel.');
    await chooseKernels(page, ['gaussian:1']);
    assert.match(await kernelsSettled(page), /of 1 kernels kept/);
    assert.equal(await page.textContent('#kernel-error'), '');
  });
});

test('kernels: how long training takes in the page', async (t) => {
  await withPage(async (page) => {
    await showKernels(page);
    for (const intercept of ['', 'free']) {
      await page.check(`[name=intercept][value="${intercept}"]`, { force: true });
      await kernelsSettled(page);
      for (const norm of ['212', '111']) {
        const times = [];
        for (const share of [0.2, 0.4, 0.6]) { // lambda 0.01, 0.1 and 1
          await moveKernelSlider(page, share);
          await kernelsSettled(page);
          for (let i = 0; i < 5; ++i) {
            await normOnScreenAfter(page, '221');
            const shown = await normOnScreenAfter(page, norm);
            times.push([Number(await page.textContent('#kernel-time')), shown]);
          }
        }
        const [worker, screen] = [0, 1].map((which) => times.map((pair) => pair[which]).sort((a, b) => a - b));
        t.diagnostic(`norm ${norm}, intercept ${intercept || 'none'}: ${worker[7]} ms in the worker, ${worker.at(-1)} at most; ` +
          `on screen after ${screen[7].toFixed(1)} ms, ${screen.at(-1).toFixed(1)} at most`);
      }
    }
  });
});

for (const [what, files, sentence] of [
  ['module', '**/tamis-kernels*.wasm',
    /^Training with kernels is not possible here: .*module of kernels cannot be loaded.*\. Reloading the page may help\.$/],
  ['part', '**/kernels-*.js', /^This part of the page cannot be loaded\. Reloading the page may help\.$/],
])
  test(`kernels: say so when their ${what} does not load`, async () => {
    await withPage(async (page) => {
      await settled(page);
      await page.locator('#kernels').scrollIntoViewIfNeeded();
      await page.locator('#kernel-notice').waitFor();
      assert.match(await page.textContent('#kernel-notice'), sentence);
      assert.equal(await page.locator('#kernel-controls :is(input, button):enabled').count(), 0);
      assert.ok(await page.isEnabled('#lambda'), 'the digits do');
    }, { prepare: (page) => page.route(files, (route) => route.abort()) });
  });

test('fits the screen, light and dark, wide and narrow', async () => {
  for (const [width, height] of [[1280, 900], [390, 844]])
    for (const colorScheme of ['light', 'dark'])
      await withPage(async (page) => {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme });
        await page.goto(server.address);
        await settled(page);
        await showKernels(page);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.equal(wide, width, `scrolls sideways at ${width}`);
        await screenshot(page, `${width}-${colorScheme}`);
      });
});
