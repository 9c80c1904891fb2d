/** What tamis exports, in one file with the single-precision modules inside: nothing is fetched. What needs other modules is told where they are by `load`. */
export * from './tamis.js';
