#pragma once
/// The default solver for losses without a gradient: restarted, reflected primal–dual iterations with working sets.

#include "../catalogue.hpp"
#include "../design/dense.hpp"
#include "constrained_workbench.hpp"
#include "dual_rows.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Minimises (1/Σw) Σ wᵢ ℓᵢ(Wᵀxᵢ + b) + λ Ω(W) through its saddle form  min_W max_u  ⟨u, A W⟩ − Σ (cᵢℓᵢ)*(uᵢ) + λ Ω(W).
///
/// With T one primal–dual step (τ = 1/‖A‖ω, σ = ω/‖A‖)
///     W⁺ = prox_{τλΩ}(W − τAᵀu),   u⁺ = prox_{σ(cℓ)*}(u + σA(2W⁺ − W)),
/// the iteration is Halpern's with reflection, z ← (k+1)/(k+2) (2T(z) − z) + 1/(k+2) z⁰, restarted from its own last
/// point when the fixed-point residual has fallen enough; each restart moves the primal weight ω towards ‖Δu‖/‖ΔW‖. The
/// label is part of the loss, so A is the design itself, centred when there is an intercept, and ‖A‖ comes from a power
/// iteration. Columns of different size have steps of different length, τ/sⱼ² (Pock and Chambolle 2011): see
/// WorkingSet::scale_of. It works on the features that matter and checks the others by the certificate.
///
/// Memory: `requirement(shape)`: 4(p+1) + 3n rows of padded classes, and 3p entries and 2p bytes for the features. Cost
/// per iteration: one product with the active columns of X and one with their transpose, 4·n·p_active·K flops. Sources:
/// Chierchia et al. (2015), Algorithm 1; Chambolle and Pock (2011); restarts and weights as in PDLP-type LP solvers.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class PrimalDual : public WorkbenchFor<T, Loss, Penalty, Design> {
  static_assert(DualProximableLoss<Loss, T>, TAMIS_NEEDS_DUAL_PROX);
  static_assert(tamis::Penalty<Penalty, T>, TAMIS_NEEDS_PENALTY);
  static_assert(tamis::Design<Design, T>, TAMIS_NEEDS_DESIGN);

  using Base = WorkbenchFor<T, Loss, Penalty, Design>;

 public:
  using Base::running;
  static constexpr SolverKind kind = SolverKind::primal_dual;

  PrimalDual(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
             const Options<T>& options)
      : Base(design, targets, loss, penalty, options) {}

  /// Bytes that `start` needs, aligned to Arena::alignment; the memory of the data is not in it.
  static constexpr Requirement requirement(Shape shape) {
    Arena counter;
    count(counter, shape);
    return {counter.used()};
  }

  /// Checks the problem, lays out the memory and certifies the model without coefficients. False: it has ended.
  bool start(std::span<std::byte> memory) {
    Arena arena(memory);
    if (prepare(arena)) start_from_null_model();
    return running();
  }

  /// Goes on with another λ from where a run has ended (not stopped): what a path does. False: it has ended.
  bool warm_start(T lambda) requires(!Base::constrained) {
    if (!begin_again(lambda)) return false;
    multiply(own_.x, own_.z);
    offer_primal(own_.x, own_.z);
    copy(own_.u, dual_entries(), own_.z);
    enter_domain(own_.z);
    const auto next = certify(own_.z, own_.v, true);
    if (!running()) return false;
    if (weight_ == T(0)) {  // it was the null model
      choose_features();
      measure_duals();
      measure_norm();
    } else {
      release_features(own_.x);
      since_certificate_ = 0;
      if (next == Base::Next::new_features) measure_norm();
      else restart();
    }
    return true;
  }

  /// One power or primal–dual iteration, certificates included; false when the run has ended.
  bool step() {
    if (!running()) return false;
    if (measuring_norm_) {
      if (advance_power_iteration(own_.v, own_.z, Base::rough)) begin_iterations();
    } else {
      iterate();
    }
    return running();
  }

 protected:
  using Base::activate_all, Base::add_rows, Base::advance_power_iteration, Base::begin_again, Base::bind, Base::centre,
      Base::certify, Base::certify_null_model, Base::choose_features, Base::count_iteration, Base::dual_entries,
      Base::dual_kind, Base::dual_weight, Base::end_at_limit, Base::enter_domain, Base::first_primal_weight,
      Base::for_each_active_row, Base::intercept_scale_, Base::is_scaled_, Base::loss_, Base::matrix_entries,
      Base::measure_scales, Base::memory_, Base::multiply, Base::norm_, Base::offer_primal, Base::options_,
      Base::penalty_weight, Base::precondition, Base::prox, Base::release_features, Base::report_,
      Base::rescale_intercept, Base::shape_, Base::squared_distance_of_duals, Base::squared_distance_of_rows,
      Base::start_power_iteration, Base::stride_, Base::targets_, Base::transposed_multiply, Base::update_residual,
      Base::validate;
  static constexpr void count(Arena& counter, Shape shape) {
    typename Base::Common common;
    Memory memory;
    memory.take(counter, shape, common);
  }

  struct Memory {
    T* x;         ///< coefficients, the last row being intercepts
    T* anchor_x;  ///< where the Halpern iteration started
    T* v;         ///< scratch: new coefficients, reflected coefficients, gradients
    T* u;         ///< duals
    T* anchor_u;
    T* z;  ///< scratch: scores, new duals

    TAMIS_CALLED_ONCE constexpr void take(Arena& arena, Shape shape, typename Base::Common& common) {
      common.take(arena, shape);
      const std::size_t coefficients = CommonMemory<T>::coefficients(shape), duals = CommonMemory<T>::duals(shape);
      x = arena.take<T>(coefficients);
      anchor_x = arena.take<T>(coefficients);
      v = arena.take<T>(coefficients);
      u = arena.take<T>(duals);
      anchor_u = arena.take<T>(duals);
      z = arena.take<T>(duals);
    }
  };

  [[gnu::noinline]] bool prepare(Arena& arena) {
    if constexpr (Base::constrained) {
      typename Base::Common common;
      own_.take(arena, shape_, common);  // writes nothing there
      if (!validate(arena)) return false;
      bind(common, arena.used());
    } else {
      own_.take(arena, shape_, memory_);
      if (!validate(arena)) {
        memory_.best = nullptr;
        return false;
      }
      bind(arena.used());
    }
    centre();
    measure_scales(own_.z);
    clear_coefficients();
    return true;
  }

  /// As after `prepare`.
  void forget_point() {
    clear_coefficients();
    activate_all();
    weight_ = T(0);
    since_certificate_ = 0;
  }
  void clear_coefficients() { fill(own_.x, 2 * matrix_entries(), T(0)); }  // the anchor lies beside x

  [[gnu::noinline]] void start_from_null_model() {
    T* intercepts = row_of(own_.x, shape_.features, stride_);
    loss_.null_model(targets_, options_.intercept, intercepts, own_.u, stride_);
    intercept_scale_ = T(1);
    multiply(own_.x, own_.z);
    offer_primal(own_.x, own_.z);
    copy(own_.u, dual_entries(), own_.z);
    certify_null_model(own_.z, own_.v);
    if (!running()) return;
    choose_features();
    if constexpr (Base::constrained) this->rescale_duals(own_.u, weight_);
    measure_duals();
    measure_norm();
  }

  /// Sets the size of the duals for a first primal weight: ‖u‖ of the null model.
  void measure_duals() { dual_size_ = square_root(squared_distance_of_duals(own_.u, nullptr)); }

  [[gnu::noinline]] void measure_norm() {
    measuring_norm_ = true;
    old_intercept_scale_ = intercept_scale_;
    intercept_scale_ = T(0);
    start_power_iteration(own_.v);
  }

  TAMIS_CALLED_ONCE void begin_iterations() {
    measuring_norm_ = false;
    next_check_ = report_.iterations + certificate_interval_ + 1;
    rescale_intercept(own_.x, old_intercept_scale_);
    if (weight_ == T(0)) weight_ = first_primal_weight(dual_size_);
    restart();
  }

  [[gnu::noinline]] void restart() {
    copy(own_.x, matrix_entries(), own_.anchor_x);
    copy(own_.u, dual_entries(), own_.anchor_u);
    inner_ = 0;
  }

  void iterate() {
    const bool last = !count_iteration();
    const bool due = last || ++since_certificate_ >= certificate_interval_;
    const T residual = advance(due);
    if (due) {
      since_certificate_ = 0;
      measure_residual(residual);
      if constexpr (!Base::constrained) enter_domain(own_.z);
      const auto next = certify(own_.z, own_.v, last);
      if (last) end_at_limit();
      if (!running()) return;
      if (next == Base::Next::new_features) {
        if constexpr (Base::constrained) this->rescale_duals(own_.u, weight_);
        measure_norm();
        return;
      }
    }
    consider_restart(residual);
  }

  /// One Halpern step of both variables; returns the fixed-point residual. `offer`: T's coefficients are a candidate
  /// for the reported model. Leaves T's duals in z. Its parts have stack frames of their own, none of which is there
  /// during the products.
  [[gnu::noinline]] T advance(bool offer) {
    keep_ = T(1) - T(1) / T(inner_ + 2);
    transposed_multiply(own_.u, own_.v);
    descend();
    if (offer) {
      multiply(own_.v, own_.z);
      offer_primal(own_.v, own_.z);
      if (report_.iterations >= next_check_) check_norm();
    }
    const T primal_step = move_coefficients();
    multiply(own_.v, own_.z);
    const T dual_step = move_duals();
    return square_root(weight_ * primal_step + dual_step / weight_);
  }

  /// The norm is known from below. If it is too low, some direction grows from step to step until the steps are nothing
  /// else, and then the length of A along a step says so. v is T's coefficients; z is overwritten.
  TAMIS_CALLED_ONCE void check_norm() {
    add_point(T(-1));
    const T step = squared_distance_of_rows(own_.v, nullptr);
    multiply(own_.v, own_.z);
    const T length = square_root(squared_distance_of_duals(own_.z, nullptr) / step);
    add_point(T(1));
    next_check_ = 2 * report_.iterations;
    if (!(length > norm_) || !finite(length)) return;
    norm_ = T(1.05) * length;
    next_check_ = 0;  // again at the next certificate
  }
  /// v ← v + αx.
  [[gnu::noinline]] void add_point(T alpha) { add_rows(own_.v, alpha, own_.x, own_.v); }

  /// v ← prox(x − τv).
  void descend() {
    const T tau = T(1) / (norm_ * weight_);
    precondition(own_.v);
    add_rows(own_.x, -tau, own_.v, own_.v);
    prox(own_.v, tau * penalty_weight());
  }

  /// A row of the Halpern step, or all rows at once, T(now) being `next`: its reflection, where that is wanted, and the
  /// new point; adds the squared distance.
  TAMIS_INLINED_UNLESS_SMALLEST void move(const T* next, T* now, const T* anchor, T* reflected, std::size_t count,
                                          Simd<T>& moved) const {
    const auto keep = SimdOrScalar<T>::fill(keep_);
    const auto pull = SimdOrScalar<T>::fill(T(1) - keep_);
    const std::size_t missing = leaves_padding ? padded<T>(Index(count)) - count : 0;  // of whole vectors
    std::size_t k = 0 - count - missing;                                               // as the lanes of a row
    do {
      const auto to = SimdOrScalar<T>::load(next);
      const auto step = to - SimdOrScalar<T>::load(now);
      add_squares<T>(step, k, moved);
      if (reflected) {
        (to + step).store(reflected);
        reflected += SimdOrScalar<T>::width;
      }
      (keep * (to + step) + pull * SimdOrScalar<T>::load(anchor)).store(now);
      next += SimdOrScalar<T>::width;
      now += SimdOrScalar<T>::width;
      anchor += SimdOrScalar<T>::width;
      k += SimdOrScalar<T>::width;
    } while (k + missing != 0);
  }

  static constexpr bool leaves_padding = profile.single_entries && !profile.whole_matrices;
  /// Entries that move in so many rows, of which there is one where padding is left out.
  std::size_t moving_entries(Index rows) const { return leaves_padding ? shape_.classes : std::size_t(rows) * stride_; }

  /// Moves x, T's coefficients being in v, and reflects v; returns the squared distance.
  [[gnu::noinline]] T move_coefficients() {
    const Index stride = stride_;
    auto moved = Simd<T>::zero();
    for_each_active_row([&](Index j) {
      T* v = row_of(own_.v, j, stride);
      move(v, row_of(own_.x, j, stride), row_of(own_.anchor_x, j, stride), v, moving_entries(1), moved);
    });
    return moved.sum();
  }

  /// Moves u, the scores of the reflected coefficients being in z, and leaves T's duals there; returns the squared
  /// distance.
  TAMIS_CALLED_ONCE T move_duals() {
    const Index stride = stride_;
    const T sigma = weight_ / norm_;
    auto moved = Simd<T>::zero();
    T* z = own_.z;
    T* u = own_.u;
    const T* anchor = own_.anchor_u;
    // By rows, a few are in the cache from the first step to the last, and padding may be left out.
    constexpr bool by_rows = !profile.whole_matrices && !Base::constrained;
    if constexpr (!by_rows)
      add_scaled_row(static_cast<const T*>(u), sigma, static_cast<const T*>(z), dual_entries(), z);
    if constexpr (Base::constrained) this->find_multiplier(z, sigma);  // the samples have the constraint in common
    for_each_dual_rows<T>(
        ProxesRows<Loss, T> && shape_.classes <= rows_in_lanes, shape_.samples, targets_, [](Index i) { return i; },
        [&](DualRows<T>& rows) TAMIS_INLINED {
          const std::size_t entries = std::size_t(rows.count) * stride, moving = moving_entries(rows.count);
          if constexpr (Base::constrained)
            for (Index r = 0; r < rows.count; ++r) rows.weight[r] = dual_weight(rows.first + r);
          if constexpr (by_rows) add_scaled_row(static_cast<const T*>(u), sigma, static_cast<const T*>(z), moving, z);
          rows.dual_prox(loss_, z, stride, shape_.classes, sigma);
          if constexpr (!profile.whole_matrices) move(z, u, anchor, nullptr, moving, moved);
          z += entries;
          u += entries;
          anchor += entries;
        });
    if constexpr (profile.whole_matrices) move(own_.z, own_.u, own_.anchor_u, nullptr, dual_entries(), moved);
    return moved.sum();
  }

  TAMIS_CALLED_ONCE void consider_restart(T residual) {
    if (inner_ == 0) first_residual_ = residual;
    ++inner_;
    const T wanted = residual > last_residual_ ? T(0.5) : T(0.2);  // it fell and rises, or fell far
    const bool fell = residual <= wanted * first_residual_;
    const bool long_enough = T(inner_) >= T(0.36) * T(report_.iterations);
    last_residual_ = residual;
    if (inner_ < 2 || !(fell || long_enough)) return;
    const T least = T(16) * epsilon<T> * epsilon<T>;  // below it a change is rounding, and says nothing of the weight
    const Squares moved = squares(own_.anchor_x, own_.anchor_u);
    const T size = squared_distance_of_rows(own_.x, nullptr), dual_size = squared_distance_of_duals(own_.z, nullptr);
    // Without any dual W only shrinks, however far it has to go, and the moves of u are those of its anchor.
    if (dual_size == T(0) && moved.x <= T(0.01) * size) weight_ *= T(0.1);
    else if (moved.x > least * size && moved.u > least * dual_size)
      weight_ = square_root(weight_ * square_root(moved.u / moved.x));
    // Where the penalty is curved, ‖Aᵀu‖ is λ‖W‖ at the end, in the units of the columns, which here are others.
    if constexpr (!Base::constrained)
      if (dual_kind() == DualKind::conjugate) weight_ = largest(weight_, T(1e-3) * options_.lambda / norm_);
    restart();
  }

  TAMIS_CALLED_ONCE void measure_residual(T residual) {
    const Squares size = squares(nullptr, nullptr);
    update_residual(residual, square_root(weight_ * size.x + size.u / weight_));
  }

  /// ‖x − from_x‖² and ‖u − from_u‖²; without the others, ‖x‖² and ‖u‖².
  struct Squares {
    T x, u;
  };
  [[gnu::noinline]] Squares squares(const T* from_x, const T* from_u) const {
    return {squared_distance_of_rows(own_.x, from_x), squared_distance_of_duals(own_.u, from_u)};
  }

  static constexpr std::uint32_t certificate_interval_ = 40;

  Memory own_;
  bool measuring_norm_ = false;
  std::uint32_t since_certificate_ = 0;
  T weight_ = T(0);
  T last_residual_ = T(0);
  std::uint32_t next_check_ = 0;  ///< of the norm: the iteration from which it is due
  // What follows is set before it is used.
  std::uint32_t inner_;
  T keep_;  ///< (k + 1)/(k + 2)
  T dual_size_;
  T old_intercept_scale_;
  T first_residual_;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
