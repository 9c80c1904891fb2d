/** The model that was trained last, as files, and what training takes on a board. */
import { load, type Loss, type Penalty, type Precision, type Solver, type Tamis } from 'tamis';
import { simd } from '../../client';
import { byId, html } from '../../dom';
import { count } from '../../format';
import { panels, type Mount, type Offer, type Page, type Panel } from '../../panel';
import { save } from '../../save';
import { boards, standIns, type Board } from './boards';
import { bytesOf, costOf, predictionOf, solverOf, type Bytes, type Cost, type TrainingCost, type Wanted } from './calculator';
import { exportsOf, tableBytes, type Exported } from './exports';
import './home.css';
import markup from './home.html?raw';

const descriptions: Record<Exported['kind'], [title: string, sentence: string]> = {
  c: ['C header', 'Exact weights, functions that predict, a self-test. C99, no library, no heap.'],
  arduino: ['Arduino sketch', 'The header, and a loop that classifies the features it reads from the serial port.'],
  json: ['JSON', 'The model file that the tamis command reads, converts and predicts with.'],
  javascript: ['JavaScript', 'Functions that predict, without dependencies.'],
};
const preview_characters = 1500;

export const mount: Mount = (root, page) => {
  root.innerHTML = markup;
  return new HomePanel(page);
};

type Offered = NonNullable<ReturnType<Page['offered']>>;

class HomePanel implements Panel {
  #page;
  #form = byId<HTMLFormElement>('home-size');
  #offered: Offered | null = null;
  #tamis: Promise<Tamis> | null = null;
  #edited = false; // what the calculator shows is not that of the model
  #typing: EventTarget | null = null; // the field whose number is being typed: one step of the history, however many digits it has
  #model: number | null = null; // bytes of its tables
  #training: ((board: Board) => Training) | null = null; // what that takes, once it is known
  #calculations = 0; // how many have begun: the newest is shown

  constructor(page: Page) {
    this.#page = page;
    this.#showBoards();
    this.#form.addEventListener('submit', (event) => event.preventDefault());
    this.#form.addEventListener('input', ({ target }) => {
      this.#edited = true;
      page.changed(target !== this.#typing);
      this.#typing = target;
      void this.#calculate();
    });
    this.#form.addEventListener('change', () => (this.#typing = null));
  }

  show(): void {
    const offered = this.#page.offered();
    if (offered && offered !== this.#offered) void this.#take(offered);
    void this.#calculate();
  }

  state(): unknown {
    return this.#edited ? Object.fromEntries(new FormData(this.#form)) : undefined;
  }

  restore(state: unknown): void {
    const given = Object.entries((state ?? {}) as Record<string, unknown>);
    const before = new FormData(this.#form);
    const undo = () => before.forEach((value, name) => (this.#field(name)!.value = value as string));
    for (const [name, value] of given) {
      const field = this.#field(name);
      if (field && typeof value === 'string') field.value = value;
      if (field && field.value === value && value !== '') continue;
      undo();
      throw new Error(`The link asks for a '${name.slice(0, 30)}' that the calculator does not know.`);
    }
    if (given.length === 0) throw new Error('The link does not say what to calculate.');
    this.#edited = true;
  }

  begin(): void {
    this.#form.reset();
    this.#edited = false;
    if (this.#offered) this.#ask(this.#offered);
  }

  /** The calculator shows what the training of a linear model took. */
  #ask({ model, samples, features, classes, loss, penalty }: Offered): void {
    if (!('weights' in model)) return;
    for (const [name, value] of Object.entries({ samples, features, classes, loss, penalty, solver: 'auto', precision: model.precision }))
      this.#field(name)!.value = String(value);
  }

  #field(name: string): HTMLInputElement | HTMLSelectElement | null {
    return this.#form.elements.namedItem(name) as HTMLInputElement | HTMLSelectElement | null;
  }

  // ---- the model

  async #take(offered: Offered): Promise<void> {
    this.#offered = offered;
    const { title, from, samples, classes, loss, penalty } = offered;
    byId('home-title').textContent = title;
    byId('home-about').replaceChildren(
      `${keptOf(offered)}, ${classes} classes, ${loss} and ${penalty}, trained on ${count(samples)} samples in `,
      html('a', { href: `#${from}` }, panels[from]), '.');
    if (!this.#edited) this.#ask(offered);
    try {
      const files = await exportsOf(offered);
      if (offered !== this.#offered) return;
      byId('home-exports').replaceChildren(...files.map((file) => cardOf(file, 'keptSamples' in offered.model)));
      this.#model = tableBytes(files.find(({ kind }) => kind === 'c')!.text);
      this.#showBoards();
      this.#page.notice(null);
    } catch (error) {
      this.#page.notice(`The model cannot be written: ${(error as Error).message}.`);
    }
  }

  // ---- the calculator

  async #calculate(): Promise<void> {
    const complaint = byId('home-size-error');
    const number = ++this.#calculations;
    const wrong = [...this.#form.querySelectorAll('input')].filter((field) => !field.checkValidity());
    this.#form.querySelectorAll('input').forEach((field) => field.setAttribute('aria-invalid', String(wrong.includes(field))));
    if (wrong[0]) return void (complaint.textContent = `${wrong[0].name === 'ram' ? 'RAM' : `The number of ${wrong[0].name}`}: ${wrong[0].validationMessage}`);
    const chosen = Object.fromEntries(new FormData(this.#form)) as Record<string, string>;
    const wanted: Wanted = {
      samples: Number(chosen.samples), features: Number(chosen.features), classes: Number(chosen.classes),
      loss: chosen.loss as Loss, penalty: chosen.penalty as Penalty, solver: chosen.solver as Solver, precision: chosen.precision as Precision,
    };
    try {
      this.#tamis ??= load({ simd });
      const tamis = await this.#tamis;
      await tamis.prepare(wanted.solver === 'fista' && wanted.precision === 'float' ? 'baselines' : wanted.precision);
      if (number !== this.#calculations) return;
      this.#showBytes({ ...wanted, solver: solverOf(tamis, wanted) }, bytesOf(tamis, wanted), 1024 * Number(chosen.ram));
      complaint.textContent = '';
    } catch (error) {
      if (number !== this.#calculations) return;
      const { message } = error as Error;
      complaint.textContent = `${message[0]!.toUpperCase()}${message.slice(1)}.`;
    }
    byId('home-verdict').setAttribute('aria-busy', 'false');
  }

  #showBoards(): void {
    byId('home-boards').replaceChildren(...boards.map((board) => rowOf(board, this.#model, this.#training?.(board) ?? null)));
  }

  #showBytes(wanted: Wanted, bytes: Bytes, ram: number): void {
    const { least, fast, data } = bytes;
    const figure = (...parts: (Node | string)[]) => html('span', { class: 'figure' }, ...parts);
    const b = (text: string) => html('b', {}, text);
    const all = least + data;
    byId('home-verdict').replaceChildren(
      figure('arena ', b(sizeOf(least)), ' bytes', fast > least ? html('span', { class: 'home-file' }, `, fastest with ${sizeOf(fast)}`) : ''),
      figure('data ', b(sizeOf(data)), ' bytes'),
      figure(html('span', { class: all <= ram ? 'fits' : 'too-large' },
        all <= ram ? `fits in ${Number((ram / 1024).toFixed(2))} KiB of RAM` : `${sizeOf(all - ram)} bytes too many for ${Number((ram / 1024).toFixed(2))} KiB of RAM`)),
    );
    this.#training = (board) => ({ bytes: all, cost: costOf(board, wanted) });
    this.#showBoards();
    byId('home-key').textContent = measuredOf(boards.map((board) => costOf(board, wanted)));
  }
}

/** What the figures of training are of. */
function measuredOf(costs: readonly (TrainingCost | null)[]): string {
  const known = costs.filter((cost) => cost !== null);
  const some = known.length < costs.length ? ', and are not known for every board' : '';
  if (known.length === 0) return 'Training takes arena and data; flash and stack of this solver are not measured.';
  const of = [...new Set(known.map(({ of, exact }) => `${of}${exact ? '' : ', what is nearest to this'}`))];
  return `Training takes arena, data and stack. Flash and stack are measured with -Os for ${of.join(' or ')}${some}. ${standIns()}.`;
}

interface Training {
  bytes: number;
  cost: TrainingCost | null;
}

/** What the model and training take; null: that is not known yet. */
function rowOf(board: Board, model: number | null, training: Training | null): HTMLElement {
  const ram = training ? training.bytes + (training.cost?.stack ?? 0) : 0;
  const flash = training?.cost?.flash ?? 0;
  return html('tr', {},
    html('th', { scope: 'row' }, board.name), html('td', {}, ...(model === null ? ['–'] : runOf(board, model))), html('td', {}, board.core),
    html('td', {}, `${count(board.ram)} KiB`), html('td', {}, `${count(board.flash)} KiB`),
    html('td', {}, training ? sizeOf(ram) : '–'), html('td', {}, flash ? count(flash) : '–'),
    html('td', {}, training ? verdict(excess(board, { flash, stack: ram }), 'fits', (bytes) => bytes) : '–'));
}

/** Whether a board can run the model whose tables have so many bytes, and what it takes of flash. */
function runOf(board: Board, model: number): HTMLElement[] {
  const { flash, stack } = predictionOf(board);
  const taken = { flash: model + flash, stack };
  return [verdict(excess(board, taken), 'runs', () => 'too large'), html('span', { class: 'home-file' }, ` ${count(taken.flash)} bytes`)];
}

/** What is more than a board has, in words; null: nothing. */
function excess(board: Board, { flash, stack: ram }: Cost): string | null {
  const [ofRam, ofFlash] = [ram - 1024 * board.ram, flash - 1024 * board.flash];
  return ofRam > 0 ? `${sizeOf(ofRam)} bytes of RAM too many` : ofFlash > 0 ? `${sizeOf(ofFlash)} bytes of flash too many` : null;
}

const verdict = (excess: string | null, well: string, ill: (excess: string) => string) =>
  html('span', { class: excess === null ? 'fits' : 'too-large' }, excess === null ? well : ill(excess));

function keptOf({ model, features }: Offer): string {
  if ('keptSamples' in model) return `${model.keptSamples.length} kept samples of ${features} features, ${model.keptKernels.length} kernels`;
  const kept = `${model.keptFeatures.length} of ${features} features`;
  return 'terms' in model ? `${kept} in ${model.terms.length} terms` : kept;
}

/** `rounds`: its JavaScript computes in double precision what the model does in single. */
function cardOf({ kind, file, text, type }: Exported, rounds: boolean): HTMLElement {
  const [title, always] = descriptions[kind];
  const sentence = kind === 'javascript' ? `${always} ${rounds ? 'The same scores but for rounding.' : 'The same scores, bit by bit.'}` : always;
  const data = new Blob([text], { type });
  const size = `${count(data.size)} bytes`;
  const button = html('button', { type: 'button', 'data-kind': kind },
    html('span', { 'aria-hidden': 'true' }, '↓ '), html('span', { class: 'unseen' }, 'Download '), file, ' ', html('small', {}, size));
  button.addEventListener('click', () => save(data, file));
  const preview = text.length > preview_characters ? `${text.slice(0, preview_characters)}\n…` : text;
  return html('li', {}, html('h3', {}, title), html('p', {}, sentence),
    html('pre', { tabindex: 0, role: 'region', 'aria-label': `The beginning of ${file}` }, html('code', {}, preview)), button);
}

const sizeOf = (bytes: number) => (Number.isFinite(bytes) ? count(Math.round(bytes)) : 'more than 4,294,967,296');
