#pragma once
/// What a loss, a penalty and a design must offer. Solvers check these at compile time; catalogue.hpp says in a
/// sentence what is missing.

#include <concepts>

#include "curvature.hpp"
#include "design/column.hpp"
#include "linalg/rows.hpp"
#include "loss/dual_terms.hpp"
#include "options.hpp"
#include "penalty/groups.hpp"
#include "penalty/prox_jacobian.hpp"
#include "status.hpp"
#include "targets.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The same with two rows of scratch for the dual value.
template <class L, class T>
concept ScratchDual = requires(const L loss, const T* u, Index classes, Label y, T margin, T weight, T* scratch) {
  { loss.dual_terms(u, classes, y, margin, weight, scratch, scratch) } -> std::convertible_to<DualTerms<T>>;
};

/// A loss whose dual value along a ray s·u is a quadratic in s.
template <class L, class T>
concept QuadraticDual = requires(const L loss, const T* u, Index classes, Label y, T margin, T weight) {
  { loss.dual_terms(u, classes, y, margin, weight) } -> std::convertible_to<DualTerms<T>>;
}
|| ScratchDual<L, T>;

/// A loss whose dual value −(cℓ)*(s·u) is evaluated at one s after the other.
template <class L, class T>
concept GeneralDual = requires(const L loss, const T* u, Index classes, Label y, T margin, T weight, T scale) {
  { loss.dual_value(u, classes, y, margin, weight, scale) } -> std::convertible_to<T>;
};

/// A loss of one sample: z are its K scores, y its label, margin its μ, weight its share c of the total. One that
/// `predicts_values()` finds its value where others have μ. See also the functions on losses below, which say what is
/// assumed of a loss that does not say otherwise.
template <class L, class T>
concept Loss = requires(const L loss, const T* z, Index classes, Label y, T margin, T weight) {
  { loss.value(z, classes, y, margin) } -> std::convertible_to<T>;
  { loss.label_mass_moves() } -> std::convertible_to<bool>;
  { loss.template max_dual_scale<T>() } -> std::convertible_to<T>;
}
&&(QuadraticDual<L, T> || GeneralDual<L, T>);

/// A loss with a Lipschitz gradient: `gradient` writes c∇ℓ(z) and returns ℓ(z).
template <class L, class T>
concept SmoothLoss = Loss<L, T> &&
    requires(const L loss, const T* z, Index classes, Label y, T margin, T weight, T* u) {
  { loss.gradient(z, classes, y, margin, weight, u) } -> std::convertible_to<T>;
  { loss.template curvature<T>(classes) } -> std::convertible_to<T>;
};

/// A smooth loss whose Hessian at one sample is known: `take_curvature` writes what it takes into a row h (false: it is
/// zero), `apply_curvature` multiplies a row by it, and `second_derivatives` writes its diagonal from c∇ℓ. It must be
/// diagonal, or have rows that sum to zero and no positive entry off the diagonal.
template <class L, class T>
concept CurvedLoss = SmoothLoss<L, T> && requires(const L loss, const T* z, Index classes, Label y, T number, T* row) {
  { loss.violations() } -> std::same_as<Violations>;
  { loss.take_curvature(z, classes, y, number, number, number, row) } -> std::same_as<bool>;
  loss.apply_curvature(z, classes, y, number, row);
  loss.second_derivatives(z, classes, y, number, row);
  { loss.curvature_size(z, classes, y, number) } -> std::same_as<CurvatureSize<T>>;
};

/// A smooth loss with the factor of a sample of label y in Blondel et al.'s (2013) Lipschitz constants: 𝒦_j = Σᵢ cᵢ ·
/// factor · xᵢⱼ² of a row of the gradient, and 𝒦 = Σ_j 𝒦_j of the whole.
template <class L, class T>
concept PrintedLipschitz = SmoothLoss<L, T> && requires(const L loss, Index classes, Label y) {
  { loss.template printed_lipschitz<T>(classes, y) } -> std::convertible_to<T>;
};

/// A smooth loss, zero only where it has no slope and no curvature, with second derivatives that follow from its
/// gradient (`second_derivatives` writes c ∂²ℓ/∂z_k² from c∇ℓ), whose factor in Blondel et al.'s (2013) constants is
/// that of all labels.
template <class L, class T>
concept BlockwiseLoss = PrintedLipschitz<L, T> &&
    requires(const L loss, const T* u, Index classes, Label y, T weight, T* h) {
  loss.second_derivatives(u, classes, y, weight, h);
};

/// A loss whose conjugate has a proximity operator, and whose problem without coefficients has a known solution;
/// `enter_domain` makes of a row that is nearly in the dual domain one that is there.
template <class L, class T>
concept DualProximableLoss = Loss<L, T> &&
    requires(const L loss, const Targets<T>& targets, T* u, Index classes, Label y, T number) {
  loss.dual_prox(u, classes, y, number, number, number);
  loss.enter_domain(u, classes, y, number);
  loss.null_model(targets, true, u, u, classes);
};

/// A loss whose mean can be bounded by a constraint: `level_terms` gives ℓ at the proximal point of the dual step, and
/// its derivative with respect to the weight; ℓ(sz, y; μ) = s ℓ(z, y; μ/s), with ℓ − μ linear in z where ℓ > 0.
template <class L, class T>
concept ConstrainableLoss = DualProximableLoss<L, T> &&
    requires(const L loss, const T* u, Index classes, Label y, T number) {
  { loss.level_terms(u, classes, y, number, number, number) } -> std::convertible_to<LevelTerms<T>>;
};

/// A penalty on the rows of W that belong together (one feature's row, unless `grouping()` or `features_together()`
/// says more): its value, and its proximity operator argmin_v ½‖v − w‖² + step·Ω(v), in place. Padding must stay zero.
/// It may have `valid()`, whether its parameters are in range, which solvers check at the start.
template <class P, class T>
concept Penalty = requires(const P penalty, Rows<T> rows, Rows<const T> constant_rows, T step) {
  { penalty.value(constant_rows) } -> std::convertible_to<T>;
  penalty.prox(rows, step);
};

/// A loss whose dual proximity operator has the Jacobian diag(r) − rrᵀ/Σr: r is 0 or 1 where it is a projection onto a
/// simplex, and lies between where it is a softer one. `stiffness` tells 1/r_k − 1 from an entry of its result, ∞ where
/// r_k = 0; `violation`, how far scores are from where the loss is zero, or from where it is not.
template <class L, class T>
concept SimplexLoss = DualProximableLoss<L, T> && requires(const L loss, const T* scores, T number) {
  { loss.stiffness(number, true, number, number) } -> std::convertible_to<T>;
  { loss.violation(scores, Index(), Label(), number) } -> std::convertible_to<T>;
};

/// A penalty whose proximity operator has a known generalised Jacobian: see ProxJacobian.
template <class P, class T>
concept HasProxJacobian = Penalty<P, T> &&
    requires(const P penalty, Rows<const T> rows, T step, void (*visit)(const ProxJacobian<T>&)) {
  penalty.prox_jacobian(rows, step, visit);
};

/// One whose Jacobian is the identity on what is not zero, whatever the coefficients.
template <class P>
concept HasPlainJacobian = requires {
  requires P::has_plain_jacobian();
};

/// One of entries: its Jacobian on what is not zero is the identity times a number.
template <class P>
concept HasScalarJacobian = HasPlainJacobian<P> || requires {
  requires P::has_scalar_jacobian();
};

/// A penalty that is smooth as long as its zeros stay zero (and largest entries equal, see ProxJacobian): `gradient`
/// writes ∇Ω(w) at the entries that are not zero. With `keeps_signs()` it has a kink where such an entry becomes zero.
/// Without, and without levels, it goes by Euclidean norms of features' coefficients in all classes, unless groups are
/// blocks within one.
template <class P, class T>
concept HasManifold = HasProxJacobian<P, T> && requires(const P penalty, Rows<const T> rows, Rows<T> out) {
  penalty.gradient(rows, out);
  { penalty.keeps_signs() } -> std::convertible_to<bool>;
};

/// A loss whose Hessian is c(diag(h) − hhᵀ), with the h that `curvature_of_gradient(u, …, h)` writes from its gradient,
/// and which takes gradients and dual values of many samples at once: see Logistic.
template <class L, class T>
concept EntryLoss = requires(const L loss, const Targets<T>& targets, const T* u, T* h, T number, Sum<T>& total) {
  loss.curvature_of_gradient(u, Index(), Label(), number, h);
  loss.gradients(targets, u, Index(), Index(), Index(), h, h, total);
  loss.dual_values(targets, u, Index(), Index(), Index(), number, h, total);
};

/// What a penalty that is Σ (l1·|w| + ridge·½w²) over single entries has of each; nothing of the others.
template <class T>
struct EntryTerms {
  T l1 = 0;
  T ridge = 0;
};
template <class P, class T>
concept HasEntryTerms = requires(const P penalty) {
  { penalty.template entry_terms<T>() } -> std::same_as<EntryTerms<T>>;
};
template <class T, class P>
constexpr EntryTerms<T> entry_terms(const P& penalty) {
  if constexpr (HasEntryTerms<P, T>) return penalty.template entry_terms<T>();
  else return {};
}

/// A norm, with its dual norm: what a duality gap is made of.
template <class P, class T>
concept HasDualNorm = requires(const P penalty, Rows<const T> rows) {
  { penalty.dual_norm(rows) } -> std::convertible_to<T>;
};

/// Not a norm, but with a finite conjugate (λΩ)*.
template <class P, class T>
concept HasConjugate = requires(const P penalty, Rows<const T> rows, T lambda) {
  { penalty.conjugate(rows, lambda) } -> std::convertible_to<T>;
};

/// What multiplies the coefficients.
template <class D, class T>
concept Design = requires(const D design, const Index* list, Index index, const T* in, T* out, Index& position) {
  { design.samples() } -> std::convertible_to<Index>;
  { design.features() } -> std::convertible_to<Index>;
  design.multiply(list, index, in, index, in, out);
  design.transposed_multiply(list, index, in, index, out);
  design.gather(index, list, index, out, index);
  { design.column_sum(index) } -> std::convertible_to<T>;
  { design.entries(list, index) } -> std::convertible_to<std::size_t>;
  { design.find_bad_value(position, position) } -> std::convertible_to<bool>;
};

/// A design whose columns can be read where they lie.
template <class D, class T>
concept HasColumns = Design<D, T> && requires(const D design, Index feature) {
  { design.column(feature) } -> std::same_as<Column<T>>;
};

/// What kept a design from being read, and at which sample, if it can fail; running: nothing did.
template <class D>
constexpr Status failure_of(const D& design, Index& sample) {
  if constexpr (requires { design.failure(sample); }) return design.failure(sample);
  else return Status::running;
}

/// Whether the dual value is to be taken from dual_terms; otherwise from dual_value.
template <class T, class L>
constexpr bool has_quadratic_dual(const L& loss) {
  if constexpr (requires { loss.has_quadratic_dual(); }) return loss.has_quadratic_dual();
  else return QuadraticDual<L, T>;
}

/// Whether the terms of its dual are linear, whatever its parameters are.
template <class L>
concept LinearDual = requires {
  requires L::has_linear_dual;
};

/// The margin μ of all samples where none is given: 1, unless the loss says otherwise. Where it is 0, margins may be 0.
template <class T, class L>
constexpr T default_margin(const L& loss) {
  if constexpr (requires { loss.template default_margin<T>(); }) return loss.template default_margin<T>();
  else return T(1);
}

/// The margin of all samples that have none of their own: the one asked for, or else what suits the loss.
template <class T, class L>
constexpr T margin_for_all(const Options<T>& options, const L& loss) {
  return has_margin(options) ? options.margin : default_margin<T>(loss);
}

/// visit(loss), for loops that call it often: a loss that stands for one of several (AnyLoss) shows the one that it is.
template <class L, class Visit>
auto visit_smooth(const L& loss, Visit visit) {
  if constexpr (requires { loss.visit_smooth(visit); }) return loss.visit_smooth(visit);
  else return visit(loss);
}

/// The same for loops over samples, of which a profile may have one for all losses: there AnyLoss stays what it is, and
/// is asked at every sample.
template <class L, class Visit>
auto visit_smooth_samples(const L& loss, Visit visit) {
  if constexpr (profile.loop_per_loss) return visit_smooth(loss, visit);
  else return visit(loss);
}

/// Whether the loss knows by `bregman_divergence(from, to, …)` how far it lies above its tangent, better than by the difference.
template <class L>
constexpr bool has_bregman_divergence(const L& loss) {
  if constexpr (requires { loss.has_bregman_divergence(); }) return loss.has_bregman_divergence();
  else return true;
}

/// Whether the loss is a sum over classes, so that no dual mass may move between them.
template <class L>
constexpr bool separate_classes(const L& loss) {
  if constexpr (requires { loss.separate_classes(); }) return loss.separate_classes();
  else return false;
}

/// Whether samples have values to be predicted, and no labels.
template <class L>
constexpr bool predicts_values(const L& loss) {
  if constexpr (requires { loss.predicts_values(); }) return loss.predicts_values();
  else return false;
}
/// The label of a sample, 0 where it has none.
template <class L, class T>
constexpr Label label_of(const L& loss, const Targets<T>& targets, Index sample) {
  if constexpr (requires { loss.predicts_values(); })
    if (loss.predicts_values()) return Label(0);
  return targets.labels[sample];
}

/// Whether the loss takes that many scores of a sample: two classes or more, unless it says otherwise.
template <class L>
constexpr bool valid_outputs(const L& loss, Index outputs) {
  if constexpr (requires { loss.valid_outputs(outputs); }) return loss.valid_outputs(outputs);
  else return outputs >= 2;
}

/// Whether y is a label of the loss: a class, unless labels are something else, as in RankingSquaredHinge.
template <class L>
constexpr bool valid_label(const L& loss, Label y, Index classes) {
  if constexpr (requires { loss.valid_label(y, classes); }) return loss.valid_label(y, classes);
  else return y < classes;
}

/// Whether there are samples of positive weight that determine the intercept of class k.
template <class L, class T>
constexpr bool has_samples(const L& loss, const Targets<T>& targets, bool intercept, Index k) {
  if constexpr (requires { loss.has_samples(targets, intercept, k); }) return loss.has_samples(targets, intercept, k);
  bool present = false;
  for (Index i = 0; i < targets.samples() && !present; ++i)
    present = targets.labels[i] == k && targets.raw_weight(i) > T(0);
  return present;
}

/// Whether class k is a right answer for a sample of label y, and whether there are right and wrong ones.
template <class L>
constexpr bool is_right(const L& loss, Index k, Label y) {
  if constexpr (requires { loss.is_right(k, y); }) return loss.is_right(k, y);
  else return k == y;
}
template <class L>
constexpr bool has_pairs(const L& loss, Label y, Index classes) {
  if constexpr (requires { loss.has_pairs(y, classes); }) return loss.has_pairs(y, classes);
  else return true;
}

/// How the penalty enters the dual problem: not at all, as a bound on its dual norm, or as the conjugate (λΩ)*. A
/// sparse conjugate is zero just where `dual_norm` is at most λ, and such groups of coefficients are zero.
enum class DualKind : std::uint8_t { unknown, norm, conjugate, sparse_conjugate };

template <class T, class P>
constexpr DualKind dual_kind(const P& penalty) {
  if constexpr (requires { penalty.dual_kind(); }) return penalty.dual_kind();
  else if constexpr (HasDualNorm<P, T>) return DualKind::norm;
  else if constexpr (HasConjugate<P, T>) return DualKind::conjugate;
  else return DualKind::unknown;
}

/// Whether a penalty of that type may have curvature at every coefficient, zeros included; of those that are chosen at
/// run time, whether one of them does.
template <class T, class P>
constexpr bool curves_everywhere() {
  if constexpr (requires { P::some_curve_everywhere; }) return P::some_curve_everywhere;
  else return HasConjugate<P, T>;
}

/// The q with which proximal steps without a gradient between them compose, prox_s ∘ prox_t = prox_{s + t + q s t}: 0
/// where a subgradient, once taken, stays one until the coefficients are zero (ℓ1, Euclidean and largest-entry norms),
/// ρ for what a multiple ρ of ½‖w‖² is added to; NaN where they do not compose, or where it is not known.
template <class T, class P>
constexpr T step_coupling(const P& penalty) {
  if constexpr (requires { penalty.template step_coupling<T>(); }) return penalty.template step_coupling<T>();
  else return not_a_number<T>;
}

/// Number of consecutive features whose rows a penalty must see together, unless its groups are listed.
template <class P>
constexpr Index features_together(const P& penalty) {
  if constexpr (requires { penalty.features_together(); }) return penalty.features_together();
  else if constexpr (requires { penalty.grouping(); }) return penalty.grouping().features_together();
  else return 1;
}

/// A penalty that says how features are grouped, so that the groups may be listed.
template <class P>
concept HasGrouping = requires(const P penalty) {
  { penalty.grouping() } -> std::convertible_to<Groups>;
};

/// The groups of features that a penalty must see together.
template <class P>
constexpr Groups groups_of(const P& penalty) {
  if constexpr (HasGrouping<P>) return penalty.grouping();
  else return Groups::blocks(features_together(penalty));
}

/// Whether Ω is a sum over the rows of W.
template <class P>
constexpr bool is_sum_over_rows(const P& penalty) {
  if constexpr (HasGrouping<P>) return penalty.grouping().block == 0 && !penalty.grouping().is_listed;
  else return features_together(penalty) == 1;
}

/// Whether `dual_norm` of a row knows entries by their size alone, N(g) ≤ N(h) where |g| ≤ |h|, and is the same for
/// all rows of W, each a group.
template <class P>
constexpr bool scores_rows_alike(const P& penalty) {
  if constexpr (requires { penalty.scores_rows_alike(); }) return penalty.scores_rows_alike();
  else return false;
}

/// Ω of a whole matrix of coefficients, features × stride.
template <class T, class P>
T penalty_value(const P& penalty, const T* w, Index features, Index classes, Index stride) {
  Sum<T> total;
  groups_of(penalty).for_each(
      features, [&](FeatureGroup group) { total.add(penalty.value(rows_of(w, group, classes, stride))); });
  return total.value();
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
