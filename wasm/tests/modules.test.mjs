import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { dist, load, madeUpProblem, outcome, project, small } from './support.mjs';

const endings = ['', '-simd', '-double', '-double-simd'];
// bytes
const most = {
  tamis: [136000, 148000, 241000, 268000], 'tamis-baselines': [236000, 267000], 'tamis-features': 52000,
  'tamis-interactions': 72000, 'tamis-kernels': 94000,
};
const limits = Object.entries(most).flatMap(([kind, bytes]) =>
  endings.slice(0, bytes.length).map((ending, i) => [kind + ending, bytes[i] ?? bytes]));
const fileOf = (name) => path.join(dist, `${name}.wasm`);

for (const [name, limit] of limits)
  test(`${name}.wasm imports nothing, cannot grow and stays small`, async () => {
    const bytes = readFileSync(fileOf(name));
    assert.ok(bytes.length <= limit, `${bytes.length} bytes`);
    const module = await WebAssembly.compile(bytes);
    assert.deepEqual(WebAssembly.Module.imports(module), []);
    const { exports } = await WebAssembly.instantiate(module);
    assert.throws(() => exports.memory.grow(1), RangeError);
    assert.ok(WebAssembly.Module.exports(module).every(({ name }) => !/malloc|free|sbrk/.test(name)));
  });

test('the README has the sizes of the modules', () => {
  const rows = [...readFileSync(path.join(dist, 'README.md'), 'utf8').matchAll(/^\| `(tamis[\w-]*)\*\.wasm` \| (\d+) and (\d+) kB/gm)];
  assert.equal(rows.length, 6);
  for (const [, name, ...sizes] of rows)
    for (const [i, ending] of ['', '-simd'].entries()) {
      const { length } = readFileSync(fileOf(name + ending));
      assert.ok(Math.abs(length / 1000 - Number(sizes[i])) < 1, `${name}${ending}: ${length} bytes, not ${sizes[i]} kB`);
    }
});

test('with and without SIMD, the same bits', async () => {
  const [base, simd] = await Promise.all([false, true].map((simd) => load({ simd, baselines: true, double: true })));
  assert.deepEqual([base.simd, simd.simd], [false, true]);
  for (let seed = 1; seed <= 24; ++seed)
    for (const precision of ['float', 'double']) {
      const problem = { ...madeUpProblem(seed), precision };
      const [one, other] = [base, simd].map((tamis) => tamis.trainSync(problem));
      assert.deepStrictEqual(outcome(one), outcome(other), `seed ${seed}, ${precision}`);
      assert.deepEqual(one.toBlob(), other.toBlob());
      assert.equal(one.toC(), other.toC());
    }
});

test('every solver: the same optimum, the same bits with and without SIMD', async () => {
  const [base, simd] = await Promise.all([false, true].map((simd) => load({ simd, baselines: true, double: true })));
  const problem = { ...madeUpProblem(5), penalty: 'group-l2', groups: 'rows', lambda: 0.02, tolerance: 1e-3, maxIterations: 30000 };
  const descent = ['auto', 'block-coordinate-descent', 'fista', 'fista-constant-step-as-printed', 'forward-backward',
    'bcd-line-search-as-printed', 'bcd-constant-step-as-printed', 'fista-line-search-as-printed', 'sparsa-as-printed', 'fista-constant-step'];
  const constrained = { loss: 'hinge', lambda: undefined, eta: 0.4 };
  const groups = [
    [{ loss: 'squared-hinge' }, descent],
    [{ loss: 'logistic' }, descent],
    [{ loss: 'hinge' }, ['auto', 'two-phase', 'primal-dual', 'primal-dual-as-printed']],
    [{ loss: 'hinge', penalty: 'ridge' }, ['auto', 'crammer-singer-dual', 'primal-dual']],
    [constrained, ['auto', 'constrained-primal-dual', 'constrained-primal-dual-as-printed', 'linear-constraints-primal-dual-as-printed']],
  ];
  for (const [what, solvers] of groups) {
    let [lower, upper] = [-Infinity, Infinity]; // of the optimum
    for (const solver of solvers)
      for (const precision of ['float', 'double']) {
        const asked = { ...problem, ...what, solver, precision };
        const [one, other] = [base, simd].map((tamis) => tamis.trainSync(asked));
        assert.deepStrictEqual(outcome(one), outcome(other), `${solver}, ${precision}`);
        const { objective, dualObjective } = one.report;
        const rounding = 1e-5 * Math.abs(objective);
        lower = Math.max(lower, dualObjective - rounding);
        if (!what.eta) upper = Math.min(upper, objective + rounding);
        if (!/printed|forward/.test(solver)) assert.equal(one.report.status, 'converged', solver);
      }
    assert.ok(lower <= upper, `${JSON.stringify(what)}: ${lower} ${upper}`);
  }
  for (const solver of ['fobos-as-printed', 'adaptive-dual-averaging']) {
    const [one, other] = [base, simd].map((tamis) => tamis.trainSync({ ...problem, loss: 'hinge', solver }));
    assert.deepStrictEqual(outcome(one), outcome(other), solver);
  }
});

test('baselines are loaded when a problem asks for one, or beforehand', async () => {
  const tamis = await load();
  const asked = { ...small, loss: 'squared-hinge', solver: 'forward-backward' };
  assert.throws(() => tamis.trainSync(asked), { name: 'TamisError', status: 'invalid_option', message: /forward-backward is not loaded yet: load\({ baselines: true }\)/ });
  assert.throws(() => tamis.trainingBytes({ samples: 3, features: 2, classes: 2, loss: 'squared-hinge', solver: 'forward-backward' }), { status: 'invalid_option' });
  assert.equal((await tamis.train(asked)).report.status, 'converged');
  assert.equal(tamis.trainSync(asked).report.status, 'converged');
  const given = await load({ baselines: true, simd: false, wasmBaselines: readFileSync(fileOf('tamis-baselines')) });
  assert.equal(given.trainSync(asked).toC(), tamis.trainSync(asked).toC());
  await tamis.prepare('double');
  assert.equal(tamis.trainSync({ ...asked, precision: 'double' }).report.status, 'converged');
});

test('what the first module has no solver for is loaded when a problem asks for it', async () => {
  const problem = { ...madeUpProblem(2), loss: 'squared-hinge', penalty: 'group-linf', groups: { blocks: 2 } };
  const { lambda, ...constrained } = { ...small, eta: 0.4 };
  for (const [asked, what] of [
    [constrained, /^the solver for eta is not/],
    [problem, /^the solver for squared-hinge with such groups is not/],
    [{ ...problem, groups: problem.X[0].map((_, j) => j >> 1) }, /^the solver for squared-hinge with such groups is not/],
    [{ ...problem, penalty: 'l1', groups: undefined, solver: 'fista' }, /^the solver fista is not/],
  ]) {
    const [tamis, all] = [await load(), await load({ baselines: true })];
    assert.throws(() => tamis.trainSync(asked), { name: 'TamisError', status: 'invalid_option', message: what });
    assert.throws(() => tamis.trainingBytes({ ...asked, samples: 9, features: asked.X[0].length, classes: 2 }), { status: 'invalid_option', message: what });
    assert.deepStrictEqual(outcome(await tamis.train(asked)), outcome(all.trainSync(asked)));
  }
  const tamis = await load(); // these need no other
  for (const usual of [{ groups: { blocks: 1 } }, { groups: 'rows' }, { loss: 'hinge' }, { penalty: 'group-l2' }, { solver: 'block-coordinate-descent' }])
    assert.notEqual(tamis.trainSync({ ...problem, ...usual, maxIterations: 3 }).report.status, 'unknown');
});

test('a module may be given as a file, an address, bytes or compiled', async () => {
  const file = fileOf('tamis');
  const bytes = readFileSync(file);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  for (const wasm of [file, pathToFileURL(file), pathToFileURL(file).href, bytes, buffer, await WebAssembly.compile(bytes)]) {
    const tamis = await load({ wasm });
    assert.equal(tamis.simd, false);
    assert.equal(tamis.trainSync(small).report.status, 'converged');
  }
  assert.equal((await load({ wasm: fileOf('tamis-simd'), simd: true })).simd, true);
  assert.equal((await load()).simd, true);
});

test('one version everywhere', async () => {
  const [, version] = readFileSync(path.join(project, 'lib/include/tamis/version.hpp'), 'utf8').match(/version\[\] = "(.*)"/);
  assert.equal(JSON.parse(readFileSync(path.join(dist, 'package.json'), 'utf8')).version, version);
  assert.equal((await load()).version, version);
});

test('what is embedded is the module without SIMD and the one with it', async () => {
  for (const [kind, name] of [['base', 'tamis'], ['simd', 'tamis-simd']]) {
    const { default: text } = await import(pathToFileURL(path.join(dist, `embedded-${kind}.js`)));
    assert.ok(Buffer.from(text, 'base64').equals(readFileSync(fileOf(name))), `embedded-${kind}.js is not ${name}.wasm`);
  }
});
