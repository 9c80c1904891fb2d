// The library as far as workers need it: loading modules, training in slices, models as plain data.

import { invalidOption } from './error.js';
import { toBlob, toC } from './export.js';
import { chooseThresholds } from './label-sets.js';
import { Training } from './linear.js';
import { Model } from './linear-model.js';
import { instanceNow, instanceOf, loadCode, loadCodeNow, prepareToLoadNow, requireWebAssembly, simdSupported } from './modules.js';
import { trainings } from './modules-of-one.js';
import { beyondUsual, isSparse, moduleOfOne, precisionOf, ranking } from './problem.js';
import { drive } from './slices.js';
import { Tasks } from './tasks.js';
import { version } from './version.js';

/** Of modules in the options of load. Those of one training, and that of model files, have no such option. */
const names = { linear: '', large: 'Large', baselines: 'Baselines', interactions: 'Interactions', kernels: 'Kernels', features: 'Features' };

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
  const kinds = ['double', 'baselines'].filter((kind) => options[kind]);
  if (options.wasm !== undefined) kinds.push('float');
  await Promise.all([
    ...kinds.map((kind) => tamis.prepare(kind)), ...(options.problems ?? []).map((problem) => tamis.prepared(problem)),
    prepareToLoadNow(),
  ]);
  return tamis;
}

/** Base of Tamis, with all that a worker needs. */
export class Library extends Tasks {
  #kind;
  #sources;
  #loading = {};
  #modules = {};

  constructor(kind, sources) {
    super();
    this.simd = kind.simd;
    this.#kind = kind;
    this.#sources = sources;
  }

  get version() {
    return version;
  }

  /** Loads the module of a precision, or that with all solvers, once. */
  async prepare(kind) {
    await (kind === 'baselines' ? this.loaded(kind, 'float') : this.loaded('linear', kind));
  }

  async loaded(models, precision) {
    const key = `${models} ${precision}`;
    return (this.#modules[key] ??= await this.#once(key, async () =>
      instanceOf(await this.#codeOf(models, precision), precision, { models })));
  }
  /** What load() resolves with, once; the next call after an error tries again. */
  async #once(key, load) {
    try {
      return await (this.#loading[key] ??= load());
    } catch (error) {
      delete this.#loading[key];
      throw error;
    }
  }
  #codeOf(models, precision) {
    return loadCode(precision, { models, ...this.#kind }, this.#sourceOf(models, precision));
  }
  /** The same at once. */
  #loadedNow(models, precision) {
    return (this.#modules[`${models} ${precision}`] ??= instanceNow(this.#codeNow(models, precision), precision, { models }));
  }
  #codeNow(models, precision) {
    return loadCodeNow(precision, { models, ...this.#kind }, this.#sourceOf(models, precision));
  }
  #sourceOf(models, precision) {
    return this.#sources[`wasm${names[models] ?? ' '}${precision === 'double' ? 'Double' : ''}`];
  }

  /** A module that writes and reads the files of models. */
  moduleOf(precision) {
    const module = this.#modules[`linear ${precision}`];
    if (module) return module;
    if (precision === 'float') return this.#loadedNow('model', precision);
    throw invalidOption('double precision is not loaded yet: load({ double: true }), or use train()');
  }
  /** Loads one. */
  async prepareFiles(precision) {
    if (!this.#modules[`linear ${precision}`]) await this.loaded(precision === 'float' ? 'model' : 'linear', precision);
  }

  /** [models, precision] of the module that trains one model of the problem: the least that is enough, unless a larger one is there. */
  #wantedBy(problem) {
    const precision = precisionOf(problem);
    const larger = beyondUsual(problem) ? 'baselines' : 'linear';
    const given = larger === 'linear' ? this.#sources.wasm : this.#sources.wasm ?? this.#sources.wasmBaselines;
    if (precision === 'double' || this.#modules[`${larger} float`] || given !== undefined) return [larger, precision];
    const one = moduleOfOne(problem ?? {});
    return [one in trainings ? one : larger, precision];
  }
  /** That module at once. */
  moduleFor(problem) {
    const [models, precision] = this.#wantedBy(problem);
    const module = this.#modules[`${models} ${precision}`];
    if (module) return module;
    if (models === 'baselines') throw invalidOption(`${beyondUsual(problem)} is not loaded yet: load({ baselines: true }), or use train()`);
    return precision === 'double' ? this.moduleOf(precision) : this.#loadedNow(models, precision);
  }
  prepared(problem) {
    return this.loaded(...this.#wantedBy(problem));
  }
  /** The module that trains many models of the problem. */
  preparedForMany(problem) {
    return beyondUsual(problem) ? this.loaded('baselines', 'float') : this.loaded('linear', precisionOf(problem));
  }

  // ---- memory of its own for one call: the module of sparse samples, and of what has no room in the other modules

  /**
   * work(module), with the module that ready() loads, or with memory of its own. `limit`: the bytes of arena that are allowed.
   */
  async withRoom(problem, limit, ready, work) {
    try {
      if (!this.#isLarge(problem)) return await work(await ready());
    } catch (error) {
      if (!this.#isTooLarge(problem, limit, error)) throw error;
    }
    return work(await instanceOf(await this.#once('large', () => this.#codeOf('large', 'float')), 'float', { models: 'large' }));
  }
  /** The same at once. */
  withRoomNow(problem, work) {
    try {
      if (!this.#isLarge(problem)) return work(this.moduleFor(problem));
    } catch (error) {
      if (!this.#isTooLarge(problem, problem.memoryLimit, error)) throw error;
    }
    this.#largeNow ??= this.#codeNow('large', 'float');
    return work(instanceNow(this.#largeNow, 'float', { models: 'large' }));
  }
  #largeNow = null;
  #mayBeLarge(problem) {
    const { wasm, wasmLarge } = this.#sources;
    return precisionOf(problem) === 'float' && !beyondUsual(problem) && (wasm === undefined || wasmLarge !== undefined);
  }
  #isLarge(problem) {
    return isSparse(problem?.X) && this.#mayBeLarge(problem);
  }
  #isTooLarge(problem, limit = Infinity, { status, arenaBytes }) {
    return status === 'arena_too_small' && arenaBytes <= limit && arenaBytes < Infinity && this.#mayBeLarge(problem);
  }

  perform(task, ...given) {
    return tasks[task](this, ...given);
  }
  /** A model from its plain data, as a worker sends them. */
  fromData(data) {
    const module = () => this.moduleOf(data.precision);
    const exporter = { toC: (data, options) => toC(module(), data, options), toBlob: (data) => toBlob(module(), data) };
    return new Model(data, exporter);
  }
  /** The same of a model with interactions or kernels; loads what it needs. */
  async fromDataBeside(data) {
    const { kind, precision } = data;
    const [module, [{ toC }, { Model }]] = await Promise.all([this.loaded(kind, precision), beside[kind]()]);
    return new Model(data, { toC: (data, options) => toC(module, data, options) });
  }
}

/** What tasks come to, as plain data: each of (library, problem, options, receivers). What not all need is loaded when it is asked for. */
const tasks = {
  async train(library, problem, options) {
    const { thresholds: kind } = problem;
    if (kind === undefined)
      return library.withRoom(problem, problem.memoryLimit, () => library.prepared(problem), (module) => toEnd(new Training(module, problem), options));
    const training = new Training(await library.prepared(problem), problem);
    const { labels, sets, classes, samples, features } = training;
    const X = { values: new Float64Array(samples * features), samples, features, layout: 'columns' }; // as the problem was
    training.table.copyColumns(X.values, 0);
    const data = await toEnd(training, options);
    const module = await library.loaded('features', 'double'); // thresholds are of double precision, as those of the command
    const scores = Float64Array.from(new Model(data).scoresOfAll(X).flatMap((row) => [...row]));
    return { ...data, thresholds: chooseThresholds(module, kind, scores, labels, sets, classes.length) };
  },
  /** begin(frame) once, then point(point) for each point, which stops with false. */
  async path(library, problem, options, { begin, point }) {
    const { followPath } = await import('./selection.js');
    return withRoomForMany(library, problem, options, (module) => followPath(module, problem, options, begin, point));
  },
  async crossValidate(library, problem, options) {
    if (problem?.loss === ranking && options.calibrate !== undefined)
      throw invalidOption(`calibrate: samples with several labels have no one class: not with ${ranking}`);
    const { crossValidate } = await import('./cross-validation.js');
    return withRoomForMany(library, problem, options,
      (module) => crossValidate(module, problem, options, () => library.loaded('features', module.precision)));
  },
  async stabilitySelection(library, problem, options) {
    if (problem?.loss === ranking)
      throw invalidOption(`loss: samples with several labels have no halves with half of every class: not ${ranking}`);
    const { selectStable } = await import('./stability.js');
    return withRoomForMany(library, problem, options, (module) => selectStable(module, problem, options));
  },
  trainInteractions: trainBeside('interactions'),
  trainKernels: trainBeside('kernels'),
  selectInteractions: selectBeside('interactions'),
  selectKernels: selectBeside('kernels'),
  async features(library, { name, data, options }, wishes) {
    const [makers, module] = await Promise.all(name === 'tfIdf' ? [import('./tf-idf-fit.js')]
      : [import('./features.js'), library.loaded('features', precisionOf(options))]);
    return makers[name](data, options, wishes, module);
  },
};
const withRoomForMany = (library, problem, { memoryLimit = problem?.memoryLimit }, work) =>
  library.withRoom(problem, memoryLimit, () => library.preparedForMany(problem), work);
function trainBeside(family) {
  return async (library, problem, options) => {
    const [module, [{ Training }]] = await Promise.all([library.loaded(family, precisionOf(problem)), beside[family]()]);
    return toEnd(new Training(module, problem), options);
  };
}
function selectBeside(family) {
  return async (library, problem, options) => {
    const [module, [{ Training }], { selectLambda }] = await Promise.all([
      library.loaded(family, precisionOf(problem)), beside[family](), import('./selection.js'),
    ]);
    const { signal, sliceMilliseconds } = options;
    return selectLambda(Training, module, problem, options,
      (chosen) => toEnd(new Training(module, chosen), { signal, sliceMilliseconds }));
  };
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
