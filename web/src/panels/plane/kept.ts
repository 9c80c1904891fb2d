/** What a model of the plane keeps: its terms with their coefficients, or the relevance of kernels and samples. */
import type { InteractionTerm, KernelTerm } from 'tamis';
import { html, svg } from '../../dom';
import { signed } from '../../format';
import { badge, mark } from './marks';
import { featureNames } from './models';
import type { Points } from './points';

const term_names = featureNames.flatMap((name, j) => [[name, [j]], ...featureNames.slice(j).map((other, i) =>
  [i === 0 ? `${name}²` : `${name}·${other}`, [j, j + i]])] as [string, number[]][])
  .sort((a, b) => a[1].length - b[1].length);

/** Every term there could be, and its coefficient in the score of each class. */
export function showTerms(table: HTMLTableElement, terms: readonly InteractionTerm[], labels: readonly number[], products: boolean): void {
  const largest = Math.max(...terms.map(({ coefficient }) => Math.abs(coefficient)));
  const offered = term_names.filter(([, features]) => products || features.length === 1);
  table.replaceChildren(
    html('thead', {}, html('tr', {}, html('td'), ...labels.map((label) =>
      html('th', { scope: 'col' }, badge(label), html('span', { class: 'unseen' }, `class ${label + 1}`))))),
    html('tbody', {}, ...offered.map(([name, features]) => html('tr', {}, html('th', { scope: 'row' }, name), ...labels.map((label) => {
      const term = terms.find((one) => Number(one.class) === label && one.features.join() === features.join());
      if (!term) return html('td', { class: 'none' }, '·');
      const cell = html('td', { class: term.coefficient > 0 ? 'for' : 'against' }, signed(term.coefficient));
      cell.style.setProperty('--share', `${Math.round(15 + (85 * Math.abs(term.coefficient)) / largest)}%`);
      return cell;
    })))),
  );
}

export const possibleTerms = (products: boolean) => term_names.filter(([, features]) => products || features.length === 1).length;

/** One plane per kernel, where each sample is the darker the larger its coefficients are beside the largest of all. */
export function showRelevance(root: HTMLElement, terms: readonly KernelTerm[], kernels: readonly string[], points: Points): void {
  const sizes = terms.map(({ coefficients }) => Math.hypot(...coefficients));
  const largest = Math.max(...sizes);
  root.replaceChildren(...kernels.map((kernel) => {
    const picture = svg('svg', { viewBox: '-1.04 -1.04 2.08 2.08' });
    const size = new Map<number, number>();
    terms.forEach((term, e) => term.kernel === kernel && size.set(term.sample, sizes[e]! / largest));
    picture.append(svg('path', { class: 'unused', d: points.map(({ x, y }, i) => (size.has(i) ? '' : `M${x},${-y}h0`)).join('') || 'M0,0' }));
    for (const [sample, share] of [...size].sort((a, b) => a[1] - b[1])) {
      const drawn = mark(points[sample]!, 0.06);
      drawn.style.fillOpacity = String(0.15 + 0.85 * Math.sqrt(share));
      picture.append(drawn);
    }
    const caption = html('figcaption', {}, html('b', {}, kernel), html('span', {}, size.size === 0 ? 'not kept' : `${size.size} of ${points.length}`));
    return html('figure', { class: size.size === 0 ? 'none' : '' }, picture, caption);
  }));
}
