// The guide beside the page: every link leads somewhere, the search finds without another host, and it fits the screen.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openBrowser, page_folder, screenshots, serve } from './support.mjs';

const guide = path.join(page_folder, 'guide');
const pages = readdirSync(guide, { recursive: true }).filter((file) => file.endsWith('.html'));
const texts = new Map(pages.map((file) => [path.join(guide, file), readFileSync(path.join(guide, file), 'utf8')]));
const idsOf = (text) => new Set([...text.matchAll(/ (?:id|name)="([^"]*)"/g)].map(([, id]) => id));

test('every page of the sources, and every reference, is there', () => {
  for (const page of ['index', 'lib/docs/extending', 'lib/cli/index', 'wasm/index', 'web/index', 'github/CONTRIBUTING', 'reference/python',
    'reference/cpp/tamis', 'reference/c/tamis', 'reference/javascript/tamis']) assert.ok(pages.includes(`${page}.html`), page);
  const says = (page, words) => assert.ok(texts.get(path.join(guide, `${page}.html`)).includes(words), `${page} has nothing of ${words}`);
  says('reference/cpp/tamis', 'id="training"');
  says('reference/cpp/penalty', 'id="l1"');
  says('reference/c/tamis', 'id="tamis_train_f32"');
  says('reference/python', 'id="sparseclassifierfit"');
  says('reference/javascript/tamis', 'id="load"');
  says('lib/c/index', 'href="../../reference/c/tamis.html#tamis_problem_refusal_f32"'); // what the text names is linked to what explains it
  says('index', '<pre><code>bash toolchains/demo.sh');
});

test('every link, picture and anchor of the guide is there', () => {
  const wrong = [];
  let links = 0;
  for (const [file, text] of texts) {
    if (/<[^>]* style=/.test(text)) wrong.push(`${path.relative(guide, file)} has a style that its policy forbids`);
    for (const [, , target] of text.replace(/<pre[^]*?<\/pre>/g, '').matchAll(/ (href|src)="([^"]*)"/g)) {
      if (/^[a-z][a-z0-9+.-]*:/i.test(target)) continue;
      ++links;
      const [address, anchor] = target.split('#').map(decodeURIComponent), to = address ? path.join(path.dirname(file), address) : file;
      if (!existsSync(to)) wrong.push(`${path.relative(guide, file)} links to ${target}, which is not there`);
      else if (anchor && texts.has(to) && !idsOf(texts.get(to)).has(anchor)) wrong.push(`${path.relative(guide, file)} links to ${target}: no such anchor`);
    }
  }
  assert.ok(links > 1000);
  assert.deepEqual(wrong, []);
});

let server, browser;
before(async () => {
  server = await serve();
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  server?.close();
});

const looks = [['narrow', 390], ['wide', 1280]].flatMap(([name, width]) => ['light', 'dark'].map((scheme) => [`${name}-${scheme}`, width, scheme]));
for (const [name, width, scheme] of looks)
  test(`the guide fits, finds and asks no other host: ${name}`, async () => {
    const page = await browser.context.newPage();
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    const wrong = [];
    page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
    page.on('pageerror', (error) => wrong.push(error.message));
    page.on('request', (request) => request.url().startsWith(server.address) || request.url().startsWith('data:') || wrong.push(request.url()));
    const open = async (address) => {
      await page.goto(`${server.address}guide/${address}`);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${address} is wider than ${width}`);
      await page.screenshot({ path: path.join(screenshots, `guide-${path.basename(address, '.html')}-${name}.png`) });
    };
    await open('index.html');
    await open('reference/cpp/tamis.html');
    await open('wasm/index.html');
    for (const [i, answer] of ['setosa true', 'setosa, virginica\n1\nsetosa', 'different\na·b, a, b', 'core ring\ngaussian:1'].entries()) {
      await page.locator('.run button').nth(i).click();
      await page.locator('.run output').nth(i).filter({ hasText: answer.split('\n')[0] }).waitFor();
      assert.equal(await page.locator('.run output').nth(i).textContent(), answer);
    }
    await page.screenshot({ path: path.join(screenshots, `guide-run-${name}.png`) });
    await open('lib/docs/extending.html');
    await page.fill('#search', 'sparse group');
    await page.locator('#found section').first().waitFor();
    assert.ok(await page.locator('#found a', { hasText: 'Problems' }).count(), 'nothing leads to the page on problems');
    await page.screenshot({ path: path.join(screenshots, `guide-search-${name}.png`) });
    await page.locator('#found a', { hasText: 'Problems' }).first().click();
    await page.waitForURL(/problems\.html/);
    assert.deepEqual(wrong, []);
    await page.close();
  });
