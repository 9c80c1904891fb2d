#pragma once
/// Choices made at run time where samples may have several labels.

#include "any.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Any of the losses, that of label sets included: AnyTrainingWith<T, AnyMultilabelLoss<T>> takes one of these. A
/// pointer and the view of the sets larger than AnyLoss, whose bits the other losses keep.
template <class T>
class AnyMultilabelLoss : public AnyLoss<T> {
  using Base = AnyLoss<T>;

 public:
  static constexpr bool has(LossKind) { return true; }

  explicit AnyMultilabelLoss(LossKind kind, const LabelSets& sets = {})
      : Base(kind), ranking_{sets}, ranks_(kind == LossKind::ranking_squared_hinge) {}

  bool label_mass_moves() const { return !ranks_ && Base::label_mass_moves(); }
  bool separate_classes() const { return !ranks_ && Base::separate_classes(); }
  bool has_quadratic_dual() const { return ranks_ || Base::has_quadratic_dual(); }
  bool has_bregman_divergence() const { return ranks_ || Base::has_bregman_divergence(); }
  template <class>
  T max_dual_scale() const {
    return ranks_ ? ranking_.max_dual_scale<T>() : Base::template max_dual_scale<T>();
  }
  template <class>
  T default_margin() const {
    return ranks_ ? tamis::default_margin<T>(ranking_) : Base::template default_margin<T>();
  }
  template <class>
  T curvature(Index classes) const {
    return ranks_ ? ranking_.curvature<T>(classes) : Base::template curvature<T>(classes);
  }

  template <class>
  T printed_lipschitz(Index classes, Label y) const {
    return ranks_ ? ranking_.printed_lipschitz<T>(classes, y) : Base::template printed_lipschitz<T>(classes, y);
  }

  bool valid_label(Label y, Index classes) const { return ranks_ ? ranking_.valid_label(y, classes) : y < classes; }
  bool has_pairs(Label y, Index classes) const { return !ranks_ || ranking_.has_pairs(y, classes); }
  bool is_right(Index k, Label y) const { return ranks_ ? ranking_.is_right(k, y) : k == y; }
  bool has_samples(const Targets<T>& targets, bool intercept, Index k) const {
    return ranks_ ? ranking_.has_samples(targets, intercept, k)
                  : tamis::has_samples(static_cast<const Base&>(*this), targets, intercept, k);
  }

  T value(const T* z, Index classes, Label y, T margin) const {
    return ranks_ ? ranking_.value(z, classes, y, margin) : Base::value(z, classes, y, margin);
  }
  T gradient(const T* z, Index classes, Label y, T margin, T weight, T* u) const {
    return ranks_ ? ranking_.gradient(z, classes, y, margin, weight, u)
                  : Base::gradient(z, classes, y, margin, weight, u);
  }
  T subgradient(const T* z, Index classes, Label y, T margin, T weight, T* u) const {
    return ranks_ ? ranking_.gradient(z, classes, y, margin, weight, u)
                  : Base::subgradient(z, classes, y, margin, weight, u);
  }
  T bregman_divergence(const T* from, const T* to, Index classes, Label y, T margin, T* scratch) const {
    return ranks_ ? ranking_.bregman_divergence(from, to, classes, y, margin, scratch)
                  : Base::bregman_divergence(from, to, classes, y, margin, scratch);
  }
  void guess_intercepts(const Targets<T>& targets, T* intercepts) const {
    if (ranks_) ranking_.guess_intercepts(targets, intercepts);
    else Base::guess_intercepts(targets, intercepts);
  }
  DualTerms<T> dual_terms(const T* u, Index classes, Label y, T margin, T weight, T* first, T* second) const {
    return ranks_ ? ranking_.dual_terms(u, classes, y, margin, weight, first, second)
                  : Base::dual_terms(u, classes, y, margin, weight);
  }
  bool make_dual_feasible(const Targets<T>& targets, T* u, Index stride, T* surplus, T* share) const {
    return ranks_ && ranking_.make_dual_feasible(targets, u, stride, surplus, share);
  }

 private:
  RankingSquaredHinge ranking_;
  bool ranks_;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
