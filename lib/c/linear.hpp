#pragma once
/// What the sources of the C interface of linear models share: problems and grids as in C++, and runs of many
/// trainings.

#include "chosen.hpp"
#include "face.hpp"
#include "tamis/selection/path.hpp"
#ifdef TAMIS_ALL_SOLVERS
#ifdef TAMIS_LINKS_CORE
#include "core.hpp"  // has the same training, compiled
#else
#include "tamis/any_multilabel.hpp"
#include "tamis/solver/baselines.hpp"
#endif
#endif

namespace tamis::in_c {

/// The structs of tamis.h that problems consist of, of one scalar.
template <class T>
struct Linear : Common<T> {
  using Problem = TAMIS_OF(T, tamis_problem);
  using Grid = TAMIS_OF(T, tamis_grid);
};

#ifdef TAMIS_DENSE_ONLY  // a build without sparse designs refuses them
inline constexpr bool takes_sparse = false;
template <class T>
using DesignOf = DenseDesign<T>;
#else
inline constexpr bool takes_sparse = true;
template <class T>
using DesignOf = AnyDesign<T>;
#endif

#ifdef TAMIS_CHOSEN  // what config.hpp chooses
template <class T>
using ProblemOf = AnyProblem<T, ChosenLoss<T>, ChosenPenalty<T>, DesignOf<T>>;
using Solvers = chosen::Kept<chosen::has_work, TAMIS_C_SOLVERS>;
static_assert(!Solvers::none,
              "tamis: none of the chosen solvers takes one of the chosen losses with one of the chosen penalties");
template <class T>
using Trainer = Solvers::Trainer<ProblemOf<T>>;
#define TAMIS_C_TRAINING(T, S)    // few sources use it, and it is small
#elif defined(TAMIS_ALL_SOLVERS)  // a larger build has the published baselines too, and the loss of label sets
template <class T>
using ProblemOf = AnyProblem<T, AnyMultilabelLoss<T>, AnyPenalty<T>, DesignOf<T>>;
#ifdef __wasm__                   // what a page loads stays small, and `auto` is the same in all modules
#define TAMIS_C_SOLVERS \
  PrimalDual, Fista, ConstrainedPrimalDual, CrammerSingerDual, TwoPhase, BlockCoordinateDescent, TAMIS_BASELINES
#else
#define TAMIS_C_SOLVERS                                                                                      \
  PrimalDual, Fista, ConstrainedPrimalDual, CrammerSingerDual, TwoPhase, PathDescent, ProximalNewtonDescent, \
      TAMIS_BASELINES
#endif
#elif defined(TAMIS_MODULE)  // one of TAMIS_MODULES has few losses, penalties and solvers
using Module = catalogue::modules::TAMIS_MODULE;
template <class T, class Rows>
struct LossIn : std::type_identity<AnyLoss<T, Rows>> {};
template <class T, class Row>
struct LossIn<T, catalogue::List<Row>> : std::type_identity<typename Row::Type> {};
template <class T>
using ProblemOf =
    AnyProblem<T, typename LossIn<T, decltype(catalogue::rows_of<Module>(catalogue::Losses{}))>::type,
               AnyPenaltyOf<T, decltype(catalogue::rows_of<Module>(catalogue::Penalties<T>{}))>, DesignOf<T>>;
template <SolverKind kind, template <class, class, class, class> class S, class Others>
using MaybeWith = typename std::conditional_t<Module::has(kind), typename Others::template And<S>, Others>;
using BySmoothLoss =
    MaybeWith<SolverKind::fista, Fista,
              MaybeWith<SolverKind::block_coordinate_descent, BlockCoordinateDescent, chosen::Solvers<>>>;
using WithHinge = MaybeWith<SolverKind::constrained_primal_dual, ConstrainedPrimalDual,
                            MaybeWith<SolverKind::crammer_singer_dual, CrammerSingerDual,
                                      MaybeWith<SolverKind::two_phase, TwoPhase, BySmoothLoss>>>;
template <class T>
using Trainer = typename MaybeWith<SolverKind::primal_dual, PrimalDual, WithHinge>::template Trainer<ProblemOf<T>>;
#else
template <class T>
using ProblemOf = AnyProblem<T, AnyLoss<T>, AnyPenalty<T>, DesignOf<T>>;
#ifdef TAMIS_USUAL_SOLVERS  // and a smaller one neither the form with η nor FISTA
#define TAMIS_C_SOLVERS PrimalDual, CrammerSingerDual, TwoPhase, BlockCoordinateDescent
#else
#define TAMIS_C_SOLVERS \
  PrimalDual, Fista, ConstrainedPrimalDual, CrammerSingerDual, TwoPhase, BlockCoordinateDescent, ProximalNewtonDescent
#endif
#endif
#if defined(TAMIS_C_SOLVERS) && !defined(TAMIS_CHOSEN)
template <class T>
using Trainer = AnyTrainingFor<ProblemOf<T>, TAMIS_C_SOLVERS>;
/// The training of a scalar, explicitly: where TAMIS_SHARES_TRAINING is defined, tamis.cpp has it for the other
/// sources.
#define TAMIS_C_TRAINING(T, S) template class tamis::AnyTrainingFor<tamis::in_c::ProblemOf<T>, TAMIS_C_SOLVERS>;
#endif
template <class T>
using LossOf = typename ProblemOf<T>::Loss;
#ifndef TAMIS_CHOSEN
constexpr bool is_built(SolverKind kind) {
#if defined(TAMIS_ALL_SOLVERS) && defined(__wasm__)
  return kind != SolverKind::automatic && kind != SolverKind::proximal_newton;
#elif defined(TAMIS_ALL_SOLVERS)
  return kind != SolverKind::automatic;
#elif defined(TAMIS_MODULE)
  return kind != SolverKind::automatic && Module::has(kind);
#elif defined(TAMIS_USUAL_SOLVERS)
  return kind != SolverKind::automatic && is_usual(kind);
#else
  return kind != SolverKind::automatic && !(catalogue::of(kind) & catalogue::is::baseline);
#endif
}
static_assert(
    [] {
      for (const SolverKind kind : all_solvers)
        if (Trainer<float>::has(kind) != is_built(kind)) return false;
      return true;
    }(),
    "the catalogue says of each solver which builds have it");
#endif

#ifdef TAMIS_CHOSEN
inline constexpr char not_chosen[] = "this library is built without that solver, loss or penalty";
#else
inline constexpr char not_chosen[] = "unknown solver, loss or penalty";
#endif

/// What a build without TAMIS_ALL_SOLVERS answers to what only that one has.
#define TAMIS_NEEDS_ALL_SOLVERS \
  "label sets, ranking, stopping rules, shrinking, seeds and learning rates need TAMIS_ALL_SOLVERS"

inline bool known(std::uint32_t solver, std::uint32_t loss, std::uint32_t penalty) {
  return solver < std::size(all_solvers) && loss < std::size(all_losses) &&
         ProblemOf<float>::has(static_cast<LossKind>(loss)) && penalty < std::size(all_penalties) &&
         ProblemOf<float>::Penalty::has(static_cast<PenaltyKind>(penalty)) &&
         (solver == TAMIS_AUTOMATIC || Trainer<float>::has(static_cast<SolverKind>(solver)));
}

/// The samples of a problem, as either kind of design.
template <class T>
class Designs {
 public:
  explicit Designs(const typename Linear<T>::Problem& p)
      : dense_(p.values, p.samples, p.features, p.column_stride ? p.column_stride : p.samples)
#ifndef TAMIS_DENSE_ONLY
        ,
        sparse_(p.values, p.rows, p.starts, p.samples, p.features)
#endif
  {
  }
  /// That of the problem; it must not outlive this.
  DesignOf<T> of([[maybe_unused]] const typename Linear<T>::Problem& p) const {
#ifndef TAMIS_DENSE_ONLY
    if (p.rows) return DesignOf<T>(sparse_);
#endif
    return DesignOf<T>(dense_);
  }

 private:
  DenseDesign<T> dense_;
#ifndef TAMIS_DENSE_ONLY
  SparseDesign<T> sparse_;
#endif
};

template <class T>
Groups groups_of(const typename Linear<T>::Problem& p) {
  if (p.group_order || p.group_starts) return Groups::listed(p.group_order, p.group_starts, p.group_count);
  return Groups::blocks(p.block);
}
template <class T>
Shape shape_of(const typename Linear<T>::Problem& p) {
  return {p.samples, p.features, p.classes};
}
template <class T>
ProblemSpec choice_of(const typename Linear<T>::Problem& p, T lambda, bool path = false) {
  const ProblemSpec kinds{static_cast<LossKind>(p.loss), static_cast<PenaltyKind>(p.penalty), groups_of<T>(p),
                          static_cast<SolverKind>(p.solver), p.eta != T(0)};
  // Where sizes and λ decide nothing: modules of one training, and builds without the solvers that they decide between.
  if constexpr (!Trainer<T>::has(SolverKind::crammer_singer_dual) &&
                (in_webassembly || !Trainer<T>::has(SolverKind::two_phase)))
    return kinds;
  else return kinds.of_sizes(shape_of<T>(p), lambda, path, p.l1_ratio);
}
/// Bytes of the arena: with no hint at all, the least of the solver of `choice`, else of whichever the samples choose.
template <class T>
Requirement requirement_of(const ProblemSpec& choice, Shape shape, WorkspaceHint hint) {
  if (hint.entries == 0 && hint.active_limit == 0) return Trainer<T>::requirement(choice, shape);
  return Trainer<T>::requirement_unseen(choice, shape, hint);
}
template <class T>
Targets<T> targets_of(const typename Linear<T>::Problem& p) {
  return {{p.labels, p.samples}, p.classes, p.weights, p.margins};
}
template <class T>
StochasticOptions<T> stochastic_of([[maybe_unused]] const typename Linear<T>::Problem& p) {
#ifdef TAMIS_ALL_SOLVERS
  return {p.learning_rate > T(0) ? p.learning_rate : not_a_number<T>, p.seed};
#else
  return {};
#endif
}
/// The loss of a problem, of label sets too where this build has it.
template <class T>
LossOf<T> loss_of(const typename Linear<T>::Problem& p) {
  [[maybe_unused]] const auto kind = static_cast<LossKind>(p.loss);
#ifdef TAMIS_ALL_SOLVERS
  return LossOf<T>(kind, {p.set_starts, p.set_members, p.set_count});
#else
  if constexpr (ProblemOf<T>::has(LossKind::ranking_squared_hinge)) return {{p.set_starts, p.set_members, p.set_count}};
  else if constexpr (std::is_constructible_v<LossOf<T>, LossKind>) return LossOf<T>(kind);
  else return {};
#endif
}
template <class T>
Trainer<T> training_of(const typename Linear<T>::Problem& p, const ProblemSpec& choice, const DesignOf<T>& design,
                       const Targets<T>& targets) {
  return Trainer<T>(choice, design, targets,
                    Options<T>{.lambda = p.lambda,
                               .tolerance = p.tolerance,
                               .max_iterations = p.max_iterations,
                               .margin = p.margin,
                               .intercept = p.intercept != 0,
                               .eta = p.eta},
                    PenaltyParameters<T>{.l1_ratio = p.l1_ratio, .epsilon = p.epsilon}, loss_of<T>(p),
                    stochastic_of<T>(p));
}

/// Why a loss takes the label sets of a problem, or their absence, for a mistake; null when it does not.
template <class T>
const char* sets_refusal(const typename Linear<T>::Problem& p, LossKind loss) {
  if (!has_label_sets(loss))
    return p.set_starts || p.set_members || p.set_count
               ? "label sets are for ranking-squared-hinge: the other losses take one class per sample"
               : nullptr;
  return !p.set_starts || !p.set_count || p.set_count > 65536
             ? "ranking-squared-hinge needs label sets: set_starts, set_members, and 1 to 65536 as set_count"
             : nullptr;
}

#ifdef TAMIS_ALL_SOLVERS
inline constexpr char only_blockwise[] =
    "shrinking and stopping by violations are for bcd-line-search-as-printed and bcd-constant-step-as-printed";

/// Why a problem of a known solver, loss and penalty asks for what these do not have; null when it does not.
template <class T>
[[gnu::noinline]] const char* settings_refusal(const typename Linear<T>::Problem& p, const ProblemSpec& choice) {
  const SolverKind solver = choice.resolved_solver();
  if (const char* const wrong = sets_refusal<T>(p, choice.loss)) return wrong;
  if (choice.has_no_ridge(p.l1_ratio)) return TAMIS_NEEDS_RIDGE_PART;
  if (p.stopping >= std::size(all_stopping_rules)) return "stopping is none of tamis_stopping";
  const Stopping<T> stopping{static_cast<StoppingRule>(p.stopping), p.stopping_threshold};
  if (stopping.rule == StoppingRule::gap && !(p.stopping_threshold == T(0)))
    return "stopping by the gap takes no threshold: the tolerance is that of the gap";
  if (!stopping.valid()) return "the threshold of a stopping rule must be positive and finite";
  if (stopping.rule != StoppingRule::gap && in_rounds(choice.penalty))
    return "the rounds of reweighted-l1 end by the gap: they take no other stopping rule";
  if (!has_stopping(solver, stopping.rule))
    return stopping.rule == StoppingRule::iterates
               ? "stopping by iterates is for published primal-dual and proximal gradient algorithms, not for this "
                 "solver"
               : only_blockwise;
  if (p.shrinking > 1) return "shrinking must be 0 or 1";
  if (p.shrinking && !is_blockwise(solver)) return only_blockwise;
  if (p.shrinking &&
      AnyPenalty<T>(choice.penalty, choice.groups, {.l1_ratio = p.l1_ratio, .epsilon = p.epsilon}).dual_kind() ==
          DualKind::conjugate)
    return "shrinking leaves out rows of zeros, and this penalty makes none";
  if (p.seed && !is_random(solver)) return "a seed is for solvers that draw at random, and this one does not";
  if (!(p.learning_rate >= T(0) && finite(p.learning_rate)))
    return "learning_rate must be zero or positive, and finite";
  if (p.learning_rate > T(0) && !is_stochastic(solver))
    return "learning_rate is for fobos-as-printed and adaptive-dual-averaging";
  return nullptr;
}
#else
/// Whether a problem asks for what this build does not have, in one sentence or null.
template <class T>
const char* settings_refusal(const typename Linear<T>::Problem& p, const ProblemSpec& choice) {
  if (asks_for_settings(p)) return TAMIS_NEEDS_ALL_SOLVERS;
  if constexpr (ProblemOf<T>::has(LossKind::ranking_squared_hinge)) return sets_refusal<T>(p, choice.loss);
  else return has_sets(p) ? TAMIS_NEEDS_ALL_SOLVERS : nullptr;
}
#endif

/// Settings that only some baselines have, before the start.
template <class T>
void set_options([[maybe_unused]] Trainer<T>& training, [[maybe_unused]] const typename Linear<T>::Problem& p) {
#ifdef TAMIS_ALL_SOLVERS
  training.set_stopping({static_cast<StoppingRule>(p.stopping), p.stopping_threshold});
  training.set_shrinking(p.shrinking != 0);
  training.set_seed(p.seed);
#endif
}

/// TAMIS_RUNNING, or why nothing can be made of a problem.
template <class T>
tamis_status refusal_of(const typename Linear<T>::Problem& p, const ProblemSpec& choice) {
  if (!known(p.solver, p.loss, p.penalty)) return TAMIS_INVALID_OPTION;
  if (!choice.is_accepted()) return TAMIS_INVALID_COMBINATION;
  if (settings_refusal<T>(p, choice)) return TAMIS_INVALID_OPTION;
  if (!p.values || !p.labels || (p.rows && (!p.starts || !takes_sparse)) ||
      (p.column_stride && p.column_stride < p.samples))
    return TAMIS_INVALID_SHAPE;
  return TAMIS_RUNNING;
}

template <class T>
Grid<T> grid_of(const typename Linear<T>::Grid& g) {
  return {g.lambdas, g.points, g.first, g.ratio};
}

/// A solver is chosen for the smallest λ, as far as that is known.
template <class T>
T smallest_of(const Grid<T>& grid) {
  return !grid.open() && grid.valid() ? grid.at(grid.points - 1) : T(1);
}
template <class T>
ProblemSpec path_choice(const typename Linear<T>::Problem& p, const Grid<T>& grid) {
  return choice_of<T>(p, smallest_of(grid), true);
}
/// The choice for samples that a refusal has not come before, in so many bytes.
template <class T>
ProblemSpec on_samples(const ProblemSpec& choice, const typename Linear<T>::Problem& p, T lambda, std::size_t bytes,
                       Requirement beside = {}) {
  const Designs<T> designs(p);
  return Trainer<T>::on_samples(choice, designs.of(p), shape_of<T>(p), choice.lambda_of_ridge(lambda, p.l1_ratio),
                                p.intercept != 0, bytes, beside);
}

/// TAMIS_RUNNING, or why a problem has no path.
template <class T>
tamis_status path_refusal(const typename Linear<T>::Problem& p, const ProblemSpec& choice) {
  if (p.eta != T(0)) return TAMIS_INVALID_ETA;
  const tamis_status refusal = refusal_of<T>(p, choice);
  return refusal == TAMIS_RUNNING && !Trainer<T>::has_path(choice) ? TAMIS_INVALID_COMBINATION : refusal;
}

/// Bytes of the arena of the solvers of a path, with `beside` what else is needed; 0 where there is no path.
template <class T>
std::size_t selection_bytes(const typename Linear<T>::Problem& p, const typename Linear<T>::Grid& grid,
                            WorkspaceHint hint, Requirement beside) {
  if (!known(p.solver, p.loss, p.penalty) || p.eta != T(0)) return 0;
  const ProblemSpec choice = path_choice<T>(p, grid_of<T>(grid));
  if (!choice.is_accepted() || !Trainer<T>::has_path(choice)) return 0;
  return (requirement_of<T>(choice, shape_of<T>(p), hint) & beside).bytes;
}

/// A problem to make trainings of, with other targets if need be.
template <class T>
struct Setting {
  typename Linear<T>::Problem problem;
  ProblemSpec choice;
  Designs<T> designs;
  DesignOf<T> design = designs.of(problem);

  Setting(const typename Linear<T>::Problem& p, const ProblemSpec& c) : problem(p), choice(c), designs(p) {}
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
};
template <class T>
struct Make {
  const Setting<T>* setting;
  Trainer<T> operator()(const Targets<T>& targets) const {
    return training_of<T>(setting->problem, setting->choice, setting->design, targets);
  }
};

/// What lives in the memory of a run of many trainings: the setting, then the run, which points at it.
template <class T, class Run>
class Selection {
 public:
  /// make(setting): the run. `solver`: bytes of the least arena of its solvers; `beside`: of what it needs itself.
  template <class MakeRun>
  Selection(const typename Linear<T>::Problem& p, const ProblemSpec& choice, Requirement solver, Requirement beside,
            const MakeRun& make)
      : setting_(p, choice), run_(make(setting_)), least_(solver & beside), beside_(beside) {}

  Run& run() { return run_; }

  typename Linear<T>::Report report() {
    if (run_.has_solver()) return report_in_c(run_.report(), beside_);
    return report_in_c(Report<T>{.arena_bytes = least_.bytes});
  }

 private:
  Setting<T> setting_;
  Run run_;
  Requirement least_, beside_;
};

}  // namespace tamis::in_c
