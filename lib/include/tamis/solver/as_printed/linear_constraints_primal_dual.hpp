#pragma once
/// The reformulation with linear constraints that Chierchia et al. (2015) compares with (section 4.2), by the paper's
/// primal–dual iteration: a baseline.

#include "../../design/dense.hpp"
#include "difference_operator.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed {

/// Chierchia et al. (2015), section 4.2: each ζ_ℓ of problem (12) becomes K copies, and the hinge K linear
/// inequalities,
///     min g(x)  subject to  (a) Σ_ℓ c_ℓ Σ_k ζ^(ℓ,k) ≤ Kη,   (b) ζ^(ℓ,1) = … = ζ^(ℓ,K),   (c) ζ ≥ 0,
///                           (d) T_ℓ x + r_ℓ − ζ^(ℓ,·) ≤ 0.
/// The iteration is that of Algorithm 2: x by prox_{τg} and ζ by the projection onto (a); dual variables for (b) and
/// (c), whose operator is the identity of ζ, and for (d), whose operator is (Tx, ζ); each with its closed-form
/// projection. The duals of (d) are multiples of the normals (1, −1): one number stands for both. All starts at 0; τ =
/// σ = 1/max(‖T‖, √3). Only the certificate, every 40 iterations, is not the paper's. It ends by that, or by the change
/// of x (while x is zero: of all). Memory: 5(p+1) + 6n rows of padded classes.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class LinearConstraintsPrimalDual : public DifferenceOperator<T, Loss, Penalty, Design> {
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
  static constexpr SolverKind kind = SolverKind::linear_constraints_primal_dual_as_printed;

  LinearConstraintsPrimalDual(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
                              const Options<T>& options)
      : Base(design, targets, loss, penalty, options) {}

  /// Bytes that `start` needs, aligned to Arena::alignment.
  static constexpr Requirement requirement(Shape shape) { return count_bytes<Memory>(shape); }

  bool start(std::span<std::byte> memory) {
    if (!validate(memory, requirement(shape_))) return false;
    Arena arena(memory);
    own_ = Memory::lay_out(arena, shape_);
    bind(own_.common, arena.used());
    start_from_null_model(own_.x, own_.v, own_.ordered, own_.z);
    start_norm(own_.v);
    const std::size_t duals = CommonMemory<T>::duals(shape_);
    fill(own_.x, CommonMemory<T>::coefficients(shape_), T(0));
    for (T* matrix : {own_.zeta, own_.equal, own_.positive, own_.ordered}) fill(matrix, duals, T(0));
    for (Index i = 0; i < shape_.samples; ++i)
      weights_squared_ += targets_.weight(i) * targets_.weight(i);
    weights_squared_ *= T(shape_.classes);
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
    T* zeta;
    T* equal;     ///< duals of (b)
    T* positive;  ///< duals of (c)
    T* ordered;   ///< duals of (d), at Tx; the negative of those at ζ
    T* z;         ///< scores

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      Memory m{};
      m.common = Base::Common::lay_out(arena, shape);
      for (T** coefficients : {&m.x, &m.v}) *coefficients = arena.take<T>(CommonMemory<T>::coefficients(shape));
      for (T** duals : {&m.zeta, &m.equal, &m.positive, &m.ordered, &m.z})
        *duals = arena.take<T>(CommonMemory<T>::duals(shape));
      return m;
    }
  };

  /// ζ − τ(its duals), the argument of the projection onto (a).
  T descended(std::size_t e, T tau) const {
    return own_.zeta[e] - tau * (own_.equal[e] + own_.positive[e] - own_.ordered[e]);
  }

  void iterate() {
    const Index classes = shape_.classes;
    const T tau = T(1) / largest(norm_, square_root(T(3)));
    const T sigma = tau;
    const bool last = !count_iteration();

    copy(own_.ordered, CommonMemory<T>::duals(shape_), own_.z);
    gather_on_labels(own_.z);
    transposed_multiply(own_.z, own_.v);
    for_each_active_row([&](Index j) {
      for (Index k = 0; k < stride_; ++k) {
        T& entry = row_of(own_.v, j, stride_)[k];
        entry = row_of(own_.x, j, stride_)[k] - tau * entry;
      }
    });
    for_each_active_group([&](FeatureGroup group) { penalty_.prox(rows(own_.v, group), tau); });

    auto moved_x = Simd<T>::zero();
    auto size_x = Simd<T>::zero();
    for_each_active_row([&](Index j) {
      T* x = row_of(own_.x, j, stride_);
      const T* next = row_of(own_.v, j, stride_);
      moved_x = squared_distance(next, static_cast<const T*>(x), stride_, moved_x);
      size_x = squared_norm(next, stride_, size_x);
      for (Index k = 0; k < stride_; ++k) x[k] = T(2) * next[k] - x[k];
    });
    moved_ = {moved_x.sum(), size_x.sum()};
    multiply(own_.x, own_.z);
    separate_step(own_.x, own_.v, CommonMemory<T>::coefficients(shape_));
    subtract_label_scores(own_.z);

    Sum<T> total;
    for_each_sample(own_.zeta, [&](T* row, Index i) {
      for (Index k = 0; k < classes; ++k)
        total.add(targets_.weight(i) * descended(static_cast<std::size_t>(row - own_.zeta) + k, tau));
    });
    const T back = largest(total.value() - T(classes) * options_.eta, T(0)) / weights_squared_;
    T moved = 0, size = 0;
    const auto replace = [&](T& old, T now) {
      moved += (now - old) * (now - old);
      size += now * now;
      old = now;
    };
    for_each_sample(own_.zeta, [&](T* row, Index i) {
      const std::size_t first = static_cast<std::size_t>(row - own_.zeta);
      T* reflected = memory_.row[2];
      T mean = 0;  // of the duals of (b) after their step: what the projection onto equal copies keeps
      for (Index k = 0; k < classes; ++k) {
        const std::size_t e = first + k;
        const T next = descended(e, tau) - back * targets_.weight(i);
        reflected[k] = T(2) * next - own_.zeta[e];
        replace(own_.zeta[e], next);
        mean += own_.equal[e] + sigma * reflected[k];
      }
      mean /= T(classes);
      for (Index k = 0; k < classes; ++k) {
        const std::size_t e = first + k;
        replace(own_.equal[e], own_.equal[e] + sigma * reflected[k] - mean);
        replace(own_.positive[e], smallest(own_.positive[e] + sigma * reflected[k], T(0)));
        // û = (o + σTx, −o + σζ); the half-space y + r − ζ ≤ 0 is left by (y + r − ζ)₊/2 along (1, −1)
        const T margin = k == targets_.labels[i] ? T(0) : targets_.margin(i);
        const T beyond = T(2) * own_.ordered[e] + sigma * (own_.z[e] - reflected[k] + margin);
        replace(own_.ordered[e], largest(beyond, T(0)) / T(2));
      }
    });
    moved_.of_point = moved_.of_x + moved;
    moved_.point = moved_.x + size;
    finish_iteration(last, own_.v, own_.z, [this] { certify_iterate(); });
  }

  void certify_iterate() {
    offer_iterate(own_.x, own_.z);
    duals_from(own_.ordered, own_.z, [&](Index i) {
      T both = 0;
      for (Index k = 0; k < shape_.classes; ++k)
        both += row_of(own_.ordered, i, stride_)[k] - row_of(own_.positive, i, stride_)[k];
      return both;
    });
    certify(own_.z, own_.v, true);
  }

  Memory own_{};
  T weights_squared_ = T(0);
  bool measuring_norm_ = true;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed
