// The faces of hierarchical penalties, the gauge of symmetric products, and what both are for: runs that end by
// Newton's method.
#include <gtest/gtest.h>

#include <cmath>

#include "core.hpp"
#include "support/problems.hpp"
#include "tamis/solver/interaction_admm.hpp"

namespace tamis {
namespace {

using testing::Generator;
using testing::GuardedMemory;
using testing::Made;

constexpr Hierarchy hierarchies[] = {Hierarchy::weak, Hierarchy::strong, Hierarchy::full, Hierarchy::main};
constexpr HierarchyNorm norms[] = {HierarchyNorm::l1, HierarchyNorm::linf};

/// Coefficients with zeros and ties: halves, a main effect often as large as its products or as the largest of them.
struct Coefficients {
  Index features, stride;
  std::vector<double> values;
  HierarchicalPenalty<double> penalty;

  Coefficients(Generator& generator, Hierarchy hierarchy, HierarchyNorm norm)
      : features(2 + generator.draw(4)),
        stride(padded<double>(features + 1)),
        values(features * stride),
        penalty{hierarchy, norm, 0.75, 0.25} {
    for (Index j = 0; j < features; ++j)
      for (Index l = 0; l < features && hierarchy != Hierarchy::main; ++l)
        at(j, l) = hierarchy == Hierarchy::strong && l < j ? at(l, j) : (int(generator.draw(7)) - 3) / 2 * 0.5;
    for (Index j = 0; j < features; ++j) {
      double sum = 0, top = 0;
      for (Index l = 0; l < features; ++l) {
        sum += std::abs(at(j, l));
        top = std::max(top, std::abs(at(j, l)));
      }
      const double sizes[] = {0, sum, top, 0.25, 4};
      at(j, features) = sizes[generator.draw(5)] * (generator.draw(2) ? 1 : -1);
    }
  }
  double& at(Index j, Index l) { return values[j * stride + l]; }
  double value(const std::vector<double>& w) const {
    double total = 0;
    for (Index j = 0; j < features; ++j) total += penalty.value(w.data() + j * stride, features);
    return total;
  }
};

template <class Check>
void for_each_face(Check check) {
  Generator generator(3);
  for (const Hierarchy hierarchy : hierarchies)
    for (const HierarchyNorm norm : norms)
      for (int round = 0; round < 200; ++round) {
        Coefficients z(generator, hierarchy, norm);
        std::vector<double> level(z.features);
        std::vector<Index> root(z.features);
        const HierarchicalFace<double> face(z.penalty, z.features, z.stride, z.values.data(), 1.0, level.data(),
                                            root.data());
        check(generator, z, face);
      }
}

struct Direction {
  std::vector<double> move;
  double slope;
};
std::vector<Direction> directions_of(const Coefficients& z, const HierarchicalFace<double>& face) {
  std::vector<Direction> out(1);
  out.back().move.resize(z.values.size());
  face.visit([&](Index j, Index l, double factor) { out.back().move[j * z.stride + l] += factor; },
             [&](double slope) {
               out.back().slope = slope;
               out.push_back({std::vector<double>(z.values.size()), 0});
             });
  out.pop_back();
  return out;
}

TEST(HierarchicalFace, PenaltyIsLinearAlongIt) {
  for_each_face([](Generator&, Coefficients& z, const HierarchicalFace<double>& face) {
    for (const auto& direction : directions_of(z, face))
      for (const double t : {0x1p-8, -0x1p-8}) {
        auto moved = z.values;
        for (std::size_t e = 0; e < moved.size(); ++e) moved[e] += t * direction.move[e];
        EXPECT_EQ(z.value(moved), z.value(z.values) + t * direction.slope);
        for (Index j = 0; j < z.features && z.penalty.hierarchy == Hierarchy::strong; ++j)
          for (Index l = 0; l < j; ++l) EXPECT_EQ(moved[j * z.stride + l], moved[l * z.stride + j]);
      }
    std::vector<double> projected(z.values.size());
    face.project(projected.data());
    EXPECT_EQ(projected, z.values);
  });
}

// Beyond the face Ω is not linear: anything small that is added to what is not zero costs more, or is along the face.
TEST(HierarchicalFace, HoldsAllDirections) {
  for_each_face([](Generator& generator, Coefficients& z, const HierarchicalFace<double>& face) {
    auto directions = directions_of(z, face);
    std::vector<double> move(z.values.size());
    for (double& entry : move) entry = 0;
    for (Index j = 0; j < z.features; ++j)
      for (Index l = 0; l <= z.features; ++l) move[j * z.stride + l] = (1 + generator.draw(64)) / 64.0;
    if (z.penalty.hierarchy == Hierarchy::strong)
      for (Index j = 0; j < z.features; ++j)
        for (Index l = 0; l < j; ++l) move[j * z.stride + l] = move[l * z.stride + j];
    if (z.penalty.hierarchy == Hierarchy::main)
      for (Index j = 0; j < z.features; ++j)
        for (Index l = 0; l < z.features; ++l) move[j * z.stride + l] = 0;
    auto ahead = z.values, behind = z.values;
    for (std::size_t e = 0; e < move.size(); ++e) {
      ahead[e] += 0x1p-8 * move[e];
      behind[e] -= 0x1p-8 * move[e];
    }
    const bool linear = z.value(ahead) + z.value(behind) == 2 * z.value(z.values);
    // the part of the move in the span: directions have their entries apart from one another or share main effects, so
    // that Gram–Schmidt is short
    auto rest = move;
    std::vector<std::vector<double>> basis;
    for (auto& direction : directions) {
      auto b = direction.move;
      for (const auto& other : basis) {
        double inner = 0;
        for (std::size_t e = 0; e < b.size(); ++e) inner += b[e] * other[e];
        for (std::size_t e = 0; e < b.size(); ++e) b[e] -= inner * other[e];
      }
      double square = 0;
      for (const double entry : b) square += entry * entry;
      ASSERT_GT(square, 1e-6);  // no direction twice
      for (double& entry : b) entry /= std::sqrt(square);
      basis.push_back(b);
    }
    for (const auto& b : basis) {
      double inner = 0;
      for (std::size_t e = 0; e < b.size(); ++e) inner += rest[e] * b[e];
      for (std::size_t e = 0; e < b.size(); ++e) rest[e] -= inner * b[e];
    }
    double square = 0;
    for (const double entry : rest) square += entry * entry;
    EXPECT_EQ(linear, square < 1e-12);
  });
}

TEST(HierarchicalFace, PullsPointsBackToWhereThePenaltyIsLinear) {
  for_each_face([](Generator& generator, Coefficients& z, const HierarchicalFace<double>& face) {
    auto point = z.values;
    for (const auto& direction : directions_of(z, face)) {
      const double length = 4 * generator.uniform();
      for (std::size_t e = 0; e < point.size(); ++e) point[e] += length * direction.move[e];
    }
    const auto far = point;
    std::vector<double> spare(z.features);
    const bool pulled = face.pull(point.data(), spare.data());
    if (!pulled) {
      for (std::size_t e = 0; e < point.size(); ++e) EXPECT_NEAR(point[e], far[e], 1e-12);
    }
    auto middle = point;
    for (std::size_t e = 0; e < point.size(); ++e) middle[e] = (point[e] + z.values[e]) / 2;
    EXPECT_NEAR(z.value(middle), (z.value(point) + z.value(z.values)) / 2, 1e-12);
    const bool far_is_linear = [&] {
      auto half = far;
      for (std::size_t e = 0; e < far.size(); ++e) half[e] = (far[e] + z.values[e]) / 2;
      return std::abs(z.value(half) - (z.value(far) + z.value(z.values)) / 2) < 1e-12;
    }();
    if (!far_is_linear) {
      EXPECT_TRUE(pulled);
    }
  });
}

// ⟨a, v⟩ + ⟨B, Θ⟩ ≤ gauge·Ω for symmetric Θ, and equal for one of those whose entries are −1, 0 and 1.
TEST(HierarchicalGauge, IsTheDualNormOfSymmetricProducts) {
  Generator generator(8);
  for (const Hierarchy hierarchy : hierarchies)
    for (const HierarchyNorm norm : norms)
      for (int round = 0; round < 40; ++round) {
        const HierarchicalPenalty<double> penalty{hierarchy, norm, 0.5 + generator.draw(4) / 4.0,
                                                  generator.draw(4) / 4.0 + 0.25};
        constexpr Index p = 3, stride = 4, entries = 9;
        double g[p * stride] = {};
        for (Index j = 0; j < p; ++j) {
          for (Index l = 0; l <= j; ++l) g[j * stride + l] = g[l * stride + j] = generator.uniform();
          g[j * stride + p] = generator.uniform();
        }
        const auto ratio = [&](unsigned kept) {
          double theta[p * stride] = {}, inner = 0, value = 0;
          unsigned bit = 0;
          for (Index j = 0; j < p; ++j) {
            for (Index l = 0; l <= j; ++l, ++bit)
              if (kept >> bit & 1 && hierarchy != Hierarchy::main)
                theta[j * stride + l] = theta[l * stride + j] = g[j * stride + l] < 0 ? -1 : 1;
            if (kept >> bit++ & 1) theta[j * stride + p] = g[j * stride + p] < 0 ? -1 : 1;
          }
          for (Index j = 0; j < p; ++j) {
            value += penalty.value(theta + j * stride, p);
            for (Index l = 0; l <= p; ++l) inner += theta[j * stride + l] * g[j * stride + l];
          }
          return value > 0 ? inner / value : 0;
        };
        double best = 0;
        for (unsigned kept = 1; kept < 1u << entries; ++kept) best = std::max(best, ratio(kept));
        ASSERT_GT(best, 0);
        double load[p], row[stride];
        const std::vector<double> zeros(p * stride);
        const auto before = std::vector<double>(g, g + p * stride);
        // the balance is exact where nothing has to be scaled
        HierarchicalGauge<double> gauge(penalty, p, stride, g, 1 / best, load, row);
        const double found = gauge.value(zeros.data(), zeros.data(), 0.0, 5000);
        EXPECT_GE(found, 1 - 1e-12);
        if (hierarchy == Hierarchy::strong) {
          EXPECT_NEAR(found, 1, 1e-6);
          double sum[p][p] = {};
          gauge.visit([&](Index j, const double* entry) {
            EXPECT_LE(penalty.gauge(entry, p), found + 1e-12);
            EXPECT_NEAR(entry[p], g[j * stride + p] / best, 1e-12);
            for (Index l = 0; l < p; ++l) sum[j][l] += entry[l], sum[l][j] += entry[l];
          });
          gauge.restore();
          for (Index j = 0; j < p; ++j)
            for (Index l = 0; l < p; ++l)
              if (l != j) {
                EXPECT_NEAR(sum[j][l], 2 * g[j * stride + l] / best, 1e-12);
              }
        }
        EXPECT_EQ(std::vector<double>(g, g + p * stride), before);
      }
}

struct Ended {
  Report<double> report;
  double objective_of_path = 0, gap_of_path = 0;
};
/// Solves at λ = 0.02, and again after a path from larger ones.
Ended run(bool classes, Hierarchy hierarchy, HierarchyNorm norm, double tolerance) {
  const Made<double> made(60, 8, 3, 21);
  Generator generator(5);
  std::vector<double> truth;
  for (Index i = 0; i < 60; ++i) {
    const auto x = [&](Index j) { return made.values[i + j * 60]; };
    truth.push_back(x(0) - 2 * x(1) + 3 * x(0) * x(1) + x(2) * x(3) + 0.3 * generator.uniform());
  }
  InteractionTargets<double> targets;
  if (classes) targets = {nullptr, made.labels, 3};
  else targets.values = truth.data();
  GuardedMemory memory(InteractionAdmm<double>::requirement({60, 8, targets.classes}).bytes);
  const Options<double> options{.lambda = 0.02, .tolerance = tolerance, .max_iterations = 20000};
  InteractionAdmm<double> solver(made.design(), targets, hierarchy, norm, 0.01, options);
  solver.start(memory.span());
  while (solver.step()) {
  }
  Ended out{solver.report()};
  for (const double lambda : {0.16, 0.08, 0.04, 0.02})
    for (solver.warm_start(lambda, lambda / 2); solver.step();) {
    }
  EXPECT_EQ(solver.report().status, out.report.status);
  out.objective_of_path = solver.report().objective;
  out.gap_of_path = solver.report().gap;
  EXPECT_TRUE(memory.surroundings_intact());
  return out;
}

TEST(InteractionNewton, EndsRunsAtRounding) {
  for (const bool classes : {false, true})
    for (const Hierarchy hierarchy : hierarchies)
      for (const HierarchyNorm norm : norms) {
        const Ended far = run(classes, hierarchy, norm, 1e-12);
        EXPECT_EQ(far.report.status, Status::converged) << name(hierarchy) << name(norm) << classes;
        EXPECT_LT(far.report.iterations, 2000u) << name(hierarchy) << name(norm) << classes;
        EXPECT_NEAR(far.objective_of_path, far.report.objective, 1e-11);
        const Ended near = run(classes, hierarchy, norm, 1e-3);
        EXPECT_LE(near.report.dual_objective, far.report.objective * (1 + 1e-12));
        EXPECT_GE(near.report.objective, far.report.objective * (1 - 1e-12));
        EXPECT_NEAR(near.objective_of_path, far.report.objective, near.gap_of_path + 1e-12);
      }
}

}  // namespace
}  // namespace tamis
