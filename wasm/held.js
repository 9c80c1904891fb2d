// What is held in a module's memory, with all its data, while it runs there in slices.

import { TamisError } from './error.js';
import { alignment, Layout } from './module.js';
import { countOf } from './problem.js';

/** Base of what runs in a module; not for use on its own. */
export class Held {
  #region = null;
  #steps = 1;
  #milliseconds = 0;

  constructor(module) {
    this.module = module;
  }

  /**
   * Takes memory for parts, { name: bytes or null for none }, and behind them for the first of the sizes of arena that
   * fits. `at` then has their addresses, and null for none. Throws TamisError; then nothing is held.
   */
  hold(parts, arenas) {
    const layout = new Layout();
    const at = {};
    for (const name in parts) at[name] = parts[name] === null ? null : layout.add(parts[name]);
    at.arena = layout.bytes;
    for (this.arenaBytes of arenas) {
      this.#region = this.module.take(at.arena + this.arenaBytes);
      if (this.#region) break;
    }
    if (!this.#region) throw this.#tooLarge(at.arena + this.arenaBytes);
    for (const name in at) if (at[name] !== null) at[name] += this.#region.start;
    this.at = at;
  }

  release() {
    if (this.#region) this.module.release(this.#region);
    this.#region = null;
  }

  get running() {
    return this.status === 'running';
  }

  /** Runs `work`, which returns a status; the milliseconds that it took. */
  timed(work) {
    const before = performance.now();
    this.status = this.module.statuses[work()];
    const spent = performance.now() - before;
    this.#milliseconds += spent;
    return spent;
  }

  /** Calls step(count) for about that many milliseconds, in calls short enough not to overrun by much. */
  advanceBy(milliseconds, step, { most = 65536, seen = () => {} } = {}) {
    const end = performance.now() + milliseconds;
    do {
      const spent = this.timed(() => step(this.#steps));
      if (spent < milliseconds / 16) this.#steps = Math.min(2 * this.#steps, most);
      else if (spent > milliseconds / 4) this.#steps = Math.max(this.#steps >>> 1, 1);
      seen();
    } while (this.running && performance.now() < end);
  }

  /** The report that the module's function of that name writes. */
  reportBy(name) {
    this.module.call(name, this.at.state, this.at.report);
    const { row, column, ...report } = this.module.readReport(this.at.report);
    return { ...report, milliseconds: this.#milliseconds };
  }

  /** Why the module has refused, { status, row, column } of the report that its function of that name writes; or null. */
  refusalBy(name) {
    this.module.call(name, this.at.state, this.at.report);
    const { status, row, column } = this.module.readReport(this.at.report);
    const { statuses } = this.module;
    return statuses.indexOf(status) <= statuses.indexOf('running') ? null : { status, row, column };
  }

  /** What is wrong with a value of the samples. */
  badValue(row, column) {
    const value = this.samples.at(row, column);
    return notHeld(`X[${row}][${column}]`, value, this.module.sentence('invalid_data'), { row, column });
  }

  #tooLarge(bytes) {
    const { arenaBytes } = this;
    const need = Number.isFinite(bytes)
      ? `training needs ${bytes} bytes, ${arenaBytes} of them as arena`
      : 'training needs an arena of more than 4 GiB';
    return new TamisError('arena_too_small', `${need}: ${this.module.occupied()}`, { arenaBytes });
  }
}

/** The error of a value that is no number, or not one of this precision. */
export function notHeld(where, value, sentence, place) {
  const fits = !Number.isFinite(value);
  return new TamisError('invalid_data', `${where}: ${fits ? sentence : `${value} does not fit in single precision`}`, place);
}

/** The sizes of arena to try, in turn. The first is what the tamis command takes. */
export function arenasOf({ least, fast }, limit) {
  if (limit === undefined) return [fast, least];
  countOf('memoryLimit', limit);
  if (least > limit)
    throw new TamisError('arena_too_small', `memoryLimit: training needs an arena of ${least} bytes, ${limit} are allowed`, {
      arenaBytes: least,
    });
  return [Math.min(fast, Math.floor(limit / alignment) * alignment), least];
}
