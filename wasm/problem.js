// Reading what callers hand in: samples, labels, names of choices. Values are checked by the module; here, only that
// there is something to hand to it.

import { TamisError } from './error.js';

const choices = {
  loss: ['hinge', 'squared-hinge'],
  penalty: ['ridge', 'l1', 'group-l2', 'group-linf'],
  solver: ['auto', 'primal-dual', 'fista', , 'constrained-primal-dual'], // 3: not in the modules
  precision: ['float', 'double'],
};

/** The number of a choice, its position in the C enumeration. */
export function choice(kind, name) {
  const number = name === undefined ? -1 : choices[kind].indexOf(name);
  if (number < 0)
    throw new TamisError('invalid_option', `${kind}: ${shown(name)} is not one of ${choices[kind].filter(Boolean).join(', ')}`);
  return number;
}

/** The precision asked for, 'float' unless said. */
export function precisionOf({ precision = 'float' } = {}) {
  choice('precision', precision);
  return precision;
}

export const shown = (value) => (typeof value === 'string' ? `'${value}'` : String(value));

export function countOf(name, value) {
  if (!Number.isInteger(value) || value < 1 || value > 0xffffffff)
    throw new TamisError('invalid_option', `${name}: ${shown(value)} is not a whole number from 1 to 4294967295`);
  return value;
}

const isArrayLike = (value) => typeof value === 'object' && value !== null && Number.isInteger(value.length);
const invalidShape = (message, place) => new TamisError('invalid_shape', message, place);

/** Anything that is not a number becomes NaN, which the module refuses with its place. */
export const numberOf = (value) => (typeof value === 'number' ? value : NaN);

/** { samples, features, at(i, j), copyColumns(reals, first) } of the samples in rows or in a matrix. */
export function samplesOf(X) {
  if (isArrayLike(X)) return samplesOfRows(X);
  if (typeof X === 'object' && X !== null && isArrayLike(X.values)) return samplesOfMatrix(X);
  throw invalidShape('X must be an array of samples, or a matrix { values, samples, features }');
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
    copyColumns(reals, first) {
      for (let i = 0; i < samples; ++i) {
        const row = X[i];
        for (let j = 0, to = first + i; j < features; ++j, to += samples) reals[to] = numberOf(row[j]);
      }
    },
  };
}

function samplesOfMatrix({ values, samples, features, layout = 'rows' }) {
  if (layout !== 'rows' && layout !== 'columns')
    throw invalidShape(`X.layout: ${shown(layout)} is not one of rows, columns`);
  if (!(Number.isInteger(samples) && Number.isInteger(features) && samples >= 0 && features >= 0))
    throw invalidShape('X.samples and X.features must be whole numbers');
  if (values.length !== samples * features)
    throw invalidShape(`X.values has ${values.length} entries where samples x features is ${samples * features}`);
  const [across, down] = layout === 'rows' ? [1, features] : [samples, 1];
  return {
    samples,
    features,
    at: (i, j) => values[i * down + j * across],
    copyColumns(reals, first) {
      if (layout === 'columns' && ArrayBuffer.isView(values)) return reals.set(values, first);
      for (let i = 0; i < samples; ++i)
        for (let j = 0, to = first + i; j < features; ++j, to += samples)
          reals[to] = numberOf(values[i * down + j * across]);
    },
  };
}

/** The classes of y in their order, numbers before words, and the number of each sample's class. */
export function labelsOf(y, samples) {
  if (!isArrayLike(y)) throw new TamisError('invalid_label', 'y must be an array of labels');
  if (y.length !== samples) throw invalidShape(`y has ${y.length} labels for ${samples} samples`);
  const known = new Map(); // 1 and '1' are the same class
  for (let i = 0; i < samples; ++i) {
    const label = y[i];
    if (!(typeof label === 'string' || (typeof label === 'number' && !Number.isNaN(label))))
      throw new TamisError('invalid_label', `y[${i}]: a label must be a number or a string`, { row: i });
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

/** One number per sample, or null. */
export function perSample(name, list, samples) {
  if (list === undefined || list === null) return null;
  if (!isArrayLike(list)) throw invalidShape(`${name} must be an array with one number per sample`);
  if (list.length !== samples) throw invalidShape(`${name} has ${list.length} entries for ${samples} samples`);
  return list;
}

/** Features of a group: 0 for whole rows. */
export function blockOf(groups = 'rows') {
  if (groups === 'rows') return 0;
  if (typeof groups !== 'object' || groups === null)
    throw new TamisError('invalid_option', `groups: ${shown(groups)} is neither 'rows' nor { blocks }`);
  return countOf('groups.blocks', groups.blocks);
}
