#pragma once
/// Penalties on main effects and interactions of features: a row of interactions is paid for by its main effect.

#include <cstdint>

#include "../projection/simplex.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Which interactions may be without their main effects. weak: θ_jl ≠ 0 needs v_j ≠ 0 or v_l ≠ 0. strong: both, and Θ
/// is symmetric. full: none is needed. main: there are no interactions.
enum class Hierarchy : std::uint8_t { weak, strong, full, main };

/// The norm of a row of interactions that its main effect has to match; l2: row and main effect are one group instead.
/// ridge, for full and main: squares, which make nothing zero.
enum class HierarchyNorm : std::uint8_t { l1, linf, l2, ridge };

constexpr const char* name(Hierarchy hierarchy) {
  constexpr const char* names[] = {"weak", "strong", "full", "main"};
  return names[static_cast<int>(hierarchy)];
}
constexpr const char* name(HierarchyNorm norm) {
  constexpr const char* names[] = {"l1", "linf", "l2", "ridge"};
  return names[static_cast<int>(norm)];
}

/// λ₂ where it is not given: that of Jiu et al. (2020), and for full the same weight for all.
template <class T>
constexpr T default_lambda2(Hierarchy hierarchy, T lambda) {
  return hierarchy == Hierarchy::full ? lambda : lambda / T(2);
}

/// λ₁ Σ_j max(|v_j|, ‖Θ_j‖_r) + λ₂ ‖Θ‖₁ for weak and strong, λ₁ ‖v‖₁ + λ₂ ‖Θ‖₁ for full, λ₁ ‖v‖₁ for main: a sum over
/// rows (Θ_j, v_j). With the norm l2 λ₁ Σ_j ‖(v_j, Θ_j)‖₂ instead of the maxima. With ridge ½λ₁ ‖v‖² + ½λ₂ ‖Θ‖² for
/// full, ½λ₁ ‖v‖² for main: no norm, so that it has a conjugate in place of a gauge. That Θ is symmetric when strong is
/// the solver's to see to. Source: Jiu et al. (2020), problem 2.1, with q = ∞, or with q = 2 and z the identity, and
/// (17); proximity operators and dual norms derived in closed form.
template <class T>
struct HierarchicalPenalty {
  Hierarchy hierarchy = Hierarchy::strong;
  HierarchyNorm norm = HierarchyNorm::l1;
  T lambda1 = T(0);
  T lambda2 = T(0);

  /// Products are paid for by main effects.
  bool tied() const { return hierarchy == Hierarchy::weak || hierarchy == Hierarchy::strong; }
  bool ridge() const { return norm == HierarchyNorm::ridge; }
  /// Whether the weights are in range: where nothing else penalises products, λ₂ must.
  bool valid_weights() const {
    return lambda1 > T(0) && finite(lambda1) && finite(lambda2) &&
           (hierarchy == Hierarchy::full ? lambda2 > T(0) : lambda2 >= T(0));
  }
  /// Whether the norm has a meaning for the hierarchy.
  bool valid() const { return !ridge() || !tied(); }

  /// Of one row: `count` interactions, then the main effect. Cost: count.
  T value(const T* row, Index count) const {
    if (ridge()) return T(0.5) * (lambda1 * row[count] * row[count] + lambda2 * squares(row, count));
    T sum = 0, top = 0;
    for (Index l = 0; l < count; ++l) {
      sum += absolute(row[l]);
      top = largest(top, absolute(row[l]));
    }
    if (grouped()) return lambda1 * group_norm(row, count, T(0)) + lambda2 * sum;
    const T needed = hierarchy == Hierarchy::full ? T(0) : norm == HierarchyNorm::l1 ? sum : top;
    return lambda1 * largest(absolute(row[count]), needed) + lambda2 * sum;
  }

  /// row ← argmin ½‖· − row‖² + step·value. Cost: count, a few times.
  void prox(T* row, Index count, T step) const {
    const T t = step * lambda1, s = step * lambda2;
    if (ridge()) {
      const bool products = hierarchy != Hierarchy::main;
      for (Index l = 0; l < count; ++l) row[l] = products ? row[l] / (T(1) + s) : T(0);
      row[count] /= T(1) + t;
      return;
    }
    switch (hierarchy) {
      case Hierarchy::main:
        for (Index l = 0; l < count; ++l) row[l] = T(0);
        row[count] = soft(row[count], t);
        return;
      case Hierarchy::full:
        for (Index l = 0; l < count; ++l) row[l] = soft(row[l], s);
        row[count] = soft(row[count], t);
        return;
      default: break;
    }
    switch (norm) {
      case HierarchyNorm::l1: return prox_l1(row, count, t, s);
      case HierarchyNorm::linf: return prox_linf(row, count, t, s);
      default: return prox_l2(row, count, t, s);
    }
  }

  /// The factor by which a row of a dual point exceeds what Ω allows: nothing does with ridge. Cost: count, a few
  /// times.
  T gauge(const T* row, Index count) const {
    if (ridge()) return T(0);
    const T a = absolute(row[count]), main = ratio(a, lambda1);
    if (hierarchy == Hierarchy::main) return main;
    T top = 0;
    for (Index l = 0; l < count; ++l) top = largest(top, absolute(row[l]));
    if (hierarchy == Hierarchy::full) return largest(main, ratio(top, lambda2));
    if (norm == HierarchyNorm::l1) return largest(main, ratio(a + top, lambda1 + lambda2));
    if (grouped()) return gauge_l2(row, count, main);
    // the maximum over m of (a + the m largest) / (λ₁ + mλ₂): the m are those above λ₂ times the maximum
    T best = main;
    for (Index round = 0; round <= count; ++round) {
      T sum = a, cost = lambda1;
      for (Index l = 0; l < count; ++l)
        if (absolute(row[l]) > best * lambda2) {
          sum += absolute(row[l]);
          cost += lambda2;
        }
      const T next = ratio(sum, cost);
      if (!(next > best)) break;
      best = next;
    }
    return best;
  }

  /// Σ |entries| of those that are penalised: no number where one of them is none, which `gauge` passes over.
  T size(const T* row, Index count) const {
    T sum = 0;
    for (Index l = hierarchy == Hierarchy::main ? count : 0; l <= count; ++l) sum += absolute(row[l]);
    return sum;
  }

  /// Of ridge, at a row of a dual point: max over rows of ⟨row, ·⟩ − value. Other norms have a gauge, and zero here.
  T conjugate(const T* row, Index count) const {
    if (!ridge()) return T(0);
    const T main = row[count] * row[count] / lambda1;
    return T(0.5) * (hierarchy == Hierarchy::main ? main : main + squares(row, count) / lambda2);
  }

 private:
  bool grouped() const { return norm == HierarchyNorm::l2 && tied(); }

  static T squares(const T* row, Index count) {
    T sum = 0;
    for (Index l = 0; l < count; ++l) sum += row[l] * row[l];
    return sum;
  }

  /// ‖(soft(interactions, s), main effect)‖₂, scaled by the largest entry so that squares stay in range.
  static T group_norm(const T* row, Index count, T s) {
    T top = absolute(row[count]);
    for (Index l = 0; l < count; ++l) top = largest(top, absolute(row[l]) - s);
    if (!(top > T(0))) return T(0);
    T square = (row[count] / top) * (row[count] / top);
    for (Index l = 0; l < count; ++l) {
      const T rest = largest(absolute(row[l]) - s, T(0)) / top;
      square += rest * rest;
    }
    return top * square_root(square);
  }
  /// The root of ‖(soft(row, γλ₂), main effect)‖₂ = γλ₁, by Newton's method on a convex function, from its left.
  T gauge_l2(const T* row, Index count, T from) const {
    T gauge = from;
    for (int round = 0; round < 60; ++round) {
      const T size = group_norm(row, count, gauge * lambda2), excess = size - gauge * lambda1;
      if (!(excess > T(0))) break;
      T sum = 0;
      for (Index l = 0; l < count; ++l) sum += largest(absolute(row[l]) - gauge * lambda2, T(0));
      const T next = gauge + excess / (lambda1 + lambda2 * (sum / size));
      if (!(next > gauge)) break;
      gauge = next;
    }
    return gauge;
  }

  static void prox_l2(T* row, Index count, T t, T s) {
    for (Index l = 0; l < count; ++l) row[l] = soft(row[l], s);
    const T size = group_norm(row, count, T(0));
    const T rest = size > t ? T(1) - t / size : T(0);
    for (Index l = 0; l <= count; ++l) row[l] *= rest;
  }

  static constexpr T ratio(T a, T b) { return a > T(0) ? a / b : T(0); }

  /// soft(interactions, s + tα), soft(main effect, t(1 − α)), with the least α ≤ 1 for which the main effect suffices.
  static void prox_l1(T* row, Index count, T t, T s) {
    const T v = absolute(row[count]);
    T alpha = t > T(0) ? largest(T(0), T(1) - v / t) : T(0);
    while (t > T(0)) {  // Newton's method on a convex, decreasing, piecewise linear function, from its left
      T excess = -largest(v - t * (T(1) - alpha), T(0));
      Index larger = 0;
      for (Index l = 0; l < count; ++l) {
        const T rest = absolute(row[l]) - s - t * alpha;
        excess += largest(rest, T(0));
        larger += rest > T(0);
      }
      const T next = smallest(alpha + excess / (t * T(larger + 1)), T(1));
      if (!(excess > T(0)) || !(next > alpha)) break;
      alpha = next;
    }
    for (Index l = 0; l < count; ++l) row[l] = soft(row[l], s + t * alpha);
    row[count] = soft(row[count], t * (T(1) - alpha));
  }

  /// The soft threshold of the interactions, then the whole row cut at a level.
  static void prox_linf(T* row, Index count, T t, T s) {
    for (Index l = 0; l < count; ++l) row[l] = soft(row[l], s);
    const T level = linf_level(Rows<const T>{row, 1, count + 1, count + 1}, t);
    for (Index l = 0; l <= count; ++l) row[l] = smallest(largest(row[l], -level), level);
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
