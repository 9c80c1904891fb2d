#pragma once
/// A penalty that the library does not have.

#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"
#include "prox_jacobian.hpp"

namespace tamis {

/// Ω(W) = Σ w².
struct SumOfSquares {
  template <class T>
  T value(const Rows<const T>& w) const {
    T total = 0;
    for (Index r = 0; r < w.rows; ++r)
      for (Index k = 0; k < w.classes; ++k) total += w(r, k) * w(r, k);
    return total;
  }
  template <class T>
  void prox(const Rows<T>& w, T step) const {
    for (Index r = 0; r < w.rows; ++r)
      for (Index k = 0; k < w.classes; ++k) w(r, k) /= T(1) + T(2) * step;
  }
  template <class T, class Visit>
  void prox_jacobian(const Rows<const T>& w, T step, Visit&& visit) const {
    const T scale = square_root(T(1) / (T(1) + T(2) * step));
    visit(ProxJacobian<T>{.rows = w.rows, .classes = w.classes, .slope = {.scale = scale, .along = scale}});
  }
  static constexpr bool keeps_signs() { return false; }
  template <class T>
  void gradient(const Rows<const T>& w, const Rows<T>& out) const {
    for (Index r = 0; r < w.rows; ++r)
      for (Index k = 0; k < w.classes; ++k) out(r, k) = T(2) * w(r, k);
  }
  template <class T>
  T conjugate(const Rows<const T>& g, T lambda) const {
    T total = 0;
    for (Index r = 0; r < g.rows; ++r)
      for (Index k = 0; k < g.classes; ++k) total += g(r, k) * (g(r, k) / (T(4) * lambda));
    return total;
  }
};

}  // namespace tamis
