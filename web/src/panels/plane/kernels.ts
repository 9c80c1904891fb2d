/** The part of the panel that trains with several kernels. */
import './kernels.css';
import type { Kernel } from 'tamis';
import { TamisError, type WorkerKernelModel } from 'tamis/worker';
import { byId, giveUp, html } from '../../dom';
import { certificate, count, milliseconds, percent, short } from '../../format';
import { Newest } from '../../newest';
import type { Page } from '../../panel';
import { recipeOf, trainKernels, type KernelWish, type Norm } from './kernel-trainer';
import { KeptTerms, People } from './kernel-views';
import markup from './kernels.html?raw';
import { penalties } from './norms';
import { split, type Part } from './titanic';

const offered: readonly Kernel[] =
  ['linear', 'gaussian:0.1', 'gaussian:1', 'gaussian:100', 'polynomial:2,1', 'laplacian:1', 'sigmoid:0.5,-1', 'distance'];
const at_first = ['linear', 'gaussian:0.1', 'gaussian:100'];
const trained_samples = 150;
const [least_lambda, most_lambda] = [0.001, 100];

/** Puts it at the end of `root`. */
export function mountKernels(root: HTMLElement, { client, showCode }: Pick<Page, 'client' | 'showCode'>): { show(): void; hide(): void } {
  root.insertAdjacentHTML('beforeend', markup);
  const controls = byId<HTMLFormElement>('kernel-controls');
  const others = byId<HTMLInputElement>('kernel-others');
  const slider = byId<HTMLInputElement>('kernel-lambda');
  const result = byId('kernel-result');
  const stop = byId<HTMLButtonElement>('kernel-stop');
  const kept = new KeptTerms(byId<HTMLTableElement>('kept-terms'));
  const outlook = new People(byId<HTMLTableElement>('people'));

  let seed = 1;
  let people = split(trained_samples, seed);
  let shown: KernelWish | null = null;
  let stopAppears: ReturnType<typeof setTimeout> | undefined;

  byId('kernel-trained').textContent = String(trained_samples);
  byId('kernel-lambda-least').textContent = String(least_lambda);
  byId('kernel-lambda-most').textContent = String(most_lambda);
  byId('kernel-choices').append(...offered.map((kernel) => {
    const box = html('input', { type: 'checkbox', name: 'kernel', value: kernel });
    box.checked = at_first.includes(kernel);
    return html('label', {}, box, html('span', {}, kernel));
  }));
  const trainer = client && new Newest<KernelWish, WorkerKernelModel>(
    (wish, signal, superseded) => trainKernels(client, wish, signal, superseded), { started, done: trained, failed });
  let unfinished = true; // it trains when it is shown
  if (!client) unable('WebAssembly is absent or switched off');
  slider.addEventListener('input', train);
  controls.addEventListener('change', ({ target }) => target !== slider && train());
  controls.addEventListener('submit', (event) => event.preventDefault());
  byId('kernel-draw').addEventListener('click', () => {
    people = split(trained_samples, ++seed);
    train();
  });
  stop.addEventListener('click', () => trainer?.stop());
  byId('kernel-code').addEventListener('click', () => showCode(shown && recipeOf(shown)));

  return {
    show: () => unfinished && train(),
    hide: () => {
      unfinished = result.getAttribute('aria-busy') === 'true';
      trainer?.stop();
    },
  };

  function train(): void {
    if (!trainer) return;
    unfinished = false;
    const wish = choice();
    byId('kernel-lambda-value').textContent = short(wish.lambda);
    slider.setAttribute('aria-valuetext', `lambda ${short(wish.lambda)}`);
    byId('kernel-penalty').innerHTML = penalties[normName()] ?? '';
    complain(wish.kernels.length === 0 ? 'Choose at least one kernel.' : '');
    if (wish.kernels.length === 0) return;
    result.setAttribute('aria-busy', 'true');
    trainer.ask(wish);
  }

  // ---- what is asked for

  function normName(): string {
    return String(new FormData(controls).get('norm'));
  }

  function choice(): KernelWish {
    const chosen = new FormData(controls);
    const [p, q, r] = [...normName()].map(Number);
    const kernels = [...chosen.getAll('kernel'), ...others.value.split(/\s+/).filter(Boolean)] as Kernel[];
    return {
      people,
      kernels: [...new Set(kernels)],
      norm: { p, q, r } as Norm,
      lambda: least_lambda * (most_lambda / least_lambda) ** (Number(slider.value) / Number(slider.max)),
      intercept: chosen.get('intercept') === 'free',
    };
  }

  // ---- what comes back

  function started(): void {
    hideStop();
    stopAppears = setTimeout(() => (stop.hidden = false), 500);
  }

  function trained(model: WorkerKernelModel, wish: KernelWish, newest: boolean): void {
    const { report } = model;
    const { training, test } = wish.people;
    if (newest) hideStop();
    shown = wish;
    kept.show(model, wish.kernels, training);
    const predicted = outlook.show(model);
    const right = ({ groups, y }: Part) => groups.filter((group, i) => predicted[group] === y[i]).length;
    const [rightOfTest, rightOfTraining] = [right(test), right(training)];
    byId('kernel-accuracy').textContent = percent(rightOfTest / test.y.length, 1);
    byId('kernel-right').textContent =
      `of ${count(test.y.length)} others right, ${percent(rightOfTraining / trained_samples, 1)} of the ${trained_samples}`;
    byId('kernel-samples').textContent = String(model.keptSamples.length);
    byId('kernel-kernels').textContent = String(model.keptKernels.length);
    byId('kernel-given').textContent = String(wish.kernels.length);
    byId('kernel-arena').textContent = count(report.arenaBytes);
    byId('kernel-ending').textContent = report.status === 'stopped' && newest ? 'stopped, within' : 'certified within';
    byId('kernel-certified').textContent = certificate(report.relativeGap);
    byId('kernel-time').textContent = milliseconds(report.milliseconds ?? 0);
    const { lambdaMax } = report;
    byId('kernel-lambda-max').textContent = Number.isFinite(lambdaMax) ? `nothing is kept from ${short(lambdaMax)} on` : '';
    if (!newest) return;
    byId('kernel-status').textContent =
      `${model.keptSamples.length} of ${trained_samples} samples and ${model.keptKernels.length} of ${wish.kernels.length} ` +
      `kernels kept, certified within ${certificate(report.relativeGap)} of optimal in ` +
      `${milliseconds(report.milliseconds ?? 0)} ms. ${rightOfTest} of ${test.y.length} others right, ` +
      `${rightOfTraining} of the ${trained_samples} trained on.`;
    result.setAttribute('aria-busy', 'false');
  }

  function hideStop(): void {
    clearTimeout(stopAppears);
    stop.hidden = true;
  }

  // ---- what goes wrong

  function failed(error: Error, { kernels }: KernelWish, newest: boolean): void {
    if (!newest) return;
    hideStop();
    if (!(error instanceof TamisError) || error.status === 'unsupported') return unable(error.message);
    // Named as they are written, not by their place in a list that nobody sees.
    const sentence = error.message.replace(/^kernels\[(\d+)\]( \([^)]*\))?/, (_, t) => kernels[Number(t)] ?? '');
    complain(`${sentence}.`);
    result.setAttribute('aria-busy', 'false');
  }

  /** Says what is wrong with the kernels, beside them. */
  function complain(sentence: string): void {
    byId('kernel-error').textContent = sentence;
    others.setAttribute('aria-invalid', String(sentence !== ''));
  }

  function unable(reason: string): void {
    giveUp(byId('kernel-notice'), controls, `Training with kernels is not possible here: ${reason}. Reloading the page may help.`);
    result.setAttribute('aria-busy', 'false');
  }
}
