// Probabilities of classes from held-out scores, fitted inside a module of features.

import { TamisError } from './error.js';
import { probabilitiesOf } from './linear-model.js';
import { shown } from './problem.js';

export const kinds = ['sigmoid', 'softmax']; // tamis_calibration_kind
const bin_count = 10;
// tamis_scored, tamis_calibration and its options and report
const scored_struct = { words: ['scores', 'labels', 'weights', 'samples', 'classes', 'stride'] };
const options_struct = { defaults: 'default_calibration_options', reals: ['tolerance'], words: ['maxIterations', 'kind'] };
const calibration_struct = { words: ['slopes', 'offsets', 'classes', 'kind'] };
const report_struct = { reals: ['objective', 'gradient'], words: ['status', 'iterations', 'row', 'column', 'arenaBytes'] };

/** Fits { kind, slopes, offsets } to scores, samples × classes; `weights`: one per sample. */
function fit(module, kind, scores, labels, weights, classes) {
  const [samples, count] = [labels.length, classes.length];
  const bytes = module.call('calibration_bytes', kinds.indexOf(kind), count);
  const { Reals } = module;
  const parts = {
    scores: Reals.from(scores), labels, weights: Reals.from(weights), scored: module.bytesOf(scored_struct),
    options: module.bytesOf(options_struct), calibration: module.bytesOf(calibration_struct),
    report: module.bytesOf(report_struct), arena: bytes,
  };
  return module.with(parts, (at) => {
    module.write(scored_struct, at.scored, { ...at, samples, classes: count, stride: count });
    module.write(options_struct, at.options, { kind: kinds.indexOf(kind) });
    const status = module.statuses[module.call('calibrate', at.scored, at.options, at.arena, bytes, at.calibration, at.report)];
    const { slopes, offsets, classes: fitted } = module.read(calibration_struct, at.calibration);
    if (fitted === 0) {
      const { column } = module.read(report_struct, at.report);
      const where = status === 'missing_class' ? `class ${shown(classes[column])}: ` : '';
      throw new TamisError(status, `calibrate: ${where}${module.sentence(status)}`, where ? { column } : {});
    }
    const numbers = (from) => Array.from(module.realsAt(from, count));
    return { status, calibration: { kind, slopes: numbers(slopes), offsets: numbers(offsets) } };
  });
}

/** How far the probabilities of samples can be taken at their word; `probabilities(i)` are those of sample i. */
function measure(labels, weights, probabilities) {
  const bins = Array.from({ length: bin_count }, () => ({ weight: 0, confidence: 0, accuracy: 0 }));
  let [all, logLoss, error] = [0, 0, 0];
  labels.forEach((label, i) => {
    if (!(weights[i] > 0)) return;
    const p = probabilities(i);
    const confidence = Math.max(...p);
    const right = p.indexOf(confidence) === label;
    const bin = bins[Math.min(Math.floor(confidence * bin_count), bin_count - 1)];
    bin.weight += weights[i];
    bin.confidence += weights[i] * confidence;
    bin.accuracy += right ? weights[i] : 0;
    all += weights[i];
    logLoss -= weights[i] * Math.log(p[label]);
    error += right ? 0 : weights[i];
  });
  let calibrationError = 0;
  for (const bin of bins) {
    calibrationError += Math.abs(bin.accuracy - bin.confidence) / all;
    for (const mean of ['confidence', 'accuracy']) bin[mean] = bin.weight > 0 ? bin[mean] / bin.weight : null;
    bin.weight /= all;
  }
  return { logLoss: logLoss / all, calibrationError, error: error / all, bins };
}

/**
 * Fits probabilities to the held-out scores of all samples, and measures them: for the samples of each fold by those
 * fitted to all others. { calibration, status, heldOut }.
 */
export function calibrate(module, kind, { scores, labels, weights, classes, foldOf, folds }) {
  const count = classes.length;
  const heldOut = new Array(labels.length);
  for (let fold = 0; fold < folds; ++fold) {
    const others = weights.map((weight, i) => (foldOf[i] === fold ? 0 : weight));
    const { calibration } = fit(module, kind, scores, labels, others, classes);
    foldOf.forEach((of, i) => {
      if (of === fold) heldOut[i] = probabilitiesOf(calibration, scores.subarray(i * count, (i + 1) * count));
    });
  }
  const measured = measure(labels, weights, (i) => heldOut[i]);
  return { ...fit(module, kind, scores, labels, weights, classes), heldOut: measured };
}
