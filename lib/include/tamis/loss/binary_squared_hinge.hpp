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
    return rest.value(z, 1, place(y), margin);
  }
  template <class T>
  T gradient(const T* z, Index, Label y, T margin, T weight, T* u) const {
    return rest.gradient(z, 1, place(y), margin, weight, u);
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
    return rest.dual_terms(u, 1, place(y), margin, weight);
  }

 private:
  /// The place of the score among those of OneVsRestSquaredHinge: 0 is that of the label.
  static constexpr Label place(Label y) { return static_cast<Label>(1 - y); }
  static constexpr OneVsRestSquaredHinge rest{};
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
