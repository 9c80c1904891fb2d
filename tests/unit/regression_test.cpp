// Losses of one score: values by least squares, two classes by the sign.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "support/problems.hpp"
#include "tamis/loss/binary_squared_hinge.hpp"
#include "tamis/loss/least_squares.hpp"

namespace {

using namespace tamis;
using tamis::testing::Generator;
using tamis::testing::GuardedMemory;

/// Values that follow a few of the features, with noise.
template <class T>
struct Measured {
  Index samples, features;
  std::vector<T> design, values, weights;

  Measured(Index n, Index p, std::uint32_t seed) : samples(n), features(p), design(n * p), values(n), weights(n) {
    Generator generator(seed);
    for (T& x : design) x = static_cast<T>(generator.uniform());
    for (Index i = 0; i < n; ++i) {
      double value = 3 + 0.2 * generator.uniform();
      for (Index j = 0; j < p; j += 3) value += (j % 2 ? -1.0 : 2.0) * static_cast<double>(design[i + j * n]);
      values[i] = static_cast<T>(value);
      weights[i] = static_cast<T>(1 + generator.draw(3));
    }
  }
  DenseDesign<T> dense() const { return {design.data(), samples, features}; }
  Targets<T> targets(bool weighted) const {
    return {.labels = {}, .classes = 1, .weights = weighted ? weights.data() : nullptr, .values = values};
  }
};

template <class Solver, class T, class Loss, class Penalty, class Design>
Report<T> solve(const Design& design, const Targets<T>& targets, Loss loss, Penalty penalty, Options<T> options,
                std::vector<T>& out, WorkspaceHint hint = {}) {
  Solver solver(design, targets, loss, penalty, options);
  const Shape shape{targets.samples(), design.features(), targets.classes};
  Requirement requirement = Solver::requirement(shape);
  if constexpr (requires { Solver::requirement(shape, hint); })
    if (hint.entries > 0) requirement = Solver::requirement(shape, hint);
  GuardedMemory memory(requirement.bytes);
  solver.start(memory.span());
  while (solver.step()) {
  }
  out.clear();
  if (has_model(solver.report().status))
    for (Index j = 0; j <= shape.features; ++j) out.push_back(solver.model()(j, 0));
  return solver.report();
}

/// F at coefficients and an intercept, in long double.
template <class T, class Omega>
long double objective(const Measured<T>& m, bool weighted, const std::vector<T>& w, T lambda, Omega omega) {
  long double total = 0, weight = 0;
  for (Index i = 0; i < m.samples; ++i) {
    long double z = w[m.features];
    for (Index j = 0; j < m.features; ++j) z += static_cast<long double>(m.design[i + j * m.samples]) * w[j];
    const long double c = weighted ? m.weights[i] : T(1);
    total += c * (z - m.values[i]) * (z - m.values[i]) / 2;
    weight += c;
  }
  return total / weight + lambda * omega(w);
}

template <class T, template <class, class, class, class> class Solver>
void expect_normal_equations(T tolerance) {
  for (const bool weighted : {false, true}) {
    const Measured<T> m(60, 9, 5);
    const T lambda = T(0.03);
    // (XᵀCX + λI) w = XᵀC(v − b), with b free: one system over (w, b).
    Eigen::MatrixXd x(60, 10);
    Eigen::VectorXd v(60), c(60);
    for (Index i = 0; i < 60; ++i) {
      for (Index j = 0; j < 9; ++j) x(i, j) = static_cast<double>(m.design[i + j * 60]);
      x(i, 9) = 1;
      v(i) = static_cast<double>(m.values[i]);
      c(i) = weighted ? static_cast<double>(m.weights[i]) : 1;
    }
    c /= c.sum();
    Eigen::MatrixXd system = x.transpose() * c.asDiagonal() * x;
    for (Index j = 0; j < 9; ++j) system(j, j) += static_cast<double>(lambda);
    const Eigen::VectorXd truth = system.ldlt().solve(x.transpose() * (c.asDiagonal() * v));
    std::vector<T> w;
    const auto report = solve<Solver<T, LeastSquares, Ridge, DenseDesign<T>>>(
        m.dense(), m.targets(weighted), LeastSquares{}, Ridge{}, {.lambda = lambda, .tolerance = tolerance}, w);
    EXPECT_EQ(report.status, Status::converged);
    EXPECT_LE(report.relative_gap, tolerance);
    for (Index j = 0; j < 10; ++j) EXPECT_NEAR(w[j], truth(j), 10 * std::sqrt(tolerance)) << j;
  }
}
TEST(LeastSquares, WithRidgeSolvesTheNormalEquations) {
  expect_normal_equations<double, Fista>(1e-11);
  expect_normal_equations<double, BlockCoordinateDescent>(1e-11);
  expect_normal_equations<float, Fista>(1e-5f);
  expect_normal_equations<float, BlockCoordinateDescent>(1e-5f);
}

/// With orthogonal columns of mean zero the lasso is soft thresholding, and the group lasso a shrinkage of groups.
TEST(LeastSquares, ShrinksWhereColumnsAreOrthogonal) {
  constexpr Index n = 40, p = 6;
  Measured<double> m(n, p, 11);
  Eigen::MatrixXd x(n, p + 1);
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = 1;
    for (Index j = 0; j < p; ++j) x(i, j + 1) = m.design[i + j * n];
  }
  const Eigen::MatrixXd q =
      Eigen::HouseholderQR<Eigen::MatrixXd>(x).householderQ() * Eigen::MatrixXd::Identity(n, p + 1);
  for (Index j = 0; j < p; ++j)
    for (Index i = 0; i < n; ++i) m.design[i + j * n] = q(i, j + 1) * std::sqrt(double(n));
  double slope[p], mean = 0;
  for (Index j = 0; j < p; ++j) {
    slope[j] = 0;
    for (Index i = 0; i < n; ++i) slope[j] += m.design[i + j * n] * m.values[i] / n;
  }
  for (Index i = 0; i < n; ++i) mean += m.values[i] / n;
  const double lambda = 0.2;
  const auto check = [&]<class Penalty>(Penalty penalty, auto truth) {
    for (int which = 0; which < 2; ++which) {
      std::vector<double> w;
      const Options<double> options{.lambda = lambda, .tolerance = 1e-12};
      const auto report = which ? solve<Fista<double, LeastSquares, Penalty>>(m.dense(), m.targets(false),
                                                                              LeastSquares{}, penalty, options, w)
                                : solve<BlockCoordinateDescent<double, LeastSquares, Penalty>>(
                                      m.dense(), m.targets(false), LeastSquares{}, penalty, options, w, {n * p, p + 1});
      EXPECT_EQ(report.status, Status::converged);
      for (Index j = 0; j < p; ++j) EXPECT_NEAR(w[j], truth(j), 1e-5) << which << " " << j;
      EXPECT_NEAR(w[p], mean, 1e-6);
    }
  };
  check(L1{}, [&](Index j) { return std::copysign(std::max(std::abs(slope[j]) - lambda, 0.0), slope[j]); });
  const Index order[] = {0, 2, 4, 1, 3, 5}, starts[] = {0, 3, 6};
  check(GroupL2{Groups::listed(order, starts, 2)}, [&](Index j) {
    double norm = 0;
    for (Index l = j % 2; l < p; l += 2) norm += slope[l] * slope[l];
    norm = std::sqrt(norm);
    return norm > lambda ? slope[j] * (1 - lambda / norm) : 0.0;
  });
}

/// Wherever a run of the lasso is stopped, its dual objective is below the objective of every point.
template <class T, template <class, class, class, class> class Solver>
void expect_true_bounds() {
  const Measured<T> m(50, 40, 23);
  const auto l1 = [&](const std::vector<T>& w) {
    long double total = 0;
    for (Index j = 0; j < m.features; ++j) total += std::abs(static_cast<long double>(w[j]));
    return total;
  };
  for (const T lambda : {T(0.5), T(0.05), T(0.005)}) {
    std::vector<T> best, w;
    using S = Solver<T, LeastSquares, L1, DenseDesign<T>>;
    const auto done = solve<S>(m.dense(), m.targets(true), LeastSquares{}, L1{},
                               {.lambda = lambda, .tolerance = sizeof(T) == 4 ? T(1e-4) : T(1e-10)}, best);
    EXPECT_EQ(done.status, Status::converged);
    const long double least = objective(m, true, best, lambda, l1);
    EXPECT_NEAR(done.objective, static_cast<double>(least), 1e-4 * static_cast<double>(least));
    for (const std::uint32_t limit : {1u, 2u, 3u, 5u, 9u, 20u, 40u}) {
      const auto part = solve<S>(m.dense(), m.targets(true), LeastSquares{}, L1{},
                                 {.lambda = lambda, .tolerance = T(1e-7), .max_iterations = limit}, w);
      EXPECT_LE(part.dual_objective, static_cast<double>(least) * (1 + 1e-4)) << limit;
      EXPECT_GE(part.dual_objective, 0);
      EXPECT_GE(part.gap, 0);
    }
    // the optimality conditions, feature by feature
    const double slack =
        20 * std::sqrt(static_cast<double>(done.relative_gap) + 1e-7) * static_cast<double>(lambda + T(0.05));
    long double weight = 0;
    for (const T c : m.weights) weight += c;
    for (Index j = 0; j < m.features; ++j) {
      long double slope = 0;
      for (Index i = 0; i < m.samples; ++i) {
        long double z = best[m.features];
        for (Index l = 0; l < m.features; ++l) z += static_cast<long double>(m.design[i + l * m.samples]) * best[l];
        slope += m.weights[i] / weight * (z - m.values[i]) * m.design[i + j * m.samples];
      }
      if (best[j] != T(0)) EXPECT_NEAR(static_cast<double>(slope), best[j] > 0 ? -lambda : lambda, slack) << j;
      else EXPECT_LE(static_cast<double>(std::abs(slope)), static_cast<double>(lambda) + slack) << j;
    }
  }
}
TEST(LeastSquares, BoundsAreTrueWhereverALassoStops) {
  expect_true_bounds<double, Fista>();
  expect_true_bounds<double, BlockCoordinateDescent>();
  expect_true_bounds<float, Fista>();
  expect_true_bounds<float, BlockCoordinateDescent>();
}

/// A start far beyond the values has duals whose best multiple is negative: they bound nothing.
TEST(LeastSquares, BoundsAreTrueAfterAStartThatGoesTooFar) {
  const Measured<double> m(50, 40, 23);
  using S = Fista<double, LeastSquares, L1>;
  std::vector<double> w, before(41 * 2);
  const auto done = solve<S>(m.dense(), m.targets(false), LeastSquares{}, L1{}, {.lambda = 0.3, .tolerance = 1e-10}, w);
  S path(m.dense(), m.targets(false), LeastSquares{}, L1{}, {.lambda = 0.5, .tolerance = 1e-6, .max_iterations = 2000});
  GuardedMemory memory(S::requirement({50, 40, 1}).bytes);
  path.start(memory.span());
  while (path.step()) {
  }
  for (const double lambda : {0.45, 0.4, 0.35}) {
    path.warm_start(lambda, before.data(), 0.0);
    while (path.step()) {
    }
  }
  path.warm_start(0.3, before.data(), 100.0);
  EXPECT_EQ(path.certificates(), 1u);
  EXPECT_GT(path.report().objective, 2 * done.objective);
  EXPECT_LE(path.report().dual_objective, done.objective);
  EXPECT_GE(path.report().gap, path.report().objective - done.objective);
}

TEST(LeastSquares, RefusesWhatIsNoNumberAndWhatHasTwoScores) {
  Measured<double> m(10, 2, 3);
  std::vector<double> w;
  using S = Fista<double, LeastSquares, L1>;
  Targets<double> two = m.targets(false);
  two.classes = 2;
  EXPECT_EQ(solve<S>(m.dense(), two, LeastSquares{}, L1{}, {.lambda = 0.1}, w).status, Status::invalid_shape);
  EXPECT_EQ(solve<S>(m.dense(), m.targets(false), LeastSquares{}, L1{}, {.lambda = 0.1, .margin = 1}, w).status,
            Status::invalid_margin);
  m.values[7] = std::nan("");
  const auto report = solve<S>(m.dense(), m.targets(false), LeastSquares{}, L1{}, {.lambda = 0.1}, w);
  EXPECT_EQ(report.status, Status::invalid_label);
  EXPECT_EQ(report.row, 7u);
  // values are nothing to a loss of labels
  EXPECT_EQ(
      (solve<Fista<double, SquaredHinge, L1>>(m.dense(), m.targets(false), SquaredHinge{}, L1{}, {.lambda = 0.1}, w)
           .status),
      Status::invalid_shape);
}

/// One score for label 1 against label 0 is the column of OneVsRestSquaredHinge of that class.
template <class T, template <class, class, class, class> class Solver>
void expect_a_column_of_one_vs_rest(T tolerance) {
  const tamis::testing::Made<T> made(80, 12, 2, 31);
  const T lambda = T(0.02);
  std::vector<T> w;
  Targets<T> one = made.targets();
  one.classes = 1;
  const Options<T> options{.lambda = lambda, .tolerance = tolerance};
  const auto report = solve<Solver<T, BinarySquaredHinge, L1, DenseDesign<T>>>(made.design(), one, BinarySquaredHinge{},
                                                                               L1{}, options, w, {80 * 12, 13});
  ASSERT_EQ(report.status, Status::converged);
  // with two classes the problem is two of these, one with all signs turned
  using Both = Solver<T, OneVsRestSquaredHinge, L1, DenseDesign<T>>;
  GuardedMemory memory(Both::requirement(made.shape()).bytes);
  Both both(made.design(), made.targets(), OneVsRestSquaredHinge{}, L1{}, options);
  both.start(memory.span());
  while (both.step()) {
  }
  ASSERT_EQ(both.report().status, Status::converged);
  EXPECT_NEAR(both.report().objective, 2 * report.objective, 4 * tolerance * report.objective);
  for (Index j = 0; j <= 12; ++j) EXPECT_NEAR(both.model()(j, 1), w[j], 20 * std::sqrt(tolerance));
}
TEST(BinarySquaredHinge, IsAColumnOfOneVsRest) {
  expect_a_column_of_one_vs_rest<double, Fista>(1e-9);
  expect_a_column_of_one_vs_rest<double, BlockCoordinateDescent>(1e-9);
  expect_a_column_of_one_vs_rest<float, Fista>(1e-5f);
  expect_a_column_of_one_vs_rest<float, BlockCoordinateDescent>(1e-5f);
}

TEST(BinarySquaredHinge, RefusesAThirdLabelAndASecondScore) {
  tamis::testing::Made<double> made(20, 3, 2, 31);
  std::vector<double> w;
  using S = Fista<double, BinarySquaredHinge, L1>;
  EXPECT_EQ(solve<S>(made.design(), made.targets(), BinarySquaredHinge{}, L1{}, {.lambda = 0.1}, w).status,
            Status::invalid_shape);
  Targets<double> one = made.targets();
  one.classes = 1;
  made.labels[4] = 2;
  const auto report = solve<S>(made.design(), one, BinarySquaredHinge{}, L1{}, {.lambda = 0.1}, w);
  EXPECT_EQ(report.status, Status::invalid_label);
  EXPECT_EQ(report.row, 4u);
}

}  // namespace
