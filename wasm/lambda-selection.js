// Choosing lambda for products of features and for kernels: the path of all samples, then what folds say of its points.

import { TamisError } from './error.js';
import { dealFolds, no_fold } from './folds.js';
import { Held } from './held.js';
import { choice, numberOf, shown } from './problem.js';
import { drive, gridOf, most_steps, progressOf, withLimit } from './selection.js';

const state_bytes = 260 * 8; // TAMIS_INTERACTIONS_CROSS_VALIDATION_WORDS, TAMIS_KERNELS_CROSS_VALIDATION_WORDS
const held_out_reals = ['lambda', 'mean', 'standardError', 'meanLoss', 'lossStandardError'];
const measures = ['error', 'loss']; // tamis_measure
const usual_points = 50;
const usual_folds = 5;
const invalidOption = (message) => new TamisError('invalid_option', message);

/** { folds, held }: how many folds are dealt, and how many of them are held out in turn. */
function foldsOf({ folds, validation }) {
  if (validation === undefined) {
    const count = folds ?? usual_folds;
    if (!Number.isInteger(count) || count < 2 || count > 0xffffffff)
      throw invalidOption(`folds: ${shown(folds)} is not a whole number of at least 2`);
    return { folds: count, held: count };
  }
  if (folds !== undefined) throw invalidOption('validation: holds samples out once, give folds or this');
  const share = numberOf(validation);
  if (!(share > 0 && share <= 0.5)) throw invalidOption(`validation: ${shown(validation)} does not lie between 0 and 1/2`);
  return { folds: Math.round(1 / share), held: 1 };
}

/**
 * What the two families call things: the functions of their module by `name`, how training is called, the ratio of the last
 * lambda to the first unless said, why lambda cannot be zero, and what goes on beside lambda (`set` before the first).
 */
export const families = {
  interactions: {
    name: 'interactions',
    train: 'trainInteractions',
    ratio: () => 1e-2,
    zero: 'without a penalty interactions are not determined',
    set(path) {
      const { module, at, problem: { lambda2 = NaN, lambda2Ratio } } = path; // NaN: the ratio of the problem, or in proportion
      module.reals[at.problem / module.scalarBytes + 1] = lambda2; // the second field
      if (lambda2Ratio !== undefined) path.writeRatio(lambda2Ratio);
    },
    beside: ({ problem: { lambda2 = NaN } }) => [lambda2],
  },
  kernels: {
    name: 'kernels',
    train: 'trainKernels',
    ratio: ({ q }) => (q === 1 ? 1e-3 : 1e-5),
    zero: 'without a penalty coefficients are not determined',
    set() {},
    beside: () => [],
  },
};

/** The training of each lambda in turn, from where the one before ended. */
const pathOf = (Training, { name, set, beside }) => class extends Training {
  #grid;
  #first;
  points = [];
  fold = null;

  constructor(module, problem, grid) {
    super(module, { ...problem, lambda: 1 }); // another lambda is what counts
    this.#grid = grid;
    set(this);
    this.#first = module.real(`${name}_first_lambda`, this.at.problem, this.at.arena, this.arenaBytes) || 1;
  }
  lambdaAt(i) {
    const { lambdas, points, ratio } = this.#grid;
    const { Reals } = this.module;
    return Reals.of(lambdas ? lambdas[i] : i === 0 ? this.#first : this.#first * ratio ** (i / (points - 1)))[0];
  }
  get pointsDone() {
    return this.points.length;
  }
  begin() {
    const { module, at } = this;
    module.reals[at.problem / module.scalarBytes] = this.lambdaAt(0); // the first field
    this.timed(() => module.call(`${name}_start`, at.state, at.problem, at.arena, this.arenaBytes));
    this.#collect();
  }
  advance(milliseconds) {
    super.advance(milliseconds);
    this.#collect();
  }
  /** Takes points that have ended, and goes on to the next. */
  #collect() {
    while (!this.running && this.status !== 'stopped' && this.points.length < this.#grid.points) {
      const { status, nonzeros, nonzeroRows } = this.report();
      this.points.push({ lambda: this.lambdaAt(this.points.length), status, nonzeros, nonzeroRows });
      if (this.points.length === this.#grid.points) return;
      const next = this.lambdaAt(this.points.length);
      this.timed(() => this.module.call(`${name}_go_on`, this.at.state, next, ...beside(this)));
    }
  }
};

/** What folds say of the points of a path, on its copy of the samples. */
class Folds extends Held {
  #call; // a function of the cross-validation
  #path;
  #points;

  constructor({ name }, path, options) {
    super(path.module);
    const { module, fields: { samples } } = path;
    this.#call = `${name}_cross_validation`;
    const { folds, held } = foldsOf(options);
    this.#path = path;
    this.#points = path.points.length;
    const classes = path.classes ?? [null];
    const labels = path.labels ?? new Uint16Array(samples);
    const parts = {
      state: state_bytes,
      report: module.reportBytes,
      grid: module.gridBytes,
      lambdas: this.#points * module.scalarBytes,
      heldOut: held_out_reals.length * module.scalarBytes,
      foldOf: samples * 4,
      labels: samples * 2,
      scratch: 4 * (3 * (samples + 1) + folds * classes.length + 1),
    };
    const setUp = () => {
      const { at } = this;
      module.halves.set(labels, at.labels / 2);
      const of = dealFolds(module, { at: at.labels, labels, classes }, folds, { ...options, ...(path.classes ? {} : { stratified: false }) },
        at.foldOf, at.scratch);
      if (held === 1) module.words.set(of.map((fold) => (fold === 0 ? 0 : no_fold)), at.foldOf / 4);
      module.reals.set(path.points.map(({ lambda }) => lambda), at.lambdas / module.scalarBytes);
      module.writeGrid(at.grid, { ratio: 1, points: this.#points, lambdas: at.lambdas });
      return module.call(`${this.#call}_bytes`, path.at.problem, at.grid, at.foldOf, held);
    };
    this.hold(parts, [0]); // the folds say how much they need
    let bytes;
    try {
      bytes = setUp();
    } finally {
      this.release();
    }
    this.hold(parts, [bytes === 0xffffffff ? Infinity : bytes]);
    try {
      setUp();
      const { at } = this;
      this.timed(() => module.call(`${this.#call}_start`, at.state, path.at.problem, at.grid, at.foldOf, held, at.arena, this.arenaBytes));
      this.#refuse();
    } catch (error) {
      this.release();
      throw error;
    }
  }
  get fold() {
    return this.module.call(`${this.#call}_fold`, this.at.state);
  }
  get pointsDone() {
    return this.module.call(`${this.#call}_points_done`, this.at.state);
  }
  report() {
    return this.reportBy(`${this.#call}_report`);
  }
  stop() {
    this.status = 'stopped';
  }
  advance(milliseconds) {
    this.advanceBy(milliseconds, (steps) => this.module.call(`${this.#call}_step`, this.at.state, steps), {
      most: most_steps,
    });
    this.#refuse();
  }
  #refuse() {
    const refusal = this.refusalBy(`${this.#call}_report`);
    if (!refusal) return;
    const { status, column } = refusal;
    if (status !== 'missing_class') throw new TamisError(status, this.module.sentence(status));
    const { fold } = this;
    throw new TamisError(status, `class ${shown(this.#path.classes[column])} has no sample outside fold ${fold}`, { column, fold });
  }

  /** What the folds say of each lambda, and which they choose. */
  result(measure) {
    const { module, at } = this;
    const first = at.heldOut / module.scalarBytes;
    const points = Array.from({ length: this.#points }, (_, i) => {
      module.call(`${this.#call}_at`, at.state, i, at.heldOut);
      return Object.fromEntries(held_out_reals.map((name, r) => [name, module.reals[first + r]]));
    });
    const chosen = (name) => module.call(`${this.#call}_${name}`, at.state, measures.indexOf(measure));
    return { points, min: chosen('best'), '1se': chosen('one_standard_error') };
  }
}

function refuseStopped({ status }) {
  if (status === 'stopped') throw new TamisError('stopped', 'the choice of lambda was stopped');
}

/**
 * { points, lambdaMin, lambda1se, lambda, model }, the model of the chosen lambda as plain data; `train(problem)` gives it.
 * `Training`: that of the family, whose module `module` is.
 */
export async function selectLambda(family, Training, module, problem, options, train) {
  const { measure = 'error', choose = '1se' } = options;
  choice('measure', measure, measures);
  choice('choose', choose, ['1se', 'min']);
  for (const name of ['refit', 'calibrate', 'maxFeatures'])
    if (options[name] !== undefined) throw invalidOption(`${name}: choosing lambda for ${family.name} has no such option`);
  if (problem?.lambda !== undefined) throw invalidOption(`lambda: is what is chosen; give lambdas in the options, or ${family.train}`);
  const { held } = foldsOf(options);
  const grid = { ...gridOf(options, problem, usual_points) };
  grid.ratio ??= family.ratio(problem);
  if (grid.lambdas && !(grid.lambdas.at(-1) > 0))
    throw new TamisError('invalid_lambda', `lambdas[${grid.points - 1}]: 0 is not positive: ${family.zero}`);
  const limited = withLimit(problem, options);
  const all = 2 + held;
  const path = new (pathOf(Training, family))(module, limited, grid);
  let folds;
  try {
    path.begin();
    await drive(path, options, (milliseconds) => path.advance(milliseconds), () => progressOf(path, 'path', grid.points, 0, all));
    refuseStopped(path);
    folds = new Folds(family, path, options);
    await drive(folds, options, (milliseconds) => folds.advance(milliseconds), () => progressOf(folds, 'folds', grid.points, 1, all));
    refuseStopped(folds);
    const { points, ...places } = folds.result(measure);
    const lambdaOf = (which) => points[places[which]].lambda;
    const lambda = lambdaOf(choose);
    const answer = {
      points: points.map((point, i) => ({ ...point, ...path.points[i] })), lambdaMin: lambdaOf('min'), lambda1se: lambdaOf('1se'), lambda,
    };
    folds.release();
    path.release();
    return { ...answer, model: await train({ ...limited, lambda }) };
  } finally {
    folds?.release();
    path.release();
  }
}
