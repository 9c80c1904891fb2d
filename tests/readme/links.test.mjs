// What links.mjs sees: every kind of breach, and none where there is none.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { fileURLToPath } from 'node:url';

const script = path.join(path.dirname(fileURLToPath(import.meta.url)), 'links.mjs');
const folder = mkdtempSync(path.join(tmpdir(), 'tamis-links-'));
after(() => rmSync(folder, { recursive: true }));

/** The breaches in a project of these pages. */
function breaches(pages) {
  const root = mkdtempSync(path.join(folder, 'project-'));
  for (const [name, text] of Object.entries(pages)) {
    mkdirSync(path.join(root, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, root], { encoding: 'utf8' });
  assert.equal(status, stderr ? 1 : 0);
  assert.equal(stdout === '', status === 1);
  return stderr.trim().split('\n').filter(Boolean);
}

test('links that lead somewhere are none', () => {
  const other = '# One\n\n## Where is …?\n\n## `code` and λ, twice\n\n## `code` and λ, twice\n';
  const links = ['(a/other.md)', '(a/other.md#where-is-)', '(a/other.md#code-and-λ-twice-1)', '(a)', '(#top)', '(https://example.org/#x)'];
  const code = '`[k](nothing.md)`\n\n```cpp\n[](nothing.md)\n```\n';
  assert.deepEqual(breaches({ 'README.md': `# Top\n\n${links.map((link) => `[here]${link}\n`).join('')}${code}`, 'a/other.md': other }), []);
});

test('links that lead nowhere are named with their place', () => {
  const text = '# Top\n\n[a](nothing.md), [b](a/other.md#two) and ![c](c.svg)\n\n[d]: ../outside.md\n\n[e](#two)\n';
  const found = breaches({ 'README.md': text, 'a/other.md': '# One\n\n```\n# two\n```\n' });
  assert.deepEqual(found.map((line) => line.match(/^README\.md:(\d+) links to (\S+),/)?.slice(1).join(' ')),
    ['3 nothing.md', '3 a/other.md#two', '3 c.svg', '5 ../outside.md', '7 #two']);
});

test('pages are short, and those that are packed stand alone', () => {
  const lines = (count) => 'line\n'.repeat(count);
  assert.deepEqual(breaches({ 'README.md': lines(150), 'a.md': lines(400) }), []);
  assert.deepEqual(breaches({ 'README.md': lines(151), 'a.md': lines(401) }),
    ['README.md has 151 lines, more than 150.', 'a.md has 401 lines, more than 400.']);
  assert.deepEqual(breaches({ 'wasm/README.md': '[a](../README.md)\n', 'README.md': '# Top\n' }),
    ['wasm/README.md:1 links to ../README.md, but is packed without it.']);
  assert.deepEqual(breaches({ 'wasm/README.md': '[a](recipes.md)\n', 'wasm/recipes.md': '[b](README.md)\n' }), []);
});
