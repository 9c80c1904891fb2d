// The WebAssembly modules that are inside the file.
import base from 'tamis/embedded-base.js';
import simd from 'tamis/embedded-simd.js';

const texts = { tamis: base, 'tamis-simd': simd, 'tamis-model': base };

export function moduleInside(name) {
  if (!Object.hasOwn(texts, name))
    throw new Error(`${name}.wasm is not inside this file: give its ${where()} by load({ ${optionOf(name)}: … }), or take the whole package`);
  return Uint8Array.from(atob(texts[name]), (letter) => letter.charCodeAt(0));
}

/** A page that is a file fetches nothing. */
const where = () => (globalThis.location?.protocol === 'file:' ? 'bytes' : 'address');

/** The option of load for that module. */
const optionOf = (name) => name.replace('-simd', '').replace('tamis', 'wasm').replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
