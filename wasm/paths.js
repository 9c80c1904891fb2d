// Runs along a grid of lambdas: a path of linear models, which their module follows by itself, and the trainings of another
// family one after the other.

import { readRows, strideOf } from './coefficients.js';
import { TamisError } from './error.js';
import { bytesOfFolds } from './folds.js';
import { grid_struct, most_steps, writeGrid } from './grid.js';
import { LinearRun, sizesOf } from './linear.js';
import { dense } from './problem.js';

const state_bytes = 270 * 8; // TAMIS_PATH_WORDS

/** Base of runs of the module's paths, on one copy of the samples. */
export class PathRun extends LinearRun {
  mostSteps = most_steps;
  fold = null;

  constructor(module, problem, grid) {
    if (problem.eta !== undefined) throw new TamisError('invalid_eta', 'eta: a path is of the form with lambda');
    super(module, { ...problem, lambda: 0 });
    this.grid = grid;
  }
  get calls() {
    return { start: 'path_start', step: 'path_step', stop: 'path_stop', report: 'path_report' };
  }
  get lambda() {
    return this.module.real('path_lambda', this.at.state);
  }

  /** Takes memory for the path, more parts, and maybe folds. */
  holdPath(more = {}, folds = 0) {
    const { module, grid: { points } } = this;
    const lambdas = points * module.scalarBytes;
    this.hold({ state: state_bytes, grid: module.bytesOf(grid_struct), lambdas, ...more }, this.#sizes(folds));
  }
  /** What the largest of the grids takes of an arena. */
  #sizes(folds) {
    const { module, fields } = this;
    const nonzeros = this.table.nonzeros();
    const [name, ...given] = folds ? ['cross_validation_fast_bytes', folds] : ['path_fast_bytes'];
    const sizes = this.asked((problem) => module.with({ grid: module.bytesOf(grid_struct) }, ({ grid }) => this.#largest().map((some) => {
      writeGrid(module, grid, some);
      return sizesOf(module, fields, nonzeros, name, problem, grid, ...given);
    })));
    return { least: Math.max(...sizes.map(({ least }) => least)), fast: Math.max(...sizes.map(({ fast }) => fast)) };
  }
  /** Grids that need at least as many bytes as this one: for the smallest λ, or for any where it is not known. */
  #largest() {
    const { grid: { lambdas, points }, problem: { penalty } } = this;
    const last = lambdas?.at(-1);
    if (last !== undefined) return [{ first: last || 1e-30, ratio: 1, points }];
    return [{ ratio: 1, points }, ...(dense.includes(penalty) ? [{ first: 1e-30, ratio: 1, points }] : [])];
  }

  /** Begins with a grid, of given lambdas or of those from `first` on. */
  startPath({ lambdas, ...others }) {
    const { module, at } = this;
    if (lambdas) module.reals.set(lambdas, at.lambdas / module.scalarBytes);
    writeGrid(module, at.grid, { ...others, lambdas: lambdas ? at.lambdas : 0 });
    this.start(at.problem, at.grid);
  }
  get pointsOfModule() {
    return this.module.call('path_points', this.at.state);
  }
  /** The coefficients at the last point. */
  readPoint() {
    this.module.call('path_model', this.at.state, this.at.model);
    return readRows(this.module, this.at.model);
  }
}

/** A path whose points are kept. */
export class LinearPath extends PathRun {
  #spent = 0;
  #visit;
  points = [];

  /** Takes memory, also for so many folds; `keep`: whether these leave the scores of what they hold out. */
  reserve(folds = 0, keep = false) {
    const { module, samples, classes, grid: { points } } = this;
    this.scores = keep ? points * samples * strideOf(module, classes.length) * module.scalarBytes : null;
    this.holdPath({ folds: folds ? bytesOfFolds(module, samples, points, this.scores) : null }, folds);
  }
  /** visit(point) for each point, false stops. */
  begin(visit) {
    const { module, at, samples, features, grid } = this;
    this.#visit = visit;
    const keepsAll = dense.includes(this.problem.penalty);
    const ratio = grid.ratio ?? (keepsAll ? 1e-4 : features > samples ? 1e-2 : 1e-3);
    const first = keepsAll && !grid.lambdas ? module.real('mean_square_norm', at.problem, at.arena) || 1 : NaN;
    this.startPath({ ...grid, first, ratio });
    this.seen();
  }
  get pointsDone() {
    return this.points.length;
  }
  seen() {
    if (this.pointsOfModule === this.points.length) return;
    const { milliseconds, ...report } = this.report();
    this.points.push({ lambda: this.lambda, report: { ...report, milliseconds: milliseconds - this.#spent }, ...this.readPoint() });
    this.#spent = milliseconds;
    if (this.#visit?.(this.points.at(-1)) === false && this.running) this.stop();
  }
  /** What is told of a point beside what folds say of it. */
  summaryOf({ report: { nonzeroRows } }) {
    return { nonzeroRows };
  }
  refusalOfFolds(...given) {
    return this.refusal(...given);
  }
}

/** The trainings of each lambda in turn, from where the one before ended, of a family that says how in `Training.selection`. */
export const pathOf = (Training) => class extends Training {
  #first;
  points = [];
  fold = null;

  constructor(module, problem, grid) {
    super(module, { ...problem, lambda: 1 }); // another lambda is what counts
    this.grid = grid;
    const { at, prefix, arenaBytes } = this;
    this.writeProblem(Training.selection.fields(problem));
    this.#first = module.real(`${prefix}first_lambda`, at.problem, at.arena, arenaBytes) || 1;
  }
  reserve() {}
  begin() {
    const { at, arenaBytes, calls, problem } = this;
    this.writeProblem({ ...Training.selection.fields(problem), lambda: this.#lambdaAt(0) });
    this.#go(calls.start, at.problem, at.arena, arenaBytes);
    this.seen();
  }
  #lambdaAt(i) {
    const { module: { Reals }, grid: { lambdas, points, ratio } } = this;
    return Reals.of(lambdas ? lambdas[i] : i === 0 ? this.#first : this.#first * ratio ** (i / (points - 1)))[0];
  }
  #go(name, ...values) {
    this.timed(name, ...values);
    if (this.refused) throw new TamisError(this.status, this.module.sentence(this.status));
  }
  get pointsDone() {
    return this.points.length;
  }
  /** Takes points that have ended, and goes on to the next. */
  seen() {
    while (!this.running && this.status !== 'stopped' && this.pointsDone < this.grid.points) {
      const { status, nonzeros, nonzeroRows } = this.report();
      this.points.push({ lambda: this.#lambdaAt(this.pointsDone), status, nonzeros, nonzeroRows });
      if (this.pointsDone === this.grid.points) return;
      this.#go(`${this.prefix}go_on`, this.#lambdaAt(this.pointsDone), ...Training.selection.beside(this.problem));
    }
  }
  summaryOf(point) {
    return point;
  }
};
