// tamis: sparse multiclass classifiers trained in a fixed piece of memory, in browsers, workers and Node.

import { modelData } from './coefficients.js';
import { invalidOption, invalidShape, TamisError } from './error.js';
import { blobPrecision, fromBlob } from './export.js';
import { finish, Library, loadAs } from './library.js';
import { Training, trainingBytes } from './linear.js';
import { checkAsked, refuseUnknown, sizes } from './options.js';
import { countOf } from './problem.js';
import { unknown_report } from './run.js';
import { advance } from './slices.js';

export { Classifier } from './classifier.js';
export { TamisError };

/** Loads the library. */
export const load = (options) => loadAs(Tamis, options);

let usual = null;
/** The library of what is asked for without one. */
export function usualLibrary() {
  usual ??= load().catch((error) => {
    usual = null; // the next call tries again
    throw error;
  });
  return usual;
}
export const Model = { fromJSON: async (file) => (await usualLibrary()).fromJSON(file) };

class Tamis extends Library {
  trainSync(problem, options = {}) {
    checkAsked('trainSync', problem, options);
    if (problem.thresholds !== undefined)
      throw invalidOption('thresholds: are chosen by a module that is loaded when it is asked for: use train()');
    return this.withRoomNow(problem, (module) => {
      const training = new Training(module, problem);
      try {
        while (training.running) advance(training, options, () => training.report());
        return this.fromData(finish(training, options));
      } finally {
        training.release();
      }
    });
  }

  async tfIdfFromJSON(json, options) {
    return (await import('./tf-idf-fit.js')).tfIdfFromJSON(json, options);
  }
  sensorWindows(options = {}) {
    return this.features('sensorWindows', options, options);
  }

  trainingBytes(spec) {
    refuseUnknown('trainingBytes', spec, sizes);
    for (const name of ['samples', 'features', 'classes']) countOf(name, spec[name]);
    if (spec.nonzeros !== undefined) countOf('nonzeros', spec.nonzeros);
    return trainingBytes(this.moduleFor(spec), spec, spec.nonzeros ?? spec.samples * spec.features);
  }

  fromBlob(bytes, { classes, featureNames } = {}) {
    const precision = blobPrecision(bytes);
    const model = fromBlob(this.moduleOf(precision), bytes);
    const { features, intercepts, kept, rows } = model;
    const count = intercepts.length;
    if ((classes ?? intercepts).length !== count)
      throw invalidShape(`the blob has ${count} classes, ${classes.length} names are given`);
    if (featureNames && featureNames.length !== features)
      throw invalidShape(`the blob has ${features} features, ${featureNames.length} names are given`);
    const nonzeros = rows.filter((w) => w !== 0).length;
    return this.fromData(modelData({
      version: this.version,
      precision,
      classes: classes ? Array.from(classes) : Array.from(intercepts, (_, k) => k),
      report: { ...unknown_report, status: 'unknown', nonzeros, nonzeroRows: kept.length }, // a blob does not say how its training went
      featureNames: featureNames ?? null,
      loss: 'unknown',
      penalty: 'unknown',
      lambda: 0,
      selfTest: [],
    }, model));
  }
}
