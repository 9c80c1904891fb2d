#pragma once
/// What the printed proximal gradient methods share.

#include "../../catalogue.hpp"
#include "../../design/dense.hpp"
#include "../workbench.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed {

/// Base of the printed proximal gradient methods: gradients of the loss, certificates every 40 iterations, and the end
/// by the change of consecutive iterates. λ_max is reported without an intercept only, and by the certificate.
template <class T, class Loss, class Penalty, class Design>
class GradientSteps : public Workbench<T, Loss, Penalty, Design> {
  static_assert(SmoothLoss<Loss, T>, TAMIS_NEEDS_GRADIENT);
  static_assert(tamis::Penalty<Penalty, T>, TAMIS_NEEDS_PENALTY);
  static_assert(tamis::Design<Design, T>, TAMIS_NEEDS_DESIGN);
  using Base = Workbench<T, Loss, Penalty, Design>;

 public:
  using Base::running;
  /// Before `start`: by the gap or by the iterates.
  void set_stopping(const Stopping<T>& stopping) { stopping_ = stopping; }
  void take_settings(const GradientSteps& other) { stopping_ = other.stopping_; }

  /// Ends the run; by a rule other than the gap with the present model, certified.
  void stop() {
    if (running() && !by_gap()) certify(true);
    Base::stop();
  }

 protected:
  using Base::Base;
  using Base::certify_null_model, Base::end_at_limit, Base::for_each_active_group, Base::for_each_active_row,
      Base::has_zeros, Base::intercept_scale_, Base::loss_, Base::memory_, Base::multiply, Base::offer_primal,
      Base::options_, Base::penalty_, Base::report_, Base::rows, Base::shape_, Base::stride_, Base::targets_,
      Base::update_residual;

  /// Iterate and scratch, where the memory of the solver has them.
  T* x_ = nullptr;  ///< coefficients, the last row being intercepts
  T* v_ = nullptr;  ///< scratch of coefficients
  T* z_ = nullptr;  ///< scratch of scores
  T step_length_ = T(0);
  T point_length_ = T(0);

  bool by_gap() const { return stopping_.rule == StoppingRule::gap; }

  /// As Workbench::validate; `invalid_option` for a rule that these solvers do not know.
  bool validate(std::span<std::byte> memory, Requirement requirement) {
    if (!Base::validate(memory, requirement)) return false;
    const bool known = by_gap() || stopping_.rule == StoppingRule::iterates;
    if (!known || !stopping_.valid()) report_.status = Status::invalid_option;
    return running();
  }

  /// The zero model, certified when the run is to end by the gap; x_, v_ and z_ point into the arena. False: it has
  /// ended.
  bool begin() {
    intercept_scale_ = T(1);
    fill(x_, CommonMemory<T>::coefficients(shape_), T(0));
    if (by_gap()) {
      certify(true);
      if (options_.intercept || !has_zeros()) report_.lambda_max = not_a_number<T>;
    } else {
      multiply(x_, z_);
      offer_primal(x_, z_);
      report_.lambda_max = not_a_number<T>;
    }
    return running();
  }

  /// Whether the run ends by the iterates, after one from `before` to x_.
  bool has_settled(const T* before) const {
    return !by_gap() &&
           square_root(squared_distance_of(x_, before)) <= stopping_.threshold * square_root(squared_norm_of(x_));
  }
  /// Certificates and the end, `met` being `has_settled`; v_ and z_ are overwritten.
  bool finish_iteration(bool last, bool met) {
    if (last || met || (by_gap() && report_.iterations % certificate_interval == 0)) certify(last || met);
    if (met && running()) report_.status = Status::stopped;
    if (last) end_at_limit();
    return running();
  }

  /// z_ ← c∇ℓ(scores z_).
  void take_gradients() { take_gradients(z_); }
  /// z_ ← c∇ℓ(scores).
  void take_gradients(const T* scores) {
    for (Index i = 0; i < shape_.samples; ++i) {
      T* row = row_of(z_, i, stride_);
      T* gradient = memory_.row[1];
      loss_.gradient(row_of(scores, i, stride_), shape_.classes, targets_.labels[i], targets_.margin(i),
                     targets_.weight(i), gradient);
      fill(row, stride_, T(0));
      copy(gradient, shape_.classes, row);
    }
  }

  /// v_ ← prox_{λΩ/L}(from − g/L); returns ‖v_ − from‖², and sets the length of v_.
  T step_from(const T* from, const T* g, T curvature) {
    const T rate = T(1) / curvature;
    for_each_active_row([&](Index j) {
      T* v = row_of(v_, j, stride_);
      const T* start = row_of(from, j, stride_);
      const T* slope = row_of(g, j, stride_);
      for (Index k = 0; k < stride_; ++k) v[k] = start[k] - rate * slope[k];
    });
    const T threshold = options_.lambda * rate;
    for_each_active_group([&](FeatureGroup group) { penalty_.prox(rows(v_, group), threshold); });
    const T square = squared_distance_of(v_, from);
    step_length_ = square_root(square);
    point_length_ = square_root(squared_norm_of(v_));
    return square;
  }

  /// ‖∇f(0)‖²/2f(0) from the gradient at 0: no Lipschitz constant of the gradient of a loss that is never negative is
  /// smaller.
  T first_curvature(const T* g) const {
    const T bound = squared_norm_of(g) / (T(2) * report_.objective);
    return bound > T(0) && finite(bound) ? bound : T(1);
  }

  T squared_norm_of(const T* a) const {
    auto total = Simd<T>::zero();
    for_each_active_row([&](Index j) { total = squared_norm(row_of(a, j, stride_), stride_, total); });
    return total.sum();
  }
  T squared_distance_of(const T* a, const T* b) const {
    auto total = Simd<T>::zero();
    for_each_active_row(
        [&](Index j) { total = squared_distance(row_of(a, j, stride_), row_of(b, j, stride_), stride_, total); });
    return total.sum();
  }

 private:
  void certify(bool last) {
    multiply(x_, z_);
    offer_primal(x_, z_);
    take_gradients();
    update_residual(step_length_, point_length_);
    if (report_.iterations == 0) certify_null_model(z_, v_);
    else Base::certify(z_, v_, last);
  }

  static constexpr std::uint32_t certificate_interval = 40;

  Stopping<T> stopping_{};
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed
