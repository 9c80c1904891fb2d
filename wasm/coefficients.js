// Coefficients of linear models: in a module, as the rows that are not zero, and as all weights.

/** Entries of a row in a module. The last row has the intercepts. */
export const strideOf = (module, classes) => Math.ceil((classes * module.scalarBytes) / 16) * (16 / module.scalarBytes);
export const coefficientBytes = (module, features, classes) => (features + 1) * strideOf(module, classes) * module.scalarBytes;
export const model_struct = { words: ['coefficients', 'features', 'classes'] }; // tamis_model

/** The rows of a tamis_model that are not zero, and which these are: { features, kept, rows, intercepts }. */
export function readRows(module, at) {
  const { coefficients, features, classes } = module.read(model_struct, at);
  const first = coefficients / module.scalarBytes;
  const stride = strideOf(module, classes);
  const row = (j) => module.reals.subarray(first + j * stride, first + j * stride + classes);
  const kept = [];
  for (let j = 0; j < features; ++j) if (row(j).some((w) => w !== 0)) kept.push(j);
  const rows = new module.Reals(kept.length * classes);
  kept.forEach((j, r) => rows.set(row(j), r * classes));
  return { features, kept: Uint32Array.from(kept), rows, intercepts: row(features).slice() };
}

/** Writes a tamis_model at `at` with its coefficients at `to`. */
export function writeModel(module, at, to, { features, weights, intercepts }) {
  const classes = intercepts.length;
  const first = to / module.scalarBytes;
  const stride = strideOf(module, classes);
  module.reals.fill(0, first, first + (features + 1) * stride);
  for (let j = 0; j < features; ++j) module.reals.set(weights.subarray(j * classes, (j + 1) * classes), first + j * stride);
  module.reals.set(intercepts, first + features * stride);
  module.write(model_struct, at, { coefficients: to, features, classes });
}

/** Everything a model consists of, of its rows; `frame`: what models of a problem have in common. */
export function modelData(frame, { kept, rows, ...others }) {
  const { features, intercepts: { length: classes } } = others;
  const weights = new rows.constructor(features * classes);
  kept.forEach((j, r) => weights.set(rows.subarray(r * classes, (r + 1) * classes), j * classes));
  return { ...frame, ...others, weights };
}

/** What is told of a point of a path; toModel(data) makes its model when it is asked for. */
export function withModel(frame, point, toModel) {
  let model = null;
  return {
    lambda: point.lambda,
    report: point.report,
    nonzeroRows: point.report.nonzeroRows,
    get model() {
      model ??= toModel(modelData(frame, point));
      return model;
    },
  };
}
