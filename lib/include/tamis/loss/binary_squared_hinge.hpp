#pragma once
/// The squared hinge of two classes that one score tells apart.

#include "one_vs_rest_squared_hinge.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// ℓ(z, y) = (μ − ỹz)₊², ỹ = 1 for label 1 and −1 for label 0, with a gradient that is 2-Lipschitz: what
/// OneVsRestSquaredHinge is for the class of label 1 alone, at half of the memory.
///
/// Conjugate for a sample of weight c: finite where β = −ỹu ≥ 0, where −(cℓ)*(u) = μβ − β²/4c. Source: Kowalski et al.
/// (2009), equation (2); Keerthi and DeCoste (2005).
struct BinarySquaredHinge {
  static constexpr bool valid_outputs(Index outputs) { return outputs == 1; }
  static constexpr bool valid_label(Label y, Index) { return y < 2; }
  static constexpr Label predicted(const auto* z, Index) { return z[0] > 0 ? Label(1) : Label(0); }
  static constexpr bool label_mass_moves() { return false; }
  static constexpr bool separate_classes() { return true; }
  template <class T>
  static constexpr T max_dual_scale() {
    return infinity<T>;
  }
  /// One class alone has a solution too: an intercept that meets all margins.
  template <class T>
  static constexpr bool has_samples(const Targets<T>&, bool, Index) {
    return true;
  }

  template <class T>
  T value(const T* z, Index, Label y, T margin) const {
    const T violation = violation_of(z, y, margin);
    return violation * violation;
  }
  template <class T>
  T gradient(const T* z, Index, Label y, T margin, T weight, T* u) const {
    const T violation = violation_of(z, y, margin);
    u[0] = T(-2) * weight * side_of<T>(y) * violation;
    return violation * violation;
  }
  /// z ← argmin_s ℓ(s, y) + ρ/2 (s − z)².
  template <class T>
  void prox(T* z, Index, Label y, T margin, T rho) const {
    z[0] += T(2) * side_of<T>(y) * violation_of(z, y, margin) / (T(2) + rho);
  }
  /// ℓ(to) − ℓ(from) − ℓ′(from)(to − from), without cancellation: see SquaredHinge.
  template <class T>
  T bregman_divergence(const T* from, const T* to, Index, Label y, T margin, T*) const {
    const T b = margin - side_of<T>(y) * to[0], p = violation_of(from, y, margin), q = largest(b, T(0));
    return (q - p) * (q - p) + (p + p) * (q - b);
  }
  /// Of a number that is a slope but for rounding: makes it a point of the dual domain.
  template <class T>
  void enter_domain(T* u, Index, Label y, T) const {
    const T side = side_of<T>(y);
    u[0] = -side * largest(-side * u[0], T(0));
  }
  template <class T>
  void second_derivatives(const T* u, Index, Label y, T weight, T* h) const {
    rest.second_derivatives(u, 1, y, weight, h);
  }
  template <class T>
  constexpr T printed_lipschitz(Index, Label) const {
    return T(2);
  }
  template <class T>
  constexpr T curvature(Index) const {
    return T(2);
  }

  static constexpr Violations violations() { return Violations::of_classes; }
  template <class T>
  bool take_curvature(const T* z, Index, Label y, T margin, T weight, T slack, T* h) const {
    return rest.take_curvature(z, 1, place(y), margin, weight, slack, h);
  }
  template <class T>
  void apply_curvature(const T* h, Index, Label y, T weight, T* t) const {
    rest.apply_curvature(h, 1, y, weight, t);
  }
  template <class T>
  CurvatureSize<T> curvature_size(const T* h, Index, Label y, T weight) const {
    return rest.curvature_size(h, 1, y, weight);
  }

  /// Σᵢ cᵢ ỹᵢ μᵢ: the optimum without coefficients where it exceeds no margin (always with one margin for all samples).
  template <class T>
  void guess_intercepts(const Targets<T>& targets, T* intercepts) const {
    Sum<T> total;
    for (Index i = 0; i < targets.samples(); ++i) {
      const T pull = targets.weight(i) * targets.margin(i);
      total.add(targets.labels[i] == 1 ? pull : -pull);
    }
    intercepts[0] = total.value();
  }

  template <class T>
  DualTerms<T> dual_terms(const T* u, Index, Label y, T margin, T weight) const {
    const T beta = -side_of<T>(y) * u[0];
    return {margin * beta, weight > T(0) ? beta * beta / (T(4) * weight) : T(0)};
  }

 private:
  template <class T>
  static constexpr T side_of(Label y) {
    return y == 1 ? T(1) : T(-1);
  }
  template <class T>
  static T violation_of(const T* z, Label y, T margin) {
    return largest(margin - side_of<T>(y) * z[0], T(0));
  }
  /// The place of the score among those of OneVsRestSquaredHinge: 0 is that of the label.
  static constexpr Label place(Label y) { return static_cast<Label>(1 - y); }
  static constexpr OneVsRestSquaredHinge rest{};
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
