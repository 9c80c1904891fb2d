/** Sparse classifiers of 8×8 pixels: trained on digits as soon as they are shown, and on what is drawn here. */
import type { Loss, Penalty, Report } from 'tamis';
import { ConfusionMatrix } from '../../confusion';
import { Curves } from '../../curves';
import { features, test } from '../../digits';
import { byId, switchOff } from '../../dom';
import { certificate, count, kilobytes, percent, short } from '../../format';
import { History, undoKeys } from '../../history';
import { lambdaAt, least, shareOf } from '../../lambda';
import { WeightMaps } from '../../maps';
import type { Data, Mount, Page, Panel } from '../../panel';
import type { Recipe } from '../../recipe';
import { save } from '../../save';
import { Cells } from './cells';
import {
  digit_names, isBlank, kept, lacking, longest_name, most_drawings, namesOf, pixelsOn, read, samplesOf, start, toggled,
  weight_among_digits, wiped, written, type Drawing, type Sheet,
} from './collection';
import { Demonstration } from './demonstration';
import './draw.css';
import markup from './draw.html?raw';
import { ClassButtons, drawingsIn, Gallery } from './drawings';
import { Pad } from './pad';
import { Scores } from './scores';
import { most_ink, type Pixels, type Stroke } from './strokes';
import { Trainer, type Chosen, type Samples, type Trained, type Wish } from './trainer';

const first_lambda = 0.03;
const at_rest = 120; // milliseconds without a move of the slider

const held = ({ digits }: Sheet) => (digits ? 'Held-out digits' : 'The drawings themselves');

export const mount: Mount = (root, page) => {
  root.innerHTML = markup;
  root.classList.add('begins'); // what is far down is laid out in the second frame, while the worker trains
  requestAnimationFrame(() => requestAnimationFrame(() => root.classList.remove('begins')));
  return panelOf(root, page);
};

function panelOf(root: HTMLElement, page: Page): Panel {
  const controls = byId<HTMLFormElement>('controls');
  const slider = byId<HTMLInputElement>('lambda');
  const result = byId('result');
  const stop = byId<HTMLButtonElement>('stop');
  const download = byId<HTMLButtonElement>('download');
  const taken = byId('take-home-code').textContent!; // of the digits
  const undo = byId<HTMLButtonElement>('undo');
  const redo = byId<HTMLButtonElement>('redo');
  const wipe = byId<HTMLButtonElement>('wipe');
  const base = byId('base');
  const new_class = byId<HTMLInputElement>('new-class');

  const maps = new WeightMaps(byId('maps'), byId('readout'));
  const curves = new Curves(byId<SVGSVGElement>('objective-curve'), byId<SVGSVGElement>('gap-curve'));
  const pad = new Pad(byId<HTMLCanvasElement>('pad'), (strokes) => {
    demonstration.end();
    predict(strokes);
  }, drawn);
  const demonstration = new Demonstration(() => {
    pad.demonstrate(demonstration.strokes);
    predict();
  });
  const cells = new Cells(byId('cells'), byId('cell-readout'), (pixel) => change(toggled(sheet(), pixel)));
  const scores = new Scores(byId('scores'));
  const buttons = new ClassButtons(byId('add'), add);
  const gallery = new Gallery(byId('drawings'), remove);

  const history = new History<Sheet>(start);
  const sheet = () => history.now;
  let data: Samples = samplesOf(start);
  let confusion: { names: readonly string[]; matrix: ConfusionMatrix } | undefined;
  let shown: Trained | null = null;
  let header: { file: string; text: string } | null = null;
  let wished = 0; // how often something was asked for
  let first = true;
  let stopAppears: ReturnType<typeof setTimeout> | undefined;
  let rest: ReturnType<typeof setTimeout> | undefined;
  let sliding = false; // a model of the path is shown, until the slider rests
  let visible = false;
  let brought: string | undefined; // the drawings of a link, which the address goes on holding
  let unfinished: Wish['weight'] | null = { lambda: first_lambda }; // what is trained when the panel is shown

  byId('counts').textContent = `${count(data.y.length)} training and ${count(test.y.length)} held-out`;
  if (!page.client) switchOff(root);
  const trainer = page.client && new Trainer(page.client, { started, glimpsed, progress }, { done: trained, failed });
  slider.addEventListener('input', slide);
  for (const event of ['pointerdown', 'focus']) slider.addEventListener(event, () => trainer?.follow({ ...choice(), data }));
  controls.addEventListener('change', ({ target }) => target !== slider && retrain());
  controls.addEventListener('submit', (event) => event.preventDefault());
  stop.addEventListener('click', () => trainer?.stop());
  download.addEventListener('click', () => header !== null && save(new Blob([header.text], { type: 'text/x-c' }), header.file));
  undo.addEventListener('click', () => step('undo'));
  redo.addEventListener('click', () => step('redo'));
  undoKeys(root, () => step('undo'), () => step('redo'));
  wipe.addEventListener('click', () => change(wiped(sheet())));
  base.addEventListener('change', () => change({ ...sheet(), digits: !sheet().digits }));
  byId('naming').addEventListener('submit', (event) => {
    event.preventDefault();
    name(new_class.value.trim());
  });
  showNames(digit_names);
  maps.show(digit_names, []);
  refresh();

  return { show, hide, state, restore, begin, code, data: shareable, holds: 'the loss, the penalty, the tolerance and λ' };

  function show(): void {
    visible = true;
    if (!trainer) page.notice('This page trains in WebAssembly, which this browser does not have or has switched off.');
    else if (unfinished) train(unfinished);
    if (trainer && wished === 1 && isBlank(sheet()) && sheet().drawings.length === 0) demonstration.begin();
  }

  function hide(): void {
    visible = false;
    clearTimeout(rest);
    demonstration.stop();
    if (result.getAttribute('aria-busy') !== 'true' || lacking(sheet())) return;
    unfinished = first ? { lambda: first_lambda } : { share: share() };
    trainer?.stop();
  }

  // ---- what is drawn

  function drawn(stroke: Stroke): void {
    change({ ...sheet(), strokes: [...sheet().strokes, stroke] });
  }

  function add(name: string): void {
    if (isBlank(sheet())) return say('There is nothing to add: draw first.');
    if (sheet().drawings.length >= most_drawings) return say(`${most_drawings} drawings are the most.`);
    change(kept(sheet(), name));
    say(`Added to class ${name}, which has ${drawingsIn(sheet().drawings.filter((drawing) => drawing.name === name).length)}.`);
  }

  function remove(drawing: Drawing): void {
    change({ ...sheet(), drawings: sheet().drawings.filter((one) => one !== drawing) });
    say(`Removed from class ${drawing.name}.`);
    byId('cells').focus({ preventScroll: true });
  }

  function name(wish: string): void {
    const given = wish.slice(0, longest_name);
    if (given === '') return say('A class needs a name.');
    if (namesOf(sheet()).includes(given)) return say(`There is a class ${given} already.`);
    change({ ...sheet(), named: [...sheet().named, given] });
    new_class.value = '';
    say(`Class ${given} is there.`);
  }

  function change(next: Sheet): void {
    const before = sheet();
    history.put(next);
    changed(before);
  }

  function step(way: 'undo' | 'redo'): void {
    const before = sheet();
    history[way]();
    if (sheet() !== before) changed(before);
  }

  function changed(before: Sheet): void {
    demonstration.end();
    refresh();
    if (written(sheet()) !== written(before)) page.changed();
    if (sheet().drawings === before.drawings && sheet().digits === before.digits) return;
    data = samplesOf(sheet());
    retrain();
  }

  /** Shows the sheet. */
  function refresh(): void {
    const { drawings, digits, strokes } = sheet();
    const names = namesOf(sheet());
    pad.show(strokes);
    pad.demonstrate(demonstration.strokes);
    predict(strokes);
    buttons.show(names, drawings, isBlank(sheet()));
    gallery.show(names, drawings);
    byId('gallery').hidden = drawings.length === 0;
    byId('take-home-code').textContent = taken.replaceAll('digits', title());
    byId('header-name').textContent = `${title()}.h`;
    byId('gallery-note').textContent = digits ? `each counts for ${weight_among_digits} digits; a click removes it` : 'a click removes it';
    base.querySelectorAll('input').forEach((button) => (button.checked = (button.value === 'digits') === digits));
    [undo.disabled, redo.disabled, wipe.disabled] = [!history.canUndo, !history.canRedo, isBlank(sheet())];
  }

  /** What the model on screen says of what is on the canvas. */
  function predict(strokes: readonly Stroke[] = sheet().strokes): void {
    const demonstrated = strokes.length === 0 && isBlank(sheet()) ? demonstration.strokes : [];
    const pixels: Pixels = pixelsOn(sheet(), demonstrated.length > 0 ? demonstrated : strokes);
    cells.show(pixels);
    const blank = strokes.length + demonstrated.length === 0 && isBlank(sheet());
    const names = shown ? shown.model.classes.map(String) : namesOf(sheet());
    const all = shown && !blank ? shown.model.scores(Array.from(pixels, (ink) => ink / most_ink)) : null;
    scores.show(names, all);
    const missing = lacking(sheet());
    const reading = all ? `tamis reads ${names[all.indexOf(Math.max(...all))]}, looking at ${shown!.model.report.nonzeroRows} of ${features} pixels` : (missing ?? (blank ? 'with mouse, pen or finger' : ''));
    if (byId('reading').textContent !== reading) byId('reading').textContent = reading;
    byId('reading').toggleAttribute('data-reads', all !== null);
    byId('reading').parentElement!.toggleAttribute('data-lacks', !all && missing !== null);
  }

  /** Of the model, its files and its functions. */
  function title(): string {
    return sheet().digits ? 'digits' : 'drawings';
  }

  function say(sentence: string): void {
    byId('drawing-status').textContent = sentence;
  }

  // ---- training

  function train(weight: Wish['weight']): void {
    clearTimeout(rest);
    sliding = false;
    const missing = lacking(sheet());
    if (missing) return nothing(missing);
    ++wished;
    unfinished = null;
    result.setAttribute('aria-busy', 'true');
    trainer?.train({ ...choice(), data, weight });
  }

  function retrain(): void {
    if (!visible) return void (unfinished = { share: share() });
    const end = trainer?.end({ ...choice(), data });
    if (end !== undefined) showScale(lambdaAt(share(), end), end);
    train({ share: share() });
    page.changed();
  }

  /** While it is dragged, the slider shows the models of the path that are there; where it rests, one is trained. */
  function slide(): void {
    const wish = { ...choice(), data };
    trainer?.follow(wish);
    clearTimeout(rest);
    sliding = false;
    const model = trainer?.nearest(wish, share());
    if (!model) return retrain();
    sliding = true;
    ++wished;
    result.setAttribute('aria-busy', 'true');
    const end = trainer!.end(wish)!;
    const lambda = lambdaAt(share(), end);
    showScale(lambda, end);
    present({ model, chosen: { ...wish, lambda } });
    rest = setTimeout(retrain, at_rest);
  }

  /** There is nothing to train on: no model is on screen then. */
  function nothing(sentence: string): void {
    trainer?.stop();
    ++wished;
    hideStop();
    [shown, header, confusion] = [null, null, undefined];
    download.disabled = true;
    maps.show(namesOf(sheet()), []);
    curves.clear();
    showNames(namesOf(sheet()));
    byId('confusion-title').textContent = held(sheet());
    for (const id of ['kept', 'model-bytes', 'arena-bytes', 'certified', 'time', 'accuracy']) byId(id).textContent = '–';
    for (const id of ['right', 'header-bytes']) byId(id).textContent = '';
    byId('ending').textContent = 'certified within';
    predict();
    result.setAttribute('aria-busy', 'false');
    byId('status').textContent = sentence;
  }

  // ---- what a link holds

  function shareable(): string | null {
    const { drawings } = sheet();
    return written(sheet()) === undefined ? null : `${drawingsIn(drawings.length)} and the names of classes`;
  }

  function state(data: Data): unknown {
    const whole = data === 'all' || (data === 'brought' && JSON.stringify(written(sheet())) === brought);
    const drawings = whole ? written(sheet()) : undefined;
    return wished > 1 || drawings ? { ...choice(), share: share(), drawings } : undefined;
  }

  function restore(state: unknown): void {
    const { loss, penalty, tolerance, share, drawings } = (state ?? {}) as Record<string, unknown>;
    const button = (name: string, value: unknown) =>
      [...controls.querySelectorAll<HTMLInputElement>(`[name=${name}]`)].find((one) => one.value === String(value));
    const chosen = [button('loss', loss), button('penalty', penalty), button('tolerance', tolerance)];
    if (chosen.includes(undefined) || typeof share !== 'number' || !(share >= 0 && share <= 1))
      throw new Error('The link does not say what to train.');
    const next = read(drawings);
    for (const one of chosen) one!.checked = true;
    slider.value = String(share * Number(slider.max));
    first = false; // the slider stays where it is
    demonstration.end();
    if (next !== sheet()) history.put(next);
    brought = JSON.stringify(written(next));
    data = samplesOf(next);
    refresh();
    retrain();
    wished = Math.max(wished, 1);
  }

  function begin(): void {
    controls.reset();
    first = true;
    if (visible) train({ lambda: first_lambda });
    else unfinished = { lambda: first_lambda };
    page.changed();
  }

  function code(): Recipe | null {
    if (!shown) return null;
    const { data, loss, penalty, tolerance, lambda } = shown.chosen;
    return {
      title: title(), label: 'label', training: data, ...(sheet().digits ? { heldOut: test } : {}),
      ...('sampleWeights' in data ? { weights: data.sampleWeights } : {}),
      asked: { kind: 'linear', loss, penalty, lambda, tolerance },
    };
  }

  // ---- what is asked for

  function choice(): Pick<Wish, 'loss' | 'penalty' | 'tolerance'> {
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

  function glimpsed(trained: Trained, samples: number): void {
    if (!first || lacking(sheet())) return;
    present(trained);
    byId('ending').textContent = `from ${samples} samples, within`;
    seen();
  }

  /** A model is on screen. */
  function seen(): void {
    requestAnimationFrame(() => setTimeout(() => performance.mark('trained')));
  }

  function progress(report: Report): void {
    curves.add(report);
  }

  function trained(done: Trained, _: Wish, newest: boolean): void {
    const { model, chosen } = done;
    const { report } = model;
    if (newest) hideStop();
    if (sliding || lacking(sheet())) return;
    const end = trainer!.end(chosen)!;
    if (first) slider.value = String(Number(slider.max) * shareOf(chosen.lambda, end));
    if (newest) showScale(chosen.lambda, end);
    const said = present(done);
    byId('ending').textContent = report.status === 'stopped' && newest ? 'stopped, within' : 'certified within';
    if (first) seen();
    first = false;
    void finish(done, said, newest);
  }

  /** Shows a model; returns how well it does, in words. */
  function present(done: Trained): string {
    const { model, model: { report } } = done;
    shown = done;
    maps.show(model.classes.map(String), model.weights);
    predict();
    const said = showConfusion(done);
    byId('kept').textContent = String(report.nonzeroRows);
    byId('arena-bytes').textContent = count(report.arenaBytes);
    byId('ending').textContent = 'certified within';
    byId('certified').textContent = certificate(report.relativeGap);
    byId('time').textContent = count(Math.round(report.milliseconds ?? 0));
    return said;
  }

  /** Of the held-out digits; of the drawings themselves where there are no digits. Returns what came of it, in words. */
  function showConfusion({ model, chosen: { data } }: Trained): string {
    const names = model.classes.map(String);
    const digits = sheet().digits;
    const { X, y } = digits ? test : data;
    showNames(names);
    const place = (label: string | number) => names.indexOf(String(label));
    const right = confusion!.matrix.show(y.map(place), model.predictAll(X).map(place));
    byId('confusion-title').textContent = held(sheet());
    byId('accuracy').textContent = percent(right / y.length, 1);
    byId('right').textContent = `right, ${right} of ${y.length}`;
    return `${right} of ${y.length} ${digits ? 'held-out digits' : 'drawings'} right.`;
  }

  function showNames(names: readonly string[]): void {
    if (JSON.stringify(names) !== JSON.stringify(confusion?.names))
      confusion = { names, matrix: new ConfusionMatrix(byId<HTMLTableElement>('confusion'), names, 'class') };
  }

  /** What the worker adds; the C header and the spoken sentence only when the slider rests. */
  async function finish({ model, chosen }: Trained, said: string, newest: boolean): Promise<void> {
    const { report } = model;
    const wishes = wished;
    try {
      const blob = await model.toBlob();
      byId('model-bytes').textContent = count(blob.length);
      if (!newest) return;
      const text = await model.toC({ name: title() });
      if (wishes !== wished) return;
      header = { file: `${title()}.h`, text };
      byId('header-bytes').textContent = kilobytes(new Blob([text]).size);
      download.disabled = false;
      byId('status').textContent =
        `${report.nonzeroRows} of ${features} features, model ${blob.length} bytes, arena ${report.arenaBytes} bytes, ` +
        `certified within ${certificate(report.relativeGap)} of optimal in ${Math.round(report.milliseconds ?? 0)} ms. ${said}`;
      const { data: { X }, loss, penalty } = chosen;
      page.offer({ title: title(), model, samples: X.samples, features, classes: model.classes.length, loss, penalty });
      result.setAttribute('aria-busy', 'false');
    } catch (error) {
      failed(error as Error);
    }
  }

  function hideStop(): void {
    clearTimeout(stopAppears);
    stopAppears = undefined;
    stop.hidden = true;
  }

  // ---- what goes wrong

  function failed(error: Error): void {
    hideStop();
    switchOff(root);
    page.notice(`Training is not possible here: ${error.message}. Reloading the page may help.`);
  }
}
