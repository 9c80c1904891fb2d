// Products of features where numbers leave their range, and reports that belong together.

#include <gtest/gtest.h>

#include <cmath>

#include "core.hpp"
#include "support/problems.hpp"
#include "tamis/solver/as_printed/interaction_fista.hpp"
#include "tamis/solver/interaction_admm.hpp"

namespace tamis {
namespace {

using testing::GuardedMemory;
using testing::Made;

template <class T>
class HardInteractions : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(HardInteractions, Scalars);

template <class T, class Visit>
void for_each_penalty(Visit visit) {
  for (const Hierarchy hierarchy : {Hierarchy::strong, Hierarchy::weak, Hierarchy::full, Hierarchy::main})
    for (const HierarchyNorm norm : {HierarchyNorm::l1, HierarchyNorm::linf, HierarchyNorm::l2, HierarchyNorm::ridge})
      if (HierarchicalPenalty<T>{hierarchy, norm}.valid()) visit(hierarchy, norm);
}

template <class T>
Report<T> end_of(const Made<T>& made, const InteractionTargets<T>& targets, Hierarchy hierarchy, HierarchyNorm norm,
                 T lambda2, const Options<T>& options) {
  GuardedMemory memory(InteractionAdmm<T>::requirement({made.samples, made.features, targets.classes}).bytes);
  InteractionAdmm<T> solver(made.design(), targets, hierarchy, norm, lambda2, options);
  for (bool more = solver.start(memory.span()); more;) more = solver.step();
  return solver.report();
}

// Products of two such features are infinite, and their sums no numbers: norms that pass over them allow any dual. The
// best model has an objective near zero: each class has a feature of its own sign.
TYPED_TEST(HardInteractions, ProductsThatOverflowCertifyNothing) {
  using T = TypeParam;
  Made<T> made(12, 3, 2, 5);
  const T large = std::sqrt(std::numeric_limits<T>::max()) * T(8);
  for (Index i = 0; i < 12; ++i)
    for (Index j = 0; j < 3; ++j) made.values[i + j * 12] = (made.labels[i] ? large : -large) * T(1 + (i + j) % 3);
  const InteractionTargets<T> targets{.labels = made.labels, .classes = 2};
  for_each_penalty<T>([&](Hierarchy hierarchy, HierarchyNorm norm) {
    Options<T> options{.lambda = large / T(1000), .tolerance = T(1e-3), .max_iterations = 60};
    options.intercept = false;
    const Report<T> report = end_of<T>(made, targets, hierarchy, norm, options.lambda, options);
    EXPECT_LE(report.dual_objective, T(0.5)) << name(hierarchy) << ' ' << name(norm);
    EXPECT_FALSE(report.status == Status::converged && report.objective > T(0.5))
        << name(hierarchy) << ' ' << name(norm);
    if (norm == HierarchyNorm::ridge || norm == HierarchyNorm::l2) return;
    as_printed::InteractionFista<T> printed(made.design(), targets, hierarchy, norm, options.lambda, options);
    GuardedMemory memory(as_printed::InteractionFista<T>::requirement({12, 3, 2}).bytes);
    for (bool more = printed.start(memory.span()); more;) more = printed.step();
    if (!has_model(printed.report().status)) return;
    EXPECT_LE(printed.report().dual_objective, T(0.5)) << name(hierarchy) << ' ' << name(norm);
  });
}

// Whatever the iteration at which a run ends, its figures are those of one model and one bound.
TYPED_TEST(HardInteractions, FiguresAreThoseOfTheModelAtEveryEnd) {
  using T = TypeParam;
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    const Made<T> made(11, 4, 2, seed);
    std::vector<T> values(11);
    for (Index i = 0; i < 11; ++i) values[i] = made.values[i] * made.values[i + 11] + made.values[i + 22];
    const InteractionTargets<T> targets{.values = values.data(), .classes = 1};
    for_each_penalty<T>([&](Hierarchy hierarchy, HierarchyNorm norm) {
      for (std::uint32_t iterations = 5; iterations <= 100; iterations += 5) {
        const Options<T> options{.lambda = T(0.002), .tolerance = epsilon<T>, .max_iterations = iterations};
        const Report<T> report = end_of<T>(made, targets, hierarchy, norm, T(0.001), options);
        const T difference = report.objective - report.dual_objective;
        if (difference < T(0)) continue;
        EXPECT_EQ(report.gap, difference) << name(hierarchy) << ' ' << name(norm) << ' ' << seed << ' ' << iterations;
      }
    });
  }
}

}  // namespace
}  // namespace tamis
