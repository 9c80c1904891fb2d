#pragma once
/// The proximal gradient methods with a search for the step that Blondel et al. (2013) times against its own:
/// baselines.

#include <utility>

#include "../../loss/bregman_divergence.hpp"
#include "gradient_steps.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed {

/// FISTA with backtracking, W⁺ = prox_{λΩ/L}(Y − ∇f(Y)/L), Y = W + (t − 1)/t⁺ (W − W_before), t⁺ = (1 + √(1 + 4t²))/2:
/// L doubles until f(W⁺) ≤ f(Y) + ⟨∇f(Y), W⁺ − Y⟩ + L/2 ‖W⁺ − Y‖², up to rounding, and never falls. W⁰ = 0, and L⁰ =
/// ‖∇f(0)‖²/2f(0), a lower bound of the true constant. The scores of Y are extrapolated as Y is. No centring, restarts
/// or working sets; only the certificate, every 40 iterations, is not the paper's.
///
/// Memory: 4(p+1) + 3n rows of padded classes. Cost per iteration: 4·n·p·K flops, and 2·n·p·K each time L doubles.
/// Source: Beck and Teboulle (2009), FISTA with backtracking.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class FistaLineSearch : public GradientSteps<T, Loss, Penalty, Design> {
  using Base = GradientSteps<T, Loss, Penalty, Design>;
  using Base::begin, Base::bind, Base::count_iteration, Base::finish_iteration, Base::first_curvature,
      Base::has_settled, Base::loss_, Base::memory_, Base::multiply, Base::report_, Base::shape_, Base::step_from,
      Base::stride_, Base::take_gradients, Base::targets_, Base::transposed_multiply, Base::v_, Base::validate,
      Base::x_, Base::z_;

 public:
  using Base::running;
  static constexpr SolverKind kind = SolverKind::fista_line_search_as_printed;

  FistaLineSearch(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
                  const Options<T>& options)
      : Base(design, targets, loss, penalty, options) {}

  /// Bytes that `start` needs, aligned to Arena::alignment.
  static constexpr Requirement requirement(Shape shape) { return count_bytes<Memory>(shape); }

  bool start(std::span<std::byte> memory) {
    if (!validate(memory, requirement(shape_))) return false;
    Arena arena(memory);
    own_ = Memory::lay_out(arena, shape_);
    bind(own_.common, arena.used());
    x_ = own_.x;
    v_ = own_.v;
    z_ = own_.z;
    fill(own_.y, CommonMemory<T>::coefficients(shape_), T(0));
    for (T* scores : {own_.scores, own_.scores_y}) fill(scores, CommonMemory<T>::duals(shape_), T(0));
    curvature_ = T(0);
    momentum_ = T(1);
    beta_ = T(0);
    return begin();
  }

  /// One iteration, certificates included; false when the run has ended.
  bool step() {
    if (!running()) return false;
    const bool last = !count_iteration();
    iterate();
    return finish_iteration(last, has_settled(own_.y));
  }

 private:
  struct Memory {
    CommonMemory<T> common;
    T* x;         ///< coefficients, the last row being intercepts
    T* y;         ///< those of the iteration before; during an iteration Y
    T* g;         ///< gradient at Y
    T* v;         ///< new coefficients
    T* scores;    ///< of x
    T* scores_y;  ///< of y
    T* z;         ///< gradients of the loss, new scores

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      Memory m{};
      m.common = CommonMemory<T>::lay_out(arena, shape);
      for (T** coefficients : {&m.x, &m.y, &m.g, &m.v})
        *coefficients = arena.take<T>(CommonMemory<T>::coefficients(shape));
      for (T** duals : {&m.scores, &m.scores_y, &m.z}) *duals = arena.take<T>(CommonMemory<T>::duals(shape));
      return m;
    }
  };

  /// now + β(now − then), in the place of then.
  void extrapolate(const T* now, T* then, std::size_t count) const {
    const auto beta = Simd<T>::fill(beta_);
    for (std::size_t e = 0; e < count; e += lanes<T>) {
      const auto point = Simd<T>::load(now + e);
      (point + beta * (point - Simd<T>::load(then + e))).store(then + e);
    }
  }

  void iterate() {
    extrapolate(x_, own_.y, CommonMemory<T>::coefficients(shape_));
    extrapolate(own_.scores, own_.scores_y, CommonMemory<T>::duals(shape_));
    take_gradients(own_.scores_y);
    transposed_multiply(z_, own_.g);
    if (report_.iterations == 1) curvature_ = first_curvature(own_.g);
    for (;;) {
      const T square = step_from(own_.y, own_.g, curvature_);
      multiply(v_, z_);
      if (excess() <= T(0.5) * curvature_ * square || curvature_ >= T(1e30)) break;
      curvature_ *= T(2);
    }
    const T next_momentum = (T(1) + square_root(T(1) + T(4) * momentum_ * momentum_)) * T(0.5);
    beta_ = (momentum_ - T(1)) / next_momentum;
    momentum_ = next_momentum;

    T* const spare = own_.y;
    own_.y = x_;
    x_ = v_;
    v_ = spare;
    T* const spare_scores = own_.scores_y;
    own_.scores_y = own_.scores;
    own_.scores = z_;
    z_ = spare_scores;
  }

  /// How far the loss at the new scores lies above its tangent at Y, beyond what rounding makes of it.
  T excess() {
    T* const scratch = memory_.row[1];
    Sum<T> total;
    for (Index i = 0; i < shape_.samples; ++i) {
      const T weight = targets_.weight(i);
      if (!(weight > T(0))) continue;
      const T* from = row_of(own_.scores_y, i, stride_);
      const T* to = row_of(z_, i, stride_);
      const Label y = targets_.labels[i];
      const T margin = targets_.margin(i);
      total.add(weight * bregman_divergence(loss_, from, to, shape_.classes, y, margin, scratch));
      total.add(T(-4) * epsilon<T> * weight * loss_.value(to, shape_.classes, y, margin));
    }
    return total.value();
  }

  Memory own_{};
  T curvature_ = T(0);
  T momentum_ = T(1);
  T beta_ = T(0);
};

/// SpaRSA: W⁺ = prox_{λΩ/a}(W − ∇f(W)/a), a doubled until F(W⁺) ≤ max F − 0.01·a/2 ‖W⁺ − W‖², up to rounding, the
/// largest F being that of the last iterates: the present one and the five before. Each search begins at the
/// Barzilai–Borwein a = ⟨s, r⟩/‖s‖², s and r the last changes of W and of the gradient, kept between 10⁻³⁰ and 10³⁰,
/// the first at ‖∇f(0)‖²/2f(0). No continuation, centring or working sets; only the certificate, every 40 iterations,
/// is not the paper's.
///
/// Memory: 4(p+1) + n rows of padded classes. Cost per iteration: 4·n·p·K flops, and 2·n·p·K each time a doubles.
/// Source: Wright, Nowak and Figueiredo (2009).
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class Sparsa : public GradientSteps<T, Loss, Penalty, Design> {
  using Base = GradientSteps<T, Loss, Penalty, Design>;
  using Base::begin, Base::bind, Base::count_iteration, Base::finish_iteration, Base::first_curvature,
      Base::has_settled, Base::for_each_active_row, Base::loss_sum, Base::multiply, Base::options_, Base::penalty_value,
      Base::report_, Base::shape_, Base::step_from, Base::stride_, Base::take_gradients, Base::transposed_multiply,
      Base::v_, Base::validate, Base::x_, Base::z_;

 public:
  using Base::running;
  static constexpr SolverKind kind = SolverKind::sparsa_as_printed;

  Sparsa(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
         const Options<T>& options)
      : Base(design, targets, loss, penalty, options) {}

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
    g_ = own.g;
    next_g_ = own.next_g;
    if (!begin()) return false;
    fill(z_, CommonMemory<T>::duals(shape_), T(0));
    for (T& objective : recent_) objective = report_.objective;
    take_gradients();
    transposed_multiply(z_, g_);
    curvature_ = first_curvature(g_);
    return true;
  }

  /// One iteration, certificates included; false when the run has ended.
  bool step() {
    if (!running()) return false;
    const bool last = !count_iteration();
    iterate();
    return finish_iteration(last, has_settled(v_));
  }

 private:
  struct Memory {
    CommonMemory<T> common;
    T* x;       ///< coefficients, the last row being intercepts
    T* v;       ///< new coefficients
    T* g;       ///< gradient at x
    T* next_g;  ///< gradient at v
    T* z;       ///< scores, gradients of the loss

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      Memory m{};
      m.common = CommonMemory<T>::lay_out(arena, shape);
      for (T** coefficients : {&m.x, &m.v, &m.g, &m.next_g})
        *coefficients = arena.take<T>(CommonMemory<T>::coefficients(shape));
      m.z = arena.take<T>(CommonMemory<T>::duals(shape));
      return m;
    }
  };

  void iterate() {
    T highest = recent_[0];
    for (const T objective : recent_) highest = largest(highest, objective);
    T square = 0, objective = 0;
    for (;;) {
      square = step_from(x_, g_, curvature_);
      multiply(v_, z_);
      objective = loss_sum(z_) + options_.lambda * penalty_value(v_);
      const T rounding = T(4) * epsilon<T> * highest;
      if (objective <= highest - T(0.005) * curvature_ * square + rounding || curvature_ >= most) break;
      curvature_ *= T(2);
    }
    recent_[report_.iterations % (sizeof recent_ / sizeof *recent_)] = objective;
    take_gradients();
    transposed_multiply(z_, next_g_);
    auto product = Simd<T>::zero();
    for_each_active_row([&](Index j) {
      const std::size_t first = static_cast<std::size_t>(j) * stride_;
      for (std::size_t e = first; e < first + stride_; e += lanes<T>)
        product = product + (Simd<T>::load(v_ + e) - Simd<T>::load(x_ + e)) *
                                (Simd<T>::load(next_g_ + e) - Simd<T>::load(g_ + e));
    });
    const T along = product.sum();
    if (along > T(0) && square > T(0)) curvature_ = smallest(largest(along / square, T(1) / most), most);
    std::swap(x_, v_);
    std::swap(g_, next_g_);
  }

  static constexpr T most = T(1e30);

  T* g_ = nullptr;
  T* next_g_ = nullptr;
  T recent_[6] = {};
  T curvature_ = T(0);
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed
