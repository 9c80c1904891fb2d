// What runs inside the worker: trains what the client sends, one message per request, several at a time if need be.
// Messages in: { id, type, … }, the types those of `requests` below and 'stop'.
// Out: { id, type, value }, the types 'watch', 'progress', 'begin' and 'point', then { id, type: 'done' | 'failed', … }.

import { Library, loadAs } from './library.js';

let tamis = null;
let options = {};
const running = new Map(); // id → { stop: AbortController, options }

const requests = {
  async load(request, send) {
    options = request.options;
    const loading = library();
    loading.catch(() => {}); // told below
    send({ id: request.id, type: 'watch', value: await holds(request.lock) });
    await loading;
  },
  ping() {}, // an answer is a sign of life
  /** Does a task, with receivers for what it tells on the way, until it ends or 'stop' comes. */
  async perform({ id, task, problem, wishes, progress, aborted }, send) {
    const stop = new AbortController();
    if (aborted) stop.abort();
    const tell = (type) => (value) => send({ id, type, value });
    try {
      const options = { ...wishes, signal: stop.signal, onProgress: progress ? tell('progress') : undefined };
      running.set(id, { stop, options });
      return await (await library()).perform(task, problem, options, { begin: tell('begin'), point: tell('point') });
    } finally {
      running.delete(id);
    }
  },
  async toC({ model, options: wish }) {
    return (await prepared(model)).toC(wish);
  },
  async toBlob({ model }) {
    return (await prepared(model)).toBlob();
  },
};

/** Takes a lock that is free again when this worker has ended, however it ends. False where there are no locks. */
function holds(lock) {
  if (!lock || !globalThis.navigator?.locks) return false;
  const forever = new Promise(() => {});
  return new Promise((resolve) => {
    const held = () => (resolve(true), forever);
    navigator.locks.request(lock, held).catch(() => resolve(false));
  });
}

function library() {
  tamis ??= loadAs(Library, options);
  return tamis;
}
async function prepared(model) {
  const loaded = await library();
  if (!model.kind) await loaded.prepareFiles(model.precision);
  return loaded.modelOf(model);
}

/** `best`: the best so far is wanted. */
function stop(id, { best }) {
  const one = running.get(id);
  if (one && best) one.options.bestOnAbort = true;
  one?.stop.abort();
}

async function answer(request, send) {
  const { id, type } = request;
  if (type === 'stop') return stop(id, request);
  try {
    send({ id, type: 'done', result: await requests[type](request, send) });
  } catch (error) {
    const { name, message, status = 'unsupported', row, column, kernel, fold, arenaBytes } = error;
    send({ id, type: 'failed', name, message, status, place: { row, column, kernel, fold, arenaBytes } });
  }
}

if (typeof WorkerGlobalScope === 'function') {
  addEventListener('message', ({ data }) => answer(data, (message) => postMessage(message)));
} else {
  const threads = 'node:worker_threads'; // in a variable, so that bundlers for browsers leave it alone
  import(/* @vite-ignore */ /* webpackIgnore: true */ threads).then(({ parentPort }) =>
    parentPort.on('message', (data) => answer(data, (message) => parentPort.postMessage(message))),
  );
}
