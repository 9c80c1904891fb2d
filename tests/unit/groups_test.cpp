// Groups of features given as lists: what they hold, what is refused, and what solvers make of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/problems.hpp"
#include "tamis/solver/as_printed/primal_dual.hpp"

namespace {

using namespace tamis;
using tamis::testing::Generator;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;

/// Groups in memory of their own.
struct Listed {
  std::vector<Index> order, starts;
  Groups groups;
  explicit Listed(const std::vector<Index>& number) : order(number.size()), starts(number.size() + 1) {
    groups = list_groups(number.data(), static_cast<Index>(number.size()), order.data(), starts.data());
  }
};

std::vector<Index> own_numbers(Index features) {
  std::vector<Index> number(features);
  std::iota(number.begin(), number.end(), 0u);
  return number;
}

TEST(ListedGroups, ComeFromNumbers) {
  const Listed listed({5, 2, 5, 0, 2, 5});
  EXPECT_EQ(listed.groups.count, 3u) << "numbers that no feature has are no groups";
  EXPECT_EQ(listed.order, (std::vector<Index>{3, 1, 4, 0, 2, 5}));
  EXPECT_EQ((std::vector<Index>(listed.starts.begin(), listed.starts.begin() + 4)), (std::vector<Index>{0, 1, 3, 6}));
  std::vector<Index> order(2), starts(3);
  const Index numbers[] = {0, 2};
  Index bad = 9, feature = 0;
  EXPECT_FALSE(list_groups(numbers, 2, order.data(), starts.data(), &bad).cover(2, feature));
  EXPECT_EQ(bad, 1u);
}

TEST(ListedGroups, MustHoldEveryFeatureOnce) {
  const auto check = [](std::vector<Index> order, std::vector<Index> starts, Index features) {
    Index feature = 77;
    const Groups groups = Groups::listed(order.data(), starts.data(), static_cast<Index>(starts.size()) - 1);
    return groups.cover(features, feature) ? -1 : static_cast<int>(feature);
  };
  EXPECT_EQ(check({2, 0, 1}, {0, 1, 3}, 3), -1);
  EXPECT_EQ(check({2, 0, 0}, {0, 1, 3}, 3), 0) << "feature 0 is in both";
  EXPECT_EQ(check({2, 0, 7}, {0, 1, 3}, 3), 1) << "feature 1 is in none";
  EXPECT_EQ(check({2, 0}, {0, 1, 2}, 3), 1);
  EXPECT_EQ(check({2, 0, 1}, {0, 0, 3}, 3), 2) << "an empty group";
  EXPECT_EQ(check({2, 0, 1}, {0, 2, 1, 3}, 3), 1) << "descending";
  EXPECT_EQ(check({2, 0, 1}, {1, 3}, 3), 0);
  EXPECT_GE(check({2, 0, 1}, {0, 9}, 3), 0) << "beyond the features";
  Index feature = 0;
  EXPECT_FALSE(Groups::listed(nullptr, nullptr, 0).cover(3, feature));
  // Many features: one missing anywhere is found.
  for (const Index features : {1023u, 1024u, 1025u, 5000u}) {
    Generator generator(features);
    auto order = own_numbers(features);
    for (Index i = features - 1; i > 0; --i) std::swap(order[i], order[generator.draw(i + 1)]);
    const std::vector<Index> starts{0, features / 3, features};
    EXPECT_EQ(check(order, starts, features), -1);
    for (int trial = 0; trial < 5; ++trial) {
      const Index from = generator.draw(features), to = generator.draw(features);
      if (from == to) continue;
      auto broken = order;
      broken[to] = order[from];
      EXPECT_EQ(check(broken, starts, features), static_cast<int>(std::min(order[from], order[to])));
    }
  }
}

TEST(ListedGroups, AreRefusedAtTheDoor) {
  const Made<double> made(20, 4, 3, 1);
  const Index order[] = {0, 1, 1, 3}, starts[] = {0, 2, 4};
  const auto run =
      tamis::testing::run_default(made, Hinge{}, GroupL2{Groups::listed(order, starts, 2)}, {.lambda = 0.1});
  EXPECT_EQ(run.fit.status, Status::invalid_groups);
  EXPECT_EQ(run.fit.column, 1u);
  EXPECT_TRUE(run.memory->untouched());
}

template <template <class, class, class, class> class Solver, class Loss, class Penalty>
void expect_rows_when_alone(Loss loss) {
  const Made<float> made(40, 150, 3, 3);
  const Listed listed(own_numbers(150));
  const Options<float> options{.lambda = 0.03f, .tolerance = 1e-3f, .max_iterations = 2000};
  using S = Solver<float, Loss, Penalty, DenseDesign<float>>;
  const auto rows = tamis::testing::run<S, float>(made.design(), made.targets(), loss, Penalty{}, options);
  const auto alone =
      tamis::testing::run<S, float>(made.design(), made.targets(), loss, Penalty{listed.groups}, options);
  EXPECT_EQ(rows.fit.iterations, alone.fit.iterations);
  EXPECT_EQ(rows.coefficients(), alone.coefficients());
  EXPECT_EQ(rows.fit.gap, alone.fit.gap);
}

TEST(ListedGroups, OfOneFeatureEachAreRowsToTheBit) {
  expect_rows_when_alone<PrimalDual, Hinge, GroupL2>(Hinge{});
  expect_rows_when_alone<PrimalDual, Hinge, GroupLinf>(Hinge{});
  expect_rows_when_alone<Fista, SquaredHinge, GroupL2>(SquaredHinge{});
  expect_rows_when_alone<as_printed::PrimalDual, Hinge, GroupLinf>(Hinge{});
}

/// Shuffling the features, and the groups with them, changes nothing but the order: working sets hold whole groups.
template <class Penalty, class Loss>
void expect_invariance(Loss loss) {
  constexpr Index features = 200;
  const Made<double> made(50, features, 4, 9);
  Generator generator(5);
  std::vector<Index> number(features), place = own_numbers(features);
  for (Index& g : number) g = generator.draw(40);
  for (Index i = features - 1; i > 0; --i) std::swap(place[i], place[generator.draw(i + 1)]);
  Made<double> shuffled = made;
  std::vector<Index> shuffled_number(features);
  for (Index j = 0; j < features; ++j) {
    std::copy_n(made.values.begin() + j * 50, 50, shuffled.values.begin() + place[j] * 50);
    shuffled_number[place[j]] = number[j];
  }
  const Listed one(number), other(shuffled_number);
  const Options<double> options{.lambda = 0.03, .tolerance = 1e-9};
  const auto a = tamis::testing::run_default(made, loss, Penalty{one.groups}, options);
  const auto b = tamis::testing::run_default(shuffled, loss, Penalty{other.groups}, options);
  ASSERT_EQ(a.fit.status, Status::converged);
  ASSERT_EQ(b.fit.status, Status::converged);
  EXPECT_NEAR(a.fit.objective, b.fit.objective, 2e-9);
  EXPECT_NEAR(a.fit.objective, tamis::testing::objective(made, a.fit.model, loss, Penalty{one.groups}, 0.03), 1e-12);
  EXPECT_LT(a.fit.nonzero_rows, features);
  auto all = options;
  all.working_sets = false;
  EXPECT_NEAR(a.fit.objective, tamis::testing::run_default(made, loss, Penalty{one.groups}, all).fit.objective, 2e-9);
  if constexpr (std::is_same_v<Penalty, GroupL2>)
    for (Index j = 0; j < features; ++j)
      for (Index i = 0; i < j; ++i) {
        if (number[i] != number[j]) continue;
        const auto zero = [&](Index f) {
          return std::all_of(&a.fit.model.coefficients[f * 4], &a.fit.model.coefficients[f * 4] + 4,
                             [](double w) { return w == 0; });
        };
        EXPECT_EQ(zero(i), zero(j)) << "a group is kept or dropped whole";
      }
}

TEST(ListedGroups, DoNotDependOnTheOrderOfFeatures) {
  expect_invariance<GroupL2>(Hinge{});
  expect_invariance<GroupL2>(SquaredHinge{});
  expect_invariance<GroupLinf>(SquaredHinge{});
}

}  // namespace
