// What every panel gives as code: run as a person would run it, beside the files that the page gives, it says what the page shows.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import {
  chooseKernels, dropFile, inEveryLook, kernelsSettled, moveSlider, openMore, package_folder, planeSettled, program, python_folder, screenshot, screenshots, settled, showKernels, stage, tableSettled,
} from './support.mjs';

const page_stage = stage();
const { withPage } = page_stage;
const python = process.env.TAMIS_PYTHON || '/usr/bin/python3';
const environment = { ...process.env, PYTHONPATH: python_folder, PYTHONWARNINGS: 'ignore' };

/** Why a kind cannot be run here, or null. */
const lacking = {
  javascript: () => null,
  python: () => (spawnSync(python, ['-c', 'import tamis'], { env: environment }).status === 0 ? null : 'the Python package or NumPy is missing'),
  command: () => (program('tamis') ? null : 'the command is not built'),
};

/** What the code of each kind that can run here prints, by kind; `use` has the page show something. */
async function runs(t, at, use, { button = '#code', ...given } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tamis-code-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(path.join(folder, 'node_modules'));
  symlinkSync(package_folder, path.join(folder, 'node_modules/tamis'), 'dir');
  const texts = {};
  let shown;
  await withPage(async (page) => {
    shown = await use(page);
    await page.click(button);
    await page.locator('#coding[open]').waitFor();
    for (const kind of Object.keys(lacking)) {
      await page.locator(`[name=coding-language][value=${kind}]`).check({ force: true });
      await page.click('#coding-copy');
      await page.locator('#coded', { hasText: 'Code copied.' }).waitFor();
      texts[kind] = await page.evaluate(() => globalThis.clipped);
      assert.equal(texts[kind], await page.textContent('#coding-text'));
    }
    for (const button of await page.locator('#coding [data-file]').all()) {
      const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
      writeFileSync(path.join(folder, download.suggestedFilename()), readFileSync(await download.path()));
    }
    assert.deepEqual(page.complaints, []);
  }, { at, prepare: (page) => page.addInitScript(() => {
    navigator.clipboard.writeText = async (text) => void (globalThis.clipped = text);
  }), ...given });
  writeFileSync(path.join(folder, 'code.mjs'), texts.javascript);
  writeFileSync(path.join(folder, 'code.py'), texts.python);
  writeFileSync(path.join(folder, 'code.sh'), texts.command);
  const run = (name, ...given) => execFileSync(name, given, { cwd: folder, encoding: 'utf8', env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const ways = {
    javascript: () => run(process.execPath, 'code.mjs'),
    python: () => run(python, '-B', 'code.py'),
    command: () => run('/bin/sh', '-c', `PATH=${path.dirname(program('tamis'))}:$PATH; . ./code.sh; true`),
  };
  const said = {};
  for (const [kind, way] of Object.entries(ways)) {
    const why = lacking[kind]();
    if (why) t.diagnostic(`${kind} is left out: ${why}`);
    else said[kind] = way();
  }
  return { shown, said, texts };
}

/**
 * Holds what each kind has printed against the page: kept features where they are known, and how many samples of `all` are
 * right. The objective, which the page does not show, is the same for all kinds, and λ that of the page.
 */
function agrees({ said, texts, shown: { kept, right, all, tolerance, lambda } }) {
  const objective = Number(said.javascript.match(/objective ([\d.e-]+)/)[1]);
  const asked = Number(texts.command.match(/--lambda (\S+)/)[1]);
  assert.ok(Math.abs(asked - lambda) <= 0.01 * lambda, `${lambda} in the page, and ${texts.command}`);
  for (const [kind, text] of Object.entries(said)) {
    const [gap, counts, figure] = kind === 'command'
      ? [text.match(/within ([\d.]+) %/)?.[1] / 100, text.match(/kept: (\d+)/)?.[1], text.match(/(\d+) of \d+ right[^;\n]*\n/)?.[1]]
      : [text.match(/within ([\d.e-]+)\n$/)?.[1], text.match(/^(\d+) features/)?.[1], text.match(/([\d.]+) right/)?.[1] * all];
    const figures = { gap: Number(gap), kept: Number(counts), right: Number(figure) };
    assert.ok(figures.gap <= tolerance, `${kind}: ${text}`);
    assert.ok(Math.abs(Number(text.match(/objective ([\d.e-]+)/)[1]) / objective - 1) < 1e-4, `${kind}: objective ${objective} in JavaScript, and ${text}`);
    assert.ok(Math.abs(figures.right - right) < 1e-6, `${kind}: ${right} right in the page, and ${text}`);
    if (kept !== undefined) assert.equal(figures.kept, kept, `${kind}: ${text}`);
  }
}

const drawn = async (page) => {
  await settled(page);
  const [right, all] = (await page.textContent('#right')).match(/\d+/g).map(Number);
  return { kept: Number(await page.textContent('#kept')), right, all,
    tolerance: Number(await page.locator('[name=tolerance]:checked').inputValue()), lambda: Number(await page.textContent('#lambda-value')) };
};
const ofTable = async (page) => {
  const [kept, , right, all] = (await tableSettled(page)).match(/\d+/g).map(Number);
  return { kept, right, all, tolerance: 1e-3, lambda: Number(await page.textContent('#table-lambda-value')) };
};

test('Draw: the digits', async (t) => {
  const found = await runs(t, '', drawn);
  agrees(found);
  assert.match(found.texts.command, /^tamis train digits_training\.csv --header/);
});

test('Draw: another loss, penalty and tolerance, and drawings that weigh more than digits', async (t) => {
  const found = await runs(t, '', async (page) => {
    await settled(page);
    await openMore(page);
    await page.locator('[name=penalty][value=group-l2]').check({ force: true });
    await page.locator('[name=tolerance][value="0.001"]').check({ force: true });
    await moveSlider(page, 0.7);
    await page.locator('#cells').focus();
    await page.keyboard.press('Space');
    await page.click('[data-class="3"]');
    await page.locator('#gallery').waitFor();
    return drawn(page);
  });
  agrees(found);
  for (const text of Object.values(found.texts)) assert.ok(text.includes('digits_weights.csv'));
});

test('Draw: drawings alone', async (t) => {
  const found = await runs(t, '', async (page) => {
    await settled(page);
    await page.locator('[name=base][value=drawings]').check({ force: true });
    await openMore(page);
    await page.locator('[name=tolerance][value="0.0001"]').check({ force: true }); // so that all end at the same objective
    for (const name of ['ring', 'it\'s "on", twice']) {
      await page.fill('#new-class', name);
      await page.press('#new-class', 'Enter');
      for (let drawing = 0; drawing < 2; ++drawing) {
        await page.locator('#cells').focus();
        for (let step = 0; step < 5; ++step) {
          await page.keyboard.press('Space');
          await page.keyboard.press(name === 'ring' ? 'ArrowRight' : 'ArrowDown');
        }
        await page.locator('#add button', { hasText: name }).click();
      }
    }
    return drawn(page);
  });
  agrees(found);
  assert.equal(found.shown.all, 4);
  assert.match(found.texts.command, /^tamis train drawings_training\.csv/);
});

test('Table: the example', async (t) => {
  agrees(await runs(t, '#table', ofTable));
});

test('Table: categories, missing values, and names that need quotes', async (t) => {
  const rows = Array.from({ length: 90 }, (_, i) => [
    i % 7 === 3 ? '' : (i % 3) * 3.5 + ((i * 37) % 11), ['red', 'green, deep', 'blue "sky"'][(i % 3 + Number(i % 4 === 0)) % 3], i, ["it's \\ 'a'", 'b, c', '#d'][i % 3],
  ]);
  const csv = [['size, in m', 'colour', 'other', "kind's"], ...rows].map((row) => row.map((one) => `"${String(one).replaceAll('"', '""')}"`).join(',')).join('\n');
  const found = await runs(t, '#table', async (page) => {
    await tableSettled(page);
    await dropFile(page, '2 of mine.csv', csv);
    await page.locator('#table-shape', { hasText: '90 rows' }).waitFor();
    return ofTable(page);
  });
  agrees(found);
  assert.ok(found.shown.kept > 1);
  assert.match(found.texts.command, /^tamis train model_2_of_mine_training\.csv/);
});

for (const kind of ['linear', 'interactions', 'kernels'])
  test(`Plane: ${kind}`, async (t) => {
    agrees(await runs(t, '#plane', async (page) => {
      await page.locator(`[name=kind][value=${kind}]`).check({ force: true });
      const [right, all] = (await planeSettled(page)).match(/\d+/g).map(Number);
      return { right, all, tolerance: 0.01, lambda: Number(await page.textContent('#plane-lambda-value')) };
    }));
  });

for (const kind of ['linear', 'interactions', 'kernels'])
  test(`Plane: what is held out is what the code of ${kind} measures on`, async (t) => {
    agrees(await runs(t, '#plane', async (page) => {
      await planeSettled(page);
      await page.locator(`[name=kind][value=${kind}]`).check({ force: true });
      await moveSlider(page, 0.4, '#plane-held');
      const [, , right, all] = (await planeSettled(page)).match(/\d+/g).map(Number);
      return { right, all, tolerance: 0.01, lambda: Number(await page.textContent('#plane-lambda-value')) };
    }));
  });

for (const hierarchy of ['weak', 'full', 'main'])
  test(`Plane: hierarchy ${hierarchy}`, async (t) => {
    const found = await runs(t, '#plane', async (page) => {
      await page.locator('[name=kind][value=interactions]').check({ force: true });
      await page.locator(`[name=hierarchy][value=${hierarchy}]`).check({ force: true });
      const [right, all] = (await planeSettled(page)).match(/\d+/g).map(Number);
      return { right, all, tolerance: 0.01, lambda: Number(await page.textContent('#plane-lambda-value')) };
    });
    agrees(found);
    for (const text of Object.values(found.texts)) assert.ok(text.includes(hierarchy), text);
  });

for (const [norm, intercept] of [['211', ''], ['122', 'free']])
  test(`Plane: the people of the Titanic, norm ${norm}, intercept ${intercept || 'none'}`, async (t) => {
    const found = await runs(t, '#plane', async (page) => {
      await showKernels(page);
      await chooseKernels(page, ['linear', 'gaussian:1', 'polynomial:2,1']);
      await page.check(`[name=norm][value="${norm}"]`, { force: true });
      await page.check(`[name=intercept][value="${intercept}"]`, { force: true });
      await moveSlider(page, 0.5, '#kernel-lambda');
      const [right, all] = (await kernelsSettled(page)).match(/(\d+) of (\d+) others right/).slice(1).map(Number);
      return { right, all, tolerance: 1e-4, lambda: Number(await page.textContent('#kernel-lambda-value')) };
    }, { button: '#kernel-code' });
    agrees(found);
    assert.equal(found.shown.all, 2051);
    assert.match(found.texts.command, /^tamis kernels titanic_training\.csv/);
  });

test('Race: the solvers that are in it, each for its time', async (t) => {
  const racing = ['block-coordinate-descent', 'fista', 'forward-backward'];
  const { said } = await runs(t, '#race', async (page) => {
    const names = await page.locator('#standings input').evaluateAll((boxes) => boxes.map(({ name }) => name));
    for (const name of names)
      await page.evaluate(([name, on]) => {
        const box = document.querySelector(`#standings [name="${name}"]`);
        if (box.checked !== on) box.click();
      }, [name, racing.includes(name)]);
  });
  for (const kind of ['javascript', 'python'])
    if (said[kind]) assert.deepEqual([...said[kind].matchAll(/^(\S+): (?:converged|stopped), certified within [\d.e-]+, [\d.]+ ms$/gm)].map(([, name]) => name), racing, said[kind]);
  if (said.command) assert.equal(said.command.match(/^(?:converged|stopped).*certified within/gm)?.length, racing.length, said.command);
});

test('without a model it says so; where nothing trains there is no button', async () => {
  await withPage(async (page) => {
    await settled(page);
    await page.locator('[name=base][value=drawings]').check({ force: true });
    await page.locator('#status', { hasText: 'Training needs drawings' }).waitFor({ state: 'attached' });
    await page.click('#code');
    assert.match(await page.textContent('#coding'), /There is no model yet/);
    assert.ok(await page.isHidden('#coding-copy'));
    await page.keyboard.press('Escape');
    await page.locator('#coding').waitFor({ state: 'hidden' });
    assert.equal(await page.evaluate(() => document.activeElement.id), 'code');
    for (const [tab, hidden] of [['home', true], ['bench', true], ['table', false]]) {
      await page.click(`#tab-${tab}`);
      await page.locator('#code').waitFor({ state: hidden ? 'hidden' : 'visible' });
    }
    assert.deepEqual(page.complaints, []);
  });
});

test('looks well', async () => {
  await inEveryLook(page_stage, '#table', async (page, name) => {
    await tableSettled(page);
    await screenshot(page, `code-closed-${name}`);
    await page.click('#code');
    await page.locator('[name=coding-language][value=command]').check({ force: true });
    await page.screenshot({ path: path.join(screenshots, `code-${name}.png`) });
  });
});
