// Writing models through a module, as a C header or as a blob, and reading blobs.

import { TamisError } from './error.js';
import { Layout } from './module.js';
import { samplesOf, shown } from './problem.js';

const model_bytes = 12;
const encode = (text) => new TextEncoder().encode(`${text}\0`);

function modelLayout(module, data) {
  const layout = new Layout();
  const model = layout.add(model_bytes);
  const coefficients = layout.add(module.coefficientBytes(data.features, data.classes.length));
  return { layout, model, coefficients };
}

export function toBlob(module, data) {
  const { layout, model, coefficients } = modelLayout(module, data);
  return module.with(layout.bytes, (start) => {
    module.writeModel(start + model, start + coefficients, data);
    const bytes = module.call('blob_bytes', start + model);
    return module.with(bytes, (out) => {
      module.call('blob_write', start + model, out, bytes);
      return module.bytes.slice(out, out + bytes);
    });
  });
}

/** A C99 header. `samples` are for its self-test: those of the training unless given. */
export function toC(module, data, options) {
  const { layout, model, coefficients } = modelLayout(module, data);
  return header(module, data, options, layout, (start) => {
    module.writeModel(start + model, start + coefficients, data);
    return (at, out, bytes) => module.call('export_c', start + model, at.name, at.labels, at.samples, at.count, out, bytes);
  });
}

/**
 * A C99 header of a model that prepare(start) writes into a region with that layout, and returns the exporter of: called
 * with the addresses { name, labels, samples } and the number of the samples, a buffer and its size.
 */
export function header(module, { features, classes, selfTest }, { name = 'model', samples = selfTest } = {}, layout, prepare) {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    throw new TamisError('invalid_option', `name: ${shown(name)} is not a C identifier`);
  const tests = samplesOf(samples);
  if (tests.samples > 0 && tests.features !== features)
    throw new TamisError('invalid_shape', `samples must have ${features} features, these have ${tests.features}`);
  const labels = classes ?? []; // a regression has none
  const texts = [name, ...labels].map(encode);
  const at = {
    table: layout.add(4 * labels.length),
    texts: texts.map((text) => layout.add(text.length)),
    samples: layout.add(tests.samples * features * module.scalarBytes),
  };
  return module.with(layout.bytes, (start) => {
    const write = prepare(start);
    texts.forEach((text, i) => {
      module.bytes.set(text, start + at.texts[i]);
      if (i > 0) module.words[(start + at.table) / 4 + i - 1] = start + at.texts[i];
    });
    const first = (start + at.samples) / module.scalarBytes;
    for (let i = 0; i < tests.samples; ++i)
      for (let j = 0; j < features; ++j) module.reals[first + i * features + j] = tests.at(i, j);
    const places = {
      name: start + at.texts[0],
      labels: classes ? start + at.table : 0,
      samples: start + at.samples,
      count: tests.samples,
    };
    const length = write(places, 0, 0);
    return module.with(length, (out) => {
      write(places, out, length);
      return module.textOf(out, length);
    });
  });
}

/** The precision a blob was written with; its other fields are checked when it is read. */
export function blobPrecision(bytes) {
  if (!(bytes instanceof Uint8Array)) throw new TamisError('invalid_data', 'a blob is a Uint8Array');
  return bytes[5] === 8 ? 'double' : 'float';
}

export function fromBlob(module, bytes) {
  return module.with(bytes.length + model_bytes + 16, (model) => {
    const blob = model + 16;
    module.bytes.set(bytes, blob);
    const size = module.call('blob_coefficient_bytes', blob, bytes.length);
    if (size === 0) throw new TamisError('invalid_data', 'the blob is damaged, cut short, or not one of tamis');
    return module.with(size, (coefficients) => {
      module.call('blob_read', blob, bytes.length, coefficients, size, model);
      return module.readModel(model);
    });
  });
}
