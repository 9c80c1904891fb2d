/** The panels, one in sight at a time, the tabs that choose it, and the link that holds what it shows. */
import type { CodeDialog } from './code';
import { byId, html } from './dom';
import { keepOnLeaving, keptOffer } from './kept-offer';
import { fragmentOf, most_characters, pack, placeOf, unpack } from './link';
import { panels, type Data, type Mount, type Offer, type Page, type Panel, type PanelName } from './panel';
import type { Recipe } from './recipe';
import type { ReplacedClient } from './replaced-client';
import { ShareDialog } from './share';

type Load = () => Promise<{ mount: Mount }>;

/** A panel's place on the page; what it holds once it has been loaded. */
interface Room {
  name: PanelName;
  section: HTMLElement;
  notice: HTMLElement;
  root: HTMLElement;
  load: Load;
  panel: Promise<Panel> | null;
  loaded: Panel | null;
  /** Its state, as a link holds it. */
  code: string | null;
  /** Its state without a link; undefined: none, or none that links hold. */
  first: unknown;
  /** Whether the next state is an entry of its own in the browser's history. */
  step: boolean;
  /** A person's choice is being told to the panel: what it changes is a step. */
  choosing: boolean;
  /** A slider is on its way: where it goes is one step. */
  sliding: boolean;
}

const at_rest = 400; // milliseconds without a change

export class Shell {
  #rooms = new Map<PanelName, Room>();
  #shown: Room | null = null;
  #offer: ReturnType<Page['offered']> = null;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #client;
  #dialog = new ShareDialog();
  #code: CodeDialog | null = null; // once it is asked for

  constructor(client: ReplacedClient | null, loads: Record<PanelName, Load>) {
    this.#client = client;
    for (const name of Object.keys(panels) as PanelName[]) this.#rooms.set(name, roomOf(name, loads[name]));
    byId('main').append(...[...this.#rooms.values()].map(({ section }) => section));
    for (const room of this.#rooms.values()) watchChoices(room);
    if (client) client.onLost = (lost) => this.#lost(lost);
  }

  start(): void {
    addEventListener('hashchange', () => void this.#go());
    keepOnLeaving(() => this.#offer);
    void this.#offerAgain();
    byId('skip').addEventListener('click', (event) => {
      event.preventDefault();
      this.#shown?.section.focus();
    });
    byId('share').addEventListener('click', () => void this.#share());
    byId('code').addEventListener('click', () => void this.#showCode(this.#shown!));
    // A file that is dropped beside its place would otherwise be opened instead of the page.
    for (const type of ['dragover', 'drop']) addEventListener(type, (event) => event.preventDefault());
    void this.#go();
  }

  // ---- from panel to panel

  async #go(): Promise<void> {
    const place = placeOf(location.hash);
    const room = this.#rooms.get(place?.name ?? 'draw')!;
    this.#show(room);
    try {
      room.panel ??= this.#mount(room);
      const panel = await room.panel;
      const sentence = place ? await restored(panel, room, place, Boolean(history.state?.tamis)) : 'The page has no such part as the link asks for.';
      if (this.#shown !== room) return;
      byId('code').hidden = !panel.code;
      panel.show?.();
      if (sentence) this.#say(room, `${sentence} ${room.name === 'draw' ? 'The page' : 'This part'} starts as usual.`);
      if (sentence || room.code !== (place?.code ?? null)) this.#rewrite(room);
    } catch (error) {
      room.panel = null;
      console.info(error); // for who looks for the reason
      this.#say(room, not_loaded);
    }
  }

  #show(room: Room): void {
    const before = this.#shown;
    if (before === room) return;
    this.#shown = room;
    if (before) {
      before.section.hidden = true;
      before.loaded?.hide?.();
      void this.#keep(before);
      document.title = `${panels[room.name]} · tamis`;
      if (!byId('tabs').contains(document.activeElement)) room.section.focus({ preventScroll: true });
      scrollTo({ top: 0, behavior: 'instant' });
    }
    room.section.hidden = false;
    for (const { name } of this.#rooms.values()) {
      if (name === room.name) byId(`tab-${name}`).setAttribute('aria-current', 'page');
      else byId(`tab-${name}`).removeAttribute('aria-current');
    }
  }

  async #mount(room: Room): Promise<Panel> {
    const { mount } = await room.load();
    room.root.replaceChildren();
    room.loaded = await mount(room.root, this.#pageOf(room));
    room.first = room.loaded.state?.('none');
    return room.loaded;
  }

  #pageOf(room: Room): Page {
    return {
      client: this.#client,
      notice: (sentence) => this.#say(room, sentence),
      changed: (step = false) => {
        room.step ||= step || room.choosing;
        clearTimeout(this.#rest);
        this.#rest = setTimeout(() => void this.#keep(room), at_rest);
      },
      showCode: (recipe) => void this.#showCode(room, recipe),
      offer: (offer: Offer) => (this.#offer = { ...offer, from: room.name }),
      offered: () => this.#offer,
    };
  }

  /** What was offered before a reload, unless something else is by now. */
  async #offerAgain(): Promise<void> {
    const offer = this.#client && (await keptOffer(this.#client));
    if (!offer || this.#offer) return;
    this.#offer = offer;
    if (this.#shown?.name === 'home') this.#shown.loaded?.show?.();
  }

  #say({ notice }: Room, sentence: string | null): void {
    notice.textContent = sentence;
    notice.hidden = sentence === null;
  }

  #lost(lost: boolean): void {
    const room = this.#shown;
    if (!room) return;
    if (lost) this.#say(room, lost_sentence);
    else if (room.notice.textContent === lost_sentence) this.#say(room, `${lost_sentence.slice(0, -1)}, and has ended well.`);
  }

  /** Of what the panel shows, unless a recipe is given. */
  async #showCode(room: Room, given?: Recipe | null): Promise<void> {
    try {
      const [{ CodeDialog }, recipe] = await Promise.all([import('./code'), given === undefined ? room.loaded?.code?.() ?? null : given]);
      if (this.#shown === room) (this.#code ??= new CodeDialog()).open(recipe);
    } catch (error) {
      console.info(error); // for who looks for the reason
      this.#say(room, not_loaded);
    }
  }

  // ---- the link

  /** Packs the state of a panel and, when it is in sight, writes it into the address. */
  async #keep(room: Room): Promise<void> {
    const code = await packed(room.loaded, 'brought');
    const step = room.step && code !== room.code;
    [room.code, room.step] = [code, false];
    if (this.#shown === room) this.#rewrite(room, step);
  }

  /** Entries of the panels' own are marked: going back to one brings its state back, a click on a tab does not. */
  #rewrite(room: Room, step = false): void {
    if (step) history.replaceState({ tamis: true }, ''); // the one that is left
    history[step ? 'pushState' : 'replaceState']({ tamis: true }, '', linkTo(room, room.code));
  }

  async #share(): Promise<void> {
    const room = this.#shown;
    if (!room) return;
    clearTimeout(this.#rest);
    await this.#keep(room);
    const data = room.loaded?.data?.() ?? null;
    const bare = await packed(room.loaded, 'none');
    await this.#dialog.open({
      holds: bare === null ? 'the name of this part of the page' : room.loaded?.holds ?? 'what was chosen here',
      data,
      linkOf: async (withData) => {
        const code = withData ? await packed(room.loaded, 'all') : bare;
        return withData && code === null ? null : new URL(linkTo(room, code), location.href).href;
      },
    });
  }
}

const not_loaded = 'This part of the page cannot be loaded. Reloading the page may help.';
const lost_sentence = 'The worker that trains had died: another one has begun the training again.';

const linkTo = ({ name }: Room, code: string | null) =>
  name === 'draw' && code === null ? location.pathname + location.search : fragmentOf(name, code);

function roomOf(name: PanelName, load: Load): Room {
  const notice = html('p', { class: 'notice', id: `notice-${name}`, role: 'alert' });
  notice.hidden = true;
  const root = html('div', { class: 'root' });
  const section = html('section', { class: 'panel', id: `panel-${name}`, 'aria-label': panels[name], tabindex: -1 }, notice, root);
  section.hidden = true;
  return { name, section, notice, root, load, panel: null, loaded: null, code: null, first: undefined, step: false, choosing: false, sliding: false };
}

/** A choice of a person is a step, from which Back goes to what was there before; a slider makes one however long it is dragged. */
function watchChoices(room: Room): void {
  const on = (type: string, capture: boolean, act: (slider: boolean) => void) =>
    room.section.addEventListener(type, ({ target }) => act((target as HTMLInputElement).type === 'range'), { capture });
  on('input', true, (slider) => {
    room.step ||= slider && !room.sliding;
    room.sliding ||= slider;
  });
  on('change', true, (slider) => {
    room.choosing = !slider;
    if (slider) room.sliding = false;
  });
  on('change', false, () => (room.choosing = false));
}

/** The sentence that says why what the link holds is not restored, or null. `own`: an entry of the panel's own in the history. */
async function restored(
  panel: Panel, room: Room, { code, version }: NonNullable<ReturnType<typeof placeOf>>, own: boolean,
): Promise<string | null> {
  if (code === room.code || (code === null && !own)) return null;
  try {
    if (code === null) {
      if (room.first !== undefined) panel.restore?.(room.first);
      else panel.begin?.();
      room.code = null;
      return null;
    }
    const state = await unpack(version, code);
    if (!panel.restore) throw new Error('The link holds more than this part of the page understands.');
    panel.restore(state);
    room.code = code;
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The state in a link; null: there is none, or none that fits. */
async function packed(panel: Panel | null, data: Data): Promise<string | null> {
  const state = panel?.state?.(data);
  const code = state === undefined ? null : await pack(state);
  return code !== null && code.length <= most_characters ? code : null;
}
