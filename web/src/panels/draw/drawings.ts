/** The drawings of each class: buttons that add to a class, and those that are there, which a click takes away. */
import { html } from '../../dom';
import { pictureOf } from './cells';
import type { Drawing } from './collection';

export class ClassButtons {
  #root;
  #add;
  #shown = '';

  constructor(root: HTMLElement, add: (name: string) => void) {
    this.#root = root;
    this.#add = add;
  }

  /** `blank`: there is nothing to add. */
  show(names: readonly string[], drawings: readonly Drawing[], blank: boolean): void {
    const counts = names.map((name) => drawings.filter((drawing) => drawing.name === name).length);
    const shown = JSON.stringify([names, counts]);
    if (shown !== this.#shown) {
      const focused = document.activeElement?.getAttribute('data-class');
      this.#shown = shown;
      this.#root.replaceChildren(...names.map((name, k) => {
        const count = counts[k]!;
        const unseen = (text: string) => html('span', { class: 'unseen' }, text);
        const has = drawingsIn(count).replace(/^\d+/, '');
        const button = html('button', { type: 'button', 'data-class': name }, unseen('Add to class '), name,
          ...(count ? [' ', html('small', {}, String(count), unseen(has))] : []));
        button.addEventListener('click', () => this.#add(name));
        return button;
      }));
      if (focused) [...this.#root.querySelectorAll('button')].find((one) => one.dataset.class === focused)?.focus();
    }
    // Not `disabled`, which would take the focus away with every drawing.
    for (const button of this.#root.querySelectorAll('button')) button.setAttribute('aria-disabled', String(blank));
  }
}

export const drawingsIn = (count: number) => (count === 1 ? '1 drawing' : `${count} drawings`);

export class Gallery {
  #list;
  #remove;
  #drawings: readonly Drawing[] = [];

  constructor(list: HTMLElement, remove: (drawing: Drawing) => void) {
    this.#list = list;
    this.#remove = remove;
  }

  show(names: readonly string[], drawings: readonly Drawing[]): void {
    if (drawings === this.#drawings) return;
    this.#drawings = drawings;
    this.#list.replaceChildren(...names.flatMap((name) => {
      const own = drawings.filter((drawing) => drawing.name === name);
      return own.map((drawing, i) => {
        const button = html('button', { type: 'button', 'aria-label': `Remove drawing ${i + 1} of class ${name}`, title: 'Remove' }, pictureOf(drawing.pixels), html('b', {}, name));
        button.addEventListener('click', () => this.#remove(drawing));
        return html('li', {}, button);
      });
    }));
  }
}
