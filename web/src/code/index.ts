/** The dialog that gives what a panel shows as code, and the data that the code reads. */
import { copied } from '../clipboard';
import { html } from '../dom';
import { count } from '../format';
import type { Recipe } from '../recipe';
import { save } from '../save';
import './code.css';
import { languages, textsOf, type DataFile, type Language, type Texts } from './texts';

export class CodeDialog {
  #says = html('p');
  #choices = html('div', { class: 'segments', role: 'group', 'aria-label': 'Language' });
  #code = html('code', { id: 'coding-text' });
  #place = html('pre', { tabindex: 0, role: 'region', 'aria-label': 'The code' }, this.#code);
  #files = html('ul', { 'aria-label': 'Data that the code reads' });
  #copy = html('button', { type: 'button', id: 'coding-copy' });
  #status = html('p', { class: 'readout', id: 'coded', role: 'status' });
  #dialog = html('dialog', { id: 'coding', 'aria-labelledby': 'coding-title' });
  #texts: Texts | null = null;
  #language: Language = 'javascript';

  constructor() {
    const close = html('button', { type: 'button' }, 'Close');
    this.#choices.append(...(Object.keys(languages) as Language[]).map((language) => {
      const box = html('input', { type: 'radio', name: 'coding-language', value: language });
      box.checked = language === this.#language;
      return html('label', {}, box, html('span', {}, languages[language]));
    }));
    this.#dialog.append(html('h2', { id: 'coding-title' }, 'What is shown, as code'), this.#says, this.#choices, this.#place, this.#files,
      html('div', { class: 'buttons' }, this.#copy, close), this.#status);
    document.body.append(this.#dialog);
    this.#choices.addEventListener('change', ({ target }) => this.#show((target as HTMLInputElement).value as Language));
    this.#copy.addEventListener('click', () => void this.#copyCode());
    close.addEventListener('click', () => this.#dialog.close());
  }

  /** null: nothing is trained. */
  open(recipe: Recipe | null): void {
    const texts = (this.#texts = recipe && textsOf(recipe));
    for (const part of [this.#choices, this.#place, this.#files, this.#copy]) part.hidden = !texts;
    this.#says.textContent = texts
      ? `It trains the same again. It reads ${texts.files.length === 1 ? 'a file, which is' : 'files, which are'} to stand beside it: download ${texts.files.length === 1 ? 'it' : 'them'} here.`
      : 'There is no model yet: the code is that of a model on screen.';
    this.#files.replaceChildren(...(texts?.files ?? []).map((file) => html('li', {}, buttonOf(file))));
    this.#show(this.#language);
    if (!this.#dialog.open) this.#dialog.showModal();
  }

  #show(language: Language): void {
    this.#language = language;
    this.#status.textContent = '';
    this.#code.textContent = this.#texts?.[language] ?? '';
    this.#copy.textContent = `Copy as ${languages[language]}`;
    this.#place.scrollTo(0, 0);
  }

  async #copyCode(): Promise<void> {
    this.#status.textContent = await copied(this.#code.textContent!, 'Code', () => getSelection()?.selectAllChildren(this.#code));
  }
}

function buttonOf({ name, text, what }: DataFile): HTMLElement {
  const data = new Blob([text], { type: 'text/csv' });
  const button = html('button', { type: 'button', 'data-file': name }, `↓ ${name}`, ' ', html('small', {}, `${what}, ${count(data.size)} bytes`));
  button.addEventListener('click', () => save(data, name));
  return button;
}
