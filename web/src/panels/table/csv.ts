/** A CSV as columns of numbers and of few different values. Runs in a worker, and in Node's tests. */
import Papa from 'papaparse';

export const most_bytes = 100_000_000;
export const most_columns = 2_000;
export const most_cells = 8_000_000; // half of the memory in which there is training
/** Different values of a column that may be a category or the label. */
export const most_levels = 100;

/** Of missing values where a number is expected, as the tamis command and the package have them; elsewhere only the empty field is one. */
export const missing_marks = new Set(['', 'NA', 'N/A', 'n/a', '#N/A', 'NaN', 'nan', 'null', 'NULL', 'None', '-', '?']);
const longest_line = 4_000_000; // bytes
const none = 255; // the code of a missing value
const shown_characters = 30;

/** What is wrong with a file, in one sentence for the user. */
export class CsvError extends Error {}

export class Column {
  name;
  numbers = new Float64Array(64); // NaN: missing, or a text
  codes: Uint8Array | null = new Uint8Array(64); // null: more values than most_levels
  levels = new Map<string, number>();
  missing = 0;
  #marks = 0; // missing values, or texts: that is known at the end
  #marked = 0; // how many different ones have a code
  texts = 0;
  text: { line: number; value: string } | null = null; // the first that is no number
  least = Infinity;
  most = -Infinity;
  /** Whether each number is one more than that of the row before. */
  counts = true;

  constructor(name: string) {
    this.name = name;
  }

  add(row: number, field: string, line: number, comma: boolean): void {
    if (row === this.numbers.length) this.#grow();
    const value = field.trim();
    let number = NaN;
    if (value === '') {
      ++this.missing;
    } else if (missing_marks.has(value)) {
      ++this.#marks;
    } else {
      number = numberIn(value, comma);
      if (Number.isNaN(number)) {
        ++this.texts;
        this.text ??= { line, value: value.length > shown_characters ? `${value.slice(0, shown_characters)}…` : value };
      } else {
        if (number < this.least) this.least = number;
        if (number > this.most) this.most = number;
      }
    }
    this.numbers[row] = number;
    if (row > 0 && number !== this.numbers[row - 1]! + 1) this.counts = false;
    if (!this.codes) return;
    this.codes[row] = value === '' ? none : this.#code(Number.isNaN(number) ? value : String(number));
  }

  /** After the last of the rows: says whether numbers are expected here. */
  settle(rows: number): void {
    if (this.texts > few_texts * (rows - this.missing - this.#marks)) {
      this.texts += this.#marks;
      if (this.levels.size > most_levels) this.#uncode();
      return;
    }
    this.missing += this.#marks;
    if (this.#marked === 0 || !this.codes) return;
    const names = [...this.levels.keys()];
    this.levels = new Map(names.filter((name) => !missing_marks.has(name)).map((name, code) => [name, code]));
    const codes = names.map((name) => this.levels.get(name) ?? none);
    for (let row = 0; row < rows; ++row) if (this.codes[row] !== none) this.codes[row] = codes[this.codes[row]!]!;
  }

  #code(value: string): number {
    let code = this.levels.get(value);
    if (code !== undefined) return code;
    code = this.levels.size;
    if (missing_marks.has(value)) ++this.#marked;
    else if (code - this.#marked === most_levels) return this.#uncode();
    this.levels.set(value, code);
    return code;
  }

  #uncode(): number {
    this.codes = null;
    this.levels.clear();
    return none;
  }

  #grow(): void {
    const numbers = new Float64Array(2 * this.numbers.length);
    numbers.set(this.numbers);
    this.numbers = numbers;
    if (!this.codes) return;
    const codes = new Uint8Array(numbers.length);
    codes.set(this.codes);
    this.codes = codes;
  }

  isMissing(row: number): boolean {
    return this.codes ? this.codes[row] === none : Number.isNaN(this.numbers[row]);
  }
}

export interface Table {
  columns: Column[];
  rows: number;
  /** Whether the first line has the names. */
  header: boolean;
  /** Of columns that were given the number of their place, because another one before has their name. */
  renamed: string[];
}

/** What a column is: `mixed` has numbers and texts, `rows` the numbers of the rows. */
export type Kind = 'number' | 'rows' | 'mixed' | 'category' | 'text' | 'constant' | 'empty';
export type Choice = 'number' | 'category' | 'out';

export interface ColumnSummary {
  name: string;
  kind: Kind;
  /** null: more than most_levels. */
  levels: string[] | null;
  missing: number;
  texts: number;
  text: Column['text'];
  least: number;
  most: number;
  /** What is done with it unless something else is chosen, and what may be. */
  choice: Choice;
  choices: Choice[];
}

const fewest_counted = 10; // rows, whose numbers are no coincidence
const few_levels = 12;
const few_texts = 0.2; // share of a column of numbers that may be texts

export function summary(column: Column, rows: number): ColumnSummary {
  const { name, missing, texts, text, least, most } = column;
  const present = rows - missing;
  const levels = column.codes && [...column.levels.keys()];
  const kind: Kind =
    present === 0 ? 'empty'
    : levels?.length === 1 ? 'constant'
    : texts === 0 && column.counts && rows >= fewest_counted ? 'rows'
    : texts === 0 ? 'number'
    : texts <= few_texts * present ? 'mixed'
    : levels && levels.length <= few_levels ? 'category'
    : 'text';
  const choice: Choice = kind === 'number' || kind === 'category' ? kind : 'out';
  const choices: Choice[] = [];
  if (least < most) choices.push('number');
  if (levels && levels.length > 1) choices.push('category');
  return { name, kind, levels, missing, texts, text, least, most, choice, choices: [...choices, 'out'] };
}

/** `3` and, in files with semicolons, `3,5`; NaN for everything else. */
export function numberIn(value: string, comma: boolean): number {
  const first = value.charCodeAt(0);
  if (first > 57 || (first < 48 && first !== 45 && first !== 46 && first !== 43)) return NaN; // not a digit, '-', '.', '+'
  const number = Number(comma ? value.replace(',', '.') : value);
  return Number.isFinite(number) && !/[xob]/i.test(value) ? number : NaN;
}

export interface ReadOptions {
  /** Whether the first line has the names; undefined: as it seems. */
  header?: boolean | undefined;
  onProgress?: (share: number) => void | boolean;
}

/** Reads a file in pieces. Throws CsvError. `onProgress` returns false to stop: resolves with null. */
export async function read(file: File | Blob, options: ReadOptions = {}): Promise<Table | null> {
  if (file.size === 0) throw new CsvError('The file is empty.');
  if (file.size > most_bytes)
    throw new CsvError(`The file has ${grouped(file.size)} bytes, and at most ${grouped(most_bytes)} are read here: take a part of its lines.`);
  await refuseBinary(file);
  const reader = new Rows(options.header, file.size);
  let stopped = false;
  await new Promise<void>((resolve, reject) => {
    Papa.parse<string[]>(file as File, {
      chunkSize: 1 << 20,
      chunk: ({ data, errors, meta }, parser) => {
        try {
          const wrong = errors.find(({ type }) => type === 'Quotes');
          if (wrong) reader.refuseQuotes(data, wrong.row ?? 0);
          reader.take(data, meta.delimiter, meta.cursor);
          if (options.onProgress?.(Math.min(1, meta.cursor / file.size)) !== false) return;
          stopped = true;
        } catch (error) {
          reject(error as Error);
        }
        parser.abort();
      },
      complete: () => resolve(),
      error: reject,
    });
  });
  return stopped ? null : reader.end();
}

export async function refuseBinary(file: Blob): Promise<void> {
  const start = new Uint8Array(await file.slice(0, 4096).arrayBuffer());
  if (start[0] === 0x50 && start[1] === 0x4b)
    throw new CsvError('This is a ZIP archive, as .xlsx files are: save the table as CSV.');
  if (start[0] === 0x1f && start[1] === 0x8b) throw new CsvError('This file is compressed by gzip: unpack it first.');
  const text = new TextDecoder().decode(start);
  if (/^\uFEFF?\s*(\{\s*["}]|\[\s*[[{"\]])/.test(text)) throw new CsvError('This is JSON, whatever its name says: save the table as CSV.');
  if (/^\uFEFF?\s*<(!doctype|html|\?xml)/i.test(text)) throw new CsvError('This is a page of HTML or XML: save the table as CSV.');
  const zero = start.indexOf(0);
  if (zero >= 0) throw new CsvError(`This is not a text file: byte ${zero + 1} of it is zero.`);
  if (file.size <= longest_line) return;
  const line = new Uint8Array(await file.slice(0, longest_line).arrayBuffer());
  if (!line.includes(10) && !line.includes(13))
    throw new CsvError(`The first line alone has more than ${grouped(longest_line)} bytes, and at most ${grouped(most_columns)} columns are taken here.`);
}

/** Takes the rows of a file as they come. */
class Rows {
  #header: boolean | undefined;
  #bytes;
  #line = 1; // of the next row
  #width = 0;
  #waiting: { fields: string[]; line: number } | null = null; // the first row, until the second one shows whether it has names
  #columns: Column[] = [];
  #renamed: string[] = [];
  #rows = 0;
  #comma = false;

  constructor(header: boolean | undefined, bytes: number) {
    this.#header = header;
    this.#bytes = bytes;
  }

  take(rows: string[][], delimiter: string, cursor: number): void {
    this.#comma = delimiter === ';';
    for (const fields of rows) {
      const line = this.#line;
      this.#line += 1 + breaksIn(fields);
      if (fields.length === 1 && fields[0]!.trim() === '') continue; // an empty line
      if (this.#width === 0) this.#first(fields, line);
      else this.#next(fields, line);
    }
    if (this.#rows * this.#width > most_cells) {
      const all = Math.round((this.#rows * this.#bytes) / Math.max(cursor, 1));
      throw new CsvError(`The table has about ${grouped(all)} rows of ${grouped(this.#width)} columns, and at most ` +
        `${grouped(most_cells)} cells are taken here: its first ${grouped(Math.floor(most_cells / this.#width))} rows would fit.`);
    }
  }

  refuseQuotes(rows: string[][], row: number): never {
    let line = this.#line;
    for (const fields of rows.slice(0, row)) line += 1 + breaksIn(fields);
    throw new CsvError(`Line ${line} has a quotation mark that is not closed, or text after it.`);
  }

  #first(fields: string[], line: number): void {
    if (fields.length > most_columns)
      throw new CsvError(`The table has ${grouped(fields.length)} columns, and at most ${grouped(most_columns)} are taken here.`);
    this.#width = fields.length;
    if (fields[0]?.startsWith('\uFEFF')) fields[0] = fields[0].slice(1);
    if (fields.length === 1) throw new CsvError('The file has one column alone: a label and at least one feature are needed.');
    this.#waiting = { fields, line };
  }

  #next(fields: string[], line: number): void {
    if (fields.length !== this.#width)
      throw new CsvError(`Line ${line} has ${counted(fields.length, 'field')}, where those before have ${this.#width}.`);
    if (this.#waiting) this.#begin(fields);
    this.#add(fields, line);
  }

  /** Names the columns, now that there are two rows, or one alone. */
  #begin(second: string[] | null): void {
    const { fields, line } = this.#waiting!;
    this.#waiting = null;
    this.#header ??= second === null || this.#hasNames(fields, second);
    this.#columns = this.#names(this.#header ? fields : fields.map((_, j) => `column ${j + 1}`)).map((name) => new Column(name));
    if (!this.#header) this.#add(fields, line);
  }

  #add(fields: string[], line: number): void {
    for (let j = 0; j < fields.length; ++j) this.#columns[j]!.add(this.#rows, fields[j]!, line, this.#comma);
    ++this.#rows;
  }

  /** A name over a number; or names alone over other texts alone. */
  #hasNames(first: string[], second: string[]): boolean {
    const isNumber = (field: string) => !Number.isNaN(numberIn(field.trim(), this.#comma)) || missing_marks.has(field.trim());
    const over = first.some((field, j) => !isNumber(field) && isNumber(second[j]!));
    return over || (first.every((field) => !isNumber(field)) && new Set(first).size === first.length);
  }

  #names(fields: string[]): string[] {
    const seen = new Set<string>();
    return fields.map((field, j) => {
      let name = field.trim() || `column ${j + 1}`;
      if (seen.has(name)) this.#renamed.push((name = `${name} (column ${j + 1})`));
      seen.add(name);
      return name;
    });
  }

  end(): Table {
    if (this.#width === 0) throw new CsvError('The file has no line with text.');
    if (this.#waiting) this.#begin(null);
    if (this.#rows === 0) throw new CsvError('The file has names of columns, but no row below them.');
    for (const column of this.#columns) column.settle(this.#rows);
    return { columns: this.#columns, rows: this.#rows, header: this.#header!, renamed: this.#renamed };
  }
}

function breaksIn(fields: string[]): number {
  let breaks = 0;
  for (const field of fields) for (let at = field.indexOf('\n'); at >= 0; at = field.indexOf('\n', at + 1)) ++breaks;
  return breaks;
}

const grouped = (n: number) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
const counted = (n: number, what: string) => `${grouped(n)} ${what}${n === 1 ? '' : 's'}`;
