#pragma once
/// Kowalski et al.'s (2009) algorithm for several kernels, as printed: a baseline.

#include "../kernel_workspace.hpp"
#include "checked_norm.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed {

/// Algorithm 2 of Kowalski et al. (2009), for the problems of KernelAdmm without intercepts (a constant kernel takes
/// their place):
///     α⁺ = prox_{γ(λ/q)‖·‖^q}(α + 2γ K_yᵀ (1 − K_y α)₊),  γ = step/2‖K_yᵀK_y‖, 0 < step < 2,
/// with the factor 2 that the printed gradient lacks; ‖·‖ by a power iteration, see NormCheck. With K > 1 outputs the
/// gradient of the multiclass squared hinge, and K times that norm. Every 40 iterations the slopes of the loss, scaled,
/// are a dual point: that certificate is not the paper's.
///
/// Memory: `requirement(shape)`: 3n·τ·K + n·K entries and a few rows. Cost of an iteration: 4K·n²·τ flops, half of that
/// while α is sparse. Source: Combettes and Wajs (2005).
template <class T>
class KernelForwardBackward {
  using Workspace = KernelWorkspace<T>;

 public:
  KernelForwardBackward(const DenseDesign<T>& design, std::span<const Label> labels, Index kernels, Index classes,
                        const MixedNorm<T>& norm, const Options<T>& options)
      : workspace_(design, labels, kernels, classes, norm, options) {}

  /// Before `start`: the length of the steps, below 2.
  void set_step(T step) { step_ = step; }

  /// Bytes that `start` needs: `shape.features` is n·τ, `shape.classes` 1 for two classes with one score.
  static constexpr Requirement requirement(Shape shape) { return count_bytes<Memory>(shape); }

  /// Checks the problem, takes its memory and certifies the model of zeros. False: it has ended.
  bool start(std::span<std::byte> memory) {
    refusal_ = "";
    if (!workspace_.validate(memory, requirement(workspace_.shape))) return false;
    if (!(step_ > T(0) && step_ < T(2))) return refuse(Status::invalid_option);
    if (workspace_.options.intercept) {
      refusal_ = "the printed solver for kernels has no intercept: add a constant kernel";
      return refuse(Status::invalid_combination);
    }
    Arena arena(memory);
    m_ = Memory::lay_out(arena, workspace_.shape);
    workspace_.bind(m_.common, arena.used());
    norm_ = measure_norm();
    check_ = {};
    workspace_.certify_zero(m_.x);
    return running();
  }

  /// One iteration, certificates included; false when the run has ended.
  bool step() {
    if (!running()) return false;
    auto& report = workspace_.report;
    const bool last = ++report.iterations >= workspace_.options.max_iterations;
    report.epochs += T(1);
    workspace_.multiply(m_.x, m_.common.zeros, m_.common.u);
    workspace_.take_slopes();
    workspace_.transposed(m_.common.u);
    const T gamma = step_ / (T(2) * T(workspace_.shape.classes) * norm_);
    for (std::size_t e = 0; e < workspace_.coefficients(); ++e) {
      const T before = m_.x[e];
      m_.x[e] -= gamma * m_.common.g[e];
      m_.common.g[e] = before;
    }
    workspace_.penalty.prox(workspace_.rows(m_.x), workspace_.kernels, gamma);
    if (!last && check_.is_due(report.iterations)) check_norm();
    if (last || report.iterations % 40 == 0) {
      workspace_.offer_model(m_.x);
      workspace_.take_slopes();
      workspace_.offer_slopes();
      workspace_.check_convergence();
      if (last) workspace_.end_at_limit();
    }
    return running();
  }

  /// Ends the run with the model found so far.
  void stop() {
    if (running()) workspace_.report.status = Status::stopped;
  }

  const Report<T>& report() const { return workspace_.report; }
  std::uint32_t certificates() const { return workspace_.certificates; }
  /// The model of the smallest objective that was certified.
  KernelCoefficients<T> model() const { return workspace_.view(m_.common.best, m_.common.best_b); }
  /// The coefficients at hand, as the iteration has them.
  KernelCoefficients<T> iterate() const { return workspace_.view(m_.x, m_.common.zeros); }
  /// Why `start` ended as `invalid_combination`: one sentence, or empty.
  const char* refusal() const { return refusal_; }

 private:
  struct Memory {
    typename Workspace::Memory common;
    T* x;

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      Memory m{};
      m.common = Workspace::Memory::lay_out(arena, shape);
      m.x = arena.take<T>(detail::saturating_multiply(shape.features, padded<T>(shape.classes)));
      return m;
    }
  };

  bool running() const { return workspace_.running(); }
  bool refuse(Status status) {
    workspace_.report.status = status;
    return false;
  }

  /// ‖AAᵀ‖ = ‖K_yᵀK_y‖.
  [[gnu::noinline]] T measure_norm() {
    T* const u = m_.common.u;
    fill(u, workspace_.scores(), T(0));
    return measure_square(u, workspace_.shape.samples, workspace_.outputs, [&] {
      workspace_.transposed(u);
      workspace_.multiply(m_.common.g, m_.common.zeros, u);
    });
  }
  /// g are the coefficients before the iteration.
  [[gnu::noinline]] void check_norm() {
    T* const step = m_.common.g;
    for (std::size_t e = 0; e < workspace_.coefficients(); ++e) step[e] = m_.x[e] - step[e];
    workspace_.multiply(step, m_.common.zeros, m_.common.u);
    const auto square_of = [](const T* a, std::size_t entries) {
      return squared_norm(a, entries, Simd<T>::zero()).sum();
    };
    check_.raise(norm_, square_of(m_.common.u, workspace_.scores()), square_of(step, workspace_.coefficients()));
  }

  Workspace workspace_;
  Memory m_{};
  const char* refusal_ = "";
  T step_ = T(1.9);
  T norm_ = T(0);  ///< of K_yᵀK_y
  NormCheck<T> check_{};
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed
