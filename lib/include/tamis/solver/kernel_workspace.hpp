#pragma once
/// What solvers of problems with several kernels share: the check of the problem, products, certificates.

#include "../arena.hpp"
#include "../certificate/gap_monitor.hpp"
#include "../certificate/make_dual_feasible.hpp"
#include "../design/dense.hpp"
#include "../loss/squared_hinge_of_outputs.hpp"
#include "../model/kernel_coefficients.hpp"
#include "../options.hpp"
#include "../penalty/mixed_norm.hpp"
#include "../report.hpp"
#include "door.hpp"
#include "solver.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The loss of problems with several kernels: ℓ = (1 − yf)₊² of one score, y = −1 and 1 for the labels 0 and 1;
/// Σ_{k≠y} (1 + f_k − f_y)₊² of K.
using KernelLoss = SquaredHingeOfOutputs;

/// Checks problems with several kernels: the status of the first thing that is wrong, its place in the report, or
/// `running`. Nothing is written to the memory, of which the report says how much is needed.
template <class T, class Design>
Status check_kernels(const Design& design, std::span<const Label> labels, Index kernels, Index outputs,
                     const MixedNorm<T>& norm, const Options<T>& options, std::span<std::byte> memory,
                     Report<T>& report) {
  constexpr Index most = Index(-1) - lanes<T>;
  const Index samples = design.samples();
  if (samples == 0 || kernels == 0 || !valid_outputs(KernelLoss{outputs}, outputs) || samples > most ||
      outputs > most || design.features() != detail::saturating_multiply(samples, kernels) ||
      detail::saturating_multiply(design.features(), padded<T>(outputs)) > most || labels.size() != samples)
    return Status::invalid_shape;
  if (!(options.lambda > T(0) && finite(options.lambda))) return Status::invalid_lambda;
  if (!norm.valid()) return Status::invalid_option;
  if (const Status status = detail::check_options(options); status != Status::running) return status;
  if (design.find_bad_value(report.row, report.column)) return Status::invalid_data;
  report.column = 0;
  for (report.row = 0; report.row < samples; ++report.row)
    if (!valid_label(KernelLoss{outputs}, labels[report.row], outputs)) return Status::invalid_label;
  report.row = 0;
  return detail::check_memory(memory, report.arena_bytes);
}

/// The state of a solve. F = (1/n) Σᵢ ℓ(f(xᵢ), yᵢ) + (λ/q)‖α‖_{pq;r}^q; inside, sums over samples, and λ n times.
template <class T>
class KernelWorkspace {
  using Design = DenseDesign<T>;

 public:
  struct Memory {
    T* best;        ///< the model: features × outputs
    T* g;           ///< Aᵀu
    T* u;           ///< scores or duals: samples × outputs
    T *b, *best_b;  ///< intercepts
    T *zeros, *row, *second_row;
    Index* list;

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      Memory m{};
      const std::size_t outputs = padded<T>(shape.classes);
      for (T** all : {&m.best, &m.g}) *all = arena.take<T>(detail::saturating_multiply(shape.features, outputs));
      m.u = arena.take<T>(detail::saturating_multiply(shape.samples, outputs));
      for (T** row : {&m.b, &m.best_b, &m.zeros, &m.row, &m.second_row}) *row = arena.take<T>(outputs);
      m.list = arena.take<Index>(shape.features);
      return m;
    }
  };

  KernelWorkspace(const Design& kernel_values, std::span<const Label> truth, Index kernel_count, Index classes,
                  const MixedNorm<T>& norm, const Options<T>& wanted)
      : design(kernel_values),
        labels(truth),
        options(wanted),
        shape{kernel_values.samples(), kernel_values.features(), classes},
        kernels(kernel_count),
        penalty(norm),
        loss{classes} {}

  bool running() const { return report.status == Status::running; }
  bool binary() const { return shape.classes == 1; }
  std::size_t coefficients() const { return std::size_t(shape.features) * outputs; }
  std::size_t scores() const { return std::size_t(shape.samples) * outputs; }
  template <class U>
  Rows<U> rows(U* coefficients) const {
    return {coefficients, shape.features, shape.classes, outputs};
  }
  /// Of a binary problem: −1 or 1.
  T sign_of(Index i) const { return labels[i] == 1 ? T(1) : T(-1); }

  /// Checks the problem and whether `memory` meets the requirement, and touches nothing. False: it is refused.
  bool validate(std::span<std::byte> memory, Requirement requirement) {
    report = {};
    report.arena_bytes = requirement.bytes;
    report.status = check_kernels(design, labels, kernels, shape.classes, penalty, options, memory, report);
    return running();
  }
  /// After `validate`: takes memory over.
  void bind(const Memory& memory, std::size_t used) {
    m = memory;
    report.arena_used_bytes = used;
    outputs = padded<T>(shape.classes);
    certificates = 0;
    for (T* row : {m.zeros, m.b, m.row, m.second_row}) fill(row, outputs, T(0));
    begin(options.lambda);
  }
  /// Whether there is a point to go on from, once memory is there.
  bool has_point() const {
    return has_model(report.status) || (report.status == Status::invalid_lambda && certificates > 0);
  }
  /// As `begin`, for a λ that is one.
  bool begin_again(T lambda) {
    if (valid_lambda(lambda)) begin(lambda);
    else report.status = Status::invalid_lambda;
    return running();
  }
  /// Another λ: there is no model yet.
  void begin(T lambda) {
    options.lambda = lambda;
    penalty.lambda = lambda * T(shape.samples);
    report = {.arena_bytes = report.arena_bytes, .arena_used_bytes = report.arena_used_bytes};
    report.status = Status::running;
    report.objective = infinity<T>;
    report.lambda_max = not_a_number<T>;
    best_dual_ = T(0);  // no term of the objective is negative
    report.kkt_residual = not_a_number<T>;
    monitor_.begin();
    fill(m.best, coefficients(), T(0));
    fill(m.best_b, outputs, T(0));
  }

  /// out ← Aw + b, rows of w that are zero cost nothing.
  [[gnu::noinline]] void multiply(const T* w, const T* b, T* out) {
    Index count = 0;
    for (Index j = 0; j < shape.features; ++j) {
      const T* row = row_of(w, j, outputs);
      bool any = false;
      for (Index k = 0; k < shape.classes && !any; ++k) any = row[k] != T(0);
      if (any) m.list[count++] = j;
    }
    design.multiply(m.list, count, w, outputs, b, out);
  }
  /// g ← Aᵀu.
  void transposed(const T* u) { design.transposed_multiply(nullptr, shape.features, u, outputs, m.g); }

  /// Of sample i.
  T loss_of(const T* z, Index i) const { return loss.value(z, shape.classes, labels[i], T(1)); }
  /// Scores in u become slopes of the loss.
  [[gnu::noinline]] void take_slopes() {
    for (Index i = 0; i < shape.samples; ++i) {
      T* z = row_of(m.u, i, outputs);
      copy(static_cast<const T*>(z), outputs, m.row);
      loss.gradient(m.row, shape.classes, labels[i], T(1), T(1), z);
    }
  }

  // ---- certificates -------------------------------------------------------------------------------------------------

  /// Offers a model with the intercepts in b; leaves its scores in u.
  [[gnu::noinline]] void offer_model(const T* candidate) {
    ++certificates;
    multiply(candidate, m.b, m.u);
    Sum<T> total;
    T size = 0;
    for (Index i = 0; i < shape.samples; ++i) {
      total.add(loss_of(row_of(m.u, i, outputs), i));
      for (Index k = 0; k < shape.classes; ++k) size += absolute(row_of(m.u, i, outputs)[k]);
    }
    total.add(penalty.value(rows(candidate), kernels));
    const T objective = total.value() / T(shape.samples);
    if (!finite(size) || !(objective < report.objective)) return;  // scores that are no numbers violate no margin
    report.objective = objective;
    report.nonzeros = report.nonzero_rows = 0;
    for (Index j = 0; j < shape.features; ++j) {
      Index here = 0;
      for (Index k = 0; k < shape.classes; ++k) here += row_of(candidate, j, outputs)[k] != T(0);
      report.nonzeros += here;
      report.nonzero_rows += here > 0;
    }
    copy(candidate, coefficients(), m.best);
    copy(static_cast<const T*>(m.b), outputs, m.best_b);
  }

  /// Offers what is in u, up to rounding a slope of the loss for each sample, as a dual point: with intercepts its
  /// columns are made to add up to zero, and it is scaled. Returns its gauge, NaN where Aᵀu has left the range of T;
  /// leaves that in g.
  [[gnu::noinline]] T offer_slopes() {
    for (Index i = 0; i < shape.samples; ++i)
      loss.enter_domain(row_of(m.u, i, outputs), shape.classes, labels[i], T(1));
    if (options.intercept) make_dual_feasible(loss, targets(), m.u, outputs, m.row, m.second_row);
    Sum<T> linear, quadratic;
    for (Index i = 0; i < shape.samples; ++i) {
      const auto terms = loss.dual_terms(row_of(m.u, i, outputs), shape.classes, labels[i], T(1), T(1));
      linear.add(terms.linear);
      quadratic.add(terms.quadratic);
    }
    transposed(m.u);
    if (!has_products()) return not_a_number<T>;
    const Rows<const T> products = rows(static_cast<const T*>(m.g));
    const T gauge = penalty.gauge(products, kernels);
    quadratic.add(penalty.conjugate(products, kernels));
    if (!(quadratic.value() > T(0))) return gauge;
    const T top = linear.value() / (T(2) * quadratic.value());  // the value at the scale s: s·linear − s²·quadratic
    const T s = gauge * top > T(1) ? T(1) / gauge : top;
    if (s > T(0)) best_dual_ = largest(best_dual_, s * linear.value() - s * s * quadratic.value());
    return gauge;
  }

  /// Whether what is in g are numbers, which largest entries and thresholds would pass over.
  bool has_products() const {
    T size = 0;
    for (std::size_t e = 0; e < coefficients(); ++e) size += absolute(m.g[e]);
    return finite(size);
  }

  /// The model of zeros with its best intercepts, its gap, and the λ from which it is the answer: infinite for q = 2,
  /// unknown where the intercepts are.
  [[gnu::noinline]] void certify_zero(T* zero) {
    const bool known = take_null_intercepts();
    fill(zero, coefficients(), T(0));
    offer_model(zero);
    take_slopes();
    const T gauge = offer_slopes();
    if (penalty.q == 2) report.lambda_max = infinity<T>;
    else if (known) report.lambda_max = options.lambda * gauge;
    check_convergence();
  }

  /// The gap of the best model and the best dual point, and whether it is small enough.
  void check_convergence() {
    report.dual_objective = best_dual_ / T(shape.samples);
    monitor_.conclude(report, options.tolerance);
  }
  /// At the iteration limit.
  void end_at_limit() {
    if (running()) report.status = Status::iteration_limit;
  }
  bool valid_lambda(T lambda) const { return lambda > T(0) && finite(lambda); }

  KernelCoefficients<T> view(const T* coefficients, const T* intercepts) const {
    if (!has_model(report.status)) return {};
    return {coefficients, intercepts, shape.samples, kernels, shape.classes};
  }

  Design design;
  std::span<const Label> labels;
  Options<T> options;
  Shape shape;
  Index kernels;
  MixedNorm<T> penalty;
  KernelLoss loss;
  Memory m{};
  Index outputs = 0;  ///< of a row of coefficients or scores
  Report<T> report{};
  std::uint32_t certificates = 0;

 private:
  Targets<T> targets() const {
    Targets<T> out{labels, shape.classes};
    out.normalise();
    return out;
  }
  /// b ← the best intercepts of the model without coefficients. False: they may be others.
  bool take_null_intercepts() {
    fill(m.b, outputs, T(0));
    if (!options.intercept) return true;
    loss.guess_intercepts(targets(), m.b);
    T low = m.b[0], high = m.b[0];
    for (Index k = 1; k < shape.classes; ++k) {
      low = smallest(low, m.b[k]);
      high = largest(high, m.b[k]);
    }
    return high - low <= T(1);
  }

  T best_dual_ = T(0);
  GapMonitor<T> monitor_;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
