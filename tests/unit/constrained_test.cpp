// The constrained form: what it answers, what it proves, what it refuses.
#include <gtest/gtest.h>

#include <cmath>

#include "support/problems.hpp"

namespace {

using namespace tamis;
using tamis::testing::Generator;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;

template <class T, class Penalty>
tamis::testing::Run<T> constrain(const Made<T>& made, Penalty penalty, Options<T> options) {
  return tamis::testing::run<ConstrainedPrimalDual<T, Hinge, Penalty>, T>(made.design(), made.targets(), Hinge{},
                                                                          penalty, options);
}

/// λ and η describe the same models: the constraint at the mean loss of the regularised model gives the same penalty,
/// and 1/λ as its multiplier.
template <class Penalty>
void expect_correspondence(Penalty penalty) {
  for (std::uint32_t seed = 1; seed <= 3; ++seed)
    for (const bool intercept : {true, false}) {
      Made<double> made(60, 9, 2 + seed, seed);
      if (seed == 2) {
        Generator generator(seed);
        for (Index i = 0; i < made.samples; ++i) made.weights.push_back(0.25 * (1 + generator.draw(8)));
        for (Index i = 0; i < made.samples; ++i) made.margins.push_back(0.5 + 0.5 * generator.draw(3));
      }
      const double lambda = 0.03;
      const auto regularised = tamis::testing::run_default(
          made, Hinge{}, penalty, Options<double>{.lambda = lambda, .tolerance = 1e-9, .intercept = intercept});
      const double omega = tamis::testing::objective(made, regularised.fit.model, Hinge{}, penalty, 1) -
                           tamis::testing::objective(made, regularised.fit.model, Hinge{}, penalty, 0);
      const double eta = tamis::testing::objective(made, regularised.fit.model, Hinge{}, penalty, 0);
      const auto run = constrain(made, penalty, {.tolerance = 1e-7, .intercept = intercept, .eta = eta});
      ASSERT_EQ(run.fit.status, Status::converged);
      EXPECT_NEAR(run.fit.objective, omega, 1e-5 * omega);
      EXPECT_LE(run.fit.dual_objective, omega * (1 + 1e-6));
      // The path of a polyhedral problem has kinks: there, all multipliers between two numbers are right.
      const double other =
          constrain(made, penalty, {.tolerance = 1e-7, .intercept = intercept, .eta = eta * 0.999}).fit.objective;
      const double steeper = (other - omega) / (eta * 0.001);
      const double flatter =
          (omega -
           constrain(made, penalty, {.tolerance = 1e-7, .intercept = intercept, .eta = eta * 1.001}).fit.objective) /
          (eta * 0.001);
      EXPECT_LE(run.fit.multiplier, steeper * 1.02);
      EXPECT_GE(run.fit.multiplier, flatter * 0.98);
      EXPECT_LE(1 / lambda, steeper * 1.02);
      EXPECT_GE(1 / lambda, flatter * 0.98);
      EXPECT_LE(run.fit.constraint_value, eta * (1 + 1e-12));
      EXPECT_NEAR(tamis::testing::objective(made, run.fit.model, Hinge{}, penalty, 0), run.fit.constraint_value, 1e-12);
    }
}
TEST(Constrained, CorrespondsToLambdaL1) { expect_correspondence(L1{}); }
TEST(Constrained, CorrespondsToLambdaRidge) { expect_correspondence(Ridge{}); }
TEST(Constrained, CorrespondsToLambdaGroupL2) { expect_correspondence(GroupL2{}); }
TEST(Constrained, CorrespondsToLambdaBlocksLinf) { expect_correspondence(GroupLinf{Groups::blocks(3)}); }

/// For the ridge, where the multiplier is unique: it is 1/λ.
TEST(Constrained, MultiplierIsOneOverLambda) {
  const Made<double> made(80, 6, 3, 5);
  const double lambda = 0.05;
  const auto regularised =
      tamis::testing::run_default(made, Hinge{}, Ridge{}, Options<double>{.lambda = lambda, .tolerance = 1e-11});
  const double eta = tamis::testing::objective(made, regularised.fit.model, Hinge{}, Ridge{}, 0);
  const auto run = constrain(made, Ridge{}, {.tolerance = 1e-9, .eta = eta});
  ASSERT_EQ(run.fit.status, Status::converged);
  EXPECT_NEAR(run.fit.multiplier * lambda, 1, 1e-3);
}

TEST(Constrained, WorkingSetsFindTheSameModel) {
  const Made<double> made(50, 300, 4, 7);
  const Options<double> options{.tolerance = 1e-6, .eta = 0.3};
  auto whole = options;
  whole.working_sets = false;
  const auto some = constrain(made, L1{}, options), all = constrain(made, L1{}, whole);
  ASSERT_EQ(some.fit.status, Status::converged);
  ASSERT_EQ(all.fit.status, Status::converged);
  EXPECT_NEAR(some.fit.objective, all.fit.objective, 2e-6 * all.fit.objective);
}

TEST(Constrained, BoundsHoldAtEveryCertificate) {
  const Made<double> made(60, 8, 3, 3);
  const double optimum = constrain(made, L1{}, {.tolerance = 1e-9, .eta = 0.5}).fit.objective;
  using Solver = ConstrainedPrimalDual<double, Hinge, L1>;
  GuardedMemory memory(Solver::requirement(made.shape()).bytes);
  int seen = 0;
  train<Solver, double>(Solver(made.design(), made.targets(), Hinge{}, L1{}, {.tolerance = 1e-9, .eta = 0.5}),
                        memory.span(), [&](const Report<double>& r) {
                          EXPECT_LE(r.dual_objective, optimum * (1 + 1e-12));
                          EXPECT_GE(r.objective, optimum * (1 - 1e-8));
                          if (std::isfinite(r.objective)) {
                            EXPECT_LE(r.constraint_value, 0.5 * (1 + 1e-12));
                          }
                          return ++seen > 0;
                        });
  EXPECT_GT(seen, 3);
}

/// Contradictory rows: the same sample with three labels costs at least 1 on average.
template <class T>
Made<T> contradictory() {
  Made<T> made(60, 5, 3, 9);
  for (Index i = 0; i < 60; ++i) {
    for (Index j = 0; j < 5; ++j) made.values[i + j * 60] = made.values[i - i % 3 + j * 60];
    made.labels[i] = static_cast<Label>(i % 3);
  }
  return made;
}
template <class T>
void expect_infeasible() {
  const auto made = contradictory<T>();
  for (const T eta : {T(0.9), T(0.5), T(0.01)}) {
    const auto check = [&](const auto& fit) {
      EXPECT_EQ(fit.status, Status::infeasible) << eta;
      EXPECT_LE(fit.constraint_bound, T(1) + T(64) * epsilon<T>);
      EXPECT_GT(fit.constraint_bound, eta);
      EXPECT_NEAR(fit.constraint_value, 1, 1e-3);
      EXPECT_EQ(fit.model.features, 0u) << "there is no model";
    };
    check(constrain(made, L1{}, {.eta = eta}).fit);
    check(constrain(made, Ridge{}, {.eta = eta}).fit);
    check(constrain(made, GroupL2{}, {.eta = eta}).fit);
  }
}
TEST(Constrained, InfeasibleIsProvedFloat) { expect_infeasible<float>(); }
TEST(Constrained, InfeasibleIsProvedDouble) { expect_infeasible<double>(); }

/// Not separable, and no sample twice: what is provable is so above and below the least mean loss.
template <class T>
void expect_both_sides() {
  const Made<T> made(90, 3, 3, 21);
  const double least = [&] {
    const Made<double> same(90, 3, 3, 21);
    const Options<double> options{.lambda = 1e-9, .tolerance = 1e-6, .max_iterations = 400000};
    using Solver = PrimalDual<double, Hinge, Ridge>;
    return tamis::testing::run<Solver, double>(same.design(), same.targets(), Hinge{}, Ridge{}, options).fit.objective;
  }();
  ASSERT_GT(least, 0.05);
  const auto below = constrain(made, L1{}, {.tolerance = T(1e-3), .eta = static_cast<T>(0.9 * least)}).fit;
  EXPECT_EQ(below.status, Status::infeasible);
  EXPECT_GE(static_cast<double>(below.constraint_value), least * 0.999);
  EXPECT_LE(static_cast<double>(below.constraint_bound), least * 1.001);
  const auto above = constrain(made, L1{}, {.tolerance = T(1e-3), .eta = static_cast<T>(1.1 * least)}).fit;
  EXPECT_EQ(above.status, Status::converged) << name(above.status);
}
TEST(Constrained, BothSidesOfTheLeastLossFloat) { expect_both_sides<float>(); }
TEST(Constrained, BothSidesOfTheLeastLossDouble) { expect_both_sides<double>(); }

TEST(Constrained, ATightLimitClaimsNothing) {
  const auto fit = constrain(Made<double>(90, 3, 3, 21), L1{}, {.max_iterations = 30, .eta = 0.05}).fit;
  EXPECT_EQ(fit.status, Status::iteration_limit) << "neither a model nor a proof";
  EXPECT_TRUE(std::isinf(fit.objective));
  EXPECT_GT(fit.constraint_value, 0.05);
}

TEST(Constrained, ALooseConstraintGivesZerosAtOnce) {
  for (const std::uint32_t seed : {1u, 2u}) {
    Made<float> made(40, 4, 3, seed);
    if (seed == 2) std::fill(made.labels.begin(), made.labels.begin() + 30, Label(1));  // most samples: intercepts help
    const float null = constrain(made, L1{}, {.max_iterations = 1, .eta = 1e-3f}).fit.constraint_value;
    for (const float eta : {null, 2 * null, 100.0f}) {
      const auto fit = constrain(made, L1{}, {.eta = eta}).fit;
      EXPECT_EQ(fit.status, Status::converged);
      EXPECT_EQ(fit.nonzeros, 0u);
      EXPECT_EQ(fit.iterations, 0u);
      EXPECT_EQ(fit.objective, 0);
      EXPECT_EQ(fit.multiplier, 0);
    }
  }
}

TEST(Constrained, RefusesAtTheDoor) {
  const Made<float> made(20, 3, 3, 1);
  for (const float eta : {0.0f, -1.0f, NAN, INFINITY})
    EXPECT_EQ(constrain(made, L1{}, {.eta = eta}).fit.status, Status::invalid_eta) << eta;
  EXPECT_EQ(constrain(made, L1{}, {.lambda = 0.1f, .eta = 0.5f}).fit.status, Status::invalid_eta);
  EXPECT_EQ(tamis::testing::run_default(made, Hinge{}, L1{}, Options<float>{.lambda = 0.1f, .eta = 0.5f}).fit.status,
            Status::invalid_eta);
  EXPECT_EQ(
      tamis::testing::run_default(made, SquaredHinge{}, L1{}, Options<float>{.lambda = 0.1f, .eta = NAN}).fit.status,
      Status::invalid_eta);
}

}  // namespace
