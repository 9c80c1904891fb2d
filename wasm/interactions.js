// Training with products of features inside a module of interactions, and exporting what came of it.

import { TamisError } from './error.js';
import { header } from './export.js';
import { arenasOf, Held, notHeld } from './held.js';
import { Layout } from './module.js';
import { refuseOthers } from './others.js';
import {
  choice, effortOf, firstOfEach, labelsOf, namesOf, numberOf, perSample, samplesOf, shown,
} from './problem.js';

const state_bytes = 160 * 8; // TAMIS_INTERACTIONS_WORDS
const model_bytes = 20;
const no_feature = 0xffffffff; // TAMIS_NO_FEATURE
const all_ones = 0xffffffff;
const usual_terms = 65536; // that there is room for from the start
const problem_reals = ['lambda', 'lambda2', 'tolerance'];
const problem_words = ['maxIterations', 'intercept', 'loss', 'hierarchy', 'norm', 'samples', 'features', 'classes',
  'columnStride', 'values', 'targets', 'labels'];
const losses = ['least-squares', 'squared-hinge'];
const hierarchies = ['weak', 'strong', 'full', 'main'];
const norms = ['l1', 'linf', 'l2', 'ridge'];

const invalidLambda = (message) => new TamisError('invalid_lambda', message);
const invalidOption = (message) => new TamisError('invalid_option', message);

/** The loss, of what there is to predict: the classes y, or the numbers in values. */
function lossOf({ y, values, loss }) {
  const given = [values, y].map((targets) => targets !== undefined && targets !== null);
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

export class Training extends Held {
  /** Checks the problem, copies it into the module and starts. Throws TamisError; then nothing is held. */
  constructor(module, problem) {
    super(module);
    this.problem = problem;
    const { hierarchy, norm = 'l1' } = problem;
    refuseOthers('training with interactions', problem);
    if (norm === 'ridge' && (hierarchy === 'weak' || hierarchy === 'strong'))
      throw new TamisError('invalid_combination', `norm: ridge makes nothing zero, so that hierarchy ${hierarchy} means nothing: take full or main`);
    this.loss = lossOf(problem);
    this.samples = samplesOf(problem.X);
    const { samples, features } = this.samples;
    if (this.loss === 'squared-hinge') ({ classes: this.classes, labels: this.labels } = labelsOf(problem.y, samples));
    else this.values = perSample('values', problem.values, samples);
    this.#checkShape();
    this.featureNames = namesOf(problem.featureNames, features);
    this.outputs = this.classes ? this.classes.length : 1;
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
    const bytes = this.#arenaBytes();
    const arenas = arenasOf({ least: bytes, fast: bytes }, problem.memoryLimit);
    this.capacity = Math.min(this.outputs * features * (features + 3) / 2, usual_terms);
    const scalar = module.scalarBytes;
    this.hold({
      problem: this.#problemBytes,
      state: state_bytes,
      report: module.reportBytes,
      values: samples * features * scalar,
      targets: this.values ? samples * scalar : null,
      labels: this.labels ? samples * 2 : null,
      intercepts: this.outputs * scalar,
      terms: this.capacity * termBytes(module),
    }, arenas);
    try {
      this.#copy();
      this.timed(() => module.call('interactions_start', this.at.state, this.at.problem, this.at.arena, this.arenaBytes));
      this.#refuse();
    } catch (error) {
      this.release();
      throw error;
    }
  }

  get #problemBytes() {
    return (problem_reals.length + 1) * this.module.scalarBytes + problem_words.length * 4; // an even number of words: no padding
  }
  /** Writes lambda2_ratio, the last field: what the module then takes for every lambda. */
  writeRatio(ratio) {
    const { module, at } = this;
    module.reals[(at.problem + problem_words.length * 4) / module.scalarBytes + problem_reals.length] = ratio;
  }
  #writeProblem(at, fields) {
    const { module } = this;
    module.call('default_interactions_problem', at);
    module.writeFields(at, problem_reals, problem_words, fields);
  }
  #arenaBytes() {
    return this.module.with(this.#problemBytes, (at) => {
      this.#writeProblem(at, this.fields);
      const bytes = this.module.call('interactions_bytes', at);
      return bytes === all_ones ? Infinity : bytes;
    });
  }
  #copy() {
    const { module, at } = this;
    this.samples.copyColumns(module.reals, at.values / module.scalarBytes);
    if (this.labels) module.halves.set(this.labels, at.labels / 2);
    else
      for (let i = 0, to = at.targets / module.scalarBytes; i < this.samples.samples; ++i)
        module.reals[to + i] = numberOf(this.values[i]);
    this.#writeProblem(at.problem, { ...this.fields, values: at.values, targets: at.targets ?? 0, labels: at.labels ?? 0 });
  }

  advance(milliseconds) {
    this.advanceBy(milliseconds, (steps) => this.module.call('interactions_step', this.at.state, steps));
  }

  stop() {
    this.module.call('interactions_stop', this.at.state);
    this.status = 'stopped';
  }

  report() {
    return this.reportBy('interactions_report_of');
  }

  /** Everything a model consists of, copied out of the module. */
  modelData() {
    const { module, at, problem, capacity } = this;
    const take = (terms, room) => module.call('interactions_terms_of', at.state, terms, room, at.intercepts, 0);
    const count = take(at.terms, capacity);
    const read = (from) => readTerms(module, from, count);
    return {
      kind: 'interactions',
      version: module.version,
      precision: module.precision,
      classes: this.classes ?? null,
      features: this.samples.features,
      featureNames: this.featureNames,
      ...(count <= capacity ? read(at.terms) : module.with(count * termBytes(module), (terms) => {
        take(terms, count);
        return read(terms);
      })),
      intercepts: module.reals.slice(at.intercepts / module.scalarBytes, at.intercepts / module.scalarBytes + this.outputs),
      report: this.report(),
      loss: this.loss,
      hierarchy: problem.hierarchy,
      norm: problem.norm ?? 'l1',
      lambda: problem.lambda,
      lambda2: this.lambda2,
      samples: this.samples.samples,
      selfTest: this.#selfTestSamples().map((i) => this.samples.row(i, module.Reals)),
    };
  }

  /** The first sample of each class; of a regression those of the least and the largest value. */
  #selfTestSamples() {
    if (this.labels) return firstOfEach(this.labels, this.outputs);
    let [least, most] = [0, 0];
    for (let i = 1; i < this.values.length; ++i) {
      if (this.values[i] < this.values[least]) least = i;
      if (this.values[i] >= this.values[most]) most = i;
    }
    return least === most ? [least] : [least, most];
  }

  // ---- refusals

  #checkShape() {
    const { samples, features } = this.samples;
    const count = this.classes?.length;
    const found = `${samples} samples${count === undefined ? '' : `, ${count} ${count === 1 ? 'class' : 'classes'}`} and ${features} features`;
    if (samples === 0 || features === 0 || count < 2)
      throw new TamisError('invalid_shape', 'training with interactions needs at least one sample and one feature, and two ' +
        `classes if y is given; here are ${found}`);
    if (count > 65536) throw new TamisError('invalid_shape', `${count} different labels: 65536 are the most`);
  }

  /** Throws when the module has refused. */
  #refuse() {
    const refusal = this.refusalBy('interactions_report_of');
    if (!refusal) return;
    const { status, row, column } = refusal;
    const sentence = this.module.sentence(status);
    switch (status) {
      case 'invalid_data':
        throw column < this.samples.features
          ? this.badValue(row, column)
          : notHeld(`values[${row}]`, this.values[row], 'it is not a finite number', { row });
      case 'invalid_lambda': throw invalidLambda(this.#lambdaSentence());
      case 'invalid_option': throw new TamisError(status, `tolerance: ${sentence}`);
      default: throw new TamisError(status, sentence);
    }
  }
  #lambdaSentence() {
    const { lambda } = this.problem;
    const round = this.module.precision === 'float' ? Math.fround : Number;
    const value = round(numberOf(lambda));
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

function writeTerms(module, to, { outputs, first, second, coefficients }) {
  const size = termBytes(module);
  coefficients.forEach((coefficient, t) => {
    const at = to + t * size;
    module.words.set([outputs[t], first[t], second[t] < 0 ? no_feature : second[t]], at / 4);
    module.reals[(at + size) / module.scalarBytes - 1] = coefficient;
  });
}

/** A C99 header; see export.js. */
export function toC(module, data, options) {
  const { intercepts, coefficients, features } = data;
  const layout = new Layout();
  const model = layout.add(model_bytes);
  const numbers = layout.add(intercepts.length * module.scalarBytes);
  const terms = layout.add(coefficients.length * termBytes(module));
  const positions = layout.add(4 * features);
  return header(module, data, options, layout, (start) => {
    module.reals.set(intercepts, (start + numbers) / module.scalarBytes);
    writeTerms(module, start + terms, data);
    module.words.set([start + terms, start + numbers, coefficients.length, features, intercepts.length], (start + model) / 4);
    return (at, out, bytes) => module.call('interactions_export_c', start + model, at.name, at.labels, at.samples, at.count,
      start + positions, out, bytes);
  });
}
