/** A digit that draws itself, until someone draws. */
import type { Stroke } from './strokes';

const duration = 1400; // milliseconds
const upper = { x: 0.48, y: 0.35, width: 0.16, height: 0.15, from: -150, to: 90 };
const lower = { x: 0.48, y: 0.65, width: 0.18, height: 0.16, from: -90, to: 150 };
/** A three. */
const whole: Stroke = [upper, lower].flatMap(({ x, y, width, height, from, to }) => Array.from({ length: 15 }, (_, i) => {
  const angle = (Math.PI / 180) * (from + ((to - from) * i) / 14);
  return [x + width * Math.cos(angle), y + height * Math.sin(angle)];
}).flat());

export class Demonstration {
  #show;
  #drawn: Stroke = [];
  #frame = 0;

  /** `show` is told to show what is drawn so far. */
  constructor(show: () => void) {
    this.#show = show;
  }

  get strokes(): readonly Stroke[] {
    return this.#drawn.length > 0 ? [this.#drawn] : [];
  }

  begin(): void {
    this.end();
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const start = performance.now();
    const step = () => {
      const share = still ? 1 : Math.min(Math.max((performance.now() - start) / duration, 0), 1);
      const points = Math.max(1, Math.round((share * whole.length) / 2));
      if (2 * points !== this.#drawn.length) {
        this.#drawn = whole.slice(0, 2 * points);
        this.#show();
      }
      if (share < 1) this.#frame = requestAnimationFrame(step);
    };
    step();
  }

  /** Leaves what is drawn so far. */
  stop(): void {
    cancelAnimationFrame(this.#frame);
  }

  /** Leaves nothing. */
  end(): void {
    this.stop();
    this.#drawn = [];
  }
}
