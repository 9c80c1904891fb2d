// tamis: sparse multiclass classifiers trained in a fixed piece of memory, in browsers, workers and Node.

import { TamisError } from './error.js';
import { blobPrecision, fromBlob, toBlob, toC } from './export.js';
import { Model } from './model.js';
import { loadModule, requireWebAssembly, simdSupported } from './modules.js';
import { countOf, precisionOf } from './problem.js';
import { withModel } from './points.js';
import { default_slice, otherWork, sizeFields } from './run.js';
import { Training } from './training.js';

export { TamisError };

/** Loads the library. */
export async function load(options = {}) {
  requireWebAssembly();
  const simd = options.simd ?? (options.wasm === undefined && simdSupported());
  const tamis = new Tamis({ simd, descent: Boolean(options.descent) }, { float: options.wasm, double: options.wasmDouble });
  await Promise.all([tamis.prepare('float'), options.double && tamis.prepare('double')]);
  return tamis;
}

class Tamis {
  #kind;
  #sources;
  #loading = {};
  #modules = {};

  constructor(kind, sources) {
    this.simd = kind.simd;
    this.#kind = kind;
    this.#sources = sources;
  }

  /** Loads the module of a precision, once. */
  async prepare(precision) {
    this.#loading[precision] ??= loadModule(precision, this.#kind, this.#sources[precision]);
    try {
      this.#modules[precision] = await this.#loading[precision];
    } catch (error) {
      delete this.#loading[precision]; // the next call tries again
      throw error;
    }
    this.version = this.#modules[precision].version;
  }

  #module(precision) {
    if (!this.#modules[precision])
      throw new TamisError('invalid_option', 'double precision is not loaded yet: load({ double: true }), or use train()');
    return this.#modules[precision];
  }

  async train(problem, options = {}) {
    const training = new Training(await this.#prepared(problem), problem);
    try {
      while (training.running) {
        if (options.signal?.aborted) training.stop();
        else advance(training, options);
        if (training.running) await otherWork();
      }
      return this.#finish(training, options);
    } finally {
      training.release();
    }
  }

  trainSync(problem, options = {}) {
    const training = new Training(this.#module(precisionOf(problem)), problem);
    try {
      while (training.running) {
        if (options.signal?.aborted) training.stop();
        else advance(training, options);
      }
      return this.#finish(training, options);
    } finally {
      training.release();
    }
  }

  #finish(training, options) {
    training.requireModel();
    const data = training.modelData();
    options.onProgress?.({ ...data.report });
    return this.fromData(data);
  }

  async path(problem, options = {}) {
    const { onPoint } = options;
    let frame = null;
    const toPoint = (point) => withModel(frame, point, (data) => this.fromData(data));
    const points = [];
    const begin = (common) => (frame = common);
    const visit = (point) => {
      points.push(toPoint(point));
      return onPoint?.(points.at(-1));
    };
    const { status } = await this.pathData(problem, options, begin, visit);
    return { points, status };
  }

  /** The path as plain data: begin(frame) once, then visit(point) for each point, which stops with false. */
  async pathData(problem, options, begin, visit) {
    const module = await this.#prepared(problem);
    const { followPath } = await import('./selection.js'); // not before someone asks for it
    return followPath(module, problem, options, begin, visit);
  }

  async crossValidate(problem, options = {}) {
    const { model, refit, ...rest } = await this.crossValidationData(problem, options);
    return { ...rest, model: this.fromData(model), refit: refit && this.fromData(refit) };
  }

  /** The same with the models as plain data. */
  async crossValidationData(problem, options) {
    const module = await this.#prepared(problem);
    const { crossValidate } = await import('./selection.js');
    return crossValidate(module, problem, options);
  }

  async #prepared(problem) {
    const precision = precisionOf(problem);
    if (!this.#modules[precision]) await this.prepare(precision);
    return this.#module(precision);
  }

  trainingBytes(spec) {
    for (const name of ['samples', 'features', 'classes']) countOf(name, spec[name]);
    if (spec.nonzeros !== undefined) countOf('nonzeros', spec.nonzeros);
    return this.#module(precisionOf(spec)).trainingBytes(sizeFields(spec), spec.nonzeros ?? spec.samples * spec.features);
  }

  fromBlob(bytes, { classes, featureNames } = {}) {
    const precision = blobPrecision(bytes);
    const model = fromBlob(this.#module(precision), bytes);
    const count = model.intercepts.length;
    if ((classes ?? model.intercepts).length !== count)
      throw new TamisError('invalid_shape', `the blob has ${count} classes, ${classes.length} names are given`);
    if (featureNames && featureNames.length !== model.features)
      throw new TamisError('invalid_shape', `the blob has ${model.features} features, ${featureNames.length} names are given`);
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

  /** A model from its plain data, as a worker sends them. */
  fromData(data) {
    const module = () => this.#module(data.precision);
    const exporter = { toC: (data, options) => toC(module(), data, options), toBlob: (data) => toBlob(module(), data) };
    return new Model(data, exporter);
  }
}

function advance(training, { onProgress, sliceMilliseconds = default_slice }) {
  training.advance(sliceMilliseconds);
  if (training.running && onProgress?.(training.report()) === false) training.stop();
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
