// The page around its panels: tabs, links, sharing, recovery, and what every part of it owes to its users.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import projectLink from '../../web/plugins/project-link.js';
import { axeViolations, dropFile, moveSlider, nothingRuns, notice, openMore, serveFolder, settled, stage, tableSettled, watchLongTasks } from './support.mjs';

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
    await openMore(page);
    await page.check('[name=loss][value=hinge]', { force: true });
    await page.check('[name=penalty][value=group-l2]', { force: true });
    await moveSlider(page, 0.8);
    said = await settled(page);
    await page.waitForFunction(() => location.hash.includes('?1='));
    await nothingRuns(page);
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

test('Back and Forward go from table to table, and from example to example', async () => {
  const rows = Array.from({ length: 60 }, (_, i) => `${i % 7},${(i * 3) % 5 + 4 * (i % 2)},${i % 2}`).join('\n');
  const kept = (page) => page.waitForFunction(() => location.hash.includes('?1='));
  await withPage(async (page) => {
    const name = async (wanted, shape) => {
      await page.locator('#table-name', { hasText: new RegExp(`^${wanted}$`) }).waitFor();
      await page.getByText(shape).waitFor();
      await tableSettled(page);
      await nothingRuns(page);
    };
    await name('wine', '178 rows, 14 columns');
    await page.check('[name=table-example][value=iris]', { force: true });
    await name('iris', '150 rows, 5 columns');
    await kept(page);
    await page.check('#table-controls [value=l1]', { force: true });
    await nothingRuns(page);
    await dropFile(page, 'own.csv', `x,y,label\n${rows}`);
    await name('own.csv', '60 rows, 3 columns');
    await page.goBack();
    await name('iris', '150 rows, 5 columns');
    assert.ok(await page.isChecked('#table-controls [value=l1]'));
    await page.goBack();
    await name('iris', '150 rows, 5 columns');
    assert.ok(await page.isChecked('#table-controls [value=group-l2]'));
    await page.goBack();
    await name('wine', '178 rows, 14 columns');
    assert.ok(await page.isChecked('#table-controls [value=group-l2]'));
    for (let steps = 0; steps < 3; ++steps) await page.goForward();
    await name('own.csv', '60 rows, 3 columns');
    await page.click('#tab-table'); // the panel in sight: nothing is lost
    await name('own.csv', '60 rows, 3 columns');
    assert.deepEqual(page.complaints, []);
  }, { at: '#table' });
  await withPage(async (page) => {
    const points = () => page.locator('#stage .mark').count();
    await nothingRuns(page);
    assert.equal(await points(), 100);
    await page.click('#examples [value=xor]');
    await nothingRuns(page);
    assert.equal(await points(), 96);
    await page.goBack();
    await page.waitForFunction(() => document.querySelectorAll('#stage .mark').length === 100);
  }, { at: '#plane' });
});

for (const [name, ...choices] of [
  ['draw', '[name=loss][value=hinge]', '[name=penalty][value=group-l2]', '#lambda'],
  ['table', '[name=table-example][value=iris]', '#table-controls [value=l1]', '#table-lambda'],
  ['plane', '[name=kind][value=interactions]', '#plane-lambda'],
  ['race', '[name=race-data][value=iris]', '#race-lambda', '[name=race-loss][value=hinge]'],
  ['bench', '[name=bench-kinds][value=prediction]'],
])
  test(`${name}: Back takes back what was chosen, one choice at a time, and Forward chooses it again`, async () => {
    await withPage(async (page) => {
      await atRest(page);
      if (name === 'draw') await openMore(page);
      const length = await page.evaluate(() => history.length);
      const states = [await chosen(page)];
      for (const choice of choices) {
        if (choice.startsWith('[') || choice.includes(' ')) await page.check(choice, { force: true });
        else await page.locator(choice).evaluate(dragged);
        await atRest(page);
        states.push(await chosen(page));
        assert.notDeepEqual(states.at(-1), states.at(-2));
      }
      assert.equal(await page.evaluate(() => history.length), length + choices.length);
      for (let at = choices.length - 1; at >= 0; --at) {
        await page.goBack();
        await atRest(page);
        assert.deepEqual(await chosen(page), states[at], `back to ${at}`);
      }
      for (let at = 1; at <= choices.length; ++at) {
        await page.goForward();
        await atRest(page);
        assert.deepEqual(await chosen(page), states[at], `forward to ${at}`);
      }
      assert.deepEqual(page.complaints, []);
    }, { at: `#${name}`, prepare: (page) => page.addInitScript(stopRaces) });
  });

/** In the page: stops every race that begins, on which nothing depends that is chosen. */
function stopRaces() {
  new MutationObserver(() => {
    const stop = document.querySelector('#race-result[aria-busy=true] #race-stop');
    if (stop?.textContent === 'Stop') stop.click();
  }).observe(document, { subtree: true, attributeFilter: ['aria-busy'] });
}

/** What is chosen in the panel in sight. */
const chosen = (page) => page.$$eval('.panel:not([hidden]) input', (all) =>
  all.filter(({ type, checked }) => type === 'range' || checked).map(({ name, id, value }) => `${name || id}: ${value}`).sort());

/** In the page: drags a slider a third of its way, resting on the way for longer than the link waits, and lets it go. */
async function dragged(slider) {
  const begin = Number(slider.value);
  const most = Number(slider.max);
  for (let i = 1; i <= 10; ++i) {
    slider.value = String(begin + (begin < most / 2 ? 1 : -1) * Math.round((most * i) / 30));
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise((resolve) => plainTimeout(resolve, i === 5 ? 1000 : 20));
  }
  slider.dispatchEvent(new Event('change', { bubbles: true }));
}

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
    await page.locator('#sharing[open]').waitFor();
    assert.match(await page.textContent('#sharing-says'), /^The link has [\d,]+ characters\. It holds the loss, the penalty, the tolerance and λ\.$/);
    assert.ok(await page.isHidden('#sharing-data'));
    await page.click('#sharing-copy');
    await page.getByText('Link copied.').waitFor();
    assert.deepEqual(copied, [page.url()]);
    assert.equal(stateIn(copied[0]).share, 0.7);
    await page.keyboard.press('Escape');
    await page.locator('#sharing').waitFor({ state: 'hidden' });
    assert.equal(await page.evaluate(() => document.activeElement.id), 'share');
  }, { prepare: clipboard(true) });
  await withPage(async (page) => {
    await settled(page);
    await page.click('#share');
    await page.click('#sharing-copy');
    await page.getByText('copy it from the field above', { exact: false }).waitFor();
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

// ---- the worker that dies

test('a worker that is killed in the middle is replaced, and the training begun again', async () => {
  await withPage(async (page) => {
    await tableSettled(page);
    await page.check('[name=table-example][value=digits]', { force: true });
    await page.waitForFunction(() => document.querySelector('#table-features').textContent === '61' ||
      Number(document.querySelector('#table-features').textContent) > 50);
    await page.waitForFunction(() => document.querySelectorAll('#table-ranked li').length > 0);
    await kill(page);
    assert.match(await notice(page, 'table'), /^The worker that trains had died: another one has begun the training again/);
    await page.waitForFunction(() => document.querySelector('#table-work').textContent !== '');
    assert.match(await tableSettled(page), /^\d+ of \d+ features kept, \d+ of 599 right/);
    assert.deepEqual(page.complaints, []);
  }, { at: '#table' });
});

test('a worker that dies while it rests is replaced, and what it trained can still be taken home', async () => {
  await withPage(async (page) => {
    const before = await settled(page);
    await kill(page);
    await page.click('#tab-home');
    await page.locator('#home-exports li').first().waitFor();
    await page.click('#tab-draw');
    await moveSlider(page, 0.4);
    assert.notEqual(await settled(page), before);
    assert.ok(await page.isEnabled('#lambda'));
    assert.deepEqual(page.complaints, []);
  });
});

/** Ends the worker that trains. */
async function kill(page) {
  const worker = page.workers().find((one) => /worker-script/.test(one.url()));
  await worker.evaluate(() => close());
}

// ---- what every panel owes to its users

/** Waits until a panel has trained, or shown, what it shows without a click. */
async function atRest(page) {
  await page.waitForFunction(() => {
    const panel = document.querySelector('.panel:not([hidden])');
    return panel.querySelector('.root').childElementCount > 0 && [...panel.querySelectorAll('.result')].every((one) => one.getAttribute('aria-busy') !== 'true');
  });
  await nothingRuns(page);
}

for (const name of names) {
  test(`${name}: no complaint, no other host, no jump at the start`, async (t) => {
    const requests = [];
    await withPage(async (page) => {
      await atRest(page);
      assert.deepEqual(page.complaints, []);
      assert.deepEqual(requests.filter((address) => !address.startsWith(scene.server.address) && !/^(data|blob):/.test(address)), []);
      const { shifts, tasks } = await page.evaluate(() => ({ shifts: layoutShifts, tasks: longTasks }));
      t.diagnostic(`tasks above 50 ms: ${tasks.map(Math.round)}; layout shifts: ${shifts.map(({ value }) => value.toFixed(4))}`);
      assert.ok(shifts.reduce((sum, { value }) => sum + value, 0) < 0.05, JSON.stringify(shifts));
    }, {
      at: `#${name}`,
      prepare: async (page) => {
        page.on('request', (request) => requests.push(request.url()));
        await watchLongTasks(page);
        await page.addInitScript(() => {
          globalThis.layoutShifts = [];
          new PerformanceObserver((list) => layoutShifts.push(...list.getEntries().filter(({ hadRecentInput }) => !hadRecentInput)
            .map(({ value, sources }) => ({ value, what: sources.map(({ node }) => node?.id || node?.className || node?.nodeName) }))))
            .observe({ type: 'layout-shift', buffered: true });
        });
      },
    });
  });

  test(`${name}: every text stands out, every control has a name and is reached by the keyboard`, async () => {
    for (const colorScheme of ['light', 'dark'])
      await withPage(async (page) => {
        if (name === 'race') await page.check('[name=race-data][value=iris]', { force: true }); // over sooner
        await atRest(page);
        await page.evaluate(() => scrollTo(0, document.body.scrollHeight)); // what is loaded once it is in sight is there
        await atRest(page);
        await page.evaluate(() => document.querySelectorAll('details').forEach((one) => (one.open = true)));
        assert.deepEqual(await page.evaluate(faintTexts), [], `${name}, ${colorScheme}`);
        assert.deepEqual(await page.evaluate(namelessControls), []);
        assert.deepEqual(await unreachable(page), []);
        assert.deepEqual(await axeViolations(page), [], `${name}, ${colorScheme}`);
        const doubled = await page.evaluate(() => [...document.querySelectorAll('[id]')].map(({ id }) => id).filter((id, i, all) => all.indexOf(id) !== i));
        assert.deepEqual(doubled, []);
      }, { at: `#${name}`, prepare: (page) => page.emulateMedia({ colorScheme }) });
  });
}

/** Texts whose contrast to what is behind them is below 4.5, by computed colours; those of disabled controls are exempt. */
function faintTexts() {
  const pen = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
  const known = new Map();
  const rgba = (colour) => {
    if (!known.has(colour)) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = colour;
      pen.fillRect(0, 0, 1, 1);
      known.set(colour, [...pen.getImageData(0, 0, 1, 1).data].map((x, i) => (i === 3 ? x / 255 : x)));
    }
    return known.get(colour);
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((x, i) => a * x + (1 - a) * below[i]);
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), rgba(getComputedStyle(document.documentElement).backgroundColor));
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (element.closest('script, style, :disabled, .skip, .unseen, noscript')) continue;
    const { color, fill } = getComputedStyle(element);
    const below = behind(element);
    const ink = over(rgba(element.closest('svg') ? fill : color), below);
    const [a, b] = [light(ink), light(below)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found.push(`${ratio.toFixed(2)}: ${walk.currentNode.data.trim().slice(0, 40)} (${element.className || element.tagName})`);
  }
  return [...new Set(found)];
}

/** Controls in sight without a name that is read out. */
function namelessControls() {
  return [...document.querySelectorAll('a, button, input, select, textarea, summary, [tabindex="0"], canvas[tabindex]')]
    .filter((one) => one.checkVisibility())
    .filter((one) => !(one.getAttribute('aria-label')?.trim() || one.getAttribute('aria-labelledby') ||
      [...(one.labels ?? [])].some((label) => label.textContent.trim()) ||
      (!/^(INPUT|SELECT|TEXTAREA)$/.test(one.tagName) && one.textContent.trim())))
    .map((one) => one.outerHTML.slice(0, 80));
}

/** Controls that Tab does not come to, of those that are neither disabled nor in a group with one that it comes to. */
async function unreachable(page) {
  await page.evaluate(() => {
    document.activeElement?.blur();
    globalThis.reached = new Set();
    addEventListener('focusin', ({ target }) => reached.add(target));
    scrollTo(0, 0);
  });
  const wanted = await page.evaluate(() =>
    [...document.querySelectorAll('a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex="0"]')].filter((one) => one.checkVisibility()).length);
  for (let i = 0; i < wanted + 5; ++i) await page.keyboard.press('Tab');
  return page.evaluate(() => [...document.querySelectorAll('a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex="0"]')]
    .filter((one) => one.checkVisibility() && !reached.has(one))
    .filter((one) => !(one.type === 'radio' && [...reached].some((other) => other.type === 'radio' && other.name === one.name)))
    .map((one) => one.outerHTML.slice(0, 80)));
}

test('these checks find what they look for', async () => {
  await withPage(async (page) => {
    await settled(page);
    await page.evaluate(() => {
      document.querySelector('#counts').parentElement.style.color = '#999';
      document.querySelector('#lambda').labels[0].remove();
      document.querySelector('#download').tabIndex = -1;
    });
    assert.match((await page.evaluate(faintTexts)).join(), /^2\.\d+: UCI optical digits/);
    assert.match((await page.evaluate(namelessControls)).join(), /id="lambda"/);
    assert.match((await unreachable(page)).join(), /id="download"/);
    assert.match((await axeViolations(page)).join(), /color-contrast: .*label: /);
  });
});

test('what the words of the head mean is said on tap, each in a sentence', async () => {
  await withPage(async (page) => {
    await settled(page);
    for (const word of ['sparse', 'arena', 'certified', 'lambda']) {
      assert.match(await page.textContent(`#term-${word}`), /^\S+: [^.]*\.$/, 'one sentence');
      assert.ok(await page.isHidden(`#term-${word}`));
      await page.click(`[popovertarget=term-${word}]`);
      await page.locator(`#term-${word}`).waitFor();
      const box = await page.locator(`#term-${word}`).boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= 320 && box.y >= 0, JSON.stringify(box));
      await page.keyboard.press('Escape');
      await page.locator(`#term-${word}`).waitFor({ state: 'hidden' });
    }
    assert.deepEqual(page.complaints, []);
  }, { prepare: (page) => page.setViewportSize({ width: 320, height: 640 }) });
});

test('the foot leads to the guide, and to the source once the project has an address', async () => {
  await withPage(async (page) => {
    assert.deepEqual(await page.$$eval('#elsewhere a', (all) => all.map((one) => [one.textContent, one.getAttribute('href')])),
      [['README and guide', 'guide/index.html']]);
    assert.ok(await page.isVisible('#elsewhere a'));
  });
  const plain = readFileSync(fileURLToPath(new URL('../../web/index.html', import.meta.url)), 'utf8');
  for (const none of [undefined, '', 'https://tamis.example']) assert.equal(projectLink(none).transformIndexHtml(plain), plain);
  const linked = projectLink('https://host.org/owner/tamis').transformIndexHtml(plain);
  assert.match(linked, /<p id="elsewhere"><a href="guide\/index\.html">README and guide<\/a> <a href="https:\/\/host\.org\/owner\/tamis">Source<\/a><\/p>/);
});

test('works from any folder of a static host', async () => {
  const { host, close } = await serveFolder('some/where');
  try {
    await withPage(async (page) => {
      await page.goto(`${host}some/where/index.html#table`);
      assert.match(await tableSettled(page), /features kept/);
      assert.deepEqual(page.complaints, []);
    });
  } finally {
    close();
  }
});
