// node data.mjs ROOT: the table of larger data sets in tests/data/README.md has every file `FOLDER/FILE.csv.gz` and `FOLDER/FILE.svm.gz` that
// sources of tests and benchmarks name. Every file that it lacks is a line; the answer is 1 when there are some.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(process.argv[2] ?? '.'), page = 'tests/data/README.md';
/** Names of a table's cell. */
const names = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
const listed = new Set();
for (const line of readFileSync(path.join(root, page), 'utf8').split('\n')) {
  const [, folders, files] = line.startsWith('| `') ? line.split('|') : [];
  for (const folder of folders ? names(folders) : [])
    for (const file of names(files)) listed.add(`${folder}/${file.replace('…', folder).replace(/\.(csv|svm)\.gz$/, '')}`);
}
const wrong = new Set();
let count = 0;
for (const part of ['tests', 'bench'])
  for (const file of readdirSync(path.join(root, part), { recursive: true })) {
    if (!/(\.(cpp|hpp|py|mjs|cmake)|CMakeLists\.txt)$/.test(file) || /node_modules|readme\//.test(file)) continue;
    for (const [, folder, name] of readFileSync(path.join(root, part, file), 'utf8').matchAll(/(?<![.\w])([a-z0-9_]+)(?:\/|", ")([a-z0-9_]+)\.(?:csv|svm)\.gz/g)) {
      ++count;
      if (!listed.has(`${folder}/${name}`)) wrong.add(`${part}/${file} reads ${folder}/${name}, which is not among the data sets of ${page}.`);
    }
  }
for (const sentence of wrong) console.error(sentence);
if (!count) console.error('No source names a data set.');
process.exitCode = wrong.size || !count ? 1 : 0;
if (!process.exitCode) console.log(`${count} files that sources name are among ${listed.size} of ${page}.`);
