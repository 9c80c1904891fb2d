// node locks.mjs ROOT: every package-lock.json of the project is for `npm ci` as Debian 12 has it, npm 9 with Node 18: it lists nothing
// that nothing depends on, what is for other systems is optional, and nothing wants a newer Node.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(process.argv[2] ?? '.'), node = 18;

function* locksBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && !/^(\.|build|node_modules$)/.test(entry.name)) yield* locksBelow(path.join(folder, entry.name));
    else if (entry.name === 'package-lock.json') yield path.join(folder, entry.name);
  }
}

/** Whether a range of versions, such as `^18.18.0 || >=20`, has some of the major version. */
const takes = (range, major) => range.split('||').some((part) => part.trim().split(/\s+(?![\d.])/).every((bound) => {
  const [, sign, from] = bound.match(/^([<>=^~]*)\s*v?(\d+)/) ?? [, '>=', '0'];
  return sign === '>=' || sign === '>' ? from <= major : sign.startsWith('<') ? from > major || (sign === '<=' && from >= major) : Number(from) === major;
}));

const wrong = [];
let count = 0;
for (const lock of locksBelow(root)) {
  for (const [name, { extraneous, optional, os, cpu, engines }] of Object.entries(JSON.parse(readFileSync(lock, 'utf8')).packages)) {
    ++count;
    const say = (what) => wrong.push(`${path.relative(root, lock)}: ${name} ${what}`);
    if (extraneous) say('is what nothing depends on: npm install --package-lock-only after deleting it');
    if ((os || cpu) && !optional) say('is for some systems alone, and not optional');
    if (engines?.node && !optional && !takes(engines.node, node)) say(`wants Node ${engines.node}`);
  }
}
if (!count) wrong.push(`There are no package-lock.json in ${root}.`);
for (const sentence of wrong) console.error(sentence);
if (!wrong.length) console.log(`${count} packages install with Node ${node}.`);
process.exitCode = wrong.length ? 1 : 0;
