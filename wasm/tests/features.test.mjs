// Features of images, signals, readings and text: the bits of other targets, closed forms, the numbers of scikit-learn and
// numpy, training with them, stopping them, and what they refuse.
import assert from 'node:assert/strict';
import path from 'node:path';
import test, { after } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createWorkerClient, digits, dist, load, refusal } from './support.mjs';

const [tamis, base] = await Promise.all([true, false].map((simd) => load({ simd })));
const client = createWorkerClient(new Worker(path.join(dist, 'worker-script.js')));
after(() => client.close());

const near = (found, expected, tolerance) => {
  assert.equal(found.length, expected.length);
  expected.forEach((x, i) => assert.ok(Math.abs(found[i] - x) <= tolerance, `${i}: ${found[i]} is not ${x}`));
};

/** The numbers of Generator in tests/support/problems.hpp. */
function madeUp(count, seed) {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = Number((1103515245n * BigInt(state) + 12345n) & 0x7fffffffn);
    return (((state >> 16) % 2048) - 1024) / 1024;
  });
}
function hashOf(values) {
  let hash = 14695981039346656037n;
  for (const byte of new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 1099511628211n);
  return hash;
}

// The same numbers are in tests/unit/c_features_test.cpp.
test('scattering has the bits of every target', async () => {
  const wanted = { float: [15170068914909669702n, 2538765627572336006n], double: [17086894092316696236n, 5222541909109648432n] };
  for (const library of [tamis, base])
    for (const precision of ['float', 'double']) {
      const images = await library.scatterImages([madeUp(192, 11)], { height: 12, width: 16, precision });
      const signals = await library.scatterSignals([madeUp(100, 11)], { precision });
      assert.deepEqual([images, signals].map(({ values }) => hashOf(values)), wanted[precision]);
      assert.equal(images.values.constructor, precision === 'float' ? Float32Array : Float64Array);
    }
});

test('images: sizes, a constant, and all of them as one by one', async () => {
  const { values, samples, features, layout, ...maps } = await tamis.scatterImages([new Array(784).fill(0.5)], { height: 28, width: 28 });
  assert.deepEqual([samples, features, layout, maps], [1, 81 * 49, 'rows', { maps: 81, mapHeight: 7, mapWidth: 7 }]);
  near(values.slice(0, 49), new Array(49).fill(0.5), 1e-6);
  near(values.slice(49), new Array(80 * 49).fill(0), 1e-6);
  const over = await tamis.scatterImages([new Array(784).fill(0.5)], { height: 28, width: 28, oversampling: 1, byPosition: true });
  assert.deepEqual([over.features, over.mapHeight], [15876, 14]);
  near(over.values.filter((_, e) => e % 81 === 0), new Array(196).fill(0.5), 1e-6);

  const images = [1, 2, 3].map((seed) => madeUp(8 * 16, seed));
  const options = { height: 8, width: 16, scales: 1, orientations: 3, order: 1 };
  const all = await tamis.scatterImages(images, options);
  assert.deepEqual([all.samples, all.maps, all.features], [3, 4, 4 * 4 * 8]);
  for (let i = 0; i < 3; ++i) {
    const alone = await tamis.scatterImages([Float32Array.from(images[i])], options);
    assert.deepEqual(alone.values, all.values.slice(i * all.features, (i + 1) * all.features));
  }
  const matrix = { values: images.flat(), samples: 3, features: 128 };
  assert.deepEqual((await tamis.scatterImages(matrix, options)).values, all.values);
});

test('signals: an oscillation is in the wavelet of its frequency alone', async () => {
  const signal = Array.from({ length: 256 }, (_, i) => Math.cos(2 * Math.PI * 0.35 * i));
  const { values, lines, positions, features } = await tamis.scatterSignals([signal], { scales: 4, order: 1 });
  assert.deepEqual([positions, features], [16, 16 * lines]);
  const means = Array.from({ length: lines }, (_, line) => values.slice(line * 16 + 4, line * 16 + 12).reduce((a, b) => a + b) / 8);
  const largest = means.indexOf(Math.max(...means));
  assert.equal(largest, 1);
  assert.ok(Math.abs(means[0]) < 1e-3 && means[1] > 0.4 && means.slice(3).every((mean) => mean < 0.01), `${means}`);
});

test('scattered digits are trained with as they come', async () => {
  const [X, others] = [digits.X.slice(0, 100), digits.X.slice(1000, 1400)];
  const options = { height: 8, width: 8, oversampling: 1 };
  const [inside, outside] = [await tamis.scatterImages(X, options), await client.scatterImages(others, options)];
  const model = await tamis.train({ X: inside, y: digits.y.slice(0, 100), loss: 'hinge', penalty: 'l1', lambda: 0.0003 });
  assert.equal(model.report.status, 'converged');
  assert.equal(model.features, 81 * 16);
  assert.ok(model.evaluate(outside, digits.y.slice(1000, 1400)).accuracy > 0.8);
});

const reading = (i) => [((i * 37) % 101) / 32 - 1.5 + (i % 5) * 0.25, ((i * i * 13) % 97) / 64 - 0.75];
// By numpy: see tests/unit/windows_test.cpp.
const fifth = [0.541666666667, 0.994068781853, 1.28157552083, 8, 0.205077006342, 0.722439236111, 0.0606565006025, 0.125,
  0.421633804508, 0.193400065104, 6, 0.0114705724813, 0.104271782769, 0.0620327098537];

test('windows over readings, as they come and all at once', async () => {
  const options = { length: 12, hop: 5, bands: 3, precision: 'double' };
  const windows = await tamis.sensorWindows({ ...options, channels: 2 });
  assert.deepEqual([windows.channels, windows.features], [2, 14]);
  const found = [];
  for (let i = 0; i < 40; ++i) {
    if (i === 20) assert.throws(() => windows.push([1, NaN]), { status: 'invalid_data', column: 1, message: /not finite/ });
    const features = windows.push(reading(i));
    if (features) found.push(features);
  }
  assert.equal(found.length, 6);
  near(found[4], fifth, 1e-10);
  const readings = Array.from({ length: 40 }, (_, i) => reading(i));
  const table = await tamis.windowFeatures(readings, options);
  assert.deepEqual([table.samples, table.features], [6, 14]);
  assert.deepEqual([...table.values], found.flatMap((row) => [...row]));
  assert.deepEqual(await client.windowFeatures(readings, options), table);

  windows.restart();
  assert.equal(windows.push(reading(0)), null);
  windows.close();
  windows.close();
  assert.throws(() => windows.push(reading(0)), { status: 'stopped' });
  const one = await tamis.windowFeatures(Float32Array.of(1, 3, 1, 3), { length: 4, hop: 4 });
  assert.deepEqual([...one.values], [2, 1, 5, 3]);
});

const question = "To be, or not to BE: that's the question 42!";

test('hashed text: the numbers of scikit-learn, training, and lines without words', async () => {
  const { values, rows, starts, samples, features } = await tamis.hashText(['', question], { norm: 'none' });
  assert.deepEqual([samples, features, starts.length], [2, 2 ** 18, 2 ** 18 + 1]);
  const entries = [];
  starts.forEach((end, j) => j && end > starts[j - 1] && entries.push([j - 1, values[end - 1]]));
  assert.deepEqual(entries, [[24734, -1], [38437, -1], [79119, -1], [139636, 1], [146279, 1], [174171, 2], [174974, -2], [220106, -1],
    [225711, -1]]);
  assert.ok(rows.every((row) => row === 1));

  const lines = ['good day', 'bad day', 'a good thing', 'a bad thing', 'so good', 'so bad'];
  const y = [1, 0, 1, 0, 1, 0];
  for (const options of [{ bits: 8 }, { bits: 6, ngrams: 2, sublinear: true, alternating: false, norm: 'l1', precision: 'double' }]) {
    const X = await tamis.hashText(lines, options);
    const problem = { X, y, loss: 'hinge', penalty: 'l1', lambda: 0.01, precision: options.precision };
    const model = await tamis.train(problem);
    assert.deepEqual(model.predictAll(X), y);
    assert.deepEqual(model.predictAll(await client.hashText(['very good', 'very bad'], options)), [1, 0]);
    // Sparse columns train the model that the same matrix trains.
    const dense = Array.from({ length: 6 }, (_, i) => Array.from({ length: X.features }, (_, j) => {
      for (let e = X.starts[j]; e < X.starts[j + 1]; ++e) if (X.rows[e] === i) return X.values[e];
      return 0;
    }));
    const same = await tamis.train({ ...problem, X: dense });
    assert.deepEqual([model.weights, model.intercepts], [same.weights, same.intercepts]);
    assert.deepEqual(await client.hashText(lines, options), X);
  }
});

test('tf-idf weighs terms as its formula says, and is kept', async () => {
  const lines = ['the cat the dog', 'The bird', 'a dog: a größe', 'the'];
  for (const options of [{}, { ngrams: 2, sublinear: true, precision: 'double' }, { minDf: 2 }]) {
    const weights = await tamis.tfIdf(lines, options);
    const counts = new Map();
    const termsOf = (line) => {
      const words = line.toLowerCase().split(/[ :]+/);
      return words.flatMap((word, i) => (options.ngrams === 2 && i + 1 < words.length ? [word, `${word} ${words[i + 1]}`] : [word]));
    };
    for (const line of lines) for (const term of new Set(termsOf(line))) counts.set(term, (counts.get(term) ?? 0) + 1);
    const terms = [...counts.keys()].filter((term) => counts.get(term) >= (options.minDf ?? 1)).sort();
    assert.deepEqual(weights.terms, terms);
    assert.deepEqual([...weights.vocabulary.entries()], terms.map((term, t) => [term, t]));
    near(weights.idf, terms.map((term) => Math.log(5 / (1 + counts.get(term))) + 1), 1e-14);
    const X = weights.transform([...lines, 'unknown words']);
    assert.deepEqual([X.samples, X.features, X.values.constructor],
      [5, terms.length, options.precision === 'double' ? Float64Array : Float32Array]);
    lines.forEach((line, i) => {
      const row = terms.map((term, t) => {
        const count = termsOf(line).filter((other) => other === term).length;
        return count && (options.sublinear ? 1 + Math.log(count) : count) * weights.idf[t];
      });
      const length = Math.hypot(...row);
      const found = terms.map((_, t) => {
        for (let e = X.starts[t]; e < X.starts[t + 1]; ++e) if (X.rows[e] === i) return X.values[e];
        return 0;
      });
      near(found, row.map((x) => (length ? x / length : 0)), options.precision === 'double' ? 1e-14 : 1e-7);
    });
    assert.ok(!X.rows.includes(4));
    const json = JSON.parse(JSON.stringify(weights));
    const again = await tamis.tfIdfFromJSON(json, options);
    assert.deepEqual(again.transform(lines), weights.transform(lines));
    const there = await client.tfIdf(lines, options);
    assert.deepEqual([there.transform(lines), there.toJSON()], [weights.transform(lines), weights.toJSON()]);
    await refusal(() => tamis.tfIdfFromJSON({ ...json, version: 2 }), 'invalid_data');
    await refusal(() => tamis.tfIdfFromJSON({ ...json, documents: 7 }), 'invalid_data');
    await refusal(() => tamis.tfIdfFromJSON({ ...json, kind: 'hashing' }), 'invalid_data');
  }
});

test('progress is told, and signals and false stop', async () => {
  const images = Array.from({ length: 40 }, (_, i) => madeUp(784, i + 1));
  const options = { height: 28, width: 28 };
  for (const library of [tamis, client]) {
    const told = [];
    await library.scatterImages(images, options, { sliceMilliseconds: 1, onProgress: (now) => void told.push(now) });
    assert.ok(told.length > 1);
    assert.deepEqual(told.at(-1), { done: 40, count: 40, share: 1 });
    await refusal(() => library.scatterImages(images, options, { sliceMilliseconds: 1, onProgress: () => false }), 'stopped');
    const controller = new AbortController();
    controller.abort();
    await refusal(() => library.scatterSignals([madeUp(64, 1)], {}, { signal: controller.signal }), 'stopped');
    await refusal(() => library.hashText(['a'], {}, { signal: controller.signal }), 'stopped');
    await refusal(() => library.tfIdf(['a'], {}, { signal: controller.signal }), 'stopped');
    await refusal(() => library.windowFeatures([1, 2, 3], { length: 2, hop: 1 }, { signal: controller.signal }), 'stopped');
  }
  // Whatever was stopped has given its memory back.
  const several = await Promise.all([1, 2, 3].map(() => tamis.scatterImages(images.slice(0, 5), options, { sliceMilliseconds: 1 })));
  assert.deepEqual(several[0].values, several[2].values);
});

test('what is wrong is said in a sentence', async () => {
  const image = madeUp(64, 1);
  const eight = { height: 8, width: 8 };
  const bad = image.with ? image.with(13, NaN) : image.map((x, i) => (i === 13 ? NaN : x));
  const cases = [
    [() => tamis.scatterImages([image, bad], eight), 'invalid_data', /^images\[1\]\[13\]: .*not finite/],
    [() => tamis.scatterImages([image, ['1']], eight), 'invalid_shape', /^images\[1\] has 1 features where images\[0\] has 64/],
    [() => tamis.scatterImages([image], { height: 8, width: 12 }), 'invalid_shape', /^images\[0\] has 64 pixels where height times width is 96/],
    [() => tamis.scatterImages([image.map(() => 1e300)], eight), 'invalid_data', /does not fit in single precision/],
    [() => tamis.scatterImages([image], { width: 8 }), 'invalid_option', /height is missing/],
    [() => tamis.scatterImages([image], { height: 6, width: 8 }), 'invalid_option', /crop or pad/],
    [() => tamis.scatterImages([image], { ...eight, scales: 1.5 }), 'invalid_option', /scales: 1.5 is not a whole number/],
    [() => tamis.scatterImages([image], { ...eight, order: 3 }), 'invalid_option', /order/],
    [() => tamis.scatterImages([], eight), 'invalid_shape', /there are no images/],
    [() => tamis.scatterImages(7, eight), 'invalid_shape', /^images must be an array/],
    [() => tamis.scatterImages([image], { height: 4096, width: 4096 }), 'arena_too_small', /needs \d+ bytes/],
    [() => tamis.scatterImages([image], { ...eight, precision: 'half' }), 'invalid_option', /precision/],
    [() => tamis.scatterSignals([]), 'invalid_shape', /there are no signals/],
    [() => tamis.scatterSignals([[1, 2, 3]]), 'invalid_option', /shorter than 2\^scales/],
    [() => tamis.scatterSignals([madeUp(32, 1).map((x, i) => (i === 9 ? Infinity : x))]), 'invalid_data', /^signals\[0\]\[9\]/],
    [() => tamis.sensorWindows({ length: 8 }), 'invalid_option', /hop/],
    [() => tamis.sensorWindows({ length: 2 ** 24, hop: 1 }), 'arena_too_small', /needs/],
    [() => tamis.windowFeatures([1, 2], { length: 3, hop: 1 }), 'invalid_shape', /2 readings are fewer than the 3 of a window/],
    [() => tamis.windowFeatures([[1, 2], [1, NaN]], { length: 1, hop: 1 }), 'invalid_data', /^readings\[1\]: channel 1/],
    [() => tamis.hashText([]), 'invalid_shape', /there are no lines/],
    [() => tamis.hashText('text'), 'invalid_shape', /array of strings/],
    [() => tamis.hashText(['a', 7]), 'invalid_shape', /^lines\[1\]: 7 is not a string/],
    [() => tamis.hashText(['', '?!']), 'invalid_data', /no line has a word/],
    [() => tamis.hashText(['a'], { bits: 25 }), 'invalid_option', /bits/],
    [() => tamis.hashText(['a'], { norm: 'l3' }), 'invalid_option', /'l3' is not one of none, l1, l2, max/],
    [() => tamis.tfIdf(['?']), 'invalid_data', /no line has a word/],
    [() => tamis.tfIdf(['a', 'b'], { minDf: 2 }), 'invalid_data', /lower minDf/],
    [() => tamis.tfIdf(['a'], { ngrams: 9 }), 'invalid_option', /ngrams/],
    [() => tamis.train({ X: { values: [1], rows: [2], starts: [0, 1], samples: 2, features: 1 }, y: [0, 1], loss: 'hinge', penalty: 'l1', lambda: 1 }),
      'invalid_shape', /^X\.rows\[0\] is not below 2/],
    [() => tamis.train({ X: { values: [1], starts: [0, 1], samples: 2, features: 1 }, y: [0, 1], loss: 'hinge', penalty: 'l1', lambda: 1 }),
      'invalid_shape', /^X\.starts must have/],
  ];
  for (const [work, status, sentence] of cases) assert.match((await refusal(work, status)).message, sentence);
  const error = await refusal(() => client.scatterImages([image, bad], eight), 'invalid_data');
  assert.deepEqual([error.row, error.column], [1, 13]);
});

test('features are loaded from where load says', async () => {
  const given = await load({ wasmFeatures: path.join(dist, 'tamis-features.wasm') });
  const X = await given.scatterImages([madeUp(64, 1)], { height: 8, width: 8 });
  assert.deepEqual(X.values, (await tamis.scatterImages([madeUp(64, 1)], { height: 8, width: 8 })).values);
  const missing = await load({ wasmFeatures: '/nowhere/tamis-features.wasm' });
  await refusal(() => missing.hashText(['a']), 'unsupported');
});
