// Which samples are held out together, and what is said of them by models that have not seen them.

import { strideOf } from './coefficients.js';
import { invalidOption, invalidShape, TamisError } from './error.js';
import { grid_struct, most_steps, writeGrid } from './grid.js';
import { Layout } from './module.js';
import { isArrayLike, numberOf, roundingOf, seedOf, shown } from './problem.js';
import { report_struct, Run } from './run.js';

const state_bytes = 312 * 8; // TAMIS_STABILITY_WORDS, more than those of the other families
const held_out_struct = { reals: ['lambda', 'mean', 'standardError', 'meanLoss', 'lossStandardError'] };
const usual_folds = 5;
export const no_fold = 0xffffffff; // TAMIS_NO_FOLD

/** { folds, held }: how many folds are dealt, and how many of them are held out in turn. */
export function foldsOf({ folds, validation }) {
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

/** One fold alone. */
export const only = (fold, foldOf) => foldOf.map((of) => (of === fold ? 0 : no_fold));

/** Deals the samples of a run: the fold of each, those below `held`. */
export function deal(run, { folds, held }, { stratified, groups, seed = 0 }) {
  if (run.sets && stratified) throw invalidOption('stratified: samples with several labels are dealt without');
  const byClass = Boolean(run.classes) && !run.sets; // others are dealt as if they were of one class
  const { module, samples } = run;
  const [labels, classes] = byClass ? [run.labels, run.classes] : [new Uint16Array(samples), [null]];
  const balanced = byClass && (stratified === undefined || Boolean(stratified));
  seedOf(seed);
  const group = groups === undefined ? null : groupNumbers(groups, samples);
  const parts = {
    labels, foldOf: samples * 4, order: (samples + 1) * 4, rare: 4, groups: group && group.numbers,
    starts: group && (samples + 1) * 4, counts: group && folds * classes.length * 4,
  };
  const foldOf = module.with(parts, (at) => {
    if (group) {
      if (!module.common('deal_groups', at.labels, samples, classes.length, at.groups, folds, at.foldOf, at.order, at.starts, at.counts))
        throw invalidOption(`folds: there are ${group.count} groups for ${folds} folds`);
    } else if (!module.common('deal_folds', at.labels, samples, classes.length, folds, Number(balanced), BigInt(seed), at.foldOf, at.order,
      at.rare)) {
      const column = module.words[at.rare / 4];
      if (column >= classes.length || !balanced) throw invalidOption(`folds: there are ${samples} samples for ${folds} folds`);
      const count = labels.reduce((sum, label) => sum + (label === column), 0);
      throw invalidOption(`folds: class ${shown(classes[column])} has ${count} samples, fewer than the ${folds} folds`, { column });
    }
    return module.words.slice(at.foldOf / 4, at.foldOf / 4 + samples);
  });
  return held === 1 ? only(0, foldOf) : foldOf;
}

/** { numbers, count } of one group per sample, numbered in the order in which they occur. */
function groupNumbers(groups, samples) {
  if (!isArrayLike(groups)) throw invalidOption('groups must be an array with one group per sample');
  if (groups.length !== samples) throw invalidShape(`groups has ${groups.length} entries for ${samples} samples`);
  const known = new Map();
  const numbers = Uint32Array.from(groups, (group) => {
    if (!known.has(String(group))) known.set(String(group), known.size);
    return known.get(String(group));
  });
  return { numbers, count: known.size };
}

/** Throws when a class has no sample of positive weight outside some fold. */
function checkFolds({ classes, labels, sets, problem: { sampleWeights: weights } }, foldOf) {
  if (!classes || sets) return; // of sets the module says it
  const homes = classes.map(() => new Set());
  foldOf.forEach((fold, i) => (!weights || weights[i] > 0) && homes[labels[i]].add(fold));
  homes.forEach(([fold, other], column) => {
    if (fold === undefined || other !== undefined || fold === no_fold) return;
    throw new TamisError('missing_class', `class ${shown(classes[column])} has no sample outside fold ${fold}`, { column, fold });
  });
}

/** Parts of memory of so many points; `scores`: bytes of those of samples that are held out, or null. */
const partsOf = (module, samples, points, scores) => ({
  report: module.bytesOf(report_struct), state: state_bytes, grid: module.bytesOf(grid_struct), lambdas: points * module.scalarBytes,
  heldOut: module.bytesOf(held_out_struct), foldOf: samples * 4, scores,
});
/** Bytes of all of them, for a path that lends them. */
export const bytesOfFolds = (...given) => new Layout(partsOf(...given)).bytes;

/**
 * What folds say of some lambdas, on the samples that a path holds. A path that has `folds` in its memory lends that and its
 * arena.
 */
export class Folds extends Run {
  #path;
  #points;
  mostSteps = most_steps;

  /** `held`: how many folds there are, each sample of one below that or of none. Throws TamisError; then nothing is held. */
  constructor(path, lambdas, foldOf, held) {
    super(path.module, {});
    checkFolds(path, foldOf);
    this.prefix = `${path.prefix}cross_validation_`;
    this.#path = path;
    this.#points = lambdas.length;
    const { module, at: { problem, folds } } = path;
    const points = { lambdas: module.Reals.from(lambdas), foldOf };
    const parts = { ...partsOf(module, path.samples, lambdas.length, path.scores ?? null), ...points };
    const grid = (at) => writeGrid(module, at.grid, { ratio: 1, points: lambdas.length, lambdas: at.lambdas });
    if (folds) {
      this.borrow(parts, folds, path);
    } else {
      const bytes = module.with({ grid: parts.grid, ...points }, (at) => {
        grid(at);
        return module.arenaBytes(`${this.prefix}bytes`, problem, at.grid, at.foldOf, held);
      });
      this.hold(parts, { least: bytes, fast: bytes });
    }
    grid(this.at);
    this.start(problem, this.at.grid, this.at.foldOf, held, ...(folds ? [this.at.scores ?? 0] : []));
  }

  get calls() {
    const { prefix } = this;
    return { start: `${prefix}start${this.#path.at.folds ? '_keeping' : ''}`, step: `${prefix}step`, report: `${prefix}report` };
  }
  get fold() {
    return this.module.call(`${this.prefix}fold`, this.at.state);
  }
  get pointsDone() {
    return this.module.call(`${this.prefix}points_done`, this.at.state);
  }
  refusal(status, sentence, row, column) {
    return this.#path.refusalOfFolds?.(status, sentence, row, column) ?? new TamisError(status, sentence);
  }

  /** What the folds say of each lambda. */
  heldOut() {
    const { module, at } = this;
    return Array.from({ length: this.#points }, (_, i) => {
      module.call(`${this.prefix}at`, at.state, i, at.heldOut);
      return module.read(held_out_struct, at.heldOut);
    });
  }
  /** What the linear models of the first lambda say of sample i, which they have not seen: one score per class. */
  scoresOf(i) {
    const { module, at } = this;
    const { length: count } = this.#path.classes;
    return module.realsAt(at.scores + i * strideOf(module, count) * module.scalarBytes, count);
  }
}

/** The place of the least held-out mean; of equal errors that of the least loss, then the largest lambda. */
export function leastOf(points, measure) {
  const better = (a, b) => (measure === 'error' && a.mean !== b.mean ? a.mean < b.mean : a.meanLoss < b.meanLoss);
  return points.reduce((best, point, l) => (better(point, points[best]) ? l : best), 0);
}
/** The points that folds choose: of the least mean, and the first within one standard error of it. */
export function chosenOf(points, measure, precision) {
  const min = leastOf(points, measure);
  const [mean, deviation] = measure === 'error' ? ['mean', 'standardError'] : ['meanLoss', 'lossStandardError'];
  const most = roundingOf(precision)(points[min][mean] + points[min][deviation]);
  return { min, '1se': points.findIndex((point, l) => l === min || point[mean] <= most) };
}
