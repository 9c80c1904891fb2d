#pragma once
/// What the optimum is bounded with: losses and bounds of a linear problem at a point of the primal and of the dual.

#include "../certificate/make_dual_feasible.hpp"
#include "../loss/samples.hpp"
#include "centred_products.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The mean loss of scores, and the dual objective of duals u (samples × stride) with their gradient g. The fourth
/// layer of Workbench.
template <class T, class Loss, class Penalty, class Design>
class DualBound : public CentredProducts<T, Loss, Penalty, Design> {
  using Base = CentredProducts<T, Loss, Penalty, Design>;

 protected:
  using Base::Base;
  using Base::dual_entries, Base::dual_kind, Base::for_each_listed_group, Base::gauge_, Base::has_zeros, Base::loss_,
      Base::memory_, Base::options_, Base::penalty_, Base::rows, Base::shape_, Base::squared_distance_of_duals,
      Base::stride_, Base::targets_;

  T loss_sum(const T* z) const { return detail::mean_loss(loss_, targets_, z, stride_); }

  /// Whether scores are finite: losses take one that is no number for a margin that is met.
  bool are_scores(const T* z) const { return finite(squared_distance_of_duals(z, nullptr)); }

  /// Before the certificate of duals out of projections: makes each row of u a point of the domain of its loss.
  [[gnu::noinline, gnu::cold]] void enter_domain(T* u) const {
    for (Index i = 0; i < shape_.samples; ++i, u += stride_)
      loss_.enter_domain(u, shape_.classes, label_of(loss_, targets_, i), targets_.weight(i));
  }

  /// Makes u feasible for the free intercept, and adds up what the samples contribute to the dual.
  void repair_duals(T* u) {
    if (options_.intercept) {
      make_dual_feasible(loss_, targets_, u, stride_, memory_.row[1], memory_.row[2]);
      if constexpr (!LinearDual<Loss>)  // others are not scaled up, and rounding stays what it is beside 1
        if (!is_balanced(u)) fill(u, dual_entries(), T(0));
    }
    terms_ = dual_terms(u);
  }
  /// Whether the columns of u sum to zero but for rounding of what is left of it: of large entries that have been taken
  /// back there may be nothing but rounding, which must not be scaled up.
  [[gnu::noinline]] bool is_balanced(const T* u) const {
    T* const sums = memory_.row[1];
    column_sums(u, shape_.samples, stride_, sums);
    T mass = 0, imbalance = 0;
    for (std::size_t e = 0; e < dual_entries(); ++e) mass += absolute(u[e]);
    for (Index k = 0; k < stride_; ++k) imbalance += absolute(sums[k]);
    return imbalance <= T(64) * epsilon<T> * mass;
  }

  /// The loss's share of the dual objective along the ray s·u; nothing when it is no quadratic in s.
  TAMIS_CALLED_ONCE DualTerms<T> dual_terms(const T* u) const {
    Sum<T> linear, quadratic;
    if constexpr (QuadraticDual<Loss, T>) {
      if (!has_quadratic_dual<T>(loss_)) return {};
      for (Index i = 0; i < shape_.samples; ++i) {
        const auto of = [&](auto... scratch) {
          return loss_.dual_terms(row_of(u, i, stride_), shape_.classes, label_of(loss_, targets_, i),
                                  targets_.margin(i), targets_.weight(i), scratch...);
        };
        DualTerms<T> terms;
        if constexpr (ScratchDual<Loss, T>) terms = of(memory_.row[1], memory_.row[2]);
        else terms = of();
        linear.add(terms.linear);
        if (terms.quadratic != T(0)) quadratic.add(terms.quadratic);  // some losses have none
      }
    }
    return {linear.value(), quadratic.value()};
  }

  /// The loss's share of the dual objective at s·u.
  [[gnu::noinline]] T loss_dual(const T* u, T scale) const {
    if constexpr (GeneralDual<Loss, T>) {
      if (!has_quadratic_dual<T>(loss_)) {
        Sum<T> total;
        for (Index i = 0; i < shape_.samples; ++i)
          total.add(loss_.dual_value(row_of(u, i, stride_), shape_.classes, label_of(loss_, targets_, i),
                                     targets_.margin(i), targets_.weight(i), scale));
        return total.value();
      }
    }
    if constexpr (LinearDual<Loss>) return scale * terms_.linear;
    else return scale * (terms_.linear - scale * terms_.quadratic);
  }

  /// The dual objective at the best s·u (at the largest feasible s, when it is no quadratic in s; at u, when the
  /// penalty has a conjugate instead of a dual norm; the better of both for a sparse conjugate), with the penalty taken
  /// over the listed features.
  [[gnu::noinline]] T dual_value(const T* u, const T* g, const Index* list, Index count) {
    gauge_ = T(0);
    if (!finite(gradient_size(g, list, count))) return T(0);
    if (has_zeros()) score(g, list, count);
    return scored_dual_value(u, g, list, count);
  }
  /// The same where the scores are there already, whatever λ they were taken for.
  [[gnu::noinline]] T scored_dual_value(const T* u, const T* g, const Index* list, Index count) const {
    T bound = 0;  // losses are not negative
    if (has_zeros()) {
      T scale = loss_.template max_dual_scale<T>();
      if (!LinearDual<Loss> && terms_.quadratic > T(0))
        scale = smallest(scale, terms_.linear / (T(2) * terms_.quadratic));
      if (predicts_values(loss_)) scale = largest(scale, T(0));  // the other losses have no negative terms
      if (gauge_ * scale > options_.lambda) scale = options_.lambda / gauge_;
      if (finite(scale)) bound = largest(loss_dual(u, scale), T(0));
    }
    if (dual_kind() == DualKind::norm) return bound;
    if constexpr (HasConjugate<Penalty, T>) {
      if (!(options_.lambda > T(0))) return bound;
      Sum<T> conjugate;
      for_each_listed_group(
          list, count, [&](FeatureGroup group) { conjugate.add(penalty_.conjugate(rows(g, group), options_.lambda)); });
      return largest(loss_dual(u, T(1)) - conjugate.value(), bound);
    } else {
      return not_a_number<T>;
    }
  }

  /// Sets the score of each listed group, and the gauge: the largest of them.
  void score(const T* g, const Index* list, Index count) {
    gauge_ = T(0);
    for_each_listed_group(list, count, [&](FeatureGroup group) {
      memory_.score[group.first] = penalty_norm(rows(g, group));
      gauge_ = largest(gauge_, memory_.score[group.first]);
    });
  }

  T penalty_norm(Rows<const T> g) const {
    if constexpr (HasDualNorm<Penalty, T>) return penalty_.dual_norm(g);
    else return T(0);
  }
  /// Σ |g| over the listed features. Where entries are no numbers it is none either, which largest entries and
  /// thresholds would pass over.
  [[gnu::noinline]] T gradient_size(const T* g, const Index* list, Index count) const {
    T sum = 0;
    for (Index c = 0; c < count; ++c) {
      const T* row = row_of(g, list ? list[c] : c, stride_);
      T part = 0;  // rows do not wait for each other
      for (Index k = 0; k < shape_.classes; ++k) part += absolute(row[k]);
      sum += part;
    }
    return sum;
  }

  DualTerms<T> terms_;  ///< what the samples contribute to the dual at the last certificate
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
