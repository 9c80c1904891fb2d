/** Points of the plane, which reaches from −1 to 1 in both directions, and their classes. */
export interface Point {
  readonly x: number;
  readonly y: number;
  readonly label: number; // from 0
}
export type Points = readonly Point[];

export const most_classes = 6;
export const most_points = 300; // training with kernels takes the cube of them
const grain = 500; // steps from 0 to 1: places are multiples of this part

/** A point whose place is kept exactly in a link. */
export function pointAt(x: number, y: number, label: number): Point {
  const place = (at: number) => Math.round(grain * Math.min(Math.max(at, -1), 1)) / grain;
  return { x: place(x), y: place(y), label };
}

export function nearest(points: Points, x: number, y: number, within: number): number | null {
  let [best, least] = [-1, within * within];
  points.forEach((point, i) => {
    const distance = (point.x - x) ** 2 + (point.y - y) ** 2;
    if (distance <= least) [best, least] = [i, distance];
  });
  return best < 0 ? null : best;
}

/** The points that are trained on, and those that are held out: of each class about this share, at most half, one after the other. */
export function split(points: Points, share: number): { training: Points; test: Points; heldOut: ReadonlySet<number> } {
  const seen = new Map<number, number>();
  const heldOut = new Set<number>();
  points.forEach(({ label }, i) => {
    const rank = (seen.get(label) ?? 0) + 1;
    seen.set(label, rank);
    if ((rank * golden) % 1 < share) heldOut.add(i);
  });
  return { training: points.filter((_, i) => !heldOut.has(i)), test: points.filter((_, i) => heldOut.has(i)), heldOut };
}
const golden = 0.6180339887; // spreads evenly, and leaves the first of a class to train on

/** The classes that have points, ascending. */
export const classesOf = (points: Points) => [...new Set(points.map(({ label }) => label))].sort((a, b) => a - b);

// ---- as text: a digit for the class, two letters each for x and y

const digits = '0123456789abcdefghijklmnopqrstuvwxyz';
const written = (at: number) => Math.round(grain * (at + 1)).toString(36).padStart(2, '0');

export const packed = (points: Points) =>
  points.map(({ x, y, label }) => `${label}${written(x)}${written(y)}`).join('');

/** The points; null when the text is none. */
export function unpacked(text: string): Points | null {
  if (text.length % 5 !== 0 || text.length / 5 > most_points) return null;
  const points: Point[] = [];
  for (let at = 0; at < text.length; at += 5) {
    const label = digits.indexOf(text[at]!);
    const [x, y] = [1, 3].map((from) => Number.parseInt(text.slice(at + from, at + from + 2), 36) / grain - 1);
    if (label < 0 || label >= most_classes || !(Math.abs(x!) <= 1) || !(Math.abs(y!) <= 1)) return null;
    points.push(pointAt(x!, y!, label));
  }
  return points;
}

// ---- examples, the same everywhere

/** Knuth's linear congruential generator, its upper bits: numbers from 0 to 1. */
function numbers(): () => number {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}

/** How far points are scattered, in the numbers of the slider: 0, where it is and the most. */
export const [usual_noise, most_noise] = [20, 50];

export const examples: Record<string, { title: string; make: (noise?: number) => Points }> = {
  moons: {
    title: 'Moons',
    make: (noise) => drawn(noise, 100, 2, (label, share, next) => {
      const angle = Math.PI * share;
      const [x, y] = label === 0 ? [Math.cos(angle) - 0.5, 0.25 - Math.sin(angle)] : [0.5 - Math.cos(angle), Math.sin(angle) - 0.25];
      return [0.52 * x + 0.09 * next(), -0.72 * y + 0.09 * next()];
    }),
  },
  xor: {
    title: 'XOR',
    make: (noise) => drawn(noise, 96, 2, (label, share, next) => {
      const side = share < 0.5 ? 1 : -1;
      return [0.48 * side + 0.17 * next(), 0.48 * (label === 0 ? side : -side) + 0.17 * next()];
    }),
  },
  rings: {
    title: 'Rings',
    make: (noise) => drawn(noise, 108, 2, (label, share, next) => {
      const [angle, radius] = [2 * Math.PI * share, (label === 0 ? 0.28 : 0.76) + 0.06 * next()];
      return [radius * Math.cos(angle), radius * Math.sin(angle)];
    }),
  },
  blobs: {
    title: 'Three blobs',
    make: (noise) => drawn(noise, 105, 3, (label, _, next) => {
      const angle = Math.PI * (0.5 + (2 * label) / 3);
      return [0.52 * Math.cos(angle) + 0.17 * next(), 0.52 * Math.sin(angle) - 0.08 + 0.17 * next()];
    }),
  },
};

/** So many points, class by class in turn; `next` gives about a normal number, of variance 1 with the usual noise, `share` rises from 0 to 1. */
function drawn(
  noise = usual_noise, count: number, classes: number, place: (label: number, share: number, next: () => number) => [number, number],
): Points {
  const uniform = numbers();
  const next = () => (noise / usual_noise) * (2 * (uniform() + uniform() + uniform()) - 3);
  const each = count / classes;
  return Array.from({ length: count }, (_, i) => {
    const label = i % classes;
    const [x, y] = place(label, (Math.floor(i / classes) + 0.5) / each, next);
    return pointAt(x, y, label);
  });
}
