// The client of a worker that trains: the page stays responsive, and may watch and stop the training.

import { aborted, TamisError } from './error.js';
import { Model } from './linear-model.js';
import { Tasks } from './tasks.js';

export { TamisError };

/** `worker`: a Worker, in Node one of worker_threads, that runs worker-script.js; made here in browsers unless given. */
export function createWorkerClient(worker = made(), loadOptions = {}) {
  return new WorkerClient(worker, loadOptions);
}

function made() {
  if (typeof Worker === 'function') return new Worker(new URL('./worker-script.js', import.meta.url), { type: 'module' });
  throw new TamisError('unsupported', "there is no Worker here: in Node give one of node:worker_threads, as in " +
    "createWorkerClient(new Worker(createRequire(import.meta.url).resolve('tamis/worker-script'))), with createRequire of node:module");
}

const ping_interval = 10_000; // milliseconds
const most_pings = 3; // without an answer

class WorkerClient extends Tasks {
  #worker;
  #waiting = new Map(); // id → { resolve, reject, receive }
  #next = 0;
  #failure = null;
  #heard = false; // whether the worker's script has run
  #begun;
  #pings = false; // whether only pings can tell that the worker has ended
  #timer = null;
  #unanswered = 0;

  constructor(worker, options) {
    super();
    this.#worker = worker;
    /** Settles when the worker's script runs, or never will. */
    this.started = new Promise((resolve) => (this.#begun = resolve));
    const broken = (error) => this.#broken(error?.message);
    if (worker.addEventListener) {
      worker.addEventListener('message', ({ data }) => this.#receive(data));
      worker.addEventListener('error', broken);
      worker.addEventListener('messageerror', broken);
    } else {
      worker.on('message', (data) => this.#receive(data));
      worker.on('error', broken);
      worker.on('messageerror', broken);
      worker.on('exit', () => this.#lost());
    }
    const lock = worker.addEventListener ? `tamis ${performance.timeOrigin} ${Math.random()}` : undefined;
    /** Settles when the library is loaded in the worker. */
    this.ready = this.#ask({ type: 'load', options, lock }, () => ({ value: held }) => this.#watch(held && lock));
    this.ready.catch(() => {}); // trainings fail with the same reason
  }

  /**
   * Has the worker do something that can be watched and stopped: a receiver that returns false stops, what one throws and a
   * signal reject at once.
   */
  async perform(task, problem, { onProgress: progress, signal, ...wishes }, receivers) {
    if (signal?.aborted && !wishes.bestOnAbort) throw aborted();
    let abort;
    const request = { type: 'perform', task, problem, wishes, progress: Boolean(progress), aborted: Boolean(signal?.aborted) };
    const answer = this.#ask(request, (id) => {
      const stop = (best) => this.#worker.postMessage({ id, type: 'stop', best });
      const end = (error) => {
        this.#taken(id)?.reject(error);
        stop(false);
      };
      abort = () => (wishes.bestOnAbort ? stop(true) : end(aborted()));
      signal?.addEventListener('abort', abort);
      const receive = { progress, ...receivers };
      return ({ type, value }) => {
        try {
          if (receive[type]?.(value) === false) stop(true);
        } catch (error) {
          end(error);
        }
      };
    });
    try {
      return await answer;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** The model of another client, exported by this one. */
  adopt(model) {
    return new model.constructor(model.data, this.#exporter);
  }

  fromData(data) {
    return new Model(data, this.#exporter);
  }
  async fromDataBeside(data) {
    const { Model } = await (data.kind === 'kernels' ? import('./kernel-model.js') : import('./interaction-model.js'));
    return new Model(data, this.#exporter);
  }
  get #exporter() {
    return {
      toC: (model, options) => this.#ask({ type: 'toC', model, options }),
      toBlob: (model) => this.#ask({ type: 'toBlob', model }),
    };
  }

  /** Ends the worker. What is not finished is refused. */
  close() {
    this.#fail('the worker is closed', 'stopped');
    this.#worker.terminate();
  }

  #ask(request, begin) {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      const id = this.#next++;
      this.#worker.postMessage({ ...request, id }); // throws for what cannot be copied to a worker
      this.#waiting.set(id, { resolve, reject, receive: begin?.(id) });
      this.#ping();
    });
  }

  #receive(answer) {
    const { id, type, result, name, status, message, place } = answer;
    this.#heard = true;
    this.#begun();
    this.#unanswered = 0;
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    if (type !== 'done' && type !== 'failed') return waiting.receive(answer);
    this.#taken(id);
    if (type === 'done') waiting.resolve(result);
    else waiting.reject(Object.assign(new TamisError(status, message, place), name === 'AbortError' ? { name } : {}));
  }

  #fail(message, status) {
    this.#failure ??= new TamisError(status, message);
    this.#begun();
    for (const id of this.#waiting.keys()) this.#taken(id).reject(this.#failure);
  }
  /** What waits under that number, and does so no longer. */
  #taken(id) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) {
      clearInterval(this.#timer); // it would keep a program from ending
      this.#timer = null;
    }
    return waiting;
  }

  // ---- a worker that ends by itself, or by others

  #lost(why) {
    const reason = why ? `: ${why}` : '';
    this.#fail(`the worker has ended${reason}; make another client and begin again`, 'worker_lost');
  }
  /** An error that the worker's script did not expect: the worker may live on, but in what state nobody knows. */
  #broken(why) {
    if (this.#heard) this.#lost(why);
    else this.#fail(`the worker cannot run: ${why ?? 'its script did not load'}`, 'unsupported');
    this.#worker.terminate();
  }
  /** Browsers tell nobody that a worker has ended, but pass on the lock that it held. Without locks there are pings. */
  #watch(lock) {
    if (lock) return void navigator.locks.request(lock, () => this.#lost());
    this.#pings = Boolean(this.#worker.addEventListener);
    this.#ping();
  }
  /** Pings for as long as the worker owes an answer. */
  #ping() {
    if (!this.#pings || this.#timer !== null) return;
    this.#unanswered = 0;
    this.#timer = setInterval(() => {
      if (this.#unanswered === most_pings) return this.#lost();
      ++this.#unanswered;
      this.#worker.postMessage({ type: 'ping' });
    }, ping_interval);
  }
}

if (Symbol.dispose) WorkerClient.prototype[Symbol.dispose] = WorkerClient.prototype.close;
