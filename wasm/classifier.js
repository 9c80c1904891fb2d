// A classifier with defaults for everything: fit, predict, probabilities and score, of samples in whatever form they come.

import { invalidOption, TamisError } from './error.js';
import { refuseUnknown } from './options.js';
import { shown } from './problem.js';
import { usualLibrary } from './tamis.js';

const of_training = ['loss', 'penalty', 'tolerance', 'maxIterations', 'intercept', 'groups', 'l1Ratio', 'epsilon', 'margin', 'precision',
  'memoryLimit'];
const of_folds = ['folds', 'choose', 'measure', 'points', 'stratified', 'seed', 'calibrate'];
const of_class = [...of_training, ...of_folds, 'lambda', 'standardise', 'missing', 'library'];
const of_fit = ['sampleWeights', 'groups', 'featureNames', 'onProgress', 'signal', 'sliceMilliseconds'];
const taken = (names, from) => Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]));

export class Classifier {
  #options;
  #fitted = null; // { model, tables, names, labels }

  constructor(options = {}) {
    refuseUnknown('Classifier', options, of_class, of_fit, 'the third argument of fit');
    const { standardise = false, missing = 'refuse' } = options;
    if (typeof standardise !== 'boolean') throw invalidOption(`standardise: ${shown(standardise)} is neither true nor false`);
    if (!['refuse', 'mean'].includes(missing)) throw invalidOption(`missing: ${shown(missing)} is not one of refuse, mean`);
    this.#options = { loss: 'logistic', penalty: 'group-l2', ...taken(of_class, options), standardise, missing };
  }

  /** Trains; lambda is chosen by cross-validation unless it is given. Resolves with this. */
  async fit(X, y, wishes = {}) {
    refuseUnknown('fit', wishes, of_fit, of_class, 'new Classifier');
    const options = this.#options;
    const { lambda, missing, standardise, calibrate } = options;
    const [library, tables] = await Promise.all([options.library ?? usualLibrary(), import('./table.js')]);
    const table = tables.tableOf(X, { y, featureNames: wishes.featureNames, spread: standardise || missing === 'mean' });
    const { names, labels } = table;
    const { X: samples, means, columns } = tables.prepared(table, { missing, standardise });
    const problem = {
      ...taken(of_training, options), X: samples, y: labels.map(labelOf),
      ...(names ? { featureNames: names } : {}), ...taken(['sampleWeights'], wishes),
    };
    const way = taken(['onProgress', 'signal', 'sliceMilliseconds'], wishes);
    const given = lambda !== undefined;
    const selection = given && calibrate === undefined ? null : await library.crossValidate(problem, {
      ...way, ...taken(of_folds, options), ...taken(['groups'], wishes), ...(given ? { lambdas: [lambda], choose: 'min', points: undefined } : {}),
    });
    const trained = selection?.model ?? await library.train({ ...problem, lambda }, way);
    const model = library.fromData(tables.inUnits(trained.data, table, { means, columns }));
    const known = new Map(labels.map((label) => [labelOf(label), label]));
    this.#fitted = { model, tables, names, labels: model.classes.map((label) => known.get(label) ?? label) };
    const { points, lambdaMin, lambda1se } = selection ?? {};
    this.report = {
      ...trained.report, loss: options.loss, penalty: options.penalty, lambda: trained.data.lambda,
      lambdaChosenBy: given ? 'given' : `cross-validation: ${options.folds ?? 5} folds, ${
        options.choose === 'min' ? 'the least' : 'the largest within one standard error of the least'} ${options.measure === 'loss' ? 'loss' : 'error'}`,
      selection: given ? null : { points, lambdaMin, lambda1se },
      samples: table.samples, features: table.features, keptFeatures: model.keptFeatures.map((j) => model.nameOf(j)),
    };
    return this;
  }

  #needFitted() {
    if (!this.#fitted) throw new TamisError('unknown', 'the classifier has not been fitted: await fit(X, y) first');
    return this.#fitted;
  }
  /** A linear model in the units of the samples. */
  get model() {
    return this.#needFitted().model;
  }
  /** In the order of probabilities. */
  get classes() {
    return this.#needFitted().labels;
  }

  /** answerOf(row, i, labels) of each sample; `y`: their labels, or the name of their column. */
  #read(X, y, answerOf) {
    const { model, names, tables } = this.#needFitted();
    const { values, samples, features, labels, row } = tables.tableOf(X, { y, expected: { names, features: model.features } });
    const rowOf = (i) => row?.(i, Float64Array) ?? values.subarray(i * features, (i + 1) * features);
    return Array.from({ length: samples }, (_, i) => answerOf(rowOf(i), i, labels));
  }
  /** The class of each sample. */
  predict(X) {
    const { model, labels } = this.#needFitted();
    return this.#read(X, undefined, (x) => labels[model.classes.indexOf(model.predict(x))]);
  }
  /** Of each sample one probability per class. */
  predictProbabilities(X) {
    return this.#read(X, undefined, (x) => this.model.probabilities(x));
  }
  /** The share of samples whose class is predicted. */
  score(X, y) {
    const right = this.#read(X, y, (x, i, labels) => String(this.model.predict(x)) === String(labels[i]));
    if (right.length === 0) throw new TamisError('invalid_shape', 'score: there are no samples');
    return right.filter(Boolean).length / right.length;
  }

  toC(options) {
    return this.model.toC(options);
  }
  /** The model file that the tamis command and Model.fromJSON read. */
  toJSON() {
    return this.model.toJSON();
  }
}

/** As the library takes it. */
const labelOf = (label) => (typeof label === 'boolean' ? String(label) : label);
