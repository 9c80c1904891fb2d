// The printed constant step, and Chierchia et al.'s (2015) rule for the end of its algorithms, against transcriptions
// of the papers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core.hpp"
#include "support/label_sets.hpp"
#include "support/problems.hpp"
#include "tamis/any_multilabel.hpp"
#include "tamis/solver/baselines.hpp"

namespace {

using namespace tamis;
using tamis::testing::Generator;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;
using Matrix = std::vector<double>;  // features (and a row of intercepts) × classes

double share(const Made<double>& made, Index i) {
  if (made.weights.empty()) return 1.0 / made.samples;
  double total = 0;
  for (const double w : made.weights) total += w;
  return made.weights[i] / total;
}
double value_at(const Made<double>& made, Index i, Index j) {
  return j < made.features ? made.values[i + j * made.samples] : 1;
}

template <class Solver, class Set>
auto run_to_end(const Made<double>& made, const Options<double>& options, Set set, double* norm = nullptr) {
  struct Out {
    Report<double> report;
    std::uint32_t certificates;
    Matrix model;
  } out;
  GuardedMemory memory(Solver::requirement(made.shape()).bytes);
  Solver solver(made.design(), made.targets(), {}, {}, options);
  set(solver);
  solver.start(memory.span());
  while (solver.step()) {
  }
  out.report = solver.report();
  out.certificates = solver.certificates();
  for (Index j = 0; has_model(out.report.status) && j <= made.features; ++j)
    for (Index k = 0; k < made.classes; ++k)
      out.model.push_back(j < made.features ? solver.model()(j, k) : solver.model().intercept(k));
  if (norm) *norm = solver.norm();
  return out;
}
const auto as_it_is = [](auto&) {};

// ---- FISTA (CST) of Blondel et al. (2013)

/// FISTA with step 1/𝒦 on the squared hinge with rows of ℓ2, 𝒦 = 4(m−1) Σ cᵢ‖xᵢ‖².
Matrix fista_by_hand(const Made<double>& made, double lambda, bool intercept, std::uint32_t iterations) {
  const Index K = made.classes, rows = made.features + intercept;
  double constant = 0;
  for (Index i = 0; i < made.samples; ++i)
    for (Index j = 0; j < rows; ++j)
      constant += 4.0 * (K - 1) * share(made, i) * value_at(made, i, j) * value_at(made, i, j);
  Matrix x((made.features + 1) * K), before = x, y = x;
  double t = 1;
  for (std::uint32_t iteration = 0; iteration < iterations; ++iteration) {
    Matrix g((made.features + 1) * K);
    for (Index i = 0; i < made.samples; ++i) {
      const Label label = made.labels[i];
      for (Index r = 0; r < K; ++r) {
        double a = 1;
        for (Index j = 0; j < rows; ++j) a -= (y[j * K + label] - y[j * K + r]) * value_at(made, i, j);
        if (r == label || a <= 0) continue;
        for (Index j = 0; j < rows; ++j) {
          g[j * K + label] -= 2 * share(made, i) * a * value_at(made, i, j);
          g[j * K + r] += 2 * share(made, i) * a * value_at(made, i, j);
        }
      }
    }
    before = x;
    for (Index j = 0; j < rows; ++j) {
      double square = 0;
      for (Index k = 0; k < K; ++k) {
        x[j * K + k] = y[j * K + k] - g[j * K + k] / constant;
        square += x[j * K + k] * x[j * K + k];
      }
      for (Index k = 0; k < K && j < made.features; ++k)
        x[j * K + k] *= std::max(0.0, 1 - lambda / constant / std::sqrt(square));
    }
    const double next = (1 + std::sqrt(1 + 4 * t * t)) / 2;
    for (std::size_t e = 0; e < x.size(); ++e) y[e] = x[e] + (t - 1) / next * (x[e] - before[e]);
    t = next;
  }
  return x;
}

TEST(PrintedStep, IsOneOverTheConstantOfThePaper) {
  using Printed = as_printed::FistaPrintedStep<double, SquaredHinge, GroupL2>;
  for (const bool weighted : {false, true})
    for (const bool intercept : {false, true}) {
      Made<double> made(30, 6, 4, 3);
      Generator generator(5);
      for (Index i = 0; weighted && i < made.samples; ++i) made.weights.push_back(generator.draw(4));
      const Options<double> options{.lambda = 0.02, .tolerance = 1e-12, .max_iterations = 60, .intercept = intercept};
      // by its own rule it offers its last iterate alone
      const auto run = run_to_end<Printed>(made, options, [](auto& solver) {
        solver.set_stopping({StoppingRule::iterates, 1e-300});
      });
      const Matrix by_hand = fista_by_hand(made, 0.02, intercept, 60);
      ASSERT_EQ(run.report.status, Status::iteration_limit);
      double size = 0;
      for (std::size_t e = 0; e < by_hand.size(); ++e) {
        EXPECT_NEAR(run.model[e], by_hand[e], 1e-12);
        size = std::max(size, std::abs(by_hand[e]));
      }
      EXPECT_GT(size, 0.05);
    }
}

TEST(PrintedStep, IsShorterThanThatOfThePowerIteration) {
  const Made<double> made(60, 12, 5, 4);
  const Options<double> options{.lambda = 0.02, .tolerance = 1e-5};
  const auto printed = run_to_end<as_printed::FistaPrintedStep<double, SquaredHinge, GroupL2>>(made, options, as_it_is);
  const auto ours = run_to_end<as_printed::FistaConstantStep<double, SquaredHinge, GroupL2>>(made, options, as_it_is);
  EXPECT_EQ(printed.report.status, Status::converged);
  EXPECT_EQ(ours.report.status, Status::converged);
  EXPECT_NEAR(printed.report.objective, ours.report.objective, 1e-5 * ours.report.objective);
  EXPECT_GT(printed.report.iterations, 2 * ours.report.iterations);
  EXPECT_EQ((as_printed::FistaPrintedStep<double, SquaredHinge, GroupL2>::kind),
            SolverKind::fista_constant_step_as_printed);
  EXPECT_EQ((as_printed::FistaConstantStep<double, SquaredHinge, GroupL2>::kind), SolverKind::fista_constant_step);
}

/// The first iterate without a penalty is −∇f(0)/𝒦: 𝒦 of the other losses, for which the paper prints none.
template <class Loss>
void expect_first_step(const Made<double>& made, const Loss& loss, double factor) {
  using Printed = as_printed::FistaPrintedStep<double, Loss, L1>;
  GuardedMemory memory(Printed::requirement(made.shape()).bytes);
  Printed solver(made.design(), made.targets(), loss, {}, {.lambda = 0, .max_iterations = 1, .intercept = false});
  solver.set_stopping({StoppingRule::iterates, 1e-300});
  ASSERT_TRUE(solver.start(memory.span()));
  while (solver.step()) {
  }
  double constant = 0;
  Matrix g(made.features * made.classes);
  const Matrix zeros(padded<double>(made.classes));
  for (Index i = 0; i < made.samples; ++i) {
    Matrix slope(padded<double>(made.classes));
    loss.gradient(zeros.data(), made.classes, made.labels[i], default_margin<double>(loss), share(made, i),
                  slope.data());
    for (Index j = 0; j < made.features; ++j) {
      const double x = value_at(made, i, j);
      constant += factor * share(made, i) * x * x;
      for (Index k = 0; k < made.classes; ++k) g[j * made.classes + k] += slope[k] * x;
    }
  }
  for (Index j = 0; j < made.features; ++j)
    for (Index k = 0; k < made.classes; ++k)
      EXPECT_NEAR(solver.model()(j, k), -g[j * made.classes + k] / constant, 1e-13);
}
TEST(PrintedStep, OfTheOtherLosses) {
  Made<double> made(25, 5, 4, 8);
  expect_first_step(made, Logistic{}, 0.5);
  expect_first_step(made, OneVsRestSquaredHinge{}, 2);
  expect_first_step(made, AnyLoss<double>(LossKind::logistic), 0.5);
  const Index starts[] = {0, 2, 4, 6, 8};  // all of two labels: 2·2 pairs
  const Label members[] = {0, 1, 1, 2, 2, 3, 0, 3};
  const RankingSquaredHinge ranking{LabelSets{starts, members, 4}};
  expect_first_step(made, ranking, 4 * 2 * 2);
  expect_first_step(made, AnyMultilabelLoss<double>(LossKind::ranking_squared_hinge, ranking.sets), 16);
  expect_first_step(made, AnyMultilabelLoss<double>(LossKind::squared_hinge), 4 * 3);
}

TEST(PrintedStep, OfSparseAndOfConstantColumns) {
  Made<double> made(20, 4, 3, 2);
  for (std::size_t e = 0; e < made.values.size(); e += 3) made.values[e] = 0;
  const tamis::testing::Compressed<double> compressed(made.design());
  using Dense = as_printed::FistaPrintedStep<double, SquaredHinge, L1>;
  using Sparse = as_printed::FistaPrintedStep<double, SquaredHinge, L1, SparseDesign<double>>;
  const Options<double> options{.lambda = 0.01, .tolerance = 1e-4};
  const auto dense = tamis::testing::run<Dense, double>(made.design(), made.targets(), SquaredHinge{}, L1{}, options);
  const auto sparse =
      tamis::testing::run<Sparse, double>(compressed.design(), made.targets(), SquaredHinge{}, L1{}, options);
  EXPECT_EQ(dense.fit.status, Status::converged);
  EXPECT_EQ(dense.fit.iterations, sparse.fit.iterations);
  EXPECT_NEAR(dense.fit.objective, sparse.fit.objective, 1e-12);
  std::fill(made.values.begin(), made.values.end(), 0.0);
  const Options<double> bare{.lambda = 0.01, .intercept = false};
  const auto nothing = tamis::testing::run<Dense, double>(made.design(), made.targets(), SquaredHinge{}, L1{}, bare);
  EXPECT_EQ(nothing.fit.status, Status::converged);
  EXPECT_EQ(nothing.fit.objective, 2) << "no feature, no margin: both other classes violate by 1";
}

// ---- the end by the iterates, of the constrained form

/// x and the rest of an iteration of Chierchia et al. (2015), by matrices.
struct PaperA {
  const Made<double>& made;
  double eta, step;
  Index L = made.samples, K = made.classes, rows = made.features + 1;
  Matrix x = Matrix(rows * K), y = Matrix(L * K), zeta = {}, xi = {};

  double margin(Index i, Index k) const { return k == made.labels[i] ? 0 : 1; }
  Matrix of_x(const Matrix& point) const {  // T
    Matrix out(L * K);
    for (Index i = 0; i < L; ++i)
      for (Index k = 0; k < K; ++k)
        for (Index j = 0; j < rows; ++j)
          out[i * K + k] += value_at(made, i, j) * (point[j * K + k] - point[j * K + made.labels[i]]);
    return out;
  }
  Matrix transposed(const Matrix& duals) const {
    Matrix out(rows * K);
    for (Index i = 0; i < L; ++i)
      for (Index k = 0; k < K; ++k)
        for (Index j = 0; j < rows; ++j) {
          out[j * K + k] += value_at(made, i, j) * duals[i * K + k];
          out[j * K + made.labels[i]] -= value_at(made, i, j) * duals[i * K + k];
        }
    return out;
  }
  /// x ← prox_{τ ℓ1}(x − τTᵀy), intercepts without; returns 2x⁺ − x.
  Matrix move_x() {
    const Matrix g = transposed(y);
    Matrix reflected(x.size());
    for (std::size_t e = 0; e < x.size(); ++e) {
      const double v = x[e] - step * g[e];
      const double soft = std::copysign(std::max(0.0, std::abs(v) - step), v);
      const double next = e < made.features * K ? soft : v;
      reflected[e] = 2 * next - x[e];
      x[e] = next;
    }
    return reflected;
  }
  /// ζ ← P(ζ − τ duals) with Σ cᵢ ζ ≤ bound, c of length `per_sample` each; returns 2ζ⁺ − ζ.
  Matrix move_zeta(const Matrix& duals, Index per_sample, double bound) {
    Matrix reflected(zeta.size());
    double total = 0, square = 0;
    for (std::size_t e = 0; e < zeta.size(); ++e) {
      const double c = share(made, static_cast<Index>(e / per_sample));
      total += c * (zeta[e] - step * duals[e]);
      square += c * c;
    }
    const double back = std::max(0.0, total - bound) / square;
    for (std::size_t e = 0; e < zeta.size(); ++e) {
      const double next = zeta[e] - step * duals[e] - back * share(made, static_cast<Index>(e / per_sample));
      reflected[e] = 2 * next - zeta[e];
      zeta[e] = next;
    }
    return reflected;
  }
};

/// Algorithm 2. The projection onto an epigraph by bisection of ζ − θ = Σ_k (θ − v_k)₋, not by sorting.
struct ByAlgorithm2 : PaperA {
  ByAlgorithm2(const Made<double>& of, double bound, double norm) : PaperA{of, bound, 1 / std::max(norm, 1.0)} {
    zeta = xi = Matrix(L);
  }
  void iterate() {
    const Matrix Tx = of_x(move_x()), reflected = move_zeta(xi, 1, eta);
    for (Index i = 0; i < L; ++i) {
      Matrix at(K);
      const double level = xi[i] / step + reflected[i];
      double low = level, high = level;
      for (Index k = 0; k < K; ++k) {
        at[k] = y[i * K + k] / step + Tx[i * K + k];
        high = std::max(high, at[k] + margin(i, k));
      }
      for (int halving = 0; halving < 200; ++halving) {
        const double theta = (low + high) / 2;
        double slope = theta - level;
        for (Index k = 0; k < K; ++k) slope += std::min(0.0, theta - at[k] - margin(i, k));
        (slope < 0 ? low : high) = theta;
      }
      for (Index k = 0; k < K; ++k) y[i * K + k] = step * (at[k] - std::min(at[k], high - margin(i, k)));
      xi[i] = step * (level - high);
    }
  }
};

/// The reformulation with linear constraints, each of its three sets with duals of its own; those of T x + r ≤ ζ as
/// pairs.
struct ByLinearConstraints : PaperA {
  Matrix equal = Matrix(L * K), positive = equal, at_zeta = equal;

  ByLinearConstraints(const Made<double>& of, double bound, double norm)
      : PaperA{of, bound, 1 / std::max(norm, std::sqrt(3.0))} {
    zeta = Matrix(L * K);
  }
  void iterate() {
    Matrix duals(L * K);
    for (std::size_t e = 0; e < duals.size(); ++e) duals[e] = equal[e] + positive[e] + at_zeta[e];
    const Matrix Tx = of_x(move_x()), reflected = move_zeta(duals, K, K * eta);
    for (Index i = 0; i < L; ++i) {
      double mean = 0;
      for (Index k = 0; k < K; ++k) mean += (equal[i * K + k] + step * reflected[i * K + k]) / K;
      for (Index k = 0; k < K; ++k) {
        const std::size_t e = i * K + k;
        equal[e] += step * reflected[e] - mean;
        positive[e] += step * reflected[e];
        positive[e] -= step * std::max(0.0, positive[e] / step);
        const double of_scores = y[e] / step + Tx[e], of_zeta = at_zeta[e] / step + reflected[e];
        const double beyond = std::max(0.0, of_scores + margin(i, k) - of_zeta) / 2;
        y[e] = step * beyond;
        at_zeta[e] = -step * beyond;
      }
    }
  }
};

/// The run ends at the iteration at which the transcription meets the rule, with its x made feasible along its ray.
template <class Solver, class ByHand>
void expect_same_end(bool weighted) {
  Made<double> made(25, 5, 3, 2);
  Generator generator(3);
  for (Index i = 0; weighted && i < made.samples; ++i) made.weights.push_back(1 + generator.draw(3));
  const Options<double> options{.tolerance = 1e-9, .eta = 0.5};
  std::uint32_t before = 0;
  double gap = 1e9;
  for (const double threshold : {1e-2, 1e-3, 1e-5}) {
    double norm = 0;
    const auto run = run_to_end<Solver>(
        made, options,
        [&](auto& solver) {
          solver.set_stopping({StoppingRule::iterates, threshold});
        },
        &norm);
    ByHand hand(made, 0.5, norm);
    std::uint32_t iterations = 0;
    for (bool met = false; !met && iterations < 100000; ++iterations) {
      const Matrix last = hand.x;
      hand.iterate();
      double moved = 0, size = 0;
      for (std::size_t e = 0; e < last.size(); ++e) {
        moved += (hand.x[e] - last[e]) * (hand.x[e] - last[e]);
        size += hand.x[e] * hand.x[e];
      }
      met = size > 0 && std::sqrt(moved) <= threshold * std::sqrt(size);
    }
    EXPECT_EQ(run.report.status, Status::stopped);
    EXPECT_EQ(run.certificates, 1u) << "none on the way";
    EXPECT_EQ(run.report.iterations, iterations) << threshold;
    EXPECT_GT(run.report.iterations, before);
    before = run.report.iterations;
    double along = 0, size = 0, apart = 0;
    for (std::size_t e = 0; e < hand.x.size(); ++e) {
      along += run.model[e] * hand.x[e];
      size += hand.x[e] * hand.x[e];
    }
    for (std::size_t e = 0; e < hand.x.size(); ++e)
      apart = std::max(apart, std::abs(run.model[e] - along / size * hand.x[e]));
    EXPECT_LT(apart, 1e-9);
    if (std::isfinite(run.report.objective)) {
      EXPECT_LE(run.report.constraint_value, 0.5 * (1 + 1e-12));
      EXPECT_LT(run.report.relative_gap, gap);
      gap = run.report.relative_gap;
    }
  }
  EXPECT_LT(gap, 0.05);
}
TEST(EndByIterates, OfAlgorithm2) {
  using Solver = as_printed::ConstrainedPrimalDual<double, Hinge, L1>;
  for (const bool weighted : {false, true}) expect_same_end<Solver, ByAlgorithm2>(weighted);
}
TEST(EndByIterates, OfTheLinearConstraints) {
  using Solver = as_printed::LinearConstraintsPrimalDual<double, Hinge, L1>;
  for (const bool weighted : {false, true}) expect_same_end<Solver, ByLinearConstraints>(weighted);
}

template <class Solver>
void expect_other_ends() {
  const Made<double> made(25, 5, 3, 2);
  const auto by = [](StoppingRule rule, double threshold) {
    return [=](auto& solver) { solver.set_stopping({rule, threshold}); };
  };
  const Options<double> options{.tolerance = 1e-3, .max_iterations = 100000, .eta = 0.5};
  const auto gap = run_to_end<Solver>(made, options, as_it_is);
  EXPECT_EQ(gap.report.status, Status::converged);
  EXPECT_GT(gap.certificates, 2u);
  Options<double> few = options;
  few.max_iterations = 7;
  const auto limited = run_to_end<Solver>(made, few, by(StoppingRule::iterates, 1e-9));
  EXPECT_EQ(limited.report.status, Status::iteration_limit);
  EXPECT_EQ(limited.report.iterations, 7u);
  EXPECT_EQ(limited.certificates, 1u);
  for (const StoppingRule rule : {StoppingRule::violation_sum, StoppingRule::violation_max})
    EXPECT_EQ(run_to_end<Solver>(made, options, by(rule, 1e-3)).report.status, Status::invalid_option);
  for (const double threshold : {0.0, -1.0, std::nan("")})
    EXPECT_EQ(run_to_end<Solver>(made, options, by(StoppingRule::iterates, threshold)).report.status,
              Status::invalid_option);

  Options<double> loose = options;
  loose.eta = 2;  // zero weights will do
  const auto zero = run_to_end<Solver>(made, loose, by(StoppingRule::iterates, 1e-3));
  EXPECT_EQ(zero.report.objective, 0);

  GuardedMemory memory(Solver::requirement(made.shape()).bytes);
  Solver solver(made.design(), made.targets(), {}, {}, options);
  solver.set_stopping({StoppingRule::iterates, 1e-12});
  ASSERT_TRUE(solver.start(memory.span()));
  while (solver.report().iterations < 500) ASSERT_TRUE(solver.step());
  EXPECT_EQ(solver.certificates(), 0u);
  solver.stop();
  EXPECT_EQ(solver.certificates(), 1u) << "the model at hand, certified";
  EXPECT_TRUE(solver.report().status == Status::stopped || solver.report().status == Status::converged);
  EXPECT_LT(solver.report().relative_gap, 0.5);
}
TEST(EndByIterates, OtherEnds) {
  expect_other_ends<as_printed::ConstrainedPrimalDual<double, Hinge, L1>>();
  expect_other_ends<as_printed::LinearConstraintsPrimalDual<double, Hinge, L1>>();
}

TEST(EndByIterates, ThroughTheDoorOfRunTimeChoices) {
  const Made<double> made(25, 5, 3, 2);
  const auto design = made.design();
  using Any = core::Training<double>;
  for (const SolverKind kind :
       {SolverKind::constrained_primal_dual_as_printed, SolverKind::linear_constraints_primal_dual_as_printed}) {
    const ProblemSpec choice{.penalty = PenaltyKind::l1, .solver = kind, .constrained = true};
    Any any(choice, AnyDesign<double>(design), made.targets(), {.tolerance = 1e-9, .eta = 0.5});
    EXPECT_TRUE(has_stopping(kind, StoppingRule::iterates));
    EXPECT_TRUE(any.set_stopping({StoppingRule::iterates, 1e-3}));
    GuardedMemory memory(Any::requirement(choice, made.shape()).bytes);
    any.start(memory.span());
    while (any.step()) {
    }
    EXPECT_EQ(any.report().status, Status::stopped);
    EXPECT_EQ(any.certificates(), 1u);
  }
}

}  // namespace
