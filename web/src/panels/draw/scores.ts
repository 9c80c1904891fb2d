/** One bar per class: how high it scores for what is drawn. */
import { html } from '../../dom';

export class Scores {
  #list;
  #rows: { row: HTMLElement; bar: HTMLElement; value: HTMLElement }[] = [];
  #names = '';

  constructor(list: HTMLElement) {
    this.#list = list;
  }

  /** null: nothing is drawn. */
  show(names: readonly string[], scores: ArrayLike<number> | null): void {
    this.#rename(names);
    const all = scores ? Array.from(scores) : [];
    const most = Math.max(1, ...all.map(Math.abs));
    const best = all.indexOf(Math.max(...all));
    this.#rows.forEach(({ row, bar, value }, k) => {
      const score = all[k] ?? 0;
      row.className = scores && k === best ? 'best' : '';
      bar.className = score < 0 ? 'amount against' : 'amount';
      bar.style.setProperty('--share', `${Math.round((1000 * Math.abs(score)) / most) / 10}%`);
      value.textContent = scores ? `${score < 0 ? '−' : '+'}${Math.abs(score).toFixed(2)}` : '';
    });
  }

  #rename(names: readonly string[]): void {
    const joined = JSON.stringify(names);
    if (joined === this.#names) return;
    this.#names = joined;
    this.#rows = names.map((name) => {
      const [bar, value] = [html('i', { class: 'amount' }), html('span', { class: 'value' })];
      return { row: html('li', {}, html('b', {}, name), html('span', { class: 'track' }, bar), value), bar, value };
    });
    this.#list.replaceChildren(...this.#rows.map(({ row }) => row));
  }
}
