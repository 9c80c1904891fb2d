// The library with its first module inside JavaScript: nothing is fetched, so it works from one file, and offline.

import { simdSupported } from './modules.js';
import { load as loadFrom } from './tamis.js';

export { TamisError } from './error.js';

/** Options of `load`, and of a worker that loads, that give it the module in here. */
export async function embedded({ simd = simdSupported(), ...options } = {}) {
  const { default: text } = await (simd ? import('./embedded-simd.js') : import('./embedded-base.js'));
  return { ...options, simd, wasm: Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)) };
}

export async function load(options) {
  return loadFrom(await embedded(options));
}
