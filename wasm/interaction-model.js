// A trained model with products of features: arrays that belong to JavaScript. Prediction is arithmetic in the order and
// the rounding of the library, so that its scores are the same bits.

import { invalidOption, invalidShape, TamisError } from './error.js';
import { bestOf, exactly, shortest } from './model.js';
import { samplesOf } from './problem.js';

export class Model {
  #data;
  #exporter;

  /** `exporter`: { toC(data, options) }; what needs the module. */
  constructor(data, exporter) {
    this.#data = data;
    this.#exporter = exporter;
    this.report = data.report;
    this.classes = data.classes;
    this.features = data.features;
    this.intercepts = data.intercepts;
    this.lambda = data.lambda;
    this.lambda2 = data.lambda2;
    const kept = new Set(data.first);
    for (const j of data.second) if (j >= 0) kept.add(j);
    this.keptFeatures = [...kept].sort((a, b) => a - b);
    this.terms = this.#termsBySize();
  }

  get precision() {
    return this.#data.precision;
  }
  /** Everything the model consists of, for sending it elsewhere. */
  get data() {
    return this.#data;
  }

  #name(j) {
    return this.#data.featureNames?.[j] ?? `x${j}`;
  }
  #termsBySize() {
    const { outputs, first, second, coefficients } = this.#data;
    const terms = Array.from(coefficients, (coefficient, t) => {
      const features = second[t] < 0 ? [first[t]] : [first[t], second[t]];
      return {
        class: this.classes ? this.classes[outputs[t]] : null,
        features,
        names: features.map((j) => this.#name(j)),
        coefficient,
        output: outputs[t],
      };
    });
    terms.sort((a, b) => a.output - b.output || Math.abs(b.coefficient) - Math.abs(a.coefficient));
    return terms.map(({ output, ...term }) => term);
  }

  /** score_k = b_k + sum of coefficient · x_first [· x_second] over the terms of k, added in their order. */
  scores(x) {
    if (x?.length !== this.features)
      throw invalidShape(`a sample must have ${this.features} features, this one has ${x?.length}`);
    return this.#scores((j) => x[j]);
  }
  #scores(at, row) {
    const { outputs, first, second, coefficients } = this.#data;
    const round = this.precision === 'float' ? Math.fround : exactly;
    const x = (j) => {
      const value = at(j);
      const entry = round(value);
      if (typeof value !== 'number' || !Number.isFinite(entry))
        throw new TamisError('invalid_data', `feature ${j} of the sample is not a finite number`, { row, column: j });
      return entry;
    };
    for (let j = 0; j < this.features; ++j) x(j);
    const scores = this.intercepts.slice();
    for (let t = 0; t < coefficients.length; ++t) {
      let value = round(coefficients[t] * x(first[t]));
      if (second[t] >= 0) value = round(value * x(second[t]));
      scores[outputs[t]] += value;
    }
    return scores;
  }
  *#allScores(X) {
    const { samples, features, at } = samplesOf(X);
    if (samples > 0 && features !== this.features)
      throw invalidShape(`samples must have ${this.features} features, these have ${features}`);
    for (let i = 0; i < samples; ++i) yield this.#scores((j) => at(i, j), i);
  }
  #answer(scores) {
    return this.classes ? this.classes[bestOf(scores)] : scores[0];
  }

  /** The class with the largest score, the first of equals; of a regression the value. */
  predict(x) {
    return this.#answer(this.scores(x));
  }
  /** The same of all samples of X. */
  predictAll(X) {
    return Array.from(this.#allScores(X), (scores) => this.#answer(scores));
  }
  /** Of a regression: one number per sample of X. */
  predictValues(X) {
    if (this.classes) throw invalidOption('predictValues is for regressions, and this model has classes');
    return this.intercepts.constructor.from(this.predictAll(X));
  }

  toC(options) {
    return this.#exporter.toC(this.#data, options);
  }

  /** The model file that the tamis command writes and reads. */
  toJSON() {
    const data = this.#data;
    const number = this.precision === 'float' ? shortest : exactly;
    const numbers = (list) => Array.from(list, number);
    const places = Array.from(data.coefficients, (_, t) => t);
    const [effects, products] = [places.filter((t) => data.second[t] < 0), places.filter((t) => data.second[t] >= 0)];
    const of = (list, which) => which.map((t) => list[t]);
    return {
      format: 'tamis-model',
      version: 1,
      kind: 'interactions',
      written_by: `tamis ${data.version}`,
      classes: this.classes ? this.classes.map(String) : null,
      feature_count: this.features,
      features: this.keptFeatures.map((j) => this.#name(j)),
      coefficients: {
        indices: this.keptFeatures,
        main_effects: {
          outputs: of(data.outputs, effects), indices: of(data.first, effects), values: numbers(of(data.coefficients, effects)),
        },
        products: {
          outputs: of(data.outputs, products), first: of(data.first, products), second: of(data.second, products),
          values: numbers(of(data.coefficients, products)),
        },
      },
      intercept: numbers(this.intercepts),
      scale: 1,
      standardisation: null,
      preparation: null,
      loss: data.loss,
      penalty: 'hierarchical',
      hierarchy: data.hierarchy,
      norm: data.norm,
      lambda: data.lambda,
      lambda2: data.lambda2,
      samples: data.samples,
      precision: this.precision,
      self_test: data.selfTest.map((sample) => this.keptFeatures.map((j) => number(sample[j]))),
    };
  }
}
