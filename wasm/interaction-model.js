// Trained models with interactions (products of features).

import { invalidOption } from './error.js';
import { BaseModel } from './model.js';
import { roundingOf } from './problem.js';

export class Model extends BaseModel {
  constructor(data, exporter) {
    super(data, exporter);
    this.lambda = data.lambda;
    this.lambda2 = data.lambda2;
    const kept = new Set(data.first);
    for (const j of data.second) if (j >= 0) kept.add(j);
    this.keptFeatures = [...kept].sort((a, b) => a - b);
    this.terms = this.#termsBySize();
  }

  #termsBySize() {
    const { outputs, first, second, coefficients } = this.data;
    const terms = Array.from(coefficients, (coefficient, t) => {
      const features = second[t] < 0 ? [first[t]] : [first[t], second[t]];
      return {
        class: this.classes ? this.classes[outputs[t]] : null,
        features,
        names: features.map((j) => this.nameOf(j)),
        coefficient,
        output: outputs[t],
      };
    });
    terms.sort((a, b) => a.output - b.output || Math.abs(b.coefficient) - Math.abs(a.coefficient));
    return terms.map(({ output, ...term }) => term);
  }

  /** score_k = b_k + sum of coefficient · z_first [· z_second] over the terms of k, added in their order. */
  scoresOf(z) {
    const { outputs, first, second, coefficients } = this.data;
    const round = roundingOf(this.precision);
    const scores = this.intercepts.slice();
    for (let t = 0; t < coefficients.length; ++t) {
      const value = round(coefficients[t] * z[first[t]]);
      scores[outputs[t]] += second[t] < 0 ? value : round(value * z[second[t]]);
    }
    return scores;
  }

  /** Of a regression: one number per sample of X. */
  predictValues(X) {
    if (this.classes) throw invalidOption('predictValues is for regressions, and this model has classes');
    return this.intercepts.constructor.from(this.predictAll(X));
  }

  /** The model file that the tamis command writes and reads. */
  toJSON() {
    const { outputs, first, second, coefficients, loss, hierarchy, norm, lambda, lambda2, samples } = this.data;
    const places = Array.from(coefficients, (_, t) => t);
    const [effects, products] = [places.filter((t) => second[t] < 0), places.filter((t) => second[t] >= 0)];
    const of = (list, which) => which.map((t) => list[t]);
    const values = (which) => this.numbersOf(of(coefficients, which));
    return this.fileOf('interactions', this.keptFeatures, {
      coefficients: {
        indices: this.keptFeatures,
        main_effects: { outputs: of(outputs, effects), indices: of(first, effects), values: values(effects) },
        products: { outputs: of(outputs, products), first: of(first, products), second: of(second, products), values: values(products) },
      },
    }, { loss, penalty: 'hierarchical', hierarchy, norm, lambda, lambda2, samples });
  }
}
