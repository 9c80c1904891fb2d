#pragma once
/// A squared hinge for each class against all others.

#include "../curvature.hpp"
#include "../linalg/scalar.hpp"
#include "../targets.hpp"
#include "dual_terms.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// ℓ(z, y) = Σ_k (μ − ỹ_k z_k)₊², ỹ_k = 1 for k = y and −1 otherwise, with a gradient that is 2-Lipschitz.
///
/// Conjugate for a sample of weight c: finite where β_k = −ỹ_k u_k ≥ 0, where −(cℓ)*(u) = Σ_k (μ β_k − β_k²/4c).
/// Source: Blondel et al. (2013), equation (11); Chierchia et al. (2015), equation (21) with the sign of ỹ corrected.
struct OneVsRestSquaredHinge {
  static constexpr bool label_mass_moves() { return false; }
  /// The loss is a sum over classes: no mass moves between them, each column is scaled on its own.
  static constexpr bool separate_classes() { return true; }
  template <class T>
  static constexpr T max_dual_scale() {
    return infinity<T>;
  }

  template <class T>
  T value(const T* z, Index classes, Label y, T margin) const {
    T total = 0;
    for (Index k = 0; k < classes; ++k) {
      const T violation = largest(k == y ? margin - z[k] : margin + z[k], T(0));
      total += violation * violation;
    }
    return total;
  }

  /// u ← c ∇ℓ(z); returns ℓ(z).
  template <class T>
  T gradient(const T* z, Index classes, Label y, T margin, T weight, T* u) const {
    T total = 0;
    for (Index k = 0; k < classes; ++k) {
      const T violation = largest(k == y ? margin - z[k] : margin + z[k], T(0));
      total += violation * violation;
      const T slope = T(2) * weight * violation;
      u[k] = k == y ? -slope : slope;
    }
    return total;
  }

  /// h_k ← c ∂²ℓ/∂z_k² from u = c ∇ℓ(z), generalised at the kinks: 2c where there is a violation.
  template <class T>
  void second_derivatives(const T* u, Index classes, Label, T weight, T* h) const {
    for (Index k = 0; k < classes; ++k) h[k] = u[k] != T(0) ? T(2) * weight : T(0);
  }

  /// For Blondel et al.'s (2013) problem (11), of which it prints no constant: each class has a block of its own, with
  /// slopes that are 2xᵢⱼ²-Lipschitz.
  template <class T>
  constexpr T printed_lipschitz(Index, Label) const {
    return T(2);
  }

  /// Largest eigenvalue of the Hessian of ℓ.
  template <class T>
  T curvature(Index) const {
    return T(2);
  }

  static constexpr Violations violations() { return Violations::of_classes; }

  /// h ← the diagonal of c∇²ℓ, generalised where a violation is 0: 2c where it is above −slack. Returns whether any is.
  template <class T>
  bool take_curvature(const T* z, Index classes, Label y, T margin, T weight, T slack, T* h) const {
    bool any = false;
    for (Index k = 0; k < classes; ++k) {
      const bool violated = (k == y ? margin - z[k] : margin + z[k]) > -slack;
      h[k] = violated ? T(2) * weight : T(0);
      any = any || violated;
    }
    return any && weight > T(0);
  }

  /// t ← c∇²ℓ t.
  template <class T>
  void apply_curvature(const T* h, Index classes, Label, T, T* t) const {
    for (Index k = 0; k < classes; ++k) t[k] *= h[k];
  }

  template <class T>
  CurvatureSize<T> curvature_size(const T* h, Index classes, Label, T weight) const {
    T total = 0;
    for (Index k = 0; k < classes; ++k) total += h[k];
    return {total / T(classes), total > T(0) ? T(2) * weight : T(0)};
  }

  /// A start for the intercepts of the model without coefficients: b_k = Σᵢ cᵢ ỹ_ik μᵢ, the optimum as long as no
  /// |b_k| exceeds a margin (always with one margin for all samples).
  template <class T>
  void guess_intercepts(const Targets<T>& targets, T* intercepts) const {
    for (Index k = 0; k < targets.classes; ++k) {
      Sum<T> total;
      for (Index i = 0; i < targets.samples(); ++i) {
        const T pull = targets.weight(i) * targets.margin(i);
        total.add(targets.labels[i] == k ? pull : -pull);
      }
      intercepts[k] = total.value();
    }
  }

  template <class T>
  DualTerms<T> dual_terms(const T* u, Index classes, Label y, T margin, T weight) const {
    T linear = 0;
    T square = 0;
    for (Index k = 0; k < classes; ++k) {
      linear += k == y ? -u[k] : u[k];
      square += u[k] * u[k];
    }
    return {margin * linear, weight > T(0) ? square / (T(4) * weight) : T(0)};
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
