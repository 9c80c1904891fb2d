#pragma once
/// Reweighted ℓ1, the non-convex scheme: a sequence of weighted ℓ1 problems.

#include "../catalogue.hpp"
#include "../penalty/weighted_l1.hpp"
#include "workbench.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// How the rounds go.
template <class T>
struct Reweighting {
  /// ε > 0: coefficients far below it are pushed to zero, those far above are hardly penalised. A coefficient above
  /// 1 − ε has less weight than in the first round, one below has more, at most 1/ε; so ε belongs a little below the
  /// coefficients that matter. The default, a tenth, is that of the source and assumes those to be near one, as with
  /// standardised features.
  T epsilon = T(0.1);
  Index rounds = 5;  ///< ≥ 1

  constexpr bool valid() const { return epsilon > T(0) && finite(epsilon) && finite(T(1) / epsilon) && rounds > 0; }
};

template <class Solver>
class Reweighted;

/// Runs `Solver` on λ Σ a_jk |w_jk| for a few rounds, each to the certificate asked for: all a are 1 in the first, then
/// a_jk = 1/(|w_jk| + ε) with the w of the round before. It ends early when no weight would change by more than the
/// tolerance. The interface is that of the solvers; the penalty type must be constructible from WeightedL1<T>.
///
/// The scheme as a whole solves no convex problem. Model, objective, bound, gap, residual and status of the report are
/// those of the round at hand, in the end the last weighted problem; iterations and epochs are those of all rounds, and
/// `max_iterations` limits their sum. From `lambda_max` on the answer of all rounds is zero. A run that is stopped or
/// meets its limit returns the best model of the round it was in.
///
/// Memory: that of the solver, and p rows of padded classes for the weights, behind it.
/// Source: Candès, Wakin and Boyd (2008), cited by Chierchia et al. (2015).
template <template <class, class, class, class> class S, class T, class Loss, class Penalty, class Design>
class Reweighted<S<T, Loss, Penalty, Design>> {
  using Solver = S<T, Loss, Penalty, Design>;

 public:
  static constexpr SolverKind kind = Solver::kind;

  Reweighted(const Design& design, const Targets<T>& targets, const Loss& loss, const Options<T>& options,
             Reweighting<T> reweighting = {})
      : solver_(design, targets, loss, Penalty(WeightedL1<T>{}), options),
        reweighting_(reweighting),
        most_iterations_(options.max_iterations),
        iterations_left_(options.max_iterations) {}
  /// The same with `first`, which has not begun, as the solver of the first round: one made for WeightedL1<T>{}.
  Reweighted(const Solver& first, Reweighting<T> reweighting)
      : solver_(first),
        reweighting_(reweighting),
        most_iterations_(first.options().max_iterations),
        iterations_left_(most_iterations_) {}

  /// Bytes that `start` needs, aligned to Arena::alignment.
  static constexpr Requirement requirement(Shape shape) { return Solver::requirement(shape) & weight_bytes(shape); }
  static constexpr Requirement requirement(Shape shape, WorkspaceHint hint) requires requires {
    Solver::requirement(shape, hint);
  }
  { return Solver::requirement(shape, hint) & weight_bytes(shape); }

  bool start(std::span<std::byte> memory) {
    const std::size_t weight = weight_bytes(solver_.shape()).bytes, bytes = (least() & Requirement{weight}).bytes;
    report_.arena_bytes = bytes;
    if (!reweighting_.valid()) {
      report_.status = Status::invalid_option;
      return false;
    }
    // The solver has all but the weights, which begin where its own use ends; so the next rounds give it just that.
    memory_of_solver_ = memory.first(memory.size() < bytes ? 0 : memory.size() - weight);
    solver_.start(memory_of_solver_);  // without weights: all are 1
    if (has_model(solver_.report().status)) {
      memory_of_solver_ = memory.first(solver_.report().arena_used_bytes);
      report_.arena_bytes = memory_of_solver_.size() + weight;
    }
    update_report();
    report_.lambda_max *= largest(T(1), reweighting_.epsilon);
    if (has_model(report_.status)) {
      weights_ = reinterpret_cast<T*>(memory.data() + memory_of_solver_.size());
      report_.arena_used_bytes = report_.arena_bytes;
    }
    return end_round();
  }

  /// Another λ than that of the options, before `start`.
  void set_lambda(T lambda) { solver_.set_lambda(lambda); }
  /// Settings that some solvers have, for all rounds.
  auto set_seed(std::uint64_t seed) requires requires(Solver solver) { solver.set_seed(seed); }
  { return solver_.set_seed(seed); }
  auto set_shrinking(bool shrinking) requires requires(Solver solver) { solver.set_shrinking(shrinking); }
  { return solver_.set_shrinking(shrinking); }
  /// All rounds with another λ, in the same memory. Rounds depend on where the ones before ended, so they begin from
  /// zero. False: it has ended.
  bool warm_start(T lambda) {
    const bool was_refused = report_.status == Status::invalid_lambda && certificates() > 0;
    if (!was_refused && (running() || !has_model(report_.status) || report_.status == Status::stopped)) return false;
    if (!(lambda >= T(0)) || !finite(lambda)) {
      report_.status = Status::invalid_lambda;
      return false;
    }
    Options<T> all = options();
    all.lambda = lambda;
    all.max_iterations = most_iterations_;
    const std::span<std::byte> memory(memory_of_solver_.data(), report_.arena_used_bytes);
    *this = Reweighted(again(Penalty(WeightedL1<T>{}), all), reweighting_);
    return start(memory);
  }

  /// One iteration of the round at hand, or the start of the next one; false when the run has ended.
  bool step() {
    if (!running()) return false;
    solver_.step();
    update_report();
    return end_round();
  }

  void stop() {
    if (running()) report_.status = Status::stopped;
  }
  const Report<T>& report() const { return report_; }
  bool running() const { return report_.status == Status::running; }
  /// Number of certificates evaluated in all rounds.
  std::uint32_t certificates() const { return certificates_before_ + solver_.certificates(); }
  LinearModel<T> model() const { return solver_.model(); }
  bool has_certified_model() const { return solver_.has_certified_model(); }  ///< in the round at hand

  /// Rounds begun, and the weights of the one at hand, features × padded classes; null in the first.
  Index round_number() const { return round_; }
  const T* weights() const { return round_ > 1 ? weights_ : nullptr; }

  /// What it needs beside its solver.
  static constexpr Requirement weight_bytes(Shape shape) {
    Arena counter;
    counter.take<T>(detail::saturating_multiply(shape.features, padded<T>(shape.classes)));
    return {counter.used()};
  }

 private:
  // A solver chosen at run time knows which one it is.
  static constexpr bool chosen_at_run_time = requires(const Solver solver, const Penalty& penalty) {
    Solver(solver, penalty, solver.options());
  };
  const Options<T>& options() const { return solver_.options(); }
  Requirement least() const {
    if constexpr (chosen_at_run_time) return solver_.requirement();
    else return Solver::requirement(solver_.shape());
  }
  /// The same solver for another penalty and other options.
  Solver again(const Penalty& penalty, const Options<T>& options) const {
    if constexpr (chosen_at_run_time) {
      return Solver(solver_, penalty, options);
    } else {
      Solver next(solver_.design(), solver_.targets(), solver_.loss(), penalty, options);
      if constexpr (requires { next.take_settings(solver_); }) next.take_settings(solver_);
      return next;
    }
  }

  void update_report() {
    const Report<T> before = report_;
    report_ = solver_.report();
    report_.iterations += iterations_before_;
    report_.epochs += epochs_before_;
    if (round_ > 1) report_.lambda_max = before.lambda_max;
    report_.arena_bytes = before.arena_bytes;
    report_.arena_used_bytes = before.arena_used_bytes;
  }

  /// Goes on to the next round when this one has reached its certificate; false when the run has ended.
  bool end_round() {
    while (report_.status == Status::converged || report_.status == Status::precision_limit) {
      if (round_ == reweighting_.rounds || !weights_change()) return false;
      if (solver_.report().iterations >= iterations_left_) {  // the weights stay those of the report
        report_.status = Status::iteration_limit;
        return false;
      }
      take_weights();
      start_round();
    }
    return running();
  }

  [[gnu::noinline]] void start_round() {
    ++round_;
    certificates_before_ += solver_.certificates();
    iterations_before_ = report_.iterations;
    epochs_before_ = report_.epochs;
    iterations_left_ -= solver_.report().iterations;
    Options<T> left = options();
    left.max_iterations = iterations_left_;
    solver_ = again(Penalty(WeightedL1<T>{weights_, solver_.stride()}), left);
    solver_.start(memory_of_solver_);
    update_report();
  }

  T weight_after(T coefficient) const { return T(1) / (absolute(coefficient) + reweighting_.epsilon); }

  std::size_t weight_count() const { return static_cast<std::size_t>(solver_.shape().features) * solver_.stride(); }
  /// Whether those of the next round differ from those of this one by more than the tolerance.
  [[gnu::noinline]] bool weights_change() const {
    const T* w = solver_.model().coefficients;
    for (std::size_t e = 0; e < weight_count(); ++e) {
      const T now = round_ > 1 ? weights_[e] : T(1);
      if (absolute(weight_after(w[e]) - now) > options().tolerance * now) return true;
    }
    return false;
  }
  void take_weights() {
    const T* w = solver_.model().coefficients;
    for (std::size_t e = 0; e < weight_count(); ++e) weights_[e] = weight_after(w[e]);
  }

  Solver solver_;
  Reweighting<T> reweighting_;
  std::span<std::byte> memory_of_solver_{};
  T* weights_ = nullptr;
  Report<T> report_{};
  Index round_ = 1;
  std::uint32_t most_iterations_;
  std::uint32_t iterations_left_;
  std::uint32_t iterations_before_ = 0;
  std::uint32_t certificates_before_ = 0;
  T epochs_before_ = T(0);
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
