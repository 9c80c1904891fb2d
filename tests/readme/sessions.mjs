// node sessions.mjs [--write] ROOT TAMIS PAGE…: runs what the pages show of the command, page after page, each in an empty folder with
// the data of the tests. In a block of code without a language, what follows `$ ` is run, and where the page shows an answer, it has to
// be that one but for times; after a line `…` anything may follow. A block `sh` is run as a whole. With --write the answers are
// written into the pages. A block `c` after a line `<!-- program: DECLARATIONS; prints: ANSWER -->` is compiled as a program that has these
// declarations and the lines of the block in `main`, with what the page's commands have written there. Blocks `js` and `python` of
// README.md have to stand in the pages whose tests run them.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const write = process.argv[2] === '--write';
const [root, command, ...pages] = process.argv.slice(write ? 3 : 2);
const bin = path.dirname(path.resolve(command));
const timeless = (line) => line.replace(/\bin [0-9.]+ (µs|ms|s)\b/g, 'in a while');
const wrong = [];
let run = 0, failed = 0;

/** The standard output and error of a script, as lines. */
function answerOf(script, folder, at) {
  const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}`, LC_ALL: 'C.UTF-8' };
  const { status, stdout } = spawnSync('bash', ['-ec', `exec 2>&1\n${script}`], { cwd: folder, env, encoding: 'utf8' });
  ++run;
  if (status !== 0) {
    ++failed;
    wrong.push(`${at} ends with ${status}:\n${stdout}`);
  }
  return stdout.split('\n').slice(0, -1);
}

/** The block of a session with today's answers. */
function session(block, folder, page, first) {
  const out = [];
  for (let i = 0; i < block.length; ) {
    const at = `${page}:${first + i}`, lines = [block[i++]];
    const open = () => lines.at(-1).endsWith('\\') || (lines.join('\n').split("'").length - 1) % 2 === 1;
    while (i < block.length && open()) lines.push(block[i++]);
    out.push(...lines);
    const shown = [];
    while (i < block.length && !block[i].startsWith('$ ')) shown.push(block[i++]);
    const answer = answerOf(lines.join('\n').slice(2), folder, at);
    if (shown.length === 0) continue;
    const more = shown.at(-1) === '…', count = shown.length - (more ? 1 : 0);
    const today = more ? answer.slice(0, count) : answer;
    const same = today.length === count && today.every((line, k) => timeless(line) === timeless(shown[k]));
    if (!same) wrong.push(`${at} has another answer than the page:\n${today.join('\n')}`);
    out.push(...(same ? shown : [...today, ...(more ? ['…'] : [])]));
  }
  return out;
}

/** The script that compiles and runs the lines of a block as the body of `main`, and compares what it prints. */
function programOf(block, declarations, answer) {
  const includes = block.filter((line) => line.startsWith('#include')), lines = block.filter((line) => !line.startsWith('#include'));
  const source = ['#include <stdio.h>', ...includes, `int main(void) {\n${declarations};`, ...lines, 'return 0;\n}'].join('\n');
  return `cat > program.c <<'END'\n${source}\nEND\ncc -std=c99 -Wall -Werror -o program program.c\n./program > answer\ncat answer\n` +
    `[ "$(cat answer)" = '${answer}' ]`;
}

for (const page of pages) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tamis-'));
  mkdirSync(path.join(folder, 'tests'));
  symlinkSync(path.resolve(root, 'tests/data'), path.join(folder, 'tests/data'));
  const file = path.join(root, page), lines = readFileSync(file, 'utf8').split('\n'), out = [];
  for (let i = 0; i < lines.length; ++i) {
    out.push(lines[i]);
    if (!lines[i].startsWith('```')) continue;
    const end = lines.indexOf('```', i + 1), block = lines.slice(i + 1, end);
    if (end < 0) throw new Error(`${page}:${i + 1} opens a block of code that nothing closes`);
    if (lines[i] === '```sh') answerOf(block.join('\n'), folder, `${page}:${i + 2}`);
    const [, declarations, answer] = lines[i - 1]?.match(/^<!-- program: (.*); prints: (.*) -->$/) ?? [];
    if (declarations) answerOf(programOf(block, declarations, answer), folder, `${page}:${i + 2}`);
    out.push(...(lines[i] === '```' && block[0].startsWith('$ ') ? session(block, folder, page, i + 2) : block), '```');
    i = end;
  }
  if (write) writeFileSync(file, out.join('\n'));
  rmSync(folder, { recursive: true });
}
for (const [language, page] of [['js', 'wasm/README.md'], ['python', 'lib/python/README.md']]) {
  const blocks = readFileSync(path.join(root, 'README.md'), 'utf8').match(new RegExp(`\`\`\`${language}\n[^]*?\`\`\`\n`, 'g')) ?? [];
  const tested = readFileSync(path.join(root, page), 'utf8');
  for (const block of blocks) if (!tested.includes(block)) wrong.push(`README.md has an example that ${page} has not:\n${block}`);
}
for (const sentence of wrong) console.error(sentence);
if (run === 0) console.error('The pages show nothing that is run.');
process.exitCode = !run || failed || (wrong.length && !write) ? 1 : 0;
if (!process.exitCode) console.log(`${run} commands and scripts of ${pages.length} pages were run.`);
