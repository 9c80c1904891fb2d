// tamis: sparse multiclass classifiers trained in a fixed piece of memory, in browsers, workers and Node.

import { TamisError } from './error.js';
import { blobPrecision, fromBlob, toBlob, toC } from './export.js';
import { withFeatures } from './making.js';
import { Model } from './model.js';
import { loadModule, requireWebAssembly, simdSupported } from './modules.js';
import { withModel } from './points.js';
import { countOf, precisionOf } from './problem.js';
import { sizeFields } from './run.js';
import { default_slice, otherWork } from './slices.js';
import { Training } from './training.js';

export { TamisError };

/** Of modules in the options of load. */
const names = { linear: '', interactions: 'Interactions', kernels: 'Kernels', features: 'Features' };

/** What trains beside linear models, and its models: not loaded before someone asks for it. */
const beside = {
  interactions: () => Promise.all([import('./interactions.js'), import('./interaction-model.js')]),
  kernels: () => Promise.all([import('./kernels.js'), import('./kernel-model.js')]),
};

/** Loads the library. */
export async function load(options = {}) {
  requireWebAssembly();
  const simd = options.simd ?? (options.wasm === undefined && simdSupported());
  const tamis = new Tamis({ simd, descent: Boolean(options.descent) }, { ...options });
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
    ({ version: this.version } = await this.#load('linear', precision));
  }

  async #load(models, precision) {
    const key = `${models} ${precision}`;
    const source = this.#sources[`wasm${names[models]}${precision === 'double' ? 'Double' : ''}`];
    this.#loading[key] ??= loadModule(precision, { models, ...this.#kind }, source);
    try {
      return (this.#modules[key] = await this.#loading[key]);
    } catch (error) {
      delete this.#loading[key]; // the next call tries again
      throw error;
    }
  }

  #module(precision) {
    const module = this.#modules[`linear ${precision}`];
    if (!module)
      throw new TamisError('invalid_option', 'double precision is not loaded yet: load({ double: true }), or use train()');
    return module;
  }

  async train(problem, options = {}) {
    return this.fromData(await toEnd(new Training(await this.#prepared(problem), problem), options));
  }

  trainSync(problem, options = {}) {
    const training = new Training(this.#module(precisionOf(problem)), problem);
    try {
      while (training.running) {
        if (options.signal?.aborted) training.stop();
        else advance(training, options);
      }
      return this.fromData(finish(training, options));
    } finally {
      training.release();
    }
  }

  trainInteractions(problem, options) {
    return this.#trainBeside('interactions', problem, options);
  }
  trainKernels(problem, options) {
    return this.#trainBeside('kernels', problem, options);
  }
  async #trainBeside(models, problem, options = {}) {
    const [module, [{ Training }]] = await Promise.all([this.#load(models, precisionOf(problem)), beside[models]()]);
    return this.fromDataBeside(await toEnd(new Training(module, problem), options));
  }

  /** A model with interactions or kernels from its plain data; loads what it needs. */
  async fromDataBeside(data) {
    const { kind, precision } = data;
    const [module, [{ toC }, { Model }]] = await Promise.all([this.#load(kind, precision), beside[kind]()]);
    return new Model(data, { toC: (data, options) => toC(module, data, options) });
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
    return crossValidate(module, problem, options, () => this.#load('features', module.precision));
  }

  async stabilitySelection(problem, options = {}) {
    const module = await this.#prepared(problem);
    const { selectStable } = await import('./stability.js');
    return selectStable(module, problem, options);
  }

  /** What makes features: by the function of that name in features.js or tf-idf-fit.js. */
  async features(name, data, options = {}, wishes = {}) {
    const [makers, module] = await Promise.all(name === 'tfIdf' ? [import('./tf-idf-fit.js')]
      : [import('./features.js'), this.#load('features', precisionOf(options))]);
    return makers[name](data, options, wishes, module);
  }
  async tfIdfFromJSON(json, options) {
    return (await import('./tf-idf-fit.js')).tfIdfFromJSON(json, options);
  }
  sensorWindows(options = {}) {
    return this.features('sensorWindows', options, options);
  }

  async #prepared(problem) {
    const precision = precisionOf(problem);
    if (!this.#modules[`linear ${precision}`]) await this.prepare(precision);
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

withFeatures(Tamis);

/** The data of the model of a training that has begun: in slices, between which other work gets its turn. */
async function toEnd(training, options) {
  try {
    while (training.running) {
      if (options.signal?.aborted) training.stop();
      else advance(training, options);
      if (training.running) await otherWork();
    }
    return finish(training, options);
  } finally {
    training.release();
  }
}

function finish(training, options) {
  training.requireModel?.();
  const data = training.modelData();
  options.onProgress?.({ ...data.report });
  return data;
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
