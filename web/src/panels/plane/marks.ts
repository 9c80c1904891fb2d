/** Classes look different without colour, too: each has a shape of its own. */
import { svg } from '../../dom';
import type { Point } from './points';

const shapes = [
  'M1,0A1,1,0,1,1,-1,0A1,1,0,1,1,1,0Z',
  'M-.9,-.9H.9V.9H-.9Z',
  'M0,-1.15L1.05,.8H-1.05Z',
  'M0,-1.25L1.25,0L0,1.25L-1.25,0Z',
  'M0,1.15L1.05,-.8H-1.05Z',
  'M-.4,-1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4Z',
];

/** A point's mark, `size` from its middle to its rim in units of the plane. */
export function mark({ x, y, label }: Point, size: number): SVGPathElement {
  return svg('path', { class: `mark class-${label}`, d: shapes[label]!, transform: `translate(${x} ${-y}) scale(${size})` });
}

/** The mark alone, as on a button. */
export function badge(label: number): SVGSVGElement {
  const picture = svg('svg', { class: 'badge', viewBox: '-1.6 -1.6 3.2 3.2', 'aria-hidden': 'true' });
  picture.append(mark({ x: 0, y: 0, label }, 1.1));
  return picture;
}
