/** What training takes of a table: standardised features of two thirds of the rows, one third held out. */
import { holdOut } from '../../../plugins/hold-out.js';
import { csvOf } from '../../recipe';
import { CsvError, most_cells, most_levels, summary, type Choice, type Table } from './csv';

export interface Wanted {
  label: string;
  /** By the names of columns; those that are not here as `summary` says. */
  choices: Record<string, Choice>;
}

/** A feature: the values of a column, or whether it has one of its values. */
export interface Feature {
  name: string;
  column: string;
  /** Of a category: the value. */
  level: string | null;
  /** Of the training rows, in the units of the file; of a category the share that has it. */
  mean: number;
  deviation: number;
}

export interface Prepared {
  /** Standardised, row by row. */
  X: { values: Float32Array; samples: number; features: number };
  /** Numbers of classes. */
  y: Float64Array;
  classes: string[];
  features: Feature[];
  heldOut: number;
  /** Rows that are left out because their label is missing. */
  unlabelled: number;
  /** Columns that are constant in the training rows. */
  constant: string[];
  /** In the units of the file: the first training row of each class. */
  examples: number[][];
}

/** What stays in the worker. */
export interface HeldOutRows {
  X: Float32Array;
  y: Float64Array;
}

interface Row {
  row: number;
  y: number;
}
interface Parts {
  train: Row[];
  test: Row[];
  classes: string[];
  columnsOf: { at: (row: number) => number; feature: Feature }[];
  unlabelled: number;
  constant: string[];
}

/** Throws CsvError. */
function partsOf(table: Table, { label, choices }: Wanted): Parts {
  const { rows, columns } = table;
  const target = columns.find(({ name }) => name === label);
  if (!target) throw new CsvError(`The table has no column '${label}'.`);
  const codes = target.codes;
  if (!codes) throw new CsvError(`'${label}' has more than ${most_levels} different values, and a label has one for each class: choose another column.`);
  const found = [...target.levels.keys()];
  if (found.length < 2)
    throw new CsvError(found.length === 0 ? `'${label}' is empty: choose another column as label.`
      : `All rows have the label '${found[0]}': at least two classes are needed.`);
  const classes = [...found].sort(byNumber);
  const place = found.map((name) => classes.indexOf(name));

  const labelled: number[] = [];
  for (let i = 0; i < rows; ++i) if (!target.isMissing(i)) labelled.push(i);
  const labels = labelled.map((i) => place[codes[i]!]!);
  const out = holdOut(labels.map((k) => classes[k]!), 1 / 3, 0n);
  const pick = (held: boolean) => labelled.flatMap((row, i) => (out[i] === held ? [{ row, y: labels[i]! }] : []));
  const [train, test] = [pick(false), pick(true)];

  const columnsOf: Parts['columnsOf'] = [];
  const constant: string[] = [];
  for (const column of columns) {
    if (column === target) continue;
    const about = summary(column, rows);
    const wanted = choices[column.name];
    const choice = wanted && about.choices.includes(wanted) ? wanted : about.choice;
    if (choice === 'out') continue;
    const levels = choice === 'number' ? [null] : about.levels!.length === 2 ? about.levels!.slice(1) : about.levels!;
    for (const level of levels) {
      const code = level === null ? 0 : column.levels.get(level)!;
      const value = level === null ? (row: number) => column.numbers[row]! : (row: number) => Number(column.codes![row] === code);
      const feature = { name: level === null ? column.name : `${column.name} = ${level}`, column: column.name, level, ...moments(train, value) };
      if (!(feature.deviation > 0)) constant.push(feature.name);
      else columnsOf.push({ feature, at: (row) => (Number.isNaN(value(row)) ? feature.mean : value(row)) });
    }
  }
  if (columnsOf.length === 0) throw new CsvError('No column is left to learn from: take one as number or as category.');
  if (columnsOf.length * labelled.length > most_cells)
    throw new CsvError(`With its categories the table has ${columnsOf.length} features of ${labelled.length} rows, ` +
      `and at most ${most_cells} numbers are taken here: leave columns out.`);
  return { train, test, classes, columnsOf, unlabelled: rows - labelled.length, constant };
}

/** Throws CsvError. */
export function prepare(table: Table, wanted: Wanted): { prepared: Prepared; test: HeldOutRows } {
  const { train, test, classes, columnsOf, unlabelled, constant } = partsOf(table, wanted);
  const matrix = (part: Row[]) => {
    const values = new Float32Array(part.length * columnsOf.length);
    columnsOf.forEach(({ at, feature: { mean, deviation } }, j) =>
      part.forEach(({ row }, i) => (values[i * columnsOf.length + j] = (at(row) - mean) / deviation)));
    return values;
  };
  const first = classes.map((_, k) => train.find(({ y }) => y === k));
  return {
    prepared: {
      X: { values: matrix(train), samples: train.length, features: columnsOf.length },
      y: Float64Array.from(train, ({ y }) => y),
      classes,
      features: columnsOf.map(({ feature }) => feature),
      heldOut: test.length,
      unlabelled,
      constant,
      examples: first.flatMap((one) => (one ? [columnsOf.map(({ at }) => Math.fround(at(one.row)))] : [])),
    },
    test: { X: matrix(test), y: Float64Array.from(test, ({ y }) => y) },
  };
}

/** The same rows in the units of the file, as CSVs with the label first; null: no row is held out. */
export function textsOf(table: Table, wanted: Wanted): { training: string; heldOut: string | null } {
  const { train, test, classes, columnsOf } = partsOf(table, wanted);
  const names = [wanted.label, ...columnsOf.map(({ feature }) => feature.name)];
  const text = (part: Row[]) => csvOf(names, part.map(({ row, y }) => [classes[y]!, ...columnsOf.map(({ at }) => at(row))]));
  return { training: text(train), heldOut: test.length > 0 ? text(test) : null };
}

/** Mean and standard deviation of what is there; 0 where nothing is. */
function moments(rows: { row: number }[], value: (row: number) => number): { mean: number; deviation: number } {
  let [count, sum, square] = [0, 0, 0];
  for (const { row } of rows) {
    const x = value(row);
    if (!Number.isNaN(x)) [count, sum] = [count + 1, sum + x];
  }
  const mean = count ? sum / count : 0;
  for (const { row } of rows) {
    const x = value(row);
    if (!Number.isNaN(x)) square += (x - mean) ** 2; // a missing value stands at the mean
  }
  return { mean, deviation: Math.sqrt(square / rows.length) };
}

/** Numbers before words, ascending. */
export function byNumber(a: string, b: string): number {
  const [x, y] = [Number(a), Number(b)];
  if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
  return Number.isNaN(x) ? (a < b ? -1 : 1) : x - y;
}

/** How often held-out rows of each class are taken for each: the sums are those of the model, in single precision. */
export function confusion({ X, y }: HeldOutRows, weights: Float32Array, intercepts: Float32Array): number[] {
  const classes = intercepts.length;
  const features = weights.length / classes;
  const counts = new Array<number>(classes * classes).fill(0);
  const scores = new Float32Array(classes);
  for (let i = 0; i < y.length; ++i) {
    scores.set(intercepts);
    for (let j = 0; j < features; ++j) {
      const x = X[i * features + j]!;
      for (let k = 0; k < classes; ++k) scores[k]! += Math.fround(x * weights[j * classes + k]!);
    }
    let best = 0;
    for (let k = 1; k < classes; ++k) if (scores[k]! > scores[best]!) best = k;
    counts[y[i]! * classes + best]!++;
  }
  return counts;
}
