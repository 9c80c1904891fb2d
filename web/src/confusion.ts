/** How often samples of each row's class were taken for that of each column. */
import { html } from './dom';

export class ConfusionMatrix {
  #cells: HTMLTableCellElement[] = [];

  #classes;

  /** `what`: a word for a class. */
  constructor(table: HTMLTableElement, classes: readonly string[], what: string) {
    this.#classes = classes.length;
    table.classList.add('confusion-matrix');
    table.replaceChildren(
      html('caption', { class: 'unseen' }, `Confusion matrix: rows are the true ${what}, columns the predicted one`),
      html('thead', {}, html('tr', {}, html('td'), ...classes.map((k) => html('th', { scope: 'col', title: k }, k)))),
      html('tbody', {}, ...classes.map((k) => {
        const cells = classes.map(() => html('td'));
        this.#cells.push(...cells);
        return html('tr', {}, html('th', { scope: 'row', title: k }, k), ...cells);
      })),
    );
  }

  /** Numbers of classes. Returns how many are right. */
  show(truth: readonly number[], taken: readonly number[]): number {
    const classes = this.#classes;
    const counts = new Array<number>(classes * classes).fill(0);
    truth.forEach((k, i) => {
      const cell = k * classes + (taken[i] ?? 0);
      counts[cell] = (counts[cell] ?? 0) + 1;
    });
    return this.showCounts(counts);
  }

  /** Row by row. */
  showCounts(counts: readonly number[]): number {
    const classes = this.#classes;
    const totals = Array.from({ length: classes }, (_, k) => counts.slice(k * classes, (k + 1) * classes).reduce((sum, n) => sum + n, 0));
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
