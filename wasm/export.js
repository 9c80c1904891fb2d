// Writing models through a module, as a C header or as a blob, and reading blobs.

import { coefficientBytes, model_struct, readRows, writeModel } from './coefficients.js';
import { invalidOption, invalidShape, TamisError } from './error.js';
import { samplesOf, shown } from './problem.js';

const encode = (text) => new TextEncoder().encode(`${text}\0`);

/** Memory of a model of that data. */
const partsOf = (module, { features, classes }) => ({
  model: module.bytesOf(model_struct), coefficients: coefficientBytes(module, features, classes.length),
});

export function toBlob(module, data) {
  return module.with(partsOf(module, data), ({ model, coefficients }) => {
    writeModel(module, model, coefficients, data);
    const bytes = module.call('blob_bytes', model);
    return module.with({ blob: bytes }, ({ blob }) => {
      module.call('blob_write', model, blob, bytes);
      return module.bytes.slice(blob, blob + bytes);
    });
  });
}

/** A C99 header. `samples` are for its self-test: those of the training unless given. */
export function toC(module, data, options) {
  return header(module, data, options, 'export_c', partsOf(module, data),
    ({ model, coefficients }) => writeModel(module, model, coefficients, data));
}

/**
 * A C99 header by the module's function of that name, of a model that is made of parts of memory, `model` and maybe `scratch`
 * among them, as write(at) writes it there.
 */
export function header(module, { features, classes, selfTest }, { name = 'model', samples = selfTest } = {}, exporter, parts, write) {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw invalidOption(`name: ${shown(name)} is not a C identifier`);
  const { samples: count, features: given, row } = samplesOf(samples);
  if (count > 0 && given !== features) throw invalidShape(`samples must have ${features} features, these have ${given}`);
  const texts = [name, ...(classes ?? [])].map(encode); // a regression has no classes
  const [tests, labels] = [new module.Reals(count * features), new Uint32Array(texts.length - 1)];
  for (let i = 0; i < count; ++i) tests.set(row(i, module.Reals), i * features);
  const text = Uint8Array.from(texts.flatMap((bytes) => [...bytes]));
  return module.with({ ...parts, text, labels: labels.byteLength, tests }, (at) => {
    write(at);
    let next = at.text;
    labels.forEach((_, k) => (labels[k] = next += texts[k].length));
    module.words.set(labels, at.labels / 4);
    const scratch = parts.scratch ? [at.scratch] : [];
    const make = (out, bytes) => module.call(exporter, at.model, at.text, classes ? at.labels : 0, at.tests, count, ...scratch, out, bytes);
    const length = make(0, 0);
    return module.with({ out: length }, ({ out }) => {
      make(out, length);
      return module.textOf(out, length);
    });
  });
}

/** The precision a blob was written with; its other fields are checked when it is read. */
export function blobPrecision(bytes) {
  if (!(bytes instanceof Uint8Array)) throw new TamisError('invalid_data', 'a blob is a Uint8Array');
  return bytes[5] === 8 ? 'double' : 'float';
}

/** The rows of the model: see coefficients.js. */
export function fromBlob(module, bytes) {
  return module.with({ model: module.bytesOf(model_struct), blob: bytes }, ({ model, blob }) => {
    const size = module.call('blob_coefficient_bytes', blob, bytes.length);
    if (size === 0) throw new TamisError('invalid_data', 'the blob is damaged, cut short, or not one of tamis');
    return module.with({ coefficients: size }, ({ coefficients }) => {
      module.call('blob_read', blob, bytes.length, coefficients, size, model);
      return readRows(module, model);
    });
  });
}
