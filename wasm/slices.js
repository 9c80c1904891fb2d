// What lies between slices of work.

export const default_slice = 16; // milliseconds

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
