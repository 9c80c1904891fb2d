// Every state in which a person finds a part of the page: its name, where the page is opened, and how it is brought about.
import { drawn } from './drawn.mjs';
import {
  chooseKernels, dropFile, kernelsSettled, moveSlider, nothingRuns, notice, openMore, planeSettled, settled, showKernels, tableSettled,
} from './support.mjs';

const choose = (page, name, value) => page.check(`[name=${name}][value="${value}"]`, { force: true });

/** Draws with the mouse. */
export async function draw(page, strokes) {
  await page.locator('#pad').scrollIntoViewIfNeeded();
  const box = await page.locator('#pad').boundingBox();
  for (const stroke of strokes) {
    const at = (i) => [box.x + box.width * stroke[i], box.y + box.height * stroke[i + 1]];
    await page.mouse.move(...at(0));
    await page.mouse.down();
    for (let i = 2; i < stroke.length; i += 2) await page.mouse.move(...at(i), { steps: 2 });
    await page.mouse.up();
  }
}

async function ownDrawings(page, alone) {
  await settled(page);
  if (alone) await choose(page, 'base', 'drawings');
  for (const [name, strokes] of [['ring', drawn[0]], ['dash', [[0.2, 0.5, 0.8, 0.5]]], ['ring', drawn[9]]]) {
    if (!(await page.locator(`#add [data-class="${name}"]`).count())) {
      await page.fill('#new-class', name);
      await page.press('#new-class', 'Enter');
    }
    await draw(page, strokes);
    await page.click(`#add [data-class="${name}"]`);
  }
  await draw(page, drawn[0]);
  await settled(page);
}

/** A table of one's own, with all that can be in columns: numbers, categories, texts, missing values, a column that numbers the rows. */
export const own_table = ['id,height,long_name_of_a_column_with_some_text_in_it,colour,note,kind', ...Array.from({ length: 60 }, (_, i) => [
  i + 1, i % 7 === 3 ? 'NA' : (i % 2 ? 150 : 180) + ((i * 13) % 11), i === 20 ? 'tall' : ((i * 29) % 17) / 10, ['red', 'green', 'blue'][i % 3],
  `"person ${i}, of note"`, i % 2 ? 'small' : 'large'].join(','))].join('\n');

async function ownTable(page) {
  await tableSettled(page);
  await dropFile(page, 'a file of mine with a long name.csv', own_table);
  await page.getByText('60 rows, 6 columns').waitFor();
  await tableSettled(page);
}

const open = (button, dialog) => async (page) => {
  await page.click(button);
  await page.locator(`${dialog}[open]`).waitFor();
};

export const states = [
  { name: 'draw', at: '', use: settled },
  { name: 'draw-more', at: '', use: async (page) => {
    await settled(page);
    await openMore(page);
  } },
  { name: 'draw-own', at: '', use: (page) => ownDrawings(page, false) },
  { name: 'draw-alone', at: '', use: (page) => ownDrawings(page, true) },
  { name: 'draw-one-class', at: '', use: async (page) => {
    await settled(page);
    await choose(page, 'base', 'drawings');
    await settled(page);
  } },
  ...['sparse', 'arena', 'certified', 'lambda'].map((word) => ({ name: `term-${word}`, at: '', use: async (page) => {
    await settled(page);
    await page.click(`[popovertarget=term-${word}]`);
    await page.locator(`#term-${word}`).waitFor();
  } })),
  { name: 'share', at: '', use: async (page) => {
    await settled(page);
    await open('#share', '#sharing')(page);
  } },
  { name: 'share-data', at: '#table', use: async (page) => {
    await ownTable(page);
    await open('#share', '#sharing')(page);
    await page.check('#sharing-data');
    await page.locator('#sharing-says', { hasText: 'Whoever has the link' }).waitFor();
  } },
  ...['javascript', 'python', 'command'].map((language) => ({ name: `code-${language}`, at: '', use: async (page) => {
    await settled(page);
    await open('#code', '#coding')(page);
    await choose(page, 'coding-language', language);
  } })),
  { name: 'code-none', at: '', use: async (page) => {
    await settled(page);
    await choose(page, 'base', 'drawings');
    await open('#code', '#coding')(page);
  } },
  { name: 'draw-bad-link', at: '#draw?1=none', use: async (page) => {
    await notice(page);
    await settled(page);
  } },
  { name: 'table', at: '#table', use: tableSettled },
  { name: 'table-own', at: '#table', use: ownTable },
  { name: 'table-paste', at: '#table', use: async (page) => {
    await tableSettled(page);
    await page.click('#table-paste');
  } },
  { name: 'table-columns', at: '#table', use: async (page) => {
    await tableSettled(page);
    await page.click('#table-columns summary');
  } },
  { name: 'table-error', at: '#table', use: async (page) => {
    await tableSettled(page);
    await dropFile(page, 'a file of mine with a long name.csv', `x,y,label\n${'1.5,2.5,a\n'.repeat(20)}1,2\n`);
    await page.locator('#table-error:not(:empty)').waitFor();
    await tableSettled(page);
  } },
  { name: 'table-loading', at: '#table', moving: true, use: async (page) => {
    await tableSettled(page);
    await dropFile(page, 'long.csv', 'a,b,label\n', { text: '1.25,2.5,x\n3.25,4.75,y\n', times: 4_000_000 });
    await page.locator('#table-reading').waitFor();
  } },
  { name: 'table-predicted', at: '#table', use: async (page) => {
    await ownTable(page);
    await page.setInputFiles('#table-predict', { name: 'others.csv', mimeType: 'text/csv', buffer: Buffer.from(own_table) });
    await page.locator('#table-predicted-save').waitFor();
  } },
  ...['linear', 'interactions', 'kernels'].map((kind) => ({ name: `plane-${kind}`, at: '#plane', use: async (page) => {
    await choose(page, 'kind', kind);
    await planeSettled(page);
  } })),
  { name: 'plane-held-out', at: '#plane', use: async (page) => {
    await moveSlider(page, 0.6, '#plane-held');
    await planeSettled(page);
  } },
  { name: 'plane-playing', at: '#plane', moving: true, use: async (page) => {
    await choose(page, 'kind', 'linear');
    await planeSettled(page);
    await page.click('#plane-play');
    await page.getByText('Stop playing').waitFor();
  } },
  { name: 'plane-titanic', at: '#plane', use: async (page) => {
    await showKernels(page);
    await chooseKernels(page, ['linear', 'gaussian:1', 'polynomial:2,1', 'laplacian:1']);
    await kernelsSettled(page);
  } },
  { name: 'plane-complaint', at: '#plane', use: async (page) => {
    await showKernels(page);
    await page.fill('#kernel-others', 'gaussian:0');
    await page.press('#kernel-others', 'Enter');
    await page.locator('#kernel-error:not(:empty)').waitFor();
  } },
  { name: 'race-running', at: '#race', moving: true, use: async (page) => {
    await choose(page, 'race-limit', '20000');
    await page.locator('#race-stop').waitFor();
    await page.waitForFunction(() => document.querySelector('#race-says').textContent !== '');
  } },
  { name: 'race', at: '#race', use: async (page) => {
    await choose(page, 'race-data', 'iris');
    await page.locator('#race-result[aria-busy=false]').waitFor();
  } },
  { name: 'bench', at: '#bench', use: async (page) => {
    await page.waitForFunction(() => document.querySelector('#panel-bench .root').childElementCount > 0);
  } },
  { name: 'home-none', at: '#home', use: (page) => page.locator('#home-verdict[aria-busy=false]').waitFor() },
  { name: 'home-complaint', at: '#home', use: async (page) => {
    await page.locator('#home-verdict[aria-busy=false]').waitFor();
    await page.fill('[name=samples]', '-3');
    await page.locator('#home-size-error:not(:empty)').waitFor();
  } },
  { name: 'home', at: '#table', use: async (page) => {
    await tableSettled(page);
    await page.click('#tab-home');
    await page.locator('#home-exports li').first().waitFor();
    await page.locator('#home-verdict[aria-busy=false]').waitFor();
  } },
];

/** Brings a page into a state, and waits until nothing moves but what moves all the time. */
export async function bringAbout({ use, moving }, page) {
  await use(page);
  if (!moving) await nothingRuns(page);
}
