/** States with undo and redo. They are values: each replaces the one before and is never changed in place. */
export class History<T> {
  #past: T[] = [];
  #future: T[] = [];
  #now: T;

  constructor(now: T) {
    this.#now = now;
  }

  get now(): T {
    return this.#now;
  }
  get canUndo(): boolean {
    return this.#past.length > 0;
  }
  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  /** The next state; what was undone is gone. */
  put(next: T): void {
    this.#past.push(this.#now);
    if (this.#past.length > most_states) this.#past.shift();
    this.#future = [];
    this.#now = next;
  }

  undo(): void {
    this.#step(this.#past, this.#future);
  }
  redo(): void {
    this.#step(this.#future, this.#past);
  }
  #step(from: T[], to: T[]): void {
    const next = from.pop();
    if (next === undefined) return;
    to.push(this.#now);
    this.#now = next;
  }
}

const most_states = 500;

/** Ctrl or ⌘ with Z undoes; with shift, or Y, it redoes. Where text is typed, that is left to the browser. */
export function undoKeys(root: HTMLElement, undo: () => void, redo: () => void): void {
  root.addEventListener('keydown', (event) => {
    const key = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || event.altKey || (key !== 'z' && key !== 'y')) return;
    if ((event.target as Element).matches('input:not([type=radio], [type=checkbox], [type=range]), textarea')) return;
    event.preventDefault();
    if (key === 'y' || event.shiftKey) redo();
    else undo();
  });
}
