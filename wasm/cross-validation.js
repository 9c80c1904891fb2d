// Cross-validation of linear models: lambda by folds, ridge on the features that it keeps, and probabilities.

import { modelData } from './coefficients.js';
import { invalidOption } from './error.js';
import { Folds, foldsOf, leastOf, no_fold, only } from './folds.js';
import { gridOf, withLimit } from './grid.js';
import { Training } from './linear.js';
import { LinearPath } from './paths.js';
import { choice, labelsOf, numberOf, samplesOf, shown } from './problem.js';
import { criteriaOf, driveThrough, lambdasOf, validated } from './selection.js';

const what = 'the cross-validation';

/** The features that the model of a lambda keeps without the samples of a fold. */
async function keptWithout(module, problem, lambda, foldOf, fold, options, stage) {
  const { sampleWeights } = problem;
  const weights = Array.from(foldOf, (of, i) => (of === fold ? 0 : (sampleWeights?.[i] ?? 1)));
  const run = new Training(module, { ...problem, lambda, sampleWeights: weights });
  try {
    await driveThrough(what, run, options, () => ({ ...stage, fold, point: 0, report: run.report() }));
    return run.keptFeatures();
  } finally {
    run.release();
  }
}

/** Folds of some lambdas without a path before them: result(folds). `keep`: with the scores of what they hold out. */
async function foldsAlone(module, problem, lambdas, foldOf, held, keep, options, progress, result) {
  const path = new LinearPath(module, problem, gridOf({ lambdas }, problem));
  path.reserve(held, keep);
  try {
    const folds = new Folds(path, lambdas, foldOf, held);
    await driveThrough(what, folds, options, () => progress(folds));
    return result(folds);
  } finally {
    path.release();
  }
}

/**
 * The place of the ridge lambda of least held-out mean, where each fold keeps the features that its own samples choose:
 * those of the model have already seen what is held out. Of equal errors that of the least loss, then the largest lambda.
 */
async function chooseRidge(module, problem, kept, foldOf, folds, lambdas, measure, options, { before, all }) {
  const sums = lambdas.map(() => ({ mean: 0, meanLoss: 0 }));
  for (let fold = 0; fold < folds; ++fold) {
    const stage = { stage: 'refit', points: lambdas.length, share: Math.min((before + fold) / all, 1) };
    const those = await kept(fold, stage);
    if (those.length === 0) continue;
    const its = restrictedTo(those, problem, module.Reals);
    const held = await foldsAlone(module, its, lambdas, only(fold, foldOf), 1, false, options,
      (run) => ({ ...stage, fold, point: run.pointsDone, report: run.report() }), (run) => run.heldOut());
    const weight = foldOf.reduce((sum, of, i) => sum + (of === fold ? (problem.sampleWeights?.[i] ?? 1) : 0), 0);
    held.forEach(({ mean, meanLoss }, l) => {
      sums[l].mean += weight * mean;
      sums[l].meanLoss += weight * meanLoss;
    });
  }
  return leastOf(sums, measure);
}

/** Solves for a lambda without each fold, and sets the scores of its samples: `scores` has samples × classes. */
function holdOut(module, problem, lambda, foldOf, folds, scores, options, stage) {
  const classes = scores.length / foldOf.length;
  return foldsAlone(module, problem, [lambda], foldOf, folds, true, options,
    (run) => ({ ...stage, fold: stage.fold ?? run.fold, point: 0, points: 1, report: run.report() }),
    (run) => foldOf.forEach((of, i) => of !== no_fold && scores.set(run.scoresOf(i), i * classes)));
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
 * Path, folds, the model at the λ that they choose, and ridge on its features: the result with models as plain data.
 * features(): the module that fits probabilities, where the options ask for it.
 */
export async function crossValidate(module, problem, options, features) {
  const { folds } = foldsOf({ folds: options.folds });
  const { measure, choose } = criteriaOf(options);
  const again = refitOf(options.refit ?? false);
  const calibrate = options.calibrate === undefined ? null : await calibration(options.calibrate, features);
  const solved = 1 + folds + (again ? (again.lambda === undefined ? 1 + folds : 1) : 0);
  const all = solved + (calibrate ? (again ? 2 : 1) * folds : 0);
  const limited = withLimit(problem, options);
  const path = new LinearPath(module, limited, gridOf(options, problem, 50));
  const frame = path.modelFrame();
  const result = await validated(path, { folds, held: folds }, measure, options, { what, names: ['path', 'folds'], all });
  const { points, chosen, foldOf } = result;
  const point = points[chosen[choose]];
  const restricted = again && point.kept.length > 0 ? restrictedTo(point.kept, limited, module.Reals) : null;
  const of_fold = [];
  const kept = async (fold, stage) =>
    (of_fold[fold] ??= await keptWithout(module, limited, point.lambda, foldOf, fold, options, stage));
  let ridge = null;
  let ridgeLambda = null;
  if (restricted) {
    const grid = gridOf(again.lambda === undefined ? {} : { lambdas: [again.lambda] }, restricted, 50);
    const refitted = await validated(new LinearPath(module, restricted, grid), null, measure, options,
      { what, names: ['refit'], before: 1 + folds, all });
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
    await holdOut(module, limited, point.lambda, foldOf, folds, scores, options, { stage: 'calibration', share: solved / all });
    model.calibration = fitted(scores);
    if (ridge) {
      await holdOutRidge(module, limited, kept, { model: point.lambda, ridge: ridgeLambda }, foldOf, folds, scores, options,
        { before: solved + folds, all });
      ridge.calibration = fitted(scores);
    }
  }
  const stage = calibrate ? 'calibration' : again ? 'refit' : 'folds';
  options.onProgress?.({ stage, fold: null, point: points.length, points: points.length, share: 1, report: point.report });
  return { ...lambdasOf(result, choose), model, refit: ridge };
}

/** What fits probabilities of a kind to held-out scores. */
async function calibration(kind, features) {
  const { calibrate, kinds } = await import('./calibration.js');
  choice('calibrate', kind, kinds);
  const module = await features();
  return (held) => calibrate(module, kind, held);
}

/** null, or { lambda } with the λ that is given. */
function refitOf(refit) {
  if (refit === false) return null;
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
