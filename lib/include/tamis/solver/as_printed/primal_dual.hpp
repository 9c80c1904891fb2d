#pragma once
/// Chierchia et al.'s (2015) Algorithm 1 as printed: a baseline.

#include "../../catalogue.hpp"
#include "../../design/dense.hpp"
#include "../../projection/simplex.hpp"
#include "../workbench.hpp"
#include "checked_norm.hpp"
#include "consecutive_iterates.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed {

/// The forward–backward based primal–dual iteration for Chierchia et al.'s (2015) problem (7), g(x) + Σ_ℓ λ_ℓ h_ℓ(T_ℓ
/// x), with g = Ω, λ_ℓ = c_ℓ/λ and (T_ℓ x)_k = φ(x_ℓ)ᵀ(x^(k) − x^(z_ℓ)):
///     x⁺ = prox_{τg}(x − τTᵀy),   y⁺ = P_S(y + σ(T(2x⁺ − x) + r)),   S the simplices of radius λ_ℓ.
/// x⁰ = 0, y⁰ = 0, τ = σ = 1/‖T‖ with ‖T‖ from a power iteration, see NormCheck. No centring, restarts, weights or
/// working sets; only the certificate, every 40 iterations, is not the paper's. It ends by that, or by the change of x
/// (while x is zero: of x and y), and then λ_max is not reported. Memory: 3(p+1) + 2n rows of padded classes.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class PrimalDual : public Workbench<T, Loss, Penalty, Design> {
  static_assert(DualProximableLoss<Loss, T>, TAMIS_NEEDS_DUAL_PROX);
  static_assert(tamis::Penalty<Penalty, T>, TAMIS_NEEDS_PENALTY);
  static_assert(tamis::Design<Design, T>, TAMIS_NEEDS_DESIGN);
  using Base = Workbench<T, Loss, Penalty, Design>;
  using Base::advance_power_iteration, Base::bind, Base::certify, Base::count_iteration, Base::end_at_limit,
      Base::enter_domain, Base::for_each_active_group, Base::for_each_active_row, Base::intercept_scale_, Base::loss_,
      Base::multiply, Base::norm_, Base::offer_primal, Base::options_, Base::penalty_, Base::report_, Base::rows,
      Base::shape_, Base::squared_distance_of_duals, Base::squared_distance_of_rows, Base::start_power_iteration,
      Base::stride_, Base::targets_, Base::transposed_multiply, Base::update_residual, Base::validate;

 public:
  using Base::running;
  static constexpr SolverKind kind = SolverKind::primal_dual_as_printed;

  PrimalDual(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
             const Options<T>& options)
      : Base(design, targets, loss, penalty, options) {}

  /// Before `start`: by the gap or by the iterates.
  void set_stopping(const Stopping<T>& stopping) { stopping_ = stopping; }
  void take_settings(const PrimalDual& other) { stopping_ = other.stopping_; }

  /// Bytes that `start` needs, aligned to Arena::alignment.
  static constexpr Requirement requirement(Shape shape) { return count_bytes<Memory>(shape); }

  bool start(std::span<std::byte> memory) {
    if (!validate(memory, requirement(shape_))) return false;
    if (!(options_.lambda > T(0))) {  // the paper's λ is 1/λ
      report_.status = Status::invalid_lambda;
      return false;
    }
    if (!has_stopping(kind, stopping_.rule) || !stopping_.valid()) {
      report_.status = Status::invalid_option;
      return false;
    }
    Arena arena(memory);
    own_ = Memory::lay_out(arena, shape_);
    bind(own_.common, arena.used());
    intercept_scale_ = T(1);
    loss_.null_model(targets_, options_.intercept, row_of(own_.v, shape_.features, stride_), own_.z, stride_);
    certify_null_model();
    start_power_iteration(own_.v);
    check_ = {};
    fill(own_.x, CommonMemory<T>::coefficients(shape_), T(0));
    fill(own_.y, CommonMemory<T>::duals(shape_), T(0));
    return running();
  }

  bool step() {
    if (!running()) return false;
    if (measuring_norm_)
      measuring_norm_ = !advance_power_iteration(own_.v, own_.z, [&](T* z) {
        subtract_label_scores(z);
        gather_on_labels(z);
      });
    else iterate();
    return running();
  }

  /// Ends the run; by a rule other than the gap with the present model, certified.
  void stop() {
    if (running() && !by_gap()) certify_iterate();
    Base::stop();
  }

 private:
  struct Memory {
    CommonMemory<T> common;
    T* x;
    T* v;  ///< new x, gradients
    T* y;
    T* z;  ///< scores

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      Memory m{};
      m.common = CommonMemory<T>::lay_out(arena, shape);
      for (T** coefficients : {&m.x, &m.v}) *coefficients = arena.take<T>(CommonMemory<T>::coefficients(shape));
      for (T** duals : {&m.y, &m.z}) *duals = arena.take<T>(CommonMemory<T>::duals(shape));
      return m;
    }
  };

  void certify_null_model() {
    T* intercepts = row_of(own_.v, shape_.features, stride_);
    copy(intercepts, stride_, row_of(own_.x, shape_.features, stride_));
    fill(own_.x, static_cast<std::size_t>(shape_.features) * stride_, T(0));
    multiply(own_.x, own_.y);
    offer_primal(own_.x, own_.y);
    if (by_gap()) Base::certify_null_model(own_.z, own_.v);
    else report_.lambda_max = not_a_number<T>;
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
  template <class Visit>
  void for_each_sample(T* matrix, Visit visit) const {
    for (Index i = 0; i < shape_.samples; ++i) visit(row_of(matrix, i, stride_), i);
  }

  void iterate() {
    const std::size_t duals = CommonMemory<T>::duals(shape_);
    const T tau = T(1) / norm_;
    const T sigma = tau;
    const bool last = !count_iteration();
    const bool due = by_gap() && (last || report_.iterations % certificate_interval == 0);

    copy(own_.y, duals, own_.z);
    gather_on_labels(own_.z);
    transposed_multiply(own_.z, own_.v);
    for_each_active_row([&](Index j) {
      for (Index k = 0; k < stride_; ++k) {
        T& entry = row_of(own_.v, j, stride_)[k];
        entry = row_of(own_.x, j, stride_)[k] - tau * entry;
      }
    });
    for_each_active_group([&](FeatureGroup group) { penalty_.prox(rows(own_.v, group), tau); });

    auto moved = Simd<T>::zero();
    auto size = Simd<T>::zero();
    for_each_active_row([&](Index j) {
      T* x = row_of(own_.x, j, stride_);
      const T* next = row_of(own_.v, j, stride_);
      moved = squared_distance(next, static_cast<const T*>(x), stride_, moved);
      size = squared_norm(next, stride_, size);
      for (Index k = 0; k < stride_; ++k) x[k] = T(2) * next[k] - x[k];
    });
    moved_ = {moved.sum(), size.sum()};
    multiply(own_.x, own_.z);
    separate_step(own_.x, own_.v, CommonMemory<T>::coefficients(shape_));
    subtract_label_scores(own_.z);
    for_each_sample(own_.y, [&](T* y, Index i) {
      T* z = row_of(own_.z, i, stride_);
      const Label label = targets_.labels[i];
      for (Index k = 0; k < shape_.classes; ++k) z[k] = y[k] + sigma * (k == label ? z[k] : z[k] + targets_.margin(i));
    });
    project_simplex_rows(own_.z, shape_.samples, shape_.classes, stride_,
                         [&](Index i) { return targets_.weight(i) / options_.lambda; });
    for_each_sample(own_.y, [&](T* y, Index i) {
      const T* z = row_of(own_.z, i, stride_);
      moved = squared_distance(z, static_cast<const T*>(y), stride_, moved);
      size = squared_norm(z, stride_, size);
      copy(z, stride_, y);
    });
    moved_.of_point = moved.sum();
    moved_.point = size.sum();
    if (!last && check_.is_due(report_.iterations)) check_norm();
    const bool met = !by_gap() && moved_.is_within(stopping_.threshold);
    if (!due && !met && !last) return;
    certify_iterate();
    if (met && running()) report_.status = Status::stopped;
    if (last) end_at_limit();
  }

  /// v is the step of x.
  void check_norm() {
    multiply(own_.v, own_.z);
    subtract_label_scores(own_.z);
    T square = norm_ * norm_;
    const T image = squared_distance_of_duals(own_.z, nullptr), step = squared_distance_of_rows(own_.v, nullptr);
    if (check_.raise(square, image, step)) norm_ = square_root(square);
  }

  bool by_gap() const { return stopping_.rule == StoppingRule::gap; }

  /// The certificate of x and y.
  void certify_iterate() {
    multiply(own_.x, own_.z);
    offer_primal(own_.x, own_.z);
    copy(own_.y, CommonMemory<T>::duals(shape_), own_.z);
    update_residual(square_root(moved_.of_point), square_root(moved_.point));
    for (std::size_t i = 0; i < CommonMemory<T>::duals(shape_); ++i) own_.z[i] *= options_.lambda;
    enter_domain(own_.z);
    certify(own_.z, own_.v, true);
  }

  static constexpr std::uint32_t certificate_interval = 40;

  Stopping<T> stopping_{};
  Memory own_{};
  Movement<T> moved_{};
  NormCheck<T> check_{};
  bool measuring_norm_ = true;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed
