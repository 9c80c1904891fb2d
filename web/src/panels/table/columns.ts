/** What was recognised in each column, and what is done with it. */
import { html } from '../../dom';
import { count, short } from '../../format';
import type { Choice, ColumnSummary } from './csv';

const kinds: Record<ColumnSummary['kind'], string> = {
  number: 'number',
  rows: 'numbers the rows',
  mixed: 'number, with texts',
  category: 'category',
  text: 'text',
  constant: 'constant',
  empty: 'empty',
};
const shown_at_once = 100;
const shown_levels = 4;

export class ColumnsView {
  #body;
  #more;
  #onChoice;
  #columns: ColumnSummary[] = [];
  #label = '';
  #choices: Record<string, Choice> = {};

  constructor(body: HTMLElement, more: HTMLButtonElement, onChoice: (column: string, choice: Choice) => void) {
    this.#body = body;
    this.#more = more;
    this.#onChoice = onChoice;
    more.addEventListener('click', () => this.#add());
  }

  show(columns: ColumnSummary[], label: string, choices: Record<string, Choice>): void {
    [this.#columns, this.#label, this.#choices] = [columns, label, choices];
    this.#body.replaceChildren();
    this.#add();
  }

  #add(): void {
    const from = this.#body.children.length;
    this.#body.append(...this.#columns.slice(from, from + shown_at_once).map((column) => this.#row(column)));
    const left = this.#columns.length - this.#body.children.length;
    this.#more.hidden = left === 0;
    this.#more.textContent = `Show ${count(Math.min(left, shown_at_once))} of ${count(left)} more`;
  }

  #row(column: ColumnSummary): HTMLElement {
    const { name, kind, missing } = column;
    const label = name === this.#label;
    const choice = this.#choices[name] ?? column.choice;
    const row = html('tr', { class: label ? 'label' : choice === 'out' ? 'out' : '' },
      html('th', { scope: 'row', title: name }, name), html('td', {}, kinds[kind]), html('td', {}, valuesOf(column)),
      html('td', {}, missing === 0 ? '–' : `${count(missing)}${label ? ', rows left out' : choice === 'number' ? ', filled with the mean' : ''}`),
      html('td', {}, label ? 'label' : this.#select(column, choice)));
    if (!label && column.kind === 'mixed') row.classList.add('mixed');
    return row;
  }

  #select(column: ColumnSummary, chosen: Choice): Node | string {
    if (column.choices.length === 1) return 'left out';
    const select = html('select', { 'aria-label': `What ${column.name} is taken as` }, ...column.choices.map((choice) => {
      const option = html('option', { value: choice }, wordsFor(choice, column));
      option.selected = choice === chosen;
      return option;
    }));
    select.addEventListener('change', () => this.#onChoice(column.name, select.value as Choice));
    return select;
  }
}

function wordsFor(choice: Choice, { texts, levels }: ColumnSummary): string {
  if (choice === 'out') return 'left out';
  if (choice === 'category') return `category of ${levels!.length}`;
  return texts === 0 ? 'number' : `number, ${count(texts)} text${texts === 1 ? '' : 's'} as missing`;
}

function valuesOf({ kind, levels, least, most, text }: ColumnSummary): string {
  if (kind === 'empty') return '–';
  if (kind === 'number' || kind === 'rows') return `${brief(least)} to ${brief(most)}`;
  if (kind === 'mixed') return `${brief(least)} to ${brief(most)}; line ${count(text!.line)} has ‘${text!.value}’`;
  if (!levels) return `more than 100, as ‘${text!.value}’`;
  return levels.slice(0, shown_levels).join(', ') + (levels.length > shown_levels ? `, … (${levels.length})` : '');
}

const brief = (x: number) => (Math.abs(x) >= 1000 ? count(Math.round(x)).replace('-', '−') : x < 0 ? `−${short(-x)}` : short(x)).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');

/** In one line: what there is, and what is done with it. */
export function summaryOf(columns: ColumnSummary[], label: string, choices: Record<string, Choice>): string {
  const others = columns.filter(({ name }) => name !== label);
  const taken = (choice: Choice) => others.filter((column) => (choices[column.name] ?? column.choice) === choice).length;
  const missing = others.reduce((sum, column) => sum + column.missing, 0);
  const part = (n: number, one: string, many: string) => (n === 0 ? [] : [n === 1 ? `1 ${one}` : `${count(n)} ${many}`]);
  return [
    ...part(taken('number'), 'column of numbers', 'columns of numbers'),
    ...part(taken('category'), 'category', 'categories'),
    ...part(taken('out'), 'column left out', 'columns left out'),
    missing === 0 ? 'no value is missing' : `${count(missing)} missing values`,
  ].join(', ');
}

/** What labels are called, the surest first. */
const label_names = ['label', 'class', 'target', 'species', 'variety', 'cultivar', 'category', 'diagnosis', 'outcome', 'digit', 'survived', 'type', 'y'];

/** The column that is most likely the label. */
export function guessLabel(columns: ColumnSummary[]): string {
  const may = columns.filter(({ kind, levels }) => kind !== 'rows' && levels && levels.length > 1);
  const named = label_names.flatMap((name) => columns.find((column) => column.levels?.length && column.name.toLowerCase() === name) ?? [])[0];
  const words = may.filter(({ kind }) => kind === 'category');
  const ends = [columns.at(-1), columns[0]].find((column) => column && may.includes(column) && column.levels!.length <= 20);
  return (named ?? words.at(-1) ?? ends ?? may.at(-1) ?? columns.at(-1)!).name;
}
