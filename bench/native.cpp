// Kernels by Google Benchmark, then the ratios of whole solves against the published algorithm.
// Run: build/test/bench/bench_native   (options of Google Benchmark apply; --benchmark_filter=none skips the kernels)
#include <benchmark/benchmark.h>

#include <cstdio>
#include <memory>

#include "tamis/tamis.hpp"
#include "workloads.hpp"

namespace tamis::bench {

namespace {

/// Matrices of the shape of a problem, filled with numbers between −1 and 1.
struct Matrices {
  Index samples, features, classes, stride;
  std::vector<float> x, w, u, g, z;

  Matrices(Index n, Index p, Index K)
      : samples(n), features(p), classes(K), stride(padded<float>(K)), x(filled(n * p)), w(filled((p + 1) * stride)),
        u(filled(n * stride)), g(w), z(u) {}
  static std::vector<float> filled(std::size_t count) {
    std::vector<float> out(count);
    std::uint32_t state = 1;
    for (float& entry : out) {
      state = state * 1664525u + 1013904223u;
      entry = static_cast<float>(static_cast<double>(state >> 8) / 8388608.0 - 1);
    }
    return out;
  }
};

}  // namespace

std::vector<Kernel> kernels() {
  std::vector<Kernel> out;
  for (const auto& [n, p, K] : {std::tuple<Index, Index, Index>{150, 4, 3}, {1797, 64, 10}, {38, 7129, 3}, {2000, 784, 10}}) {
    const auto m = std::make_shared<Matrices>(n, p, K);
    const std::string shape = std::to_string(n) + "x" + std::to_string(p) + "x" + std::to_string(K);
    const double flops = 2.0 * n * p * K;
    const double bytes = 4.0 * (double(n) * p + double(p) * m->stride + double(n) * m->stride);
    out.push_back({"multiply/" + shape, flops, bytes, [m] {
                     const DenseDesign<float> design(m->x.data(), m->samples, m->features);
                     design.multiply(nullptr, m->features, m->w.data(), m->stride, m->w.data(), m->z.data());
                   }});
    out.push_back({"transposed_multiply/" + shape, flops, bytes, [m] {
                     const DenseDesign<float> design(m->x.data(), m->samples, m->features);
                     design.transposed_multiply(nullptr, m->features, m->u.data(), m->stride, m->g.data());
                   }});
  }
  const auto m = std::make_shared<Matrices>(1797, 64, 10);
  out.push_back({"simplex_projection/1797x10", 1797.0 * 10 * 3, 1797.0 * 12 * 8, [m] {
                   m->z = m->u;
                   for (Index i = 0; i < m->samples; ++i) project_simplex(row_of(m->z.data(), i, m->stride), m->classes, 1.0f);
                 }});
  return out;
}

namespace {

int print_comparisons() {
  std::printf("\n%-66s %12s %10s %14s\n", "problem (one thread, double)", "iterations", "seconds", "relative gap");
  for (const auto& c : comparisons()) {
    if (!c.available) {
      std::printf("%-66s skipped: set TAMIS_DATA\n", c.name.c_str());
      continue;
    }
    std::printf("%s\n", c.name.c_str());
    const auto show = [](const std::string& solver, const Solve& s) {
      std::printf("    %-62s %12u %10.3f %14.2e  %s\n", solver.c_str(), s.iterations, s.seconds, s.relative_gap, s.status.c_str());
      std::fflush(stdout);
    };
    const Solve ours = c.run_ours(), baseline = c.run_baseline();
    show(c.ours, ours);
    show(c.baseline, baseline);
    const bool by_iterations = c.measure == "iterations";
    const double ratio = by_iterations ? double(baseline.iterations) / ours.iterations : baseline.seconds / ours.seconds;
    std::printf("    ratio of %s: %s%.1f (aim: %.0f)\n", c.measure.c_str(), baseline.status == "stopped" ? "more than " : "", ratio, c.target);
  }
  return 0;
}

}  // namespace

}  // namespace tamis::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const auto& kernel : tamis::bench::kernels())
    benchmark::RegisterBenchmark(kernel.name.c_str(), [kernel](benchmark::State& state) {
      for (auto _ : state) {
        kernel.run();
        benchmark::ClobberMemory();
      }
      using benchmark::Counter;
      state.counters["flop/s"] = Counter(kernel.flops, Counter::kIsIterationInvariantRate);
      state.counters["byte/s"] = Counter(kernel.bytes, Counter::kIsIterationInvariantRate);
    });
  benchmark::RunSpecifiedBenchmarks();
  return tamis::bench::print_comparisons();
}
