#pragma once
#include "../concepts.hpp"
#include "../linalg/scalar.hpp"
#include "prox_jacobian.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Ω(W) = ρ Σ|w| + (1 − ρ) ½ Σw², 0 ≤ ρ ≤ 1. Prox: soft(w, step·ρ) / (1 + step(1 − ρ)). Conjugate of λΩ:
/// Σ soft(g, λρ)² / 2λ(1 − ρ), zero where max|g|/ρ ≤ λ; with ρ = 1 a norm. Source: Zou and Hastie (2005).
template <class S>
struct ElasticNet {
  S ratio = S(0.5);  ///< ρ

  constexpr bool valid() const { return ratio >= S(0) && ratio <= S(1); }
  constexpr DualKind dual_kind() const {
    if (ratio == S(1)) return DualKind::norm;
    return ratio > S(0) ? DualKind::sparse_conjugate : DualKind::conjugate;
  }

  template <class T>
  T value(const Rows<const T>& w) const {
    T sum = 0, square = 0;
    for (Index r = 0; r < w.rows; ++r) {
      const T* row = w.row(r);
      for (Index k = 0; k < w.classes; ++k) {
        sum += absolute(row[k]);
        square += row[k] * row[k];
      }
    }
    return T(ratio) * sum + (T(1) - T(ratio)) * (T(0.5) * square);
  }

  template <class T>
  void prox(const Rows<T>& w, T step) const {
    const T threshold = step * T(ratio);
    const T shrink = T(1) / (T(1) + step * (T(1) - T(ratio)));
    for (Index r = 0; r < w.rows; ++r) {
      T* row = w.row(r);
      for (Index k = 0; k < w.stride; ++k) row[k] = soft(row[k], threshold) * shrink;
    }
  }

  /// See step_coupling.
  template <class T>
  constexpr T step_coupling() const {
    return T(1) - T(ratio);
  }

  template <class T, class Visit>
  void prox_jacobian(const Rows<const T>& w, T step, Visit&& visit) const {
    const T scale = square_root(T(1) / (T(1) + step * (T(1) - T(ratio))));
    visit(ProxJacobian<T>{.rows = w.rows, .classes = w.classes, .slope = {.scale = scale, .along = scale}});
  }

  template <class T>
  constexpr EntryTerms<T> entry_terms() const {
    return {T(ratio), T(1) - T(ratio)};
  }

  static constexpr bool has_scalar_jacobian() { return true; }
  constexpr bool keeps_signs() const { return ratio > S(0); }
  static constexpr bool scores_rows_alike() { return true; }
  template <class T>
  void gradient(const Rows<const T>& w, const Rows<T>& out) const {
    for (Index r = 0; r < w.rows; ++r) {
      const T* from = w.row(r);
      T* to = out.row(r);
      for (Index k = 0; k < w.classes; ++k) to[k] = T(ratio) * sign(from[k]) + (T(1) - T(ratio)) * from[k];
    }
  }

  /// The least λ at which W = 0 minimises λΩ(W) − ⟨G, W⟩: max|g|/ρ.
  template <class T>
  T dual_norm(const Rows<const T>& g) const {
    T top = 0;
    for (Index r = 0; r < g.rows; ++r) {
      const T* row = g.row(r);
      for (Index k = 0; k < g.classes; ++k) top = largest(top, absolute(row[k]));
    }
    return top > T(0) ? top / T(ratio) : T(0);
  }

  /// (λΩ)*(G), for ρ < 1 and λ > 0.
  template <class T>
  T conjugate(const Rows<const T>& g, T lambda) const {
    const T weight = T(2) * lambda * (T(1) - T(ratio));
    T total = 0;
    for (Index r = 0; r < g.rows; ++r) {
      const T* row = g.row(r);
      for (Index k = 0; k < g.classes; ++k) {
        const T excess = soft(row[k], lambda * T(ratio));
        total += excess * (excess / weight);  // the square alone may be too small for T
      }
    }
    return total;
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
