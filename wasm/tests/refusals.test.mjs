import assert from 'node:assert/strict';
import test from 'node:test';
import { load, refusal, small, TamisError } from './support.mjs';

const tamis = await load({ double: true });

const sentences = {
  shape: 'training needs at least one sample, one feature and two classes',
  value: 'a sample holds a value that is not finite: remove or impute it',
  lambda: 'lambda must be zero or positive, and finite',
};

// What is wrong, what it comes to, and what the message says.
const refusals = [
  ['no X', { X: undefined }, 'invalid_shape', 'X must be an array of samples'],
  ['X of numbers', { X: [1, 2, 3] }, 'invalid_shape', 'X[0] is not an array of numbers', { row: 0 }],
  ['a missing sample', { X: [[1, 2], null, [3, 4]] }, 'invalid_shape', 'X[1] is not', { row: 1 }],
  ['a ragged X', { X: [[1, 2], [3, 4], [5]] }, 'invalid_shape', 'X[2] has 1 features where X[0] has 2', { row: 2 }],
  ['no samples', { X: [], y: [] }, 'invalid_shape', sentences.shape],
  ['no features', { X: [[], [], []] }, 'invalid_shape', sentences.shape],
  ['one class', { y: ['a', 'a', 'a'] }, 'invalid_shape', sentences.shape],
  ['too few labels', { y: ['a', 'b'] }, 'invalid_shape', 'y has 2 labels for 3 samples'],
  ['a matrix too short', { X: { values: [1, 2, 3], samples: 3, features: 2 } }, 'invalid_shape', 'X.values has 3 entries'],
  ['a matrix without shape', { X: { values: [1, 2, 3] } }, 'invalid_shape', 'whole numbers'],
  ['an unknown layout', { X: { values: [1, 2, 3], samples: 3, features: 1, layout: 'C' } }, 'invalid_shape', "'C'"],
  ['NaN', { X: [[1, 2], [3, NaN], [5, 6]] }, 'invalid_data', `X[1][1]: ${sentences.value}`, { row: 1, column: 1 }],
  ['Infinity', { X: [[1, 2], [3, 4], [-Infinity, 6]] }, 'invalid_data', sentences.value, { row: 2, column: 0 }],
  ['a word', { X: [[1, 2], ['three', 4], [5, 6]] }, 'invalid_data', sentences.value, { row: 1, column: 0 }],
  ['a number that is a string', { X: [[1, 2], ['3', 4], [5, 6]] }, 'invalid_data',
    "X[1][0]: '3' is a string, not a number: convert it by Number()", { row: 1, column: 0 }],
  ['a hole', { X: [[1, 2], [undefined, 4], [5, 6]] }, 'invalid_data', sentences.value, { row: 1, column: 0 }],
  ['a BigInt', { X: [[1, 2], [3, 4n], [5, 6]] }, 'invalid_data', 'X[1][1]: 4n is a bigint, not a number: convert it by Number()',
    { row: 1, column: 1 }],
  ['NaN in a matrix', { X: { values: Float32Array.of(1, 2, 3, NaN, 5, 6), samples: 3, features: 2 } }, 'invalid_data',
    sentences.value, { row: 1, column: 1 }],
  ['too large for float', { X: [[1, 2], [3, 1e300], [5, 6]] }, 'invalid_data', '1e+300 does not fit in single precision',
    { row: 1, column: 1 }],
  ['no y', { y: undefined }, 'invalid_label', 'y must be an array of labels'],
  ['a label that is nothing', { y: ['a', null, 'b'] }, 'invalid_label', 'y[1]', { row: 1 }],
  ['a label that is a BigInt', { y: ['a', 2n, 'b'] }, 'invalid_label', 'y[1]: 2n is a bigint', { row: 1 }],
  ['a label that is NaN', { y: [1, 2, NaN] }, 'invalid_label', 'y[2]', { row: 2 }],
  ['a class without weight', { sampleWeights: [1, 0, 1] }, 'missing_class', "class 'b': a class has no sample", { column: 1 }],
  ['a negative weight', { sampleWeights: [1, 1, -1] }, 'invalid_weight', 'sampleWeights[2]', { row: 2 }],
  ['a weight that is a word', { sampleWeights: [1, 'x', 1] }, 'invalid_weight', 'sampleWeights[1]', { row: 1 }],
  ['too few weights', { sampleWeights: [1] }, 'invalid_shape', 'sampleWeights has 1 entries for 3 samples'],
  ['a margin of zero', { margins: [1, 0, 1] }, 'invalid_margin', 'margins[1]', { row: 1 }],
  ['margins that are no array', { margins: 1 }, 'invalid_shape', 'margins must be an array'],
  ['a negative lambda', { lambda: -1 }, 'invalid_lambda', sentences.lambda],
  ['lambda NaN', { lambda: NaN }, 'invalid_lambda', sentences.lambda],
  ['no lambda', { lambda: undefined }, 'invalid_lambda',
    'lambda: is missing: give a number of at least 0, or have crossValidate choose it'],
  ['lambda as a string', { lambda: '0.1' }, 'invalid_lambda', "lambda: '0.1' is a string, not a number"],
  ['lambda as text', { lambda: '1/150' }, 'invalid_lambda', sentences.lambda],
  ['tolerance 0', { tolerance: 0 }, 'invalid_option', 'the tolerance must be positive'],
  ['no iterations', { maxIterations: 0 }, 'invalid_option', 'maxIterations: 0 is not a whole number'],
  ['a negative margin for the logistic loss', { loss: 'logistic', margin: -1 }, 'invalid_margin', 'margin: a margin is not'],
  ['a margin of zero for all', { margin: 0 }, 'invalid_margin', 'margin: a margin is not positive'],
  ['a margin that is no number', { margin: 'wide' }, 'invalid_margin', "margin: 'wide' is not a finite number"],
  ['margins twice', { margin: 1, margins: [1, 1, 1] }, 'invalid_margin', 'margin and margins are both given'],
  ['an unknown loss', { loss: 'huber' }, 'invalid_option', "loss: 'huber' is not one of hinge, squared-hinge, logistic"],
  ['no loss', { loss: undefined }, 'invalid_option', 'loss: undefined is not one of'],
  ['an unknown penalty', { penalty: 'l0' }, 'invalid_option', "penalty: 'l0' is not one of"],
  ['an unknown solver', { solver: 'adam' }, 'invalid_option', "solver: 'adam' is not one of"],
  ['a precision that cannot be made text', { precision: Object.create(null) }, 'invalid_option', 'precision: [object Object] is not one of'],
  ['an unknown precision', { precision: 'half' }, 'invalid_option', "precision: 'half' is not one of float, double"],
  ['groups of 0', { penalty: 'group-l2', groups: { blocks: 0 } }, 'invalid_option', 'groups.blocks: 0'],
  ['unknown groups', { penalty: 'group-l2', groups: 'columns' }, 'invalid_option', "groups: 'columns'"],
  ['groups for l1', { groups: { blocks: 2 } }, 'invalid_option', 'groups: is for group-l2, group-linf, sparse-group, not for l1'],
  ['too few group numbers', { penalty: 'group-l2', groups: [0] }, 'invalid_groups', 'groups has 1 entries for 2 features'],
  ['half a group number', { penalty: 'group-l2', groups: [0, 0.5] }, 'invalid_groups', 'groups[1]: 0.5', { column: 1 }],
  ['a negative group number', { penalty: 'sparse-group', groups: [-1, 0] }, 'invalid_groups', 'groups[0]: -1', { column: 0 }],
  ['a ratio above 1', { penalty: 'elastic-net', l1Ratio: 1.5 }, 'invalid_option', 'l1Ratio: 1.5 does not lie'],
  ['a ratio that is a word', { penalty: 'sparse-group', l1Ratio: '0.5' }, 'invalid_option', "l1Ratio: '0.5'"],
  ['a ratio without ridge', { loss: 'hinge', penalty: 'elastic-net', l1Ratio: 1, solver: 'crammer-singer-dual' }, 'invalid_option',
    'l1Ratio: 1 leaves nothing of the ridge'],
  ['a ratio for l1', { l1Ratio: 0.5 }, 'invalid_option', 'l1Ratio: is for elastic-net, sparse-group, not for l1'],
  ['epsilon 0', { penalty: 'reweighted-l1', epsilon: 0 }, 'invalid_option', 'epsilon: 0 is not positive'],
  ['epsilon too small for float', { penalty: 'reweighted-l1', epsilon: 1e-42 }, 'invalid_option', 'epsilon'],
  ['epsilon for l1', { epsilon: 0.5 }, 'invalid_option', 'epsilon: is for reweighted-l1, not for l1'],
  ['a solver for another loss', { solver: 'block-coordinate-descent' }, 'invalid_combination',
    'it needs a smooth loss, such as squared-hinge'],
  ['a solver for other groups', { loss: 'hinge', penalty: 'group-l2', groups: { blocks: 2 }, solver: 'crammer-singer-dual' }, 'invalid_combination',
    'it needs groups that are rows, or listed'],
  ['a misspelt option', { lamda: 0.1 }, 'invalid_option', 'has no such option; the nearest is lambda'],
  ['an option in the plural', { intercepts: false }, 'invalid_option', 'intercepts: train'],
  ['an option of the second object', { signal: new AbortController().signal }, 'invalid_option', 'takes it in a second object'],
  ['names for other features', { featureNames: ['a'] }, 'invalid_shape', 'featureNames has 1 entries for 2 features'],
];

for (const [name, wrong, status, message, place = {}] of refusals)
  test(`${name}: ${status}`, async () => {
    const error = await refusal(() => tamis.trainSync({ ...small, ...wrong }), status);
    assert.ok(error.message.includes(message), error.message);
    assert.deepEqual([error.row, error.column], [place.row, place.column]);
    const rejected = await refusal(() => tamis.train({ ...small, ...wrong }), status);
    assert.equal(rejected.message, error.message.replace('trainSync', 'train'));
  });

test('what is no problem, and options that there are not, are refused by every task', async () => {
  const tasks = ['train', 'path', 'crossValidate', 'stabilitySelection', 'trainInteractions', 'selectInteractions', 'trainKernels', 'selectKernels'];
  for (const task of tasks) {
    for (const none of [undefined, null, 3]) {
      const { message } = await refusal(() => tamis[task](none), 'invalid_option');
      assert.match(message, new RegExp(`^${task}: ${none} is no problem: give { X, y, `));
    }
    const given = (wrong) => refusal(() => tamis[task](small, wrong), 'invalid_option');
    assert.match((await given({ onProgres() {} })).message, /^onProgres: .* has no such option; the nearest is onProgress$/);
    assert.match((await given({ tolerance: 1 })).message, /^tolerance: .* takes it in the object before$/);
    assert.match((await given({ signal: new AbortController() })).message, /^signal: an AbortController is given: give its signal/);
    assert.match((await given({ signal: {} })).message, /^signal: \[object Object\] is no AbortSignal$/);
    assert.match((await given({ onProgress: true })).message, /^onProgress: true is no function$/);
    assert.match((await given(null)).message, /: null are no options: give an object$/);
  }
  assert.throws(() => tamis.trainSync(), { status: 'invalid_option' });
  assert.throws(() => tamis.trainingBytes({ samples: 3, features: 2, clases: 2 }), { status: 'invalid_option', message: /the nearest is classes/ });
  assert.match((await refusal(() => tamis.hashText(['a'], { bit: 4 }), 'invalid_option')).message, /^bit: hashText .* bits$/);
});

test('a loss that no solver for eta has: the sentence is that of these solvers', async () => {
  for (const precision of ['float', 'double']) {
    const error = await refusal(() => tamis.train({ ...small, lambda: undefined, eta: 0.4, loss: 'squared-hinge', precision }), 'invalid_combination');
    assert.match(error.message, /it needs a loss with level_terms, such as hinge/);
  }
});

test('names that cannot be made text stand for what they are', () => {
  const model = tamis.trainSync({ ...small, featureNames: ['a', Object.create(null)] });
  assert.deepEqual(model.toJSON().feature_count, 2);
});

test('the refusals held nothing back', () => {
  assert.equal(tamis.trainSync(small).report.status, 'converged');
});

test('memory that does not suffice: the error says what would', async () => {
  const X = { values: { length: 2e8 }, samples: 1e6, features: 200 };
  const y = Array.from({ length: 1e6 }, (_, i) => i % 3);
  const precision = 'double';
  const error = await refusal(() => tamis.trainSync({ ...small, X, y, precision }), 'arena_too_small');
  assert.equal(error.arenaBytes, tamis.trainingBytes({ samples: 1e6, features: 200, classes: 3, precision }).least);
  assert.ok(error.message.includes(`${error.arenaBytes} of them as arena`), error.message);
});

test('trainingBytes refuses what is no shape, and what no solver takes', async () => {
  const spec = { samples: 10, features: 2, classes: 3 };
  await refusal(() => tamis.trainingBytes({ ...spec, samples: 0 }), 'invalid_option');
  await refusal(() => tamis.trainingBytes({ ...spec, features: 2.5 }), 'invalid_option');
  await refusal(() => tamis.trainingBytes({ ...spec, loss: 'logistic', solver: 'two-phase' }), 'invalid_combination');
});

test('double precision must be loaded for what returns at once', async () => {
  const single = await load();
  await refusal(() => single.trainSync({ ...small, precision: 'double' }), 'invalid_option');
  assert.equal((await single.train({ ...small, precision: 'double' })).precision, 'double');
  assert.equal(single.trainSync({ ...small, precision: 'double' }).precision, 'double');
});

test('no WebAssembly, or no module', async () => {
  const engine = globalThis.WebAssembly;
  delete globalThis.WebAssembly;
  try {
    const error = await refusal(() => load(), 'unsupported');
    assert.equal(error.message, 'tamis needs WebAssembly, which is absent or switched off here');
  } finally {
    globalThis.WebAssembly = engine;
  }
  await refusal(() => load({ wasm: '/nowhere/tamis.wasm' }), 'unsupported');
  await refusal(() => load({ wasm: new Uint8Array([1, 2, 3, 4]) }), 'unsupported');
});

test('a TamisError is an Error with a name', () => {
  const error = new TamisError('invalid_data', 'text', { row: 3 });
  assert.ok(error instanceof Error);
  assert.deepEqual([error.name, error.status, error.row, error.column], ['TamisError', 'invalid_data', 3, undefined]);
});
