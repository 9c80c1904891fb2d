// The lambdas of a path: the grid that is asked for, and what is told of a run on its way along it.

import { invalidOption, TamisError } from './error.js';
import { all_ones } from './module.js';
import { countOf, isArrayLike, numberOf, roundingOf, shown } from './problem.js';

export const most_steps = 64; // in one call: they do not cost the same at all lambdas
export const grid_struct = { reals: ['first', 'ratio'], words: ['points', 'maxFeatures', 'lambdas'] }; // tamis_grid

/** `lambdas` is the address of `points` numbers, or 0. */
export function writeGrid(module, at, { first = NaN, maxFeatures = all_ones, lambdas = 0, ...others }) {
  module.write(grid_struct, at, { ...others, first, maxFeatures, lambdas });
}

/** The grid that is asked for, checked: { lambdas, points, ratio, maxFeatures }. */
export function gridOf({ lambdas, points, ratio, maxFeatures }, { precision }, usual_points) {
  const more = { maxFeatures: maxFeatures === undefined ? undefined : countOf('maxFeatures', maxFeatures) };
  if (lambdas === undefined) {
    if (ratio !== undefined && !(numberOf(ratio) > 0 && ratio < 1))
      throw invalidOption(`ratio: ${shown(ratio)} does not lie between 0 and 1`);
    return { points: points === undefined ? usual_points : countOf('points', points), ratio, ...more };
  }
  if (points !== undefined || ratio !== undefined) throw invalidOption('lambdas: points and ratio are for a path without');
  if (!isArrayLike(lambdas) || lambdas.length === 0) throw invalidOption('lambdas must be an array of numbers');
  const round = roundingOf(precision);
  const values = Array.from(lambdas, (lambda) => round(numberOf(lambda)));
  values.forEach((lambda, i) => {
    const say = (what) => new TamisError('invalid_lambda', `lambdas[${i}]: ${shown(lambdas[i])} ${what}`, { row: i });
    if (!(lambda >= 0 && lambda < Infinity)) throw say('is not a finite number of at least 0');
    if (i > 0 && lambda >= values[i - 1]) throw say(`is not below ${shown(lambdas[i - 1])}: they must descend`);
  });
  return { lambdas: values, points: values.length, ratio: 1, ...more };
}

/** What onProgress is told. `before` and `all`: paths solved before this stage, and all that there are. */
export function progressOf(run, stage, points, before, all) {
  const { fold, pointsDone: point } = run;
  const share = Math.min((before + (fold ?? 0) + point / points) / all, 1);
  return { stage, fold, point, points, share, report: run.report() };
}

export function withLimit(problem, { memoryLimit = problem?.memoryLimit }) {
  return { ...problem, memoryLimit };
}
