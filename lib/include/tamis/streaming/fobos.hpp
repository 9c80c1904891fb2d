#pragma once
/// Forward–backward splitting, one sample a step.

#include "learner.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {

template <class T>
struct FobosMemory {
  T* paid;  ///< the `total_` whose steps the rows of a group have had, at its first feature

  static constexpr FobosMemory lay_out(Arena& arena, Index features, Index) { return {arena.take<T>(features)}; }
};

}  // namespace detail

/// W ← prox_{η_t λΩ}(W − η_t ∇ℓ_t(W)), η_t = η₀/√t for sample number t, the intercepts without a penalty; a sample of
/// weight c takes a step of c η_t. Ω as in training, so that samples in random order minimise its objective.
///
/// A group of features that a sample does not have only sees proximal steps, which wait until it is needed and are then
/// done at once: prox_s ∘ prox_t = prox_{s + t + q s t} with q = `step_coupling` of the penalty. So the cost of a
/// sample is that of its values, not of all features. Why: for a norm, p = prox_t(w) means w − p = t g with g in ∂Ω(p);
/// the norms with q = 0 keep the sign, the direction or the largest entries of w in all that follows, so that g stays
/// in ∂Ω and s + t is one step; ridge and elastic net divide by 1 + q s, which multiplies. A penalty without q
/// (sparse-group, your own) is taken over all features at each sample. All steps are also done every 1024 samples, so
/// that the sum of those that wait stays small beside a single one and float rounds none of them away.
///
/// Memory: one matrix of p+1 rows of padded classes, 2 rows, p numbers; with listed groups p more. `model()` rounds
/// where it joins the steps that wait; otherwise bits depend on samples and options alone.
/// Source: Duchi and Singer (2009), Efficient online and batch learning using forward backward splitting; Blondel et
/// al. (2013), section 5.2.2.
template <class T, class Loss, class Penalty>
class FobosLearner : public StreamLearner<FobosLearner<T, Loss, Penalty>, detail::FobosMemory<T>, T, Loss, Penalty> {
  using Base = StreamLearner<FobosLearner, detail::FobosMemory<T>, T, Loss, Penalty>;
  friend Base;

 public:
  FobosLearner(Index features, Index classes, const StreamOptions<T>& options = {}, const Loss& loss = {},
               const Penalty& penalty = {})
      : Base(features, classes, options, loss, penalty), coupling_(tamis::step_coupling<T>(penalty)) {}

 private:
  static constexpr std::uint32_t window = 1024;

  bool lazy() const { return coupling_ == coupling_; }

  void begin_own(const LinearModel<T>&, std::uint32_t) {
    fill(this->memory_.own.paid, this->features_, T(0));
    total_ = T(0);
    waiting_ = 0;
  }

  T step_length() const {
    return this->options_.learning_rate / square_root(largest(T(this->report_.samples) + T(1), T(1)));
  }

  bool make_room(T weight, T size) {
    rate_ = step_length();
    const T reach = this->reach_ + rate_ * size;
    if (!(reach <= Base::largest_entry()) || !finite(rate_ * weight * this->options_.lambda)) return false;
    this->reach_ = reach;
    return true;
  }

  void bring_up(FeatureGroup group) {
    T& paid = this->memory_.own.paid[group.first];
    if (paid == total_) return;
    this->penalty_.prox(rows_of(this->memory_.w, group, this->classes_, this->stride_),
                        (total_ - paid) / (T(1) + coupling_ * paid));
    paid = total_;
  }

  /// One step with the gradient x uᵀ of a sample that is counted already.
  void take_step(const SampleRow<T>& x, T weight, T) {
    T* u = this->memory_.u;
    for (Index k = 0; k < this->classes_; ++k) u[k] *= -rate_;
    this->add_outer(x, u, this->memory_.w);
    if (this->options_.intercept) this->add_multiple(T(1), u, row_of(this->memory_.w, this->features_, this->stride_));
    const T step = rate_ * weight * this->options_.lambda;
    if (!lazy()) {
      this->groups_.for_each(this->features_, [&](FeatureGroup group) {
        this->penalty_.prox(rows_of(this->memory_.w, group, this->classes_, this->stride_), step);
      });
      return;
    }
    T total = total_ + (step + coupling_ * step * total_);
    if (waiting_ == window || !finite(total)) {
      (void)this->model();
      begin_own({}, 0);
      total = step;
    }
    total_ = total;
    ++waiting_;
  }

  T coupling_;
  T rate_ = T(0);   ///< of the sample at hand
  T total_ = T(0);  ///< the one step that all since the window began make
  std::uint32_t waiting_ = 0;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
