#pragma once
/// Chierchia et al.'s (2015) Algorithm 1 as printed: a baseline.

#include "../../catalogue.hpp"
#include "../../design/dense.hpp"
#include "../../projection/simplex.hpp"
#include "../workbench.hpp"
#include "consecutive_iterates.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed {

/// The forward–backward based primal–dual iteration for Chierchia et al.'s (2015) problem (7), g(x) + Σ_ℓ λ_ℓ h_ℓ(T_ℓ
/// x), with g = Ω, λ_ℓ = c_ℓ/λ and (T_ℓ x)_k = φ(x_ℓ)ᵀ(x^(k) − x^(z_ℓ)):
///     x⁺ = prox_{τg}(x − τTᵀy),   y⁺ = P_S(y + σ(T(2x⁺ − x) + r)),   S the simplices of radius λ_ℓ.
/// x⁰ = 0, y⁰ = 0, τ = σ = 1/‖T‖ with ‖T‖ from a power iteration. No centring, restarts, weights or working sets; only
/// the certificate, every 40 iterations, is not the paper's. It ends by that, or by the change of x (while x is zero:
/// of x and y), and then λ_max is not reported. Memory: 3(p+1) + 2n rows of padded classes.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class PrimalDual : public Workbench<T, Loss, Penalty, Design> {
  static_assert(DualProximableLoss<Loss, T>, TAMIS_NEEDS_DUAL_PROX);
  static_assert(tamis::Penalty<Penalty, T>, TAMIS_NEEDS_PENALTY);
  static_assert(tamis::Design<Design, T>, TAMIS_NEEDS_DESIGN);
  using Base = Workbench<T, Loss, Penalty, Design>;

 public:
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
    if (!this->validate(memory, requirement(this->shape_))) return false;
    if (!(this->options_.lambda > T(0))) {  // the paper's λ is 1/λ
      this->report_.status = Status::invalid_lambda;
      return false;
    }
    if (!has_stopping(kind, stopping_.rule) || !stopping_.valid()) {
      this->report_.status = Status::invalid_option;
      return false;
    }
    Arena arena(memory);
    own_ = Memory::lay_out(arena, this->shape_);
    this->bind(own_.common, arena.used());
    this->intercept_scale_ = T(1);
    this->loss_.null_model(this->targets_, this->options_.intercept,
                           row_of(own_.v, this->shape_.features, this->stride_), own_.z, this->stride_);
    certify_null_model();
    this->start_power_iteration(own_.v);
    fill(own_.x, CommonMemory<T>::coefficients(this->shape_), T(0));
    fill(own_.y, CommonMemory<T>::duals(this->shape_), T(0));
    return this->running();
  }

  bool step() {
    if (!this->running()) return false;
    if (measuring_norm_)
      measuring_norm_ = !this->advance_power_iteration(own_.v, own_.z, [&](T* z) {
        subtract_label_scores(z);
        gather_on_labels(z);
      });
    else iterate();
    return this->running();
  }

  /// Ends the run; by a rule other than the gap with the present model, certified.
  void stop() {
    if (this->running() && !by_gap()) certify_iterate();
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
    T* intercepts = row_of(own_.v, this->shape_.features, this->stride_);
    copy(intercepts, this->stride_, row_of(own_.x, this->shape_.features, this->stride_));
    fill(own_.x, static_cast<std::size_t>(this->shape_.features) * this->stride_, T(0));
    this->multiply(own_.x, own_.y);
    this->offer_primal(own_.x, own_.y);
    if (by_gap()) Base::certify_null_model(own_.z, own_.v);
    else this->report_.lambda_max = not_a_number<T>;
  }

  /// z ← T_ℓ applied to scores: z_k − z_label.
  void subtract_label_scores(T* z) const {
    for_each_sample(z, [&](T* row, Index i) {
      const T label = row[this->targets_.labels[i]];
      for (Index k = 0; k < this->shape_.classes; ++k) row[k] -= label;
    });
  }
  /// The transpose: z_label ← z_label − Σ_k z_k.
  void gather_on_labels(T* z) const {
    for_each_sample(z, [&](T* row, Index i) {
      T total = 0;
      for (Index k = 0; k < this->shape_.classes; ++k) total += row[k];
      row[this->targets_.labels[i]] -= total;
    });
  }
  template <class Visit>
  void for_each_sample(T* matrix, Visit visit) const {
    for (Index i = 0; i < this->shape_.samples; ++i) visit(row_of(matrix, i, this->stride_), i);
  }

  void iterate() {
    const std::size_t duals = CommonMemory<T>::duals(this->shape_);
    const T tau = T(1) / this->norm_;
    const T sigma = tau;
    const bool last = !this->count_iteration();
    const bool due = by_gap() && (last || this->report_.iterations % certificate_interval == 0);

    copy(own_.y, duals, own_.z);
    gather_on_labels(own_.z);
    this->transposed_multiply(own_.z, own_.v);
    this->for_each_active_row([&](Index j) {
      for (Index k = 0; k < this->stride_; ++k) {
        T& entry = row_of(own_.v, j, this->stride_)[k];
        entry = row_of(own_.x, j, this->stride_)[k] - tau * entry;
      }
    });
    this->for_each_active_group([&](FeatureGroup group) { this->penalty_.prox(this->rows(own_.v, group), tau); });

    auto moved = Simd<T>::zero();
    auto size = Simd<T>::zero();
    this->for_each_active_row([&](Index j) {
      T* x = row_of(own_.x, j, this->stride_);
      const T* next = row_of(own_.v, j, this->stride_);
      moved = squared_distance(next, static_cast<const T*>(x), this->stride_, moved);
      size = squared_norm(next, this->stride_, size);
      for (Index k = 0; k < this->stride_; ++k) x[k] = T(2) * next[k] - x[k];
    });
    moved_ = {moved.sum(), size.sum()};
    this->multiply(own_.x, own_.z);
    copy(own_.v, CommonMemory<T>::coefficients(this->shape_), own_.x);
    subtract_label_scores(own_.z);
    for_each_sample(own_.y, [&](T* y, Index i) {
      T* z = row_of(own_.z, i, this->stride_);
      const Label label = this->targets_.labels[i];
      for (Index k = 0; k < this->shape_.classes; ++k)
        z[k] = y[k] + sigma * (k == label ? z[k] : z[k] + this->targets_.margin(i));
    });
    project_simplex_rows(own_.z, this->shape_.samples, this->shape_.classes, this->stride_,
                         [&](Index i) { return this->targets_.weight(i) / this->options_.lambda; });
    for_each_sample(own_.y, [&](T* y, Index i) {
      const T* z = row_of(own_.z, i, this->stride_);
      moved = squared_distance(z, static_cast<const T*>(y), this->stride_, moved);
      size = squared_norm(z, this->stride_, size);
      copy(z, this->stride_, y);
    });
    moved_.of_point = moved.sum();
    moved_.point = size.sum();
    const bool met = !by_gap() && moved_.is_within(stopping_.threshold);
    if (!due && !met && !last) return;
    certify_iterate();
    if (met && this->running()) this->report_.status = Status::stopped;
    if (last) this->end_at_limit();
  }

  bool by_gap() const { return stopping_.rule == StoppingRule::gap; }

  /// The certificate of x and y.
  void certify_iterate() {
    this->multiply(own_.x, own_.z);
    this->offer_primal(own_.x, own_.z);
    copy(own_.y, CommonMemory<T>::duals(this->shape_), own_.z);
    this->update_residual(square_root(moved_.of_point), square_root(moved_.point));
    for (std::size_t i = 0; i < CommonMemory<T>::duals(this->shape_); ++i) own_.z[i] *= this->options_.lambda;
    this->enter_domain(own_.z);
    this->certify(own_.z, own_.v, true);
  }

  static constexpr std::uint32_t certificate_interval = 40;

  Stopping<T> stopping_{};
  Memory own_{};
  Movement<T> moved_{};
  bool measuring_norm_ = true;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed
