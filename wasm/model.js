// A trained model: plain arrays that belong to JavaScript. Prediction is arithmetic in the order and the rounding of the
// library, so that its scores are the same bits.

import { invalidOption, invalidShape, TamisError } from './error.js';
import { evaluateSets, setOf } from './label-sets.js';
import { labelListOf, ranking, samplesOf } from './problem.js';

export const exactly = (x) => x;

export class Model {
  #data;
  #exporter;

  /** `exporter`: { toC(data, options), toBlob(data) }; what needs the module. */
  constructor(data, exporter) {
    this.#data = data;
    this.#exporter = exporter;
    this.report = data.report;
    this.classes = data.classes;
    this.features = data.features;
    this.weights = data.weights;
    this.intercepts = data.intercepts;
    this.calibration = data.calibration ?? null;
    this.thresholds = data.thresholds ?? null;
    this.keptFeatures = [];
    for (let j = 0; j < data.features; ++j) if (this.#row(j).some((w) => w !== 0)) this.keptFeatures.push(j);
  }

  get precision() {
    return this.#data.precision;
  }
  /** Everything the model consists of, for sending it elsewhere. */
  get data() {
    return this.#data;
  }

  #row(j) {
    return this.weights.subarray(j * this.classes.length, (j + 1) * this.classes.length);
  }

  /** score_k = b_k + sum over j of x_j w_jk, added in the order of j. */
  scores(x) {
    if (x?.length !== this.features)
      throw invalidShape(`a sample must have ${this.features} features, this one has ${x?.length}`);
    return this.#scores((j) => x[j]);
  }
  #scores(at, row) {
    const round = this.precision === 'float' ? Math.fround : exactly;
    const { weights } = this;
    const count = this.classes.length;
    const scores = this.intercepts.slice();
    for (let j = 0, w = 0; j < this.features; ++j) {
      const value = at(j);
      const entry = round(value);
      if (typeof value !== 'number' || !Number.isFinite(entry))
        throw new TamisError('invalid_data', `feature ${j} of the sample is not a finite number`, { row, column: j });
      // Products of two floats are exact in double: each operation is rounded once, as in single precision.
      for (let k = 0; k < count; ++k, ++w) scores[k] += round(entry * weights[w]);
    }
    return scores;
  }

  /** One probability per class: by the calibration, or the softmax of the scores for models of the logistic loss. */
  probabilities(x) {
    const { loss } = this.#data;
    if (!this.#hasProbabilities)
      throw invalidOption(`probabilities are for models of the logistic loss, or with a calibration; this one has ${loss}`);
    return softmax(this.#levels(this.scores(x)));
  }
  get #hasProbabilities() {
    return this.calibration !== null || this.#data.loss === 'logistic';
  }
  /** Logarithms of probabilities, but for a term that all classes share. */
  #levels(scores) {
    return this.calibration ? levelsOf(this.calibration, scores) : scores;
  }

  /** The class with the largest score, the first of equals. */
  predict(x) {
    return this.#label(this.scores(x));
  }
  /** The classes of all samples of X. */
  predictAll(X) {
    return Array.from(this.#allScores(X), (scores) => this.#label(scores));
  }
  /** Of each sample of X. */
  scoresOfAll(X) {
    return Array.from(this.#allScores(X));
  }
  /** The classes of the set of a sample, by the thresholds. */
  predictSet(x) {
    return this.#set(this.scores(x));
  }
  /** Those of all samples of X. */
  predictSets(X) {
    return Array.from(this.#allScores(X), (scores) => this.#set(scores));
  }
  #set(scores) {
    if (!this.thresholds) throw invalidOption(`sets are for models trained with ${ranking} and thresholds`);
    return setOf(this.thresholds, scores).map((k) => this.classes[k]);
  }
  *#allScores(X) {
    const { samples, features, at } = samplesOf(X);
    if (samples > 0 && features !== this.features)
      throw invalidShape(`samples must have ${this.features} features, these have ${features}`);
    for (let i = 0; i < samples; ++i) yield this.#scores((j) => at(i, j), i);
  }
  #label(scores) {
    return this.classes[bestOf(scores)];
  }

  /** How well the model does on samples whose labels are known. Labels that it does not have count as wrong. */
  evaluate(X, y) {
    if (this.#data.loss === ranking) throw invalidOption(`evaluate: is of one label per sample, with ${ranking} there is evaluateSets`);
    const count = this.classes.length;
    const labels = labelListOf(y, samplesOf(X).samples);
    const numbers = new Map(this.classes.map((label, k) => [String(label), k]));
    const confusion = this.classes.map(() => new Array(count).fill(0));
    const occurrences = new Array(count).fill(0); // of a class, true or predicted
    let [i, right, unseen, loss] = [0, 0, 0, 0];
    for (const scores of this.#allScores(X)) {
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
    return evaluateSets(this.classes, this.thresholds, this.#allScores(X), labels);
  }

  toC(options) {
    return this.#exporter.toC(this.#data, options);
  }
  toBlob() {
    return this.#exporter.toBlob(this.#data);
  }

  /** The model file that the tamis command writes and reads. */
  toJSON() {
    const data = this.#data;
    const { kind, slopes, offsets } = this.calibration ?? {};
    const number = this.precision === 'float' ? shortest : exactly;
    const numbers = (list) => Array.from(list, number);
    return {
      format: 'tamis-model',
      version: 1,
      kind: 'linear',
      written_by: `tamis ${data.version}`,
      classes: this.classes.map(String),
      feature_count: this.features,
      features: this.keptFeatures.map((j) => data.featureNames?.[j] ?? `x${j}`),
      coefficients: { indices: this.keptFeatures, values: this.keptFeatures.map((j) => numbers(this.#row(j))) },
      intercept: numbers(this.intercepts),
      scale: 1,
      standardisation: null,
      preparation: null,
      calibration: kind ? { kind, slopes, offsets } : null,
      ...(this.thresholds ? { thresholds: this.thresholds } : {}),
      loss: data.loss,
      penalty: data.penalty,
      lambda: data.lambda,
      ...(data.eta === undefined ? {} : { eta: data.eta }),
      ...(data.samples ? { samples: data.samples } : {}),
      precision: this.precision,
      self_test: data.selfTest.map((sample) => this.keptFeatures.map((j) => number(sample[j]))),
    };
  }
}

export function bestOf(scores) {
  let best = 0;
  let top = -Infinity;
  for (let k = 0; k < scores.length; ++k) if (scores[k] > top) top = scores[(best = k)];
  return best;
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

/** The double that prints as the shortest decimal of a float. */
export function shortest(x) {
  for (let digits = 1; digits < 9; ++digits) {
    const short = Number(x.toPrecision(digits));
    if (Math.fround(short) === x) return short;
  }
  return Number(x.toPrecision(9));
}
