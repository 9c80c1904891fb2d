// The library as far as workers need it: loading modules, training in slices, models as plain data.

import { invalidOption } from './error.js';
import { toBlob, toC } from './export.js';
import { chooseThresholds } from './label-sets.js';
import { Training } from './linear.js';
import { Model } from './linear-model.js';
import { loadModule, requireWebAssembly, simdSupported } from './modules.js';
import { beyondUsual, precisionOf, ranking } from './problem.js';
import { drive } from './slices.js';

/** Of modules in the options of load. */
const names = { linear: '', baselines: 'Baselines', interactions: 'Interactions', kernels: 'Kernels', features: 'Features' };

/** What trains beside linear models, and its models: not loaded before someone asks for it. */
const beside = {
  interactions: () => Promise.all([import('./interactions.js'), import('./interaction-model.js')]),
  kernels: () => Promise.all([import('./kernels.js'), import('./kernel-model.js')]),
};

/** An object of that class, with what the options of load ask for. */
export async function loadAs(Class, options = {}) {
  requireWebAssembly();
  const simd = options.simd ?? (options.wasm === undefined && simdSupported());
  const tamis = new Class({ simd }, { ...options });
  await Promise.all(['float', ...['double', 'baselines'].filter((kind) => options[kind])].map((kind) => tamis.prepare(kind)));
  return tamis;
}

/** Base of Tamis, with all that a worker needs. */
export class Library {
  #kind;
  #sources;
  #loading = {};
  #modules = {};

  constructor(kind, sources) {
    this.simd = kind.simd;
    this.#kind = kind;
    this.#sources = sources;
  }

  /** Loads the module of a precision, or that with all solvers, once. */
  async prepare(kind) {
    const isPrecision = kind !== 'baselines';
    const { version } = await this.loaded(isPrecision ? 'linear' : kind, isPrecision ? kind : 'float');
    this.version ??= version;
  }

  async loaded(models, precision) {
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

  moduleOf(precision) {
    const module = this.#modules[`linear ${precision}`];
    if (!module)
      throw invalidOption('double precision is not loaded yet: load({ double: true }), or use train()');
    return module;
  }
  /** The module with the solver that the problem asks for. */
  moduleFor(problem) {
    const missing = beyondUsual(problem);
    if (!missing) return this.moduleOf(precisionOf(problem));
    const module = this.#modules['baselines float'];
    if (!module)
      throw invalidOption(`${missing} is not loaded yet: load({ baselines: true }), or use train()`);
    return module;
  }

  async train(problem, options = {}) {
    const training = new Training(await this.prepared(problem), problem);
    const { thresholds: kind } = problem;
    if (kind === undefined) return this.fromData(await toEnd(training, options));
    const { labels, sets, classes, samples, features } = training;
    const X = { values: new Float64Array(samples * features), samples, features, layout: 'columns' }; // as the problem was
    training.table.copyColumns(X.values, 0);
    const data = await toEnd(training, options);
    const module = await this.loaded('features', 'double'); // thresholds are of double precision, as those of the command
    const scores = Float64Array.from(new Model(data).scoresOfAll(X).flatMap((row) => [...row]));
    return this.fromData({ ...data, thresholds: chooseThresholds(module, kind, scores, labels, sets, classes.length) });
  }

  trainInteractions(problem, options) {
    return this.#trainBeside('interactions', problem, options);
  }
  trainKernels(problem, options) {
    return this.#trainBeside('kernels', problem, options);
  }
  /** Choose lambda for these. */
  selectInteractions(problem, options) {
    return this.#selectBeside('interactions', problem, options);
  }
  selectKernels(problem, options) {
    return this.#selectBeside('kernels', problem, options);
  }
  async #selectBeside(models, problem, options = {}) {
    const { model, ...rest } = await this.selectionDataBeside(models, problem, options);
    return { ...rest, model: await this.fromDataBeside(model) };
  }
  /** The same with the model as plain data; `models`: of which kind. */
  async selectionDataBeside(models, problem, options) {
    const [module, [{ Training }], { selectLambda }] = await Promise.all([
      this.loaded(models, precisionOf(problem)), beside[models](), import('./selection.js'),
    ]);
    const { signal, sliceMilliseconds } = options;
    return selectLambda(Training, module, problem, options,
      (chosen) => toEnd(new Training(module, chosen), { signal, sliceMilliseconds }));
  }
  async #trainBeside(models, problem, options = {}) {
    const [module, [{ Training }]] = await Promise.all([this.loaded(models, precisionOf(problem)), beside[models]()]);
    return this.fromDataBeside(await toEnd(new Training(module, problem), options));
  }

  /** A model with interactions or kernels from its plain data; loads what it needs. */
  async fromDataBeside(data) {
    const { kind, precision } = data;
    const [module, [{ toC }, { Model }]] = await Promise.all([this.loaded(kind, precision), beside[kind]()]);
    return new Model(data, { toC: (data, options) => toC(module, data, options) });
  }

  /** The path as plain data: begin(frame) once, then visit(point) for each point, which stops with false. */
  async pathData(problem, options, begin, visit) {
    const module = await this.prepared(problem);
    const { followPath } = await import('./selection.js'); // not before someone asks for it
    return followPath(module, problem, options, begin, visit);
  }

  /** Cross-validation with the models as plain data. */
  async crossValidationData(problem, options) {
    if (problem?.loss === ranking && options.calibrate !== undefined)
      throw invalidOption(`calibrate: samples with several labels have no one class: not with ${ranking}`);
    const module = await this.prepared(problem);
    const { crossValidate } = await import('./cross-validation.js');
    return crossValidate(module, problem, options, () => this.loaded('features', module.precision));
  }

  async stabilitySelection(problem, options = {}) {
    if (problem?.loss === ranking)
      throw invalidOption(`loss: samples with several labels have no halves with half of every class: not ${ranking}`);
    const module = await this.prepared(problem);
    const { selectStable } = await import('./stability.js');
    return selectStable(module, problem, options);
  }

  /** What makes features: by the function of that name in features.js or tf-idf-fit.js. */
  async features(name, data, options = {}, wishes = {}) {
    const [makers, module] = await Promise.all(name === 'tfIdf' ? [import('./tf-idf-fit.js')]
      : [import('./features.js'), this.loaded('features', precisionOf(options))]);
    return makers[name](data, options, wishes, module);
  }
  async prepared(problem) {
    await this.prepare(beyondUsual(problem) ? 'baselines' : precisionOf(problem));
    return this.moduleFor(problem);
  }

  /** A model from its plain data, as a worker sends them. */
  fromData(data) {
    const module = () => this.moduleOf(data.precision);
    const exporter = { toC: (data, options) => toC(module(), data, options), toBlob: (data) => toBlob(module(), data) };
    return new Model(data, exporter);
  }
}

/** The data of the model of a training that has begun: in slices, between which other work gets its turn. */
async function toEnd(training, options) {
  try {
    await drive(training, options, () => training.report());
    return finish(training, options);
  } finally {
    training.release();
  }
}

export function finish(training, options) {
  training.requireModel?.();
  const data = training.modelData();
  options.onProgress?.({ ...data.report });
  return data;
}
