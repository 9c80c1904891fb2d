// Training with the ranking squared hinge: certified, and right where another way knows the answer.
#include <gtest/gtest.h>

#include <cmath>

#include "support/label_sets.hpp"
#include "tamis/solver/as_printed/proximal_gradient.hpp"

namespace {

using namespace tamis;
using tamis::testing::Generator;
using tamis::testing::Made;
using tamis::testing::MadeSets;
using tamis::testing::ranking_by_pairs;

/// F(W, b) by the formula, pair by pair, in double. `coefficients`: (features + 1) × stride.
template <class T, class Penalty>
double objective(const MadeSets<T>& made, const std::vector<double>& coefficients, Index stride, Penalty penalty,
                 double lambda) {
  double total = 0, weight = 0;
  std::vector<double> z(made.classes);
  for (Index i = 0; i < made.samples; ++i) {
    for (Index k = 0; k < made.classes; ++k) {
      z[k] = coefficients[made.features * stride + k];
      for (Index j = 0; j < made.features; ++j)
        z[k] += static_cast<double>(made.values[i + j * made.samples]) * coefficients[j * stride + k];
    }
    const double w = made.weights.empty() ? 1 : static_cast<double>(made.weights[i]);
    total += w * ranking_by_pairs(z, made.of[i], made.margins.empty() ? 1 : static_cast<double>(made.margins[i]));
    weight += w;
  }
  return total / weight + lambda * penalty_value(penalty, coefficients.data(), made.features, made.classes, stride);
}

template <class T>
void add_weights(MadeSets<T>& made, std::uint32_t seed) {
  Generator generator(seed);
  for (Index i = 0; i < made.samples; ++i) made.weights.push_back(static_cast<T>(0.25 * (1 + generator.draw(8))));
  for (Index i = 0; i < made.samples; ++i) made.margins.push_back(static_cast<T>(0.5 + 0.5 * generator.draw(3)));
}

template <class Penalty>
void expect_honest(Penalty penalty) {
  for (std::uint32_t seed = 1; seed <= 3; ++seed)
    for (const bool weighted : {false, true}) {
      MadeSets<double> made(40 + 10 * seed, 6, 3 + seed, seed);
      if (weighted) add_weights(made, seed);
      for (const bool intercept : {true, false}) {
        const double lambda = 0.05;
        std::vector<Report<double>> seen;
        using Solver = DefaultSolver<double, RankingSquaredHinge, Penalty>;
        Solver solver(made.design(), made.targets(), made.loss(), penalty,
                      {.lambda = lambda, .tolerance = 1e-9, .intercept = intercept});
        tamis::testing::GuardedMemory memory(Solver::requirement(made.shape()).bytes);
        const auto fit = train<Solver, double>(solver, memory.span(), [&](const auto& report) {
          seen.push_back(report);
          return true;
        });
        ASSERT_EQ(fit.status, Status::converged) << seed;
        const Index stride = fit.model.stride();
        const std::vector<double> answer(fit.model.coefficients, fit.model.coefficients + (made.features + 1) * stride);
        const double optimum = objective(made, answer, stride, penalty, lambda);
        EXPECT_NEAR(fit.objective, optimum, 1e-10);
        for (const auto& report : seen) {
          EXPECT_LE(report.dual_objective, optimum * (1 + 1e-12)) << "a lower bound at every certificate";
          EXPECT_GE(report.objective, optimum * (1 - 1e-8));
        }
        Generator generator(seed);  // no random direction improves on the answer by more than the gap
        auto moved = answer;
        for (int trial = 0; trial < 60; ++trial) {
          const double size = trial % 2 ? 0.1 : 0.001;
          for (std::size_t e = 0; e < moved.size(); ++e)
            moved[e] = answer[e] + (e % stride < made.classes && generator.draw(2) ? size * generator.uniform() : 0);
          if (!intercept) std::fill(moved.end() - stride, moved.end(), 0);
          EXPECT_GE(objective(made, moved, stride, penalty, lambda), optimum - fit.gap - 1e-12);
        }
      }
    }
}

TEST(RankingCertificate, L1) { expect_honest(L1{}); }
TEST(RankingCertificate, Ridge) { expect_honest(Ridge{}); }
TEST(RankingCertificate, GroupL2) { expect_honest(GroupL2{}); }
TEST(RankingCertificate, GroupLinfBlocks) { expect_honest(GroupLinf{Groups::blocks(3)}); }
TEST(RankingCertificate, ElasticNet) { expect_honest(ElasticNet<double>{0.6}); }
TEST(RankingCertificate, SparseGroup) { expect_honest(SparseGroup<double>{}); }

TEST(RankingCertificate, FloatReachesTheUsualTolerance) {
  for (std::uint32_t seed = 1; seed <= 4; ++seed)
    for (const bool intercept : {true, false}) {
      MadeSets<float> made(150, 8, 9, seed);
      add_weights(made, seed);
      const auto run = tamis::testing::run<Fista<float, RankingSquaredHinge, L1>, float>(
          made.design(), made.targets(), made.loss(), L1{}, {.lambda = 0.05f, .intercept = intercept});
      EXPECT_EQ(run.fit.status, Status::converged) << seed << ' ' << run.fit.relative_gap;
    }
}

/// Accelerated gradient steps of safe length, written out here with slopes pair by pair: what they reach bounds the
/// optimum from above, and the certified bound must stay below it.
TEST(RankingCertificate, StaysBelowAnotherAlgorithm) {
  const MadeSets<double> made(40, 5, 4, 17);
  const double lambda = 0.05;
  const auto run = tamis::testing::run<Fista<double, RankingSquaredHinge, L1>, double>(
      made.design(), made.targets(), made.loss(), L1{}, {.lambda = lambda, .tolerance = 1e-8, .intercept = false});
  ASSERT_EQ(run.fit.status, Status::converged);
  const Index n = made.samples, p = made.features, K = made.classes;
  double curvature = 0;
  for (const double x : made.values) curvature += x * x;
  curvature *= 2.0 * K / n;
  std::vector<double> w((p + 1) * K), y = w, before = w;
  double momentum = 1, best = 1e300;
  for (int step = 0; step < 3000; ++step) {
    std::vector<double> g(p * K);
    for (Index i = 0; i < n; ++i) {
      std::vector<double> z(K), u(K);
      std::vector<bool> inside(K);
      for (const Label r : made.of[i]) inside[r] = true;
      for (Index j = 0; j < p; ++j)
        for (Index k = 0; k < K; ++k) z[k] += made.values[i + j * n] * y[j * K + k];
      for (Index r = 0; r < K; ++r)
        for (Index k = 0; k < K; ++k)
          if (inside[r] && !inside[k] && z[r] - z[k] < 1) {
            u[k] += 2 * (1 - z[r] + z[k]) / n;
            u[r] -= 2 * (1 - z[r] + z[k]) / n;
          }
      for (Index j = 0; j < p; ++j)
        for (Index k = 0; k < K; ++k) g[j * K + k] += made.values[i + j * n] * u[k];
    }
    before = w;
    for (std::size_t e = 0; e < g.size(); ++e) w[e] = soft(y[e] - g[e] / curvature, lambda / curvature);
    const double next = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    for (std::size_t e = 0; e < g.size(); ++e) y[e] = w[e] + (momentum - 1) / next * (w[e] - before[e]);
    momentum = next;
    if (step % 100 == 99) best = std::min(best, objective(made, w, K, L1{}, lambda));
  }
  EXPECT_LE(run.fit.dual_objective, best);
  EXPECT_NEAR(run.fit.objective, best, 1e-6 * best);
}

/// x = 1 with the labels 0 and 1, x = −1 with the label 2. With d = w₀ − w₂ = w₁ − w₂ each sample loses 2(1 − d)², and
/// d is cheapest, for Σ|w|, with w₂ = −d alone: F = 2(1 − d)² + λd, least at d = 1 − λ/4 with λ − λ²/8. For the
/// Euclidean norm of the row it is cheapest with w = (d, d, −2d)/3, of norm √⅔ d: the same with λ√⅔. Intercepts stay
/// equal.
TEST(RankingByHand, TwoSamplesOneFeature) {
  MadeSets<double> made(2, 1, 3, 1);
  made.values = {1, -1};
  made.of = {{0, 1}, {2}};
  made.number_sets();
  const double lambda = 0.5, norm = std::sqrt(2.0 / 3);
  for (const bool intercept : {false, true}) {
    const Options<double> options{.lambda = lambda, .tolerance = 1e-10, .intercept = intercept};
    const auto l1 = tamis::testing::run<Fista<double, RankingSquaredHinge, L1>, double>(made.design(), made.targets(),
                                                                                        made.loss(), L1{}, options);
    ASSERT_EQ(l1.fit.status, Status::converged);
    EXPECT_NEAR(l1.fit.objective, lambda - lambda * lambda / 8, 1e-10);
    EXPECT_NEAR(l1.fit.dual_objective, lambda - lambda * lambda / 8, 1e-10);
    EXPECT_NEAR(l1.fit.model(0, 2), -(1 - lambda / 4), 1e-4);
    EXPECT_NEAR(l1.fit.lambda_max, 4, 1e-12);
    const auto l2 = tamis::testing::run<Fista<double, RankingSquaredHinge, GroupL2>, double>(
        made.design(), made.targets(), made.loss(), GroupL2{}, options);
    ASSERT_EQ(l2.fit.status, Status::converged);
    const double kappa = lambda * norm;
    EXPECT_NEAR(l2.fit.objective, kappa - kappa * kappa / 8, 1e-10);
    EXPECT_NEAR(l2.fit.model(0, 0), (1 - kappa / 4) / 3, 1e-4);
    EXPECT_NEAR(l2.fit.lambda_max, 4 / norm, 1e-12);
  }
}

TEST(RankingBaselines, ReachTheSameOptimum) {
  const MadeSets<double> made(40, 4, 4, 6);
  const Options<double> options{.lambda = 0.1, .tolerance = 1e-5};
  const auto ours = tamis::testing::run<Fista<double, RankingSquaredHinge, L1>, double>(made.design(), made.targets(),
                                                                                        made.loss(), L1{}, options);
  const auto constant = tamis::testing::run<as_printed::FistaPrintedStep<double, RankingSquaredHinge, L1>, double>(
      made.design(), made.targets(), made.loss(), L1{}, options);
  const auto plain = tamis::testing::run<as_printed::ForwardBackward<double, RankingSquaredHinge, L1>, double>(
      made.design(), made.targets(), made.loss(), L1{}, options);
  for (const auto* run : {&ours, &constant, &plain}) {
    EXPECT_EQ(run->fit.status, Status::converged);
    EXPECT_NEAR(run->fit.objective, ours.fit.objective, 2e-5 * ours.fit.objective);
    EXPECT_LE(run->fit.dual_objective, ours.fit.objective);
  }
}

/// With one label each, training is that of the squared hinge.
template <class T>
void expect_squared_hinge(bool intercept) {
  const Made<T> made(80, 7, 5, 3);
  MadeSets<T> sets(80, 7, 5, 3);
  for (Index i = 0; i < 80; ++i) sets.of[i] = {made.labels[i]};
  sets.number_sets();
  const Options<T> options{.lambda = T(0.03), .tolerance = T(1e-4), .intercept = intercept};
  const auto one =
      tamis::testing::run<Fista<T, SquaredHinge, L1>, T>(made.design(), made.targets(), SquaredHinge{}, L1{}, options);
  const auto other = tamis::testing::run<Fista<T, RankingSquaredHinge, L1>, T>(made.design(), sets.targets(),
                                                                               sets.loss(), L1{}, options);
  ASSERT_EQ(one.fit.status, Status::converged);
  ASSERT_EQ(other.fit.status, Status::converged);
  if (!intercept) {
    EXPECT_EQ(one.coefficients(), other.coefficients()) << "to the bit";
    EXPECT_EQ(one.fit.dual_objective, other.fit.dual_objective);
    return;
  }
  EXPECT_NEAR(one.fit.objective, other.fit.objective, T(1e-6) * one.fit.objective) << "the repairs round differently";
  EXPECT_EQ(one.fit.iterations, other.fit.iterations);
}
TEST(RankingOfOneLabel, IsTheSquaredHinge) {
  for (const bool intercept : {false, true}) {
    expect_squared_hinge<double>(intercept);
    expect_squared_hinge<float>(intercept);
  }
}

// ---- paths and folds -----------------------------------------------------------------------------------------------

TEST(RankingPath, EndsWhereEachLambdaAloneDoes) {
  const MadeSets<double> made(60, 6, 5, 2);
  const auto design = made.design();
  using Solver = Fista<double, RankingSquaredHinge, L1>;
  for (const bool intercept : {true, false}) {
    const Options<double> options{.tolerance = 1e-7, .intercept = intercept};
    const auto make = [&](const Targets<double>& targets) {
      return Solver(design, targets, made.loss(), L1{}, options);
    };
    Path path(make, made.features, made.targets(), Grid<double>{.points = 6, .ratio = 0.01});
    tamis::testing::GuardedMemory memory(
        decltype(path)::requirement(made.shape(), Solver::requirement(made.shape())).bytes);
    path.start(memory.span());
    Index points = 0;
    advance_path(path, [&](const auto& at) {
      ++points;
      auto alone = options;
      alone.lambda = at.lambda();
      const auto run = tamis::testing::run<Solver, double>(design, made.targets(), made.loss(), L1{}, alone);
      EXPECT_EQ(at.report().status, Status::converged);
      EXPECT_NEAR(at.report().objective, run.fit.objective, 2e-7 * run.fit.objective);
      return true;
    });
    EXPECT_EQ(points, 6u);
  }
}

TEST(RankingFolds, JudgeWhatHasPairs) {
  MadeSets<double> made(60, 4, 4, 5);
  for (const Index i : {3, 12, 21}) made.of[i].clear();  // nothing to judge
  made.of[30] = {0, 1, 2, 3};
  made.number_sets();
  const auto design = made.design();
  using Solver = Fista<double, RankingSquaredHinge, L1>;
  const Options<double> options{.lambda = 0.05, .tolerance = 1e-6};
  std::vector<Index> fold(made.samples);
  for (Index i = 0; i < made.samples; ++i) fold[i] = i % 3;
  const double lambdas[] = {0.05};
  const auto make = [&](const Targets<double>& targets) { return Solver(design, targets, made.loss(), L1{}, options); };
  CrossValidation<double, decltype(make), DenseDesign<double>, RankingSquaredHinge> cv(
      make, design, made.targets(), made.loss(), fold.data(), 3, Grid<double>{lambdas, 1});
  tamis::testing::GuardedMemory memory(
      decltype(cv)::requirement(made.shape(), 3, 1, Solver::requirement(made.shape())).bytes);
  cv.start(memory.span());
  while (cv.step()) {
  }
  ASSERT_EQ(cv.status(), Status::converged);
  double wrong = 0, loss = 0, judged = 0;
  for (Index f = 0; f < 3; ++f) {
    MadeSets<double> part = made;
    part.weights.assign(made.samples, 1);
    for (Index i = 0; i < made.samples; ++i)
      if (fold[i] == f) part.weights[i] = 0;
    const auto run = tamis::testing::run<Solver, double>(design, part.targets(), part.loss(), L1{}, options);
    for (Index i = 0; i < made.samples; ++i) {
      if (fold[i] != f || made.of[i].empty() || made.of[i].size() == 4) continue;
      std::vector<double> x(4), z(4);
      for (Index j = 0; j < 4; ++j) x[j] = made.values[i + j * made.samples];
      for (Index k = 0; k < 4; ++k) {
        z[k] = run.fit.model.intercept(k);
        for (Index j = 0; j < 4; ++j) z[k] += x[j] * run.fit.model(j, k);
      }
      const auto best = std::max_element(z.begin(), z.end()) - z.begin();
      wrong += std::count(made.of[i].begin(), made.of[i].end(), best) == 0;
      loss += ranking_by_pairs(z, made.of[i], 1);
      ++judged;
    }
  }
  EXPECT_NEAR(cv.at(0).error, wrong / judged, 1e-12);
  EXPECT_NEAR(cv.at(0).loss, loss / judged, 1e-5);
}

}  // namespace
