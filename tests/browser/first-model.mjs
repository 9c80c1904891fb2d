// node first-model.mjs TIMES FOLDER… [--record FILE]: what the first visit to the page costs that is built in each folder, in turns, each time in
// a new process of headless Chromium without a profile, at once, while the browser loads pages of its own on the same processors, and in another
// after a moment's rest: median and least milliseconds from navigation to the first trained model on screen, and until then the median of the
// longest task of the page's own thread (0: none above 50 ms), of the processor's time of that thread, and the sum of the layout shifts.
// --record writes those of the first folder as JSON, with the machine.
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import path from 'node:path';
import { setTimeout as moment } from 'node:timers/promises';
import { openBrowser, openPage, serveFolder } from './support.mjs';

const given = process.argv.slice(2);
const at = given.indexOf('--record');
const [, record] = at < 0 ? [] : given.splice(at, 2);
const [times, ...folders] = given;
if (!(Number(times) > 0) || folders.length === 0 || (at >= 0 && !record)) {
  console.error('Use: node first-model.mjs TIMES FOLDER… [--record FILE]');
  process.exit(2);
}
const load = loadavg()[0];
/** In the page: what it observes, and, without being asked, when the model is on screen. */
const watch = () => {
  globalThis.seen = { longest: 0, shift: 0 };
  const observe = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  observe('longtask', ({ duration }) => (seen.longest = Math.max(seen.longest, duration)));
  observe('layout-shift', ({ value, hadRecentInput }) => (seen.shift += hadRecentInput ? 0 : value));
  observe('mark', ({ name, startTime }) => name === 'trained' && (seen.trained ??= startTime) === startTime && console.debug('trained'));
};
const rests = { starting: 0, rested: 1500 }; // milliseconds
const seen = folders.map(() => ({ starting: [], rested: [] }));
let version;
/** One visit: what was observed. */
async function visit(folder, rest) {
  const server = await serveFolder('page', path.resolve(folder));
  const browser = await openBrowser();
  try {
    await moment(rest);
    const page = await openPage(browser.context, { prepare: (page) => page.addInitScript(watch) });
    const session = await browser.context.newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const trained = page.waitForEvent('console', { predicate: (message) => message.text() === 'trained' });
    await page.goto(`${server.host}page/`, { waitUntil: 'commit' });
    await trained;
    const { metrics } = await session.send('Performance.getMetrics');
    const { value } = metrics.find(({ name }) => name === 'TaskDuration');
    version ??= (await session.send('Browser.getVersion')).product;
    return { ...(await page.evaluate(() => seen)), processor: 1000 * value };
  } finally {
    await browser.close();
    server.close();
  }
}
for (let time = 0; time < Number(times); ++time)
  for (const [i, folder] of folders.entries())
    for (const [when, rest] of Object.entries(rests)) seen[i][when].push(await visit(folder, rest));
const middle = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const summary = (runs) => {
  const of = (name) => runs.map((run) => run[name]);
  const [median, least] = [middle(of('trained')), Math.min(...of('trained'))].map(Math.round);
  return {
    trained: { median, least }, longest_task: Math.round(middle(of('longest'))), processor: Math.round(middle(of('processor'))),
    layout_shift: Number(middle(of('shift')).toFixed(4)),
  };
};
const found = seen.map(({ starting, rested }) => ({ starting: summary(starting), rested: summary(rested) }));
found.forEach((whens, i) => Object.entries(whens).forEach(([when, { trained, longest_task, processor, layout_shift }]) =>
  console.log(`${folders[i]}, ${when}: median ${trained.median} ms, least ${trained.least} ms, longest task ${longest_task} ms, processor ${processor} ms, ` +
    `layout shift ${layout_shift}`)));
if (record) {
  const machine = { processor: cpus()[0].model.trim(), cores: cpus().length, date: new Date().toISOString().slice(0, 10), load: Number(load.toFixed(1)), browser: version };
  writeFileSync(record, `${JSON.stringify({ machine, times: Number(times), ...found[0] }, null, 2)}\n`);
}
