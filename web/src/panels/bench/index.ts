/** Runs the benchmark suite here, or shows what was recorded of it in a browser, beside native figures that were recorded. */
import { modules, recorded, type Recorded } from 'virtual:bench';
import { byId, html, switchOff } from '../../dom';
import { short } from '../../format';
import type { Mount, Page, Panel } from '../../panel';
import { hasSimd, hasWebAssembly } from '../../simd';
import './bench.css';
import markup from './bench.html?raw';
import type { News, Order } from './runner';

type Target = 'simd' | 'base';
interface Row {
  name: string;
  kind: string;
  native: Recorded | undefined;
  found: Partial<Record<Target, { seconds: number; checksum: string }>>;
}
const targets: readonly Target[] = ['simd', 'base'];
const target_names: Record<Target, string> = { simd: 'SIMD', base: 'base' };
const kind_names: Record<string, string> = { floor: 'What the machine can do', kernel: 'Kernels', solve: 'Whole solves', prediction: 'Prediction' };
const widest_ratio = 4; // the end of the bars

export const mount: Mount = (root, page) => {
  root.insertAdjacentHTML('beforeend', markup);
  return panelOf(root, page);
};

function panelOf(root: HTMLElement, page: Page): Panel {
  const controls = byId<HTMLFormElement>('bench-controls');
  const button = byId<HTMLButtonElement>('bench-run');
  const result = byId('bench-result');
  const progress = byId<HTMLProgressElement>('bench-progress');
  const table = byId<HTMLTableElement>('bench-table').tBodies[0]!;
  let worker: Worker | null = null;
  let rows: Row[] = rowsOf(recorded.workloads);

  const { processor, date, busy, compilers } = recorded;
  byId('bench-recorded').textContent = `native: ${processor}, ${compilers.native}, on ${date}${busy ? ', while it was busy' : ''}`;
  controls.addEventListener('submit', (event) => {
    event.preventDefault();
    if (worker) end('cancelled');
    else run();
  });
  controls.addEventListener('change', () => page.changed());
  if (!modules) showRecorded();
  showRows();

  return {
    show: () => {
      if (hasWebAssembly()) return;
      page.notice('The benchmarks need WebAssembly, which this browser does not have or has switched off.');
      switchOff(root);
    },
    hide: () => worker && end('cancelled, as another part of the page was opened'),
    state: () => (kinds() === 'kernel' ? undefined : { kinds: kinds() }),
    begin: () => controls.reset(),
    restore: (state) => {
      const wanted = (state as { kinds?: unknown } | null)?.kinds;
      const one = [...controls.querySelectorAll('input')].find(({ value }) => value === wanted);
      if (!one) throw new Error('The link does not say which workloads to run.');
      one.checked = true;
    },
  };

  function kinds(): string {
    return String(new FormData(controls).get('bench-kinds'));
  }

  /** Without modules to run: what they took in a browser where the native figures were taken. */
  function showRecorded(): void {
    controls.hidden = true;
    byId('bench-says').textContent = `recorded in Chromium on the same machine as the native figures · ${summary()}`;
    for (const cell of root.querySelectorAll<HTMLElement>('[data-here]')) cell.textContent = `${cell.dataset.here}, recorded`;
  }

  // ---- a run

  function run(): void {
    page.notice(null);
    worker = new Worker(new URL('./runner.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<News>) => hear(data));
    worker.addEventListener('error', () => hear({ type: 'failed', message: 'the worker cannot run' }));
    const order: Order = {
      modules: Object.fromEntries(targets.filter((target) => target === 'base' || hasSimd()).map((target) => [target, modules![target]])),
      kinds: kinds().split(' '),
    };
    worker.postMessage(order);
    button.textContent = 'Cancel';
    result.setAttribute('aria-busy', 'true');
    byId('bench-says').textContent = 'loading the modules';
    progress.removeAttribute('value');
    progress.hidden = false;
  }

  function hear(news: News): void {
    if (!worker) return;
    if (news.type === 'begin') {
      rows = rowsOf(news.workloads);
      progress.max = rows.length * (hasSimd() ? 2 : 1);
      progress.value = 0;
      showRows();
    } else if (news.type === 'figure') {
      const { target, ...figure } = news;
      const row = rows.find(({ name }) => name === figure.name);
      if (!row) return;
      row.found[target as Target] = figure;
      ++progress.value;
      byId('bench-says').textContent = `${progress.value} of ${progress.max}: ${figure.name}`;
      showRow(row);
    } else if (news.type === 'done') end(summary());
    else {
      end('failed');
      page.notice(`The benchmarks cannot run here: ${news.message}. Reloading the page may help.`);
    }
  }

  function end(says: string): void {
    worker?.terminate();
    worker = null;
    button.textContent = 'Run';
    progress.hidden = true;
    result.setAttribute('aria-busy', 'false');
    byId('bench-says').textContent = byId('bench-status').textContent = says;
  }

  /** Geometric means against native. */
  function summary(): string {
    const means = targets.flatMap((target) => {
      const ratios = rows.map((row) => ratioOf(row, target)).filter((ratio) => ratio !== null);
      if (ratios.length === 0) return [];
      const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
      return [`${target_names[target]} ${mean.toFixed(2)} times native of its width (geometric mean of ${ratios.length})`];
    });
    const wrong = rows.filter((row) => differs(row)).length;
    return [...(means.length ? means : ['done; no native figure of these was recorded']), wrong ? `${wrong} with other results` : 'the results are the same bits'].join(' · ');
  }

  // ---- what is shown

  function showRows(): void {
    let kind = '';
    table.replaceChildren(...rows.flatMap((row) => {
      const heading = row.kind === kind ? [] : [html('tr', { class: 'kind' }, html('th', { scope: 'colgroup', colspan: 6 }, kind_names[row.kind] ?? row.kind))];
      kind = row.kind;
      return [...heading, html('tr', { 'data-workload': row.name }, html('th', { scope: 'row' }, row.name.replace(/(\d)x(?=\d)/g, '$1×')),
        ...['native', 'SIMD', 'base'].map((name) => html('td', { 'data-name': name })), html('td', { class: 'against' }), html('td'))];
    }));
    rows.forEach(showRow);
  }

  function showRow(row: Row): void {
    const cells = table.querySelector(`[data-workload="${row.name}"]`)!.querySelectorAll('td');
    cells[0]!.textContent = row.native?.native ? duration(row.native.native) : '–';
    targets.forEach((target, t) => (cells[t + 1]!.textContent = row.found[target] ? duration(row.found[target].seconds) : ''));
    cells[3]!.replaceChildren(...targets.flatMap((target) => {
      const ratio = ratioOf(row, target);
      if (ratio === null) return [];
      const bar = html('i');
      bar.style.setProperty('--share', `${Math.min(100, (100 * ratio) / widest_ratio)}%`);
      return [html('div', { class: `ratio ${target}` }, html('span', { class: 'way' }, bar), html('span', {}, `${ratio.toFixed(2)} ×`))];
    }));
    const done = targets.some((target) => row.found[target]);
    cells[4]!.textContent = !done ? '' : differs(row) ? 'other bits' : row.native?.checksum ? 'same bits' : 'not recorded';
    cells[4]!.className = differs(row) ? 'wrong' : 'same';
  }
}

function rowsOf(workloads: readonly { name: string; kind: string }[]): Row[] {
  return workloads.map(({ name, kind }) => ({ name, kind, native: recorded.workloads.find((one) => one.name === name), found: modules ? {} : recordedOf(recorded.workloads.find((one) => one.name === name)) }));
}

function recordedOf(one: Recorded | undefined): Row['found'] {
  return Object.fromEntries(targets.flatMap((target) => {
    const seconds = one?.here[target];
    return seconds ? [[target, { seconds, checksum: one.checksum ?? '' }]] : [];
  }));
}

/** Time here against native code of the same width. */
function ratioOf({ native, found }: Row, target: Target): number | null {
  const [here, there] = [found[target], native?.[target]];
  return here && there ? here.seconds / there : null;
}

/** Whether what was computed is not the same on all targets, or is wrong. */
function differs({ native, found }: Row): boolean {
  const checksums = [native, ...Object.values(found)].flatMap((figure) => figure?.checksum ?? []);
  return new Set(checksums).size > 1 || checksums.some((checksum) => /^0+$/.test(checksum));
}

function duration(seconds: number): string {
  if (seconds < 1e-6) return `${short(1e9 * seconds)} ns`;
  if (seconds < 1e-3) return `${short(1e6 * seconds)} µs`;
  return seconds < 1 ? `${short(1e3 * seconds)} ms` : `${short(seconds)} s`;
}
