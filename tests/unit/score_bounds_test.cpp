// What scores of features cannot exceed.
#include "tamis/solver/score_bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/problems.hpp"
#include "tamis/penalty/group.hpp"
#include "tamis/penalty/l1.hpp"
#include "tamis/tamis.hpp"

namespace tamis {
namespace {

using testing::Generator;
using testing::GuardedMemory;
using testing::Made;

template <class T>
class BoundsOfScores : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BoundsOfScores, Scalars);

/// Scores as they are and their bounds, from duals that differ by `by`, with weights of the samples.
template <class T, class Norm>
void expect_bounds(Norm norm, double by, std::uint32_t seed) {
  constexpr Index n = 30, p = 600, classes = 3, stride = padded<T>(classes);
  const Made<T> made(n, p, classes, seed);
  Generator draw(seed + 1);
  std::vector<T> weights(n);
  for (T& weight : weights) weight = T(1 + draw.draw(4));
  weights[3] = T(0);
  Targets<T> targets{made.labels, classes, weights.data()};
  targets.normalise();
  std::vector<T> before(n * stride, T(0)), now(n * stride, T(0));
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < classes && weights[i] > T(0); ++k) {
      before[i * stride + k] = T(draw.uniform());
      now[i * stride + k] = T(0.7) * before[i * stride + k] + T(by * draw.uniform());
    }
  const auto score = [&](const std::vector<T>& u, Index j) {
    T row[stride] = {};
    for (Index k = 0; k < classes; ++k)
      for (Index i = 0; i < n; ++i) row[k] += made.values[i + j * n] * u[i * stride + k];
    return norm.dual_norm(Rows<const T>{row, 1, classes, stride});
  };
  std::vector<T> scores(p);
  for (Index j = 0; j < p; ++j) scores[j] = score(before, j);
  Arena counter;
  (void)ScoreBounds<T>::lay_out(counter, made.shape());
  GuardedMemory memory(counter.used());
  Arena arena(memory.span());
  ScoreBounds<T> bounds(ScoreBounds<T>::lay_out(arena, made.shape()));
  EXPECT_FALSE(bounds.are_known());
  bounds.keep(before.data(), before.size(), scores.data(), p);
  ASSERT_TRUE(bounds.are_known());
  T distance[stride];
  const T share = bounds.compare(targets, now.data(), stride, p, distance);
  EXPECT_TRUE(memory.surroundings_intact());
  const T reach = norm.dual_norm(Rows<const T>{distance, 1, classes, stride});
  double excess = 0;
  for (Index j = 0; j < p; ++j) {
    T square = 0;
    for (Index i = 0; i < n; ++i) square += targets.weight(i) * made.values[i + j * n] * made.values[i + j * n];
    const T bound = share * bounds.score(j) + std::sqrt(square) * reach;
    EXPECT_GE(bound, score(now, j)) << j;
    excess += double(bound / score(now, j)) / p;
  }
  if (by < 1e-2) EXPECT_LT(excess, 1.2);  // near duals say nearly all
}

TYPED_TEST(BoundsOfScores, AreNeverBelow) {
  for (std::uint32_t seed = 1; seed < 30; ++seed)
    for (const double by : {0.0, 1e-4, 0.3, 3.0}) {
      expect_bounds<TypeParam>(L1{}, by, seed);
      expect_bounds<TypeParam>(GroupL2{}, by, seed);
      expect_bounds<TypeParam>(GroupLinf{}, by, seed);
    }
}

TEST(BoundsOfScores, AreForNormsThatAreTheSameInAllRows) {
  EXPECT_TRUE(scores_rows_alike(L1{}));
  EXPECT_TRUE(scores_rows_alike(GroupL2{}));
  EXPECT_FALSE(scores_rows_alike(GroupL2{Groups::blocks(2)}));
  EXPECT_FALSE(scores_rows_alike(WeightedL1<double>{}));
}

}  // namespace
}  // namespace tamis
