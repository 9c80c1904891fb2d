#pragma once
/// The proximal gradient methods that Chierchia et al. (2015) times against its own: baselines.

#include <utility>

#include "gradient_steps.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed {

/// What the constant step of a proximal gradient method is taken from.
enum class ConstantStep { power_iteration, printed };

/// Forward–backward splitting, W⁺ = prox_{λΩ/L}(Y − ∇f(Y)/L), with a constant step: Y = W, or with `Accelerated` Y = W
/// + (t − 1)/t⁺ (W − W_before), t⁺ = (1 + √(1 + 4t²))/2. W⁰ = 0. No centring, line search, restarts or working sets;
/// only the certificate, every 40 iterations, is not the papers'. λ_max is reported without an intercept only.
///
/// L = max c · (curvature of ℓ) · ‖[X 1]‖² with the norm from a power iteration; or with ConstantStep::printed paper
/// B's 𝒦, for its equation (2) printed as
///     𝒦 = 4(m−1)/n Σᵢ ‖xᵢ‖²,   m classes, n samples of unit weight, no intercepts,
/// which with sample weights is 4(m−1) Σᵢ cᵢ‖xᵢ‖², cᵢ = wᵢ/Σw, and with intercepts has ‖xᵢ‖² + 1 in the place of ‖xᵢ‖²;
/// margins are not in it. For the other losses, of which the paper prints no 𝒦: Σᵢ cᵢ‖xᵢ‖² times their factor in its
/// 𝒦_j (PrintedLipschitz). It is several to a hundred times the other L.
///
/// Memory: 3(p+1) (not accelerated: 2(p+1)) + n rows of padded classes. Cost per iteration: 4·n·p·K flops.
/// Sources: Chierchia et al. (2015), section 4.2; Blondel et al. (2013), section 5.2 and Appendix A; Beck and Teboulle
/// (2009), FISTA with constant step.
template <class T, class Loss, class Penalty, class Design, bool Accelerated>
class ProximalGradient : public GradientSteps<T, Loss, Penalty, Design> {
  using Base = GradientSteps<T, Loss, Penalty, Design>;

 public:
  /// Bytes that `start` needs, aligned to Arena::alignment.
  static constexpr Requirement requirement(Shape shape) { return count_bytes<Memory>(shape); }

  bool start(std::span<std::byte> memory) {
    if (!this->validate(memory, requirement(this->shape_))) return false;
    Arena arena(memory);
    const Memory own = Memory::lay_out(arena, this->shape_);
    this->bind(own.common, arena.used());
    this->x_ = own.x;
    this->v_ = own.v;
    this->z_ = own.z;
    y_ = own.y;
    fill(y_, CommonMemory<T>::coefficients(this->shape_), T(0));
    this->begin();
    momentum_ = T(1);
    measuring_norm_ = step_ == ConstantStep::power_iteration;
    if (measuring_norm_) this->start_power_iteration(this->v_);
    else take_printed_constant();
    return this->running();
  }

  /// One power or proximal gradient iteration, certificates included; false when the run has ended.
  bool step() {
    if (!this->running()) return false;
    if (measuring_norm_) {
      measuring_norm_ = !this->advance_power_iteration(this->v_, this->z_);
      if (measuring_norm_) return true;
      T weight = 0;
      for (Index i = 0; i < this->shape_.samples; ++i) weight = largest(weight, this->targets_.weight(i));
      curvature_ = weight * this->loss_.template curvature<T>(this->shape_.classes) * this->norm_ * this->norm_;
      return true;
    }
    const bool last = !this->count_iteration();
    iterate();
    return this->finish_iteration(last, this->v_);
  }

 protected:
  ProximalGradient(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
                   const Options<T>& options, ConstantStep step)
      : Base(design, targets, loss, penalty, options), step_(step) {}

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

  /// L ← Σᵢ cᵢ · (factor of ℓ) · ‖xᵢ‖²; z_ is scratch.
  void take_printed_constant() {
    if constexpr (PrintedLipschitz<Loss, T>) {
      Sum<T> total;
      const auto add = [&](Index i, T x) {
        const T factor = this->loss_.template printed_lipschitz<T>(this->shape_.classes, this->targets_.labels[i]);
        total.add(factor * this->targets_.weight(i) * x * x);
      };
      for (Index j = 0; j < this->shape_.features; ++j) {
        if constexpr (HasColumns<Design, T>) {
          if (has_columns(this->design_)) {
            const Column<T> column = this->design_.column(j);
            for (Index e = 0; e < column.count; ++e) add(column.sample(e), column.values[e]);
            continue;
          }
        }
        this->design_.gather(j, nullptr, this->shape_.samples, this->z_, 1);
        for (Index i = 0; i < this->shape_.samples; ++i) add(i, this->z_[i]);
      }
      for (Index i = 0; this->options_.intercept && i < this->shape_.samples; ++i) add(i, T(1));
      curvature_ = total.value() > T(0) ? total.value() : T(1);  // nothing varies: any step will do
      this->add_epochs(this->design_.entries(nullptr, this->shape_.features), T(0.5));
    }
  }

  void iterate() {
    this->multiply(y_, this->z_);
    this->take_gradients();
    this->transposed_multiply(this->z_, this->v_);
    this->step_from(y_, this->v_, curvature_);
    std::swap(this->x_, this->v_);  // the old coefficients are soon scratch
    if constexpr (Accelerated) {
      const T next_momentum = (T(1) + square_root(T(1) + T(4) * momentum_ * momentum_)) * T(0.5);
      const T beta = (momentum_ - T(1)) / next_momentum;
      momentum_ = next_momentum;
      this->for_each_active_row([&](Index j) {
        const T* x = row_of(this->x_, j, this->stride_);
        const T* before = row_of(this->v_, j, this->stride_);
        T* y = row_of(y_, j, this->stride_);
        for (Index k = 0; k < this->stride_; ++k) y[k] = x[k] + beta * (x[k] - before[k]);
      });
    } else {
      y_ = this->x_;
    }
  }

  T* y_ = nullptr;
  ConstantStep step_;
  bool measuring_norm_ = true;
  T curvature_ = T(0);
  T momentum_ = T(1);
};

/// Blondel et al.'s (2013) FISTA (CST): the step is 1/𝒦.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class FistaPrintedStep : public ProximalGradient<T, Loss, Penalty, Design, true> {
  static_assert(PrintedLipschitz<Loss, T>, TAMIS_NEEDS_PRINTED_LIPSCHITZ);

 public:
  static constexpr SolverKind kind = SolverKind::fista_constant_step_as_printed;

  FistaPrintedStep(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
                   const Options<T>& options)
      : ProximalGradient<T, Loss, Penalty, Design, true>(design, targets, loss, penalty, options,
                                                         ConstantStep::printed) {}
};

/// FISTA with the longest constant step that a power iteration finds.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class FistaConstantStep : public ProximalGradient<T, Loss, Penalty, Design, true> {
 public:
  static constexpr SolverKind kind = SolverKind::fista_constant_step;

  FistaConstantStep(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
                    const Options<T>& options)
      : ProximalGradient<T, Loss, Penalty, Design, true>(design, targets, loss, penalty, options,
                                                         ConstantStep::power_iteration) {}
};

/// Forward–backward splitting without momentum.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class ForwardBackward : public ProximalGradient<T, Loss, Penalty, Design, false> {
 public:
  static constexpr SolverKind kind = SolverKind::forward_backward;

  ForwardBackward(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
                  const Options<T>& options)
      : ProximalGradient<T, Loss, Penalty, Design, false>(design, targets, loss, penalty, options,
                                                          ConstantStep::power_iteration) {}
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed
