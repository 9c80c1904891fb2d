// What trained models of all families share: plain arrays that belong to JavaScript. Prediction is arithmetic in the order
// and the rounding of the library, so that its scores are the same bits.

import { invalidOption, invalidShape, TamisError, wrongKind } from './error.js';
import { roundingOf, samplesOf } from './problem.js';

/** Base of models. A family answers scoresOf(z, row): those of a sample whose entries are rounded and finite. */
export class BaseModel {
  #data;
  #exporter;

  /** `exporter`: { toC(data, options) }, of linear models also toBlob(data); what needs the module. */
  constructor(data, exporter) {
    this.#data = data;
    this.#exporter = exporter;
    this.report = data.report;
    this.classes = data.classes;
    this.features = data.features;
    this.intercepts = data.intercepts;
  }

  get precision() {
    return this.#data.precision;
  }
  /** Everything the model consists of, for sending it elsewhere. */
  get data() {
    return this.#data;
  }
  nameOf(j) {
    return this.#data.featureNames?.[j] ?? `x${j}`;
  }

  /** One score per class; of a regression one. */
  scores(x) {
    if (x?.length !== this.features)
      throw invalidShape(`a sample must have ${this.features} features, this one has ${x?.length}`);
    return this.#scoresAt((j) => x[j]);
  }
  #scoresAt(at, row) {
    const { stored } = this.#data;
    const round = roundingOf(this.precision);
    const z = new Float64Array(this.features);
    for (let j = 0; j < z.length; ++j) z[j] = entryOf(stored ? preparedBy(stored, at(j), j) : at(j), round, row, j);
    return this.scoresOf(z, row);
  }
  /** Those of each sample of X. */
  *allScores(X) {
    const { samples, features, at, visit } = samplesOf(X);
    if (samples > 0 && features !== this.features)
      throw invalidShape(`samples must have ${this.features} features, these have ${features}`);
    if (!visit || this.#data.stored) {
      for (let i = 0; i < samples; ++i) yield this.#scoresAt((j) => at(i, j), i);
      return;
    }
    const z = new Float64Array(features);
    const round = roundingOf(this.precision);
    for (let i = 0; i < samples; ++i) {
      visit(i, (j, value) => (z[j] = entryOf(value, round, i, j)));
      yield this.scoresOf(z, i);
      visit(i, (j) => (z[j] = 0));
    }
  }

  /** The class with the largest score, the first of equals; of a regression the value. */
  predict(x) {
    return this.#answer(this.scores(x));
  }
  /** The same of all samples of X. */
  predictAll(X) {
    return Array.from(this.allScores(X), (scores) => this.#answer(scores));
  }
  #answer(scores) {
    return this.classes ? this.classes[bestOf(scores)] : scores[0];
  }

  /** Refuses to write a model without what a file says is done to samples first. */
  needPlain() {
    const { scale, means, centres } = this.#data.stored ?? { scale: 1 };
    if (scale === 1 && !means && !centres) return;
    const what = means ? 'fills missing values' : centres ? 'standardises' : `divides features by ${scale}`;
    throw invalidOption(`the model ${what} first: export its file by the tamis command`);
  }
  toC(options) {
    this.needPlain();
    return this.#exporter.toC(this.#data, options);
  }

  /** Numbers as files have them. */
  numbersOf(list) {
    return Array.from(list, this.precision === 'float' ? shortest : Number);
  }
  /** The model file that the tamis command writes and reads, with these kept features, coefficients and options of a family. */
  fileOf(kind, kept, coefficients, options) {
    const { version, selfTest, stored: { scale, standardisation, preparation } = plain } = this.#data;
    return {
      format: 'tamis-model',
      version: 1,
      kind,
      written_by: `tamis ${version}`,
      classes: this.classes ? this.classes.map(String) : null,
      feature_count: this.features,
      features: kept.map((j) => this.nameOf(j)),
      ...coefficients,
      intercept: this.numbersOf(this.intercepts),
      scale,
      standardisation,
      preparation,
      ...options,
      precision: this.precision,
      self_test: selfTest.map((sample) => this.numbersOf(kept.map((j) => sample[j])).map((x) => (Number.isNaN(x) ? null : x))),
    };
  }
}

/** Feature j of a sample, rounded. */
function entryOf(value, round, row, j) {
  const entry = round(value);
  if (typeof value !== 'number' || !Number.isFinite(entry))
    throw new TamisError('invalid_data', wrongKind(value) ? `feature ${j} of the sample: ${wrongKind(value)}`
      : `feature ${j} of the sample is not a finite number`, { row, column: j });
  return entry;
}

/** What a file says of models of samples as they are. */
const plain = { scale: 1, standardisation: null, preparation: null };

/** What is done to a value before the model sees it, as by the tamis command. */
function preparedBy({ scale, means, centres }, value, j) {
  if (means && (value === null || value === undefined || Number.isNaN(value))) return means[j];
  const x = typeof value === 'number' ? value / scale : value;
  return centres && typeof x === 'number' ? (x - centres.mean[j]) / centres.scale[j] : x;
}

export function bestOf(scores) {
  let best = 0;
  let top = -Infinity;
  for (let k = 0; k < scores.length; ++k) if (scores[k] > top) top = scores[(best = k)];
  return best;
}

/** The double that prints as the shortest decimal of a float. */
function shortest(x) {
  for (let digits = 1; digits < 9; ++digits) {
    const short = Number(x.toPrecision(digits));
    if (Math.fround(short) === x) return short;
  }
  return Number(x.toPrecision(9));
}
