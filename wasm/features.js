// Features of images, signals, sensor readings and text, made inside a module of features: rows or columns that models
// are trained with.

import { invalidOption, invalidShape, notHeld, TamisError } from './error.js';
import { checkLines, toColumns } from './lines.js';
import { all_ones } from './module.js';
import { isArrayLike, numberOf, samplesOf, shown } from './problem.js';
import { inSlices } from './slices.js';

const refusal_struct = { words: ['status', 'row', 'column', 'sentence'] };
const scattering = {
  state: 80 * 8, // TAMIS_SCATTERING_WORDS
  images: {
    name: 'scatterImages', prefix: 'scattering',
    words: ['height', 'width', 'scales', 'orientations', 'order', 'oversampling', 'byPosition'],
  },
  signals: {
    name: 'scatterSignals', prefix: 'signal_scattering',
    words: ['length', 'scales', 'perOctave', 'order', 'oversampling', 'byPosition'],
  },
};
const windows = {
  state: 24 * 8, // TAMIS_WINDOWS_WORDS
  name: 'sensorWindows', prefix: 'windows', words: ['length', 'hop', 'channels', 'bands'],
};
const hashing = { name: 'hashText', prefix: 'hashing', words: ['bits', 'ngrams', 'alternating', 'sublinear', 'norm'] };
const norms = ['none', 'l1', 'l2', 'max'];
const switches = ['byPosition', 'alternating', 'sublinear'];

/** The number that stands for the value of an option. */
function wordOf(kind, name, value) {
  if (switches.includes(name)) return Number(Boolean(value));
  if (name === 'norm') {
    if (!norms.includes(value)) throw invalidOption(`norm: ${shown(value)} is not one of ${norms.join(', ')}`);
    return norms.indexOf(value);
  }
  if (!Number.isInteger(value) || value < 0 || value > all_ones)
    throw invalidOption(`${kind.name}: ${name}: ${shown(value)} is not a whole number`);
  return value;
}

/** Writes the options of a kind: the defaults, then those that are given. Throws TamisError when the module refuses them. */
function writeOptions(module, kind, at, options) {
  module.common(`default_${kind.prefix}_options`, at);
  const given = kind.words.filter((name) => options[name] !== undefined);
  module.write(kind, at, Object.fromEntries(given.map((name) => [name, wordOf(kind, name, options[name])])));
  const sentence = module.text(module.common(`${kind.prefix}_sentence`, at));
  if (sentence) throw invalidOption(`${kind.name}: ${sentence}`);
}

/** Takes memory for parts as of a Layout, until it is released. */
const hold = (module, name, parts) => module.hold(parts, (bytes) => `${name} needs ${bytes} bytes`);

/** What works on one piece of data after the other in an arena. `count`: the numbers of its input, and of its output. */
class Transform {
  /** Throws TamisError; then nothing is held. */
  constructor(module, kind, stateBytes, options, counts) {
    this.module = module;
    this.kind = kind;
    const asked = module.with({ options: module.bytesOf(kind) }, ({ options: at }) => {
      writeOptions(module, kind, at, options);
      return { bytes: module.arenaBytes(`${kind.prefix}_bytes`, at), ...counts(at) };
    });
    const scalar = module.scalarBytes;
    this.count = { in: asked.in, out: asked.out };
    this.held = hold(module, kind.name, {
      options: module.bytesOf(kind), state: stateBytes, refusal: module.bytesOf(refusal_struct), in: asked.in * scalar,
      out: asked.out * scalar, arena: asked.bytes,
    });
    const { at } = this.held;
    writeOptions(module, kind, at.options, options);
    module.call(`${kind.prefix}_start`, at.state, at.options, at.arena, asked.bytes);
  }
  call(name, ...values) {
    return this.module.call(`${this.kind.prefix}_${name}`, this.held.at.state, ...values);
  }
  /** Calls what answers with a status; why it has refused, { status, column, row, sentence }, or null. */
  refusalOf(name, ...values) {
    const { module, held: { at } } = this;
    if (module.statuses[this.call(name, ...values)] === 'running') return null;
    this.call('refusal_of', at.refusal);
    const { status, sentence, ...place } = module.read(refusal_struct, at.refusal);
    return { ...place, status: module.statuses[status], sentence: module.text(sentence) };
  }
  /** The input, to be filled in, and the output, to be copied. */
  get input() {
    return this.#reals('in');
  }
  get output() {
    return this.#reals('out');
  }
  #reals(which) {
    const first = this.held.at[which] / this.module.scalarBytes;
    return this.module.reals.subarray(first, first + this.count[which]);
  }
  release() {
    this.module.release(this.held.region);
  }
}

/** A row of `features` numbers for each of so many samples. */
function tableOf(module, name, samples, features) {
  try {
    return new module.Reals(samples * features);
  } catch {
    throw new TamisError('arena_too_small', `${name}: ${samples} rows of ${features} features are too many for this machine: ` +
      'take fewer at a time');
  }
}

/** Rows of numbers, as samplesOf() has them, under the name of the argument. */
function rowsOf(argument, list) {
  try {
    return samplesOf(list);
  } catch (error) {
    error.message = error.message.replaceAll(/\bX\b/g, argument);
    throw error;
  }
}

/** Transforms each row by a transform of `kind`; { values, samples, features } and what more(at) says of the options. */
async function scatter(module, kind, argument, list, options, wishes, inputs, more) {
  const { samples, features, at: value } = list;
  const transform = new Transform(module, kind, scattering.state, options, (at) => ({
    in: inputs, out: module.common(`${kind.prefix}_coefficients`, at),
  }));
  try {
    if (samples === 0) throw invalidShape(`${kind.name}: there are no ${argument}`);
    if (features !== inputs)
      throw invalidShape(`${argument}[0] has ${features} pixels where height times width is ${inputs}`, { row: 0 });
    const { at } = transform.held;
    const count = transform.count.out;
    const values = tableOf(module, kind.name, samples, count);
    const input = transform.input;
    await inSlices(kind.name, samples, (i) => {
      for (let j = 0; j < inputs; ++j) input[j] = numberOf(value(i, j));
      const refusal = transform.refusalOf('transform', at.in, inputs, at.out, count);
      if (refusal) throw refusalOfRow(refusal, argument, i, inputs, value, options.width);
      values.set(transform.output, i * count);
    }, wishes);
    return { values, samples, features: count, layout: 'rows', ...more(at.options) };
  } finally {
    transform.release();
  }
}

function refusalOfRow({ status, row, column, sentence }, argument, i, inputs, value, width = 0) {
  const j = row * width + column;
  if (status === 'invalid_data' && j < inputs)
    return notHeld(`${argument}[${i}][${j}]`, value(i, j), sentence, { row: i, column: j });
  return new TamisError(status, `${argument}[${i}]: ${sentence}`, { row: i });
}

/** The scattering transform of each image, a row of height · width pixels. */
export async function scatterImages(images, options, wishes, module) {
  const kind = scattering.images;
  const list = rowsOf('images', images);
  for (const side of ['height', 'width'])
    if (options[side] === undefined) throw invalidOption(`${kind.name}: ${side} is missing`);
  return scatter(module, kind, 'images', list, options, wishes, options.height * options.width, (at) => {
    const { height, width, scales, oversampling } = module.read(kind, at);
    const shift = scales - oversampling;
    return { maps: module.common('scattering_maps', at), mapHeight: height >> shift, mapWidth: width >> shift };
  });
}

/** The scattering transform of each signal, all of the same length. */
export async function scatterSignals(signals, options, wishes, module) {
  const list = rowsOf('signals', signals);
  const length = list.features;
  if (list.samples === 0) throw invalidShape('scatterSignals: there are no signals');
  return scatter(module, scattering.signals, 'signals', list, { ...options, length }, wishes, length, (at) => {
    const { scales, oversampling } = module.read(scattering.signals, at);
    const lines = module.common('signal_scattering_lines', at);
    return { lines, positions: Math.ceil(length / 2 ** (scales - oversampling)) };
  });
}

/** Windows over readings that come one at a time. */
export class SensorWindows {
  #transform;
  #module;

  constructor(module, options) {
    this.#module = module;
    this.#transform = new Transform(module, windows, windows.state, options, (at) => ({
      in: module.read(windows, at).channels, out: module.common('windows_features', at),
    }));
    ({ in: this.channels, out: this.features } = this.#transform.count);
  }

  /** Takes a reading, a number or one per channel; the features of the window that ends with it, or null. */
  push(reading) {
    if (!this.#transform) throw new TamisError('stopped', 'sensorWindows: these windows are closed');
    const { channels } = this;
    const given = typeof reading === 'number' && channels === 1 ? [reading] : reading;
    if (given?.length !== channels)
      throw invalidShape(`a reading must have ${channels} ${channels === 1 ? 'value' : 'values'}, this one has ${given?.length}`);
    const { input, held: { at } } = this.#transform;
    for (let c = 0; c < channels; ++c) input[c] = numberOf(given[c]);
    const refusal = this.#transform.refusalOf('push', at.in, channels);
    if (refusal)
      throw notHeld(`channel ${refusal.column} of the reading`, given[refusal.column], refusal.sentence, { column: refusal.column });
    if (!this.#transform.call('ready')) return null;
    this.#transform.call('features_of', at.out, this.features);
    return this.#transform.output.slice();
  }
  /** Forgets the readings. */
  restart() {
    this.#transform?.call('restart');
  }
  /** Gives its memory back. */
  close() {
    this.#transform?.release();
    this.#transform = null;
  }
}
if (Symbol.dispose) SensorWindows.prototype[Symbol.dispose] = SensorWindows.prototype.close;

export const sensorWindows = (_, options, wishes, module) => new SensorWindows(module, options);

/** The features of all windows of readings that are there already. */
export async function windowFeatures(readings, options, wishes, module) {
  const flat = isArrayLike(readings) && typeof readings[0] === 'number';
  const list = rowsOf('readings', flat ? { values: readings, samples: readings.length, features: 1 } : readings);
  const { samples, features: channels, at } = list;
  const made = new SensorWindows(module, { ...options, channels });
  try {
    const { length, hop } = options;
    if (samples < length) throw invalidShape(`windowFeatures: ${samples} readings are fewer than the ${length} of a window`);
    const count = 1 + Math.floor((samples - length) / hop);
    const values = tableOf(module, 'windowFeatures', count, made.features);
    const reading = new Array(channels);
    let window = 0;
    await inSlices('windowFeatures', samples, (i) => {
      for (let c = 0; c < channels; ++c) reading[c] = at(i, c);
      try {
        const features = made.push(reading);
        if (features) values.set(features, made.features * window++);
      } catch (error) {
        const { status, message, column } = error;
        throw status ? new TamisError(status, `readings[${i}]: ${message}`, { row: i, column }) : error;
      }
    }, wishes);
    return { values, samples: count, features: made.features, layout: 'rows' };
  } finally {
    made.close();
  }
}

/** Lines of text as samples of 2^bits features. */
export async function hashText(lines, options, wishes, module) {
  checkLines(hashing.name, lines);
  const { region, at } = hold(module, hashing.name, { options: module.bytesOf(hashing), count: 4 });
  try {
    writeOptions(module, hashing, at.options, options);
    const { bits, ngrams } = module.read(hashing, at.options);
    const encoder = new TextEncoder();
    const [ends, columns, entries] = [[], [], []];
    await inSlices(hashing.name, lines.length, (i) => {
      const bytes = encoder.encode(lines[i]);
      module.with({ line: bytes }, ({ line }) => {
        const terms = module.common('count_terms', line, bytes.length, ngrams);
        module.with({ features: 4 * terms, values: module.scalarBytes * terms }, ({ features, values }) => {
          module.call('hash_line', at.options, line, bytes.length, features, values, terms, at.count);
          const count = module.words[at.count / 4];
          for (const j of module.words.subarray(features / 4, features / 4 + count)) columns.push(j);
          for (const entry of module.realsAt(values, count)) entries.push(entry);
        });
      });
      ends.push(columns.length);
    }, wishes);
    if (columns.length === 0)
      throw new TamisError('invalid_data', `${hashing.name}: no line has a word: words are letters and digits`);
    return toColumns(module.Reals, 2 ** bits, lines.length, ends, columns, entries);
  } finally {
    module.release(region);
  }
}
