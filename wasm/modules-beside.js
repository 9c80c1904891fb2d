// Where the modules are that are loaded when something asks for them: those with all solvers of linear models, and what is
// beside linear models. Each URL is written out, because that is how bundlers find the files.

export const baselines = {
  float: [
    () => new URL('./tamis-baselines.wasm', import.meta.url),
    () => new URL('./tamis-baselines-simd.wasm', import.meta.url),
  ],
};

export const interactions = {
  float: [
    () => new URL('./tamis-interactions.wasm', import.meta.url),
    () => new URL('./tamis-interactions-simd.wasm', import.meta.url),
  ],
  double: [
    () => new URL('./tamis-interactions-double.wasm', import.meta.url),
    () => new URL('./tamis-interactions-double-simd.wasm', import.meta.url),
  ],
};

export const kernels = {
  float: [
    () => new URL('./tamis-kernels.wasm', import.meta.url),
    () => new URL('./tamis-kernels-simd.wasm', import.meta.url),
  ],
  double: [
    () => new URL('./tamis-kernels-double.wasm', import.meta.url),
    () => new URL('./tamis-kernels-double-simd.wasm', import.meta.url),
  ],
};

export const features = {
  float: [
    () => new URL('./tamis-features.wasm', import.meta.url),
    () => new URL('./tamis-features-simd.wasm', import.meta.url),
  ],
  double: [
    () => new URL('./tamis-features-double.wasm', import.meta.url),
    () => new URL('./tamis-features-double-simd.wasm', import.meta.url),
  ],
};
