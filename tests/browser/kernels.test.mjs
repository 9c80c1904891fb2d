// The people of the Titanic below the panel Plane, compared by several kernels.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groups, split } from '../../web/src/panels/plane/titanic.js';
import {
  chooseKernels, compressedBytes, kernelsSettled, moveSlider, normOnScreenAfter, planeSettled, screenshot, scrollToKernels, settled,
  showKernels, stage, trainKernelsInNode,
} from './support.mjs';

const scene = stage();
const { withPage } = scene;

const numbers = (text) => text.match(/\d[\d,.]*/g).map((found) => Number(found.replaceAll(',', '')));
/** Kernel, samples that it keeps, and how many are drawn. */
const terms = (page) => page.$$eval('#kept-terms tbody tr', (rows) => rows.map((row) =>
  [row.querySelector('th').textContent, Number(row.querySelectorAll('td')[1].textContent), row.querySelectorAll('rect').length]));
const moveKernelSlider = (page, share) => moveSlider(page, share, '#kernel-lambda');

test('kernels: loaded once they are in sight, few bytes, and the model that Node computes', async (t) => {
  const requests = [];
  const prepare = (page) => page.on('requestfinished', (request) => requests.push(request.url()));
  await withPage(async (page) => {
    await page.setViewportSize({ width: 1280, height: 500 });
    await settled(page);
    await page.click('#tab-plane');
    await planeSettled(page);
    const before = requests.length;
    assert.equal(await page.locator('#kernels').count(), 0);
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

test('kernels: say so when their module does not load', async () => {
  await withPage(async (page) => {
    await settled(page);
    await scrollToKernels(page);
    await page.locator('#kernel-notice').waitFor();
    assert.match(await page.textContent('#kernel-notice'),
      /^Training with kernels is not possible here: .*module of kernels cannot be loaded.*\. Reloading the page may help\.$/);
    assert.equal(await page.locator('#kernel-controls :is(input, button):enabled').count(), 0);
    await page.click('#tab-draw');
    assert.ok(await page.isEnabled('#lambda'), 'the digits do');
  }, { prepare: (page) => page.route('**/tamis-kernels*.wasm', (route) => route.abort()) });
});

test('kernels: say so when there is no WebAssembly', async () => {
  await withPage(async (page) => {
    await scrollToKernels(page);
    await page.locator('#kernel-notice').waitFor();
    assert.match(await page.textContent('#kernel-notice'), /^Training with kernels is not possible here: WebAssembly is absent/);
    assert.ok(await page.isDisabled('#kernel-lambda'));
  }, { at: '#plane', prepare: (page) => page.addInitScript(() => delete globalThis.WebAssembly) });
});
