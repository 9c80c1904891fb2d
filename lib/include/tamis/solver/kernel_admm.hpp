#pragma once
/// Classification with several kernels, positive or not: splitting in the space of samples.

#include <utility>

#include "admm_core.hpp"
#include "kernel_entries_newton.hpp"
#include "kernel_groups_newton.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Minimises (1/n) Σᵢ ℓ(f(xᵢ), yᵢ) + (λ/q)‖α‖_{pq;r}^q, f_k(x) = b_k + Σ_tl α_tlk k_t(x_l, x), by the squared hinge:
/// `classes` 1 for two classes with labels 0 and 1, else K scores. `design` holds the kernels' matrices K_t[l, i] =
/// k_t(x_l, x_i), row-major, one after the other: feature t·n + l. They need not be positive definite or symmetric. λ
/// is that of the options. η and other margins than 1 are refused, working sets are not needed.
///
/// With p = 1, whose models have few coefficients, KernelEntriesNewton starts from zeros, or the model of the λ before
/// (not for p = 1, q = 2, r = 1, which keeps all samples). Where it does not end the run, and for p = 2: over-relaxed
/// splitting between the loss and the penalty, and between the scores and what the loss sees. With A = [K_1ᵀ … K_τᵀ]
/// the step on α is one system in n unknowns with a cached Cholesky factor of AAᵀ + κ. The multipliers of the scores
/// are slopes of the loss, a dual point that the certificate scales. κ and the weight of the scores are balanced now
/// and then. Once iterations have cost as much as it may, Newton's method (KernelGroupsNewton for p = 2) tries to end
/// the run from where they are; where it does not, they go on from the best that it has come to. The steps of Newton's
/// method count as iterations too.
///
/// Memory: `requirement(shape)`: 4n² + 8n·τ·K + 11n·K entries and some 90 per sample, rows padded to vectors. Cost of
/// an iteration: 2K·n²·(τ + 1) flops, as much again while α is not sparse, and n³/3 when κ changes. Source: Kowalski et
/// al. (2009), problem (2); Boyd et al. (2011).
/// Without `with_newton` there are the iterations alone, for comparison.
template <class T, bool with_newton = true>
class KernelAdmm {
  using Workspace = KernelWorkspace<T>;

 public:
  KernelAdmm(const DenseDesign<T>& design, std::span<const Label> labels, Index kernels, Index classes,
             const MixedNorm<T>& norm, const Options<T>& options)
      : workspace_(design, labels, kernels, classes, norm, options) {}

  /// Bytes that `start` needs: `shape.features` is n·τ, `shape.classes` 1 for two classes with one score.
  static constexpr Requirement requirement(Shape shape) { return count_bytes<Memory>(shape); }

  void set_lambda(T lambda) { workspace_.options.lambda = lambda; }
  /// Checks the problem, takes its memory and certifies the model of zeros. False: it has ended.
  bool start(std::span<std::byte> memory) {
    if (!workspace_.validate(memory, requirement(workspace_.shape))) return false;
    Arena arena(memory);
    m_ = Memory::lay_out(arena, workspace_.shape);
    workspace_.bind(m_.common, arena.used());
    const std::size_t square = std::size_t(workspace_.shape.samples) * padded<T>(workspace_.shape.samples);
    core_.bind(m_.split, workspace_.shape, m_.w, workspace_.coefficients(), m_.newton.squares,
               m_.newton.squares + square);
    fill(m_.old, workspace_.coefficients(), T(0));
    core_.kappa = core_.rho = spent_ = next_finish_ = T(0);
    fresh_ = true;
    has_gram_ = factored_ = false;
    workspace_.certify_zero(m_.z);
    return running();
  }
  /// Goes on with another λ from where a run has ended: see WarmStarted.
  bool warm_start(T lambda) {
    if (!m_.z || !workspace_.has_point()) return false;
    if (!workspace_.begin_again(lambda)) return false;
    next_finish_ = spent_;
    fresh_ = true;
    workspace_.offer_model(m_.z);
    workspace_.take_slopes();
    workspace_.offer_slopes();
    workspace_.check_convergence();
    return running();
  }

  /// One iteration, certificates included; false when the run has ended.
  bool step() {
    if (!running()) return false;
    auto& report = workspace_.report;
    if (std::exchange(fresh_, false) && by_entries() && !(workspace_.penalty.q == 2 && workspace_.penalty.r == 1)) {
      finish(infinity<T>);
      if (report.iterations >= workspace_.options.max_iterations) workspace_.end_at_limit();
      return running();
    }
    if (!prepare()) return false;
    const bool last = ++report.iterations >= workspace_.options.max_iterations;
    const bool look = last || report.iterations % (report.iterations < 100 ? 5 : 10) == 0;
    report.epochs += T(1);
    step_coefficients();
    core_.step_scores(workspace_.loss, workspace_.labels, m_.x, m_.common.row);
    const T n = T(workspace_.shape.samples);
    spent_ += T(2) * T(workspace_.shape.classes) * n * (T(2) * T(workspace_.shape.features) + n);
    const bool weigh = report.iterations % (report.iterations < 100 ? 10 : 40) == 0 && report.iterations <= 2000;
    const T imbalance = weigh ? compare_residuals() : T(1);
    if (look) {
      certify();
      if (running() && spent_ > next_finish_ &&
          (workspace_.penalty.p == workspace_.penalty.q || report.relative_gap < T(2e-2) || report.iterations > 100))
        finish(spent_);
      if (report.iterations >= workspace_.options.max_iterations) workspace_.end_at_limit();
    }
    if (weigh && running()) rebalance_penalty(imbalance);
    return running();
  }

  bool running() const { return workspace_.running(); }
  /// Ends the run with the model found so far.
  void stop() {
    if (running()) workspace_.report.status = Status::stopped;
  }

  const Report<T>& report() const { return workspace_.report; }
  std::uint32_t certificates() const { return workspace_.certificates; }
  /// The model of the smallest objective seen.
  KernelCoefficients<T> model() const { return workspace_.view(m_.common.best, m_.common.best_b); }

 private:
  struct Memory {
    typename Workspace::Memory common;
    T *z, *w, *old;  ///< coefficients, scaled multipliers, the coefficients before: features × outputs
    KernelNewtonMemory<T> newton;
    typename AdmmCore<T>::Memory split;  ///< AAᵀ and the factor are squares of the memory before
    T* x;                                ///< scratch: samples × outputs

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      using detail::saturating_multiply;
      Memory m{};
      m.common = Workspace::Memory::lay_out(arena, shape);
      const std::size_t outputs = padded<T>(shape.classes);
      for (T** all : {&m.z, &m.w, &m.old}) *all = arena.take<T>(saturating_multiply(shape.features, outputs));
      m.newton = KernelNewtonMemory<T>::lay_out(arena, shape);
      m.split = AdmmCore<T>::Memory::lay_out(arena, shape);
      m.x = arena.take<T>(saturating_multiply(shape.samples, outputs));
      return m;
    }
  };

  bool by_entries() const { return workspace_.penalty.p == 1; }

  /// What an iteration needs. False when the run has ended.
  bool prepare() {
    if (!has_gram_) take_gram();
    if (core_.rho == T(0)) {
      const T start = workspace_.penalty.p == 1 && workspace_.penalty.q == 1 ? T(1) : T(0.01);
      core_.rho = core_.kappa = largest(start * mean_square_, T(1e-6));
      if (by_entries()) {  // from where Newton's method ended
        workspace_.multiply(m_.z, m_.common.b, m_.common.u);
        workspace_.take_slopes();
        move(m_.z);
      }
    }
    if (factored_) return true;
    factored_ = core_.take_factor(mean_square_, workspace_.options.intercept);
    if (!factored_) GapMonitor<T>::end_for_rounding(workspace_.report);
    return factored_;
  }
  [[gnu::noinline]] void take_gram() {
    const Index n = workspace_.shape.samples, width = core_.width;
    T* const gram = m_.newton.squares;
    fill(gram, std::size_t(n) * width, T(0));
    m_.newton.gram.begin(n, width, gram);
    for (Index j = 0; j < workspace_.shape.features; ++j) {
      const T* column = workspace_.design.column(j).values;
      m_.newton.gram.add(T(1), [column](Index i) { return column[i]; });
    }
    m_.newton.gram.flush();
    Sum<T> trace;
    for (Index i = 0; i < n; ++i) trace.add(row_of(gram, i, width)[i]);
    mean_square_ = trace.value() / T(n);
    has_gram_ = true;
    const T rows = T(n);
    spent_ += rows * rows * T(workspace_.shape.features);
  }

  // ---- an iteration -------------------------------------------------------------------------------------------------

  /// u ← (AAᵀ + κ)⁻¹ of what scores lack, and the intercepts.
  [[gnu::noinline]] void solve() {
    const Index n = workspace_.shape.samples, outputs = workspace_.outputs;
    T* const u = m_.common.u;
    T* const b = m_.common.b;
    const auto& split = m_.split;
    for (std::size_t e = 0; e < workspace_.scores(); ++e)
      u[e] = (split.s[e] - split.ws[e]) - (split.sz[e] - split.sw[e]);
    if (workspace_.binary()) {
      for (Index i = 0; i < n; ++i) split.right[i] = row_of(u, i, outputs)[0];
      b[0] = core_.solve(split.right, workspace_.options.intercept);
      for (Index i = 0; i < n; ++i) row_of(u, i, outputs)[0] = split.right[i];
      return;
    }
    solve_cholesky_rows(static_cast<const T*>(core_.factor), n, core_.width, u, outputs);
    if (!workspace_.options.intercept) return;
    column_sums(static_cast<const T*>(u), n, outputs, b);
    for (Index k = 0; k < outputs; ++k) b[k] /= core_.sum_of_ones;
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < outputs; ++k) row_of(u, i, outputs)[k] -= b[k] * split.ones[i];
  }

  [[gnu::noinline]] void step_coefficients() {
    solve();
    workspace_.transposed(m_.common.u);
    const std::size_t count = workspace_.coefficients();
    T* const x = m_.common.g;
    copy(static_cast<const T*>(m_.z), count, m_.old);
    for (std::size_t e = 0; e < count; ++e) x[e] += m_.z[e] - m_.w[e];
    core_.relax(x, m_.z, m_.w, count);
    workspace_.penalty.prox(workspace_.rows(m_.z), workspace_.kernels, T(1) / core_.rho);
    for (std::size_t e = 0; e < count; ++e) m_.w[e] -= m_.z[e];

    T* const next = m_.x;
    workspace_.multiply(m_.z, m_.common.zeros, next);
    const T* const b = m_.common.b;
    const auto& split = m_.split;
    for (Index i = 0; i < workspace_.shape.samples; ++i)
      for (Index k = 0; k < workspace_.outputs; ++k) {
        const std::size_t e = std::size_t(i) * workspace_.outputs + k;
        const T all = split.s[e] - split.ws[e] - core_.kappa * m_.common.u[e], own = all - b[k];
        split.sw[e] += core_.relaxation * own - (core_.relaxation - T(1)) * split.sz[e] - next[e];
        split.sz[e] = next[e];
        m_.x[e] = all;
      }
  }

  [[gnu::noinline]] T compare_residuals() const {
    SplitResiduals<T> of_coefficients;
    for (std::size_t e = 0; e < workspace_.coefficients(); ++e)
      of_coefficients.add(m_.common.g[e], m_.z[e], m_.old[e], m_.w[e]);
    return of_coefficients.imbalance();
  }
  void rebalance_penalty(T imbalance) {
    if (!core_.rebalance(imbalance, core_.of_scores.imbalance())) return;
    const T least = T(4) * epsilon<T> * mean_square_ * T(workspace_.shape.samples);  // what rounding leaves of a factor
    if (core_.kappa < least) {
      core_.scale_rho(least / core_.kappa);
      core_.kappa = least;
    }
    factored_ = false;
  }

  /// The gap of z, with the multipliers of the scores as a dual point.
  [[gnu::noinline]] void certify() {
    T* const u = m_.common.u;
    workspace_.offer_model(m_.z);
    for (std::size_t e = 0; e < workspace_.scores(); ++e) u[e] = core_.rho_scores * m_.split.ws[e];
    workspace_.offer_slopes();
    workspace_.check_convergence();
  }

  /// Goes on from the coefficients `to`, the intercepts in b and the dual point in common.u.
  [[gnu::noinline]] void move(const T* to) {
    const T* const u = m_.common.u;
    copy(to, workspace_.coefficients(), m_.z);
    for (std::size_t e = 0; e < workspace_.scores(); ++e) m_.split.ws[e] = u[e] / core_.rho_scores;
    workspace_.transposed(u);
    for (std::size_t e = 0; e < workspace_.coefficients(); ++e) m_.w[e] = -m_.common.g[e] / core_.rho;
    workspace_.multiply(m_.w, m_.common.zeros, m_.split.sw);
    workspace_.multiply(m_.z, m_.common.zeros, m_.split.sz);
    workspace_.multiply(m_.z, m_.common.b, m_.split.s);
  }

  /// From the best model so far.
  [[gnu::noinline]] void finish(T budget) {
    if constexpr (!with_newton) return;
    copy(static_cast<const T*>(m_.common.best_b), workspace_.outputs, m_.common.b);
    if (by_entries()) {
      KernelEntriesNewton<T> newton(workspace_, m_.newton);
      newton.run(m_.common.best, budget);
      has_gram_ = false;
      go_on_from(newton);
    } else {
      KernelGroupsNewton<T> newton(workspace_, m_.newton, m_.old, T(1) / core_.rho);
      newton.run(m_.common.best, budget);
      go_on_from(newton);
    }
    factored_ = false;
  }
  template <class Newton>
  void go_on_from(Newton& newton) {
    const T n = T(workspace_.shape.samples);
    spent_ += newton.flops();
    next_finish_ = T(1.5) * spent_ + n * n * n / T(3);
    if (!newton.take_end()) return;
    if (core_.rho > T(0)) move(m_.newton.point);
    else copy(static_cast<const T*>(m_.newton.point), workspace_.coefficients(), m_.z);
  }

  Workspace workspace_;
  Memory m_{};
  AdmmCore<T> core_;
  T spent_ = T(0);        ///< flops of the iterations
  T next_finish_ = T(0);  ///< where Newton's method is tried again
  bool fresh_ = true;     ///< no step has been made
  bool has_gram_ = false, factored_ = false;
  T mean_square_ = T(0);
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
