// Every prox against its variational inequality, every dual norm against its definition, on random points.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/problems.hpp"

namespace {

using namespace tamis;
using tamis::testing::Generator;

struct Point {
  Index rows, classes, stride;
  std::vector<double> entries;
  Point(Index r, Index k) : rows(r), classes(k), stride(padded<double>(k)), entries(r * stride) {}
  Rows<double> view() { return {entries.data(), rows, classes, stride}; }
  Rows<const double> view() const { return {entries.data(), rows, classes, stride}; }
  static Point random(Generator& generator, Index rows, Index classes) {
    Point out(rows, classes);
    const double size = std::pow(10.0, static_cast<double>(generator.draw(5)) - 2);
    const bool ties = generator.draw(4) == 0;
    for (Index r = 0; r < rows; ++r)
      for (Index k = 0; k < classes; ++k)
        out.view()(r, k) = size * (ties ? static_cast<double>(generator.draw(3)) - 1 : generator.uniform());
    return out;
  }
};

double inner(const Point& a, const Point& b) {
  double total = 0;
  for (std::size_t e = 0; e < a.entries.size(); ++e) total += a.entries[e] * b.entries[e];
  return total;
}

/// p = prox_{tΩ}(v) iff for every z: ⟨v − p, z − p⟩ ≤ t Ω(z) − t Ω(p).
template <class P>
void expect_prox(P penalty, Index rows) {
  Generator generator(41 + rows);
  for (int round = 0; round < 2000; ++round) {
    const Index classes = 1 + generator.draw(9);
    const Point v = Point::random(generator, rows, classes);
    const double step = std::pow(10.0, static_cast<double>(generator.draw(5)) - 3) * (1 + generator.draw(3));
    Point p = v, move(rows, classes);
    penalty.prox(p.view(), step);
    for (Index r = 0; r < rows; ++r)
      for (Index k = classes; k < p.stride; ++k) ASSERT_EQ(p.view()(r, k), 0) << "padding stays zero";
    const double value = penalty.value(std::as_const(p).view());
    for (int trial = 0; trial < 8; ++trial) {
      Point z = trial == 0 ? v : Point::random(generator, rows, classes);
      if (trial == 1) z = Point(rows, classes);  // zero
      if (trial > 4)                             // close to p
        for (std::size_t e = 0; e < z.entries.size(); ++e) z.entries[e] = p.entries[e] + 0.01 * z.entries[e];
      Point out = v, to = z;
      for (std::size_t e = 0; e < z.entries.size(); ++e) {
        out.entries[e] -= p.entries[e];
        to.entries[e] -= p.entries[e];
      }
      const double right = step * (penalty.value(std::as_const(z).view()) - value);
      const double scale = std::abs(inner(out, to)) + std::abs(right) + inner(v, v) + 1;
      ASSERT_LE(inner(out, to), right + 1e-12 * scale) << "round " << round << ", trial " << trial;
    }
  }
}

/// Ω°(g) is the largest ⟨g, w⟩ over Ω(w) ≤ 1: no random w beats it, and the residual of a prox attains it.
template <class P>
void expect_dual_norm(P penalty, Index rows) {
  Generator generator(97 + rows);
  for (int round = 0; round < 1000; ++round) {
    const Index classes = 1 + generator.draw(9);
    const Point g = Point::random(generator, rows, classes);
    const double norm = penalty.dual_norm(std::as_const(g).view());
    for (int trial = 0; trial < 8; ++trial) {
      const Point w = Point::random(generator, rows, classes);
      ASSERT_LE(inner(g, w), norm * penalty.value(w.view()) * (1 + 1e-12) + 1e-12);
    }
    if (norm == 0) continue;
    // prox with step ½Ω°(g) leaves p ≠ 0 with ⟨g − p, p⟩ = step Ω(p), and g − p has dual norm `step`.
    Point p = g, rest = g;
    penalty.prox(p.view(), norm / 2);
    for (std::size_t e = 0; e < p.entries.size(); ++e) rest.entries[e] -= p.entries[e];
    const double value = penalty.value(std::as_const(p).view());
    ASSERT_GT(value, 0);
    ASSERT_NEAR(penalty.dual_norm(std::as_const(rest).view()), norm / 2, 1e-9 * norm);
    ASSERT_NEAR(inner(rest, p), norm / 2 * value, 1e-9 * (1 + norm * value));
  }
}

/// The rows of `Point` 1, 3, 0, 2, … seen as the members of one group; the penalty must not care.
template <class P>
void expect_same_through_members(P penalty, P listed) {
  Generator generator(11);
  for (int round = 0; round < 300; ++round) {
    const Index classes = 1 + generator.draw(7);
    const Point v = Point::random(generator, 4, classes);
    const Index members[] = {6, 1, 3, 0};
    Point spread = Point::random(generator, 8, classes), plain = v;
    for (Index r = 0; r < 4; ++r)
      for (Index k = 0; k < classes; ++k) spread.view()(members[r], k) = v.entries[r * v.stride + k];
    const Point before = spread;
    const Rows<double> rows{spread.entries.data(), 4, classes, spread.stride, members[0], members};
    EXPECT_EQ(penalty.value(std::as_const(plain).view()), listed.value(Rows<const double>(rows)));
    EXPECT_EQ(penalty.dual_norm(std::as_const(plain).view()), listed.dual_norm(Rows<const double>(rows)));
    penalty.prox(plain.view(), 0.3);
    listed.prox(rows, 0.3);
    for (Index r = 0; r < 8; ++r)
      for (Index k = 0; k < spread.stride; ++k) {
        const auto place = std::find(std::begin(members), std::end(members), r);
        const auto expected = place == std::end(members)
                                  ? before.entries[r * spread.stride + k]
                                  : plain.entries[static_cast<Index>(place - std::begin(members)) * v.stride + k];
        ASSERT_EQ(spread.entries[r * spread.stride + k], expected) << "members only";
      }
  }
}

constexpr Index four[] = {0, 1, 2, 3}, whole[] = {0, 4};
const Groups one_of_four = Groups::listed(four, whole, 1);

/// Weights for up to three rows and nine classes, in whole rows.
const std::vector<double> some_weights = [] {
  Generator generator(77);
  std::vector<double> out(3 * 10);
  for (double& w : out) w = 0.1 + 0.5 * generator.draw(6);
  return out;
}();

TEST(Prox, ListedGroups) {
  expect_prox(GroupL2{one_of_four}, 4);
  expect_prox(GroupLinf{one_of_four}, 4);
  expect_prox(SparseGroup<double>{one_of_four, {0.4}}, 4);
  expect_same_through_members(GroupL2{one_of_four}, GroupL2{one_of_four});
  expect_same_through_members(GroupLinf{one_of_four}, GroupLinf{one_of_four});
  expect_same_through_members(SparseGroup<double>{one_of_four, {0.4}}, SparseGroup<double>{one_of_four, {0.4}});
  expect_same_through_members(L1{}, L1{});
}
TEST(Prox, ElasticNet) {
  for (const double ratio : {0.0, 0.3, 0.9, 1.0}) expect_prox(ElasticNet<double>{ratio}, 1);
}
TEST(Prox, SparseGroup) {
  for (const double ratio : {0.0, 0.3, 0.9, 1.0}) {
    expect_prox(SparseGroup<double>{Groups::rows(), {ratio}}, 1);
    expect_prox(SparseGroup<double>{Groups::blocks(3), {ratio}}, 3);
  }
}
TEST(Prox, WeightedL1) { expect_prox(WeightedL1<double>{some_weights.data(), 10}, 3); }

TEST(Prox, L1) { expect_prox(L1{}, 1), expect_prox(L1{}, 3); }
TEST(Prox, Ridge) { expect_prox(Ridge{}, 1), expect_prox(Ridge{}, 3); }
TEST(Prox, GroupL2Rows) { expect_prox(GroupL2{}, 1); }
TEST(Prox, GroupL2Blocks) { expect_prox(GroupL2{Groups::blocks(4)}, 4), expect_prox(GroupL2{Groups::blocks(4)}, 3); }
TEST(Prox, GroupLinfRows) { expect_prox(GroupLinf{}, 1); }
TEST(Prox, GroupLinfBlocks) {
  expect_prox(GroupLinf{Groups::blocks(4)}, 4), expect_prox(GroupLinf{Groups::blocks(4)}, 3);
}

TEST(DualNorm, L1) { expect_dual_norm(L1{}, 1), expect_dual_norm(L1{}, 3); }
TEST(DualNorm, GroupL2Rows) { expect_dual_norm(GroupL2{}, 1); }
TEST(DualNorm, GroupL2Blocks) { expect_dual_norm(GroupL2{Groups::blocks(4)}, 4); }
TEST(DualNorm, GroupLinfRows) { expect_dual_norm(GroupLinf{}, 1); }
TEST(DualNorm, GroupLinfBlocks) { expect_dual_norm(GroupLinf{Groups::blocks(4)}, 4); }

TEST(DualNorm, ListedGroups) {
  expect_dual_norm(GroupL2{one_of_four}, 4);
  expect_dual_norm(GroupLinf{one_of_four}, 4);
  expect_dual_norm(SparseGroup<double>{one_of_four, {0.4}}, 4);
}
TEST(DualNorm, SparseGroup) {
  for (const double ratio : {0.0, 0.01, 0.3, 0.9, 0.999, 1.0}) {
    expect_dual_norm(SparseGroup<double>{Groups::rows(), {ratio}}, 1);
    expect_dual_norm(SparseGroup<double>{Groups::blocks(4), {ratio}}, 4);
  }
}
TEST(DualNorm, WeightedL1) { expect_dual_norm(WeightedL1<double>{some_weights.data(), 10}, 3); }
TEST(DualNorm, ElasticNetOfRatioOne) { expect_dual_norm(ElasticNet<double>{1.0}, 2); }

/// The root by bisection of its definition.
TEST(DualNorm, SparseGroupIsTheRootOfItsEquation) {
  Generator generator(5);
  for (int round = 0; round < 2000; ++round) {
    const Point g = Point::random(generator, 1, 1 + generator.draw(9));
    const double ratio = round % 5 == 0 ? round % 2 : 0.001 * (1 + generator.draw(999));
    const double norm = SparseGroup<double>{Groups::rows(), {ratio}}.dual_norm(g.view());
    double low = 0, high = 0;
    for (const double entry : g.entries) high += std::abs(entry);
    for (int halving = 0; halving < 200; ++halving) {
      const double middle = (low + high) / 2;
      double square = 0;
      for (const double entry : g.entries) square += std::pow(std::max(std::abs(entry) - ratio * middle, 0.0), 2);
      (std::sqrt(square) > (1 - ratio) * middle ? low : high) = middle;
    }
    ASSERT_NEAR(norm, high, 1e-13 * (1 + high)) << "ratio " << ratio;
  }
  for (const float size : {0.0f, 1e-30f, 1.0f, 1e15f})
    for (const float ratio : {0.0f, 1e-6f, 0.5f, 0.9999999f, 1.0f}) {
      std::vector<float> entries(8, size);
      entries[3] *= 0.5f;
      const float norm =
          SparseGroup<float>{Groups::rows(), {ratio}}.dual_norm(Rows<const float>{entries.data(), 1, 8, 8});
      EXPECT_GE(norm, size);
      EXPECT_LE(norm, 2.9f * size);
    }
}

/// Fenchel–Young: ⟨g, w⟩ ≤ (λΩ)*(g) + λΩ(w), with equality at the maximiser soft(g, λρ)/λ(1 − ρ); and the conjugate is
/// zero just up to the dual norm.
TEST(Conjugate, ElasticNetFollowsFenchel) {
  Generator generator(3);
  for (int round = 0; round < 3000; ++round) {
    const Index classes = 1 + generator.draw(9);
    const Point g = Point::random(generator, 2, classes), w = Point::random(generator, 2, classes);
    const double lambda = 0.1 + generator.draw(5), ratio = 0.1 * generator.draw(10);
    const ElasticNet<double> penalty{ratio};
    const double conjugate = penalty.conjugate(g.view(), lambda);
    EXPECT_LE(inner(g, w), conjugate + lambda * penalty.value(w.view()) + 1e-9);
    Point best = g;
    for (double& entry : best.entries) entry = soft(entry, lambda * ratio) / (lambda * (1 - ratio));
    EXPECT_NEAR(inner(g, best), conjugate + lambda * penalty.value(std::as_const(best).view()), 1e-9 * (1 + conjugate));
    if (ratio == 0) {
      EXPECT_NEAR(conjugate, Ridge{}.conjugate(g.view(), lambda), 1e-12 * conjugate);
      continue;
    }
    const double norm = penalty.dual_norm(g.view());
    if (norm == 0) continue;
    EXPECT_NEAR(penalty.conjugate(g.view(), norm), 0, 1e-20 * norm * norm);
    EXPECT_GT(penalty.conjugate(g.view(), 0.99 * norm), 0);
  }
}

TEST(Conjugate, RidgeFollowsFenchel) {
  Generator generator(3);
  for (int round = 0; round < 500; ++round) {
    const Point g = Point::random(generator, 2, 5), w = Point::random(generator, 2, 5);
    const double lambda = 0.1 + generator.draw(5);
    const double conjugate = Ridge{}.conjugate(g.view(), lambda);
    EXPECT_LE(inner(g, w), conjugate + lambda * Ridge{}.value(w.view()) + 1e-9);
    Point best = g;
    for (double& entry : best.entries) entry /= lambda;
    EXPECT_NEAR(inner(g, best), conjugate + lambda * Ridge{}.value(std::as_const(best).view()), 1e-9 * (1 + conjugate));
  }
}

/// The projection p of v: p feasible, and ⟨v − p, z − p⟩ ≤ 0 for every feasible z.
TEST(Projection, SimplexSolvesItsVariationalInequality) {
  Generator generator(8);
  for (int round = 0; round < 3000; ++round) {
    const Index count = 1 + generator.draw(round % 10 ? 12 : 200);
    const double radius = std::pow(10.0, static_cast<double>(generator.draw(5)) - 3);
    const Point v = Point::random(generator, 1, count);
    Point p = v;
    project_simplex(p.entries.data(), count, radius);
    double total = 0;
    for (Index k = 0; k < count; ++k) {
      ASSERT_GE(p.entries[k], 0);
      total += p.entries[k];
    }
    ASSERT_NEAR(total, radius, 1e-12 * (1 + std::abs(v.entries[0])) + 1e-10 * radius);
    for (Index corner = 0; corner < count; ++corner) {  // the corners are enough: the set is their hull
      double product = 0;
      for (Index k = 0; k < count; ++k)
        product += (v.entries[k] - p.entries[k]) * ((k == corner ? radius : 0) - p.entries[k]);
      ASSERT_LE(product, 1e-11 * (1 + inner(v, v)));
    }
  }
}

TEST(Projection, SimplexTerminatesOnTiesAndExtremes) {
  for (const float value : {0.0f, 1.0f, -1.0f, 1e30f, -1e30f, 1e-30f})
    for (const Index count : {1u, 2u, 7u, 64u}) {
      std::vector<float> v(count, value);
      project_simplex(v.data(), count, 1.0f);
      for (const float entry : v) EXPECT_GE(entry, 0);
    }
}

}  // namespace
