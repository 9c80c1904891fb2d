#pragma once
/// What every solver of linear scores shares: a run on a checked problem, its certificates and its report. The layers
/// below it, from the lowest: LinearProblem, WorkingSet, CentredProducts, DualBound.

#include <new>
#include <span>

#include "../certificate/gap_monitor.hpp"
#include "../model/linear.hpp"
#include "dual_bound.hpp"
#include "solver.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Base of the solvers; not for use on its own.
template <class T, class Loss, class Penalty, class Design>
class Workbench : public DualBound<T, Loss, Penalty, Design> {
  using Base = DualBound<T, Loss, Penalty, Design>;

 public:
  using Base::running;
  static constexpr bool constrained = false;
  /// Number of certificates evaluated so far.
  std::uint32_t certificates() const { return certificates_; }
  /// Whether `model()` has been certified: it is of use even where reading the samples has failed since.
  bool has_certified_model() const { return certificates_ > 0 && memory_.best; }
  LinearModel<T> model() const { return {memory_.best, shape_.features, shape_.classes}; }
  /// Ends the run with the best model so far.
  void stop() { end(Status::stopped); }
  /// Another λ than that of the options, before `start`.
  void set_lambda(T lambda) { options_.lambda = lambda; }

 protected:
  using Base::activate_all, Base::active_count_, Base::are_scores, Base::check, Base::dual_kind, Base::dual_terms,
      Base::dual_value, Base::gauge_, Base::gradient_size, Base::has_failed, Base::has_zeros, Base::loss_,
      Base::loss_sum, Base::matrix_entries, Base::memory_, Base::norm_, Base::options_, Base::penalty_value,
      Base::report_, Base::shape_, Base::shifted_intercepts, Base::stride_, Base::targets_, Base::terms_,
      Base::transposed_multiply, Base::whole_transposed_multiply, Base::widen;
  using Common = CommonMemory<T>;

  Workbench(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
            const Options<T>& options)
      : Base(design, targets, loss, penalty, options) {
    memory_.best = nullptr;
  }

  /// Checks all input once, at the start. On refusal nothing has been written to the arena.
  bool validate(std::span<std::byte> memory, Requirement requirement) {
    return validate(status_of(memory, requirement), requirement.bytes, false);
  }
  /// The same for an arena out of which everything has been taken already.
  bool validate(const Arena& arena) { return validate(status_of(arena), arena.used(), false); }
  static Status status_of(std::span<std::byte> memory, Requirement requirement) {
    if (!Arena::aligned(memory)) return Status::invalid_arena;
    return memory.size() < requirement.bytes ? Status::arena_too_small : Status::running;
  }
  static Status status_of(const Arena& arena) {
    if (!arena.aligned()) return Status::invalid_arena;
    return arena.exhausted() ? Status::arena_too_small : Status::running;
  }
  TAMIS_COLD_IN_MODULES TAMIS_CALLED_ONCE bool validate(Status arena, std::size_t bytes, bool with_eta) {
    new (&report_) Report<T>;  // a copy of an empty one would be larger code
    certificates_ = 0;
    monitor_.begin();
    report_.arena_bytes = bytes;
    report_.status = check(report_, with_eta);
    if (running()) report_.status = arena;
    return running();
  }

  void bind(const CommonMemory<T>& memory, std::size_t used) {
    memory_ = memory;
    bind(used);
  }
  /// The same where the memory is there already.
  void bind(std::size_t used) {
    report_.arena_used_bytes = used;
    report_.arena_bytes = largest(report_.arena_bytes, used);
    fill(memory_.best, static_cast<std::size_t>(reinterpret_cast<T*>(memory_.list) - memory_.best),
         T(0));  // up to the list, exponents of 0 included
    activate_all();
  }

  /// Makes an ended run go on with another λ; its point, scale and active features stay. False: see WarmStarted.
  [[gnu::noinline]] bool begin_again(T lambda, bool may_be_zero = true) {
    const Status status = report_.status;
    const bool was_refused = status == Status::invalid_lambda && certificates_ > 0;
    if (!was_refused && (!has_model(status) || status == Status::running || status == Status::stopped)) return false;
    if (options_.eta != T(0)) return false;
    if (!detail::in_range(lambda, may_be_zero)) {
      report_.status = Status::invalid_lambda;
      return false;
    }
    options_.lambda = lambda;
    report_.status = Status::running;
    report_.iterations = 0;
    report_.epochs = T(0);
    certificates_ = 0;
    monitor_.begin();
    return true;
  }

  /// Takes the point w with scores z; it becomes the reported model if its objective is the best so far.
  void offer_primal(const T* w, const T* z) {
    if (!has_failed())
      offer_primal(w, are_scores(z) ? loss_sum(z) + options_.lambda * penalty_value(w) : not_a_number<T>);
  }
  /// The same with the objective there.
  [[gnu::noinline]] void offer_primal(const T* w, T objective) {
    if (has_failed()) return;
    if (certificates_ > 0 && !(objective < report_.objective)) return;
    report_.objective = objective;
    GapMonitor<T>::take_gap(report_);
    keep_coefficients(w);
    const Index intercepts = shape_.features;
    shifted_intercepts(w, row_of(memory_.best, intercepts, stride_));
    // Means of the design may have left the range of T.
    if (!finite(gradient_size(memory_.best, &intercepts, 1))) report_.objective = not_a_number<T>;
  }

  /// Offers the multiple of w without any loss of the exact hinge, if there is one near, and scales the scores z:
  /// where ridge is next to nothing, what is left of violations that are small beside margins is large beside the
  /// optimum. The multiple is left in `to`, which may be w.
  [[gnu::noinline]] void offer_separating(const T* w, T* z, T* to) {
    T factor = 0;
    for (Index i = 0; i < shape_.samples; ++i) {
      if (!(targets_.weight(i) > T(0))) continue;
      const T distance = -loss_.violation(row_of(z, i, stride_), shape_.classes, targets_.labels[i], T(0));
      const T margin = targets_.margin(i);
      if (!(T(2) * distance > margin)) return;
      factor = largest(factor, margin / distance);
    }
    factor *= T(1) + T(8) * epsilon<T>;
    if (!(factor > T(0.5))) return;
    for (std::size_t e = 0; e < matrix_entries(); ++e) to[e] = factor * w[e];
    for (Index i = 0; i < shape_.samples; ++i) scale_row(row_of(z, i, stride_), stride_, factor);
    offer_primal(to, z);
  }

  /// Makes the active rows of w those of the reported model.
  void keep_coefficients(const T* w) {
    fill(memory_.best, matrix_entries(), T(0));
    Index nonzeros = 0, nonzero_rows = 0;
    for (Index c = 0; c < active_count_; ++c) {
      const T* from = row_of(w, memory_.list[c], stride_);
      T* to = row_of(memory_.best, memory_.list[c], stride_);
      const Index before = nonzeros;
      for (Index k = 0; k < stride_; ++k) nonzeros += (to[k] = from[k]) != T(0);
      nonzero_rows += nonzeros != before;
    }
    report_.nonzeros = nonzeros;
    report_.nonzero_rows = nonzero_rows;
  }

  /// Weight of the penalty beside the loss, and of a sample in the domain of the duals.
  T penalty_weight() const { return options_.lambda; }
  T dual_weight(Index sample) const { return targets_.weight(sample); }

  /// A primal weight to begin with, ‖u‖/‖W‖: ‖u‖ is that of the null model, and ‖W‖ is guessed as the geometric mean of
  /// F(0)/λ ≥ Ω(W) and of what gives scores of the size of F(0), √n F(0)/‖A‖.
  T first_primal_weight(T dual_size) const {
    const T objective = largest(report_.objective, T(1e-6));
    const T lambda = largest(options_.lambda, T(1e-6) * objective);
    return largest(dual_size, T(1e-6)) / objective * square_root(lambda * norm_ / square_root(T(shape_.samples)));
  }

  /// What a certificate asks the solver to do next.
  enum class Next : std::uint8_t { go_on, new_features, finished };

  /// Takes a dual point u in the domain of the loss (samples × stride) and scratch g of a coefficient matrix; both are
  /// overwritten. Repairs u, bounds the optimum, ends the run when the gap allows it, and otherwise widens the active
  /// features when the problem on them alone is nearly solved. `full`: look at all features in any case.
  [[gnu::noinline]] Next certify(T* u, T* g, bool full) {
    repair(u);

    if (active_count_ < shape_.features && !full && !monitor_.is_overdue(report_)) {
      transposed_multiply(u, g);
      const T inner_gap = report_.objective - dual_value(u, g, memory_.list, active_count_);
      if (!(inner_gap <= T(0.3) * report_.gap)) return Next::go_on;
    }
    certify_features(u, g);
    if (!running()) return Next::finished;
    if (active_count_ == shape_.features) return Next::go_on;
    return widen(options_.lambda) ? Next::new_features : Next::go_on;
  }

  /// The bound of repaired duals, over all features.
  void certify_features(T* u, T* g) {
    whole_transposed_multiply(u, g);
    offer_dual(dual_value(u, g, nullptr, shape_.features));
  }

  /// Begins a certificate: see DualBound.
  void repair(T* u) {
    if (!has_failed()) ++certificates_;
    Base::repair_duals(u);
  }

  /// The certificate of the run before at a smaller λ, which is the larger one's times `share`: its duals in that
  /// proportion are feasible, and the dual objective is concave along them and not negative at zero.
  void certify_again(T share) {
    if (!has_failed()) ++certificates_;
    offer_dual(share * report_.dual_objective);
  }
  /// As certify, in two parts with the gradient between them, of duals of which it is known whether they are balanced,
  /// for a penalty whose dual norm is the largest entry by `l1`; `entry_bound` is what is offered then. `loss_dual(s)`:
  /// see DualBound.
  void begin_entries(T* u, bool balanced) {
    if (!balanced) return repair(u);
    if (!has_failed()) ++certificates_;
    if (dual_kind() != DualKind::norm) terms_ = dual_terms(u);
  }
  /// The bound at the λ of the options, with the penalty taken over the listed features.
  template <class LossDual>
  T entry_bound(const T* u, const T* g, const Index* list, Index count, T l1, LossDual loss_dual) {
    if (dual_kind() != DualKind::norm) return dual_value(u, g, list, count);
    gauge_ = list ? T(0) : largest_magnitude(g, std::size_t(count) * stride_);
    for (Index c = 0; list && c < count; ++c) {
      const T most = largest_magnitude(row_of(g, list[c], stride_), stride_);
      if (!(most <= gauge_)) gauge_ = most;
    }
    gauge_ /= l1;
    T bound = T(0);
    if (finite(gauge_)) bound = loss_dual(gauge_ > options_.lambda ? options_.lambda / gauge_ : T(1));
    return largest(bound, T(0));
  }

  /// The null model: u must be its dual point. Sets λ_max, the first bound, and the first active features.
  void certify_null_model(T* u, T* g) {
    certify(u, g, true);
    report_.lambda_max = has_zeros() ? gauge_ : infinity<T>;
    refuse_scale(g);
  }
  /// Ends the run when the gradient g of the null model says that squares of what follows leave the range of T: steps
  /// and curvatures would be rounding, zero or infinite. Or it has entries that are no numbers.
  void refuse_scale(const T* g) {
    constexpr T least = sizeof(T) == 4 ? T(3e-16) : T(1e-146);  // squares are normal numbers with all digits
    const T size = gradient_size(g, nullptr, shape_.features);
    const bool fits = size == T(0) || (size >= least && size <= T(1) / least);
    if (!running() || fits) return;
    report_.status = Status::invalid_scale;
    report_.lambda_max = not_a_number<T>;
  }

  /// `may_be_infinite`: the objective, while no point is feasible.
  TAMIS_CALLED_ONCE void offer_dual(T value, bool may_be_infinite = false) {
    if (has_failed()) return;
    if (certificates_ == 1 || value > report_.dual_objective) report_.dual_objective = value;
    if (dual_kind() == DualKind::unknown) report_.dual_objective = not_a_number<T>;  // and so is the gap
    monitor_.conclude(report_, options_.tolerance, may_be_infinite);
  }

  void update_residual(T residual, T size) {
    if (has_failed()) return;
    report_.kkt_residual = size > T(0) ? residual / size : T(0);
    if (dual_kind() == DualKind::unknown && certificates_ > 0 && report_.kkt_residual <= options_.tolerance)
      report_.status = Status::converged;
  }

  /// Counts an iteration; false (and the final status) when it was the last one allowed.
  bool count_iteration() {
    ++report_.iterations;
    return report_.iterations < options_.max_iterations;
  }
  void end_at_limit() { end(Status::iteration_limit); }
  /// Ends a run between two certificates; before the first there may be an objective that is no number.
  [[gnu::noinline]] void end(Status status) {
    if (running()) report_.status = report_.objective == report_.objective ? status : Status::invalid_scale;
  }

  std::uint32_t certificates_ = 0;
  GapMonitor<T> monitor_;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
