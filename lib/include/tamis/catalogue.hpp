#pragma once
/// The catalogue: one row per loss, penalty and solver. Enumerations, names, what goes with what and the sentence where
/// it does not come from here; so do the parts of tamis.h, problem.js, tamis.d.ts and lib/docs between markers, which
/// `cmake --build BUILD --target catalogue` writes.
///
/// Where do I add a loss? Write loss/mine.hpp like loss/squared_hinge.hpp, include it below, and end TAMIS_LOSSES with
///     ROW(5, mine, "mine", Mine, "its formula for the documentation", "the same in ASCII, for tamis.h")
/// Which solvers take it follows from its members: concepts.hpp says which there are. A penalty is added in the same
/// way, like penalty/l1.hpp, to TAMIS_PENALTIES. The class of a solver has its `kind`; what it needs is in its row.

#include <bit>
#include <type_traits>

#include "concepts.hpp"
#include "loss/bregman_divergence.hpp"
#include "loss/hinge.hpp"
#include "loss/logistic.hpp"
#include "loss/one_vs_rest_squared_hinge.hpp"
#include "loss/ranking_squared_hinge.hpp"
#include "loss/squared_hinge.hpp"
#include "penalty/elastic_net.hpp"
#include "penalty/group.hpp"
#include "penalty/l1.hpp"
#include "penalty/ridge.hpp"
#include "penalty/sparse_group.hpp"
#include "penalty/weighted_l1.hpp"

// clang-format off

// The number in C, the enumerator, the name in files and in the command, the type, the formula of ℓ(z, y), and the same
// in ASCII. LeastSquares and BinarySquaredHinge have no rows: they have one score, and values or signs instead of
// classes, which only C++ can give.
#define TAMIS_LOSSES(ROW)                                                                                              \
  ROW(0, hinge, "hinge", Hinge,                                                                                        \
      "max_k (z_k + μ[k≠y]) − z_y, the exact multiclass hinge",                                                        \
      "max_k (z_k + margin [k != y]) - z_y")                                                                           \
  ROW(1, squared_hinge, "squared-hinge", SquaredHinge,                                                                 \
      "Σ_{k≠y} max(0, μ + z_k − z_y)²",                                                                                \
      "sum over k != y of max(0, margin + z_k - z_y)^2")                                                               \
  ROW(2, logistic, "logistic", Logistic,                                                                               \
      "log Σ_k exp(z_k + μ[k≠y]) − z_y, the multinomial logistic loss",                                                \
      "log sum_k exp(z_k + margin [k != y]) - z_y")                                                                    \
  ROW(3, one_vs_rest_squared_hinge, "one-vs-rest-squared-hinge", OneVsRestSquaredHinge,                                \
      "max(0, μ − z_y)² + Σ_{k≠y} max(0, μ + z_k)², each class against the others",                                    \
      "max(0, margin - z_y)^2 + sum over k != y of max(0, margin + z_k)^2")                                            \
  ROW(4, ranking_squared_hinge, "ranking-squared-hinge", RankingSquaredHinge,                                          \
      "Σ_{r∈Y} Σ_{k∉Y} max(0, μ + z_k − z_r)², for samples with a set Y of labels: ranks them above the rest",         \
      "sum over r in Y, k not in Y of max(0, margin + z_k - z_r)^2, Y the set of classes of a sample, maybe empty: "   \
      "ranks them above the others")

// The same of Ω(W). T is the scalar type.
#define TAMIS_PENALTIES(ROW)                                                                                           \
  ROW(0, ridge, "ridge", Ridge, "½Σw²", "half the sum of squares")                                                     \
  ROW(1, l1, "l1", L1, "Σ|w|", "sum of absolute values")                                                               \
  ROW(2, group_l2, "group-l2", GroupL2,                                                                                \
      "Σ over groups of the Euclidean norm", "sum over groups of the Euclidean norm")                                  \
  ROW(3, group_linf, "group-linf", GroupLinf,                                                                          \
      "Σ over groups of the largest-entry norm", "sum over groups of the largest absolute value")                      \
  ROW(4, elastic_net, "elastic-net", ElasticNet<T>,                                                                    \
      "ρ Σ|w| + (1 − ρ) ½Σw²", "l1_ratio * l1 + (1 - l1_ratio) * ridge")                                               \
  ROW(5, sparse_group, "sparse-group", SparseGroup<T>,                                                                 \
      "ρ Σ|w| + (1 − ρ) Σ over groups of the Euclidean norm", "l1_ratio * l1 + (1 - l1_ratio) * group-l2")             \
  ROW(6, reweighted_l1, "reweighted-l1", WeightedL1<T>,                                                                \
      "Σ a|w| in five rounds: a is 1 at first, then 1/(|w| + ε) with the w of the round before",                       \
      "not convex: five rounds of weighted l1, the weights 1 at first, then 1/(|w| + epsilon). The report is that of " \
      "the last round, with the iterations of all")

// The number in C, the enumerator, the name, what it needs of loss and penalty (catalogue::has), what it is
// (catalogue::is), and one sentence in ASCII.
#define TAMIS_SOLVERS(ROW)                                                                                             \
  ROW(0, automatic, "auto", 0, is::usual, "what suits loss, penalty, lambda and sizes")                                \
  ROW(1, primal_dual, "primal-dual", has::dual_prox, is::usual,                                                        \
      "restarted, reflected primal-dual iterations on a working set of features")                                      \
  ROW(2, fista, "fista", has::gradient, 0,                                                                             \
      "accelerated proximal gradient with line search and restarts on a working set of features")                      \
  ROW(3, primal_dual_as_printed, "primal-dual-as-printed", has::dual_prox, is::baseline | is::ended_by_iterates,       \
      "Algorithm 1 of Chierchia et al. (2015), unchanged")                                                             \
  ROW(4, constrained_primal_dual, "constrained-primal-dual", has::level_sets, is::constrained,                         \
      "primal-dual iterations with projections onto the level set of the mean loss")                                   \
  ROW(5, crammer_singer_dual, "crammer-singer-dual", has::hinge | has::ridge_form, is::usual,                          \
      "ascent on the dual, one sample at a time; lambda > 0; norms of rows or of listed groups are ridge whose "       \
      "weights are renewed (the default with ridge, unless n lambda is below 1/1000 or below 1/1000, in float "        \
      "3/1000, of the mean square distance of samples from their mean; with elastic-net unless n lambda "              \
      "(1 - l1_ratio) is below 1/10 of that over the classes; with group-l2 for at least 8 classes and samples times "  \
      "classes 60 times the features, unless n lambda is small beside the root of that)")                              \
  ROW(6, two_phase, "two-phase", has::prox_jacobian | has::dual_prox | has::simplex, is::usual,                        \
      "primal-dual iterations, then a proximal point method whose subproblems semismooth Newton solves on the samples "\
      "that matter, if the arena has room for its linear systems; hinge and l1 in double by the simplex method along " \
      "paths, and where steps stand still")                                                                            \
  ROW(7, constrained_primal_dual_as_printed, "constrained-primal-dual-as-printed", has::level_sets,                    \
      is::baseline | is::constrained | is::ended_by_iterates,                                                          \
      "Algorithm 2 of Chierchia et al. (2015), unchanged: epigraphical splitting")                                     \
  ROW(8, linear_constraints_primal_dual_as_printed, "linear-constraints-primal-dual-as-printed", has::level_sets,      \
      is::baseline | is::constrained | is::ended_by_iterates,                                                          \
      "the reformulation with linear constraints that Chierchia et al. (2015) compare with")                           \
  ROW(9, fista_constant_step_as_printed, "fista-constant-step-as-printed", has::gradient | has::printed_lipschitz,     \
      is::baseline | is::ended_by_iterates,                                                                            \
      "FISTA with the constant step that Blondel et al. (2013) print, 4 to 100 times shorter than that of "            \
      "fista-constant-step")                                                                                           \
  ROW(10, forward_backward, "forward-backward", has::gradient, is::baseline | is::ended_by_iterates,                   \
      "proximal gradient steps of constant length, the longest that a power iteration finds: what Chierchia et al. "   \
      "(2015) timed for the logistic loss")                                                                            \
  ROW(11, block_coordinate_descent, "block-coordinate-descent", has::gradient | has::curvature,                        \
      is::usual | is::reading_columns,                                                                                 \
      "descent over features, which keeps the scores up to date, then Newton's method with conjugate gradients on the "\
      "features that are not zero, if the arena has room for it")                                                      \
  ROW(12, fobos_as_printed, "fobos-as-printed", has::one_round, is::baseline | is::stochastic | is::random,            \
      "stochastic proximal gradient (Duchi and Singer 2009), one sample a step, steps eta_0/sqrt(t)")                  \
  ROW(13, adaptive_dual_averaging, "adaptive-dual-averaging", has::one_round,                                          \
      is::baseline | is::stochastic | is::random,                                                                      \
      "dual averaging (Xiao 2010), one sample a step, sparse models, steps that adapt to each feature")                \
  ROW(14, bcd_line_search_as_printed, "bcd-line-search-as-printed", has::blockwise | has::curvature,                   \
      is::baseline | is::reading_columns | is::blockwise,                                                              \
      "block coordinate descent over features in turn with a line search, as Blondel et al. (2013) print it; groups "  \
      "are rows")                                                                                                      \
  ROW(15, bcd_constant_step_as_printed, "bcd-constant-step-as-printed", has::blockwise | has::curvature,               \
      is::baseline | is::reading_columns | is::blockwise | is::random,                                                 \
      "the same at random with constant steps")                                                                        \
  ROW(16, fista_line_search_as_printed, "fista-line-search-as-printed", has::gradient,                                 \
      is::baseline | is::ended_by_iterates,                                                                            \
      "FISTA with backtracking, which Blondel et al. (2013) time against theirs")                                      \
  ROW(17, sparsa_as_printed, "sparsa-as-printed", has::gradient, is::baseline | is::ended_by_iterates,                 \
      "Barzilai-Borwein steps, which Blondel et al. (2013) time against theirs")                                       \
  ROW(18, fista_constant_step, "fista-constant-step", has::gradient, is::baseline | is::ended_by_iterates,             \
      "forward-backward with momentum: what Chierchia et al. (2015) timed for the squared hinge")                      \
  ROW(19, proximal_newton, "proximal-newton", has::gradient | has::curvature | has::entry_hessian | has::entry_l1,     \
      is::reading_columns,                                                                                             \
      "solves for a decreasing sequence of lambda, each by Newton's method on single coefficients")

// The solvers of `tamis interactions` and of `tamis kernels`: the number, the enumerator, the name, the losses, and
// what they take of hierarchies and norms, or of norms and forms.
#define TAMIS_INTERACTION_SOLVERS(ROW)                                                                                 \
  ROW(0, automatic, "auto", "least-squares squared-hinge", "all (admm)")                                               \
  ROW(1, admm, "admm", "least-squares squared-hinge", "weak strong (l1 linf l2) full main (l1 linf l2 ridge)")         \
  ROW(2, weak_primal_dual_as_printed, "weak-primal-dual-as-printed", "least-squares squared-hinge", "weak (l1 linf)")  \
  ROW(3, strong_primal_dual_as_printed, "strong-primal-dual-as-printed", "least-squares squared-hinge",                \
      "strong (l1 linf)")                                                                                              \
  ROW(4, weak_fista_as_printed, "weak-fista-as-printed", "least-squares squared-hinge", "weak full main (l1 linf l2)") \
  ROW(5, strong_fista_dykstra, "strong-fista-dykstra", "least-squares squared-hinge", "strong (l1 linf l2)")           \
  ROW(6, strong_admm_as_printed, "strong-admm-as-printed", "least-squares", "strong (l1)")
#define TAMIS_KERNEL_SOLVERS(ROW)                                                                                      \
  ROW(0, automatic, "auto", "squared-hinge", "all (admm)")                                                             \
  ROW(1, admm, "admm", "squared-hinge", "every p, q and r, binary and multiclass")                                     \
  ROW(2, fista, "fista", "squared-hinge", "every p, q and r, binary and multiclass")                                   \
  ROW(3, forward_backward_as_printed, "forward-backward-as-printed", "squared-hinge", "the same, without intercepts")

// The WebAssembly modules that train one model: the enumerator, which with a hyphen for each underscore is the name of
// the file after `tamis-`, and conditions on losses, penalties and solvers. A module has those solvers that take some of
// its losses with some of its penalties; the first row that has all that a problem asks for is the one. What none has,
// the module `tamis` has, of all usual solvers. wasm/CMakeLists.txt names them, too.
#define TAMIS_MODULES(ROW)                                                                                             \
  ROW(hinge_ridge, is_one<LossKind::hinge>, has_ridge_part, is_usual)                                                  \
  ROW(hinge, is_one<LossKind::hinge>, has_entries_alone, is_usual)                                                     \
  ROW(hinge_groups, is_one<LossKind::hinge>, has_groups, is_small)                                                     \
  ROW(squared_hinge_ridge, is_one<LossKind::squared_hinge>, has_ridge_part, is_usual)                                  \
  ROW(squared_hinge, is_one<LossKind::squared_hinge>, has_entries_alone, is_usual)                                     \
  ROW(squared_hinge_groups, is_one<LossKind::squared_hinge>, has_groups, is_usual)                                     \
  ROW(logistic, is_one<LossKind::logistic>, !has_groups, is_usual)                                                     \
  ROW(logistic_groups, is_one<LossKind::logistic>, has_groups, is_usual)                                               \
  ROW(one_vs_rest, is_one<LossKind::one_vs_rest_squared_hinge>, !has_groups, is_usual)                                 \
  ROW(one_vs_rest_groups, is_one<LossKind::one_vs_rest_squared_hinge>, has_groups, is_usual)                           \
  ROW(constrained, is_one<LossKind::hinge>, is_any, is_one<SolverKind::constrained_primal_dual>)                       \
  ROW(fista, has_gradient_of_classes, is_any, is_one<SolverKind::fista>)                                               \
  ROW(ranking, has_label_sets, is_any, is_one<SolverKind::fista>)

// The number in C, the enumerator of StoppingRule, the name, and one sentence in ASCII.
#define TAMIS_STOPPING_RULES(ROW)                                                                                      \
  ROW(0, gap, "gap", "the certificate")                                                                                \
  ROW(1, iterates, "iterates", "|x - x_before| / |x| of consecutive iterates, below the threshold")                    \
  ROW(2, violation_sum, "violation-sum",                                                                               \
      "sum of the optimality violations of an outer pass over that of the first; block coordinate descent as printed") \
  ROW(3, violation_max, "violation-max", "the same of the largest violation")

// clang-format on

// The sentences of refusals. The same serve static_assert and the checks at run time.
#define TAMIS_NEEDS_DUAL_PROX \
  "this solver projects onto the dual domain of the loss: it needs a loss with dual_prox, such as hinge"
#define TAMIS_NEEDS_GRADIENT \
  "this solver follows the gradient of the loss: it needs a smooth loss, such as squared-hinge"
#define TAMIS_NEEDS_PROX_JACOBIAN \
  "this solver needs the slope of the penalty's proximity operator: it needs a penalty with prox_jacobian"
#define TAMIS_NEEDS_HINGE_AND_RIDGE                                                                                  \
  "this solver maximises the dual of the exact multiclass hinge with ridge, whose weights may stand for groups: it " \
  "needs hinge, and ridge, elastic-net or group-l2"
#define TAMIS_NEEDS_RIDGE_PART \
  "this solver maximises the dual, whose curvature the ridge of the penalty bounds: it needs an l1 ratio below 1"
#define TAMIS_NEEDS_CURVATURE \
  "this solver uses the second derivatives of the loss: it needs a loss with take_curvature, such as squared-hinge"
#define TAMIS_NEEDS_BLOCKWISE "this solver needs a smooth loss of one class per sample"
#define TAMIS_NEEDS_PRINTED_LIPSCHITZ \
  "this solver takes Blondel et al.'s (2013) constant step: it needs a loss with printed_lipschitz"
#define TAMIS_NEEDS_LEVEL_SETS \
  "this solver projects onto the level sets of the mean loss: it needs a loss with level_terms, such as hinge"
#define TAMIS_NEEDS_ENTRIES "this solver takes a Hessian of single coefficients: it needs logistic, and l1 or elastic-net"
#define TAMIS_NEEDS_CONVERGENCE "the rounds of reweighted-l1 need a solver that converges"
#define TAMIS_NEEDS_ROWS "this solver moves the coefficients of one feature at a time: it needs groups that are rows"
#define TAMIS_NEEDS_ALL_CLASSES \
  "this solver has one weight for all classes of a feature: it needs groups that are rows, or listed"
#define TAMIS_NEEDS_COLUMNS "this solver reads the samples feature by feature: it needs a design with column(feature)"
#define TAMIS_NEEDS_PENALTY "a penalty needs value(Rows<const T>) and prox(Rows<T>, step)"
#define TAMIS_NEEDS_DESIGN "a design needs multiply, transposed_multiply, column_sum, entries and find_bad_value"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

#define TAMIS_ENUMERATOR(number, kind, ...) kind = number,
enum class LossKind : std::uint8_t { TAMIS_LOSSES(TAMIS_ENUMERATOR) };
enum class PenaltyKind : std::uint8_t { TAMIS_PENALTIES(TAMIS_ENUMERATOR) };
enum class SolverKind : std::uint8_t { TAMIS_SOLVERS(TAMIS_ENUMERATOR) };
enum class InteractionSolver : std::uint8_t { TAMIS_INTERACTION_SOLVERS(TAMIS_ENUMERATOR) };
enum class KernelSolver : std::uint8_t { TAMIS_KERNEL_SOLVERS(TAMIS_ENUMERATOR) };
#undef TAMIS_ENUMERATOR

#define TAMIS_KIND(number, kind, ...) LossKind::kind,
inline constexpr LossKind all_losses[] = {TAMIS_LOSSES(TAMIS_KIND)};
#undef TAMIS_KIND
#define TAMIS_KIND(number, kind, ...) PenaltyKind::kind,
inline constexpr PenaltyKind all_penalties[] = {TAMIS_PENALTIES(TAMIS_KIND)};
#undef TAMIS_KIND
#define TAMIS_KIND(number, kind, ...) SolverKind::kind,
inline constexpr SolverKind all_solvers[] = {TAMIS_SOLVERS(TAMIS_KIND)};
#undef TAMIS_KIND
#define TAMIS_KIND(number, kind, ...) InteractionSolver::kind,
inline constexpr InteractionSolver all_interaction_solvers[] = {TAMIS_INTERACTION_SOLVERS(TAMIS_KIND)};
#undef TAMIS_KIND
#define TAMIS_KIND(number, kind, ...) KernelSolver::kind,
inline constexpr KernelSolver all_kernel_solvers[] = {TAMIS_KERNEL_SOLVERS(TAMIS_KIND)};
#undef TAMIS_KIND
#define TAMIS_KIND(number, kind, ...) StoppingRule::kind,
inline constexpr StoppingRule all_stopping_rules[] = {TAMIS_STOPPING_RULES(TAMIS_KIND)};
#undef TAMIS_KIND

/// The rows, an array per column: a program holds the columns that it asks for, and no sentences.
namespace catalogue {

/// What a loss or a penalty has, read off its type: first what solvers need, of which a refusal names the first that is
/// missing, then what else tells them apart.
namespace has {
enum : unsigned {
  prox_jacobian = 1 << 0,
  one_round = 1 << 1,
  hinge = 1 << 2,
  ridge_form = 1 << 3,  ///< ½Σw², beside Σ|w|, or a minimum of such sums over weights of features
  blockwise = 1 << 4,
  gradient = 1 << 5,
  curvature = 1 << 6,
  printed_lipschitz = 1 << 7,
  dual_prox = 1 << 8,
  simplex = 1 << 9,
  level_sets = 1 << 10,
  entry_hessian = 1 << 11,
  entry_l1 = 1 << 12,
  subgradient = 1 << 13,
  divergence = 1 << 14,
  label_sets = 1 << 15,
  groups = 1 << 16,
  l1_ratio = 1 << 17,
  zeros = 1 << 18,
};
}  // namespace has
inline constexpr const char* missing[] = {
    TAMIS_NEEDS_PROX_JACOBIAN, TAMIS_NEEDS_CONVERGENCE, TAMIS_NEEDS_HINGE_AND_RIDGE, TAMIS_NEEDS_HINGE_AND_RIDGE,
    TAMIS_NEEDS_BLOCKWISE,     TAMIS_NEEDS_GRADIENT,    TAMIS_NEEDS_CURVATURE,       TAMIS_NEEDS_BLOCKWISE,
    TAMIS_NEEDS_DUAL_PROX,     TAMIS_NEEDS_DUAL_PROX,   TAMIS_NEEDS_LEVEL_SETS,      TAMIS_NEEDS_ENTRIES,
    TAMIS_NEEDS_ENTRIES};

template <class L, class T = float>
constexpr unsigned of_type(LossKind) {
  constexpr bool has_sets = requires(L loss) { loss.sets; };
  constexpr bool has_subgradient = requires(L loss, const T* z, T* u) {
    loss.subgradient(z, Index(), Label(), T(), T(), u);
  };
  return (std::is_same_v<L, Hinge> ? has::hinge : 0u) | (SmoothLoss<L, T> ? has::gradient : 0u) |
         (CurvedLoss<L, T> ? has::curvature : 0u) | (BlockwiseLoss<L, T> ? has::blockwise : 0u) |
         (PrintedLipschitz<L, T> ? has::printed_lipschitz : 0u) | (DualProximableLoss<L, T> ? has::dual_prox : 0u) |
         (EntryLoss<L, T> ? has::entry_hessian : 0u) | (SimplexLoss<L, T> ? has::simplex : 0u) | (ConstrainableLoss<L, T> ? has::level_sets : 0u) |
         (has_subgradient ? has::subgradient : 0u) | (knows_bregman_divergence<T>(L{}) ? has::divergence : 0u) |
         (has_sets ? has::label_sets : 0u);
}
/// Whether the penalty, or its norm, takes a ratio of l1.
template <class P>
concept HasRatio = requires(P penalty) {
  penalty.ratio;
}
|| requires(P penalty) { penalty.norm.ratio; };
template <class P, class T = float>
constexpr unsigned of_type(PenaltyKind) {
  return (HasProxJacobian<P, T> ? has::prox_jacobian : 0u) | (HasDualNorm<P, T> ? has::zeros : 0u) |
         (std::is_same_v<P, WeightedL1<T>> ? 0u : has::one_round) |
         (std::is_same_v<P, Ridge> || std::is_same_v<P, ElasticNet<T>> || std::is_same_v<P, GroupL2> ? has::ridge_form
                                                                                                     : 0u) |
         (HasEntryTerms<P, T> ? has::entry_l1 : 0u) | (HasGrouping<P> ? has::groups : 0u) |
         (HasRatio<P> ? has::l1_ratio : 0u);
}

/// A row with its type, and a list of such rows.
template <auto row_kind, class RowType>
struct Row {
  static constexpr auto kind = row_kind;
  using Type = RowType;
  static constexpr unsigned has = of_type<Type>(row_kind);
};
template <class... R>
struct List {};
template <class... R>
constexpr auto column_of(List<R...>) {
  struct {
    std::uint32_t entries[sizeof...(R)];
  } column{{R::has...}};
  return column;
}
template <class, class... R>
using ListAfter = List<R...>;
#define TAMIS_ROW(number, kind, name, Type, ...) , Row<LossKind::kind, Type>
using Losses = ListAfter<void TAMIS_LOSSES(TAMIS_ROW)>;
#undef TAMIS_ROW
#define TAMIS_ROW(number, kind, name, Type, ...) , Row<PenaltyKind::kind, Type>
template <class T>
using Penalties = ListAfter<void TAMIS_PENALTIES(TAMIS_ROW)>;
#undef TAMIS_ROW
inline constexpr auto loss_has = column_of(Losses{});
inline constexpr auto penalty_has = column_of(Penalties<float>{});

/// What a solver is: in the smallest module as well; or in libraries built with TAMIS_ALL_SOLVERS alone …
namespace is {
enum : unsigned {
  usual = 1 << 0,
  baseline = 1 << 1,
  constrained = 1 << 2,
  stochastic = 1 << 3,
  random = 1 << 4,
  blockwise = 1 << 5,
  reading_columns = 1 << 6,
  ended_by_iterates = 1 << 7,
};
}  // namespace is

#define TAMIS_ENTRY(number, kind, name, ...) name,
inline constexpr const char* loss_names[] = {TAMIS_LOSSES(TAMIS_ENTRY)};
inline constexpr const char* penalty_names[] = {TAMIS_PENALTIES(TAMIS_ENTRY)};
inline constexpr const char* solver_names[] = {TAMIS_SOLVERS(TAMIS_ENTRY)};
inline constexpr const char* interaction_solver_names[] = {TAMIS_INTERACTION_SOLVERS(TAMIS_ENTRY)};
inline constexpr const char* kernel_solver_names[] = {TAMIS_KERNEL_SOLVERS(TAMIS_ENTRY)};
inline constexpr const char* stopping_names[] = {TAMIS_STOPPING_RULES(TAMIS_ENTRY)};
#undef TAMIS_ENTRY
#define TAMIS_ENTRY(number, kind, name, needs, ...) needs,
inline constexpr std::uint16_t solver_needs[] = {TAMIS_SOLVERS(TAMIS_ENTRY)};
#undef TAMIS_ENTRY
#define TAMIS_ENTRY(number, kind, name, needs, traits, ...) traits,
inline constexpr std::uint16_t solver_is[] = {TAMIS_SOLVERS(TAMIS_ENTRY)};
#undef TAMIS_ENTRY

/// Of a column, the entry of a kind, or what stands for kinds that are not known.
template <class Entry, std::size_t count>
constexpr Entry entry(const Entry (&column)[count], auto kind, Entry unknown = {}) {
  const auto place = static_cast<std::size_t>(kind);
  return place < count ? column[place] : unknown;
}
constexpr unsigned of(LossKind kind) { return entry(loss_has.entries, kind); }
constexpr unsigned of(PenaltyKind kind) { return entry(penalty_has.entries, kind); }
constexpr unsigned of(SolverKind kind) { return entry(solver_is, kind); }

template <class Kind, std::size_t count>
constexpr bool in_order(const Kind (&kinds)[count]) {
  for (std::size_t i = 0; i < count; ++i)
    if (static_cast<std::size_t>(kinds[i]) != i) return false;
  return true;
}
static_assert(in_order(all_losses) && in_order(all_penalties) && in_order(all_solvers) &&
                  in_order(all_interaction_solvers) && in_order(all_kernel_solvers) && in_order(all_stopping_rules),
              "the rows of the catalogue are in the order of their numbers, without gaps");

}  // namespace catalogue

/// Names as the command, the report and the model file spell them.
constexpr const char* name(LossKind kind) { return catalogue::entry(catalogue::loss_names, kind, "unknown"); }
constexpr const char* name(PenaltyKind kind) { return catalogue::entry(catalogue::penalty_names, kind, "unknown"); }
constexpr const char* name(SolverKind kind) { return catalogue::entry(catalogue::solver_names, kind, "unknown"); }
constexpr const char* name(InteractionSolver kind) {
  return catalogue::entry(catalogue::interaction_solver_names, kind, "unknown");
}
constexpr const char* name(KernelSolver kind) {
  return catalogue::entry(catalogue::kernel_solver_names, kind, "unknown");
}
constexpr const char* name(StoppingRule rule) { return catalogue::entry(catalogue::stopping_names, rule, "unknown"); }

/// Whether samples have sets of labels instead of one.
constexpr bool has_label_sets(LossKind kind) { return catalogue::of(kind) & catalogue::has::label_sets; }

/// Whether groups, and a ratio of l1, mean something to a penalty.
constexpr bool has_groups(PenaltyKind kind) { return catalogue::of(kind) & catalogue::has::groups; }
constexpr bool has_ratio(PenaltyKind kind) { return catalogue::of(kind) & catalogue::has::l1_ratio; }
/// Whether the penalty makes coefficients zero, from some λ on all of them.
constexpr bool makes_zeros(PenaltyKind kind) { return catalogue::of(kind) & catalogue::has::zeros; }
constexpr bool makes_zero_entries(PenaltyKind kind) { return makes_zeros(kind) && !has_groups(kind); }
/// Whether ½Σw² is a part of the penalty; whether it is a sum of |w| alone, weighted or not.
constexpr bool has_ridge_part(PenaltyKind kind) {
  return !has_groups(kind) && (!makes_zeros(kind) || has_ratio(kind));
}
constexpr bool has_entries_alone(PenaltyKind kind) { return !has_groups(kind) && !has_ridge_part(kind); }
/// Whether the penalty is one of rounds: it has an ε, and its problem is another one in each round.
constexpr bool in_rounds(PenaltyKind kind) { return !(catalogue::of(kind) & catalogue::has::one_round); }

/// Whether a solver is in every library, and in the modules of usual solvers.
constexpr bool is_usual(SolverKind solver) { return catalogue::of(solver) & catalogue::is::usual; }
/// Whether a solver reads the columns of a design where they lie.
constexpr bool needs_columns(SolverKind solver) { return catalogue::of(solver) & catalogue::is::reading_columns; }
/// Whether the solver learns from one sample after the other: its iterations are passes, and it has a learning rate.
constexpr bool is_stochastic(SolverKind solver) { return catalogue::of(solver) & catalogue::is::stochastic; }
/// Whether the solver minimises the penalty under a bound on the mean loss, instead of their weighted sum.
constexpr bool is_constrained(SolverKind solver) { return catalogue::of(solver) & catalogue::is::constrained; }
/// Whether the solver moves one feature's row at a time; then it can leave out rows (`set_shrinking`), and takes no
/// groups of several features.
constexpr bool is_blockwise(SolverKind solver) { return catalogue::of(solver) & catalogue::is::blockwise; }
/// Whether the solver draws at random, from a seed (`set_seed`).
constexpr bool is_random(SolverKind solver) { return catalogue::of(solver) & catalogue::is::random; }
/// Whether the solver can end by that rule.
constexpr bool has_stopping(SolverKind solver, StoppingRule rule) {
  if (rule == StoppingRule::gap) return true;
  return (catalogue::of(solver) &
          (rule == StoppingRule::iterates ? catalogue::is::ended_by_iterates : catalogue::is::blockwise)) != 0;
}

namespace catalogue {
/// What the solver needs and neither loss nor penalty has.
constexpr unsigned unmet(SolverKind solver, LossKind loss, PenaltyKind penalty) {
  return entry(solver_needs, solver) & ~(of(loss) | of(penalty));
}
}  // namespace catalogue
constexpr bool is_compatible(SolverKind solver, LossKind loss, PenaltyKind penalty) {
  return !catalogue::unmet(solver, loss, penalty);
}
/// What is wrong with the combination, in one sentence; null when it is accepted.
constexpr const char* incompatibility(SolverKind solver, LossKind loss, PenaltyKind penalty) {
  const unsigned unmet = catalogue::unmet(solver, loss, penalty);
  return unmet ? catalogue::missing[std::countr_zero(unmet)] : nullptr;
}

namespace catalogue {

/// What `rows_of` keeps of a list by name.
template <auto... kinds>
struct Only {
  static constexpr bool has(auto kind) { return ((kind == kinds) || ...); }
};
/// Those rows of a list that a module has.
template <class Module, class... Kept>
constexpr auto rows_of(List<>, List<Kept...> kept = {}) {
  return kept;
}
template <class Module, class First, class... R, class... Kept>
constexpr auto rows_of(List<First, R...>, List<Kept...> = {}) {
  using WithFirst = std::conditional_t<Module::has(First::kind), List<Kept..., First>, List<Kept...>>;
  return rows_of<Module>(List<R...>{}, WithFirst{});
}

/// What modules have: losses, penalties and solvers.
namespace modules {
template <auto kind>
constexpr bool is_one(decltype(kind) which) {
  return which == kind;
}
constexpr bool is_any(PenaltyKind) { return true; }
/// Ascent on the dual beside the second phase is more than a module of one training may weigh with groups.
constexpr bool is_small(SolverKind solver) { return is_usual(solver) && solver != SolverKind::crammer_singer_dual; }
/// Losses with a gradient, of samples with one class each.
constexpr bool has_gradient_of_classes(LossKind loss) { return (of(loss) & has::gradient) && !has_label_sets(loss); }
constexpr bool takes_one(SolverKind solver, bool (*has_loss)(LossKind), bool (*takes)(PenaltyKind)) {
  for (const LossKind loss : all_losses) {
    // Losses with a gradient have solvers that go by it.
    if (!has_loss(loss) || ((of(loss) & has::gradient) && (entry(solver_needs, solver) & has::dual_prox))) continue;
    for (const PenaltyKind penalty : all_penalties)
      if (takes(penalty) && is_compatible(solver, loss, penalty)) return true;
  }
  return false;
}
#define TAMIS_ROW(module, of_losses, of_penalties, of_solvers)                                           \
  struct module {                                                                                        \
    static constexpr const char* name = #module;                                                         \
    static constexpr bool has(LossKind loss) { return of_losses(loss); }                                 \
    static constexpr bool has(PenaltyKind penalty) { return of_penalties(penalty); }                     \
    static constexpr bool has(SolverKind kind) { return of_solvers(kind) && takes_one(kind, has, has); } \
  };
TAMIS_MODULES(TAMIS_ROW)
#undef TAMIS_ROW
}  // namespace modules
#define TAMIS_ROW(module, ...) , modules::module
using Modules = ListAfter<void TAMIS_MODULES(TAMIS_ROW)>;
#undef TAMIS_ROW

}  // namespace catalogue

/// What decides which solver suits a problem, of kinds as of types.
struct ProblemTraits {
  bool smooth = false;    ///< the loss has a gradient
  bool descends = false;  ///< loss, penalty and design have what BlockCoordinateDescent and Newton's method take
  bool by_entries = false;        ///< and what ProximalNewtonDescent takes
  bool rare_sizes = false;  ///< at which TwoPhase is faster, where it takes a smooth loss, or descent than by entries
  bool has_second_phase = false;  ///< they have what TwoPhase takes, and the design is in memory
  bool ascends = false;           ///< on the dual, which exists where λ > 0 alone; it crawls where λ is tiny
  bool constrained = false;       ///< the form with η
  bool tiny_lambda = false;
  bool wide_groups = false;  ///< largest entries are shared by features, and descent over features crawls
};

/// The solver that `automatic` stands for, at run time, and the plain Training, at compile time.
constexpr SolverKind default_solver(const ProblemTraits& problem) {
  if (problem.constrained) return SolverKind::constrained_primal_dual;
  if (problem.smooth) {
    if (problem.has_second_phase && problem.rare_sizes) return SolverKind::two_phase;
    if (!problem.descends || problem.wide_groups) return SolverKind::fista;
    return problem.by_entries && (in_webassembly || !problem.rare_sizes) ? SolverKind::proximal_newton
                                                                         : SolverKind::block_coordinate_descent;
  }
  if (problem.ascends && !problem.tiny_lambda) return SolverKind::crammer_singer_dual;
  return problem.has_second_phase ? SolverKind::two_phase : SolverKind::primal_dual;
}
constexpr SolverKind default_solver(LossKind loss, PenaltyKind penalty, bool constrained = false,
                                    bool tiny_lambda = false, bool wide_groups = false, bool rare_sizes = false) {
  const auto accepted = [=](SolverKind solver) { return is_compatible(solver, loss, penalty); };
  return default_solver(
      {.smooth = (catalogue::of(loss) & catalogue::has::gradient) != 0,
       .descends = accepted(SolverKind::block_coordinate_descent),
       .by_entries = accepted(SolverKind::proximal_newton),
       .rare_sizes = rare_sizes,
       .has_second_phase = accepted(SolverKind::two_phase),
       .ascends = accepted(SolverKind::crammer_singer_dual) && (has_ridge_part(penalty) || rare_sizes),
       .constrained = constrained,
       .tiny_lambda = tiny_lambda,
       .wide_groups = penalty == PenaltyKind::group_linf && wide_groups});
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
