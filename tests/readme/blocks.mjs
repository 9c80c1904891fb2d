// node blocks.mjs ROOT: every block of code in the pages is run by a test, or the line before it says why not: `<!-- not run: WHY -->`.
// What runs blocks:
//   a comment `snippet: NAME`     the examples that CMake takes out of the pages (snippets.cmake), and those of wasm/tests/recipes.test.mjs
//   a comment `run by: FILE`      that test, which names the page
//   a comment `program: …`, lines `$ COMMAND`, the language sh: sessions.mjs, of the pages that it is given
//   js, html, python of some pages: a test that takes all of them
// Indented blocks that are not ASCII are formulas. Every breach is a line; the answer is 1 when there are some.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { blocksOf, linesOf, pagesOf } from './pages.mjs';

const root = path.resolve(process.argv[2] ?? '.');
const textOf = (file) => readFileSync(path.join(root, file), 'utf8');
/** Tests that take all blocks of a language from a page. */
const takers = {
  'wasm/README.md js': 'wasm/tests/readme.test.mjs',
  'wasm/README.md html': 'tests/browser/single-file.test.mjs',
  'lib/python/README.md python': 'tests/python/test_examples.py',
  'README.md js': 'tests/readme/sessions.mjs',
  'README.md python': 'tests/readme/sessions.mjs',
};

/** The names of the examples that tests take out of the pages. */
function snippets() {
  const names = new Set();
  for (const folder of existsSync(path.join(root, 'tests')) ? readdirSync(path.join(root, 'tests')) : []) {
    const file = `tests/${folder === 'CMakeLists.txt' ? '' : `${folder}/`}CMakeLists.txt`;
    if (!existsSync(path.join(root, file))) continue;
    let list = '';
    for (const line of textOf(file).split('\n')) {
      list = line.match(/^\s*foreach\(name (.*)\)/)?.[1] ?? list;
      const [, name] = line.match(/^\s*tamis_snippet\((\S+)/) ?? [];
      for (const one of name?.includes('${name}') ? list.split(' ').map((part) => name.replace('${name}', part)) : name ? [name] : []) names.add(one);
    }
  }
  return names;
}
const examples = snippets(), recipes = 'wasm/tests/recipes.test.mjs';
const sessions = existsSync(path.join(root, 'tests/readme/CMakeLists.txt'))
  ? (textOf('tests/readme/CMakeLists.txt').match(/set\(sessions ([^)]*)\)/)?.[1].match(/\S+\.md/g) ?? []) : [];

/** Why a block is not run; nothing where it is. */
function complaint(page, { language, code, comment }) {
  const [, kind, of] = comment.match(/^(not run|snippet|run by|program): (.+)$/) ?? [];
  const in_session = sessions.includes(page);
  if (kind === 'not run') return;
  if (kind === 'snippet') {
    if (examples.has(of) || (page === 'wasm/recipes.md' && textOf(recipes).includes(`'${of}'`))) return;
    return `is the snippet ${of}, which no test takes`;
  }
  if (kind === 'run by') {
    if (existsSync(path.join(root, of)) && textOf(of).includes(path.basename(page))) return;
    return `is run by ${of}, which does not name ${path.basename(page)}`;
  }
  if (kind === 'program' && language === 'c' && in_session) return;
  if (in_session && (language === 'sh' || (language === '' && code[0]?.startsWith('$ ')))) return;
  const taker = takers[`${page} ${language}`];
  if (taker && existsSync(path.join(root, taker))) return;
  if (language === null && code.some((line) => /[^\x00-\x7f]/.test(line))) return; // a formula
  return 'is a block that no test runs, and no comment `not run: …` before it says why';
}

const wrong = [];
let count = 0, aside = 0;
for (const page of pagesOf(root))
  for (const block of blocksOf(linesOf(root, page))) {
    ++count;
    if (block.comment.startsWith('not run: ')) ++aside;
    const why = complaint(page, block);
    if (why) wrong.push(`${page}:${block.line} ${why}.`);
  }
for (const sentence of wrong) console.error(sentence);
if (!wrong.length) console.log(`${count} blocks: ${count - aside} are run or are formulas, ${aside} say why not.`);
process.exitCode = wrong.length ? 1 : 0;
