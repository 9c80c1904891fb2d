import type { LoadOptions, Tamis } from './tamis.js';
export * from './tamis.js';

/** As `load` of tamis, with the single-precision module inside JavaScript: nothing is fetched. */
export function load(options?: Omit<LoadOptions, 'wasm'>): Promise<Tamis>;
/** Options that give that module to a worker: `createWorkerClient(undefined, await embedded())`. */
export function embedded(options?: Omit<LoadOptions, 'wasm'>): Promise<LoadOptions>;
