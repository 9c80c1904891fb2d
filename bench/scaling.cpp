// Time and memory of solves certified to 1e-3 against samples, features, classes, sparsity and λ, in float; CPU time of
// one thread.
//
// Samples are drawn: ten features tell the classes apart, one sample in twenty has another label, the rest is noise; so
// the model stays as sparse while a problem grows. λ is a tenth of λ_max unless it is what varies. Of solves that take
// less than 0.3 s the fastest of three.
// Run: bench_scaling [--quick] [--cap SECONDS]   prints JSON: [{series, loss, x, seconds, bytes, data_bytes, …}…]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "tamis/tamis.hpp"

namespace {

using namespace tamis;
using Real = float;
constexpr Index informative = 10;

struct Problem {
  const char* series;
  double x;  ///< what varies
  Index samples, features, classes;
  double density = 1, lambda = 0.1;  ///< of λ_max
};

/// Samples by compressed columns, and dense where all values are there.
struct Data {
  std::vector<Real> values;
  std::vector<Index> rows, starts;
  std::vector<Label> labels;
};

Data draw(const Problem& p) {
  std::mt19937 random(1);
  Data out;
  std::vector<Label> truth(p.samples);
  for (Index i = 0; i < p.samples; ++i) truth[i] = static_cast<Label>(i < p.classes ? i : random() % p.classes);
  std::vector<Real> codes(std::size_t{informative} * p.classes);  // of each class on the features that tell
  for (auto& code : codes) code = Real(random() % 2001) / 1000 - 1;
  const auto threshold = static_cast<std::uint32_t>(p.density * 4294967295.0);
  for (Index j = 0; j < p.features; ++j) {
    out.starts.push_back(static_cast<Index>(out.values.size()));
    for (Index i = 0; i < p.samples; ++i) {
      if (p.density < 1 && random() > threshold) continue;
      const Real centre = j < informative ? codes[std::size_t{j} * p.classes + truth[i]] : Real(0);
      out.values.push_back(centre + Real(random() % 2001) / 1000 - 1);
      if (p.density < 1) out.rows.push_back(i);
    }
  }
  out.starts.push_back(static_cast<Index>(out.values.size()));
  out.labels = truth;
  for (Index i = p.classes; i < p.samples; ++i)
    if (random() % 20 == 0) out.labels[i] = static_cast<Label>(random() % p.classes);
  return out;
}

struct Timed {
  double seconds = 0;
  Report<Real> report{};
};

template <class Training, class Design>
Timed solve(const Design& design, const Targets<Real>& targets, Real lambda, std::span<std::byte> memory, double cap) {
  const Training training({.lambda = lambda, .tolerance = 1e-3f});
  auto solver = training.solver(design, targets);
  const std::clock_t started = std::clock();
  const auto elapsed = [&] { return double(std::clock() - started) / CLOCKS_PER_SEC; };
  solver.start(memory);
  while (elapsed() < cap && solver.step()) {
  }
  return {elapsed(), solver.report()};
}

class Writer {
 public:
  Writer(double cap) : cap_(cap) {}

  template <class Training, class Design>
  void measure(const char* loss, const Problem& p, const Data& data, const Design& design) {
    const Targets<Real> targets{data.labels, p.classes};
    const Shape shape{p.samples, p.features, p.classes};
    const std::size_t bytes = Training::bytes(shape, {data.values.size(), 300});
    const std::unique_ptr<std::byte[], decltype(&std::free)> memory(
        static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64)), std::free);
    const std::span<std::byte> arena(memory.get(), bytes);
    const Timed zero = solve<Training>(design, targets, Real(1e6), arena, cap_);  // for λ_max
    const Real lambda = Real(p.lambda) * zero.report.lambda_max;
    std::optional<Timed> best;
    double spent = 0;
    for (int run = 0; run < 3 && (!best || spent < 0.3); ++run) {
      const Timed now = solve<Training>(design, targets, lambda, arena, cap_);
      spent += now.seconds;
      if (!best || now.seconds < best->seconds) best = now;
    }
    std::printf(
        "%s\n{\"series\": \"%s\", \"loss\": \"%s\", \"x\": %.6g, \"samples\": %u, \"features\": %u, \"classes\": %u, "
        "\"entries\": %zu, \"seconds\": %.6g, \"bytes\": %zu, \"data_bytes\": %zu, \"status\": \"%s\", "
        "\"iterations\": %u, \"epochs\": %.6g, \"rows\": %u, \"relative_gap\": %.3g}",
        first_ ? "" : ",", p.series, loss, p.x, p.samples, p.features, p.classes, data.values.size(), best->seconds,
        bytes, data.values.size() * (p.density < 1 ? 8 : 4), name(best->report.status), best->report.iterations,
        double(best->report.epochs), best->report.nonzero_rows, double(best->report.relative_gap));
    std::fflush(stdout);
    first_ = false;
  }

  template <class Design>
  void measure_smooth(const Problem& p, const Data& data, const Design& design) {
    measure<Training<Real, SquaredHinge, GroupL2, Design>>("squared-hinge", p, data, design);
    measure<Training<Real, Logistic, GroupL2, Design>>("logistic", p, data, design);
  }

  void operator()(const Problem& p) {
    const Data data = draw(p);
    if (p.density < 1) {
      measure_smooth(
          p, data, SparseDesign<Real>(data.values.data(), data.rows.data(), data.starts.data(), p.samples, p.features));
    } else {
      const DenseDesign<Real> design(data.values.data(), p.samples, p.features);
      measure_smooth(p, data, design);
      measure<Training<Real, Hinge, L1>>("hinge", p, data, design);
    }
  }

 private:
  double cap_;
  bool first_ = true;
};

}  // namespace

int main(int argc, char** argv) {
  bool quick = false;
  double cap = 20;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0) {
      quick = true;
    } else if (std::strcmp(argv[i], "--cap") == 0 && i + 1 < argc) {
      cap = std::atof(argv[++i]);
    } else {
      std::fprintf(stderr, "Use: bench_scaling [--quick] [--cap SECONDS]\n");
      return 2;
    }
  }
  Writer write(cap);
  std::printf("[");
  const auto up_to = [&](Index most) { return quick ? most / 10 : most; };
  for (const Index n : {300u, 1000u, 3000u, 10000u, 30000u})
    if (n <= up_to(30000)) write({"samples", double(n), n, 50, 5});
  for (const Index p : {100u, 300u, 1000u, 3000u, 10000u})
    if (p <= up_to(10000)) write({"features", double(p), 500, p, 5});
  for (const Index k : {2u, 5u, 10u, 20u, 50u, 100u})
    if (k <= up_to(100)) write({"classes", double(k), 2000, 50, k});
  for (const double density : {0.001, 0.003, 0.01, 0.03, 0.1})
    if (density <= (quick ? 0.01 : 0.1)) write({"density", density, 5000, 2000, 5, density});
  for (const double lambda : {0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005})
    if (lambda >= (quick ? 0.05 : 0.005)) write({"lambda", lambda, 2000, 200, 5, 1, lambda});
  std::printf("\n]\n");
}
