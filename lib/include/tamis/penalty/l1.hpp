#pragma once
#include "../concepts.hpp"
#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"
#include "prox_jacobian.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Ω(W) = Σ_jk |w_jk|. Prox: soft threshold. Dual norm: max |g_jk|.
struct L1 {
  template <class T>
  T value(const Rows<const T>& w) const {
    T total = 0;
    for (Index r = 0; r < w.rows; ++r) {
      const T* row = w.row(r);
      for (Index k = 0; k < w.classes; ++k) total += absolute(row[k]);
    }
    return total;
  }

  template <class T>
  void prox(const Rows<T>& w, T step) const {
    for (Index r = 0; r < w.rows; ++r) {
      T* row = w.row(r);
      for (Index k = 0; k < w.stride; ++k) row[k] = soft(row[k], step);
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

  /// The Jacobian is the identity on what is not zero.
  static constexpr bool has_plain_jacobian() { return true; }

  template <class T>
  static constexpr EntryTerms<T> entry_terms() {
    return {T(1), T(0)};
  }

  static constexpr bool keeps_signs() { return true; }
  static constexpr bool scores_rows_alike() { return true; }
  template <class T>
  void gradient(const Rows<const T>& w, const Rows<T>& out) const {
    for (Index r = 0; r < w.rows; ++r) {
      const T* from = w.row(r);
      T* to = out.row(r);
      for (Index k = 0; k < w.classes; ++k) to[k] = sign(from[k]);
    }
  }

  template <class T>
  T dual_norm(const Rows<const T>& g) const {
    T top = 0;
    for (Index r = 0; r < g.rows; ++r) {
      const T* row = g.row(r);
      for (Index k = 0; k < g.classes; ++k) top = largest(top, absolute(row[k]));
    }
    return top;
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
