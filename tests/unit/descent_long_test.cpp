// Descent over features where it takes long: wide problems, few samples that curve, tables as they come.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "support/descent.hpp"
#include "support/tables.hpp"
#include "tamis/penalty/group.hpp"
#include "tamis/penalty/l1.hpp"
#include "tamis/penalty/ridge.hpp"
#include "tamis/penalty/sparse_group.hpp"

namespace tamis {
namespace {

using testing::Compressed;
using testing::expect_wide;
using testing::fit;
using testing::Made;
using testing::train_on;

/// Many samples, of which few are near a boundary and curve: the preconditioner is of these. When it was of every fourth
/// one, this took seven times as many products.
TEST(BlockCoordinateDescent, FewSamplesCurve) {
  Made<double> made(6000, 120, 3, 17);
  for (Index i = 0; i < made.samples; ++i) {
    const auto x = [&](Index j) -> double& { return made.values[i + std::size_t(j) * made.samples]; };
    for (Index j = 1; j < made.features; ++j) x(j) = 0.9 * x(j - 1) + 0.44 * x(j);  // neighbours are alike
    double scores[3] = {};
    for (Index j = 0; j < made.features; ++j) scores[j % 3] += x(j) * (1 + j % 5);
    made.labels[i] = static_cast<Label>(std::max_element(scores, scores + 3) - scores);
  }
  for (double& x : made.values) x *= 5;
  const Compressed<double> compressed(made.design());
  const WorkspaceHint hint{6000u * 120u, 200};
  const Options<double> options{.lambda = 1e-6, .tolerance = 1e-5, .max_iterations = 200};
  for (const auto& out : {fit(made, made.design(), Logistic{}, Ridge{}, options, hint),
                          fit(made, compressed.design(), Logistic{}, Ridge{}, options, hint)}) {
    EXPECT_EQ(out.status, Status::converged);
    EXPECT_LT(out.epochs, 500);
  }
}

TEST(BlockCoordinateDescent, SolvesWideProblems) {
  expect_wide(SquaredHinge{}, L1{}, 800, 1600);
  expect_wide(SquaredHinge{}, GroupL2{Groups::rows()}, 600, 800);
  expect_wide(SquaredHinge{}, GroupL2{Groups::blocks(3)}, 4000, 1600);
  expect_wide(OneVsRestSquaredHinge{}, SparseGroup<double>{Groups::rows(), {0.5}}, 400, 800);
}

/// Words of texts beside a small λ: few of many features in each sample. Where a factor of the support was always made,
/// and another way begun after 50 iterations, ℓ1 took 118 iterations with the logistic loss, 439 with the squared
/// hinge.
TEST(BlockCoordinateDescent, WordsOfTextsEnd) {
  Made<double> made(1000, 3000, 8, 5);
  std::fill(made.values.begin(), made.values.end(), 0.0);
  std::mt19937 bits(5);
  const auto uniform = [&] { return static_cast<double>(bits() >> 5) / (1 << 27); };
  for (Index i = 0; i < made.samples; ++i) {
    made.labels[i] = static_cast<Label>(bits() % made.classes);
    for (int word = 0; word < 40; ++word) {  // some are frequent, some more so in one class
      const auto rank = static_cast<Index>(3000 * uniform() * uniform() * uniform());
      const Index j = bits() % 4 == 0 ? rank / 8 * 8 + made.labels[i] : rank;
      made.values[i + std::size_t(j) * made.samples] += 0.1;
    }
  }
  const Compressed<double> compressed(made.design());
  const auto iterations = [&](auto loss, auto penalty, double lambda) {
    const auto out = fit(made, compressed.design(), loss, penalty, {.lambda = lambda, .max_iterations = 2000},
                         {compressed.values.size(), 1500});
    EXPECT_EQ(out.status, Status::converged) << lambda;
    return out.iterations;
  };
  EXPECT_LT(iterations(Logistic{}, L1{}, 1e-5), 60);
  EXPECT_LT(iterations(Logistic{}, GroupL2{}, 1e-4), 60);
  EXPECT_LT(iterations(SquaredHinge{}, L1{}, 1e-4), 200);
  EXPECT_LT(iterations(SquaredHinge{}, GroupL2{}, 1e-4), 200);
}

/// Columns that are nearly multiples of others, as measures of the same thing are, beside a tiny λ: groups that would
/// turn round in a step, and yet belong to the optimum.
TEST(TableScaling, NearMultiplesOfColumnsEnd) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Made<double> made(300, 24, 2, seed);
    std::mt19937 bits(seed);
    const auto uniform = [&] { return static_cast<double>(bits() >> 5) / (1 << 27); };
    for (Index j = 8; j < made.features; ++j)
      for (Index i = 0; i < made.samples; ++i) {
        double& x = made.values[i + j * made.samples];
        x = made.values[i + j % 8 * made.samples] + (j % 3 == 0 ? 1e-4 : 1e-2) * uniform();
      }
    for (Index i = 0; i < made.samples; ++i)
      if (bits() % 3 == 0) made.labels[i] = static_cast<Label>(bits() % 2);
    Options<double> options;
    options.max_iterations = 20000;
    for (const double lambda : {1e-4, 1e-5, 1e-6}) {
      options.lambda = lambda;
      const auto report =
          train_on<double, SquaredHinge, BlockCoordinateDescent>(made.values, made, options, GroupL2{}).report;
      EXPECT_EQ(report.status, Status::converged) << lambda << " " << report.relative_gap;
    }
  }
}

/// Counts of 0 to 100 in ten classes, as they come: systems whose mean curvature is no guide, and in float, where what
/// rounding the coefficients leaves of the gradient is more than a ten-thousandth of λ.
template <class T>
void expect_counts_to_end(const char* what) {
  SCOPED_TRACE(what);
  Made<T> made(600, 16, 10, 3);
  std::mt19937 bits(3);
  const auto uniform = [&] { return static_cast<double>(bits() >> 5) / (1 << 27); };
  std::vector<double> centres(std::size_t(made.classes) * made.features);
  for (double& centre : centres) centre = 100 * uniform();
  for (Index i = 0; i < made.samples; ++i) {
    made.labels[i] = static_cast<Label>(i % made.classes);
    for (Index j = 0; j < made.features; ++j) {
      const double noise = 60 * (uniform() + uniform() + uniform() - 1.5);
      const double count = centres[made.labels[i] * made.features + j] + noise;
      made.values[i + j * made.samples] = static_cast<T>(std::floor(std::min(100.0, std::max(0.0, count))));
    }
  }
  Options<T> options;
  options.max_iterations = 200;
  options.lambda = T(1e-4);
  const auto groups = train_on<T, Logistic, BlockCoordinateDescent>(made.values, made, options, GroupL2{}).report;
  EXPECT_EQ(groups.status, Status::converged) << groups.relative_gap;
  options.lambda = T(1e-5);
  const auto ridge = train_on<T, Logistic, BlockCoordinateDescent>(made.values, made, options, Ridge{}).report;
  EXPECT_EQ(ridge.status, Status::converged) << ridge.relative_gap;
}
TEST(TableScaling, CountsOfTenClassesEnd) {
  expect_counts_to_end<double>("double");
  expect_counts_to_end<float>("float");
}

}  // namespace
}  // namespace tamis
