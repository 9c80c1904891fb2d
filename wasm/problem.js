// Reading what callers hand in: samples, labels, names of choices. Values are checked by the module; here, only that
// there is something to hand to it.

import { invalidOption, invalidShape, TamisError, wrongKind } from './error.js';

// catalogue: choices
const choices = {
  loss: ['hinge', 'squared-hinge', 'logistic', 'one-vs-rest-squared-hinge', 'ranking-squared-hinge'],
  penalty: ['ridge', 'l1', 'group-l2', 'group-linf', 'elastic-net', 'sparse-group', 'reweighted-l1'],
  solver: ['auto', 'primal-dual', 'fista', 'primal-dual-as-printed', 'constrained-primal-dual',
    'crammer-singer-dual', 'two-phase', 'constrained-primal-dual-as-printed',
    'linear-constraints-primal-dual-as-printed', 'fista-constant-step-as-printed', 'forward-backward',
    'block-coordinate-descent', 'fobos-as-printed', 'adaptive-dual-averaging', 'bcd-line-search-as-printed',
    'bcd-constant-step-as-printed', 'fista-line-search-as-printed', 'sparsa-as-printed', 'fista-constant-step'],
  stopping: ['gap', 'iterates', 'violation-sum', 'violation-max'],
};
/** The losses without a gradient, and those of samples with several labels. */
const kinked = ['hinge'];
const of_label_sets = ['ranking-squared-hinge'];
/** The penalties that the parameters mean something to. */
export const takers = {
  groups: ['group-l2', 'group-linf', 'sparse-group'],
  l1Ratio: ['elastic-net', 'sparse-group'],
  epsilon: ['reweighted-l1'],
};
/** The penalties that make no coefficient zero. */
export const dense = ['ridge'];
/** The solvers of the first modules. */
const usual_solvers = [0, 1, 5, 6, 11];
/** The modules that train one model. */
const modules_of_one = [
  { name: 'hinge-ridge', losses: ['hinge'], penalties: ['ridge', 'elastic-net'], solvers: ['auto', 'primal-dual',
    'crammer-singer-dual', 'two-phase'] },
  { name: 'hinge', losses: ['hinge'], penalties: ['l1', 'reweighted-l1'], solvers: ['auto', 'primal-dual',
    'two-phase'] },
  { name: 'hinge-groups', losses: ['hinge'], penalties: ['group-l2', 'group-linf', 'sparse-group'], solvers: ['auto',
    'primal-dual', 'two-phase'] },
  { name: 'squared-hinge-ridge', losses: ['squared-hinge'], penalties: ['ridge', 'elastic-net'], solvers: ['auto',
    'block-coordinate-descent'] },
  { name: 'squared-hinge', losses: ['squared-hinge'], penalties: ['l1', 'reweighted-l1'], solvers: ['auto',
    'block-coordinate-descent'] },
  { name: 'squared-hinge-groups', losses: ['squared-hinge'], penalties: ['group-l2', 'group-linf', 'sparse-group'],
    solvers: ['auto', 'block-coordinate-descent'] },
  { name: 'logistic', losses: ['logistic'], penalties: ['ridge', 'l1', 'elastic-net', 'reweighted-l1'], solvers:
    ['auto', 'block-coordinate-descent'] },
  { name: 'logistic-groups', losses: ['logistic'], penalties: ['group-l2', 'group-linf', 'sparse-group'], solvers:
    ['auto', 'block-coordinate-descent'] },
  { name: 'one-vs-rest', losses: ['one-vs-rest-squared-hinge'], penalties: ['ridge', 'l1', 'elastic-net',
    'reweighted-l1'], solvers: ['auto', 'block-coordinate-descent'] },
  { name: 'one-vs-rest-groups', losses: ['one-vs-rest-squared-hinge'], penalties: ['group-l2', 'group-linf',
    'sparse-group'], solvers: ['auto', 'block-coordinate-descent'] },
  { name: 'constrained', losses: ['hinge'], penalties: ['ridge', 'l1', 'group-l2', 'group-linf', 'elastic-net',
    'sparse-group', 'reweighted-l1'], solvers: ['constrained-primal-dual'] },
  { name: 'fista', losses: ['squared-hinge', 'logistic', 'one-vs-rest-squared-hinge'], penalties: ['ridge', 'l1',
    'group-l2', 'group-linf', 'elastic-net', 'sparse-group', 'reweighted-l1'], solvers: ['fista'] },
  { name: 'ranking', losses: ['ranking-squared-hinge'], penalties: ['ridge', 'l1', 'group-l2', 'group-linf',
    'elastic-net', 'sparse-group', 'reweighted-l1'], solvers: ['fista'] },
];
// end of catalogue
/** The loss of samples with several labels. */
export const [ranking] = of_label_sets;
const precisions = ['float', 'double'];

/** The number of a choice, its position in the C enumeration. */
export function choice(kind, name, names = choices[kind]) {
  const number = name === undefined ? -1 : names.indexOf(name);
  if (number < 0)
    throw invalidOption(`${kind}: ${shown(name)} is not one of ${names.filter(Boolean).join(', ')}`);
  return number;
}

/** The precision asked for, 'float' unless said. */
export function precisionOf({ precision = 'float' } = {}) {
  choice('precision', precision, precisions);
  return precision;
}

/** Rounds as numbers of a precision are. */
export const roundingOf = (precision) => (precision === 'double' ? Number : Math.fround);

/** What of a problem only the module with all solvers has, or null: in double precision there is but one module. */
export function beyondUsual(problem = {}) {
  const { solver = 'auto', eta, loss = 'hinge', penalty, groups } = problem;
  if (precisionOf(problem) === 'double') return null;
  if (!usual_solvers.includes(choice('solver', solver))) return `the solver ${solver}`;
  if (eta !== undefined) return 'the solver for eta';
  if (of_label_sets.includes(loss)) return `the loss ${loss}`;
  const settings = settingOf(problem);
  if (settings) return `a solver with ${settings}`;
  return solver === 'auto' && isWide({ loss, penalty, groups }) ? `the solver for ${loss} with such groups` : null;
}
/** Whether the largest entries are shared by features, over which descent crawls. */
function isWide({ loss, penalty, groups }) {
  return !kinked.includes(loss) && penalty === 'group-linf' && (isArrayLike(groups) || groups?.blocks > 1);
}
const settingOf = (problem) => ['seed', 'learningRate', 'shrinking', 'stopping'].find((name) => problem[name] !== undefined);

/** The name of the module that trains one model of a problem in single precision, or undefined. */
export function moduleOfOne(problem) {
  const { loss = 'hinge', penalty = 'l1', solver = 'auto', eta, groups } = problem;
  if (settingOf(problem)) return undefined;
  let asked = solver;
  if (solver === 'auto') {
    if (eta !== undefined) asked = 'constrained-primal-dual';
    else if (of_label_sets.includes(loss) || isWide({ loss, penalty, groups })) asked = 'fista';
  }
  if ((eta !== undefined) !== (asked === 'constrained-primal-dual')) return undefined;
  return modules_of_one.find((one) => one.losses.includes(loss) && one.penalties.includes(penalty) && one.solvers.includes(asked))?.name;
}

/** A value for a message; objects that cannot be made text are what they are. */
export function shown(value) {
  if (typeof value === 'string') return `'${value}'`;
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

export function countOf(name, value) {
  if (!Number.isInteger(value) || value < 1 || value > 0xffffffff)
    throw invalidOption(`${name}: ${shown(value)} is not a whole number from 1 to 4294967295`);
  return value;
}

/** A seed; `where` begins the sentence that refuses one. */
export function seedOf(seed, where = '') {
  if (!Number.isSafeInteger(seed) || seed < 0) throw invalidOption(`${where}seed: ${shown(seed)} is not a whole number of at least 0`);
  return seed;
}

export const isGiven = (value) => value !== undefined && value !== null;
export const isArrayLike = (value) => typeof value === 'object' && value !== null && Number.isInteger(value.length);

/** Anything that is not a number becomes NaN, which the module refuses with its place. */
export const numberOf = (value) => (typeof value === 'number' ? value : NaN);

/** What runs are asked for alike, as far as it is given. */
export function effortOf({ tolerance, maxIterations, intercept }) {
  return {
    tolerance: tolerance === undefined ? undefined : numberOf(tolerance),
    maxIterations: maxIterations === undefined ? undefined : countOf('maxIterations', maxIterations),
    intercept: intercept === undefined ? undefined : Number(Boolean(intercept)),
  };
}

/** The margin of all samples, or undefined for that of the loss. What is no number is refused. */
export function marginOf({ margin, margins }) {
  if (margin !== undefined && margins) throw new TamisError('invalid_margin', 'margin and margins are both given: give one');
  if (margin !== undefined && !Number.isFinite(margin))
    throw new TamisError('invalid_margin', `margin: ${shown(margin)} is not a finite number`);
  return margin;
}

/** Whether samples are compressed columns. */
export const isSparse = (X) => typeof X === 'object' && X !== null && isArrayLike(X.values) && isArrayLike(X.starts);

/**
 * { samples, features, at(i, j), row(i, Reals), nonzeros(), copyColumns(reals, first) } of the samples in rows, in a
 * matrix or in compressed columns, which are `sparse`, and visit(i, entry(j, value)) what sample i has.
 */
export function samplesOf(X) {
  if (isArrayLike(X)) return withRows(samplesOfRows(X));
  if (isSparse(X)) return samplesOfColumns(X);
  if (typeof X === 'object' && X !== null && isArrayLike(X.values)) return withRows(samplesOfMatrix(X));
  throw invalidShape('X must be an array of samples, or a matrix { values, samples, features }');
}

function withRows(list) {
  return { ...list, row: (i, Reals) => Reals.from({ length: list.features }, (_, j) => list.at(i, j)) };
}

function nonzerosOf(list) {
  let count = 0;
  for (let i = 0; i < list.length; ++i) count += list[i] !== 0;
  return count;
}

function samplesOfRows(X) {
  const samples = X.length;
  for (let i = 0; i < samples; ++i) {
    if (!isArrayLike(X[i])) throw invalidShape(`X[${i}] is not an array of numbers`, { row: i });
    if (X[i].length !== X[0].length)
      throw invalidShape(`X[${i}] has ${X[i].length} features where X[0] has ${X[0].length}`, { row: i });
  }
  const features = samples ? X[0].length : 0;
  return {
    samples,
    features,
    at: (i, j) => X[i][j],
    nonzeros: () => Array.from(X, nonzerosOf).reduce((sum, count) => sum + count, 0),
    copyColumns(reals, first) {
      for (let i = 0; i < samples; ++i) {
        const row = X[i];
        for (let j = 0, to = first + i; j < features; ++j, to += samples) reals[to] = numberOf(row[j]);
      }
    },
  };
}

function checkSizes(samples, features) {
  if (!(Number.isInteger(samples) && Number.isInteger(features) && samples >= 0 && features >= 0))
    throw invalidShape('X.samples and X.features must be whole numbers');
}

function samplesOfMatrix({ values, samples, features, layout = 'rows' }) {
  if (layout !== 'rows' && layout !== 'columns')
    throw invalidShape(`X.layout: ${shown(layout)} is not one of rows, columns`);
  checkSizes(samples, features);
  if (values.length !== samples * features)
    throw invalidShape(`X.values has ${values.length} entries where samples x features is ${samples * features}`);
  const [across, down] = layout === 'rows' ? [1, features] : [samples, 1];
  return {
    samples,
    features,
    at: (i, j) => values[i * down + j * across],
    nonzeros: () => nonzerosOf(values),
    copyColumns(reals, first) {
      if (layout === 'columns' && ArrayBuffer.isView(values)) return reals.set(values, first);
      for (let i = 0; i < samples; ++i)
        for (let j = 0, to = first + i; j < features; ++j, to += samples)
          reals[to] = numberOf(values[i * down + j * across]);
    },
  };
}

/** Compressed columns: entries starts[j] to starts[j + 1] are those of feature j, of the samples in rows. */
function samplesOfColumns({ values, rows, starts, samples, features }) {
  checkSizes(samples, features);
  if (starts.length !== features + 1 || rows?.length !== values.length)
    throw invalidShape('X.starts must have one place per feature and one more, X.rows one sample per value');
  for (let j = 0; j < features; ++j) {
    const [first, end] = [starts[j], starts[j + 1]];
    if (!(Number.isInteger(first) && first >= 0 && end >= first && end <= values.length))
      throw invalidShape(`X.starts[${j}] and X.starts[${j + 1}] are not two places in X.values, ascending`, { column: j });
    for (let e = first; e < end; ++e) {
      if (!Number.isInteger(rows[e])) throw invalidShape(`X.rows[${e}] is not a whole number`, { column: j });
      if (!(rows[e] < samples)) throw invalidShape(`X.rows[${e}] is not below ${samples}`, { column: j });
      if (!(rows[e] > (e > first ? rows[e - 1] : -1)))
        throw invalidShape(`X.rows[${e}] is not above the one before: the samples of a feature ascend`, { column: j });
    }
  }
  let ofSamples = null; // the entries sample by sample, once they are asked for
  const visit = (i, entry) => {
    ofSamples ??= transposed({ rows, starts, samples, features });
    for (let k = ofSamples.ends[i - 1] ?? 0; k < ofSamples.ends[i]; ++k) entry(ofSamples.features[k], values[ofSamples.entries[k]]);
  };
  return {
    samples,
    features,
    sparse: { values, rows, starts },
    visit,
    at(i, j) {
      let [low, high] = [starts[j], starts[j + 1]];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (rows[middle] < i) low = middle + 1;
        else high = middle;
      }
      return low < starts[j + 1] && rows[low] === i ? values[low] : 0;
    },
    row(i, Reals) {
      const row = new Reals(features);
      visit(i, (j, value) => (row[j] = value));
      return row;
    },
    nonzeros: () => nonzerosOf(values),
    copyColumns(reals, first) {
      reals.fill(0, first, first + samples * features);
      for (let j = 0; j < features; ++j)
        for (let e = starts[j]; e < starts[j + 1]; ++e) reals[first + j * samples + rows[e]] = numberOf(values[e]);
    },
  };
}

/** Of compressed columns, sample by sample: the numbers of the entries and their features, and where each sample's end. */
function transposed({ rows, starts, samples, features: count }) {
  const ends = new Uint32Array(samples);
  for (let e = starts[0]; e < starts[count]; ++e) ++ends[rows[e]];
  for (let i = 0, total = 0; i < samples; ++i) [ends[i], total] = [total, total + ends[i]];
  const [features, entries] = [new Uint32Array(starts[count]), new Uint32Array(starts[count])];
  for (let j = 0; j < count; ++j)
    for (let e = starts[j]; e < starts[j + 1]; ++e) {
      const to = ends[rows[e]]++;
      [features[to], entries[to]] = [j, e];
    }
  return { features, entries, ends };
}

/** One label per sample. */
export function labelListOf(y, samples) {
  if (!isArrayLike(y)) throw new TamisError('invalid_label', 'y must be an array of labels');
  if (y.length !== samples) throw invalidShape(`y has ${y.length} labels for ${samples} samples`);
  return y;
}

/** The classes of y in their order, numbers before words, and the number of each sample's class. */
export function labelsOf(y, samples) {
  labelListOf(y, samples);
  const known = new Map(); // 1 and '1' are the same class
  for (let i = 0; i < samples; ++i) {
    const label = y[i];
    if (!(typeof label === 'string' || (typeof label === 'number' && !Number.isNaN(label))))
      throw new TamisError('invalid_label', `y[${i}]: ${typeof label === 'bigint' ? wrongKind(label) : 'a label must be a number or a string'}`, { row: i });
    if (!known.has(String(label))) known.set(String(label), label);
  }
  const keys = [...known.keys()].sort(beforeWords);
  const numbers = new Map(keys.map((key, k) => [key, k]));
  return { classes: keys.map((key) => known.get(key)), labels: Uint16Array.from(y, (label) => numbers.get(String(label))) };
}

function beforeWords(a, b) {
  const x = a.trim() === '' ? NaN : Number(a);
  const y = b.trim() === '' ? NaN : Number(b);
  const words = Number.isNaN(x) - Number.isNaN(y);
  if (words !== 0) return words;
  if (x < y || x > y) return x - y;
  return a < b ? -1 : 1;
}

/** The first sample of each label, up to so many, in the order of the data: what exported code is tested with. */
export function firstOfEach(labels, most) {
  const first = new Map();
  labels.forEach((label, i) => first.has(label) || first.set(label, i));
  return [...first.values()].slice(0, most);
}

/** The names of the features, or null. */
export function namesOf(names, features) {
  if (!names) return null;
  if (names.length !== features) throw invalidShape(`featureNames has ${names.length} entries for ${features} features`);
  return Array.from(names, (name) => (typeof name === 'string' ? name : shown(name)));
}

/** One number per sample, or null. */
export function perSample(name, list, samples) {
  if (!isGiven(list)) return null;
  if (!isArrayLike(list)) throw invalidShape(`${name} must be an array with one number per sample`);
  if (list.length !== samples) throw invalidShape(`${name} has ${list.length} entries for ${samples} samples`);
  return list;
}

/** Refuses an option that means nothing to the penalty. */
function checkMeaning(option, value, penalty, penalties) {
  if (value !== undefined && !penalties.includes(penalty))
    throw invalidOption(`${option}: is for ${penalties.join(', ')}, not for ${penalty}`);
}

/** { block, order, starts } of the groups: a block of 0 for whole rows; lists when there is a number per feature. */
export function groupsOf({ groups, penalty }, features) {
  checkMeaning('groups', groups === 'rows' ? undefined : groups, penalty, takers.groups);
  if (groups === undefined || groups === 'rows') return { block: 0 };
  if (typeof groups !== 'object' || groups === null)
    throw invalidOption(`groups: ${shown(groups)} is neither 'rows' nor { blocks } nor a group number per feature`);
  if (!isArrayLike(groups)) return { block: countOf('groups.blocks', groups.blocks) };
  if (groups.length !== features)
    throw new TamisError('invalid_groups', `groups has ${groups.length} entries for ${features} features`);
  for (let j = 0; j < features; ++j)
    if (!Number.isInteger(groups[j]) || groups[j] < 0)
      throw new TamisError('invalid_groups', `groups[${j}]: ${shown(groups[j])} is not a whole number of at least 0`, { column: j });
  const order = Uint32Array.from({ length: features }, (_, j) => j).sort((a, b) => groups[a] - groups[b] || a - b);
  const starts = [];
  order.forEach((j, place) => {
    if (place === 0 || groups[j] !== groups[order[place - 1]]) starts.push(place);
  });
  return { block: 0, order, starts: Uint32Array.from([...starts, features]) };
}

/** The settings that only some solvers have, as far as they are given; the module says which. */
export function settingsOf({ seed, learningRate, shrinking, stopping }) {
  if (seed !== undefined) seedOf(seed);
  if (learningRate !== undefined && learningRate !== 'auto' && !(numberOf(learningRate) > 0 && learningRate < Infinity))
    throw invalidOption(`learningRate: ${shown(learningRate)} is neither 'auto' nor positive and finite`);
  const { rule = 'gap', threshold } = stopping ?? {};
  const number = choice('stopping', stopping === null || typeof stopping === 'string' ? stopping : rule);
  if (number > 0 && !(numberOf(threshold) > 0 && threshold < Infinity))
    throw invalidOption(`stopping: the threshold of ${rule} is ${shown(threshold)}, where it must be positive and finite`);
  if (number === 0 && threshold !== undefined) throw invalidOption('stopping: gap takes no threshold: tolerance is that of the gap');
  return {
    ...(seed === undefined ? {} : { seedLow: seed >>> 0, seedHigh: Math.floor(seed / 2 ** 32) }),
    learningRate: learningRate === 'auto' ? undefined : learningRate,
    shrinking: shrinking === undefined ? undefined : Number(Boolean(shrinking)),
    stopping: number,
    stoppingThreshold: threshold,
  };
}

/** The parameters of the penalty, checked. */
export function parametersOf({ l1Ratio, epsilon, penalty, solver }) {
  checkMeaning('l1Ratio', l1Ratio, penalty, takers.l1Ratio);
  checkMeaning('epsilon', epsilon, penalty, takers.epsilon);
  if (l1Ratio !== undefined && !(numberOf(l1Ratio) >= 0 && l1Ratio <= 1))
    throw invalidOption(`l1Ratio: ${shown(l1Ratio)} does not lie between 0 and 1`);
  if (l1Ratio === 1 && penalty === 'elastic-net' && solver === 'crammer-singer-dual')
    throw invalidOption('l1Ratio: 1 leaves nothing of the ridge that crammer-singer-dual needs');
  if (epsilon !== undefined && !(numberOf(epsilon) > 0 && epsilon < Infinity))
    throw invalidOption(`epsilon: ${shown(epsilon)} is not positive and finite`);
  return { l1Ratio, epsilon };
}

const of_train = ['penalty', 'solver', 'eta', 'sampleWeights', 'margin', 'margins', 'groups', 'l1Ratio', 'epsilon',
  'seed', 'learningRate', 'shrinking', 'stopping', 'thresholds'];
/** Refuses options of `train`, and `more`, that mean nothing to another training. */
export function refuseOptionsOfTrain(training, problem, more = []) {
  for (const name of [...of_train, ...more])
    if (problem[name] !== undefined) throw invalidOption(`${name}: ${training} has no such option`);
}
