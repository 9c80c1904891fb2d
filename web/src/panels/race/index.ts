/** The same problem under several solvers, one after another: who certifies what, and when. */
import type { Loss, Penalty, Precision } from 'tamis';
import { byId, html, switchOff } from '../../dom';
import { certificate, count, milliseconds, short } from '../../format';
import type { Mount, Page, Panel } from '../../panel';
import type { Recipe } from '../../recipe';
import { LogPlot, type Line } from './plot';
import { dataOf, isName, sizeOf, type Data, type Name } from './problems';
import './race.css';
import markup from './race.html?raw';
import { bestOf, finest_gap, race, timeTo, type Run, type Task } from './runner';
import { entrants, explained, type Entrant } from './solvers';

const [least_lambda, most_lambda] = [0.0001, 1];
const marks = [1e-2, 1e-3, 1e-4];
const lanes = 10; // colours
/** Below this share of the objective, differences are rounding. */
const floors: Record<Precision, number> = { float: 1e-7, double: 1e-10 };

const superscript = (exponent: number) => String(exponent).replace('-', '⁻').replace(/\d/g, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]!);

export const mount: Mount = (root, page) => {
  root.insertAdjacentHTML('beforeend', markup);
  return panelOf(root, page);
};

function panelOf(root: HTMLElement, page: Page): Panel {
  const controls = byId<HTMLFormElement>('race-controls');
  const slider = byId<HTMLInputElement>('race-lambda');
  const result = byId('race-result');
  const stop = byId<HTMLButtonElement>('race-stop');
  const table = byId<HTMLTableElement>('standings').tBodies[0]!;
  const gaps = new LogPlot(byId('race-gap'), (gap) => `${Number((100 * gap).toPrecision(3))} %`);
  const objectives = new LogPlot(byId('race-objective'), (share) => `10${superscript(Math.round(Math.log10(share)))}`);

  let out = new Set(entrants.filter(({ absent }) => absent).map(({ name }) => name)); // solvers that stay out
  let runs: Run[] = [];
  let running: AbortController | null = null;
  let unfinished = true; // a race is due when the panel is shown
  let stopsNext = false; // the race that is due has been stopped before it began
  let visible = false;
  const known = new Map<Name, Data>();

  if (!page.client) switchOff(root);
  controls.addEventListener('submit', (event) => event.preventDefault());
  slider.addEventListener('input', showLambda);
  controls.addEventListener('change', again);
  stop.addEventListener('click', () => {
    if (!running) return again();
    stopsNext = unfinished;
    running.abort();
  });
  table.addEventListener('change', ({ target }) => {
    const { name, checked } = target as HTMLInputElement;
    if (checked) out.delete(name);
    else out.add(name);
    again();
  });
  showLambda();
  explain();
  showEntrants();

  return { show, hide, state, restore, code };

  function show(): void {
    visible = true;
    if (!page.client) page.notice('Training is not possible here: WebAssembly is absent or switched off.');
    else if (unfinished) void start();
  }

  function hide(): void {
    visible = false;
    unfinished ||= running !== null;
    running?.abort();
  }

  // ---- what is asked for

  function choice(): Omit<Task, 'data'> & { name: Name } {
    const chosen = new FormData(controls);
    return {
      name: chosen.get('race-data') as Name,
      loss: chosen.get('race-loss') as Loss,
      penalty: chosen.get('race-penalty') as Penalty,
      precision: chosen.get('race-precision') as Precision,
      limit: Number(chosen.get('race-limit')),
      lambda: least_lambda * (most_lambda / least_lambda) ** (Number(slider.value) / Number(slider.max)),
    };
  }
  function showLambda(): void {
    const { lambda } = choice();
    byId('race-lambda-value').textContent = short(lambda);
    slider.setAttribute('aria-valuetext', `lambda ${short(lambda)}`);
  }
  function explain(): void {
    const { loss, penalty } = choice();
    byId('race-kinds').textContent = explained(loss, penalty);
  }
  function takers(): Entrant[] {
    const { loss, penalty } = choice();
    return entrants.filter((entrant) => entrant.takes(loss, penalty));
  }

  // ---- the race

  function again(): void {
    explain();
    page.changed();
    unfinished = true;
    stopsNext = false;
    if (running) running.abort(); // it then begins again
    else if (visible) void start();
  }

  async function start(): Promise<void> {
    unfinished = false;
    const { name, ...rest } = choice();
    const own = (running = new AbortController());
    if (stopsNext) own.abort();
    stopsNext = false;
    runs = takers().map((entrant) => ({ name: entrant.name, state: 'waiting', trace: [] }));
    showEntrants();
    result.setAttribute('aria-busy', 'true');
    stop.textContent = 'Stop';
    try {
      const data = known.get(name) ?? (await dataOf(name));
      known.set(name, data);
      byId('race-size').textContent = `${sizeOf(data)}`;
      const racing = runs.filter((run) => !out.has(run.name));
      await race(page.client!, { ...rest, data }, racing, own.signal, (run) => showRun(run, rest.precision));
      page.notice(null);
    } catch (error) {
      for (const run of runs) if (run.state === 'running' || run.state === 'waiting') run.state = 'stopped';
      page.notice(`Training is not possible here: ${(error as Error).message}. Reloading the page may help.`);
    }
    running = null;
    if (unfinished && visible) return void start();
    stop.textContent = 'Race again';
    conclude();
    result.setAttribute('aria-busy', 'false');
  }

  function conclude(): void {
    const times = runs.map((run) => ({ name: run.name, time: timeTo(marks[1]!, run) })).filter(({ time }) => time !== null);
    const [first, second] = times.sort((a, b) => a.time! - b.time!);
    const said = !first ? 'none has certified 0.1 %' : !second ? `${first.name} alone certified 0.1 %, in ${milliseconds(first.time!)} ms`
      : `${first.name} first certified 0.1 %, in ${milliseconds(first.time!)} ms, ${short(second.time! / first.time!)} times as fast as ${second.name}`;
    byId('race-says').textContent = byId('race-status').textContent = said;
  }

  // ---- what is shown

  /** A row for each solver that takes the problem, as yet without figures. */
  function showEntrants(): void {
    byId('race-says').textContent = '';
    table.replaceChildren(...takers().map(({ name, what }, lane) => {
      const box = html('input', { type: 'checkbox', name });
      box.checked = !out.has(name);
      const swatch = html('i', { class: lane < lanes ? 'lane' : 'lane dashed' });
      swatch.style.setProperty('--lane', `var(--class-${lane % lanes})`);
      const label = html('label', {}, box, swatch, html('span', {}, `${name} `, html('small', {}, what)));
      return html('tr', { 'data-solver': name }, html('th', { scope: 'row' }, label), ...Array.from({ length: 5 }, () => html('td')));
    }));
    plot(choice().precision);
  }

  function showRun(run: Run, precision: Precision): void {
    plot(precision);
    const row = table.querySelector<HTMLElement>(`[data-solver="${run.name}"]`);
    if (!row) return;
    const cells = [...row.querySelectorAll('td')];
    marks.forEach((gap, m) => {
      const time = timeTo(gap, run);
      cells[m]!.textContent = time === null ? '–' : milliseconds(time);
    });
    const last = run.trace.at(-1);
    cells[3]!.textContent = last ? count(last.iterations) : '–';
    cells[4]!.textContent = ended(run);
    cells[4]!.className = run.state === 'done' ? '' : 'out';
    if (run.state === 'refused') cells[4]!.title = run.reason ?? '';
    byId('race-says').textContent = run.state === 'running' ? `${run.name} runs` : '';
    if (run.state !== 'running') rank();
  }

  /** The fastest of each column is set off. */
  function rank(): void {
    marks.forEach((gap, m) => {
      const times = runs.map((run) => timeTo(gap, run) ?? Infinity);
      const least = Math.min(...times);
      runs.forEach((run, i) => table.querySelector(`[data-solver="${run.name}"]`)?.querySelectorAll('td')[m]
        ?.classList.toggle('first', times[i] === least && least < Infinity));
    });
  }

  function ended({ state, trace }: Run): string {
    const gap = trace.at(-1)?.gap ?? Infinity;
    const reached = Number.isFinite(gap) ? ` at ${certificate(gap)}` : '';
    switch (state) {
      case 'done': return gap <= finest_gap ? 'certified' : `rounding allows ${certificate(gap)}`;
      case 'out of time': return `out of time${reached}`;
      case 'stopped': return `stopped${reached}`;
      case 'refused': return 'not in this module';
      case 'running': return `${certificate(gap)}`;
      default: return '';
    }
  }

  function plot(precision: Precision): void {
    const best = bestOf(runs);
    const order = takers().map(({ name }) => name);
    const lines = (of: (entry: Run['trace'][number]) => number): Line[] => order.map((name, lane) => ({
      colour: `--class-${lane % lanes}`,
      dashed: lane >= lanes,
      points: (runs.find((run) => run.name === name)?.trace ?? []).map((entry) => [entry.time, of(entry)] as const),
    }));
    gaps.show(lines(({ gap }) => Math.max(gap, finest_gap / 100)));
    objectives.show(lines(({ objective }) => Math.max((objective - best) / best, floors[precision])));
  }

  async function code(): Promise<Recipe | null> {
    const { name, loss, penalty, precision, limit, lambda } = choice();
    const solvers = takers().flatMap((entrant) => (out.has(entrant.name) ? [] : [entrant.name]));
    if (solvers.length === 0) return null;
    return {
      title: name, label: 'label', training: known.get(name) ?? (await dataOf(name)),
      asked: { kind: 'race', loss, penalty, precision, lambda, tolerance: finest_gap, solvers, seconds: limit / 1000 },
    };
  }

  // ---- what a link holds

  function state(): unknown {
    const { name: data, loss, penalty, precision, limit } = choice();
    return { data, loss, penalty, precision, limit, share: Number(slider.value) / Number(slider.max), out: [...out] };
  }

  function restore(state: unknown): void {
    const { data, loss, penalty, precision, limit, share, out: left } = (state ?? {}) as Record<string, unknown>;
    const button = (name: string, value: unknown) =>
      [...controls.querySelectorAll<HTMLInputElement>(`[name=race-${name}]`)].find((one) => one.value === String(value));
    const chosen = [button('data', data), button('loss', loss), button('penalty', penalty), button('precision', precision), button('limit', limit)];
    if (!isName(data) || chosen.includes(undefined) || typeof share !== 'number' || !(share >= 0 && share <= 1) || !Array.isArray(left))
      throw new Error('The link does not say what to race on.');
    for (const one of chosen) one!.checked = true;
    slider.value = String(share * Number(slider.max));
    out = new Set(left.map(String));
    showLambda();
    again();
  }
}
