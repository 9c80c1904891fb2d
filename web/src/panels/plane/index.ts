/** Points of the plane and models that are not linear; below, people of the Titanic compared by several kernels. */
import type { Hierarchy, Kernel, TrainOptions } from 'tamis';
import { TamisError } from 'tamis/worker';
import { byId, giveUp, html, switchOff } from '../../dom';
import { certificate, milliseconds, short } from '../../format';
import { History, undoKeys } from '../../history';
import { Newest } from '../../newest';
import type { Mount, Page, Panel } from '../../panel';
import type { Recipe } from '../../recipe';
import { possibleTerms, showRelevance, showTerms } from './kept';
import type { mountKernels } from './kernels';
import { badge } from './marks';
import { recipeOf, train, type Trained, type Wish } from './models';
import { penalties } from './norms';
import './plane.css';
import markup from './plane.html?raw';
import { PathPlayer } from './path-player';
import { classesOf, examples, most_classes, most_noise, most_points, packed, pointAt, split, unpacked, usual_noise, type Points } from './points';
import { Regions, type Colour } from './regions';
import { Stage } from './stage';

const offered: readonly Kernel[] = ['linear', 'polynomial:3,1', 'gaussian:0.15', 'gaussian:0.5', 'gaussian:2', 'sigmoid:2,-1'];
const at_first = ['linear', 'gaussian:0.15', 'gaussian:0.5'];
const first_example = 'moons';
const [least_lambda, most_lambda] = [0.0001, 10];
const a_while = 100; // milliseconds that a training may have while something newer waits

export const mount: Mount = (root, page) => {
  root.insertAdjacentHTML('beforeend', markup);
  return panelOf(root, page);
};

function panelOf(root: HTMLElement, page: Page): Panel {
  const tools = byId<HTMLFormElement>('tools');
  const controls = byId<HTMLFormElement>('plane-controls');
  const slider = byId<HTMLInputElement>('plane-lambda');
  const result = byId('plane-result');
  const stop = byId<HTMLButtonElement>('plane-stop');
  const undo = byId<HTMLButtonElement>('plane-undo');
  const redo = byId<HTMLButtonElement>('plane-redo');
  const clear = byId<HTMLButtonElement>('plane-clear');
  const noise = byId<HTMLInputElement>('plane-noise');
  const held = byId<HTMLInputElement>('plane-held');
  const play = byId<HTMLButtonElement>('plane-play');

  const made = new WeakMap<Points, { example: string; noise: number }>(); // points that are those of an example
  const history = new History<Points>(exampleOf(first_example, usual_noise));
  const points = () => dragged ?? history.now;
  let dragged: Points | null = null; // with a point on its way
  const regions = new Regions(byId('stage').querySelector('canvas')!);
  let shown: Trained | null = null;
  let answered: Wish | null = null; // what is shown is the model of this
  let visible = false;
  let unfinished = true; // it trains when it is shown
  let painted = true; // the regions are those of the model
  let stopAppears: ReturnType<typeof setTimeout> | undefined;
  let below: ReturnType<typeof mountKernels> | null = null; // the people of the Titanic, once they are loaded

  byId('labels').append(...Array.from({ length: most_classes }, (_, label) => choiceOf(label, `class ${label + 1}`, badge(label))),
    choiceOf('', 'remove points', 'remove'));
  byId('examples').append(...Object.entries(examples).map(([name, { title }]) => {
    const button = html('button', { type: 'button', value: name }, title);
    button.addEventListener('click', () => {
      change(exampleOf(name, Number(noise.value)));
      page.changed(true);
    });
    return button;
  }));
  byId('plane-kernels').append(...offered.map((kernel) => {
    const box = html('input', { type: 'checkbox', name: 'plane-kernel', value: kernel });
    box.checked = at_first.includes(kernel);
    return html('label', {}, box, html('span', {}, kernel));
  }));
  [noise.max, noise.value] = [String(most_noise), String(usual_noise)];
  byId('plane-lambda-least').textContent = String(least_lambda);
  byId('plane-lambda-most').textContent = String(most_lambda);

  const stage = new Stage(byId('stage'), byId('place'), {
    place: (x, y) => place(x, y),
    move,
    remove: (at) => change(points().filter((_, i) => i !== at)),
    choose: (label) => choose(label),
    erases: () => label() === null,
    tell,
  });
  const runs = page.client && new Newest<Wish, Trained>(
    (wish, signal, superseded) => {
      const since = performance.now();
      const onProgress: TrainOptions['onProgress'] = () => !(superseded() && performance.now() > since + a_while);
      return train(page.client!, wish, { signal, bestOnAbort: true, onProgress, sliceMilliseconds: 8 });
    },
    { started, done: trained, failed },
  );

  const player = new PathPlayer(frame, (playing) => (play.textContent = playing ? 'Stop playing' : 'Play the path'));
  slider.addEventListener('input', retrain);
  noise.addEventListener('input', () => change(exampleOf(made.get(points())!.example, Number(noise.value))));
  held.addEventListener('input', () => {
    refresh();
    retrain();
  });
  play.addEventListener('click', () => (player.playing ? retrain() : playPath()));
  controls.addEventListener('change', ({ target }) => target !== slider && retrain());
  for (const form of [controls, tools]) form.addEventListener('submit', (event) => event.preventDefault());
  undo.addEventListener('click', () => step('undo'));
  redo.addEventListener('click', () => step('redo'));
  clear.addEventListener('click', () => change([]));
  undoKeys(byId('stage').parentElement!, () => step('undo'), () => step('redo'));
  stop.addEventListener('click', () => runs?.stop());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => shown && regions.recolour(coloursOf(shown), paper()));
  if (!runs) switchOff(root);
  refresh();
  showRelevance(byId('relevances'), [], choice().kernels, points()); // takes its place
  const watch = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && loadBelow());

  return { show, hide, state, restore, code: (): Recipe | null => shown && recipeOf(answered!), holds: 'the points, the kind of the model and λ' };

  function show(): void {
    visible = true;
    if (!runs) page.notice('Training is not possible here: WebAssembly is absent or switched off.');
    else if (unfinished) retrain();
    else if (!painted) paint();
    if (below) below.show();
    else watch.observe(byId('titanic'));
  }

  function hide(): void {
    visible = false;
    unfinished ||= result.getAttribute('aria-busy') === 'true';
    player.stop();
    runs?.stop();
    regions.stop();
    below?.hide();
    watch.disconnect();
  }

  /** The part below is loaded once it is in sight. */
  async function loadBelow(): Promise<void> {
    watch.disconnect();
    const place = byId('titanic');
    try {
      const { mountKernels } = await import('./kernels');
      below ??= mountKernels(place, page);
      if (visible) below.show();
    } catch (error) {
      console.info(error); // for who looks for the reason
      giveUp(place.querySelector<HTMLElement>('.notice')!, place, 'This part of the page cannot be loaded. Reloading the page may help.');
    }
  }

  // ---- the points

  function exampleOf(example: string, noise: number): Points {
    const points = examples[example]!.make(noise);
    made.set(points, { example, noise });
    return points;
  }
  function parts(): ReturnType<typeof split> {
    return split(points(), Number(held.value) / 100);
  }

  function choiceOf(value: number | '', name: string, look: Node | string): HTMLElement {
    const box = html('input', { type: 'radio', name: 'label', value, 'aria-label': name });
    box.checked = value === 0;
    return html('label', { title: name }, box, html('span', {}, look));
  }
  function label(): number | null {
    const chosen = new FormData(tools).get('label');
    return chosen === '' ? null : Number(chosen);
  }
  function choose(label: number): void {
    tools.querySelector<HTMLInputElement>(`[name=label][value="${label}"]`)!.checked = true;
  }

  function place(x: number, y: number): void {
    if (points().length >= most_points) return page.notice(`${most_points} points are the most: training with kernels takes the cube of them.`);
    change([...points(), pointAt(x, y, label() ?? 0)]);
  }

  function move(at: number, x: number, y: number, dropped: boolean): void {
    const next = points().map((point, i) => (i === at ? pointAt(x, y, point.label) : point));
    dragged = dropped ? null : next;
    if (dropped) return change(next);
    stage.show(next, parts().heldOut);
    retrain();
  }

  function change(next: Points): void {
    history.put(next);
    changed();
  }
  function step(way: 'undo' | 'redo'): void {
    const before = points();
    history[way]();
    if (points() !== before) changed();
  }
  function changed(): void {
    page.notice(null);
    refresh();
    retrain();
  }
  function refresh(): void {
    const { training, test, heldOut } = parts();
    stage.show(points(), heldOut);
    const origin = made.get(points());
    noise.disabled = !origin;
    if (origin) noise.value = String(origin.noise);
    byId('plane-noise-value').textContent = origin ? String(origin.noise) : '–';
    byId('plane-held-value').textContent = test.length > 0 ? `${test.length} of ${training.length + test.length}` : 'none';
    [undo.disabled, redo.disabled, clear.disabled] = [!history.canUndo, !history.canRedo, points().length === 0];
  }

  function tell(x: number, y: number): string {
    const [first, second] = [x, y].map((at) => at.toFixed(2).replace('-0.00', '0.00').replace('-', '−'));
    const where = `x₁ = ${first}, x₂ = ${second}`;
    if (!shown) return where;
    const scores = Array.from(shown.scores([x, y]));
    const best = scores.indexOf(Math.max(...scores));
    return `${where}: class ${shown.labels[best]! + 1}`;
  }

  // ---- what is asked for

  function choice(): Wish {
    const chosen = new FormData(controls);
    const { training, test } = parts();
    return {
      points: training,
      test,
      kind: chosen.get('kind') as Wish['kind'],
      hierarchy: chosen.get('hierarchy') as Hierarchy,
      kernels: chosen.getAll('plane-kernel') as Kernel[],
      norm: String(chosen.get('plane-norm')),
      lambda: least_lambda * (most_lambda / least_lambda) ** (Number(slider.value) / Number(slider.max)),
    };
  }

  /** From where nothing is kept down to where λ is, or, where nothing is kept there, over three decades. */
  function playPath(): void {
    const { lambdaMax } = shown!.report;
    const most = Number(slider.max);
    const placeOf = (lambda: number) => Math.ceil((most * Math.log(lambda / least_lambda)) / Math.log(most_lambda / least_lambda));
    const from = Number.isFinite(lambdaMax) ? Math.min(Math.max(placeOf(lambdaMax), 1), most) : most;
    const here = Number(slider.value);
    player.play(from, here < from ? here : Math.max(from - (3 * most) / Math.log10(most_lambda / least_lambda), 0));
  }
  function frame(place: number): void {
    slider.value = String(place);
    const wish = choice();
    told(wish);
    result.setAttribute('aria-busy', 'true');
    if (!player.playing) page.changed(true); // the last one
    runs?.ask(wish);
  }
  function told({ lambda }: Wish): void {
    byId('plane-lambda-value').textContent = short(lambda);
    slider.setAttribute('aria-valuetext', `lambda ${short(lambda)}`);
  }

  function retrain(): void {
    player.stop();
    const wish = choice();
    told(wish);
    byId('plane-penalty').innerHTML = penalties[wish.norm] ?? '';
    for (const part of root.querySelectorAll<HTMLElement>('[data-kind]')) part.hidden = !part.dataset.kind!.split(' ').includes(wish.kind);
    page.changed();
    unfinished = !visible;
    if (!visible) return;
    const kernel = wish.kind !== 'kernels' || wish.kernels.length > 0;
    byId('plane-error').textContent = kernel ? '' : 'Choose at least one kernel.';
    if (!kernel) return;
    if (classesOf(wish.points).length < 2) return nothing();
    result.setAttribute('aria-busy', 'true');
    runs?.ask(wish);
  }

  function nothing(): void {
    runs?.stop();
    shown = null;
    painted = play.disabled = true;
    regions.clear();
    for (const id of ['plane-right', 'plane-test-right', 'plane-kept', 'plane-certified', 'plane-time']) byId(id).textContent = '–';
    byId('terms').replaceChildren();
    byId('relevances').replaceChildren();
    byId('place').textContent = byId('plane-status').textContent = 'Place points of two classes.';
    result.setAttribute('aria-busy', 'false');
  }

  // ---- what comes back

  function started(): void {
    hideStop();
    stopAppears = setTimeout(() => (stop.hidden = false), 500);
  }

  function trained(model: Trained, wish: Wish, newest: boolean): void {
    if (newest) hideStop();
    if (classesOf(parts().training).length < 2) return;
    [shown, answered] = [model, wish];
    play.disabled = false;
    const { report, labels } = model;
    const rightOf = (points: Points) => points.filter(({ x, y, label }) => {
      const scores = Array.from(model.scores([x, y]));
      return label === labels[scores.indexOf(Math.max(...scores))];
    }).length;
    const right = rightOf(wish.points);
    const tested = `${rightOf(wish.test)} of ${wish.test.length}`;
    byId('plane-test-right').textContent = tested;
    byId('plane-test-right').parentElement!.hidden = wish.test.length === 0;
    const kept = showKept(model, wish);
    byId('plane-right').textContent = `${right} of ${wish.points.length}`;
    byId('plane-kept').textContent = kept;
    byId('plane-ending').textContent = report.status === 'stopped' && newest ? 'stopped, within' : 'certified within';
    byId('plane-certified').textContent = certificate(report.relativeGap);
    byId('plane-time').textContent = milliseconds(report.milliseconds ?? 0);
    byId('plane-lambda-max').textContent = Number.isFinite(report.lambdaMax) ? `nothing is kept from ${short(report.lambdaMax)} on` : '';
    stage.retell();
    painted = false;
    if (visible) paint();
    if (!newest || player.playing) return;
    const held_out = wish.test.length > 0 ? `${tested} held out right, ` : '';
    byId('plane-status').textContent = `${right} of ${wish.points.length} points right, ${held_out}${kept}, certified within ` +
      `${certificate(report.relativeGap)} of optimal in ${milliseconds(report.milliseconds ?? 0)} ms.`;
    page.offer(model.offer);
    result.setAttribute('aria-busy', 'false');
  }

  /** Returns how much is kept, in words. */
  function showKept({ interactions, kernelTerms, labels }: Trained, wish: Wish): string {
    if (interactions) {
      const products = wish.kind === 'interactions' && wish.hierarchy !== 'main';
      showTerms(byId<HTMLTableElement>('terms'), interactions, labels, products);
      return `${new Set(interactions.map(({ features }) => features.join())).size} of ${possibleTerms(products)} terms`;
    }
    showRelevance(byId('relevances'), kernelTerms!, wish.kernels, wish.points);
    const count = (of: (term: NonNullable<typeof kernelTerms>[number]) => unknown) => new Set(kernelTerms!.map(of)).size;
    return `${count(({ sample }) => sample)} of ${wish.points.length} samples, ${count(({ kernel }) => kernel)} of ${wish.kernels.length} kernels`;
  }

  function paint(): void {
    if (!shown) return;
    byId('stage').removeAttribute('data-painted');
    regions.show(shown, coloursOf(shown), paper(), () => {
      painted = true;
      byId('stage').setAttribute('data-painted', '');
      player.painted();
    });
  }
  function colour(variable: string): Colour {
    const code = getComputedStyle(root).getPropertyValue(variable).trim();
    return [1, 3, 5].map((at) => Number.parseInt(code.slice(at, at + 2), 16)) as unknown as Colour;
  }
  function coloursOf({ labels }: Trained): Colour[] {
    return labels.map((label) => colour(`--class-${label}`));
  }
  function paper(): Colour {
    return colour('--raised');
  }

  function hideStop(): void {
    clearTimeout(stopAppears);
    stop.hidden = true;
  }

  // ---- what goes wrong

  function failed(error: Error, _: Wish, newest: boolean): void {
    if (!newest) return;
    player.stop();
    hideStop();
    result.setAttribute('aria-busy', 'false');
    if (error instanceof TamisError && error.status !== 'unsupported') return void (byId('plane-error').textContent = `${error.message}.`);
    switchOff(controls);
    page.notice(`Training is not possible here: ${error.message}. Reloading the page may help.`);
  }

  // ---- what a link holds

  function state(): unknown {
    const { kind, hierarchy, kernels, norm } = choice();
    const settings = { kind, hierarchy, kernels, norm, share: Number(slider.value) / Number(slider.max), held: Number(held.value) };
    return { ...(made.get(points()) ?? { points: packed(points()) }), ...settings };
  }

  function restore(state: unknown): void {
    const { example, points: code, kind, hierarchy, kernels, norm, share, noise: scatter = usual_noise, held: out = 0 } = (state ?? {}) as Record<string, unknown>;
    const within = (value: unknown, most: unknown): value is number => typeof value === 'number' && value >= 0 && value <= Number(most);
    const next = typeof example === 'string' && Object.hasOwn(examples, example) && within(scatter, most_noise) ? exampleOf(example, scatter) : typeof code === 'string' ? unpacked(code) : null;
    const button = (name: string, value: unknown) =>
      [...controls.querySelectorAll<HTMLInputElement>(`[name=${name}]`)].find((one) => one.value === String(value));
    const chosen = [button('kind', kind), button('hierarchy', hierarchy), button('plane-norm', norm)];
    if (!next || chosen.includes(undefined) || !Array.isArray(kernels) || !within(share, 1) || !within(out, held.max))
      throw new Error('The link does not say what is in the plane.');
    for (const one of chosen) one!.checked = true;
    for (const box of controls.querySelectorAll<HTMLInputElement>('[name=plane-kernel]')) box.checked = kernels.includes(box.value);
    slider.value = String(share * Number(slider.max));
    held.value = String(out);
    if (packed(next) !== packed(points())) history.put(next);
    changed();
  }
}
