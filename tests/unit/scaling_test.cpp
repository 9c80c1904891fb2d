// Tables as they come: columns of any size and offset. The solvers take columns for what they are, up to a power of
// two.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/problems.hpp"
#include "support/tables.hpp"
#include "tamis/penalty/elastic_net.hpp"
#include "tamis/penalty/group.hpp"
#include "tamis/penalty/l1.hpp"
#include "tamis/penalty/ridge.hpp"
#include "tamis/penalty/weighted_l1.hpp"
#include "tamis/tamis.hpp"

namespace tamis {
namespace {

using testing::Made;
using testing::train_on;

/// Powers of two from 2^-6 to 2^6, without pattern.
int exponent_of_column(Index j) { return static_cast<int>(j * 7 % 13) - 6; }

/// Column j times 2^k with weights of the penalty times 2^k is the same problem: the solution is that of the other
/// problem times 2^-k, found about as fast, although columns differ by 2^12.
template <class T, class Loss, template <class, class, class, class> class Solver>
void expect_equivariance(const char* what, bool offsets, std::uint32_t more = 200) {
  SCOPED_TRACE(what);
  const Made<T> made(80, 12, 3, 21);
  std::vector<T> scaled = made.values, plain(12 * padded<T>(3), T(1)), weights = plain;
  for (Index j = 0; j < made.features; ++j) {
    const T factor = std::ldexp(T(1), exponent_of_column(j));
    for (Index i = 0; i < made.samples; ++i)
      scaled[i + j * made.samples] = factor * (scaled[i + j * made.samples] + (offsets ? T(8) : T(0)));
    for (Index k = 0; k < padded<T>(3); ++k) weights[j * padded<T>(3) + k] = factor;
  }
  Options<T> options;
  options.lambda = T(0.01);
  options.tolerance = sizeof(T) == 4 ? T(1e-3) : T(1e-4);
  options.max_iterations = 20000;
  const auto one = train_on<T, Loss, Solver>(made.values, made, options, WeightedL1<T>{plain.data(), padded<T>(3)});
  const auto other = train_on<T, Loss, Solver>(scaled, made, options, WeightedL1<T>{weights.data(), padded<T>(3)});
  ASSERT_EQ(one.report.status, Status::converged);
  ASSERT_EQ(other.report.status, Status::converged);
  EXPECT_NEAR(other.report.objective, one.report.objective, T(2) * options.tolerance * one.report.objective);
  EXPECT_LE(other.report.iterations, 3 * one.report.iterations + more);
  for (Index j = 0; j < made.features; ++j)
    for (Index k = 0; k < made.classes; ++k)
      EXPECT_NEAR(std::ldexp(other.weights[j * 3 + k], exponent_of_column(j)), one.weights[j * 3 + k], T(0.05)) << j;
}

template <class T>
class Scaling : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Scaling, Scalars);

TYPED_TEST(Scaling, ColumnsTimesPowersOfTwoAreTheSameProblem) {
  using T = TypeParam;
  for (const bool offsets : {false, true}) {
    expect_equivariance<T, Hinge, PrimalDual>("primal-dual", offsets);
    expect_equivariance<T, Hinge, TwoPhase>("two-phase", offsets);
    expect_equivariance<T, SquaredHinge, Fista>("fista", offsets);
    expect_equivariance<T, Logistic, Fista>("fista, logistic", offsets);
  }
  for (const bool offsets : {false, true}) {
    expect_equivariance<T, SquaredHinge, BlockCoordinateDescent>("block-coordinate-descent", offsets);
    expect_equivariance<T, Logistic, ProximalNewtonDescent>("proximal-newton, weighted", offsets, 300);
  }
}

/// Shows `compare` the answers on columns as they are and times 2^10, with the penalty and the λ of the same model
/// there.
template <class T, class Loss, template <class, class, class, class> class Solver, class Penalty, class Compare>
void on_both_scales(Penalty penalty, Penalty of_scaled, T lambda_of_scaled, Compare compare) {
  const Made<T> made(60, 20, 3, 4);
  std::vector<T> scaled = made.values;
  for (T& x : scaled) x = std::ldexp(x, 10);
  Options<T> options;
  options.lambda = T(1) / T(64);
  options.tolerance = T(1e-3);
  const auto one = train_on<T, Loss, Solver>(made.values, made, options, penalty);
  options.lambda = lambda_of_scaled;
  compare(one, train_on<T, Loss, Solver>(scaled, made, options, of_scaled));
}
/// The same numbers times powers of two, so the same iterations, and the same bits of objectives and models.
template <class T, class Loss, template <class, class, class, class> class Solver, class Penalty>
void expect_same_bits(const char* what, Penalty penalty, T lambda_of_scaled) {
  SCOPED_TRACE(what);
  on_both_scales<T, Loss, Solver>(penalty, penalty, lambda_of_scaled, [](const auto& one, auto other) {
    EXPECT_EQ(one.report.status, Status::converged);
    EXPECT_EQ(other.report.status, Status::converged);
    EXPECT_EQ(other.report.iterations, one.report.iterations);
    EXPECT_EQ(other.report.objective, one.report.objective);
    EXPECT_EQ(other.report.dual_objective, one.report.dual_objective);
    for (T& w : other.weights) w = std::ldexp(w, 10);
    EXPECT_EQ(other.weights, one.weights);
  });
}
TYPED_TEST(Scaling, ScaleOfAllColumnsChangesNoBit) {
  using T = TypeParam;
  const GroupL2 rows, blocks{Groups::blocks(4)};
  expect_same_bits<T, Hinge, PrimalDual>("primal-dual", L1{}, T(16));
  expect_same_bits<T, Hinge, PrimalDual>("primal-dual, rows", rows, T(16));
  expect_same_bits<T, Hinge, PrimalDual>("primal-dual, blocks", blocks, T(16));
  expect_same_bits<T, Hinge, CrammerSingerDual>("crammer-singer-dual", Ridge{}, T(16384));
  expect_same_bits<T, Hinge, CrammerSingerDual>("crammer-singer-dual, rows", rows, T(16));
  expect_same_bits<T, SquaredHinge, Fista>("fista", L1{}, T(16));
  expect_same_bits<T, SquaredHinge, Fista>("fista, blocks", blocks, T(16));
  expect_same_bits<T, Logistic, ProximalNewtonDescent>("proximal-newton", L1{}, T(16));
}

/// Where bits differ, of another rounding of the penalty or of thresholds in the unit of the coefficients: the same
/// model in about as many iterations.
TYPED_TEST(Scaling, ScaleOfAllColumnsIsTheSameProblem) {
  using T = TypeParam;
  const auto expect = [](const auto& one, const auto& other) {
    EXPECT_EQ(one.report.status, Status::converged);
    EXPECT_EQ(other.report.status, Status::converged);
    EXPECT_NEAR(other.report.objective, one.report.objective, T(2e-3) * one.report.objective);
    EXPECT_LE(other.report.iterations, 3 * one.report.iterations + 200);
    EXPECT_LE(one.report.iterations, 3 * other.report.iterations + 200);
  };
  // ρλ and (1 − ρ)λ times 2^10 and 2^20: 1/128 + 1/128 becomes 8 + 8192
  const ElasticNet<T> half{T(0.5)}, of_scaled{T(8) / T(8200)};
  on_both_scales<T, Logistic, ProximalNewtonDescent>(half, of_scaled, T(8200), expect);
  on_both_scales<T, Hinge, TwoPhase>(half, of_scaled, T(8200), expect);
  on_both_scales<T, Hinge, TwoPhase>(L1{}, L1{}, T(16), expect);
  on_both_scales<T, Hinge, TwoPhase>(GroupL2{Groups::blocks(4)}, GroupL2{Groups::blocks(4)}, T(16), expect);
  on_both_scales<T, Hinge, TwoPhase>(Ridge{}, Ridge{}, T(16384), expect);
  on_both_scales<T, SquaredHinge, BlockCoordinateDescent>(L1{}, L1{}, T(16), expect);
  on_both_scales<T, SquaredHinge, BlockCoordinateDescent>(GroupL2{}, GroupL2{}, T(16), expect);
}

/// Offsets of columns are the intercepts', whatever the penalty: the same model from data that are `offset` away, which
/// is exact in that data, found about as fast.
template <class T, class Loss, template <class, class, class, class> class Solver, class Penalty>
void expect_no_offset(const char* what, Penalty penalty, T offset) {
  SCOPED_TRACE(what);
  const Made<T> made(80, 12, 3, 21);
  std::vector<T> moved = made.values;
  for (T& x : moved) x += offset;
  Options<T> options;
  options.lambda = T(0.01);
  options.tolerance = T(1e-3);
  options.max_iterations = 20000;
  const auto one = train_on<T, Loss, Solver>(made.values, made, options, penalty);
  const auto other = train_on<T, Loss, Solver>(moved, made, options, penalty);
  EXPECT_EQ(one.report.status, Status::converged);
  EXPECT_EQ(other.report.status, Status::converged) << other.report.relative_gap;
  EXPECT_NEAR(other.report.objective, one.report.objective, T(2) * options.tolerance * one.report.objective);
  EXPECT_LE(other.report.iterations, 3 * one.report.iterations + 200);
}
template <class T>
void expect_no_offset(T offset) {
  SCOPED_TRACE(offset);
  expect_no_offset<T, Hinge, PrimalDual>("primal-dual", L1{}, offset);
  expect_no_offset<T, Hinge, TwoPhase>("two-phase", GroupL2{}, offset);
  expect_no_offset<T, Hinge, TwoPhase>("two-phase, ridge", Ridge{}, offset);
  expect_no_offset<T, Hinge, CrammerSingerDual>("crammer-singer-dual", Ridge{}, offset);
  expect_no_offset<T, Hinge, CrammerSingerDual>("crammer-singer-dual, rows", GroupL2{}, offset);
  expect_no_offset<T, Hinge, CrammerSingerDual>("crammer-singer-dual, elastic net", ElasticNet<T>{}, offset);
  expect_no_offset<T, SquaredHinge, Fista>("fista", L1{}, offset);
  expect_no_offset<T, SquaredHinge, BlockCoordinateDescent>("block-coordinate-descent", GroupL2{}, offset);
  expect_no_offset<T, SquaredHinge, BlockCoordinateDescent>("block-coordinate-descent, ridge", Ridge{}, offset);
  expect_no_offset<T, Logistic, BlockCoordinateDescent>("block-coordinate-descent, logistic", GroupL2{}, offset);
  expect_no_offset<T, Logistic, PathDescent>("path", L1{}, offset);
  expect_no_offset<T, Logistic, ProximalNewtonDescent>("proximal-newton", L1{}, offset);
  expect_no_offset<T, Logistic, ProximalNewtonDescent>("proximal-newton, elastic-net", ElasticNet<T>{}, offset);
}
TYPED_TEST(Scaling, OffsetsAreTheIntercepts) {
  using T = TypeParam;
  expect_no_offset(sizeof(T) == 4 ? T(16) : T(1 << 20));
}

/// Columns of sizes from 1e-3 to 1e3 beside each other, with the hinge: in about as few steps as columns of one size
/// take. Without scales none of these ends within the iterations, or within the precision of float.
template <class T, class Penalty>
void expect_an_end(const char* what, Penalty penalty, std::uint32_t most) {
  SCOPED_TRACE(what);
  const Made<T> made(200, 16, 3, 9);
  constexpr double sizes[] = {1e-3, 1e-2, 0.1, 1, 10, 100, 1000};  // pow of float depends on the processor
  std::vector<T> values = made.values;
  for (Index j = 0; j < made.features; ++j)
    for (Index i = 0; i < made.samples; ++i)
      values[i + j * made.samples] = T(sizes[j % 7]) * (values[i + j * made.samples] + T(j % 3));
  Options<T> options;
  options.lambda = T(1e-3);
  // What rounding leaves of a gradient of float is some 5e-7, up to 9e-4 of the objective beside this λ.
  options.tolerance = sizeof(T) == 4 ? T(1e-3) : T(1e-4);
  options.max_iterations = most;
  const auto answer = train_on<T, Hinge, TwoPhase>(values, made, options, penalty);
  EXPECT_EQ(answer.report.status, Status::converged) << answer.report.relative_gap;
}
TYPED_TEST(Scaling, ColumnsOfAllSizesEnd) {
  using T = TypeParam;
  expect_an_end<T>("l1", L1{}, 30000);
  expect_an_end<T>("rows", GroupL2{}, 3000);
  expect_an_end<T>("elastic net", ElasticNet<T>{}, 3000);
  expect_an_end<T>("ridge", Ridge{}, 3000);
}

/// One value that is a thousand times as large as those beside it.
TYPED_TEST(Scaling, AnOutlierEnds) {
  using T = TypeParam;
  const Made<T> made(200, 16, 3, 9);
  std::vector<T> values = made.values;
  values[7 + 3 * made.samples] = T(1000);
  Options<T> options;
  options.lambda = T(1e-2);
  options.tolerance = T(1e-3);
  options.max_iterations = 30000;
  for (const auto& report : {train_on<T, Hinge, TwoPhase>(values, made, options, L1{}).report,
                             train_on<T, SquaredHinge, BlockCoordinateDescent>(values, made, options, L1{}).report,
                             train_on<T, Logistic, ProximalNewtonDescent>(values, made, options, L1{}).report})
    EXPECT_EQ(report.status, Status::converged) << report.relative_gap;
}

/// One value that is a million times as large: its column has all but nothing of the trace of a system, and what rounding
/// takes from that is more than the other columns have.
TEST(TableScaling, AnOutlierOfAMillionEnds) {
  const Made<double> made(200, 16, 3, 9);
  std::vector<double> values = made.values;
  values[7 + 3 * made.samples] = 1e6;
  Options<double> options;
  options.max_iterations = 60000;
  for (const double lambda : {0.1, 3e-3}) {
    SCOPED_TRACE(lambda);
    options.lambda = lambda;
    const auto report = train_on<double, SquaredHinge, BlockCoordinateDescent>(values, made, options, L1{}).report;
    EXPECT_EQ(report.status, Status::converged) << report.relative_gap;
  }
}

/// Few samples of many features whose values are large beside λ: all margins are met, and all duals vanish, long before
/// the coefficients are as small as they may be.
template <class T, class Penalty>
void expect_small_coefficients(const char* what, Penalty penalty) {
  SCOPED_TRACE(what);
  const Made<T> made(40, 200, 2, 1);
  std::vector<T> values = made.values;
  for (T& x : values) x *= T(1024);
  Options<T> options;
  options.lambda = T(1e-3);
  options.max_iterations = 4000;
  const auto report = train_on<T, SquaredHinge, TwoPhase>(values, made, options, penalty).report;
  EXPECT_EQ(report.status, Status::converged) << report.relative_gap;
}
TEST(TableScaling, LargeValuesOfFewSamplesEnd) {
  expect_small_coefficients<double>("ridge", Ridge{});
  expect_small_coefficients<double>("elastic net", ElasticNet<double>{});
  expect_small_coefficients<double>("rows", GroupL2{});
}

/// Classes apart from each other beside a tiny λ: the first steps go far beyond all margins, and come back.
TEST(TableScaling, ClassesApartEnd) {
  for (const double apart : {2, 100}) {
    SCOPED_TRACE(apart);
    Made<double> made(300, 10, 3, 6);
    for (Index i = 0; i < made.samples; ++i) {
      made.labels[i] = static_cast<Label>(i % 3);
      for (Index j = 0; j < made.features; ++j)
        made.values[i + j * made.samples] += apart * std::sin(static_cast<double>(3 * j + i % 3 + 1));
    }
    Options<double> options;
    options.lambda = 1e-6;
    options.max_iterations = 15000;
    const auto report = train_on<double, SquaredHinge, TwoPhase>(made.values, made, options, L1{}).report;
    EXPECT_EQ(report.status, Status::converged) << report.relative_gap;
  }
}

/// In float ascent on the dual ends where rounding leaves violations of a millionth of a margin, and duals that do not
/// quite sum to zero: beside a small objective both are more than the tolerance.
TEST(TableScaling, AscentInFloatEndsWhereSamplesAreApart) {
  for (const float lambda : {1.0f, 0.1f, 0.01f}) {
    SCOPED_TRACE(lambda);
    Made<float> made(40, 400, 3, 7);
    for (Index i = 0; i < made.samples; ++i)
      for (Index j = 0; j < made.features; j += 10) made.values[i + j * made.samples] += 0.5f * made.labels[i];
    Options<float> options;
    options.lambda = lambda;
    options.max_iterations = 2000;
    const auto report = train_on<float, Hinge, CrammerSingerDual>(made.values, made, options, Ridge{}).report;
    EXPECT_EQ(report.status, Status::converged) << report.relative_gap;
  }
}

/// Few samples of many features as they come, beside a λ that is next to nothing: the optimum is λ times half the square
/// of the smallest W that separates the samples by their margins, whatever λ.
TEST(TableScaling, SeparatingIsAllThatTinyLambdasAsk) {
  Made<double> made(40, 600, 2, 1);
  std::mt19937 bits(2);
  const auto uniform = [&] { return static_cast<double>(bits() >> 5) / (1 << 27); };
  for (Index i = 0; i < made.samples; ++i) made.labels[i] = static_cast<Label>(i % 2);
  for (Index j = 0; j < made.features; ++j) {
    const double size = std::exp(4 + 5 * uniform());
    for (Index i = 0; i < made.samples; ++i)
      made.values[i + j * made.samples] = size * (0.5 + uniform() + (j % 20 == 0 ? 0.5 * made.labels[i] : 0));
  }
  Options<double> options;
  options.max_iterations = 4000;
  double half_square = 0;
  for (const double lambda : {1.0, 0.1, 1e-2, 1e-3, 1e-4}) {
    SCOPED_TRACE(lambda);
    options.lambda = lambda;
    const auto report = train_on<double, Hinge, TwoPhase>(made.values, made, options, Ridge{}).report;
    EXPECT_EQ(report.status, Status::converged) << report.relative_gap;
    if (half_square == 0) half_square = report.objective / lambda;
    EXPECT_NEAR(report.objective / lambda, half_square, 2e-4 * half_square);
  }
}

/// Where the gap does not close, descent goes over larger λs, from a model without coefficients: from any other one it
/// would begin far above all of them, where probabilities are 0 and 1, and no curvature is left.
TEST(TableScaling, DescentGoesRoundFromNothing) {
  for (const std::uint32_t seed : {3, 9}) {
    Made<double> made(200, 12, 6, 1);
    std::mt19937 bits(seed);
    const auto uniform = [&] { return static_cast<double>(bits() >> 5) / (1 << 27); };
    for (Index i = 0; i < made.samples; ++i) made.labels[i] = static_cast<Label>(bits() % made.classes);
    for (Index j = 0; j < made.features; ++j) {
      const double size = std::exp(9 * uniform() - 1);
      for (Index i = 0; i < made.samples; ++i) {
        const double shift = 0.5 * std::sin(static_cast<double>(made.labels[i] * 3 + j));
        const double place = 3 + uniform() + shift;
        made.values[i + j * made.samples] = size * (place + (uniform() < 0.02 ? 10 : 0));
      }
    }
    Options<double> options;
    options.max_iterations = 2000;
    for (const double lambda : {1e-2}) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", lambda " << lambda);
      options.lambda = lambda;
      for (const auto& report :
           {train_on<double, Logistic, BlockCoordinateDescent>(made.values, made, options, GroupLinf{}).report,
            train_on<double, Logistic, BlockCoordinateDescent>(made.values, made, options, L1{}).report})
        EXPECT_EQ(report.status, Status::converged) << report.relative_gap;
    }
  }
}

}  // namespace
}  // namespace tamis
