// The workloads by Google Benchmark, then the ratios of whole solves against the published algorithm.
// Run: build/test/bench/bench_native (options of Google Benchmark apply; --benchmark_filter=none skips the workloads)
#include <benchmark/benchmark.h>

#include <cstdio>

#include "comparisons.hpp"
#include "workloads.hpp"

namespace tamis::bench {

namespace {

void register_workload(std::uint32_t workload) {
  tamis_bench_checksum(workload);  // the costs of a solve are known after one run
  const double flops = tamis_bench_flops(workload), bytes = tamis_bench_bytes(workload);
  benchmark::RegisterBenchmark(tamis_bench_name(workload), [=](benchmark::State& state) {
    for (auto _ : state) tamis_bench_run(workload, 1);
    using benchmark::Counter;
    state.counters["flop/s"] = Counter(flops, Counter::kIsIterationInvariantRate);
    state.counters["byte/s"] = Counter(bytes, Counter::kIsIterationInvariantRate);
  });
}

int print_comparisons() {
  std::printf("\n%-66s %12s %10s %14s\n", "problem (one thread, double)", "iterations", "seconds", "relative gap");
  for (const auto& c : comparisons()) {
    if (!c.available) {
      std::printf("%-66s skipped: set TAMIS_DATA\n", c.name.c_str());
      continue;
    }
    std::printf("%s\n", c.name.c_str());
    const auto show = [](const std::string& solver, const Solve& s) {
      std::printf("    %-62s %12u %10.3f %14.2e  %s\n", solver.c_str(), s.iterations, s.seconds, s.relative_gap,
                  s.status.c_str());
      std::fflush(stdout);
    };
    const Solve ours = c.run_ours(), baseline = c.run_baseline();
    show(c.ours, ours);
    show(c.baseline, baseline);
    const bool by_iterations = c.measure == "iterations";
    const double ratio =
        by_iterations ? double(baseline.iterations) / ours.iterations : baseline.seconds / ours.seconds;
    std::printf("    ratio of %s: %s%.1f (aim: %.0f)\n", c.measure.c_str(),
                baseline.status == "stopped" ? "more than " : "", ratio, c.target);
  }
  return 0;
}

}  // namespace

}  // namespace tamis::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (std::uint32_t i = 0; i < tamis_bench_count(); ++i) tamis::bench::register_workload(i);
  benchmark::RunSpecifiedBenchmarks();
  return tamis::bench::print_comparisons();
}
