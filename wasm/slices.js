// Work in slices, between which other work gets its turn.

import { aborted, TamisError } from './error.js';

const default_slice = 16; // milliseconds

/** Lets the event loop run: without the delay that browsers put into nested timers. */
export function otherWork() {
  if (typeof setImmediate === 'function') return new Promise((resolve) => setImmediate(resolve));
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/**
 * Advances a run by a slice, or stops it when onProgress, which is told what progress() says, asks for it. A signal ends it by
 * an error, or stops it where the best so far is wanted.
 */
export function advance(run, { onProgress, signal, bestOnAbort, sliceMilliseconds = default_slice }, progress) {
  if (signal?.aborted) {
    if (!bestOnAbort) throw aborted();
    return run.stop();
  }
  run.advance(sliceMilliseconds);
  if (run.running && onProgress?.(progress()) === false) run.stop();
}
/** Advances a run to its end. */
export async function drive(run, options, progress) {
  while (run.running) {
    advance(run, options, progress);
    if (run.running) await otherWork();
  }
}

export const stopped = (what) => new TamisError('stopped', `${what} was stopped`);

/** work(i) for i < count; onProgress is told after each slice. */
export async function inSlices(name, count, work, { onProgress, signal, bestOnAbort, sliceMilliseconds = default_slice }) {
  for (let done = 0; done < count;) {
    if (signal?.aborted) throw (bestOnAbort ? stopped : aborted)(name);
    const end = performance.now() + sliceMilliseconds;
    do work(done++);
    while (done < count && performance.now() < end);
    const goOn = onProgress?.({ done, count, share: done / count }) !== false;
    if (done < count && !goOn) throw stopped(name);
    if (done < count) await otherWork();
  }
}
