/** The 8×8 digits, two thirds of each class for training, one third held out. */
import { heldOut, labels, pixels } from 'virtual:digits';

export const side = 8;
export const features = side * side;
export const classes = 10;

export interface Digits {
  X: { values: Float32Array; samples: number; features: number };
  y: number[];
}

/** One letter per pixel, 'a' for 0 to 'q' for 16, as plugins/digits.js orders them; the place of each image there. */
const letters = pixels.replace(/[A-Z]/g, (zeros) => 'a'.repeat(zeros.charCodeAt(0) - 64));
const place: number[] = [];
[...labels].map((label, i) => ({ label, i })).sort((a, b) => Number(a.label) - Number(b.label) || a.i - b.i)
  .forEach(({ i }, rank) => (place[i] = rank));

export const training = part('0');
export const test = part('1');

function part(kind: '0' | '1'): Digits {
  const chosen = [...heldOut].flatMap((mark, i) => (mark === kind ? [i] : []));
  const values = new Float32Array(chosen.length * features);
  chosen.forEach((image, row) => {
    for (let j = 0; j < features; ++j) {
      const letter = letters.charCodeAt(j * labels.length + place[image]!) - 97;
      values[row * features + j] = letter / 16; // ink from 0 to 1
    }
  });
  return { X: { values, samples: chosen.length, features }, y: chosen.map((image) => Number(labels[image])) };
}
