/** Trains on a table: what is recognised in it, the path over λ, cross-validation, and a model to take home. */
import type { Loss, Penalty } from 'tamis';
import type { WorkerModel } from 'tamis/worker';
import { ConfusionMatrix } from '../../confusion';
import { byId, html, switchOff } from '../../dom';
import { certificate, count, percent, short } from '../../format';
import { LambdaPlot, type PlotMark } from '../../lambda-plot';
import type { Data, Mount, Page, Panel } from '../../panel';
import type { Recipe } from '../../recipe';
import { inUnits } from '../../units';
import { ColumnsView, guessLabel, summaryOf } from './columns';
import type { Choice } from './csv';
import type { Overview } from './csv-worker';
import { PredictView } from './predict-view';
import type { Prepared } from './prepared';
import { TableReader } from './reader';
import { RowEditor } from './row-editor';
import { exampleText, isExample, type Example } from './sources';
import './table.css';
import markup from './table.html?raw';
import { TableTraining, type CrossValidated, type Point, type TableProblem } from './training';

const most_in_link = 60_000; // characters of a table, before it is packed
const lines_drawn = 40;
const named_lines = 8;
const most_ranked = 40;
const at_rest = 250; // milliseconds after which a chosen λ is given probabilities
const memory = 64 * 1024 * 1024; // bytes of arena: more of it would be slow to train in
const folds_sentence = 'Share of wrong predictions in 5 folds of the training rows, and its standard error.';
const first_example: Example = 'wine';

/** Where a table comes from, and what is wanted of it. */
interface Wish {
  file: File | Blob;
  /** As it is shown. */
  name: string;
  example: Example | null;
  /** What a link may hold of it; null: too large. */
  text: string | null;
  /** One goes back from it to the table before. */
  step?: boolean;
  /** It comes from a link or the history, λ included. */
  restored?: boolean;
  /** By a link that holds it: the address goes on holding it. */
  brought?: boolean;
  header: boolean | undefined;
  label: string | null;
  choices: Record<string, Choice>;
}
interface Settings {
  example?: Example;
  name: string;
  text?: string;
  header: boolean;
  label: string;
  choices: Record<string, Choice>;
  loss: string;
  penalty: string;
  /** Of the slider's way. */
  share: number | null;
}

export const mount: Mount = (root, page) => {
  root.innerHTML = markup;
  return new TablePanel(root, page);
};

class TablePanel implements Panel {
  #page;
  #controls = byId<HTMLFormElement>('table-controls');
  #slider = byId<HTMLInputElement>('table-lambda');
  #label = byId<HTMLSelectElement>('table-label');
  #header = byId<HTMLInputElement>('table-header');
  #view = byId<HTMLSelectElement>('table-view');
  #stop = byId<HTMLButtonElement>('table-stop');
  #result = byId('table-result');
  #reader = new TableReader();
  #training;
  #columns = new ColumnsView(byId('table-column-rows'), byId<HTMLButtonElement>('table-more'), (column, choice) => this.#choose(column, choice));
  #editor = new RowEditor(byId<HTMLFormElement>('table-row'), byId('table-probabilities'), byId('table-row-note'));
  #others = new PredictView();
  #path = new LambdaPlot(byId('table-path'), { label: 'Weights of the features for each lambda', format: (weight) => String(Number(weight.toPrecision(3))).replace('-', '−'), onChoose: (lambda) => this.#choosePoint(lambda, true) });
  #cv = new LambdaPlot(byId('table-cv'), {
    label: 'Cross-validated error for each lambda', format: (share) => percent(share, 0), least: 0, band: [2, 3], onChoose: (lambda) => this.#choosePoint(lambda, true),
  });
  #confusion: ConfusionMatrix | null = null;

  #shown = false;
  #begun = false; // a table was asked for
  #unfinished = false; // training was stopped by leaving the panel
  #waiting: Settings | null = null; // for a table that the link does not hold
  #wish: Wish | null = null;
  #files = new Map<string, Pick<Wish, 'file' | 'text'>>(); // that were opened here, by name: for going back
  #overview: Overview | null = null;
  #prepared: Prepared | null = null;
  #problem: TableProblem | null = null;
  #points: readonly Point[] = [];
  #validated: CrossValidated | null = null;
  #share: number | null = null; // null: where cross-validation puts it
  #norms: Float64Array[] = []; // of each feature, one array per point
  #finished = new Map<number, WorkerModel>(); // by point: with probabilities, and in the units of the table
  #order: number[] = []; // features by their largest norm on the path
  #frame = 0;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #finishing: AbortController | null = null;
  #newest: WorkerModel | null = null; // that is to be evaluated
  #evaluating: Promise<void> | null = null;

  constructor(root: HTMLElement, page: Page) {
    this.#page = page;
    this.#training = page.client && new TableTraining(page.client, {
      point: (points) => this.#pointCame(points),
      working: (stage, share) => this.#working(stage, share),
      validated: (found, reason) => this.#validatedBy(found, reason),
      stopped: () => this.#atRest(),
      failed: (error) => this.#failed(error),
    });
    if (!page.client) switchOff(root);
    this.#listen(root);
  }

  show(): void {
    this.#shown = true;
    if (!this.#page.client) return this.#page.notice('This page trains in WebAssembly, which this browser does not have or has switched off.');
    if (!this.#begun) void this.#openExample(first_example);
    else if (this.#unfinished) void this.#prepare();
    this.#unfinished = false;
    this.#draw();
  }

  hide(): void {
    this.#shown = false;
    this.#unfinished = this.#result.getAttribute('aria-busy') === 'true';
    this.#training?.stop();
    this.#finishing?.abort();
    clearTimeout(this.#rest);
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  // ---- what a link holds

  readonly holds = 'the name of the file, what its columns are taken as, the loss, the penalty and λ';

  data(): string | null {
    return this.#overview && !this.#wish!.example ? `${count(this.#overview.rows)} rows of ${this.#wish!.name}` : null;
  }

  state(data: Data): Settings | undefined {
    const wish = this.#wish;
    if (!wish || !this.#overview) return undefined;
    const whole = data === 'all' || (data === 'brought' && wish.brought);
    if (data === 'all' && !wish.example && wish.text === null) return undefined; // too large
    const plain = wish.example === first_example && this.#share === null && Object.keys(wish.choices).length === 0;
    const { loss, penalty } = this.#asked();
    if (plain && this.#label.value === 'label' && loss === 'squared-hinge' && penalty === 'group-l2') return undefined;
    return {
      ...(wish.example ? { example: wish.example } : whole && wish.text !== null ? { text: wish.text } : {}),
      name: wish.name, header: this.#overview.header, label: this.#label.value, choices: wish.choices, loss, penalty, share: this.#share,
    };
  }

  async code(): Promise<Recipe | null> {
    if (!this.#prepared || this.#points.length === 0) return null;
    const { loss, penalty, tolerance } = this.#problem!;
    const { lambda } = this.#points[this.#chosen()]!;
    const label = this.#label.value;
    const { training, heldOut } = await this.#reader.rows({ label, choices: this.#wish!.choices });
    return {
      title: this.#title(), label, training, ...(heldOut === null ? {} : { heldOut }),
      asked: { kind: 'linear', loss, penalty, lambda, tolerance, standardise: true },
    };
  }

  #title(): string {
    return this.#wish!.name.replace(/\.\w+$/, '');
  }

  restore(given: unknown): void {
    const settings = settingsOf(given);
    const { example, name, text, header, label, choices, loss, penalty, share } = settings;
    for (const [field, value] of [['loss', loss], ['penalty', penalty]] as const)
      if (!this.#radio(field, value)) throw new Error(`The link asks for the ${field} '${value.slice(0, 30)}', which is not one of the page.`);
    this.#radio('loss', loss)!.checked = true;
    this.#radio('penalty', penalty)!.checked = true;
    this.#begun = true;
    this.#share = share;
    if (share !== null) this.#slider.value = String(Math.round(share * Number(this.#slider.max)));
    if (example) return void this.#openExample(example, { header, label, choices, restored: true });
    if (text !== undefined) return void this.#open({ file: new Blob([text]), name, example: null, text, brought: true, header, label, choices, restored: true });
    const known = this.#files.get(name);
    if (known) return void this.#open({ file: known.file, text: known.text, name, example: null, header, label, choices, restored: true });
    this.#waiting = settings;
    byId('table-name').textContent = name;
    byId('table-error').textContent = `This link holds what was asked of '${name}', but not the table: choose or drop the file to go on.`;
  }

  begin(): void {
    this.#controls.reset();
    this.#share = null;
    void this.#openExample(first_example);
  }

  #radio(name: string, value: string): HTMLInputElement | undefined {
    return [...this.#controls.querySelectorAll<HTMLInputElement>(`[name=${name}]`)].find((one) => one.value === value);
  }

  // ---- where tables come from

  #listen(root: HTMLElement): void {
    const file = byId<HTMLInputElement>('table-file');
    const paste = byId<HTMLFormElement>('table-paste-form');
    const text = byId<HTMLTextAreaElement>('table-text');
    file.addEventListener('change', () => {
      if (file.files?.[0]) void this.#openFile(file.files[0]);
      file.value = '';
    });
    byId('table-paste').addEventListener('click', () => {
      paste.hidden = !paste.hidden;
      byId('table-paste').setAttribute('aria-expanded', String(!paste.hidden));
      if (!paste.hidden) text.focus();
    });
    paste.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#openText(text.value, 'pasted');
    });
    root.addEventListener('paste', (event) => {
      if ((event.target as Element).closest('textarea, input')) return;
      const pasted = event.clipboardData?.getData('text');
      if (pasted) void this.#openText(pasted, 'pasted');
    });
    const panel = root.parentElement!;
    const dropping = (event: DragEvent, on: boolean) => {
      event.preventDefault();
      panel.classList.toggle('dropping', on);
    };
    panel.addEventListener('dragover', (event) => dropping(event, true));
    panel.addEventListener('dragleave', (event) => dropping(event, false));
    panel.addEventListener('drop', (event) => {
      dropping(event, false);
      const dropped = event.dataTransfer?.files[0];
      if (dropped) void this.#openFile(dropped);
    });
    byId('table-examples').addEventListener('change', ({ target }) => void this.#openExample((target as HTMLInputElement).value as Example, { step: true }));
    byId('table-read-stop').addEventListener('click', () => this.#reader.stop());
    this.#header.addEventListener('change', () => this.#wish && void this.#open({ ...this.#wish, header: this.#header.checked, label: null, choices: {} }));
    this.#label.addEventListener('change', () => this.#overview && this.#changedQuestion());
    this.#controls.addEventListener('submit', (event) => event.preventDefault());
    this.#controls.addEventListener('change', ({ target }) => target !== this.#slider && this.#train());
    this.#slider.addEventListener('input', () => this.#slid());
    this.#view.addEventListener('change', () => this.#draw());
    this.#stop.addEventListener('click', () => this.#training?.stop());
    byId('table-min').addEventListener('click', () => this.#validated && this.#choosePoint(this.#validated.lambdaMin, true));
    byId('table-1se').addEventListener('click', () => this.#validated && this.#choosePoint(this.#validated.lambda1se, true));
  }

  async #openExample(example: Example, wanted: Partial<Wish> = {}): Promise<void> {
    this.#begun = true;
    try {
      const text = await exampleText(example);
      await this.#open({ file: new Blob([text]), name: example, example, text: null, header: true, label: null, choices: {}, ...wanted });
    } catch {
      byId('table-error').textContent = `The table '${example}' cannot be loaded. Reloading the page may help.`;
    }
  }

  async #openFile(file: File): Promise<void> {
    const text = file.size <= most_in_link ? await file.text() : null;
    await this.#open({ file, name: file.name, example: null, text, step: true, header: undefined, label: null, choices: {}, ...this.#waited(file.name) });
  }

  async #openText(text: string, name: string): Promise<void> {
    await this.#open({ file: new Blob([text]), name, example: null, text: text.length <= most_in_link ? text : null, step: true, header: undefined, label: null, choices: {} });
    if (!this.#overview) return; // what was pasted stays, to be mended
    byId('table-paste-form').hidden = true;
    byId('table-paste').setAttribute('aria-expanded', 'false');
  }

  /** What the link asked of this table, when it is the one that was waited for. */
  #waited(name: string): Partial<Wish> {
    const { header, label, choices, name: waited } = this.#waiting ?? { name: null };
    return waited === name ? { header, label: label!, choices: choices! } : {};
  }

  /** Reads a table, of which alone is what is on screen from now on. */
  async #open(wish: Wish): Promise<void> {
    const complain = (sentence: string) => (byId('table-error').textContent = sentence);
    if (this.#wish && !this.#waiting && !wish.restored && wish.file !== this.#wish.file) this.#share = null;
    this.#wish = wish;
    if (!wish.example) this.#files.set(wish.name, wish);
    this.#clearTable();
    const reading = byId('table-reading');
    const appears = setTimeout(() => (reading.hidden = false), 300);
    try {
      const bar = byId<HTMLProgressElement>('table-read');
      const overview = await this.#reader.read({ file: wish.file, header: wish.header }, (share) => (bar.value = share));
      if (wish !== this.#wish) return;
      if (!overview) throw new Error('reading was stopped.');
      [this.#overview, this.#waiting] = [overview, null];
      if (overview.renamed.length) complain(`${wish.name}: two columns have the same name: the second is '${overview.renamed[0]}' here.`);
      this.#showOverview();
      await this.#prepare();
    } catch (error) {
      if (wish !== this.#wish) return;
      complain(`${wish.name}: ${(error as Error).message}`);
      this.#result.setAttribute('aria-busy', 'false');
    } finally {
      clearTimeout(appears);
      if (wish === this.#wish) {
        this.#page.changed(wish.step);
        reading.hidden = true;
      }
    }
  }

  /** Nothing of the table before stays, but what is asked of tables. */
  #clearTable(): void {
    this.#overview = null;
    byId('table-name').textContent = this.#wish!.name;
    for (const id of ['table-shape', 'table-error', 'table-label-error']) byId(id).textContent = '';
    byId('table-columns-summary').textContent = 'Columns';
    this.#label.replaceChildren();
    this.#columns.show([], '', {});
    this.#showExample();
    this.#clearResults();
    this.#result.setAttribute('aria-busy', 'true');
  }

  /** Nothing is trained, and nothing of what was is on screen. */
  #clearResults(): void {
    clearTimeout(this.#rest);
    this.#finishing?.abort();
    [this.#prepared, this.#problem, this.#validated, this.#confusion] = [null, null, null, null];
    [this.#points, this.#norms, this.#order, this.#finished] = [[], [], [], new Map()];
    this.#training?.stop();
    this.#page.notice(null);
    for (const id of ['table-kept', 'table-features', 'table-accuracy', 'table-certified']) byId(id).textContent = '–';
    for (const id of ['table-lambda-value', 'table-lambda-least', 'table-lambda-most', 'table-ranked-more', 'table-right', 'table-status'])
      byId(id).textContent = '';
    for (const id of ['table-ranked', 'table-confusion']) byId(id).replaceChildren();
    for (const id of ['table-min', 'table-1se']) byId<HTMLButtonElement>(id).disabled = true;
    byId('table-cv-key').textContent = folds_sentence;
    this.#view.replaceChildren(html('option', { value: '' }, 'all classes (norm)'));
    this.#path.clear();
    this.#cv.clear();
    this.#editor.clear();
    this.#others.clear();
  }

  // ---- what is in the table

  #showOverview(): void {
    const { rows, columns, header } = this.#overview!;
    const wish = this.#wish!;
    byId('table-shape').textContent = `${count(rows)} row${rows === 1 ? '' : 's'}, ${count(columns.length)} columns`;
    this.#header.checked = header;
    const wanted = columns.some(({ name }) => name === wish.label) ? wish.label! : guessLabel(columns);
    this.#label.replaceChildren(...columns.map(({ name }) => html('option', { value: name }, name)));
    this.#label.value = wanted;
    byId<HTMLDetailsElement>('table-columns').open = wish.example === null && columns.some(({ kind }) => kind === 'mixed' || kind === 'text');
  }

  #showExample(): void {
    for (const one of byId('table-examples').querySelectorAll('input')) one.checked = one.value === this.#wish?.example;
  }

  #choose(column: string, choice: Choice): void {
    this.#wish!.choices = { ...this.#wish!.choices, [column]: choice };
    this.#changedQuestion();
  }

  #changedQuestion(): void {
    this.#wish!.label = this.#label.value;
    void this.#prepare();
    this.#page.changed();
  }

  /** Makes the problem of the table, and trains on it. */
  async #prepare(): Promise<void> {
    const overview = this.#overview;
    if (!overview) return;
    const { columns } = overview;
    const { choices } = this.#wish!;
    const label = this.#label.value;
    this.#columns.show(columns, label, choices);
    byId('table-columns-summary').textContent = summaryOf(columns, label, choices);
    const complaint = byId('table-label-error');
    const current = () => overview === this.#overview && label === this.#label.value && choices === this.#wish!.choices;
    this.#result.setAttribute('aria-busy', 'true');
    try {
      const prepared = await this.#reader.prepare({ label, choices });
      if (!current()) return;
      this.#prepared = prepared;
      complaint.textContent = this.#remarks(prepared);
    } catch (error) {
      if (!current()) return;
      complaint.textContent = `${this.#wish!.name}: ${(error as Error).message}`;
      this.#clearResults();
      this.#result.setAttribute('aria-busy', 'false');
      return;
    }
    this.#showClasses(this.#prepared);
    this.#train();
  }

  #remarks({ unlabelled, constant }: Prepared): string {
    const mixed = this.#overview!.columns.find(({ kind, name }) => kind === 'mixed' && name !== this.#label.value && !this.#wish!.choices[name]);
    const counting = this.#overview!.columns.filter(({ kind, name }) => kind === 'rows' && name !== this.#label.value && !this.#wish!.choices[name]);
    return [
      counting.length ? `'${counting[0]!.name}' numbers the rows: it is left out unless you choose otherwise.` : '',
      mixed ? `'${mixed.name}' has numbers, and on line ${count(mixed.text!.line)} ‘${mixed.text!.value}’: it is left out unless you choose what to take it as.` : '',
      unlabelled ? `${count(unlabelled)} row${unlabelled === 1 ? ' has no label and is' : 's have no label and are'} left out.` : '',
      constant.length ? `${constant.length === 1 ? `'${constant[0]}' is` : `${constant.length} features are`} the same in all training rows, and left out.` : '',
    ].filter(Boolean).join(' ');
  }

  #showClasses({ classes, features }: Prepared): void {
    const table = byId<HTMLTableElement>('table-confusion');
    this.#confusion = new ConfusionMatrix(table, classes, 'class');
    table.style.setProperty('--classes', String(classes.length));
    byId('table-features').textContent = count(features.length);
    this.#view.replaceChildren(html('option', { value: '' }, 'all classes (norm)'), ...classes.map((name, k) => html('option', { value: k }, name)));
  }

  // ---- training

  #asked(): { loss: Loss; penalty: Penalty } {
    const chosen = new FormData(this.#controls);
    return { loss: chosen.get('loss') as Loss, penalty: chosen.get('penalty') as Penalty };
  }

  #train(): void {
    const prepared = this.#prepared;
    if (!prepared) return;
    this.#finishing?.abort();
    clearTimeout(this.#rest);
    const { loss, penalty } = this.#asked();
    const { X, y, features } = prepared;
    const tolerance = loss === 'hinge' ? 1e-2 : 1e-3;
    this.#problem = { X, y, loss, penalty, tolerance, memoryLimit: memory, featureNames: features.map(({ name }) => name) };
    [this.#points, this.#norms, this.#order, this.#validated, this.#finished] = [[], [], [], null, new Map()];
    this.#result.setAttribute('aria-busy', 'true');
    for (const id of ['table-min', 'table-1se']) byId<HTMLButtonElement>(id).disabled = true;
    this.#page.notice(null);
    this.#page.changed();
    if (this.#shown) void this.#training?.run(this.#problem);
    else this.#unfinished = true;
  }

  #pointCame(points: readonly Point[]): void {
    if (points.length <= this.#norms.length) this.#norms = [];
    this.#points = points;
    this.#norms.push(normsOf(points.at(-1)!.model));
    const largest = this.#norms[0]!.map((_, j) => this.#norms.reduce((most, norms) => Math.max(most, norms[j]!), 0));
    this.#order = [...largest.keys()].sort((a, b) => largest[b]! - largest[a]!);
    this.#schedule();
  }

  #working(stage: 'path' | 'folds' | null, share: number): void {
    const words = stage === null ? '' : `${stage === 'path' ? 'path' : 'cross-validation'} ${percent(Math.min(share, 1), 0)}`;
    byId('table-work').textContent = words;
    this.#stop.hidden = stage === null;
    if (stage === null && this.#validated === null) this.#atRest();
  }

  #validatedBy(found: CrossValidated | null, reason: string): void {
    this.#validated = found;
    byId('table-cv-key').textContent = found
      ? folds_sentence
      : `There is no cross-validation: ${reason.replace(/^folds: /, '').replace(/class (\d+)/, (_, k) => `class '${this.#prepared!.classes[k]}'`)}.`;
    for (const id of ['table-min', 'table-1se']) byId<HTMLButtonElement>(id).disabled = !found;
    this.#atRest();
  }

  #failed(error: Error): void {
    const { status } = error as { status?: string };
    this.#result.setAttribute('aria-busy', 'false');
    this.#stop.hidden = true;
    byId('table-work').textContent = '';
    if (status === 'unsupported') this.#page.notice(`Training is not possible here: ${error.message}. Reloading the page may help.`);
    else if (status === 'arena_too_small') this.#page.notice(this.#tooLarge((error as { arenaBytes?: number }).arenaBytes ?? Infinity));
    else this.#page.notice(`${error.message[0]!.toUpperCase()}${error.message.slice(1)}.`);
  }

  /** What training needs grows with the rows. */
  #tooLarge(arena: number): string {
    const { X } = this.#prepared!;
    const needed = arena + X.values.byteLength;
    const fit = Math.floor(((0.9 * memory) / needed) * this.#overview!.rows);
    const rows = fit > 100 ? `about the first ${count(Number(fit.toPrecision(2)))} of these rows would fit` : 'leave columns out, or choose a label with fewer classes';
    return `Training on this table needs ${Number.isFinite(needed) ? `${count(needed)} bytes` : 'more than 4 GiB'}, and has ${count(memory)} bytes: ${rows}.`;
  }

  // ---- the λ that is chosen

  #slid(): void {
    this.#share = Number(this.#slider.value) / Number(this.#slider.max);
    this.#page.changed();
    this.#schedule();
    this.#atRest();
  }

  #choosePoint(lambda: number, byHand: boolean): void {
    const distance = ({ lambda: other }: Point) => Math.abs(Math.log(other / lambda));
    const index = this.#points.reduce((best, point, i) => (distance(point) < distance(this.#points[best]!) ? i : best), 0);
    const share = 1 - index / Math.max(this.#points.length - 1, 1);
    this.#slider.value = String(Math.round(share * Number(this.#slider.max)));
    if (!byHand) return;
    this.#share = share;
    this.#page.changed();
    this.#schedule();
    this.#atRest();
  }

  /** Of the path, from its largest λ; before the path is complete, the nearest that is there. */
  #chosen(): number {
    const share = this.#share ?? Number(this.#slider.value) / Number(this.#slider.max);
    return Math.min(Math.round((1 - share) * Number(this.#slider.max)), this.#points.length - 1);
  }

  /** When nothing is under way and the slider rests: the model with probabilities, which is the one to take home. */
  #atRest(): void {
    clearTimeout(this.#rest);
    this.#finishing?.abort();
    if (this.#points.length === 0) return;
    if (this.#share === null && this.#validated) this.#choosePoint(this.#validated.lambda1se, false);
    this.#schedule();
    if (!this.#shown || !this.#stop.hidden && !this.#validated) return;
    this.#result.setAttribute('aria-busy', 'true');
    this.#rest = setTimeout(() => void this.#finish(), this.#share === null ? 0 : at_rest);
  }

  async #finish(): Promise<void> {
    const index = this.#chosen();
    const { lambda } = this.#points[index]!;
    const [problem, prepared, validated, finished] = [this.#problem!, this.#prepared!, this.#validated, this.#finished];
    const finishing = (this.#finishing = new AbortController());
    try {
      let model = finished.get(index);
      if (!model) {
        model = validated?.lambda1se === lambda ? validated.model : await this.#training!.calibrated(problem, lambda, finishing.signal);
        if (finishing.signal.aborted) return;
        finished.set(index, inUnits(model, prepared.features, prepared.classes));
      }
      await this.#evaluate(this.#points[index]!.model);
      if (finishing.signal.aborted) return;
      this.#showModel(model, prepared);
    } catch (error) {
      if ((error as { status?: string }).status !== 'stopped' && !finishing.signal.aborted) this.#failed(error as Error);
    }
  }

  #showModel(model: WorkerModel, prepared: Prepared): void {
    const { features, classes, X, examples } = prepared;
    const { loss, penalty } = this.#asked();
    this.#editor.show(model, features);
    const { columns, header } = this.#overview!;
    this.#others.show({ model, features, columns: columns.map(({ name }) => name), header, label: this.#label.value });
    this.#page.offer({
      title: this.#title(), model, samples: X.samples, features: X.features, classes: classes.length, loss, penalty, selfTest: examples,
      ...(this.#fillsMissing() ? { missingMeans: features.map(({ mean }) => mean) } : {}),
    });
    const kept = model.report.nonzeroRows;
    byId('table-status').textContent =
      `${kept} of ${features.length} features kept, ${byId('table-right').textContent}, certified within ${certificate(model.report.relativeGap)} of optimal.`;
    this.#result.setAttribute('aria-busy', 'false');
  }

  /** Whether a mean stood for a missing number. */
  #fillsMissing(): boolean {
    const { columns } = this.#overview!;
    return this.#prepared!.features.every(({ level }) => level === null) &&
      this.#prepared!.features.some(({ column }) => columns.some(({ name, missing, texts }) => name === column && missing + texts > 0));
  }

  // ---- what is drawn

  #schedule(): void {
    if (!this.#shown || this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  #draw(): void {
    if (this.#points.length === 0 || !this.#prepared) return;
    const index = this.#chosen();
    const { lambda, model, report } = this.#points[index]!;
    const [most, least] = [this.#points[0]!.lambda, this.#points.at(-1)!.lambda];
    byId('table-lambda-value').textContent = short(lambda);
    byId('table-lambda-least').textContent = short(least);
    byId('table-lambda-most').textContent = this.#problem!.penalty === 'ridge' ? short(most) : `${short(most)} keeps nothing`;
    this.#slider.setAttribute('aria-valuetext', `lambda ${short(lambda)}`);
    byId('table-kept').textContent = count(report.nonzeroRows);
    byId('table-certified').textContent = certificate(report.relativeGap);
    this.#drawPath();
    this.#drawValidation();
    const marks: PlotMark[] = [{ lambda, name: `λ ${short(lambda)}`, chosen: true }];
    const found = this.#validated;
    this.#path.mark(marks);
    this.#cv.mark(found ? [{ lambda: found.lambdaMin, name: 'least', side: 'left' }, { lambda: found.lambda1se, name: found.lambda1se === found.lambdaMin ? '' : '1 se', side: 'right' }, { lambda, name: '', chosen: true }] : []);
    this.#rank(index);
    void this.#evaluate(model);
  }

  #drawPath(): void {
    const lambdas = this.#points.map(({ lambda }) => lambda).reverse();
    const k = this.#view.value === '' ? null : Number(this.#view.value);
    const classes = this.#prepared!.classes.length;
    const value = (i: number, j: number) => (k === null ? this.#norms[i]![j]! : this.#points[i]!.model.weights[j * classes + k]!);
    const last = this.#points.length - 1;
    const lines = this.#order.slice(0, lines_drawn).map((j, rank) => ({
      name: this.#prepared!.features[j]!.name,
      colour: colourOf(rank),
      width: rank < named_lines ? 2 : 1,
      values: lambdas.map((_, at) => value(last - at, j)),
    }));
    this.#path.show(lambdas, lines.reverse());
  }

  #drawValidation(): void {
    const found = this.#validated;
    if (!found) return this.#cv.show([1e-3, 1], [0, 1, 2].map((n) => ({ name: `empty ${n}`, colour: '--paper', values: [null, null] })));
    const ascending = [...found.points].reverse();
    const values = (side: number) => ascending.map(({ mean, standardError }) => Math.max(0, mean + side * standardError));
    this.#cv.show(ascending.map(({ lambda }) => lambda), [
      { name: 'error', colour: '--ink', width: 2, values: values(0) },
      { name: 'above', colour: '--negative', width: 0.5, values: values(1) },
      { name: 'below', colour: '--negative', width: 0.5, values: values(-1) },
    ]);
  }

  #rank(index: number): void {
    const norms = this.#norms[index]!;
    const kept = [...norms.keys()].filter((j) => norms[j]! > 0).sort((a, b) => norms[b]! - norms[a]!);
    const top = norms[kept[0] ?? 0] ?? 1;
    byId('table-ranked').replaceChildren(...kept.slice(0, most_ranked).map((j) => {
      const swatch = html('i');
      const rank = this.#order.indexOf(j);
      swatch.style.setProperty('--swatch', `var(${colourOf(rank)})`);
      const bar = html('span', { class: 'bar-of' }, html('i'));
      bar.style.setProperty('--share', `${(100 * norms[j]!) / top}%`);
      const { name } = this.#prepared!.features[j]!;
      return html('li', {}, swatch, html('span', { title: name }, name), bar, html('span', {}, short(norms[j]!)));
    }));
    byId('table-ranked-more').textContent =
      kept.length === 0 ? 'No feature is kept.' : kept.length > most_ranked ? `and ${count(kept.length - most_ranked)} more` : '';
  }

  /** One evaluation at a time, and then that of the newest model. */
  #evaluate(model: WorkerModel): Promise<void> {
    this.#newest = model;
    this.#evaluating ??= this.#evaluateNewest().finally(() => (this.#evaluating = null));
    return this.#evaluating;
  }

  async #evaluateNewest(): Promise<void> {
    for (let model: WorkerModel | null = null; model !== this.#newest; ) {
      model = this.#newest!;
      const { weights, intercepts } = model;
      const confusion = this.#confusion;
      if (!confusion) return;
      const counts = await this.#reader.confusion({ weights: Float32Array.from(weights), intercepts: Float32Array.from(intercepts) });
      if (confusion === this.#confusion && counts.length === intercepts.length ** 2) this.#showCounts(counts, intercepts.length);
    }
  }

  #showCounts(counts: number[], classes: number): void {
    const right = counts.reduce((sum, n, cell) => (Math.floor(cell / classes) === cell % classes ? sum + n : sum), 0);
    const all = counts.reduce((sum, n) => sum + n, 0);
    this.#confusion?.showCounts(counts);
    byId('table-right').textContent = all === 0 ? 'no row is held out' : `${count(right)} of ${count(all)} right`;
    byId('table-accuracy').textContent = all === 0 ? '–' : percent(right / all, 1);
  }
}

const colourOf = (rank: number) => (rank < named_lines ? `--class-${rank}` : '--dot');

function normsOf({ weights, intercepts: { length } }: WorkerModel): Float64Array {
  const norms = new Float64Array(weights.length / length);
  weights.forEach((w, i) => (norms[Math.floor(i / length)]! += w * w));
  return norms.map(Math.sqrt);
}

/** Throws an Error with a sentence for the user. */
function settingsOf(given: unknown): Settings {
  const { example, name, text, header, label, choices, loss, penalty, share } = (given ?? {}) as Record<string, unknown>;
  const texts = [name, label, loss, penalty].every((one) => typeof one === 'string');
  const known = (example === undefined || isExample(example)) && (text === undefined || typeof text === 'string') && typeof header === 'boolean';
  const chosen = typeof choices === 'object' && choices !== null && Object.values(choices).every((one) => ['number', 'category', 'out'].includes(one as string));
  const placed = share === null || (typeof share === 'number' && share >= 0 && share <= 1);
  if (!texts || !known || !chosen || !placed) throw new Error('The link does not say what to learn from which table.');
  return given as Settings;
}
