// The harness in a worker of a page: fetches the module it is told of, and posts what it measured.
import { measure } from './harness.mjs';

onmessage = async ({ data: { module, options } }) => {
  try {
    const bytes = await (await fetch(module)).arrayBuffer();
    const engine = navigator.userAgent.match(/Chrom\w+\/[\d.]+/)?.[0] ?? navigator.userAgent;
    postMessage({ result: await measure(bytes, { ...options, engine }) });
  } catch (error) {
    postMessage({ error: String(error) });
  }
};
