// What runs inside the worker: trains what the client sends, one message per request, several at a time if need be.
// Messages in: { id, type, … }, the types those of `requests` below and 'stop'.
// Out: { id, type: 'progress' | 'begin' | 'point' | 'done' | 'failed', … }.

import { load } from './tamis.js';

let tamis = null;
let options = {};
const running = new Map(); // id → AbortController

const requests = {
  async load(request) {
    options = request.options;
    await library();
  },
  train: (request, send) =>
    stoppable(request, send, async (library, wishes) => (await library.train(request.problem, wishes)).data),
  path: (request, send) =>
    stoppable(request, send, (library, wishes) =>
      library.pathData(request.problem, wishes, (frame) => send({ id: request.id, type: 'begin', frame }), (point) =>
        send({ id: request.id, type: 'point', point }))),
  crossValidate: (request, send) =>
    stoppable(request, send, (library, wishes) => library.crossValidationData(request.problem, wishes)),
  trainInteractions: (request, send) =>
    stoppable(request, send, async (library, wishes) => (await library.trainInteractions(request.problem, wishes)).data),
  trainKernels: (request, send) =>
    stoppable(request, send, async (library, wishes) => (await library.trainKernels(request.problem, wishes)).data),
  stabilitySelection: (request, send) =>
    stoppable(request, send, (library, wishes) => library.stabilitySelection(request.problem, wishes)),
  ...Object.fromEntries(['scatterImages', 'scatterSignals', 'windowFeatures', 'hashText'].map((name) => [name, (request, send) =>
    stoppable(request, send, (library, wishes) => library[name](request.problem.data, request.problem.options, wishes))])),
  tfIdf: (request, send) =>
    stoppable(request, send, (library, wishes) => library.tfIdfData(request.problem.data, request.problem.options, wishes)),
  async toC({ model, options: wish }) {
    return (await prepared(model)).toC(wish);
  },
  async toBlob({ model }) {
    return (await prepared(model)).toBlob();
  },
};

/** Runs work(library, options) with progress and a signal that obeys 'stop'. */
async function stoppable({ id, wishes, progress, aborted }, send, work) {
  const stop = new AbortController();
  if (aborted) stop.abort();
  running.set(id, stop);
  try {
    const onProgress = progress ? (report) => send({ id, type: 'progress', report }) : undefined;
    return await work(await library(), { ...wishes, signal: stop.signal, onProgress });
  } finally {
    running.delete(id);
  }
}

function library() {
  tamis ??= load(options);
  return tamis;
}
async function prepared(model) {
  const loaded = await library();
  if (model.kind === 'interactions') return loaded.fromInteractionData(model);
  if (model.kind === 'kernels') return loaded.fromKernelData(model);
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
