// Many pieces of work in slices, between which other work gets its turn.

import { TamisError } from './error.js';
import { default_slice, otherWork } from './slices.js';

const stopped = (name) => new TamisError('stopped', `${name} was stopped`);

/** work(i) for i < count in slices, between which other work gets its turn; onProgress is told after each. */
export async function inSlices(name, count, work, { onProgress, signal, sliceMilliseconds = default_slice }) {
  for (let done = 0; done < count;) {
    if (signal?.aborted) throw stopped(name);
    const end = performance.now() + sliceMilliseconds;
    do work(done++);
    while (done < count && performance.now() < end);
    const goOn = onProgress?.({ done, count, share: done / count }) !== false;
    if (done < count && !goOn) throw stopped(name);
    if (done < count) await otherWork();
  }
}
