/** What has been drawn, on the canvas and for the classes: everything that undo takes back. */
import { classes, features, training } from '../../digits';
import { most_ink, packed, pixelsOf, unpacked, type Pixels, type Stroke } from './strokes';

export interface Drawing {
  readonly name: string; // of its class
  readonly pixels: Pixels;
}
/** A value: changes make another one. */
export interface Sheet {
  /** Whether the digits of the data are trained on, too. */
  readonly digits: boolean;
  /** Classes that were named, with or without drawings. */
  readonly named: readonly string[];
  readonly drawings: readonly Drawing[];
  readonly strokes: readonly Stroke[];
  /** Pixels that were painted by themselves, over the strokes: their ink. */
  readonly painted: ReadonlyMap<number, number>;
}

export const digit_names: readonly string[] = Array.from({ length: classes }, (_, k) => String(k));
export const start: Sheet = { digits: true, named: [], drawings: [], strokes: [], painted: new Map() };
export const weight_among_digits = 10; // of a drawing: it counts for as many digits
export const most_drawings = 500;
export const longest_name = 24;
const most_named = 40;

export const pixelsOn = ({ strokes, painted }: Sheet, current: readonly Stroke[] = strokes): Pixels => {
  const pixels = pixelsOf(current);
  for (const [pixel, ink] of painted) pixels[pixel] = ink;
  return pixels;
};
export const isBlank = ({ strokes, painted }: Sheet) => strokes.length === 0 && painted.size === 0;

export const wiped = (sheet: Sheet): Sheet => ({ ...sheet, strokes: [], painted: new Map() });

export function toggled(sheet: Sheet, pixel: number): Sheet {
  const ink = pixelsOn(sheet)[pixel]! > 0 ? 0 : most_ink;
  return { ...sheet, painted: new Map([...sheet.painted, [pixel, ink]]) };
}

/** What is on the canvas becomes a drawing of the class, and the canvas is free again. */
export const kept = (sheet: Sheet, name: string): Sheet =>
  wiped({ ...sheet, drawings: [...sheet.drawings, { name, pixels: pixelsOn(sheet) }] });

/** Names of classes, numbers before words, as models order them. */
export function namesOf({ digits, named, drawings }: Sheet): string[] {
  const all = new Set([...(digits ? digit_names : []), ...named, ...drawings.map(({ name }) => name)]);
  const number = (name: string) => (name.trim() === '' ? NaN : Number(name));
  return [...all].sort((a, b) => {
    const [x, y] = [number(a), number(b)];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || (a < b ? -1 : 1);
    return x - y;
  });
}

/** Why there is nothing to train on yet, or null. */
export function lacking({ digits, drawings }: Sheet): string | null {
  const drawn = new Set(drawings.map(({ name }) => name)).size;
  if (digits || drawn >= 2) return null;
  return drawn === 0 ? 'Training needs drawings of two classes: draw one, and add it to a class.'
    : 'Training needs drawings of two classes: draw one of another class.';
}

/** X, y and sampleWeights of a problem. */
export function samplesOf({ digits, drawings }: Sheet) {
  const base = digits ? training.y.length : 0;
  if (digits && drawings.length === 0) return training;
  const values = new Float32Array((base + drawings.length) * features);
  if (digits) values.set(training.X.values);
  drawings.forEach(({ pixels }, i) => {
    for (let j = 0; j < features; ++j) values[(base + i) * features + j] = pixels[j]! / most_ink;
  });
  const data = {
    X: { values, samples: base + drawings.length, features },
    y: [...(digits ? training.y : []), ...drawings.map(({ name }) => name)],
  };
  if (!digits) return data;
  const sampleWeights = new Float32Array(data.y.length).fill(1);
  return { ...data, sampleWeights: sampleWeights.fill(weight_among_digits, base) };
}

/** A quarter of the samples that begin a visit, every class among them; null of others. */
export function fewOf(data: ReturnType<typeof samplesOf>) {
  if (data !== training) return null;
  const y = training.y.filter((_, i) => i % 4 === 0);
  const values = new Float32Array(y.length * features);
  y.forEach((_, i) => values.set(training.X.values.subarray(4 * i * features, (4 * i + 1) * features), i * features));
  return { X: { values, samples: y.length, features }, y };
}

// ---- in a link

/** Undefined of the sheet at the start. What is on the canvas is left out. */
export function written({ digits, named, drawings }: Sheet): unknown {
  if (digits && named.length === 0 && drawings.length === 0) return undefined;
  return { digits, named, drawings: drawings.map(({ name, pixels }) => [name, packed(pixels)]) };
}

/** Throws an Error with a sentence when it is none. */
export function read(state: unknown): Sheet {
  if (state === undefined) return start;
  const { digits, named, drawings } = (state ?? {}) as Record<string, unknown>;
  const isName = (name: unknown): name is string => typeof name === 'string' && name !== '' && name.length <= longest_name;
  const known = typeof digits === 'boolean' && Array.isArray(named) && named.every(isName) && Array.isArray(drawings);
  if (!known || named.length > most_named || drawings.length > most_drawings) throw new Error('The link does not say which drawings to train on.');
  return {
    ...start,
    digits,
    named,
    drawings: drawings.map((drawing: unknown) => {
      const [name, text] = Array.isArray(drawing) ? drawing : [];
      const pixels = typeof text === 'string' ? unpacked(text) : null;
      if (!isName(name) || !pixels) throw new Error('The link has a drawing that cannot be read.');
      return { name, pixels };
    }),
  };
}
