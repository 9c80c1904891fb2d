// Samples in the forms that people have them in: rows, matrices, objects, CSV. A missing value is NaN.

import { invalidShape, TamisError, wrongKind } from './error.js';
import { firstOfEach, isArrayLike, labelListOf, namesOf, samplesOf, shown } from './problem.js';

// Of missing values where a number is expected, as the tamis command has them; elsewhere only the empty field is one.
const marks = ['', 'NA', 'N/A', 'n/a', '#N/A', 'NaN', 'nan', 'null', 'NULL', 'None', '-', '?'];
const isMissing = (value) => value === null || value === undefined || Number.isNaN(value);

/**
 * { values, samples, features, names, labels }: numbers row by row. `y`: the labels, or the name of their column; `expected`:
 * the { names, features } that a model takes. Unless `spread`, compressed columns have `sparse` and row(i, Reals) instead of values.
 */
export function tableOf(X, { y, featureNames, expected, spread = false }) {
  const list = typeof X === 'string' ? listOfText(X, y, expected)
    : isArrayLike(X) && typeof X[0] === 'object' && X[0] !== null && !isArrayLike(X[0]) ? listOfObjects(X, y, expected)
      : isArrayLike(X?.shape) ? samplesOf({ values: X.data ?? X.values, samples: X.shape[0], features: X.shape[1] }) : samplesOf(X);
  const { samples, features, at } = list;
  if (expected && samples > 0 && features !== expected.features)
    throw invalidShape(`samples must have ${expected.features} features, these have ${features}`);
  if (typeof y === 'string' && !list.labels) throw invalidShape(`y: ${shown(y)} names a column, and these samples have no names: give an array of labels`);
  const numbers = list.sparse && !spread ? { sparse: list.sparse, row: list.row } : { values: new Float64Array(samples * features) };
  const { values } = numbers;
  for (let i = 0; values && i < samples; ++i)
    for (let j = 0; j < features; ++j) values[i * features + j] = numberIn(at(i, j), i, j, list.names?.[j]);
  const names = namesOf(featureNames, features) ?? list.names ?? null;
  if (y === undefined && expected) return { ...numbers, samples, features, names, labels: null };
  if (y === undefined) throw new TamisError('invalid_label', 'y is missing: give an array of labels, or the name of the column that has them');
  const labels = list.labels ?? Array.from(labelListOf(y, samples));
  const wrong = labels.findIndex(isMissing);
  if (wrong >= 0) throw new TamisError('invalid_label', `y[${wrong}]: the label is missing`, { row: wrong });
  return { ...numbers, samples, features, names, labels };
}

function numberIn(value, row, column, name) {
  if (isMissing(value)) return NaN;
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  const where = `X[${row}]${name === undefined ? `[${column}]` : `.${name}`}`;
  throw new TamisError('invalid_data', `${where}: ${wrongKind(value) ?? `${shown(value)} is not a number, and features are`}`, { row, column });
}

function listOfObjects(X, y, expected) {
  const named = typeof y === 'string';
  const names = expected?.names ?? Object.keys(X[0]).filter((name) => !named || name !== y);
  const wrong = Array.from(X).findIndex((row) => typeof row !== 'object' || row === null || isArrayLike(row));
  if (wrong >= 0) throw invalidShape(`X[${wrong}] is not an object as those before`, { row: wrong });
  for (const name of [...names, ...(named ? [y] : [])])
    if (!(name in X[0])) throw invalidShape(`X[0] has no '${name}'`, { row: 0 });
  return {
    names, samples: X.length, features: names.length, at: (i, j) => X[i][names[j]],
    labels: named ? Array.from(X, (row) => row[y]) : null,
  };
}

/** Whether there is a line of names is told by what is looked for: a label column, or the features of a model. */
function listOfText(text, y, expected) {
  const { rows, comma } = parsed(text);
  if (rows.length === 0) throw invalidShape('the CSV has no line');
  const [first] = rows;
  const ragged = rows.findIndex((row) => row.length !== first.length);
  if (ragged >= 0) throw invalidShape(`row ${ragged + 1} of the CSV has ${rows[ragged].length} fields where the first has ${first.length}`, { row: ragged });
  const wanted = [...(typeof y === 'string' ? [y] : []), ...(expected?.names ?? [])];
  const lacking = wanted.find((name) => !first.includes(name));
  const header = isArrayLike(y) && typeof y !== 'string' ? rows.length === y.length + 1 : lacking === undefined && wanted.length > 0;
  if (lacking !== undefined && (typeof y === 'string' || first.length !== expected?.features))
    throw invalidShape(`the first line of the CSV has no '${lacking}'`);
  const names = header ? expected?.names ?? first.filter((name) => name !== y) : null;
  const places = names ? names.map((name) => first.indexOf(name)) : first.map((_, j) => j);
  const body = rows.slice(Number(header));
  return {
    names, samples: body.length, features: places.length, at: (i, j) => fieldIn(body[i][places[j]], comma),
    labels: typeof y === 'string' ? labelsIn(body.map((row) => row[first.indexOf(y)]), comma) : null,
  };
}

/** null for a label that is missing. */
function labelsIn(texts, comma) {
  const numbers = texts.every((text) => typeof fieldIn(text, comma) === 'number');
  return texts.map((text) => (text === '' || (numbers && marks.includes(text)) ? null : text));
}

/** A number, NaN for one that is missing, or the text itself. */
function fieldIn(text, comma) {
  if (marks.includes(text)) return NaN;
  const number = Number(comma ? text.replace(',', '.') : text);
  return Number.isNaN(number) ? text : number;
}

/** The fields of a CSV with commas, semicolons or tabs, as its first line has them; with semicolons, commas are decimal. */
function parsed(text) {
  const line = text.slice(0, (text.search(/[\r\n]/) + 1 || text.length + 1) - 1);
  const count = (mark) => line.split(mark).length;
  const delimiter = [',', ';', '\t'].reduce((best, mark) => (count(mark) > count(best) ? mark : best));
  const field = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${delimiter}\\r\\n][^${delimiter}\\r\\n]*|))(${delimiter}|\\r\\n|\\n|\\r|$)`, 'gy');
  const rows = [];
  let row = [];
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length || row.length > 0;) {
    field.lastIndex = at;
    const found = field.exec(text);
    if (!found) throw invalidShape(`row ${rows.length + 1} of the CSV has a quotation mark that is not closed, or text after it`);
    row.push(found[1] === undefined ? found[2].trim() : found[1].replaceAll('""', '"'));
    at = field.lastIndex;
    if (found[3] === delimiter) continue;
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
    if (found[3] === '') break;
  }
  return { rows, comma: delimiter === ';' };
}

// ---- before training, and after it

/**
 * { X, means, columns }: what is missing is filled, then columns are scaled to mean 0 and variance 1, where that is asked for.
 * Compressed columns, of which neither is asked, stay as they are.
 */
export function prepared({ values: given, sparse, samples, features, names }, { missing, standardise }) {
  if (sparse) return { X: { ...sparse, samples, features }, means: null, columns: null };
  const values = given.slice();
  const column = (j) => Array.from({ length: samples }, (_, i) => values[i * features + j]);
  const nameOf = (j) => (names ? `'${names[j]}'` : `feature ${j}`);
  const hole = values.findIndex(Number.isNaN);
  if (hole >= 0 && missing === 'refuse') {
    const [row, at] = [Math.floor(hole / features), hole % features];
    throw new TamisError('invalid_data', `X[${row}], ${nameOf(at)}: the value is missing: give missing: 'mean' to new Classifier, or leave the sample out`,
      { row, column: at });
  }
  let means = null;
  if (missing === 'mean') {
    means = Float64Array.from({ length: features }, (_, j) => {
      const present = column(j).filter((x) => !Number.isNaN(x));
      if (present.length === 0) throw new TamisError('invalid_data', `${nameOf(j)} has no value, so there is no mean: leave it out`, { column: j });
      return meanOf(present);
    });
    values.forEach((x, e) => Number.isNaN(x) && (values[e] = means[e % features]));
  }
  const columns = standardise ? Array.from({ length: features }, (_, j) => measured(column(j))) : null;
  columns?.forEach(({ mean, scale }, j) => {
    for (let e = j; e < values.length; e += features) values[e] = (values[e] - mean) / scale;
  });
  return { X: { values, samples, features }, means, columns };
}

const meanOf = (list) => list.reduce((sum, x) => sum + x, 0) / list.length;

function measured(list) {
  const mean = meanOf(list);
  const rest = list.reduce((sum, x) => sum + (x - mean), 0);
  const variance = (list.reduce((sum, x) => sum + (x - mean) ** 2, 0) - (rest * rest) / list.length) / list.length;
  const noise = 4 * Number.EPSILON * Math.abs(mean); // a spread below the rounding of the values is none
  return { mean, scale: variance > noise * noise ? Math.sqrt(variance) : 1 };
}

/** The plain data of the model in the units of the table, which fills what is missing in samples as training did. */
export function inUnits(data, { values, features, names, labels }, { means, columns }) {
  const Reals = data.weights.constructor;
  const classes = data.intercepts.length;
  const scaled = columns ? data.weights.map((w, e) => w / columns[Math.floor(e / classes)].scale) : data.weights;
  const intercepts = !columns ? data.intercepts
    : data.intercepts.map((b, k) => columns.reduce((sum, { mean }, j) => sum - mean * scaled[j * classes + k], b));
  const filled = (i) => Reals.from({ length: features }, (_, j) => {
    const x = values[i * features + j];
    return Number.isNaN(x) ? means[j] : x;
  });
  const selfTest = !values ? data.selfTest : firstOfEach(labels.map(String), labels.length).map(filled);
  const keeps = (j) => scaled.subarray(j * classes, (j + 1) * classes).some((w) => w !== 0);
  const stored = means && {
    scale: 1, standardisation: null, means, centres: null,
    preparation: { missing_means: [...means].filter((_, j) => keeps(j)), log: null, normalise: null, min_max: null },
  };
  return { ...data, weights: scaled, intercepts, featureNames: names, selfTest, ...(stored ? { stored } : {}) };
}
