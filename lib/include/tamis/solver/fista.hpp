#pragma once
/// The default solver for smooth losses: accelerated proximal gradient with line search, restarts and working sets.

#include "../catalogue.hpp"
#include "../design/dense.hpp"
#include "workbench.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Minimises (1/Σw) Σ wᵢ ℓᵢ(Wᵀxᵢ + b) + λ Ω(W) by
///     Y = W + β(W − W_before),   W⁺ = prox_{λΩ/L}(Y − ∇f(Y)/L),
/// β from Nesterov's sequence, reset when the step turns against the momentum; L doubles until the quadratic model
/// holds and relaxes by 3 % at each iteration (5 % along a path). The design is centred when there is an intercept, the
/// first L comes from a power iteration, and only the features that matter are iterated on. Columns of different size
/// have steps of different length, 1/Lsⱼ²: see WorkingSet::scale_of.
///
/// Memory: `requirement(shape)`: 4(p+1) + 3n rows of padded classes, and 3p entries and 2p bytes for the features. Cost
/// per iteration: one product with the active columns of X and one with their transpose, 4·n·p_active·K flops. Sources:
/// Beck and Teboulle (2009); O'Donoghue and Candès (2015), gradient restarts.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class Fista : public Workbench<T, Loss, Penalty, Design> {
  static_assert(SmoothLoss<Loss, T>, TAMIS_NEEDS_GRADIENT);
  static_assert(tamis::Penalty<Penalty, T>, TAMIS_NEEDS_PENALTY);
  static_assert(tamis::Design<Design, T>, TAMIS_NEEDS_DESIGN);
  using Base = Workbench<T, Loss, Penalty, Design>;

 protected:
  using Base::activate_all, Base::advance_power_iteration, Base::begin_again, Base::bind, Base::centre, Base::certify,
      Base::certify_null_model, Base::choose_features, Base::count_iteration, Base::deactivate_all, Base::end_at_limit,
      Base::for_each_active_row, Base::intercept_scale_, Base::loss_, Base::measure_scales, Base::memory_,
      Base::multiply, Base::norm_, Base::offer_primal, Base::options_, Base::prox, Base::release_features,
      Base::report_, Base::rescale_intercept, Base::scale_of, Base::shape_, Base::start_power_iteration, Base::step_of,
      Base::stride_, Base::targets_, Base::transposed_multiply, Base::update_residual, Base::validate, Base::design_,
      Base::dual_entries, Base::matrix_entries;

 public:
  using Base::running;
  static constexpr SolverKind kind = SolverKind::fista;

  Fista(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
        const Options<T>& options)
      : Base(design, targets, loss, penalty, options) {}

  /// Bytes that `start` needs, aligned to Arena::alignment; the memory of the data is not in it.
  static constexpr Requirement requirement(Shape shape) { return count_bytes<Memory>(shape); }

  /// Checks the problem and lays out the memory. False: it has ended.
  bool start(std::span<std::byte> memory) {
    if (!validate(memory, requirement(shape_))) return false;
    Arena arena(memory);
    own_ = Memory::lay_out(arena, shape_);
    bind(own_.common, arena.used());
    centre();
    measure_scales(own_.z);
    for (T* matrix : {own_.x, own_.before, own_.v}) fill(matrix, matrix_entries(), T(0));
    // The model without coefficients first: only the intercepts move, in a space of norm one.
    deactivate_all();
    norm_ = T(1);
    if (options_.intercept) {
      if constexpr (requires { loss_.guess_intercepts(targets_, own_.x); })
        loss_.guess_intercepts(targets_, row_of(own_.x, shape_.features, stride_));
      rescale_intercept(own_.x, T(1));
    }
    begin_iterations();
    stage_ = Stage::intercepts;  // where a run ends that needs no coefficients
    if (options_.intercept) {    // what a run has that is stopped before the first certificate
      offer_primal(own_.x, own_.scores);
      report_.lambda_max = not_a_number<T>;
    } else {
      finish_null_model();
    }
    return running();
  }

  /// Goes on with another λ from where a run has ended (not stopped): what a path does. False: it has ended. `before`
  /// (a coefficient matrix, the same one each time) keeps the coefficients where runs ended; from the third λ on the
  /// start is moved by `step` times the last difference.
  bool warm_start(T lambda, T* before = nullptr, T step = T(0)) {
    if (!begin_again(lambda)) return false;
    if (before && stage_ == Stage::coefficients) extrapolate(before, keeps_before_ ? step : T(0));
    offer_primal(own_.x, own_.scores);
    write_gradients(own_.scores, own_.z);
    certify(own_.z, own_.v, true);
    if (!running()) return false;
    since_certificate_ = 0;
    if (stage_ != Stage::coefficients) {  // it was the null model: the norm of all features serves from now on
      warm_ = true;
      measure_norm();
    } else {
      release_features(own_.x);
      rest();
    }
    return true;
  }

  /// One power or proximal gradient iteration, certificates included; false when the run has ended.
  bool step() {
    if (!running()) return false;
    switch (stage_) {
      case Stage::intercepts:
        iterate(T(0));
        if (--intercept_steps_ == 0 || intercept_scale_ * step_length_ <= T(8) * epsilon<T> * score_unit())
          finish_null_model();
        break;
      case Stage::norm:
        if (advance_power_iteration(own_.v, own_.z, Base::rough)) {
          rescale_intercept(own_.x, old_intercept_scale_);
          if (warm_) {
            release_features(own_.x);
            clear_inactive(own_.v);
          }
          begin_iterations();
          stage_ = Stage::coefficients;
        }
        break;
      case Stage::coefficients: iterate_and_certify(); break;
    }
    return running();
  }

 private:
  enum class Stage : std::uint8_t { intercepts, norm, coefficients };

  struct Memory {
    CommonMemory<T> common;
    T* x;       ///< coefficients, the last row being intercepts
    T* before;  ///< those of the iteration before
    T* v;       ///< scratch: gradients, new coefficients
    T* scores;  ///< of x
    T* scores_before;
    T* z;  ///< scratch: gradients of the loss

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      Memory m{};
      m.common = CommonMemory<T>::lay_out(arena, shape);
      for (T** coefficients : {&m.x, &m.before, &m.v})
        *coefficients = arena.take<T>(CommonMemory<T>::coefficients(shape));
      for (T** duals : {&m.scores, &m.scores_before, &m.z}) *duals = arena.take<T>(CommonMemory<T>::duals(shape));
      return m;
    }
  };

  void begin_iterations() {
    multiply(own_.x, own_.scores);
    rest();
    // Σ cᵢℓᵢ has curvature at most max cᵢ · curvature · ‖A‖²; the search starts well below.
    T weight = 0;
    for (Index i = 0; i < shape_.samples; ++i) weight = largest(weight, targets_.weight(i));
    highest_curvature_ = weight * loss_.template curvature<T>(shape_.classes) * norm_ * norm_;
    curvature_ = highest_curvature_ / T(shape_.classes);
  }

  /// x ← x + step (x − before), before ← x.
  [[gnu::noinline]] void extrapolate(T* before, T step) {
    for (std::size_t e = 0; e < matrix_entries(); ++e) {
      const T now = own_.x[e];
      if (step != T(0)) own_.x[e] += step * (now - before[e]);
      before[e] = now;
    }
    keeps_before_ = true;
    multiply(own_.x, own_.scores);
  }

  /// The rows of features that are not active, which have been scratch, padding too.
  [[gnu::noinline]] void clear_inactive(T* matrix) const {
    for (Index j = 0; j < shape_.features; ++j)
      if (!memory_.active[j]) fill(row_of(matrix, j, stride_), stride_, T(0));
  }

  /// Forgets the momentum.
  void rest() {
    copy(own_.scores, dual_entries(), own_.scores_before);
    copy(own_.x, matrix_entries(), own_.before);
    momentum_ = T(1);
  }

  /// A score of the size that matters: the margin, or 1 for a loss that needs none.
  T score_unit() const { return default_margin<T>(loss_) > T(0) ? targets_.margin(0) : T(1); }

  /// The intercepts are optimal: λ_max, the first bound and the first features follow.
  void finish_null_model() {
    offer_primal(own_.x, own_.scores);
    activate_all();
    write_gradients(own_.scores, own_.z);
    certify_null_model(own_.z, own_.v);
    if (!running()) return;
    choose_features();
    measure_norm();
  }

  [[gnu::noinline]] void measure_norm() {
    stage_ = Stage::norm;
    old_intercept_scale_ = intercept_scale_;
    intercept_scale_ = T(0);
    start_power_iteration(own_.v);
  }

  void iterate_and_certify() {
    const bool last = !count_iteration();
    iterate(options_.lambda);
    // From near the solution it is often not far: after every 5 iterations at first.
    const std::uint32_t interval =
        warm_ ? smallest(certificate_interval, largest(std::uint32_t(5), report_.iterations / 6))
              : certificate_interval;
    if (!last && ++since_certificate_ < interval) return;
    since_certificate_ = 0;
    offer_primal(own_.x, own_.scores);
    write_gradients(own_.scores, own_.z);
    update_residual(step_length_, point_length_);
    clear_inactive(own_.x);  // which those that become active begin with
    const auto next = certify(own_.z, own_.v, last);
    if (last) end_at_limit();
    if (!running() || next != Base::Next::new_features) return;
    if (warm_) rest();
    else measure_norm();
  }

  /// z ← c∇ℓ(scores).
  void write_gradients(const T* scores, T* z) const { detail::take_gradients(loss_, targets_, scores, stride_, z); }

  /// One accelerated step; `lambda` 0 leaves out the penalty.
  void iterate(T lambda) {
    const Index stride = stride_;
    const T next_momentum = (T(1) + square_root(T(1) + T(4) * momentum_ * momentum_)) * T(0.5);
    const auto beta = Simd<T>::fill((momentum_ - T(1)) / next_momentum);
    const auto extrapolated = [&](const T* now, const T* then) {
      return Simd<T>::load(now) + beta * (Simd<T>::load(now) - Simd<T>::load(then));
    };
    T* const scores_y = own_.scores_before;  // the scores of Y take the place of those before
    for (std::size_t e = 0; e < dual_entries(); e += lanes<T>)
      extrapolated(own_.scores + e, scores_y + e).store(scores_y + e);

    curvature_ *= warm_ ? T(0.95) : T(0.97);
    auto square = Simd<T>::zero();
    auto turn = Simd<T>::zero();
    auto size = Simd<T>::zero();
    for (;;) {
      write_gradients(scores_y, own_.z);
      transposed_multiply(own_.z, own_.v);
      for_each_active_row([&](Index j) {
        T* v = row_of(own_.v, j, stride);
        const auto rate = Simd<T>::fill(step_of(j, T(1) / curvature_));
        for (Index k = 0; k < stride; k += lanes<T>)
          (extrapolated(row_of(own_.x, j, stride) + k, row_of(own_.before, j, stride) + k) -
           rate * Simd<T>::load(v + k))
              .store(v + k);
      });
      prox(own_.v, lambda / curvature_);

      square = turn = size = Simd<T>::zero();
      for_each_active_row([&](Index j) {
        const T* v = row_of(own_.v, j, stride);
        const T* x = row_of(own_.x, j, stride);
        const auto scale = Simd<T>::fill(scale_of(j));
        for (Index k = 0; k < stride; k += lanes<T>) {
          const auto next = scale * Simd<T>::load(v + k);
          const auto back = scale * extrapolated(x + k, row_of(own_.before, j, stride) + k) - next;
          square = square + back * back;
          turn = turn + back * (next - scale * Simd<T>::load(x + k));
          size = size + next * next;
        }
      });
      multiply(own_.v, own_.z);
      if (curvature_ >= highest_curvature_ || excess(own_.z, scores_y) <= T(0.5) * curvature_ * square.sum()) break;
      curvature_ = smallest(T(2) * curvature_, highest_curvature_);
    }
    step_length_ = square_root(square.sum());
    point_length_ = square_root(size.sum());
    momentum_ = turn.sum() > T(0) ? T(1) : next_momentum;

    rotate(own_.before, own_.x, own_.v);
    rotate(own_.scores_before, own_.scores, own_.z);
  }

  /// Σ cᵢ (ℓ(z) − ℓ(y) − ⟨∇ℓ(y), z − y⟩), sample by sample: how far the loss lies above its tangent at Y.
  T excess(const T* z, const T* y) const {
    T* gradient = memory_.row[1];
    Sum<T> total;
    for (Index i = 0; i < shape_.samples; ++i) {
      const T weight = targets_.weight(i);
      if (!(weight > T(0))) continue;
      const Label label = label_of(loss_, targets_, i);
      const T margin = targets_.margin(i);
      const T* from = row_of(y, i, stride_);
      const T* to = row_of(z, i, stride_);
      if constexpr (requires { loss_.bregman_divergence(from, to, label, label, margin, gradient); }) {
        if (has_bregman_divergence(loss_)) {
          total.add(weight * loss_.bregman_divergence(from, to, shape_.classes, label, margin, gradient));
          continue;
        }
      }
      const T value = loss_.gradient(from, shape_.classes, label, margin, T(1), gradient);
      T tangent = value;
      for (Index k = 0; k < shape_.classes; ++k) tangent += gradient[k] * (to[k] - from[k]);
      total.add(weight * (loss_.value(to, shape_.classes, label, margin) - tangent));
    }
    return total.value();
  }

  /// oldest ← middle ← newest ← oldest.
  static void rotate(T*& oldest, T*& middle, T*& newest) {
    T* const spare = oldest;
    oldest = middle;
    middle = newest;
    newest = spare;
  }

  static constexpr std::uint32_t certificate_interval = 20;

  Memory own_{};
  Stage stage_ = Stage::intercepts;
  std::uint32_t intercept_steps_ = 500;
  std::uint32_t since_certificate_ = 0;
  bool warm_ = false;          ///< along a path
  bool keeps_before_ = false;  ///< the end of the run before the last is known
  T old_intercept_scale_ = T(1);
  T highest_curvature_ = T(0);
  T curvature_ = T(0);
  T momentum_ = T(1);
  T step_length_ = T(0);
  T point_length_ = T(0);
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
