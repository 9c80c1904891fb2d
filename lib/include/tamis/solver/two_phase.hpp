#pragma once
/// The fast solver for the exact hinge, and for the squared hinge where unknowns are few: primal–dual iterations, then
/// Newton's method.

#include "hinge_simplex.hpp"
#include "proximal_point.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Minimises (1/Σw) Σ wᵢ ℓᵢ(Wᵀxᵢ + b) + λ Ω(W). The first phase is PrimalDual. The second is a proximal point method
/// whose steps are solved by semismooth Newton: see ProximalPoint. It works on a dense copy of the samples whose duals
/// are not zero or might become so, if it has no more values than half the design, and checks the others by the
/// certificate. When the second phase makes no progress the first one takes over again, so that it is never worse than
/// PrimalDual for long. The exact hinge with ℓ1 on a dense design in double goes by HingeSimplex along a path, and
/// where the first phase stands still, if the memory of the second one is enough; a step is a pivot. Here is the
/// driver: memory, which phase, which samples, how exactly a step is solved, and the certificates between steps.
///
/// Memory: as PrimalDual at the least, and then it is PrimalDual; with an `active_limit` of nonzero coefficients and
/// intercepts, (p + 1) + 3n more rows of padded classes, half the values of the design or all that are not zero (the
/// fewer), and the larger of NewtonSystem's memory and 3n rows. The arena's size decides which. Sources: Rockafellar
/// (1976); Li, Sun and Toh (2018) for the scheme; Chierchia et al. (2015) for the problem.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class TwoPhase : public ProximalPoint<T, Loss, Penalty, Design> {
  static_assert(SimplexLoss<Loss, T>, TAMIS_NEEDS_DUAL_PROX);
  static_assert(HasProxJacobian<Penalty, T>, TAMIS_NEEDS_PROX_JACOBIAN);
  using FirstPhase = PrimalDual<T, Loss, Penalty, Design>;
  using Base = ProximalPoint<T, Loss, Penalty, Design>;
  using Base::activate_all, Base::active_count_, Base::ascend, Base::begin_again, Base::begin_outer, Base::centre_w,
      Base::certify, Base::chosen_, Base::clear_coefficients, Base::conjugate_, Base::count_iteration, Base::design_,
      Base::dual_entries, Base::dual_kind, Base::end_at_limit, Base::enter_domain, Base::exhausted_,
      Base::for_each_active_row, Base::forget_point, Base::gradient_norm_, Base::intercept_scale_, Base::loss_,
      Base::matrix_entries, Base::measure_norm, Base::measuring_norm_, Base::memory_, Base::monitor_,
      Base::move_centres, Base::moved_, Base::moved_w_, Base::multiply, Base::newton_, Base::norm_, Base::offer_primal,
      Base::options_, Base::own_, Base::penalty_, Base::prepare, Base::report_, Base::samples, Base::shape_,
      Base::sigma_, Base::since_certificate_, Base::start_from_null_model, Base::step_u, Base::stride_,
      Base::system_epochs_, Base::targets_, Base::tau_, Base::tau_z_, Base::u, Base::w, Base::weight_;
  using typename Base::Memory, typename Base::Samples;

 public:
  using Base::running;
  static constexpr SolverKind kind = SolverKind::two_phase;

  using Base::Base;

  /// The least memory: that of the first phase alone.
  static constexpr Requirement requirement(Shape shape) { return FirstPhase::requirement(shape); }
  /// Memory with which up to `hint.active_limit` nonzero coefficients and intercepts are solved for at once, and that
  /// many values copied.
  static constexpr Requirement requirement(Shape shape, WorkspaceHint hint) {
    Arena counter;
    FirstPhase::count(counter, shape);
    const Index limit = smallest(hint.active_limit, highest_active_limit(shape));
    Memory memory;
    typename Samples::Memory chosen;
    if (limit > shape.classes) memory.take(counter, shape, limit, most_values(shape, hint.entries), chosen);
    return {counter.used()};
  }
  /// The same for a design without zeros.
  static constexpr Requirement requirement(Shape shape, Index active_limit) {
    return requirement(shape, WorkspaceHint{detail::saturating_multiply(shape.samples, shape.features), active_limit});
  }
  /// The largest useful active limit.
  static constexpr Index highest_active_limit(Shape shape) {
    const std::uint64_t all = (std::uint64_t(shape.features) + 1) * shape.classes;
    return all < 0xffff ? static_cast<Index>(all) : 0xffff;
  }
  /// The active limit that `bytes` of memory are enough for; 0: the first phase alone.
  static constexpr Index active_limit(Shape shape, std::size_t bytes, std::size_t entries) {
    if (shape.classes == 0) return 0;
    const Index limit = highest_fitting(highest_active_limit(shape), [&](Index most) {
      return requirement(shape, WorkspaceHint{entries, most}).bytes <= bytes;
    });
    return limit > shape.classes ? limit : 0;
  }

  /// Checks the problem, lays out the memory and certifies the model without coefficients. False: it has ended.
  bool start(std::span<std::byte> memory) {
    Arena arena(memory);
    if (!prepare(arena)) return false;
    lay_out_second_phase(arena);
    idle_ = 0;
    rounded_ = 0;
    if constexpr (may_pivot) vertices_ = {};
    start_from_null_model();
    return running();
  }

  /// Whether it has come to go by HingeSimplex.
  bool goes_by_vertices() const {
    if constexpr (may_pivot) return vertices_.step == &TwoPhase::pivot;
    else return false;
  }
  /// Samples that the second phase works on at present; before it, all.
  Index samples_in_use() const { return in_second_phase_ ? samples() : shape_.samples; }

  /// The problem with another λ, in the memory of an ended run (not a stopped one). Where it does not go by vertices it
  /// begins with the model without coefficients: for the two phases it is as far from the solution at another λ as from
  /// there. False: it has ended.
  bool warm_start(T lambda) {
    if (!begin_again(lambda)) return false;
    if (in_second_phase_) take_all_samples();
    in_second_phase_ = false;
    if constexpr (may_pivot) {
      if (goes_by_vertices()) {
        vertices_.most_epochs = infinity<T>;
        certify_vertex();
        return running();
      }
      vertices_.step = nullptr;
      if (vertices_.most_epochs < infinity<T>) vertices_.are_given_up = false;
    }
    begin_at_null_model();
    if constexpr (may_pivot)
      if (running() && is_for_vertices()) vertices_.step = &TwoPhase::look_first;
    return running();
  }

  /// One iteration of the first phase or one Newton step, certificates included; false when the run has ended.
  bool step() {
    if (!running()) return false;
    if constexpr (may_pivot)
      if (vertices_.step) return vertices_.step(*this);
    if (in_second_phase_) {
      newton_step();
      return running();
    }
    FirstPhase::step();
    if (!running() || measuring_norm_ || since_certificate_ > 0) return running();
    if constexpr (may_pivot)
      if (stands_still() && is_for_vertices()) {
        take_simplex(T(1.25) * report_.epochs);
        return true;
      }
    if (has_second_phase_ && rounded_ < 3 && report_.iterations >= first_attempt_ &&
        (report_.relative_gap <= T(0.25) || report_.kkt_residual <= T(1e-3)))
      begin_second_phase();
    return running();
  }

 private:
  /// The highest number up to `most` that fits, as all below it do; 0 when none does.
  template <class Fits>
  static constexpr Index highest_fitting(Index most, Fits fits) {
    Index low = 0, high = most + 1;
    while (high - low > 1) {
      const Index middle = low + (high - low) / 2;
      (fits(middle) ? low : high) = middle;
    }
    return low;
  }

  [[gnu::noinline]] void lay_out_second_phase(Arena& arena) {
    const std::size_t values = most_values(shape_, nonzero_values(arena));
    const Index limit = highest_fitting(highest_active_limit(shape_), [&](Index most) {
      Arena trial = arena;
      newton_.take(trial, shape_, most, values, chosen_.memory());  // writes nothing there
      return !trial.exhausted();
    });
    has_second_phase_ = limit > shape_.classes && dual_kind() != DualKind::unknown;
    if (limit <= shape_.classes) return;
    newton_.take(arena, shape_, limit, values, chosen_.memory());
    most_chosen_ = static_cast<Index>(values / shape_.features);
    report_.arena_bytes = report_.arena_used_bytes = arena.used();
  }

  // The second phase leaves out samples whose duals are zero. Their rows are missing in its matrices of samples ×
  // classes, and in its design, from begin_outer to end_outer.

  /// Values of a copy of samples: those of half of them at most, and no more than the design has.
  static constexpr std::size_t most_values(Shape shape, std::size_t entries) {
    return Samples::possible ? smallest(detail::saturating_multiply(shape.samples / 2, shape.features), entries) : 0;
  }
  std::size_t nonzero_values(Arena rest) const {
    std::size_t total = 0;
    if constexpr (Samples::possible) {
      Index* const length = rest.take<Index>(shape_.samples);
      if (rest.exhausted()) return 0;
      design_.count_entries(length);
      for (Index i = 0; i < shape_.samples; ++i) total += length[i];
    }
    return total;
  }

  /// Whether the dual of a sample is not zero, or its scores are nearer than `distance` margins to a loss. The rows of
  /// all samples must be there.
  bool matters(Index i, const T* scores, const T* dual, T distance) const {
    const T weight = targets_.weight(i), margin = targets_.margin(i);
    if (!(weight > T(0))) return false;
    const Label y = targets_.labels[i];
    return -row_of(dual, i, stride_)[y] > T(0.01) * weight ||
           loss_.violation(row_of(scores, i, stride_), shape_.classes, y, margin) > -distance * margin;
  }

  /// Chooses the samples of the second phase by the scores of W and a dual point, of all samples both. A choice stays
  /// as long as it lacks no sample with a loss and is not much too large.
  [[gnu::noinline]] void choose_samples(const T* scores, const T* dual, bool new_features) {
    if constexpr (Samples::possible) {
      const auto is_near = [&](Index i) { return matters(i, scores, dual, T(0.2)); };
      Index wanted = 0, missing = 0, place = 0;
      for (Index i = 0; i < shape_.samples; ++i) {
        wanted += is_near(i);
        missing += !chosen_.is_next(i, place) && matters(i, scores, dual, T(0));
      }
      if (wanted == 0 || wanted > most_chosen_) {
        if (chosen_.leaves_out()) take_all_samples();
        return;
      }
      const bool keep = chosen_.leaves_out() && missing == 0 && T(wanted) > T(0.7) * T(samples());
      if (keep && !new_features) return;
      if (!keep) {
        chosen_.choose(wanted, shape_, is_near);
        newton_.system.forget(shape_);
      }
      for (Index c = 0; c < active_count_; ++c) chosen_.copy_column(design_, memory_.list[c]);
    }
  }
  void take_all_samples() {
    chosen_.take_all(design_);
    newton_.system.forget(shape_);
  }
  [[gnu::noinline]] void expand(T* matrix, const T* others) const {
    chosen_.expand(matrix, others, shape_.samples, stride_);
  }

  TAMIS_CALLED_ONCE void begin_second_phase() {
    in_second_phase_ = true;
    const T first_step = T(30), longer = idle_ >= most_idle && report_.relative_gap > T(0.9) ? T(100) : T(1);
    tau_ = longer * first_step / (norm_ * weight_);
    sigma_ = first_step * weight_ / norm_;
    tau_z_ = longer * norm_ / weight_;
    take_all_samples();
    multiply(centre_w(), newton_.scores);
    choose_samples(newton_.scores, u(), true);
    outer_ = 0;
    idle_ = 0;
    conjugate_ = false;
    best_gap_ = report_.relative_gap;
    grant_budget();
    begin_step();
  }
  [[gnu::noinline]] void begin_step() {
    inner_ = 0;
    exhausted_ = false;
    begin_outer();
  }

  /// The second phase may do twice the work that was done before, with conjugate gradients half of it, then again once
  /// the gap has halved.
  void grant_budget() {
    granted_gap_ = report_.relative_gap;
    granted_at_ = report_.epochs;
    system_epochs_ = T(0);
  }
  bool budget_is_spent() const {
    const T budget = conjugate_ ? T(0.5) * granted_at_ : largest(T(2) * granted_at_, T(200));
    return report_.epochs + system_epochs_ > granted_at_ + budget;
  }

  /// Back to the first phase, from the last centre, for as many iterations as there were. Where this one has come to
  /// what rounding allows, the other has time anew, and the third time goes on alone.
  [[gnu::noinline]] void end_second_phase() {
    in_second_phase_ = false;
    first_attempt_ = report_.iterations + largest(report_.iterations, std::uint32_t(200));
    if (report_.relative_gap < GapMonitor<T>::precision_floor) {
      monitor_.begin();
      ++rounded_;
    }
    copy(static_cast<const T*>(newton_.dual), dual_entries(), u());
    measure_norm();
  }

  [[gnu::always_inline]] void newton_step() {
    if (report_.iterations + 1 >= options_.max_iterations) {
      count_iteration();
      end_outer(true);
      end_at_limit();
      return;
    }
    constexpr std::uint32_t most_inner = 30;
    const T accuracy = T(10) / T(outer_ + 1);
    if ((inner_ > 0 && gradient_norm_ <= accuracy * smallest(T(1), square_root(moved_w_))) || inner_ >= most_inner ||
        exhausted_) {
      end_outer(false);
      return;
    }
    if (budget_is_spent()) {
      expand(newton_.dual, nullptr);
      end_second_phase();
      return;
    }
    count_iteration();
    ++inner_;
    ascend();
  }

  /// Moves the centres, certifies, and chooses the next step sizes.
  [[gnu::noinline]] void end_outer(bool last) {
    move_centres();
    ++outer_;
    multiply(w(), newton_.gradient);
    expand(newton_.scores, newton_.gradient);  // Z of those left out was not kept
    for (T* matrix : {u(), newton_.dual}) expand(matrix, nullptr);
    offer_primal(w(), newton_.gradient);
    if constexpr (curves_everywhere<T, Penalty>() && requires { loss_.is_exact_hinge(); })
      if (loss_.is_exact_hinge() && dual_kind() != DualKind::norm) this->offer_separating(w(), newton_.gradient, w());
    copy(static_cast<const T*>(newton_.dual), dual_entries(), step_u());
    report_.kkt_residual = moved_;
    enter_domain(step_u());
    const auto next = certify(step_u(), newton_.product, last);
    if (!running()) return;

    const bool progress = report_.relative_gap <= T(0.9) * best_gap_ || next == FirstPhase::Next::new_features;
    if (progress) best_gap_ = report_.relative_gap;
    if (report_.relative_gap <= T(0.5) * granted_gap_) grant_budget();
    idle_ = progress ? 0 : idle_ + 1;
    if (idle_ >= most_idle) {
      end_second_phase();
      return;
    }
    constexpr T largest_product = sizeof(T) == 4 ? T(1e6) : T(1e10);
    if (inner_ <= 12 && tau_ * sigma_ * norm_ * norm_ < largest_product) {
      tau_ *= T(1.7);
      sigma_ *= T(1.7);
      tau_z_ *= T(1.3);
    } else if (inner_ >= 30) {
      tau_ *= T(0.5);
      sigma_ *= T(0.5);
    }
    choose_samples(newton_.gradient, newton_.dual, next == FirstPhase::Next::new_features);
    begin_step();
  }

  void begin_at_null_model() {
    first_attempt_ = first_attempt;
    idle_ = 0;
    rounded_ = 0;
    forget_point();
    start_from_null_model();
  }

  // ---- the exact hinge with ℓ1, by vertices

  static constexpr bool may_pivot =
      std::is_same_v<T, double> && HasEntryTerms<Penalty, T> && requires(const Loss loss, const Design design) {
    loss.is_exact_hinge();
    design.column(0);
  };
  using Simplex = HingeSimplex;

  /// Whether the first phase has come to steps that are short beside the gap: samples or columns are of very different
  /// sizes.
  bool stands_still() const {
    return report_.iterations >= 1000 && report_.kkt_residual < T(1e-5) * report_.relative_gap;
  }
  bool is_for_vertices() const {
    const auto terms = entry_terms<T>(penalty_);
    return !vertices_.are_given_up && has_second_phase_ && loss_.is_exact_hinge() && has_columns(design_) &&
           terms.l1 > T(0) && terms.ridge == T(0) && options_.lambda > T(0);
  }
  HingeProblem<Design> problem() const {
    return {design_, targets_, shape_, options_.lambda * entry_terms<T>(penalty_).l1, options_.intercept};
  }
  Simplex& simplex() const { return *std::launder(reinterpret_cast<Simplex*>(newton_.product)); }
  /// Goes on by vertices, from that without coefficients, as far as the memory of the second phase is enough.
  void take_simplex(T most_epochs) {
    vertices_ = {nullptr, most_epochs, report_.iterations, true};
    auto* const begin = reinterpret_cast<std::byte*>(newton_.product);
    auto* const end = reinterpret_cast<std::byte*>(memory_.best) + report_.arena_used_bytes;
    Arena arena({begin, end});
    if (!arena.template take<Simplex>(1)) return;
    const Index limit = Simplex::limit(arena, shape_);
    if (limit <= 2 * shape_.classes) return;
    Simplex& method = *::new (static_cast<void*>(begin)) Simplex;
    method.take(arena, shape_, limit);
    if (!method.start(problem())) return;
    vertices_.step = &TwoPhase::pivot;
    vertices_.are_given_up = false;
  }

  /// The first phase for a while: it may be that all coefficients are zero, which takes many pivots to prove.
  static bool look_first(TwoPhase& solver) {
    if (solver.report_.iterations >= first_attempt && !solver.measuring_norm_) solver.take_simplex(infinity<T>);
    else solver.FirstPhase::step();
    return solver.running();
  }
  static bool pivot(TwoPhase& solver) {
    const bool last = !solver.count_iteration();
    const auto outcome = solver.simplex().pivot(solver.problem(), largest(0.01 * solver.options_.tolerance, 1e-9));
    solver.report_.epochs += T(solver.simplex().cost()) / (T(solver.shape_.samples) * T(solver.matrix_entries()));
    const bool is_vertex = outcome == Simplex::Outcome::optimal;
    if (is_vertex) {
      solver.report_.kkt_residual = T(0);
      solver.certify_vertex();
    }
    if (solver.running() && last) {
      solver.end_at_limit();
    } else if (solver.running() && (outcome != Simplex::Outcome::moved || solver.has_pivoted_long())) {
      // Rounding, too many coefficients, or no time.
      Vertices& v = solver.vertices_;
      const bool first_phase_goes_on = !is_vertex && v.most_epochs < infinity<T>;
      v.step = nullptr;
      v.are_given_up = true;
      if (first_phase_goes_on) solver.report_.iterations = v.begun_at;
      else solver.begin_at_null_model();
    }
    return solver.running();
  }
  bool has_pivoted_long() const {
    return report_.epochs > vertices_.most_epochs || report_.iterations / 10 > shape_.samples + matrix_entries();
  }
  [[gnu::noinline]] void certify_vertex() {
    activate_all();
    clear_coefficients();
    intercept_scale_ = T(1);
    simplex().coefficients(memory_.means, own_.x, stride_);
    multiply(own_.x, own_.z);
    offer_primal(own_.x, own_.z);
    simplex().duals(targets_, own_.z, stride_);
    enter_domain(own_.z);
    certify(own_.z, own_.v, true);
  }

  struct Vertices {
    bool (*step)(TwoPhase&) = nullptr;  ///< where it goes by vertices, or is to
    T most_epochs = infinity<T>;        ///< that a run may take which has begun otherwise
    std::uint32_t begun_at = 0;         ///< iterations; pivots that lead nowhere are not counted
    bool are_given_up = false;
  };
  struct Nothing {};

  static constexpr std::uint32_t first_attempt = 80, most_idle = 20;
  [[no_unique_address]] std::conditional_t<may_pivot, Vertices, Nothing> vertices_{};
  Index most_chosen_ = 0;
  bool has_second_phase_ = false;
  bool in_second_phase_ = false;
  int rounded_ = 0;  ///< times; see end_second_phase
  std::uint32_t first_attempt_ = first_attempt;
  std::uint32_t idle_ = 0;  ///< steps without progress of the second phase at hand, or of the one before
  // What follows is set where the second phase begins.
  std::uint32_t outer_, inner_;
  T best_gap_;
  T granted_gap_;
  T granted_at_;  ///< epochs
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
