// Training with several kernels inside a module of kernels, and exporting what came of it.

import { invalidOption, invalidShape, notHeld, TamisError } from './error.js';
import { header } from './export.js';
import { parsed } from './kernel-model.js';
import { all_ones, Layout } from './module.js';
import {
  choice, effortOf, isArrayLike, isGiven, labelsOf, namesOf, numberOf, refuseOptionsOfTrain, samplesOf, seedOf, shown,
} from './problem.js';
import { foundOf, Run } from './run.js';

const state_bytes = 160 * 8; // TAMIS_KERNELS_WORDS
// tamis_kernels_problem, _model, _refusal and _bound
const problem_struct = {
  defaults: 'default_kernels_problem',
  reals: ['lambda', 'tolerance'],
  words: ['maxIterations', 'intercept', 'p', 'q', 'r', 'form', 'samples', 'features', 'classes', 'kernelCount',
    'columnStride', 'values', 'kernels', 'matrices', 'labels'],
};
const model_struct = {
  words: ['kernels', 'samples', 'terms', 'coefficients', 'intercepts', 'origins', 'kernelCount', 'sampleCount', 'termCount',
    'features', 'outputs'],
};
const refusal_struct = { words: ['fault', 'kernel', 'row', 'column', 'sentence'] };
const bound_struct = {
  reals: ['bound', 'clippedLoss', 'complexity', 'standardError', 'deviation', 'radius'], words: ['hasProvedRate'],
};
const kinds = ['linear', 'polynomial', 'gaussian', 'laplacian', 'sigmoid', 'distance', 'chi2', 'kl', 'constant'];
const usages = { polynomial: 'polynomial:2,1', gaussian: 'gaussian:0.5', laplacian: 'laplacian:0.5', sigmoid: 'sigmoid:0.1,-1' };
const forms = ['auto', 'binary', 'multiclass'];
const faults = { parameters: 11, sampleValue: 14, kernelValue: 17, zeroKernel: 18 }; // tamis_kernels_fault

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
  seedOf(seed, 'rademacher: ');
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

/** Memory of a tamis_kernel: a byte and two numbers. */
const kernelBytes = ({ scalarBytes }) => 3 * scalarBytes;
/** Kernels as a part of memory. */
const kernelsIn = (module, kernels) => ({
  byteLength: kernels.length * kernelBytes(module),
  copyTo(at) {
    kernels.forEach(({ kind, parameters: [a = 0, b = 0] }, t) => {
      const place = at + t * kernelBytes(module);
      module.bytes[place] = kinds.indexOf(kind);
      module.reals.set([a, b], place / module.scalarBytes + 1);
    });
  },
});
/** Matrices as a part of memory, one after the other. */
const matricesIn = ({ reals, scalarBytes }, matrices, n) => ({
  byteLength: matrices.length * n * n * scalarBytes,
  copyTo(at) {
    let to = at / scalarBytes;
    for (const matrix of matrices)
      for (let l = 0; l < n; ++l) for (let i = 0; i < n; ++i) reals[to++] = numberOf(matrix.at(l, i));
  },
});

export class Training extends Run {
  prefix = 'kernels_';
  problemStruct = problem_struct;
  /** How lambda is chosen: see paths.js and selection.js. */
  static selection = {
    name: 'kernels', train: 'trainKernels', zero: 'without a penalty coefficients are not determined',
    ratio: ({ q }) => (q === 1 ? 1e-3 : 1e-5),
    fields: () => ({}),
    beside: () => [],
  };

  /** Checks the problem, copies it into the module and starts. Throws TamisError; then nothing is held. */
  constructor(module, problem) {
    super(module, problem);
    refuseOptionsOfTrain('training with kernels', problem, ['loss', 'values', 'hierarchy', 'norm', 'lambda2']);
    this.#read();
    const { samples, features = 0, classes: { length: classes }, kernels, matrices } = this;
    this.fields = {
      lambda: numberOf(problem.lambda),
      ...effortOf(problem),
      ...Object.fromEntries(['p', 'q', 'r'].map((name) => [name, this.#norm(name)])),
      form: choice('form', problem.form ?? 'auto', forms),
      samples, features, classes, kernelCount: this.count, kernels: Number(Boolean(kernels)), // a list is not looked at for its size
    };
    const binary = problem.form === 'binary' || (this.fields.form === 0 && classes === 2);
    this.form = binary ? 'binary' : 'multiclass';
    this.outputs = binary ? 1 : classes;
    this.bound = boundOf(problem, this.outputs);
    const counts = kernels ? { samples, features, classes } : { samples, classes };
    this.checkShape('training with kernels needs at least one sample, one feature and two classes', counts);
    if (binary && classes !== 2) throw invalidShape(`form: binary is for two classes; ${foundOf(counts)}`);
    this.hold({
      state: state_bytes,
      refusal: module.bytesOf(refusal_struct),
      kernels: kernels ? kernelsIn(module, kernels) : null,
      values: kernels ? this.columns : null,
      matrices: matrices ? matricesIn(module, matrices, samples) : null,
      labels: this.labels,
      model: module.bytesOf(model_struct),
      kept: this.#mostKept(),
    });
    this.start(this.at.problem);
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
      this.samples = y.length;
    } else {
      this.kernels = kernelsOf(kernels);
      this.table = samplesOf(X);
      ({ samples: this.samples, features: this.features } = this.table);
      this.featureNames = namesOf(problem.featureNames, this.features);
    }
    this.count = (this.kernels ?? this.matrices).length;
    Object.assign(this, labelsOf(y, this.samples));
  }
  #norm(name) {
    const value = this.problem[name];
    if (value !== 1 && value !== 2) throw invalidOption(`${name}: ${shown(value)} is not 1 or 2`);
    return value;
  }

  /** Bytes of a model that keeps everything, so that there is room for it when training ends. */
  #mostKept() {
    const { module: { scalarBytes: scalar }, samples, features, count, outputs } = this;
    return new Layout({
      coefficients: count * samples * outputs * scalar, intercepts: outputs * scalar,
      ...(this.kernels && {
        kernels: count * kernelBytes(this.module), samples: samples * features * scalar, terms: count * samples * 8, origins: samples * 4,
      }),
    }).bytes;
  }

  /** Everything a model consists of, copied out of the module. */
  modelData() {
    const { problem: { p, q, r, lambda }, form } = this;
    return {
      kind: 'kernels',
      ...this.modelFrame(Float64Array),
      ...(this.kernels ? this.#keptOfKernels() : this.#keptOfMatrices()),
      report: this.report(),
      form, p, q, r, lambda,
      trainingSamples: this.samples,
      ...(this.bound && { rademacher: this.#drawBound() }),
    };
  }
  selfTestSamples() {
    return this.kernels ? super.selfTestSamples() : [];
  }
  #keptOfKernels() {
    const { module, at, outputs } = this;
    module.call('kernels_model_of', at.state, at.kept, this.#mostKept(), at.model);
    const model = module.read(model_struct, at.model);
    const words = (from, count, step = 1) => Uint32Array.from({ length: count }, (_, e) => module.words[from / 4 + e * step]);
    const origins = words(model.origins, model.sampleCount);
    return {
      kernels: this.#namesOf(model.kernels, model.kernelCount),
      samples: Array.from(origins, (i) => this.table.row(i, Float64Array)),
      origins,
      termKernels: words(model.terms, model.termCount, 2),
      termSamples: words(model.terms + 4, model.termCount, 2),
      coefficients: module.realsAt(model.coefficients, model.termCount * outputs),
      intercepts: module.realsAt(model.intercepts, outputs),
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
    const intercepts = at.kept + count * samples * outputs * module.scalarBytes;
    module.call('kernels_coefficients_of', at.state, at.kept, intercepts);
    const all = module.realsAt(at.kept, count * samples * outputs);
    const row = (e) => all.subarray(e * outputs, (e + 1) * outputs);
    const used = [];
    for (let e = 0; e < count * samples; ++e) if (row(e).some((value) => value !== 0)) used.push(e);
    const [kernelOf, sampleOf] = [(e) => Math.floor(e / samples), (e) => e % samples];
    const [kernels, origins] = [kernelOf, sampleOf].map((of) => [...new Set(used.map(of))].sort((a, b) => a - b));
    const places = [kernels, origins].map((list) => new Map(list.map((number, place) => [number, place])));
    return {
      kernels,
      samples: null,
      origins: Uint32Array.from(origins),
      matrixCount: count,
      termKernels: Uint32Array.from(used, (e) => places[0].get(kernelOf(e))),
      termSamples: Uint32Array.from(used, (e) => places[1].get(sampleOf(e))),
      coefficients: module.Reals.from(used.flatMap((e) => [...row(e)])),
      intercepts: module.realsAt(intercepts, outputs),
    };
  }

  #drawBound() {
    const { module, at: { state }, bound: { draws, delta, seed } } = this;
    const bytes = module.call('kernels_bound_bytes', state);
    return module.with({ bound: module.bytesOf(bound_struct), scratch: bytes }, ({ bound, scratch }) => {
      const status = module.statuses[module.call('kernels_bound_of', state, draws, BigInt(seed), delta, scratch, bytes, bound)];
      if (status !== 'converged') throw new TamisError(status, `rademacher: ${module.sentence(status)}`);
      const { hasProvedRate, ...numbers } = module.read(bound_struct, bound);
      return { draws, delta, seed, ...numbers, hasProvedRate: hasProvedRate === 1 };
    });
  }

  refusal(status) {
    const { module, at, problem } = this;
    module.call('kernels_refusal_of', at.state, at.refusal);
    const { fault, kernel, row, column, ...text } = module.read(refusal_struct, at.refusal);
    const sentence = module.text(text.sentence);
    const which = this.kernels ? `kernels[${kernel}] (${problem.kernels[kernel]})` : `matrices[${kernel}]`;
    switch (fault) {
      case faults.sampleValue: return this.badValue(sentence, row, column);
      case faults.parameters:
      case faults.zeroKernel: return new TamisError(status, `${which}: ${sentence}`, { kernel });
      case faults.kernelValue:
        return this.kernels
          ? new TamisError(status, `${which}, samples ${row} and ${column}: ${sentence}`, { kernel, row, column })
          : notHeld(`${which}[${row}][${column}]`, this.matrices[kernel].at(row, column), 'it is not a finite number', { kernel, row, column });
    }
    if (status === 'invalid_lambda') return new TamisError(status, `lambda: ${shown(problem.lambda)} is not positive and finite`);
    return new TamisError(status, status === 'invalid_option' ? `tolerance: ${sentence}` : sentence);
  }
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
  const parts = {
    model: module.bytesOf(model_struct),
    kernels: kernelsIn(module, kernels.map(parsed)),
    samples: module.Reals.from(samples.flatMap((sample) => [...sample])),
    terms: Uint32Array.from({ length: 2 * termKernels.length }, (_, e) => (e % 2 ? termSamples : termKernels)[e >> 1]),
    coefficients, intercepts,
    scratch: (features + intercepts.length) * module.scalarBytes,
  };
  return header(module, data, options, 'kernels_export_c', parts, (at) => module.write(model_struct, at.model, {
    ...at, origins: 0, kernelCount: kernels.length, sampleCount: samples.length, termCount: termKernels.length, features,
    outputs: intercepts.length,
  }));
}
