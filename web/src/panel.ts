/** What the page's shell and its panels know of each other. A panel is a folder panels/NAME whose index.ts exports `mount`. */
import type { WorkerClient, WorkerInteractionModel, WorkerKernelModel, WorkerModel } from 'tamis/worker';
import type { Recipe } from './recipe';

export const panels = {
  draw: 'Draw',
  table: 'Table',
  plane: 'Plane',
  race: 'Race',
  bench: 'Bench',
  home: 'Take home',
} as const;
export type PanelName = keyof typeof panels;

/** Which of the data that the person has brought are in a link: none; those that a link has brought here, as in the address; all. */
export type Data = 'none' | 'brought' | 'all';

/** Called once, when the panel is first shown: what is in a link is restored after it, and then `show` is called. */
export type Mount = (root: HTMLElement, page: Page) => Panel | Promise<Panel>;

export interface Panel {
  /** It comes into sight, again: what trains without a click begins here, not in `mount`. */
  show?(): void;
  /** It goes out of sight: stops what runs, timers and animation frames too. */
  hide?(): void;
  /** What a link to this page holds of it: small, JSON. undefined: nothing. */
  state?(data: Data): unknown;
  /** These data in words, as in '60 rows of people.csv'; null: there are none. */
  data?(): string | null;
  /** What is in the link without them, in words. */
  readonly holds?: string;
  /**
   * Takes what `state` gave, maybe edited by hand or of another version: throws an Error whose message is one sentence
   * for the user when it cannot, and changes nothing then.
   */
  restore?(state: unknown): void;
  /** What is shown, to be reproduced by code; null: no model is. */
  code?(): Recipe | null | Promise<Recipe | null>;
  /** Begins anew, as without a link. */
  begin?(): void;
}

export interface Page {
  /**
   * The client of the worker that trains; null without WebAssembly. A worker that died is replaced: what was asked of it
   * begins again by itself, progress and points too, and the notice of the panel in sight says so.
   */
  readonly client: WorkerClient | null;
  /** One sentence in the panel's own notice; null takes it away. */
  notice(sentence: string | null): void;
  /**
   * The state has changed: the link is rewritten when things rest. `step`: to something else, from which one goes back; what is told
   * while a control of the panel changes, and what a slider does, is one anyway.
   */
  changed(step?: boolean): void;
  /** Shows a part of the panel as code; null: it has no model. */
  showCode(recipe: Recipe | null): void;
  /** The model that the panel Take home offers from now on. */
  offer(offer: Offer): void;
  /** The model last offered by any panel. */
  offered(): (Offer & { from: PanelName }) | null;
}

export interface Offer {
  /** What it is, as in 'digits': its files and their functions are named by it. */
  title: string;
  model: WorkerModel | WorkerInteractionModel | WorkerKernelModel;
  /** What it was trained on. */
  samples: number;
  features: number;
  classes: number;
  /** As the package names it: of a linear model a Loss and a Penalty. */
  loss: string;
  penalty: string;
  /** For the self-test of a linear model, in the units that it takes. Default: the first training sample of each class. */
  selfTest?: number[][];
  /** What stood for missing values in the training of a linear model, one number per feature; without it, none was missing. */
  missingMeans?: number[];
}
