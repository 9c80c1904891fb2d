// Paths and cross-validation inside a module: what they are asked for, their runs in slices, their results as plain data.

import { TamisError } from './error.js';
import { dealFolds, no_fold } from './folds.js';
import { modelData } from './points.js';
import { countOf, isArrayLike, labelsOf, numberOf, samplesOf, shown } from './problem.js';
import { Run } from './run.js';
import { default_slice, otherWork } from './slices.js';
import { Training } from './training.js';

const state_bytes = 300 * 8; // TAMIS_CROSS_VALIDATION_WORDS, more than TAMIS_PATH_WORDS
export const most_steps = 64; // in one call: they do not cost the same at all lambdas
const held_out_reals = ['lambda', 'mean', 'standardError', 'meanLoss', 'lossStandardError'];
const measures = ['error', 'loss'];
const invalidOption = (message, place) => new TamisError('invalid_option', message, place);

/** The grid that is asked for, checked: { lambdas, points, ratio, maxFeatures }. */
export function gridOf({ lambdas, points, ratio, maxFeatures }, problem, usual_points) {
  const more = { maxFeatures: maxFeatures === undefined ? undefined : countOf('maxFeatures', maxFeatures) };
  if (lambdas === undefined) {
    if (ratio !== undefined && !(numberOf(ratio) > 0 && ratio < 1))
      throw invalidOption(`ratio: ${shown(ratio)} does not lie between 0 and 1`);
    return { points: points === undefined ? usual_points : countOf('points', points), ratio, ...more };
  }
  if (points !== undefined || ratio !== undefined) throw invalidOption('lambdas: points and ratio are for a path without');
  if (!isArrayLike(lambdas) || lambdas.length === 0) throw invalidOption('lambdas must be an array of numbers');
  const round = problem.precision === 'double' ? Number : Math.fround;
  const values = Array.from(lambdas, (lambda) => round(numberOf(lambda)));
  values.forEach((lambda, i) => {
    const say = (what) => new TamisError('invalid_lambda', `lambdas[${i}]: ${shown(lambdas[i])} ${what}`, { row: i });
    if (!(lambda >= 0 && lambda < Infinity)) throw say('is not a finite number of at least 0');
    if (i > 0 && lambda >= values[i - 1]) throw say(`is not below ${shown(lambdas[i - 1])}: they must descend`);
  });
  return { lambdas: values, points: values.length, ratio: 1, ...more };
}

/** A path, and then perhaps its cross-validation, on one copy of the samples. */
class Selection extends Run {
  #grid;
  #folds;
  #spent = 0;
  #prefix = 'path';
  #measured = 0;
  points = [];

  /** `folds`: how many there will be, or 0. `keep`: whether they leave the scores of what they hold out. */
  constructor(module, problem, grid, folds, keep = false) {
    if (problem.eta !== undefined) throw new TamisError('invalid_eta', 'eta: a path is of the form with lambda');
    const most = Math.max(grid.points, 1);
    super(module, { ...problem, lambda: 0 }, {
      stateBytes: state_bytes,
      arenaBytes: (fields, nonzeros) => module.selectionBytes(fields, sizeGrids(grid, problem), folds, nonzeros),
      more: (samples) => ({
        grid: module.gridBytes,
        lambdas: most * module.scalarBytes,
        foldOf: folds ? samples * 4 : 0,
        scores: keep ? most * samples * module.stride(labelsOf(problem.y, samples).classes.length) * module.scalarBytes : null,
        heldOut: held_out_reals.length * module.scalarBytes,
      }),
    });
    this.#grid = grid;
    this.#folds = folds;
  }

  get lambda() {
    return this.module.real('path_lambda', this.at.state);
  }
  get fold() {
    return this.#prefix === 'path' ? null : this.module.call('cross_validation_fold', this.at.state);
  }
  get pointsDone() {
    return this.module.call(this.#prefix === 'path' ? 'path_points' : 'cross_validation_points_done', this.at.state);
  }
  report() {
    return this.reportBy(`${this.#prefix}_report`);
  }

  /** Begins with the path; visit(point) for each point, false stops. */
  startPath(visit) {
    const { module, at } = this;
    const { lambdas, points, maxFeatures } = this.#grid;
    const { samples, features } = this.samples;
    const ridge = this.problem.penalty === 'ridge';
    const ratio = this.#grid.ratio ?? (ridge ? 1e-4 : features > samples ? 1e-2 : 1e-3);
    let first = NaN;
    if (lambdas) module.reals.set(lambdas, at.lambdas / module.scalarBytes);
    else if (ridge) first = module.real('mean_square_norm', at.problem, at.arena) || 1;
    module.writeGrid(at.grid, { first, ratio, points, maxFeatures, lambdas: lambdas ? at.lambdas : 0 });
    this.timed(() => module.call('path_start', at.state, at.problem, at.grid, at.arena, this.arenaBytes));
    this.refuse('path_report');
    this.#collect(visit);
  }
  advancePath(milliseconds, visit) {
    this.advanceBy(milliseconds, (steps) => this.module.call('path_step', this.at.state, steps), {
      most: most_steps, seen: () => this.#collect(visit),
    });
    this.refuse('path_report');
  }
  #collect(visit) {
    const { module, at, points } = this;
    if (module.call('path_points', at.state) === points.length) return;
    module.call('path_model', at.state, at.model);
    const { milliseconds, ...report } = this.report();
    const point = {
      lambda: this.lambda, report: { ...report, milliseconds: milliseconds - this.#spent }, ...module.readKept(at.model),
    };
    this.#spent = milliseconds;
    points.push(point);
    if (visit?.(point) === false) this.stop();
  }

  stop() {
    if (this.running && this.#prefix === 'path') this.module.call('path_stop', this.at.state);
    if (this.running) this.status = 'stopped';
  }

  /** Deals the samples: the fold of each. */
  deal(options) {
    const { module, at, classes, labels } = this;
    if (this.sets) return this.#dealSets(options);
    return dealFolds(module, { at: at.labels, labels, classes }, this.#folds, options, at.foldOf, at.arena);
  }

  /** Samples with several labels are dealt as if they were of one class. */
  #dealSets(options) {
    const { module, at, labels } = this;
    if (options.stratified) throw invalidOption('stratified: samples with several labels are dealt without');
    const one = { at: at.labels, labels: new Uint16Array(labels.length), classes: [null] };
    module.halves.set(one.labels, at.labels / 2);
    try {
      return dealFolds(module, one, this.#folds, { ...options, stratified: false }, at.foldOf, at.arena);
    } finally {
      module.halves.set(labels, at.labels / 2);
    }
  }

  /** Throws when a class has no sample of positive weight outside some fold. */
  #checkFolds(foldOf) {
    if (this.sets) return; // the module does
    const weights = this.problem.sampleWeights;
    const homes = this.classes.map(() => new Set());
    foldOf.forEach((fold, i) => (!weights || weights[i] > 0) && homes[this.labels[i]].add(fold));
    homes.forEach((home, column) => {
      const [fold] = home;
      if (home.size !== 1 || fold === no_fold) return;
      throw new TamisError('missing_class', `class ${shown(this.classes[column])} has no sample outside fold ${fold}`, {
        column, fold,
      });
    });
  }

  /** Begins with the folds, on those lambdas, as many as the grid has or fewer. */
  startFolds(foldOf, lambdas) {
    const { module, at } = this;
    this.#checkFolds(foldOf);
    this.#prefix = 'cross_validation';
    this.#measured = lambdas.length;
    module.words.set(foldOf, at.foldOf / 4);
    module.reals.set(lambdas, at.lambdas / module.scalarBytes);
    module.writeGrid(at.grid, { ratio: 1, points: lambdas.length, lambdas: at.lambdas });
    this.timed(() => module.call('cross_validation_start_keeping', at.state, at.problem, at.grid, at.foldOf, this.#folds,
      at.scores ?? 0, at.arena, this.arenaBytes));
    this.refuse('cross_validation_report');
  }
  advanceFolds(milliseconds) {
    this.advanceBy(milliseconds, (steps) => this.module.call('cross_validation_step', this.at.state, steps), {
      most: most_steps,
    });
    this.refuse('cross_validation_report');
  }

  /** What the folds say of each lambda. */
  heldOut() {
    const { module, at } = this;
    return Array.from({ length: this.#measured }, (_, i) => {
      module.call('cross_validation_at', at.state, i, at.heldOut);
      const first = at.heldOut / module.scalarBytes;
      return Object.fromEntries(held_out_reals.map((name, r) => [name, module.reals[first + r]]));
    });
  }
  /** What the models of the first lambda say of sample i, which they have not seen. */
  heldOutScores(i) {
    const { reals, scalarBytes } = this.module;
    const count = this.classes.length;
    const first = this.at.scores / scalarBytes + i * this.module.stride(count);
    return reals.subarray(first, first + count);
  }
  /** The points that the folds choose: of the least mean, and the first within one standard error of it. */
  chosen(measure) {
    const points = this.heldOut();
    const min = leastOf(points.map(({ mean, meanLoss }) => ({ error: mean, loss: meanLoss })), measure);
    const [mean, deviation] = measure === 'error' ? ['mean', 'standardError'] : ['meanLoss', 'lossStandardError'];
    const round = this.module.precision === 'float' ? Math.fround : Number;
    const most = round(points[min][mean] + points[min][deviation]);
    return { min, '1se': points.findIndex((point, l) => l === min || point[mean] <= most) };
  }
}

/** The place of the least held-out mean; of equal errors that of the least loss, then the largest lambda. */
function leastOf(points, measure) {
  const better = (a, b) => (measure === 'error' && a.error !== b.error ? a.error < b.error : a.loss < b.loss);
  return points.reduce((best, point, l) => (better(point, points[best]) ? l : best), 0);
}

/** Grids that need at least as many bytes as the one of a path: for the smallest λ, or for any where it is not known. */
export function sizeGrids({ lambdas, points }, { penalty }) {
  const last = lambdas?.at(-1);
  if (last !== undefined) return [{ first: last || 1e-30, ratio: 1, points }];
  return [{ ratio: 1, points }, ...(penalty === 'ridge' ? [{ first: 1e-30, ratio: 1, points }] : [])];
}

/** Advances a run to its end in slices, told of by `progress`. */
export async function drive(run, { onProgress, signal, sliceMilliseconds = default_slice }, advance, progress) {
  while (run.running) {
    if (signal?.aborted) {
      run.stop();
    } else {
      advance(sliceMilliseconds);
      if (run.running && onProgress?.(progress()) === false) run.stop();
    }
    if (run.running) await otherWork();
  }
}

/** What onProgress is told. `before` and `all`: paths solved before this stage, and all that there are. */
export function progressOf(run, stage, points, before, all) {
  const [fold, point] = [run.fold, run.pointsDone];
  const share = Math.min((before + (fold ?? 0) + point / points) / all, 1);
  return { stage, fold, point, points, share, report: run.report() };
}

export function withLimit(problem, { memoryLimit = problem?.memoryLimit }) {
  return { ...problem, memoryLimit };
}

/** The path as plain data: begin(frame) once, then visit(point) for each point; the status it ends with. */
export async function followPath(module, problem, options, begin, visit) {
  const grid = gridOf(options, problem, 100);
  const run = new Selection(module, withLimit(problem, options), grid, 0);
  try {
    begin(run.modelFrame());
    run.startPath(visit);
    const progress = () => progressOf(run, 'path', grid.points, 0, 1);
    await drive(run, options, (milliseconds) => run.advancePath(milliseconds, visit), progress);
    options.onProgress?.({ ...progress(), ...(run.status === 'converged' ? { share: 1 } : {}) });
    return { status: run.status };
  } finally {
    run.release();
  }
}

function refuseStopped(run) {
  if (run.status === 'stopped') throw new TamisError('stopped', 'the cross-validation was stopped');
}

/** Drives a run of the refit to its end; what `result` makes of it. */
async function finish(run, options, advance, progress, result, begin = () => {}) {
  try {
    begin();
    await drive(run, options, advance, progress);
    refuseStopped(run);
    return result();
  } finally {
    run.release();
  }
}

/** The features that the model of a lambda keeps without the samples of a fold. */
function keptWithout(module, problem, lambda, foldOf, fold, options, stage) {
  const { sampleWeights } = problem;
  const weights = Array.from(foldOf, (of, i) => (of === fold ? 0 : (sampleWeights?.[i] ?? 1)));
  const run = new Training(module, { ...problem, lambda, sampleWeights: weights });
  const progress = () => ({ ...stage, fold, point: 0, report: run.report() });
  return finish(run, options, (milliseconds) => run.advance(milliseconds), progress, () => {
    const { features, weights: w } = run.modelData();
    const classes = w.length / features;
    return Array.from({ length: features }, (_, j) => j).filter((j) => {
      for (let k = 0; k < classes; ++k) if (w[j * classes + k] !== 0) return true;
      return false;
    });
  });
}

/**
 * The place of the ridge lambda of least held-out mean, where each fold keeps the features that its own samples choose:
 * those of the model have already seen what is held out. Of equal errors that of the least loss, then the largest lambda.
 */
async function chooseRidge(module, problem, kept, foldOf, folds, lambdas, measure, options, { before, all }) {
  const sums = lambdas.map(() => ({ error: 0, loss: 0 }));
  for (let fold = 0; fold < folds; ++fold) {
    const stage = { stage: 'refit', points: lambdas.length, share: Math.min((before + fold) / all, 1) };
    const those = await kept(fold, stage);
    if (those.length === 0) continue;
    const its = restrictedTo(those, problem, module.Reals);
    const run = new Selection(module, its, gridOf({ lambdas }, its, 0), 1);
    const held = await finish(run, options, (milliseconds) => run.advanceFolds(milliseconds),
      () => ({ ...stage, fold, point: run.pointsDone, report: run.report() }), () => run.heldOut(),
      () => run.startFolds(only(fold, foldOf), lambdas));
    const weight = foldOf.reduce((sum, of, i) => sum + (of === fold ? (problem.sampleWeights?.[i] ?? 1) : 0), 0);
    held.forEach(({ mean, meanLoss }, l) => {
      sums[l].error += weight * mean;
      sums[l].loss += weight * meanLoss;
    });
  }
  return leastOf(sums, measure);
}

/** One fold alone. */
const only = (fold, foldOf) => foldOf.map((of) => (of === fold ? 0 : no_fold));

/** Solves for a lambda without each fold, and sets the scores of its samples: `scores` has samples × classes. */
function holdOut(module, problem, lambda, foldOf, folds, scores, options, stage) {
  const run = new Selection(module, problem, gridOf({ lambdas: [lambda] }, problem, 1), folds, true);
  const progress = () => ({ ...stage, fold: stage.fold ?? run.fold, point: 0, points: 1, report: run.report() });
  return finish(run, options, (milliseconds) => run.advanceFolds(milliseconds), progress, () => {
    foldOf.forEach((of, i) => of !== no_fold && scores.set(run.heldOutScores(i), i * run.classes.length));
  }, () => run.startFolds(foldOf, [lambda]));
}

/** Held-out scores of ridge, with the features that each fold's own samples choose, or of the model where these are none. */
async function holdOutRidge(module, problem, kept, lambdas, foldOf, folds, scores, options, { before, all }) {
  for (let fold = 0; fold < folds; ++fold) {
    const stage = { stage: 'calibration', fold, share: Math.min((before + fold) / all, 1) };
    const those = await kept(fold, stage);
    const its = those.length ? restrictedTo(those, problem, module.Reals) : problem;
    const lambda = those.length ? lambdas.ridge : lambdas.model;
    await holdOut(module, its, lambda, only(fold, foldOf), 1, scores, options, stage);
  }
}

/**
 * Path and folds of a problem: { frame, points, heldOut, chosen, foldOf }. `stages`: the names of the two, the paths
 * before them and those of all stages. deal(run) says the fold of each sample.
 */
async function validated(module, problem, grid, folds, measure, options, deal, stages) {
  const run = new Selection(module, problem, grid, folds);
  const stopped = () => refuseStopped(run);
  try {
    const foldOf = folds && deal(run);
    run.startPath();
    const { names, before, all } = stages;
    const progress = (stage, done) => () => progressOf(run, stage, run.points.length || grid.points, before + done, all);
    await drive(run, options, (milliseconds) => run.advancePath(milliseconds),
      () => progressOf(run, names[0], grid.points, before, all));
    stopped();
    const frame = run.modelFrame();
    const { points } = run;
    if (points.length === 0) throw invalidOption('maxFeatures: even the first lambda keeps more features');
    if (!folds) return { frame, points };
    run.startFolds(foldOf, points.map((point) => point.lambda));
    await drive(run, options, (milliseconds) => run.advanceFolds(milliseconds), progress(names[1], 1));
    stopped();
    const heldOut = run.heldOut().map((point, i) => ({ ...point, nonzeroRows: points[i].report.nonzeroRows }));
    return { frame, points, foldOf, heldOut, chosen: run.chosen(measure) };
  } finally {
    run.release();
  }
}

/**
 * Path, folds, the model at the λ that they choose, and ridge on its features: the result with models as plain data.
 * features(): the module that fits probabilities, where the options ask for it.
 */
export async function crossValidate(module, problem, options, features) {
  const { folds = 5, measure = 'error', choose = '1se', refit = false } = options;
  if (!Number.isInteger(folds) || folds < 2 || folds > 0xffffffff)
    throw invalidOption(`folds: ${shown(folds)} is not a whole number of at least 2`);
  oneOf('measure', measure, measures);
  oneOf('choose', choose, ['1se', 'min']);
  const again = refitOf(refit);
  const calibrate = options.calibrate === undefined ? null : await calibration(options.calibrate, features);
  const solved = 1 + folds + (again ? (again.lambda === undefined ? 1 + folds : 1) : 0);
  const all = solved + (calibrate ? (again ? 2 : 1) * folds : 0);
  const limited = withLimit(problem, options);
  const result = await validated(module, limited, gridOf(options, problem, 50), folds, measure, options,
    (run) => run.deal(options), { names: ['path', 'folds'], before: 0, all });
  const { frame, points, heldOut, chosen, foldOf } = result;
  const point = points[chosen[choose]];
  const restricted = again && point.kept.length > 0 ? restrictedTo(point.kept, limited, module.Reals) : null;
  const of_fold = [];
  const kept = async (fold, stage) =>
    (of_fold[fold] ??= await keptWithout(module, limited, point.lambda, foldOf, fold, options, stage));
  let ridge = null;
  let ridgeLambda = null;
  if (restricted) {
    const grid = gridOf(again.lambda === undefined ? {} : { lambdas: [again.lambda] }, restricted, 50);
    const refitted = await validated(module, restricted, grid, 0, measure, options, null,
      { names: ['refit'], before: 1 + folds, all });
    const chosenRidge = again.lambda !== undefined ? 0
      : await chooseRidge(module, limited, kept, foldOf, folds, refitted.points.map(({ lambda }) => lambda), measure,
        options, { before: 2 + folds, all });
    const best = refitted.points[chosenRidge];
    ridgeLambda = best.lambda;
    const its = best.kept.map((j) => point.kept[j]);
    ridge = modelData({ ...frame, penalty: 'ridge' }, { ...best, features: point.features, kept: its });
  }
  const model = modelData(frame, point);
  if (calibrate) {
    const { labels, classes } = labelsOf(problem.y, foldOf.length);
    const weights = Float64Array.from(labels, (_, i) => problem.sampleWeights?.[i] ?? 1);
    const fitted = (scores) => {
      const { calibration, status, heldOut: measured } = calibrate({ scores, labels, weights, classes, foldOf, folds });
      return { ...calibration, status, heldOut: measured };
    };
    const scores = new module.Reals(labels.length * classes.length);
    await holdOut(module, limited, point.lambda, foldOf, folds, scores, options,
      { stage: 'calibration', share: solved / all });
    model.calibration = fitted(scores);
    if (ridge) {
      await holdOutRidge(module, limited, kept, { model: point.lambda, ridge: ridgeLambda }, foldOf, folds, scores, options,
        { before: solved + folds, all });
      ridge.calibration = fitted(scores);
    }
  }
  const lambdaOf = (which) => points[chosen[which]].lambda;
  const last = again ? 'refit' : 'folds';
  options.onProgress?.({
    stage: calibrate ? 'calibration' : last, fold: null, point: points.length, points: points.length, share: 1,
    report: point.report,
  });
  return {
    points: heldOut,
    lambdaMin: lambdaOf('min'),
    lambda1se: lambdaOf('1se'),
    lambda: point.lambda,
    model,
    refit: ridge,
  };
}

/** What fits probabilities of a kind to held-out scores. */
async function calibration(kind, features) {
  const { calibrate, kinds } = await import('./calibration.js');
  oneOf('calibrate', kind, kinds);
  const module = await features();
  return (held) => calibrate(module, kind, held);
}

function oneOf(name, value, names) {
  if (!names.includes(value)) throw invalidOption(`${name}: ${shown(value)} is not one of ${names.join(', ')}`);
}

/** null, or { lambda } with the λ that is given. */
function refitOf(refit) {
  if (refit === false || refit === null) return null;
  if (refit === true) return {};
  if (typeof refit === 'object' && numberOf(refit.lambda) >= 0 && refit.lambda < Infinity) return { lambda: refit.lambda };
  throw invalidOption(`refit: ${shown(refit)} is neither true nor false nor { lambda } with a number of at least 0`);
}

/** The problem with ridge on some of its features. */
function restrictedTo(kept, problem, Reals) {
  const { samples, at } = samplesOf(problem.X);
  const values = new Reals(samples * kept.length);
  kept.forEach((j, column) => {
    for (let i = 0; i < samples; ++i) values[column * samples + i] = at(i, j);
  });
  const { y, loss, tolerance, maxIterations, intercept, sampleWeights, margin, margins, precision, memoryLimit } = problem;
  return {
    X: { values, samples, features: kept.length, layout: 'columns' }, y, loss, penalty: 'ridge', tolerance, maxIterations,
    intercept, sampleWeights, margin, margins, precision, memoryLimit,
  };
}
