// Certificates: every bound that a run reports holds, and what it calls converged is optimal.
#include <gtest/gtest.h>

#include <cmath>

#include "support/problems.hpp"

namespace {

using namespace tamis;
using tamis::testing::Generator;
using tamis::testing::Made;

template <class Loss, class Penalty>
void expect_honest(Loss loss, Penalty penalty) {
  for (std::uint32_t seed = 1; seed <= 4; ++seed)
    for (const bool weighted : {false, true}) {
      Made<double> made(40 + 10 * seed, 7, 2 + seed, seed);
      if (weighted) {
        Generator generator(seed);
        for (Index i = 0; i < made.samples; ++i) made.weights.push_back(0.25 * (1 + generator.draw(8)));
        for (Index i = 0; i < made.samples; ++i) made.margins.push_back(0.5 + 0.5 * generator.draw(3));
      }
      for (const bool intercept : {true, false}) {
        const double lambda = 0.02;
        std::vector<Report<double>> seen;
        using Solver = typename tamis::testing::InLeastMemory<Loss, Penalty>::template Solver<double, Loss, Penalty,
                                                                                              DenseDesign<double>>;
        Solver solver(made.design(), made.targets(), loss, penalty,
                      {.lambda = lambda, .tolerance = 1e-9, .intercept = intercept});
        tamis::testing::GuardedMemory memory(Solver::requirement(made.shape()).bytes);
        const auto fit = train<Solver, double>(solver, memory.span(), [&](const auto& report) {
          seen.push_back(report);
          return true;
        });
        ASSERT_EQ(fit.status, Status::converged);
        const double optimum = fit.objective;
        EXPECT_NEAR(optimum, tamis::testing::objective(made, fit.model, loss, penalty, lambda), 1e-10);
        for (const auto& report : seen) {
          EXPECT_LE(report.dual_objective, optimum * (1 + 1e-12)) << "a lower bound at every certificate";
          EXPECT_GE(report.objective, optimum * (1 - 1e-8)) << "an upper bound at every certificate";
          EXPECT_GE(report.gap, 0);
        }
        // No random direction improves on the answer by more than the gap.
        Generator generator(seed);
        const Index stride = fit.model.stride();
        std::vector<double> moved(fit.model.coefficients, fit.model.coefficients + (made.features + 1) * stride);
        const auto answer = moved;
        for (int trial = 0; trial < 100; ++trial) {
          const double size = trial % 2 ? 0.1 : 0.001;
          for (std::size_t e = 0; e < moved.size(); ++e)
            moved[e] = answer[e] + (e % stride < made.classes && generator.draw(2) ? size * generator.uniform() : 0);
          if (!intercept) std::fill(moved.end() - stride, moved.end(), 0);
          const LinearModel<double> other{moved.data(), made.features, made.classes};
          EXPECT_GE(tamis::testing::objective(made, other, loss, penalty, lambda), optimum - fit.gap - 1e-12);
        }
      }
    }
}

TEST(Certificate, HingeL1) { expect_honest(Hinge{}, L1{}); }
TEST(Certificate, HingeRidge) { expect_honest(Hinge{}, Ridge{}); }
TEST(Certificate, HingeGroupL2) { expect_honest(Hinge{}, GroupL2{}); }
TEST(Certificate, HingeGroupLinfBlocks) { expect_honest(Hinge{}, GroupLinf{Groups::blocks(3)}); }
TEST(Certificate, SquaredHingeL1) { expect_honest(SquaredHinge{}, L1{}); }
TEST(Certificate, SquaredHingeRidge) { expect_honest(SquaredHinge{}, Ridge{}); }
TEST(Certificate, SquaredHingeGroupL2Blocks) { expect_honest(SquaredHinge{}, GroupL2{Groups::blocks(3)}); }
TEST(Certificate, LogisticL1) { expect_honest(Logistic{}, L1{}); }
TEST(Certificate, LogisticRidge) { expect_honest(Logistic{}, Ridge{}); }
TEST(Certificate, LogisticGroupL2) { expect_honest(Logistic{}, GroupL2{}); }
TEST(Certificate, LogisticGroupLinfBlocks) { expect_honest(Logistic{}, GroupLinf{Groups::blocks(3)}); }
TEST(Certificate, LogisticElasticNet) { expect_honest(Logistic{}, ElasticNet<double>{}); }
TEST(Certificate, LogisticElasticNetAlmostL1) { expect_honest(Logistic{}, ElasticNet<double>{0.95}); }
TEST(Certificate, LogisticSparseGroup) { expect_honest(Logistic{}, SparseGroup<double>{}); }
TEST(Certificate, OneVsRestElasticNet) { expect_honest(OneVsRestSquaredHinge{}, ElasticNet<double>{0.25}); }
TEST(Certificate, OneVsRestL1) { expect_honest(OneVsRestSquaredHinge{}, L1{}); }
TEST(Certificate, OneVsRestRidge) { expect_honest(OneVsRestSquaredHinge{}, Ridge{}); }
TEST(Certificate, OneVsRestGroupL2Blocks) { expect_honest(OneVsRestSquaredHinge{}, GroupL2{Groups::blocks(3)}); }
TEST(Certificate, OneVsRestGroupLinf) { expect_honest(OneVsRestSquaredHinge{}, GroupLinf{}); }
TEST(Certificate, SquaredHingeGroupLinf) { expect_honest(SquaredHinge{}, GroupLinf{}); }

constexpr Index listed_order[] = {6, 0, 3, 1, 2, 5, 4}, listed_starts[] = {0, 2, 3, 7};
const Groups listed = Groups::listed(listed_order, listed_starts, 3);

TEST(Certificate, HingeElasticNet) { expect_honest(Hinge{}, ElasticNet<double>{0.6}); }
TEST(Certificate, SquaredHingeElasticNet) { expect_honest(SquaredHinge{}, ElasticNet<double>{0.6}); }
TEST(Certificate, SquaredHingeElasticNetNearlyL1) { expect_honest(SquaredHinge{}, ElasticNet<double>{0.999}); }
TEST(Certificate, HingeSparseGroup) { expect_honest(Hinge{}, SparseGroup<double>{Groups::rows(), {0.5}}); }
TEST(Certificate, SquaredHingeSparseGroupBlocks) {
  expect_honest(SquaredHinge{}, SparseGroup<double>{Groups::blocks(3), {0.3}});
}
TEST(Certificate, HingeListedGroups) { expect_honest(Hinge{}, GroupL2{listed}); }
TEST(Certificate, SquaredHingeListedGroups) {
  expect_honest(SquaredHinge{}, GroupLinf{listed});
  expect_honest(SquaredHinge{}, SparseGroup<double>{listed, {0.5}});
}

/// Another algorithm, from scratch: accelerated gradient steps on all coefficients, of safe length, written out here.
/// What it reaches bounds the optimum from above, and the certified bound must stay below it. Squared hinge, no
/// intercept.
template <class Penalty>
double best_of_plain_gradient_steps(const Made<double>& made, Penalty penalty, double lambda, int steps) {
  const Index n = made.samples, p = made.features, K = made.classes, stride = padded<double>(K);
  double curvature = 0;
  for (const double x : made.values) curvature += x * x;
  curvature *= SquaredHinge{}.curvature<double>(K) / n;  // the Frobenius norm is above the spectral one
  std::vector<double> w(p * stride), y = w, before = w, g(p * stride), z(stride), u(stride);
  double best = 1e300, momentum = 1;
  for (int step = 0; step <= steps; ++step) {
    std::fill(g.begin(), g.end(), 0);
    double value = 0;
    for (Index i = 0; i < n; ++i) {
      double at_w = 0;
      for (const auto* from : {&w, &y}) {
        std::fill(z.begin(), z.end(), 0);
        for (Index j = 0; j < p; ++j)
          for (Index k = 0; k < K; ++k) z[k] += made.values[i + j * n] * (*from)[j * stride + k];
        if (from == &w) at_w = SquaredHinge{}.value(z.data(), K, made.labels[i], 1.0);
      }
      value += at_w / n;
      SquaredHinge{}.gradient(z.data(), K, made.labels[i], 1.0, 1.0 / n, u.data());
      for (Index j = 0; j < p; ++j)
        for (Index k = 0; k < K; ++k) g[j * stride + k] += made.values[i + j * n] * u[k];
    }
    value += lambda * penalty_value(penalty, static_cast<const double*>(w.data()), p, K, stride);
    best = std::min(best, value);
    before = w;
    for (std::size_t e = 0; e < w.size(); ++e) w[e] = y[e] - g[e] / curvature;
    groups_of(penalty).for_each(
        p, [&](FeatureGroup group) { penalty.prox(rows_of(w.data(), group, K, stride), lambda / curvature); });
    const double next = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    for (std::size_t e = 0; e < w.size(); ++e) y[e] = w[e] + (momentum - 1) / next * (w[e] - before[e]);
    momentum = next;
  }
  return best;
}

template <class Penalty>
void expect_below_other_algorithm(Penalty penalty) {
  const Made<double> made(40, 7, 3, 17);
  const auto run = tamis::testing::run_default(made, SquaredHinge{}, penalty,
                                               {.lambda = 0.05, .tolerance = 1e-6, .intercept = false});
  ASSERT_EQ(run.fit.status, Status::converged);
  const double other = best_of_plain_gradient_steps(made, penalty, 0.05, 4000);
  EXPECT_LE(run.fit.dual_objective, other);
  EXPECT_NEAR(run.fit.objective, other, 2e-6 * other);
}

TEST(Certificate, LiesBelowWhatAnotherAlgorithmReaches) {
  expect_below_other_algorithm(ElasticNet<double>{0.5});
  expect_below_other_algorithm(SparseGroup<double>{Groups::rows(), {0.5}});
  expect_below_other_algorithm(SparseGroup<double>{listed, {0.2}});
  expect_below_other_algorithm(GroupL2{listed});
  expect_below_other_algorithm(GroupLinf{listed});
}

/// With working sets (150 features) as without, and at the ends of the ratio.
template <class Loss>
void expect_ends(Loss loss) {
  const Made<double> made(60, 150, 3, 8);
  const Options<double> options{.lambda = 0.03, .tolerance = 1e-8};
  const auto objective = [&](auto penalty, bool working_sets = true) {
    auto o = options;
    o.working_sets = working_sets;
    const auto run = tamis::testing::run_default(made, loss, penalty, o);
    EXPECT_EQ(run.fit.status, Status::converged);
    EXPECT_NEAR(run.fit.objective, tamis::testing::objective(made, run.fit.model, loss, penalty, options.lambda),
                1e-12);
    return run.fit.objective;
  };
  EXPECT_EQ(objective(ElasticNet<double>{1}), objective(L1{})) << "the same steps";
  EXPECT_NEAR(objective(ElasticNet<double>{0}), objective(Ridge{}), 2e-8);
  EXPECT_NEAR(objective(ElasticNet<double>{0.5}), objective(ElasticNet<double>{0.5}, false), 2e-8);
  EXPECT_NEAR(objective(SparseGroup<double>{Groups::rows(), {1}}), objective(L1{}), 2e-8);
  EXPECT_NEAR(objective(SparseGroup<double>{Groups::rows(), {0}}), objective(GroupL2{}), 2e-8);
  EXPECT_NEAR(objective(SparseGroup<double>{Groups::blocks(4), {0}}), objective(GroupL2{Groups::blocks(4)}), 2e-8);
  EXPECT_NEAR(objective(SparseGroup<double>{Groups::blocks(4), {0.5}}),
              objective(SparseGroup<double>{Groups::blocks(4), {0.5}}, false), 2e-8);
  EXPECT_NEAR(objective(WeightedL1<double>{}), objective(L1{}), 2e-8);
  const std::vector<double> twos(150 * 4, 2.0);
  auto twice = options;
  twice.lambda *= 2;
  EXPECT_NEAR(objective(WeightedL1<double>{twos.data(), 4}),
              tamis::testing::run_default(made, loss, L1{}, twice).fit.objective, 4e-8);
}
TEST(Ends, Hinge) { expect_ends(Hinge{}); }
TEST(Ends, SquaredHinge) { expect_ends(SquaredHinge{}); }

/// λ_max: at it and above all coefficients are zero at once; for smooth losses just below it one is not.
template <class Loss, class Penalty>
void expect_lambda_max(Loss loss, Penalty penalty, bool exact) {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    const Made<double> made(45, 6, 3, seed);
    const double bound =
        tamis::testing::run_default(made, loss, penalty, {.lambda = 1e-3, .max_iterations = 1}).fit.lambda_max;
    ASSERT_GT(bound, 0);
    const auto above =
        tamis::testing::run_default(made, loss, penalty, {.lambda = bound * (1 + 1e-9), .tolerance = 1e-6});
    EXPECT_EQ(above.fit.status, Status::converged);
    EXPECT_EQ(above.fit.nonzeros, 0u);
    EXPECT_EQ(above.fit.iterations, 0u) << "no iterations are needed";
    const auto below = tamis::testing::run_default(made, loss, penalty, {.lambda = bound * 0.9, .tolerance = 1e-9});
    if (exact) {
      EXPECT_GT(below.fit.nonzeros, 0u);
    }
  }
}

TEST(LambdaMax, HingeL1) { expect_lambda_max(Hinge{}, L1{}, false); }
TEST(LambdaMax, HingeGroupL2) { expect_lambda_max(Hinge{}, GroupL2{}, false); }
TEST(LambdaMax, LogisticL1) { expect_lambda_max(Logistic{}, L1{}, true); }
TEST(LambdaMax, LogisticGroupL2) { expect_lambda_max(Logistic{}, GroupL2{}, true); }
TEST(LambdaMax, LogisticElasticNet) { expect_lambda_max(Logistic{}, ElasticNet<double>{0.25}, true); }
TEST(LambdaMax, OneVsRestL1) { expect_lambda_max(OneVsRestSquaredHinge{}, L1{}, true); }
TEST(LambdaMax, OneVsRestGroupLinf) { expect_lambda_max(OneVsRestSquaredHinge{}, GroupLinf{}, true); }
TEST(LambdaMax, SquaredHingeL1) { expect_lambda_max(SquaredHinge{}, L1{}, true); }
TEST(LambdaMax, HingeElasticNet) { expect_lambda_max(Hinge{}, ElasticNet<double>{0.5}, false); }
TEST(LambdaMax, SquaredHingeElasticNet) { expect_lambda_max(SquaredHinge{}, ElasticNet<double>{0.5}, true); }
TEST(LambdaMax, SquaredHingeSparseGroup) {
  expect_lambda_max(SquaredHinge{}, SparseGroup<double>{Groups::rows(), {0.5}}, true);
}
TEST(LambdaMax, SquaredHingeGroupLinf) { expect_lambda_max(SquaredHinge{}, GroupLinf{}, true); }

}  // namespace
