// Training with products of features inside a module of interactions, and exporting what came of it.

import { invalidOption, notHeld, TamisError } from './error.js';
import { header } from './export.js';
import { all_ones } from './module.js';
import {
  choice, effortOf, isGiven, labelsOf, namesOf, numberOf, perSample, refuseOptionsOfTrain, roundingOf, samplesOf, shown,
} from './problem.js';
import { Run } from './run.js';

const state_bytes = 160 * 8; // TAMIS_INTERACTIONS_WORDS
const no_feature = all_ones; // TAMIS_NO_FEATURE
const usual_terms = 65536; // that there is room for from the start
// tamis_interactions_problem and _model
const problem_struct = {
  defaults: 'default_interactions_problem',
  reals: ['lambda', 'lambda2', 'tolerance'],
  words: ['maxIterations', 'intercept', 'loss', 'hierarchy', 'norm', 'samples', 'features', 'classes', 'columnStride', 'values',
    'targets', 'labels'],
  last: ['lambda2Ratio'],
};
const model_struct = { words: ['terms', 'intercepts', 'termCount', 'features', 'outputs'] };
const losses = ['least-squares', 'squared-hinge'];
const hierarchies = ['weak', 'strong', 'full', 'main'];
const norms = ['l1', 'linf', 'l2', 'ridge'];

const invalidLambda = (message) => new TamisError('invalid_lambda', message);

/** The loss, of what there is to predict: the classes y, or the numbers in values. */
function lossOf({ y, values, loss }) {
  const given = [values, y].map(isGiven);
  if (given[0] === given[1])
    throw invalidOption(`y and values are ${given[0] ? 'both' : 'neither'} given: give the labels of classes as y, or the ` +
      'numbers of a regression as values');
  const meant = losses[Number(given[1])];
  if (loss !== undefined && losses[choice('loss', loss, losses)] !== meant)
    throw invalidOption(`loss: ${loss} is for ${given[1] ? 'numbers, given as values' : 'classes, given as y'}`);
  return meant;
}

/** The weight of products that is asked for, or that goes with lambda; null where there are none. */
function lambda2Of({ lambda, lambda2, lambda2Ratio, hierarchy }, Reals) {
  if (lambda2Ratio !== undefined) {
    if (lambda2 !== undefined) throw invalidOption('lambda2 and lambda2Ratio are both given: give one');
    if (hierarchy === 'main') throw invalidOption('lambda2Ratio: is of the weight of products, and hierarchy main has none');
    const ratio = numberOf(lambda2Ratio);
    if (!((hierarchy === 'full' ? ratio > 0 : ratio >= 0) && ratio < Infinity))
      throw invalidLambda(`lambda2Ratio: ${shown(lambda2Ratio)} is not ${hierarchy === 'full' ? 'positive' : 'at least 0'} and finite`);
    return Reals.of(Reals.of(ratio)[0] * Reals.of(numberOf(lambda))[0])[0];
  }
  if (hierarchy === 'main') {
    if (lambda2 !== undefined) throw invalidOption('lambda2: is the weight of products, and hierarchy main has none');
    return null;
  }
  if (lambda2 === undefined) return hierarchy === 'full' ? numberOf(lambda) : numberOf(lambda) / 2;
  if (Number.isNaN(numberOf(lambda2))) throw invalidLambda(badLambda2({ lambda2, hierarchy })); // the default of the module
  return lambda2;
}

const badLambda2 = ({ lambda2, hierarchy }) =>
  `lambda2: ${shown(lambda2)} is not ${hierarchy === 'full' ? 'positive' : 'at least 0'} and finite`;

/** Memory of a tamis_interactions_term: three words and a number. */
const termBytes = ({ scalarBytes }) => (scalarBytes === 4 ? 16 : 24);

export class Training extends Run {
  prefix = 'interactions_';
  problemStruct = problem_struct;
  /** How lambda is chosen: see paths.js and selection.js. */
  static selection = {
    name: 'interactions', train: 'trainInteractions', zero: 'without a penalty interactions are not determined',
    ratio: () => 1e-2,
    fields: ({ lambda2 = NaN, lambda2Ratio }) => ({ lambda2, lambda2Ratio }), // NaN: the ratio of the problem, or in proportion
    beside: ({ lambda2 = NaN }) => [lambda2],
  };

  /** Checks the problem, copies it into the module and starts. Throws TamisError; then nothing is held. */
  constructor(module, problem) {
    super(module, problem);
    const { hierarchy, norm = 'l1' } = problem;
    refuseOptionsOfTrain('training with interactions', problem);
    if (norm === 'ridge' && (hierarchy === 'weak' || hierarchy === 'strong'))
      throw new TamisError('invalid_combination', `norm: ridge makes nothing zero, so that hierarchy ${hierarchy} means nothing: take full or main`);
    this.loss = lossOf(problem);
    this.table = samplesOf(problem.X);
    const { samples, features } = this.table;
    if (this.loss === 'squared-hinge') Object.assign(this, labelsOf(problem.y, samples));
    else this.values = perSample('values', problem.values, samples);
    Object.assign(this, { samples, features });
    const { classes } = this;
    this.checkShape('training with interactions needs at least one sample and one feature, and two classes if y is given',
      { samples, ...(classes && { classes: classes.length }), features });
    this.featureNames = namesOf(problem.featureNames, features);
    this.outputs = classes ? classes.length : 1;
    this.lambda2 = lambda2Of(problem, module.Reals);
    this.fields = {
      lambda: numberOf(problem.lambda),
      lambda2: this.lambda2 ?? undefined,
      ...effortOf(problem),
      loss: losses.indexOf(this.loss),
      hierarchy: choice('hierarchy', hierarchy, hierarchies),
      norm: choice('norm', norm, norms),
      samples, features, classes: this.outputs,
    };
    this.capacity = Math.min(this.outputs * features * (features + 3) / 2, usual_terms);
    this.hold({
      state: state_bytes,
      values: this.columns,
      targets: this.values ? module.Reals.from(this.values, numberOf) : null,
      labels: this.labels ?? null,
      intercepts: this.outputs * module.scalarBytes,
      terms: this.capacity * termBytes(module),
    });
    this.start(this.at.problem);
  }

  /** Everything a model consists of, copied out of the module. */
  modelData() {
    const { module, at, problem: { hierarchy, norm = 'l1', lambda }, loss, lambda2, capacity } = this;
    const take = (terms, room) => module.call('interactions_terms_of', at.state, terms, room, at.intercepts, 0);
    const count = take(at.terms, capacity);
    const read = ({ terms }) => readTerms(module, terms, count);
    return {
      kind: 'interactions',
      ...this.modelFrame(),
      ...(count <= capacity ? read(at) : module.with({ terms: count * termBytes(module) }, (more) => {
        take(more.terms, count);
        return read(more);
      })),
      intercepts: module.realsAt(at.intercepts, this.outputs),
      report: this.report(),
      loss, hierarchy, norm, lambda, lambda2,
      samples: this.samples,
    };
  }

  /** The first sample of each class; of a regression those of the least and the largest value. */
  selfTestSamples() {
    if (this.labels) return super.selfTestSamples();
    let [least, most] = [0, 0];
    for (let i = 1; i < this.values.length; ++i) {
      if (this.values[i] < this.values[least]) least = i;
      if (this.values[i] >= this.values[most]) most = i;
    }
    return least === most ? [least] : [least, most];
  }

  refusal(status, sentence, row, column) {
    switch (status) {
      case 'invalid_data':
        return column < this.features
          ? this.badValue(sentence, row, column)
          : notHeld(`values[${row}]`, this.values[row], 'it is not a finite number', { row });
      case 'invalid_lambda': return invalidLambda(this.#lambdaSentence());
      case 'invalid_option': return new TamisError(status, `tolerance: ${sentence}`);
      default: return new TamisError(status, sentence);
    }
  }
  #lambdaSentence() {
    const { lambda } = this.problem;
    const value = roundingOf(this.module.precision)(numberOf(lambda));
    if (!(value > 0 && value < Infinity))
      return `lambda: ${shown(lambda)} is not positive and finite: without a penalty interactions are not determined`;
    return badLambda2(this.problem);
  }
}

/** Terms as arrays of words and numbers: { outputs, first, second, coefficients }; second is −1 where there is none. */
function readTerms(module, from, count) {
  const out = {
    outputs: new Uint32Array(count),
    first: new Uint32Array(count),
    second: new Int32Array(count),
    coefficients: new module.Reals(count),
  };
  const size = termBytes(module);
  for (let t = 0, at = from; t < count; ++t, at += size) {
    const word = at / 4;
    out.outputs[t] = module.words[word];
    out.first[t] = module.words[word + 1];
    out.second[t] = module.words[word + 2]; // no_feature becomes −1
    out.coefficients[t] = module.reals[(at + size) / module.scalarBytes - 1];
  }
  return out;
}

/** The same as a part of memory. */
const termsIn = (module, { outputs, first, second, coefficients }) => ({
  byteLength: coefficients.length * termBytes(module),
  copyTo(to) {
    const size = termBytes(module);
    coefficients.forEach((coefficient, t) => {
      const at = to + t * size;
      module.words.set([outputs[t], first[t], second[t] < 0 ? no_feature : second[t]], at / 4);
      module.reals[(at + size) / module.scalarBytes - 1] = coefficient;
    });
  },
});

/** A C99 header; see export.js. */
export function toC(module, data, options) {
  const { intercepts, coefficients, features } = data;
  const parts = { model: module.bytesOf(model_struct), terms: termsIn(module, data), intercepts, scratch: 4 * features };
  return header(module, data, options, 'interactions_export_c', parts, (at) => module.write(model_struct, at.model, {
    ...at, termCount: coefficients.length, features, outputs: intercepts.length,
  }));
}
