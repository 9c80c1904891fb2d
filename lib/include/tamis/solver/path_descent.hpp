#pragma once
/// Block coordinate descent that goes on along a path by a proximal Newton method, where that is faster.

#include "block_coordinate_descent.hpp"
#include "proximal_newton.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// BlockCoordinateDescent, until `warm_start` takes it to another λ: from there on, for an EntryLoss and a penalty of
/// single entries with ℓ1, a step is one of ProximalNewton with its certificate. A λ begins with the bound of the one
/// before, and takes at least one step unless it is nearly the same λ. Where most features are without coefficients and
/// far from having one, steps and their gaps leave these out, and the last certificate looks at all. Where the memory
/// is not enough for the entries of the model, or steps do not converge, it goes on as BlockCoordinateDescent.
///
/// Memory: that of BlockCoordinateDescent; the two methods of Newton share theirs, and use it one after the other. Cost
/// of a step: two products with the design, K exponentials and K logarithms for each sample, and what ProximalNewton
/// says.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class PathDescent : public BlockCoordinateDescent<T, Loss, Penalty, Design> {
  using Base = BlockCoordinateDescent<T, Loss, Penalty, Design>;
  using Base::activate_all, Base::active_count_, Base::begin_again, Base::begin_entries, Base::begin_epochs,
      Base::certify_again, Base::count_iteration, Base::design_, Base::end_at_limit, Base::entry_bound, Base::gap_,
      Base::is_narrow, Base::is_rounded, Base::keeps_before_, Base::lambda_, Base::list_active, Base::loss_,
      Base::memory_, Base::monitor_, Base::offer_primal, Base::options_, Base::own_, Base::penalty_, Base::report_,
      Base::room_, Base::shape_, Base::stride_, Base::targets_, Base::transposed_multiply, Base::update_residual,
      Base::went_round_;

 public:
  using Base::running;

  PathDescent(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
              const Options<T>& options)
      : Base(design, targets, loss, penalty, options) {}

  bool start(std::span<std::byte> memory) {
    newton_ = {};
    step_ = nullptr;
    is_certified_ = false;
    return Base::start(memory);
  }

  /// Goes on with another λ from where a run has ended (not stopped): what a path does. False: it has ended.
  bool warm_start(T lambda, T* before = nullptr, T step = T(0)) {
    const T last = lambda_;
    if (!is_for_entries() || !(last > T(0)) || !(lambda > T(0)) || !take_memory()) {
      if (step_) leave();
      return Base::warm_start(lambda, before, step);
    }
    if (!begin_again(lambda)) return false;
    keeps_before_ = false;
    go_by_entries(last, lambda);
    if (is_certified_) {
      offer_primal(own_.w, objective(lambda));
      certify_again(smallest(lambda / last, T(1)));
    } else {
      take_losses();
      certify(true);
    }
    return running();
  }

  /// One step of the method at hand, certificates included; false when the run has ended.
  bool step() {
    if (!step_) return Base::step();  // all of the other method is behind the pointer, and only there with warm_start
    return step_(*this);
  }

 protected:
  /// Memory for `entries` coefficients in Newton's method.
  static constexpr Requirement entry_requirement(Shape shape, WorkspaceHint hint, Index entries) {
    Arena counter;
    Base::lay_out_columns(counter, shape, hint);
    (void)EntryLosses<T>::Memory::lay_out(counter, shape);
    ProximalNewton<T>::lay_out(counter, shape, entries);
    return {counter.used()};
  }
  /// After `start`: goes to the λ of the options over larger ones, from the largest at which the null model is the
  /// solution, each to a gap of a tenth. What is certified is the problem with the λ of the options.
  void go_down() {
    if (!has_model(report_.status) && !running()) return;
    const bool takes_memory =
        is_for_entries() && options_.lambda > T(0) && take_memory();  // ended or not: it is asked for
    if (!running() || !takes_memory) return;
    go_by_entries(lambda_, lambda_);
    take_losses();
    certify(true);
    const T top = largest_magnitude(static_cast<const T*>(own_.g), std::size_t(shape_.features) * stride_) /
                  entry_terms<T>(penalty_).l1;
    go_by_entries(top, next_lambda(top));
  }

 private:
  bool is_for_entries() const {
    return entry_terms<T>(penalty_).l1 > T(0) &&
           visit_smooth(loss_, []<class One>(const One&) { return EntryLoss<One, T>; });
  }
  bool take_memory() {
    if (newton_.has_memory()) return true;
    Arena arena(room_);
    losses_ = EntryLosses<T>(EntryLosses<T>::Memory::lay_out(arena, shape_));
    if (arena.exhausted()) return false;
    const std::span<std::byte> rest = room_.subspan(arena.used());
    const auto memory = ProximalNewton<T>::of(shape_, rest);
    newton_ = ProximalNewton<T>(memory);
    if (!newton_.has_memory()) return false;
    const auto *end = memory.inside + CommonMemory<T>::coefficients(shape_),
               *begin = reinterpret_cast<const std::uint8_t*>(own_.common.best);  // the first of the arena
    constexpr std::size_t step = Arena::alignment;
    report_.arena_used_bytes = largest(report_.arena_used_bytes, (std::size_t(end - begin) + step - 1) / step * step);
    report_.arena_bytes = largest(report_.arena_bytes, report_.arena_used_bytes);
    return true;
  }
  /// The products of mostly empty designs are with their copy in any case.
  void multiply_copy(bool copy) {
    const std::size_t all = std::size_t(shape_.samples) * shape_.features;
    design_.multiply_copy(copy || design_.entries(nullptr, shape_.features) < all / 4);
  }
  /// From the solution at λ = `last` to that at λ = `next`.
  void go_by_entries(T last, T next) {
    lambda_ = next;
    went_round_ = true;
    activate_all();
    if (is_certified_) leave_out_features(T(2) * next - last);
    step_ = &PathDescent::step_by_entries;
    steps_ = 0;
    multiply_copy(false);
    is_close_ = false;
    newton_.begin(own_.w, stride_, last, next);
  }
  /// Leaves out the features whose gradients are not above `least` and that have no entry in Newton's model, if these
  /// are most: until the problem without them is solved nothing looks at them. This is the sequential strong rule.
  TAMIS_COLD_IN_MODULES [[gnu::noinline]] void leave_out_features(T least) {
    if (!options_.working_sets || shape_.features <= Base::smallest_working_set) return;
    const T bound = least * entry_terms<T>(penalty_).l1;
    if constexpr (Base::bounds_scores) this->score_above(least);
    Index kept = 0;
    newton_.mark_features(memory_.active, shape_.features);
    for (Index j = 0; j < shape_.features; ++j) {
      const bool is_kept = memory_.active[j] ||
                           (!(Base::bounds_scores && memory_.score[j] < T(0)) &&
                            largest_magnitude(row_of(own_.g, j, stride_), stride_) > bound) ||
                           !this->is_zero(row_of(own_.w, j, stride_));
      memory_.active[j] = is_kept;
      kept += is_kept;
    }
    const bool leaves_out = kept <= shape_.features / 4;
    if constexpr (Base::bounds_scores)
      if (!leaves_out) this->score_above(T(-1));
    if (leaves_out) list_active();
    else activate_all();
  }
  T next_lambda(T lambda) const { return largest(T(0.8) * lambda, options_.lambda); }
  /// Goes back to the other method.
  void leave() {
    step_ = nullptr;
    is_certified_ = false;
    activate_all();
    newton_.forget();
    multiply_copy(true);
  }

  T objective(T lambda) const {
    const T penalty = newton_.has_entries()
                          ? newton_.penalty_value(own_.w, stride_, entry_terms<T>(penalty_), shape_.features)
                          : Base::penalty_value(own_.w);
    return loss_value_ + lambda * penalty;
  }

  static bool step_by_entries(PathDescent& solver) {
    if (!solver.running()) return false;
    const bool last = !solver.count_iteration();
    solver.step_by_entries(last);
    if (last) solver.end_at_limit();
    return solver.running();
  }
  /// A step of ProximalNewton, shortened until it descends, and its certificate.
  void step_by_entries(bool last) {
    const T before = objective(lambda_), most = before + T(8) * epsilon<T> * absolute(before);  // more is no rounding
    const Design& design = design_;
    EntryProblem<T, Design, Loss> problem{design,
                                          targets_,
                                          loss_,
                                          shape_,
                                          lambda_,
                                          entry_terms<T>(penalty_),
                                          options_.intercept,
                                          own_.w,
                                          memory_.means,
                                          losses_.shift(),
                                          own_.u,
                                          own_.g,
                                          stride_,
                                          memory_.list,
                                          active_count_};
    const bool is_overdue = ++steps_ > most_steps;
    if (is_overdue || !newton_.step(problem, gap_)) {
      leave();
      Base::certify(false);
      if (running()) begin_epochs(2);
      return;
    }
    if (is_rounded && gap_ < close_gap && steps_ > far_steps) take_losses_of_step(problem);
    else take_losses();
    for (T alpha = T(0.5); !(objective(lambda_) <= most) && alpha > T(1e-3); alpha *= T(0.5)) {
      newton_.take(problem, alpha);
      take_losses();
    }
    update_residual(newton_.moved(), newton_.size());
    certify(last);
    if (running() && lambda_ != options_.lambda && gap_ <= solved_on_the_way)
      go_by_entries(lambda_, next_lambda(lambda_));
  }
  /// Scores of the coefficients, the loss there and its gradients.
  [[gnu::noinline]] void take_losses() {
    is_close_ = false;
    Base::template take_scores<true>(own_.z);
    loss_value_ = losses_.take_losses(loss_, targets_, static_cast<const T*>(own_.z), own_.u, stride_);
  }
  /// The same with the gradients at the scores as steps have moved them, in two numbers each, z + h. What rounding
  /// takes from coefficients is the same in all samples, and from scores it is more than gradients have beside a small
  /// λ.
  template <class Problem>
  [[gnu::noinline]] void take_losses_of_step(const Problem& problem) {
    if (!is_close_) fill(own_.h, std::size_t(shape_.samples) * stride_, T(0));
    is_close_ = true;
    fill(own_.d, (std::size_t(shape_.features) + 1) * stride_, T(0));
    newton_.add_step(problem, T(1), own_.d);
    const T* base = row_of(own_.d, shape_.features, stride_);
    if (!design_.multiplies_copy()) {
      this->shifted_intercepts(own_.d, own_.block[0]);
      base = own_.block[0];
    }
    design_.multiply(problem.list, problem.count, own_.d, stride_, base, own_.u);
    for (Index i = 0; i < shape_.samples; ++i) {
      T *const z = row_of(own_.z, i, stride_), *const rest = row_of(own_.h, i, stride_),
               *u = row_of(own_.u, i, stride_);
      T top = -infinity<T>;
      for (Index k = 0; k < shape_.classes; ++k) {
        const T sum = z[k] + u[k], moved = sum - z[k];
        rest[k] += (z[k] - (sum - moved)) + (u[k] - moved);
        z[k] = sum;
        top = largest(top, sum);
      }
      for (Index k = 0; k < shape_.classes; ++k) u[k] = (z[k] - top) + rest[k];
    }
    (void)losses_.take_losses(loss_, targets_, static_cast<const T*>(own_.u), own_.u, stride_);
    T* const scores = newton_.scratch();
    Base::template take_scores<true>(scores);
    loss_value_ = detail::mean_curved_loss(loss_, targets_, scores, stride_);
  }
  /// The gap after take_losses, with duals to which the intercepts have been shifted: for the features at hand, and for
  /// all of them where that is small enough, or it is the last.
  [[gnu::noinline]] void certify(bool last) {
    const T wanted = options_.lambda, l1 = entry_terms<T>(penalty_).l1, value = objective(lambda_);
    offer_primal(own_.w, objective(wanted));
    T* const sums = own_.block[1];
    const bool balanced = !options_.intercept || losses_.shift_intercepts(loss_, targets_, own_.u, stride_, sums);
    const auto loss_dual = [&](T scale) {
      return losses_.loss_dual(loss_, targets_, static_cast<const T*>(own_.u), stride_, scale);
    };
    const auto take_gap = [&](const Index* list, Index count) {
      options_.lambda = lambda_;
      gap_ = (value - entry_bound(own_.u, own_.g, list, count, l1, loss_dual)) / value;
      options_.lambda = wanted;
    };
    begin_entries(own_.u, balanced);
    if (is_narrow()) {
      transposed_multiply(own_.u, own_.g);
      take_gap(memory_.list, active_count_);
      is_certified_ = last || gap_ <= (lambda_ == wanted ? options_.tolerance : solved_on_the_way) ||
                      report_.relative_gap <= options_.tolerance || monitor_.is_overdue(report_);
    } else {
      is_certified_ = true;
    }
    if (is_certified_) {
      Index count = shape_.features;
      const Index* list = nullptr;
      if constexpr (Base::bounds_scores)
        if (is_narrow()) list = this->score_others(count);
      if (!list) Base::whole_transposed_multiply(own_.u, own_.g);
      this->offer_dual(entry_bound(own_.u, own_.g, list, count, l1, loss_dual));
      if constexpr (Base::bounds_scores)
        if (!list) take_scores_of_features();
      gap_ = report_.relative_gap;
      if (lambda_ != wanted) {
        take_gap(list, count);
        if (report_.status == Status::precision_limit) {
          report_.status = Status::running;
          monitor_.begin();
        }
      }
      if (running() && is_narrow()) leave_out_features(T(0.999) * lambda_);
    }
    // Columns about their means have digits that those far from zero lack.
    multiply_copy(design_.is_moved() && gap_ < GapMonitor<T>::precision_floor);
    if (options_.intercept) copy(static_cast<const T*>(sums), stride_, row_of(own_.g, shape_.features, stride_));
  }

  void take_scores_of_features() {
    if (!this->bounds_.has_memory()) return;
    const T gauge = this->gauge_;
    this->score(own_.g, nullptr, shape_.features);
    this->gauge_ = gauge;
    this->keep_scores();
  }

  static constexpr T solved_on_the_way = T(0.1);  ///< gap at a larger λ from which it is on to the next
  static constexpr T close_gap = T(0.02);  ///< with more steps than that, where rounding may be what is left of it
  static constexpr std::uint32_t far_steps = 3, most_steps = 50;

  EntryLosses<T> losses_{};
  ProximalNewton<T> newton_{};
  bool (*step_)(PathDescent&) = nullptr;  ///< where it goes by entries
  bool is_close_ = false;                 ///< scores are in two numbers: see take_losses_of_step
  bool is_certified_ = false;             ///< u and g are those of `certify` at w
  std::uint32_t steps_ = 0;               ///< at the λ at hand
  T loss_value_ = T(0);                   ///< at w, after take_losses
};

/// The default for smooth losses with ℓ1 or elastic net, where the memory allows: PathDescent that reaches its first λ
/// in the same way, over larger ones. For other losses and penalties, and in less memory, BlockCoordinateDescent.
///
/// Memory: `requirement(shape, hint)`: that of BlockCoordinateDescent, and no less than for 768 entries. Cost: see
/// PathDescent; some steps for each factor of 0.8 between the largest λ and that of the options.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class ProximalNewtonDescent : public PathDescent<T, Loss, Penalty, Design> {
  using Base = PathDescent<T, Loss, Penalty, Design>;

 public:
  static constexpr SolverKind kind = SolverKind::proximal_newton;
  using Base::Base;
  using Base::requirement;

  static constexpr Requirement requirement(Shape shape, WorkspaceHint hint) {
    return Base::requirement(shape, hint) | Base::entry_requirement(shape, hint, 768);
  }

  bool start(std::span<std::byte> memory) {
    Base::start(memory);
    Base::go_down();
    return Base::running();
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
