#pragma once
/// The fast solver for the exact hinge: primal–dual iterations, then Newton's method.

#include "newton_system.hpp"
#include "primal_dual.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Minimises (1/Σw) Σ wᵢ ℓᵢ(Wᵀxᵢ + b) + λ Ω(W). The first phase is PrimalDual. The second is a proximal point method
/// whose steps are solved by semismooth Newton: from (Wᵗ, Zᵗ ≈ AWᵗ, uᵗ) it maximises over u (samples × classes)
///
///     D(u) = min_W {λΩ(W) + ⟨Aᵀu, W⟩ + ‖W − Wᵗ‖²/2τ} + min_Z {h(Z) − ⟨u, Z⟩ + ‖Z − Zᵗ‖²/2τ'} − ‖u − uᵗ‖²/2σ,
///     ∇D = A W(u) − Z(u) − (u − uᵗ)/σ,   W(u) = prox_{τλΩ}(Wᵗ − τAᵀu),   Z(u) = prox_{τ'h}(Zᵗ + τ'u),
///
/// h = Σ cᵢℓᵢ, which is concave with a continuous gradient. With U the Jacobian of the first prox and J that of the
/// projection in the second, a Newton step is Δu = B(∇D − AQδ), (I/τ + QᵀAᵀBAQ) δ = QᵀAᵀB∇D, U = QQᵀ,
/// B = bI + (σ − b)J, b = 1/(τ' + 1/σ): see NewtonSystem. In the scales sⱼ of columns ‖W‖² is Σⱼ sⱼ²‖Wⱼ‖², and in row j τ
/// is τ/sⱼ²: see WorkingSet::scale_of. Where more coefficients are nonzero than the memory was made for, conjugate
/// gradients solve (τAUAᵀ + B⁻¹) Δu = ∇D instead. It works on a dense copy of the samples whose duals are not zero or
/// might become so, if it has no more values than half the design, and checks the others by the certificate. When the
/// second phase makes no progress the first one takes over again, so that it is never worse than PrimalDual for long.
///
/// Memory: as PrimalDual at the least, and then it is PrimalDual; with an `active_limit` of nonzero coefficients and
/// intercepts, (p + 1) + 3n more rows of padded classes, half the values of the design or all that are not zero (the
/// fewer), and the larger of NewtonSystem's memory and 3n rows. The arena's size decides which. Cost of a Newton step:
/// six to eight products with the chosen samples, one way each, and the system. Sources: Rockafellar (1976); Li, Sun
/// and Toh (2018) for the scheme; Chierchia et al. (2015) for the problem.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class TwoPhase : public PrimalDual<T, Loss, Penalty, Design> {
  static_assert(SimplexLoss<Loss, T>, TAMIS_NEEDS_DUAL_PROX);
  static_assert(HasProxJacobian<Penalty, T>, TAMIS_NEEDS_PROX_JACOBIAN);
  using FirstPhase = PrimalDual<T, Loss, Penalty, Design>;
  using FirstPhase::active_count_, FirstPhase::add_rows, FirstPhase::begin_again, FirstPhase::certify,
      FirstPhase::count_iteration, FirstPhase::design_, FirstPhase::dual_entries, FirstPhase::dual_kind,
      FirstPhase::end_at_limit, FirstPhase::enter_domain, FirstPhase::for_each_active_group,
      FirstPhase::for_each_active_row, FirstPhase::forget_point, FirstPhase::intercept_scale_, FirstPhase::loss_,
      FirstPhase::measure_norm, FirstPhase::measuring_norm_, FirstPhase::memory_, FirstPhase::multiply,
      FirstPhase::norm_, FirstPhase::offer_primal, FirstPhase::options_, FirstPhase::own_, FirstPhase::penalty_,
      FirstPhase::penalty_value, FirstPhase::precondition, FirstPhase::prepare, FirstPhase::prox, FirstPhase::report_,
      FirstPhase::shape_, FirstPhase::since_certificate_, FirstPhase::squared_distance_of_rows,
      FirstPhase::start_from_null_model, FirstPhase::step_of, FirstPhase::stride_, FirstPhase::targets_,
      FirstPhase::transposed_multiply, FirstPhase::weight_;
  using System = NewtonSystem<T, !HasPlainJacobian<Penalty>>;

 public:
  using FirstPhase::running;
  static constexpr SolverKind kind = SolverKind::two_phase;

  using FirstPhase::FirstPhase;

  /// The least memory: that of the first phase alone.
  static constexpr Requirement requirement(Shape shape) { return FirstPhase::requirement(shape); }
  /// Memory with which up to `hint.active_limit` nonzero coefficients and intercepts are solved for at once, and that
  /// many values copied.
  static constexpr Requirement requirement(Shape shape, WorkspaceHint hint) {
    Arena counter;
    FirstPhase::count(counter, shape);
    const Index limit = smallest(hint.active_limit, highest_active_limit(shape));
    Memory memory;
    if (limit > shape.classes) memory.take(counter, shape, limit, most_values(shape, hint.entries));
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
    start_from_null_model();
    return running();
  }

  /// Samples that the second phase works on at present; before it, all.
  Index samples_in_use() const { return in_second_phase_ ? samples() : shape_.samples; }

  /// The problem with another λ, in the memory of an ended run (not a stopped one), from the model without
  /// coefficients: the solutions are vertices, from one of which it is as far to the next as from there. False: it has
  /// ended.
  bool warm_start(T lambda) {
    if (!begin_again(lambda)) return false;
    if (in_second_phase_) take_all_samples();
    in_second_phase_ = false;
    first_attempt_ = first_attempt;
    forget_point();
    start_from_null_model();
    return running();
  }

  /// One iteration of the first phase or one Newton step, certificates included; false when the run has ended.
  bool step() {
    if (!running()) return false;
    if (in_second_phase_) {
      newton_step();
    } else {
      FirstPhase::step();
      if (has_second_phase_ && running() && !measuring_norm_ && since_certificate_ == 0 &&
          report_.iterations >= first_attempt_ && (report_.relative_gap <= T(0.25) || report_.kkt_residual <= T(1e-3)))
        begin_second_phase();
    }
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
      newton_.take(trial, shape_, most, values);  // writes nothing there
      return !trial.exhausted();
    });
    has_second_phase_ = limit > shape_.classes && dual_kind() != DualKind::unknown;
    if (limit <= shape_.classes) return;
    newton_.take(arena, shape_, limit, values);
    most_chosen_ = static_cast<Index>(values / shape_.features);
    report_.arena_bytes = report_.arena_used_bytes = arena.used();
  }

  struct Memory {
    T* product;     ///< AᵀΔu and δ: a coefficient matrix
    T* scores;      ///< Zᵗ; samples × stride like those that follow
    T* dual;        ///< the projection in Z(u): a dual point
    T* gradient;    ///< ∇D
    Index* chosen;  ///< samples of the second phase, ascending
    T* values;      ///< of the chosen samples: columns, those of active features filled
    System system;
    T* conjugate;  ///< in the place of the system: residual, direction and image

    constexpr void take(Arena& arena, Shape shape, Index active_limit, std::size_t most_values) {
      const std::size_t duals = CommonMemory<T>::duals(shape);
      product = arena.take<T>(CommonMemory<T>::coefficients(shape));
      scores = arena.take<T>(duals);
      dual = arena.take<T>(duals);
      gradient = arena.take<T>(duals);
      chosen = arena.take<Index>(shape.samples);
      values = arena.take<T>(most_values);
      Arena other = arena;
      system.take(arena, shape, active_limit);
      conjugate = other.take<T>(detail::saturating_multiply(3, duals));
      if (other.used() > arena.used()) arena = other;
    }
  };

  // The first phase's memory, in its second role.
  T* centre_w() const { return own_.x; }         // Wᵗ
  T* w() const { return own_.anchor_x; }         // W(u)
  T* pull() const { return own_.v; }             // Aᵀu
  T* centre_u() const { return own_.anchor_u; }  // uᵗ
  T* u() const { return own_.u; }
  T* step_u() const { return own_.z; }  // Δu

  // The second phase leaves out samples whose duals are zero. Their rows are missing in its matrices of samples ×
  // classes, and in its design, from begin_outer to end_outer.

  static constexpr bool can_leave_out = std::constructible_from<Design, const DenseDesign<T>&>;
  /// Values of a copy of samples: those of half of them at most, and no more than the design has.
  static constexpr std::size_t most_values(Shape shape, std::size_t entries) {
    return can_leave_out ? smallest(detail::saturating_multiply(shape.samples / 2, shape.features), entries) : 0;
  }
  std::size_t nonzero_values(Arena rest) const {
    std::size_t total = 0;
    if constexpr (can_leave_out) {
      Index* const length = rest.take<Index>(shape_.samples);
      if (rest.exhausted()) return 0;
      design_.count_entries(length);
      for (Index i = 0; i < shape_.samples; ++i) total += length[i];
    }
    return total;
  }

  [[gnu::always_inline]] Index sample(Index place) const { return left_out_ ? newton_.chosen[place] : place; }
  Index samples() const { return here_.samples(); }
  std::size_t duals() const { return static_cast<std::size_t>(samples()) * stride_; }

  /// Whether the dual of a sample is not zero, or its scores z are nearer than `distance` margins to a loss.
  bool matters(Index i, const T* dual, const T* z, T distance) const {
    const T weight = targets_.weight(i), margin = targets_.margin(i);
    if (!(weight > T(0))) return false;
    const Label y = targets_.labels[i];
    return -dual[y] > T(0.01) * weight ||
           loss_.violation(z, shape_.classes, y, margin) > -distance * margin;
  }
  /// Visits (i, matters(i …)) of all samples, whose rows must all be there.
  template <class Visit>
  void for_each_sample(const T* scores, const T* dual, T distance, Visit visit) const {
    for (Index i = 0; i < shape_.samples; ++i)
      visit(i, matters(i, row_of(dual, i, stride_), row_of(scores, i, stride_), distance));
  }

  /// Chooses the samples of the second phase by the scores of W and a dual point, of all samples both. A choice stays
  /// as long as it lacks no sample with a loss and is not much too large.
  [[gnu::noinline]] void choose_samples(const T* scores, const T* dual, bool new_features) {
    if constexpr (can_leave_out) {
      constexpr T near = T(0.2);
      Index wanted = 0, missing = 0, place = 0;
      for_each_sample(scores, dual, near, [&](Index, bool matters) { wanted += matters; });
      if (wanted == 0 || wanted > most_chosen_) {
        if (left_out_) take_all_samples();
        return;
      }
      if (left_out_)
        for_each_sample(scores, dual, T(0), [&](Index i, bool matters) {
          const bool here = place < samples() && newton_.chosen[place] == i;
          place += here;
          missing += matters && !here;
        });
      const bool keep = left_out_ && missing == 0 && T(wanted) > T(0.7) * T(samples());
      if (keep && !new_features) return;
      if (!keep) {
        place = 0;
        for_each_sample(scores, dual, near, [&](Index i, bool matters) {
          if (matters) newton_.chosen[place++] = i;
        });
        chosen_ = DenseDesign<T>(newton_.values, wanted, shape_.features);
        here_ = Design(chosen_);
        left_out_ = true;
        newton_.system.forget(shape_);
      }
      for (Index c = 0; c < active_count_; ++c) {
        const Index j = memory_.list[c];
        design_.gather(j, newton_.chosen, samples(), newton_.values + std::size_t(j) * samples(), 1);
      }
    }
  }
  void take_all_samples() {
    left_out_ = false;
    here_ = design_;
    newton_.system.forget(shape_);
  }
  /// Removes the rows that are left out.
  void compress(T* matrix) const {
    if (!left_out_) return;
    for (Index place = 0; place < samples(); ++place)
      copy(static_cast<const T*>(row_of(matrix, newton_.chosen[place], stride_)), stride_,
           row_of(matrix, place, stride_));
  }
  /// Puts them back: those of another matrix, or zeros.
  void expand(T* matrix, const T* others) const {
    if (!left_out_) return;
    Index place = samples();
    for (Index i = shape_.samples; i-- > 0;) {
      const bool here = place > 0 && newton_.chosen[place - 1] == i;
      T* row = row_of(matrix, i, stride_);
      if (here) --place;
      if (!here && !others) fill(row, stride_, T(0));
      else if (!here || place != i)
        copy(row_of(here ? matrix : others, here ? place : i, stride_), stride_, row);
    }
  }

  [[gnu::noinline]] void begin_second_phase() {
    in_second_phase_ = true;
    const T first_step = T(30);
    tau_ = first_step / (norm_ * weight_);
    sigma_ = first_step * weight_ / norm_;
    tau_z_ = norm_ / weight_;
    take_all_samples();
    multiply(centre_w(), newton_.scores);
    choose_samples(newton_.scores, u(), true);
    outer_ = 0;
    idle_ = 0;
    conjugate_ = exhausted_ = false;
    best_gap_ = report_.relative_gap;
    grant_budget();
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

  /// Back to the first phase, from the last centre, for as many iterations as there were.
  [[gnu::noinline]] void end_second_phase() {
    in_second_phase_ = false;
    first_attempt_ = report_.iterations + largest(report_.iterations, std::uint32_t(200));
    copy(static_cast<const T*>(newton_.dual), dual_entries(), u());
    measure_norm();
  }

  /// Begins an outer step at W, and at the scores and duals of all samples.
  void begin_outer() {
    compress(newton_.scores);
    compress(u());
    copy(static_cast<const T*>(u()), duals(), centre_u());
    transposed_multiply(here_, u(), pull());
    fill(step_u(), duals(), T(0));
    inner_ = 0;
    value_ = evaluate(T(0));
  }

  /// D(u + αΔu); leaves W(u), the projection, ∇D, and what has moved.
  [[gnu::noinline]] T evaluate(T alpha) {
    moved_w_ = move_coefficients(alpha);
    multiply(here_, w(), newton_.gradient);
    return evaluate_scores(alpha);
  }

  /// The same, W(u) and its scores being there already.
  [[gnu::noinline]] T evaluate_scores(T alpha) {
    const Index stride = stride_;
    Sum<T> value;
    auto moved = Simd<T>::zero();
    const T inverse_z = T(1) / tau_z_;
    const auto over_sigma = SimdOrScalar<T>::fill(T(1) / sigma_), over_z = SimdOrScalar<T>::fill(inverse_z);
    const auto half = SimdOrScalar<T>::fill(T(0.5));
    const auto times_z = SimdOrScalar<T>::fill(tau_z_), part = SimdOrScalar<T>::fill(alpha);
    const auto start = [&](Index i, T* point, T* z) TAMIS_INLINED {
      const std::size_t at = std::size_t(i) * stride;
      const T* from = newton_.scores + at;
      const T* step = step_u() + at;
      T* q = newton_.dual + at;
      for (Index k = 0; k < stride; k += SimdOrScalar<T>::width) {
        const auto now = SimdOrScalar<T>::load(u() + at + k) + part * SimdOrScalar<T>::load(step + k);
        const auto argument = over_z * SimdOrScalar<T>::load(from + k) + now;
        now.store(point + k);
        argument.store(q + k);
        (times_z * argument).store(z + k);
      }
    };
    const auto finish = [&](Index i, T* point, T* z, Label label, T margin, T weight) TAMIS_INLINED {
      const std::size_t at = std::size_t(i) * stride;
      const T* from = newton_.scores + at;
      const T* q = newton_.dual + at;
      T* g = newton_.gradient + at;
      auto terms = Simd<T>::zero();
      for (Index k = 0; k < stride; k += SimdOrScalar<T>::width) {
        const auto dual = SimdOrScalar<T>::load(point + k);
        const auto score = SimdOrScalar<T>::load(z + k) - times_z * SimdOrScalar<T>::load(q + k);
        const auto difference = SimdOrScalar<T>::load(g + k) - score;
        const auto du = dual - SimdOrScalar<T>::load(centre_u() + at + k);
        const auto dz = score - SimdOrScalar<T>::load(from + k);
        const auto pull = over_sigma * du;
        const auto gradient = difference - pull;
        const auto distance_z = over_z * dz * dz, distance_u = pull * du;
        score.store(z + k);
        gradient.store(g + k);
        add_to_lanes<T>(dual * difference + half * (distance_z - distance_u), k, terms);
        add_to_lanes<T>(distance_z + distance_u, k, moved);
      }
      value.add(terms.sum());
      if (weight > T(0)) value.add(weight * loss_.value(z, shape_.classes, label, margin));
    };
    T points[2 * lanes<T> * rows_in_lanes];
    const bool together = ProxesRows<Loss, T> && shape_.classes <= rows_in_lanes;
    T* const point = together ? points : memory_.row[0];
    T* const z = together ? points + std::size_t{lanes<T>} * stride : memory_.row[1];
    for_each_dual_rows<T>(
        together, samples(), targets_, [&](Index i) { return sample(i); },
        [&](const DualRows<T>& rows) TAMIS_INLINED {
          for (Index r = 0; r < rows.count; ++r) start(rows.first + r, row_of(point, r, stride), row_of(z, r, stride));
          rows.dual_prox(loss_, row_of(newton_.dual, rows.first, stride), stride, shape_.classes,
                         inverse_z);
          for (Index r = 0; r < rows.count; ++r)
            finish(rows.first + r, row_of(point, r, stride), row_of(z, r, stride), rows.label[r], rows.margin[r],
                   rows.weight[r]);
        });
    gradient_norm_ = square_root(inner_product(newton_.gradient, newton_.gradient));
    slope_ = inner_product(newton_.gradient, step_u());
    moved_ = square_root(moved_w_ / tau_ + moved.sum());
    value.add(options_.lambda * penalty_value(w()));
    value.add(moved_w_ / (T(2) * tau_));
    return value.value();
  }

  /// W ← prox(Wᵗ − τ(Aᵀu + αAᵀΔu)); returns ‖W − Wᵗ‖².
  T move_coefficients(T alpha) {
    // Without a step the product may not have been written yet.
    add_rows(pull(), alpha, alpha != T(0) ? newton_.product : pull(), w());
    precondition(w());
    add_rows(centre_w(), -tau_, w(), w());
    prox(w(), tau_ * options_.lambda);
    return squared_distance_of_rows(w(), centre_w());
  }

  /// to ← from + αx over the rows of all samples.
  TAMIS_NOINLINE_IF_SMALLEST void add_duals(const T* from, T alpha, const T* x, T* to) const {
    add_scaled_row(from, alpha, x, duals(), to);
  }
  /// ⟨a, b⟩ over the rows of all samples.
  T inner_product(const T* a, const T* b) const { return dot(a, b, duals()); }

  void newton_step() {
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
    conjugate_ = !solve_newton_system();
    if (conjugate_) solve_by_conjugate_gradients();
    transposed_multiply(here_, step_u(), newton_.product);
    const T alpha = search();
    add_duals(u(), alpha, step_u(), u());
    add_rows(pull(), alpha, newton_.product, pull());
  }

  /// A step length at which D has risen, from its slope along Δu, which falls: the full step if it does not overshoot,
  /// else between the last points before and beyond the top, by the secant.
  T search() {
    const T slope = inner_product(newton_.gradient, step_u());
    exhausted_ = !(slope > T(16) * epsilon<T> * absolute(value_));  // the gain would drown in rounding errors
    const T before = gradient_norm_;
    T alpha = T(1);
    T low = 0, low_slope = slope, high = 0, high_slope = 0;
    for (int trial = 0;; ++trial) {
      value_ = evaluate(alpha);
      const bool beyond = slope_ < T(0);
      if (slope_ >= T(-0.5) * slope && (slope_ <= T(0.9) * slope || high == T(0))) break;
      if (gradient_norm_ <= T(0.5) * before || trial == 12 || exhausted_) break;
      (beyond ? high : low) = alpha;
      (beyond ? high_slope : low_slope) = slope_;
      const T width = high - low;
      const T next = low + width * (low_slope / (low_slope - high_slope));
      alpha = largest(smallest(next, high - T(0.1) * width), low + T(0.1) * width);
    }
    return alpha;
  }

  bool supported(Index i, Index k) const {
    return loss_.in_support(row_of(newton_.dual, i, stride_)[k], k == targets_.labels[sample(i)],
                                  targets_.weight(sample(i)));
  }

  T stiffness() const { return T(1) / (tau_z_ + T(1) / sigma_); }  // b

  /// to ← (bI + (σ − b)J) from, or with other numbers for b and σ, and with a multiple of what was there; to may be
  /// from.
  [[gnu::noinline]] void apply_b(const T* from, T* to, T outside, T inside, T keep = T(0)) const {
    for (Index i = 0; i < samples(); ++i) {
      const T* in = row_of(from, i, stride_);
      T* out = row_of(to, i, stride_);
      T total = 0;
      Index size = 0;
      for (Index k = 0; k < shape_.classes; ++k)
        if (supported(i, k)) {
          total += in[k];
          ++size;
        }
      const T mean = size ? total / T(size) : T(0);
      for (Index k = 0; k < stride_; ++k) {
        T value = outside * in[k];
        if (size > 1 && k < shape_.classes && supported(i, k)) value += (inside - outside) * (in[k] - mean);
        if (keep != T(0)) value += keep * out[k];  // else there may be anything
        out[k] = value;
      }
    }
  }

  /// Visits (rows of W(u), ProxJacobian) of the active groups.
  template <class Visit>
  void for_each_jacobian(Visit visit) const {
    for_each_active_group([&](FeatureGroup group) {
      const Rows<const T> rows = this->rows(static_cast<const T*>(w()), group);
      penalty_.prox_jacobian(rows, step_of(group.first, tau_ * options_.lambda),
                             [&](const ProxJacobian<T>& jacobian) { visit(rows, jacobian); });
    });
  }

  /// Δu by a factor of the system; false when it does not fit or is not definite.
  [[gnu::noinline]] bool solve_newton_system() {
    const typename System::template Problem<Design> problem{here_,
                                                            memory_.means,
                                                            memory_.exponents,
                                                            options_.intercept ? intercept_scale_ : T(0),
                                                            {samples(), shape_.features, shape_.classes},
                                                            stride_};
    const auto groups = [&](auto visit) { for_each_jacobian(visit); };
    const auto support = [&](Index i, Index k) { return supported(i, k); };
    const T b = stiffness();
    if (!newton_.system.collect(problem, groups) || !newton_.system.update_gram(problem, step_u(), newton_.product) ||
        !newton_.system.form(problem, T(1) / tau_, b, sigma_, support).factor())
      return false;
    const T size = T(newton_.system.size());
    system_epochs_ +=
        size * size * size /
        (T(12) * largest(T(design_.entries(nullptr, shape_.features)) * T(stride_), T(1)));
    apply_b(newton_.gradient, step_u(), b, sigma_);
    transposed_multiply(here_, step_u(), newton_.product);
    newton_.system.solve(newton_.product, stride_, shape_.classes, [&] {
      for_each_active_row([&](Index j) { fill(row_of(newton_.product, j, stride_), stride_, T(0)); });
    });
    multiply(here_, newton_.product, step_u());
    add_duals(newton_.gradient, T(-1), step_u(), step_u());
    apply_b(step_u(), step_u(), b, sigma_);
    return true;
  }

  /// Δu by conjugate gradients on τAUAᵀ + B⁻¹, preconditioned by B: products only, nothing stored.
  [[gnu::noinline]] void solve_by_conjugate_gradients() {
    T* const residual = newton_.conjugate;
    T* const direction = residual + dual_entries();
    T* const image = direction + dual_entries();
    const T b = stiffness();
    fill(step_u(), duals(), T(0));
    fill(direction, duals(), T(0));
    copy(static_cast<const T*>(newton_.gradient), duals(), residual);
    T size = T(1), first = T(0);
    for (int round = 0;; ++round) {
      apply_b(residual, image, b, sigma_);
      const T next = inner_product(residual, image);
      if (round == 0) first = next;
      if (round == 50 || !(next > T(1e-4) * first)) break;
      add_duals(image, round > 0 ? next / size : T(0), direction, direction);
      size = next;
      transposed_multiply(here_, direction, newton_.product);
      apply_jacobian(newton_.product);
      multiply(here_, newton_.product, image);
      apply_b(direction, image, T(1) / b, T(1) / sigma_, tau_);  // B⁻¹ direction + τAUAᵀ direction
      const T curvature = inner_product(direction, image);
      if (!(curvature > T(0))) break;
      const T alpha = size / curvature;
      add_duals(step_u(), alpha, direction, step_u());
      add_duals(residual, -alpha, image, residual);
    }
    newton_.system.forget(shape_);  // its memory was used here, what it knows of the slots perhaps as well
  }
  /// v ← S⁻²U v on the active rows; the intercepts stay.
  void apply_jacobian(T* v) {
    const Index stride = stride_;
    for_each_active_group([&](FeatureGroup group) {
      const Rows<const T> rows = this->rows(static_cast<const T*>(w()), group);
      const Rows<T> image = this->rows(v, group);
      const T step = step_of(group.first, T(1));
      for (Index r = 0; r < rows.rows; ++r)  // zero coefficients stay zero
        for (Index k = 0; k < stride; ++k) image.row(r)[k] = rows.row(r)[k] == T(0) ? T(0) : step * image.row(r)[k];
      if constexpr (!HasPlainJacobian<Penalty>)
        penalty_.prox_jacobian(rows, step_of(group.first, tau_ * options_.lambda),
                               [&](const ProxJacobian<T>& jacobian) {
                                 apply_slope(jacobian.slope, jacobian.entries(rows), jacobian.entries(image));
                               });
    });
  }
  static void apply_slope(const ProxSlope<T>& slope, Rows<const T> w, Rows<T> v) {
    T inner = 0, square = 0;
    Index top = 0;
    for (Index r = 0; r < w.rows; ++r)
      for (Index k = 0; k < w.classes; ++k) {
        const T entry = w(r, k);
        if (slope.level > T(0)) {
          if (absolute(entry) < slope.level) continue;
          inner += entry > T(0) ? v(r, k) : -v(r, k);
          ++top;
        } else {
          inner += entry * v(r, k);
          square += entry * entry;
        }
      }
    const T across = slope.scale * slope.scale;
    const T more = square > T(0) ? (slope.along * slope.along - across) * (inner / square) : T(0);
    for (Index r = 0; r < w.rows; ++r)
      for (Index k = 0; k < w.classes; ++k) {
        const T entry = w(r, k);
        if (entry == T(0)) continue;
        if (slope.level == T(0)) v(r, k) = across * v(r, k) + more * entry;
        else if (absolute(entry) >= slope.level) v(r, k) = (entry > T(0) ? inner : -inner) / T(top);
      }
  }

  /// Moves the centres, certifies, and chooses the next step sizes.
  [[gnu::noinline]] void end_outer(bool last) {
    add_duals(u(), T(-1), newton_.dual, newton_.gradient);
    add_duals(newton_.scores, tau_z_, newton_.gradient, newton_.scores);
    for_each_active_row([&](Index j) {
      copy(static_cast<const T*>(row_of(w(), j, stride_)), stride_, row_of(centre_w(), j, stride_));
    });
    ++outer_;
    multiply(w(), newton_.gradient);
    expand(newton_.scores, newton_.gradient);  // Z of those left out was not kept
    for (T* matrix : {u(), newton_.dual}) expand(matrix, nullptr);
    offer_primal(w(), newton_.gradient);
    copy(static_cast<const T*>(newton_.dual), dual_entries(), step_u());
    report_.kkt_residual = moved_;
    enter_domain(step_u());
    const auto next = certify(step_u(), newton_.product, last);
    if (!running()) return;

    const bool progress = report_.relative_gap <= T(0.9) * best_gap_ || next == FirstPhase::Next::new_features;
    if (progress) best_gap_ = report_.relative_gap;
    if (report_.relative_gap <= T(0.5) * granted_gap_) grant_budget();
    idle_ = progress ? 0 : idle_ + 1;
    if (idle_ >= 20) {
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
    exhausted_ = false;
    choose_samples(newton_.gradient, newton_.dual, next == FirstPhase::Next::new_features);
    begin_outer();
  }

  Memory newton_;
  DenseDesign<T> chosen_;
  Design here_ = design_;  ///< the samples of the second phase: all, or `chosen_`
  Index most_chosen_ = 0;
  bool left_out_ = false;  ///< whether some samples are
  bool has_second_phase_ = false;
  bool in_second_phase_ = false;
  bool exhausted_ = false;
  bool conjugate_ = false;  ///< the last step was by conjugate gradients
  static constexpr std::uint32_t first_attempt = 80;
  std::uint32_t first_attempt_ = first_attempt;
  // What follows is set where the second phase begins.
  std::uint32_t outer_, inner_, idle_;
  T tau_, sigma_, tau_z_;
  T value_;          ///< D(u)
  T gradient_norm_;  ///< ‖∇D‖
  T slope_;          ///< ⟨∇D, Δu⟩
  T moved_w_;        ///< ‖W(u) − Wᵗ‖²
  T moved_;          ///< distance of (W, Z, u) from the centres in the metric of the step sizes
  T best_gap_;
  T granted_gap_;
  T granted_at_;     ///< epochs
  T system_epochs_;  ///< the work of factors, in products with the whole design
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
