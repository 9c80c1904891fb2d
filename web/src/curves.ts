/** The objective, its lower bound and the certified gap of the running training, drawn as they come. */
import type { Report } from 'tamis';
import { draw } from './curve';
import { short } from './format';

interface Entry {
  time: number;
  objective: number;
  bound: number;
  gap: number;
}

export class Curves {
  #trace: Entry[] = [];
  #tolerance = 0;
  #fresh = true;
  #scheduled = false;
  #objective;
  #gap;

  constructor(objective: SVGSVGElement, gap: SVGSVGElement) {
    this.#objective = objective;
    this.#gap = gap;
    new ResizeObserver(() => this.#schedule()).observe(objective);
  }

  /** The next report is the first of a new training; until it comes, the old curves stay. */
  restart(tolerance: number): void {
    this.#tolerance = tolerance;
    this.#fresh = true;
  }

  /** Nothing has been trained. */
  clear(): void {
    this.#trace = [];
    this.#objective.replaceChildren();
    this.#gap.replaceChildren();
  }

  add({ objective, dualObjective: bound, relativeGap: gap, milliseconds: time = 0 }: Report): void {
    if (!(gap > 0) || !(objective > 0) || !(time > 0)) return; // before the first certificate
    if (this.#fresh) this.#trace = [];
    this.#fresh = false;
    const last = this.#trace.at(-1);
    if (last && last.gap === gap && last.objective === objective) return;
    this.#trace.push({ time, objective, bound, gap });
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    requestAnimationFrame(() => {
      this.#scheduled = false;
      this.#draw();
    });
  }

  #draw(): void {
    const trace = this.#trace;
    const [first, last] = [trace[0], trace.at(-1)];
    if (!first || !last) return;
    const x = {
      least: first.time * 0.95,
      most: Math.max(last.time * 1.02, first.time * 1.5),
      label: (ms: number) => (ms < 1000 ? `${short(ms)} ms` : `${short(ms / 1000)} s`).replace(/\.0+(?= )/, ''),
    };
    const line = (of: (entry: Entry) => number) => trace.map((entry) => ({ x: entry.time, y: of(entry) }));
    const top = Math.max(...trace.map(({ objective }) => objective));
    const bottom = Math.min(...trace.map(({ objective }) => objective));
    const bounds = trace.map(({ bound }) => bound).filter((bound) => bound > bottom / 20);
    draw(this.#objective, {
      lines: [
        { name: 'objective', kind: 'objective', points: line(({ objective }) => objective), side: 'above' },
        { name: 'lower bound', kind: 'bound', points: line(({ bound }) => bound), side: 'below' },
      ],
      band: true,
      x,
      y: { least: Math.min(bottom, ...bounds) / 1.25, most: top * 1.25, label: (value) => trimmed(value) },
    });
    const gaps = trace.map(({ gap }) => gap);
    draw(this.#gap, {
      lines: [{ name: '', kind: 'gap', points: line(({ gap }) => gap), side: 'above' }],
      goal: { y: this.#tolerance, name: 'asked for' },
      x,
      y: {
        least: Math.min(...gaps, this.#tolerance) / 1.5,
        most: Math.max(1, ...gaps),
        label: (value) => `${trimmed(100 * value)} %`,
      },
    });
  }
}

const trimmed = (value: number) => String(Number(value.toPrecision(3)));
