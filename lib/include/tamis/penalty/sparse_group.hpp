#pragma once
#include "group.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// ρ‖w‖₁ + (1 − ρ)‖w‖₂ of one group, 0 ≤ ρ ≤ 1. Prox: soft(w, step·ρ), then the shrinkage of the Euclidean norm by
/// step(1 − ρ). Dual: the root ν of ‖soft(g, ρν)‖₂ = (1 − ρ)ν.
template <class S>
struct SparseGroupNorm {
  static constexpr bool knows_sizes_alone = true;  ///< see scores_rows_alike
  S ratio = S(0.5);  ///< ρ

  constexpr bool valid() const { return ratio >= S(0) && ratio <= S(1); }

  template <class T>
  T value(const Rows<const T>& w) const {
    return T(ratio) * detail::norm1(w) + (T(1) - T(ratio)) * detail::norm2(w);
  }

  template <class T>
  void prox(const Rows<T>& w, T step) const {
    const T threshold = step * T(ratio);
    detail::for_each_entry(w, [=](T& entry) { entry = soft(entry, threshold); });
    if (ratio < S(1)) detail::shrink2(w, step * (T(1) - T(ratio)));
  }

  template <class T>
  ProxSlope<T> prox_slope(const Rows<const T>& w, T step) const {
    return detail::shrinkage_slope(w, step * (T(1) - T(ratio)));
  }

  constexpr bool keeps_signs() const { return ratio > S(0); }
  template <class T>
  void gradient(const Rows<const T>& w, const Rows<T>& out) const {
    const T scale = (T(1) - T(ratio)) / detail::norm2(w);
    for (Index r = 0; r < w.rows; ++r) {
      const T* from = w.row(r);
      T* to = out.row(r);
      for (Index k = 0; k < w.classes; ++k) to[k] = T(ratio) * sign(from[k]) + scale * from[k];
    }
  }

  /// Newton's iteration on f(ν) = ‖soft(g, ρν)‖₂ − (1 − ρ)ν from ν = max|g|, where f ≥ 0. f is convex and falls, so
  /// that ν only rises, and never above the root; it ends when it rises no more. No sorting; cost O(entries) a round,
  /// few rounds.
  template <class T>
  T dual(const Rows<const T>& g) const {
    const T rho = T(ratio);
    const T rest = T(1) - rho;
    const T top = detail::norm_inf(g);
    const bool far = top > T(0) && !holds_squares(top * top);  // then entries are taken over the largest
    T root = far ? T(1) : top;
    for (;;) {
      const T threshold = rho * root;
      T sum = 0, square = 0;
      detail::for_each_entry(g, [&](T entry) {
        const T excess = largest((far ? absolute(entry) / top : absolute(entry)) - threshold, T(0));
        sum += excess;
        square += excess * excess;
      });
      const T norm = square_root(square);
      if (!(norm > T(0))) return far ? top * root : root;
      const T next = root + (norm - rest * root) * (norm / (rho * sum + rest * norm));
      if (!(next > root + T(2) * epsilon<T> * root)) return (far ? top : T(1)) * largest(next, root);
      root = next;
    }
  }
};

/// Ω(W) = ρ‖W‖₁ + (1 − ρ) Σ_g ‖w_g‖₂, as SparseGroup<T>{groups, {ratio}}. Source: Simon, Friedman, Hastie and
/// Tibshirani (2013).
template <class S>
using SparseGroup = GroupSum<SparseGroupNorm<S>>;

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
