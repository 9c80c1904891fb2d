// What blocks.mjs sees: blocks that nothing runs, and none where there are none.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { fileURLToPath } from 'node:url';

const script = path.join(path.dirname(fileURLToPath(import.meta.url)), 'blocks.mjs');
const folder = mkdtempSync(path.join(tmpdir(), 'tamis-blocks-'));
after(() => rmSync(folder, { recursive: true }));

const tests = {
  'tests/a/CMakeLists.txt': 'tamis_snippet(one cpp file)\nforeach(name two three)\n  tamis_snippet(${name} cpp file)\nendforeach()\n',
  'tests/readme/CMakeLists.txt': '  set(sessions root command README.md\n               lib/b.md)\n',
  'tests/c.mjs': '// runs what README.md shows',
};

/** The places of the breaches in a project of these pages and of the tests above. */
function breaches(pages) {
  const root = mkdtempSync(path.join(folder, 'project-'));
  for (const [name, text] of Object.entries({ ...tests, ...pages })) {
    mkdirSync(path.join(root, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, root], { encoding: 'utf8' });
  assert.equal(status, stderr ? 1 : 0, stderr);
  assert.equal(stdout === '', status === 1);
  return stderr.trim().split('\n').filter(Boolean).map((line) => line.match(/^\S+:\d+/)[0]);
}

test('blocks that are run, formulas, and those that say why not are no breaches', () => {
  const page = `# Page

<!-- snippet: one -->
\`\`\`cpp
int one;
\`\`\`
<!-- snippet: three -->
\`\`\`cpp
int three;
\`\`\`

<!-- run by: tests/c.mjs -->
    npm install

<!-- not run: it takes hours -->
    bash hours.sh

    minimise λ

\`\`\`
$ tamis
\`\`\`

\`\`\`sh
tamis
\`\`\`

- a list

  of paragraphs
`;
  assert.deepEqual(breaches({ 'README.md': page, 'lib/b.md': '```\n$ tamis\n```\n' }), []);
});

test('all others are named with their place', () => {
  const page = `<!-- snippet: four -->
\`\`\`cpp
int four;
\`\`\`

    bash hours.sh

<!-- run by: tests/nothing.mjs -->
    npm install

<!-- run by: tests/c.mjs -->
    npm install

<!-- not run: -->
    npm install

~~~~ts
~~~
~~~~

\`\`\`
output alone
\`\`\`
`;
  assert.deepEqual(breaches({ 'lib/b.md': page }), [2, 6, 9, 12, 15, 17, 21].map((line) => `lib/b.md:${line}`));
  assert.deepEqual(breaches({ 'lib/other.md': '```\n$ tamis\n```\n\n```sh\ntamis\n```\n' }), ['lib/other.md:1', 'lib/other.md:5']);
});
