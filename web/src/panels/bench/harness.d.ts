/** What bench/harness.mjs offers, as far as the page calls it. */
export interface Exports {
  readonly memory: WebAssembly.Memory;
  tamis_bench_count(): number;
  /** Of the workload of that number; the address of its text. */
  tamis_bench_name(workload: number): number;
  tamis_bench_kind(workload: number): number;
}

/** The functions of a module of workloads. */
export function load(bytes: ArrayBuffer): Promise<Exports>;
/** target,name,kind,seconds_per_run,flops,bytes,checksum of each workload. Without times, each runs once. */
export function lines(exports: Exports, target: string, times?: boolean): Generator<string>;
