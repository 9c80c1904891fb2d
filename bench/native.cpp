// The workloads by Google Benchmark.
// Run: bench_native --benchmark_format=json (options of Google Benchmark apply)
// The label of a workload is its kind and its checksum. TAMIS_BENCH_TARGET, _COMPILER and _FLAGS go into the context.
#include <benchmark/benchmark.h>

#include <cinttypes>
#include <cstdio>

#include "workloads.hpp"

namespace {

void run_workload(benchmark::State& state, std::uint32_t workload) {
  tamis_bench_run(workload, 0);
  char label[64];
  std::snprintf(label, sizeof label, "%s %016" PRIx64, tamis_bench_kind(workload), tamis_bench_checksum(workload));
  state.SetLabel(label);
  for (auto _ : state) tamis_bench_run(workload, 1);
  state.counters["flops"] = tamis_bench_flops(workload);
  state.counters["bytes"] = tamis_bench_bytes(workload);
  state.counters["span"] = tamis_bench_span(workload);
  state.counters["traffic"] = tamis_bench_traffic(workload);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("target", TAMIS_BENCH_TARGET);
  benchmark::AddCustomContext("compiler", TAMIS_BENCH_COMPILER);
  benchmark::AddCustomContext("flags", TAMIS_BENCH_FLAGS);
  for (std::uint32_t i = 0; i < tamis_bench_count(); ++i)
    benchmark::RegisterBenchmark(tamis_bench_name(i), run_workload, i)->UseRealTime();
  benchmark::RunSpecifiedBenchmarks();
}
