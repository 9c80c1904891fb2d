/** Curves over λ on a logarithmic axis, with marks at some of its values; a click chooses one. */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface PlotLine {
  name: string;
  /** The name of a CSS variable. */
  colour: string;
  width?: number;
  values: (number | null)[];
}
export interface PlotMark {
  lambda: number;
  name: string;
  /** The one that is chosen. */
  chosen?: boolean;
  /** On which side of the mark its name ends or begins. Default: it is above. */
  side?: 'left' | 'right';
}
export interface PlotOptions {
  label: string;
  format: (value: number) => string;
  /** The lowest value that is always in sight. */
  least?: number;
  /** Shades what is between these two lines. */
  band?: [number, number];
  onChoose?: (lambda: number) => void;
}

const height = 230;
const font = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export class LambdaPlot {
  #root;
  #options;
  #plot: uPlot | null = null;
  #names = '';
  #lines: PlotLine[] = [];
  #marks: PlotMark[] = [];

  constructor(root: HTMLElement, options: PlotOptions) {
    this.#root = root;
    this.#options = options;
    root.setAttribute('role', 'img');
    root.setAttribute('aria-label', options.label);
    new ResizeObserver(() => this.#plot?.setSize({ width: root.clientWidth, height })).observe(root);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#plot?.redraw());
  }

  /** λ ascending. */
  show(lambdas: number[], lines: PlotLine[]): void {
    const names = lines.map(({ name, colour, width }) => `${name} ${colour} ${width}`).join('\n');
    this.#lines = lines;
    const data = [lambdas, ...lines.map(({ values }) => values)] as uPlot.AlignedData;
    if (this.#plot && names === this.#names) return this.#plot.setData(data);
    this.#names = names;
    this.#plot?.destroy();
    if (this.#root.clientWidth === 0) return void ([this.#plot, this.#names] = [null, '']);
    this.#plot = new uPlot(this.#uplotOptions(), data, this.#root);
    this.#plot.over.addEventListener('click', (event) => {
      const at = this.#plot!.posToVal(event.offsetX, 'x');
      if (at > 0) this.#options.onChoose?.(at);
    });
  }

  /** Axes alone. */
  clear(): void {
    this.#marks = [];
    if (this.#plot) this.show([1e-3, 1], this.#lines.map((line) => ({ ...line, values: [null, null] })));
  }

  mark(marks: PlotMark[]): void {
    this.#marks = marks;
    this.#plot?.redraw(false);
  }

  #uplotOptions(): uPlot.Options {
    const axis: uPlot.Axis = {
      font,
      stroke: () => colour('--muted'),
      grid: { stroke: () => colour('--line'), width: 1 },
      ticks: { show: false },
    };
    const { band, format, least } = this.#options;
    return {
      width: this.#root.clientWidth,
      height,
      padding: [18, 12, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: {
        x: { time: false, distr: 3, range: (_, from, to) => (from > 0 ? [from, to > from ? to : from * 1.1] : [1e-3, 1]) },
        y: {
          range: (_, from, to) => {
            const low = Math.min(from ?? 0, least ?? Infinity);
            const top = Math.max(to ?? 1, low + 1e-3); // narrower ones have no ticks
            const room = 0.05 * (top - low);
            return [low === least ? low : low - room, top + room];
          },
        },
      },
      axes: [
        { ...axis, size: 26, grid: { show: false }, splits: (_, __, from, to) => ticksBetween(from, to), values: (_, splits) => splits.map(String), filter: (_, splits) => splits },
        { ...axis, size: 52, values: (_, splits) => splits.map(format) },
      ],
      series: [{}, ...this.#lines.map(({ colour: name, width = 1.5 }) => ({ stroke: () => colour(name), width, points: { show: false } }))],
      ...(band ? { bands: [{ series: band, fill: () => `${colour('--negative')}30` }] } : {}),
      hooks: { draw: [(plot) => this.#drawMarks(plot)] },
    };
  }

  #drawMarks(plot: uPlot): void {
    const { ctx, bbox } = plot;
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.font = font.replace('12px', `${12 * ratio}px`);
    for (const { lambda, name, chosen, side } of this.#marks) {
      const [least, most] = [plot.scales.x?.min ?? 0, plot.scales.x?.max ?? 0];
      if (lambda < least * 0.999 || lambda > most * 1.001) continue;
      const x = Math.round(plot.valToPos(lambda, 'x', true));
      ctx.strokeStyle = colour(chosen ? '--ink' : '--muted');
      ctx.lineWidth = (chosen ? 2 : 1) * ratio;
      ctx.setLineDash(chosen ? [] : [4 * ratio, 4 * ratio]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      const share = (x - bbox.left) / bbox.width;
      if (!name || (side === 'left' && share < 0.12)) continue; // no room
      ctx.fillStyle = colour('--ink');
      ctx.textAlign = share < 0.15 || side === 'right' ? 'left' : share > 0.85 || side === 'left' ? 'right' : 'center';
      ctx.fillText(name, x, bbox.top - 5 * ratio);
    }
    ctx.restore();
  }
}

/** Powers of ten; where there are fewer than two, also 2 and 5 times them. */
function ticksBetween(from: number, to: number): number[] {
  const found: number[][] = [[], []];
  for (let power = Math.floor(Math.log10(from)); power <= Math.log10(to) && power < 300; ++power)
    for (const digit of [1, 2, 5]) {
      const tick = Number(`${digit}e${power}`);
      if (tick < from || tick > to) continue;
      if (digit === 1) found[0]!.push(tick);
      found[1]!.push(tick);
    }
  return found[0]!.length > 2 ? found[0]! : found[1]!;
}
