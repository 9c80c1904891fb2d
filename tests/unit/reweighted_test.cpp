// Reweighted l1: each round is a certified weighted problem, and the last one is sparser than l1.
#include <gtest/gtest.h>

#include <cmath>

#include "support/problems.hpp"
#include "tamis/solver/as_printed/primal_dual.hpp"

namespace {

using namespace tamis;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;

template <class Solver, class Loss>
void expect_rounds(Loss loss, Options<double> options) {
  const Made<double> made(80, 30, 3, 12);
  using Scheme = Reweighted<Solver>;
  constexpr Index stride = 4;
  GuardedMemory memory(Scheme::requirement(made.shape()).bytes);
  Scheme scheme(made.design(), made.targets(), loss, options);
  ASSERT_TRUE(scheme.start(memory.span()));
  std::vector<double> weights(made.features * stride, 1.0), coefficients;
  std::uint32_t iterations = 0;
  Index nonzeros_of_l1 = 0;
  Report<double> before;
  for (Index round = 1;; ++round) {
    // By hand: the weighted problem of this round, from the model of the one before.
    for (std::size_t e = 0; e < coefficients.size(); ++e) weights[e] = 1 / (std::abs(coefficients[e]) + 0.1);
    const WeightedL1<double> penalty{weights.data(), stride};
    const auto alone = tamis::testing::run<Solver, double>(made.design(), made.targets(), loss, penalty, options);
    EXPECT_EQ(alone.fit.status, Status::converged);
    iterations += alone.fit.iterations;
    if (round == 1) nonzeros_of_l1 = alone.fit.nonzeros;
    while (scheme.running() && scheme.round_number() == round) {
      before = scheme.report();
      scheme.step();
    }
    const auto all = alone.coefficients();
    coefficients.assign(all.begin(), all.end() - stride);
    if (scheme.running()) {
      EXPECT_LE(scheme.report().dual_objective, scheme.report().objective);
      continue;
    }
    EXPECT_EQ(round, 5u);
    const auto report = scheme.report();
    EXPECT_EQ(report.status, Status::converged);
    EXPECT_EQ(report.objective, alone.fit.objective) << "that of the last weighted problem";
    EXPECT_EQ(report.dual_objective, alone.fit.dual_objective);
    EXPECT_LE(report.relative_gap, options.tolerance);
    EXPECT_EQ(report.nonzeros, alone.fit.nonzeros);
    EXPECT_EQ(report.iterations, iterations) << "of all rounds";
    EXPECT_NEAR(
        report.objective,
        tamis::testing::objective(made, scheme.model(), loss,
                                  WeightedL1<double>{scheme.weights(), scheme.model().stride()}, options.lambda),
        1e-12);
    EXPECT_LT(report.nonzeros, nonzeros_of_l1);
    EXPECT_GT(report.nonzeros, 0u);
    EXPECT_EQ(report.arena_used_bytes, memory.span().size());
    EXPECT_TRUE(memory.surroundings_intact());
    break;
  }
}

TEST(Reweighted, RoundsAreWeightedProblems) {
  expect_rounds<PrimalDual<double, Hinge, WeightedL1<double>>>(Hinge{}, {.lambda = 0.02, .tolerance = 1e-6});
  expect_rounds<Fista<double, SquaredHinge, WeightedL1<double>>>(SquaredHinge{}, {.lambda = 0.05, .tolerance = 1e-6});
  expect_rounds<as_printed::PrimalDual<double, Hinge, WeightedL1<double>>>(Hinge{},
                                                                           {.lambda = 0.02, .tolerance = 1e-3});
}

using Scheme = Reweighted<PrimalDual<double, Hinge, WeightedL1<double>>>;

Report<double> run(const Made<double>& made, Options<double> options, Reweighting<double> reweighting = {}) {
  GuardedMemory memory(Scheme::requirement(made.shape()).bytes);
  Scheme scheme(made.design(), made.targets(), Hinge{}, options, reweighting);
  scheme.start(memory.span());
  while (scheme.step()) {
  }
  if (!has_model(scheme.report().status)) {
    EXPECT_TRUE(memory.untouched());
    EXPECT_FALSE(scheme.step());
  }
  return scheme.report();
}

TEST(Reweighted, RunsRoundsOfTheDefaultSolver) {
  expect_rounds<DefaultSolver<double, SquaredHinge, WeightedL1<double>>>(SquaredHinge{},
                                                                        {.lambda = 0.01, .tolerance = 1e-7});
}

TEST(Reweighted, TheIterationLimitIsThatOfAllRounds) {
  const Made<double> made(80, 30, 3, 12);
  const auto whole = run(made, {.lambda = 0.02, .tolerance = 1e-6});
  for (const std::uint32_t limit : {1u, whole.iterations / 2, whole.iterations - 100}) {
    const auto cut = run(made, {.lambda = 0.02, .tolerance = 1e-6, .max_iterations = limit});
    EXPECT_EQ(cut.status, Status::iteration_limit);
    EXPECT_EQ(cut.iterations, limit);
  }
  EXPECT_EQ(run(made, {.lambda = 0.02, .tolerance = 1e-6}, {.rounds = 1}).objective,
            tamis::testing::run_default(made, Hinge{}, WeightedL1<double>{}, {.lambda = 0.02, .tolerance = 1e-6})
                .fit.objective);
}

// The limit may come between two rounds: the weights are then still those of the problem that is reported.
TEST(Reweighted, TheWeightsAreThoseOfTheReportWhereverTheLimitComes) {
  const Made<double> made(40, 10, 3, 12);
  Options<double> options{.lambda = 0.02, .tolerance = 1e-3};
  options.max_iterations = run(made, options).iterations;
  Index between = 0;
  for (; options.max_iterations > 40; options.max_iterations -= 40) {
    GuardedMemory memory(Scheme::requirement(made.shape()).bytes);
    Scheme scheme(made.design(), made.targets(), Hinge{}, options);
    scheme.start(memory.span());
    Index round = 0;
    while (scheme.running()) {
      round = scheme.round_number();
      scheme.step();
    }
    if (round < 2) break;
    between += scheme.report().relative_gap <= options.tolerance && scheme.report().status == Status::iteration_limit;
    const WeightedL1<double> weighted{scheme.weights(), scheme.model().stride()};
    EXPECT_NEAR(scheme.report().objective,
                tamis::testing::objective(made, scheme.model(), Hinge{}, weighted, options.lambda), 1e-12);
  }
  EXPECT_GT(between, 0u) << "none of these limits lies between two rounds";
}

TEST(Reweighted, EndsEarlyWhenNothingChanges) {
  const Made<double> made(40, 6, 3, 2);
  const double most = run(made, {.lambda = 1}).lambda_max;
  for (const double epsilon : {0.01, 0.1, 4.0}) {
    const double bound = run(made, {.lambda = 1}, {.epsilon = epsilon}).lambda_max;
    EXPECT_EQ(bound, most * std::max(1.0, epsilon));
    GuardedMemory memory(Scheme::requirement(made.shape()).bytes);
    Scheme scheme(made.design(), made.targets(), Hinge{}, {.lambda = bound * 1.0001}, {.epsilon = epsilon});
    scheme.start(memory.span());
    while (scheme.step()) {
    }
    EXPECT_EQ(scheme.report().status, Status::converged);
    EXPECT_EQ(scheme.report().nonzeros, 0u);
    EXPECT_EQ(scheme.round_number(), 2u) << "zero stays zero";
  }
}

TEST(Reweighted, StopsAndRefuses) {
  const Made<double> made(80, 30, 3, 12);
  GuardedMemory memory(Scheme::requirement(made.shape()).bytes);
  Scheme scheme(made.design(), made.targets(), Hinge{}, {.lambda = 0.02, .tolerance = 1e-6});
  scheme.start(memory.span());
  while (scheme.running() && scheme.round_number() < 3) scheme.step();
  scheme.stop();
  EXPECT_EQ(scheme.report().status, Status::stopped);
  EXPECT_FALSE(scheme.step());
  EXPECT_EQ(scheme.model().features, 30u);
  for (const double epsilon : {0.0, -1.0, std::nan(""), 1e-320})
    EXPECT_EQ(run(made, {.lambda = 0.02}, {.epsilon = epsilon}).status, Status::invalid_option);
  EXPECT_EQ(run(made, {.lambda = 0.02}, {.rounds = 0}).status, Status::invalid_option);
  EXPECT_EQ(run(made, {.lambda = -1}).status, Status::invalid_lambda);
}

TEST(PenaltyParameters, AreRefusedAtTheDoor) {
  const Made<double> made(20, 4, 3, 1);
  for (const double ratio : {-0.01, 1.01, std::nan("")}) {
    const auto a = tamis::testing::run_default(made, Hinge{}, ElasticNet<double>{ratio}, {.lambda = 0.1});
    EXPECT_EQ(a.fit.status, Status::invalid_option);
    EXPECT_TRUE(a.memory->untouched());
    const SparseGroup<double> group{Groups::rows(), {ratio}};
    EXPECT_EQ(tamis::testing::run_default(made, SquaredHinge{}, group, {.lambda = 0.1}).fit.status,
              Status::invalid_option);
  }
}

}  // namespace
