#pragma once
#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"

namespace tamis {

/// Ω(W) = ½ Σ_jk w_jk². Prox: w / (1 + step). Conjugate of λΩ: Σ_jk g_jk² / 2λ.
struct Ridge {
  template <class T>
  T value(Rows<const T> w) const {
    T total = 0;
    for (Index r = 0; r < w.rows; ++r) {
      const T* row = w.row(r);
      for (Index k = 0; k < w.classes; ++k) total += row[k] * row[k];
    }
    return T(0.5) * total;
  }

  template <class T>
  void prox(Rows<T> w, T step) const {
    const T shrink = T(1) / (T(1) + step);
    for (Index r = 0; r < w.rows; ++r) {
      T* row = w.row(r);
      for (Index k = 0; k < w.stride; ++k) row[k] *= shrink;
    }
  }

  /// See step_coupling.
  template <class T>
  static constexpr T step_coupling() {
    return T(1);
  }

  /// (λΩ)*(G); not a number of any use when λ = 0, where the caller treats it as infinite.
  template <class T>
  T conjugate(Rows<const T> g, T lambda) const {
    return value(g) / lambda;
  }
};

}  // namespace tamis
