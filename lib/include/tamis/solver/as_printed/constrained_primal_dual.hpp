#pragma once
/// Chierchia et al.'s (2015) Algorithm 2 as printed: a baseline.

#include "../../design/dense.hpp"
#include "../../projection/epigraph.hpp"
#include "difference_operator.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed {

/// The forward–backward based primal–dual iteration for Chierchia et al.'s (2015) problem (13), g(x) subject to (Tx, ζ)
/// ∈ E, the epigraphs of h_ℓ, and ζ ∈ V, the half-space Σ c_ℓ ζ_ℓ ≤ η:
///     x⁺ = prox_{τg}(x − τTᵀy),   ζ⁺ = P_V(ζ − τξ),
///     (ŷ, ξ̂) = (y, ξ) + σ(T(2x⁺ − x), 2ζ⁺ − ζ),   (y⁺, ξ⁺) = (ŷ, ξ̂) − σP_E(ŷ/σ, ξ̂/σ).
/// y ∈ R^{LK}; all starts at 0; τ = σ = 1/max(‖T‖, 1) with ‖T‖ from a power iteration, so that τσ max(‖T‖², 1) ≤ 1. No
/// centring, restarts, weights or working sets; only the certificate, every 40 iterations, is not the paper's. It ends
/// by that, or by the change of x (while x is zero: of x, y, ζ and ξ). Memory: 5(p+1) + 3n rows of padded classes, and
/// 2n entries.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class ConstrainedPrimalDual : public DifferenceOperator<T, Loss, Penalty, Design> {
  static_assert(tamis::Penalty<Penalty, T>, TAMIS_NEEDS_PENALTY);
  static_assert(tamis::Design<Design, T>, TAMIS_NEEDS_DESIGN);
  using Base = DifferenceOperator<T, Loss, Penalty, Design>;
  using Base::advance_norm, Base::bind, Base::by_gap, Base::certify, Base::count_iteration, Base::duals_from,
      Base::finish_iteration, Base::for_each_active_group, Base::for_each_active_row, Base::for_each_sample,
      Base::gather_on_labels, Base::memory_, Base::moved_, Base::multiply, Base::norm_, Base::offer_iterate,
      Base::options_, Base::penalty_, Base::rows, Base::shape_, Base::start_from_null_model,
      Base::start_norm, Base::stride_, Base::subtract_label_scores, Base::targets_,
      Base::transposed_multiply, Base::validate;

 public:
  using Base::running;
  static constexpr SolverKind kind = SolverKind::constrained_primal_dual_as_printed;

  ConstrainedPrimalDual(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
                        const Options<T>& options)
      : Base(design, targets, loss, penalty, options) {}

  /// Bytes that `start` needs, aligned to Arena::alignment.
  static constexpr Requirement requirement(Shape shape) { return count_bytes<Memory>(shape); }

  bool start(std::span<std::byte> memory) {
    if (!validate(memory, requirement(shape_))) return false;
    Arena arena(memory);
    own_ = Memory::lay_out(arena, shape_);
    bind(own_.common, arena.used());
    start_from_null_model(own_.x, own_.v, own_.y, own_.z);
    start_norm(own_.v);
    fill(own_.x, CommonMemory<T>::coefficients(shape_), T(0));
    fill(own_.y, CommonMemory<T>::duals(shape_), T(0));
    fill(own_.zeta, shape_.samples, T(0));
    fill(own_.xi, shape_.samples, T(0));
    for (Index i = 0; i < shape_.samples; ++i)
      weights_squared_ += targets_.weight(i) * targets_.weight(i);
    return running();
  }

  bool step() {
    if (!running()) return false;
    if (measuring_norm_) measuring_norm_ = !advance_norm(own_.v, own_.z);
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
    typename Base::Common common;
    T* x;
    T* v;  ///< new x, gradients
    T* y;
    T* z;  ///< scores
    T* zeta;
    T* xi;

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      Memory m{};
      m.common = Base::Common::lay_out(arena, shape);
      for (T** coefficients : {&m.x, &m.v}) *coefficients = arena.take<T>(CommonMemory<T>::coefficients(shape));
      for (T** duals : {&m.y, &m.z}) *duals = arena.take<T>(CommonMemory<T>::duals(shape));
      for (T** entries : {&m.zeta, &m.xi}) *entries = arena.take<T>(shape.samples);
      return m;
    }
  };

  void iterate() {
    const std::size_t duals = CommonMemory<T>::duals(shape_);
    const Index samples = shape_.samples;
    const T tau = T(1) / largest(norm_, T(1));
    const T sigma = tau;
    const bool last = !count_iteration();

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

    Sum<T> total;  // ζ⁺ = P_V(ζ − τξ): back along the normal c when Σcζ exceeds η
    for (Index i = 0; i < samples; ++i) total.add(targets_.weight(i) * (own_.zeta[i] - tau * own_.xi[i]));
    const T back = largest(total.value() - options_.eta, T(0)) / weights_squared_;
    T moved_zeta = 0, size_zeta = 0;
    for_each_sample(own_.y, [&](T* y, Index i) {
      const T zeta = own_.zeta[i] - tau * own_.xi[i] - back * targets_.weight(i);
      const T reflected = T(2) * zeta - own_.zeta[i];
      T* z = row_of(own_.z, i, stride_);
      for (Index k = 0; k < shape_.classes; ++k) z[k] = (y[k] + sigma * z[k]) / sigma;
      const T xi = own_.xi[i] + sigma * reflected;
      T level = xi / sigma;
      for (Index k = 0; k < shape_.classes; ++k) own_next(k) = z[k];
      project_hinge_epigraph(z, level, shape_.classes, targets_.labels[i], targets_.margin(i));
      for (Index k = 0; k < shape_.classes; ++k) z[k] = sigma * (own_next(k) - z[k]);
      const T next_xi = xi - sigma * level;
      moved = squared_distance(static_cast<const T*>(z), static_cast<const T*>(y), stride_, moved);
      size = squared_norm(static_cast<const T*>(z), stride_, size);
      const T dz = zeta - own_.zeta[i], dx = next_xi - own_.xi[i];
      moved_zeta += dz * dz + dx * dx;
      size_zeta += zeta * zeta + next_xi * next_xi;
      own_.zeta[i] = zeta;
      own_.xi[i] = next_xi;
      copy(static_cast<const T*>(z), stride_, y);
    });
    moved_.of_point = moved.sum() + moved_zeta;
    moved_.point = size.sum() + size_zeta;
    finish_iteration(last, own_.v, own_.z, [this] { certify_iterate(); });
  }

  void certify_iterate() {
    offer_iterate(own_.x, own_.z);
    duals_from(own_.y, own_.z, [&](Index i) { return -own_.xi[i]; });
    certify(own_.z, own_.v, true);
  }

  T& own_next(Index k) { return memory_.row[2][k]; }

  Memory own_{};
  T weights_squared_ = T(0);
  bool measuring_norm_ = true;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed
