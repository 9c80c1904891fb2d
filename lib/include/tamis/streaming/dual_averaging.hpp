#pragma once
/// Regularised dual averaging with a step of its own for each group of features.

#include "learner.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {

template <class T>
struct DualAveragingMemory {
  T* gradients;  ///< their sum, (features + 1) × stride
  T* square;     ///< Σ ‖∇_gℓ‖² of a group, at its first feature; the last one is that of the intercepts

  static constexpr DualAveragingMemory lay_out(Arena& arena, Index features, Index classes) {
    DualAveragingMemory own{};
    own.gradients = arena.take<T>(saturating_multiply(saturating_add(features, 1), padded<T>(classes)));
    own.square = arena.take<T>(saturating_add(features, 1));
    return own;
  }
};

}  // namespace detail

/// After t samples, for each group g of features (Gᵗ the sum of their gradients, c the sum of their weights):
///     w_g = argmin ⟨Gᵗ_g, w⟩ + c λΩ(w) + ‖w − w⁰_g‖²/2s_g = prox_{s_g c λΩ}(w⁰_g − s_g Gᵗ_g),   s_g = η₀/√(Σ ‖∇_gℓ‖²).
///
/// The whole penalty stands against the whole sum of gradients, so that coefficients that are not worth it are zero,
/// not small, long before the end; and rare features take longer steps than frequent ones, which makes η₀ = 0.1 serve
/// where samples have features of about one. A group is a feature's row unless the penalty says more; intercepts have
/// no penalty. w⁰ is zero or the model that was begun from, which is read, not copied; `seen` samples before count as
/// though the gradients of each group had had the size of its first one, so that the step goes on being short.
///
/// W is a function of Gᵗ and t: rows that a sample does not have are left alone, whatever the penalty, and computed
/// when they are needed. Memory: two matrices of p+1 rows of padded classes, 2 rows, p+1 numbers; with listed groups p
/// more. Cost of a sample: that of its values. Bits depend on samples and options alone. Source: Xiao (2010), Dual
/// averaging methods for regularized stochastic learning and online optimization; Duchi, Hazan and Singer (2011),
/// Adaptive subgradient methods, the primal–dual update.
template <class T, class Loss, class Penalty>
class DualAveragingLearner
    : public StreamLearner<DualAveragingLearner<T, Loss, Penalty>, detail::DualAveragingMemory<T>, T, Loss, Penalty> {
  using Base = StreamLearner<DualAveragingLearner, detail::DualAveragingMemory<T>, T, Loss, Penalty>;
  friend Base;

 public:
  DualAveragingLearner(Index features, Index classes, const StreamOptions<T>& options = {}, const Loss& loss = {},
                       const Penalty& penalty = {})
      : Base(features, classes, options, loss, penalty) {}

 private:
  void begin_own(const LinearModel<T>& from, std::uint32_t seen) {
    fill(this->memory_.own.gradients, Base::coefficients(this->features_, this->classes_), T(0));
    fill(this->memory_.own.square, static_cast<std::size_t>(this->features_) + 1, T(0));
    from_ = from;
    seen_ = seen;
    weight_ = {};
  }

  T step_length() const { return this->options_.learning_rate; }

  /// Entries stay below η₀√t, and what the penalty takes is infinite only where its weight is.
  bool make_room(T weight, T) const { return finite((weight_.value() + weight) * this->options_.lambda); }

  void bring_up(FeatureGroup group) {
    const T square = this->memory_.own.square[group.first];
    if (!(square > T(0))) return;
    const T step = this->options_.learning_rate / square_root(square);
    for (Index r = 0; r < group.count; ++r) move(group.feature(r), step);
    const T threshold = smallest(step * (weight_.value() * this->options_.lambda), T(1) / least_normal<T>);
    if (threshold > T(0))
      this->penalty_.prox(rows_of(this->memory_.w, group, this->classes_, this->stride_), threshold);
  }

  /// w_j ← w⁰_j − step·G_j
  void move(Index j, T step) {
    T* w = row_of(this->memory_.w, j, this->stride_);
    if (from_.coefficients) copy(row_of(from_.coefficients, j, this->stride_), this->classes_, w);
    else fill(w, this->stride_, T(0));
    this->add_multiple(-step, row_of(this->memory_.own.gradients, j, this->stride_), w);
  }

  void take_step(const SampleRow<T>& x, T weight, T square) {
    this->add_outer(x, this->memory_.u, this->memory_.own.gradients);
    this->for_each_value(x, [&](Index j, T value) { add_square(this->group_with(j).first, value * value * square); });
    weight_.add(weight);
    if (!this->options_.intercept) return;
    this->add_multiple(T(1), this->memory_.u, row_of(this->memory_.own.gradients, this->features_, this->stride_));
    add_square(this->features_, square);
    const T all = this->memory_.own.square[this->features_];
    if (all > T(0)) move(this->features_, this->options_.learning_rate / square_root(all));
  }

  void add_square(Index at, T square) {
    T& all = this->memory_.own.square[at];
    all += all > T(0) ? square : square * (T(seen_) + T(1));
  }

  LinearModel<T> from_{};
  std::uint32_t seen_ = 0;
  Sum<T> weight_{};
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
