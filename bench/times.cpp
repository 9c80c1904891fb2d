// One CSV line per workload: target,name,kind,seconds_per_run,flops,bytes,checksum. The ratio table is made of these.
// Run: bench_times           (the least of several repetitions, after a warm-up)
//      bench_times checksums (each workload once; no times)
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "workloads.hpp"

namespace {

double seconds(std::uint32_t workload, std::uint32_t runs) {
  const auto started = std::chrono::steady_clock::now();
  tamis_bench_run(workload, runs);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

/// As `seconds_per_run` of harness.mjs.
double seconds_per_run(std::uint32_t workload) {
  std::uint32_t runs = 1;
  while (seconds(workload, runs) < 0.01) runs *= 2;
  double least = seconds(workload, runs);
  for (int repetition = 1; repetition < 15; ++repetition) {
    const double now = seconds(workload, runs);
    if (now < least) least = now;
  }
  return least / runs;
}

}  // namespace

int main(int argc, char** argv) {
  const bool times = !(argc > 1 && std::strcmp(argv[1], "checksums") == 0);
  for (std::uint32_t i = 0; i < tamis_bench_count(); ++i) {
    const std::uint64_t checksum = tamis_bench_checksum(i);
    std::printf("native,%s,%s,%.6g,%.0f,%.0f,%016" PRIx64 "\n", tamis_bench_name(i), tamis_bench_kind(i),
                times ? seconds_per_run(i) : 0.0, tamis_bench_flops(i), tamis_bench_bytes(i), checksum);
    std::fflush(stdout);
  }
}
