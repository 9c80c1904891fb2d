// Norms that power iterations know from below: steps taken from them must not stay too long.

#include <gtest/gtest.h>

#include <cmath>

#include "support/problems.hpp"
#include "tamis/solver/as_printed/interaction_admm.hpp"
#include "tamis/solver/as_printed/interaction_fista.hpp"
#include "tamis/solver/as_printed/interaction_primal_dual.hpp"
#include "tamis/solver/as_printed/kernel_forward_backward.hpp"
#include "tamis/solver/baselines.hpp"

namespace {

using namespace tamis;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;
using tamis::testing::run;

// The identity but for one entry: the largest singular vector has a share of a thousandth in any start without pattern,
// so a power iteration seems to have settled long before it is found.
struct NearlyIdentity {
  static constexpr Index n = 1000;
  std::vector<double> values = std::vector<double>(std::size_t(n) * n, 0);
  std::vector<Label> labels = std::vector<Label>(n);

  explicit NearlyIdentity(Index classes) {
    for (Index i = 0; i < n; ++i) {
      values[std::size_t(i) * n + i] = i == 17 ? 1.08 : 1;
      labels[i] = static_cast<Label>(i % classes);
    }
    targets = {labels, classes};
  }
  DenseDesign<double> design{values.data(), n, n};
  Targets<double> targets;
};

TEST(Norms, StepsThatAreTooLongAreNoticedAndShortened) {
  const NearlyIdentity problem(2);
  for (const bool intercept : {false, true}) {
    Options<double> options{.lambda = 2e-4, .max_iterations = 1000};
    options.intercept = intercept;
    const auto regularised =
        run<PrimalDual<double, Hinge, L1>, double>(problem.design, problem.targets, Hinge{}, L1{}, options).fit;
    EXPECT_EQ(regularised.status, Status::converged) << intercept;
    options.lambda = 0;
    options.eta = 0.3;
    const LevelSet<Hinge> loss{Hinge{}};
    const auto constrained =
        run<PrimalDual<double, LevelSet<Hinge>, L1>, double>(problem.design, problem.targets, loss, L1{}, options).fit;
    EXPECT_EQ(constrained.status, Status::converged) << intercept;
  }
}

TEST(Norms, BaselinesThatTrustTheirNormHaveIt) {
  const NearlyIdentity problem(3);
  Options<double> options{.lambda = 2e-4};
  options.intercept = false;
  as_printed::PrimalDual<double, Hinge, L1> solver(problem.design, problem.targets, Hinge{}, L1{}, options);
  tamis::testing::GuardedMemory memory(solver.requirement({problem.n, problem.n, 3}).bytes);
  ASSERT_TRUE(solver.start(memory.span()));
  while (solver.report().iterations < 2 && solver.step()) continue;
  const double norm =
      1.08 * std::sqrt(3.0);  // of Chierchia et al.'s (2015) T: √K times that of the samples, which sit in rows alone
  EXPECT_GE(solver.norm(), norm * (1 - 1e-4));
  EXPECT_LE(solver.norm(), norm * 1.02);
}

// A symmetric matrix of which a power iteration that begins as ours do never sees the largest eigenvector: it is
// orthogonal to all that it begins with, of one column or of the four of a row of coefficients.
struct HiddenDirection {
  static constexpr Index n = 8;
  std::vector<double> direction = {1, -1, 1, -1, 1, -1, 1, -1};
  std::vector<double> matrix = std::vector<double>(n * n);  // eigenvalues 1, and `most` of the direction

  HiddenDirection(double most, Index columns) {
    std::vector<std::vector<double>> begins;
    const auto dot = [](const auto& a, const auto& b) {
      double total = 0;
      for (Index i = 0; i < n; ++i) total += a[i] * b[i];
      return total;
    };
    const auto normalise = [&](std::vector<double>& v) {
      for (int twice = 0; twice < 2; ++twice)
        for (const auto& other : begins) {
          const double share = dot(v, other);
          for (Index i = 0; i < n; ++i) v[i] -= share * other[i];
        }
      const double length = std::sqrt(dot(v, v));
      for (double& x : v) x /= length;
    };
    for (Index k = 0; k < columns; ++k) {
      std::vector<double> begin;
      for (Index j = 0; j < n; ++j) begin.push_back(scattered<double>(j * 2654435761u + k * 40503u));
      normalise(begin);
      begins.push_back(begin);
    }
    normalise(direction);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) matrix[i * n + j] = (i == j) + (most - 1) * direction[i] * direction[j];
  }
  std::vector<Label> signs() const {
    std::vector<Label> labels;
    for (const double x : direction) labels.push_back(x > 0);
    return labels;
  }
};

// Of the squares, 2.1: steps that are more than twice as long as they may be.
const double hidden_norm = std::sqrt(2.1);

template <class Solver>
void expect_found(Solver& solver, double least, const char* name) {
  GuardedMemory memory(Solver::requirement({HiddenDirection::n, HiddenDirection::n, 2}).bytes);
  double before = 0;
  for (bool more = solver.start(memory.span()); more; more = solver.step())
    if (solver.report().iterations == 0) before = solver.norm();
  EXPECT_LT(before, 0.8 * least) << name << ": the direction is not hidden";
  EXPECT_EQ(solver.report().status, Status::converged) << name;
  EXPECT_GE(solver.norm(), std::sqrt(0.75) * least) << name;  // τσ‖T‖² ≤ 4/3, L ≥ 3/4 of the constant: both converge
  EXPECT_LE(solver.norm(), least * 1.05 * (1 + 1e-12)) << name;
}

TEST(Norms, ThatAreTooSmallAreRaisedByTheStepsOfGradients) {
  const HiddenDirection hidden(hidden_norm, 4);
  const DenseDesign<double> design(hidden.matrix.data(), hidden.n, hidden.n);
  const auto labels = hidden.signs();
  const Targets<double> targets{labels, 2};
  Options<double> options{.lambda = 1e-3, .tolerance = 1e-6, .max_iterations = 20000};
  options.intercept = false;
  for (const double lambda : {1e-3, 3e-2}) {
    options.lambda = lambda;
    as_printed::FistaConstantStep<double, SquaredHinge, L1> fista(design, targets, {}, {}, options);
    expect_found(fista, hidden_norm, "FISTA");
    as_printed::ForwardBackward<double, SquaredHinge, L1> plain(design, targets, {}, {}, options);
    expect_found(plain, hidden_norm, "forward-backward");
  }
}

TEST(Norms, ThatAreTooSmallAreRaisedByPrimalDualSteps) {
  const HiddenDirection hidden(hidden_norm, 4);
  const DenseDesign<double> design(hidden.matrix.data(), hidden.n, hidden.n);
  const auto labels = hidden.signs();
  const Targets<double> targets{labels, 2};
  Options<double> options{.lambda = 1e-2, .tolerance = 1e-4, .max_iterations = 20000};
  options.intercept = false;
  const double norm = std::sqrt(2.0) * hidden_norm;  // of Chierchia et al.'s (2015) T
  as_printed::PrimalDual<double, Hinge, L1> regularised(design, targets, {}, {}, options);
  expect_found(regularised, norm, "Algorithm 1");
  options.lambda = 0;
  options.eta = 0.3;
  const LevelSet<Hinge> loss{Hinge{}};
  as_printed::ConstrainedPrimalDual<double, LevelSet<Hinge>, L1> epigraphs(design, targets, loss, {}, options);
  expect_found(epigraphs, norm, "Algorithm 2");
  as_printed::LinearConstraintsPrimalDual<double, LevelSet<Hinge>, L1> linear(design, targets, loss, {}, options);
  expect_found(linear, norm, "linear constraints");
}

/// Samples whose XXᵀ = G has weight·G + G∘G = square.
std::vector<double> samples_of(const std::vector<double>& square, double weight) {
  constexpr Index n = HiddenDirection::n;
  std::vector<double> gram(n * n), x(n * n);
  for (Index e = 0; e < n * n; ++e) gram[e] = (std::sqrt(weight * weight + 4 * square[e]) - weight) / 2;
  for (Index j = 0; j < n; ++j)  // Cholesky, by columns
    for (Index i = j; i < n; ++i) {
      double rest = gram[i * n + j];
      for (Index k = 0; k < j; ++k) rest -= x[i + k * n] * x[j + k * n];
      x[i + j * n] = i == j ? std::sqrt(rest) : rest / x[j + j * n];
    }
  return x;
}

template <class Solver, class Set>
void expect_interactions(double weight, Hierarchy hierarchy, HierarchyNorm norm, bool regression, Set set) {
  const HiddenDirection hidden(2.1, 1);
  auto square = hidden.matrix;
  for (double& entry : square) entry *= 0.02;
  const auto x = samples_of(square, weight);
  const auto labels = hidden.signs();
  InteractionTargets<double> targets;
  if (regression) targets.values = hidden.direction.data();
  else targets.labels = labels, targets.classes = 2;
  Options<double> options{.lambda = 1e-3, .tolerance = 1e-5, .max_iterations = 20000};
  options.intercept = false;
  Solver solver({x.data(), hidden.n, hidden.n}, targets, hierarchy, norm, 1e-4, options);
  set(solver);
  GuardedMemory memory(Solver::requirement({hidden.n, hidden.n, targets.classes}).bytes);
  for (bool more = solver.start(memory.span()); more;) more = solver.step();
  EXPECT_EQ(solver.report().status, Status::converged) << static_cast<int>(hierarchy) << static_cast<int>(norm);
}

TEST(Norms, ThatAreTooSmallAreRaisedByTheStepsOfInteractions) {
  for (const bool regression : {true, false}) {
    const auto as_it_is = [](auto&) {};
    using Fista = as_printed::InteractionFista<double>;
    for (const HierarchyNorm norm : {HierarchyNorm::l1, HierarchyNorm::l2, HierarchyNorm::linf})
      for (const Hierarchy hierarchy : {Hierarchy::weak, Hierarchy::full})
        expect_interactions<Fista>(1, hierarchy, norm, regression, as_it_is);
    using Dykstra = as_printed::InteractionFistaDykstra<double>;
    expect_interactions<Dykstra>(1, Hierarchy::strong, HierarchyNorm::l1, regression, as_it_is);
    using PrimalDual = as_printed::InteractionPrimalDual<double>;
    for (const Hierarchy hierarchy : {Hierarchy::weak, Hierarchy::strong})
      expect_interactions<PrimalDual>(2, hierarchy, HierarchyNorm::l1, regression,
                                      [](auto& solver) { solver.set_steps(as_printed::StepRule::measured); });
  }
  using Admm = as_printed::InteractionAdmm<double>;
  expect_interactions<Admm>(1, Hierarchy::strong, HierarchyNorm::l1, true, [](auto& solver) {
    solver.set_splitting(1e-4, {1e-7, 500});
  });
}

TEST(Norms, ThatAreTooSmallAreRaisedByTheStepsOfKernels) {
  const HiddenDirection hidden(hidden_norm, 1);
  const DenseDesign<double> design(hidden.matrix.data(), hidden.n, hidden.n);
  const auto labels = hidden.signs();
  Options<double> options{.lambda = 1e-3, .tolerance = 1e-5, .max_iterations = 20000};
  options.intercept = false;
  for (const Index outputs : {1u, 2u}) {
    as_printed::KernelForwardBackward<double> solver(design, labels, 1, outputs, {2, 1, 1}, options);
    GuardedMemory memory(solver.requirement({hidden.n, hidden.n, outputs}).bytes);
    for (bool more = solver.start(memory.span()); more;) more = solver.step();
    EXPECT_EQ(solver.report().status, Status::converged) << outputs;
  }
}

}  // namespace
