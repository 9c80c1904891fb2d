// Passes over sparse columns beside a matrix of scores, as an epoch of block coordinate descent makes them, against
// what reading the values and their scores once takes on the same machine: the floor of traffic.
//
// The floor is the bytes of the values, their positions and the rows of scores that they point at, over the bandwidth
// of a plain sum over 256 MB, which the first line gives; columns come in the order of an epoch. Then a whole solve by
// block coordinate descent and Newton's method, beside what its passes take at that bandwidth.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <random>
#include <tuple>
#include <vector>

#include "tamis/solver/block_coordinate_descent.hpp"
#include "tamis/tamis.hpp"

namespace {

using namespace tamis;

volatile float sink;

template <class Work>
double best_of(int rounds, Work work) {
  double best = 1e30;
  for (int round = 0; round < rounds; ++round) {
    const auto started = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
  }
  return best;
}

struct Columns {
  std::vector<float> values;
  std::vector<Index> rows, starts;
};

Columns measure(double bandwidth, const char* name, Index samples, Index features, Index classes, std::size_t entries) {
  const Index stride = padded<float>(classes);
  std::mt19937 random(1);
  std::vector<Label> labels(samples);
  for (auto& label : labels) label = static_cast<Label>(random() % classes);
  std::vector<float> z(std::size_t(samples) * stride, 0.0f), numbers(stride), valid(stride, 0.0f), g(stride), h(stride);
  for (Index i = 0; i < samples; ++i)
    for (Index k = 0; k < classes; ++k) z[std::size_t(i) * stride + k] = float(random() % 1000) / 500 - 1.5f;
  for (Index k = 0; k < stride; ++k) numbers[k] = float(k);
  for (Index k = 0; k < classes; ++k) valid[k] = 1;
  // Column lengths fall off as those of words do; entries sorted by label, then by sample, as the solver's copy has
  // them.
  std::vector<float> values;
  std::vector<Index> rows, starts{0};
  double total = 0;
  for (Index j = 0; j < features; ++j) total += 1.0 / (j + 10);
  std::vector<Index> order(samples);
  for (Index j = 0; j < features; ++j) {
    const auto count = std::min<Index>(samples, static_cast<Index>(double(entries) / total / (j + 10)) + 1);
    for (Index i = 0; i < samples; ++i) order[i] = i;
    for (Index e = 0; e < count; ++e) std::swap(order[e], order[e + random() % (samples - e)]);
    std::sort(order.begin(), order.begin() + count,
              [&](Index a, Index b) { return std::pair(labels[a], a) < std::pair(labels[b], b); });
    for (Index e = 0; e < count; ++e) {
      rows.push_back(order[e]);
      values.push_back(float(random() % 255 + 1) / 255);
    }
    starts.push_back(static_cast<Index>(rows.size()));
  }
  const auto column = [&](Index j) {
    return Column<float>{&values[starts[j]], &rows[starts[j]], starts[j + 1] - starts[j]};
  };
  const detail::ViolationPass<float> pass{
      z.data(), labels.data(),  nullptr,      nullptr,
      1,        numbers.data(), valid.data(), z.size() * sizeof(float) > std::size_t(1) << 20};
  const auto over_all = [&](auto visit) {
    return best_of(7, [&] {
      for (Index j = 0; j < features; ++j) visit(j);
    });
  };
  const std::vector<float> step(stride, 1e-7f);
  const double sums =
      over_all([&](Index j) { sum_column(column(j), static_cast<const float*>(z.data()), stride, g.data()); });
  const double violations = over_all([&](Index j) {
    detail::sum_violations<float, Violations::of_pairs>(column(j), pass, stride, g.data(), h.data());
  });
  const double updates = over_all([&](Index j) { add_column(column(j), step.data(), stride, z.data()); });
  const auto count = double(rows.size());
  const double floor = count * (8.0 + 4 * stride) / bandwidth;
  std::printf("%s: %.0f values, %u classes; once from memory %.2f ns a value\n", name, count, classes,
              1e9 * floor / count);
  for (const auto& [what, seconds] : {std::pair("gradient of given duals", sums),
                                      std::pair("gradient and curvature of the squared hinge", violations),
                                      std::pair("update of the scores", updates)})
    std::printf("  %-44s %.2f ns a value: %.0f %% of that speed\n", what, 1e9 * seconds / count, 100 * floor / seconds);
  return {values, rows, starts};
}

/// Squared hinge, l1/l2 rows, a twentieth of λ_max, certified to 1e-4: the same columns, with labels of a random linear
/// rule.
void solve(double bandwidth, const Columns& columns, Index samples, Index features, Index classes) {
  const Index stride = padded<float>(classes);
  std::mt19937 random(2);
  std::vector<float> scores(std::size_t(samples) * stride, 0.0f), rule(stride, 0.0f);
  std::vector<float> values = columns.values;
  std::vector<Index> rows = columns.rows;
  std::vector<Label> labels(samples);
  for (Index j = 0; j < features; ++j) {
    std::vector<std::pair<Index, float>> column;
    for (Index e = columns.starts[j]; e < columns.starts[j + 1]; ++e) column.emplace_back(rows[e], values[e]);
    std::sort(column.begin(), column.end());
    for (Index k = 0; k < classes; ++k) rule[k] = j % 8 == 0 ? float(random() % 2001) / 1000 - 1 : 0.0f;
    for (Index e = columns.starts[j]; e < columns.starts[j + 1]; ++e) {
      std::tie(rows[e], values[e]) = column[e - columns.starts[j]];
      for (Index k = 0; k < classes; ++k) scores[std::size_t(rows[e]) * stride + k] += values[e] * rule[k];
    }
  }
  for (Index i = 0; i < samples; ++i) {
    const float* z = &scores[std::size_t(i) * stride];
    labels[i] = random() % 10 == 0 ? Label(random() % classes) : Label(std::max_element(z, z + classes) - z);
  }
  using Solver = BlockCoordinateDescent<float, SquaredHinge, GroupL2, SparseDesign<float>>;
  const SparseDesign<float> design(values.data(), rows.data(), columns.starts.data(), samples, features);
  const Targets<float> targets{std::span<const Label>(labels), classes};
  const Shape shape{samples, features, classes};
  std::vector<std::byte> memory(Solver::requirement(shape, {values.size(), 1500}).bytes + 64);
  void* first = memory.data();
  std::size_t space = memory.size();
  std::align(64, 1, first, space);
  const std::span<std::byte> arena(static_cast<std::byte*>(first), space);
  float lambda = 1;
  double seconds = 0;
  Report<float> report{};
  for (int round = 0; round < 4; ++round) {  // the first one is for λ_max
    Solver solver(design, targets, {}, GroupL2{Groups::rows()},
                  {.lambda = lambda, .tolerance = 1e-4f, .intercept = false});
    const auto started = std::chrono::steady_clock::now();
    solver.start(arena);
    while (solver.step()) {
    }
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    report = solver.report();
    if (round == 0) lambda = 0.05f * report.lambda_max;
    else if (round == 1 || took < seconds) seconds = took;
  }
  const double passes = 2.0 * double(report.epochs), count = double(values.size());
  const double floor = passes * count * (8.0 + 4 * stride) / bandwidth;
  std::printf(
      "  a whole solve: %s in %.3f s, %u features of %u; %.1f passes forth and back, %.1f GFlop/s;\n"
      "    those passes once from memory: %.3f s, so %.1f times the floor of traffic\n",
      name(report.status), seconds, report.nonzero_rows, features, passes / 2,
      passes * count * 2 * classes / seconds / 1e9, floor, seconds / floor);
}

}  // namespace

int main() {
  std::vector<float> large(std::size_t(64) << 20, 1.0f);
  const double seconds = best_of(3, [&] {
    Simd<float> total[4] = {Simd<float>::zero(), Simd<float>::zero(), Simd<float>::zero(), Simd<float>::zero()};
    for (std::size_t e = 0; e < large.size(); e += 4 * lanes<float>)
      for (int v = 0; v < 4; ++v) total[v] = total[v] + Simd<float>::load(&large[e + v * lanes<float>]);
    sink = (total[0] + total[1] + total[2] + total[3]).sum();
  });
  const double bandwidth = 4.0 * double(large.size()) / seconds;
  std::printf("a plain sum reads %.1f GB/s from memory\n", bandwidth / 1e9);
  const auto both = [&](const char* name, Index samples, Index features, Index classes, std::size_t entries) {
    solve(bandwidth, measure(bandwidth, name, samples, features, classes, entries), samples, features, classes);
  };
  both("text, 11314 x 26214", 11314, 26214, 20, 1082080);
  both("digits, 20000 x 717", 20000, 717, 10, 3000000);
  both("beyond the caches, 400000 x 50000", 400000, 50000, 20, 6000000);
}
