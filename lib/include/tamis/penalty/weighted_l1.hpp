#pragma once
#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"
#include "prox_jacobian.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Ω(W) = Σ_jk a_jk |w_jk|, a ≥ 0. Prox: soft(w_jk, step·a_jk). Dual norm: max |g_jk|/a_jk.
///
/// `weights` is a matrix in caller memory with a row of `stride` = padded classes per feature, padding finite; null:
/// all are 1.
template <class S>
struct WeightedL1 {
  const S* weights = nullptr;
  Index stride = 0;

  template <class T>
  T value(const Rows<const T>& w) const {
    T total = 0;
    for (Index r = 0; r < w.rows; ++r) {
      const T* row = w.row(r);
      const T* weight = weights_of<T>(w.feature(r));
      for (Index k = 0; k < w.classes; ++k) total += weight ? weight[k] * absolute(row[k]) : absolute(row[k]);
    }
    return total;
  }

  template <class T>
  void prox(const Rows<T>& w, T step) const {
    for (Index r = 0; r < w.rows; ++r) {
      T* row = w.row(r);
      const T* weight = weights_of<T>(w.feature(r));
      for (Index k = 0; k < w.stride; ++k) row[k] = soft(row[k], weight ? step * weight[k] : step);
    }
  }

  /// See step_coupling.
  template <class T>
  static constexpr T step_coupling() {
    return T(0);
  }

  template <class T, class Visit>
  void prox_jacobian(const Rows<const T>& w, T, Visit&& visit) const {
    visit(ProxJacobian<T>{.rows = w.rows, .classes = w.classes, .slope = {}});
  }

  static constexpr bool has_scalar_jacobian() { return true; }
  static constexpr bool keeps_signs() { return true; }
  template <class T>
  void gradient(const Rows<const T>& w, const Rows<T>& out) const {
    for (Index r = 0; r < w.rows; ++r) {
      const T* weight = weights_of<T>(w.feature(r));
      const T* from = w.row(r);
      T* to = out.row(r);
      for (Index k = 0; k < w.classes; ++k) to[k] = weight ? weight[k] * sign(from[k]) : sign(from[k]);
    }
  }

  /// Infinite where a coefficient without weight has a gradient.
  template <class T>
  T dual_norm(const Rows<const T>& g) const {
    T top = 0;
    for (Index r = 0; r < g.rows; ++r) {
      const T* row = g.row(r);
      const T* weight = weights_of<T>(g.feature(r));
      for (Index k = 0; k < g.classes; ++k) {
        const T entry = absolute(row[k]);
        if (entry > T(0)) top = largest(top, weight ? entry / weight[k] : entry);
      }
    }
    return top;
  }

 private:
  template <class T>
  const T* weights_of(Index feature) const {
    return weights ? row_of(weights, feature, stride) : nullptr;
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
