// Training with several kernels inside a module of kernels, and exporting what came of it.

import { TamisError } from './error.js';
import { header } from './export.js';
import { arenasOf, Held, notHeld } from './held.js';
import { parsed } from './kernel-model.js';
import { Layout } from './module.js';
import { refuseOthers } from './others.js';
import {
  choice, effortOf, firstOfEach, isArrayLike, labelsOf, namesOf, numberOf, samplesOf, shown,
} from './problem.js';

const state_bytes = 160 * 8; // TAMIS_KERNELS_WORDS
const model_words = 11;
const refusal_words = 5;
const all_ones = 0xffffffff;
const problem_reals = ['lambda', 'tolerance'];
const problem_words = ['maxIterations', 'intercept', 'p', 'q', 'r', 'form', 'samples', 'features', 'classes', 'kernelCount',
  'columnStride', 'values', 'kernels', 'matrices', 'labels'];
const kinds = ['linear', 'polynomial', 'gaussian', 'laplacian', 'sigmoid', 'distance', 'chi2', 'kl', 'constant'];
const usages = { polynomial: 'polynomial:2,1', gaussian: 'gaussian:0.5', laplacian: 'laplacian:0.5', sigmoid: 'sigmoid:0.1,-1' };
const forms = ['auto', 'binary', 'multiclass'];
// tamis_kernels_fault
const bound_reals = ['bound', 'clippedLoss', 'complexity', 'standardError', 'deviation', 'radius']; // tamis_kernels_bound
const faults = { parameters: 11, sampleValue: 14, kernelValue: 17, zeroKernel: 18 };

const invalidOption = (message, place) => new TamisError('invalid_option', message, place);
const invalidShape = (message, place) => new TamisError('invalid_shape', message, place);

/** { kind, parameters } of each kernel. */
function kernelsOf(list) {
  if (!isArrayLike(list) || list.length === 0) throw invalidOption("kernels must be an array such as ['linear', 'gaussian:0.5']");
  return Array.from(list, (text, t) => {
    const where = `kernels[${t}]`;
    const { kind, parameters } = parsed(typeof text === 'string' ? text : shown(text));
    choice(where, kind, kinds);
    const count = usages[kind]?.split(/[:,]/).length - 1 || 0;
    if (parameters.length !== count || parameters.some(Number.isNaN))
      throw invalidOption(`${where}: ${shown(text)} is not written as ${usages[kind] ? `in ${usages[kind]}` : kind}`,
        { kernel: t });
    return { kind, parameters };
  });
}

/** { draws, delta, seed } of the bound that is asked for, or null. */
function boundOf({ rademacher, intercept }, outputs) {
  if (!isGiven(rademacher)) return null;
  if (typeof rademacher !== 'object') throw invalidOption(`rademacher: ${shown(rademacher)} is not as in { draws: 1000 }`);
  const { draws = 1000, delta = 0.05, seed = 0 } = rademacher;
  if (!(Number.isInteger(draws) && draws >= 2 && draws <= all_ones))
    throw invalidOption(`rademacher: draws: ${shown(draws)} is not a whole number of at least 2`);
  if (!(delta > 0 && delta < 1)) throw invalidOption(`rademacher: delta: ${shown(delta)} does not lie between 0 and 1`);
  if (!(Number.isSafeInteger(seed) && seed >= 0)) throw invalidOption(`rademacher: seed: ${shown(seed)} is not a whole number of at least 0`);
  if (intercept) throw invalidOption('rademacher: the bound is of coefficients that the norm counts: take the kernel constant in place of intercept');
  if (outputs > 1) throw invalidOption('rademacher: the bound is of two classes with one score, the form binary');
  return { draws, delta, seed };
}

/** The matrices, each as samplesOf() makes it, of n samples. */
function matricesOf(list, n) {
  if (!isArrayLike(list) || list.length === 0) throw invalidOption('matrices must be an array of at least one matrix');
  return Array.from(list, (values, t) => {
    const matrix = samplesOf(values);
    if (matrix.samples !== n || matrix.features !== n)
      throw invalidShape(`matrices[${t}] has ${matrix.samples} rows of ${matrix.features} values where y has ${n} labels`,
        { kernel: t });
    return matrix;
  });
}

const isGiven = (value) => value !== undefined && value !== null;
function layoutBytes(...parts) {
  const layout = new Layout();
  for (const bytes of parts) layout.add(bytes);
  return layout.bytes;
}
/** Memory of a tamis_kernel: a byte and two numbers. */
const kernelBytes = ({ scalarBytes }) => 3 * scalarBytes;

export class Training extends Held {
  /** Checks the problem, copies it into the module and starts. Throws TamisError; then nothing is held. */
  constructor(module, problem) {
    super(module);
    this.problem = problem;
    refuseOthers('training with kernels', problem, ['loss', 'values', 'hierarchy', 'norm', 'lambda2']);
    this.#read();
    const { samples, features, classes } = this;
    this.fields = {
      lambda: numberOf(problem.lambda),
      ...effortOf(problem),
      ...Object.fromEntries(['p', 'q', 'r'].map((name) => [name, this.#norm(name)])),
      form: choice('form', problem.form ?? 'auto', forms),
      samples, features, classes: classes.length, kernelCount: this.count,
    };
    this.form = problem.form === 'binary' || (this.fields.form === 0 && classes.length === 2) ? 'binary' : 'multiclass';
    this.outputs = this.form === 'binary' ? 1 : classes.length;
    this.bound = boundOf(problem, this.outputs);
    this.#checkShape();
    const bytes = this.#arenaBytes();
    const arenas = arenasOf({ least: bytes, fast: bytes }, problem.memoryLimit);
    const scalar = module.scalarBytes;
    this.hold({
      problem: this.#problemBytes,
      state: state_bytes,
      report: module.reportBytes,
      refusal: 4 * refusal_words,
      kernels: this.kernels ? this.count * kernelBytes(module) : null,
      values: this.kernels ? samples * features * scalar : null,
      matrices: this.matrices ? this.count * samples * samples * scalar : null,
      labels: samples * 2,
      model: 4 * model_words,
      kept: this.#mostKept(),
    }, arenas);
    try {
      this.#copy();
      this.timed(() => module.call('kernels_start', this.at.state, this.at.problem, this.at.arena, this.arenaBytes));
      this.#refuse();
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** What is compared: samples by kernels, or as matrices say. */
  #read() {
    const { problem } = this;
    const { X, y, kernels, matrices } = problem;
    if (isGiven(kernels) === isGiven(matrices))
      throw invalidOption(`kernels and matrices are ${isGiven(kernels) ? 'both' : 'neither'} given: give kernels of the samples X, ` +
        'or the matrices of their values');
    if (isGiven(matrices)) {
      for (const name of ['X', 'featureNames'])
        if (isGiven(problem[name])) throw invalidOption(`${name}: matrices are used without samples`);
      if (!isArrayLike(y)) throw new TamisError('invalid_label', 'y must be an array of labels');
      this.matrices = matricesOf(matrices, y.length);
      [this.samples, this.features] = [y.length, 0];
    } else {
      this.kernels = kernelsOf(kernels);
      this.table = samplesOf(X);
      ({ samples: this.samples, features: this.features } = this.table);
      this.featureNames = namesOf(problem.featureNames, this.features);
    }
    this.count = (this.kernels ?? this.matrices).length;
    ({ classes: this.classes, labels: this.labels } = labelsOf(y, this.samples));
  }
  #norm(name) {
    const value = this.problem[name];
    if (value !== 1 && value !== 2) throw invalidOption(`${name}: ${shown(value)} is not 1 or 2`);
    return value;
  }

  /** Bytes of a model that keeps everything, so that there is room for it when training ends. */
  #mostKept() {
    const { module: { scalarBytes: scalar }, samples, count, outputs } = this;
    const coefficients = layoutBytes(count * samples * outputs * scalar, outputs * scalar);
    if (this.matrices) return coefficients;
    return coefficients + layoutBytes(count * kernelBytes(this.module), samples * this.features * scalar, count * samples * 8, samples * 4);
  }

  get #problemBytes() {
    return problem_reals.length * this.module.scalarBytes + problem_words.length * 4;
  }
  #writeProblem(at, fields) {
    const { module } = this;
    module.call('default_kernels_problem', at);
    module.writeFields(at, problem_reals, problem_words, fields);
  }
  #arenaBytes() {
    return this.module.with(this.#problemBytes, (at) => {
      this.#writeProblem(at, { ...this.fields, kernels: Number(this.kernels !== undefined) }); // not looked at
      const bytes = this.module.call('kernels_bytes', at);
      return bytes === all_ones ? Infinity : bytes;
    });
  }
  #copy() {
    const { module, at, samples } = this;
    const { reals, scalarBytes } = module;
    module.halves.set(this.labels, at.labels / 2);
    this.table?.copyColumns(reals, at.values / scalarBytes);
    if (this.kernels) writeKernels(module, at.kernels, this.kernels);
    let to = at.matrices / scalarBytes;
    for (const matrix of this.matrices ?? [])
      for (let l = 0; l < samples; ++l) for (let i = 0; i < samples; ++i) reals[to++] = numberOf(matrix.at(l, i));
    const addresses = ['labels', 'values', 'kernels', 'matrices'].map((name) => [name, at[name] ?? 0]);
    this.#writeProblem(at.problem, { ...this.fields, ...Object.fromEntries(addresses) });
  }

  advance(milliseconds) {
    this.advanceBy(milliseconds, (steps) => this.module.call('kernels_step', this.at.state, steps));
  }

  stop() {
    this.module.call('kernels_stop', this.at.state);
    this.status = 'stopped';
  }

  report() {
    return this.reportBy('kernels_report_of');
  }

  /** Everything a model consists of, copied out of the module. */
  modelData() {
    const { module, problem, samples } = this;
    return {
      kind: 'kernels',
      version: module.version,
      precision: module.precision,
      classes: this.classes,
      features: this.kernels ? this.features : null,
      featureNames: this.featureNames ?? null,
      ...(this.kernels ? this.#keptOfKernels() : this.#keptOfMatrices()),
      report: this.report(),
      form: this.form,
      p: problem.p,
      q: problem.q,
      r: problem.r,
      lambda: problem.lambda,
      trainingSamples: samples,
      ...(this.bound && { rademacher: this.#drawBound() }),
      selfTest: this.kernels ? firstOfEach(this.labels, this.classes.length).map((i) => this.table.row(i, Float64Array)) : [],
    };
  }
  #keptOfKernels() {
    const { module, at, outputs } = this;
    module.call('kernels_model_of', at.state, at.kept, this.#mostKept(), at.model);
    const [kernels, , terms, coefficients, intercepts, origins, kernelCount, sampleCount, termCount] =
      module.words.subarray(at.model / 4);
    const words = (from, count, step = 1) => Uint32Array.from({ length: count }, (_, e) => module.words[from / 4 + e * step]);
    const reals = (from, count) => module.reals.slice(from / module.scalarBytes, from / module.scalarBytes + count);
    const kept = words(origins, sampleCount);
    return {
      kernels: this.#namesOf(kernels, kernelCount),
      samples: Array.from(kept, (i) => this.table.row(i, Float64Array)),
      origins: kept,
      termKernels: words(terms, termCount, 2),
      termSamples: words(terms + 4, termCount, 2),
      coefficients: reals(coefficients, termCount * outputs),
      intercepts: reals(intercepts, outputs),
    };
  }
  /** Kept kernels, which are in the order of the problem, as they were written there. */
  #namesOf(at, count) {
    const { module, problem } = this;
    let t = -1;
    return Array.from({ length: count }, (_, kept) => {
      while (!sameKernel(module, this.at.kernels, ++t, at, kept));
      return String(problem.kernels[t]);
    });
  }
  #keptOfMatrices() {
    const { module, at, samples, count, outputs } = this;
    const first = at.kept / module.scalarBytes;
    const last = first + count * samples * outputs;
    module.call('kernels_coefficients_of', at.state, at.kept, last * module.scalarBytes);
    const row = (e) => module.reals.subarray(first + e * outputs, first + (e + 1) * outputs);
    const used = [];
    for (let e = 0; e < count * samples; ++e) if (row(e).some((value) => value !== 0)) used.push(e);
    const sorted = (numbers) => [...new Set(numbers)].sort((a, b) => a - b);
    const kernels = sorted(used.map((e) => Math.floor(e / samples)));
    const origins = Uint32Array.from(sorted(used.map((e) => e % samples)));
    const places = [kernels, origins].map((list) => new Map(Array.from(list, (number, place) => [number, place])));
    const coefficients = new module.Reals(used.length * outputs);
    used.forEach((e, term) => coefficients.set(row(e), term * outputs));
    return {
      kernels,
      samples: null,
      origins,
      matrixCount: count,
      termKernels: Uint32Array.from(used, (e) => places[0].get(Math.floor(e / samples))),
      termSamples: Uint32Array.from(used, (e) => places[1].get(e % samples)),
      coefficients,
      intercepts: module.reals.slice(last, last + outputs),
    };
  }

  #drawBound() {
    const { module, at: { state }, bound: { draws, delta, seed } } = this;
    const layout = new Layout();
    const out = layout.add(bound_reals.length * module.scalarBytes + 4);
    const bytes = module.call('kernels_bound_bytes', state);
    const scratch = layout.add(bytes);
    return module.with(layout.bytes, (start) => {
      const status = module.statuses[module.call('kernels_bound_of', state, draws, BigInt(seed), delta, start + scratch, bytes, start + out)];
      if (status !== 'converged') throw new TamisError(status, `rademacher: ${module.sentence(status)}`);
      const first = (start + out) / module.scalarBytes;
      return {
        draws, delta, seed,
        ...Object.fromEntries(bound_reals.map((name, r) => [name, module.reals[first + r]])),
        hasProvedRate: module.words[(first + bound_reals.length) * module.scalarBytes / 4] === 1,
      };
    });
  }

  // ---- refusals

  #checkShape() {
    const { samples, features, classes: { length: count } } = this;
    const ofSamples = `${samples} samples${this.kernels ? `, ${features} features` : ''}`;
    const found = `here are ${ofSamples} and ${count} ${count === 1 ? 'class' : 'classes'}`;
    if (samples === 0 || (this.kernels && features === 0) || count < 2)
      throw invalidShape(`training with kernels needs at least one sample, one feature and two classes; ${found}`);
    if (count > 65536) throw invalidShape(`${count} different labels: 65536 are the most`);
    if (this.form === 'binary' && count !== 2) throw invalidShape(`form: binary is for two classes; ${found}`);
  }

  /** Throws when the module has refused. */
  #refuse() {
    const refusal = this.refusalBy('kernels_report_of');
    if (!refusal) return;
    const { module, at, problem } = this;
    const { status } = refusal;
    module.call('kernels_refusal_of', at.state, at.refusal);
    const [fault, kernel, row, column, text] = module.words.subarray(at.refusal / 4);
    const sentence = module.text(text);
    const list = this.kernels ? 'kernels' : 'matrices';
    const which = this.kernels ? `kernels[${kernel}] (${problem.kernels[kernel]})` : `matrices[${kernel}]`;
    if (fault === faults.sampleValue) {
      const value = this.table.at(row, column);
      throw notHeld(`X[${row}][${column}]`, value, sentence, { row, column });
    }
    if (fault === faults.parameters) throw new TamisError(status, `${which}: ${sentence}`, { kernel });
    if (fault === faults.zeroKernel) throw new TamisError(status, `${which}: ${sentence}`, { kernel });
    if (fault === faults.kernelValue && this.matrices)
      throw notHeld(`${list}[${kernel}][${row}][${column}]`, this.matrices[kernel].at(row, column), 'it is not a finite number',
        { kernel, row, column });
    if (fault === faults.kernelValue)
      throw new TamisError(status, `${which}, samples ${row} and ${column}: ${sentence}`, { kernel, row, column });
    if (status === 'invalid_lambda') throw new TamisError(status, `lambda: ${shown(problem.lambda)} is not positive and finite`);
    if (status === 'invalid_option') throw new TamisError(status, `tolerance: ${sentence}`);
    throw new TamisError(status, sentence);
  }
}

function writeKernels(module, at, kernels) {
  kernels.forEach(({ kind, parameters: [a = 0, b = 0] }, t) => {
    const place = at + t * kernelBytes(module);
    module.bytes[place] = kinds.indexOf(kind);
    module.reals.set([a, b], place / module.scalarBytes + 1);
  });
}
/** Whether kernel t of those at `one` is kernel u of those at `other`. */
function sameKernel(module, one, t, other, u) {
  const [p, q] = [one + t * kernelBytes(module), other + u * kernelBytes(module)];
  const [x, y] = [p, q].map((place) => place / module.scalarBytes);
  return module.bytes[p] === module.bytes[q] && [1, 2].every((i) => module.reals[x + i] === module.reals[y + i]);
}

/** A C99 header; see export.js. */
export function toC(module, data, options) {
  const { kernels, samples, features, termKernels, termSamples, coefficients, intercepts } = data;
  const layout = new Layout();
  const scalar = module.scalarBytes;
  const at = {
    model: layout.add(4 * model_words),
    kernels: layout.add(kernels.length * kernelBytes(module)),
    samples: layout.add(samples.length * features * scalar),
    terms: layout.add(8 * termKernels.length),
    coefficients: layout.add(coefficients.length * scalar),
    intercepts: layout.add(intercepts.length * scalar),
    scratch: layout.add((features + intercepts.length) * scalar),
  };
  return header(module, data, options, layout, (start) => {
    for (const name in at) at[name] += start;
    writeKernels(module, at.kernels, kernels.map(parsed));
    samples.forEach((sample, s) => module.reals.set(sample, at.samples / scalar + s * features));
    termKernels.forEach((kernel, e) => module.words.set([kernel, termSamples[e]], at.terms / 4 + 2 * e));
    module.reals.set(coefficients, at.coefficients / scalar);
    module.reals.set(intercepts, at.intercepts / scalar);
    module.words.set([at.kernels, at.samples, at.terms, at.coefficients, at.intercepts, 0, kernels.length, samples.length,
      termKernels.length, features, intercepts.length], at.model / 4);
    return (given, out, bytes) => module.call('kernels_export_c', at.model, given.name, given.labels, given.samples, given.count,
      at.scratch, out, bytes);
  });
}
