// The default ends: a table with many zeros and equal values, columns of zeros among them, every loss and penalty, λ
// down to where classes are separated, with and without intercepts.
#include <gtest/gtest.h>

#include <string>

#include "core.hpp"
#include "support/digits.hpp"

namespace {

using namespace tamis;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;

struct Ending {
  Status status;
  std::uint32_t iterations;
};

Ending end_of(const Made<double>& made, ProblemSpec choice, double lambda, bool intercept) {
  using Training = core::Training<double>;
  const Shape shape = made.shape();
  const DenseDesign<double> samples = made.design();
  const AnyDesign<double> design(samples);
  choice = Training::on_samples(choice.of_sizes(shape, lambda), design, shape, lambda, intercept);
  const Requirement requirement =
      Training::requirement(choice, shape, WorkspaceHint{std::size_t(made.samples) * made.features, 1000});
  GuardedMemory memory(requirement.bytes);
  Training training(choice, design, made.targets(),
                    {.lambda = lambda, .max_iterations = 50000, .intercept = intercept});
  for (bool running = training.start(memory.span()); running;) running = training.step();
  return {training.report().status, training.report().iterations};
}

class Endings : public ::testing::TestWithParam<LossKind> {};

TEST_P(Endings, EveryPenaltyAndLambdaIsCertified) {
  const Made<double> made = tamis::testing::some_digits(80, 100);
  for (const PenaltyKind penalty : {PenaltyKind::ridge, PenaltyKind::l1, PenaltyKind::group_l2, PenaltyKind::group_linf,
                                    PenaltyKind::elastic_net, PenaltyKind::sparse_group})
    for (const Index block : {1u, 8u}) {
      if (block > 1 && !has_groups(penalty)) continue;
      // Largest entries over several features have nothing but accelerated gradients there: hundreds of thousands.
      const bool is_slow = GetParam() == LossKind::one_vs_rest_squared_hinge && penalty == PenaltyKind::group_linf;
      if (block > 1 && is_slow) continue;
      for (const double lambda : {1e-1, 1e-3, 1e-5})
        for (const bool intercept : {true, false}) {
          const ProblemSpec choice{GetParam(), penalty, Groups::blocks(block)};
          const Ending end = end_of(made, choice, lambda, intercept);
          EXPECT_EQ(end.status, Status::converged)
              << name(penalty) << " of " << block << ", lambda " << lambda << (intercept ? "" : ", no intercept")
              << ": " << end.iterations << " iterations";
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Losses, Endings,
                         ::testing::Values(LossKind::hinge, LossKind::squared_hinge, LossKind::logistic,
                                           LossKind::one_vs_rest_squared_hinge),
                         [](const auto& at) {
                           std::string out = name(at.param);
                           std::erase(out, '-');
                           return out;
                         });

}  // namespace
