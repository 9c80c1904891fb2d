// tamis: sparse multiclass classifiers trained in a fixed piece of memory, in browsers, workers and Node.

import { invalidOption, invalidShape, TamisError } from './error.js';
import { blobPrecision, fromBlob } from './export.js';
import { finish, Library, loadAs } from './library.js';
import { Training, trainingBytes } from './linear.js';
import { countOf } from './problem.js';
import { advance } from './slices.js';

export { TamisError };

/** Loads the library. */
export const load = (options) => loadAs(Tamis, options);

class Tamis extends Library {
  trainSync(problem, options = {}) {
    if (problem?.thresholds !== undefined)
      throw invalidOption('thresholds: are chosen by a module that is loaded when it is asked for: use train()');
    const training = new Training(this.moduleFor(problem), problem);
    try {
      while (training.running) advance(training, options, () => training.report());
      return this.fromData(finish(training, options));
    } finally {
      training.release();
    }
  }

  async tfIdfFromJSON(json, options) {
    return (await import('./tf-idf-fit.js')).tfIdfFromJSON(json, options);
  }
  sensorWindows(options = {}) {
    return this.features('sensorWindows', options, options);
  }

  trainingBytes(spec) {
    for (const name of ['samples', 'features', 'classes']) countOf(name, spec[name]);
    if (spec.nonzeros !== undefined) countOf('nonzeros', spec.nonzeros);
    return trainingBytes(this.moduleFor(spec), spec, spec.nonzeros ?? spec.samples * spec.features);
  }

  fromBlob(bytes, { classes, featureNames } = {}) {
    const precision = blobPrecision(bytes);
    const model = fromBlob(this.moduleOf(precision), bytes);
    const count = model.intercepts.length;
    if ((classes ?? model.intercepts).length !== count)
      throw invalidShape(`the blob has ${count} classes, ${classes.length} names are given`);
    if (featureNames && featureNames.length !== model.features)
      throw invalidShape(`the blob has ${model.features} features, ${featureNames.length} names are given`);
    return this.fromData({
      version: this.version,
      precision,
      classes: classes ? Array.from(classes) : Array.from(model.intercepts, (_, k) => k),
      ...model,
      report: unknownReport(model),
      featureNames: featureNames ?? null,
      loss: 'unknown',
      penalty: 'unknown',
      lambda: 0,
      selfTest: [],
    });
  }
}

/** A blob does not say how its training went. */
function unknownReport({ features, weights, intercepts }) {
  const classes = intercepts.length;
  const kept = new Set();
  weights.forEach((w, i) => w !== 0 && kept.add(Math.floor(i / classes)));
  return {
    status: 'unknown', objective: NaN, dualObjective: NaN, gap: NaN, relativeGap: NaN, kktResidual: NaN, lambdaMax: NaN,
    epochs: NaN, iterations: NaN, nonzeros: weights.filter((w) => w !== 0).length, nonzeroRows: kept.size,
    arenaBytes: NaN, arenaUsedBytes: NaN, constraintValue: NaN, constraintBound: NaN, multiplier: NaN,
  };
}
