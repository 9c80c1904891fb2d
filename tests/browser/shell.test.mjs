// The page around its panels: tabs, links, sharing, recovery, and what every part of it owes to its users.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { moveSlider, notice, settled, stage } from './support.mjs';

const scene = stage();
const { withPage } = scene;

const names = ['draw', 'table', 'plane', 'race', 'bench', 'home'];
const code = (state) => deflateRawSync(JSON.stringify(state)).toString('base64url');
const stateIn = (address) => JSON.parse(inflateRawSync(Buffer.from(address.split('?1=')[1], 'base64url')));
const panelShown = (page, name) => page.locator(`#panel-${name}:not([hidden])`).waitFor();

test('shows one panel at a time, by link, by tab and by going back', async () => {
  await withPage(async (page) => {
    await settled(page);
    for (const name of names) {
      await page.click(`#tab-${name}`);
      await panelShown(page, name);
      assert.deepEqual(await page.$$eval('.panel:not([hidden])', (all) => all.map(({ id }) => id)), [`panel-${name}`]);
      assert.equal(await page.getAttribute(`#tab-${name}`, 'aria-current'), 'page');
      assert.equal(await page.locator('[aria-current]').count(), 1);
    }
    await page.goBack();
    await panelShown(page, 'bench');
    assert.deepEqual(page.complaints, []);
  });
  await withPage(async (page) => {
    await panelShown(page, 'plane');
    assert.equal(await page.locator('#maps').count(), 0, 'the digits are not trained meanwhile');
  }, { at: '#plane' });
});

test('the tabs and the skip link work by keyboard', async () => {
  await withPage(async (page) => {
    await settled(page);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'skip');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'panel-draw');
    await page.focus('#tab-plane');
    await page.keyboard.press('Enter');
    await panelShown(page, 'plane');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-plane');
  });
});

test('a panel whose code does not load says so, and the others work', async () => {
  await withPage(async (page) => {
    await settled(page);
    await page.click('#tab-plane');
    assert.equal(await notice(page, 'plane'), 'This part of the page cannot be loaded. Reloading the page may help.');
    await page.click('#tab-draw');
    assert.ok(await page.isEnabled('#lambda'));
  }, { prepare: (page) => page.route('**/plane-*.js', (route) => route.abort()) });
});

test('what a panel shows comes back from its link', async () => {
  let link, said;
  await withPage(async (page) => {
    await settled(page);
    assert.equal(new URL(page.url()).hash, '');
    await page.check('[name=loss][value=hinge]', { force: true });
    await page.check('[name=penalty][value=group-l2]', { force: true });
    await moveSlider(page, 0.8);
    said = await settled(page);
    await page.waitForFunction(() => location.hash.includes('?1='));
    await page.waitForTimeout(600);
    link = page.url();
  });
  assert.deepEqual(stateIn(link), { loss: 'hinge', penalty: 'group-l2', tolerance: 0.01, share: 0.8 });
  await withPage(async (page) => {
    const untimed = (text) => text.replace(/\d+ ms/, '');
    assert.equal(untimed(await settled(page)), untimed(said));
    assert.ok(await page.isChecked('[name=penalty][value=group-l2]'));
    assert.equal(page.url(), link);
  }, { at: new URL(link).hash });
});

test('Share copies the link, and gives it to be copied where it may not', async () => {
  const copied = [];
  const clipboard = (works) => async (page) => {
    await page.exposeFunction('copied', (text) => copied.push(text));
    await page.addInitScript((works) => Object.defineProperty(navigator, 'clipboard', {
      value: { writeText: (text) => (works ? globalThis.copied(text) : Promise.reject(new Error('no'))) },
    }), works);
  };
  await withPage(async (page) => {
    await settled(page);
    await moveSlider(page, 0.7);
    await page.click('#share');
    await page.getByText('Link copied.').waitFor();
    assert.deepEqual(copied, [page.url()]);
    assert.equal(stateIn(copied[0]).share, 0.7);
  }, { prepare: clipboard(true) });
  await withPage(async (page) => {
    await settled(page);
    await page.click('#share');
    const field = page.getByLabel('Link to this page');
    assert.equal(await field.inputValue(), page.url());
  }, { prepare: clipboard(false) });
});

for (const [what, fragment, sentence] of [
  ['of a later version', '#draw?2=abc', 'This link was made by a later version of the page, and is not understood here. The page starts as usual.'],
  ['cut short', `#draw?1=${code({ loss: 'hinge', penalty: 'l1', tolerance: 0.01, share: 0.5 }).slice(0, -9)}`,
    'What this link holds is damaged or was edited by hand. The page starts as usual.'],
  ['of letters alone', '#draw?1=not%20a%20state', 'What this link holds is damaged or was edited by hand. The page starts as usual.'],
  ['without a code', '#draw?1', 'What this link holds is damaged or was edited by hand. The page starts as usual.'],
  ['that asks for what there is not', `#draw?1=${code({ loss: 'cubic', share: 0.5 })}`, 'The link does not say what to train. The page starts as usual.'],
  ['that holds null', `#draw?1=${code(null)}`, 'The link does not say what to train. The page starts as usual.'],
  ['that unpacks to megabytes', `#draw?1=${code('0'.repeat(5_000_000))}`, 'What this link holds is damaged or was edited by hand. The page starts as usual.'],
  ['of an unknown panel', '#nothing', 'The page has no such part as the link asks for. The page starts as usual.'],
])
  test(`a link ${what} is told in one sentence, and the page starts as usual`, async () => {
    await withPage(async (page) => {
      assert.equal(await notice(page), sentence);
      assert.match(await settled(page), /certified within/);
      assert.deepEqual(page.complaints, []);
    }, { at: fragment });
  });
