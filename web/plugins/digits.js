import { readFileSync } from 'node:fs';
import { holdOut } from './hold-out.js';

const name = 'virtual:digits';

/**
 * The module `virtual:digits`, made of the CSV at build time: one character per image for its label and for whether it
 * is held out (1) or trained on (0), one letter per pixel, 'a' for 0 to 'q' for 16.
 */
export default function digits(csv) {
  return {
    name: 'digits',
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load(id) {
      if (id !== `\0${name}`) return null;
      this.addWatchFile(csv);
      const rows = readFileSync(csv, 'utf8').trim().split('\n').slice(1).map((line) => line.split(',').map(Number));
      const labels = rows.map(([label]) => label);
      const letter = (value) => {
        if (!Number.isInteger(value) || value < 0 || value > 16) throw new Error(`${csv}: ${value} is not a pixel`);
        return String.fromCharCode(97 + value);
      };
      const text = (list) => JSON.stringify(list.join(''));
      return `export const labels = ${text(labels)};
export const heldOut = ${text(holdOut(labels, 1 / 3, 0n).map(Number))};
export const pixels = ${text(rows.flatMap((row) => row.slice(1).map(letter)))};`;
    },
  };
}
