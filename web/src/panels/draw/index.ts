/** Sparse classifiers of the 8×8 digits, trained as soon as they are shown. */
import type { Loss, Penalty, Report } from 'tamis';
import type { WorkerModel } from 'tamis/worker';
import { ConfusionMatrix } from '../../confusion';
import { Curves } from '../../curves';
import { classes, features, test, training } from '../../digits';
import { byId, switchOff } from '../../dom';
import { certificate, count, kilobytes, percent, short } from '../../format';
import { lambdaAt, least, most, shareOf } from '../../lambda';
import { WeightMaps } from '../../maps';
import type { Mount, Page, Panel } from '../../panel';
import './draw.css';
import markup from './draw.html?raw';
import { Trainer, type Chosen, type Wish } from './trainer';

const first_lambda = 0.03;
const digits = Array.from({ length: classes }, (_, k) => String(k));

export const mount: Mount = (root, page) => {
  root.innerHTML = markup;
  return panelOf(page);
};

function panelOf(page: Page): Panel {
  const controls = byId<HTMLFormElement>('controls');
  const slider = byId<HTMLInputElement>('lambda');
  const result = byId('result');
  const stop = byId<HTMLButtonElement>('stop');
  const download = byId<HTMLButtonElement>('download');

  const maps = new WeightMaps(byId('maps'), byId('readout'));
  const confusion = new ConfusionMatrix(byId<HTMLTableElement>('confusion'), digits, 'digit');
  const curves = new Curves(byId<SVGSVGElement>('objective-curve'), byId<SVGSVGElement>('gap-curve'));

  let header: string | null = null;
  let wished = 0; // how often something was asked for
  let first = true;
  let stopAppears: ReturnType<typeof setTimeout> | undefined;

  byId('counts').textContent = `${count(training.y.length)} training and ${count(test.y.length)} held-out`;
  let shown = false;
  let restoredShare = false;
  let unfinished: Wish['weight'] | null = { lambda: first_lambda }; // what is trained when the panel is shown

  if (!page.client) switchOff(controls);
  const trainer = page.client && new Trainer(page.client, { started, progress, trained, failed });
  slider.addEventListener('input', retrain);
  controls.addEventListener('change', ({ target }) => target !== slider && retrain());
  controls.addEventListener('submit', (event) => event.preventDefault());
  stop.addEventListener('click', () => trainer?.stop());
  download.addEventListener('click', save);

  return { show, hide, state, restore };

  function show(): void {
    shown = true;
    if (!trainer) page.notice('This page trains in WebAssembly, which this browser does not have or has switched off.');
    else if (unfinished) train(unfinished);
  }

  function hide(): void {
    shown = false;
    if (result.getAttribute('aria-busy') !== 'true') return;
    unfinished = first && !restoredShare ? { lambda: first_lambda } : { share: share() };
    trainer?.stop();
  }

  function train(weight: Wish['weight']): void {
    ++wished;
    unfinished = null;
    result.setAttribute('aria-busy', 'true');
    trainer?.train({ ...choice(), weight });
  }

  function retrain(): void {
    const end = most(choice());
    if (end !== undefined) showScale(lambdaAt(share(), end), end);
    train({ share: share() });
    page.changed();
  }

  // ---- what a link holds

  function state(): unknown {
    return wished > 1 ? { ...choice(), share: share() } : undefined;
  }

  function restore(state: unknown): void {
    const { loss, penalty, tolerance, share } = (state ?? {}) as Record<string, unknown>;
    const button = (name: string, value: unknown) =>
      [...controls.querySelectorAll<HTMLInputElement>(`[name=${name}]`)].find((one) => one.value === String(value));
    const buttons = [button('loss', loss), button('penalty', penalty), button('tolerance', tolerance)];
    if (buttons.includes(undefined) || typeof share !== 'number' || !(share >= 0 && share <= 1))
      throw new Error('The link does not say what to train.');
    for (const one of buttons) one!.checked = true;
    slider.value = String(share * Number(slider.max));
    restoredShare = true; // the slider stays where it is
    if (shown) retrain();
    else [unfinished, wished] = [{ share }, 1];
  }

  // ---- what is asked for

  function choice(): Omit<Wish, 'weight'> {
    const chosen = new FormData(controls);
    return {
      loss: chosen.get('loss') as Loss,
      penalty: chosen.get('penalty') as Penalty,
      tolerance: Number(chosen.get('tolerance')),
    };
  }

  function share(): number {
    return Number(slider.value) / Number(slider.max);
  }

  function showScale(lambda: number, end: number): void {
    byId('lambda-value').textContent = short(lambda);
    byId('lambda-least').textContent = short(least(end));
    byId('lambda-most').textContent = choice().penalty === 'ridge' ? short(end) : `${short(end)} keeps nothing`;
    slider.setAttribute('aria-valuetext', `lambda ${short(lambda)}`);
  }

  // ---- what comes back

  function started({ tolerance }: Chosen): void {
    curves.restart(tolerance);
    hideStop();
    stopAppears = setTimeout(() => (stop.hidden = false), 500);
  }

  function progress(report: Report): void {
    curves.add(report);
  }

  function trained(model: WorkerModel, chosen: Chosen, newest: boolean): void {
    const { report } = model;
    const end = most(chosen)!;
    if (first && !restoredShare) slider.value = String(Number(slider.max) * shareOf(chosen.lambda, end));
    if (newest) showScale(chosen.lambda, end);

    maps.show(model.weights);
    const right = confusion.show(test.y, model.predictAll(test.X).map(Number));
    byId('accuracy').textContent = percent(right / test.y.length, 1);
    byId('right').textContent = `right, ${right} of ${test.y.length}`;
    byId('kept').textContent = String(report.nonzeroRows);
    byId('arena-bytes').textContent = count(report.arenaBytes);
    byId('ending').textContent = report.status === 'stopped' && newest ? 'stopped, within' : 'certified within';
    byId('certified').textContent = certificate(report.relativeGap);
    byId('time').textContent = count(Math.round(report.milliseconds ?? 0));
    if (first) requestAnimationFrame(() => setTimeout(() => performance.mark('trained')));
    first = false;
    void finish(model, right, newest);
    if (!newest) return;
    const { loss, penalty } = chosen;
    page.offer({ title: 'Digits', model, samples: training.y.length, features, classes, loss, penalty });
  }

  /** What the worker adds; the C header and the spoken sentence only when the slider rests. */
  async function finish(model: WorkerModel, right: number, newest: boolean): Promise<void> {
    const { report } = model;
    const wishes = wished;
    if (newest) hideStop();
    try {
      const blob = await model.toBlob();
      byId('model-bytes').textContent = count(blob.length);
      if (!newest) return;
      const text = await model.toC({ name: 'digits' });
      if (wishes !== wished) return;
      header = text;
      byId('header-bytes').textContent = kilobytes(new Blob([text]).size);
      download.disabled = false;
      byId('status').textContent =
        `${report.nonzeroRows} of ${features} features, model ${blob.length} bytes, arena ${report.arenaBytes} bytes, ` +
        `certified within ${certificate(report.relativeGap)} of optimal in ${Math.round(report.milliseconds ?? 0)} ms. ` +
        `${right} of ${test.y.length} held-out digits right.`;
      result.setAttribute('aria-busy', 'false');
    } catch (error) {
      failed(error as Error);
    }
  }

  function save(): void {
    if (header === null) return;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([header], { type: 'text/x-c' }));
    link.download = 'digits.h';
    link.click();
    URL.revokeObjectURL(link.href);
  }

  function hideStop(): void {
    clearTimeout(stopAppears);
    stopAppears = undefined;
    stop.hidden = true;
  }

  // ---- what goes wrong

  function failed(error: Error): void {
    hideStop();
    switchOff(controls);
    page.notice(`Training is not possible here: ${error.message}. Reloading the page may help.`);
  }
}
