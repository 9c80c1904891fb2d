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
  void set_lambda(T lambda) { workspace_.options.lambda = workspace_.penalty.lambda1 = lambda; }
  /// Checks the problem, takes its memory and certifies the model of zeros. False: it has ended.
  bool start(std::span<std::byte> memory) {
    if (!workspace_.prepare(memory)) return false;
    for (T* matrix : {m_.z, m_.w}) fill(matrix, workspace_.coefficients(), T(0));
    for (T* scores : {m_.sz, m_.sw, m_.s, m_.ws, m_.u}) fill(scores, workspace_.scores(), T(0));
    fill(m_.b, workspace_.outputs, T(0));
    rho_scores_ = T(1);
    // With ridge the first step solves a regression.
    kappa_ = workspace_.penalty.ridge()
                 ? largest(workspace_.penalty.lambda1, T(16) * epsilon<T> * workspace_.mean_square)
                 : largest(T(0.1) * workspace_.mean_square, T(1e-6));
    workspace_.weight = rho_ = kappa_;
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
    primal_ = dual_ = x_size_ = w_size_ = T(0);
    for (Index k = 0; k < workspace_.shape.classes; ++k) step_coefficients(k, look && workspace_.regression());
    if (!workspace_.regression()) step_scores();
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
    const Index n = workspace_.shape.samples;
    copy(static_cast<const T*>(m_.gram), std::size_t(n) * workspace_.width, m_.factor);
    for (Index i = 0; i < n; ++i) row_of(m_.factor, i, workspace_.width)[i] += kappa_;
    if (!factor_cholesky(m_.factor, n, workspace_.width)) {  // rounding has outgrown κ
      kappa_ *= T(10);
      scale_rho(T(10));
      if (kappa_ < T(1e3) * workspace_.mean_square) return factor();
      GapMonitor<T>::end_for_rounding(workspace_.report);
      return;
    }
    if (workspace_.options.intercept) {
      fill(m_.ones, n, T(1));
      solve_cholesky(static_cast<const T*>(m_.factor), n, workspace_.width, m_.ones);
    }
  }

  // ---- an iteration -------------------------------------------------------------------------------------------------

  [[gnu::noinline]] void step_coefficients(Index k, bool look) {
    const Index n = workspace_.shape.samples, p = workspace_.shape.features, outputs = workspace_.outputs,
                stride = workspace_.stride;
    T* u = m_.right;
    const auto target = [&](Index i) {
      return workspace_.regression() ? workspace_.value(i) : row_of(m_.s, i, outputs)[k] - row_of(m_.ws, i, outputs)[k];
    };
    for (Index i = 0; i < n; ++i) u[i] = target(i) - (row_of(m_.sz, i, outputs)[k] - row_of(m_.sw, i, outputs)[k]);
    solve_cholesky(static_cast<const T*>(m_.factor), n, workspace_.width, u);
    T b = 0;
    if (workspace_.options.intercept) {
      Sum<T> sum, ones;
      for (Index i = 0; i < n; ++i) {
        sum.add(u[i]);
        ones.add(m_.ones[i]);
      }
      b = sum.value() / ones.value();
      for (Index i = 0; i < n; ++i) u[i] -= b * m_.ones[i];
    }
    m_.b[k] = b;
    workspace_.transposed(u, 1);
    if (look) workspace_.offer_values(u, rho_, m_.z, few_sweeps);
    add_centre(k);
    T* const z = workspace_.matrix(m_.z, k);
    T* const w = workspace_.matrix(m_.w, k);
    const T step = T(1) / rho_;
    for (Index j = 0; j < p; ++j) {
      const T* x = row_of(m_.g, j, stride);
      T* z_row = row_of(z, j, stride);
      T* w_row = row_of(w, j, stride);
      T* old = m_.row[1];
      for (Index l = 0; l <= p; ++l) {
        old[l] = z_row[l];
        z_row[l] = relaxation * x[l] - (relaxation - T(1)) * z_row[l] + w_row[l];
        w_row[l] = z_row[l];
      }
      workspace_.penalty.prox(z_row, p, step);
      for (Index l = 0; l <= p; ++l) {
        w_row[l] -= z_row[l];
        primal_ += (x[l] - z_row[l]) * (x[l] - z_row[l]);
        dual_ += (z_row[l] - old[l]) * (z_row[l] - old[l]);
        x_size_ += x[l] * x[l];
        w_size_ += w_row[l] * w_row[l];
      }
    }
    workspace_.multiply(z, m_.spare, 1);
    for (Index i = 0; i < n; ++i) {
      const T x = target(i) - b - kappa_ * u[i];
      T& sz = row_of(m_.sz, i, outputs)[k];
      T& sw = row_of(m_.sw, i, outputs)[k];
      const T next = m_.spare[i];
      sw = relaxation * x - (relaxation - T(1)) * sz + sw - next;
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

  /// s ← the proximity operator of the loss, and its multipliers.
  [[gnu::noinline]] void step_scores() {
    const Index classes = workspace_.shape.classes, outputs = workspace_.outputs;
    primal_scores_ = dual_scores_ = scores_size_ = multipliers_size_ = T(0);
    for (Index i = 0; i < workspace_.shape.samples; ++i) {
      const T* x = row_of(m_.u, i, outputs);
      T* s = row_of(m_.s, i, outputs);
      T* w = row_of(m_.ws, i, outputs);
      T* old = m_.row[1];
      for (Index k = 0; k < classes; ++k) {
        old[k] = s[k];
        w[k] = relaxation * x[k] - (relaxation - T(1)) * s[k] + w[k];
      }
      copy(static_cast<const T*>(w), outputs, s);
      SquaredHinge{}.prox(s, classes, workspace_.targets.labels[i], T(1), rho_scores_);
      for (Index k = 0; k < classes; ++k) {
        w[k] -= s[k];
        primal_scores_ += (x[k] - s[k]) * (x[k] - s[k]);
        dual_scores_ += (s[k] - old[k]) * (s[k] - old[k]);
        scores_size_ += x[k] * x[k];
        multipliers_size_ += w[k] * w[k];
      }
    }
  }

  static void scale(T* entries, std::size_t count, T factor) {
    for (std::size_t e = 0; e < count; ++e) entries[e] *= factor;
  }
  /// Another weight for the split between loss and Ω; the multipliers themselves stay.
  void scale_rho(T factor) {
    workspace_.weight = rho_ *= factor;
    scale(m_.w, workspace_.coefficients(), T(1) / factor);
    scale(m_.sw, workspace_.scores(), T(1) / factor);
  }

  /// Penalties of the two splits such that both kinds of residuals fall alike.
  [[gnu::noinline]] void rebalance_penalty() {
    const auto factor_of = [](T primal, T size, T dual, T multiplier) {
      if (!(primal > T(0)) || !(dual > T(0)) || !(size > T(0)) || !(multiplier > T(0))) return T(1);
      const T q = square_root(square_root((primal / size) / (dual / multiplier)));
      return q > T(1.5) || q < T(0.67) ? smallest(largest(q, T(0.2)), T(5)) : T(1);
    };
    const T q = factor_of(primal_, x_size_, dual_, w_size_);
    const T qs =
        workspace_.regression() ? T(1) : factor_of(primal_scores_, scores_size_, dual_scores_, multipliers_size_);
    if (q == T(1) && qs == T(1)) return;
    scale_rho(q);
    rho_scores_ *= qs;
    scale(m_.ws, workspace_.scores(), T(1) / qs);
    kappa_ = workspace_.regression() ? rho_ : rho_ / rho_scores_;
    factor();
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
      for (std::size_t e = 0; e < workspace_.scores(); ++e) m_.u[e] = largest(rho_scores_ * m_.ws[e], T(0));
      workspace_.offer_betas(m_.z, few_sweeps);
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
        for (Index i = 0; i < n; ++i) m_.right[i] = (workspace_.value(i) - m_.b[0]) / worst;
        workspace_.transposed(m_.right, 1);
        gauge = workspace_.offer_values(m_.right, T(1), m_.z, many_sweeps);
      } else {
        fill(m_.u, workspace_.scores(), T(2) / worst);
        gauge = workspace_.offer_betas(m_.z, many_sweeps);
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
    InteractionNewton<T> newton(workspace_, T(1) / rho_);
    newton.run(spent_);
    const T n = T(workspace_.shape.samples);
    next_finish_ = spent_ + newton.flops() + n * n * n / T(3);
    if (running()) workspace_.check_convergence();  // its last models may be better than what was judged
    if (running()) factor();
  }

  static constexpr T relaxation = T(1.8);
  static constexpr int few_sweeps = 10, many_sweeps = 1000;

  InteractionWorkspace<T> workspace_;
  InteractionMemory<T>& m_ = workspace_.m;
  T kappa_ = T(0);
  T rho_ = T(0);         ///< weight of the split between loss and Ω
  T rho_scores_ = T(1);  ///< weight of the split of the scores
  T primal_ = T(0), dual_ = T(0), x_size_ = T(0), w_size_ = T(0);
  T primal_scores_ = T(0), dual_scores_ = T(0), scores_size_ = T(0), multipliers_size_ = T(0);
  T first_lambda_ = not_a_number<T>;
  T spent_ = T(0);        ///< flops of the iterations
  T next_finish_ = T(0);  ///< as many as the last finish took lie between two of them
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
