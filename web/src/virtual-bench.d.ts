/** The benchmark suite, as plugins/bench.js makes it. */
declare module 'virtual:bench' {
  /** What native code takes: as fast as it can, and as wide as each of the modules. */
  export interface Recorded {
    name: string;
    kind: string;
    checksum: string | null;
    /** Seconds; null where it was not measured. */
    native: number | null;
    simd: number | null;
    base: number | null;
    /** What the modules took in a browser on the same machine. */
    here: { simd: number | null; base: number | null };
  }
  /** Addresses of its modules; null when the page was built without them. */
  export const modules: { base: string; simd: string } | null;
  /** What was recorded where and when. */
  export const recorded: {
    processor: string;
    date: string;
    busy: boolean;
    compilers: Record<'native' | 'simd' | 'base', string>;
    workloads: Recorded[];
  };
}
