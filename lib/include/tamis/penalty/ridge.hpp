#pragma once
#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"
#include "prox_jacobian.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Ω(W) = ½ Σ_jk w_jk². Prox: w / (1 + step). Conjugate of λΩ: Σ_jk g_jk² / 2λ.
struct Ridge {
  template <class T>
  T value(const Rows<const T>& w) const {
    T total = 0;
    for (Index r = 0; r < w.rows; ++r) {
      const T* row = w.row(r);
      for (Index k = 0; k < w.classes; ++k) total += row[k] * row[k];
    }
    return T(0.5) * total;
  }

  template <class T>
  void prox(const Rows<T>& w, T step) const {
    const T shrink = T(1) / (T(1) + step);
    for (Index r = 0; r < w.rows; ++r) {
      T* row = w.row(r);
      for (Index k = 0; k < w.stride; ++k) row[k] *= shrink;
    }
  }

  template <class T, class Visit>
  void prox_jacobian(const Rows<const T>& w, T step, Visit&& visit) const {
    const T scale = square_root(T(1) / (T(1) + step));
    visit(ProxJacobian<T>{.rows = w.rows, .classes = w.classes, .slope = {.scale = scale, .along = scale}});
  }
  static constexpr bool has_scalar_jacobian() { return true; }
  static constexpr bool keeps_signs() { return false; }
  template <class T>
  void gradient(const Rows<const T>& w, const Rows<T>& out) const {
    for (Index r = 0; r < w.rows; ++r)
      for (Index k = 0; k < w.classes; ++k) out(r, k) = w(r, k);
  }

  /// See step_coupling.
  template <class T>
  static constexpr T step_coupling() {
    return T(1);
  }

  /// (λΩ)*(G); not a number of any use when λ = 0, where the caller treats it as infinite.
  template <class T>
  T conjugate(const Rows<const T>& g, T lambda) const {
    T total = 0;
    for (Index r = 0; r < g.rows; ++r) {
      const T* row = g.row(r);
      for (Index k = 0; k < g.classes; ++k) total += row[k] * (row[k] / lambda);  // the square alone may be too small for T
    }
    return T(0.5) * total;
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
