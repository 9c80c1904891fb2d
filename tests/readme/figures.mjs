// node figures.mjs [--write] ROOT: the paragraph on a Cortex-M4F in README.md says what tests/firmware/figures.csv records, which
// firmware.figures.m4f measures. With --write it is written anew.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const write = process.argv[2] === '--write', root = process.argv[write ? 3 : 2];
const [head, ...lines] = readFileSync(path.join(root, 'tests/firmware/figures.csv'), 'utf8').trim().split('\n').map((line) => line.split(','));
const rowOf = (solver) => {
  const row = lines.find(([board, , level, name, loss, penalty]) => `${board} ${level} ${name} ${loss} ${penalty}` === `m4f -Os ${solver} hinge l1`);
  if (!row) throw new Error(`tests/firmware/figures.csv has no row m4f, -Os, ${solver}, hinge, l1, which README.md shows`);
  return Object.fromEntries(head.map((name, i) => [name, row[i]]));
};
const flash = (row) => `${(row.flash / 1024).toFixed(1)} KiB`, stack = (row) => Number(row.stack).toLocaleString('en');
const millions = (row) => String(Number((row.training / 1e6).toPrecision(row.training < 1e6 ? 1 : 2)));

const [first, second, stream] = ['primal-dual', 'two-phase', 'streamed-dual-averaging'].map(rowOf);
const text = `On a Cortex-M4F with \`-Os\`, training on iris with hinge and ℓ1 takes ${flash(first)} of flash, ${stack(first)} bytes of stack and \
${millions(first)} million instructions to within 1 % by \`primal-dual\`; ${flash(second)}, ${stack(second)} bytes and ${millions(second)} million to within 0.1 % \
by \`two-phase\`; learning from each sample once ${flash(stream)} and ${millions(stream)} million (\`bash toolchains/firmware.sh\`; \
[all boards](tests/firmware/figures.md)).`;
const wrapped = text.split(' ').reduce((out, word) => {
  if (out.at(-1).length + word.length >= 140) out.push(word);
  else out[out.length - 1] += `${out.at(-1) && ' '}${word}`;
  return out;
}, ['']).join('\n');

const page = path.join(root, 'README.md'), before = readFileSync(page, 'utf8');
const after = before.replace(/(<!-- figures: m4f -->\n)[^]*?(?=\n<!-- end of figures -->)/, (_, mark) => mark + wrapped);
if (!after.includes(`<!-- figures: m4f -->\n${wrapped}\n<!-- end of figures -->`)) {
  console.error('README.md has no paragraph between <!-- figures: m4f --> and <!-- end of figures -->.');
  process.exitCode = 1;
} else if (write) {
  writeFileSync(page, after);
} else if (after !== before) {
  console.error(`README.md says something else of a Cortex-M4F than tests/firmware/figures.csv:\n${wrapped}\n\`cmake --build BUILD --target readme_figures\` writes it.`);
  process.exitCode = 1;
}
