// The number of bytes: exact, sufficient, and refused when one is missing, with nothing touched around or inside.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core.hpp"
#include "support/heap.hpp"
#include "support/problems.hpp"
#include "tamis/any_multilabel.hpp"
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
using Any = core::Training<T>;

/// The sets that ranking takes: of each class and the one after the next.
struct Sets {
  std::vector<Index> starts{0};
  std::vector<Label> members;

  explicit Sets(Index classes) {
    for (Index k = 0; k < classes; ++k) {
      members.push_back(static_cast<Label>(k));
      if (k + 2 < classes) members.push_back(static_cast<Label>(k + 2));
      starts.push_back(static_cast<Index>(members.size()));
    }
  }
  LabelSets view() const { return {starts.data(), members.data(), static_cast<Index>(starts.size() - 1)}; }
};

template <class T>
void sweep(const ProblemSpec& choice, const Made<T>& made, const AnyDesign<T>& design) {
  const std::size_t needed = Any<T>::requirement(choice, made.shape()).bytes;
  const Sets sets(made.classes);
  const AnyMultilabelLoss<T> loss(choice.loss, sets.view());
  const auto report = [&](GuardedMemory& memory) {
    const tamis::testing::HeapWatch heap;
    Any<T> training(choice, design, made.targets(),
                    {.lambda = is_constrained(choice.solver) ? T(0) : T(0.05),
                     .max_iterations = 60,
                     .intercept = made.samples % 2 == 0,
                     .eta = is_constrained(choice.solver) ? T(0.9) : T(0)},
                    {}, loss);
    training.start(memory.span());
    while (training.step()) {
    }
    EXPECT_EQ(heap.calls(), 0);
    return training.report();
  };
  GuardedMemory exact(needed);
  const auto done = report(exact);
  EXPECT_TRUE(has_model(done.status)) << name(done.status);
  EXPECT_FALSE(std::isnan(done.objective)) << "nothing is read that was not written";  // infinite: not feasible yet
  EXPECT_TRUE(std::isfinite(is_constrained(choice.solver) ? done.constraint_value : done.objective));
  EXPECT_EQ(done.arena_bytes, needed);
  EXPECT_EQ(done.arena_used_bytes, needed) << "not one byte is asked for in vain";
  EXPECT_TRUE(exact.surroundings_intact());

  for (std::size_t bytes = 0; bytes < needed; bytes += needed < 4096 ? 1 : needed / 97 + 1) {
    GuardedMemory small(bytes);
    EXPECT_EQ(report(small).status, Status::arena_too_small) << bytes;
    EXPECT_TRUE(small.untouched()) << bytes;
  }
  GuardedMemory almost(needed - 1);
  const auto refused = report(almost);
  EXPECT_EQ(refused.status, Status::arena_too_small);
  EXPECT_EQ(refused.arena_bytes, needed) << "the refusal says what would do";
  EXPECT_TRUE(almost.untouched());
  for (std::size_t off = 1; off < Arena::alignment; ++off) {
    GuardedMemory crooked(needed, off);
    EXPECT_EQ(report(crooked).status, Status::invalid_arena);
    EXPECT_TRUE(crooked.untouched());
  }
}

template <class T>
void sweep(const ProblemSpec& choice, const Made<T>& made) {
  const auto design = made.design();
  sweep(choice, made, AnyDesign<T>(design));
}

template <class T>
void sweep_everything() {
  for (const SolverKind solver : all_solvers)
    for (const LossKind loss : all_losses)
      for (const PenaltyKind penalty :
           {PenaltyKind::l1, PenaltyKind::ridge, PenaltyKind::group_linf, PenaltyKind::elastic_net,
            PenaltyKind::sparse_group, PenaltyKind::reweighted_l1}) {
        if (incompatibility(solver, loss, penalty)) continue;
        for (const auto& [n, p, K] :
             {std::tuple<Index, Index, Index>{5, 1, 2}, {9, 3, 3}, {30, 7, 5}, {12, 150, 4}, {40, 10, 13}})
          sweep<T>({loss, penalty, is_blockwise(solver) ? Groups::rows() : Groups::blocks(3), solver},
                   Made<T>(n, p, K, 3));
        if (!has_groups(penalty) || is_blockwise(solver)) continue;
        std::vector<Index> number(150), order(150), starts(151);
        for (Index j = 0; j < 150; ++j) number[j] = j * 7 % 11;
        const Groups listed = list_groups(number.data(), 150, order.data(), starts.data());
        sweep<T>({loss, penalty, listed, solver}, Made<T>(12, 150, 4, 3));
      }
}

// More memory than the least is for systems of equations and copies of the design. `used` are the solvers whose runs it
// changed.
template <class T>
Report<T> run_in_room(const ProblemSpec& choice, const Made<T>& made, std::size_t bytes) {
  const auto dense = made.design();
  const AnyDesign<T> design(dense);
  const Sets sets(made.classes);
  const AnyMultilabelLoss<T> loss(choice.loss, sets.view());
  GuardedMemory room(bytes);
  const tamis::testing::HeapWatch heap;
  Options<T> options{.lambda = T(0.02), .tolerance = T(1e-3), .max_iterations = 400};
  if (is_constrained(choice.solver)) options.lambda = T(0), options.eta = T(0.5);
  Any<T> training(choice, design, made.targets(), options, {}, loss);
  training.start(room.span());
  while (training.step()) {
  }
  EXPECT_EQ(heap.calls(), 0);
  EXPECT_TRUE(room.surroundings_intact());
  const auto report = training.report();
  EXPECT_TRUE(has_model(report.status)) << name(report.status);
  EXPECT_FALSE(std::isnan(report.objective));
  EXPECT_LE(report.arena_used_bytes, bytes);
  return report;
}

template <class T>
void sweep_rooms(std::set<SolverKind>& used) {
  const Made<T> made(30, 7, 3, 3);
  const WorkspaceHint hint{.entries = 210, .active_limit = 24};
  for (const SolverKind solver : all_solvers)
    for (const LossKind loss : all_losses)
      for (const PenaltyKind penalty :
           {PenaltyKind::l1, PenaltyKind::ridge, PenaltyKind::group_linf, PenaltyKind::reweighted_l1}) {
        const ProblemSpec choice{loss, penalty, is_blockwise(solver) ? Groups::rows() : Groups::blocks(3), solver};
        if (choice.refusal()) continue;
        const std::size_t least = Any<T>::requirement(choice, made.shape()).bytes;
        const std::size_t fast = Any<T>::requirement(choice, made.shape(), hint).bytes;
        if (fast == least) continue;
        const auto slow = run_in_room(choice, made, least), quick = run_in_room(choice, made, fast);
        EXPECT_GT(quick.arena_used_bytes, least) << name(solver);
        if (quick.iterations != slow.iterations || quick.epochs != slow.epochs) used.insert(choice.resolved_solver());
      }
}

TEST(ArenaSweep, RoomForSystemsOfEquations) {
  std::set<SolverKind> used;
  sweep_rooms<float>(used);
  sweep_rooms<double>(used);
  for (const SolverKind solver : {SolverKind::two_phase, SolverKind::block_coordinate_descent,
                                  SolverKind::proximal_newton, SolverKind::crammer_singer_dual})
    EXPECT_TRUE(used.count(solver)) << name(solver);
}

TEST(ArenaSweep, Float) { sweep_everything<float>(); }
TEST(ArenaSweep, Double) { sweep_everything<double>(); }

/// Samples of two bytes a number, and rows that are fetched five at a time.
template <class T>
void sweep_other_designs() {
  const Made<T> made(30, 7, 5, 3);
  struct Source {
    const Made<T>* made;
    Index row(Index sample, std::span<T> out) {
      for (Index j = 0; j < out.size(); ++j) out[j] = made->values[sample + j * made->samples];
      return static_cast<Index>(out.size());
    }
  } source{&made};
  std::vector<T> room(RowReader<T, Source>::room_for(5, made.features));
  RowReader<T, Source> reader(source, made.samples, made.features, room);
  const auto rows = reader.design();
  std::vector<std::int16_t> integers;
  for (const T x : made.values) integers.push_back(static_cast<std::int16_t>(x * T(1024)));
  const QuantisedDesign<T, std::int16_t> quantised(integers.data(), made.samples, made.features,
                                                   {.scale = T(1) / T(1024)});
  for (const SolverKind solver : all_solvers)
    for (const LossKind loss : all_losses)
      for (const PenaltyKind penalty : {PenaltyKind::l1, PenaltyKind::ridge}) {
        const ProblemSpec choice{loss, penalty, {}, solver};
        if (choice.refusal() || needs_columns(choice.resolved_solver())) continue;
        sweep<T>(choice, made, AnyDesign<T>(quantised));
        if (solver != SolverKind::two_phase) sweep<T>(choice, made, AnyDesign<T>(rows));
      }
  // Solvers that need columns say so, and touch nothing.
  for (const SolverKind solver : {SolverKind::block_coordinate_descent, SolverKind::bcd_constant_step_as_printed}) {
    const ProblemSpec choice{LossKind::squared_hinge, PenaltyKind::l1, {}, solver};
    GuardedMemory memory(Any<T>::requirement(choice, made.shape()).bytes);
    Any<T> training(choice, AnyDesign<T>(quantised), made.targets(), {.lambda = T(0.05)});
    EXPECT_FALSE(training.start(memory.span()));
    EXPECT_EQ(training.report().status, Status::invalid_combination);
    EXPECT_TRUE(memory.untouched());
  }
}

TEST(ArenaSweep, OtherDesigns) {
  sweep_other_designs<float>();
  sweep_other_designs<double>();
}

TEST(ArenaSweep, NullIsRefused) {
  const Made<double> made(10, 2, 3, 1);
  const auto fit = Training<double, Hinge, L1>({.lambda = 0.1}).run(made.design(), made.targets(), {});
  EXPECT_EQ(fit.status, Status::invalid_arena);
}

TEST(ArenaSweep, AShapeBeyondAllMemoryIsRefusedNotWrapped) {
  constexpr Shape huge{0xffffffffu, 0xffffffffu, 65536};
  const std::size_t bytes = Training<double, Hinge, L1>::bytes(huge);
  if (sizeof(std::size_t) == 4) EXPECT_EQ(bytes, static_cast<std::size_t>(-1));
  else EXPECT_GT(bytes, std::size_t(1) << 50);
}

TEST(ArenaSweep, BytesAreKnownBeforeMain) {
  constexpr Shape shape{.samples = 150, .features = 4, .classes = 3};
  using Plain = Training<float, Hinge, L1>;
  constexpr WorkspaceHint hint{.entries = 600, .active_limit = 15};
  alignas(Plain::alignment) static std::byte least[Plain::bytes(shape)], more[Plain::bytes(shape, hint)];
  static_assert(sizeof least > 0 && sizeof more > sizeof least);
  static constexpr Plain training({.lambda = 0.05f});
  const Made<float> made(150, 4, 3, 9);
  for (const std::span<std::byte> memory : {std::span<std::byte>(least), std::span<std::byte>(more)})
    EXPECT_EQ(training.run(made.design(), made.targets(), memory).status, Status::converged);
}

}  // namespace
