// Finding, fetching and instantiating the WebAssembly modules.

import { TamisError } from './error.js';
import { Module } from './module.js';

// A module of one function that makes a vector: valid only where there is SIMD.
const simd_probe = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 11, 1, 9, 0, 67, 0, 0,
  0, 0, 253, 19, 11]);

export function requireWebAssembly() {
  if (typeof WebAssembly !== 'object' || typeof WebAssembly.instantiate !== 'function')
    throw new TamisError('unsupported', 'tamis needs WebAssembly, which is absent or switched off here');
}

export const simdSupported = () => WebAssembly.validate(simd_probe);

// Each URL is written out, because that is how bundlers find the files.
const addresses = {
  float: [() => new URL('./tamis.wasm', import.meta.url), () => new URL('./tamis-simd.wasm', import.meta.url)],
  double: [
    () => new URL('./tamis-double.wasm', import.meta.url),
    () => new URL('./tamis-double-simd.wasm', import.meta.url),
  ],
};
/** Those of modules that are not always needed are not loaded before. */
const addressesBeside = async (models) => (await import('./modules-beside.js'))[models];

/** Loads the module of linear models, all their solvers, interactions, kernels or features in a precision, from `source` or the file beside this one. */
export async function loadModule(precision, { models, simd }, source) {
  try {
    source ??= (models === 'linear' ? addresses : await addressesBeside(models))[precision][Number(simd)]();
    // From bytes, so that it does not matter with what type a server sends them.
    const code = source instanceof WebAssembly.Module ? source : await bytesOf(source);
    const made = await WebAssembly.instantiate(code);
    return new Module(made.instance ?? made, precision);
  } catch (error) {
    throw new TamisError('unsupported', `the ${precision} module${models === 'linear' ? '' : ` of ${models}`} cannot be loaded: ${error.message}`, { cause: error });
  }
}

async function bytesOf(source) {
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return source;
  const url = addressOf(source);
  if (url === null || url.protocol === 'file:') return readFile(url ?? source);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  return response.arrayBuffer();
}

/** An URL; null for what is the name of a file. */
function addressOf(source) {
  try {
    return new URL(source, globalThis.location?.href);
  } catch {
    return null;
  }
}

async function readFile(name) {
  const files = 'node:fs/promises'; // in a variable, so that bundlers for browsers leave it alone
  return (await import(/* @vite-ignore */ /* webpackIgnore: true */ files)).readFile(name);
}
