/** The worker that holds the table, as functions that return promises. */
import type { Requests } from './csv-worker';

export class TableReader {
  #worker = new Worker(new URL('./csv-worker.ts', import.meta.url), { type: 'module' });
  #waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void; progress: (share: number) => void }>();
  #next = 0;

  constructor() {
    this.#worker.addEventListener('message', ({ data: { id, share, result, error } }) => {
      const waiting = this.#waiting.get(id);
      if (!waiting) return;
      if (share !== undefined) return waiting.progress(share);
      this.#waiting.delete(id);
      if (error === undefined) waiting.resolve(result as never);
      else waiting.reject(new Error(error));
    });
    this.#worker.addEventListener('error', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('What reads tables cannot be loaded, or has failed: reloading the page may help.'));
      this.#waiting.clear();
    });
  }

  /** Resolves with null when it was stopped. */
  read = (given: Requests['read'][0], progress: (share: number) => void) => this.#ask('read', given, progress);
  prepare = (given: Requests['prepare'][0]) => this.#ask('prepare', given);
  rows = (given: Requests['rows'][0]) => this.#ask('rows', given);
  confusion = (given: Requests['confusion'][0]) => this.#ask('confusion', given);

  stop(): void {
    this.#worker.postMessage({ type: 'stop' });
  }

  #ask<Name extends keyof Requests>(type: Name, given: Requests[Name][0], progress: (share: number) => void = () => {}): Promise<Requests[Name][1]> {
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject, progress });
      this.#worker.postMessage({ id, type, given });
    });
  }
}
