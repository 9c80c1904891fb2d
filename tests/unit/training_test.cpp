// How a training run behaves: endings, refusals, invariances.
#include <gtest/gtest.h>

#include <cmath>

#include "core.hpp"
#include "support/problems.hpp"
#include "tamis/any_multilabel.hpp"

namespace {

using namespace tamis;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;
using tamis::testing::run_default;

template <class Choice, class T, class Loss, class Penalty>
auto run_chosen(const Made<T>& made, Loss loss, Penalty penalty, Options<T> options) {
  return run_default(made, loss, penalty, options, Choice{});
}

template <class Pair>
class Trainings : public ::testing::Test {};
template <class T_, class Loss_, class Penalty_, class Choice_ = Fastest>
struct Case {
  using T = T_;
  using Loss = Loss_;
  using Penalty = Penalty_;
  using Choice = Choice_;
};
using Cases = ::testing::Types<Case<double, Hinge, L1>, Case<float, Hinge, L1>, Case<double, Hinge, GroupL2>,
                               Case<double, Hinge, Ridge>, Case<double, Hinge, Ridge, Smallest>,
                               Case<double, SquaredHinge, L1>, Case<float, SquaredHinge, GroupLinf, Smallest>,
                               Case<double, SquaredHinge, Ridge, Smallest>, Case<double, Logistic, L1, Smallest>,
                               Case<float, Logistic, GroupL2>, Case<float, OneVsRestSquaredHinge, L1, Smallest>,
                               Case<double, OneVsRestSquaredHinge, Ridge, Smallest>>;
TYPED_TEST_SUITE(Trainings, Cases);

#define TAMIS_CASE                             \
  using T = typename TypeParam::T;             \
  using Loss = typename TypeParam::Loss;       \
  using Penalty = typename TypeParam::Penalty; \
  using Choice = typename TypeParam::Choice;   \
  using Solver [[maybe_unused]] = typename Choice::template Solver<T, Loss, Penalty, DenseDesign<T>>;

// ---- endings
// -----------------------------------------------------------------------------------------------------------

TYPED_TEST(Trainings, ConvergeAndCertify) {
  TAMIS_CASE
  const Made<T> made(60, 8, 4, 2);
  const auto run = run_chosen<Choice>(made, Loss{}, Penalty{}, Options<T>{.lambda = T(0.02)});
  EXPECT_EQ(run.fit.status, Status::converged);
  EXPECT_LE(run.fit.relative_gap, T(1e-4));
  EXPECT_TRUE(run.memory->surroundings_intact());
  EXPECT_NEAR(static_cast<double>(run.fit.objective),
              tamis::testing::objective(made, run.fit.model, Loss{}, Penalty{}, 0.02), 1e-5);
  Index nonzeros = 0, rows = 0;
  for (Index j = 0; j < made.features; ++j) {
    for (Index k = 0; k < made.classes; ++k) nonzeros += run.fit.model(j, k) != T(0);
    rows += run.fit.model.uses(j);
  }
  EXPECT_EQ(run.fit.nonzeros, nonzeros);
  EXPECT_EQ(run.fit.nonzero_rows, rows);
}

TYPED_TEST(Trainings, ALimitLeavesTheBestModelAndItsCertificate) {
  TAMIS_CASE
  const Made<T> made(60, 8, 4, 2);
  const auto run = run_chosen<Choice>(made, Loss{}, Penalty{},
                                      Options<T>{.lambda = T(0.001), .tolerance = T(1e-6), .max_iterations = 7});
  EXPECT_EQ(run.fit.status, Status::iteration_limit);
  EXPECT_EQ(run.fit.iterations, 7u);
  EXPECT_NEAR(static_cast<double>(run.fit.objective),
              tamis::testing::objective(made, run.fit.model, Loss{}, Penalty{}, 0.001), 1e-4);
  EXPECT_GE(run.fit.objective, run.fit.dual_objective);
}

TYPED_TEST(Trainings, AnObserverSeesEveryCertificateAndMayStop) {
  TAMIS_CASE
  const Made<T> made(60, 8, 4, 2);
  GuardedMemory memory(Solver::requirement(made.shape()).bytes);
  int seen = 0;
  const auto fit =
      train<Solver, T>(Solver(made.design(), made.targets(), {}, {}, {.lambda = T(0.001), .tolerance = T(1e-6)}),
                       memory.span(), [&](const Report<T>& report) {
                         EXPECT_GE(report.objective, T(0));
                         return ++seen < 3;
                       });
  EXPECT_EQ(seen, 3);
  EXPECT_EQ(fit.status, Status::stopped);
  EXPECT_TRUE(std::isfinite(fit.objective));
  EXPECT_LT(fit.model.predict(made.values.data(), made.samples), made.classes);
}

TYPED_TEST(Trainings, StepsGiveTheSameBitsAsARun) {
  TAMIS_CASE
  const Made<T> made(40, 70, 3, 4);  // wide enough for working sets
  const Options<T> options{.lambda = T(0.01)};
  const auto whole = run_chosen<Choice>(made, Loss{}, Penalty{}, options);
  Solver solver(made.design(), made.targets(), {}, {}, options);
  GuardedMemory memory(Solver::requirement(made.shape()).bytes);
  solver.start(memory.span());
  int slices = 0;
  while (solver.running()) {
    for (int i = 0; i < 3 && solver.step(); ++i) {
    }
    ++slices;
  }
  EXPECT_GT(slices, 1);
  const auto model = solver.model();
  const auto all = whole.coefficients();
  EXPECT_TRUE(std::equal(all.begin(), all.end(), model.coefficients));
  EXPECT_EQ(solver.report().iterations, whole.fit.iterations);
  EXPECT_FALSE(solver.step()) << "a run that has ended stays ended";
}

TYPED_TEST(Trainings, TwoRunsAtOnceDoNotDisturbEachOther) {
  TAMIS_CASE
  const Made<T> a(40, 6, 3, 4), b(30, 5, 4, 5);
  const Options<T> options{.lambda = T(0.01)};
  Solver first(a.design(), a.targets(), {}, {}, options), second(b.design(), b.targets(), {}, {}, options);
  GuardedMemory m(Solver::requirement(a.shape()).bytes), o(Solver::requirement(b.shape()).bytes);
  first.start(m.span());
  second.start(o.span());
  for (bool more = true; more;) {
    more = first.step();
    more = second.step() || more;
  }
  EXPECT_EQ(first.report().objective, run_chosen<Choice>(a, Loss{}, Penalty{}, options).fit.objective);
  EXPECT_EQ(second.report().objective, run_chosen<Choice>(b, Loss{}, Penalty{}, options).fit.objective);
}

TEST(Training, FloatEndsAtItsPrecisionInsteadOfTheLimit) {
  const Made<float> made(60, 8, 4, 2);
  const auto run = run_default(made, Hinge{}, L1{}, Options<float>{.lambda = 0.02f, .tolerance = 1e-12f});
  EXPECT_EQ(run.fit.status, Status::precision_limit);
  EXPECT_LT(run.fit.relative_gap, 1e-4f);
  EXPECT_LT(run.fit.iterations, 200000u);
}

TYPED_TEST(Trainings, LambdaZeroOnSeparableDataTerminates) {
  TAMIS_CASE
  const T x[] = {0, 0, 1, 1, 2, 2};
  const Label y[] = {0, 0, 1, 1, 2, 2};
  const DenseDesign<T> design(x, 6, 1);
  const auto run = tamis::testing::run<Solver, T>(design, Targets<T>{y, 3}, Loss{}, Penalty{},
                                                  Options<T>{.lambda = T(0), .max_iterations = 2000});
  if (Solver::kind == SolverKind::crammer_singer_dual) {  // has no dual problem there
    EXPECT_EQ(run.fit.status, Status::invalid_lambda);
    return;
  }
  EXPECT_TRUE(has_model(run.fit.status));
  EXPECT_TRUE(std::isfinite(run.fit.objective));
}

// ---- which solver it is
// ---------------------------------------------------------------------------------------------------------------

/// A trained model with its report.
struct Outcome {
  Report<float> report;
  std::vector<float> coefficients;

  explicit Outcome(const Report<float>& of, const LinearModel<float>& model) : report(of) {
    if (has_model(of.status))
      coefficients.assign(model.coefficients, model.coefficients + (model.features + 1) * model.stride());
  }
  friend bool operator==(const Outcome& a, const Outcome& b) {
    return a.coefficients == b.coefficients && a.report.status == b.report.status &&
           a.report.iterations == b.report.iterations && a.report.objective == b.report.objective &&
           a.report.dual_objective == b.report.dual_objective;
  }
};
constexpr Options<float> usual{.lambda = 0.02f, .tolerance = 1e-3f};
constexpr WorkspaceHint roomy{.entries = 360, .active_limit = 30};

using RunTime = core::Training<float>;

template <class Training>
Outcome train_in(std::size_t bytes, const Made<float>& made, const Training& training) {
  GuardedMemory memory(bytes);
  const auto fit = training.run(made.design(), made.targets(), memory.span());
  EXPECT_TRUE(memory.surroundings_intact());
  return Outcome(fit, fit.model);
}

/// The plain name has the bits of `automatic`, and one byte less than the least is refused.
template <class Loss, class Penalty>
void expect_the_solver_of_auto(LossKind loss_kind, Loss loss, PenaltyKind penalty_kind, Penalty penalty,
                               const LabelSets& sets = {}) {
  using Plain = Training<float, Loss, Penalty>;
  const Made<float> made(40, 9, 3, 11);
  const Shape shape = made.shape();
  const auto design = made.design();
  const auto at_run_time = [&](SolverKind solver, bool in_the_least) {
    const ProblemSpec choice{loss_kind, penalty_kind, {}, solver};
    GuardedMemory memory(
        (in_the_least ? RunTime::requirement(choice, shape) : RunTime::requirement(choice, shape, roomy)).bytes);
    RunTime training(choice, AnyDesign<float>(design), made.targets(), usual, {},
                     AnyMultilabelLoss<float>(loss_kind, sets));
    training.start(memory.span());
    while (training.step()) {
    }
    return Outcome(training.report(), training.model());
  };
  SCOPED_TRACE(std::string(name(loss_kind)) + " " + name(penalty_kind));
  const Outcome fast = train_in(Plain::bytes(shape, roomy), made, Plain(usual, loss, penalty));
  EXPECT_EQ(fast.report.status, Status::converged);
  EXPECT_TRUE(fast == at_run_time(SolverKind::automatic, false));

  using Small = Training<float, Loss, Penalty, Smallest>;
  const SolverKind small = loss_kind == LossKind::hinge ? SolverKind::primal_dual : SolverKind::fista;
  EXPECT_EQ(Small::Solver::kind, small);
  const Outcome least = train_in(Plain::bytes(shape), made, Plain(usual, loss, penalty));
  const Outcome smallest = train_in(Small::bytes(shape), made, Small(usual, loss, penalty));
  EXPECT_EQ(least.report.status, Status::converged);
  EXPECT_TRUE(smallest == at_run_time(small, true));
  EXPECT_LE(Small::bytes(shape), Plain::bytes(shape));
  EXPECT_LE(Plain::bytes(shape), Plain::bytes(shape, roomy));
  EXPECT_LE(sizeof(typename Small::Solver), sizeof(typename Plain::Solver));
  if constexpr (std::same_as<Penalty, Ridge> && std::same_as<Loss, Hinge>) return;  // no first phase in common
  EXPECT_TRUE(least == smallest) << "in the least memory it is the smallest solver";
}

/// Its kind for every loss and penalty, and its bits for some in which each is once.
TEST(Training, IsByTheSolverOfAuto) {
  const auto kind = []<class Loss, class Penalty>(Loss, Penalty) {
    using Solver = DefaultSolver<float, Loss, Penalty>;
    if constexpr (requires { typename Solver::Descent; }) return Solver::Descent::kind;
    else return Solver::kind;
  };
  const auto check = [&]<class Penalty>(PenaltyKind penalty, Penalty of) {
    const bool depends_on_ratio = penalty == PenaltyKind::elastic_net;  // which its type does not tell
    EXPECT_EQ(kind(Hinge{}, of), depends_on_ratio ? SolverKind::two_phase : default_solver(LossKind::hinge, penalty));
    EXPECT_EQ(kind(SquaredHinge{}, of), default_solver(LossKind::squared_hinge, penalty));
    EXPECT_EQ(kind(Logistic{}, of), default_solver(LossKind::logistic, penalty));
    EXPECT_EQ(kind(OneVsRestSquaredHinge{}, of), default_solver(LossKind::one_vs_rest_squared_hinge, penalty));
    EXPECT_EQ(kind(RankingSquaredHinge{}, of), default_solver(LossKind::ranking_squared_hinge, penalty));
  };
  check(PenaltyKind::ridge, Ridge{});
  check(PenaltyKind::l1, L1{});
  check(PenaltyKind::group_l2, GroupL2{});
  check(PenaltyKind::group_linf, GroupLinf{});
  check(PenaltyKind::elastic_net, ElasticNet<float>{});
  check(PenaltyKind::sparse_group, SparseGroup<float>{});
  check(PenaltyKind::reweighted_l1, WeightedL1<float>{});

  expect_the_solver_of_auto(LossKind::hinge, Hinge{}, PenaltyKind::ridge, Ridge{});
  expect_the_solver_of_auto(LossKind::hinge, Hinge{}, PenaltyKind::l1, L1{});
  expect_the_solver_of_auto(LossKind::hinge, Hinge{}, PenaltyKind::group_l2, GroupL2{});
  expect_the_solver_of_auto(LossKind::squared_hinge, SquaredHinge{}, PenaltyKind::group_linf, GroupLinf{});
  expect_the_solver_of_auto(LossKind::logistic, Logistic{}, PenaltyKind::elastic_net, ElasticNet<float>{});
  expect_the_solver_of_auto(LossKind::one_vs_rest_squared_hinge, OneVsRestSquaredHinge{}, PenaltyKind::sparse_group,
                            SparseGroup<float>{});
  const Index starts[] = {0, 1, 3, 4};
  const Label members[] = {0, 0, 1, 2};
  const LabelSets sets{starts, members, 3};
  expect_the_solver_of_auto(LossKind::ranking_squared_hinge, RankingSquaredHinge{sets}, PenaltyKind::l1, L1{}, sets);
}

TEST(Training, OneByteLessThanTheLeastIsRefusedWithTheNumber) {
  const Made<float> made(40, 9, 3, 11);
  const auto check = [&]<class Plain>(const Plain& training) {
    const std::size_t bytes = Plain::bytes(made.shape());
    GuardedMemory almost(bytes - 1);
    const auto fit = training.run(made.design(), made.targets(), almost.span());
    EXPECT_EQ(fit.status, Status::arena_too_small);
    EXPECT_EQ(fit.arena_bytes, bytes);
    EXPECT_TRUE(almost.untouched());
  };
  check(Training<float, Hinge, L1>(usual));
  check(Training<float, Hinge, Ridge>(usual));
  check(Training<float, Logistic, L1>(usual));
  check(Training<float, SquaredHinge, L1, Smallest>(usual));
}

/// Where features are far from zero descent over them crawls, and float would not get there.
TEST(Training, InLittleMemoryIsNotDescentAlone) {
  Made<float> made(50, 5, 3, 10);
  for (float& x : made.values) x += 16;
  using Plain = Training<float, OneVsRestSquaredHinge, L1>;
  for (std::size_t bytes = Plain::bytes(made.shape()); bytes <= Plain::bytes(made.shape(), {250, 20}); bytes += 100) {
    GuardedMemory memory(bytes);
    EXPECT_EQ(Plain({.lambda = 0.02f}).run(made.design(), made.targets(), memory.span()).status, Status::converged);
  }
}

// A design and a choice, in any order, and what the design does not have.
template <class... More>
constexpr SolverKind kind_of = Training<float, More...>::Solver::kind;
using Integers = QuantisedDesign<float, std::int16_t>;
static_assert(kind_of<Hinge, L1> == SolverKind::two_phase && kind_of<Hinge, L1, Integers> == SolverKind::two_phase);
static_assert(kind_of<Hinge, L1, Integers, Smallest> == SolverKind::primal_dual);
static_assert(kind_of<Hinge, L1, Smallest, Integers> == SolverKind::primal_dual);
static_assert(kind_of<Logistic, L1, Integers> == SolverKind::fista, "it has no columns");
static_assert(kind_of<Hinge, L1, With<ConstrainedPrimalDual>> == SolverKind::constrained_primal_dual);

// ---- invariances
// -------------------------------------------------------------------------------------------------------

TYPED_TEST(Trainings, WeightsOfOneAreNoWeightsBitForBit) {
  TAMIS_CASE
  Made<T> made(50, 6, 3, 7);
  const Options<T> options{.lambda = T(0.02)};
  const auto plain = run_chosen<Choice>(made, Loss{}, Penalty{}, options);
  made.weights.assign(made.samples, T(1));
  made.margins.assign(made.samples, default_margin<T>(Loss{}));
  EXPECT_EQ(run_chosen<Choice>(made, Loss{}, Penalty{}, options).coefficients(), plain.coefficients());
}

TYPED_TEST(Trainings, AMarginForAllIsThatMarginForEachBitForBit) {
  TAMIS_CASE
  Made<T> made(50, 6, 3, 7);
  const auto one = run_chosen<Choice>(made, Loss{}, Penalty{}, Options<T>{.lambda = T(0.02), .margin = T(0.75)});
  const auto plain = run_chosen<Choice>(made, Loss{}, Penalty{}, Options<T>{.lambda = T(0.02)});
  made.margins.assign(made.samples, T(0.75));
  const auto each = run_chosen<Choice>(made, Loss{}, Penalty{}, Options<T>{.lambda = T(0.02)});
  EXPECT_EQ(one.coefficients(), each.coefficients());
  EXPECT_EQ(one.fit.objective, each.fit.objective);
  EXPECT_NE(one.fit.objective, plain.fit.objective);
}

TYPED_TEST(Trainings, MarginsAreChecked) {
  TAMIS_CASE
  Made<T> made(20, 3, 2, 7);
  const bool zero_will_do = default_margin<T>(Loss{}) == T(0);
  const auto status = [&](T margin) {
    return run_chosen<Choice>(made, Loss{}, Penalty{}, Options<T>{.lambda = T(0.1), .margin = margin}).fit.status;
  };
  EXPECT_EQ(status(T(0)), zero_will_do ? Status::converged : Status::invalid_margin);
  EXPECT_EQ(status(T(2)), Status::converged);
  EXPECT_EQ(status(T(-0.5)), Status::invalid_margin);
  EXPECT_EQ(status(infinity<T>), Status::invalid_margin);
  made.margins.assign(made.samples, T(1));
  EXPECT_EQ(status(T(1)), Status::invalid_margin) << "given twice";
  made.margins[7] = T(0);
  EXPECT_EQ(status(not_a_number<T>), zero_will_do ? Status::converged : Status::invalid_margin);
  made.margins[7] = T(-1);
  const auto refused = run_chosen<Choice>(made, Loss{}, Penalty{}, Options<T>{.lambda = T(0.1)});
  EXPECT_EQ(refused.fit.status, Status::invalid_margin);
  EXPECT_EQ(refused.fit.row, 7u);
}

TYPED_TEST(Trainings, IntegerWeightsAreRepeatedRows) {
  TAMIS_CASE
  Made<T> made(40, 5, 3, 8);
  Made<T> repeated = made;
  repeated.values.clear();
  repeated.labels.clear();
  std::vector<Index> rows;
  for (Index i = 0; i < made.samples; ++i) {
    made.weights.push_back(T(i % 3));
    for (Index copies = 0; copies < i % 3; ++copies) rows.push_back(i);
  }
  repeated.samples = static_cast<Index>(rows.size());
  for (Index j = 0; j < made.features; ++j)
    for (const Index i : rows) repeated.values.push_back(made.values[i + j * made.samples]);
  for (const Index i : rows) repeated.labels.push_back(made.labels[i]);
  const Options<T> options{.lambda = T(0.02), .tolerance = T(1e-5)};
  EXPECT_NEAR(run_chosen<Choice>(made, Loss{}, Penalty{}, options).fit.objective,
              run_chosen<Choice>(repeated, Loss{}, Penalty{}, options).fit.objective, 2e-5);
}

TYPED_TEST(Trainings, OrderOfClassesAndFeaturesDoesNotMatter) {
  TAMIS_CASE
  const Made<T> made(50, 6, 4, 9);
  Made<T> turned = made;
  for (Index j = 0; j < made.features; ++j)
    for (Index i = 0; i < made.samples; ++i)
      turned.values[i + j * made.samples] = made.values[i + (made.features - 1 - j) * made.samples];
  for (Label& y : turned.labels) y = static_cast<Label>(made.classes - 1 - y);
  const Options<T> options{.lambda = T(0.02), .tolerance = T(1e-5)};
  EXPECT_NEAR(run_chosen<Choice>(made, Loss{}, Penalty{}, options).fit.objective,
              run_chosen<Choice>(turned, Loss{}, Penalty{}, options).fit.objective, 2e-5);
}

TYPED_TEST(Trainings, FeaturesFarFromZeroChangeNothingButTheIntercept) {
  TAMIS_CASE
  const Made<T> made(50, 5, 3, 10);
  Made<T> shifted = made;
  for (T& x : shifted.values) x += T(16);  // exact for multiples of 1/1024
  const Options<T> options{.lambda = T(0.02), .tolerance = T(1e-4)};
  const auto here = run_chosen<Choice>(made, Loss{}, Penalty{}, options),
             there = run_chosen<Choice>(shifted, Loss{}, Penalty{}, options);
  EXPECT_EQ(there.fit.status, Status::converged);
  EXPECT_NEAR(here.fit.objective, there.fit.objective, 2e-4);
}

TYPED_TEST(Trainings, ConstantAndDuplicateColumnsAreHarmless) {
  TAMIS_CASE
  Made<T> made(50, 6, 3, 11);
  for (Index i = 0; i < made.samples; ++i) {
    made.values[i] = T(0);
    made.values[i + made.samples] = T(3);
    made.values[i + 2 * made.samples] = made.values[i + 3 * made.samples];
  }
  const auto run = run_chosen<Choice>(made, Loss{}, Penalty{}, Options<T>{.lambda = T(0.02)});
  EXPECT_EQ(run.fit.status, Status::converged);
  for (Index k = 0; k < made.classes; ++k) EXPECT_EQ(run.fit.model(0, k), T(0));
}

TYPED_TEST(Trainings, NoFeatureVariesAtAll) {
  TAMIS_CASE
  Made<T> made(30, 2, 3, 12);
  std::fill(made.values.begin(), made.values.end(), T(1));
  const auto run = run_chosen<Choice>(made, Loss{}, Penalty{}, Options<T>{.lambda = T(0.1)});
  EXPECT_EQ(run.fit.status, Status::converged);
  EXPECT_EQ(run.fit.nonzeros, 0u);
}

TYPED_TEST(Trainings, OneSampleOfEachOfTwoClassesIsEnough) {
  TAMIS_CASE
  const T x[] = {-1, 1};
  const Label y[] = {0, 1};
  const auto run = tamis::testing::run<Solver, T>(DenseDesign<T>(x, 2, 1), Targets<T>{y, 2}, Loss{}, Penalty{},
                                                  Options<T>{.lambda = T(0.1)});
  EXPECT_EQ(run.fit.status, Status::converged);
  EXPECT_EQ(run.fit.model.predict(&x[0]), 0);
  EXPECT_EQ(run.fit.model.predict(&x[1]), 1);
}

TYPED_TEST(Trainings, WorkingSetsFindTheAnswerOfAllFeatures) {
  TAMIS_CASE
  const Made<T> made(30, 400, 3, 13);
  Options<T> options{.lambda = T(0.03), .tolerance = T(1e-5)};
  const auto sets = run_chosen<Choice>(made, Loss{}, Penalty{}, options);
  options.working_sets = false;
  const auto all = run_chosen<Choice>(made, Loss{}, Penalty{}, options);
  EXPECT_EQ(sets.fit.status, Status::converged);
  EXPECT_NEAR(sets.fit.objective, all.fit.objective, 2e-5);
  // For the squared hinge that is the limit of float, where the last digits decide how long it takes: see below.
  if (sizeof(T) == 8 || !std::is_same_v<Loss, SquaredHinge>) {
    EXPECT_LE(sets.fit.epochs, all.fit.epochs);
  }
}

TEST(Training, WorkingSetsSaveWorkInFloat) {
  const Made<float> made(30, 400, 3, 13);
  Options<float> options{.lambda = 0.03f, .tolerance = 3e-5f};
  const auto sets = run_default(made, SquaredHinge{}, GroupLinf{}, options);
  options.working_sets = false;
  EXPECT_LE(sets.fit.epochs, run_default(made, SquaredHinge{}, GroupLinf{}, options).fit.epochs);
}

TEST(Training, FloatEndsAtItsPrecisionOnWorkingSetsToo) {
  const auto run = run_default(Made<float>(30, 400, 3, 13), SquaredHinge{}, GroupLinf{},
                               Options<float>{.lambda = 0.03f, .tolerance = 1e-6f, .max_iterations = 100000});
  EXPECT_EQ(run.fit.status, Status::precision_limit);
  EXPECT_LT(run.fit.relative_gap, 1e-4f);
}

// ---- refusals
// ----------------------------------------------------------------------------------------------------------

template <class T>
Fit<T> attempt(const DenseDesign<T>& design, const Targets<T>& targets,
               const Options<T>& options = {.lambda = T(0.1)}) {
  using Solver = PrimalDual<T, Hinge, L1>;
  GuardedMemory memory(Solver::requirement({targets.samples(), design.features(), targets.classes}).bytes);
  const auto fit = train<Solver, T>(Solver(design, targets, Hinge{}, L1{}, options), memory.span());
  EXPECT_EQ(memory.untouched(), !has_model(fit.status)) << "a refusal writes nothing";
  EXPECT_STRNE(describe(fit.status), "unknown status");
  return fit;
}

TEST(Refusals, EachHasItsOwnStatusAndPlace) {
  Made<double> made(12, 3, 3, 1);
  const auto status = [&](Options<double> options = {.lambda = 0.1}) {
    return attempt(made.design(), made.targets(), options);
  };
  ASSERT_EQ(status().status, Status::converged);

  EXPECT_EQ(status({.lambda = -1.0}).status, Status::invalid_lambda);
  EXPECT_EQ(status({.lambda = std::nan("")}).status, Status::invalid_lambda);
  EXPECT_EQ(status({.lambda = infinity<double>}).status, Status::invalid_lambda);
  EXPECT_EQ(status({.lambda = 0.1, .tolerance = 0}).status, Status::invalid_option);
  EXPECT_EQ(status({.lambda = 0.1, .tolerance = std::nan("")}).status, Status::invalid_option);
  EXPECT_EQ(status({.lambda = 0.1, .max_iterations = 0}).status, Status::invalid_option);

  for (const double bad : {std::nan(""), infinity<double>, -infinity<double>}) {
    auto broken = made;
    broken.values[5 + 2 * 12] = bad;
    const auto fit = attempt(broken.design(), broken.targets());
    EXPECT_EQ(fit.status, Status::invalid_data);
    EXPECT_EQ(fit.row, 5u);
    EXPECT_EQ(fit.column, 2u);
  }
  auto broken = made;
  broken.labels[4] = 3;
  EXPECT_EQ(attempt(broken.design(), broken.targets()).status, Status::invalid_label);
  EXPECT_EQ(attempt(broken.design(), broken.targets()).row, 4u);

  broken = made;
  for (Label& y : broken.labels) y = y == 1 ? 0 : y;
  EXPECT_EQ(attempt(broken.design(), broken.targets()).status, Status::missing_class);
  EXPECT_EQ(attempt(broken.design(), broken.targets()).column, 1u);

  broken = made;
  broken.weights.assign(12, 1);
  for (Index i = 0; i < 12; ++i)
    if (broken.labels[i] == 2) broken.weights[i] = 0;
  EXPECT_EQ(attempt(broken.design(), broken.targets()).status, Status::missing_class) << "present, but of no weight";
  broken.weights[3] = -1;
  EXPECT_EQ(attempt(broken.design(), broken.targets()).status, Status::invalid_weight);
  EXPECT_EQ(attempt(broken.design(), broken.targets()).row, 3u);

  broken = made;
  broken.margins.assign(12, 1);
  broken.margins[6] = 0;
  EXPECT_EQ(attempt(broken.design(), broken.targets()).status, Status::invalid_margin);
  EXPECT_EQ(attempt(broken.design(), broken.targets()).row, 6u);

  auto targets = made.targets();
  targets.classes = 1;
  EXPECT_EQ(attempt(made.design(), targets).status, Status::invalid_shape);
  EXPECT_EQ(attempt(DenseDesign<double>(made.values.data(), 12, 0), made.targets()).status, Status::invalid_shape)
      << "p = 0";
  EXPECT_EQ(attempt(DenseDesign<double>(made.values.data(), 0, 3), Targets<double>{{}, 3}).status,
            Status::invalid_shape)
      << "n = 0";
  EXPECT_EQ(attempt(DenseDesign<double>(made.values.data(), 11, 3), made.targets()).status, Status::invalid_shape)
      << "lengths differ";
}

TEST(Refusals, HaveNamesAndSentencesOfTheirOwn) {
  for (int a = 0; a <= static_cast<int>(Status::invalid_groups); ++a)
    for (int b = 0; b < a; ++b) {
      EXPECT_STRNE(name(static_cast<Status>(a)), name(static_cast<Status>(b)));
      EXPECT_STRNE(describe(static_cast<Status>(a)), describe(static_cast<Status>(b)));
    }
}

}  // namespace
