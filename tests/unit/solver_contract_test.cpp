// What tamis/solver/solver.hpp says of solvers, of each of them.
#include <gtest/gtest.h>

#include "core.hpp"
#include "support/problems.hpp"
#include "tamis/loss/least_squares.hpp"
#include "tamis/solver/as_printed/block_coordinate_descent.hpp"
#include "tamis/solver/as_printed/constrained_primal_dual.hpp"
#include "tamis/solver/as_printed/interaction_admm.hpp"
#include "tamis/solver/as_printed/interaction_fista.hpp"
#include "tamis/solver/as_printed/interaction_primal_dual.hpp"
#include "tamis/solver/as_printed/kernel_forward_backward.hpp"
#include "tamis/solver/as_printed/line_search.hpp"
#include "tamis/solver/as_printed/linear_constraints_primal_dual.hpp"
#include "tamis/solver/as_printed/primal_dual.hpp"
#include "tamis/solver/as_printed/proximal_gradient.hpp"
#include "tamis/solver/stochastic.hpp"

namespace {

using namespace tamis;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;

/// A problem and the options that change its λ and its limits; `make(options)` is a solver of it.
template <class S>
struct Linear {
  using Solver = S;
  static constexpr Index classes = 3;
  static inline const Made<double> made{40, 7, 3, 17};
  static Shape shape() { return made.shape(); }
  template <class Loss, class Penalty>
  static S of(Loss loss, Penalty penalty, const Options<double>& options) {
    return S(made.design(), made.targets(), loss, penalty, options);
  }
};

struct FistaProblem : Linear<Fista<double, Logistic, GroupL2>> {
  static Solver make(const Options<double>& options) { return of(Logistic{}, GroupL2{}, options); }
};
struct DescentProblem : Linear<BlockCoordinateDescent<double, SquaredHinge, L1>> {
  static Solver make(const Options<double>& options) { return of(SquaredHinge{}, L1{}, options); }
};
struct PathProblem : Linear<PathDescent<double, Logistic, L1>> {
  static constexpr WorkspaceHint hint{.entries = 5000, .active_limit = 8};
  static Solver make(const Options<double>& options) { return of(Logistic{}, L1{}, options); }
};
struct PlainProblem : Linear<DescentOrFista<double, SquaredHinge, L1>> {
  static Solver make(const Options<double>& options) { return of(SquaredHinge{}, L1{}, options); }
};
struct RoomyPlainProblem : PlainProblem {
  static constexpr WorkspaceHint hint{.entries = 280, .active_limit = 8};
};
struct PrimalDualProblem : Linear<PrimalDual<double, Hinge, L1>> {
  static Solver make(const Options<double>& options) { return of(Hinge{}, L1{}, options); }
};
struct TwoPhaseProblem : Linear<TwoPhase<double, Hinge, L1>> {
  static Solver make(const Options<double>& options) { return of(Hinge{}, L1{}, options); }
};
struct DualProblem : Linear<CrammerSingerDual<double, Hinge, Ridge>> {
  static Solver make(const Options<double>& options) { return of(Hinge{}, Ridge{}, options); }
};
struct DualOfGroupsProblem : Linear<CrammerSingerDual<double, Hinge, GroupL2>> {
  static Solver make(const Options<double>& options) { return of(Hinge{}, GroupL2{}, options); }
};
struct DualOfElasticNetProblem : Linear<CrammerSingerDual<double, Hinge, ElasticNet<double>>> {
  static Solver make(const Options<double>& options) { return of(Hinge{}, ElasticNet<double>{}, options); }
};
struct ReweightedProblem : Linear<Reweighted<Fista<double, SquaredHinge, WeightedL1<double>>>> {
  static Solver make(const Options<double>& options) {
    return Solver(made.design(), made.targets(), SquaredHinge{}, options);
  }
};
struct AnyProblem : Linear<core::Training<double>> {
  static Solver make(const Options<double>& options) {
    static const AnyDesign<double> design(*new DenseDesign<double>(made.design()));
    return Solver({.loss = LossKind::squared_hinge, .penalty = PenaltyKind::l1}, design, made.targets(), options);
  }
};
struct LassoProblem {
  using Solver = BlockCoordinateDescent<double, LeastSquares, L1>;
  static inline const Made<double> made{40, 7, 3, 17};
  static Shape shape() { return {40, 6, 1}; }
  static Solver make(const Options<double>& options) {
    return Solver({made.values.data(), 40, 6}, {.labels = {}, .classes = 1, .values = {made.values.data() + 240, 40}},
                  LeastSquares{}, L1{}, options);
  }
};
template <class S>
struct KernelsProblem {
  using Solver = S;
  static inline const Made<double> made{30, 60, 2, 17};  // two matrices that are no kernels of anything: allowed
  static Shape shape() { return {30, 60, 1}; }
  static Solver make(const Options<double>& options) {
    return Solver(made.design(), made.labels, 2, 1, MixedNorm<double>{2, 1, 2}, options);
  }
};
struct InteractionsProblem {
  using Solver = InteractionAdmm<double>;
  static inline const Made<double> made{40, 5, 3, 17};
  static Shape shape() { return made.shape(); }
  static Solver make(const Options<double>& options) {
    return Solver(made.design(), {.labels = made.labels, .classes = 3}, Hierarchy::weak, HierarchyNorm::l1, 0.01,
                  options);
  }
};

template <class Problem>
struct SolverContract : ::testing::Test {
  using Solver = typename Problem::Solver;
  static constexpr Options<double> options{.lambda = 0.02, .tolerance = 1e-5, .max_iterations = 20000};
  static std::size_t least() {
    if constexpr (std::same_as<Problem, AnyProblem>)
      return Solver::requirement({.loss = LossKind::squared_hinge, .penalty = PenaltyKind::l1}, Problem::shape()).bytes;
    else return Solver::requirement(Problem::shape()).bytes;
  }
  static std::size_t bytes() {
    if constexpr (requires { Problem::hint; }) return Solver::requirement(Problem::shape(), Problem::hint).bytes;
    else return least();
  }
  template <class S>
  static void run(S& solver) {
    while (solver.step()) EXPECT_TRUE(solver.running());
    EXPECT_FALSE(solver.running());
  }
};

using All =
    ::testing::Types<FistaProblem, DescentProblem, PathProblem, PlainProblem, RoomyPlainProblem, PrimalDualProblem,
                     TwoPhaseProblem, DualProblem, DualOfGroupsProblem, DualOfElasticNetProblem, ReweightedProblem,
                     AnyProblem, LassoProblem, KernelsProblem<KernelAdmm<double>>, KernelsProblem<KernelFista<double>>,
                     InteractionsProblem>;
TYPED_TEST_SUITE(SolverContract, All);

TYPED_TEST(SolverContract, EndsWithAModelAndThenChangesNothing) {
  GuardedMemory memory(this->bytes());
  auto solver = TypeParam::make(this->options);
  ASSERT_TRUE(solver.start(memory.span())) << name(solver.report().status);
  this->run(solver);
  EXPECT_EQ(solver.report().status, Status::converged);
  EXPECT_GT(solver.certificates(), 0u);
  EXPECT_GE(solver.report().gap, 0);
  EXPECT_LE(solver.report().dual_objective, solver.report().objective);
  const Report<double> before = solver.report();
  EXPECT_FALSE(solver.step());
  solver.stop();
  EXPECT_EQ(solver.report().status, before.status);
  EXPECT_EQ(solver.report().iterations, before.iterations);
  EXPECT_EQ(solver.report().objective, before.objective);
}

TYPED_TEST(SolverContract, RefusesOneByteLessAndALambdaThatIsNone) {
  GuardedMemory memory(this->bytes());
  auto small = TypeParam::make(this->options);
  EXPECT_FALSE(small.start(memory.span().first(this->least() - 1)));
  EXPECT_EQ(small.report().status, Status::arena_too_small);
  EXPECT_EQ(small.report().arena_bytes, this->least());
  EXPECT_FALSE(small.step());
  auto wrong = TypeParam::make(this->options);
  wrong.set_lambda(-1);
  EXPECT_FALSE(wrong.start(memory.span()));
  EXPECT_EQ(wrong.report().status, Status::invalid_lambda);
}

TYPED_TEST(SolverContract, SetLambdaIsTheLambdaOfTheOptions) {
  Options<double> other = this->options;
  other.lambda = 0.05;
  GuardedMemory memory(this->bytes());
  auto one = TypeParam::make(other);
  one.start(memory.span());
  this->run(one);
  const Report<double> expected = one.report();
  auto two = TypeParam::make(this->options);
  two.set_lambda(0.05);
  two.start(memory.span());
  this->run(two);
  EXPECT_EQ(two.report().objective, expected.objective);
  EXPECT_EQ(two.report().iterations, expected.iterations);
}

TYPED_TEST(SolverContract, StopKeepsTheBestModel) {
  Options<double> other = this->options;
  other.tolerance = 1e-14;
  GuardedMemory memory(this->bytes());
  auto solver = TypeParam::make(other);
  ASSERT_TRUE(solver.start(memory.span()));
  solver.step();
  if (!solver.running()) return;
  solver.stop();
  EXPECT_EQ(solver.report().status, Status::stopped);
  EXPECT_FALSE(solver.step());
  EXPECT_TRUE(has_model(solver.report().status));
}

TYPED_TEST(SolverContract, GoesOnWithAnotherLambda) {
  using S = typename TestFixture::Solver;
  if constexpr (requires(S solver) { solver.warm_start(1.0); }) {
    GuardedMemory memory(this->bytes());
    auto solver = TypeParam::make(this->options);
    EXPECT_FALSE(solver.warm_start(0.1));  // nothing was started
    ASSERT_TRUE(solver.start(memory.span()));
    this->run(solver);
    EXPECT_FALSE(solver.warm_start(-1));
    EXPECT_EQ(solver.report().status, Status::invalid_lambda);
    EXPECT_FALSE(solver.step());
    if (solver.warm_start(0.01)) this->run(solver);
    ASSERT_EQ(solver.report().status, Status::converged);
    auto alone = TypeParam::make(this->options);
    alone.set_lambda(0.01);
    GuardedMemory other(this->bytes());
    if constexpr (std::same_as<S, InteractionAdmm<double>>) return;  // its λ₂ has changed too
    alone.start(other.span());
    this->run(alone);
    EXPECT_NEAR(solver.report().objective, alone.report().objective, 1e-4 * alone.report().objective);
  }
}

template <template <class, class, class, class> class S, class Loss, class Penalty>
constexpr bool is_solver = Solver<S<float, Loss, Penalty, DenseDesign<float>>, float>;
static_assert(is_solver<as_printed::PrimalDual, Hinge, L1> && is_solver<as_printed::ConstrainedPrimalDual, Hinge, L1> &&
              is_solver<as_printed::LinearConstraintsPrimalDual, Hinge, L1> &&
              is_solver<ConstrainedPrimalDual, Hinge, L1> && is_solver<AdaptiveDualAveraging, SquaredHinge, L1> &&
              is_solver<as_printed::Fobos, SquaredHinge, L1>);
static_assert(WarmStarted<Fista<float, SquaredHinge, L1>, float> &&
              WarmStarted<BlockCoordinateDescent<float, SquaredHinge, L1>, float> &&
              WarmStarted<PrimalDual<float, Hinge, L1>, float> && WarmStarted<TwoPhase<float, Hinge, L1>, float> &&
              WarmStarted<CrammerSingerDual<float, Hinge, Ridge>, float> && WarmStarted<KernelAdmm<float>, float> &&
              WarmStarted<KernelFista<float>, float> && WarmStarted<InteractionAdmm<float>, float>);
static_assert(!WarmStarted<ConstrainedPrimalDual<float, Hinge, L1>, float>);

}  // namespace
