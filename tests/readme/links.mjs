// node links.mjs ROOT: in all pages of the project (*.md that git does not ignore) the file of every relative link is there, and every
// #anchor is a heading of its page; README.md has at most 150 lines, and no page more than 400. Pages that are packed without the
// others link to none. Every breach is a line; the answer is 1 when there are some.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { linesOf, pagesOf } from './pages.mjs';

const root = path.resolve(process.argv[2] ?? '.');
const packs = [['wasm/README.md', 'wasm/recipes.md'], ['lib/python/README.md']]; // in the npm package, and in the wheel
const most = (page) => (page === 'README.md' ? 150 : 400);

/** The lines that are text; those of fenced code are empty, as are comments within a line. */
function textOf(page) {
  let fence = '';
  return linesOf(root, page).map((line) => {
    const [, mark] = line.match(/^ {0,3}(`{3,}|~{3,})/) ?? [];
    if (fence) {
      if (mark && mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark) fence = '';
      return '';
    }
    if (mark) fence = mark;
    return mark ? '' : line.replace(/<!--.*?-->/g, '');
  });
}

const withoutCode = (line) => line.replace(/(`+)(?!`).*?[^`]\1(?!`)/g, '');

/** What heading lines are called in links: as GitHub names them, repeated ones with a number. */
function anchorsOf(page) {
  const seen = new Map(), anchors = new Set();
  for (const line of textOf(page)) {
    const [, heading] = line.match(/^#{1,6} +(.*?)(?: +#+)?$/) ?? [];
    if (heading === undefined) continue;
    const text = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
    const plain = text.toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '').replaceAll(' ', '-');
    const times = seen.get(plain) ?? 0;
    seen.set(plain, times + 1);
    anchors.add(times ? `${plain}-${times}` : plain);
  }
  return anchors;
}

function* linksOf(page) {
  for (const [number, line] of textOf(page).entries()) {
    const text = withoutCode(line);
    const inline = text.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+["'(][^)]*)?\)/g), named = text.matchAll(/^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)/g);
    for (const [, target] of [...inline, ...named, ...text.matchAll(/\b(?:src|href)="([^"]+)"/g)]) yield [number + 1, target];
  }
}

const all = pagesOf(root), wrong = [];
let links = 0;
for (const page of all) {
  const lines = textOf(page).length;
  if (lines > most(page)) wrong.push(`${page} has ${lines} lines, more than ${most(page)}.`);
  for (const [line, target] of linksOf(page)) {
    if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) continue; // of other hosts: nothing is asked there
    ++links;
    const at = target.indexOf('#'), file = decodeURIComponent(at < 0 ? target : target.slice(0, at));
    const to = file ? path.posix.join(path.posix.dirname(page), file) : page;
    const pack = packs.find((pages) => pages.includes(page));
    if (file && pack && !pack.includes(to)) wrong.push(`${page}:${line} links to ${file}, but is packed without it.`);
    else if (to.startsWith('..') || file.startsWith('/') || !existsSync(path.join(root, to)))
      wrong.push(`${page}:${line} links to ${target}, and there is no ${to}.`);
    else if (at >= 0) {
      const anchor = decodeURIComponent(target.slice(at + 1));
      const readable = to.endsWith('.md') ? to : statSync(path.join(root, to)).isDirectory() ? path.posix.join(to, 'README.md') : '';
      if (!readable || !existsSync(path.join(root, readable)) || !anchorsOf(readable).has(anchor))
        wrong.push(`${page}:${line} links to ${target}, and ${to} has no heading #${anchor}.`);
    }
  }
}
if (!all.length) wrong.push(`There are no pages in ${root}.`);
for (const sentence of wrong) console.error(sentence);
if (!wrong.length) console.log(`${links} links of ${all.length} pages lead somewhere.`);
process.exitCode = wrong.length ? 1 : 0;
