// Weights of the terms of texts by how often they occur, and in how few documents, with the arithmetic of
// lib/include/tamis/features/tf_idf.hpp in double precision. Without a module: what is fitted works anywhere.

import { elementaryOf } from './elementary.js';
import { TamisError } from './error.js';
import { checkLines, inSlices, toColumns } from './features.js';
import { precisionOf, shown } from './problem.js';

const { logarithm } = elementaryOf('double');
const encoder = new TextEncoder();
const version = 1; // of terms and weights, as the tamis command has them
const most_ngrams = 8;

/** The words of a line: ASCII letters and digits, and all that is not ASCII, in lower case as far as ASCII goes. */
const wordsOf = (line) =>
  (line.match(/[A-Za-z0-9\u0080-\uffff]+/g) ?? []).map((word) => word.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()));

/** visit(term) for every 1 to `ngrams` words that follow each other. */
function forEachTerm(line, ngrams, visit) {
  const words = wordsOf(line);
  words.forEach((word, first) => {
    let term = word;
    visit(term);
    for (let n = 1; n < ngrams && first + n < words.length; ++n) visit((term += ` ${words[first + n]}`));
  });
}

/** How often each term of a line occurs. */
function countsOf(line, ngrams) {
  const counts = new Map();
  forEachTerm(line, ngrams, (term) => counts.set(term, (counts.get(term) ?? 0) + 1));
  return counts;
}

/** Adds up with the rounding errors carried along. */
function sumOf(values) {
  let [total, error] = [0, 0];
  for (const term of values) {
    const next = total + term;
    const added = next - total;
    error += total - (next - added) + (term - added);
    total = next;
  }
  return total + error;
}

/** The values divided by their Euclidean norm, the largest divided out first. They are positive. */
function normalise(values) {
  const top = Math.max(...values);
  const scaled = values.map((x) => x / top);
  const length = Math.sqrt(sumOf(scaled.map((x) => x * x)));
  return scaled.map((x) => x / length);
}

/** Terms in the order of their bytes in UTF-8. */
function inByteOrder(terms) {
  const keyed = terms.map((term) => [String.fromCharCode(...encoder.encode(term)), term]);
  return keyed.sort(([a], [b]) => (a < b ? -1 : Number(a > b))).map(([, term]) => term);
}

/** Checked. */
function optionsOf({ ngrams = 1, minDf = 1, sublinear = false, precision }) {
  for (const [name, value, most] of [['ngrams', ngrams, most_ngrams], ['minDf', minDf, 0xffffffff]])
    if (!Number.isInteger(value) || value < 1 || value > most)
      throw new TamisError('invalid_option', `tfIdf: ${name}: ${shown(value)} is not a whole number from 1 to ${most}`);
  return { ngrams, minDf, sublinear: Boolean(sublinear), precision: precisionOf({ precision }) };
}

/** The check sum that goes with a vocabulary. */
function checksumOf({ ngrams, minDf, sublinear, documents, terms, documentCounts }) {
  const head = [version, 0, ngrams, Number(sublinear), minDf, documents].join(' ');
  let crc = 0xffffffff;
  for (const byte of encoder.encode(head + terms.map((term, t) => `\n${term}\t${documentCounts[t]}`).join(''))) {
    crc ^= byte;
    for (let bit = 0; bit < 8; ++bit) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (~crc >>> 0).toString(16).padStart(8, '0');
}

/** What texts are weighted by: a vocabulary and the number of documents with each of its terms. */
export class TfIdf {
  #data;
  #idf;

  /** `data`: { ngrams, minDf, sublinear, precision, documents, terms, documentCounts }. */
  constructor(data) {
    this.#data = data;
    this.terms = data.terms;
    this.features = data.terms.length;
    this.vocabulary = new Map(data.terms.map((term, t) => [term, t]));
    this.#idf = Float64Array.from(data.documentCounts, (count) => logarithm((data.documents + 1) / (count + 1)) + 1);
  }

  /** One weight per term: ln((1 + n)/(1 + d)) + 1 of n documents of which d have it. */
  get idf() {
    return this.#idf.slice();
  }

  /** { terms, weights } of one line, ascending; terms that the vocabulary does not have are left out. */
  entries(line) {
    const { ngrams, sublinear } = this.#data;
    const known = [];
    for (const [term, count] of countsOf(line, ngrams)) {
      const t = this.vocabulary.get(term);
      if (t !== undefined) known.push([t, count]);
    }
    known.sort(([a], [b]) => a - b);
    const weights = known.map(([t, count]) => (sublinear ? 1 + logarithm(count) : count) * this.#idf[t]);
    return { terms: known.map(([t]) => t), weights: normalise(weights) };
  }

  /** Lines as samples, in compressed columns. */
  transform(lines) {
    checkLines('tfIdf', lines);
    const [ends, columns, values] = [[], [], []];
    for (const line of lines) {
      const { terms, weights } = this.entries(line);
      for (const t of terms) columns.push(t);
      for (const w of weights) values.push(w);
      ends.push(columns.length);
    }
    const Reals = this.#data.precision === 'double' ? Float64Array : Float32Array;
    return toColumns(Reals, this.features, lines.length, ends, columns, values);
  }

  /** As the model files of the tamis command have it in `preparation`. */
  toJSON() {
    const { ngrams, minDf, sublinear, documents, terms, documentCounts } = this.#data;
    return {
      version, kind: 'tf-idf', ngrams, sublinear, column: null, min_df: minDf, documents, vocabulary: terms,
      document_counts: documentCounts, crc32: checksumOf(this.#data),
    };
  }
  /** From what toJSON() gave, or such a file has. */
  static fromJSON(json, { precision } = {}) {
    const fail = (what) => {
      throw new TamisError('invalid_data', `the vocabulary ${what}`);
    };
    if (json?.kind !== 'tf-idf') fail('is not one of tf-idf weights');
    if (json.version !== version)
      fail(`is of version ${shown(json.version)}, and this library makes version ${version}: make it again`);
    const { ngrams, sublinear, min_df: minDf, documents, vocabulary: terms, document_counts: documentCounts } = json;
    const lists = [terms, documentCounts].every((list) => Array.isArray(list) && list.length > 0 && list.length === terms.length);
    const data = { ...optionsOf({ ngrams, minDf, sublinear, precision }), documents, terms, documentCounts };
    if (!lists || checksumOf(data) !== json.crc32) fail('was changed after it was made: its checksum does not fit');
    return new TfIdf(data);
  }
}

/** Counts the terms of lines: the plain data of a TfIdf. */
export async function fitTfIdf(lines, options = {}, wishes = {}) {
  checkLines('tfIdf', lines);
  const chosen = optionsOf(options);
  const inDocuments = new Map();
  await inSlices('tfIdf', lines.length, (i) => {
    for (const term of countsOf(lines[i], chosen.ngrams).keys()) inDocuments.set(term, (inDocuments.get(term) ?? 0) + 1);
  }, wishes);
  if (inDocuments.size === 0)
    throw new TamisError('invalid_data', 'tfIdf: no line has a word: words are letters and digits');
  const terms = inByteOrder([...inDocuments.keys()].filter((term) => inDocuments.get(term) >= chosen.minDf));
  if (terms.length === 0) throw new TamisError('invalid_data', `tfIdf: no term is in ${chosen.minDf} lines: lower minDf`);
  return { ...chosen, documents: lines.length, terms, documentCounts: terms.map((term) => inDocuments.get(term)) };
}
