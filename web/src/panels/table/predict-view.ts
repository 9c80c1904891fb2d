/** The part of the panel that predicts another table by the model on screen. */
import { byId } from '../../dom';
import { count, percent } from '../../format';
import { save } from '../../save';
import type { Predictions, Trained } from './predictions';

export class PredictView {
  #said = byId('table-predicted');
  #save = byId<HTMLButtonElement>('table-predicted-save');
  #file: File | null = null;
  #trained: Trained | null = null;
  #found: Predictions | null = null;
  #asked = 0; // how often: the newest is shown

  constructor() {
    const input = byId<HTMLInputElement>('table-predict');
    input.addEventListener('change', () => {
      this.#file = input.files?.[0] ?? null;
      input.value = '';
      void this.#predict();
    });
    this.#save.addEventListener('click', () => {
      if (this.#found) save(new Blob([this.#found.text], { type: 'text/csv' }), `${this.#file!.name.replace(/\.\w+$/, '')}_predicted.csv`);
    });
  }

  /** There is no model. */
  clear(): void {
    ++this.#asked;
    [this.#file, this.#trained, this.#found] = [null, null, null];
    this.#say('');
  }

  /** Another model: the rows that are there are predicted again. */
  show(trained: Trained): void {
    this.#trained = trained;
    if (this.#file) void this.#predict();
  }

  #say(sentence: string): void {
    this.#said.textContent = sentence;
    this.#save.hidden = this.#found === null;
  }

  async #predict(): Promise<void> {
    const [file, trained, asked] = [this.#file, this.#trained, ++this.#asked];
    this.#found = null;
    if (!file) return this.#say('');
    if (!trained) return this.#say('There is no model yet.');
    this.#say(`Predicting ${file.name} …`);
    let sentence: string;
    let found: Predictions | null = null;
    try {
      found = await (await import('./predictions')).predictionsOf(file, trained);
      const { rows, right, filled } = found;
      sentence = `${file.name}: ${count(rows)} row${rows === 1 ? '' : 's'} predicted` +
        `${right ? `, ${count(right.right)} of ${count(right.of)} as their label says (${percent(right.right / right.of, 1)})` : ''}.` +
        `${filled ? ` For ${count(filled)} value${filled === 1 ? '' : 's'} that ${filled === 1 ? 'is' : 'are'} no number the mean stands.` : ''}`;
    } catch (error) {
      sentence = `${file.name}: ${(error as Error).message}`;
    }
    if (asked !== this.#asked) return;
    this.#found = found;
    this.#say(sentence);
  }
}
