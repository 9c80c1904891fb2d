/** What a panel shows, so that code can reproduce it: its data, and what is trained on them. */
import type { Hierarchy, Kernel, Loss, Penalty, Precision } from 'tamis';

export interface Rows {
  X: { values: ArrayLike<number>; samples: number; features: number };
  y: readonly (string | number)[];
}

interface Trained {
  lambda: number;
  tolerance: number;
}
export type Asked =
  | (Trained & { kind: 'linear'; loss: Loss; penalty: Penalty; standardise?: boolean })
  | (Trained & { kind: 'interactions'; hierarchy: Hierarchy })
  | (Trained & { kind: 'kernels'; kernels: readonly Kernel[]; p: number; q: number; r: number; intercept: boolean })
  | (Trained & { kind: 'race'; loss: Loss; penalty: Penalty; precision: Precision; solvers: readonly string[]; seconds: number });

export interface Recipe {
  /** What files are named after. */
  title: string;
  /** The name of the labels' column, the first one. */
  label: string;
  /** Samples, or the text of a CSV. */
  training: Rows | string;
  /** What the model is measured on; none: on what it is trained on. */
  heldOut?: Rows | string;
  featureNames?: readonly string[];
  /** One per training sample. */
  weights?: ArrayLike<number>;
  asked: Asked;
}

/** A table as CSV, the labels first: numbers, and texts in quotes where they need them. */
export function csvOf(names: readonly string[], rows: Iterable<readonly (string | number)[]>): string {
  const field = (value: string | number) =>
    typeof value === 'number' ? String(value) : /[",\r\n]|^\s|\s$/.test(value) ? `"${value.replace(/\s+/g, ' ').replaceAll('"', '""')}"` : value;
  return [names, ...rows].map((row) => `${row.map(field).join(',')}\n`).join('');
}
