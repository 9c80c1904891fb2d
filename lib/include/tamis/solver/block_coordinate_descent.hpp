#pragma once
/// The fast solver for smooth losses: a few epochs of block coordinate descent, then Newton's method on the support.

#include "../catalogue.hpp"
#include "../design/dense.hpp"
#include "../design/sorted_columns.hpp"
#include "descent_epochs.hpp"
#include "score_bounds.hpp"
#include "support_newton.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Minimises (1/Σw) Σ wᵢ ℓᵢ(Wᵀxᵢ + b) + λ Ω(W). An epoch visits the groups of features one after the other and moves
/// each by a proximal step, W_g ← prox_{λΩ/L}(W_g − ∇_g f/L), with scores kept in place: the work is that of reading
/// the column's values twice. For losses that are sums of squared violations L is the curvature of the pairs that are
/// violated at present; once an epoch has not descended it is raised, and falls but slowly. For others an epoch
/// descends on the quadratic model at the scores before it. After a few epochs the support hardly changes: from then
/// on, where the memory suffices, a step of SupportNewton on it alternates with an epoch or two that correct it.
///
/// Once such steps do well on a loss with a model, epochs are for groups that get their first coefficients alone, and a
/// system is solved as far as what is left of the gradient beside λ asks. Where they do well on any loss and most
/// groups have a gradient well below λ, these are left out of epochs and certificates until the problem without them is
/// solved; a run ends by a certificate of all features.
///
/// With intercepts, the copy of a column that lies far from zero is about its mean.
///
/// Memory: `requirement(shape)`: 4(p + 1) + 3n rows of padded classes, and n + 6p entries: descent alone.
/// `requirement(shape, hint)`: a copy of the `entries` values that are not zero, sorted by label, for more than 512
/// features what ScoreBounds takes, and what Newton's method takes. Cost of an epoch: 4·(entries of the features in
/// work)·K flops. Sources: Blondel et al. (2013); Yuan, Ho and Lin (2012), newGLMNET.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class BlockCoordinateDescent : public DescentEpochs<T, Loss, Penalty, SortedColumns<T, Design>> {
  static_assert(CurvedLoss<Loss, T>, TAMIS_NEEDS_CURVATURE);
  static_assert(tamis::Penalty<Penalty, T>, TAMIS_NEEDS_PENALTY);
  static_assert(HasColumns<Design, T>, TAMIS_NEEDS_COLUMNS);
  using Columns = SortedColumns<T, Design>;
  using Base = DescentEpochs<T, Loss, Penalty, Columns>;

 protected:
  using Base::activate, Base::activate_all, Base::active_count_, Base::are_scores, Base::begin_again, Base::bind,
      Base::caution_, Base::certificates_, Base::certify_null_model, Base::count_iteration, Base::decrease_,
      Base::design_, Base::dual_value, Base::end_at_limit, Base::epoch, Base::fit_null_model, Base::follows_violations,
      Base::for_each_active_group, Base::for_each_active_row, Base::for_each_listed_group, Base::gauge_,
      Base::has_zeros, Base::intercept_scale_, Base::is_zero, Base::known_, Base::lambda_, Base::list_active,
      Base::loss_, Base::measure_columns, Base::memory_, Base::monitor_, Base::objective, Base::offer_dual,
      Base::offer_primal, Base::options_, Base::own_, Base::penalty_, Base::penalty_value, Base::repair, Base::report_,
      Base::scored_dual_value, Base::settled, Base::settled_, Base::shape_, Base::shifted_intercepts, Base::shrinkage_,
      Base::stride_, Base::take_gradients, Base::targets_, Base::transposed_multiply, Base::validate, Base::value_,
      Base::whole_transposed_multiply, Base::working_, Base::matrix_entries;
  using typename Base::Memory;
  using Newton = SupportNewton<T>;

 public:
  using Base::running;
  static constexpr SolverKind kind = SolverKind::block_coordinate_descent;

  BlockCoordinateDescent(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
                         const Options<T>& options)
      : Base(Columns(design), targets, loss, penalty, options) {}

  /// The least memory: descent alone, on the design where it lies.
  static constexpr Requirement requirement(Shape shape) { return count_bytes<Memory>(shape); }
  /// Memory with which `hint.entries` values are copied and supports of `hint.active_limit` features preconditioned.
  static constexpr Requirement requirement(Shape shape, WorkspaceHint hint) {
    Arena counter;
    lay_out_columns(counter, shape, hint);
    (void)Newton::Memory::lay_out(counter, shape, hint.entries, Newton::Memory::limit_for(shape, hint.active_limit));
    return {counter.used()};
  }

  /// Checks the problem, lays out the memory and certifies the model without coefficients. False: it has ended.
  bool start(std::span<std::byte> memory) {
    if (!validate(memory, requirement(shape_))) return false;
    Arena arena(memory);
    own_ = Memory::lay_out(arena, shape_);
    take_room(memory, arena);
    bind(own_.common, arena.used());
    intercept_scale_ = T(1);
    for (Index k = 0; k < stride_; ++k) {
      own_.numbers[k] = T(k + Index(shape_.classes == 1));  // one score is that of label 1
      own_.valid[k] = k < shape_.classes ? T(1) : T(0);
    }
    caution_ = shrinkage_ = T(1);
    lambda_ = options_.lambda;
    went_round_ = settled_ = comes_from_newton_ = keeps_before_ = is_slow_ = false;
    decrease_ = T(0);
    measure_columns(options_.intercept);
    fit_null_model();
    certify(true, false, true);
    if (running()) begin_epochs(first_epochs());
    return running();
  }

  /// Whether the memory of the last start was enough for Newton's method; false where that start was refused.
  bool has_newton() const { return has_model(report_.status) && newton_.has_memory(); }

  /// Goes on with another λ from where a run has ended (not stopped): what a path does. False: it has ended. `before`
  /// and `step`: see Fista::warm_start; coefficients go on as they did along the logarithm of λ.
  bool warm_start(T lambda, T* before = nullptr, T step = T(0)) {
    const T last = options_.lambda;
    if (!begin_again(lambda)) return false;
    lambda_ = lambda;
    went_round_ = true;
    decrease_ = T(0);
    certify_kept_point();
    settled_ = !follows_violations() && newton_is_on();
    narrow(smallest(T(2) * lambda - last, lambda));
    if (before && extrapolate(before, share_of_step(last, lambda, step))) {
      take_scores(own_.z);
      certify(false, false, true);
    }
    if (running()) begin_epochs(2);
    return running();
  }

  /// One epoch or one step of Newton's method, certificates included; false when the run has ended.
  bool step() {
    if (!running()) return false;
    const bool last = !count_iteration();
    if (epochs_left_ > 0) {
      epoch();
      --epochs_left_;
    } else {
      newton_step();
      known_ = false;
      if (is_rounded && follows_violations() && is_slow_ && newton_.went_well()) {  // before epochs are rounded too
        certify(false, last);
        if (!running()) return false;
        begin_epochs(0);  // scores have used its list
      }
      settled_ = settled() && newton_.went_well();
      epochs_left_ = settled() ? 0 : epochs_between();
      comes_from_newton_ = true;
    }
    if (last || (epochs_left_ == 0 && (comes_from_newton_ || !settled()))) {
      comes_from_newton_ = false;
      const T before = excess();
      certify(false, last);
      if (last) end_at_limit();
      if (running()) {
        const bool did_well = newton_is_on() && newton_.went_well();
        const bool is_slow = !(excess() <= T(0.5) * before);
        is_slow_ = did_well && is_slow;
        settled_ = !follows_violations() && did_well && !is_slow;
        if (!is_narrow()) narrow((T(1) - doubt()) * lambda_);
        begin_epochs(newton_pays() ? 0 : newton_is_on() ? first_epochs() : interval());
      }
    }
    return running();
  }

 protected:
  /// The memory of descent and of the copy of the columns.
  static constexpr void lay_out_columns(Arena& counter, Shape shape, WorkspaceHint hint) {
    (void)Memory::lay_out(counter, shape);
    (void)Columns::Memory::lay_out(counter, shape.features, hint.entries);
    if (bounds_scores && shape.features > ScoreBounds<T>::many) (void)ScoreBounds<T>::lay_out(counter, shape);
  }

  // ---- memory beyond the least ------------------------------------------------------------------------------------

  /// Takes from the arena what there is room for: a copy of the columns, bounds of scores, then Newton's method.
  TAMIS_COLD_IN_MODULES [[gnu::noinline]] void take_room(std::span<std::byte> memory, Arena& arena) {
    design_ = Columns(static_cast<const Design&>(design_));
    newton_ = Newton{};
    if constexpr (bounds_scores) bounds_ = {};
    const std::size_t entries = design_.count_nonzeros();
    Arena rest = arena;
    const auto columns = Columns::Memory::lay_out(rest, shape_.features, entries);
    if (!rest.exhausted()) {
      design_.copy_columns(columns, entries, targets_, loss_.violations() != Violations::none,
                           reinterpret_cast<Index*>(own_.u), reinterpret_cast<Index*>(own_.d));
      arena = rest;
      if constexpr (bounds_scores) take_bounds(arena);
    }
    room_ = memory.subspan(arena.used());
    if constexpr (HasManifold<Penalty, T>) {
      newton_ = Newton(Newton::Memory::of(arena, shape_, entries, room_.size()));
    }
  }
  bool newton_is_on() const { return newton_.has_memory(); }

  // ---- how many epochs, and on what -------------------------------------------------------------------------------

  /// Whether as much work as a step of Newton's method takes is better spent on one: epochs that bring ever less do not
  /// reduce what is left to a tenth, or the last step went well.
  bool newton_pays() const {
    if (!newton_is_on()) return false;
    if (newton_.went_well()) return true;
    T left = T(1);
    for (T work = T(0); work < largest(newton_.work(), T(10)) && left > T(0.1); work += T(1)) left *= shrinkage_;
    return left > T(0.1);
  }

  /// What is left of the gradient at the last certificate, beside λ; the gap for a penalty that has none of zeros.
  T excess() const { return has_zeros() ? gauge_ / lambda_ - T(1) : gap_; }

  /// Share of λ by which scores may still grow.
  T doubt() const { return smallest(T(0.5), T(3) * root_of_gap()); }
  [[gnu::noinline]] T root_of_gap() const { return square_root(largest(gap_, T(0))); }

  /// Whether features are left out of all that is done until the problem without them is solved.
  bool is_narrow() const { return active_count_ < shape_.features; }
  /// Where Newton's method does well: leaves out the groups without coefficients whose score of the last certificate of
  /// all is not above `least`, if these are most.
  [[gnu::noinline]] void narrow(T least) {
    if (!options_.working_sets || !has_zeros() || shape_.features <= Base::smallest_working_set) return;
    const bool does_well = settled() || (newton_is_on() && newton_.went_well());
    if constexpr (bounds_scores) score_above(least);
    Index kept = 0;
    for_each_listed_group(nullptr, shape_.features, [&](FeatureGroup group) {
      for (Index r = 0; r < group.count; ++r) memory_.active[group.feature(r)] = 0;
      if (!(memory_.score[group.first] > least) && is_new(group)) return;
      kept += group.count;
      activate(group);
    });
    const bool leaves_out = does_well && kept <= shape_.features / 4;
    if constexpr (bounds_scores)
      if (!leaves_out) score_above(T(-1));
    if (leaves_out) list_active();
    else activate_all();
  }

  std::uint32_t interval() const { return largest(std::uint32_t(5), report_.iterations / 4); }

  /// Whether a group has no coefficients.
  [[gnu::noinline]] bool is_new(FeatureGroup group) const {
    for (Index r = 0; r < group.count; ++r)
      if (!is_zero(row_of(own_.w, group.feature(r), stride_))) return false;
    return true;
  }
  /// Chooses the groups that epochs visit: those with coefficients, and those that might get some; once settled, those
  /// alone that get their first coefficients, for the others are Newton's.
  [[gnu::noinline]] void begin_epochs(std::uint32_t count) {
    const T least = lambda_ * (settled() ? T(1) : T(1) - doubt());
    working_ = 0;
    for_each_active_group([&](FeatureGroup group) {
      bool wanted = !options_.working_sets || !has_zeros() || !(memory_.score[group.first] < least);
      bool varies = false;
      for (Index r = 0; r < group.count; ++r) varies = varies || own_.squares[group.feature(r)] > T(0);
      const bool first_ones = is_new(group);
      wanted = settled() ? wanted && first_ones : wanted || !first_ones;
      if (wanted && varies)
        for (Index r = 0; r < group.count; ++r) own_.work[working_++] = group.feature(r);
    });
    epochs_left_ = settled() ? Index(working_ > 0) : count;
  }

  // ---- Newton's method --------------------------------------------------------------------------------------------

  void newton_step() {
    if constexpr (HasManifold<Penalty, T>) {
      // far from the optimum the next step is another system anyway
      T forcing = smallest(largest(root_of_gap(), T(0.1)), T(0.3));
      if (settled()) {  // a step leaves the square of what it begins with, and what it leaves is the gap
        const T here = largest(excess(), epsilon<T>);
        forcing = smallest(largest(here, T(0.5) * options_.tolerance / here), T(0.3));
      }
      if (!is_slow_ && (follows_violations() || penalty_.keeps_signs())) newton_.damp(T(1e-3) * forcing);
      if (is_slow_ && shape_.samples < shape_.features) forcing = T(1e-2);  // few flops
      const T value = known_ ? value_ : objective();
      SupportProblem<T, Columns, Loss, Penalty> problem{
          design_, targets_, loss_,  penalty_, shape_, lambda_, value,      forcing, gap_ <= T(0.3), options_.intercept,
          own_.w,  own_.g,   own_.d, own_.z,   own_.u, own_.h,  own_.bound, stride_, memory_.list,   active_count_};
      report_.epochs += newton_.step(problem);
    }
  }

  // ---- certificates -----------------------------------------------------------------------------------------------

  /// The gap: for the features at hand, and for all of them where that is within the tolerance, or it is the last. The
  /// objective is that of the coefficients as they are. Of float the dual point is that of the scores as steps have
  /// moved them: what rounding takes from the coefficients is the same in all samples, and adds up in the gradient.
  [[gnu::noinline]] void certify(bool null_model, bool last = false, bool has_scores = false) {
    const T at = lambda_;
    if (!is_rounded && !has_scores) take_scores(own_.z);
    take_gradients();
    if (is_rounded && !has_scores) take_scores(own_.z);
    offer_point();
    if (null_model) {
      certify_null_model(own_.u, own_.g);
      if constexpr (bounds_scores) keep_scores();
    } else if (is_narrow()) {
      const T wanted = options_.lambda;
      repair(own_.u);
      options_.lambda = at;
      transposed_multiply(own_.u, own_.g);
      gap_ = (value_ - dual_value(own_.u, own_.g, memory_.list, active_count_)) / value_;
      options_.lambda = wanted;
      const bool solved = gap_ <= (at == wanted ? options_.tolerance : solved_on_the_way) ||
                          report_.relative_gap <= options_.tolerance;  // the best model's, by earlier duals
      if (!solved && !last && !monitor_.is_overdue(report_)) {
        if (!went_round_) choose_lambda();
        known_ = lambda_ == at;
        return;
      }
      if constexpr (bounds_scores) {
        certify_others();
      } else {
        this->certify_features(own_.u, own_.g);
      }
      if (running()) narrow(at);
    } else {
      Base::certify(own_.u, own_.g, true);
      if constexpr (bounds_scores) keep_scores();
    }
    gap_ = report_.relative_gap;
    if (report_.status == Status::precision_limit && lambda_ != options_.lambda) {  // the other way led nowhere
      report_.status = Status::running;
      lambda_ = options_.lambda;
      monitor_.begin();
    }
    if (!null_model && running()) choose_lambda();
    known_ = lambda_ == at;
  }

  // ---- scores of features that are left out: see ScoreBounds

  static constexpr bool bounds_scores = profile.passes_over && HasDualNorm<Penalty, T>;

  void take_bounds(Arena& arena) {
    Arena rest = arena;
    if (shape_.features <= ScoreBounds<T>::many || !scores_rows_alike(penalty_)) return;
    T* const memory = ScoreBounds<T>::lay_out(rest, shape_);
    if (rest.exhausted()) return;
    bounds_ = ScoreBounds<T>(memory);
    arena = rest;
  }
  void keep_scores() {
    if (bounds_.has_memory()) bounds_.keep(own_.u, this->dual_entries(), memory_.score, shape_.features);
  }
  /// After the bound for the active features: looks at those others whose score might be larger than any of them, or
  /// matter to the conjugate of the penalty. The score of what is left is minus what it cannot exceed. A list of all
  /// that have been looked at, or null: nothing is known, or these are too many, and it is all features.
  const Index* score_others(Index& count) { return bounds_.are_known() && look_at_others(count) ? own_.work : nullptr; }
  [[gnu::noinline]] void certify_others() {
    Index count = shape_.features;
    const Index* const list = score_others(count);
    if (!list) whole_transposed_multiply(own_.u, own_.g);
    offer_dual(dual_value(own_.u, own_.g, list, count));
    if (!list) keep_scores();
  }
  /// At the same duals: looks at those left whose score might be above `least`.
  void score_above(T least) {
    if (bounds_.are_known()) look_above(least);
  }
  [[gnu::noinline]] bool look_at_others(Index& count) {
    T* const distance = own_.block[0];
    const T share = bounds_.compare(targets_, own_.u, stride_, shape_.features, distance);
    const T reach = this->penalty_norm(rows_of(static_cast<const T*>(distance), {0, 1}, shape_.classes, stride_));
    const T level = this->dual_kind() == DualKind::norm ? gauge_ : smallest(gauge_, options_.lambda);
    const Index most = shape_.features / 4;
    Index listed = 0;
    for (Index j = 0; j < shape_.features; ++j) {
      const T bound = share * bounds_.score(j) + square_root(own_.squares[j]) * reach;
      if (!memory_.active[j] && bound <= level) memory_.score[j] = -bound;
      else if (listed == most) return false;
      else own_.work[listed++] = j;
    }
    transposed_multiply(design_, own_.work, listed, own_.u, own_.g);
    count = listed;
    return true;
  }
  [[gnu::noinline]] void look_above(T least) {
    Index count = 0;
    for (Index j = 0; j < shape_.features; ++j)
      if (memory_.score[j] < T(0) && !(-memory_.score[j] <= least)) own_.work[count++] = j;
    if (count == 0) return;
    T* const intercepts = row_of(own_.g, shape_.features, stride_);
    copy(static_cast<const T*>(intercepts), stride_, own_.block[0]);
    transposed_multiply(design_, own_.work, count, own_.u, own_.g);
    copy(static_cast<const T*>(own_.block[0]), stride_, intercepts);
    const T gauge = gauge_;
    this->score(own_.g, own_.work, count);
    gauge_ = largest(gauge, gauge_);
  }

  void offer_point() {
    value_ = objective();
    known_ = true;
    const T wanted = value_ + (options_.lambda - lambda_) * penalty_value(own_.w);
    offer_primal(own_.w, are_scores(own_.z) ? wanted : not_a_number<T>);
  }

  /// A step that is a share of the last one of λ, as a share of that of its logarithm; zero where it is much longer.
  T share_of_step(T last, T lambda, T step) const {
    if (!keeps_before_ || !running() || !(step > T(0))) return T(0);
    const T before = last - (lambda - last) / step;
    const T share = step * (last + before) / (lambda + last);
    return share <= T(2) ? share : T(0);
  }
  /// w ← w + step (w − before) where it is not zero, before ← w; without a step `before` is not read. Whether any has
  /// moved.
  [[gnu::noinline]] bool extrapolate(T* before, T step) {
    bool moved = false;
    for (std::size_t e = 0; e < matrix_entries(); ++e) {
      const T now = own_.w[e], by = step != T(0) && now != T(0) ? step * (now - before[e]) : T(0);
      own_.w[e] += by;
      before[e] = now;
      moved = moved || by != T(0);
    }
    keeps_before_ = true;
    return moved;
  }

  /// The certificate of the point where a run has ended, at another λ: its scores, duals and their gradient are there.
  void certify_kept_point() {
    offer_point();
    ++certificates_;
    offer_dual(scored_dual_value(own_.u, own_.g, nullptr, shape_.features));
    gap_ = report_.relative_gap;
  }

  /// Where λ is small and the gap does not close, the way there leads over larger ones, from one solution to the next:
  /// coefficients that came too early take long to leave, and of few samples with many features all violations are met
  /// before the penalty counts. What is certified is the problem with the λ of the options.
  [[gnu::noinline]] void choose_lambda() {
    constexpr T step = T(0.5);
    const T wanted = options_.lambda;
    if (!went_round_) {
      T top = report_.lambda_max;
      bool may = report_.iterations >= patience() && gap_ > T(0.1);
      if constexpr (curves_everywhere<T, Penalty>()) {
        if (!has_zeros()) {
          may = follows_violations() && shape_.samples < shape_.features;
          top = T(0);
          for (Index j = 0; j < shape_.features; ++j) top += own_.squares[j];
        }
      }
      if (!may || !newton_is_on()) return;
      if (!(wanted > T(0) && wanted < step * step * top)) return;
      went_round_ = true;
      lambda_ = step * top;
      if (!follows_violations()) {
        fit_null_model();
        return certify(false, false, true);
      }
    }
    if (lambda_ == wanted) return;
    decrease_ = T(0);
    const T value = objective();
    options_.lambda = lambda_;
    gap_ = (value - scored_dual_value(own_.u, own_.g, nullptr, shape_.features)) / value;
    options_.lambda = wanted;
    if (!(gap_ <= solved_on_the_way)) return;
    lambda_ = largest(step * lambda_, wanted);
    gap_ = T(1);
    narrow(lambda_);
  }

  /// z ← the scores of w, whose intercepts are those beside the copy of the columns, which the products are with unless
  /// `maybe_design`.
  template <bool maybe_design = false>
  [[gnu::noinline]] void take_scores(T* z) {
    Index count = 0;
    for_each_active_row([&](Index j) {
      if (j < shape_.features && !is_zero(row_of(own_.w, j, stride_))) own_.work[count++] = j;
    });
    fill(own_.block[0], stride_, T(0));
    const T* base = own_.block[0];
    if (options_.intercept) {
      if (!separate_classes(loss_)) centre_intercepts();
      if (!maybe_design || design_.multiplies_copy()) base = row_of(own_.w, shape_.features, stride_);
      else shifted_intercepts(own_.w, own_.block[0]);
    }
    design_.multiply(own_.work, count, own_.w, stride_, base, z);
  }

  /// Of the intercepts that differ by the same number in all classes, which is all the same to the loss, those that are
  /// of mean zero for the columns as they are.
  void centre_intercepts() {
    T* const b = row_of(own_.w, shape_.features, stride_);
    T* const of_columns = own_.block[0];
    shifted_intercepts(own_.w, of_columns);
    T mean = 0;
    for (Index k = 0; k < shape_.classes; ++k) mean += of_columns[k] / T(shape_.classes);
    for (Index k = 0; k < shape_.classes; ++k) b[k] -= mean;
  }

  /// Epochs before the first step of Newton's method and between two; those on a model are several sweeps each.
  std::uint32_t first_epochs() const { return follows_violations() ? 5 : 1; }
  std::uint32_t epochs_between() const { return follows_violations() ? 2 : 1; }
  static constexpr bool is_rounded = sizeof(T) == 4;  ///< see certify
  static constexpr T solved_on_the_way = T(0.01);     ///< gap at a larger λ from which it is on to the next
  /// Iterations before another way is tried: few where features are many beside samples, which are soon met then; texts
  /// have more features than samples too, and would begin anew close to the end.
  std::uint32_t patience() const { return shape_.samples < shape_.features / 16 ? 50 : 400; }

  Newton newton_{};
  struct NoBounds {};
  [[no_unique_address]] std::conditional_t<bounds_scores, ScoreBounds<T>, NoBounds> bounds_{};
  std::span<std::byte> room_{};  ///< that of Newton's method
  T gap_ = T(1);                 ///< relative, at λ: see choose_lambda
  std::uint32_t epochs_left_ = 0;
  bool comes_from_newton_ = false;  ///< w, since the last certificate
  bool is_slow_ = false;            ///< though steps of Newton's method go well
  bool went_round_ = false;         ///< the way over larger λ has been taken
  bool keeps_before_ = false;       ///< the matrix of `warm_start` has the coefficients of the last run
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
