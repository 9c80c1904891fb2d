/** The canvas that is drawn on, with mouse, pen or finger. */
import type { Stroke } from './strokes';

const pen = 0.055; // share of the canvas
const least_way = 0.008; // between two points of a stroke

export class Pad {
  #canvas;
  #side = 0; // pixels of the page; 0: it has not been laid out yet
  #strokes: readonly Stroke[] = [];
  #demonstrated: readonly Stroke[] = []; // until someone draws
  #current: number[] | null = null;
  #pointer: number | null = null;
  #drawing;
  #drawn;

  /** `drawing` while a stroke is under way, with it; `drawn` when it has ended. */
  constructor(canvas: HTMLCanvasElement, drawing: (strokes: readonly Stroke[]) => void, drawn: (stroke: Stroke) => void) {
    this.#canvas = canvas;
    this.#drawing = drawing;
    this.#drawn = drawn;
    canvas.addEventListener('pointerdown', (event) => this.#begin(event));
    canvas.addEventListener('pointermove', (event) => this.#go(event));
    canvas.addEventListener('pointerup', (event) => this.#end(event));
    canvas.addEventListener('pointercancel', (event) => this.#end(event));
    new ResizeObserver(([entry]) => {
      this.#side = entry!.contentRect.width;
      this.#paint();
    }).observe(canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#paint());
  }

  show(strokes: readonly Stroke[]): void {
    this.#strokes = strokes;
    this.#paint();
  }

  demonstrate(strokes: readonly Stroke[]): void {
    this.#demonstrated = strokes;
    this.#paint();
  }

  #begin(event: PointerEvent): void {
    if (event.button !== 0 || this.#current) return;
    event.preventDefault();
    this.#demonstrated = [];
    this.#canvas.setPointerCapture(event.pointerId);
    this.#pointer = event.pointerId;
    this.#current = [];
    this.#add(event);
  }

  #go(event: PointerEvent): void {
    if (event.pointerId !== this.#pointer) return;
    const steps = event.getCoalescedEvents?.() ?? [];
    for (const step of steps.length > 0 ? steps : [event]) this.#add(step);
  }

  #add(event: PointerEvent): void {
    const box = this.#canvas.getBoundingClientRect();
    const inside = (at: number) => Math.round(1000 * Math.min(Math.max(at, 0), 1)) / 1000;
    const x = inside((event.clientX - box.left) / box.width);
    const y = inside((event.clientY - box.top) / box.height);
    const stroke = this.#current!;
    const [beforeX, beforeY] = stroke.slice(-2);
    if (beforeX !== undefined && Math.hypot(x - beforeX, y - beforeY!) < least_way) return;
    stroke.push(x, y);
    this.#paint();
    this.#drawing([...this.#strokes, stroke]);
  }

  #end(event: PointerEvent): void {
    if (event.pointerId !== this.#pointer || !this.#current) return;
    const stroke = this.#current;
    [this.#current, this.#pointer] = [null, null];
    this.#drawn(stroke);
  }

  #paint(): void {
    const canvas = this.#canvas;
    const size = Math.round(this.#side * devicePixelRatio);
    if (size === 0) return;
    canvas.width = canvas.height = size; // which wipes it
    const strokes = this.#current ? [...this.#strokes, this.#current] : [...this.#demonstrated, ...this.#strokes];
    const context = strokes.length > 0 ? canvas.getContext('2d') : null;
    if (!context) return;
    context.strokeStyle = getComputedStyle(canvas).color;
    context.lineWidth = pen * size;
    context.lineCap = context.lineJoin = 'round';
    for (const stroke of strokes) {
      context.beginPath();
      context.moveTo(stroke[0]! * size, stroke[1]! * size);
      for (let i = 0; i < stroke.length; i += 2) context.lineTo(stroke[i]! * size, stroke[i + 1]! * size);
      context.stroke(); // a line to its own start is a dot
    }
  }
}
