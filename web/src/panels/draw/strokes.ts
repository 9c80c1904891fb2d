/**
 * Drawings made into 8×8 pixels as the digits of the data were: as high as a bitmap of 32×32, in its middle, with about
 * the same ink for all; then the inked points in each block of 4×4 are counted, 0 to 16.
 */
import { features, side } from '../../digits';

/** x and y of one point after the other, in shares of the canvas. */
export type Stroke = readonly number[];
/** 64 counts from 0 to 16, row by row. */
export type Pixels = Uint8Array;

export const most_ink = 16;
const fine = 32;
const widest = 28;
const most_stretch = 1.35; // of the height against the width
const least_extent = 0.12; // of the canvas: smaller drawings are not enlarged beyond it
const usual_ink = 312; // points; the mean of the 1797 digits
const [thinnest, thickest] = [1.4, 4.8]; // radius of the pen

/** From a stroke's points to squared distances: 0 for strokes of one point is their place itself. */
interface Segment {
  x: number;
  y: number;
  dx: number;
  dy: number;
}

export function pixelsOf(strokes: readonly Stroke[]): Pixels {
  const pixels = new Uint8Array(features);
  if (strokes.length === 0) return pixels;
  // The pen that spends the usual ink: thin for long lines, thick for short ones.
  let [thin, thick] = [thinnest, thickest];
  for (let round = 0; round < 6; ++round) {
    const radius = (thin + thick) / 2;
    if (inked(distances(strokes, radius), radius) > usual_ink) thick = radius;
    else thin = radius;
  }
  const away = distances(strokes, thin);
  const block = fine / side;
  away.forEach((distance, at) => {
    if (distance > thin * thin) return;
    const [row, column] = [Math.floor(at / fine / block), Math.floor((at % fine) / block)];
    ++pixels[row * side + column]!;
  });
  return pixels;
}

const inked = (away: Float32Array, radius: number) => away.reduce((sum, distance) => sum + Number(distance <= radius * radius), 0);

/** Squared distance of each point of the bitmap from the strokes, which are scaled so that a pen of that radius fits. */
function distances(strokes: readonly Stroke[], radius: number): Float32Array {
  const segments = placed(strokes, radius);
  const away = new Float32Array(fine * fine).fill(Infinity);
  for (const { x, y, dx, dy } of segments) {
    const length = dx * dx + dy * dy;
    // No point further away matters.
    const [top, bottom] = reach(y, y + dy, thickest);
    const [left, right] = reach(x, x + dx, thickest);
    for (let row = top; row <= bottom; ++row)
      for (let column = left; column <= right; ++column) {
        const [px, py] = [column + 0.5 - x, row + 0.5 - y];
        const along = length === 0 ? 0 : Math.min(Math.max((px * dx + py * dy) / length, 0), 1);
        const [ox, oy] = [px - along * dx, py - along * dy];
        const at = row * fine + column;
        away[at] = Math.min(away[at]!, ox * ox + oy * oy);
      }
  }
  return away;
}

function reach(from: number, to: number, radius: number): [number, number] {
  const [least, most] = [Math.min(from, to) - radius, Math.max(from, to) + radius];
  return [Math.max(0, Math.floor(least)), Math.min(fine - 1, Math.ceil(most))];
}

/** The strokes in the middle of the bitmap. */
function placed(strokes: readonly Stroke[], radius: number): Segment[] {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const stroke of strokes)
    for (let i = 0; i + 1 < stroke.length; i += 2) {
      left = Math.min(left, stroke[i]!);
      right = Math.max(right, stroke[i]!);
      top = Math.min(top, stroke[i + 1]!);
      bottom = Math.max(bottom, stroke[i + 1]!);
    }
  const [width, height] = [right - left, bottom - top];
  const room = (size: number, extent: number) => (size - 2 * radius) / Math.max(extent, 1e-9);
  const scale = Math.min(room(widest, width), room(fine, height), room(fine, least_extent));
  const tall = Math.min(room(fine, height), most_stretch * scale);
  const [midX, midY] = [(left + right) / 2, (top + bottom) / 2];
  const x = (at: number) => fine / 2 + scale * (at - midX);
  const y = (at: number) => fine / 2 + tall * (at - midY);

  const segments: Segment[] = [];
  for (const stroke of strokes) {
    if (stroke.length === 2) segments.push({ x: x(stroke[0]!), y: y(stroke[1]!), dx: 0, dy: 0 });
    for (let i = 2; i + 1 < stroke.length; i += 2) {
      const [fromX, fromY] = [x(stroke[i - 2]!), y(stroke[i - 1]!)];
      segments.push({ x: fromX, y: fromY, dx: x(stroke[i]!) - fromX, dy: y(stroke[i + 1]!) - fromY });
    }
  }
  return segments;
}

// ---- as text

/** 'a' for 0 to 'q' for 16, and capital letters for as many zeros in a row, as plugins/digits.js has them. */
export function packed(pixels: Pixels): string {
  const letters = Array.from(pixels, (ink) => String.fromCharCode(97 + ink)).join('');
  return letters.replace(/a{1,26}/g, (zeros) => String.fromCharCode(64 + zeros.length));
}

/** The pixels; null when the text is none. */
export function unpacked(text: string): Pixels | null {
  const letters = text.replace(/[A-Z]/g, (zeros) => 'a'.repeat(zeros.charCodeAt(0) - 64));
  if (letters.length !== features || !/^[a-q]*$/.test(letters)) return null;
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0) - 97);
}
