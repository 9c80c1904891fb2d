// Lines of text, and the compressed columns that become of them.

import { invalidShape } from './error.js';


/** Throws unless these are texts. */
export function checkLines(name, lines) {
  if (!Array.isArray(lines)) throw invalidShape(`${name}: lines must be an array of strings`);
  if (lines.length === 0) throw invalidShape(`${name}: there are no lines`);
  lines.forEach((line, i) => {
    if (typeof line !== 'string') throw invalidShape(`lines[${i}]: ${line} is not a string`, { row: i });
  });
}

/** Compressed columns of entries that are given sample by sample: those of sample i end at ends[i]. */
export function toColumns(Reals, features, samples, ends, columns, entries) {
  const starts = new Uint32Array(features + 1);
  for (const j of columns) ++starts[j + 1];
  for (let j = 0; j < features; ++j) starts[j + 1] += starts[j];
  const next = starts.slice(0, features);
  const rows = new Uint32Array(columns.length);
  const values = new Reals(columns.length);
  for (let i = 0, e = 0; i < samples; ++i)
    for (; e < ends[i]; ++e) {
      const to = next[columns[e]]++;
      rows[to] = i;
      values[to] = entries[e];
    }
  return { values, rows, starts, samples, features };
}
