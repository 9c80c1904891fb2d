// Trained models that compare with training samples.

import { elementaryOf } from './elementary.js';
import { invalidOption, invalidShape, TamisError } from './error.js';
import { BaseModel } from './model.js';
import { isArrayLike } from './problem.js';

/** Σ term(x_j, z_j), added in the order of j. */
function sum({ round }, x, z, term) {
  let total = 0;
  for (let j = 0; j < x.length; ++j) total = round(total + round(term(x[j], z[j])));
  return total;
}
const product = (math, x, z) => sum(math, x, z, (u, v) => u * v);
const squaredDistance = (math, x, z) => sum(math, x, z, (u, v) => {
  const difference = math.round(u - v);
  return difference * difference;
});
const isHistogram = (x) => x.every((entry) => entry >= 0);

/** k(x, z) by kind, of samples whose entries are rounded: (math, x, z, a, b); see elementary.js for `math`. */
const functions = {
  linear: product,
  polynomial: (math, x, z, a, b) => {
    let base = math.round(product(math, x, z) + b);
    let power = 1;
    for (let exponent = a; exponent; exponent >>= 1) {
      if (exponent & 1) power = math.round(power * base);
      base = math.round(base * base);
    }
    return power;
  },
  gaussian: (math, x, z, a) =>
    math.exponential(-math.round(math.round(squaredDistance(math, x, z) / a) / math.round(2 * a))),
  laplacian: (math, x, z, a) =>
    math.exponential(-math.round(sum(math, x, z, (u, v) => Math.abs(math.round(u - v))) / a)),
  sigmoid: (math, x, z, a, b) => math.hyperbolicTangent(math.round(math.round(a * product(math, x, z)) + b)),
  distance: (math, x, z) => -squaredDistance(math, x, z),
  chi2: (math, x, z) => {
    if (!isHistogram(x) || !isHistogram(z)) return NaN;
    const { round } = math;
    return round(-0.5 * sum(math, x, z, (p, q) => {
      const [difference, both] = [round(p - q), round(p + q)];
      return both > 0 ? difference * round(difference / both) : 0;
    }));
  },
  kl: (math, x, z) => {
    if (!isHistogram(x) || !isHistogram(z)) return NaN;
    const { round, logarithm } = math;
    const least = round(1e-10);
    return round(-0.5 * sum(math, x, z, (u, v) => {
      if (u === v) return 0;
      const [p, q] = [Math.max(u, least), Math.max(v, least)];
      return round(p - q) * round(logarithm(p) - logarithm(q));
    }));
  },
};

/** { kind, parameters } of a kernel as it is written. */
export function parsed(kernel) {
  const [kind, numbers] = kernel.split(/:(.*)/s);
  const number = (text) => (text.trim() === '' ? NaN : Number(text));
  return { kind, parameters: numbers === undefined ? [] : numbers.split(',').map(number) };
}

export class Model extends BaseModel {
  #math;
  #compare = []; // kernels as functions of two samples
  #samples; // rounded

  constructor(data, exporter) {
    super(data, exporter);
    this.#math = elementaryOf(data.precision);
    this.lambda = data.lambda;
    this.rademacher = data.rademacher ?? null;
    this.keptKernels = data.kernels;
    this.keptSamples = Array.from(data.origins);
    const count = data.intercepts.length;
    this.terms = Array.from(data.termKernels, (kernel, e) => ({
      kernel: data.kernels[kernel],
      sample: data.origins[data.termSamples[e]],
      coefficients: Array.from(data.coefficients.subarray(e * count, (e + 1) * count)),
    }));
    if (!data.samples) return;
    const { round } = this.#math;
    this.#samples = data.samples.map((sample) => Float64Array.from(sample, round));
    this.#compare = data.kernels.map((kernel) => {
      const { kind, parameters } = parsed(kernel);
      return (x, z) => functions[kind](this.#math, x, z, ...parameters.map((parameter) => round(parameter)));
    });
  }

  /** One score per class; of the binary form the opposite of the second, and the second. */
  scores(x) {
    return this.data.samples ? super.scores(x) : this.#scoresOfValues(x);
  }
  *allScores(X) {
    if (this.data.samples) return yield* super.allScores(X);
    for (let i = 0; i < X.length; ++i) yield this.#scoresOfValues(X[i], i);
  }
  scoresOf(z, row) {
    return this.#add((kernel, sample) => this.#compare[kernel](this.#samples[sample], z), row);
  }

  /** Of a model of matrices: x[t][l] = k_t(x_l, x). */
  #scoresOfValues(x, row) {
    const { matrixCount, trainingSamples, kernels, origins } = this.data;
    if (!isArrayLike(x) || x.length !== matrixCount || !Array.from(x).every((values) => values?.length === trainingSamples))
      throw invalidShape(`a model of matrices takes, for ${matrixCount} kernels, an array of their ` +
        `${trainingSamples} values with the training samples`, { row });
    return this.#add((kernel, sample) => {
      const value = x[kernels[kernel]][origins[sample]];
      return typeof value === 'number' ? this.#math.round(value) : NaN;
    }, row);
  }

  /** Intercepts, and coefficients times value(kernel, sample), term by term. */
  #add(value, row) {
    const { termKernels, termSamples, coefficients } = this.data;
    const { round } = this.#math;
    const scores = this.intercepts.slice();
    const count = scores.length;
    for (let e = 0, c = 0; e < termKernels.length; ++e) {
      const similar = value(termKernels[e], termSamples[e]);
      for (let k = 0; k < count; ++k, ++c) scores[k] += round(coefficients[c] * similar);
    }
    if (!scores.every(Number.isFinite))
      throw new TamisError('invalid_data', 'a kernel of this sample and one of the model has no finite value', { row });
    return this.data.form === 'binary' ? scores.constructor.of(-scores[0], scores[0]) : scores;
  }

  toC(options) {
    this.#needSamples();
    return super.toC(options);
  }

  /** The model file that the tamis command writes and reads. */
  toJSON() {
    this.#needSamples();
    const { kernels, samples, termKernels, termSamples, form, p, q, r, lambda, trainingSamples, selfTest } = this.data;
    const coefficients = {
      samples: { indices: this.keptSamples, values: samples.map((sample) => Array.from(sample)) },
      terms: {
        kernels: Array.from(termKernels), samples: Array.from(termSamples),
        values: this.terms.map((term) => this.numbersOf(term.coefficients)),
      },
    };
    const all = Array.from({ length: this.features }, (_, j) => j);
    return {
      ...this.fileOf('kernels', all, { kernels: kernels.map(parsed), coefficients },
        { loss: 'squared-hinge', form, penalty: 'mixed-norm', p, q, r, lambda, samples: trainingSamples }),
      self_test: selfTest.map((sample) => Array.from(sample)), // as they were given, like the samples above
    };
  }

  #needSamples() {
    if (!this.data.samples)
      throw invalidOption('a model of matrices cannot be stored: it has nothing to compare new samples with');
  }
}
