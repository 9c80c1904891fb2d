// One more loss and one more penalty, each a file and a row: chosen by name, trained, and checked against the normal
// equations, solved with Eigen.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <bit>
#include <iterator>
#include <string>
#include <vector>

#include "tamis/any.hpp"

namespace {

using namespace tamis;

static_assert(std::size(all_losses) == 6 && std::size(all_penalties) == 8);

template <class Kind, std::size_t count>
Kind named(const Kind (&kinds)[count], const std::string& text) {
  for (const Kind kind : kinds)
    if (name(kind) == text) return kind;
  ADD_FAILURE() << "nothing is called " << text;
  return {};
}

/// 40 samples of 5 features in 3 classes, column-major.
template <class T>
struct Problem {
  static constexpr Index samples = 40, features = 5, classes = 3;
  std::vector<T> values;
  std::vector<Label> labels;

  Problem() {
    for (Index j = 0; j < features; ++j)
      for (Index i = 0; i < samples; ++i) values.push_back(T((i * (3 + 2 * j) + j * j) % 17) / T(16));
    for (Index i = 0; i < samples; ++i) labels.push_back(Label((i * 5 + i / 7) % classes));
  }

  template <class Check>
  void train(const std::string& loss, const std::string& penalty, const std::string& solver, T lambda, T tolerance,
             Check check) const {
    using Training = AnyTraining<T, TwoPhase, BlockCoordinateDescent>;
    const ProblemSpec spec{named(all_losses, loss), named(all_penalties, penalty), {}, named(all_solvers, solver)};
    ASSERT_EQ(spec.refusal(), nullptr);
    const DenseDesign<T> design{values.data(), samples, features};
    Training training(spec, AnyDesign<T>(design), {labels, classes}, {.lambda = lambda, .tolerance = tolerance});
    const std::size_t bytes =
        Training::requirement(spec, {samples, features, classes}, {.entries = values.size(), .active_limit = 20}).bytes;
    std::vector<std::max_align_t> memory(bytes / sizeof(std::max_align_t) + 1);
    training.start(std::as_writable_bytes(std::span(memory)).first(bytes));
    while (training.step()) {
    }
    SCOPED_TRACE(loss + ", " + penalty + ", " + solver);
    EXPECT_EQ(training.report().status, Status::converged);
    EXPECT_LE(training.report().relative_gap, tolerance);
    check(training.report(), training.model());
  }
};

template <class T>
void expect_normal_equations(const std::string& solver, T tolerance, double error) {
  const Problem<T> problem;
  constexpr Index n = Problem<T>::samples, p = Problem<T>::features, K = Problem<T>::classes;
  const double lambda = 0.01;
  const Eigen::MatrixXd x =
      Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>>(problem.values.data(), n, p)
          .template cast<double>();
  Eigen::MatrixXd t = Eigen::MatrixXd::Constant(n, K, -1);
  for (Index i = 0; i < n; ++i) t(i, problem.labels[i]) = 1;
  const Eigen::MatrixXd centred = x.rowwise() - x.colwise().mean();
  const Eigen::MatrixXd w = (centred.transpose() * centred / n + 2 * lambda * Eigen::MatrixXd::Identity(p, p))
                                .ldlt()
                                .solve(centred.transpose() * t / n);
  const Eigen::MatrixXd b = t.colwise().mean() - x.colwise().mean() * w;
  const double objective = ((x * w).rowwise() + b.row(0) - t).squaredNorm() / (2.0 * n) + lambda * w.squaredNorm();
  problem.train("least-squares-of-signs", "sum-of-squares", solver, T(lambda), tolerance,
                [&](const Report<T>& report, const LinearModel<T>& model) {
                  EXPECT_NEAR(static_cast<double>(report.objective), objective,
                              static_cast<double>(tolerance) * objective);
                  EXPECT_LE(static_cast<double>(report.dual_objective), objective * (1 + 1e-6));
                  for (Index k = 0; k < K; ++k) {
                    for (Index j = 0; j < p; ++j) EXPECT_NEAR(static_cast<double>(model(j, k)), w(j, k), error);
                    EXPECT_NEAR(static_cast<double>(model(p, k)), b(0, k), error);
                  }
                });
}

TEST(AddedRows, SolveTheNormalEquations) {
  for (const std::string solver : {"auto", "block-coordinate-descent", "fista"}) {
    expect_normal_equations<double>(solver, 1e-9, 1e-4);
    expect_normal_equations<float>(solver, 1e-4f, 2e-2);
  }
}

TEST(AddedRows, GoWithTheOthers) {
  const Problem<double> problem;
  const auto objective = [&](const std::string& loss, const std::string& penalty, double lambda,
                             const std::string& solver = "auto") {
    double out = 0;
    problem.train(loss, penalty, solver, lambda, 1e-8,
                  [&](const Report<double>& report, const LinearModel<double>&) { out = report.objective; });
    return out;
  };
  for (const std::string loss : {"squared-hinge", "logistic", "one-vs-rest-squared-hinge"})  // ridge is half of it
    EXPECT_NEAR(objective(loss, "sum-of-squares", 0.02), objective(loss, "ridge", 0.04), 1e-7) << loss;
  for (const std::string solver : {"auto", "two-phase", "primal-dual"})
    EXPECT_NEAR(objective("hinge", "sum-of-squares", 0.02, solver), objective("hinge", "ridge", 0.04), 1e-7) << solver;
  for (const std::string penalty : {"l1", "group-l2", "elastic-net", "sparse-group"}) {
    double fista = 0;
    problem.train("least-squares-of-signs", penalty, "fista", 0.01, 1e-8,
                  [&](const Report<double>& report, const LinearModel<double>&) { fista = report.objective; });
    EXPECT_NEAR(objective("least-squares-of-signs", penalty, 0.01), fista, 1e-7) << penalty;
  }
}

/// Nothing but what a penalty needs.
struct WithoutSlope {
  template <class T>
  T value(const Rows<const T>&) const {
    return T(0);
  }
  template <class T>
  void prox(const Rows<T>&, T) const {}
};
static_assert(tamis::Penalty<WithoutSlope, double>);

TEST(AddedRows, AreRefusedInTheSameSentences) {
  const LossKind loss = named(all_losses, "least-squares-of-signs");
  const PenaltyKind penalty = named(all_penalties, "sum-of-squares");
  EXPECT_STREQ(incompatibility(SolverKind::primal_dual, loss, penalty), TAMIS_NEEDS_DUAL_PROX);
  EXPECT_STREQ(incompatibility(SolverKind::bcd_line_search_as_printed, loss, penalty), TAMIS_NEEDS_BLOCKWISE);
  const unsigned lacks = catalogue::entry(catalogue::solver_needs, SolverKind::two_phase) &
                         ~(catalogue::of(LossKind::hinge) | catalogue::of_type<WithoutSlope>(penalty));
  EXPECT_STREQ(catalogue::missing[std::countr_zero(lacks)], TAMIS_NEEDS_PROX_JACOBIAN);
  EXPECT_EQ(incompatibility(SolverKind::two_phase, LossKind::hinge, penalty), nullptr);
  EXPECT_EQ(default_solver(loss, penalty), SolverKind::block_coordinate_descent);
  EXPECT_EQ(default_solver(LossKind::hinge, penalty), SolverKind::two_phase);
}

}  // namespace
