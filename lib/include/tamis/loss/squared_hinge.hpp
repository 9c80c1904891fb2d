#pragma once
/// The multiclass squared hinge.

#include "../linalg/scalar.hpp"
#include "../targets.hpp"
#include "dual_terms.hpp"

namespace tamis {

/// ℓ(z, y) = Σ_{k≠y} (μ + z_k − z_y)₊², differentiable, with a gradient that is 2K-Lipschitz.
///
/// Conjugate for a sample of weight c: finite where u_k ≥ 0 for k ≠ y and Σ_k u_k = 0, where
/// −(cℓ)*(u) = Σ_{k≠y} (μ u_k − u_k²/4c). Source: paper A, equation (19); paper B, equation (2).
struct SquaredHinge {
  static constexpr bool label_mass_moves() { return false; }
  template <class T>
  static constexpr T max_dual_scale() {
    return infinity<T>;
  }

  template <class T>
  T value(const T* z, Index classes, Label y, T margin) const {
    T total = 0;
    for (Index k = 0; k < classes; ++k) {
      const T violation = margin + (z[k] - z[y]);
      if (k != y && violation > T(0)) total += violation * violation;
    }
    return total;
  }

  /// u ← c ∇ℓ(z); returns ℓ(z).
  template <class T>
  T gradient(const T* z, Index classes, Label y, T margin, T weight, T* u) const {
    T total = 0;
    T label = 0;
    for (Index k = 0; k < classes; ++k) {
      const T violation = k == y ? T(0) : largest(margin + (z[k] - z[y]), T(0));
      total += violation * violation;
      u[k] = T(2) * weight * violation;
      label += u[k];
    }
    u[y] = -label;
    return total;
  }

  /// Largest eigenvalue of the Hessian of ℓ.
  template <class T>
  T curvature(Index classes) const {
    return T(2) * T(classes);
  }

  /// A start for the intercepts of the model without coefficients, from the class weights alone: with one margin μ for
  /// all samples, and as long as no two intercepts differ by more than μ, it is the optimum, b_k = (M − μ(1 − Kπ_k)) /
  /// (1 + Kπ_k) with M such that Σ b_k = 0.
  template <class T>
  void guess_intercepts(const Targets<T>& targets, T* intercepts) const {
    const T classes = T(targets.classes);
    const T margin = targets.margin(0);
    T inverse = 0, pull = 0;
    for (Index k = 0; k < targets.classes; ++k) {
      const T share = classes * targets.class_weight(k);
      intercepts[k] = share;
      inverse += T(1) / (T(1) + share);
      pull += (T(1) - share) / (T(1) + share);
    }
    for (Index k = 0; k < targets.classes; ++k)
      intercepts[k] = margin * (pull / inverse - (T(1) - intercepts[k])) / (T(1) + intercepts[k]);
  }

  template <class T>
  DualTerms<T> dual_terms(const T* u, Index classes, Label y, T margin, T weight) const {
    T linear = 0;
    T square = 0;
    for (Index k = 0; k < classes; ++k)
      if (k != y) {
        linear += u[k];
        square += u[k] * u[k];
      }
    return {margin * linear, weight > T(0) ? square / (T(4) * weight) : T(0)};
  }
};

}  // namespace tamis
