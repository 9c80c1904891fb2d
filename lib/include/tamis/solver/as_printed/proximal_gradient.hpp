#pragma once
/// The proximal gradient methods that paper A times against its own: baselines.

#include "../../compatibility.hpp"
#include "../../design/dense.hpp"
#include "../workbench.hpp"

namespace tamis::as_printed {

/// Forward–backward splitting, W⁺ = prox_{λΩ/L}(Y − ∇f(Y)/L), with a constant step: L = max c · (curvature of ℓ) ·
/// ‖[X 1]‖², the norm from a power iteration. Y = W, or with `Accelerated` Y = W + (t − 1)/t⁺ (W − W_before), t⁺ = (1 +
/// √(1 + 4t²))/2. W⁰ = 0. No centring, line search, restarts or working sets; only the certificate, every 40
/// iterations, is not the papers'. λ_max is reported without an intercept only.
///
/// Memory: 3(p+1) (not accelerated: 2(p+1)) + n rows of padded classes. Cost per iteration: 4·n·p·K flops.
/// Sources: paper A, section 4.2; Beck and Teboulle (2009), FISTA with constant step.
template <class T, class Loss, class Penalty, class Design, bool Accelerated>
class ProximalGradient : public Workbench<T, Loss, Penalty, Design> {
  static_assert(SmoothLoss<Loss, T>, TAMIS_NEEDS_GRADIENT);
  static_assert(tamis::Penalty<Penalty, T>, TAMIS_NEEDS_PENALTY);
  static_assert(tamis::Design<Design, T>, TAMIS_NEEDS_DESIGN);
  using Base = Workbench<T, Loss, Penalty, Design>;

 public:
  static constexpr SolverKind kind =
      Accelerated ? SolverKind::fista_constant_step_as_printed : SolverKind::forward_backward;

  ProximalGradient(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
                   const Options<T>& options)
      : Base(design, targets, loss, penalty, options) {}

  /// Bytes that `start` needs, aligned to Arena::alignment.
  static constexpr Requirement requirement(Shape shape) { return count_bytes<Memory>(shape); }

  bool start(std::span<std::byte> memory) {
    if (!this->admit(memory, requirement(this->shape_))) return false;
    Arena arena(memory);
    own_ = Memory::lay_out(arena, this->shape_);
    this->adopt(own_.common, arena.used());
    this->intercept_scale_ = T(1);
    for (T* matrix : {own_.x, own_.y}) fill(matrix, CommonMemory<T>::coefficients(this->shape_), T(0));
    certify(true);
    if (this->options_.intercept || !this->has_zeros()) this->report_.lambda_max = not_a_number<T>;
    this->start_power_iteration(own_.v);
    return this->running();
  }

  /// One power or proximal gradient iteration, certificates included; false when the run has ended.
  bool step() {
    if (!this->running()) return false;
    if (measuring_norm_) {
      measuring_norm_ = !this->advance_power_iteration(own_.v, own_.z);
      if (measuring_norm_) return true;
      T weight = 0;
      for (Index i = 0; i < this->shape_.samples; ++i) weight = largest(weight, this->targets_.weight(i));
      curvature_ = weight * this->loss_.template curvature<T>(this->shape_.classes) * this->norm_ * this->norm_;
      return true;
    }
    const bool last = !this->count_iteration();
    iterate();
    if (last || this->report_.iterations % certificate_interval == 0) certify(last);
    if (last) this->end_at_limit();
    return this->running();
  }

 private:
  struct Memory {
    CommonMemory<T> common;
    T* x;  ///< coefficients, the last row being intercepts
    T* y;  ///< where the gradient is taken; the same as x when not accelerated
    T* v;  ///< gradients, new coefficients
    T* z;  ///< scores, gradients of the loss

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      Memory m{};
      m.common = CommonMemory<T>::lay_out(arena, shape);
      for (T** coefficients : {&m.x, &m.v}) *coefficients = arena.take<T>(CommonMemory<T>::coefficients(shape));
      m.y = Accelerated ? arena.take<T>(CommonMemory<T>::coefficients(shape)) : m.x;
      m.z = arena.take<T>(CommonMemory<T>::duals(shape));
      return m;
    }
  };

  /// z ← c∇ℓ(scores z).
  void take_gradients() {
    for (Index i = 0; i < this->shape_.samples; ++i) {
      T* row = row_of(own_.z, i, this->stride_);
      T* gradient = this->memory_.row[1];
      this->loss_.gradient(row, this->shape_.classes, this->targets_.labels[i], this->targets_.margin(i),
                           this->targets_.weight(i), gradient);
      fill(row, this->stride_, T(0));
      copy(gradient, this->shape_.classes, row);
    }
  }

  void certify(bool last) {
    this->multiply(own_.x, own_.z);
    this->offer_primal(own_.x, own_.z);
    take_gradients();
    this->update_residual(step_length_, point_length_);
    if (this->certificates() == 0) this->certify_null_model(own_.z, own_.v);
    else Base::certify(own_.z, own_.v, last);
  }

  void iterate() {
    this->multiply(own_.y, own_.z);
    take_gradients();
    this->transposed_multiply(own_.z, own_.v);
    const T rate = T(1) / curvature_;
    this->for_each_active_row([&](Index j) {
      T* v = row_of(own_.v, j, this->stride_);
      const T* y = row_of(own_.y, j, this->stride_);
      for (Index k = 0; k < this->stride_; ++k) v[k] = y[k] - rate * v[k];
    });
    const T threshold = this->options_.lambda * rate;
    this->for_each_active_group([&](FeatureGroup group) { this->penalty_.prox(this->rows(own_.v, group), threshold); });

    auto square = Pack<T>::zero();
    auto size = Pack<T>::zero();
    this->for_each_active_row([&](Index j) {
      const T* v = row_of(own_.v, j, this->stride_);
      square = squared_distance(v, static_cast<const T*>(row_of(own_.y, j, this->stride_)), this->stride_, square);
      size = squared_norm(v, this->stride_, size);
    });
    step_length_ = square_root(square.sum());
    point_length_ = square_root(size.sum());

    T* const next = own_.v;
    own_.v = own_.x;  // the old coefficients, soon scratch
    own_.x = next;
    if constexpr (Accelerated) {
      const T next_momentum = (T(1) + square_root(T(1) + T(4) * momentum_ * momentum_)) * T(0.5);
      const T beta = (momentum_ - T(1)) / next_momentum;
      momentum_ = next_momentum;
      this->for_each_active_row([&](Index j) {
        const T* x = row_of(own_.x, j, this->stride_);
        const T* before = row_of(own_.v, j, this->stride_);
        T* y = row_of(own_.y, j, this->stride_);
        for (Index k = 0; k < this->stride_; ++k) y[k] = x[k] + beta * (x[k] - before[k]);
      });
    } else {
      own_.y = own_.x;
    }
  }

  static constexpr std::uint32_t certificate_interval = 40;

  Memory own_{};
  bool measuring_norm_ = true;
  T curvature_ = T(0);
  T momentum_ = T(1);
  T step_length_ = T(0);
  T point_length_ = T(0);
};

/// FISTA with constant step.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class FistaConstantStep : public ProximalGradient<T, Loss, Penalty, Design, true> {
 public:
  using ProximalGradient<T, Loss, Penalty, Design, true>::ProximalGradient;
};

/// Forward–backward splitting without momentum.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class ForwardBackward : public ProximalGradient<T, Loss, Penalty, Design, false> {
 public:
  using ProximalGradient<T, Loss, Penalty, Design, false>::ProximalGradient;
};

}  // namespace tamis::as_printed
