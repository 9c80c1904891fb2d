// A module of one function that makes a vector: valid only where there is SIMD.
const probe = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 11, 1, 9, 0, 67, 0, 0, 0, 0, 253, 19, 11];

export const hasWebAssembly = () => typeof WebAssembly === 'object' && typeof WebAssembly.validate === 'function';
export const hasSimd = () => WebAssembly.validate(new Uint8Array(probe));
