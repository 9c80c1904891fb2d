// The panel Table: what it recognises in a CSV, what it trains, and what it says of tables that it cannot take.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { holdOut } from '../../web/plugins/hold-out.js';
import {
  drag, dropFile, inEveryLook, moveSlider, nothingRuns, notice, screenshot, shareHoldsDataWhenAsked, stage, tableSettled, tamisInNode, testData,
  watchLongTasks, watchMessages,
} from './support.mjs';

const watchTasksAndMessages = async (page) => {
  await watchLongTasks(page);
  await watchMessages(page);
};

const scene = stage();
const { withPage: withAnyPage } = scene;
const withPage = (use, options) => withAnyPage(use, { at: '#table', ...options });

const numbers = (text) => text.match(/\d[\d,.]*/g).map((found) => Number(found.replaceAll(',', '')));
const complaint = async (page, id = 'table-error') => {
  await page.locator(`#${id}:not(:empty)`).waitFor();
  return page.textContent(`#${id}`);
};
const columnRows = (page) => page.$$eval('#table-column-rows tr', (rows) => rows.map((row) =>
  [...row.children].map((cell) => cell.querySelector('select')?.selectedOptions[0].textContent ?? cell.textContent)));
const count = (n) => n.toLocaleString('en-GB');
const moveTo = (page, share) => moveSlider(page, share, '#table-lambda');
const kept = (page) => page.textContent('#table-kept').then(Number);

/** Rows of a small table: a number that tells, one that does not, a category, some missing values. */
const people = ['height,noise,colour,kind,note'];
for (let i = 0; i < 60; ++i)
  people.push([i % 7 === 3 ? 'NA' : (i % 2 ? 150 : 180) + ((i * 13) % 11), ((i * 29) % 17) / 10, ['red', 'green', 'blue'][i % 3],
    i % 2 ? 'small' : 'large', `person ${i}, "of" note`.replaceAll('"', '""').replace(/^.*$/, '"$&"')].join(','));

test('trains on the example at once, and keeps what Node finds', async (t) => {
  await withPage(async (page) => {
    const said = await tableSettled(page);
    assert.match(said, /^\d+ of 13 features kept, \d+ of 60 right, certified within [\d.]+ % of optimal\.$/);
    assert.equal(await page.textContent('#table-shape'), '178 rows, 14 columns');

    const rows = testData('wine.csv').trim().split('\n').slice(1).map((line) => line.split(',').map(Number));
    const out = holdOut(rows.map(([label]) => label), 1 / 3, 0n);
    const part = (held) => rows.filter((_, i) => out[i] === held);
    const [train, heldOut] = [part(false), part(true)];
    const scale = train[0].slice(1).map((_, j) => {
      const column = train.map((row) => row[j + 1]);
      const mean = column.reduce((a, b) => a + b) / column.length;
      return { mean, deviation: Math.sqrt(column.reduce((sum, x) => sum + (x - mean) ** 2, 0) / column.length) };
    });
    const X = (rows) => rows.map((row) => scale.map(({ mean, deviation }, j) => (row[j + 1] - mean) / deviation));
    const y = (rows) => rows.map(([label]) => label);
    const tamis = await tamisInNode();
    const problem = { X: X(train), y: y(train), loss: 'squared-hinge', penalty: 'group-l2', tolerance: 1e-3 };
    const path = await tamis.path(problem, { points: 40, ratio: 1e-2 });
    const found = await tamis.crossValidate(problem, { lambdas: path.points.map(({ lambda }) => lambda) });
    const right = found.model.predictAll(X(heldOut)).filter((label, i) => label === heldOut[i][0]).length;
    assert.deepEqual(numbers(said).slice(0, 4), [found.model.keptFeatures.length, 13, right, 60]);
    assert.equal(Number(await page.textContent('#table-lambda-value')), Number(found.lambda1se.toPrecision(3)));
    assert.deepEqual(page.complaints, []);
    t.diagnostic(said);
  });
});

test('recognises what is in a table, and shows what is done with it', async () => {
  await withPage(async (page) => {
    await tableSettled(page);
    await dropFile(page, 'people.csv', people.join('\n'));
    await page.getByText('60 rows, 5 columns').waitFor();
    await tableSettled(page);
    assert.equal(await page.inputValue('#table-label'), 'kind');
    assert.deepEqual(await columnRows(page), [
      ['height', 'number', '150 to 190', '9, filled with the mean', 'number'],
      ['noise', 'number', '0 to 1.6', '–', 'number'],
      ['colour', 'category', 'red, green, blue', '–', 'category of 3'],
      ['kind', 'category', 'large, small', '–', 'label'],
      ['note', 'text', 'person 0, "of" note, person 1, "of" note, person 2, "of" note, person 3, "of" note, … (60)', '–', 'left out'],
    ]);
    assert.equal(await page.textContent('#table-features'), '5');
    assert.ok(Number((await page.textContent('#table-accuracy')).replace(' %', '')) > 85);
    await page.selectOption('#table-label', 'colour');
    await page.getByText('of 3 features', { exact: false }).first().waitFor();
    await tableSettled(page);
    assert.deepEqual(await page.$$eval('#table-confusion thead th', (cells) => cells.map((cell) => cell.textContent)), ['blue', 'green', 'red']);
    assert.deepEqual(page.complaints, []);
  });
});

test('takes what is pasted, without names, with semicolons and decimal commas', async () => {
  await withPage(async (page) => {
    await tableSettled(page);
    await page.click('#table-paste');
    const lines = Array.from({ length: 40 }, (_, i) => `${(i % 2) + i / 100};${i / 7};${i % 2 ? 'odd' : 'even'}`.replaceAll('.', ','));
    await page.fill('#table-text', lines.join('\n'));
    await page.getByText('Read it').click();
    await page.getByText('40 rows, 3 columns').waitFor();
    assert.equal(await page.inputValue('#table-label'), 'column 3');
    assert.ok(!(await page.isChecked('#table-header')));
    await tableSettled(page);
    assert.equal((await columnRows(page))[0][1], 'number');
    await page.check('#table-header');
    await page.getByText('39 rows, 3 columns').waitFor();
  });
});

test('the slider moves along the path at once', async () => {
  await withPage(async (page) => {
    await tableSettled(page);
    const seen = [];
    for (const share of [0, 0.3, 0.6, 0.9, 1]) {
      await moveTo(page, share);
      await tableSettled(page);
      seen.push(await kept(page));
    }
    assert.ok(seen.every((count, i) => i === 0 || count <= seen[i - 1]), `${seen}`);
    assert.ok(seen[0] > 9 && seen.at(-1) === 0, `${seen}`);
    assert.equal(await page.textContent('#table-ranked-more'), 'No feature is kept.');
    await page.click('#table-min');
    await tableSettled(page);
    assert.ok((await kept(page)) > 0);
    const { values, late } = await page.evaluate(async () => {
      const slider = document.querySelector('#table-lambda'), shown = document.querySelector('#table-lambda-value');
      const frame = () => new Promise(requestAnimationFrame);
      const values = new Set();
      let late = 0;
      for (let share = 0; share <= 1; share += 0.04) {
        slider.value = String(Number(slider.max) * share);
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        await frame();
        const next = shown.textContent;
        await frame();
        late += shown.textContent !== next;
        values.add(next);
      }
      return { values: values.size, late };
    });
    assert.ok(values >= 20, `${values} values of lambda`);
    assert.equal(late, 0, 'the next frame has the model of where the slider is');
  });
});

test('a row of one’s own has probabilities, with every loss', async () => {
  await withPage(async (page) => {
    const bars = () => page.$$eval('#table-probabilities li', (rows) => rows.map((row) =>
      [row.querySelector('b').textContent, Number(row.lastElementChild.textContent.replace(' %', ''))]));
    for (const loss of ['squared-hinge', 'logistic', 'hinge']) {
      await page.check(`#table-controls [value=${loss}]`, { force: true });
      await tableSettled(page);
      const before = await bars();
      assert.equal(before.length, 3);
      assert.ok(Math.abs(before.reduce((sum, [, share]) => sum + share, 0) - 100) < 0.3, `${loss}: ${before}`);
      await page.fill('[name=proline]', '1600');
      const rich = Object.fromEntries(await bars());
      assert.ok(rich[0] > Object.fromEntries(before)[0], `${loss}: proline speaks for class 0`);
      await page.fill('[name=proline]', '');
      assert.match(await page.textContent('#table-row-note'), /proline: a number is needed/);
      await page.fill('[name=proline]', '750');
    }
    assert.deepEqual(page.complaints, []);
  });
});

test('text in a number column: said, left out, and taken as one chooses', async () => {
  await withPage(async (page) => {
    await tableSettled(page);
    const lines = people.map((line, i) => (i === 20 ? line.replace(/^[^,]*/, 'tall') : line));
    await dropFile(page, 'people.csv', lines.join('\n'));
    assert.equal(await complaint(page, 'table-label-error'),
      "'height' has numbers, and on line 21 ‘tall’: it is left out unless you choose what to take it as.");
    await tableSettled(page);
    assert.equal(await page.textContent('#table-features'), '4');
    await page.getByLabel('What height is taken as').selectOption('number');
    await page.locator('#table-features', { hasText: '5' }).waitFor();
    await tableSettled(page);
    await page.getByLabel('What height is taken as').selectOption('category');
    await page.waitForFunction(() => Number(document.querySelector('#table-features').textContent) > 10);
    assert.match(await tableSettled(page), /features kept/);
    assert.equal(await page.textContent('#table-label-error').then((text) => text.includes('height')), false);
  });
});

/** What is trained, and what comes of it, is blank. */
async function nothingStays(page) {
  assert.equal(await tableSettled(page), '');
  assert.deepEqual(await page.$$eval('#table-kept, #table-features, #table-accuracy, #table-certified', (all) => all.map((one) => one.textContent)), Array(4).fill('–'));
  assert.equal(await page.locator('#table-ranked li, #table-confusion *, #table-probabilities *, #table-row *').count(), 0);
  assert.equal(await page.locator('[name=table-example]:checked').count(), 0);
  assert.equal(await page.textContent('#table-lambda-value'), '');
}

test('a new file clears what the one before has shown, while it loads and when it cannot be trained on', async () => {
  await withPage(async (page) => {
    await tableSettled(page);
    await dropFile(page, 'long.csv', 'a,b,label\n', { text: '1.25,2.5,x\n3.25,4.75,y\n', times: 4_000_000 });
    await page.locator('#table-name', { hasText: 'long.csv' }).waitFor();
    assert.equal(await page.textContent('#table-certified'), '–');
    assert.equal(await page.textContent('#table-shape'), '');
    assert.equal(await page.locator('#table-ranked li, #table-confusion *, #table-probabilities *').count(), 0);
    await dropFile(page, 'people.csv', people.join('\n')); // the newest counts
    await page.getByText('60 rows, 5 columns').waitFor();
    assert.match(await tableSettled(page), /features kept/);
    await nothingRuns(page);
    assert.equal(await page.textContent('#table-name'), 'people.csv');
    assert.equal(await page.textContent('#table-error'), '');
    await dropFile(page, 'one.csv', `x,label\n${Array.from({ length: 9 }, (_, i) => `${i},a`).join('\n')}`);
    await page.getByText("one.csv: All rows have the label 'a'", { exact: false }).waitFor();
    assert.equal(await page.textContent('#table-name'), 'one.csv');
    await nothingStays(page);
    assert.deepEqual(page.complaints, []);
  });
});

const row = '1.5,2.5,a\n';
for (const [what, parts, sentence] of [
  ['ragged rows', ['x,y,label\n', { text: row, times: 20 }, '1,2\n', row], 'Line 22 has 2 fields, where those before have 3.'],
  ['ragged rows after a line break in quotes', ['x,y,label\n', '1,2,"a\nb"\n', row, '1,2,a,4\n'], 'Line 5 has 4 fields, where those before have 3.'],
  ['an empty file', [''], 'The file is empty.'],
  ['blank lines alone', ['\n\n  \n'], 'The file has no line with text.'],
  ['names alone', ['x,y,label\n'], 'The file has names of columns, but no row below them.'],
  ['one column', ['x\n1\n2\n'], 'The file has one column alone: a label and at least one feature are needed.'],
  ['a binary file', [{ bytes: [0x89, 0x50, 0x4e, 0x47, 0, 1, 2] }], 'This is not a text file: byte 5 of it is zero.'],
  ['JSON in a .csv', ['[{"x": 1, "label": "a"}, {"x": 2, "label": "b"}]'], 'This is JSON, whatever its name says: save the table as CSV.'],
  ['a page', ['<!doctype html>\n<p>1,2</p>\n'], 'This is a page of HTML or XML: save the table as CSV.'],
  ['a spreadsheet', [{ bytes: [0x50, 0x4b, 3, 4] }], 'This is a ZIP archive, as .xlsx files are: save the table as CSV.'],
  ['a quotation mark that is not closed', ['x,y,label\n1,2,"a\n1,2,b\n'], 'Line 2 has a quotation mark that is not closed, or text after it.'],
  ['a million columns', [{ text: 'x,', times: 1_000_000 }, 'x\n', { text: '1,', times: 1_000_000 }, '1\n'],
    'The table has 1,000,001 columns, and at most 2,000 are taken here.'],
  ['one endless line', [{ text: 'word ', times: 1_000_000 }], 'The first line alone has more than 4,000,000 bytes, and at most 2,000 columns are taken here.'],
  ['more cells than fit', ['a,b,c,d,e,f,g,h,i,label\n', { text: '1,2,3,4,5,6,7,8,9,0\n', times: 1_200_000 }],
    /^The table has about 1,[12]\d\d,\d{3} rows of 10 columns, and at most 8,000,000 cells are taken here: its first 800,000 rows would fit\.$/],
  ['more bytes than are read', [{ text: `${'1,2,3,4,5,6,7,8,9,'.repeat(100)}0\n`, times: 56_000 }],
    /^The file has 100,[\d,]+ bytes, and at most 100,000,000 are read here: take a part of its lines\.$/],
])
  test(`${what}: told in one sentence that names the file, and nothing of the table before stays`, async () => {
    await withPage(async (page) => {
      await tableSettled(page);
      await page.evaluate(() => (longTasks.length = 0));
      await dropFile(page, 'bad.csv', ...parts);
      const said = await complaint(page);
      assert.match(said, /^bad\.csv: /);
      if (sentence instanceof RegExp) assert.match(said.slice(9), sentence);
      else assert.equal(said.slice(9), sentence);
      assert.equal(await page.textContent('#table-name'), 'bad.csv');
      await nothingStays(page);
      await page.check('[name=table-example][value=wine]', { force: true });
      await page.getByText('178 rows').waitFor();
      assert.match(await tableSettled(page), /of 13 features kept/);
      assert.equal(await page.textContent('#table-error'), '');
      assert.deepEqual(page.complaints, []);
    }, { prepare: watchLongTasks });
  });

test('one class, and other labels that cannot be, are told beside the label', async () => {
  await withPage(async (page) => {
    await tableSettled(page);
    await dropFile(page, 'one.csv', `x,y,label\n${Array.from({ length: 9 }, (_, i) => `${i},${i * i},a`).join('\n')}`); // its name says that it is the label
    await page.getByText("one.csv: All rows have the label 'a': at least two classes are needed.").waitFor();
    await dropFile(page, 'many.csv', `x,y\n${Array.from({ length: 300 }, (_, i) => `${3 * i},${i % 2}`).join('\n')}`);
    await page.getByText('300 rows, 2 columns').waitFor();
    await page.selectOption('#table-label', 'x');
    await page.locator('#table-label-error', {
      hasText: "many.csv: 'x' has more than 100 different values, and a label has one for each class: choose another column.",
    }).waitFor();
    await page.selectOption('#table-label', 'y');
    await page.locator('#table-label-error:empty').waitFor({ state: 'attached' });
  });
});

test('a column that numbers the rows is said to be one, and left out unless it is chosen', async () => {
  await withPage(async (page) => {
    await tableSettled(page);
    await dropFile(page, 'sorted.csv', `id,x,label\n${Array.from({ length: 40 }, (_, i) => `${i + 1001},${(i * 7) % 5},${i < 20 ? 'a' : 'b'}`).join('\n')}`);
    assert.equal(await complaint(page, 'table-label-error'), "'id' numbers the rows: it is left out unless you choose otherwise.");
    assert.match(await tableSettled(page), /of 1 features kept/);
    assert.deepEqual((await columnRows(page))[0], ['id', 'numbers the rows', '1,001 to 1,040', '–', 'left out']);
    await page.click('#table-columns summary');
    await page.getByLabel('What id is taken as').selectOption('number');
    await page.locator('#table-features', { hasText: '2' }).waitFor();
    assert.match(await tableSettled(page), /of 2 features kept, 1[34] of 14 right/);
    assert.equal(await page.textContent('#table-label-error'), '');
  });
});

test('n/a, null, None and - are missing values where numbers are expected, and elsewhere values', async () => {
  await withPage(async (page) => {
    await tableSettled(page);
    const marks = ['n/a', 'N/A', 'null', 'None', '-', '?', 'NA', ''];
    await dropFile(page, 'marks.csv', `x,colour,label\n${Array.from({ length: 64 }, (_, i) => [i % 4 === 1 ? marks[(i >> 2) % 8] : (i % 2) - i / 100,
      i % 4 === 3 ? marks[(i >> 2) % 8] : ['red', 'blue'][i % 2], i % 2].join(',')).join('\n')}`);
    await page.getByText('64 rows, 3 columns').waitFor();
    await tableSettled(page);
    assert.deepEqual((await columnRows(page)).map(([, kind, , missing]) => [kind, missing]), [['number', '16, filled with the mean'], ['category', '2'], ['number', '–']]);
    assert.equal(await page.textContent('#table-label-error'), '');
    await dropFile(page, 'labels.csv', `x,label\n${Array.from({ length: 60 }, (_, i) => `${i % 7},${['None', 'full', '-'][i % 3]}`).join('\n')}`);
    await page.getByText('60 rows, 2 columns').waitFor();
    await tableSettled(page);
    assert.deepEqual(await page.$$eval('#table-confusion thead th', (cells) => cells.map((cell) => cell.textContent)), ['-', 'None', 'full']);
    await dropFile(page, 'numbers.csv', `x,label\n${Array.from({ length: 60 }, (_, i) => `${i % 7},${i === 7 ? '-' : i % 2}`).join('\n')}`);
    await page.locator('#table-label-error', { hasText: '1 row has no label and is left out.' }).waitFor();
  });
});

test('two columns of one name are told apart, and it is said', async () => {
  await withPage(async (page) => {
    await tableSettled(page);
    await dropFile(page, 'twice.csv', `x,x,label\n${Array.from({ length: 30 }, (_, i) => `${2 * i},${i % 5},${i % 2}`).join('\n')}`);
    assert.equal(await complaint(page), "twice.csv: two columns have the same name: the second is 'x (column 2)' here.");
    assert.match(await tableSettled(page), /of 2 features kept/);
  });
});

test('classes too small for folds: trained, with a reason instead of the curve', async () => {
  await withPage(async (page) => {
    await tableSettled(page);
    await dropFile(page, 'rare.csv', `x,y,label\n${Array.from({ length: 30 }, (_, i) => `${i},${(i * 7) % 5},${i === 0 ? 'rare' : i % 2}`).join('\n')}`);
    await page.getByText('30 rows, 3 columns').waitFor();
    await tableSettled(page);
    assert.match(await page.textContent('#table-cv-key'), /^There is no cross-validation: class 'rare' has 1 samples?, .*\.$/);
  });
});

test('50 MB are read, trained on or refused, and the page does not stand still', async (t) => {
  await withPage(async (page) => {
    await tableSettled(page);
    await page.evaluate(() => (longTasks.length = 0));
    const text = Array.from({ length: 10 }, (_, i) => `${[0.12345, 1.23456, 2.34567, 3.45678].map((x) => (x * (i + 1)).toFixed(5)).join(',')},label ${i % 2}\n`).join('');
    await dropFile(page, 'large.csv', 'a,b,c,d,label\n', { text, times: Math.floor(50e6 / text.length) });
    const [made] = await page.evaluate(() => longTasks.splice(0)); // the text itself
    const before = await page.evaluate(() => told);
    await page.waitForFunction(() => document.querySelector('#table-name').textContent === 'large.csv' ||
      document.querySelector('#table-error').textContent !== '');
    t.diagnostic(`${await page.textContent('#table-name')}: ${await page.textContent('#table-shape')} ${await page.textContent('#table-error')}`);
    await page.waitForFunction(() => !document.querySelector('#notice-table').hidden || document.querySelector('#table-stop:not([hidden])') ||
      document.querySelector('#table-error').textContent !== '');
    t.diagnostic(`notice: ${await page.textContent('#notice-table')}; longest tasks ${await page.evaluate(() => longTasks)}; made in ${made}`);
    const heard = (await page.evaluate(() => told)) - before;
    assert.ok(heard >= 20, `the page did it itself: ${heard} messages`);
    assert.deepEqual(page.complaints, []);
  }, { prepare: watchTasksAndMessages });
});

test('reading is stopped at once, and it is said', async () => {
  await withPage(async (page) => {
    await tableSettled(page);
    await dropFile(page, 'long.csv', 'a,b,label\n', { text: '1.25,2.5,x\n3.25,4.75,y\n', times: 4_000_000 });
    await page.click('#table-read-stop');
    assert.equal(await complaint(page), 'long.csv: reading was stopped.');
    await nothingStays(page);
    assert.ok(await page.isHidden('#table-reading'));
  });
});

test('more than the memory for training holds: said with figures, and a smaller table is trained on', async () => {
  await withPage(async (page) => {
    await tableSettled(page);
    const lines = Array.from({ length: 90 }, (_, i) => `${i},${(i * i) % 17},class ${i}\n`).join('');
    await dropFile(page, 'classes.csv', 'a,b,label\n', { text: lines, times: 4000 });
    assert.match(await notice(page, 'table'), /^Training on this table needs [\d,]+ bytes, and has 67,108,864 bytes: about the first [\d,]+ of these rows would fit\.$/);
    await page.check('[name=table-example][value=iris]', { force: true });
    await page.locator('#notice-table').waitFor({ state: 'hidden' });
    assert.match(await tableSettled(page), /of 4 features kept/);
    assert.deepEqual(page.complaints, []);
  });
});

test('the page stays free while there is training, and while the slider is dragged', async (t) => {
  await withPage(async (page) => {
    await tableSettled(page);
    await page.evaluate(() => (longTasks.length = 0));
    const before = await page.evaluate(() => told);
    await page.check('[name=table-example][value=digits]', { force: true });
    await page.waitForFunction(() => Number(document.querySelector('#table-features').textContent) > 50);
    await tableSettled(page);
    const heard = (await page.evaluate(() => told)) - before;
    const training = await page.evaluate(() => longTasks.splice(0).map(Math.round));
    for (let share = 0; share <= 1; share += 0.05) await moveTo(page, share);
    await tableSettled(page);
    const dragging = await page.evaluate(() => longTasks.splice(0).map(Math.round));
    t.diagnostic(`tasks above 50 ms: training ${training}; dragging ${dragging}`);
    assert.ok(heard >= 20, `the page did it itself: ${heard} messages`);
  }, { prepare: watchTasksAndMessages });
});

test('training is stopped at once, and what is there stays', async () => {
  await withPage(async (page) => {
    await tableSettled(page);
    await page.check('#table-controls [value=hinge]', { force: true });
    const stopped = page.evaluate(() => new Promise((resolve) => {
      const ranked = document.querySelector('#table-ranked');
      const watch = new MutationObserver(() => {
        if (!/^row /.test(ranked.querySelector('span[title]')?.title)) return; // of the digits
        watch.disconnect();
        resolve(document.querySelector('#table-stop').click());
      });
      watch.observe(ranked, { childList: true });
    }));
    await page.check('[name=table-example][value=digits]', { force: true });
    await stopped;
    await page.locator('#table-stop').waitFor({ state: 'hidden' });
    await nothingRuns(page);
    assert.equal(await page.textContent('#table-work'), '');
    assert.ok(await page.locator('#table-ranked li').count());
  });
});

test('rows are in the link only when that is ticked: it comes back with settings and all', async () => {
  let link, said;
  await withPage(async (page) => {
    await tableSettled(page);
    await dropFile(page, 'people.csv', people.join('\n'));
    await page.getByText('60 rows, 5 columns').waitFor();
    await page.check('#table-controls [value=l1]', { force: true });
    await page.getByLabel('What colour is taken as').selectOption('out');
    await moveTo(page, 0.5);
    await nothingRuns(page);
    said = await tableSettled(page);
    const rowsIn = (address) => inflateRawSync(Buffer.from(address.split('?1=')[1], 'base64url')).toString().includes('person 12');
    assert.ok(!rowsIn(page.url()), 'no row in the address');
    await page.click('#share');
    await page.locator('#sharing[open]').waitFor();
    const says = () => page.textContent('#sharing-says');
    assert.equal(await says(), `The link has ${count((await page.inputValue('#sharing-link')).length)} characters. It holds the name of the file, ` +
      'what its columns are taken as, the loss, the penalty and λ, and none of the data.');
    assert.equal(await page.inputValue('#sharing-link'), page.url());
    await page.getByLabel('with the data: 60 rows of people.csv').check();
    await page.locator('#sharing-says', { hasText: 'Whoever has the link has the data' }).waitFor();
    link = await page.inputValue('#sharing-link');
    assert.ok((await says()).startsWith(`The link has ${count(link.length)} characters.`));
    assert.ok(rowsIn(link) && !rowsIn(page.url()));
  });
  await withPage(async (page) => {
    await page.getByText('60 rows, 5 columns').waitFor();
    await nothingRuns(page);
    assert.equal(page.url(), link, 'the address that has brought them goes on holding them');
    assert.equal(await tableSettled(page), said);
    assert.equal(await page.textContent('#table-name'), 'people.csv');
    assert.ok(await page.isChecked('#table-controls [value=l1]'));
    assert.equal(await page.textContent('#table-features'), '2');
    await shareHoldsDataWhenAsked(page, '60 rows of people.csv', ({ text }) => text);
  }, { at: new URL(link).hash });
});

test('a larger table is not in the link, which says so and waits for it', async () => {
  let link;
  const table = `x,y,label\n${Array.from({ length: 4000 }, (_, i) => `${Math.sin(i * 12.9898) * 43758.5453 + 20000 * (i % 2)},${Math.cos(i * 78.233) * 1000 - 900 * (i % 2)},${i % 2}`).join('\n')}`;
  await withPage(async (page) => {
    await tableSettled(page);
    await dropFile(page, 'larger.csv', table);
    await page.getByText('4,000 rows, 3 columns').waitFor();
    await page.check('#table-controls [value=ridge]', { force: true });
    await page.click('#share');
    await page.getByLabel('with the data: 4,000 rows of larger.csv').click();
    await page.getByText('These data are too large for a link', { exact: false }).waitFor();
    assert.ok(!(await page.isChecked('#sharing-data')));
    link = await page.inputValue('#sharing-link');
    assert.equal(link, page.url());
  });
  await withPage(async (page) => {
    assert.equal(await complaint(page), "This link holds what was asked of 'larger.csv', but not the table: choose or drop the file to go on.");
    await dropFile(page, 'larger.csv', table);
    await page.getByText('4,000 rows, 3 columns').waitFor();
    assert.ok(await page.isChecked('#table-controls [value=ridge]'));
    assert.match(await tableSettled(page), /^2 of 2 features kept/);
  }, { at: new URL(link).hash });
});

/** Chooses a file of rows to predict. */
const toPredict = (page, name, text) => page.setInputFiles('#table-predict', { name, mimeType: 'text/csv', buffer: Buffer.from(text) });
const predicted = (page, what) => page.locator('#table-predicted', { hasText: what }).waitFor();

test('predicts the rows of another table, and gives them back with their classes', async () => {
  const [names, ...rows] = testData('iris.csv').trim().split('\n');
  await withPage(async (page) => {
    await page.check('[name=table-example][value=iris]', { force: true });
    await page.locator('#table-shape', { hasText: '150 rows' }).waitFor();
    await tableSettled(page);
    assert.ok(await page.isHidden('#table-predicted-save'));
    await toPredict(page, 'mine.csv', `${names}\n${rows.slice(40, 60).join('\n')}\n`);
    await predicted(page, /^mine\.csv: 20 rows predicted, (19|20) of 20 as their label says/);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#table-predicted-save')]);
    assert.equal(download.suggestedFilename(), 'mine_predicted.csv');
    const lines = readFileSync(await download.path(), 'utf8').trim().split('\n');
    assert.equal(lines[0], `${names},predicted,probability`);
    assert.deepEqual(lines.slice(1).map((line) => line.split(',').slice(0, -2).join(',')), rows.slice(40, 60));
    assert.equal(lines[1].split(',').at(-2), rows[40].split(',')[0]);
    assert.ok(lines.slice(1).every((line) => Number(line.split(',').at(-1)) > 1 / 3 && Number(line.split(',').at(-1)) <= 1));
    // Without the label, its columns in another order, with decimal commas, and a value missing.
    const order = names.split(',').slice(1).map((_, j, all) => all.length - j);
    const turned = [names, ...rows.slice(40, 45), rows[45].replace(/,[^,]*$/, ',n/a')].map((line) =>
      order.map((j) => line.split(',')[j].replace('.', ',')).join(';')).join('\n');
    await toPredict(page, 'turned.csv', turned);
    await predicted(page, /^turned\.csv: 6 rows predicted\. For 1 value that is no number the mean stands\.$/);
    const [other] = await Promise.all([page.waitForEvent('download'), page.click('#table-predicted-save')]);
    const again = readFileSync(await other.path(), 'utf8').trim().split('\n').slice(1).map((line) => line.split(';').at(-2));
    assert.deepEqual(again.slice(0, 5), lines.slice(1, 6).map((line) => line.split(',').at(-2)));
    for (const [text, sentence] of [
      ['', 'The file is empty.'], ['a,b\n1,2\n', /^There is no column '.*', which the model looks at\.$/], [`${names}\n`, 'There are names of columns, but no row below them.'],
      [`${names}\n1,2\n`, /^Row 2 has 2 fields, where those before have 5\.$/], ['{"a": 1}', /^This is JSON/],
    ]) {
      await toPredict(page, 'wrong.csv', text);
      await page.waitForFunction(() => /^wrong\.csv: (?!.*…)/.test(document.querySelector('#table-predicted').textContent));
      assert.match((await page.textContent('#table-predicted')).replace('wrong.csv: ', ''), sentence instanceof RegExp ? sentence : new RegExp(`^${sentence}$`));
      assert.ok(await page.isHidden('#table-predicted-save'));
      await page.evaluate(() => (document.querySelector('#table-predicted').textContent = ''));
    }
    await page.check('[name=table-example][value=wine]', { force: true });
    await tableSettled(page);
    assert.equal(await page.textContent('#table-predicted'), '');
    assert.deepEqual(page.complaints, []);
  }, { at: '#table' });
});

test('says so when there is no WebAssembly', async () => {
  await withPage(async (page) => {
    assert.equal(await notice(page, 'table'), 'This page trains in WebAssembly, which this browser does not have or has switched off.');
    assert.ok(await page.isDisabled('#table-lambda'));
  }, { prepare: (page) => page.addInitScript(() => delete globalThis.WebAssembly) });
});

test('the keyboard suffices', async () => {
  await withPage(async (page) => {
    await tableSettled(page);
    await page.focus('#table-lambda');
    const before = await page.textContent('#table-lambda-value');
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction((before) => document.querySelector('#table-lambda-value').textContent !== before, before);
    await page.focus('#table-columns summary');
    await page.keyboard.press('Enter');
    assert.equal((await columnRows(page)).length, 14);
    await page.getByLabel('What alcohol is taken as').focus();
    await page.keyboard.press('l'); // left out
    await page.locator('#table-features', { hasText: '12' }).waitFor();
  });
});

test('fits the screen, light and dark, wide and narrow', async () => {
  await inEveryLook(scene, '#table', async (page, look) => {
    await tableSettled(page);
    await screenshot(page, `table-${look}`);
    await dropFile(page, 'people.csv', people.join('\n'));
    await page.getByText('60 rows, 5 columns').waitFor();
    await tableSettled(page);
    await screenshot(page, `table-own-${look}`);
  });
});
