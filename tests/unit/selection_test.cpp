// Paths against solves from nothing, folds against what they promise, cross-validation against training on the rows.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "core.hpp"
#include "support/problems.hpp"

namespace tamis {
namespace {

using testing::GuardedMemory;
using testing::Made;

struct Combination {
  LossKind loss;
  PenaltyKind penalty;
  SolverKind solver = SolverKind::automatic;
};
template <class T>
using Any = core::Training<T>;

template <class T>
auto maker(const Combination& c, const AnyDesign<T>& design, const Options<T>& options) {
  return [=](const Targets<T>& targets) {
    return Any<T>({c.loss, c.penalty, Groups::rows(), c.solver}, design, targets, options);
  };
}

template <class T>
Requirement room(const Combination& c, const Made<T>& made) {
  return Any<T>::requirement({c.loss, c.penalty, Groups::rows(), c.solver}, made.shape(),
                             WorkspaceHint{made.values.size(), 60});
}

class Paths : public ::testing::TestWithParam<Combination> {};
INSTANTIATE_TEST_SUITE_P(
    Cases, Paths,
    ::testing::Values(Combination{LossKind::squared_hinge, PenaltyKind::group_l2, SolverKind::fista},
                      Combination{LossKind::squared_hinge, PenaltyKind::elastic_net, SolverKind::fista},
                      Combination{LossKind::squared_hinge, PenaltyKind::ridge, SolverKind::fista},
                      Combination{LossKind::logistic, PenaltyKind::l1, SolverKind::fista},
                      Combination{LossKind::one_vs_rest_squared_hinge, PenaltyKind::sparse_group, SolverKind::fista},
                      Combination{LossKind::hinge, PenaltyKind::l1, SolverKind::primal_dual},
                      Combination{LossKind::hinge, PenaltyKind::l1},
                      Combination{LossKind::hinge, PenaltyKind::group_l2},
                      Combination{LossKind::hinge, PenaltyKind::ridge},
                      Combination{LossKind::squared_hinge, PenaltyKind::reweighted_l1, SolverKind::fista}),
    [](const auto& each) {
      std::string text =
          std::string(name(each.param.loss)) + "_" + name(each.param.penalty) + "_" + name(each.param.solver);
      for (char& c : text) c = c == '-' ? '_' : c;
      return text;
    });

TEST_P(Paths, PointsAreThoseOfSolvesFromNothing) {
  const Combination c = GetParam();
  for (const auto& [n, p] : {std::pair<Index, Index>{60, 12}, {40, 150}}) {
    const Made<double> made(n, p, 3, 4);
    const auto dense = made.design();
    const AnyDesign<double> design(dense);
    const Options<double> options{.tolerance = 1e-6};
    const Requirement solver = room(c, made);
    using P = Path<double, decltype(maker(c, design, options))>;
    GuardedMemory memory(P::requirement(made.shape(), solver).bytes);
    Grid<double> grid{.points = 7, .ratio = 0.02};
    if (c.penalty == PenaltyKind::ridge) {
      std::vector<double> scratch(n);
      grid.first = mean_square_norm(design, true, scratch.data());
    }
    P path(maker(c, design, options), p, made.targets(), grid);
    path.start(memory.span());
    Index points = 0;
    double last = infinity<double>;
    advance_path(path, [&](const P& at) {
      EXPECT_LT(at.lambda(), last);
      last = at.lambda();
      EXPECT_EQ(at.report().status, Status::converged);
      EXPECT_TRUE(points > 0 || c.penalty == PenaltyKind::ridge || at.report().nonzeros == 0);
      Options<double> alone = options;
      alone.lambda = last;
      Any<double> cold({c.loss, c.penalty, Groups::rows(), c.solver}, design, made.targets(), alone);
      GuardedMemory own(solver.bytes);
      cold.start(own.span());
      while (cold.step()) {
      }
      EXPECT_EQ(cold.report().status, Status::converged);
      EXPECT_NEAR(at.report().objective, cold.report().objective, 2e-6 * cold.report().objective);
      EXPECT_LE(at.report().dual_objective, cold.report().objective * (1 + 1e-12));
      ++points;
      return true;
    });
    EXPECT_EQ(points, 7u);
    EXPECT_EQ(path.status(), Status::converged);
    EXPECT_NEAR(last, path.grid().first * 0.02, 1e-12 * path.grid().first);
    EXPECT_TRUE(memory.surroundings_intact());
  }
}

TEST_P(Paths, VisitTheirOnlyPointOnce) {
  const Combination c = GetParam();
  const Made<double> made(30, 5, 3, 4);
  const auto dense = made.design();
  const AnyDesign<double> design(dense);
  using P = Path<double, decltype(maker(c, design, Options<double>{}))>;
  GuardedMemory memory(P::requirement(made.shape(), room(c, made)).bytes);
  for (const double lambda : {1e6, 0.01}) {  // far above λ_max some solvers need no step
    P path(maker(c, design, Options<double>{}), 5, made.targets(), {.values = &lambda, .points = 1});
    path.start(memory.span());
    int visits = 0;
    advance_path(path, [&](const P& at) {
      EXPECT_EQ(at.lambda(), lambda);
      ++visits;
      return true;
    });
    EXPECT_EQ(visits, 1) << lambda;
    EXPECT_EQ(path.status(), Status::converged);
  }
}

using SquaredL2 = Training<double, SquaredHinge, GroupL2, With<Fista>>;

struct MakeDirect {
  const DenseDesign<double>* design;
  auto operator()(const Targets<double>& targets) const {
    return SquaredL2({.tolerance = 1e-6}).solver(*design, targets);
  }
};
struct Direct {
  using P = Path<double, MakeDirect>;
  Made<double> made{60, 40, 3, 8};
  DenseDesign<double> design = made.design();
  MakeDirect make() const { return {&design}; }
  std::size_t bytes() const { return P::requirement(made.shape(), {SquaredL2::bytes(made.shape())}).bytes; }
};

TEST(Path, EndsBeforeTooManyFeatures) {
  const Direct d;
  GuardedMemory memory(d.bytes());
  Direct::P path(d.make(), 40, d.made.targets(), {.points = 50}, 7);
  path.start(memory.span());
  Index most = 0;
  advance_path(path, [&](const Direct::P& at) {
    most = std::max(most, at.report().nonzero_rows);
    return true;
  });
  EXPECT_EQ(path.status(), Status::converged);
  EXPECT_LT(path.points(), 50u);
  EXPECT_GE(most, 4u);
  EXPECT_LE(most, 7u);
}

TEST(Path, ReturnsItsValidPrefixWhenStopped) {
  const Direct d;
  GuardedMemory memory(d.bytes());
  Direct::P path(d.make(), 40, d.made.targets(), {.points = 50});
  path.start(memory.span());
  Index seen = 0;
  advance_path(path, [&](const Direct::P&) { return ++seen < 5; });
  EXPECT_EQ(path.status(), Status::stopped);
  EXPECT_EQ(path.points(), 5u);
  EXPECT_FALSE(path.step());
}

TEST(Path, RefusesGridsThatDoNotDescend) {
  const Direct d;
  GuardedMemory memory(d.bytes());
  const double rising[] = {0.1, 0.2}, negative[] = {0.1, -0.2};
  for (const Grid<double>& grid : {Grid<double>{rising, 2}, Grid<double>{negative, 2}, Grid<double>{.points = 0},
                                   Grid<double>{.ratio = 0}, Grid<double>{.ratio = 1.5}, Grid<double>{.first = -1}}) {
    Direct::P path(d.make(), 40, d.made.targets(), grid);
    EXPECT_FALSE(path.start(memory.span()));
    EXPECT_EQ(path.status(), Status::invalid_lambda);
    EXPECT_TRUE(memory.untouched());
  }
  Made<double> made(30, 4, 3, 1);
  const auto dense = made.design();
  const Training<double, SquaredHinge, Ridge> ridge{{}};
  const auto make = [&](const Targets<double>& targets) { return ridge.solver(dense, targets); };
  Path path(make, 4, made.targets(), Grid<double>{.points = 3});  // ridge has no λ_max
  GuardedMemory large(60000);
  path.start(large.span());
  advance_path(path, [](const auto&) { return true; });
  EXPECT_EQ(path.status(), Status::invalid_lambda);
  EXPECT_EQ(path.points(), 0u);
}

TEST(Path, NeedsItsBytesAndNotOneMore) {
  const Direct d;
  GuardedMemory memory(d.bytes() - 1);
  Direct::P path(d.make(), 40, d.made.targets(), {.points = 2});
  EXPECT_FALSE(path.start(memory.span()));
  EXPECT_EQ(path.status(), Status::arena_too_small);
  GuardedMemory crooked(d.bytes(), 4);
  EXPECT_FALSE(path.start(crooked.span()));
  EXPECT_EQ(path.status(), Status::invalid_arena);
  EXPECT_TRUE(crooked.untouched());
}

// ---- folds ----------------------------------------------------------------------------------------------------------

TEST(Folds, HaveTheirShareOfEveryClass) {
  std::vector<Label> labels;
  for (const auto& [label, count] : {std::pair<Label, int>{0, 21}, {1, 10}, {2, 13}})
    for (int i = 0; i < count; ++i) labels.push_back(label);
  std::vector<Index> fold(labels.size()), order(labels.size()), again(labels.size());
  Index rare = 0;
  ASSERT_TRUE(deal_folds(labels, 3, 5, true, 7, fold.data(), order.data(), rare));
  std::map<std::pair<Index, Label>, int> count;
  std::map<Index, int> size;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    ++count[{fold[i], labels[i]}];
    ++size[fold[i]];
  }
  const int all[] = {21, 10, 13};
  for (Index f = 0; f < 5; ++f) {
    EXPECT_GE(size[f], 8);
    EXPECT_LE(size[f], 9);
    for (Label k = 0; k < 3; ++k) {
      EXPECT_GE((count[{f, k}]), all[k] / 5);
      EXPECT_LE((count[{f, k}]), all[k] / 5 + 1);
    }
  }
  ASSERT_TRUE(deal_folds(labels, 3, 5, true, 7, again.data(), order.data(), rare));
  EXPECT_EQ(fold, again);
  ASSERT_TRUE(deal_folds(labels, 3, 5, true, 8, again.data(), order.data(), rare));
  EXPECT_NE(fold, again);
  EXPECT_FALSE(deal_folds(labels, 3, 11, true, 7, fold.data(), order.data(), rare));
  EXPECT_EQ(rare, 1u) << "the class with too few samples";
  EXPECT_TRUE(deal_folds(labels, 3, 44, false, 7, fold.data(), order.data(), rare));
  EXPECT_EQ(std::set<Index>(fold.begin(), fold.end()).size(), 44u) << "one each";
  EXPECT_FALSE(deal_folds(labels, 3, 45, false, 7, fold.data(), order.data(), rare));
  EXPECT_FALSE(deal_folds(labels, 3, 1, true, 7, fold.data(), order.data(), rare));
}

TEST(Folds, KeepGroupsTogether) {
  testing::Generator generator(3);
  std::vector<Label> labels;
  std::vector<Index> group;
  for (Index g = 0; g < 13; ++g)
    for (Index i = 0; i < 4 + generator.draw(20); ++i) {
      labels.push_back(static_cast<Label>(generator.draw(3)));
      group.push_back((g * 5) % 13 + 100);
    }
  const Index n = static_cast<Index>(labels.size());
  std::vector<Index> fold(n), order(n + 1), starts(n + 1), counts(4 * 3);
  ASSERT_TRUE(deal_groups(labels, 3, group.data(), 4, fold.data(), order.data(), starts.data(), counts.data()));
  std::map<Index, std::set<Index>> where;
  std::map<Index, int> size;
  for (Index i = 0; i < n; ++i) {
    where[group[i]].insert(fold[i]);
    ++size[fold[i]];
  }
  for (const auto& [g, folds] : where) EXPECT_EQ(folds.size(), 1u) << g;
  ASSERT_EQ(size.size(), 4u);
  for (const auto& [f, count] : size) EXPECT_NEAR(count, n / 4.0, n / 8.0) << f;
  EXPECT_FALSE(deal_groups(labels, 3, group.data(), 14, fold.data(), order.data(), starts.data(), counts.data()));
}

// ---- cross-validation -----------------------------------------------------------------------------------------------

TEST(CrossValidation, IsTrainingOnTheOtherRows) {
  Made<double> made(60, 8, 3, 9);
  for (Index i = 0; i < 60; ++i) made.weights.push_back(1 + i % 3);
  const auto design = made.design();
  const SquaredL2 training{{.tolerance = 1e-9}};
  const auto make = [&](const Targets<double>& targets) { return training.solver(design, targets); };
  std::vector<Index> fold(60), order(60);
  Index rare = 0;
  ASSERT_TRUE(deal_folds(made.labels, 3, 4, true, 1, fold.data(), order.data(), rare));
  fold[5] = no_fold;
  const double lambdas[] = {0.5, 0.1, 0.02};
  using CV = CrossValidation<double, decltype(make), DenseDesign<double>, SquaredHinge>;
  const std::size_t bytes = CV::requirement(made.shape(), 4, 3, {SquaredL2::bytes(made.shape())}).bytes;
  GuardedMemory memory(bytes);
  CV cv(make, design, made.targets(), SquaredHinge{}, fold.data(), 4, {lambdas, 3});
  cv.start(memory.span());
  while (cv.step()) {
  }
  ASSERT_EQ(cv.status(), Status::converged);
  EXPECT_TRUE(memory.surroundings_intact());

  for (Index l = 0; l < 3; ++l) {
    double error[4], loss[4], held[4], all = 0, mean_error = 0, mean_loss = 0;
    for (Index f = 0; f < 4; ++f) {
      Made<double> part(0, 8, 3, 1);
      part.labels.clear();
      std::vector<Index> rows;
      for (Index i = 0; i < 60; ++i)
        if (fold[i] != f) {
          rows.push_back(i);
          part.labels.push_back(made.labels[i]);
          part.weights.push_back(made.weights[i]);
        }
      part.samples = static_cast<Index>(rows.size());
      for (Index j = 0; j < 8; ++j)
        for (const Index i : rows) part.values.push_back(made.values[i + j * 60]);
      const auto fit = testing::run_default(part, SquaredHinge{}, GroupL2{}, {.lambda = lambdas[l], .tolerance = 1e-9});
      error[f] = loss[f] = held[f] = 0;
      for (Index i = 0; i < 60; ++i) {
        if (fold[i] != f) continue;
        std::vector<double> x(8), z(4);
        for (Index j = 0; j < 8; ++j) x[j] = made.values[i + j * 60];
        fit.fit.model.scores(x.data(), z.data());
        held[f] += made.weights[i];
        error[f] += made.weights[i] * (fit.fit.model.predict(x.data()) != made.labels[i]);
        loss[f] += made.weights[i] * SquaredHinge{}.value(z.data(), 3, made.labels[i], 1.0);
      }
      all += held[f];
      mean_error += error[f];
      mean_loss += loss[f];
    }
    mean_error /= all;
    mean_loss /= all;
    double squares = 0;
    for (Index f = 0; f < 4; ++f) squares += held[f] / all * std::pow(loss[f] / held[f] - mean_loss, 2);
    const auto now = cv.at(l);
    EXPECT_EQ(now.lambda, lambdas[l]);
    EXPECT_NEAR(now.error, mean_error, 1e-12);
    EXPECT_NEAR(now.loss, mean_loss, 1e-4 * mean_loss);
    EXPECT_NEAR(now.loss_deviation, std::sqrt(squares / 3), 1e-4);
  }

  // Each fold in an arena of its own, in any order: the same to the bit.
  std::vector<double> numbers(4 + 2 * 3 * 4, -1);
  FoldMeasures<double> together{numbers.data(), numbers.data() + 4, numbers.data() + 16, 4, 3};
  for (const Index f : {2u, 0u, 3u, 1u}) {
    GuardedMemory own(bytes);
    CV apart(make, design, made.targets(), SquaredHinge{}, fold.data(), 4, {lambdas, 3});
    apart.start(own.span(), f);
    while (apart.step()) EXPECT_EQ(apart.fold(), f);
    ASSERT_EQ(apart.status(), Status::converged);
    EXPECT_TRUE(own.surroundings_intact());
    together.take_fold(apart.measures(), f);
  }
  for (Index l = 0; l < 3; ++l) {
    const auto now = together.at(l, lambdas[l]), one = cv.at(l);
    EXPECT_EQ(now.error, one.error);
    EXPECT_EQ(now.error_deviation, one.error_deviation);
    EXPECT_EQ(now.loss, one.loss);
    EXPECT_EQ(now.loss_deviation, one.loss_deviation);
  }
  CV none(make, design, made.targets(), SquaredHinge{}, fold.data(), 4, {lambdas, 3});
  EXPECT_FALSE(none.start(memory.span(), 4));
  EXPECT_EQ(none.status(), Status::invalid_option);

  // Nothing is held out, or nothing that counts: there is no mean of it.
  std::vector<Index> nowhere(made.samples, no_fold);
  auto weightless = made;
  weightless.weights.assign(made.samples, 1);
  weightless.weights[4] = 0;
  for (const bool one : {false, true}) {
    if (one) nowhere[4] = 2;
    CV empty(make, design, weightless.targets(), SquaredHinge{}, nowhere.data(), 4, {lambdas, 3});
    EXPECT_FALSE(empty.start(memory.span()));
    EXPECT_EQ(empty.status(), Status::invalid_option);
  }

  GuardedMemory small(bytes - 1);
  CV refused(make, design, made.targets(), SquaredHinge{}, fold.data(), 4, {lambdas, 3});
  EXPECT_FALSE(refused.start(small.span()));
  EXPECT_EQ(refused.status(), Status::arena_too_small);
}

TEST(CrossValidation, MeasuresTheLossWithItsMargin) {
  const Made<double> made(40, 4, 3, 5);
  const auto design = made.design();
  std::vector<Index> fold(40, no_fold);
  for (Index i = 0; i < 40; i += 4) fold[i] = 0;
  const double lambdas[] = {1000};  // no coefficients: the loss is that of the intercepts
  for (const double margin : {not_a_number<double>, 0.5}) {
    const Training<double, Logistic, L1> training({.tolerance = 1e-9, .margin = margin});
    const auto make = [&](const Targets<double>& targets) { return training.solver(design, targets); };
    using CV = CrossValidation<double, decltype(make), DenseDesign<double>, Logistic>;
    GuardedMemory memory(
        CV::requirement(made.shape(), 1, 1, {Training<double, Logistic, L1>::bytes(made.shape())}).bytes);
    CV cv(make, design, made.targets(), Logistic{}, fold.data(), 1, {lambdas, 1}, margin);
    cv.start(memory.span());
    while (cv.step()) {
    }
    ASSERT_EQ(cv.status(), Status::converged);
    auto part = made;
    for (Index i = 0; i < 40; ++i) part.weights.push_back(fold[i] == 0 ? 0 : 1);
    const auto fit =
        testing::run_default(part, Logistic{}, L1{}, {.lambda = 1000, .tolerance = 1e-9, .margin = margin});
    double loss = 0, z[4];
    for (Index k = 0; k < 3; ++k) z[k] = fit.fit.model.intercept(k);
    for (Index i = 0; i < 40; i += 4)
      loss += Logistic{}.value(z, 3, made.labels[i], margin == margin ? margin : 0.0) / 10;
    EXPECT_NEAR(cv.at(0).loss, loss, 1e-7);
  }
}

TEST(CrossValidation, SaysWhichClassAFoldLacks) {
  const Made<double> made(12, 3, 3, 2);
  const auto design = made.design();
  const SquaredL2 training{{}};
  const auto make = [&](const Targets<double>& targets) { return training.solver(design, targets); };
  std::vector<Index> fold(12);
  for (Index i = 0; i < 12; ++i) fold[i] = made.labels[i] == 1 ? 2 : i % 2;
  using CV = CrossValidation<double, decltype(make), DenseDesign<double>, SquaredHinge>;
  const double lambdas[] = {0.5};
  GuardedMemory memory(CV::requirement(made.shape(), 3, 1, {SquaredL2::bytes(made.shape())}).bytes);
  CV cv(make, design, made.targets(), SquaredHinge{}, fold.data(), 3, {lambdas, 1});
  cv.start(memory.span());
  while (cv.step()) {
  }
  EXPECT_EQ(cv.status(), Status::missing_class);
  EXPECT_EQ(cv.fold(), 2u);
  EXPECT_EQ(cv.report().column, 1u);
}

TEST(CrossValidation, ChoosesBetweenEqualErrorsByTheLossThenTheLargestLambda) {
  // Two far clusters: every model but the null one makes no error.
  const double values[] = {-1, -1.1, -0.9, -1, 1, 1.1, 0.9, 1};
  const Label labels[] = {0, 0, 0, 0, 1, 1, 1, 1};
  const DenseDesign<double> design(values, 8, 1);
  const Training<double, SquaredHinge, L1> training{{.tolerance = 1e-8}};
  const auto make = [&](const Targets<double>& targets) { return training.solver(design, targets); };
  const Index fold[] = {0, 0, 1, 1, 0, 0, 1, 1};
  const double lambdas[] = {100, 0.1, 0.05, 0.001, 0};
  using CV = CrossValidation<double, decltype(make), DenseDesign<double>, SquaredHinge>;
  GuardedMemory memory(CV::requirement({8, 1, 2}, 2, 5, {Training<double, SquaredHinge, L1>::bytes({8, 1, 2})}).bytes);
  CV cv(make, design, {labels, 2}, SquaredHinge{}, fold, 2, {lambdas, 5});
  cv.start(memory.span());
  while (cv.step()) {
  }
  ASSERT_EQ(cv.status(), Status::converged);
  EXPECT_EQ(cv.at(0).error, 0.5);
  for (Index l = 1; l < 5; ++l) EXPECT_EQ(cv.at(l).error, 0);
  Index least = 1;
  for (Index l = 2; l < 5; ++l)
    if (cv.at(l).loss < cv.at(least).loss) least = l;
  EXPECT_EQ(cv.best(), least);
  EXPECT_GT(least, 1u);
  EXPECT_EQ(cv.one_standard_error(), 1u) << "the largest of those that make no more errors";
}

}  // namespace
}  // namespace tamis
