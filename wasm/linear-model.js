// Trained linear models: scores, probabilities, sets of classes, and how well they do.

import { invalidOption } from './error.js';
import { evaluateSets, setOf } from './label-sets.js';
import { BaseModel, bestOf } from './model.js';
import { labelListOf, ranking, roundingOf, samplesOf } from './problem.js';

export class Model extends BaseModel {
  #exporter;

  constructor(data, exporter) {
    super(data, exporter);
    this.#exporter = exporter;
    this.weights = data.weights;
    this.calibration = data.calibration ?? null;
    this.thresholds = data.thresholds ?? null;
    this.keptFeatures = [];
    for (let j = 0; j < data.features; ++j) if (this.#row(j).some((w) => w !== 0)) this.keptFeatures.push(j);
  }

  #row(j) {
    return this.weights.subarray(j * this.classes.length, (j + 1) * this.classes.length);
  }

  /** score_k = b_k + sum over j of z_j w_jk, added in the order of j. */
  scoresOf(z) {
    const round = roundingOf(this.precision);
    const { weights } = this;
    const scores = this.intercepts.map((b) => b + 0); // what is not kept adds zeros: the same bits without it
    const classes = scores.length;
    // Products of two floats are exact in double: each operation is rounded once, as in single precision.
    for (const j of this.keptFeatures)
      for (let k = 0; k < classes; ++k) scores[k] += round(z[j] * weights[j * classes + k]);
    return scores;
  }

  /** One probability per class: by the calibration, or the softmax of the scores for models of the logistic loss. */
  probabilities(x) {
    const { loss } = this.data;
    if (!this.#hasProbabilities)
      throw invalidOption(`probabilities are for models of the logistic loss, or with a calibration; this one has ${loss}`);
    return softmax(this.#levels(this.scores(x)));
  }
  get #hasProbabilities() {
    return this.calibration !== null || this.data.loss === 'logistic';
  }
  /** Logarithms of probabilities, but for a term that all classes share. */
  #levels(scores) {
    return this.calibration ? levelsOf(this.calibration, scores) : scores;
  }

  /** Of each sample of X. */
  scoresOfAll(X) {
    return Array.from(this.allScores(X));
  }
  /** The classes of the set of a sample, by the thresholds. */
  predictSet(x) {
    return this.#set(this.scores(x));
  }
  /** Those of all samples of X. */
  predictSets(X) {
    return Array.from(this.allScores(X), (scores) => this.#set(scores));
  }
  #set(scores) {
    if (!this.thresholds) throw invalidOption(`sets are for models trained with ${ranking} and thresholds`);
    return setOf(this.thresholds, scores).map((k) => this.classes[k]);
  }

  /** How well the model does on samples whose labels are known. Labels that it does not have count as wrong. */
  evaluate(X, y) {
    if (this.data.loss === ranking) throw invalidOption(`evaluate: is of one label per sample, with ${ranking} there is evaluateSets`);
    const count = this.classes.length;
    const labels = labelListOf(y, samplesOf(X).samples);
    const numbers = new Map(this.classes.map((label, k) => [String(label), k]));
    const confusion = this.classes.map(() => new Array(count).fill(0));
    const occurrences = new Array(count).fill(0); // of a class, true or predicted
    let [i, right, unseen, loss] = [0, 0, 0, 0];
    for (const scores of this.allScores(X)) {
      const truth = numbers.get(String(labels[i++]));
      const predicted = bestOf(scores);
      ++occurrences[predicted];
      if (truth === undefined) {
        ++unseen;
        loss = Infinity;
        continue;
      }
      ++occurrences[truth];
      ++confusion[truth][predicted];
      right += truth === predicted;
      const levels = this.#levels(scores);
      loss += logOfSum(levels) - levels[truth];
    }
    const scored = occurrences.flatMap((both, k) => (both > 0 ? [(2 * confusion[k][k]) / both] : []));
    return {
      accuracy: right / i,
      macroF1: scored.length ? scored.reduce((sum, f1) => sum + f1, 0) / scored.length : NaN,
      logLoss: this.#hasProbabilities ? loss / i : null,
      confusion,
      unseen,
    };
  }

  /** The same of samples with several labels, each an array. */
  evaluateSets(X, y) {
    const labels = labelListOf(y, samplesOf(X).samples);
    return evaluateSets(this.classes, this.thresholds, this.allScores(X), labels);
  }

  toBlob() {
    this.needPlain();
    return this.#exporter.toBlob(this.data);
  }
  /** The model file that the tamis command writes and reads. */
  toJSON() {
    const { loss, penalty, lambda, eta, samples } = this.data;
    const { kind, slopes, offsets } = this.calibration ?? {};
    const indices = this.keptFeatures;
    return this.fileOf('linear', indices, { coefficients: { indices, values: indices.map((j) => this.numbersOf(this.#row(j))) } }, {
      calibration: kind ? { kind, slopes, offsets } : null,
      ...(this.thresholds ? { thresholds: this.thresholds } : {}),
      loss, penalty, lambda,
      ...(eta === undefined ? {} : { eta }),
      ...(samples ? { samples } : {}),
    });
  }
}

function logOfSum(scores) {
  const top = Math.max(...scores);
  let sum = 0;
  for (const score of scores) sum += Math.exp(score - top);
  return top + Math.log(sum);
}
/** Of z = slope · score + offset: z with softmax, the logarithm of 1/(1 + exp(-z)) with sigmoids. */
const levelsOf = ({ kind, slopes, offsets }, scores) =>
  Float64Array.from(scores, (score, k) => {
    const z = slopes[k] * score + offsets[k];
    return kind === 'softmax' ? z : Math.min(z, 0) - Math.log1p(Math.exp(-Math.abs(z)));
  });
/** The probabilities of the classes of a sample with these scores. */
export const probabilitiesOf = (calibration, scores) => softmax(levelsOf(calibration, scores));

function softmax(scores) {
  const log = logOfSum(scores);
  return Float64Array.from(scores, (score) => Math.exp(score - log));
}
