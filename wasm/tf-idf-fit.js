// Vocabularies: learned from lines of text, or read again.

import { invalidOption, TamisError } from './error.js';
import { checkLines } from './lines.js';
import { precisionOf, shown } from './problem.js';
import { inSlices } from './slices.js';
import { checksumOf, countsOf, TfIdf, version } from './tf-idf.js';

const encoder = new TextEncoder();
const most_ngrams = 8;

/** Terms in the order of their bytes in UTF-8. */
function inByteOrder(terms) {
  const keyed = terms.map((term) => [String.fromCharCode(...encoder.encode(term)), term]);
  return keyed.sort(([a], [b]) => (a < b ? -1 : Number(a > b))).map(([, term]) => term);
}

/** Checked. */
function optionsOf({ ngrams = 1, minDf = 1, sublinear = false, precision }) {
  for (const [name, value, most] of [['ngrams', ngrams, most_ngrams], ['minDf', minDf, 0xffffffff]])
    if (!Number.isInteger(value) || value < 1 || value > most)
      throw invalidOption(`tfIdf: ${name}: ${shown(value)} is not a whole number from 1 to ${most}`);
  return { ngrams, minDf, sublinear: Boolean(sublinear), precision: precisionOf({ precision }) };
}

/** Counts the terms of lines: the plain data of a TfIdf. */
export async function tfIdf(lines, options, wishes) {
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

/** From what TfIdf.toJSON() gave, or such a file has. */
export function tfIdfFromJSON(json, { precision } = {}) {
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
