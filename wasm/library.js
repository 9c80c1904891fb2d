// The library as far as workers need it: loading modules, training in slices, models as plain data.

import { invalidOption } from './error.js';
import { toBlob, toC } from './export.js';
import { chooseThresholds } from './label-sets.js';
import { Training } from './linear.js';
import { Model } from './linear-model.js';
import { loadModule, requireWebAssembly, simdSupported } from './modules.js';
import { beyondUsual, precisionOf, ranking } from './problem.js';
import { drive } from './slices.js';
import { Tasks } from './tasks.js';

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

  perform(task, ...given) {
    return tasks[task](this, ...given);
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
    const training = new Training(await library.prepared(problem), problem);
    const { thresholds: kind } = problem;
    if (kind === undefined) return toEnd(training, options);
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
    const module = await library.prepared(problem);
    return (await import('./selection.js')).followPath(module, problem, options, begin, point);
  },
  async crossValidate(library, problem, options) {
    if (problem?.loss === ranking && options.calibrate !== undefined)
      throw invalidOption(`calibrate: samples with several labels have no one class: not with ${ranking}`);
    const module = await library.prepared(problem);
    const { crossValidate } = await import('./cross-validation.js');
    return crossValidate(module, problem, options, () => library.loaded('features', module.precision));
  },
  async stabilitySelection(library, problem, options) {
    if (problem?.loss === ranking)
      throw invalidOption(`loss: samples with several labels have no halves with half of every class: not ${ranking}`);
    const module = await library.prepared(problem);
    return (await import('./stability.js')).selectStable(module, problem, options);
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
