#pragma once
/// The exact multiclass hinge (Crammer and Singer).

#include "../projection/simplex.hpp"
#include "dual_terms.hpp"
#include "hinge_null_model.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// ℓ(z, y) = max_k (z_k + μ[k ≠ y]) − z_y.
///
/// Its conjugate, for a sample of weight c, is finite on c(Δ − e_y), Δ the unit simplex, where −(cℓ)*(u) = μ Σ_{k≠y}
/// u_k. Source: Chierchia et al. (2015), equations (5)–(6), with the label moved into the loss.
struct Hinge {
  static constexpr bool is_exact_hinge() { return true; }
  /// Mass c + u_y on the label may move to other classes without leaving the dual domain.
  static constexpr bool label_mass_moves() { return true; }
  /// Scaling a feasible dual point by s ≤ this keeps it feasible.
  template <class T>
  static constexpr T max_dual_scale() {
    return T(1);
  }

  template <class T>
  T value(const T* z, Index classes, Label y, T margin) const {
    T top = z[y];
    for (Index k = 0; k < classes; ++k)
      if (k != y) top = largest(top, z[k] + margin);
    return top - z[y];
  }

  /// u ← c(e_k − e_y), a subgradient of cℓ: k is the first class of the largest z_k + μ[k ≠ y], or y where ℓ = 0;
  /// returns ℓ(z).
  template <class T>
  T subgradient(const T* z, Index classes, Label y, T margin, T weight, T* u) const {
    Index top = y;
    T level = z[y];
    for (Index k = 0; k < classes; ++k) {
      u[k] = T(0);
      if (k == y || !(z[k] + margin > level)) continue;
      level = z[k] + margin;
      top = k;
    }
    u[top] += weight;
    u[y] -= weight;
    return level - z[y];
  }

  /// max_{k≠y} (z_k + μ) − z_y: ℓ where it is positive, else minus how far z is from where ℓ is.
  template <class T>
  static constexpr T violation(const T* z, Index classes, Label y, T margin) {
    T top = -infinity<T>;
    for (Index k = 0; k < classes; ++k)
      if (k != y) top = largest(top, z[k]);
    return top + margin - z[y];
  }

  /// u ← prox_{σ(cℓ)*}(u): the projection of u + σμ[k ≠ y] onto c(Δ − e_y), where what is added to all entries of the
  /// argument makes no difference.
  template <class T>
  void dual_prox(T* u, Index classes, Label y, T margin, T weight, T sigma) const {
    const T label = u[y] + (weight - sigma * margin);
    const T floor = label - weight;
    u[y] = floor;
    const T top = detail::highest(static_cast<const T*>(u), classes);
    if (top == floor) {  // the label stands above all others by its mass: most often so
      fill(u, classes, T(0));
      return;
    }
    u[y] = label;
    detail::project_simplex(u, classes, weight, largest(top, label));
    u[y] -= weight;
  }

  /// The same for lanes<T> rows of at most 32 classes at once, with labels, margins and weights of their own: the same
  /// bits.
  template <class T>
  [[gnu::noinline]] static void dual_prox_rows(T* u, Index stride, Index classes, const Label* y, const T* margin,
                                               const T* weight, T sigma) {
    using Together = detail::RowsInLanes<T>;
    typename Together::Native label{}, mass{};
    typename Together::Mask number{};
    TAMIS_UNROLL
    for (Index r = 0; r < lanes<T>; ++r) {
      mass[r] = weight[r];
      label[r] = row_of(u, r, stride)[y[r]] + (weight[r] - sigma * margin[r]);
      number[r] = y[r];
    }
    const auto floor = label - mass;
    Together rows;
    rows.load(u, stride, classes);
    rows.put(number, floor, classes);
    const auto top = rows.highest(classes);
    const auto moved = top != floor;
    if (Together::all(~moved)) return fill(u, std::size_t{lanes<T>} * stride, T(0));
    rows.put(number, label, classes);
    rows.project_simplex(classes, mass, top > label ? top : label);
    rows.take_away(number, mass, moved, classes);
    rows.store(u, stride, classes);
  }

  /// Of an entry of dual_prox's result, see SimplexLoss: those that are not zero move with the argument, the others of
  /// the support against it.
  template <class T>
  static constexpr T stiffness(T entry, bool is_label, T weight, T) {
    return (is_label ? entry + weight : entry) > T(0) ? T(0) : infinity<T>;
  }

  /// ℓ at prox_{(c/σ)ℓ}(u/σ) = (u − prox_{σ(cℓ)*}(u))/σ: with θ the threshold of the projection in `dual_prox`, it is
  /// (θ − u_y − c)₊/σ, convex and decreasing in c with slope −(1 + 1/m)/σ, m the classes above the threshold.
  template <class T>
  LevelTerms<T> level_terms(const T* u, Index classes, Label y, T margin, T weight, T sigma) const {
    const T shift = sigma * margin;
    const T level = detail::water_level(classes, weight, -infinity<T>, [=](auto visit) {
      for (Index k = 0; k < classes; ++k) visit(u[k] + (k == y ? weight : shift));
    });
    const T excess = level - (u[y] + weight);
    if (!(excess > T(0))) return {};
    Index above = 0;
    for (Index k = 0; k < classes; ++k) above += k != y && u[k] + shift > level;
    return {excess / sigma, -(T(1) + T(1) / T(above > 0 ? above : 1)) / sigma};
  }

  /// u ← a point of the dual domain near u, which is one but for rounding or a part of a step: a projection from far
  /// away is off by rounding of the distance, however small the weight.
  template <class T>
  void enter_domain(T* u, Index classes, Label y, T weight) const {
    u[y] = T(0);
    T mass = 0;
    for (Index k = 0; k < classes; ++k) mass += u[k] = u[k] < T(0) ? T(0) : u[k];
    const T share = mass > weight ? weight / mass : T(1);
    for (Index k = 0; k < classes; ++k) u[k] *= share;
    u[y] = -(share * mass);
  }

  static constexpr bool has_linear_dual = true;  ///< dual_terms has no quadratic one
  template <class T>
  DualTerms<T> dual_terms(const T* u, Index classes, Label y, T margin, T) const {
    T others = 0;
    for (Index k = 0; k < classes; ++k)
      if (k != y) others += u[k];
    return {margin * others, T(0)};
  }

  /// See tamis::has_samples. The sum of large weights may be no number.
  template <class T>
  static bool has_samples(const Targets<T>& targets, bool, Index k) {
    T next;
    return detail::weight_above(targets, k, T(-1), next) != T(0);
  }

  /// See hinge_null_model.
  template <class T>
  void null_model(const Targets<T>& targets, bool intercept, T* intercepts, T* u, Index stride) const {
    hinge_null_model(targets, intercept, intercepts, u, stride);
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
