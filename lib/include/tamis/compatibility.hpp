#pragma once
/// Which solver accepts which loss and penalty: one table for the compiler and for run-time choices.

#include "concepts.hpp"
#include "loss/hinge.hpp"
#include "loss/logistic.hpp"
#include "loss/one_vs_rest_squared_hinge.hpp"
#include "loss/ranking_squared_hinge.hpp"
#include "loss/squared_hinge.hpp"

namespace tamis {

enum class LossKind : std::uint8_t { hinge, squared_hinge, logistic, one_vs_rest_squared_hinge, ranking_squared_hinge };
enum class PenaltyKind : std::uint8_t { ridge, l1, group_l2, group_linf, elastic_net, sparse_group, reweighted_l1 };
enum class SolverKind : std::uint8_t {
  automatic,
  primal_dual,
  fista,
  primal_dual_as_printed,
  constrained_primal_dual,
  crammer_singer_dual,
  two_phase,
  constrained_primal_dual_as_printed,
  linear_constraints_primal_dual_as_printed,
  fista_constant_step_as_printed,
  forward_backward,
  block_coordinate_descent,
  fobos_as_printed,
  adaptive_dual_averaging,
  bcd_line_search_as_printed,
  bcd_constant_step_as_printed,
  fista_line_search_as_printed,
  sparsa_as_printed,
  fista_constant_step,
};

inline constexpr LossKind all_losses[] = {LossKind::hinge, LossKind::squared_hinge, LossKind::logistic,
                                          LossKind::one_vs_rest_squared_hinge, LossKind::ranking_squared_hinge};
inline constexpr PenaltyKind all_penalties[] = {
    PenaltyKind::ridge,       PenaltyKind::l1,           PenaltyKind::group_l2,     PenaltyKind::group_linf,
    PenaltyKind::elastic_net, PenaltyKind::sparse_group, PenaltyKind::reweighted_l1};
inline constexpr SolverKind all_solvers[] = {SolverKind::automatic,
                                             SolverKind::primal_dual,
                                             SolverKind::fista,
                                             SolverKind::primal_dual_as_printed,
                                             SolverKind::constrained_primal_dual,
                                             SolverKind::crammer_singer_dual,
                                             SolverKind::two_phase,
                                             SolverKind::constrained_primal_dual_as_printed,
                                             SolverKind::linear_constraints_primal_dual_as_printed,
                                             SolverKind::fista_constant_step_as_printed,
                                             SolverKind::forward_backward,
                                             SolverKind::block_coordinate_descent,
                                             SolverKind::fobos_as_printed,
                                             SolverKind::adaptive_dual_averaging,
                                             SolverKind::bcd_line_search_as_printed,
                                             SolverKind::bcd_constant_step_as_printed,
                                             SolverKind::fista_line_search_as_printed,
                                             SolverKind::sparsa_as_printed,
                                             SolverKind::fista_constant_step};
inline constexpr StoppingRule all_stopping_rules[] = {StoppingRule::gap, StoppingRule::iterates,
                                                      StoppingRule::violation_sum, StoppingRule::violation_max};

/// Names as the command, the report and the model file spell them.
constexpr const char* name(LossKind kind) {
  switch (kind) {
    case LossKind::hinge: return "hinge";
    case LossKind::squared_hinge: return "squared-hinge";
    case LossKind::logistic: return "logistic";
    case LossKind::one_vs_rest_squared_hinge: return "one-vs-rest-squared-hinge";
    case LossKind::ranking_squared_hinge: return "ranking-squared-hinge";
  }
  return "unknown";
}
constexpr const char* name(PenaltyKind kind) {
  switch (kind) {
    case PenaltyKind::ridge: return "ridge";
    case PenaltyKind::l1: return "l1";
    case PenaltyKind::group_l2: return "group-l2";
    case PenaltyKind::group_linf: return "group-linf";
    case PenaltyKind::elastic_net: return "elastic-net";
    case PenaltyKind::sparse_group: return "sparse-group";
    case PenaltyKind::reweighted_l1: return "reweighted-l1";
  }
  return "unknown";
}
/// Which parameters mean something to a penalty.
constexpr bool has_groups(PenaltyKind kind) {
  return kind == PenaltyKind::group_l2 || kind == PenaltyKind::group_linf || kind == PenaltyKind::sparse_group;
}
constexpr bool has_ratio(PenaltyKind kind) {
  return kind == PenaltyKind::elastic_net || kind == PenaltyKind::sparse_group;
}
constexpr const char* name(SolverKind kind) {
  switch (kind) {
    case SolverKind::automatic: return "auto";
    case SolverKind::primal_dual: return "primal-dual";
    case SolverKind::fista: return "fista";
    case SolverKind::primal_dual_as_printed: return "primal-dual-as-printed";
    case SolverKind::two_phase: return "two-phase";
    case SolverKind::crammer_singer_dual: return "crammer-singer-dual";
    case SolverKind::constrained_primal_dual: return "constrained-primal-dual";
    case SolverKind::constrained_primal_dual_as_printed: return "constrained-primal-dual-as-printed";
    case SolverKind::linear_constraints_primal_dual_as_printed: return "linear-constraints-primal-dual-as-printed";
    case SolverKind::fista_constant_step_as_printed: return "fista-constant-step-as-printed";
    case SolverKind::forward_backward: return "forward-backward";
    case SolverKind::block_coordinate_descent: return "block-coordinate-descent";
    case SolverKind::fobos_as_printed: return "fobos-as-printed";
    case SolverKind::adaptive_dual_averaging: return "adaptive-dual-averaging";
    case SolverKind::bcd_line_search_as_printed: return "bcd-line-search-as-printed";
    case SolverKind::bcd_constant_step_as_printed: return "bcd-constant-step-as-printed";
    case SolverKind::fista_line_search_as_printed: return "fista-line-search-as-printed";
    case SolverKind::sparsa_as_printed: return "sparsa-as-printed";
    case SolverKind::fista_constant_step: return "fista-constant-step";
  }
  return "unknown";
}
constexpr const char* name(StoppingRule rule) {
  switch (rule) {
    case StoppingRule::gap: return "gap";
    case StoppingRule::iterates: return "iterates";
    case StoppingRule::violation_sum: return "violation-sum";
    case StoppingRule::violation_max: return "violation-max";
  }
  return "unknown";
}

// The same sentences serve static_assert and the run-time door.
#define TAMIS_NEEDS_DUAL_PROX \
  "this solver projects onto the dual domain of the loss: it needs a loss with dual_prox, such as hinge"
#define TAMIS_NEEDS_GRADIENT \
  "this solver follows the gradient of the loss: it needs a smooth loss, such as squared-hinge"
#define TAMIS_NEEDS_PROX_JACOBIAN                                                                                    \
  "this solver needs the slope of the penalty's proximity operator, and few nonzero coefficients: it does not take " \
  "ridge"
#define TAMIS_NEEDS_HINGE_AND_RIDGE \
  "this solver maximises the dual of the exact multiclass hinge with ridge: it needs hinge and ridge"
#define TAMIS_NEEDS_CURVATURE \
  "this solver uses the second derivatives of the loss: it needs a loss with take_curvature, such as squared-hinge"
#define TAMIS_NEEDS_BLOCKWISE "this solver needs squared-hinge, one-vs-rest-squared-hinge or logistic"
#define TAMIS_NEEDS_PRINTED_LIPSCHITZ \
  "this solver takes Blondel et al.'s (2013) constant step: it needs a loss with printed_lipschitz"
#define TAMIS_NEEDS_ROWS "this solver moves the coefficients of one feature at a time: it needs groups that are rows"
#define TAMIS_NEEDS_COLUMNS "this solver reads the samples feature by feature: it needs a design with column(feature)"
#define TAMIS_NEEDS_PENALTY "a penalty needs value(Rows<const T>) and prox(Rows<T>, step)"
#define TAMIS_NEEDS_DESIGN "a design needs multiply, transposed_multiply, column_sum, entries and find_bad_value"

#define TAMIS_NEEDS_LEVEL_SETS \
  "this solver projects onto the level sets of the mean loss: it needs a loss with level_terms, such as hinge"

#define TAMIS_NEEDS_CONVERGENCE "the rounds of reweighted-l1 need a solver that converges"

/// Whether a solver reads the columns of a design where they lie.
constexpr bool needs_columns(SolverKind solver) {
  return solver == SolverKind::block_coordinate_descent || solver == SolverKind::bcd_line_search_as_printed ||
         solver == SolverKind::bcd_constant_step_as_printed;
}
/// Whether the solver learns from one sample after the other: its iterations are passes, and it has a learning rate.
constexpr bool is_stochastic(SolverKind solver) {
  return solver == SolverKind::fobos_as_printed || solver == SolverKind::adaptive_dual_averaging;
}

/// Whether the solver minimises the penalty under a bound on the mean loss, instead of their weighted sum.
constexpr bool is_constrained(SolverKind solver) {
  return solver == SolverKind::constrained_primal_dual || solver == SolverKind::constrained_primal_dual_as_printed ||
         solver == SolverKind::linear_constraints_primal_dual_as_printed;
}

/// Whether the solver moves one feature's row at a time; then it can leave out rows (`set_shrinking`), and takes no
/// groups of several features.
constexpr bool is_blockwise(SolverKind solver) {
  return solver == SolverKind::bcd_line_search_as_printed || solver == SolverKind::bcd_constant_step_as_printed;
}

/// Whether the solver draws at random, from a seed (`set_seed`).
constexpr bool is_random(SolverKind solver) {
  return solver == SolverKind::bcd_constant_step_as_printed || is_stochastic(solver);
}

/// Whether the solver can end by that rule.
constexpr bool has_stopping(SolverKind solver, StoppingRule rule) {
  switch (rule) {
    case StoppingRule::gap: return true;
    case StoppingRule::iterates:
      return solver == SolverKind::primal_dual_as_printed || solver == SolverKind::constrained_primal_dual_as_printed ||
             solver == SolverKind::linear_constraints_primal_dual_as_printed ||
             solver == SolverKind::fista_constant_step_as_printed || solver == SolverKind::fista_constant_step ||
             solver == SolverKind::forward_backward || solver == SolverKind::fista_line_search_as_printed ||
             solver == SolverKind::sparsa_as_printed;
    case StoppingRule::violation_sum:
    case StoppingRule::violation_max: return is_blockwise(solver);
  }
  return false;
}

/// What is wrong with the combination, in one sentence; null when it is accepted.
constexpr const char* incompatibility(SolverKind solver, LossKind loss, PenaltyKind penalty) {
  const bool smooth = loss != LossKind::hinge;
  switch (solver) {
    case SolverKind::automatic: return nullptr;
    case SolverKind::fista:
    case SolverKind::fista_constant_step_as_printed:
    case SolverKind::fista_constant_step:
    case SolverKind::forward_backward:
    case SolverKind::fista_line_search_as_printed:
    case SolverKind::sparsa_as_printed: return smooth ? nullptr : TAMIS_NEEDS_GRADIENT;
    case SolverKind::block_coordinate_descent:
      if (!smooth) return TAMIS_NEEDS_GRADIENT;
      return loss == LossKind::ranking_squared_hinge ? TAMIS_NEEDS_CURVATURE : nullptr;
    case SolverKind::bcd_line_search_as_printed:
    case SolverKind::bcd_constant_step_as_printed:
      if (loss == LossKind::squared_hinge || loss == LossKind::one_vs_rest_squared_hinge || loss == LossKind::logistic)
        return nullptr;
      return TAMIS_NEEDS_BLOCKWISE;
    case SolverKind::two_phase:
      if (penalty == PenaltyKind::ridge) return TAMIS_NEEDS_PROX_JACOBIAN;
      [[fallthrough]];
    case SolverKind::primal_dual:
    case SolverKind::primal_dual_as_printed: return smooth ? TAMIS_NEEDS_DUAL_PROX : nullptr;
    case SolverKind::constrained_primal_dual:
    case SolverKind::constrained_primal_dual_as_printed:
    case SolverKind::linear_constraints_primal_dual_as_printed:
      return loss == LossKind::hinge ? nullptr : TAMIS_NEEDS_LEVEL_SETS;
    case SolverKind::fobos_as_printed:
    case SolverKind::adaptive_dual_averaging:
      return penalty == PenaltyKind::reweighted_l1 ? TAMIS_NEEDS_CONVERGENCE : nullptr;
    case SolverKind::crammer_singer_dual:
      return smooth || penalty != PenaltyKind::ridge ? TAMIS_NEEDS_HINGE_AND_RIDGE : nullptr;
  }
  return "unknown solver";
}

/// What decides which solver suits a problem, of kinds as of types.
struct ProblemTraits {
  bool smooth = false;    ///< the loss has a gradient
  bool descends = false;  ///< loss, penalty and design have what BlockCoordinateDescent and Newton's method take
  bool has_second_phase = false;  ///< they have what TwoPhase takes, and the design is in memory
  bool hinge_and_ridge = false;   ///< whose dual exists where λ > 0 alone, and ascent on it crawls where λ is tiny
  bool constrained = false;       ///< the form with η
  bool tiny_lambda = false;
  bool wide_groups = false;  ///< largest entries are shared by features, and descent over features crawls
};

/// The solver that `automatic` stands for, at run time, and the plain Training, at compile time.
constexpr SolverKind default_solver(const ProblemTraits& problem) {
  if (problem.constrained) return SolverKind::constrained_primal_dual;
  if (problem.smooth)
    return problem.descends && !problem.wide_groups ? SolverKind::block_coordinate_descent : SolverKind::fista;
  if (problem.hinge_and_ridge && !problem.tiny_lambda) return SolverKind::crammer_singer_dual;
  return problem.has_second_phase ? SolverKind::two_phase : SolverKind::primal_dual;
}
constexpr SolverKind default_solver(LossKind loss, PenaltyKind penalty, bool constrained = false,
                                    bool tiny_lambda = false, bool wide_groups = false) {
  const bool smooth = loss != LossKind::hinge, ridge = penalty == PenaltyKind::ridge;
  return default_solver({.smooth = smooth,
                         .descends = loss != LossKind::ranking_squared_hinge,
                         .has_second_phase = !ridge,
                         .hinge_and_ridge = !smooth && ridge,
                         .constrained = constrained,
                         .tiny_lambda = tiny_lambda,
                         .wide_groups = penalty == PenaltyKind::group_linf && wide_groups});
}

// The table says what the types can do.
static_assert(DualProximableLoss<Hinge, float> && !SmoothLoss<Hinge, float>);
static_assert(SmoothLoss<SquaredHinge, float> && !DualProximableLoss<SquaredHinge, float>);
static_assert(ConstrainableLoss<Hinge, float> && !ConstrainableLoss<SquaredHinge, float>);
static_assert(SmoothLoss<Logistic, float> && !DualProximableLoss<Logistic, float>);
static_assert(SmoothLoss<OneVsRestSquaredHinge, float> && !DualProximableLoss<OneVsRestSquaredHinge, float>);
static_assert(BlockwiseLoss<SquaredHinge, float> && BlockwiseLoss<OneVsRestSquaredHinge, float> &&
              BlockwiseLoss<Logistic, float> && !BlockwiseLoss<Hinge, float>);
static_assert(SmoothLoss<RankingSquaredHinge, float> && !DualProximableLoss<RankingSquaredHinge, float>);
static_assert(QuadraticDual<Hinge, float> && !QuadraticDual<Logistic, float>);

}  // namespace tamis
