// Weights of the terms of texts by how often they occur, and in how few documents: those of
// lib/include/tamis/features/tf_idf.hpp, in double precision. Without a module: what is fitted works anywhere.

import { checkLines, toColumns } from './lines.js';

const encoder = new TextEncoder();
export const version = 1; // of terms and weights, as the tamis command has them

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
export function countsOf(line, ngrams) {
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

/** The check sum that goes with a vocabulary. */
export function checksumOf({ ngrams, minDf, sublinear, documents, terms, documentCounts }) {
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
    this.#idf = Float64Array.from(data.documentCounts, (count) => Math.log((data.documents + 1) / (count + 1)) + 1);
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
    const weights = known.map(([t, count]) => (sublinear ? 1 + Math.log(count) : count) * this.#idf[t]);
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
}
