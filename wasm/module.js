// One instance of a WebAssembly module: its functions by plain names, the structs of tamis.h, and who uses which memory.

import { TamisError } from './error.js';

export const alignment = 16; // TAMIS_ALIGNMENT
const aligned = (bytes) => Math.ceil(bytes / alignment) * alignment;
const all_ones = 0xffffffff;
const usual_active_limit = 1500; // the tamis command's

/** Adds up blocks that are needed together; each gets its offset from the start of the region. */
export class Layout {
  bytes = 0;
  add(bytes) {
    const offset = this.bytes;
    this.bytes += aligned(bytes);
    return offset;
  }
}

export class Module {
  #exports;
  #suffix;
  #taken = []; // regions in use, ascending
  #first;

  constructor(instance, precision) {
    this.#exports = instance.exports;
    this.#suffix = precision === 'float' ? '_f32' : '_f64';
    this.#exports._initialize?.();
    // The memory never grows, so views of it stay valid.
    const { buffer } = this.#exports.memory;
    this.precision = precision;
    this.Reals = precision === 'float' ? Float32Array : Float64Array;
    this.scalarBytes = this.Reals.BYTES_PER_ELEMENT;
    this.reals = new this.Reals(buffer);
    this.bytes = new Uint8Array(buffer);
    this.halves = new Uint16Array(buffer);
    this.words = new Uint32Array(buffer);
    this.#first = aligned(this.#exports.__heap_base.value);
    this.version = this.text(this.#exports.tamis_version());
    this.statuses = [];
    for (let name, code = 0; (name = this.text(this.#exports.tamis_status_name(code))) !== 'unknown'; ++code)
      this.statuses.push(name);
  }

  /** Calls tamis_<name>_f32 or _f64. Sizes come back as unsigned numbers. */
  call(name, ...values) {
    return this.#exports[`tamis_${name}${this.#suffix}`](...values) >>> 0;
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
  /** Why the solver of the problem at an address, or this build, cannot do what it asks for; or null. */
  problemRefusal(at) {
    return this.text(this.call('problem_refusal', at));
  }
  refusal(solver, loss, penalty) {
    return this.text(this.#exports.tamis_refusal(solver, loss, penalty));
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
    if (region.end > this.bytes.length) return null;
    this.#taken.splice(place, 0, region);
    return region;
  }
  release(region) {
    const place = this.#taken.indexOf(region);
    if (place >= 0) this.#taken.splice(place, 1);
  }
  /** Runs work(start) with a region of that size. */
  with(bytes, work) {
    const region = this.take(bytes);
    if (!region) throw this.#full(bytes);
    try {
      return work(region.start);
    } finally {
      this.release(region);
    }
  }
  #full(bytes) {
    return new TamisError('arena_too_small', `this needs ${bytes} bytes of memory: ${this.occupied()}`);
  }
  /** Half a sentence on how much memory there is and what others have of it. */
  occupied() {
    const taken = this.#taken.reduce((sum, region) => sum + region.end - region.start, 0);
    const usable = this.bytes.length - this.#first;
    return `the module has ${usable}${taken ? `, of which other trainings hold ${taken}` : ''}`;
  }

  // ---- structs

  get problemBytes() {
    return aligned((problem_reals.length + problem_last_reals.length) * this.scalarBytes + problem_words.length * 4);
  }
  /** Writes a tamis_problem: the defaults, then the fields given. Booleans and counts are words. */
  writeProblem(at, fields) {
    this.call('default_problem', at);
    this.writeFields(at, problem_reals, problem_words, fields);
    this.writeFields(at + problem_reals.length * this.scalarBytes + problem_words.length * 4, problem_last_reals, [], fields);
  }
  /** Writes those of the numbers, and of the words behind them, that are given. */
  writeFields(at, reals, words, fields) {
    const real = at / this.scalarBytes;
    reals.forEach((name, i) => {
      if (fields[name] !== undefined) this.reals[real + i] = fields[name];
    });
    const word = (at + reals.length * this.scalarBytes) / 4;
    words.forEach((name, i) => {
      if (fields[name] !== undefined) this.words[word + i] = fields[name];
    });
  }

  get reportBytes() {
    return (report_reals.length + report_last_reals.length) * this.scalarBytes + report_words.length * 4;
  }
  readReport(at) {
    const report = {};
    report_reals.forEach((name, i) => (report[name] = this.reals[at / this.scalarBytes + i]));
    const word = (at + 7 * this.scalarBytes) / 4;
    report_words.forEach((name, i) => (report[name] = this.words[word + i]));
    const last = (word + report_words.length) * 4 / this.scalarBytes;
    report_last_reals.forEach((name, i) => (report[name] = this.reals[last + i]));
    report.status = this.statuses[report.status];
    return report;
  }

  /**
   * Exact arena bytes of a problem with so many values that are not zero: { least, fast }, either maybe Infinity. Throws
   * when the solver refuses the combination.
   */
  trainingBytes(fields, nonzeros) {
    return this.with(this.problemBytes, (at) => {
      this.writeProblem(at, fields);
      const [least, fast] = [
        this.call('training_bytes', at),
        this.call('fast_bytes', at, Math.min(nonzeros, all_ones), usual_active_limit),
      ].map((bytes) => (bytes === all_ones ? Infinity : bytes));
      if (least === 0)
        throw new TamisError('invalid_combination', this.refusal(fields.solver, fields.loss, fields.penalty));
      return { least, fast };
    });
  }

  get gridBytes() {
    return 2 * this.scalarBytes + 3 * 4;
  }
  /** Writes a tamis_grid: `lambdas` is the address of `points` numbers, or 0. */
  writeGrid(at, { first = NaN, ratio, points, maxFeatures = all_ones, lambdas = 0 }) {
    this.reals.set([first, ratio], at / this.scalarBytes);
    this.words.set([points, maxFeatures, lambdas], at / 4 + 2 * this.scalarBytes / 4);
  }

  /** As trainingBytes, of a path on the largest of the grids, and of its cross-validation if there are folds. */
  selectionBytes(fields, grids, folds, nonzeros) {
    const layout = new Layout();
    const [problem, grid] = [layout.add(this.problemBytes), layout.add(this.gridBytes)];
    return this.with(layout.bytes, (start) => {
      this.writeProblem(start + problem, fields);
      const needed = { least: 0, fast: 0 };
      for (const some of grids) {
        this.writeGrid(start + grid, some);
        const bytes = (...room) => {
          const name = folds ? 'cross_validation_fast_bytes' : 'path_fast_bytes';
          const given = folds ? [folds, ...room] : room;
          const count = this.call(name, start + problem, start + grid, ...given);
          return count === all_ones ? Infinity : count;
        };
        const least = bytes(0, 0);
        if (least === 0)
          throw new TamisError('invalid_combination', this.refusal(fields.solver, fields.loss, fields.penalty) ??
            'solver: it cannot go on with another lambda, as a path has to');
        needed.least = Math.max(needed.least, least);
        needed.fast = Math.max(needed.fast, bytes(Math.min(nonzeros, all_ones), usual_active_limit));
      }
      return needed;
    });
  }

  // ---- models: rows of `stride` entries, the last one holding the intercepts

  stride(classes) {
    return aligned(classes * this.scalarBytes) / this.scalarBytes;
  }
  coefficientBytes(features, classes) {
    return (features + 1) * this.stride(classes) * this.scalarBytes;
  }
  /** Copies a tamis_model into arrays without padding. */
  readModel(at) {
    const [from, features, classes] = this.words.subarray(at / 4, at / 4 + 3);
    const first = from / this.scalarBytes;
    const stride = this.stride(classes);
    const weights = new this.Reals(features * classes);
    for (let j = 0; j < features; ++j) {
      const row = first + j * stride;
      weights.set(this.reals.subarray(row, row + classes), j * classes);
    }
    const row = first + features * stride;
    return { features, weights, intercepts: this.reals.slice(row, row + classes) };
  }
  /** Copies the rows of a tamis_model that are not zero, and which these are. */
  readKept(at) {
    const [from, features, classes] = this.words.subarray(at / 4, at / 4 + 3);
    const first = from / this.scalarBytes;
    const stride = this.stride(classes);
    const kept = [];
    for (let j = 0; j < features; ++j) {
      let any = false;
      for (let k = first + j * stride, end = k + classes; k < end && !any; ++k) any = this.reals[k] !== 0;
      if (any) kept.push(j);
    }
    const rows = new this.Reals(kept.length * classes);
    kept.forEach((j, r) => {
      const row = first + j * stride;
      rows.set(this.reals.subarray(row, row + classes), r * classes);
    });
    const row = first + features * stride;
    return { features, kept: Uint32Array.from(kept), rows, intercepts: this.reals.slice(row, row + classes) };
  }
  /** Writes a tamis_model at `at` with its coefficients at `to`. */
  writeModel(at, to, { features, weights, intercepts }) {
    const classes = intercepts.length;
    const first = to / this.scalarBytes;
    const stride = this.stride(classes);
    this.reals.fill(0, first, first + (features + 1) * stride);
    for (let j = 0; j < features; ++j)
      this.reals.set(weights.subarray(j * classes, (j + 1) * classes), first + j * stride);
    this.reals.set(intercepts, first + features * stride);
    this.words.set([to, features, classes], at / 4);
  }
}

const problem_reals = ['lambda', 'tolerance', 'margin', 'l1Ratio', 'epsilon', 'eta'];
const problem_words = ['maxIterations', 'intercept', 'loss', 'penalty', 'block', 'solver', 'samples', 'features', 'classes',
  'columnStride', 'values', 'rows', 'starts', 'labels', 'weights', 'margins', 'groupOrder', 'groupStarts', 'groupCount',
  'setStarts', 'setMembers', 'setCount', 'stopping', 'shrinking', 'seedLow', 'seedHigh'];
const problem_last_reals = ['learningRate', 'stoppingThreshold'];
const report_reals = ['objective', 'dualObjective', 'gap', 'relativeGap', 'kktResidual', 'lambdaMax', 'epochs'];
const report_words = ['status', 'iterations', 'nonzeros', 'nonzeroRows', 'row', 'column', 'arenaBytes', 'arenaUsedBytes'];
const report_last_reals = ['constraintValue', 'constraintBound', 'multiplier'];
