/** A small plot with two logarithmic axes. */
import { svg } from './dom';

export interface Point {
  x: number;
  y: number;
}
export interface Line {
  name: string;
  kind: string; // its class in the style sheet
  points: readonly Point[];
  /** Where its name stands: above or below its end. */
  side: 'above' | 'below';
}
export interface Plot {
  lines: readonly Line[];
  /** Shades what is between the first two lines. */
  band?: boolean;
  /** A level to reach. */
  goal?: { y: number; name: string };
  y: { least: number; most: number; label: (y: number) => string };
  x: { least: number; most: number; label: (x: number) => string };
}

const most_dots = 40;
const label_width = 58;
const margin = { left: 58, right: 10, top: 12, bottom: 24 };

export function draw(picture: SVGSVGElement, plot: Plot): void {
  const [width, height] = [picture.clientWidth, picture.clientHeight];
  if (width === 0 || height === 0) return;
  picture.setAttribute('viewBox', `0 0 ${width} ${height}`);
  const inner = { right: width - margin.right, bottom: height - margin.bottom };
  const scale = (least: number, most: number, from: number, to: number) => (value: number) => {
    const share = Math.log(Math.max(value, least) / least) / Math.log(most / least);
    return from + (to - from) * Math.min(share, 1);
  };
  const x = scale(plot.x.least, plot.x.most, margin.left, inner.right);
  const y = scale(plot.y.least, plot.y.most, inner.bottom, margin.top);
  const round = (value: number) => Math.round(10 * value) / 10;
  const path = (points: readonly Point[]) => points.map((p) => `${round(x(p.x))},${round(y(p.y))}`).join('L');

  const parts: Node[] = [];
  for (const tick of ticks(plot.y.least, plot.y.most, 5)) {
    parts.push(svg('path', { class: 'grid', d: `M${margin.left},${round(y(tick))}H${inner.right}` }));
    parts.push(svg('text', { x: margin.left - 6, y: y(tick) + 4, 'text-anchor': 'end' }, plot.y.label(tick)));
  }
  let free = margin.left; // where the next label may stand
  for (const tick of ticks(plot.x.least, plot.x.most, width / 70)) {
    if (x(tick) < free) continue;
    free = x(tick) + label_width;
    parts.push(svg('path', { class: 'tick', d: `M${round(x(tick))},${inner.bottom}v4` }));
    const label = plot.x.label(tick);
    const middle = Math.min(x(tick), width - 3.5 * label.length - 2); // the last one keeps within the edge
    parts.push(svg('text', { x: middle, y: height - 6, 'text-anchor': 'middle' }, label));
  }
  const [first, second] = plot.lines;
  if (plot.band && first?.points.length && second?.points.length)
    parts.push(svg('path', { class: 'band', d: `M${path(first.points)}L${path([...second.points].reverse())}Z` }));
  if (plot.goal && plot.goal.y >= plot.y.least) {
    const level = y(plot.goal.y);
    parts.push(svg('path', { class: 'goal', d: `M${margin.left},${round(level)}H${inner.right}` }));
    parts.push(svg('text', { class: 'name', x: margin.left + 6, y: level - 5 }, plot.goal.name));
  }
  for (const { name, kind, points, side } of plot.lines) {
    const last = points.at(-1);
    if (!last) continue;
    parts.push(svg('path', { class: `line ${kind}`, d: `M${path(points)}` }));
    const dots = points.length <= most_dots ? points : [last];
    for (const p of dots) parts.push(svg('circle', { class: kind, cx: round(x(p.x)), cy: round(y(p.y)), r: p === last ? 3.5 : 2 }));
    if (!name) continue;
    const at = Math.min(y(last.y) + (side === 'above' ? -9 : 17), inner.bottom - 4);
    parts.push(svg('text', { class: 'name', x: x(last.x), y: at, 'text-anchor': 'end' }, name));
  }
  picture.replaceChildren(...parts);
}

/** Round numbers within the range, about `wanted` of them. */
function ticks(least: number, most: number, wanted: number): number[] {
  const decades = Math.log10(most / least);
  for (const leading of [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]]) {
    if (decades * leading.length > wanted && leading.length > 1) continue;
    const found: number[] = [];
    for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); ++power)
      for (const digit of leading) {
        const value = digit * 10 ** power;
        if (value >= least * 0.999 && value <= most * 1.001) found.push(value);
      }
    const each = Math.ceil(found.length / Math.max(wanted, 1));
    return found.filter((_, i) => i % each === 0);
  }
  return [];
}
