// The default ends, with the objective of the model that it returns: a table with many zeros and equal values, columns
// of zeros among them, and few samples of many features that go together; every loss and penalty, λ down to where
// classes are separated, with and without intercepts.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "core.hpp"
#include "support/digits.hpp"

namespace {

using namespace tamis;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;

struct Ending {
  Report<double> report;
  double objective;  // of the model, by the formula
};

template <class Loss>
double objective(const Made<double>& made, const LinearModel<double>& model, Loss loss, const ProblemSpec& choice,
                 double lambda) {
  const auto with = [&](auto penalty) { return tamis::testing::objective(made, model, loss, penalty, lambda); };
  switch (choice.penalty) {
    case PenaltyKind::ridge: return with(Ridge{});
    case PenaltyKind::l1: return with(L1{});
    case PenaltyKind::group_l2: return with(GroupL2{choice.groups});
    case PenaltyKind::group_linf: return with(GroupLinf{choice.groups});
    case PenaltyKind::elastic_net: return with(ElasticNet<double>{});
    default: return with(SparseGroup<double>{choice.groups});
  }
}
double objective(const Made<double>& made, const LinearModel<double>& model, const ProblemSpec& choice, double lambda) {
  switch (choice.loss) {
    case LossKind::hinge: return objective(made, model, Hinge{}, choice, lambda);
    case LossKind::squared_hinge: return objective(made, model, SquaredHinge{}, choice, lambda);
    case LossKind::logistic: return objective(made, model, Logistic{}, choice, lambda);
    default: return objective(made, model, OneVsRestSquaredHinge{}, choice, lambda);
  }
}

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
  return {training.report(), objective(made, training.model(), choice, lambda)};
}

void expect_certified(const Made<double>& made, const ProblemSpec& choice, double lambda, bool intercept) {
  SCOPED_TRACE(std::string(name(choice.penalty)) + " of " + std::to_string(choice.groups.block) + ", lambda " +
               std::to_string(lambda) + (intercept ? "" : ", no intercept"));
  const auto [report, objective] = end_of(made, choice, lambda, intercept);
  EXPECT_EQ(report.status, Status::converged) << report.iterations << " iterations";
  EXPECT_NEAR(report.objective, objective, 1e-10 * objective);
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
        for (const bool intercept : {true, false})
          expect_certified(made, {GetParam(), penalty, Groups::blocks(block)}, lambda, intercept);
    }
}

TEST_P(Endings, FewSamplesOfManyFeaturesAreCertified) {
  for (const auto& [features, classes] : {std::array<Index, 2>{600, 2}, {300, 4}}) {
    Made<double> made(40, features, classes, 3);
    for (Index j = 1; j < features; ++j)
      for (Index i = 0; i < made.samples; ++i)
        made.values[i + std::size_t(j) * made.samples] += 3 * made.values[i + std::size_t(j / 50) * made.samples];
    for (const PenaltyKind penalty : {PenaltyKind::ridge, PenaltyKind::l1, PenaltyKind::group_l2,
                                      PenaltyKind::group_linf, PenaltyKind::elastic_net, PenaltyKind::sparse_group})
      for (const double lambda : {1e-2, 1e-3})
        expect_certified(made, {GetParam(), penalty, Groups::rows()}, lambda, penalty != PenaltyKind::elastic_net);
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
