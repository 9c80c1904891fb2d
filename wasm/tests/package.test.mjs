import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { dist, installPackage, tools } from './support.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'tamis-'));
after(() => rmSync(folder, { recursive: true }));
const run = (program, ...given) => execFileSync(program, given, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });

test('the packed package installs into an empty project', () => {
  installPackage(folder);
  const packed = readdirSync(path.join(folder, 'node_modules/tamis'));
  const manifest = JSON.parse(readFileSync(path.join(dist, 'package.json'), 'utf8'));
  for (const entry of Object.values(manifest.exports))
    for (const target of typeof entry === 'string' ? [entry] : Object.values(entry))
      assert.ok(packed.includes(target.slice(2)), `${target} is not packed`);
  assert.ok(packed.includes('LICENSE') && packed.includes('README.md'));
  assert.deepEqual(packed.slice().sort(), readdirSync(dist).sort());
});

test('it trains there', () => {
  copyFileSync(path.join(here, 'consumer.mjs'), path.join(folder, 'consumer.mjs'));
  assert.equal(run(process.execPath, 'consumer.mjs'), `${'setosa '.repeat(6)}converged\n`);
});

test('where there is no Worker, what the refusal says to write is what works, from Node 18 on', () => {
  const head = `import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { createWorkerClient } from 'tamis/worker';
`;
  writeFileSync(path.join(folder, 'none.mjs'), `${head}try {
  createWorkerClient();
} catch ({ status, message }) {
  console.log(status, message);
}
`);
  const said = run(process.execPath, 'none.mjs');
  assert.match(said, /^unsupported there is no Worker here: /);
  assert.doesNotMatch(said, /import\.meta\.resolve/); // Node 18 has it behind a flag, and gives a promise
  const [, code] = said.match(/as in (.*), with createRequire of node:module\n$/);
  writeFileSync(path.join(folder, 'worker.mjs'), `${head}const client = ${code};
await client.ready;
console.log('ready');
client.close();
`);
  assert.equal(run(process.execPath, 'worker.mjs'), 'ready\n');
});

test('CommonJS imports it, and requires it where Node can require modules', () => {
  writeFileSync(path.join(folder, 'consumer.cjs'), `
const flower = async ({ load }) => (await (await load()).train({ X: [[1.4], [4.7], [1.3]], y: ['setosa', 'versicolor', 'setosa'],
  loss: 'hinge', penalty: 'l1', lambda: 0.02 })).predict([1.5]);
let required;
try {
  required = require('tamis');
} catch (error) {
  required = error.code;
}
(async () => console.log(await flower(await import('tamis')), required.load ? await flower(required) : required))();
`);
  assert.equal(run(process.execPath, 'consumer.cjs'), `setosa ${process.features.require_module ? 'setosa' : 'ERR_REQUIRE_ESM'}\n`);
});

for (const which of ['typescript', 'typescript-first'])
  test(`its types stand up to tsc --strict: ${which}`, () => {
    const compiler = path.join(tools, which, 'lib/tsc.js');
    const consumer = readFileSync(path.join(here, 'consumer.ts'), 'utf8');
    copyFileSync(path.join(here, 'consumer.cts'), path.join(folder, 'consumer.cts'));
    // TypeScript 5.0 and 5.1 have no `using`.
    writeFileSync(path.join(folder, 'consumer.ts'), which === 'typescript' ? consumer : consumer.replace('using client', 'const client'));
    const options = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--target', 'es2022'];
    for (const library of ['es2022', 'es2022,dom', 'esnext,dom'])
      for (const resolution of [['--module', 'nodenext'], ['--module', 'esnext', '--moduleResolution', 'bundler'], ['--module', 'esnext', '--moduleResolution', 'node']])
        try {
          run(process.execPath, compiler, ...options, '--lib', library, ...resolution, 'consumer.ts', 'consumer.cts');
        } catch (error) {
          assert.fail(`${library} ${resolution}: ${error.stdout}`);
        }
  });

test('its manifest says what registries show', () => {
  const { homepage, repository, bugs, keywords, license, main, types, engines } = JSON.parse(readFileSync(path.join(dist, 'package.json'), 'utf8'));
  for (const address of [homepage, repository.url, bugs]) assert.match(address, /^https:\/\//);
  assert.deepEqual([license, main, types], ['MIT', './tamis.js', './tamis.d.ts']);
  assert.ok(keywords.length >= 5 && engines.node);
});
