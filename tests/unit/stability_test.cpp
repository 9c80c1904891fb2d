// Stability selection: planted features are found, halves are halves, counts are those of training on the halves.
#include <gtest/gtest.h>

#include <numeric>

#include "core.hpp"
#include "support/problems.hpp"

namespace tamis {
namespace {

using testing::Generator;
using testing::GuardedMemory;
using testing::Made;

using Squared = Training<double, SquaredHinge, GroupL2>;

struct MakeDirect {
  const DenseDesign<double>* design;
  auto operator()(const Targets<double>& targets) const {
    return Squared({.tolerance = 1e-6}).solver(*design, targets);
  }
};
using Stability = StabilitySelection<double, MakeDirect>;

/// Three classes that follow the first `planted` features, in turn; all others are noise.
Made<double> planted_problem(Index samples, Index features, Index planted, std::uint32_t seed) {
  Made<double> made(samples, features, 3, seed);
  Generator generator(seed + 1);
  for (Index i = 0; i < samples; ++i) {
    double score[3] = {};
    for (Index j = 0; j < planted; ++j) score[j % 3] += made.values[i + j * samples];
    for (double& s : score) s += 0.3 * generator.uniform();
    made.labels[i] = static_cast<Label>(std::max_element(score, score + 3) - score);
  }
  return made;
}

struct Problem {
  Made<double> made;
  DenseDesign<double> design = made.design();
  std::vector<double> lambdas;
  StabilityOptions options;

  Grid<double> grid() const { return {lambdas.data(), static_cast<Index>(lambdas.size())}; }
  std::size_t bytes() const {
    return Stability::requirement(made.shape(), options.groups, grid().points, {Squared::bytes(made.shape())}).bytes;
  }
  std::unique_ptr<Stability> selection() const {
    return std::make_unique<Stability>(MakeDirect{&design}, made.features, made.targets(), grid(), options);
  }
};

void finish(Stability& selection, GuardedMemory& memory) {
  selection.start(memory.span());
  while (selection.step()) {
  }
  ASSERT_EQ(selection.status(), Status::converged);
  EXPECT_TRUE(memory.surroundings_intact());
}

TEST(Stability, FindsPlantedFeaturesAndLeavesNoise) {
  const Problem problem{planted_problem(240, 60, 6, 11), {}, {0.4, 0.35, 0.3}, {.pairs = 30, .seed = 4}};
  Problem at = problem;
  at.design = at.made.design();
  GuardedMemory memory(at.bytes());
  const auto selection = at.selection();
  finish(*selection, memory);
  EXPECT_EQ(selection->halves(), 60u);
  for (Index j = 0; j < 6; ++j) EXPECT_GT(selection->frequency(j), 0.95) << j;
  for (Index j = 6; j < 60; ++j) EXPECT_LT(selection->frequency(j), 0.6) << j;
  EXPECT_LT(selection->threshold(2), 0.95) << "with two false selections at most, the planted features are found";
  const double q = selection->selected_by_half();
  EXPECT_GT(q, 6);
  EXPECT_LT(q, 20);
  EXPECT_EQ(selection->false_selections(0.9), q * q / ((2 * 0.9 - 1) * 60));
  EXPECT_EQ(selection->false_selections(0.5), infinity<double>);
  for (const double most : {0.5, 1.0, 5.0}) {
    const double threshold = selection->threshold(most);
    EXPECT_NEAR(selection->false_selections(threshold), most, 1e-12);
  }
}

TEST(Stability, PairsSolvedApartCountAsInOneRun) {
  Problem at{planted_problem(60, 12, 3, 11), {}, {0.4, 0.2}, {.pairs = 4, .seed = 9}};
  at.design = at.made.design();
  GuardedMemory memory(at.bytes());
  const auto one = at.selection();
  finish(*one, memory);
  std::vector<Index> numbers(2 * 12);
  KeptCounts<double> together{numbers.data(), 12, 2};
  for (const Index pair : {3u, 1u, 0u, 2u}) {
    GuardedMemory own(at.bytes());
    const auto apart = at.selection();
    apart->start(own.span(), pair);
    do EXPECT_EQ(apart->half() / 2, pair);
    while (apart->step());
    ASSERT_EQ(apart->status(), Status::converged);
    EXPECT_EQ(apart->halves(), 2u);
    EXPECT_TRUE(own.surroundings_intact());
    together.add(apart->counts());
  }
  EXPECT_EQ(together.halves, one->halves());
  EXPECT_EQ(together.selected_by_half(), one->selected_by_half());
  for (Index l = 0; l < 2; ++l)
    for (Index j = 0; j < 12; ++j) EXPECT_EQ(together.frequency(j, l), one->frequency(j, l));
  EXPECT_FALSE(at.selection()->start(memory.span(), 4));
}

TEST(Stability, BoundsTheFalseSelectionsOfNoise) {
  // Labels that mean nothing: every selection is false.
  int found = 0;
  double bound = 0;
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    Problem at{Made<double>(60, 40, 2, seed), {}, {0.2, 0.15}, {.pairs = 15, .seed = seed}};
    Generator generator(seed + 100);
    for (Label& y : at.made.labels) y = static_cast<Label>(generator.draw(2));
    at.design = at.made.design();
    GuardedMemory memory(at.bytes());
    const auto selection = at.selection();
    finish(*selection, memory);
    EXPECT_GT(selection->selected_by_half(), 1);
    bound += selection->false_selections(0.75);
    for (Index j = 0; j < 40; ++j) found += selection->frequency(j) >= 0.75;
  }
  EXPECT_LE(found, bound);
}

TEST(Stability, PairsAreDisjointCoverAllAndHalveEveryClass) {
  Problem at{Made<double>(61, 5, 3, 3), {}, {0.1}, {.pairs = 5}};
  at.design = at.made.design();
  GuardedMemory memory(at.bytes());
  const auto selection = at.selection();
  std::vector<std::vector<bool>> halves;
  const auto note = [&] {
    std::vector<bool> now;
    for (Index i = 0; i < 61; ++i) now.push_back(selection->in_half(i));
    if (halves.size() == selection->half()) halves.push_back(now);
    EXPECT_EQ(halves.back(), now);
  };
  selection->start(memory.span());
  note();
  while (selection->step()) note();
  ASSERT_EQ(halves.size(), 10u);
  for (std::size_t b = 0; b < 10; b += 2) {
    int count[3] = {}, all[3] = {};
    for (Index i = 0; i < 61; ++i) {
      EXPECT_NE(halves[b][i], halves[b + 1][i]);
      ++all[at.made.labels[i]];
      count[at.made.labels[i]] += halves[b][i];
    }
    for (int k = 0; k < 3; ++k) EXPECT_LE(std::abs(2 * count[k] - all[k]), 1);
    EXPECT_LE(std::abs(2 * (count[0] + count[1] + count[2]) - 61), 1);
    if (b > 0) {
      EXPECT_NE(halves[b], halves[b - 2]);
      EXPECT_NE(halves[b], halves[b - 1]);
    }
  }
}

TEST(Stability, CountsWhatTrainingOnTheHalvesKeeps) {
  Problem at{Made<double>(50, 12, 3, 6), {}, {0.3, 0.1, 0.01}, {.pairs = 4, .seed = 9}};
  for (Index i = 0; i < 50; ++i) {
    double sum = 0;  // a feature that stands for others, until these are kept
    for (Index j = 0; j < 6; ++j) sum += at.made.values[i + j * 50];
    at.made.values[i + 11 * 50] = sum;
    at.made.weights.push_back(1 + i % 3);
  }
  at.design = at.made.design();
  GuardedMemory memory(at.bytes());
  const auto selection = at.selection();
  std::vector<std::vector<double>> halves;
  selection->start(memory.span());
  do {
    if (halves.size() > selection->half()) continue;
    halves.emplace_back();
    for (Index i = 0; i < 50; ++i) halves.back().push_back(selection->in_half(i) ? at.made.weights[i] : 0);
  } while (selection->step());
  ASSERT_EQ(halves.size(), 8u);
  std::vector<std::vector<int>> kept(3, std::vector<int>(12));
  int selected = 0;
  for (const auto& half : halves) {
    std::vector<bool> ever(12);
    for (std::size_t l = 0; l < 3; ++l) {
      auto part = at.made;
      part.weights = half;
      const auto fit =
          testing::run_default(part, SquaredHinge{}, GroupL2{}, {.lambda = at.lambdas[l], .tolerance = 1e-6});
      for (Index j = 0; j < 12; ++j)
        if (fit.fit.model.uses(j)) {
          ++kept[l][j];
          ever[j] = true;
        }
    }
    selected += static_cast<int>(std::count(ever.begin(), ever.end(), true));
  }
  EXPECT_EQ(selection->selected_by_half(), selected / 8.0);
  EXPECT_GT(selected, std::accumulate(kept[2].begin(), kept[2].end(), 0)) << "some features leave again";
  for (Index j = 0; j < 12; ++j) {
    int most = 0;
    for (std::size_t l = 0; l < 3; ++l) {
      EXPECT_EQ(selection->frequency(j, static_cast<Index>(l)), kept[l][j] / 8.0) << j << ' ' << l;
      most = std::max(most, kept[l][j]);
    }
    EXPECT_EQ(selection->frequency(j), most / 8.0);
  }
}

TEST(Stability, RepeatsItselfWithTheSameSeedAlone) {
  const auto frequencies = [](std::uint64_t seed) {
    Problem at{Made<double>(60, 30, 3, 2), {}, {0.15, 0.1}, {.pairs = 6, .seed = seed}};
    at.design = at.made.design();
    GuardedMemory memory(at.bytes());
    const auto selection = at.selection();
    finish(*selection, memory);
    finish(*selection, memory);  // a second run forgets the first
    std::vector<double> out;
    for (Index j = 0; j < 30; ++j) out.push_back(selection->frequency(j));
    return out;
  };
  EXPECT_EQ(frequencies(1), frequencies(1));
  EXPECT_NE(frequencies(1), frequencies(2));
}

TEST(Stability, CountsGroupsByAnyOfTheirFeatures) {
  Problem at{planted_problem(120, 12, 3, 5), {}, {0.1}, {.pairs = 5}};
  at.design = at.made.design();
  GuardedMemory alone(at.bytes());
  const auto features = at.selection();
  finish(*features, alone);
  const Index order[] = {11, 0, 10, 1, 9, 2, 8, 3, 7, 4, 6, 5}, starts[] = {0, 2, 4, 6, 12};
  for (const Groups& groups : {Groups::listed(order, starts, 4), Groups::blocks(5)}) {
    at.options.groups = groups;
    GuardedMemory memory(at.bytes());
    const auto selection = at.selection();
    finish(*selection, memory);
    Index unit = 0;
    groups.for_each(12, [&](FeatureGroup group) {
      double any = 0;
      for (Index r = 0; r < group.count; ++r) any = std::max(any, features->frequency(group.feature(r)));
      EXPECT_GE(selection->frequency(unit), any);
      ++unit;
    });
    EXPECT_EQ(selection->units(), unit);
    EXPECT_EQ(unit, groups.is_listed ? 4u : 3u);
    EXPECT_GT(selection->frequency(0), 0.9);
    EXPECT_LE(selection->selected_by_half(), features->selected_by_half());
  }
  at.options.groups = Groups::listed(order, starts, 3);  // three features are in none
  GuardedMemory memory(100000);
  const auto refused = at.selection();
  EXPECT_FALSE(refused->start(memory.span()));
  EXPECT_EQ(refused->status(), Status::invalid_groups);
  EXPECT_TRUE(memory.untouched());
}

TEST(Stability, KeepsTheLastSelectionOfPathsThatEndEarly) {
  Problem at{planted_problem(120, 40, 3, 5), {}, {0.5, 0.4, 0.3, 0.01}, {.pairs = 5, .max_features = 8}};
  at.design = at.made.design();
  GuardedMemory memory(at.bytes());
  const auto selection = at.selection();
  finish(*selection, memory);
  double last = 0;
  for (Index j = 0; j < 40; ++j) last += selection->frequency(j, 3);
  EXPECT_GT(last, 2.9);
  EXPECT_LE(last, 8);
  EXPECT_LE(selection->selected_by_half(), 12);
  for (Index j = 0; j < 3; ++j) EXPECT_GT(selection->frequency(j, 3), 0.9);
}

TEST(Stability, TakesTheSolversThatAreChosenAtRunTime) {
  const auto made = planted_problem(90, 15, 3, 7);
  const auto dense = made.design();
  const AnyDesign<double> design(dense);
  for (const auto loss : {LossKind::hinge, LossKind::logistic, LossKind::one_vs_rest_squared_hinge}) {
    const auto make = [&](const Targets<double>& targets) {
      return core::Training<double>({loss, PenaltyKind::l1}, design, targets, {.tolerance = 1e-4});
    };
    using S = StabilitySelection<double, decltype(make)>;
    const Requirement solver =
        core::Training<double>::requirement({loss, PenaltyKind::l1}, made.shape(), WorkspaceHint{});
    const double lambdas[] = {0.1, 0.05};
    GuardedMemory memory(S::requirement(made.shape(), {}, 2, solver).bytes);
    S selection(make, 15, made.targets(), {lambdas, 2}, {.pairs = 5});
    selection.start(memory.span());
    while (selection.step()) {
    }
    ASSERT_EQ(selection.status(), Status::converged) << name(loss);
    for (Index j = 0; j < 3; ++j) EXPECT_GT(selection.frequency(j), 0.85) << name(loss);
  }
}

TEST(Stability, EndsWhereNothingIsKeptAndWhenStopped) {
  Problem at{Made<double>(40, 5, 3, 3), {}, {1000}, {.pairs = 2000}};
  at.design = at.made.design();
  GuardedMemory memory(at.bytes());
  const auto selection = at.selection();
  finish(*selection, memory);
  EXPECT_EQ(selection->halves(), 4000u);
  EXPECT_EQ(selection->selected_by_half(), 0);
  EXPECT_EQ(selection->false_selections(0.8), 0);

  at.lambdas = {0.1};
  const auto stopped = at.selection();
  stopped->start(memory.span());
  EXPECT_EQ(stopped->frequency(0), 0) << "of no half yet";
  while (stopped->halves() < 3 && stopped->step()) {
  }
  stopped->stop();
  EXPECT_FALSE(stopped->step());
  EXPECT_EQ(stopped->status(), Status::stopped);
  EXPECT_EQ(stopped->halves(), 3u);
  double selected = 0;
  for (Index j = 0; j < 5; ++j) selected += stopped->frequency(j);
  EXPECT_NEAR(selected, stopped->selected_by_half(), 1e-12);
}

TEST(Stability, AHalfThatIsNotDoneIsNotCounted) {
  Problem at{Made<double>(40, 5, 3, 3), {}, {0.1, 0.05, 0.02, 0.01}, {.pairs = 4}};
  at.design = at.made.design();
  GuardedMemory memory(at.bytes());
  const auto selection = at.selection();
  selection->start(memory.span());
  while (selection->halves() < 1 && selection->step()) {
  }
  std::vector<double> shares;
  for (Index j = 0; j < 5; ++j) shares.push_back(selection->frequency(j));
  EXPECT_TRUE(selection->step()) << "the other half begins";
  while (selection->lambda() > 0.01 && selection->step()) {
  }
  EXPECT_EQ(selection->half(), 1u);
  selection->stop();
  EXPECT_EQ(selection->halves(), 1u);
  for (Index j = 0; j < 5; ++j) EXPECT_EQ(selection->frequency(j), shares[j]) << j;
}

TEST(Stability, SaysWhatIsWrong) {
  Problem good{Made<double>(40, 5, 3, 3), {}, {0.1}, {.pairs = 2}};
  good.design = good.made.design();
  const auto refused = [&](const auto& change, Status status, Index row, Index column, bool touched = false) {
    Problem bad = good;
    change(bad);
    bad.design = bad.made.design();
    GuardedMemory memory(good.bytes() + 1000);
    const auto selection = bad.selection();
    EXPECT_FALSE(selection->start(memory.span()));
    EXPECT_EQ(selection->status(), status);
    EXPECT_EQ(selection->report().status, status);
    EXPECT_EQ(selection->report().row, row);
    EXPECT_EQ(selection->report().column, column);
    EXPECT_EQ(memory.untouched(), !touched);
    EXPECT_TRUE(memory.surroundings_intact());
  };
  refused([](Problem& b) { b.options.pairs = 0; }, Status::invalid_option, 0, 0);
  refused([](Problem& b) { b.lambdas = {0.1, 0.2}; }, Status::invalid_lambda, 0, 0);
  refused([](Problem& b) { b.lambdas.clear(); }, Status::invalid_lambda, 0, 0);
  refused([](Problem& b) { b.made.labels[6] = 3; }, Status::invalid_label, 6, 0);
  refused([](Problem& b) { b.made.classes = 1; }, Status::invalid_shape, 0, 0);
  refused(
      [](Problem& b) {
        for (Label& y : b.made.labels) y = y == 1 ? 0 : y;
        b.made.labels[4] = 1;
      },
      Status::missing_class, 0, 1, true);
  refused([](Problem& b) { b.made.values[7 + 2 * 40] = not_a_number<double>; }, Status::invalid_data, 7, 2, true);

  GuardedMemory small(good.bytes() - 1), crooked(good.bytes(), 4);
  auto selection = good.selection();
  EXPECT_FALSE(selection->start(small.span()));
  EXPECT_EQ(selection->status(), Status::arena_too_small);
  EXPECT_TRUE(small.surroundings_intact());
  EXPECT_FALSE(selection->start(crooked.span()));
  EXPECT_EQ(selection->status(), Status::invalid_arena);
  EXPECT_TRUE(crooked.untouched());
}

}  // namespace
}  // namespace tamis
