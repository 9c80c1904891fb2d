// The harness in a worker of a page: fetches the module it is told of, and posts each line as it comes.
import { lines, load } from './harness.mjs';

onmessage = async ({ data: { module, target } }) => {
  try {
    const exports = await load(await (await fetch(module)).arrayBuffer());
    for (const line of lines(exports, target)) postMessage({ line });
    postMessage({ done: true });
  } catch (error) {
    postMessage({ error: String(error) });
  }
};
