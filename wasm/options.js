// The names of all that can be asked for: others are refused, with the nearest one that there is.

import { invalidOption } from './error.js';
import { shown } from './problem.js';

const all = ['tolerance', 'maxIterations', 'intercept', 'precision', 'memoryLimit'];
export const linear = [...all, 'X', 'y', 'loss', 'penalty', 'lambda', 'eta', 'groups', 'l1Ratio', 'epsilon', 'solver', 'seed', 'learningRate',
  'shrinking', 'stopping', 'thresholds', 'sampleWeights', 'margin', 'margins', 'featureNames'];
/** Of trainingBytes. A problem beside its sizes will do. */
export const sizes = ['samples', 'features', 'classes', 'nonzeros', ...linear];
const interactions = [...all, 'X', 'y', 'values', 'loss', 'hierarchy', 'norm', 'lambda', 'lambda2', 'lambda2Ratio', 'featureNames'];
const kernels = [...all, 'X', 'y', 'kernels', 'matrices', 'p', 'q', 'r', 'lambda', 'form', 'rademacher', 'featureNames'];
const way = ['onProgress', 'signal', 'sliceMilliseconds'];
const grid = [...way, 'lambdas', 'points', 'ratio', 'maxFeatures', 'memoryLimit'];
const folds = [...grid, 'folds', 'stratified', 'groups', 'seed', 'measure', 'choose', 'refit', 'calibrate'];

/** Of what is asked for: the names of the problem, those of the options, and what the least problem is. */
const tasks = {
  train: [linear, [...way, 'bestOnAbort'], '{ X, y, loss, penalty, lambda }'],
  trainSync: [linear, [...way, 'bestOnAbort'], '{ X, y, loss, penalty, lambda }'],
  path: [linear, [...grid, 'onPoint', 'bestOnAbort'], '{ X, y, loss, penalty }'],
  crossValidate: [linear, folds, '{ X, y, loss, penalty }'],
  stabilitySelection: [linear, [...grid, 'subsamples', 'threshold', 'falseSelections', 'seed'], '{ X, y, loss, penalty }'],
  trainInteractions: [interactions, [...way, 'bestOnAbort'], '{ X, y, hierarchy, lambda }'],
  selectInteractions: [interactions, [...folds, 'validation'], '{ X, y, hierarchy }'],
  trainKernels: [kernels, [...way, 'bestOnAbort'], '{ X, y, kernels, p, q, r, lambda }'],
  selectKernels: [kernels, [...folds, 'validation'], '{ X, y, kernels, p, q, r }'],
};
const features = {
  scatterImages: ['height', 'width', 'scales', 'orientations', 'order', 'oversampling', 'byPosition', 'precision'],
  scatterSignals: ['length', 'scales', 'perOctave', 'order', 'oversampling', 'byPosition', 'precision'],
  sensorWindows: ['length', 'hop', 'channels', 'bands', 'precision'],
  windowFeatures: ['length', 'hop', 'channels', 'bands', 'precision'],
  hashText: ['bits', 'ngrams', 'alternating', 'sublinear', 'norm', 'precision'],
  tfIdf: ['ngrams', 'minDf', 'sublinear', 'precision'],
};

/** Refuses a problem and options of a task that have unknown names, or are none. */
export function checkAsked(task, problem, options) {
  const [ofProblem, ofOptions, least] = tasks[task];
  if (typeof problem !== 'object' || problem === null) throw invalidOption(`${task}: ${shown(problem)} is no problem: give ${least}`);
  // What another training has is refused by this one, in a sentence of its own.
  refuseUnknown(task, problem, [...ofProblem, ...(ofProblem === linear ? [] : linear)], ofOptions, 'a second object');
  checkWishes(task, options, ofOptions, ofProblem);
}

/** The same of what makes features. */
export function checkFeatures(name, options, wishes) {
  refuseUnknown(name, options, features[name], way, 'a third object');
  checkWishes(name, wishes, way, features[name]);
}

function checkWishes(task, options, names, others) {
  refuseUnknown(task, options, names, others, 'the object before');
  const { signal, onProgress, onPoint } = options;
  if (signal && typeof signal.aborted !== 'boolean')
    throw invalidOption(`signal: ${typeof signal.signal?.aborted === 'boolean' ? "an AbortController is given: give its signal, 'controller.signal'" : `${shown(signal)} is no AbortSignal`}`);
  for (const [name, call] of Object.entries({ onProgress, onPoint }))
    if (call !== undefined && typeof call !== 'function') throw invalidOption(`${name}: ${shown(call)} is no function`);
}

/** Refuses names that are not known; `elsewhere` are those that belong into `where`. */
export function refuseUnknown(what, given, names, elsewhere = [], where = '') {
  if (typeof given !== 'object' || given === null) throw invalidOption(`${what}: ${shown(given)} are no options: give an object`);
  for (const name of Object.keys(given)) {
    if (names.includes(name) || given[name] === undefined) continue;
    if (elsewhere.includes(name)) throw invalidOption(`${name}: ${what} takes it in ${where}`);
    throw invalidOption(`${name}: ${what} has no such option; the nearest is ${nearest(name, names)}`);
  }
}

function nearest(name, names) {
  const distances = names.map((known) => distance(name.toLowerCase(), known.toLowerCase()));
  return names[distances.indexOf(Math.min(...distances))];
}

/** Letters to be put in, left out or changed, or neighbours to be swapped, to make one word of the other. */
function distance(a, b) {
  let [before, last, row] = [[], [], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; ++i) {
    [before, last, row] = [last, row, [i]];
    for (let j = 1; j <= b.length; ++j) {
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + Number(a[i - 1] !== b[j - 1]));
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.length];
}
