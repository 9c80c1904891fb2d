/** The benchmark suite, as plugins/bench.js makes it. */
declare module 'virtual:bench' {
  export interface Figure {
    name: string;
    kind: string;
    seconds: number;
    checksum: string;
  }
  /** Addresses of its modules; null when the page was built without them. */
  export const modules: { base: string; simd: string } | null;
  /** What the native workloads took where and when. */
  export const recorded: { date: string; machine: string; compiler: string; load: number; workloads: Figure[] };
}
