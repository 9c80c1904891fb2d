// Reading the model files that toJSON() and the tamis command write.

import { modelData } from './coefficients.js';
import { TamisError } from './error.js';
import { shown } from './problem.js';
import { unknown_report } from './run.js';

const fail = (what) => {
  throw new TamisError('invalid_data', `the model file ${what}`);
};
const isObject = (value) => typeof value === 'object' && value !== null;

/** A list of so many entries, each of which is told by `is`. */
function list(value, name, length, is = Number.isFinite) {
  if (!Array.isArray(value) || !value.every(is)) fail(`has no ${name} that can be read`);
  if (length !== undefined && value.length !== length) fail(`has ${value.length} ${name} where there should be ${length}`);
  return value;
}
const numbersOf = (name, length, end) => (value) =>
  list(value, name, length, (n) => (end === undefined ? Number.isFinite(n) : Number.isInteger(n) && n >= 0 && n < end));
const isText = (value) => typeof value === 'string';

/** The plain data of the model in a file, given as text or parsed. Throws TamisError with a sentence. */
export function dataOf(given) {
  const file = typeof given === 'string' ? parsed(given) : given;
  if (!isObject(file) || file.format !== 'tamis-model') fail('is not one of tamis: it has no format tamis-model');
  if (file.version !== 1) fail(`is of version ${shown(file.version)}, and version 1 is what is read here`);
  const read = { linear, interactions, kernels }[file.kind];
  if (!read) fail(`is of the kind ${shown(file.kind)}: linear, interactions and kernels are read`);
  try {
    return read(file);
  } catch (error) {
    throw error instanceof TamisError ? error : new TamisError('invalid_data', `the model file is damaged: ${error.message}`);
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    return fail(`is no JSON: ${error.message}`);
  }
}

/** What all kinds have; `kept` are the features that something is known about. */
function frameOf(file, kept, coefficients) {
  const { classes, feature_count: features, features: names, precision, written_by: by, scale, standardisation, preparation, samples } = file;
  if (!['float', 'double'].includes(precision)) fail(`has the precision ${shown(precision)}`);
  if (!(Number.isFinite(scale) && scale !== 0)) fail(`has the scale ${shown(scale)}`);
  list(names, 'names of features', kept.length, isText);
  const Reals = precision === 'float' ? Float32Array : Float64Array;
  const featureNames = Array.from({ length: features }, (_, j) => `x${j}`);
  kept.forEach((j, r) => (featureNames[j] = names[r]));
  const whole = (row) => { // of what is kept of a sample
    const all = new Float64Array(features);
    kept.forEach((j, r) => (all[j] = row[r] ?? NaN));
    return all;
  };
  const { missing_means: means = null, log = null, normalise = null, min_max: range = null, ...others } = preparation ?? {};
  const unknown = Object.entries({ log, normalise, ...others }).find(([, value]) => value !== null);
  if (unknown) fail(`is of samples that were prepared by '${unknown[0]}', which the tamis command does and this library does not`);
  if (means) list(means, 'means', kept.length);
  for (const by of [standardisation, range])
    if (by) for (const values of Object.values(by)) list(values, 'scales', kept.length);
  return {
    version: String(by).replace(/^tamis /, ''), precision, features, featureNames,
    classes: classes === null ? null : list(classes, 'classes', undefined, isText),
    intercepts: Reals.from(list(file.intercept, 'intercepts', coefficients.outputs)),
    report: { ...unknown_report, status: 'unknown', nonzeros: coefficients.count, nonzeroRows: coefficients.rows },
    selfTest: (file.self_test ?? []).map((row) => Reals.from(whole(list(row, 'numbers in a sample', kept.length, (x) => x === null || Number.isFinite(x))))),
    lambda: file.lambda,
    stored: {
      scale, standardisation, preparation,
      means: means && whole(means),
      centres: file.kind === 'kernels' && standardisation ? standardisation : null, // of other kinds they are in the coefficients
    },
    ...(samples === undefined ? {} : { samples }),
    Reals,
  };
}

function sizeOf({ feature_count: features, classes }) {
  if (!(Number.isInteger(features) && features > 0)) fail(`has ${shown(features)} features`);
  if (classes !== null && !(Array.isArray(classes) && classes.length >= 2)) fail('has fewer than two classes');
  return [features, classes?.length ?? 1];
}

function linear(file) {
  const [features, classes] = sizeOf(file);
  const indices = numbersOf('indices', undefined, features)(file.coefficients.indices);
  if (indices.some((j, r) => r > 0 && j <= indices[r - 1])) fail('has indices out of order');
  const rows = list(file.coefficients.values, 'rows of coefficients', indices.length, Array.isArray);
  const all = rows.flatMap(numbersOf('coefficients of a feature', classes));
  const count = all.filter((w) => w !== 0).length;
  const { Reals, ...frame } = frameOf(file, indices, { outputs: classes, count, rows: indices.length });
  const { loss, penalty, eta, calibration = null, thresholds } = file;
  for (const part of [calibration, thresholds].filter(Boolean))
    for (const name of ['slopes', 'offsets']) list(part[name], name, classes);
  return modelData(
    { ...frame, loss, penalty, ...(eta === undefined ? {} : { eta }), ...(calibration ? { calibration } : {}), ...(thresholds ? { thresholds } : {}) },
    { features, intercepts: frame.intercepts, kept: indices, rows: Reals.from(all) });
}

function interactions(file) {
  const [features, outputs] = sizeOf(file);
  const { indices, main_effects: effects, products } = file.coefficients;
  const kept = numbersOf('indices', undefined, features)(indices);
  const read = ({ outputs: of, values }, first, second) => {
    const count = list(values, 'coefficients').length;
    const [output, one, other] = [numbersOf('outputs', count, outputs)(of), ...[first, second].map((of) => of && numbersOf('features', count, features)(of))];
    return values.map((value, t) => ({ output: output[t], first: one[t], second: other ? other[t] : -1, value }));
  };
  const place = ({ output, first, second }) => [output, Number(second >= 0), first, second];
  const terms = [...read(effects, effects.indices), ...read(products, products.first, products.second)].sort((a, b) => {
    const [p, q] = [place(a), place(b)];
    const at = p.findIndex((value, i) => value !== q[i]);
    return at < 0 ? 0 : p[at] - q[at];
  });
  const { Reals, ...frame } = frameOf(file, kept, { outputs, count: terms.length, rows: kept.length });
  const { loss, hierarchy, norm, lambda2 } = file;
  return {
    kind: 'interactions', ...frame, loss, hierarchy, norm, lambda2,
    outputs: Uint32Array.from(terms, ({ output }) => output), first: Uint32Array.from(terms, ({ first }) => first),
    second: Int32Array.from(terms, ({ second }) => second), coefficients: Reals.from(terms, ({ value }) => value),
  };
}

function kernels(file) {
  const [features, classes] = sizeOf(file);
  const { samples, terms } = file.coefficients;
  const outputs = file.form === 'binary' ? 1 : classes;
  const rows = list(terms.values, 'rows of coefficients', undefined, Array.isArray);
  const kept = list(file.kernels, 'kernels', undefined, isObject).map(({ kind, parameters }) =>
    (list(parameters, 'parameters').length ? `${kind}:${parameters.join(',')}` : kind));
  const { Reals, samples: trainingSamples, ...frame } = frameOf(file, Array.from({ length: features }, (_, j) => j),
    { outputs, count: rows.length * outputs, rows: rows.length });
  const { form, p, q, r } = file;
  return {
    kind: 'kernels', ...frame, form, p, q, r, trainingSamples, kernels: kept,
    selfTest: (file.self_test ?? []).map((row) => Float64Array.from(row)),
    samples: list(samples.values, 'samples', samples.indices.length, Array.isArray).map((row) => Float64Array.from(list(row, 'numbers in a sample', features))),
    origins: Uint32Array.from(samples.indices),
    termKernels: Uint32Array.from(numbersOf('kernels of terms', rows.length, kept.length)(terms.kernels)),
    termSamples: Uint32Array.from(numbersOf('samples of terms', rows.length, samples.indices.length)(terms.samples)),
    coefficients: Reals.from(rows.flatMap(numbersOf('coefficients of a term', outputs))),
  };
}
