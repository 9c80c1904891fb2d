// What runs inside the worker: trains what the client sends, one message per request, several at a time if need be.
// Messages in: { id, type: 'load' | 'train' | 'stop' | 'toC', … }. Out: { id, type: 'progress' | 'done' | 'failed', … }.

import { load } from './tamis.js';

let tamis = null;
let options = {};
const running = new Map(); // id → AbortController

const requests = {
  async load(request) {
    options = request.options;
    await library();
  },
  async train({ id, problem, sliceMilliseconds, progress, aborted }, send) {
    const stop = new AbortController();
    if (aborted) stop.abort();
    running.set(id, stop);
    try {
      const onProgress = progress ? (report) => send({ id, type: 'progress', report }) : undefined;
      const { data } = await (await library()).train(problem, { signal: stop.signal, sliceMilliseconds, onProgress });
      return data;
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

function library() {
  tamis ??= load(options);
  return tamis;
}
async function prepared(model) {
  const loaded = await library();
  await loaded.prepare(model.precision);
  return loaded.fromData(model);
}

async function answer(request, send) {
  const { id, type } = request;
  if (type === 'stop') return running.get(id)?.abort();
  try {
    send({ id, type: 'done', result: await requests[type](request, send) });
  } catch (error) {
    const { message, status = 'unsupported', row, column, arenaBytes } = error;
    send({ id, type: 'failed', message, status, place: { row, column, arenaBytes } });
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
