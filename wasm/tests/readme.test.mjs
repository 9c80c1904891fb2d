// Every block of JavaScript in README.md, as it stands there: those that are whole say what stands beside them; the others run with what
// they are about, and have to come to something.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { installPackage, iris, tools } from './support.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'tamis-'));
after(() => rmSync(folder, { recursive: true }));
installPackage(folder);
symlinkSync(path.join(tools, 'web-worker'), path.join(folder, 'node_modules/web-worker'));

const readme = readFileSync(path.join(folder, 'node_modules/tamis/README.md'), 'utf8');
const blocks = [...readme.matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code);
const whole = (code) => /^import .* from 'tamis';/.test(code) && code.includes('console.log(');
/** The example of a configuration of Vite, which bundle.test.mjs builds with. */
const configures = (code) => code.startsWith('export default');

/** Runs a program in the folder, and gives the lines that it prints. */
function run(name, code) {
  writeFileSync(path.join(folder, name), code);
  return execFileSync(process.execPath, [name], { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim().split('\n');
}

const flowers = `const X = ${JSON.stringify(iris.X)}, y = ${JSON.stringify(iris.y)}, x = X[0];`;
const points = 'const X = Array.from({ length: 20 }, (_, i) => [Math.sin(i), Math.cos(3 * i)]), y = X.map(([a, b]) => (a * b > 0 ? "same" : "other"));';
/** By what blocks begin with: what they are about, and what has to hold at their end. */
const fragments = {
  'const { points } = await tamis.path(': [
    `${flowers} const subjects = y.map((_, i) => i % 10), drawn = [], draw = (...given) => void drawn.push(given);`,
    'points.length === 100 && drawn.length === 100 && chosen.points.length > 1 && chosen.lambdaMin <= chosen.lambda1se && chosen.model && chosen.refit',
  ],
  'const curve = await': [`${points} const values = X.map(([a, b]) => a * b);`, 'curve.predictValues(X).length === 20 && lambda > 0 && points.length > 1 && best.predict(X[0])'],
  'const other = await': [
    `${points} const kernels = ['linear', 'gaussian:1'], linear = ([a, b], [c, d]) => a * c + b * d, gaussian = ([a, b], [c, d]) => Math.exp(-((a - c) ** 2 + (b - d) ** 2) / 2);
     const [K1, K2] = [linear, gaussian].map((k) => X.map((one) => X.map((other) => k(one, other)))), [k1, k2] = [K1[0], K2[0]];`,
    "other.report.status === 'converged' && lambda > 0 && best.predict(X[0])",
  ],
  'const { model } = await': [flowers, 'model.probabilities(x).length === 3 && model.calibration.heldOut.bins && ranked.length === 4'],
  'const y = [[': ['const X = [[1, 0.2], [0.1, 0.1], [0, 1], [0.9, 0]], x = [1, 0];', "labels.predictSet(x).includes('red') && labels.predict(x)"],
  'const X = await': [
    `const images = [1, 2, 3].map((n) => Array.from({ length: 784 }, (_, i) => Math.sin(n * i) ** 2)), signals = images, y = ['a', 'b', 'c'];
     const [ax, ay, az] = [0.1, 0.2, 0.3], lines = ['one two', 'two three', 'three one'];`,
    'features === null && weights.toJSON()',
  ],
  "import { createWorkerClient }": [
    `${flowers} const problem = { X, y, loss: 'hinge', penalty: 'l1', lambda: 0.02 }, drawn = [], draw = (gap) => void drawn.push(gap), onPoint = () => {};
     globalThis.Worker = (await import('web-worker')).default;`,
    "model.report.status === 'converged' && drawn.length && path.points.length === 100",
  ],
};

test('the whole examples say what stands beside them', () => {
  const examples = blocks.filter(whole);
  assert.equal(examples.length, 4);
  assert.equal(examples[0].trim().split('\n').length, 5);
  for (const example of examples) {
    const answers = [...example.matchAll(/^console\.log\(.*\/\/ (.*)$/gm)].map(([, answer]) => answer);
    assert.deepEqual(run('example.mjs', example), answers);
  }
});

const parts = blocks.filter((code) => !whole(code) && !configures(code));
test('there is a setting for every other block', () => {
  assert.equal(parts.length, Object.keys(fragments).length);
  for (const code of parts) assert.equal(Object.keys(fragments).filter((begin) => code.startsWith(begin)).length, 1, code);
});
for (const code of parts) {
  const [begin, [setting, holds]] = Object.entries(fragments).find(([begin]) => code.startsWith(begin)) ?? ['', ['', 'false']];
  test(`a part that begins with ${begin}`, { timeout: 300_000 }, () => {
    const imports = code.match(/^import .*$/gm) ?? [];
    const lines = [
      "import { load } from 'tamis';", ...imports,
      'const tamis = await load(), { signal } = new AbortController(), onProgress = () => {};',
      `${setting}\n{`, code.replace(/^import .*$/gm, ''), `console.log(Boolean(${holds}));\n}`,
    ];
    assert.deepEqual(run('part.mjs', lines.join('\n')), ['true']);
  });
}
