// What runs inside the worker: trains what the client sends, one message per request, several at a time if need be.
// Messages in: { id, type, … }, the types those of `requests` below and 'stop'.
// Out: { id, type: 'watch' | 'progress' | 'begin' | 'point' | 'done' | 'failed', … }.

import { Library, loadAs } from './library.js';

let tamis = null;
let options = {};
const running = new Map(); // id → AbortController

const requests = {
  async load(request, send) {
    options = request.options;
    send({ id: request.id, type: 'watch', held: await holds(request.lock) });
    await library();
  },
  ping() {}, // an answer is a sign of life
  train: models('train'),
  trainInteractions: models('trainInteractions'),
  trainKernels: models('trainKernels'),
  selectInteractions: selections('interactions'),
  selectKernels: selections('kernels'),
  path: stoppable((library, { id, problem }, wishes, send) =>
    library.pathData(problem, wishes, (frame) => send({ id, type: 'begin', frame }), (point) => send({ id, type: 'point', point }))),
  crossValidate: stoppable((library, { problem }, wishes) => library.crossValidationData(problem, wishes)),
  stabilitySelection: stoppable((library, { problem }, wishes) => library.stabilitySelection(problem, wishes)),
  features: stoppable((library, { problem: { name, data, options } }, wishes) => library.features(name, data, options, wishes)),
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

/** What the function of that name trains. */
function models(name) {
  return stoppable(async (library, { problem }, wishes) => (await library[name](problem, wishes)).data);
}

/** What is chosen for models of that kind. */
function selections(models) {
  return stoppable((library, { problem }, wishes) => library.selectionDataBeside(models, problem, wishes));
}

/** A request that runs work(library, request, options, send) with progress and a signal that obeys 'stop'. */
function stoppable(work) {
  return async (request, send) => {
    const { id, wishes, progress, aborted } = request;
    const stop = new AbortController();
    if (aborted) stop.abort();
    running.set(id, stop);
    try {
      const onProgress = progress ? (report) => send({ id, type: 'progress', report }) : undefined;
      return await work(await library(), request, { ...wishes, signal: stop.signal, onProgress }, send);
    } finally {
      running.delete(id);
    }
  };
}

function library() {
  tamis ??= loadAs(Library, options);
  return tamis;
}
async function prepared(model) {
  const loaded = await library();
  if (model.kind) return loaded.fromDataBeside(model);
  await loaded.prepare(model.precision);
  return loaded.fromData(model);
}

async function answer(request, send) {
  const { id, type } = request;
  if (type === 'stop') return running.get(id)?.abort();
  try {
    send({ id, type: 'done', result: await requests[type](request, send) });
  } catch (error) {
    const { message, status = 'unsupported', row, column, kernel, fold, arenaBytes } = error;
    send({ id, type: 'failed', message, status, place: { row, column, kernel, fold, arenaBytes } });
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
