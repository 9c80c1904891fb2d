#pragma once
/// What solvers of problems with interactions share: the memory, the products, and the certificates.

#include "../arena.hpp"
#include "../certificate/gap_monitor.hpp"
#include "../certificate/hierarchical_gauge.hpp"
#include "../certificate/make_dual_feasible.hpp"
#include "../design/dense.hpp"
#include "../loss/squared_hinge.hpp"
#include "../model/interactions.hpp"
#include "../options.hpp"
#include "../penalty/hierarchical.hpp"
#include "../report.hpp"
#include "admm_core.hpp"
#include "door.hpp"
#include "solver.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// What is to be predicted: `values`, one real number per sample, by least squares ½(y − z)²; or labels of `classes`
/// classes, by the squared hinge Σ_{k≠y} (1 + z_k − z_y)₊².
template <class T>
struct InteractionTargets {
  const T* values = nullptr;
  std::span<const Label> labels = {};
  Index classes = 1;                        ///< 1 for a regression
  static constexpr SquaredHinge loss = {};  ///< of labels
};

/// Checks problems with interactions: the status of the first thing that is wrong, its place in the report, or
/// `running`. Nothing is written to the memory, of which the report says how much is needed.
template <class T>
[[gnu::noinline]] Status check_interactions(const DenseDesign<T>& design, const InteractionTargets<T>& targets,
                                            const HierarchicalPenalty<T>& penalty, bool valid_combination,
                                            const Options<T>& options, std::span<std::byte> memory, Report<T>& report) {
  constexpr Index most = Index(-1) - lanes<T>;
  const Index samples = design.samples(), features = design.features();
  const bool regression = targets.values != nullptr;
  if (samples == 0 || features == 0 || samples > most || features > most) return Status::invalid_shape;
  if (regression ? targets.classes != 1 || !targets.labels.empty()
                 : targets.classes < 2 || targets.labels.size() != samples)
    return Status::invalid_shape;
  if (!penalty.valid_weights()) return Status::invalid_lambda;
  if (!valid_combination) return Status::invalid_combination;
  if (const Status status = detail::check_options(options); status != Status::running) return status;
  if (design.find_bad_value(report.row, report.column)) return Status::invalid_data;
  report.column = regression ? features : 0;
  for (report.row = 0; report.row < samples; ++report.row) {
    if (regression && !finite(targets.values[report.row])) return Status::invalid_data;
    if (!regression && targets.labels[report.row] >= targets.classes) return Status::invalid_label;
  }
  report.row = report.column = 0;
  return detail::check_memory(memory, report.arena_bytes);
}

/// The arrays of a solve, rows padded to vectors: `stride` entries for a row of coefficients, `width` for one over
/// samples, `outputs` for one of scores.
template <class T>
struct InteractionMemory {
  T *z, *w;                 ///< coefficients, scaled multipliers: K matrices of features × stride
  T *best, *trial, *point;  ///< the model; where Newton's method looks for a face of Ω; a point on it
  T* g;                     ///< Aᵀu of one output
  T* samples;               ///< [X 1] by rows
  T* scaled;                ///< scratch: width × stride
  T* columns;               ///< X by columns: stride × width
  T* gram;                  ///< K: samples × width
  T* factor;                ///< of K + κ
  typename AdmmCore<T>::Memory split;
  T* u;                           ///< scratch: samples × outputs
  T *spare, *column;              ///< scratch of an entry per sample
  T *residual, *slopes;           ///< the same for the rows of Newton's system
  Index *sample, *output;         ///< what these rows are of
  T *b, *best_b, *from_b, *to_b;  ///< intercepts
  T* row[2];                      ///< scratch of a row
  T* level;                       ///< scratch of an entry per feature
  Index *list, *root;             ///< the same

  static constexpr InteractionMemory lay_out(Arena& arena, Shape shape) {
    using detail::saturating_add, detail::saturating_multiply;
    InteractionMemory m{};
    const auto whole = [](std::size_t count) { return saturating_add(count, lanes<T> - 1) / lanes<T> * lanes<T>; };
    const std::size_t stride = whole(saturating_add(shape.features, 1)), width = whole(shape.samples);
    const std::size_t matrix = saturating_multiply(shape.features, stride), outputs = padded<T>(shape.classes);
    for (T** all : {&m.z, &m.w, &m.best, &m.trial, &m.point})
      *all = arena.take<T>(saturating_multiply(matrix, shape.classes));
    m.g = arena.take<T>(matrix);
    for (T** rows : {&m.samples, &m.scaled, &m.columns}) *rows = arena.take<T>(saturating_multiply(width, stride));
    for (T** square : {&m.gram, &m.factor}) *square = arena.take<T>(saturating_multiply(shape.samples, width));
    m.split = AdmmCore<T>::Memory::lay_out(arena, shape);
    m.u = arena.take<T>(saturating_multiply(shape.samples, outputs));
    for (T** column : {&m.spare, &m.column, &m.residual, &m.slopes}) *column = arena.take<T>(width);
    for (Index** rows : {&m.sample, &m.output}) *rows = arena.take<Index>(shape.samples);
    for (T** intercepts : {&m.b, &m.best_b, &m.from_b, &m.to_b}) *intercepts = arena.take<T>(outputs);
    for (T** row : {&m.row[0], &m.row[1]}) *row = arena.take<T>(stride > outputs ? stride : outputs);
    m.level = arena.take<T>(shape.features);
    for (Index** list : {&m.list, &m.root}) *list = arena.take<Index>(shape.features);
    return m;
  }
};

/// The state of a solve. F = (1/n) Σᵢ ℓ(z(xᵢ), yᵢ) + Σ_k Ω(v_k, Θ_k); inside, sums over samples, and λ n times.
template <class T>
class InteractionWorkspace {
 public:
  InteractionWorkspace(const DenseDesign<T>& samples, const InteractionTargets<T>& truth, Hierarchy hierarchy,
                       HierarchyNorm norm, T lambda2, const Options<T>& wanted)
      : design(samples),
        targets(truth),
        options(wanted),
        shape{samples.samples(), samples.features(), truth.classes},
        penalty{hierarchy, norm},
        lambda2_(lambda2) {}

  static constexpr Requirement requirement(Shape shape) {
    Arena counter;
    (void)InteractionMemory<T>::lay_out(counter, shape);
    return {counter.used()};
  }

  bool running() const { return report.status == Status::running; }
  bool regression() const { return targets.values != nullptr; }
  bool symmetric() const { return penalty.hierarchy == Hierarchy::strong; }
  /// Products are paid for by main effects.
  bool tied() const { return penalty.tied(); }
  /// What a regression fits, intercepts aside: dual points add up to zero only up to rounding.
  T value(Index i) const { return targets.values[i] - centre; }
  std::size_t matrix_size() const { return std::size_t(shape.features) * stride; }
  std::size_t coefficients() const { return matrix_size() * shape.classes; }
  std::size_t scores() const { return std::size_t(shape.samples) * outputs; }
  T* matrix(T* all, Index k) const { return all + matrix_size() * k; }

  /// Checks the problem, takes its memory and forms K. False: it is refused.
  [[gnu::noinline]] bool prepare(std::span<std::byte> memory) {
    report = {};
    report.arena_bytes = requirement(shape).bytes;
    penalty.lambda1 = options.lambda;
    penalty.lambda2 = lambda2_;
    report.status = check_interactions(design, targets, penalty, penalty.valid(), options, memory, report);
    if (!running()) return false;
    Arena arena(memory);
    m = InteractionMemory<T>::lay_out(arena, shape);
    report.arena_used_bytes = arena.used();
    stride = padded<T>(shape.features + 1);
    width = padded<T>(shape.samples);
    outputs = padded<T>(shape.classes);
    certificates = 0;
    centre = T(0);
    if (regression() && options.intercept) {
      Sum<T> total;
      for (Index i = 0; i < shape.samples; ++i) total.add(targets.values[i]);
      centre = total.value() / T(shape.samples);
    }
    take_samples();
    take_gram();
    begin(penalty.lambda1, penalty.lambda2);
    return true;
  }
  /// Another λ: there is no model yet.
  void begin(T lambda, T lambda2) {
    options.lambda = lambda;
    penalty.lambda1 = lambda * T(shape.samples);
    penalty.lambda2 = lambda2 * T(shape.samples);
    report = {.arena_bytes = report.arena_bytes, .arena_used_bytes = report.arena_used_bytes};
    report.status = Status::running;
    report.objective = infinity<T>;
    report.lambda_max = not_a_number<T>;
    best_dual = T(0);  // no term of the objective is negative
    report.kkt_residual = not_a_number<T>;
    monitor_.begin();
    fill(m.best, coefficients(), T(0));
    fill(m.best_b, outputs, T(0));
  }
  /// As it was given; the penalty has it times n, once the run has started.
  T lambda2() const { return penalty.lambda2 / T(shape.samples); }
  bool valid_lambdas(T lambda, T lambda2) const {
    return HierarchicalPenalty<T>{penalty.hierarchy, penalty.norm, lambda, lambda2}.valid_weights();
  }

  // ---- products -----------------------------------------------------------------------------------------------------

  /// g ← Aᵀu, u one column of samples × outputs: Xᵀ diag(u) X, symmetric, and Xᵀu.
  [[gnu::noinline]] void transposed(const T* u, Index step) {
    const Index n = shape.samples, p = shape.features;
    T* const dual = m.spare;
    for (Index i = 0; i < n; ++i) dual[i] = u[std::size_t(i) * step];
    if (penalty.hierarchy != Hierarchy::main) {
      for (Index i = 0; i < n; ++i) {
        const auto factor = Simd<T>::fill(dual[i]);
        const T* from = row_of(m.samples, i, stride);
        T* to = row_of(m.scaled, i, stride);
        for (Index l = 0; l < stride; l += lanes<T>) (factor * Simd<T>::load(from + l)).store(to + l);
      }
      fill(m.g, matrix_size(), T(0));
      by_columns().add_transposed_lower(m.scaled, stride, m.g);
    }
    for (Index j = 0; j < p; ++j) {
      for (Index l = 0; l < j; ++l) row_of(m.g, l, stride)[j] = row_of(m.g, j, stride)[l];
      row_of(m.g, j, stride)[p] =
          dot(static_cast<const T*>(row_of(m.columns, j, width)), static_cast<const T*>(dual), n);
    }
  }
  /// The scores of one output's coefficients, most of which are zero.
  [[gnu::noinline]] void multiply(const T* w, T* out, Index step) {
    Index count = 0;
    for (Index j = 0; j < shape.features; ++j) {
      const T* row = row_of(w, j, stride);
      bool any = false;
      for (Index l = 0; l <= shape.features && !any; ++l) any = row[l] != T(0);
      if (any) m.list[count++] = j;
    }
    fill(m.row[0], stride, T(0));
    by_columns().multiply(m.list, count, w, stride, m.row[0], m.scaled);
    for (Index i = 0; i < shape.samples; ++i)
      out[std::size_t(i) * step] = dot(static_cast<const T*>(row_of(m.samples, i, stride)),
                                       static_cast<const T*>(row_of(m.scaled, i, stride)), shape.features + 1);
  }

  // ---- certificates -------------------------------------------------------------------------------------------------

  /// How far `factor` times the products in g are from what Ω allows, beside the coefficients `model` of output k;
  /// infinite where they have left the range of T. Then visit(j, row) for the rows of that point, unless visit is
  /// NoRows.
  struct NoRows {};
  template <class Visit>
  [[gnu::noinline]] T gauge(Index k, T factor, const T* model, int sweeps, Visit visit) {
    T size = 0;
    for (Index j = 0; j < shape.features; ++j) size += penalty.size(row_of(m.g, j, stride), shape.features);
    HierarchicalGauge<T> gauge(penalty, shape.features, stride, m.g, factor, m.level, m.row[1]);
    const T worst = gauge.value(model + matrix_size() * k, matrix(m.w, k), weight, sweeps);
    if constexpr (!std::is_same_v<Visit, NoRows>) gauge.visit(visit);
    gauge.restore();
    return finite(factor * size) ? worst : infinity<T>;
  }
  /// The conjugate of Ω at `factor` times the products in g, where Ω has one.
  [[gnu::noinline]] T conjugate(T factor) const {
    Sum<T> total;
    for (Index j = 0; j < shape.features && penalty.ridge(); ++j)
      total.add(penalty.conjugate(row_of(m.g, j, stride), shape.features));
    return factor * factor * total.value();
  }
  /// Offers a dual point of a regression, scale·u, whose products are scale·g, and returns its gauge. visit(k, j, row)
  /// as for `gauge`.
  template <class Visit = NoRows>
  [[gnu::noinline]] T offer_values(const T* u, T scale, const T* model, int sweeps, Visit visit = {}) {
    Sum<T> inner, square;
    for (Index i = 0; i < shape.samples; ++i) {
      const T dual = scale * u[i];
      inner.add(dual * value(i));
      square.add(dual * dual);
    }
    const T worst = gauge(0, scale, model, sweeps, of_output(0, visit));
    offer(worst, inner.value(), square.value() / T(2) + conjugate(scale));
    return worst;
  }
  /// The same of classes: slopes of the loss in u, up to rounding and the entries of the labels. Where there are
  /// intercepts their columns are made to add up to zero first.
  template <class Visit = NoRows>
  [[gnu::noinline]] T offer_slopes(const T* model, int sweeps, Visit visit = {}) {
    for (Index i = 0; i < shape.samples; ++i)
      targets.loss.enter_domain(row_of(m.u, i, outputs), shape.classes, targets.labels[i], T(1));
    if (options.intercept) {
      Targets<T> labels{targets.labels, shape.classes};
      labels.normalise();
      make_dual_feasible(targets.loss, labels, m.u, outputs, m.row[0], m.row[1]);
    }
    Sum<T> linear, quadratic;
    for (Index i = 0; i < shape.samples; ++i) {
      const auto terms = targets.loss.dual_terms(row_of(m.u, i, outputs), shape.classes, targets.labels[i], T(1), T(1));
      linear.add(terms.linear);
      quadratic.add(terms.quadratic);
    }
    T worst = 0;
    for (Index k = 0; k < shape.classes; ++k) {
      transposed(m.u + k, outputs);
      worst = largest(worst, gauge(k, T(-1), model, sweeps, of_output(k, visit)));
      quadratic.add(conjugate(T(1)));
    }
    offer(worst, linear.value(), quadratic.value());
    return worst;
  }

  /// Offers a model, and says its objective: take(k) puts the coefficients of output k into g. The intercepts are those
  /// in b, of a regression the best.
  template <class Take>
  T offer_model(Take take) {
    Sum<T> total;
    Index nonzeros = 0, rows = 0;
    T* const used = m.row[1];
    fill(used, shape.features, T(0));
    for (Index k = 0; k < shape.classes; ++k) {
      take(k);
      multiply(m.g, m.u + k, outputs);
      for (Index j = 0; j < shape.features; ++j) {
        const T* row = row_of(m.g, j, stride);
        total.add(penalty.value(row, shape.features));
        Index here = 0;
        for (Index l = 0; l <= shape.features; ++l) here += row[l] != T(0);
        nonzeros += here;
        if (here > 0 && used[j] == T(0)) {
          used[j] = T(1);
          ++rows;
        }
      }
    }
    if (regression()) take_intercept();
    total.add(loss());
    const T objective = total.value() / T(shape.samples);
    if (!(objective < report.objective)) return objective;
    report.objective = objective;
    report.nonzeros = nonzeros;
    report.nonzero_rows = rows;
    for (Index k = 0; k < shape.classes; ++k) {
      take(k);
      copy(static_cast<const T*>(m.g), matrix_size(), matrix(m.best, k));
      m.best_b[k] = m.b[k] + centre;
    }
    return objective;
  }
  /// The best intercept of a regression whose scores are in u.
  void take_intercept() {
    m.b[0] = T(0);
    if (!options.intercept) return;
    Sum<T> mean;
    for (Index i = 0; i < shape.samples; ++i) mean.add(value(i) - m.u[std::size_t(i) * outputs]);
    m.b[0] = mean.value() / T(shape.samples);
  }
  /// Of row j of the matrix in g: Ω leaves a main effect free below its products; where it is zero it becomes as small
  /// as rounding, so that what is kept obeys the hierarchy.
  void keep_main_effects() {
    const Index p = shape.features;
    for (Index j = 0; j < p && tied(); ++j) {
      T* row = row_of(m.g, j, stride);
      T top = 0;
      for (Index l = 0; l < p; ++l) top = largest(top, absolute(row[l]));
      if (row[p] == T(0)) row[p] = epsilon<T> * top;
    }
  }

  /// The gap of the best model and the best dual point, and whether it is small enough.
  void check_convergence() {
    report.dual_objective = best_dual / T(shape.samples);
    monitor_.conclude(report, options.tolerance);
  }

  DenseDesign<T> design;
  InteractionTargets<T> targets;
  Options<T> options;
  Shape shape;
  HierarchicalPenalty<T> penalty;
  InteractionMemory<T> m{};
  Index stride = 0;   ///< of a row of coefficients
  Index width = 0;    ///< of a row over samples
  Index outputs = 0;  ///< of a row of scores
  Report<T> report{};
  std::uint32_t certificates = 0;
  T best_dual = T(0);
  T centre = T(0);       ///< mean of the values where the intercept is free
  T mean_square = T(0);  ///< of K's diagonal
  T weight = T(0);       ///< of the multipliers w

 private:
  DenseDesign<T> by_columns() const { return {m.columns, shape.samples, shape.features, width}; }

  [[gnu::noinline]] void take_samples() {
    fill(m.columns, std::size_t(stride) * width, T(0));
    for (Index i = 0; i < shape.samples; ++i) {
      T* row = row_of(m.samples, i, stride);
      fill(row, stride, T(0));
      for (Index j = 0; j < shape.features; ++j) row[j] = row_of(m.columns, j, width)[i] = design(i, j);
    }
  }
  /// K = G∘(G + 1), or G without interactions; then the column of ones beside the samples.
  [[gnu::noinline]] void take_gram() {
    const Index n = shape.samples;
    fill(m.gram, std::size_t(n) * width, T(0));
    DenseDesign<T>(m.samples, stride, n).add_transposed_lower(m.columns, width, m.gram);
    Sum<T> trace;
    for (Index i = 0; i < n; ++i) {
      T* row = row_of(m.gram, i, width);
      if (penalty.hierarchy != Hierarchy::main)
        for (Index l = 0; l <= i; ++l) row[l] *= row[l] + T(1);
      trace.add(row[i]);
      row_of(m.samples, i, stride)[shape.features] = T(1);
    }
    mean_square = trace.value() / T(n);
  }
  /// Of the scores in u and the intercepts in b.
  T loss() {
    Sum<T> total;
    for (Index i = 0; i < shape.samples; ++i) {
      T* z = row_of(m.u, i, outputs);
      if (regression()) {
        const T residual = value(i) - z[0] - m.b[0];
        total.add(residual * residual / T(2));
        continue;
      }
      for (Index k = 0; k < shape.classes; ++k) {
        z[k] += m.b[k];
        if (!finite(z[k])) return not_a_number<T>;  // a loss takes it for a margin that is met
      }
      total.add(targets.loss.value(z, shape.classes, targets.labels[i], T(1)));
    }
    return total.value();
  }

  template <class Visit>
  static auto of_output(Index k, Visit visit) {
    if constexpr (std::is_same_v<Visit, NoRows>) return visit;
    else return [k, visit](Index j, const T* row) { visit(k, j, row); };
  }
  /// A dual point whose value at the scale s is s·linear − s²·quadratic.
  void offer(T gauge, T linear, T quadratic) {
    if (!(quadratic > T(0))) return;
    const T best = linear / (T(2) * quadratic);
    const T s = gauge * best > T(1) ? T(1) / gauge : best;
    if (s > T(0)) best_dual = largest(best_dual, s * linear - s * s * quadratic);
  }

  T lambda2_;  ///< to begin with
  GapMonitor<T> monitor_;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
