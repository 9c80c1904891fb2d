// Tables as they come: columns of any size and offset. The solvers take columns for what they are, up to a power of
// two.
#include <gtest/gtest.h>

#include <cmath>

#include "support/problems.hpp"
#include "tamis/penalty/elastic_net.hpp"
#include "tamis/penalty/group.hpp"
#include "tamis/penalty/l1.hpp"
#include "tamis/penalty/weighted_l1.hpp"
#include "tamis/tamis.hpp"

namespace tamis {
namespace {

using testing::GuardedMemory;
using testing::Made;

template <class T>
struct Answer {
  Report<T> report;
  std::vector<T> weights;
};

template <class T, class Loss, template <class, class, class, class> class Solver, class Penalty>
Answer<T> train_on(const std::vector<T>& values, const Made<T>& made, const Options<T>& options, Penalty penalty) {
  using Run = Training<T, Loss, Penalty, With<Solver>>;
  const WorkspaceHint hint{values.size(), 400};
  GuardedMemory memory(Run::bytes(made.shape(), hint));
  const DenseDesign<T> design(values.data(), made.samples, made.features);
  const auto fit = Run(options, {}, penalty).run(design, made.targets(), memory.span());
  EXPECT_TRUE(memory.surroundings_intact());
  Answer<T> answer{fit, {}};
  for (Index j = 0; j < made.features; ++j)
    for (Index k = 0; k < made.classes; ++k)
      answer.weights.push_back(fit.model.coefficients[j * padded<T>(made.classes) + k]);
  return answer;
}

/// Powers of two from 2^-6 to 2^6, without pattern.
int exponent_of_column(Index j) { return static_cast<int>(j * 7 % 13) - 6; }

/// Column j times 2^k with weights of the penalty times 2^k is the same problem: the solution is that of the other
/// problem times 2^-k, found about as fast, although columns differ by 2^12.
template <class T, class Loss, template <class, class, class, class> class Solver>
void expect_equivariance(const char* what, bool offsets) {
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
  EXPECT_LE(other.report.iterations, 3 * one.report.iterations + 200);
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
  expect_equivariance<T, SquaredHinge, BlockCoordinateDescent>("block-coordinate-descent", false);
}

/// All columns times 2^10 and λ times 2^10: the same numbers times powers of two, so the same bits.
TYPED_TEST(Scaling, ScaleOfAllColumnsChangesNoIteration) {
  using T = TypeParam;
  const Made<T> made(60, 20, 3, 4);
  std::vector<T> scaled = made.values;
  for (T& x : scaled) x = std::ldexp(x, 10);
  Options<T> options;
  options.lambda = T(1) / T(64);
  const auto one = train_on<T, Hinge, TwoPhase>(made.values, made, options, L1{});
  options.lambda *= T(1024);
  const auto other = train_on<T, Hinge, TwoPhase>(scaled, made, options, L1{});
  EXPECT_EQ(other.report.status, Status::converged);
  EXPECT_NEAR(other.report.objective, one.report.objective, T(2e-4) * one.report.objective);
}

/// Columns of sizes from 1e-3 to 1e3 beside each other, with the hinge: in about as few steps as columns of one size
/// take. Without scales none of these ends within the iterations, or within the precision of float.
template <class T, class Penalty>
void expect_an_end(const char* what, Penalty penalty, std::uint32_t most) {
  SCOPED_TRACE(what);
  const Made<T> made(200, 16, 3, 9);
  std::vector<T> values = made.values;
  for (Index j = 0; j < made.features; ++j)
    for (Index i = 0; i < made.samples; ++i)
      values[i + j * made.samples] = std::pow(T(10), T(j % 7) - T(3)) * (values[i + j * made.samples] + T(j % 3));
  Options<T> options;
  options.lambda = T(1e-3);
  options.tolerance = sizeof(T) == 4 ? T(5e-4) : T(1e-4);
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

}  // namespace
}  // namespace tamis
