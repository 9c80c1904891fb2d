import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { dist, load, madeUpProblem, outcome, project, small } from './support.mjs';

const endings = ['', '-simd', '-double', '-double-simd'];
// bytes
const most = {
  tamis: 140000, 'tamis-descent': 225000, 'tamis-features': 49000, 'tamis-interactions': 58000, 'tamis-kernels': 79000,
};
const fileOf = (name) => path.join(dist, `${name}.wasm`);

for (const [kind, name] of Object.keys(most).flatMap((kind) => endings.map((ending) => [kind, kind + ending])))
  test(`${name}.wasm imports nothing, cannot grow and stays small`, async () => {
    const bytes = readFileSync(fileOf(name));
    assert.ok(bytes.length <= most[kind], `${bytes.length} bytes`);
    const module = await WebAssembly.compile(bytes);
    assert.deepEqual(WebAssembly.Module.imports(module), []);
    const { exports } = await WebAssembly.instantiate(module);
    assert.throws(() => exports.memory.grow(1), RangeError);
    assert.ok(WebAssembly.Module.exports(module).every(({ name }) => !/malloc|free|sbrk/.test(name)));
  });

test('with and without SIMD, the same bits', async () => {
  const [base, simd] = await Promise.all([false, true].map((simd) => load({ simd, double: true })));
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

test('descent: the same optimum in fewer steps, the same bits with and without SIMD, refused where it is not', async () => {
  const [base, simd] = await Promise.all([false, true].map((simd) => load({ simd, descent: true, double: true })));
  const small = await load({ double: true });
  for (const loss of ['squared-hinge', 'logistic', 'one-vs-rest-squared-hinge'])
    for (const precision of ['float', 'double']) {
      const problem = { ...madeUpProblem(5), loss, penalty: 'group-l2', lambda: 0.02, tolerance: 1e-4, precision };
      const [one, other, fista] = [base, simd, small].map((tamis) => tamis.trainSync(problem));
      assert.deepStrictEqual(outcome(one), outcome(other), `${loss}, ${precision}`);
      assert.equal(one.report.status, 'converged');
      assert.ok(Math.abs(one.report.objective - fista.report.objective) <= 2e-4 * fista.report.objective);
      assert.throws(() => small.trainSync({ ...problem, solver: 'block-coordinate-descent' }), { name: 'TamisError' });
    }
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
  const [, version] = readFileSync(path.join(project, 'lib/include/tamis/version.hpp'), 'utf8').match(/"(.*)"/);
  assert.equal(JSON.parse(readFileSync(path.join(dist, 'package.json'), 'utf8')).version, version);
  assert.equal((await load()).version, version);
});
