// The package as one file: a script in a world without fetch or files, and a module in a folder of its own.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { dist, iris, load, madeUpProblem, outcome, small } from './support.mjs';

const names = ['Classifier', 'TamisError', 'createWorkerClient', 'load', 'Model'].sort();
const folder = mkdtempSync(path.join(tmpdir(), 'tamis-'));
after(() => rmSync(folder, { recursive: true }));

/** What the script defines where there is nothing to fetch or to read with. */
function asScript(more = {}) {
  const given = { atob, performance, setImmediate, TextDecoder, TextEncoder, ...more };
  const world = vm.createContext({ ...given });
  vm.runInContext(readFileSync(path.join(dist, 'tamis.global.js'), 'utf8'), world);
  assert.deepEqual(Object.keys(world), [...Object.keys(given), 'tamis']);
  return world.tamis;
}
async function asModule() {
  const file = path.join(folder, 'tamis.bundle.mjs');
  copyFileSync(path.join(dist, 'tamis.bundle.js'), file);
  return import(pathToFileURL(file));
}
const kinds = [['script', () => asScript()], ['module', asModule]];
const flowers = { ...iris, loss: 'hinge', penalty: 'l1' };
const plain = (value) => JSON.parse(JSON.stringify(value)); // of this world
const untimed = ({ milliseconds, ...report }) => plain(report);

for (const [kind, made] of kinds) {
  test(`${kind}: it exports what the package does, and trains to the same bits`, async () => {
    const single = await made();
    assert.deepEqual(Object.keys(single).sort(), names);
    for (const simd of [false, true]) {
      const [one, other] = await Promise.all([single.load({ simd }), load({ simd })]);
      assert.equal(one.version, other.version);
      for (let seed = 1; seed <= 12; ++seed) {
        const problem = madeUpProblem(seed);
        const [model, expected] = [await one.train(problem), await other.train(problem)];
        assert.deepEqual(plain(outcome(model)), plain(outcome(expected)), `seed ${seed}`);
        assert.deepEqual(plain(model.predictAll(problem.X)), plain(expected.predictAll(problem.X)));
        assert.equal(model.toC(), expected.toC());
      }
    }
  });

  test(`${kind}: what is loaded when it is asked for is inside`, async () => {
    const { load: loadSingle, Classifier, Model } = await made();
    const [one, other] = await Promise.all([loadSingle(), load()]);
    const points = async (tamis) => plain((await tamis.path(flowers, { points: 5 })).points.map(({ lambda, nonzeroRows }) => [lambda, nonzeroRows]));
    assert.deepEqual(await points(one), await points(other));
    const chosen = async (tamis) => plain((await tamis.crossValidate(flowers, { folds: 3, points: 5 })).points);
    assert.deepEqual(await chosen(one), await chosen(other));
    const stable = async (tamis) => plain((await tamis.stabilitySelection(flowers, { subsamples: 4 })).ranked);
    assert.deepEqual(await stable(one), await stable(other));
    const weigh = async (tamis) => plain((await tamis.tfIdf(['one two', 'two three'], { minDf: 1 })).toJSON());
    assert.deepEqual(await weigh(one), await weigh(other));
    const fitted = async (options) => new Classifier({ lambda: 0.01, ...options }).fit(iris.X, iris.y);
    const [own, asked] = [await fitted({}), await fitted({ library: other })];
    assert.deepEqual(untimed(own.report), untimed(asked.report));
    const again = await Model.fromJSON(JSON.stringify(own));
    assert.deepEqual(plain(again.predictAll(iris.X)), plain(own.predict(iris.X)));
  });

  test(`${kind}: what is not inside is refused in a sentence that says so, and taken from where load says`, async () => {
    const single = await made();
    const tamis = await single.load({ simd: false });
    const asked = {
      wasmDouble: ['the double module', 'tamis-double', () => tamis.train({ ...small, precision: 'double' })],
      wasmBaselines: ['the float module of baselines', 'tamis-baselines', () => tamis.train({ ...small, loss: 'logistic', solver: 'fista' })],
      wasmInteractions: ['the float module of interactions', 'tamis-interactions', () => tamis.trainInteractions({ X: small.X, y: small.y, hierarchy: 'full', lambda: 0.1 })],
      wasmKernelsDouble: ['the double module of kernels', 'tamis-kernels-double',
        () => tamis.trainKernels({ X: small.X, y: small.y, kernels: ['linear'], p: 2, q: 1, r: 1, lambda: 0.1, precision: 'double' })],
      wasmFeatures: ['the float module of features', 'tamis-features', () => tamis.hashText(['a b'])],
    };
    for (const [option, [what, file, ask]] of Object.entries(asked))
      await assert.rejects(ask, {
        name: 'TamisError', status: 'unsupported',
        message: `${what} cannot be loaded: ${file}.wasm is not inside this file: give its address by load({ ${option}: … }), or take the whole package`,
      });
    assert.throws(() => single.createWorkerClient(), {
      name: 'TamisError', status: 'unsupported',
      message: 'a worker has a script of its own, which is not inside this file: take tamis/worker of the whole package',
    });
    const told = await single.load({ wasmDouble: readFileSync(path.join(dist, 'tamis-double-simd.wasm')) });
    const problem = { ...flowers, lambda: 0.02, precision: 'double' };
    assert.deepEqual(plain(outcome(await told.train(problem))), plain(outcome(await (await load()).train(problem))));
  });
}

test('a page that is a file is told to give bytes, not an address', async () => {
  const { load } = asScript({ location: { protocol: 'file:' } });
  await assert.rejects(load({ double: true }), { message: /give its bytes by load\({ wasmDouble: … }\)/ });
});

test('both have the modules with and without SIMD inside, and stay small', () => {
  for (const name of ['tamis.global.js', 'tamis.bundle.js']) {
    const text = readFileSync(path.join(dist, name), 'utf8');
    for (const module of ['tamis.wasm', 'tamis-simd.wasm'])
      assert.ok(text.includes(readFileSync(path.join(dist, module), 'base64')), `${module} is not in ${name}`);
    assert.ok(text.length <= 505_600, `${name}: ${text.length} bytes`);
  }
});
