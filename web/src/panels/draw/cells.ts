/** The 8×8 pixels that the classifier sees; arrow keys and space, or clicks, paint and erase them one by one. */
import { features, side } from '../../digits';
import { svg } from '../../dom';
import { most_ink, type Pixels } from './strokes';

const steps: Record<string, readonly [row: number, column: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

export class Cells {
  #root;
  #readout;
  #cells: SVGRectElement[];
  #cursor = svg('rect', { class: 'cursor', width: 1, height: 1, rx: 0.1 });
  #at = 3 * side + 3;
  #pixels: Pixels = new Uint8Array(features);

  /** `toggled`: that pixel is to be painted, or erased when it has ink. */
  constructor(root: HTMLElement, readout: HTMLElement, toggled: (pixel: number) => void) {
    this.#root = root;
    this.#readout = readout;
    const picture = pictureOf(this.#pixels);
    this.#cells = [...picture.querySelectorAll('rect')];
    picture.append(this.#cursor);
    root.append(picture);
    root.addEventListener('keydown', (event) => {
      const step = steps[event.key];
      if (step) this.#move(step);
      else if (event.key === ' ' || event.key === 'Enter') toggled(this.#at);
      else return;
      event.preventDefault();
    });
    picture.addEventListener('click', (event) => {
      const pixel = this.#cells.indexOf(event.target as SVGRectElement);
      if (pixel < 0) return;
      this.#at = pixel;
      this.#place();
      toggled(pixel);
    });
    root.addEventListener('focus', () => this.#say());
    root.addEventListener('blur', () => (readout.textContent = ''));
    this.#place();
  }

  show(pixels: Pixels): void {
    this.#pixels = pixels;
    ink(this.#cells, pixels);
    if (document.activeElement === this.#root) this.#say();
  }

  #move([down, right]: readonly [number, number]): void {
    const inside = (at: number) => Math.min(Math.max(at, 0), side - 1);
    this.#at = inside(Math.floor(this.#at / side) + down) * side + inside((this.#at % side) + right);
    this.#place();
    this.#say();
  }
  #place(): void {
    this.#cursor.setAttribute('x', String(this.#at % side));
    this.#cursor.setAttribute('y', String(Math.floor(this.#at / side)));
  }
  #say(): void {
    const [row, column] = [Math.floor(this.#at / side) + 1, (this.#at % side) + 1];
    this.#readout.textContent = `Row ${row}, column ${column}: ink ${this.#pixels[this.#at]} of ${most_ink}`;
  }
}

/** Pixels as a picture. */
export function pictureOf(pixels: Pixels): SVGSVGElement {
  const picture = svg('svg', { viewBox: `0 0 ${side} ${side}`, 'aria-hidden': 'true' });
  const cells = Array.from({ length: features }, (_, j) =>
    svg('rect', { class: 'ink', x: j % side, y: Math.floor(j / side), width: 1, height: 1 }));
  ink(cells, pixels);
  picture.append(...cells);
  return picture;
}

function ink(cells: readonly SVGRectElement[], pixels: Pixels): void {
  cells.forEach((cell, j) => {
    const share = String(pixels[j]! / most_ink);
    if (cell.style.fillOpacity !== share) cell.style.fillOpacity = share;
  });
}
