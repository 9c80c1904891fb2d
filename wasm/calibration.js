// Probabilities of classes from held-out scores, fitted inside a module of features.

import { TamisError } from './error.js';
import { Layout } from './module.js';
import { probabilitiesOf } from './model.js';
import { shown } from './problem.js';

export const kinds = ['sigmoid', 'softmax']; // tamis_calibration_kind
const bin_count = 10;

/** Fits { kind, slopes, offsets } to scores, samples × classes; `weights`: one per sample. */
function fit(module, kind, scores, labels, weights, classes) {
  const samples = labels.length;
  const scalar = module.scalarBytes;
  const bytes = module.call('calibration_bytes', kinds.indexOf(kind), classes.length);
  const layout = new Layout();
  const at = {
    scores: layout.add(scores.length * scalar), labels: layout.add(samples * 2), weights: layout.add(samples * scalar),
    scored: layout.add(6 * 4), options: layout.add(scalar + 2 * 4), calibration: layout.add(4 * 4),
    report: layout.add(2 * scalar + 5 * 4), arena: layout.add(bytes),
  };
  return module.with(layout.bytes, (start) => {
    for (const part in at) at[part] += start;
    module.reals.set(scores, at.scores / scalar);
    module.halves.set(labels, at.labels / 2);
    module.reals.set(weights, at.weights / scalar);
    const count = classes.length;
    module.words.set([at.scores, at.labels, at.weights, samples, count, count], at.scored / 4);
    module.call('default_calibration_options', at.options);
    module.words[(at.options + scalar) / 4 + 1] = kinds.indexOf(kind);
    const status = module.statuses[module.call('calibrate', at.scored, at.options, at.arena, bytes, at.calibration, at.report)];
    const [slopes, offsets, fitted] = module.words.subarray(at.calibration / 4);
    if (fitted === 0) {
      const column = module.words[(at.report + 2 * scalar) / 4 + 3];
      const where = status === 'missing_class' ? `class ${shown(classes[column])}: ` : '';
      throw new TamisError(status, `calibrate: ${where}${module.sentence(status)}`, where ? { column } : {});
    }
    const numbers = (from) => Array.from(module.reals.subarray(from / scalar, from / scalar + count));
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
