// What is solved with squares and with Euclidean groups, against Eigen, against slopes by differences, and against
// another algorithm.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "core.hpp"
#include "support/problems.hpp"
#include "tamis/solver/as_printed/interaction_fista.hpp"
#include "tamis/solver/interaction_admm.hpp"

namespace tamis {
namespace {

using testing::Generator;
using testing::GuardedMemory;

struct Samples {
  Index n, p;
  std::vector<double> values, truth;
  std::vector<Label> labels;

  Samples(Index samples, Index features, std::uint32_t seed) : n(samples), p(features), values(samples * features) {
    Generator generator(seed);
    for (double& value : values) value = 2 * generator.uniform();
    for (Index i = 0; i < n; ++i) {
      const double signal = x(i, 0) + 1.5 * x(i, 0) * x(i, 1) - x(i, 2) * x(i, 2) + 0.5;
      truth.push_back(signal + 0.3 * generator.uniform());
      labels.push_back(static_cast<Label>(signal < 0 ? 0 : signal < 0.6 ? 1 : 2));
    }
  }
  double x(Index i, Index j) const { return values[i + std::size_t(j) * n]; }
  DenseDesign<double> design() const { return {values.data(), n, p}; }
  InteractionTargets<double> targets(bool classes) const {
    return classes ? InteractionTargets<double>{nullptr, labels, 3} : InteractionTargets<double>{truth.data()};
  }
  Shape shape(bool classes) const { return {n, p, classes ? 3u : 1u}; }

  /// F of coefficients that are laid out as those of a model.
  double objective(bool classes, const HierarchicalPenalty<double>& penalty, const std::vector<double>& w,
                   const std::vector<double>& b) const {
    const InteractionModel<double> model{w.data(), b.data(), p, classes ? 3u : 1u};
    double total = 0;
    for (Index i = 0; i < n; ++i) {
      const double* at = values.data() + i;
      if (!classes) total += std::pow(truth[i] - model.score(at, n), 2) / (2 * n);
      for (Index k = 0; k < model.outputs && classes; ++k)
        if (k != labels[i])
          total += std::pow(std::max(1 + model.score(at, n, k) - model.score(at, n, labels[i]), 0.0), 2) / n;
    }
    for (Index k = 0; k < model.outputs; ++k)
      for (Index j = 0; j < p; ++j) total += penalty.value(model.row(k, j), p);
    return total;
  }
};

struct Solved {
  Report<double> report;
  std::vector<double> w, b;
};
template <class Solver>
Solved solve(const Samples& samples, bool classes, Hierarchy hierarchy, HierarchyNorm norm, double lambda2,
             const Options<double>& options) {
  GuardedMemory memory(Solver::requirement(samples.shape(classes)).bytes);
  Solver solver(samples.design(), samples.targets(classes), hierarchy, norm, lambda2, options);
  solver.start(memory.span());
  while (solver.step()) {
  }
  EXPECT_TRUE(memory.surroundings_intact());
  const auto model = solver.model();
  return {solver.report(),
          {model.coefficients, model.coefficients + std::size_t(model.outputs) * model.features * model.stride()},
          {model.intercepts, model.intercepts + model.outputs}};
}

// (17): the ridge regression on all features and products, by its normal equations.
TEST(InteractionRidge, IsTheRegressionOfTheLiftedFeatures) {
  for (const Index n : {15u, 60u})
    for (const Hierarchy hierarchy : {Hierarchy::full, Hierarchy::main})
      for (const bool intercept : {false, true})
        for (const double lambda : {3.0, 0.05, 1e-4})
          for (const double lambda2 : {lambda, 0.3 * lambda}) {
            const Samples samples(n, 4, 5);
            const bool products = hierarchy == Hierarchy::full;
            const Index lifted = products ? 20 : 4;
            Eigen::MatrixXd phi(n, lifted);
            Eigen::VectorXd weight(lifted), y(n);
            for (Index i = 0; i < n; ++i) {
              y[i] = samples.truth[i];
              for (Index j = 0; j < 4; ++j) {
                phi(i, j) = samples.x(i, j);
                weight[j] = lambda;
                for (Index l = 0; l < 4 && products; ++l) {
                  phi(i, 4 + 4 * j + l) = samples.x(i, j) * samples.x(i, l);
                  weight[4 + 4 * j + l] = lambda2;
                }
              }
            }
            const Eigen::RowVectorXd means = intercept ? Eigen::RowVectorXd(phi.colwise().mean())
                                                       : Eigen::RowVectorXd(Eigen::RowVectorXd::Zero(lifted));
            const double mean = intercept ? y.mean() : 0;
            const Eigen::MatrixXd centred = phi.rowwise() - means;
            const Eigen::MatrixXd system =
                Eigen::MatrixXd(centred.transpose() * centred) / double(n) + Eigen::MatrixXd(weight.asDiagonal());
            const Eigen::VectorXd slope = centred.transpose() * (y.array() - mean).matrix() / double(n);
            const Eigen::VectorXd w = system.ldlt().solve(slope);
            const double objective = (centred * w - (y.array() - mean).matrix()).squaredNorm() / (2.0 * n) +
                                     0.5 * (weight.array() * w.array().square()).sum();
            const auto found =
                solve<InteractionAdmm<double>>(samples, false, hierarchy, HierarchyNorm::ridge, lambda2,
                                               {.lambda = lambda, .tolerance = 1e-12, .intercept = intercept});
            SCOPED_TRACE(std::string(name(hierarchy)) + " " + std::to_string(lambda) + " " + std::to_string(n));
            EXPECT_EQ(found.report.status, Status::converged);
            EXPECT_LT(found.report.iterations, 400u);
            EXPECT_NEAR(found.report.objective, objective, 2e-12 * objective);
            EXPECT_GE(objective, found.report.dual_objective - 1e-13);
            EXPECT_FALSE(finite(found.report.lambda_max));
            const InteractionModel<double> model{found.w.data(), found.b.data(), 4, 1};
            const double slack = 1e-5;
            EXPECT_NEAR(model.intercept(), mean - means * w, slack);
            for (Index j = 0; j < 4; ++j) {
              EXPECT_NEAR(model.main_effect(j), w[j], slack);
              for (Index l = 0; l < 4; ++l)
                EXPECT_NEAR(model.interaction(j, l), products ? w[4 + 4 * j + l] : 0, slack);
            }
          }
}

// The squared hinge with squares is smooth: all slopes are zero.
TEST(InteractionRidge, HasNoSlopeLeft) {
  const Samples samples(40, 4, 9);
  for (const Hierarchy hierarchy : {Hierarchy::full, Hierarchy::main})
    for (const bool intercept : {false, true}) {
      const HierarchicalPenalty<double> penalty{hierarchy, HierarchyNorm::ridge, 0.05, 0.08};
      const auto found = solve<InteractionAdmm<double>>(samples, true, hierarchy, HierarchyNorm::ridge, 0.08,
                                                        {.lambda = 0.05, .tolerance = 1e-11, .intercept = intercept});
      EXPECT_EQ(found.report.status, Status::converged);
      EXPECT_NEAR(samples.objective(true, penalty, found.w, found.b), found.report.objective, 1e-12);
      auto w = found.w;
      auto b = found.b;
      const auto slope = [&](double& entry) {
        const double kept = entry, h = 1e-4;
        entry = kept + h;
        const double above = samples.objective(true, penalty, w, b);
        entry = kept - h;
        const double below = samples.objective(true, penalty, w, b);
        entry = kept;
        return (above - below) / (2 * h);
      };
      for (Index row = 0; row < 3 * 4; ++row)
        for (Index l = hierarchy == Hierarchy::main ? 4 : 0; l <= 4; ++l)
          EXPECT_NEAR(slope(w[row * padded<double>(5) + l]), 0, 1e-5);
      for (Index k = 0; k < 3 && intercept; ++k) EXPECT_NEAR(slope(b[k]), 0, 1e-5);
    }
}

// ⟨a, v⟩ + ⟨B, Θ⟩ ≤ gauge·Ω for symmetric Θ, and a search for the best of them comes near: the excess of a pair is
// shared between its rows as well as can be.
TEST(InteractionGroups, GaugeOfSymmetricProductsIsTight) {
  Generator generator(12);
  constexpr Index p = 3, stride = 4;
  for (int round = 0; round < 25; ++round) {
    const HierarchicalPenalty<double> penalty{Hierarchy::strong, HierarchyNorm::l2, 0.5 + generator.draw(4) / 4.0,
                                              generator.draw(3) / 8.0};
    double g[p * stride] = {};
    for (Index j = 0; j < p; ++j) {
      for (Index l = 0; l <= j; ++l) g[j * stride + l] = g[l * stride + j] = (1 + 3 * (j == 1)) * generator.uniform();
      g[j * stride + p] = generator.uniform();
    }
    double w[p * stride] = {};
    const auto ratio = [&] {
      double inner = 0, value = 0;
      for (Index j = 0; j < p; ++j) {
        value += penalty.value(w + j * stride, p);
        for (Index l = 0; l <= p; ++l) inner += w[j * stride + l] * g[j * stride + l];
      }
      return value > 0 ? inner / value : 0;
    };
    double best = 0;
    for (int start = 0; start < 6; ++start) {
      for (Index j = 0; j < p; ++j)
        for (Index l = 0; l <= p; ++l) w[j * stride + l] = start ? generator.uniform() : g[j * stride + l];
      for (Index j = 0; j < p; ++j)
        for (Index l = 0; l < j; ++l) w[j * stride + l] = w[l * stride + j];
      double here = ratio();
      double size = 1;
      for (int sweep = 0; sweep < 4000 && size > 1e-7; ++sweep) {
        bool better = false;
        for (Index j = 0; j < p; ++j)
          for (Index l = 0; l <= p; ++l)
            for (const double step : {size, -size}) {
              if (l < j) continue;
              double& entry = w[j * stride + l];
              double& twin = l < p ? w[l * stride + j] : entry;
              const double kept = entry;
              entry = twin = kept + step;
              const double now = ratio();
              if (now > here * (1 + 1e-12)) here = now, better = true;
              else entry = twin = kept;
            }
        if (!better) size *= 0.5;
      }
      best = std::max(best, here);
    }
    double load[p], row[stride];
    const std::vector<double> zeros(p * stride);
    HierarchicalGauge<double> gauge(penalty, p, stride, g, 1 / best, load, row);
    const double found = gauge.value(zeros.data(), zeros.data(), 0.0, 20000);
    gauge.restore();
    EXPECT_GE(found, 1 - 1e-9);
    EXPECT_LE(found, 1 + 2e-3);
  }
}

// Strong, with groups of a main effect and its products: the algorithm of the papers with Dykstra's inner rounds, whose
// certificate takes its own multipliers, comes to the same.
TEST(InteractionGroups, StrongIsWhatAnotherAlgorithmFinds) {
  const Samples samples(40, 5, 4);
  for (const bool classes : {false, true})
    for (const double lambda : {0.3, 0.1, 0.03})
      for (const double lambda2 : {0.0, 0.5 * lambda}) {
        SCOPED_TRACE(std::to_string(classes) + " " + std::to_string(lambda) + " " + std::to_string(lambda2));
        const Options<double> options{.lambda = lambda, .tolerance = 1e-8, .intercept = false};
        const auto found =
            solve<InteractionAdmm<double>>(samples, classes, Hierarchy::strong, HierarchyNorm::l2, lambda2, options);
        EXPECT_EQ(found.report.status, Status::converged);
        const HierarchicalPenalty<double> penalty{Hierarchy::strong, HierarchyNorm::l2, lambda, lambda2};
        EXPECT_NEAR(samples.objective(classes, penalty, found.w, found.b), found.report.objective, 1e-12);
        const auto other = solve<as_printed::InteractionFistaDykstra<double>>(
            samples, classes, Hierarchy::strong, HierarchyNorm::l2, lambda2,
            {.lambda = lambda, .tolerance = 1e-5, .max_iterations = 20000, .intercept = false});
        EXPECT_TRUE(has_model(other.report.status));
        EXPECT_NEAR(other.report.objective, found.report.objective, 1e-4 * found.report.objective);
        EXPECT_GE(other.report.objective, found.report.dual_objective - 1e-12);
        const InteractionModel<double> model{found.w.data(), found.b.data(), 5, samples.shape(classes).classes};
        for (Index k = 0; k < model.outputs; ++k)
          for (Index j = 0; j < 5; ++j)
            for (Index l = 0; l < 5; ++l) {
              EXPECT_EQ(model.interaction(j, l, k), model.interaction(l, j, k));
              if (model.interaction(j, l, k) != 0) {
                EXPECT_NE(model.main_effect(j, k), 0);
              }
            }
      }
}

}  // namespace
}  // namespace tamis
