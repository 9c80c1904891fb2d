import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { dist, load, madeUpProblem, outcome, project, small } from './support.mjs';

const endings = ['', '-simd', '-double', '-double-simd'];
// bytes, and those of what is loaded for one training
const most = {
  'tamis-hinge': [46500, 53000], 'tamis-hinge-groups': [48200, 54600], 'tamis-hinge-ridge': [56300, 64000],
  'tamis-squared-hinge-ridge': [49800, 57800], 'tamis-squared-hinge': [50500, 58600], 'tamis-squared-hinge-groups': [56200, 64000],
  'tamis-logistic': [52800, 57900], 'tamis-logistic-groups': [55900, 60800],
  'tamis-one-vs-rest': [51000, 58600], 'tamis-one-vs-rest-groups': [53900, 61200],
  'tamis-constrained': [37600, 43200], 'tamis-fista': [37400, 40900], 'tamis-ranking': [41200, 44300],
  tamis: [139200, 151000, 251400, 284600], 'tamis-large': [133300, 145600], 'tamis-model': [11700], 'tamis-baselines': [233300, 271000],
  'tamis-features': 49700, 'tamis-interactions': 68500, 'tamis-kernels': 90200,
};
const limits = Object.entries(most).flatMap(([kind, bytes]) =>
  endings.slice(0, bytes.length ?? 4).map((ending, i) => [kind + ending, bytes[i] ?? bytes]));
const fileOf = (name) => path.join(dist, `${name}.wasm`);
const choices = { loss: ['hinge', 'squared-hinge', 'logistic', 'one-vs-rest-squared-hinge'],
  penalty: ['ridge', 'l1', 'group-l2', 'group-linf', 'elastic-net', 'sparse-group', 'reweighted-l1'] };
/** What `work` reads of the package's modules: their names. */
async function modulesRead(work) {
  const { default: fs } = await import('node:fs/promises');
  const { readFile } = fs;
  const read = [];
  fs.readFile = (file, ...given) => {
    if (String(file).endsWith('.wasm')) read.push(path.basename(String(file), '.wasm'));
    return readFile(file, ...given);
  };
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    fs.readFile = readFile;
    syncBuiltinESMExports();
  }
  return read;
}

for (const [name, limit] of limits)
  test(`${name}.wasm imports nothing, cannot grow and stays small`, async () => {
    const bytes = readFileSync(fileOf(name));
    assert.ok(bytes.length <= limit, `${bytes.length} bytes`);
    const module = await WebAssembly.compile(bytes);
    assert.deepEqual(WebAssembly.Module.imports(module), []);
    const { exports } = await WebAssembly.instantiate(module);
    // That of large problems is as large as its caller makes it.
    if (name.startsWith('tamis-large')) assert.ok(exports.memory.buffer.byteLength <= 2 ** 20 && exports.memory.grow(1) > 0);
    else assert.throws(() => exports.memory.grow(1), RangeError);
    assert.ok(WebAssembly.Module.exports(module).every(({ name }) => !/malloc|free|sbrk/.test(name)));
  });

test('every module has a limit', () => {
  const files = readdirSync(dist).filter((file) => file.endsWith('.wasm')).map((file) => path.basename(file, '.wasm'));
  assert.deepEqual(files.sort(), limits.map(([name]) => name).sort());
});

test('every training needs one module, of at most 64 kB, and 30 kB compressed', async () => {
  const asked = choices.loss.flatMap((loss) => choices.penalty.map((penalty) => {
    const family = loss.replace(/(rest).*/, '$1');
    const own = [{ family, problem: { ...small, loss, penalty } }];
    if (loss === 'hinge') return [...own, { family, problem: { ...small, loss, penalty, solver: 'primal-dual' } },
      { family: 'constrained', problem: { ...small, loss, penalty, lambda: undefined, eta: 0.4 } }];
    own.push({ family: 'fista', problem: { ...small, loss, penalty, solver: 'fista' } });
    const wide = penalty === 'group-linf' ? 'fista' : family; // descent crawls where features share their largest entries
    if (['group-l2', 'group-linf', 'sparse-group'].includes(penalty))
      for (const groups of [[0, 0], { blocks: 2 }]) own.push({ family: wide, problem: { ...small, loss, penalty, groups } });
    return own;
  })).concat(choices.penalty.map((penalty) => (
    [{ family: 'ranking', problem: { ...small, y: [['a'], ['a', 'b'], ['b']], loss: 'ranking-squared-hinge', penalty } }]))).flat();
  for (const simd of [false, true])
    for (const { family, problem } of asked) {
      const what = `${JSON.stringify(problem)}, SIMD ${simd}`;
      const tamis = await load({ simd });
      const read = await modulesRead(() => tamis.train({ ...problem, maxIterations: 2 }));
      assert.equal(read.length, 1, `${what}: ${read}`);
      assert.ok(read[0].endsWith('-simd') === simd && read[0].startsWith(`tamis-${family}`), `${what}: ${read}`);
      const bytes = readFileSync(fileOf(read[0]));
      assert.ok(bytes.length <= 64000, `${what}: ${bytes.length} bytes`);
      for (const compressed of [gzipSync(bytes, { level: 9 }), brotliCompressSync(bytes)])
        assert.ok(compressed.length <= 30000, `${what}: ${compressed.length} bytes compressed`);
    }
});

test('load loads nothing, or what problems need; one module serves all trainings that it can', async () => {
  const problem = { ...small, loss: 'logistic' };
  const read = (work) => modulesRead(work);
  assert.deepEqual(await read(() => load()), []);
  assert.deepEqual(await read(() => load({ problems: [{ loss: 'logistic', penalty: 'l1' }, { loss: 'logistic', penalty: 'ridge' }] })), ['tamis-logistic-simd']);
  const tamis = await load();
  assert.deepEqual(await read(() => Promise.all([tamis.train(problem), tamis.train({ ...problem, lambda: 0.2 })])), ['tamis-logistic-simd']);
  const model = await tamis.train(problem);
  assert.deepEqual(await read(async () => tamis.fromJSON(model.toJSON())), ['tamis-model']);
  assert.deepEqual(await read(() => tamis.train({ ...problem, penalty: 'elastic-net' })), []);
  assert.deepEqual(await read(() => tamis.path({ X: small.X, y: small.y, loss: 'hinge', penalty: 'l1' }, { points: 3 })), ['tamis-simd']);
  assert.deepEqual(await read(() => tamis.train(small)), []); // the module of paths trains, too
  const sparse = { ...small, X: { values: [1, 3, 5], rows: [0, 1, 2], starts: [0, 3, 3], samples: 3, features: 2 } };
  assert.deepEqual(await read(async () => [await tamis.train(sparse), await tamis.path({ ...sparse, lambda: undefined }, { points: 3 })]), ['tamis-large-simd']);
});

test('the module of one training, and that of all usual solvers: the same bits', async () => {
  for (const simd of [false, true]) {
    const all = await load({ simd });
    await all.prepare('float');
    for (let seed = 1; seed <= 28; ++seed) {
      const problem = { ...madeUpProblem(seed), groups: 'rows' };
      for (const solver of ['auto', problem.loss === 'hinge' ? 'primal-dual' : 'block-coordinate-descent']) {
        const [one, other] = [await (await load({ simd })).train({ ...problem, solver }), all.trainSync({ ...problem, solver })];
        assert.deepStrictEqual(outcome(one), outcome(other), `seed ${seed}, ${solver}`);
        assert.deepEqual(one.toBlob(), other.toBlob());
        assert.equal(one.toC(), other.toC());
      }
    }
  }
});

test('what returns at once loads what it needs at once, as browsers do as well', async () => {
  const { X, y } = small;
  const tamis = await load();
  const { least } = tamis.trainingBytes({ samples: 3, features: 2, classes: 2, loss: 'hinge', penalty: 'l1' });
  const { report } = tamis.trainSync({ X, y, loss: 'hinge', penalty: 'l1', lambda: 0.1, memoryLimit: least });
  assert.equal(report.arenaBytes, least);
  assert.throws(() => tamis.trainSync({ ...small, tolerance: -1 }), { status: 'invalid_option', message: /^tolerance/ });
  assert.throws(() => tamis.trainSync({ ...small, solver: 'crammer-singer-dual' }), { status: 'invalid_combination', message: /needs hinge, and ridge, elastic-net or group-l2/ });
});

test('the README has the sizes of the modules', () => {
  const readme = readFileSync(path.join(dist, 'README.md'), 'utf8');
  const rows = [...readme.matchAll(/^\| `(tamis[\w-]*)` \| (\d+) \| \d+ \| \d+ \| (\d*) \|/gm)];
  assert.deepEqual(rows.map(([, name]) => name).sort(), Object.keys(most).sort());
  for (const [, name, ...sizes] of rows)
    for (const [i, ending] of ['', '-simd'].entries()) {
      if (!sizes[i]) continue;
      const { length } = readFileSync(fileOf(name + ending));
      assert.ok(Math.abs(length - Number(sizes[i])) < 1000, `${name}${ending}: ${length} bytes, not ${sizes[i]}: ninja tamis_wasm_weights`);
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

test('what the first module has no solver for has a module of its own, the same bits and at once', async () => {
  const problem = { ...madeUpProblem(2), loss: 'squared-hinge', penalty: 'group-linf', groups: { blocks: 2 } };
  const { lambda, ...constrained } = { ...small, eta: 0.4 };
  const sets = { ...problem, y: problem.X.map((_, i) => [...'abc'].filter((label, k) => (i + k) % 3 > 0 || i % 5 === k)), loss: 'ranking-squared-hinge' };
  for (const [asked, what] of [
    [constrained, /^the solver for eta is not/],
    [{ ...constrained, penalty: 'group-l2' }, /^the solver for eta is not/],
    [problem, /^the solver for squared-hinge with such groups is not/],
    [{ ...problem, groups: problem.X[0].map((_, j) => j >> 1) }, /^the solver for squared-hinge with such groups is not/],
    [{ ...problem, penalty: 'l1', groups: undefined, solver: 'fista' }, /^the solver fista is not/],
    [{ ...problem, loss: 'logistic', penalty: 'reweighted-l1', groups: undefined, solver: 'fista' }, /^the solver fista is not/],
    [{ ...sets, penalty: 'l1', groups: undefined }, /^the loss ranking-squared-hinge is not/],
    [sets, /^the loss ranking-squared-hinge is not/],
  ]) {
    const [tamis, all] = [await load(), await load({ baselines: true })];
    for (const model of [tamis.trainSync(asked), await (await load()).train(asked)])
      assert.deepStrictEqual(outcome(model), outcome(all.trainSync(asked)));
    const { classes } = all.trainSync(asked);
    const shape = { ...asked, samples: 9, features: asked.X[0].length, classes: classes.length };
    assert.deepEqual(tamis.trainingBytes(shape), all.trainingBytes(shape));
    // With a module of one's own, which may be all that there is, the larger one has to be loaded.
    const given = await load({ wasm: fileOf('tamis') });
    assert.throws(() => given.trainSync(asked), { name: 'TamisError', status: 'invalid_option', message: what });
    assert.throws(() => given.trainingBytes(shape), { status: 'invalid_option', message: what });
  }
  const tamis = await load(); // these need none of those
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
