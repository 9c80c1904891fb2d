/** Lines over time with two logarithmic axes. */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface Line {
  colour: string; // a variable of the style sheet
  dashed: boolean;
  points: readonly (readonly [x: number, y: number])[];
}
const height = 260;

export class LogPlot {
  #root;
  #value;
  #plot: uPlot | null = null;
  #kinds = ''; // of its lines
  #lines: readonly Line[] = [];
  #scheduled = 0;

  /** `value` writes a number at the axis that goes up. */
  constructor(root: HTMLElement, value: (y: number) => string) {
    this.#root = root;
    this.#value = value;
    new ResizeObserver(() => this.#plot?.setSize({ width: this.#root.clientWidth, height })).observe(root);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#plot?.redraw());
  }

  show(lines: readonly Line[]): void {
    this.#lines = lines;
    this.#scheduled ||= requestAnimationFrame(() => {
      this.#scheduled = 0;
      this.#draw();
    });
  }

  #draw(): void {
    if (this.#root.clientWidth === 0) return;
    const drawn = this.#lines.map(({ points }) => [points.map(([x]) => x), points.map(([, y]) => y)] as [number[], number[]]);
    const data = uPlot.join(drawn.map(([x, y]) => (x.length > 0 ? [x, y] : [[1], [null]]) as uPlot.AlignedData));
    const kinds = JSON.stringify(this.#lines.map(({ colour, dashed }) => [colour, dashed]));
    if (this.#plot && kinds === this.#kinds) return this.#plot.setData(data);
    this.#kinds = kinds;
    this.#plot?.destroy();
    this.#plot = new uPlot(this.#options(), data, this.#root);
  }

  #options(): uPlot.Options {
    const colour = (name: string) => getComputedStyle(this.#root).getPropertyValue(name).trim();
    const powers = (_: uPlot, splits: (number | null)[]) => splits.map((value) => (value !== null && isPowerOfTen(value) ? value : null));
    const axis = {
      stroke: () => colour('--muted'), grid: { stroke: () => colour('--line'), width: 1, filter: powers }, ticks: { show: false },
      font: '12px system-ui, sans-serif', filter: powers,
    };
    const written = (write: (value: number) => string) => (_: uPlot, splits: (number | null)[]) =>
      splits.map((value) => (value === null ? '' : write(value)));
    return {
      width: this.#root.clientWidth,
      height,
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false, distr: 3 }, y: { distr: 3 } },
      axes: [
        { ...axis, size: 30, values: written((ms) => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`)) },
        { ...axis, size: 58, values: written(this.#value) },
      ],
      series: [{}, ...this.#lines.map(({ colour: name, dashed }) => ({
        stroke: () => colour(name), width: 2, spanGaps: true, points: { show: false }, ...(dashed ? { dash: [6, 4] } : {}),
      }))],
    };
  }
}

function isPowerOfTen(value: number): boolean {
  const exponent = Math.log10(value);
  return Math.abs(exponent - Math.round(exponent)) < 1e-6;
}
