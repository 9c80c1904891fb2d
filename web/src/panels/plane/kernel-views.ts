/** What a model with kernels keeps, and what it predicts for everyone on board. */
import type { WorkerKernelModel } from 'tamis/worker';
import { html, svg } from '../../dom';
import { count, short } from '../../format';
import { features, groups, type Part } from './titanic';

/** Coefficients, kernels by samples: orange above zero, blue below, blank where nothing is kept. */
export class KeptTerms {
  #body = html('tbody');

  constructor(table: HTMLTableElement) {
    const heads = ['kernel', 'samples', 'of them', 'sum of |α|'].map((name) => html('th', { scope: 'col' }, name));
    table.append(
      html('caption', { class: 'unseen' }, 'How many samples each kernel keeps, and the sum of the absolute coefficients'),
      html('thead', {}, html('tr', {}, ...heads)),
      this.#body,
    );
  }

  show(model: WorkerKernelModel, kernels: readonly string[], training: Part): void {
    const place: number[] = []; // of each sample among those sorted by their group and their end
    training.groups.map((group, i) => ({ rank: 2 * group + training.y[i]!, i })).sort((a, b) => a.rank - b.rank || a.i - b.i)
      .forEach(({ i }, at) => (place[i] = at));
    const largest = Math.max(...model.terms.map(({ coefficients: [alpha = 0] }) => Math.abs(alpha)));
    this.#body.replaceChildren(...kernels.map((kernel) => {
      const terms = model.terms.filter((term) => term.kernel === kernel);
      const sum = terms.reduce((total, { coefficients: [alpha = 0] }) => total + Math.abs(alpha), 0);
      const strip = svg('svg', { viewBox: `0 0 ${place.length} 1`, preserveAspectRatio: 'none', 'aria-hidden': 'true' });
      for (const { sample, coefficients: [alpha = 0] } of terms) {
        const cell = svg('rect', { x: place[sample]!, width: 1, height: 1 });
        cell.style.fill = tone(alpha, largest);
        strip.append(cell);
      }
      return html('tr', { class: terms.length === 0 ? 'none' : '' },
        html('th', { scope: 'row' }, kernel), html('td', { class: 'strip' }, strip),
        html('td', {}, String(terms.length)), html('td', {}, terms.length === 0 ? '·' : short(sum)));
    }));
  }
}

const classes = ['1st class', '2nd class', '3rd class', 'crew'];
const kinds = [['man', true, true], ['woman', true, false], ['boy', false, true], ['girl', false, false]] as const;

/** Coloured by what is predicted for them: people of a class, age and sex have the same features. */
export class People {
  #cells: HTMLTableCellElement[] = []; // one per group

  constructor(table: HTMLTableElement) {
    table.append(
      html('caption', { class: 'unseen' }, 'What is predicted for people by class, age and sex, and how many of them survived'),
      html('thead', {}, html('tr', {}, html('td'), ...kinds.map(([name]) => html('th', { scope: 'col' }, name)))),
      html('tbody', {}, ...classes.map((name, row) => {
        const cells = kinds.map(([, adult, male]) => {
          const group = groups.findIndex((one) => one.travel === row + 1 && one.adult === adult && one.male === male);
          const cell = html('td');
          if (group >= 0) this.#cells[group] = cell;
          return cell;
        });
        return html('tr', {}, html('th', { scope: 'row' }, name), ...cells);
      })),
    );
  }

  /** Returns what is predicted for each group. */
  show(model: WorkerKernelModel): number[] {
    return groups.map(({ died, survived }, group) => {
      const sample = features[group]!;
      const predicted = Number(model.predict(sample));
      const cell = this.#cells[group]!;
      cell.className = predicted ? 'survives' : 'dies';
      cell.style.setProperty('--share', `${Math.round(100 * Math.min(1, Math.abs(model.scores(sample)[1] ?? 0)))}%`);
      cell.replaceChildren(html('b', {}, predicted ? 'survives' : 'dies'), `${count(survived)} of ${count(died + survived)}`);
      return predicted;
    });
  }
}

/** The square root keeps small coefficients apart from zero. */
function tone(alpha: number, largest: number): string {
  const share = 0.2 + 0.8 * Math.sqrt(Math.abs(alpha) / largest);
  return `color-mix(in oklab, var(${alpha > 0 ? '--positive' : '--negative'}) ${Math.round(100 * share)}%, var(--cell))`;
}
