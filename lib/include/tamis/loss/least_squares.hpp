#pragma once
/// Half of the squared error, for values instead of labels.

#include "../curvature.hpp"
#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"
#include "../targets.hpp"
#include "dual_terms.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// ℓ(z, v) = ½ (z − v)² of one score z and a value v to be predicted, which stands where other losses have a margin,
/// with a gradient that is 1-Lipschitz. With L1 this is the lasso, with Ridge ridge regression.
///
/// Conjugate for a sample of weight c: −(cℓ)*(u) = −uv − u²/2c, for all u. Source: Tibshirani (1996).
struct LeastSquares {
  static constexpr bool predicts_values() { return true; }
  static constexpr bool valid_outputs(Index outputs) { return outputs == 1; }
  template <class T>
  static constexpr T default_margin() {
    return T(0);
  }
  static constexpr bool label_mass_moves() { return false; }
  static constexpr bool separate_classes() { return true; }
  template <class T>
  static constexpr T max_dual_scale() {
    return infinity<T>;
  }
  template <class T>
  static constexpr bool has_samples(const Targets<T>&, bool, Index) {
    return true;
  }

  template <class T>
  T value(const T* z, Index, Label, T target) const {
    const T residual = z[0] - target;
    return T(0.5) * residual * residual;
  }

  /// u ← c (z − v); returns ℓ(z).
  template <class T>
  T gradient(const T* z, Index, Label, T target, T weight, T* u) const {
    const T residual = z[0] - target;
    u[0] = weight * residual;
    return T(0.5) * residual * residual;
  }

  template <class T>
  T bregman_divergence(const T* from, const T* to, Index, Label, T, T*) const {
    const T step = to[0] - from[0];
    return T(0.5) * step * step;
  }

  template <class T>
  void second_derivatives(const T*, Index, Label, T weight, T* h) const {
    h[0] = weight;
  }
  template <class T>
  constexpr T printed_lipschitz(Index, Label) const {
    return T(1);
  }
  template <class T>
  constexpr T curvature(Index) const {
    return T(1);
  }

  static constexpr Violations violations() { return Violations::none; }
  /// h ← c∇²ℓ.
  template <class T>
  bool take_curvature(const T*, Index, Label, T, T weight, T, T* h) const {
    h[0] = weight;
    return weight > T(0);
  }
  template <class T>
  void apply_curvature(const T* h, Index, Label, T, T* t) const {
    t[0] *= h[0];
  }
  template <class T>
  CurvatureSize<T> curvature_size(const T* h, Index, Label, T) const {
    return {h[0], h[0]};
  }

  /// The mean of the values: the optimum without coefficients.
  template <class T>
  void guess_intercepts(const Targets<T>& targets, T* intercepts) const {
    Sum<T> total;
    for (Index i = 0; i < targets.samples(); ++i) total.add(targets.weight(i) * targets.margin(i));
    intercepts[0] = total.value();
  }

  template <class T>
  DualTerms<T> dual_terms(const T* u, Index, Label, T target, T weight) const {
    return {-(u[0] * target), weight > T(0) ? u[0] * u[0] / (T(2) * weight) : T(0)};
  }

  /// Takes the mean from the duals, by shares of the weights: the nearest point, in the metric of the conjugate, whose
  /// sum is zero. Twice: the second removes what rounding left.
  template <class T>
  bool make_dual_feasible(const Targets<T>& targets, T* u, Index stride, T*, T*) const {
    for (int pass = 0; pass < 2; ++pass) {
      Sum<T> total;
      for (Index i = 0; i < targets.samples(); ++i) total.add(row_of(u, i, stride)[0]);
      const T surplus = total.value();
      for (Index i = 0; i < targets.samples(); ++i) row_of(u, i, stride)[0] -= targets.weight(i) * surplus;
    }
    return true;
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
