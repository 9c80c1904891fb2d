// Paths of interactions against solves from nothing, and validation of λ against training on rows that are cut out by
// hand.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core.hpp"
#include "support/problems.hpp"
#include "tamis/selection/interaction_cross_validation.hpp"

namespace tamis {
namespace {

using testing::Generator;
using testing::GuardedMemory;

/// Samples whose target is a main effect and a product; of classes, which of three intervals it is in.
template <class T>
struct MadeProducts {
  Index samples, features, classes;
  std::vector<T> values, numbers;
  std::vector<Label> labels;

  MadeProducts(Index n, Index p, Index K, std::uint32_t seed) : samples(n), features(p), classes(K), values(n * p) {
    Generator generator(seed);
    for (T& value : values) value = static_cast<T>(2 * generator.uniform());
    for (Index i = 0; i < n; ++i) {
      const double target = at(i, 0) + 1.5 * at(i, 0) * at(i, 1) - at(i, 2) + 0.3 * generator.uniform();
      if (K == 1) numbers.push_back(static_cast<T>(target));
      else labels.push_back(static_cast<Label>(target < -0.4 ? 0 : K == 2 || target < 0.4 ? 1 : 2));
    }
  }
  double at(Index i, Index j) const { return static_cast<double>(values[i + std::size_t(j) * samples]); }
  DenseDesign<T> design() const { return {values.data(), samples, features}; }
  InteractionTargets<T> targets() const {
    return classes == 1 ? InteractionTargets<T>{numbers.data()} : InteractionTargets<T>{nullptr, labels, classes};
  }
  Shape shape() const { return {samples, features, classes}; }
  /// Without the samples of a fold, and what was left out.
  MadeProducts without(const std::vector<Index>& fold, Index held, std::vector<Index>& out) const {
    MadeProducts part(0, features, classes, 1);
    std::vector<Index> in;
    for (Index i = 0; i < samples; ++i) (fold[i] == held ? out : in).push_back(i);
    part.samples = static_cast<Index>(in.size());
    for (Index j = 0; j < features; ++j)
      for (const Index i : in) part.values.push_back(values[i + std::size_t(j) * samples]);
    for (const Index i : in)
      if (classes == 1) part.numbers.push_back(numbers[i]);
      else part.labels.push_back(labels[i]);
    return part;
  }
};

struct Kind {
  Hierarchy hierarchy;
  HierarchyNorm norm;
};
const Kind kinds[] = {{Hierarchy::weak, HierarchyNorm::l1},     {Hierarchy::weak, HierarchyNorm::linf},
                      {Hierarchy::weak, HierarchyNorm::l2},     {Hierarchy::strong, HierarchyNorm::l1},
                      {Hierarchy::strong, HierarchyNorm::linf}, {Hierarchy::strong, HierarchyNorm::l2},
                      {Hierarchy::full, HierarchyNorm::l1},     {Hierarchy::full, HierarchyNorm::ridge},
                      {Hierarchy::main, HierarchyNorm::l1}};
std::string text(const Kind& kind) { return std::string(name(kind.hierarchy)) + " " + name(kind.norm); }

template <class T>
InteractionProblem<T> problem_of(const MadeProducts<T>& made, const Kind& kind, const Options<T>& options) {
  return {made.design(), made.targets(), kind.hierarchy, kind.norm, options};
}

/// Calls look(solver) with a run from nothing at its end.
template <class T, class Look>
void solve(const InteractionProblem<T>& problem, T lambda, Look look) {
  const Shape shape{problem.design.samples(), problem.design.features(), problem.targets.classes};
  GuardedMemory memory(InteractionAdmm<T>::requirement(shape).bytes);
  // The weight of products as it is given, in the proportion that is given, or λ/2, for full λ.
  const T second = problem.lambda2 == problem.lambda2     ? problem.lambda2
                   : problem.ratio == problem.ratio       ? problem.ratio * lambda
                   : problem.hierarchy == Hierarchy::full ? lambda
                                                          : lambda / 2;
  Options<T> options = problem.options;
  options.lambda = lambda;
  InteractionAdmm<T> solver(problem.design, problem.targets, problem.hierarchy, problem.norm, second, options);
  solver.start(memory.span());
  while (solver.step()) {
  }
  look(solver);
}

TEST(InteractionPath, PointsAreThoseOfSolvesFromNothing) {
  for (const Index classes : {1u, 3u})
    for (const Kind& kind : kinds)
      for (const double given : {not_a_number<double>, 0.05, -0.3}) {  // negative: a ratio
        SCOPED_TRACE(text(kind) + " " + std::to_string(classes) + " " + std::to_string(given));
        const MadeProducts<double> made(40, 5, classes, 7);
        InteractionProblem<double> problem = problem_of<double>(made, kind, {.tolerance = 1e-7});
        if (given < 0) problem.ratio = -given;
        else if (kind.hierarchy != Hierarchy::main) problem.lambda2 = given;
        GuardedMemory memory(InteractionPath<double>::requirement(made.shape()).bytes);
        InteractionPath<double> path(problem, {.points = 5, .ratio = 0.02});
        path.start(memory.span());
        Index points = 0;
        advance_path(path, [&](const InteractionPath<double>& at) {
          EXPECT_EQ(at.report().status, Status::converged);
          const bool free = kind.hierarchy == Hierarchy::full && finite(problem.lambda2);
          if (points++ == 0 && classes == 1 && !free && kind.norm != HierarchyNorm::ridge) {
            EXPECT_EQ(at.report().nonzeros, 0u);
          }
          solve(problem, at.lambda(), [&](const InteractionAdmm<double>& cold) {
            EXPECT_NEAR(at.report().objective, cold.report().objective, 2e-7 * cold.report().objective);
          });
          return true;
        });
        EXPECT_EQ(points, 5u);
        EXPECT_EQ(path.status(), Status::converged);
        EXPECT_TRUE(memory.surroundings_intact());
      }
}

// What λ_max says, and a little below it: the least λ for weak, full and main.
TEST(InteractionPath, BeginsWhereTheFirstCoefficientComes) {
  for (const Kind& kind : kinds) {
    SCOPED_TRACE(text(kind));
    if (kind.norm == HierarchyNorm::ridge) continue;  // nothing becomes zero
    const MadeProducts<double> made(30, 4, 1, 3);
    const InteractionProblem<double> problem = problem_of<double>(made, kind, {.tolerance = 1e-9});
    GuardedMemory memory(InteractionPath<double>::requirement(made.shape()).bytes);
    const double first = problem.first_lambda(memory.span());
    solve(problem, first * (1 + 1e-9), [](const auto& at) { EXPECT_EQ(at.report().nonzeros, 0u); });
    solve(problem, first * (kind.hierarchy == Hierarchy::strong ? 0.9 : 0.999),
          [](const auto& at) { EXPECT_GT(at.report().nonzeros, 0u); });
  }
}

/// Error and loss of the samples of a fold, by a solve from nothing without them.
template <class T>
std::pair<double, double> by_hand(const MadeProducts<T>& made, const std::vector<Index>& fold, Index held,
                                  InteractionProblem<T> problem, T lambda) {
  std::vector<Index> out;
  const auto part = made.without(fold, held, out);
  problem.design = part.design();
  problem.targets = part.targets();
  double error = 0, loss = 0;
  solve(problem, lambda, [&](const InteractionAdmm<T>& solver) {
    EXPECT_TRUE(has_model(solver.report().status));
    const auto model = solver.model();
    for (const Index i : out) {
      std::vector<double> z;
      for (Index k = 0; k < made.classes; ++k) {
        z.push_back(double(model.intercept(k)));
        for (Index j = 0; j < made.features; ++j) {
          z[k] += double(model.main_effect(j, k)) * made.at(i, j);
          for (Index l = j; l < made.features; ++l) z[k] += double(model.pair(j, l, k)) * made.at(i, j) * made.at(i, l);
        }
      }
      if (made.classes == 1) {
        const double residual = double(made.numbers[i]) - z[0];
        error += residual * residual;
        loss += residual * residual / 2;
        continue;
      }
      const Label y = made.labels[i];
      error += std::max_element(z.begin(), z.end()) - z.begin() != y;
      for (Index k = 0; k < made.classes; ++k)
        if (k != y) loss += std::pow(std::max(1 - (z[y] - z[k]), 0.0), 2);
    }
  });
  return {error / double(out.size()), loss / double(out.size())};
}

template <class T>
void check_folds(Index classes, const Kind& kind, Index folds, double tolerance, double slack) {
  SCOPED_TRACE(text(kind) + " " + std::to_string(classes) + " " + std::to_string(folds));
  const MadeProducts<T> made(36, 4, classes, 11);
  std::vector<Index> fold(36);
  for (Index i = 0; i < 36; ++i) fold[i] = folds > 1 ? (5 * i) % 36 % folds : i % 4 == 1 ? 0 : no_fold;
  Options<T> options{.tolerance = static_cast<T>(tolerance)};
  const InteractionProblem<T> problem = problem_of<T>(made, kind, options);
  const T lambdas[] = {T(0.4), T(0.08), T(0.02)};
  const Index training = most_training_samples(fold, folds);
  GuardedMemory memory(InteractionCrossValidation<T>::requirement(made.shape(), training, folds, 3).bytes);
  InteractionCrossValidation<T> cv(problem, fold.data(), folds, {.values = lambdas, .points = 3});
  cv.start(memory.span());
  while (cv.step()) {
  }
  ASSERT_EQ(cv.status(), Status::converged);
  EXPECT_TRUE(memory.surroundings_intact());
  for (Index point = 0; point < 3; ++point) {
    double all = 0, error_mean = 0, loss_mean = 0, loss_square = 0;
    std::vector<double> size, error(folds), loss(folds);
    for (Index f = 0; f < folds; ++f) {
      size.push_back(static_cast<double>(std::count(fold.begin(), fold.end(), f)));
      std::tie(error[f], loss[f]) = by_hand(made, fold, f, problem, lambdas[point]);
      all += size[f];
      error_mean += size[f] * error[f];
      loss_mean += size[f] * loss[f];
    }
    error_mean /= all;
    loss_mean /= all;
    for (Index f = 0; f < folds; ++f) loss_square += size[f] / all * std::pow(loss[f] - loss_mean, 2);
    const HeldOut<T> held = cv.at(point);
    EXPECT_EQ(held.lambda, lambdas[point]);
    EXPECT_NEAR(held.error, error_mean, classes == 1 ? slack * error_mean : 1e-6);
    EXPECT_NEAR(held.loss, loss_mean, slack * loss_mean);
    EXPECT_NEAR(held.loss_deviation, folds > 1 ? std::sqrt(loss_square / (folds - 1)) : 0, slack * loss_mean);
  }
  const auto at = [&](Index l) { return cv.at(l); };
  EXPECT_EQ(cv.best(), best(3, Measure::error, at));
  EXPECT_EQ(cv.one_standard_error(Measure::loss), one_standard_error(3, Measure::loss, at));
}

TEST(InteractionCrossValidation, IsTrainingWithoutTheSamplesOfEachFold) {
  for (const Index classes : {1u, 2u, 3u})
    for (const Kind& kind : kinds)
      for (const Index folds : {1u, 3u}) check_folds<double>(classes, kind, folds, 1e-10, 2e-4);
}
TEST(InteractionCrossValidation, IsTheSameInFloat) {
  for (const Index classes : {1u, 3u}) check_folds<float>(classes, kinds[3], 3, 1e-5, 2e-2);
}

TEST(InteractionCrossValidation, RefusesWithAStatus) {
  const MadeProducts<double> good(12, 3, 3, 1);
  std::vector<Index> deal(12);
  for (Index i = 0; i < 12; ++i) deal[i] = i % 3;
  const double lambdas[] = {0.1, 0.01}, zero[] = {0.1, 0};
  const std::size_t bytes = InteractionCrossValidation<double>::requirement(good.shape(), 8, 3, 2).bytes;
  struct Call {
    MadeProducts<double> made;
    std::vector<Index> fold;
    Index folds;
    Grid<double> grid;
    Options<double> options = {};
  };
  const auto refused = [&](auto change, Status status, std::size_t room, bool untouched = true) {
    Call call{good, deal, 3, {.values = lambdas, .points = 2}};
    change(call);
    GuardedMemory memory(room);
    InteractionCrossValidation<double> cv(problem_of(call.made, kinds[3], call.options), call.fold.data(), call.folds,
                                          call.grid);
    EXPECT_FALSE(cv.start(memory.span()));
    EXPECT_FALSE(cv.step());
    EXPECT_EQ(cv.status(), status) << name(status);
    EXPECT_EQ(cv.report().status, status);
    EXPECT_EQ(memory.untouched(), untouched) << name(status);
    EXPECT_TRUE(memory.surroundings_intact());
    return cv.report();
  };
  refused([](Call& c) { c.grid = {}; }, Status::invalid_lambda, bytes);
  refused([&](Call& c) { c.grid.values = zero; }, Status::invalid_lambda, bytes, false);
  refused([](Call& c) { c.folds = 0; }, Status::invalid_option, bytes);
  EXPECT_EQ(refused([](Call& c) { c.fold[5] = 3; }, Status::invalid_option, bytes).row, 5u);
  EXPECT_EQ(refused([](Call& c) { c.made.labels[4] = 3; }, Status::invalid_label, bytes).row, 4u);
  refused([](Call& c) { c.made.labels.pop_back(); }, Status::invalid_shape, bytes);
  refused([](Call& c) { c.options.tolerance = 0; }, Status::invalid_option, bytes, false);
  EXPECT_EQ(refused([](Call&) {}, Status::arena_too_small, bytes - 1).arena_bytes, bytes);
  std::fill(deal.begin(), deal.end(), no_fold);
  for (Index i = 0; i < 12; ++i)
    if (good.labels[i] == 1) deal[i] = 0;
  const auto missing = refused([](Call&) {}, Status::missing_class,
                               InteractionCrossValidation<double>::requirement(good.shape(), 12, 3, 2).bytes, false);
  EXPECT_EQ(missing.column, 1u);
  for (Index i = 0; i < 12; ++i) deal[i] = i % 3;
  // The place of a bad value is that among all samples.
  const auto bad =
      refused([](Call& c) { c.made.values[12 + 5] = not_a_number<double>; }, Status::invalid_data, bytes, false);
  EXPECT_EQ(bad.row, 5u);
  EXPECT_EQ(bad.column, 1u);
}

}  // namespace
}  // namespace tamis
