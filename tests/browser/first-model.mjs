// node first-model.mjs TIMES FOLDER…: milliseconds from navigation to the first trained model on screen, of the page that is
// built in each folder, in turns, each time in a new process of headless Chromium without a profile: median and least, and the
// longest task of the page's own thread until then (0: none above 50).
import path from 'node:path';
import { openBrowser, openPage, serveFolder, trainedAfter } from './support.mjs';

const [times, ...folders] = process.argv.slice(2);
if (!(Number(times) > 0) || folders.length === 0) {
  console.error('Use: node first-model.mjs TIMES FOLDER…');
  process.exit(2);
}
const watchTasks = () => {
  globalThis.longest = 0;
  const watch = new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (longest = Math.max(longest, duration))));
  watch.observe({ type: 'longtask', buffered: true });
};
const seen = folders.map(() => []);
for (let time = 0; time < Number(times); ++time) {
  for (const [i, folder] of folders.entries()) {
    const server = await serveFolder('page', path.resolve(folder));
    const browser = await openBrowser();
    try {
      const page = await openPage(browser.context, { prepare: (page) => page.addInitScript(watchTasks) });
      await page.goto(`${server.host}page/`);
      seen[i].push({ trained: await trainedAfter(page), longest: await page.evaluate(() => longest) });
    } finally {
      await browser.close();
      server.close();
    }
  }
}
const middle = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
folders.forEach((folder, i) => {
  const trained = seen[i].map((one) => one.trained);
  const longest = seen[i].map((one) => one.longest);
  console.log(`${folder}: median ${Math.round(middle(trained))} ms, least ${Math.round(Math.min(...trained))} ms, longest task ${Math.round(middle(longest))} ms`);
});
