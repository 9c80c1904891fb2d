// Where the modules are that train one model: those of the catalogue. Each URL is written out, because that is how bundlers
// find the files.

/** Without SIMD and with it. */
export const trainings = {
  'hinge-ridge': [() => new URL('./tamis-hinge-ridge.wasm', import.meta.url), () => new URL('./tamis-hinge-ridge-simd.wasm', import.meta.url)],
  'hinge': [() => new URL('./tamis-hinge.wasm', import.meta.url), () => new URL('./tamis-hinge-simd.wasm', import.meta.url)],
  'hinge-groups': [() => new URL('./tamis-hinge-groups.wasm', import.meta.url), () => new URL('./tamis-hinge-groups-simd.wasm', import.meta.url)],
  'squared-hinge-ridge': [() => new URL('./tamis-squared-hinge-ridge.wasm', import.meta.url), () => new URL('./tamis-squared-hinge-ridge-simd.wasm', import.meta.url)],
  'squared-hinge': [() => new URL('./tamis-squared-hinge.wasm', import.meta.url), () => new URL('./tamis-squared-hinge-simd.wasm', import.meta.url)],
  'squared-hinge-groups': [() => new URL('./tamis-squared-hinge-groups.wasm', import.meta.url), () => new URL('./tamis-squared-hinge-groups-simd.wasm', import.meta.url)],
  'logistic': [() => new URL('./tamis-logistic.wasm', import.meta.url), () => new URL('./tamis-logistic-simd.wasm', import.meta.url)],
  'logistic-groups': [() => new URL('./tamis-logistic-groups.wasm', import.meta.url), () => new URL('./tamis-logistic-groups-simd.wasm', import.meta.url)],
  'one-vs-rest': [() => new URL('./tamis-one-vs-rest.wasm', import.meta.url), () => new URL('./tamis-one-vs-rest-simd.wasm', import.meta.url)],
  'one-vs-rest-groups': [() => new URL('./tamis-one-vs-rest-groups.wasm', import.meta.url), () => new URL('./tamis-one-vs-rest-groups-simd.wasm', import.meta.url)],
  'constrained': [() => new URL('./tamis-constrained.wasm', import.meta.url), () => new URL('./tamis-constrained-simd.wasm', import.meta.url)],
  'fista': [() => new URL('./tamis-fista.wasm', import.meta.url), () => new URL('./tamis-fista-simd.wasm', import.meta.url)],
  'ranking': [() => new URL('./tamis-ranking.wasm', import.meta.url), () => new URL('./tamis-ranking-simd.wasm', import.meta.url)],
};
