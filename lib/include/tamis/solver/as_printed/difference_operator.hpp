#pragma once
/// Chierchia et al.'s (2015) operator T, and the dual points of its algorithms for the constrained form.

#include "../constrained_workbench.hpp"
#include "checked_norm.hpp"
#include "consecutive_iterates.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed {

/// Base of the printed algorithms for problem (8): the operator (T_ℓ x)_k = φ(x_ℓ)ᵀ(x^(k) − x^(z_ℓ)) by way of scores,
/// and how they end: by the certificate, every 40 iterations, or by the change of x.
template <class T, class Loss, class Penalty, class Design>
class DifferenceOperator : public ConstrainedWorkbench<T, Loss, Penalty, Design> {
  using Base = ConstrainedWorkbench<T, Loss, Penalty, Design>;

 public:
  using Base::running;
  /// Before `start`: by the gap or by the iterates.
  void set_stopping(const Stopping<T>& stopping) { stopping_ = stopping; }
  void take_settings(const DifferenceOperator& other) { stopping_ = other.stopping_; }

 protected:
  using Base::advance_power_iteration, Base::certify_null_model, Base::end_at_limit, Base::intercept_scale_,
      Base::loss_, Base::multiplier_, Base::multiply, Base::norm_, Base::offer_primal, Base::options_, Base::report_,
      Base::shape_, Base::squared_distance_of_duals, Base::squared_distance_of_rows, Base::start_power_iteration,
      Base::stride_, Base::targets_, Base::update_residual;
  using Base::Base;

  bool by_gap() const { return stopping_.rule == StoppingRule::gap; }

  /// As ConstrainedWorkbench::validate; `invalid_option` for a rule that these solvers do not know.
  bool validate(std::span<std::byte> memory, Requirement requirement) {
    if (!Base::validate(memory, requirement)) return false;
    const bool known = by_gap() || stopping_.rule == StoppingRule::iterates;
    if (!known || !stopping_.valid()) report_.status = Status::invalid_option;
    return running();
  }

  /// The end of an iteration, and of the run where the rule says so: `certify` certifies the present point; `step` is
  /// that of x, z scratch.
  template <class Certify>
  void finish_iteration(bool last, const T* step, T* z, Certify certify) {
    if (!last && check_.is_due(report_.iterations)) check_norm(step, z);
    const bool met = !by_gap() && moved_.is_within(stopping_.threshold);
    const bool due = by_gap() && report_.iterations % certificate_interval == 0;
    if (!due && !met && !last) return;
    certify();
    if (met && running()) report_.status = Status::stopped;
    if (last) end_at_limit();
  }
  /// What `certify` has to begin with; z is scratch.
  void offer_iterate(const T* x, T* z) {
    multiply(x, z);
    offer_primal(x, z);
    update_residual(square_root(moved_.of_point), square_root(moved_.point));
  }

  /// z ← T_ℓ applied to scores: z_k − z_label.
  void subtract_label_scores(T* z) const {
    for_each_sample(z, [&](T* row, Index i) {
      const T label = row[targets_.labels[i]];
      for (Index k = 0; k < shape_.classes; ++k) row[k] -= label;
    });
  }
  /// The transpose: z_label ← z_label − Σ_k z_k.
  void gather_on_labels(T* z) const {
    for_each_sample(z, [&](T* row, Index i) {
      T total = 0;
      for (Index k = 0; k < shape_.classes; ++k) total += row[k];
      row[targets_.labels[i]] -= total;
    });
  }
  /// A dual point for the certificate from y ≥ 0, whose rows belong to multipliers share(i) ≥ 0 that tend to νcᵢ: ν is
  /// their least-squares mean; the certificate gives the label of each row what its other classes leave of νcᵢ, and
  /// cuts what exceeds it.
  template <class Share>
  void duals_from(const T* y, T* u, Share share) {
    copy(y, CommonMemory<T>::duals(shape_), u);
    Sum<T> product, square;
    for (Index i = 0; i < shape_.samples; ++i) {
      const T weight = targets_.weight(i);
      product.add(weight * share(i));
      square.add(weight * weight);
    }
    multiplier_ = largest(product.value() / square.value(), T(0));
  }
  template <class Visit>
  void for_each_sample(T* matrix, Visit visit) const {
    for (Index i = 0; i < shape_.samples; ++i) visit(row_of(matrix, i, stride_), i);
  }

  /// The model without coefficients, certified when the run is to end by the gap; x (coefficients), v (the same) and u,
  /// z (duals) are scratch.
  void start_from_null_model(T* x, T* v, T* u, T* z) {
    intercept_scale_ = T(1);
    fill(x, CommonMemory<T>::coefficients(shape_), T(0));
    loss_.null_model(targets_, options_.intercept, row_of(x, shape_.features, stride_), u, stride_);
    multiply(x, z);
    offer_primal(x, z);
    if (by_gap()) certify_null_model(u, v);
  }

  /// Before the power iteration, on v.
  void start_norm(T* v) {
    start_power_iteration(v);
    check_ = {};
  }
  /// One power iteration on T; true when ‖T‖ is known.
  bool advance_norm(T* v, T* z) {
    return advance_power_iteration(v, z, [&](T* scores) {
      subtract_label_scores(scores);
      gather_on_labels(scores);
    });
  }

  Movement<T> moved_{};

 private:
  void check_norm(const T* step, T* z) {
    multiply(step, z);
    subtract_label_scores(z);
    T square = norm_ * norm_;
    const T image = squared_distance_of_duals(z, nullptr), length = squared_distance_of_rows(step, nullptr);
    if (check_.raise(square, image, length)) norm_ = square_root(square);
  }

  static constexpr std::uint32_t certificate_interval = 40;

  Stopping<T> stopping_{};
  NormCheck<T> check_{};
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed
