// Paths, and the choice of lambda: the path of all samples, then what folds say of its points; for all families alike.

import { invalidOption, TamisError } from './error.js';
import { chosenOf, deal, Folds, foldsOf } from './folds.js';
import { gridOf, progressOf, withLimit } from './grid.js';
import { LinearPath, pathOf } from './paths.js';
import { choice } from './problem.js';
import { drive, stopped } from './slices.js';

/** The linear path as plain data: begin(frame) once, then visit(point) for each point; the status it ends with. */
export async function followPath(module, problem, options, begin, visit) {
  const run = new LinearPath(module, withLimit(problem, options), gridOf(options, problem, 100));
  const progress = () => progressOf(run, 'path', run.grid.points, 0, 1);
  run.reserve();
  try {
    begin(run.modelFrame());
    run.begin(visit);
    await drive(run, options, progress);
    options.onProgress?.({ ...progress(), ...(run.status === 'converged' ? { share: 1 } : {}) });
    return { status: run.status };
  } finally {
    run.release();
  }
}

/** Drives a run to its end, before it is stopped. */
export async function driveThrough(what, run, options, progress) {
  await drive(run, options, progress);
  if (run.status === 'stopped') throw stopped(what);
}

/** { measure, choose }, checked. */
export function criteriaOf({ measure = 'error', choose = '1se' }) {
  choice('measure', measure, ['error', 'loss']);
  choice('choose', choose, ['1se', 'min']);
  return { measure, choose };
}

/**
 * Path and folds of a run: { points, heldOut, chosen, foldOf }, without `folding` points alone. `stages`: what all is called,
 * the names of the two, the paths before them and those of all stages.
 */
export async function validated(path, folding, measure, options, { what, names, before = 0, all }) {
  let folds = null;
  try {
    const foldOf = folding && deal(path, folding, options);
    path.reserve(folding?.held);
    path.begin();
    await driveThrough(what, path, options, () => progressOf(path, names[0], path.grid.points, before, all));
    const { points } = path;
    if (points.length === 0) throw invalidOption('maxFeatures: even the first lambda keeps more features');
    if (!folding) return { points };
    folds = new Folds(path, points.map(({ lambda }) => lambda), foldOf, folding.held);
    await driveThrough(what, folds, options, () => progressOf(folds, names[1], points.length, before + 1, all));
    const heldOut = folds.heldOut().map((point, i) => ({ ...point, ...path.summaryOf(points[i]) }));
    return { points, foldOf, heldOut, chosen: chosenOf(heldOut, measure, path.module.precision) };
  } finally {
    folds?.release();
    path.release();
  }
}
/** What the choice among points comes to. */
export const lambdasOf = ({ heldOut, chosen }, choose) => ({
  points: heldOut, lambdaMin: heldOut[chosen.min].lambda, lambda1se: heldOut[chosen['1se']].lambda, lambda: heldOut[chosen[choose]].lambda,
});

/**
 * { points, lambdaMin, lambda1se, lambda, model }, the model of the chosen lambda as plain data; `train(problem)` gives it.
 * `Training`: that of the family, whose module `module` is.
 */
export async function selectLambda(Training, module, problem, options, train) {
  const { name, train: of_train, ratio, zero } = Training.selection;
  const { measure, choose } = criteriaOf(options);
  for (const option of ['refit', 'calibrate', 'maxFeatures'])
    if (options[option] !== undefined) throw invalidOption(`${option}: choosing lambda for ${name} has no such option`);
  if (problem?.lambda !== undefined) throw invalidOption(`lambda: is what is chosen; give lambdas in the options, or ${of_train}`);
  const folding = foldsOf(options);
  const grid = gridOf(options, problem, 50);
  grid.ratio ??= ratio(problem);
  if (grid.lambdas && !(grid.lambdas.at(-1) > 0))
    throw new TamisError('invalid_lambda', `lambdas[${grid.points - 1}]: 0 is not positive: ${zero}`);
  const limited = withLimit(problem, options);
  const path = new (pathOf(Training))(module, limited, grid);
  const stages = { what: 'the choice of lambda', names: ['path', 'folds'], all: 2 + folding.held };
  const answer = lambdasOf(await validated(path, folding, measure, options, stages), choose);
  return { ...answer, model: await train({ ...limited, lambda: answer.lambda }) };
}
