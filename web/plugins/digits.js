import { readFileSync } from 'node:fs';
import { holdOut } from './hold-out.js';

const name = 'virtual:digits';

/**
 * The module `virtual:digits`, made of the CSV at build time: one character per image for its label and for whether it
 * is held out (1) or trained on (0); of the pixels, small letters for 1 ('b') to 16 ('q'), capital ones for as many
 * zeros in a row, one ('A') to 26. The first pixel of all images comes first, and the images in the order of their
 * labels, which compresses best.
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
      const short = (letters) => letters.replace(/a{1,26}/g, (zeros) => String.fromCharCode(64 + zeros.length));
      const images = rows.map((row) => row.slice(1));
      const sorted = images.map((_, i) => i).sort((a, b) => labels[a] - labels[b] || a - b);
      const pixels = images[0].flatMap((_, j) => sorted.map((i) => images[i][j]));
      const text = (list) => JSON.stringify(list.join(''));
      return `export const labels = ${text(labels)};
export const heldOut = ${text(holdOut(labels, 1 / 3, 0n).map(Number))};
export const pixels = ${JSON.stringify(short(pixels.map(letter).join('')))};`;
    },
  };
}
