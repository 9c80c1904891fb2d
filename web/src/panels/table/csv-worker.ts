/** Holds the table: reads, prepares and evaluates, so that the page need not. */
import { CsvError, read, summary, type ColumnSummary, type Table } from './csv';
import { confusion, prepare, textsOf, type HeldOutRows, type Prepared, type Wanted } from './prepared';

export interface Overview {
  rows: number;
  header: boolean;
  renamed: string[];
  columns: ColumnSummary[];
}
export interface Requests {
  read: [{ file: File | Blob; header?: boolean | undefined }, Overview | null];
  prepare: [Wanted, Prepared];
  rows: [Wanted, ReturnType<typeof textsOf>];
  confusion: [{ weights: Float32Array; intercepts: Float32Array }, number[]];
}

let table: Table | null = null;
let test: HeldOutRows | null = null;
let newest = -1; // the reading that counts; -1: it was stopped

const work: { [Name in keyof Requests]: (given: Requests[Name][0], id: number) => Promise<Requests[Name][1]> | Requests[Name][1] } = {
  async read({ file, header }, id) {
    newest = id;
    const onProgress = (share: number) => {
      postMessage({ id, share });
      return newest === id;
    };
    const found = await read(file, { header, onProgress });
    if (!found || newest !== id) return null;
    table = found; // not before it has been read well
    const { rows, columns, renamed } = found;
    return { rows, header: found.header, renamed, columns: columns.map((column) => summary(column, rows)) };
  },
  prepare(wanted) {
    const made = prepare(table!, wanted);
    test = made.test;
    return made.prepared;
  },
  rows: (wanted) => textsOf(table!, wanted),
  confusion: ({ weights, intercepts }) => confusion(test!, weights, intercepts),
};

addEventListener('message', async ({ data: { id, type, given } }) => {
  if (type === 'stop') return void (newest = -1);
  try {
    const result = await work[type as keyof Requests](given as never, id);
    const moved = type === 'prepare' ? [(result as Prepared).X.values.buffer] : [];
    postMessage({ id, result }, { transfer: moved });
  } catch (error) {
    const sentence = error instanceof CsvError ? error.message : `The file cannot be read: ${(error as Error).message}.`;
    postMessage({ id, error: sentence });
  }
});
