#pragma once
/// The multiclass squared hinge.

#include "../curvature.hpp"
#include "../linalg/scalar.hpp"
#include "../linalg/simd.hpp"
#include "../targets.hpp"
#include "dual_terms.hpp"
#include "hinge.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// ℓ(z, y) = Σ_{k≠y} (μ + z_k − z_y)₊², differentiable, with a gradient that is 2K-Lipschitz.
///
/// Conjugate for a sample of weight c: finite where u_k ≥ 0 for k ≠ y and Σ_k u_k = 0, where
/// −(cℓ)*(u) = Σ_{k≠y} (μ u_k − u_k²/4c). Source: Chierchia et al. (2015), equation (19); Blondel et al. (2013),
/// equation (2).
struct SquaredHinge {
  static constexpr bool label_mass_moves() { return false; }
  template <class T>
  static constexpr T max_dual_scale() {
    return infinity<T>;
  }

  /// The same bits as `gradient` returns.
  template <class T>
  T value(const T* z, Index classes, Label y, T margin) const {
    const T shift = margin - z[y];
    auto squares = Simd<T>::zero();
    Index k = 0;
    for (; k + lanes<T> <= classes; k += lanes<T>) {
      auto violation = (Simd<T>::load(z + k) + Simd<T>::fill(shift)).positive_part();
      if (y >= k && y < k + lanes<T>) {
        T part[lanes<T>];
        violation.store(part);
        part[y - k] = T(0);
        violation = Simd<T>::load(part);
      }
      squares = squares + violation * violation;
    }
    T square = squares.sum();
    for (; k < classes; ++k)
      if (k != y) {
        const T violation = largest(z[k] + shift, T(0));
        square += violation * violation;
      }
    return square;
  }

  /// u ← c ∇ℓ(z); returns ℓ(z).
  template <class T>
  T gradient(const T* z, Index classes, Label y, T margin, T weight, T* u) const {
    const T shift = margin - z[y];
    Index k = 0;
    for (; k + lanes<T> <= classes; k += lanes<T>)
      (Simd<T>::load(z + k) + Simd<T>::fill(shift)).positive_part().store(u + k);
    for (; k < classes; ++k) u[k] = largest(z[k] + shift, T(0));
    u[y] = T(0);
    const auto scale = Simd<T>::fill(T(2) * weight);
    auto squares = Simd<T>::zero(), sums = Simd<T>::zero();
    for (k = 0; k + lanes<T> <= classes; k += lanes<T>) {
      const auto violation = Simd<T>::load(u + k);
      squares = squares + violation * violation;
      sums = sums + violation;
      (scale * violation).store(u + k);
    }
    T square = squares.sum(), sum = sums.sum();
    for (; k < classes; ++k) {
      square += u[k] * u[k];
      sum += u[k];
      u[k] *= T(2) * weight;
    }
    u[y] = T(-2) * weight * sum;
    return square;
  }

  /// z ← argmin_s ℓ(s, y) + ρ/2 ‖s − z‖².
  template <class T>
  void prox(T* z, Index classes, Label y, T margin, T rho) const {
    const T t = label_level(z, classes, y, margin, T(2) / (T(2) + rho));
    for (Index k = 0; k < classes; ++k) {
      const T violation = margin + z[k] - t;
      if (violation > T(0)) z[k] = (t - margin) + rho * violation / (T(2) + rho);
    }
    z[y] = t;
  }

  /// u ← prox_{σ(cℓ)*}(u): with t the level of the label at u and margin σμ, the others are 2c/(2c + σ) (σμ + u_k − t)₊
  /// and the label minus their sum. Modules of WebAssembly have no room for it: there solvers take the gradient.
#ifndef __wasm__
  template <class T>
  void dual_prox(T* u, Index classes, Label y, T margin, T weight, T sigma) const {
    const T c = T(2) * weight / (T(2) * weight + sigma), shift = sigma * margin;
    const T t = label_level(u, classes, y, shift, c);
    T sum = 0;
    for (Index k = 0; k < classes; ++k) {
      const T violation = shift + u[k] - t;
      u[k] = k != y && violation > T(0) ? c * violation : T(0);
      sum += u[k];
    }
    u[y] = -sum;
  }
#endif
  /// Of an entry of its result, see SimplexLoss: r is 2c/(2c + σ) where it is positive, 1 at the label.
  template <class T>
  static constexpr T stiffness(T entry, bool is_label, T weight, T sigma) {
    if (!(weight > T(0))) return infinity<T>;
    return is_label ? T(0) : entry > T(0) ? sigma / (T(2) * weight) : infinity<T>;
  }
  /// max_{k≠y} (z_k + μ) − z_y: see Hinge.
  template <class T>
  static constexpr T violation(const T* z, Index classes, Label y, T margin) {
    return Hinge::violation(z, classes, y, margin);
  }
  /// The problem without coefficients: intercepts (stride entries) by descent on one after the other from
  /// `guess_intercepts`, and the gradient u there (samples × stride). Cost O(samples·classes), some fifty times that
  /// where the guess is not the optimum.
  template <class T>
  void null_model(const Targets<T>& targets, bool intercept, T* intercepts, T* u, Index stride) const {
    fill(intercepts, stride, T(0));
    if (intercept) {
      guess_intercepts(targets, intercepts);
      for (int sweep = 0; sweep < 300; ++sweep)
        if (descend_on_intercepts(targets, intercepts) <= T(8) * epsilon<T>) break;
    }
    for (Index i = 0; i < targets.samples(); ++i) {
      T* row = row_of(u, i, stride);
      gradient(intercepts, targets.classes, targets.labels[i], targets.margin(i), targets.weight(i), row);
      for (Index k = targets.classes; k < stride; ++k) row[k] = T(0);
    }
  }

  /// Of a row that is a gradient but for rounding: makes it a point of the dual domain.
  template <class T>
  void enter_domain(T* u, Index classes, Label y, T) const {
    u[y] = T(0);
    T sum = 0;
    for (Index k = 0; k < classes; ++k) {
      u[k] = largest(u[k], T(0));
      sum += u[k];
    }
    u[y] = -sum;
  }

  /// ℓ(to) − ℓ(from) − ⟨∇ℓ(from), to − from⟩, without cancellation: with p, q the violations, the sum of
  /// (q − p)² + 2p(−(μ + z_k − z_y at `to`))₊. That of the label itself is zero.
  template <class T>
  T bregman_divergence(const T* from, const T* to, Index classes, Label y, T margin, T*) const {
    const auto low = Simd<T>::fill(margin - from[y]), high = Simd<T>::fill(margin - to[y]);
    auto total = Simd<T>::zero();
    Index k = 0;
    for (; k + lanes<T> <= classes; k += lanes<T>) {
      const auto b = Simd<T>::load(to + k) + high;
      const auto p = (Simd<T>::load(from + k) + low).positive_part(), q = b.positive_part();
      total = total + ((q - p) * (q - p) + (p + p) * (q - b));
    }
    T sum = total.sum();
    for (; k < classes; ++k) {
      const T b = to[k] + (margin - to[y]);
      const T p = largest(from[k] + (margin - from[y]), T(0)), q = largest(b, T(0));
      sum += (q - p) * (q - p) + (p + p) * (q - b);
    }
    return sum;
  }

  /// h_k ← c ∂²ℓ/∂z_k² from u = c ∇ℓ(z), generalised at the kinks: 2c where the violation is positive, and of the label
  /// the sum of the others. Source: Blondel et al. (2013), equation (6).
  template <class T>
  void second_derivatives(const T* u, Index classes, Label y, T weight, T* h) const {
    Index violated = 0;
    for (Index k = 0; k < classes; ++k) {
      const bool violates = u[k] > T(0);
      violated += violates;
      h[k] = violates ? T(2) * weight : T(0);
    }
    h[y] = T(2) * weight * T(violated);
  }

  /// Of Blondel et al.'s (2013) 𝒦_j = 4(K−1) Σᵢ cᵢ xᵢⱼ² and 𝒦, its Appendix A: valid but loose, 2K would do.
  template <class T>
  constexpr T printed_lipschitz(Index classes, Label) const {
    return T(4) * T(classes - 1);
  }

  /// Largest eigenvalue of the Hessian of ℓ.
  template <class T>
  T curvature(Index classes) const {
    return T(2) * T(classes);
  }

  static constexpr Violations violations() { return Violations::of_pairs; }

  /// h ← 2c for each pair whose violation is above −slack, 0 for the others and the label: with it c∇²ℓ = Σ h_k (e_k −
  /// e_y)(e_k − e_y)ᵀ, generalised where a violation is 0. Returns whether any is.
  template <class T>
  bool take_curvature(const T* z, Index classes, Label y, T margin, T weight, T slack, T* h) const {
    const T shift = (margin + slack) - z[y];
    const T active = T(2) * weight;
    bool any = false;
    for (Index k = 0; k < classes; ++k) {
      const bool violated = z[k] + shift > T(0) && k != y;
      h[k] = violated ? active : T(0);
      any = any || violated;
    }
    return any && weight > T(0);
  }

  /// t ← c∇²ℓ t.
  template <class T>
  void apply_curvature(const T* h, Index classes, Label y, T, T* t) const {
    const T label = t[y];
    T total = 0;
    for (Index k = 0; k < classes; ++k) {
      t[k] = h[k] * (t[k] - label);
      total += t[k];
    }
    t[y] = -total;
  }

  template <class T>
  CurvatureSize<T> curvature_size(const T* h, Index classes, Label, T weight) const {
    T total = 0;
    for (Index k = 0; k < classes; ++k) total += h[k];
    return {T(2) * total / T(classes - 1), total > T(0) ? total + T(2) * weight : T(0)};
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

 private:
  /// A step on each intercept with the curvature of all pairs; returns the longest, in margins: the largest is one.
  template <class T>
  static T descend_on_intercepts(const Targets<T>& targets, T* b) {
    const Index classes = targets.classes;
    T furthest = 0, mean = 0, unit = 0;
    for (Index k = 0; k < classes; ++k) {
      Sum<T> slope, curvature;
      for (Index i = 0; i < targets.samples(); ++i) {
        const Label y = targets.labels[i];
        const T weight = targets.weight(i), margin = targets.margin(i);
        const Index first = y == k ? 0 : k, last = y == k ? classes : k + 1;
        T sum = 0;
        for (Index l = first; l < last; ++l) sum += l == y ? T(0) : largest(margin + b[l] - b[y], T(0));
        slope.add(y == k ? -weight * sum : weight * sum);
        curvature.add(y == k ? weight * T(classes - 1) : weight);
        unit = largest(unit, margin);
      }
      const T step = -slope.value() / curvature.value();
      b[k] += step;
      mean += b[k] / T(classes);
      furthest = largest(furthest, absolute(step));
    }
    for (Index k = 0; k < classes; ++k) b[k] -= mean;
    return unit > T(0) ? furthest / unit : T(0);
  }
  /// The t ≥ z_y with t = z_y + c Σ_{k≠y} (μ + z_k − t)₊, by Newton's method on a concave piecewise linear function,
  /// from its left; cost O(K) a round, K rounds at most.
  template <class T>
  static T label_level(const T* z, Index classes, Label y, T margin, T c) {
    T t = z[y];
    for (Index round = 0; round <= classes; ++round) {
      T sum = 0;
      Index violated = 0;
      for (Index k = 0; k < classes; ++k) {
        const T violation = k == y ? T(0) : margin + z[k] - t;
        if (violation > T(0)) {
          sum += violation;
          ++violated;
        }
      }
      const T next = t + (z[y] + c * sum - t) / (T(1) + c * T(violated));
      if (!(next > t)) break;
      t = next;
    }
    return t;
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
