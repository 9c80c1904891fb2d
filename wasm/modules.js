// Finding, fetching and instantiating the WebAssembly modules.

import { TamisError } from './error.js';
import { Module } from './module.js';
import { trainings } from './modules-of-one.js';

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
/** Sparse samples, and memory as each run needs it. */
const large = [() => new URL('./tamis-large.wasm', import.meta.url), () => new URL('./tamis-large-simd.wasm', import.meta.url)];
const files_of_models = () => new URL('./tamis-model.wasm', import.meta.url);

/** Where a module is. Those that are asked for least, and their addresses, are not loaded before. */
async function addressOfModule(precision, { models, simd }) {
  const now = addressNow(precision, { models, simd });
  return now ?? (await import('./modules-beside.js'))[models][precision][Number(simd)]();
}
function addressNow(precision, { models, simd }) {
  if (models === 'model') return files_of_models();
  return (models === 'linear' ? addresses[precision] : models === 'large' ? large : trainings[models])?.[Number(simd)]();
}

/**
 * Loads the code of the module of linear models, all their solvers, one training, sparse samples, model files, interactions,
 * kernels or features in a precision, from `source` or the file beside this one.
 */
export async function loadCode(precision, kind, source) {
  try {
    source ??= await addressOfModule(precision, kind);
    return source instanceof WebAssembly.Module ? source : await compiled(source);
  } catch (error) {
    throw unloadable(precision, kind, error);
  }
}
/** The same at once, of linear models: others have waited for their module. */
export function loadCodeNow(precision, kind, source) {
  try {
    source ??= addressNow(precision, kind);
    return source instanceof WebAssembly.Module ? source : new WebAssembly.Module(bytesNow(source));
  } catch (error) {
    throw unloadable(precision, kind, error);
  }
}

/** A module of that code, with memory of its own. */
export async function instanceOf(code, precision, kind) {
  try {
    return new Module(await WebAssembly.instantiate(code), precision, kind.models === 'large');
  } catch (error) {
    throw unloadable(precision, kind, error);
  }
}
export function instanceNow(code, precision, kind) {
  try {
    return new Module(new WebAssembly.Instance(code), precision, kind.models === 'large');
  } catch (error) {
    throw unloadable(precision, kind, error);
  }
}

function unloadable(precision, { models }, error) {
  const of = models === 'linear' ? '' : models === 'model' ? ' of model files' : models === 'large' ? ' of sparse samples' : ` of ${models}`;
  return new TamisError('unsupported', `the ${precision} module${of} cannot be loaded: ${error.message}`, { cause: error });
}

const isBytes = (source) => source instanceof ArrayBuffer || ArrayBuffer.isView(source);
const isOfFiles = (url) => url === null || url.protocol === 'file:';

/** Compiled while it is downloaded where the server sends it with its type, and else from bytes. */
async function compiled(source) {
  if (isBytes(source)) return WebAssembly.compile(source);
  const url = addressOf(source);
  if (isOfFiles(url)) {
    const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ `${files}/promises`);
    return WebAssembly.compile(await readFile(url ?? source));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  const streams = WebAssembly.compileStreaming && response.headers.get('content-type') === 'application/wasm';
  return streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

const files = 'node:fs'; // in a variable, so that bundlers for browsers leave it alone
let readNow = null; // a file in Node
/** Makes it possible to load at once. */
export async function prepareToLoadNow() {
  if (globalThis.process?.versions?.node) readNow ??= (await import(/* @vite-ignore */ /* webpackIgnore: true */ files)).readFileSync;
}
function bytesNow(source) {
  if (isBytes(source)) return source;
  const url = addressOf(source);
  if (isOfFiles(url) && readNow) return readNow(url ?? source);
  const request = new XMLHttpRequest(); // pages may ask at once for text alone
  request.open('GET', url, false);
  request.overrideMimeType('text/plain; charset=x-user-defined');
  request.send();
  if (request.status !== 200) throw new Error(`${url} answers ${request.status}`);
  return Uint8Array.from(request.responseText, (letter) => letter.charCodeAt(0));
}

/** An URL; null for what is the name of a file. */
function addressOf(source) {
  try {
    return new URL(source, globalThis.location?.href);
  } catch {
    return null;
  }
}
