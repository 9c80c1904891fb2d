#pragma once
/// A loss that the library does not have.

#include "../curvature.hpp"
#include "../linalg/scalar.hpp"
#include "../targets.hpp"
#include "dual_terms.hpp"

namespace tamis {

/// ℓ(z, y) = ½ Σ_k (z_k − t_k)², t_y = μ and −μ elsewhere.
struct LeastSquaresOfSigns {
  static constexpr bool label_mass_moves() { return false; }
  static constexpr bool separate_classes() { return true; }
  template <class T>
  static constexpr T max_dual_scale() {
    return infinity<T>;
  }

  template <class T>
  T value(const T* z, Index classes, Label y, T margin) const {
    T total = 0;
    for (Index k = 0; k < classes; ++k) total += square(z[k] - target(k, y, margin));
    return T(0.5) * total;
  }
  template <class T>
  T gradient(const T* z, Index classes, Label y, T margin, T weight, T* u) const {
    for (Index k = 0; k < classes; ++k) u[k] = weight * (z[k] - target(k, y, margin));
    return value(z, classes, y, margin);
  }
  template <class T>
  constexpr T curvature(Index) const {
    return T(1);
  }
  template <class T>
  void second_derivatives(const T*, Index classes, Label, T weight, T* h) const {
    for (Index k = 0; k < classes; ++k) h[k] = weight;
  }
  static constexpr Violations violations() { return Violations::none; }
  template <class T>
  bool take_curvature(const T*, Index classes, Label, T, T weight, T, T* h) const {
    for (Index k = 0; k < classes; ++k) h[k] = weight;
    return weight > T(0);
  }
  template <class T>
  void apply_curvature(const T* h, Index classes, Label, T, T* t) const {
    for (Index k = 0; k < classes; ++k) t[k] *= h[k];
  }
  template <class T>
  CurvatureSize<T> curvature_size(const T* h, Index, Label, T) const {
    return {h[0], h[0]};
  }
  template <class T>
  void guess_intercepts(const Targets<T>& targets, T* intercepts) const {
    for (Index k = 0; k < targets.classes; ++k) {
      Sum<T> total;
      for (Index i = 0; i < targets.samples(); ++i)
        total.add(targets.weight(i) * target(k, targets.labels[i], targets.margin(i)));
      intercepts[k] = total.value();
    }
  }
  template <class T>
  DualTerms<T> dual_terms(const T* u, Index classes, Label y, T margin, T weight) const {
    T linear = 0, squares = 0;
    for (Index k = 0; k < classes; ++k) {
      linear -= u[k] * target(k, y, margin);
      squares += square(u[k]);
    }
    return {linear, weight > T(0) ? squares / (T(2) * weight) : T(0)};
  }

 private:
  template <class T>
  static constexpr T target(Index k, Label y, T margin) {
    return k == y ? margin : -margin;
  }
  template <class T>
  static constexpr T square(T x) {
    return x * x;
  }
};

}  // namespace tamis
