/** The plane with its points over the regions: places, drags and removes them by pointer, places and removes them by keyboard. */
import { svg } from '../../dom';
import { mark } from './marks';
import { most_classes, nearest, type Points } from './points';

const mark_size = 0.026;
const near = 0.07; // a point this close is meant when something is removed
const grasp = 0.04; // and this close when it is dragged
const still = 6; // pixels that a pointer may move without being moved on purpose
const hint = 'Click or tap to place a point, drag one to move it.';
const [step, small_step] = [0.1, 0.02];

const moves: Record<string, readonly [x: number, y: number]> = {
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

export interface Hand {
  place(x: number, y: number): void;
  remove(point: number): void;
  /** A point on its way, and where it is let go. */
  move(point: number, x: number, y: number, dropped: boolean): void;
  /** A class by its number from 0. */
  choose(label: number): void;
  /** Whether pointing removes. */
  erases(): boolean;
  /** What to say of a place, to those who see it and to those who do not. */
  tell(x: number, y: number): string;
}

export class Stage {
  #root;
  #hand;
  #readout;
  #marks = svg('g');
  #cursor = svg('path', { class: 'cursor', d: 'M-.07,0H-.02M.02,0H.07M0,-.07V-.02M0,.02V.07', visibility: 'hidden' });
  #points: Points = [];
  #at: [number, number] = [0, 0];
  #held: { pointer: number; from: [number, number]; point: number | null; moved: boolean } | null = null;
  #told: [number, number] | null = null; // the place that the readout is of

  /** `root` holds the canvas and takes the keyboard; `readout` says what is where the pointer or the cursor is. */
  constructor(root: HTMLElement, readout: HTMLElement, hand: Hand) {
    this.#root = root;
    this.#hand = hand;
    this.#readout = readout;
    const picture = svg('svg', { viewBox: '-1 -1 2 2', 'aria-hidden': 'true' });
    picture.append(svg('path', { class: 'axes', d: 'M-1,0H1M0,-1V1' }), this.#marks, this.#cursor);
    root.append(picture);
    picture.addEventListener('pointerdown', (event) => this.#press(event));
    picture.addEventListener('pointermove', (event) => this.#drag(event));
    picture.addEventListener('pointerup', (event) => this.#release(event));
    picture.addEventListener('pointercancel', () => this.#cancel());
    // A finger that begins on a point drags it; elsewhere it scrolls the page.
    picture.addEventListener('touchstart', (event) => {
      const [touch] = event.touches;
      if (touch && event.touches.length === 1 && this.#graspedAt(...this.#under(touch)) !== null) event.preventDefault();
    }, { passive: false });
    picture.addEventListener('pointerleave', () => this.#tell(null));
    picture.addEventListener('contextmenu', (event) => event.preventDefault());
    root.addEventListener('keydown', (event) => this.#key(event));
    root.addEventListener('blur', () => {
      this.#cursor.setAttribute('visibility', 'hidden');
      this.#tell(null);
    });
    this.#tell(null);
  }

  /** `heldOut`: the numbers of those that are not trained on, drawn as rims. */
  show(points: Points, heldOut: ReadonlySet<number>): void {
    this.#points = points;
    this.#marks.replaceChildren(...points.map((point, i) => {
      const drawn = mark(point, mark_size);
      drawn.classList.toggle('held-out', heldOut.has(i));
      return drawn;
    }));
  }

  /** Says again what is to be said of the place pointed at. */
  retell(): void {
    this.#tell(this.#told);
  }
  #tell(place: [number, number] | null): void {
    this.#told = place;
    this.#readout.textContent = place ? this.#hand.tell(...place) : hint;
  }

  #under(event: { clientX: number; clientY: number }): [number, number] {
    const box = this.#root.getBoundingClientRect();
    const along = (at: number, start: number, length: number) => Math.min(Math.max((2 * (at - start)) / length - 1, -1), 1);
    return [along(event.clientX, box.left, box.width), -along(event.clientY, box.top, box.height)];
  }

  #graspedAt(x: number, y: number): number | null {
    return this.#hand.erases() ? null : nearest(this.#points, x, y, grasp);
  }

  #press(event: PointerEvent): void {
    if (this.#held) return this.#cancel(); // a second finger
    const point = event.button === 0 ? this.#graspedAt(...this.#under(event)) : null;
    this.#held = { pointer: event.pointerId, from: [event.clientX, event.clientY], point, moved: false };
    if (point !== null) (event.currentTarget as Element).setPointerCapture(event.pointerId);
  }

  #drag(event: PointerEvent): void {
    const place = this.#under(event);
    const held = this.#held;
    if (held?.pointer === event.pointerId) {
      held.moved ||= Math.hypot(event.clientX - held.from[0], event.clientY - held.from[1]) > still;
      if (held.moved && held.point !== null) this.#hand.move(held.point, ...place, false);
    }
    this.#tell(place);
  }

  /** Places or removes where the pointer has stayed. */
  #release(event: PointerEvent): void {
    const held = this.#held;
    if (held?.pointer !== event.pointerId) return;
    this.#held = null;
    const [x, y] = this.#under(event);
    if (held.moved) return void (held.point !== null && this.#hand.move(held.point, x, y, true));
    if (event.button === 2 || this.#hand.erases()) this.#remove(x, y);
    else if (event.button === 0) this.#hand.place(x, y);
  }

  #cancel(): void {
    const held = this.#held;
    this.#held = null;
    if (held?.moved && held.point !== null) {
      const { x, y } = this.#points[held.point]!;
      this.#hand.move(held.point, x, y, true);
    }
  }

  #remove(x: number, y: number): void {
    const point = nearest(this.#points, x, y, near);
    if (point !== null) this.#hand.remove(point);
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = moves[event.key];
    const [x, y] = this.#at;
    const label = Number(event.key) - 1;
    if (move) {
      const by = event.shiftKey ? small_step : step;
      const inside = (at: number) => Math.round(100 * Math.min(Math.max(at, -1), 1)) / 100;
      this.#at = [inside(x + by * move[0]), inside(y + by * move[1])];
    } else if (event.key === ' ' || event.key === 'Enter') {
      if (this.#hand.erases()) this.#remove(x, y);
      else this.#hand.place(x, y);
    } else if (event.key === 'Delete' || event.key === 'Backspace') this.#remove(x, y);
    else if (label >= 0 && label < most_classes) this.#hand.choose(label);
    else return;
    event.preventDefault();
    this.#cursor.setAttribute('visibility', 'visible');
    this.#cursor.setAttribute('transform', `translate(${this.#at[0]} ${-this.#at[1]})`);
    this.#tell(this.#at);
  }
}
