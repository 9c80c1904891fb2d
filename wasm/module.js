// One instance of a WebAssembly module: its functions by plain names, the structs of tamis.h, and who uses which memory.

import { TamisError } from './error.js';

export const alignment = 16; // TAMIS_ALIGNMENT
const page = 65536; // bytes by which memory grows
const aligned = (bytes) => Math.ceil(bytes / alignment) * alignment;
export const all_ones = 0xffffffff; // the most that a word holds; of bytes, more than there are

/**
 * Parts of a region of memory, { name: part }: a number of bytes, a typed array or { byteLength, copyTo(address) } that is
 * copied there, or null for none.
 */
export class Layout {
  bytes = 0;
  #parts;
  #offsets = {};

  constructor(parts) {
    this.#parts = parts;
    for (const name in parts) {
      this.#offsets[name] = parts[name] === null ? null : this.bytes;
      if (parts[name] !== null) this.bytes += aligned(parts[name].byteLength ?? parts[name]);
    }
  }

  /** The addresses of the parts, null for none, in a region that starts there; what is to be copied is. */
  place(module, start) {
    const at = {};
    for (const name in this.#parts) {
      const [part, offset] = [this.#parts[name], this.#offsets[name]];
      at[name] = offset === null ? null : start + offset;
      if (part?.copyTo) part.copyTo(at[name]);
      else if (ArrayBuffer.isView(part)) module.bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at[name]);
    }
    return at;
  }
}

export class Module {
  #exports;
  #suffix;
  #taken = []; // regions in use, ascending
  #first;

  /** `takesSparse`: whether it trains on compressed columns; then its memory is as large as its runs need it. */
  constructor(instance, precision, takesSparse = false) {
    this.takesSparse = takesSparse;
    this.#exports = instance.exports;
    this.#suffix = precision === 'float' ? '_f32' : '_f64';
    this.#exports._initialize?.();
    this.precision = precision;
    this.Reals = precision === 'float' ? Float32Array : Float64Array;
    this.scalarBytes = this.Reals.BYTES_PER_ELEMENT;
    this.#look();
    this.#first = aligned(this.#exports.__heap_base.value);
    this.version = this.text(this.#exports.tamis_version());
    this.statuses = [];
    for (let name, code = 0; (name = this.text(this.#exports.tamis_status_name(code))) !== 'unknown'; ++code)
      this.statuses.push(name);
  }

  /** Makes the views of the memory, which are valid until it grows: while something runs it does not. */
  #look() {
    const { buffer } = this.#exports.memory;
    this.reals = new this.Reals(buffer);
    this.bytes = new Uint8Array(buffer);
    this.halves = new Uint16Array(buffer);
    this.words = new Uint32Array(buffer);
  }

  /** Calls tamis_<name>_f32 or _f64. Sizes come back as unsigned numbers. */
  call(name, ...values) {
    return this.#exports[`tamis_${name}${this.#suffix}`](...values) >>> 0;
  }
  /** The same of bytes that an arena needs: Infinity for more than there are. */
  arenaBytes(name, ...values) {
    const bytes = this.call(name, ...values);
    return bytes === all_ones ? Infinity : bytes;
  }
  /** Calls a function that returns a real number. */
  real(name, ...values) {
    return this.#exports[`tamis_${name}${this.#suffix}`](...values);
  }
  /** Calls tamis_<name>, which is the same for both precisions. */
  common(name, ...values) {
    return this.#exports[`tamis_${name}`](...values) >>> 0;
  }

  // ---- text

  /** A sentence that tamis_<name> answers, with the precision or without; null for none, and where there is no such function. */
  answer(name, ...values) {
    const ask = this.#exports[`tamis_${name}${this.#suffix}`] ?? this.#exports[`tamis_${name}`];
    return ask ? this.text(ask(...values) >>> 0) : null;
  }
  text(at) {
    if (at === 0) return null;
    return this.textOf(at, this.bytes.indexOf(0, at) - at);
  }
  textOf(at, length) {
    return new TextDecoder().decode(this.bytes.subarray(at, at + length));
  }
  sentence(status) {
    return this.text(this.#exports.tamis_status_sentence(this.statuses.indexOf(status)));
  }

  // ---- memory: each caller has a region of its own until it releases it

  get memoryBytes() {
    return this.bytes.length;
  }
  /** The first place where `bytes` fit; null when there is none. */
  take(bytes) {
    let start = this.#first;
    let place = 0;
    while (place < this.#taken.length && this.#taken[place].start - start < bytes) start = this.#taken[place++].end;
    const region = { start, end: start + aligned(bytes) };
    if (region.end > this.bytes.length && !this.#grow(region.end)) return null;
    this.#taken.splice(place, 0, region);
    return region;
  }
  /** Whether there is that much memory now: only where it may grow, which is before a run begins. */
  #grow(bytes) {
    if (!this.takesSparse) return false;
    try {
      this.#exports.memory.grow(Math.ceil((bytes - this.bytes.length) / page));
    } catch {
      return false;
    }
    this.#look();
    return true;
  }
  release(region) {
    const place = this.#taken.indexOf(region);
    if (place >= 0) this.#taken.splice(place, 1);
  }
  /** Takes a region for parts as of a Layout: { region, at }, `at` their addresses. `needs(bytes)` begins the refusal. */
  hold(parts, needs = (bytes) => `this needs ${bytes} bytes of memory`) {
    const layout = new Layout(parts);
    const region = this.take(layout.bytes);
    if (!region) throw new TamisError('arena_too_small', `${needs(layout.bytes)}: ${this.occupied()}`);
    return { region, at: layout.place(this, region.start) };
  }
  /** Runs work(at) with parts as of a Layout in a region of its own. */
  with(parts, work) {
    const { region, at } = this.hold(parts);
    try {
      return work(at);
    } finally {
      this.release(region);
    }
  }
  /** Half a sentence on how much memory there is and what others have of it. */
  occupied() {
    if (this.takesSparse) return 'the engine gives no memory of that size';
    const taken = this.#taken.reduce((sum, region) => sum + region.end - region.start, 0);
    const usable = this.bytes.length - this.#first;
    return `the module has ${usable}${taken ? `, of which other trainings hold ${taken}` : ''}`;
  }

  // ---- structs of tamis.h: { reals, words, last }, the names of its numbers, of the words behind them and of the numbers
  // behind those, and perhaps `defaults`, the name of the function that sets all of them

  bytesOf({ reals = [], words = [], last = [] }) {
    return (reals.length + last.length) * this.scalarBytes + words.length * 4;
  }
  /** Of each field of the struct at an address: its name, the view to see it in, and its place there. */
  *#fields({ reals = [], words = [], last = [] }, at) {
    for (const [names, view] of [[reals, this.reals], [words, this.words], [last, this.reals]])
      for (const name of names) {
        yield [name, view, at / view.BYTES_PER_ELEMENT];
        at += view.BYTES_PER_ELEMENT;
      }
  }
  /** Writes the defaults, then the fields that are given. Booleans and counts are words, and so is null, the address of nothing. */
  write(struct, at, values) {
    if (struct.defaults) this.call(struct.defaults, at);
    for (const [name, view, place] of this.#fields(struct, at)) if (values[name] !== undefined) view[place] = values[name];
  }
  read(struct, at) {
    return Object.fromEntries(Array.from(this.#fields(struct, at), ([name, view, place]) => [name, view[place]]));
  }
  /** A copy of numbers at an address. */
  realsAt(at, count) {
    return this.reals.slice(at / this.scalarBytes, at / this.scalarBytes + count);
  }
}
