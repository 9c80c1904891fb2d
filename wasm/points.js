// Points of a path: the coefficients of the kept features, from which a model is made when it is asked for.

/** Everything a model consists of. */
export function modelData(frame, { lambda, report, features, kept, rows, intercepts }) {
  const classes = intercepts.length;
  const weights = new rows.constructor(features * classes);
  kept.forEach((j, r) => weights.set(rows.subarray(r * classes, (r + 1) * classes), j * classes));
  return { ...frame, features, weights, intercepts, report, lambda };
}

/** What is told of a point; toModel(data) makes its model. */
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
