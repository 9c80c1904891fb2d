// What products with designs of one or two bytes a number cost beside those of the same numbers as float, in memory.
// Run: build/test/bench/bench_quantised
#include "tamis/design/quantised.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

using namespace tamis;

/// The products of one design, and the least seconds that each took.
template <class Design>
struct Timed {
  Design design;
  double multiply = 1e9, transposed = 1e9;

  void run(const std::vector<float>& w, const std::vector<float>& u, std::vector<float>& z, std::vector<float>& g,
           Index stride, int times) {
    const auto measure = [&](double& least, auto work) {
      const auto start = std::chrono::steady_clock::now();
      for (int time = 0; time < times; ++time) work();
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      least = std::min(least, taken.count() / times);
    };
    const Index features = design.features();
    measure(multiply, [&] {
      design.multiply(nullptr, features, w.data(), stride, row_of(w.data(), features, stride), z.data());
    });
    measure(transposed, [&] { design.transposed_multiply(nullptr, features, u.data(), stride, g.data()); });
  }
};

template <class Integer>
void compare(Index samples, Index features, Index classes) {
  const std::size_t count = std::size_t(samples) * features;
  std::vector<Integer> columns(count), rows(count);
  std::vector<float> values(count);
  std::uint32_t state = 1;
  for (Index i = 0; i < samples; ++i)
    for (Index j = 0; j < features; ++j) {
      state = state * 1664525u + 1013904223u;
      const auto q = static_cast<Integer>(state >> 16);
      columns[i + std::size_t(j) * samples] = rows[j + std::size_t(i) * features] = q;
      values[i + std::size_t(j) * samples] = static_cast<float>(q) * 0.01f;
    }
  const Index stride = padded<float>(classes);
  const std::vector<float> w(std::size_t(features + 1) * stride, 0.5f), u(std::size_t(samples) * stride, 0.25f);
  std::vector<float> z(std::size_t(samples) * stride), g(std::size_t(features) * stride);
  const Quantisation<float, Integer> meaning{.scale = 0.01f};
  Timed<DenseDesign<float>> dense{{values.data(), samples, features}};
  Timed<QuantisedDesign<float, Integer>> by_columns{{columns.data(), samples, features, meaning}};
  Timed<QuantisedDesign<float, Integer>> by_rows{
      {rows.data(), samples, features, meaning, QuantisedLayout::by_rows(features)}};
  const int times = std::max(1, static_cast<int>(5e6 / (double(count) * classes)));
  for (int round = 0; round < 100; ++round) {  // in turn: what slows the machine down slows all of them
    dense.run(w, u, z, g, stride, times);
    by_columns.run(w, u, z, g, stride, times);
    by_rows.run(w, u, z, g, stride, times);
  }
  std::printf("%5u x %-4u %4u %7zu %12.3f %8.2f %8.2f %14.3f %8.2f %8.2f\n", samples, features, classes,
              sizeof(Integer), dense.multiply * 1e3, by_columns.multiply / dense.multiply,
              by_rows.multiply / dense.multiply, dense.transposed * 1e3, by_columns.transposed / dense.transposed,
              by_rows.transposed / dense.transposed);
}

}  // namespace

int main() {
  std::puts("                                  XW: float  columns     rows   X'U: float  columns     rows");
  std::puts("    design  classes  bytes        ms           ratio of time        ms           ratio of time");
  for (const Index classes : {3u, 10u, 26u}) {
    compare<std::uint8_t>(200, 64, classes);
    compare<std::int16_t>(200, 64, classes);
    compare<std::uint8_t>(5000, 784, classes);
    compare<std::int16_t>(5000, 784, classes);
  }
}
