/** How often a digit of each row was taken for that of each column. */
import { html } from './dom';
import { classes } from './digits';

export class ConfusionMatrix {
  #cells: HTMLTableCellElement[] = [];

  constructor(table: HTMLTableElement) {
    const numbers = Array.from({ length: classes }, (_, k) => String(k));
    table.append(
      html('caption', { class: 'unseen' }, 'Confusion matrix: rows are the true digits, columns what they were taken for'),
      html('thead', {}, html('tr', {}, html('td'), ...numbers.map((k) => html('th', { scope: 'col' }, k)))),
      html('tbody', {}, ...numbers.map((k) => {
        const cells = numbers.map(() => html('td'));
        this.#cells.push(...cells);
        return html('tr', {}, html('th', { scope: 'row' }, k), ...cells);
      })),
    );
  }

  /** Returns how many are right. */
  show(truth: readonly number[], taken: readonly number[]): number {
    const counts = new Array<number>(classes * classes).fill(0);
    const totals = new Array<number>(classes).fill(0);
    truth.forEach((k, i) => {
      const cell = k * classes + (taken[i] ?? 0);
      counts[cell] = (counts[cell] ?? 0) + 1;
      totals[k] = (totals[k] ?? 0) + 1;
    });
    let right = 0;
    counts.forEach((n, i) => {
      const [row, column] = [Math.floor(i / classes), i % classes];
      if (row === column) right += n;
      const cell = this.#cells[i];
      if (!cell) return;
      cell.textContent = n === 0 ? '·' : String(n);
      cell.className = n === 0 ? 'none' : row === column ? 'right' : 'wrong';
      // Mistakes are few: full colour for a fifth of a row.
      const share = n / (totals[row] ?? 1);
      cell.style.setProperty('--share', `${Math.round(100 * Math.min(1, row === column ? share : 0.15 + 4 * share))}%`);
    });
    return right;
  }
}
