#pragma once
/// Regression and classification with hierarchical interactions: splitting in the space of samples, then Newton's
/// method.

#include "interaction_newton.hpp"
#include "interaction_workspace.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Minimises (1/n) Σᵢ ℓ(z(xᵢ), yᵢ) + Σ_k Ω(v_k, Θ_k), z_k(x) = b_k + v_kᵀx + xᵀΘ_k x: a HierarchicalPenalty with λ₁ = λ
/// of the options and λ₂ = `lambda2`; Θ_k symmetric when the hierarchy is strong. The norm ridge is for full and main.
/// η and other margins than 1 are refused, working sets are not needed.
///
/// Over-relaxed splitting between the loss and the rows of Ω. With A the map from (v, Θ) to scores, AAᵀ = K = G∘(G +
/// 1), G = XXᵀ, so that the step on the loss is one system in n unknowns with a cached Cholesky factor of K + κ, and
/// pairs of features are never formed: Aᵀu = Xᵀ diag(u) [X 1]. The residual of that system is a dual point, whose
/// products with A are already there: the certificate scales it until Ω's dual norm allows it. κ is balanced now and
/// then. Once iterations have cost as much as it would, InteractionNewton tries to end the run on the face of Ω that
/// they have reached; where that is not the right one yet, they go on.
///
/// Memory: `requirement(shape)`: (5K + 1)N² + 3n·N + 2n² + a few n·K entries, rows padded to vectors. Cost of an
/// iteration: K·n·N² + 2K·n² flops, twice that while Θ is not sparse, and n³/3 when κ changes. Source: Jiu et al.
/// (2020), problems (3)–(4) and (14)–(15); Boyd et al. (2011).
template <class T>
class InteractionAdmm {
 public:
  InteractionAdmm(const DenseDesign<T>& design, const InteractionTargets<T>& targets, Hierarchy hierarchy,
                  HierarchyNorm norm, T lambda2, const Options<T>& options)
      : workspace_(design, targets, hierarchy, norm, lambda2, options) {}
  InteractionAdmm(const InteractionAdmm&) = delete;
  InteractionAdmm& operator=(const InteractionAdmm&) = delete;

  /// Bytes that `start` needs; `shape.classes` is 1 for a regression.
  static constexpr Requirement requirement(Shape shape) { return InteractionWorkspace<T>::requirement(shape); }

  /// Another λ than that of the options, before `start`; λ₂ stays.
  void set_lambda(T lambda) { workspace_.options.lambda = lambda; }
  /// Checks the problem, takes its memory and certifies the model of zeros. False: it has ended.
  bool start(std::span<std::byte> memory) {
    if (!workspace_.prepare(memory)) return false;
    core_.bind(m_.split, workspace_.shape, m_.w, workspace_.coefficients(), m_.gram, m_.factor);
    fill(m_.z, workspace_.coefficients(), T(0));
    fill(m_.u, workspace_.scores(), T(0));
    fill(m_.b, workspace_.outputs, T(0));
    // With ridge the first step solves a regression.
    core_.kappa = workspace_.penalty.ridge()
                      ? largest(workspace_.penalty.lambda1, T(16) * epsilon<T> * workspace_.mean_square)
                      : largest(T(0.1) * workspace_.mean_square, T(1e-6));
    workspace_.weight = core_.rho = core_.kappa;
    certify_zero();
    if (running()) factor();
    return running();
  }
  /// Goes on with another λ from where a run is: see WarmStarted. λ₂ changes in the same ratio, unless it is given.
  bool warm_start(T lambda) {
    const T ratio = workspace_.options.lambda > T(0) ? lambda / workspace_.options.lambda : T(1);
    return warm_start(lambda, ratio * workspace_.lambda2());
  }
  bool warm_start(T lambda, T lambda2) {
    const Status status = workspace_.report.status;
    if (!m_.z || !(has_model(status) || (status == Status::invalid_lambda && certificates() > 0))) return false;
    if (!valid(lambda, lambda2)) {
      workspace_.report.status = Status::invalid_lambda;
      return false;
    }
    workspace_.begin(lambda, lambda2);
    next_finish_ = spent_;
    certify(false);
    if (running()) factor();  // Newton's method may have ended the last run
    return running();
  }
  /// Whether these are weights of the problem.
  bool valid(T lambda, T lambda2) const { return workspace_.valid_lambdas(lambda, lambda2); }

  /// One iteration, certificates included; false when the run has ended.
  bool step() {
    if (!running()) return false;
    auto& report = workspace_.report;
    const bool last = ++report.iterations >= workspace_.options.max_iterations;
    const bool look = last || report.iterations % (report.iterations < 100 ? 5 : 10) == 0;
    report.epochs += T(1);
    of_coefficients_ = {};
    for (Index k = 0; k < workspace_.shape.classes; ++k) step_coefficients(k, look && workspace_.regression());
    if (!workspace_.regression())
      core_.step_scores(workspace_.targets.loss, workspace_.targets.labels, m_.u, m_.row[1]);
    const T n = T(workspace_.shape.samples), p = T(workspace_.shape.features);
    spent_ += T(workspace_.shape.classes) * n * (T(2) * p * p + T(2) * n);
    if (look) {
      certify(true);
      if (running() && has_faces() && spent_ > next_finish_ && report.relative_gap < T(0.1)) finish();
      if (last && running()) report.status = Status::iteration_limit;
    }
    if (running() && report.iterations % 40 == 0 && report.iterations <= 2000) rebalance_penalty();
    return running();
  }

  bool running() const { return workspace_.running(); }
  /// Ends the run with the model found so far.
  void stop() {
    if (running()) workspace_.report.status = Status::stopped;
  }

  const Report<T>& report() const { return workspace_.report; }
  std::uint32_t certificates() const { return workspace_.certificates; }
  /// lambda_max of the report, and of classes with intercepts, which have none, about where it would be; of ridge the
  /// mean square of what a score is made of, beside which coefficients are small.
  T first_lambda() const { return first_lambda_; }
  /// The model of the smallest objective seen.
  InteractionModel<T> model() const {
    return has_model(workspace_.report.status)
               ? InteractionModel<T>{m_.best, m_.best_b, workspace_.shape.features, workspace_.shape.classes}
               : InteractionModel<T>{};
  }

 private:
  /// Groups and squares are curved.
  bool has_faces() const {
    return !workspace_.penalty.ridge() && (!workspace_.tied() || workspace_.penalty.norm != HierarchyNorm::l2);
  }

  [[gnu::noinline]] void factor() {
    const bool there_is_one = core_.take_factor(workspace_.mean_square, workspace_.options.intercept);
    workspace_.weight = core_.rho;
    if (!there_is_one) GapMonitor<T>::end_for_rounding(workspace_.report);
  }

  // ---- an iteration -------------------------------------------------------------------------------------------------

  [[gnu::noinline]] void step_coefficients(Index k, bool look) {
    const Index n = workspace_.shape.samples, p = workspace_.shape.features, outputs = workspace_.outputs,
                stride = workspace_.stride;
    const auto& split = m_.split;
    T* u = split.right;
    const auto target = [&](Index i) {
      return workspace_.regression() ? workspace_.value(i)
                                     : row_of(split.s, i, outputs)[k] - row_of(split.ws, i, outputs)[k];
    };
    for (Index i = 0; i < n; ++i)
      u[i] = target(i) - (row_of(split.sz, i, outputs)[k] - row_of(split.sw, i, outputs)[k]);
    const T b = m_.b[k] = core_.solve(u, workspace_.options.intercept);
    workspace_.transposed(u, 1);
    if (look) workspace_.offer_values(u, core_.rho, m_.z, few_sweeps);
    add_centre(k);
    T* const z = workspace_.matrix(m_.z, k);
    T* const w = workspace_.matrix(m_.w, k);
    const T step = T(1) / core_.rho;
    for (Index j = 0; j < p; ++j) {
      const T* x = row_of(m_.g, j, stride);
      T* z_row = row_of(z, j, stride);
      T* w_row = row_of(w, j, stride);
      T* old = m_.row[1];
      copy(static_cast<const T*>(z_row), p + 1, old);
      core_.relax(x, z_row, w_row, p + 1);
      workspace_.penalty.prox(z_row, p, step);
      for (Index l = 0; l <= p; ++l) {
        w_row[l] -= z_row[l];
        of_coefficients_.add(x[l], z_row[l], old[l], w_row[l]);
      }
    }
    workspace_.multiply(z, m_.spare, 1);
    for (Index i = 0; i < n; ++i) {
      const T x = target(i) - b - core_.kappa * u[i];
      T& sz = row_of(split.sz, i, outputs)[k];
      T& sw = row_of(split.sw, i, outputs)[k];
      const T next = m_.spare[i];
      sw = core_.relaxation * x - (core_.relaxation - T(1)) * sz + sw - next;
      sz = next;
      if (!workspace_.regression()) row_of(m_.u, i, outputs)[k] = x + b;
    }
  }
  /// g += z − w, made symmetric where that is asked for.
  [[gnu::noinline]] void add_centre(Index k) {
    const Index p = workspace_.shape.features, stride = workspace_.stride;
    const T* z = workspace_.matrix(m_.z, k);
    const T* w = workspace_.matrix(m_.w, k);
    for (Index j = 0; j < p; ++j) {
      T* g = row_of(m_.g, j, stride);
      const T* z_row = row_of(z, j, stride);
      const T* w_row = row_of(w, j, stride);
      if (workspace_.penalty.hierarchy == Hierarchy::main) {
        fill(g, p, T(0));
        g[p] += z_row[p] - w_row[p];
      } else if (!workspace_.symmetric()) {
        for (Index l = 0; l <= p; ++l) g[l] += z_row[l] - w_row[l];
      } else {
        for (Index l = 0; l < p; ++l)
          g[l] += T(0.5) * ((z_row[l] - w_row[l]) + (row_of(z, l, stride)[j] - row_of(w, l, stride)[j]));
        g[p] += z_row[p] - w_row[p];
      }
    }
  }

  void rebalance_penalty() {
    const T by_of_scores = workspace_.regression() ? T(1) : core_.of_scores.imbalance();
    if (core_.rebalance(of_coefficients_.imbalance(), by_of_scores)) factor();
  }

  // ---- certificates -------------------------------------------------------------------------------------------------

  /// g ← the coefficients of z as a model. Strong: symmetric, products of kept rows alone.
  [[gnu::noinline]] void take_candidate(Index k) {
    const Index p = workspace_.shape.features, stride = workspace_.stride;
    const T* z = workspace_.matrix(m_.z, k);
    copy(z, workspace_.matrix_size(), m_.g);
    T* kept = m_.row[0];
    for (Index j = 0; j < p && workspace_.symmetric(); ++j) {
      kept[j] = T(0);
      for (Index l = 0; l <= p; ++l)
        if (row_of(z, j, stride)[l] != T(0)) kept[j] = T(1);
    }
    for (Index j = 0; j < p && workspace_.symmetric(); ++j)
      for (Index l = 0; l < j; ++l) {
        const T mean = T(0.5) * (row_of(z, j, stride)[l] + row_of(z, l, stride)[j]);
        row_of(m_.g, j, stride)[l] = row_of(m_.g, l, stride)[j] = kept[j] * kept[l] * mean;
      }
    workspace_.keep_main_effects();
  }

  /// The model of z; of classes, with `dual`, the multipliers of the scores as a dual point, for which −∂f ∋ u.
  [[gnu::noinline]] void certify(bool dual) {
    ++workspace_.certificates;
    if (dual && !workspace_.regression()) {
      for (std::size_t e = 0; e < workspace_.scores(); ++e) m_.u[e] = core_.rho_scores * m_.split.ws[e];
      workspace_.offer_slopes(m_.z, few_sweeps);
    }
    workspace_.offer_model([this](Index k) { take_candidate(k); });
    workspace_.check_convergence();
  }

  /// The model of zeros, its gap, and the λ from which, with λ₂ in the same proportion, it is the answer: for strong an
  /// upper bound; none for classes with intercepts.
  [[gnu::noinline]] void certify_zero() {
    const Index n = workspace_.shape.samples;
    T worst = T(1);
    for (int round = 0; round < 4; ++round) {  // how an excess is shared depends on the scale
      T gauge = 0;
      if (workspace_.regression()) {
        fill(m_.u, workspace_.scores(), T(0));
        workspace_.take_intercept();
        for (Index i = 0; i < n; ++i) m_.split.right[i] = (workspace_.value(i) - m_.b[0]) / worst;
        workspace_.transposed(m_.split.right, 1);
        gauge = workspace_.offer_values(m_.split.right, T(1), m_.z, many_sweeps);
      } else {
        fill(m_.u, workspace_.scores(), T(2) / worst);
        gauge = workspace_.offer_slopes(m_.z, many_sweeps);
      }
      worst *= gauge;
      if (!(gauge > T(1))) break;
    }
    const bool known = workspace_.regression() || !workspace_.options.intercept;
    certify(false);
    first_lambda_ = workspace_.penalty.ridge() ? workspace_.mean_square : workspace_.options.lambda * worst;
    if (known && !workspace_.penalty.ridge()) workspace_.report.lambda_max = first_lambda_;
  }

  [[gnu::noinline]] void finish() {
    InteractionNewton<T> newton(workspace_, T(1) / core_.rho);
    newton.run(spent_);
    const T n = T(workspace_.shape.samples);
    next_finish_ = spent_ + newton.flops() + n * n * n / T(3);
    if (running()) workspace_.check_convergence();  // its last models may be better than what was judged
    if (running()) factor();
  }

  static constexpr int few_sweeps = 10, many_sweeps = 1000;

  InteractionWorkspace<T> workspace_;
  InteractionMemory<T>& m_ = workspace_.m;
  AdmmCore<T> core_;
  SplitResiduals<T> of_coefficients_;
  T first_lambda_ = not_a_number<T>;
  T spent_ = T(0);        ///< flops of the iterations
  T next_finish_ = T(0);  ///< as many as the last finish took lie between two of them
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
