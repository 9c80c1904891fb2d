// Every panel in Firefox: it trains or shows what it has without a click, predicts, and the console has no complaint. Skipped where there is no Firefox.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { serve } from './support.mjs';

const program = process.env.TAMIS_FIREFOX || '/usr/bin/firefox-esr';
const skip = existsSync(program) ? false : 'there is no Firefox: Debian has firefox-esr, and TAMIS_FIREFOX names another';
const timeout = 120_000; // milliseconds, for what would wait for ever

let server, browser;
before(async () => {
  if (skip) return;
  const { default: puppeteer } = await import('puppeteer-core');
  [server, browser] = await Promise.all([serve(), puppeteer.launch({ browser: 'firefox', executablePath: program, headless: true })]);
});
after(async () => {
  await browser?.close();
  server?.close();
});

const text = (page, what) => page.$eval(what, (one) => one.textContent);
const rests = (page, what) => page.waitForSelector(`${what}[aria-busy=false]`, { timeout });

for (const [name, at, use] of [
  ['draw', '', async (page) => {
    await rests(page, '#result');
    assert.match(await text(page, '#status'), /certified within [\d.]+ % of optimal in \d+ ms\. \d+ of 599 held-out digits right\.$/);
    await page.waitForFunction(() => /^tamis reads 3, looking at \d+ of 64 pixels$/.test(document.querySelector('#reading').textContent), { timeout });
  }],
  ['table', '#table', async (page) => {
    await rests(page, '#table-result');
    assert.match(await text(page, '#table-status'), /^\d+ of 13 features kept, 5\d of 60 right/);
    const shares = await page.$$eval('#table-probabilities li', (rows) => rows.map((row) => parseFloat(row.lastElementChild.textContent)));
    assert.ok(shares.length === 3 && Math.abs(shares.reduce((a, b) => a + b) - 100) < 0.3, `${shares}`);
  }],
  ['plane', '#plane', async (page) => {
    for (const kind of ['kernels', 'linear', 'interactions']) {
      await page.$eval(`[name=kind][value=${kind}]`, (button) => button.click());
      await rests(page, '#plane-result');
      await page.waitForSelector('#stage[data-painted]', { timeout });
      assert.match(await text(page, '#plane-status'), /certified within/);
    }
  }],
  ['race', '#race', async (page) => {
    await rests(page, '#race-result');
    assert.match(await text(page, '#race-status'), /first certified/);
  }],
  ['bench', '#bench', async (page) => {
    await page.waitForFunction(() => document.querySelectorAll('#panel-bench tbody tr').length > 5, { timeout });
  }],
  ['home', '#table', async (page) => {
    await rests(page, '#table-result');
    await page.$eval('#tab-home', (tab) => tab.click());
    await page.waitForSelector('#home-exports li', { timeout });
    await rests(page, '#home-verdict');
    assert.match(await text(page, '#home-verdict'), /^arena [\d,]+ bytes/);
  }],
])
  test(`${name}: trains and predicts in Firefox without complaint`, { skip }, async (t) => {
    const page = await browser.newPage();
    const complaints = [];
    page.on('console', (message) => ['error', 'warn', 'warning'].includes(message.type()) && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    try {
      await page.goto(server.address + at);
      await use(page);
      assert.deepEqual(complaints, []);
      t.diagnostic(await browser.version());
    } finally {
      await page.close();
    }
  });
