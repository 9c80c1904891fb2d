/** A row edited by hand, of kept features alone, and the probabilities of its classes. */
import type { WorkerModel } from 'tamis/worker';
import { html } from '../../dom';
import { percent, short } from '../../format';
import type { Feature } from './prepared';

const most_inputs = 24;
const most_bars = 12;

/** A column with a number, or a choice among its values. */
interface Entry {
  column: string;
  features: number[];
}

export class RowEditor {
  #form;
  #bars;
  #note;
  #model: WorkerModel | null = null;
  #features: Feature[] = [];
  #row = new Float64Array();
  #columns = ''; // those with an input
  #edited = new Map<string, string>(); // by column

  constructor(form: HTMLFormElement, bars: HTMLElement, note: HTMLElement) {
    this.#form = form;
    this.#bars = bars;
    this.#note = note;
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('input', ({ target }) => {
      const field = target as HTMLInputElement | HTMLSelectElement;
      this.#edited.set(field.name, field.value);
      this.#predict();
    });
  }

  /** Another table: what was typed for the one before is forgotten. */
  clear(): void {
    this.#edited.clear();
    this.#columns = '';
    this.#model = null;
    this.#note.textContent = '';
    this.#form.replaceChildren();
    this.#bars.replaceChildren();
  }

  /** `model` takes features in the units of the table. */
  show(model: WorkerModel, features: Feature[]): void {
    [this.#model, this.#features] = [model, features];
    const entries = new Map<string, Entry>();
    const classes = model.classes.length;
    const size = (j: number) => features[j]!.deviation * Math.hypot(...model.weights.slice(j * classes, (j + 1) * classes));
    for (const j of [...model.keptFeatures].sort((a, b) => size(b) - size(a))) {
      const { column } = features[j]!;
      const entry = entries.get(column) ?? { column, features: [] };
      entry.features.push(j);
      entries.set(column, entry);
    }
    const shown = [...entries.values()].slice(0, most_inputs);
    const columns = JSON.stringify(shown);
    if (columns !== this.#columns) this.#form.replaceChildren(...shown.map((entry) => this.#field(entry)));
    this.#columns = columns;
    const others = entries.size - shown.length;
    this.#note.textContent = entries.size === 0 ? 'no feature is kept' : others > 0 ? `first ${most_inputs} of ${entries.size} kept` : 'kept features alone';
    this.#predict();
  }

  #field({ column, features }: Entry): HTMLElement {
    const first = this.#features[features[0]!]!;
    const edited = this.#edited.get(column);
    if (first.level === null) {
      const value = edited ?? String(Number(first.mean.toPrecision(4)));
      return html('label', {}, html('span', { title: column }, column), html('input', { type: 'number', step: 'any', name: column, value, required: '' }));
    }
    const levels = features.map((j) => this.#features[j]!.level!);
    const options = ['', ...levels].map((level) => {
      const option = html('option', { value: level }, level === '' ? 'another' : level);
      option.selected = level === (edited ?? '');
      return option;
    });
    return html('label', {}, html('span', { title: column }, column), html('select', { name: column }, ...options));
  }

  #predict(): void {
    const model = this.#model;
    if (!model) return;
    this.#row = Float64Array.from(this.#features, ({ mean }) => mean);
    for (const field of this.#form.elements as Iterable<Element> as Iterable<HTMLInputElement | HTMLSelectElement>) {
      const number = field instanceof HTMLInputElement ? field.valueAsNumber : 0;
      const wrong = field instanceof HTMLInputElement && !Number.isFinite(Math.fround(number));
      field.setAttribute('aria-invalid', String(wrong));
      if (wrong) return void (this.#note.textContent = `${field.name}: a number is needed`);
      this.#features.forEach(({ column, level }, j) => {
        if (column === field.name) this.#row[j] = level === null ? number : Number(level === field.value);
      });
    }
    if (/needed$/.test(this.#note.textContent ?? '')) this.#note.textContent = 'kept features alone';
    this.#showBars(model);
  }

  #showBars(model: WorkerModel): void {
    const known = model.calibration !== null || model.toJSON().loss === 'logistic';
    const values = known ? model.probabilities(this.#row) : Float64Array.from(model.scores(this.#row));
    const order = [...values.keys()].sort((a, b) => values[b]! - values[a]!).slice(0, most_bars);
    this.#bars.replaceChildren(...order.map((k) => {
      const bar = html('span', { class: 'bar-of' }, html('i'));
      bar.style.setProperty('--share', known ? `${100 * values[k]!}%` : '0%');
      return html('li', {}, html('b', {}, String(model.classes[k])), bar, html('span', {}, known ? percent(values[k]!, 1) : short(values[k]!)));
    }));
  }
}
