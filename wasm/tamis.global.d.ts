declare global {
  /** What tamis exports, as a script defines it; the rest is as in tamis.bundle.d.ts. */
  var tamis: typeof import('./tamis.js');
}
export {};
