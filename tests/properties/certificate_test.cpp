// Certificates: every bound that a run reports holds, and what it calls converged is optimal.
#include <gtest/gtest.h>

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
        using Solver = DefaultSolver<double, Loss, Penalty>;
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
TEST(Certificate, SquaredHingeGroupLinf) { expect_honest(SquaredHinge{}, GroupLinf{}); }

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
TEST(LambdaMax, SquaredHingeL1) { expect_lambda_max(SquaredHinge{}, L1{}, true); }
TEST(LambdaMax, SquaredHingeGroupLinf) { expect_lambda_max(SquaredHinge{}, GroupLinf{}, true); }

}  // namespace
