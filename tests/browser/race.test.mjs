// The panel Race: solvers one after another on the same problem.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { inEveryLook, nothingRuns, notice, screenshot, stage, trainInNode } from './support.mjs';

const scene = stage();
const { withPage } = scene;
const at = '#race';

const choose = (page, name, value) => page.check(`[name=race-${name}][value="${value}"]`, { force: true });
/** Waits until the race is over, and gives the sentence that says so. */
async function over(page) {
  await page.locator('#race-result[aria-busy=false]').waitFor();
  return page.textContent('#race-status');
}
/** Solver, milliseconds to three gaps, iterations, and how it ended. */
const standings = (page) => page.$$eval('#standings tbody tr', (rows) => rows.map((row) =>
  [row.dataset.solver, ...[...row.querySelectorAll('td')].map((cell) => cell.textContent)]));
/** How many of the colours of lanes there are in a plot. */
const drawn = (page, which) => page.$eval(`${which} canvas`, (canvas) => {
  const copy = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
  const context = copy.getContext('2d', { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  const { data } = context.getImageData(0, 0, copy.width, copy.height);
  const found = new Set();
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) found.add(`#${[0, 1, 2].map((c) => data[i + c].toString(16).padStart(2, '0')).join('')}`);
  const style = getComputedStyle(document.body);
  return Array.from({ length: 10 }, (_, k) => style.getPropertyValue(`--class-${k}`).trim()).filter((colour) => found.has(colour)).length;
});

test('races without a click: curves and figures of several solvers', async (t) => {
  await withPage(async (page) => {
    const said = await over(page);
    t.diagnostic(said);
    assert.match(said, /^[\w-]+ first certified 0\.1 %, in [\d.,]+ ms, [\d.]+ times as fast as [\w-]+$/);
    const rows = await standings(page);
    const ran = rows.filter(([, , , , iterations]) => iterations !== '–');
    t.diagnostic(ran.map(([name, , time, , , ended]) => `${name} ${time} ms, ${ended}`).join('; '));
    assert.ok(ran.length >= 3, `${ran.length} solvers ran`);
    assert.ok(ran.filter(([, percent]) => percent !== '–').length >= 3, 'three certify 1 %');
    for (const [name, ...times] of ran) {
      const reached = times.slice(0, 3).filter((time) => time !== '–').map((time) => Number(time.replace(',', '')));
      assert.deepEqual(reached, [...reached].sort((a, b) => a - b), name);
    }
    assert.ok(await drawn(page, '#race-gap') >= 3);
    assert.ok(await drawn(page, '#race-objective') >= 3);
    assert.deepEqual(page.complaints, []);
  }, { at });
});

test('says which solver is the one that tamis takes, and that one it takes', async () => {
  await withPage(async (page) => {
    for (const [loss, penalty] of [['hinge', 'l1'], ['hinge', 'ridge'], ['squared-hinge', 'group-linf'], ['logistic', 'l1']]) {
      await choose(page, 'loss', loss);
      await choose(page, 'penalty', penalty);
      const said = await page.textContent('#race-kinds');
      const [solver] = said.match(/(?<=^tamis takes )[\w-]+(?= here unless told otherwise; )/);
      await page.locator(`#standings [data-solver=${solver}]`).waitFor();
      assert.match(said, /‘as published’ those that are unchanged/);
      // The same bits, and not those of another solver.
      const problem = { loss, penalty, lambda: 0.01, tolerance: 1e-4, maxIterations: 500, precision: 'double' };
      const weights = async (named) => Array.from((await trainInNode({ ...problem, ...named })).weights);
      const expected = await weights({});
      assert.deepEqual(await weights({ solver }), expected, `${loss} ${penalty}: ${solver}`);
      assert.notDeepEqual(await weights({ solver: loss === 'hinge' ? 'primal-dual' : 'fista' }), expected);
    }
  }, { at });
});

test('races on every set of data, loss and penalty', async () => {
  await withPage(async (page) => {
    await choose(page, 'limit', '1000');
    for (const [data, loss, penalty] of [['iris', 'hinge', 'l1'], ['wine', 'logistic', 'group-l2'], ['iris', 'hinge', 'ridge'],
      ['wine', 'hinge', 'group-l2'], ['wine', 'squared-hinge', 'group-linf']]) {
      await choose(page, 'data', data);
      await choose(page, 'loss', loss);
      await choose(page, 'penalty', penalty);
      assert.match(await over(page), /certified 0\.1 %/, `${data}, ${loss}, ${penalty}`);
      assert.match(await page.textContent('#race-size'), data === 'iris' ? /^150 samples, 4 features, 3 classes$/ : /^178 samples, 13 features, 3 classes$/);
      const names = (await standings(page)).map(([name]) => name);
      assert.equal(names.includes('two-phase'), loss === 'hinge');
      assert.equal(names.includes('crammer-singer-dual'), loss === 'hinge' && ['ridge', 'group-l2'].includes(penalty));
      assert.equal(names.includes('fista'), loss !== 'hinge');
    }
    assert.deepEqual(page.complaints, []);
  }, { at });
});

test('stops at once, by its button and by leaving, and races again', async () => {
  await withPage(async (page) => {
    await choose(page, 'data', 'iris');
    await over(page);
    await choose(page, 'limit', '20000');
    await choose(page, 'data', 'digits');
    await choose(page, 'loss', 'hinge');
    for (const name of ['two-phase']) await page.uncheck(`#standings [name="${name}"]`);
    await page.evaluate(() => {
      const slider = document.querySelector('#race-lambda');
      slider.value = '0';
      slider.dispatchEvent(new Event('input', { bubbles: true }));
      slider.dispatchEvent(new Event('change', { bubbles: true }));
    });
    await page.waitForFunction(() => document.querySelector('[data-solver=primal-dual] td:last-child').textContent.includes('%'));
    await page.click('#race-stop');
    await over(page);
    const ended = Object.fromEntries((await standings(page)).map(([name, ...cells]) => [name, cells.at(-1)]));
    assert.match(ended['primal-dual'], /^stopped/);
    assert.equal(ended['two-phase'], '');
    assert.equal(await page.textContent('#race-stop'), 'Race again');
    await page.focus('#race-stop');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('#race-stop').textContent === 'Stop');
    await page.click('#tab-draw');
    await page.locator('#result[aria-busy=false]').waitFor();
    await nothingRuns(page); // of what is hidden
    await page.click('#tab-race');
    await page.waitForFunction(() => document.querySelector('#race-result').getAttribute('aria-busy') === 'true');
  }, { at });
});

test('stops the race that follows a change, too', async () => {
  await withPage(async (page) => {
    await choose(page, 'data', 'iris');
    await over(page);
    await choose(page, 'limit', '20000');
    await choose(page, 'data', 'digits');
    await choose(page, 'loss', 'hinge');
    await page.waitForFunction(() => document.querySelector('[data-solver=primal-dual]'));
    await page.evaluate(() => {
      const slider = document.querySelector('#race-lambda');
      slider.value = '0';
      slider.dispatchEvent(new Event('change', { bubbles: true }));
      document.querySelector('#race-stop').click(); // before anything that waits goes on
    });
    await over(page);
    for (const [name, ...cells] of await standings(page)) assert.match(cells.at(-1), /^(stopped|)$/, name);
  }, { at });
});

test('what it races on comes back from its link, and what is wrong with one is told', async () => {
  let link;
  await withPage(async (page) => {
    await choose(page, 'data', 'iris');
    await choose(page, 'loss', 'hinge');
    await choose(page, 'precision', 'float');
    await over(page);
    await page.uncheck('#standings [name="primal-dual"]');
    await over(page);
    await nothingRuns(page);
    link = page.url();
  }, { at });
  await withPage(async (page) => {
    await over(page);
    for (const [name, value] of [['data', 'iris'], ['loss', 'hinge'], ['precision', 'float']])
      assert.ok(await page.isChecked(`[name=race-${name}][value=${value}]`), name);
    assert.ok(!(await page.isChecked('#standings [name="primal-dual"]')));
    assert.equal((await standings(page)).find(([name]) => name === 'primal-dual').at(-1), '');
  }, { at: new URL(link).hash });
  await withPage(async (page) => {
    assert.equal(await notice(page, 'race'), 'The link does not say what to race on. This part starts as usual.');
    assert.match(await over(page), /certified/);
  }, { at: `#race?1=${deflateRawSync(JSON.stringify({ data: 'mnist' })).toString('base64url')}` });
});

test('says so without WebAssembly', async () => {
  await withPage(async (page) => {
    assert.match(await notice(page, 'race'), /^Training is not possible here: WebAssembly is absent/);
    assert.ok(await page.isDisabled('#race-stop'));
  }, { at, prepare: (page) => page.addInitScript(() => delete globalThis.WebAssembly) });
});

test('a reason with a long address wraps', async () => {
  await withPage(async (page) => {
    await choose(page, 'data', 'iris');
    await over(page);
    const wide = await page.evaluate(() => {
      const notice = document.querySelector('#notice-race');
      notice.hidden = false;
      notice.textContent = `Training is not possible here: https://example.org/${'assets'.repeat(20)}.wasm.`;
      return document.documentElement.scrollWidth;
    });
    assert.equal(wide, 320);
  }, { at, prepare: (page) => page.setViewportSize({ width: 320, height: 640 }) });
});

test('fits the screen, light and dark, wide and narrow', async () => {
  await inEveryLook(scene, at, async (page, look) => {
    await over(page);
    await screenshot(page, `race-${look}`);
  });
});
