#pragma once
/* The workloads, defined once: what every harness runs, native and in WebAssembly alike. No heap, no library but tamis:
 * the data are drawn into static memory. Not for several threads at once. Float, or double with TAMIS_BENCH_DOUBLE. */
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Workloads are numbered from 0 to tamis_bench_count() - 1. */
uint32_t tamis_bench_count(void);

/* Unique, such as "multiply/150x4x3" (samples x features x classes). */
const char* tamis_bench_name(uint32_t workload);

/* "floor" (what the machine can do), "kernel", "solve" or "prediction". */
const char* tamis_bench_kind(uint32_t workload);

/* Floating-point operations of one run, padding not counted, twice the additions where those are more than the
 * multiplications; of a solve, those of its products with the samples, known
 * after its first run, or 0 where it does not count them. */
double tamis_bench_flops(uint32_t workload);

/* Bytes read and written by one run if nothing is cached; of a solve, those of its products, or 0. */
double tamis_bench_bytes(uint32_t workload);

/* Bytes of memory that a run goes over, once or often: they tell which cache it works from. */
double tamis_bench_span(uint32_t workload);

/* What most of its traffic does: 0 reads, 1 changes numbers in place, 2 and 3 the same with rows by their numbers. */
int tamis_bench_traffic(uint32_t workload);

/* Runs it so many times. The first run after another workload also draws the data; 0 runs draw them alone. */
void tamis_bench_run(uint32_t workload, uint32_t repeats);

/* Runs it once and folds the bits of all results into one number (FNV-1a): the same on every target. 0: a solve
 * did not reach its tolerance. */
uint64_t tamis_bench_checksum(uint32_t workload);

#ifdef __cplusplus
}
#endif
