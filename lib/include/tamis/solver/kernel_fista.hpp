#pragma once
/// Classification with several kernels where memory is short: accelerated forward–backward steps.

#include <utility>

#include "kernel_workspace.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The problems of KernelAdmm by
///     y = x + β(x − x_before),   x⁺ = prox_{Ω/L}(y − Aᵀ∇ℓ(Ay + b)/L),
/// and b⁺ alike with a step of its own; β from Nesterov's sequence, begun anew when the step turns against the
/// momentum; L doubles until the quadratic model holds and relaxes by 3 % at each iteration. Every 10 iterations the
/// slopes of the loss, scaled, are a dual point. With KernelRows as the design no matrix is stored, which takes τ·n²
/// kernel values for each product with Aᵀ, and n for each coefficient that is not zero for one with A.
///
/// Memory: `requirement(shape)`: 5n·τ·K + 4n·K entries and a few rows, of padded classes. Cost of an iteration: 2K·n²·τ
/// flops and as much again while α is not sparse. Source: Beck and Teboulle (2009); O'Donoghue and Candès (2015).
template <class T, class Design = DenseDesign<T>>
class KernelFista {
  using Workspace = KernelWorkspace<T, Design>;

 public:
  KernelFista(const Design& design, std::span<const Label> labels, Index kernels, Index classes,
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
    for (T* all : {m_.before, m_.y}) fill(all, workspace_.coefficients(), T(0));
    for (T* scores : {m_.old_scores, m_.slopes}) fill(scores, workspace_.scores(), T(0));
    workspace_.certify_zero(m_.x);
    take_b();
    workspace_.multiply(m_.x, m_.b, m_.scores);
    lipschitz_ = T(0);
    rest();
    return running();
  }
  /// Goes on with another λ from where a run has ended: see WarmStarted.
  bool warm_start(T lambda) {
    if (!m_.x || !workspace_.has_point()) return false;
    if (!workspace_.begin_again(lambda)) return false;
    rest();
    certify();
    return running();
  }

  /// One iteration, certificates included; false when the run has ended.
  bool step() {
    if (!running()) return false;
    auto& report = workspace_.report;
    const bool last = ++report.iterations >= workspace_.options.max_iterations;
    report.epochs += T(1);
    if (lipschitz_ == T(0)) guess_lipschitz();
    extrapolate();
    take_slopes();
    descend();
    if (last || report.iterations % 10 == 0) {
      certify();
      if (last) workspace_.end_at_limit();
    }
    return running();
  }

  bool running() const { return workspace_.running(); }
  /// Ends the run with the model found so far.
  void stop() {
    if (running()) workspace_.report.status = Status::stopped;
  }

  const Report<T>& report() const { return workspace_.report; }
  std::uint32_t certificates() const { return workspace_.certificates; }
  /// The model of the smallest objective that was certified.
  KernelCoefficients<T> model() const { return workspace_.view(m_.common.best, m_.common.best_b); }

 private:
  struct Memory {
    typename Workspace::Memory common;
    T *x, *before, *y;                ///< coefficients: features × outputs
    T *scores, *old_scores, *slopes;  ///< of x and before, and the loss's at y: samples × outputs
    T *b, *old_b, *y_b, *b_slopes;    ///< intercepts

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      using detail::saturating_multiply;
      Memory m{};
      m.common = Workspace::Memory::lay_out(arena, shape);
      const std::size_t outputs = padded<T>(shape.classes);
      for (T** all : {&m.x, &m.before, &m.y}) *all = arena.take<T>(saturating_multiply(shape.features, outputs));
      for (T** all : {&m.scores, &m.old_scores, &m.slopes})
        *all = arena.take<T>(saturating_multiply(shape.samples, outputs));
      for (T** row : {&m.b, &m.old_b, &m.y_b, &m.b_slopes}) *row = arena.take<T>(outputs);
      return m;
    }
  };

  void take_b() {
    for (T* row : {m_.b, m_.old_b, m_.y_b}) copy(static_cast<const T*>(m_.common.b), workspace_.outputs, row);
  }
  /// No momentum.
  void rest() {
    momentum_ = T(1);
    copy(static_cast<const T*>(m_.x), workspace_.coefficients(), m_.before);
    copy(static_cast<const T*>(m_.b), workspace_.outputs, m_.old_b);
    copy(static_cast<const T*>(m_.scores), workspace_.scores(), m_.old_scores);
  }

  /// L ← that of the loss along Aᵀ of its slopes, from below.
  void guess_lipschitz() {
    copy(static_cast<const T*>(m_.scores), workspace_.scores(), m_.common.u);
    workspace_.take_slopes();
    workspace_.transposed(m_.common.u);
    const T slope = squared_norm(m_.common.g, workspace_.coefficients(), Simd<T>::zero()).sum();
    workspace_.multiply(m_.common.g, m_.common.zeros, m_.common.u);
    const T size = squared_norm(m_.common.u, workspace_.scores(), Simd<T>::zero()).sum();
    lipschitz_ = slope > T(0) ? T(2) * size / slope : T(1);
    if (!(lipschitz_ > T(0)) || !finite(lipschitz_)) lipschitz_ = T(1);
  }
  /// y, b and the scores there, which are in common.u.
  void extrapolate() {
    const T next = (T(1) + square_root(T(1) + T(4) * momentum_ * momentum_)) / T(2);
    const T beta = (momentum_ - T(1)) / next;
    momentum_ = next;
    for (std::size_t e = 0; e < workspace_.coefficients(); ++e) m_.y[e] = m_.x[e] + beta * (m_.x[e] - m_.before[e]);
    for (Index k = 0; k < workspace_.outputs; ++k) m_.y_b[k] = m_.b[k] + beta * (m_.b[k] - m_.old_b[k]);
    for (std::size_t e = 0; e < workspace_.scores(); ++e)
      m_.common.u[e] = m_.scores[e] + beta * (m_.scores[e] - m_.old_scores[e]);
  }
  T loss(const T* scores) const {
    Sum<T> total;
    for (Index i = 0; i < workspace_.shape.samples; ++i)
      total.add(workspace_.loss(row_of(scores, i, workspace_.outputs), i));
    return total.value();
  }
  /// From the scores in common.u: the loss there, its slopes, and their products in g.
  void take_slopes() {
    loss_ = loss(m_.common.u);
    workspace_.take_slopes();
    copy(static_cast<const T*>(m_.common.u), workspace_.scores(), m_.slopes);
    workspace_.transposed(m_.slopes);
    fill(m_.b_slopes, workspace_.outputs, T(0));
    if (workspace_.options.intercept)
      column_sums(static_cast<const T*>(m_.slopes), workspace_.shape.samples, workspace_.outputs, m_.b_slopes);
  }
  /// x ← the step from y, with an L for which the model of the loss is not below it; momentum that it turns against is
  /// lost.
  [[gnu::noinline]] void descend() {
    T* const trial = m_.before;  // which is not needed any more
    copy(static_cast<const T*>(m_.b), workspace_.outputs, m_.old_b);
    T* const next_b = m_.common.b;
    T* const scores = m_.old_scores;
    const T b_lipschitz = T(4) * T(workspace_.shape.samples) * T(workspace_.shape.classes);
    lipschitz_ *= T(0.97);
    for (int tries = 0;; ++tries) {
      const T step = T(1) / lipschitz_;
      for (std::size_t e = 0; e < workspace_.coefficients(); ++e) trial[e] = m_.y[e] - step * m_.common.g[e];
      workspace_.penalty.prox(workspace_.rows(trial), workspace_.kernels, step);
      for (Index k = 0; k < workspace_.outputs; ++k) next_b[k] = m_.y_b[k] - m_.b_slopes[k] / b_lipschitz;
      workspace_.multiply(trial, next_b, scores);
      Sum<T> model;
      for (std::size_t e = 0; e < workspace_.coefficients(); ++e) {
        const T direction = trial[e] - m_.y[e];
        model.add(direction * (m_.common.g[e] + lipschitz_ * direction / T(2)));
      }
      for (Index k = 0; k < workspace_.outputs; ++k) {
        const T direction = next_b[k] - m_.y_b[k];
        model.add(direction * (m_.b_slopes[k] + b_lipschitz * direction / T(2)));
      }
      const T slack = T(16) * epsilon<T> * loss_;
      if (loss(scores) <= loss_ + model.value() + slack || tries == most_tries) break;
      lipschitz_ *= T(2);
    }
    Sum<T> turn;
    for (std::size_t e = 0; e < workspace_.coefficients(); ++e) turn.add((m_.y[e] - trial[e]) * (trial[e] - m_.x[e]));
    std::swap(m_.x, m_.before);
    std::swap(m_.scores, m_.old_scores);
    copy(static_cast<const T*>(next_b), workspace_.outputs, m_.b);
    if (turn.value() > T(0)) rest();
  }
  [[gnu::noinline]] void certify() {
    copy(static_cast<const T*>(m_.b), workspace_.outputs, m_.common.b);
    workspace_.offer_model(m_.x);
    workspace_.take_slopes();
    workspace_.offer_slopes();
    workspace_.check_convergence();
  }

  static constexpr int most_tries = 60;

  Workspace workspace_;
  Memory m_{};
  T lipschitz_ = T(0);
  T momentum_ = T(1);
  T loss_ = T(0);  ///< at y
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
