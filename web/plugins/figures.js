import { readFileSync } from 'node:fs';

const name = 'virtual:figures';
const wanted = ['board', 'solver', 'loss', 'penalty', 'flash', 'stack'];

/**
 * The module `virtual:figures`: what training and prediction add to a program for each core, in bytes, made of
 * tests/firmware/figures.csv at build time. Rows of [core, solver, loss, penalty, flash, stack], compiled with -Os.
 */
export default function figures(csv) {
  return {
    name: 'figures',
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load(id) {
      if (id !== `\0${name}`) return null;
      this.addWatchFile(csv);
      const [head, ...lines] = readFileSync(csv, 'utf8').trim().split('\n').map((line) => line.split(','));
      const at = (column) => {
        if (!head.includes(column)) throw new Error(`${csv} has no column '${column}'`);
        return head.indexOf(column);
      };
      const rows = lines.filter((row) => row[at('level')] === '-Os').map((row) => wanted.map((column) => {
        const field = row[at(column)];
        return column === 'flash' || column === 'stack' ? Number(field) : field;
      }));
      return `export const figures = ${JSON.stringify(rows)};`;
    },
  };
}
