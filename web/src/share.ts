/** The dialog that gives a link to what a panel shows: it says what the link holds, and has data in it only when asked for. */
import { copied } from './clipboard';
import { html } from './dom';
import { count } from './format';
import { most_characters } from './link';

export interface Shared {
  /** What the link holds, in words. */
  holds: string;
  /** The data that may be in it, in words; null: there are none. */
  data: string | null;
  /** null: it is too long. */
  linkOf(withData: boolean): Promise<string | null>;
}

export class ShareDialog {
  #says = html('p', { id: 'sharing-says' });
  #box = html('input', { type: 'checkbox', id: 'sharing-data' });
  #data = html('label', {}, this.#box);
  #words = html('span');
  #link = html('input', { type: 'text', id: 'sharing-link', readonly: '', 'aria-label': 'Link to this page' });
  #status = html('p', { class: 'readout', id: 'shared', role: 'status' });
  #dialog = html('dialog', { id: 'sharing', 'aria-labelledby': 'sharing-title' });
  #shared: Shared | null = null;

  constructor() {
    const [copy, close] = [html('button', { type: 'button', id: 'sharing-copy' }, 'Copy the link'), html('button', { type: 'button' }, 'Close')];
    this.#data.append(' ', this.#words);
    this.#dialog.append(html('h2', { id: 'sharing-title' }, 'Share what is shown'), this.#says, this.#data, this.#link,
      html('div', { class: 'buttons' }, copy, close), this.#status);
    document.body.append(this.#dialog);
    this.#box.addEventListener('change', () => void this.#show());
    copy.addEventListener('click', () => void this.#copy());
    close.addEventListener('click', () => this.#dialog.close());
  }

  async open(shared: Shared): Promise<void> {
    this.#shared = shared;
    this.#box.checked = false;
    this.#data.hidden = shared.data === null;
    this.#words.textContent = `with the data: ${shared.data}`;
    await this.#show();
    if (!this.#dialog.open) this.#dialog.showModal();
  }

  async #show(): Promise<void> {
    const { holds, data, linkOf } = this.#shared!;
    this.#status.textContent = '';
    const link = await linkOf(this.#box.checked);
    if (link === null) {
      this.#box.checked = false;
      this.#status.textContent = `These data are too large for a link: ${count(most_characters)} characters are the most.`;
      return;
    }
    const all = this.#box.checked ? `${holds}, and ${data}. Whoever has the link has the data` : holds + (data === null ? '' : ', and none of the data');
    this.#says.textContent = `The link has ${count(link.length)} characters. It holds ${all}.`;
    this.#link.value = link;
  }

  async #copy(): Promise<void> {
    this.#status.textContent = await copied(this.#link.value, 'Link', () => this.#link.select());
  }
}
