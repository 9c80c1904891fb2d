#include "tamis/any.hpp"

#include <gtest/gtest.h>

#include "core.hpp"
#include "support/problems.hpp"
#include "tamis/solver/as_printed/block_coordinate_descent.hpp"
#include "tamis/solver/as_printed/constrained_primal_dual.hpp"
#include "tamis/solver/as_printed/line_search.hpp"
#include "tamis/solver/as_printed/linear_constraints_primal_dual.hpp"
#include "tamis/solver/as_printed/primal_dual.hpp"
#include "tamis/solver/as_printed/proximal_gradient.hpp"
#include "tamis/solver/stochastic.hpp"

namespace {

using namespace tamis;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;

template <class T>
struct Outcome {
  Report<T> report;
  std::vector<T> coefficients;
};

template <class T>
Outcome<T> run_any(const Made<T>& made, const ProblemSpec& choice, const Options<T>& options) {
  using Any = core::Training<T>;
  GuardedMemory memory(Any::requirement(choice, made.shape()).bytes);
  const auto design = made.design();
  Any training(choice, AnyDesign<T>(design), made.targets(), options);
  training.start(memory.span());
  while (training.step()) {
  }
  const auto* first = training.model().coefficients;
  return {training.report(), {first, first + (made.features + 1) * padded<T>(made.classes)}};
}

template <class T, class Solver, class Loss, class Penalty>
void expect_same_bits(const Made<T>& made, const ProblemSpec& choice, Loss loss, Penalty penalty) {
  const bool constrained = is_constrained(choice.solver);
  const Options<T> options{.lambda = constrained ? T(0) : T(0.02),
                           .tolerance = T(1e-3),
                           .max_iterations = 400,
                           .eta = constrained ? T(0.4) : T(0)};
  const auto any = run_any<T>(made, choice, options);
  const auto direct = tamis::testing::run<Solver, T>(made.design(), made.targets(), loss, penalty, options);
  EXPECT_EQ(any.coefficients, direct.coefficients());
  EXPECT_EQ(any.report.objective, direct.fit.objective);
  EXPECT_EQ(any.report.dual_objective, direct.fit.dual_objective);
  EXPECT_EQ(any.report.iterations, direct.fit.iterations);
  EXPECT_EQ(any.report.arena_bytes, direct.fit.arena_bytes);
}

TEST(AnyTraining, GivesTheBitsOfTheDirectDoor) {
  const Made<float> made(40, 9, 3, 11);
  const auto check = [&]<class Penalty>(PenaltyKind kind, Groups groups, Penalty penalty) {
    expect_same_bits<float, PrimalDual<float, Hinge, Penalty>>(
        made, {LossKind::hinge, kind, groups, SolverKind::primal_dual}, Hinge{}, penalty);
    expect_same_bits<float, Fista<float, SquaredHinge, Penalty>>(
        made, {LossKind::squared_hinge, kind, groups, SolverKind::fista}, SquaredHinge{}, penalty);
    expect_same_bits<float, ConstrainedPrimalDual<float, Hinge, Penalty>>(
        made, {LossKind::hinge, kind, groups, SolverKind::constrained_primal_dual}, Hinge{}, penalty);
    expect_same_bits<float, BlockCoordinateDescent<float, SquaredHinge, Penalty>>(
        made, {LossKind::squared_hinge, kind, groups, SolverKind::block_coordinate_descent}, SquaredHinge{}, penalty);
  };
  // what is the same code for every penalty: with two of them
  const auto check_others = [&]<class Penalty>(PenaltyKind kind, Groups groups, Penalty penalty) {
    expect_same_bits<float, Fista<float, Logistic, Penalty>>(
        made, {LossKind::logistic, kind, groups, SolverKind::fista}, Logistic{}, penalty);
    expect_same_bits<float, Fista<float, OneVsRestSquaredHinge, Penalty>>(
        made, {LossKind::one_vs_rest_squared_hinge, kind, groups, SolverKind::fista}, OneVsRestSquaredHinge{}, penalty);
    expect_same_bits<float, as_printed::FistaPrintedStep<float, SquaredHinge, Penalty>>(
        made, {LossKind::squared_hinge, kind, groups, SolverKind::fista_constant_step_as_printed}, SquaredHinge{},
        penalty);
    expect_same_bits<float, as_printed::FistaConstantStep<float, SquaredHinge, Penalty>>(
        made, {LossKind::squared_hinge, kind, groups, SolverKind::fista_constant_step}, SquaredHinge{}, penalty);
    expect_same_bits<float, as_printed::ForwardBackward<float, Logistic, Penalty>>(
        made, {LossKind::logistic, kind, groups, SolverKind::forward_backward}, Logistic{}, penalty);
    expect_same_bits<float, as_printed::Fobos<float, Hinge, Penalty>>(
        made, {LossKind::hinge, kind, groups, SolverKind::fobos_as_printed}, Hinge{}, penalty);
    expect_same_bits<float, AdaptiveDualAveraging<float, Logistic, Penalty>>(
        made, {LossKind::logistic, kind, groups, SolverKind::adaptive_dual_averaging}, Logistic{}, penalty);
    expect_same_bits<float, as_printed::FistaLineSearch<float, OneVsRestSquaredHinge, Penalty>>(
        made, {LossKind::one_vs_rest_squared_hinge, kind, groups, SolverKind::fista_line_search_as_printed},
        OneVsRestSquaredHinge{}, penalty);
    expect_same_bits<float, as_printed::Sparsa<float, SquaredHinge, Penalty>>(
        made, {LossKind::squared_hinge, kind, groups, SolverKind::sparsa_as_printed}, SquaredHinge{}, penalty);
    if (is_sum_over_rows(penalty)) {
      expect_same_bits<float, as_printed::BcdLineSearch<float, OneVsRestSquaredHinge, Penalty>>(
          made, {LossKind::one_vs_rest_squared_hinge, kind, groups, SolverKind::bcd_line_search_as_printed},
          OneVsRestSquaredHinge{}, penalty);
      expect_same_bits<float, as_printed::BcdLineSearch<float, SquaredHinge, Penalty>>(
          made, {LossKind::squared_hinge, kind, groups, SolverKind::bcd_line_search_as_printed}, SquaredHinge{},
          penalty);
      expect_same_bits<float, as_printed::BcdConstantStep<float, Logistic, Penalty>>(
          made, {LossKind::logistic, kind, groups, SolverKind::bcd_constant_step_as_printed}, Logistic{}, penalty);
    }
    expect_same_bits<float, as_printed::PrimalDual<float, Hinge, Penalty>>(
        made, {LossKind::hinge, kind, groups, SolverKind::primal_dual_as_printed}, Hinge{}, penalty);
    expect_same_bits<float, as_printed::ConstrainedPrimalDual<float, Hinge, Penalty>>(
        made, {LossKind::hinge, kind, groups, SolverKind::constrained_primal_dual_as_printed}, Hinge{}, penalty);
    expect_same_bits<float, as_printed::LinearConstraintsPrimalDual<float, Hinge, Penalty>>(
        made, {LossKind::hinge, kind, groups, SolverKind::linear_constraints_primal_dual_as_printed}, Hinge{}, penalty);
    expect_same_bits<float, BlockCoordinateDescent<float, Logistic, Penalty>>(
        made, {LossKind::logistic, kind, groups, SolverKind::block_coordinate_descent}, Logistic{}, penalty);
  };
  check(PenaltyKind::ridge, {}, Ridge{});
  expect_same_bits<float, CrammerSingerDual<float, Hinge, Ridge>>(
      made, {LossKind::hinge, PenaltyKind::ridge, {}, SolverKind::crammer_singer_dual}, Hinge{}, Ridge{});
  expect_same_bits<float, CrammerSingerDual<float, Hinge, GroupL2>>(
      made, {LossKind::hinge, PenaltyKind::group_l2, {}, SolverKind::crammer_singer_dual}, Hinge{}, GroupL2{});
  check(PenaltyKind::l1, {}, L1{});
  check_others(PenaltyKind::l1, {}, L1{});
  check(PenaltyKind::group_l2, Groups::rows(), GroupL2{});
  check(PenaltyKind::group_l2, Groups::blocks(4), GroupL2{Groups::blocks(4)});
  check_others(PenaltyKind::group_l2, Groups::rows(), GroupL2{});
  check_others(PenaltyKind::group_l2, Groups::blocks(4), GroupL2{Groups::blocks(4)});
  check(PenaltyKind::elastic_net, {}, ElasticNet<float>{});
  expect_same_bits<float, CrammerSingerDual<float, Hinge, ElasticNet<float>>>(
      made, {LossKind::hinge, PenaltyKind::elastic_net, {}, SolverKind::crammer_singer_dual}, Hinge{},
      ElasticNet<float>{});
  check(PenaltyKind::sparse_group, Groups::blocks(4), SparseGroup<float>{Groups::blocks(4)});
  check(PenaltyKind::group_linf, Groups::rows(), GroupLinf{});
  check(PenaltyKind::group_linf, Groups::blocks(4), GroupLinf{Groups::blocks(4)});
  const Index order[] = {8, 0, 3, 1, 2, 5, 4, 7, 6}, starts[] = {0, 2, 3, 9};
  const Groups listed = Groups::listed(order, starts, 3);
  check(PenaltyKind::group_linf, listed, GroupLinf{listed});
  check(PenaltyKind::sparse_group, listed, SparseGroup<float>{listed, {0.5f}});
  check(PenaltyKind::elastic_net, {}, ElasticNet<float>{0.5f});
}

/// A build with one solver.
using Small = AnyTrainingOf<double, AnyLoss<double>, PrimalDual>;

TEST(AnyTraining, RefusesWhatTheTableRefuses) {
  const Made<double> made(20, 3, 3, 1);
  for (const SolverKind solver : all_solvers)
    for (const LossKind loss : all_losses)
      for (const PenaltyKind penalty : all_penalties) {
        const ProblemSpec choice{loss, penalty, {}, solver};
        const auto design = made.design();
        const Small training(choice, AnyDesign<double>(design), made.targets(), {.lambda = 0.1});
        EXPECT_EQ(training.report().status == Status::invalid_combination,
                  incompatibility(solver, loss, penalty) != nullptr);
      }
}

TEST(ProblemSpec, TakesAnotherSolverOfSmoothLossesAtSomeSizes) {
  const auto solver = []<class T>(LossKind loss, PenaltyKind penalty, Shape shape, T l1_ratio, bool path = false) {
    return ProblemSpec{.loss = loss, .penalty = penalty}.of_sizes(shape, T(0.1), path, l1_ratio).resolved_solver();
  };
  const Shape many{1800, 64, 10}, few{6500, 64, 10}, wide{60, 64, 10};  // 650 coefficients
  EXPECT_EQ(solver(LossKind::logistic, PenaltyKind::elastic_net, many, 0.5), SolverKind::block_coordinate_descent);
  EXPECT_EQ(solver(LossKind::logistic, PenaltyKind::elastic_net, few, 0.5), SolverKind::block_coordinate_descent);
  EXPECT_EQ(solver(LossKind::logistic, PenaltyKind::elastic_net, {6501, 64, 10}, 0.5), SolverKind::proximal_newton);
  EXPECT_EQ(solver(LossKind::logistic, PenaltyKind::elastic_net, wide, 0.5), SolverKind::proximal_newton);
  EXPECT_EQ(solver(LossKind::logistic, PenaltyKind::elastic_net, many, 0.9), SolverKind::proximal_newton);
  EXPECT_EQ(solver(LossKind::logistic, PenaltyKind::elastic_net, many, 0.5, true), SolverKind::proximal_newton);
  EXPECT_EQ(solver(LossKind::logistic, PenaltyKind::l1, many, 0.5), SolverKind::proximal_newton);

  EXPECT_EQ(solver(LossKind::squared_hinge, PenaltyKind::l1, {324, 64, 10}, 0.5), SolverKind::two_phase);
  EXPECT_EQ(solver(LossKind::squared_hinge, PenaltyKind::l1, {325, 64, 10}, 0.5), SolverKind::block_coordinate_descent);
  EXPECT_EQ(solver(LossKind::squared_hinge, PenaltyKind::l1, {324, 64, 10}, 0.5f),
            SolverKind::block_coordinate_descent);
  EXPECT_EQ(solver(LossKind::squared_hinge, PenaltyKind::l1, wide, 0.5f), SolverKind::two_phase);
  EXPECT_EQ(solver(LossKind::squared_hinge, PenaltyKind::elastic_net, many, 0.5), SolverKind::block_coordinate_descent);
}

TEST(AnyTraining, RefusesASolverThatIsNotInTheBuild) {
  const Made<double> made(20, 3, 3, 1);
  const ProblemSpec choice{.solver = SolverKind::primal_dual_as_printed};
  const auto design = made.design();
  Small training(choice, AnyDesign<double>(design), made.targets(), {.lambda = 0.1});
  EXPECT_FALSE(training.start({}));
  EXPECT_FALSE(training.step());
  training.stop();
  EXPECT_EQ(training.report().status, Status::invalid_option);
  EXPECT_EQ(training.model().features, 0u);
}

}  // namespace
