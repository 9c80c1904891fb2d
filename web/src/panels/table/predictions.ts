/** Predicts the rows of another table, and gives them back with their classes. */
import Papa from 'papaparse';
import type { WorkerModel } from 'tamis/worker';
import { CsvError, missing_marks, numberIn, refuseBinary } from './csv';
import type { Feature } from './prepared';

const most_bytes = 20_000_000;
const rows_at_once = 500; // between which the page does other work

/** What the model was trained on: its features in the units of the table, and the columns there were. */
export interface Trained {
  model: WorkerModel;
  features: Feature[];
  columns: string[];
  header: boolean;
  label: string;
}
export interface Predictions {
  /** The rows as they came, and two columns. */
  text: string;
  rows: number;
  /** Of rows with a label: how many there are, and how many are right; null: there are no labels. */
  right: { right: number; of: number } | null;
  /** Values for which the mean of the training rows stood. */
  filled: number;
}

/** Throws CsvError. */
export async function predictionsOf(file: File, { model, features, columns, header, label }: Trained): Promise<Predictions> {
  if (file.size === 0) throw new CsvError('The file is empty.');
  if (file.size > most_bytes) throw new CsvError(`The file has more than ${most_bytes / 1e6} MB: predict a part of its lines at a time.`);
  await refuseBinary(file);
  const { data, errors, meta } = Papa.parse<string[]>((await file.text()).replace(/^\uFEFF/, ''), { skipEmptyLines: 'greedy' });
  const quotes = errors.find(({ type }) => type === 'Quotes');
  if (quotes) throw new CsvError(`Row ${(quotes.row ?? 0) + 1} has a quotation mark that is not closed, or text after it.`);
  const comma = meta.delimiter === ';';
  const [first] = data;
  if (!first) throw new CsvError('The file has nothing but empty lines.');
  const ragged = data.findIndex(({ length }) => length !== first.length);
  if (ragged >= 0) throw new CsvError(`Row ${ragged + 1} has ${data[ragged]!.length} fields, where those before have ${first.length}.`);
  const names = header ? first.map((name) => name.trim()) : first.length === columns.length ? columns : columns.filter((name) => name !== label);
  if (names.length !== first.length) throw new CsvError(`The rows have ${first.length} fields, where the table of the model has ${columns.length}.`);
  const places = features.map(({ column }) => names.indexOf(column));
  const lacking = model.keptFeatures.find((j) => places[j]! < 0);
  if (lacking !== undefined) throw new CsvError(`There is no column '${features[lacking]!.column}', which the model looks at.`);
  const rows = header ? data.slice(1) : data;
  if (rows.length === 0) throw new CsvError('There are names of columns, but no row below them.');

  const known = model.calibration !== null || model.toJSON().loss === 'logistic';
  const place = names.indexOf(label);
  const classes = new Set(model.classes.map(String));
  const x = Float64Array.from(features, ({ mean }) => mean);
  const out: string[][] = header ? [[...first, 'predicted', ...(known ? ['probability'] : [])]] : [];
  let [right, of, filled] = [0, 0, 0];
  for (const [i, row] of rows.entries()) {
    if (i % rows_at_once === rows_at_once - 1) await new Promise((resolve) => setTimeout(resolve));
    for (const j of model.keptFeatures) {
      const { level, mean } = features[j]!;
      const field = row[places[j]!]!.trim();
      const number = missing_marks.has(field) ? NaN : numberIn(field, comma);
      if (level !== null) x[j] = Number((Number.isNaN(number) ? field : String(number)) === level);
      else if (!Number.isFinite(Math.fround(number))) [x[j], filled] = [mean, filled + 1];
      else x[j] = number;
    }
    const answer = String(model.predict(x));
    out.push([...row, answer, ...(known ? [Math.max(...model.probabilities(x)).toFixed(4)] : [])]);
    const truth = place < 0 ? '' : row[place]!.trim();
    const number = numberIn(truth, comma);
    if (missing_marks.has(truth) && !classes.has(truth)) continue;
    ++of;
    right += Number((Number.isNaN(number) ? truth : String(number)) === answer);
  }
  return { text: `${Papa.unparse(out, { delimiter: meta.delimiter, newline: '\n' })}\n`, rows: rows.length, right: of > 0 ? { right, of } : null, filled };
}
