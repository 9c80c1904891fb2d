// Numbers at the ends of their range: what is certified must be true there, and what cannot be must be refused.

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core.hpp"
#include "support/problems.hpp"
#include "tamis/solver/baselines.hpp"

namespace {

using namespace tamis;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;
using tamis::testing::run;
using tamis::testing::run_default;

template <class T>
class HardNumbers : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(HardNumbers, Scalars);

template <class T>
Made<T> weighted(T weight) {
  Made<T> made(6, 2, 3, 1);
  made.weights.assign(6, weight);
  return made;
}

TYPED_TEST(HardNumbers, WeightsWhoseSumOrSharesAreNoNormalNumbersAreRefused) {
  using T = TypeParam;
  const Options<T> options{.lambda = T(0.02)};
  const T top = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
  for (const T weight : {top / 2, top / 8, least / 8, std::numeric_limits<T>::denorm_min()}) {
    const auto made = weighted(weight);
    const auto hinge = run_default(made, Hinge{}, L1{}, options);
    EXPECT_EQ(hinge.fit.status, Status::invalid_weight) << weight;
    EXPECT_EQ(run_default(made, SquaredHinge{}, GroupL2{}, options).fit.status, Status::invalid_weight) << weight;
  }
  auto uneven = weighted(T(1));
  uneven.weights[4] = least;  // a share of a sixth of it
  const auto refused = run_default(uneven, Hinge{}, L1{}, options);
  EXPECT_EQ(refused.fit.status, Status::invalid_weight);
  EXPECT_EQ(refused.fit.row, 4u);
  uneven.weights[4] = T(0);
  EXPECT_EQ(run_default(uneven, Hinge{}, L1{}, options).fit.status, Status::converged);
}

TYPED_TEST(HardNumbers, LargeAndSmallWeightsThatFitAreThoseOfOne) {
  using T = TypeParam;
  const Options<T> options{.lambda = T(0.02)};
  const auto ones = run_default(weighted(T(1)), Hinge{}, L1{}, options);
  const int most = std::numeric_limits<T>::max_exponent;
  for (const int exponent : {most - 8, 8 - most}) {
    const auto same = run_default(weighted(std::ldexp(T(1), exponent)), Hinge{}, L1{}, options);
    EXPECT_EQ(same.fit.status, Status::converged) << exponent;
    EXPECT_EQ(same.fit.objective, ones.fit.objective) << exponent;
    EXPECT_EQ(same.coefficients(), ones.coefficients()) << exponent;
  }
}

// Two samples that differ by a few roundings beside their offset: a model must cancel the offset, and there is one.
TYPED_TEST(HardNumbers, SamplesThatDifferLittleAreNotInfeasible) {
  using T = TypeParam;
  const T values[] = {T(1), T(1) + T(4) * epsilon<T>};
  const Label labels[] = {0, 1};
  const DenseDesign<T> design(values, 2, 1);
  const auto check = [&]<template <class, class, class, class> class Solver>() {
    using It = Solver<T, Hinge, L1, DenseDesign<T>>;
    GuardedMemory memory(It::requirement({2, 1, 2}).bytes);
    It solver(design, Targets<T>{labels, 2}, Hinge{}, L1{}, {.max_iterations = 100, .eta = T(0.1)});
    for (bool more = solver.start(memory.span()); more; more = solver.step()) {
    }
    EXPECT_EQ(solver.report().status, Status::iteration_limit) << name(solver.report().status);
  };
  check.template operator()<as_printed::ConstrainedPrimalDual>();
  check.template operator()<as_printed::LinearConstraintsPrimalDual>();
}

/// A hinge that looks at the rows of duals of which a certificate is made: how far, beside their weight, the worst of
/// them lies outside of c(Δ − e_y).
struct WatchedHinge : Hinge {
  double* worst;

  explicit WatchedHinge(double& to) : worst(&to) {}
  template <class T>
  DualTerms<T> dual_terms(const T* u, Index classes, Label y, T margin, T weight) const {
    double mass = 0, off = 0;
    for (Index k = 0; k < classes; ++k) {
      if (k == y) continue;
      mass += static_cast<double>(u[k]);
      off = std::max(off, -static_cast<double>(u[k]));
    }
    off = std::max({off, mass - static_cast<double>(weight), std::abs(mass + static_cast<double>(u[y]))});
    if (off > 0) *worst = std::max(*worst, weight > T(0) ? off / static_cast<double>(weight) : 1.0);
    return Hinge::dual_terms(u, classes, y, margin, weight);
  }
};

// Margins far above the weights, and weights of all magnitudes: what is projected comes from far away, and what a run
// is begun again with is half of a step beside the domain.
TYPED_TEST(HardNumbers, CertificatesAreForDualsInTheirDomain) {
  using T = TypeParam;
  const auto check = [&]<class Solver>(std::type_identity<Solver>, const auto& loss, double& worst, T lambda, T eta,
                                       const char* name) {
    for (const bool intercept : {false, true})
      for (const double size : {1.0, 1e3, 1e6}) {
        Made<T> made(20, 5, 3, 8);
        for (Index i = 0; i < made.samples; ++i) {
          made.margins.push_back(static_cast<T>(size * (1 + i)));
          made.weights.push_back(static_cast<T>(std::pow(10, -0.4 * i)));
        }
        const Options<T> options{.lambda = lambda,
                                 .tolerance = T(1e-2),
                                 .max_iterations = 400,
                                 .intercept = intercept,
                                 .eta = eta * static_cast<T>(size)};
        worst = 0;
        GuardedMemory memory(Solver::requirement(made.shape()).bytes);
        Solver solver(made.design(), made.targets(), loss, L1{}, options);
        for (bool more = solver.start(memory.span()); more;) more = solver.step();
        if constexpr (requires { solver.warm_start(lambda); }) {
          solver.warm_start(lambda / T(2));
        }
        EXPECT_LE(worst, 16 * static_cast<double>(epsilon<T>)) << name << ' ' << size << ' ' << intercept;
      }
  };
  double worst = 0;
  const WatchedHinge loss(worst);
  using Loss = WatchedHinge;
  check(std::type_identity<PrimalDual<T, Loss, L1>>(), loss, worst, T(0.02), T(0), "primal-dual");
  check(std::type_identity<TwoPhase<T, Loss, L1>>(), loss, worst, T(0.02), T(0), "two-phase");
  check(std::type_identity<as_printed::PrimalDual<T, Loss, L1>>(), loss, worst, T(0.02), T(0), "printed");
  check(std::type_identity<PrimalDual<T, LevelSet<Loss>, L1>>(), LevelSet<Loss>(loss), worst, T(0), T(0.3),
        "constrained");
  check(std::type_identity<as_printed::ConstrainedPrimalDual<T, Loss, L1>>(), loss, worst, T(0), T(0.3), "epigraphs");
  check(std::type_identity<as_printed::LinearConstraintsPrimalDual<T, Loss, L1>>(), loss, worst, T(0), T(0.3),
        "linear");
}

// Of an optimum that is no more than the loss of zeros, μ: dual objectives were above it by up to 4 %.
TEST(HardNumbersInFloat, LargeMarginsDoNotRaiseTheBound) {
  for (const std::uint32_t seed : {272u, 280u, 398u, 670u, 944u})
    for (float margin = 1000; margin < 1e6f; margin *= 1.7f) {
      Made<float> made(4 + (seed - 1) % 9, 1 + (seed - 1) % 3, 3, seed);
      const Options<float> options{
          .lambda = 0.25f, .tolerance = 1e-6f, .max_iterations = 200, .margin = margin, .intercept = false};
      const auto fit =
          run<as_printed::PrimalDual<float, Hinge, L1>, float>(made.design(), made.targets(), Hinge{}, L1{}, options)
              .fit;
      EXPECT_LE(fit.dual_objective, margin * (1 + 1e-6f)) << seed;
    }
}

// The shrinkage of a group is that of the group at another scale, where squares of its entries are zero or infinite
// too, of rows that follow each other and of those of a list.
TYPED_TEST(HardNumbers, ShrinkageOfGroupsHasNoScale) {
  using T = TypeParam;
  const Index list[] = {2, 0};
  for (const Index* members : {static_cast<const Index*>(nullptr), list})
    for (const T step : {T(0.75), T(2), T(3.25), T(8)}) {
      std::array<T, 12> plain{3, -1, 0.5, 0, 2, 2, -2, 0, 1, 0.25, -1.5, 0};
      const auto shrink = [&](std::array<T, 12>& w, T by) {
        EuclideanNorm{}.prox(Rows<T>{w.data(), 2, 3, 4, 0, members}, by);
      };
      auto scaled = plain;
      shrink(plain, step);
      for (const int exponent :
           {8 - std::numeric_limits<T>::max_exponent, 1, std::numeric_limits<T>::max_exponent - 8}) {
        auto there = scaled;
        for (T& entry : there) entry = std::ldexp(entry, exponent);
        shrink(there, std::ldexp(step, exponent));
        for (std::size_t e = 0; e < plain.size(); ++e)
          EXPECT_NEAR(std::ldexp(there[e], -exponent), plain[e], T(8) * epsilon<T>) << exponent << ' ' << e;
      }
    }
}

// Squares of samples near 1e-30 are zero in single precision: the model of zeros was certified as optimal.
template <class Loss>
void certify_tiny(const Loss& loss, double share) {
  Made<float> made(30, 4, 3, 2);
  Made<double> exact(30, 4, 3, 2);
  const auto truth = run_default(exact, loss, GroupL2{}, Options<double>{.lambda = share});
  for (float& x : made.values) x *= 1e-30f;
  const auto fit = run_default(made, loss, GroupL2{}, Options<float>{.lambda = static_cast<float>(share * 1e-30)}).fit;
  ASSERT_LT(truth.fit.nonzeros, 12u + 1);
  ASSERT_GT(truth.fit.nonzeros, 0u);
  EXPECT_EQ(fit.status, Status::invalid_scale);
  EXPECT_LE(fit.dual_objective, static_cast<float>(truth.fit.objective) * (1 + 1e-5f));
}
TEST(HardNumbersInFloat, TinySamplesAreRefusedAndNotCertified) {
  certify_tiny(Hinge{}, 0.05);
  certify_tiny(SquaredHinge{}, 0.05);
  certify_tiny(Logistic{}, 0.02);
  certify_tiny(OneVsRestSquaredHinge{}, 0.05);
}

TYPED_TEST(HardNumbers, ScalesWhoseSquaresFitAreSolvedOrSayTheirGap) {
  using T = TypeParam;
  const Made<double> exact(30, 4, 3, 2);
  const double optimum =
      run_default(exact, Hinge{}, GroupL2{}, Options<double>{.lambda = 0.05, .tolerance = 1e-9}).fit.objective;
  for (const int exponent : {-30, -10, 10, 30}) {
    Made<T> made(30, 4, 3, 2);
    for (T& x : made.values) x = std::ldexp(x, exponent);
    Options<T> options{.lambda = std::ldexp(T(0.05), exponent)};
    options.max_iterations = 3000;
    const auto fit = run_default(made, Hinge{}, GroupL2{}, options).fit;
    ASSERT_TRUE(has_model(fit.status)) << exponent;
    EXPECT_LE(static_cast<double>(fit.dual_objective), optimum * (1 + 1e-5)) << exponent;
    EXPECT_GE(static_cast<double>(fit.objective), optimum * (1 - 1e-5)) << exponent;
  }
}

TYPED_TEST(HardNumbers, NormsOfGroupsNeitherUnderflowNorOverflow) {
  using T = TypeParam;
  const T tiny = std::numeric_limits<T>::min(), huge = std::numeric_limits<T>::max() / 8;
  for (const T size : {tiny, T(1), huge}) {
    const T entries[4] = {3 * size, 0, -4 * size, 0};
    const Rows<const T> row{entries, 1, 3, 4};
    EXPECT_NEAR(GroupL2{}.dual_norm(row) / size, 5, 1e-6) << size;
    // of g = (3, 4) with ρ = ½: (3 − ν/2)² + (4 − ν/2)² = ν²/4
    const SparseGroup<T> sparse{Groups::rows(), {T(0.5)}};
    EXPECT_NEAR(sparse.dual_norm(row) / size, 14 - std::sqrt(96.0), 1e-5) << size;
  }
  // conjugates: g²/2λ, with g and λ whose squares vanish
  const T small = std::sqrt(std::numeric_limits<T>::min()) / 1024;
  const T entry[4] = {small, 0, 0, 0};
  const Rows<const T> row{entry, 1, 1, 4};
  EXPECT_NEAR(Ridge{}.conjugate(row, small) / small, 0.5, 1e-6);
  EXPECT_NEAR(ElasticNet<T>{T(0.5)}.conjugate(row, small) / small, 0.25, 1e-6);  // soft(g, λ/2)²/λ
}

TEST(HardNumbersInFloat, AGapOfZeroHasConverged) {
  const Made<float> made(12, 3, 2, 5);
  Options<float> options{.lambda = 10.0f, .tolerance = 1e-9f};  // the model of zeros, exactly
  const auto fit = run_default(made, SquaredHinge{}, L1{}, options).fit;
  if (fit.gap == 0) {
    EXPECT_EQ(fit.status, Status::converged);
  }
  options.intercept = false;
  const auto zero = run_default(made, SquaredHinge{}, L1{}, options).fit;
  EXPECT_EQ(zero.gap, 0.0f);
  EXPECT_EQ(zero.status, Status::converged);
}

TYPED_TEST(HardNumbers, ObjectivesThatContradictEachOtherAreNoCertificate) {
  using T = TypeParam;
  Report<T> report;
  GapMonitor<T> monitor;
  monitor.begin();
  report.objective = T(1);
  report.dual_objective = T(1) + T(4) * epsilon<T>;  // rounding
  monitor.conclude(report, T(1e-2));
  EXPECT_EQ(report.gap, T(0));
  EXPECT_EQ(report.status, Status::converged);
  report = {};
  report.objective = T(1);
  report.dual_objective = T(1.25);
  monitor.conclude(report, T(1e-2));
  EXPECT_EQ(report.gap, T(0.25));
  EXPECT_EQ(report.status, Status::precision_limit);
  for (const T none : {not_a_number<T>, infinity<T>}) {
    report = {};
    report.objective = none;
    monitor.conclude(report, T(1e-2));
    EXPECT_EQ(report.status, Status::invalid_scale);
  }
}

// Few samples of many features with offsets, as of expressed genes: steps of several kinds come to rest in float before
// the optimum. What is called converged is within its tolerance of it, but for what rounding does to the scores.
TEST(HardNumbersInFloat, FewSamplesOfManyFeaturesConvergeToTheOptimum) {
  Made<float> made(20, 60, 2, 4);
  for (Index j = 0; j < made.features; ++j)
    for (Index i = 0; i < made.samples; ++i)
      made.values[i + j * made.samples] = static_cast<float>(j % 7) / 2 + 0.3f * made.values[i + j * made.samples];
  Made<double> exact(20, 60, 2, 4);
  exact.values.assign(made.values.begin(), made.values.end());
  exact.labels = made.labels;
  const auto solve = [](const auto& problem, SolverKind solver, auto options, auto use) {
    using T = decltype(options.lambda);
    const ProblemSpec choice{LossKind::logistic, PenaltyKind::l1, Groups::rows(), solver};
    const DenseDesign<T> dense = problem.design();
    GuardedMemory memory(core::Training<T>::requirement(choice, problem.shape()).bytes);
    core::Training<T> training(choice, AnyDesign<T>(dense), problem.targets(), options);
    for (bool more = training.start(memory.span()); more;) more = training.step();
    use(training.report(), training.model());
  };
  /// The objective of a model by its formula, and what rounding in float may do to it.
  const auto evaluate = [&](const auto& model, double lambda, double& rounding) {
    double loss = 0, size = 0, terms = 8;
    rounding = 0;
    for (Index j = 0; j < exact.features; ++j) {
      for (Index k = 0; k < 2; ++k) size += std::abs(static_cast<double>(model(j, k)));
      terms += model(j, 0) != 0 || model(j, 1) != 0;
    }
    for (Index i = 0; i < exact.samples; ++i) {
      double z[2], sum[2];
      for (Index k = 0; k < 2; ++k) {
        z[k] = static_cast<double>(model.intercept(k));
        sum[k] = std::abs(z[k]);
        for (Index j = 0; j < exact.features; ++j) {
          const double term = exact.values[i + j * exact.samples] * static_cast<double>(model(j, k));
          z[k] += term;
          sum[k] += std::abs(term);
        }
      }
      const Label y = exact.labels[i];
      loss += std::log1p(std::exp(z[1 - y] - z[y])) / exact.samples;
      rounding += (sum[0] + sum[1]) * terms * static_cast<double>(epsilon<float>) / exact.samples;
    }
    return loss + lambda * size;
  };
  double unused = 0, lambda_max = 0;
  Options<double> precise{.lambda = 1e-3, .tolerance = 1e-10};
  solve(exact, SolverKind::automatic, precise,
        [&](const auto& report, const auto&) { lambda_max = report.lambda_max; });
  int converged = 0;
  for (const float share : {0.5f, 0.1f, 0.02f}) {
    const float lambda = share * static_cast<float>(lambda_max);
    precise.lambda = static_cast<double>(lambda);
    double optimum = 0;
    solve(exact, SolverKind::automatic, precise, [&](const auto& report, const auto& model) {
      ASSERT_EQ(report.status, Status::converged);
      optimum = report.dual_objective;
      EXPECT_NEAR(evaluate(model, precise.lambda, unused), optimum, 1e-9);
    });
    for (const SolverKind solver : all_solvers)
      for (const float tolerance : {1e-2f, 1e-5f}) {
        if (incompatibility(solver, LossKind::logistic, PenaltyKind::l1) || is_constrained(solver)) continue;
        const Options<float> options{.lambda = lambda, .tolerance = tolerance, .max_iterations = 800};
        solve(made, solver, options, [&](const auto& report, const auto& model) {
          if (report.status != Status::converged) return;
          ++converged;
          double rounding = 0;
          const double there = evaluate(model, precise.lambda, rounding);
          EXPECT_LE(there - optimum, static_cast<double>(tolerance) * there + rounding) << name(solver) << share;
        });
      }
  }
  EXPECT_GE(converged, 10);
}

// Iterates that overflow give scores that are no numbers, which a squared hinge takes for margins that are met.
TEST(HardNumbersInFloat, ScoresThatAreNoNumbersHaveNoLoss) {
  for (const std::uint32_t seed : {5u, 10u, 41u}) {
    Made<float> made(12, 6, 2, seed);
    for (Index e = 0; e < made.values.size(); ++e) made.values[e] *= std::ldexp(e % 3 ? 1.0f : 0.01f, 30);
    for (const float lambda : {1e-6f, 1e-3f, 1.0f, 1e3f}) {
      Options<float> options{.lambda = lambda};
      options.max_iterations = 400;
      const auto out = run_default(made, SquaredHinge{}, L1{}, options);
      ASSERT_TRUE(has_model(out.fit.status));
      for (const float w : out.coefficients()) ASSERT_TRUE(std::isfinite(w)) << seed;
      EXPECT_LE(out.fit.dual_objective, out.fit.objective * (1 + 1e-5f)) << seed;
      EXPECT_GT(out.fit.objective, 0.0f) << seed;
    }
  }
}

// Each loss is a number, and so is what is learned from; only their sum is not.
TEST(HardNumbersInFloat, LossesOfAStreamThatOverflowAreInfinite) {
  using Learner = FobosLearner<float, Hinge, L1>;
  Learner learner(1, 2, {.lambda = 0, .learning_rate = 50});
  GuardedMemory memory(Learner::requirement(1, 2).bytes);
  ASSERT_EQ(learner.begin(memory.span()), Status::running);
  const float x = 5e17f;
  for (Label y = 0; learner.report().samples < 20000; y = y == 0) ASSERT_EQ(learner.update(&x, y), Status::running);
  EXPECT_EQ(learner.report().mean_loss, infinity<float>);
  for (Index k = 0; k < 2; ++k) EXPECT_TRUE(finite(learner.model()(0, k)));
}

TYPED_TEST(HardNumbers, ModelsOfRefusedRunsPredictNoLabel) {
  using T = TypeParam;
  const Made<T> made(12, 3, 2, 5);
  DenseDesign<T> design = made.design();
  Options<T> options{.lambda = T(-1)};
  Fista<T, SquaredHinge, L1> solver(design, made.targets(), SquaredHinge{}, L1{}, options);
  tamis::testing::GuardedMemory memory(solver.requirement({12, 3, 2}).bytes);
  ASSERT_FALSE(solver.start(memory.span()));
  ASSERT_EQ(solver.report().status, Status::invalid_lambda);
  T scores[2] = {T(7), T(7)};
  solver.model().scores(made.values.data(), scores, 12);
  EXPECT_EQ(scores[0], T(7));
  EXPECT_EQ(solver.model().predict(made.values.data(), 12), no_label);
  EXPECT_EQ(LinearModel<T>{}.predict(made.values.data()), no_label);
  EXPECT_EQ(InteractionModel<T>{}.predict(made.values.data()), no_label);
  EXPECT_EQ(InteractionTerms<T>{}.predict(made.values.data()), no_label);
  EXPECT_EQ(KernelExpansion<T>{}.predict({}, scores), no_label);
}

}  // namespace
