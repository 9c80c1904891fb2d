#pragma once
/// The proximal gradient methods that Chierchia et al. (2015) times against its own: baselines.

#include <utility>

#include "checked_norm.hpp"
#include "gradient_steps.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed {

/// What the constant step of a proximal gradient method is taken from.
enum class ConstantStep { power_iteration, printed };

/// Forward–backward splitting, W⁺ = prox_{λΩ/L}(Y − ∇f(Y)/L), with a constant step: Y = W, or with `Accelerated` Y = W
/// + (t − 1)/t⁺ (W − W_before), t⁺ = (1 + √(1 + 4t²))/2. W⁰ = 0. No centring, line search, restarts or working sets;
/// only the certificate, every 40 iterations, is not the papers'. λ_max is reported without an intercept only.
///
/// L = max c · (curvature of ℓ) · ‖[X 1]‖² with the norm from a power iteration, see NormCheck; or with
/// ConstantStep::printed paper B's 𝒦, for its equation (2) printed as
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
  using Base::running;
  /// Bytes that `start` needs, aligned to Arena::alignment.
  static constexpr Requirement requirement(Shape shape) { return count_bytes<Memory>(shape); }

  bool start(std::span<std::byte> memory) {
    if (!validate(memory, requirement(shape_))) return false;
    Arena arena(memory);
    const Memory own = Memory::lay_out(arena, shape_);
    bind(own.common, arena.used());
    x_ = own.x;
    v_ = own.v;
    z_ = own.z;
    y_ = own.y;
    fill(y_, CommonMemory<T>::coefficients(shape_), T(0));
    begin();
    momentum_ = T(1);
    measuring_norm_ = step_ == ConstantStep::power_iteration;
    check_ = {};
    if (measuring_norm_) start_power_iteration(v_);
    else take_printed_constant();
    return running();
  }

  /// One power or proximal gradient iteration, certificates included; false when the run has ended.
  bool step() {
    if (!running()) return false;
    if (measuring_norm_) {
      measuring_norm_ = !advance_power_iteration(v_, z_);
      if (measuring_norm_) return true;
      take_measured_constant();
      return true;
    }
    const bool last = !count_iteration();
    iterate();
    const bool met = has_settled(v_);
    if (!last && !met && step_ == ConstantStep::power_iteration && check_.is_due(report_.iterations)) check_norm();
    return finish_iteration(last, met);
  }

 protected:
  using Base::add_epochs, Base::advance_power_iteration, Base::begin, Base::bind, Base::count_iteration, Base::design_,
      Base::finish_iteration, Base::for_each_active_row, Base::has_settled, Base::loss_, Base::multiply, Base::norm_,
      Base::options_, Base::report_, Base::squared_distance_of_duals, Base::squared_distance_of_rows, Base::shape_,
      Base::start_power_iteration, Base::step_from, Base::stride_, Base::take_gradients, Base::targets_,
      Base::transposed_multiply, Base::v_, Base::validate, Base::x_, Base::z_;
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

  /// L ← max c · (curvature of ℓ) · norm².
  void take_measured_constant() {
    T weight = 0;
    for (Index i = 0; i < shape_.samples; ++i) weight = largest(weight, targets_.weight(i));
    curvature_ = weight * loss_.template curvature<T>(shape_.classes) * norm_ * norm_;
  }
  /// v_ are the coefficients before the iteration, which it and z_ are no longer afterwards.
  void check_norm() {
    for_each_active_row([&](Index j) {
      T* v = row_of(v_, j, stride_);
      const T* x = row_of(x_, j, stride_);
      for (Index k = 0; k < stride_; ++k) v[k] = x[k] - v[k];
    });
    multiply(v_, z_);
    T square = norm_ * norm_;
    const T image = squared_distance_of_duals(z_, nullptr), step = squared_distance_of_rows(v_, nullptr);
    if (!check_.raise(square, image, step)) return;
    norm_ = square_root(square);
    take_measured_constant();
  }

  /// L ← Σᵢ cᵢ · (factor of ℓ) · ‖xᵢ‖²; z_ is scratch.
  void take_printed_constant() {
    if constexpr (PrintedLipschitz<Loss, T>) {
      Sum<T> total;
      const auto add = [&](Index i, T x) {
        const T factor = loss_.template printed_lipschitz<T>(shape_.classes, targets_.labels[i]);
        total.add(factor * targets_.weight(i) * x * x);
      };
      for (Index j = 0; j < shape_.features; ++j) {
        if constexpr (HasColumns<Design, T>) {
          if (has_columns(design_)) {
            const Column<T> column = design_.column(j);
            for (Index e = 0; e < column.count; ++e) add(column.sample(e), column.values[e]);
            continue;
          }
        }
        design_.gather(j, nullptr, shape_.samples, z_, 1);
        for (Index i = 0; i < shape_.samples; ++i) add(i, z_[i]);
      }
      for (Index i = 0; options_.intercept && i < shape_.samples; ++i) add(i, T(1));
      curvature_ = total.value() > T(0) ? total.value() : T(1);  // nothing varies: any step will do
      add_epochs(design_.entries(nullptr, shape_.features), T(0.5));
    }
  }

  void iterate() {
    multiply(y_, z_);
    take_gradients();
    transposed_multiply(z_, v_);
    step_from(y_, v_, curvature_);
    std::swap(x_, v_);  // the old coefficients are soon scratch
    if constexpr (Accelerated) {
      const T next_momentum = (T(1) + square_root(T(1) + T(4) * momentum_ * momentum_)) * T(0.5);
      const T beta = (momentum_ - T(1)) / next_momentum;
      momentum_ = next_momentum;
      for_each_active_row([&](Index j) {
        const T* x = row_of(x_, j, stride_);
        const T* before = row_of(v_, j, stride_);
        T* y = row_of(y_, j, stride_);
        for (Index k = 0; k < stride_; ++k) y[k] = x[k] + beta * (x[k] - before[k]);
      });
    } else {
      y_ = x_;
    }
  }

  T* y_ = nullptr;
  ConstantStep step_;
  bool measuring_norm_ = true;
  T curvature_ = T(0);
  T momentum_ = T(1);
  NormCheck<T> check_{};
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
