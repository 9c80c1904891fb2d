#pragma once
/// The squared hinge of classes, with one score for two of them or a score for each.

#include "binary_squared_hinge.hpp"
#include "squared_hinge.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// BinarySquaredHinge of one score, and SquaredHinge of more: what problems with several kernels take, which choose at
/// run time. Classes without samples are allowed.
struct SquaredHingeOfOutputs {
  Index outputs = 1;

  static constexpr bool valid_outputs(Index outputs) { return outputs >= 1; }
  static constexpr bool valid_label(Label y, Index outputs) { return y < largest(outputs, Index(2)); }
  static constexpr bool label_mass_moves() { return false; }
  constexpr bool separate_classes() const { return outputs == 1; }
  template <class T>
  static constexpr T max_dual_scale() {
    return infinity<T>;
  }
  template <class T>
  static constexpr bool has_samples(const Targets<T>&, bool, Index) {
    return true;
  }

  template <class T>
  T value(const T* z, Index, Label y, T margin) const {
    return visit([&](auto loss) { return loss.value(z, outputs, y, margin); });
  }
  template <class T>
  T gradient(const T* z, Index, Label y, T margin, T weight, T* u) const {
    return visit([&](auto loss) { return loss.gradient(z, outputs, y, margin, weight, u); });
  }
  template <class T>
  void prox(T* z, Index, Label y, T margin, T rho) const {
    visit([&](auto loss) { loss.prox(z, outputs, y, margin, rho); });
  }
  template <class T>
  T bregman_divergence(const T* from, const T* to, Index, Label y, T margin, T* scratch) const {
    return visit([&](auto loss) { return loss.bregman_divergence(from, to, outputs, y, margin, scratch); });
  }
  template <class T>
  void enter_domain(T* u, Index, Label y, T weight) const {
    visit([&](auto loss) { loss.enter_domain(u, outputs, y, weight); });
  }
  template <class T>
  T curvature(Index) const {
    return visit([&](auto loss) { return loss.template curvature<T>(outputs); });
  }
  template <class T>
  void guess_intercepts(const Targets<T>& targets, T* intercepts) const {
    visit([&](auto loss) { loss.guess_intercepts(targets, intercepts); });
  }
  template <class T>
  DualTerms<T> dual_terms(const T* u, Index, Label y, T margin, T weight) const {
    return visit([&](auto loss) { return loss.dual_terms(u, outputs, y, margin, weight); });
  }

 private:
  template <class Visit>
  auto visit(Visit visit) const {
    if (outputs == 1) return visit(BinarySquaredHinge());
    return visit(SquaredHinge());
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
