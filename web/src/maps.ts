/** Each class's weights as a picture: orange speaks for the class, blue against it, a pixel that is not used is blank. */
import { html, svg } from './dom';
import { features, side } from './digits';
import { signed } from './format';

const full_tone = 1; // the weight at which a colour is at its strongest

const steps: Record<string, readonly [row: number, column: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

export class WeightMaps {
  #names: readonly string[] = []; // of the classes
  #weights: ArrayLike<number> = []; // features × classes
  #cells: (SVGRectElement | undefined)[] = []; // likewise, from the first weight on that is not zero
  #cursors: SVGRectElement[] = [];
  #values: HTMLElement[] = [];
  #pixel: number | null = null;
  #root;
  #readout;

  constructor(root: HTMLElement, readout: HTMLElement) {
    this.#root = root;
    this.#readout = readout;
    root.tabIndex = 0;
    root.setAttribute('role', 'application');
    root.setAttribute('aria-label', 'Weights of each class, 8 by 8 pixels. The arrow keys move from pixel to pixel.');
    root.setAttribute('aria-describedby', readout.id);
    root.addEventListener('pointermove', (event) => this.#point(pixelUnder(event)));
    root.addEventListener('pointerdown', (event) => this.#point(pixelUnder(event)));
    root.addEventListener('pointerleave', () => this.#point(null));
    root.addEventListener('blur', () => this.#point(null));
    root.addEventListener('keydown', (event) => this.#step(event));
    this.#say();
  }

  show(names: readonly string[], weights: ArrayLike<number>): void {
    this.#rename(names);
    this.#weights = weights;
    for (let i = 0; i < weights.length; ++i) {
      const look = lookOf(weights[i]!);
      const cell = this.#cells[i] ?? (weights[i] !== 0 ? this.#addCell(i) : null);
      if (cell && cell.style.fill !== look) cell.style.fill = look;
    }
    this.#say();
  }

  #rename(names: readonly string[]): void {
    if (names.join('\n') === this.#names.join('\n')) return;
    this.#names = names;
    [this.#cells, this.#cursors, this.#values] = [[], [], []];
    const blank = blankPicture();
    this.#root.replaceChildren(...names.map((_, k) => this.#figure(k, blank.cloneNode(true) as SVGSVGElement)));
  }

  #figure(k: number, picture: SVGSVGElement): HTMLElement {
    this.#cursors.push(picture.querySelector('rect')!);
    const value = html('span', { class: 'value' });
    this.#values.push(value);
    return html('figure', {}, picture, html('figcaption', {}, html('b', {}, this.#names[k]!), value));
  }

  #addCell(i: number): SVGRectElement {
    const [j, k] = [Math.floor(i / this.#names.length), i % this.#names.length];
    const cell = svg('rect', { x: (j % side) + 0.03, y: Math.floor(j / side) + 0.03, width: 0.94, height: 0.94, rx: 0.08 });
    this.#cursors[k]!.before(cell);
    return (this.#cells[i] = cell);
  }

  #step(event: KeyboardEvent): void {
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const [row, column] = this.#pixel === null ? [3, 3] : [Math.floor(this.#pixel / side), this.#pixel % side];
    const inside = (at: number) => Math.min(Math.max(at, 0), side - 1);
    this.#point(this.#pixel === null ? row * side + column : inside(row + step[0]) * side + inside(column + step[1]));
  }

  #point(pixel: number | null): void {
    if (pixel === this.#pixel) return;
    this.#pixel = pixel;
    this.#root.classList.toggle('pointing', pixel !== null);
    for (const cursor of this.#cursors) {
      cursor.setAttribute('x', String((pixel ?? 0) % side));
      cursor.setAttribute('y', String(Math.floor((pixel ?? 0) / side)));
    }
    this.#say();
  }

  #say(): void {
    const pixel = this.#pixel;
    if (pixel === null) {
      this.#readout.textContent = 'Point at a pixel to see its weights.';
      for (const value of this.#values) value.textContent = '';
      return;
    }
    let used = 0;
    this.#values.forEach((value, k) => {
      const weight = this.#weights[pixel * this.#names.length + k] ?? 0;
      if (weight !== 0) ++used;
      value.textContent = weight === 0 ? '0' : signed(weight);
    });
    const place = `Row ${Math.floor(pixel / side) + 1}, column ${(pixel % side) + 1}`;
    this.#readout.textContent = `${place}: ${used === 0 ? 'not used' : `used by ${used} of ${this.#names.length} classes`}`;
  }
}

/** A dot in the middle of each pixel, and the frame of the pixel pointed at; squares over the dots go between them. */
function blankPicture(): SVGSVGElement {
  const picture = svg('svg', { viewBox: `0 0 ${side} ${side}`, 'aria-hidden': 'true' });
  const pixels = Array.from({ length: features }, (_, j) => [j % side, Math.floor(j / side)] as const);
  picture.append(svg('path', { class: 'dots', d: pixels.map(([x, y]) => `M${x + 0.5},${y + 0.5}h0`).join('') }));
  picture.append(svg('rect', { class: 'cursor', width: 1, height: 1, rx: 0.1 }));
  return picture;
}

/** The square root keeps small weights apart from zero. */
function lookOf(weight: number): string {
  if (weight === 0) return 'transparent';
  const tone = Math.min(Math.sqrt(Math.abs(weight) / full_tone), 1);
  return `color-mix(in oklab, var(${weight > 0 ? '--positive' : '--negative'}) ${Math.round(100 * tone)}%, var(--cell))`;
}

function pixelUnder(event: PointerEvent): number | null {
  const picture = (event.target as Element).closest('svg');
  if (!picture) return null;
  const box = picture.getBoundingClientRect();
  const along = (at: number, start: number, length: number) => Math.floor((side * (at - start)) / length);
  const [x, y] = [along(event.clientX, box.left, box.width), along(event.clientY, box.top, box.height)];
  return x >= 0 && x < side && y >= 0 && y < side ? y * side + x : null;
}
