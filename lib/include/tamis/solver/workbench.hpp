#pragma once
/// What every solver of linear scores shares: the checked problem, products with the centred design over the active
/// features, certificates, and the choice of the active features.

#include <new>
#include <span>

#include "../arena.hpp"
#include "../certificate/make_dual_feasible.hpp"
#include "../certificate/gap_monitor.hpp"
#include "../concepts.hpp"
#include "../model/linear.hpp"
#include "../options.hpp"
#include "../report.hpp"
#include "solver.hpp"

namespace tamis {

/// The memory that all solvers need beside their own iterates. Row `features` of a coefficient matrix holds intercepts.
template <class T>
struct CommonMemory {
  T* best;      ///< coefficients of the reported model, (features + 1) × stride; first, so that it may be kept
  T* means;     ///< of the columns of the design
  T* row[3];    ///< scratch rows
  T* score;     ///< dual norm of each group at the last full certificate
  Index* list;  ///< active features, ascending or in the order of their listed groups, then the row of intercepts
  std::uint8_t* active;  ///< 0: not; 1: active; 2: active, and the first of its listed group

  static constexpr std::size_t coefficients(Shape shape) {
    return detail::saturating_multiply(detail::saturating_add(shape.features, 1), padded<T>(shape.classes));
  }
  static constexpr std::size_t duals(Shape shape) {
    return detail::saturating_multiply(shape.samples, padded<T>(shape.classes));
  }

  constexpr void take(Arena& arena, Shape shape) {
    best = arena.take<T>(coefficients(shape));
    means = arena.take<T>(shape.features);
    for (T*& scratch : row) scratch = arena.take<T>(padded<T>(shape.classes));
    score = arena.take<T>(shape.features);
    list = arena.take<Index>(detail::saturating_add(shape.features, 1));
    active = arena.take<std::uint8_t>(shape.features);
  }
  static constexpr CommonMemory lay_out(Arena& arena, Shape shape) {
    CommonMemory m;
    m.take(arena, shape);
    return m;
  }
};

/// Base of the solvers; not for use on its own.
///
/// With an intercept the design is centred implicitly: scores are (X − 1m̄ᵀ)W + s·1v with m̄ the column means and s·v the
/// shifted intercepts. The objective is the same, the norm of the operator is that of the centred design, and s is
/// chosen so that the intercept column has that norm too.
template <class T, class Loss, class Penalty, class Design>
class Workbench {
 public:
  static constexpr bool constrained = false;
  const Report<T>& report() const { return report_; }
  /// Number of certificates evaluated so far.
  std::uint32_t certificates() const { return certificates_; }
  /// Whether `model()` has been certified: it is of use even where reading the samples has failed since.
  bool has_certified_model() const { return certificates_ > 0 && memory_.best; }
  bool running() const { return report_.status == Status::running; }
  LinearModel<T> model() const { return {memory_.best, shape_.features, shape_.classes}; }
  /// Ends the run with the best model so far.
  void stop() {
    if (running()) report_.status = Status::stopped;
  }
  /// Another λ than that of the options, before `start`.
  void set_lambda(T lambda) { options_.lambda = lambda; }

 protected:
  using Common = CommonMemory<T>;

  Workbench(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
            const Options<T>& options)
      : design_(design),
        targets_(targets),
        shape_{static_cast<Index>(predicts_values(loss) ? targets.values.size() : targets.labels.size()),
               design.features(), targets.classes},
        stride_(padded<T>(targets.classes)),
        loss_(loss),
        penalty_(penalty),
        options_(options),
        together_(features_together(penalty)),
        dual_kind_(tamis::dual_kind<T>(penalty)) {
    targets_.common_margin = margin_for_all(options, loss);
    if (predicts_values(loss)) {
      targets_.labels = {};
      targets_.margins = targets_.values.data();
    }
    memory_.best = nullptr;
  }

  /// Checks everything once, at the door. On refusal nothing has been written to the arena.
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
  [[gnu::noinline]] bool validate(Status arena, std::size_t bytes, bool with_eta) {
    new (&report_) Report<T>;  // a copy of an empty one would be larger code
    certificates_ = 0;
    monitor_.begin();
    report_.arena_bytes = bytes;
    report_.status = check(with_eta);
    if (running()) report_.status = arena;
    return running();
  }

  void bind(const CommonMemory<T>& memory, std::size_t used) {
    memory_ = memory;
    report_.arena_used_bytes = used;
    report_.arena_bytes = largest(report_.arena_bytes, used);
    fill(memory_.best, reinterpret_cast<T*>(memory_.list) - memory_.best, T(0));  // all numbers before the list
    activate_all();
  }

  /// Entries of a coefficient matrix, and of the duals: what is in the arena does not overflow.
  std::size_t matrix_entries() const { return (std::size_t(shape_.features) + 1) * stride_; }
  std::size_t dual_entries() const { return std::size_t(shape_.samples) * stride_; }

  void centre() {
    if (!options_.intercept) return;
    if constexpr (requires { design_.column_sums(memory_.means, memory_.score); }) {
      design_.column_sums(memory_.means, memory_.score);
      fill(memory_.score, shape_.features, T(0));
      for (Index j = 0; j < shape_.features; ++j) memory_.means[j] /= T(shape_.samples);
      notice_failure();
    } else {
      for (Index j = 0; j < shape_.features; ++j) memory_.means[j] = design_.column_sum(j) / T(shape_.samples);
    }
    add_epochs(design_.entries(nullptr, shape_.features), T(0.5));
  }

  // ---- the same problem with another λ

  /// Makes an ended run go on with another λ; its point, scale and active features stay. False: see WarmStarted.
  [[gnu::noinline]] bool begin_again(T lambda, bool may_be_zero = true) {
    const Status status = report_.status;
    const bool was_refused = status == Status::invalid_lambda && certificates_ > 0;
    if (!was_refused && (!has_model(status) || status == Status::running || status == Status::stopped)) return false;
    if (options_.eta != T(0)) return false;
    if (!in_range(lambda, may_be_zero)) {
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

  /// Leaves out active features without coefficients in x whose groups have no score above λ.
  [[gnu::noinline]] void release_features(const T* x) {
    if (!has_zeros() || !options_.working_sets) return;
    for_each_active_group([&](FeatureGroup group) {
      if (memory_.score[group.first] > options_.lambda) return;
      for (Index r = 0; r < group.count; ++r)
        for (Index k = 0; k < shape_.classes; ++k)
          if (row_of(x, group.feature(r), stride_)[k] != T(0)) return;
      for (Index r = 0; r < group.count; ++r) memory_.active[group.feature(r)] = 0;
    });
    list_active();
  }

  // ---- products over the active features -------------------------------------------------------------------------

  /// z = scores of w (row `features` scaled by the intercept scale).
  void multiply(const T* w, T* z) { multiply(design_, w, z); }
  /// The same for the samples of another design with these features.
  [[gnu::noinline]] void multiply(const Design& design, const T* w, T* z) {
    T* base = memory_.row[0];
    shifted_intercepts(w, base);
    design.multiply(memory_.list, active_count_, w, stride_, base, z);
    count_product(design, memory_.list, active_count_);
  }

  /// g = gradient of ⟨u, scores⟩ with respect to the coefficients (active rows and the intercept row).
  void transposed_multiply(const T* u, T* g) { transposed_multiply(design_, u, g); }
  /// The same for duals that are zero on all but the samples of another design with these features.
  [[gnu::noinline]] void transposed_multiply(const Design& design, const T* u, T* g) {
    transposed_multiply(design, memory_.list, active_count_, u, g);
  }

  /// base = s·v − m̄ᵀW: the intercepts in the units of the caller.
  [[gnu::noinline]] void shifted_intercepts(const T* w, T* base) const {
    const T* v = row_of(w, shape_.features, stride_);
    for (Index k = 0; k < stride_; k += SimdOrScalar<T>::width) {
      auto total = SimdOrScalar<T>::zero();  // without intercepts their row is never written, so it must not be read
      if (options_.intercept) total = SimdOrScalar<T>::fill(intercept_scale_) * SimdOrScalar<T>::load(v + k);
      for (Index c = 0; c < active_count_; ++c) {
        const Index j = memory_.list[c];
        total = total - SimdOrScalar<T>::fill(memory_.means[j]) * SimdOrScalar<T>::load(row_of(w, j, stride_) + k);
      }
      total.store(base + k);
    }
  }

  /// Visits each group of the features of the list (all when null) as (FeatureGroup).
  template <class Visit>
  void for_each_listed_group(const Index* list, Index count, Visit visit) const {
    Index number = 0;
    for (Index c = 0; c < count; ++number) {
      const FeatureGroup group = group_at(list, count, c, number);
      visit(group);
      c += group.count;
    }
  }
  template <class Visit>
  void for_each_active_group(Visit visit) const {
    if (!memory_.list) __builtin_unreachable();  // or the compiler looks
    for_each_listed_group(memory_.list, active_count_, visit);
  }
  Rows<T> rows(T* matrix, FeatureGroup group) const { return rows_of(matrix, group, shape_.classes, stride_); }
  Rows<const T> rows(const T* matrix, FeatureGroup group) const {
    return rows_of(matrix, group, shape_.classes, stride_);
  }

  // ---- the operator norm -----------------------------------------------------------------------------------------

  [[gnu::noinline]] void start_power_iteration(T* v) {
    for_each_active_row([&](Index j) {
      for (Index k = 0; k < stride_; ++k) row_of(v, j, stride_)[k] = scattered<T>(j * 2654435761u + k * 40503u);
    });
    norm_ = T(0);
    power_iterations_ = 0;
  }

  /// How closely a power iteration is watched before its estimate is taken. One that has hardly grown may still be that
  /// of another singular vector, when the largest has a small share in the first v: `rough` is for solvers that find out
  /// by their own steps, `close` for those that trust it.
  struct PowerAccuracy {
    T growth;              ///< relative, of one iteration, at which it ends
    std::uint16_t least;   ///< number of iterations
    std::uint16_t most;
  };
  static constexpr PowerAccuracy rough{T(5e-4), 6, 200}, close{T(1e-6), 30, 1000};

  /// One iteration of v ← AᵀNAv/‖AᵀNAv‖ on all columns of v at once, N the map that `normal` applies to the scores in
  /// place (none: the identity); true when norm_ = ‖AᵀNA‖^½ is known, a lower bound and one percent. A has the present
  /// intercept scale.
  template <class Normal>
  [[gnu::noinline]] bool advance_power_iteration(T* v, T* z, Normal normal, const PowerAccuracy& accuracy = close) {
    multiply(v, z);
    normal(z);
    transposed_multiply(z, v);
    const T length = square_root(squared_distance_of_rows(v, nullptr));
    if (!(length > T(0))) {  // nothing varies: any positive norm will do
      norm_ = T(1);
      return true;
    }
    const T before = norm_;
    if (power_iterations_ > 0) norm_ = largest(before, square_root(length));  // v has had length one before
    ++power_iterations_;
    const bool settled = power_iterations_ >= accuracy.least && norm_ <= before * (T(1) + accuracy.growth);
    if (settled || power_iterations_ >= accuracy.most) {
      norm_ *= T(1.01);
      return true;
    }
    const T scale = T(1) / length;
    for_each_active_row([&](Index j) {
      for (Index k = 0; k < stride_; ++k) row_of(v, j, stride_)[k] *= scale;
    });
    return false;
  }
  bool advance_power_iteration(T* v, T* z, const PowerAccuracy& accuracy = close) {
    return advance_power_iteration(v, z, [](T*) {}, accuracy);
  }

  /// Gives the intercept column the norm of the centred design, to which it is orthogonal; the intercepts of w keep
  /// their value.
  void rescale_intercept(T* w, T old_scale) {
    if (!options_.intercept) return;
    intercept_scale_ = norm_ / square_root(T(shape_.samples));
    const T ratio = old_scale / intercept_scale_;
    T* v = row_of(w, shape_.features, stride_);
    for (Index k = 0; k < stride_; ++k) v[k] *= ratio;
  }

  // ---- certificates ----------------------------------------------------------------------------------------------

  [[gnu::noinline]] T loss_sum(const T* z) const {
    Sum<T> total;
    for (Index i = 0; i < shape_.samples; ++i) {
      const T weight = targets_.weight(i);
      if (weight > T(0))
        total.add(weight * loss_.value(row_of(z, i, stride_), shape_.classes, label_of(loss_, targets_, i), targets_.margin(i)));
    }
    return total.value();
  }

  /// Whether scores are finite: losses take one that is no number for a margin that is met.
  bool are_scores(const T* z) const { return finite(squared_distance_of_duals(z, nullptr)); }

  T penalty_value(const T* w) const {
    Sum<T> total;
    for_each_active_group([&](FeatureGroup group) { total.add(penalty_.value(rows(w, group))); });
    return total.value();
  }

  /// Takes the point w with scores z; it becomes the reported model if its objective is the best so far.
  [[gnu::noinline]] void offer_primal(const T* w, const T* z) {
    if (has_failed()) return;
    const T objective = are_scores(z) ? loss_sum(z) + options_.lambda * penalty_value(w) : not_a_number<T>;
    if (certificates_ > 0 && !(objective < report_.objective)) return;
    report_.objective = objective;
    GapMonitor<T>::take_gap(report_);
    keep_coefficients(w);
    T* const intercepts = row_of(memory_.best, shape_.features, stride_);
    shifted_intercepts(w, intercepts);
    T size = 0;  // means of the design may have left the range of T
    for (Index k = 0; k < shape_.classes; ++k) size += absolute(intercepts[k]);
    if (!finite(size)) report_.objective = not_a_number<T>;
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

  /// Before the certificate of duals out of projections: makes each row of u a point of the domain of its loss.
  [[gnu::noinline, gnu::cold]] void enter_domain(T* u) const {
    for (Index i = 0; i < shape_.samples; ++i, u += stride_)
      loss_.enter_domain(u, shape_.classes, label_of(loss_, targets_, i), targets_.weight(i));
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
    whole_transposed_multiply(u, g);
    offer_dual(dual_value(u, g, nullptr, shape_.features));
    if (!running()) return Next::finished;
    if (active_count_ == shape_.features) return Next::go_on;
    return widen(options_.lambda) ? Next::new_features : Next::go_on;
  }

  /// Begins a certificate: repairs u for the free intercept and adds up what the samples contribute to the dual.
  void repair(T* u) {
    if (!has_failed()) ++certificates_;
    if (options_.intercept) {
      make_dual_feasible(loss_, targets_, u, stride_, memory_.row[1], memory_.row[2]);
      if constexpr (!LinearDual<Loss>)  // others are not scaled up, and rounding stays what it is beside 1
        if (!is_balanced(u)) fill(u, dual_entries(), T(0));
    }
    terms_ = dual_terms(u);
  }
  /// Whether the columns of u sum to zero but for rounding of what is left of it: of large entries that have been taken
  /// back there may be nothing but rounding, which must not be scaled up.
  [[gnu::noinline]] bool is_balanced(const T* u) const {
    T* const sums = memory_.row[1];
    column_sums(u, shape_.samples, stride_, sums);
    T mass = 0, imbalance = 0;
    for (std::size_t e = 0; e < dual_entries(); ++e) mass += absolute(u[e]);
    for (Index k = 0; k < stride_; ++k) imbalance += absolute(sums[k]);
    return imbalance <= T(64) * epsilon<T> * mass;
  }

  /// As transposed_multiply, over all features.
  void whole_transposed_multiply(const T* u, T* g) { transposed_multiply(design_, nullptr, shape_.features, u, g); }

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

  /// Whether groups whose dual norm is at most λ have coefficients zero.
  bool has_zeros() const { return dual_kind() == DualKind::norm || dual_kind() == DualKind::sparse_conjugate; }
  /// What the penalty knows of its dual; a constant unless that depends on its parameters.
  DualKind dual_kind() const {
    if constexpr (requires { penalty_.dual_kind(); }) return dual_kind_;
    else return tamis::dual_kind<T>(penalty_);
  }

  void activate_all() { set_active(true); }
  void deactivate_all() { set_active(false); }

  /// Makes the most promising features active for the first time. Penalties without a dual norm keep all.
  void choose_features() { choose_features(options_.lambda); }
  void choose_features(T threshold) {
    if (!options_.working_sets || !has_zeros() || shape_.features <= smallest_working_set) return;
    deactivate_all();
    activate_best(smallest_working_set, threshold);
  }

  /// Ends the run when the design could not be read: what follows from it is of no use any more.
  void notice_failure() {
    Index sample = 0;
    const Status failure = failure_of(design_, sample);
    if (failure == Status::running || !running()) return;
    report_.status = failure;
    report_.row = sample;
  }
  bool has_failed() const {
    Index sample = 0;
    return failure_of(design_, sample) != Status::running;
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
  void end_at_limit() {
    if (running()) report_.status = Status::iteration_limit;
  }

  Index active_rows() const { return active_count_ + (options_.intercept ? 1 : 0); }
  template <class Visit>
  void for_each_active_row(Visit visit) const {
    const Index* const list = memory_.list;
    const Index count = active_rows();
    for (Index c = 0; c < count; ++c) visit(list[c]);
  }

  /// to ← from + αx over the active rows of coefficients.
  void add_rows(const T* from, T alpha, const T* x, T* to) const {
    for_each_active_row([&](Index j) {
      const std::size_t at = std::size_t(j) * stride_;
      add_scaled_row(from + at, alpha, x + at, stride_, to + at);
    });
  }
  /// w ← the penalty's proximity operator of w, group by group.
  void prox(T* w, T threshold) const {
    for_each_active_group([&](FeatureGroup group) { penalty_.prox(rows(w, group), threshold); });
  }

  /// ‖A − B‖² over the active rows of coefficients; without B, ‖A‖².
  [[gnu::noinline]] T squared_distance_of_rows(const T* a, const T* b) const {
    auto total = Simd<T>::zero();
    for_each_active_row(
        [&](Index j) { add_squared_distance(row_of(a, j, stride_), b ? row_of(b, j, stride_) : b, stride_, total); });
    return total.sum();
  }
  /// The same over all duals.
  [[gnu::noinline]] T squared_distance_of_duals(const T* a, const T* b) const {
    auto total = Simd<T>::zero();
    add_squared_distance(a, b, dual_entries(), total);
    return total.sum();
  }

  // What is used most lies where the shortest instructions reach.
  Design design_;
  Targets<T> targets_;
  CommonMemory<T> memory_;
  Shape shape_;
  Index stride_;
  Index active_count_ = 0;
  Loss loss_;
  Penalty penalty_;
  Options<T> options_;
  Index together_;
  DualKind dual_kind_;
  std::uint16_t power_iterations_ = 0;
  T intercept_scale_ = T(0);
  T norm_ = T(0);
  Report<T> report_;
  DualTerms<T> terms_;  ///< what the samples contribute to the dual at the last certificate
  T gauge_;             ///< dual norm of the gradient at the last certificate
  std::uint32_t certificates_ = 0;

  static constexpr Index smallest_working_set = 64;
  static constexpr std::uint8_t first_of_group = 2;

  /// Whether x is a number that is positive, or zero where that may be.
  TAMIS_NOINLINE_IF_SMALLEST static bool in_range(T x, bool may_be_zero) { return (may_be_zero ? x >= T(0) : x > T(0)) && finite(x); }

  Status check(bool with_eta) {
    if (shape_.samples == 0 || shape_.features == 0 || !valid_outputs(loss_, shape_.classes) ||
        shape_.classes > 65536 || design_.samples() != shape_.samples)
      return Status::invalid_shape;
    if (!in_range(options_.lambda, true)) return Status::invalid_lambda;
    if (with_eta ? !(in_range(options_.eta, false) && options_.lambda == T(0)) : options_.eta != T(0))
      return Status::invalid_eta;
    if (!in_range(options_.tolerance, false) || options_.max_iterations == 0 || together_ == 0)
      return Status::invalid_option;
    if constexpr (requires { penalty_.valid(); })
      if (!penalty_.valid()) return Status::invalid_option;
    if constexpr (HasGrouping<Penalty>) {
      const Groups groups = penalty_.grouping();
      if (groups.is_listed && !groups.cover(shape_.features, report_.column)) return Status::invalid_groups;
    }
    if (targets_.margins && has_margin(options_)) return Status::invalid_margin;
    const bool may_be_zero = default_margin<T>(loss_) == T(0);
    for (Index i = 0; i < shape_.samples; ++i) {
      report_.row = i;
      if (!valid_label(loss_, label_of(loss_, targets_, i), shape_.classes)) return Status::invalid_label;
      if (!in_range(targets_.raw_weight(i), true)) return Status::invalid_weight;
      if (predicts_values(loss_) ? !finite(targets_.margin(i)) : !in_range(targets_.margin(i), may_be_zero))
        return predicts_values(loss_) ? Status::invalid_label : Status::invalid_margin;
    }
    report_.row = 0;
    for (Index k = 0; k < shape_.classes; ++k) {
      report_.column = k;
      if (!has_samples(loss_, targets_, options_.intercept, k)) return Status::missing_class;
    }
    report_.column = 0;
    targets_.normalise();
    for (Index i = 0; targets_.weights && i < shape_.samples; ++i) {
      report_.row = i;
      if (!targets_.holds_share(i)) return Status::invalid_weight;
    }
    report_.row = 0;
    if (design_.find_bad_value(report_.row, report_.column)) {
      const Status failure = failure_of(design_, report_.row);
      return failure == Status::running ? Status::invalid_data : failure;
    }
    return Status::running;
  }

  void add_epochs(std::size_t entries, T share) {
    const std::size_t all = design_.entries(nullptr, shape_.features);
    if (all > 0) report_.epochs += share * T(entries) / T(all);
  }

  void count_product(const Design& design, const Index* list, Index count) {
    notice_failure();
    add_epochs(design.entries(list, count), T(0.5));
  }

  [[gnu::noinline]] void transposed_multiply(const Design& design, const Index* list, Index count, const T* u, T* g) {
    design.transposed_multiply(list, count, u, stride_, g);
    count_product(design, list, count);
    if (!options_.intercept) return;
    T* sums = memory_.row[0];
    block_sums(u, design.samples(), stride_, sums);
    for (Index c = 0; c < count; ++c) {
      const Index j = list ? list[c] : c;
      T* out = row_of(g, j, stride_);
      for (Index k = 0; k < stride_; ++k) out[k] -= memory_.means[j] * sums[k];
    }
    T* out = row_of(g, shape_.features, stride_);
    for (Index k = 0; k < stride_; ++k) out[k] = intercept_scale_ * sums[k];
  }

  /// The loss's share of the dual objective along the ray s·u; nothing when it is no quadratic in s.
  DualTerms<T> dual_terms(const T* u) const {
    Sum<T> linear, quadratic;
    if constexpr (QuadraticDual<Loss, T>) {
      if (!has_quadratic_dual<T>(loss_)) return {};
      for (Index i = 0; i < shape_.samples; ++i) {
        const auto of = [&](auto... scratch) {
          return loss_.dual_terms(row_of(u, i, stride_), shape_.classes, label_of(loss_, targets_, i), targets_.margin(i),
                                  targets_.weight(i), scratch...);
        };
        DualTerms<T> terms;
        if constexpr (ScratchDual<Loss, T>) terms = of(memory_.row[1], memory_.row[2]);
        else terms = of();
        linear.add(terms.linear);
        if (terms.quadratic != T(0)) quadratic.add(terms.quadratic);  // some losses have none
      }
    }
    return {linear.value(), quadratic.value()};
  }

  /// The loss's share of the dual objective at s·u.
  [[gnu::noinline]] T loss_dual(const T* u, T scale) const {
    if constexpr (GeneralDual<Loss, T>) {
      if (!has_quadratic_dual<T>(loss_)) {
        Sum<T> total;
        for (Index i = 0; i < shape_.samples; ++i)
          total.add(loss_.dual_value(row_of(u, i, stride_), shape_.classes, label_of(loss_, targets_, i), targets_.margin(i),
                                     targets_.weight(i), scale));
        return total.value();
      }
    }
    if constexpr (LinearDual<Loss>) return scale * terms_.linear;
    else return scale * (terms_.linear - scale * terms_.quadratic);
  }

  /// The dual objective at the best s·u (at the largest feasible s, when it is no quadratic in s; at u, when the
  /// penalty has a conjugate instead of a dual norm; the better of both for a sparse conjugate), with the penalty taken
  /// over the listed features.
  [[gnu::noinline]] T dual_value(const T* u, const T* g, const Index* list, Index count) {
    gauge_ = T(0);
    T bound = 0;  // losses are not negative
    if (!finite(gradient_size(g, list, count))) return bound;
    if (has_zeros()) score(g, list, count);
    if (has_zeros()) {
      T scale = loss_.template max_dual_scale<T>();
      if (!LinearDual<Loss> && terms_.quadratic > T(0))
        scale = smallest(scale, terms_.linear / (T(2) * terms_.quadratic));
      if (predicts_values(loss_)) scale = largest(scale, T(0));  // the other losses have no negative terms
      if (gauge_ * scale > options_.lambda) scale = options_.lambda / gauge_;
      if (finite(scale)) bound = largest(loss_dual(u, scale), T(0));
    }
    if (dual_kind() == DualKind::norm) return bound;
    if constexpr (HasConjugate<Penalty, T>) {
      if (!(options_.lambda > T(0))) return bound;
      Sum<T> conjugate;
      for_each_listed_group(
          list, count, [&](FeatureGroup group) { conjugate.add(penalty_.conjugate(rows(g, group), options_.lambda)); });
      return largest(loss_dual(u, T(1)) - conjugate.value(), bound);
    } else {
      return not_a_number<T>;
    }
  }

  /// Sets the score of each listed group, and the gauge: the largest of them.
  void score(const T* g, const Index* list, Index count) {
    gauge_ = T(0);
    for_each_listed_group(list, count, [&](FeatureGroup group) {
      memory_.score[group.first] = penalty_norm(rows(g, group));
      gauge_ = largest(gauge_, memory_.score[group.first]);
    });
  }

  T penalty_norm(Rows<const T> g) const {
    if constexpr (HasDualNorm<Penalty, T>) return penalty_.dual_norm(g);
    else return T(0);
  }
  /// Σ |g| over the listed features. Where entries are no numbers it is none either, which largest entries and
  /// thresholds would pass over.
  [[gnu::noinline]] T gradient_size(const T* g, const Index* list, Index count) const {
    T sum = 0;
    for (Index c = 0; c < count; ++c)
      for (Index k = 0; k < shape_.classes; ++k) sum += absolute(row_of(g, list ? list[c] : c, stride_)[k]);
    return sum;
  }


  /// `may_be_infinite`: the objective, while no point is feasible.
  [[gnu::noinline]] void offer_dual(T value, bool may_be_infinite = false) {
    if (has_failed()) return;
    if (certificates_ == 1 || value > report_.dual_objective) report_.dual_objective = value;
    if (dual_kind() == DualKind::unknown) report_.dual_objective = not_a_number<T>;  // and so is the gap
    monitor_.conclude(report_, options_.tolerance, may_be_infinite);
  }

  // ---- active features -------------------------------------------------------------------------------------------

  Index group_rows(Index first) const {
    if constexpr (HasGrouping<Penalty> || requires { penalty_.features_together(); })
      return smallest(together_, shape_.features - first);
    else return 1;
  }

  /// The features in the order of their groups when those are listed, null otherwise.
  const Index* group_order() const {
    if constexpr (HasGrouping<Penalty>) return penalty_.grouping().order;
    else return nullptr;
  }

  /// The group that begins at position c of the list; it has that number among all features.
  FeatureGroup group_at(const Index* list, Index count, Index c, Index number) const {
    if constexpr (HasGrouping<Penalty>)
      if (group_order()) return listed_group_at(list, count, c, number);
    const Index first = list ? list[c] : c;
    return {first, group_rows(first)};
  }
  [[gnu::noinline]] FeatureGroup listed_group_at(const Index* list, Index count, Index c, Index number) const {
    if constexpr (HasGrouping<Penalty>) {
      if (!list) {
        const Groups groups = penalty_.grouping();
        const Index start = groups.starts[number];
        return {groups.order[start], groups.starts[number + 1] - start, groups.order + start};
      }
    }
    Index end = c + 1;
    while (end < count && memory_.active[list[end]] != first_of_group) ++end;
    return {list[c], end - c, list + c};
  }

  void activate(FeatureGroup group) {
    for (Index r = 0; r < group.count; ++r) memory_.active[group.feature(r)] = 1;
    if (group.members) memory_.active[group.first] = first_of_group;
  }

  void set_active(bool active) {
    for (Index j = 0; j < shape_.features; ++j) memory_.active[j] = 0;
    if (active) for_each_listed_group(nullptr, shape_.features, [&](FeatureGroup group) { activate(group); });
    list_active();
  }

  [[gnu::noinline]] void list_active() {
    const Index* order = group_order();
    active_count_ = 0;
    for (Index i = 0; i < shape_.features; ++i) {
      const Index j = order ? order[i] : i;
      if (memory_.active[j]) memory_.list[active_count_++] = j;
    }
    memory_.list[active_count_] = shape_.features;
  }

  /// Adds the inactive groups whose score exceeds `low`, the largest first, about `wanted` features. False: there are
  /// none.
  [[gnu::noinline]] bool activate_best(Index wanted, T low) {
    T high = gauge_;
    if (above(low, false) > wanted) {
      for (int halving = 0; halving < 30; ++halving) {
        const T middle = low + (high - low) * T(0.5);
        (above(middle, false) >= wanted ? low : high) = middle;
      }
    }
    if (above(low, true) == 0) return false;
    list_active();
    return true;
  }
  /// Number of features in inactive groups whose score exceeds the level; makes them active on demand.
  [[gnu::noinline]] Index above(T level, bool become_active) {
    Index count = 0;
    for_each_listed_group(nullptr, shape_.features, [&](FeatureGroup group) {
      if (memory_.active[group.first] || !(memory_.score[group.first] > level)) return;
      count += group.count;
      if (become_active) activate(group);
    });
    return count;
  }

  bool widen(T threshold) { return activate_best(largest(active_count_ / 2, smallest_working_set), threshold); }

  GapMonitor<T> monitor_;
};

}  // namespace tamis
