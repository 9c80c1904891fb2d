#pragma once
/// Jiu et al.'s (2020) Algorithms 2 to 4 as printed: baselines.

#include "interaction_workbench.hpp"
#include "row_epigraph.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed {

/// Weak-PD-ℓ_r, Strong-PD-ℓ_r and their extension to classes, for problems (5) and (16): with v = v⁺ − v⁻, v^± ≥ 0, and
/// λ₁ Σ_j max(|v_j|, ‖Θ_j‖_r) written as λ₁ Σ (v⁺ + v⁻) with rows (v⁺_j, v⁻_j, Θ_j) in E_r, b = −∇f of the scores,
///     v^±⁺ = P_{≥0}(v^± ± τΦᵀb − τλ₁ − τs^±),
///     weak:   Θ⁺ = soft(Θ + τΦᵀ diag(b) Φ − τΛ, τλ₂),
///     strong: Θ⁺ = sym(Θ + τΦᵀ diag(b) Φ − τ(Λ₁ + Λ)),   Λ₁⁺ = Λ₁ + σ(2Θ⁺ − Θ) cut at ±λ₂,
///     rows (s⁺, s⁻, Λ)⁺ = d − P_{E_r}(d),   d = (s⁺, s⁻, Λ) + σ(2(v⁺, v⁻, Θ)⁺ − (v⁺, v⁻, Θ)).
/// All begin at 0. τ = 1.9/β, σ = (1/τ − β/2)/q with q = 1 (weak) or 2 (strong, where two terms see Θ), β = c(2Σ‖φᵢ‖² +
/// Σ‖φᵢ‖⁴), c = 1 for least squares and 4(K − 1) for classes: the papers' bound, corrected by the factor 2 that v⁺ − v⁻
/// brings. StepRule::measured takes c = 1 or 2K and ‖2G + G∘G‖, G = ΦΦᵀ, instead, see NormCheck. Only E_r's projection
/// is completed, and only the certificate is not the paper's.
///
/// Memory: K(3N² + 4N), of strong K(4N² + 4N), and 2n·N + n·K entries and a few rows. Cost per iteration: 4K·n·N²
/// flops. Source: Jiu et al. (2020), sections 4.1, 5.4 and remark 4.1.
template <class T>
class InteractionPrimalDual : public InteractionWorkbench<T> {
  using Base = InteractionWorkbench<T>;

 public:
  using Base::Base;

  /// Before `start`: where β comes from.
  void set_steps(StepRule rule) { rule_ = rule; }

  /// Bytes that `start` needs, aligned to Arena::alignment; `shape.classes` is 1 for a regression.
  static constexpr Requirement requirement(Shape shape) { return count_bytes<Memory>(shape); }

  /// Checks the problem, takes its memory and certifies the model of zeros. False: it has ended.
  bool start(std::span<std::byte> memory) {
    const Hierarchy hierarchy = this->penalty_.hierarchy;
    const bool known = hierarchy == Hierarchy::weak || hierarchy == Hierarchy::strong;
    if (!this->validate(memory, requirement(this->shape_),
                        !known ? "the primal-dual iteration is for the hierarchies weak and strong"
                        : this->penalty_.norm == HierarchyNorm::l2
                            ? "the primal-dual iteration is for the norms l1 and linf"
                            : nullptr))
      return false;
    Arena arena(memory);
    own_ = Memory::lay_out(arena, this->shape_);
    const std::size_t rows = std::size_t(this->shape_.features) * this->shape_.classes;
    for (T* row : {own_.plus, own_.minus, own_.s_plus, own_.s_minus}) fill(row, rows, T(0));
    if (!this->bind(own_.common, arena.used(), own_.x)) return false;
    fill(own_.dual, this->coefficients(), T(0));
    fill(own_.dual_of_sum, this->coefficients(), T(0));
    curvature_ = rule_ == StepRule::measured ? this->measure_curvature(T(2)) : printed_curvature();
    return true;
  }

  /// One iteration, certificates included; false when the run has ended.
  bool step() {
    if (!this->running()) return false;
    const bool last = !this->count_iteration();
    const bool checks = rule_ == StepRule::measured && !last && this->is_check_due(this->report_.iterations);
    take_steps();
    this->take_scores(own_.x);
    this->take_residuals();
    for (Index k = 0; k < this->shape_.classes; ++k) {
      step_output(k);
      if (checks) this->check_curvature(this->common_.g, k, T(2), curvature_);
    }
    if (this->is_due(last)) {
      this->certify(own_.x, [this](Index k, Index j, Index l) {
        return row_of(this->matrix(own_.dual, k), j, this->stride_)[l] +
               row_of(this->matrix(own_.dual_of_sum, k), j, this->stride_)[l];
      });
      if (last) this->end_at_limit();
    }
    return this->running();
  }

 private:
  struct Memory {
    typename Base::CommonMemory common;
    T* x;             ///< (Θ, v⁺ − v⁻)
    T* dual;          ///< Λ of the epigraphs
    T* dual_of_sum;   ///< Λ₁ of λ₂‖Θ‖₁, which weak does not need
    T *plus, *minus;  ///< v⁺, v⁻
    T *s_plus, *s_minus;

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      Memory m{};
      m.common = Base::CommonMemory::lay_out(arena, shape);
      for (T** all : {&m.x, &m.dual, &m.dual_of_sum})
        *all = arena.take<T>(Base::CommonMemory::coefficient_entries(shape));
      for (T** rows : {&m.plus, &m.minus, &m.s_plus, &m.s_minus})
        *rows = arena.take<T>(detail::saturating_multiply(shape.features, shape.classes));
      return m;
    }
  };

  T printed_curvature() const {
    const Index p = this->shape_.features;
    Sum<T> total;
    for (Index i = 0; i < this->shape_.samples; ++i) {
      const T* x = row_of(this->common_.samples, i, this->stride_);
      const T square = dot(x, x, p);
      total.add(T(2) * square + square * square);
    }
    return total.value() > T(0) ? total.value() : T(1);
  }
  void take_steps() {
    const T loss = this->regression()           ? T(1)
                   : rule_ == StepRule::printed ? T(4) * T(this->shape_.classes - 1)
                                                : this->targets_.loss.template curvature<T>(this->shape_.classes);
    const T beta = loss * curvature_;
    tau_ = T(1.9) / beta;
    sigma_ = (T(1) / tau_ - beta / T(2)) / (this->strong() ? T(2) : T(1));
  }

  /// Leaves the step in g.
  [[gnu::noinline]] void step_output(Index k) {
    const Index p = this->shape_.features, stride = this->stride_;
    const T lambda1 = this->penalty_.lambda1, lambda2 = this->penalty_.lambda2;
    T* const next = this->common_.g;
    T* const x = this->matrix(own_.x, k);
    T* const dual = this->matrix(own_.dual, k);
    T* const dual_of_sum = this->matrix(own_.dual_of_sum, k);
    const bool strong = this->strong();
    this->take_products(k);
    for (Index j = 0; j < p; ++j) {
      T* to = row_of(next, j, stride);
      const T* from = row_of(x, j, stride);
      const T* a = row_of(dual, j, stride);
      const T* b = row_of(dual_of_sum, j, stride);
      if (strong)
        for (Index l = 0; l < p; ++l) to[l] = from[l] + tau_ * (to[l] - (a[l] + b[l]));
      else
        for (Index l = 0; l < p; ++l) to[l] = soft(from[l] + tau_ * (to[l] - a[l]), tau_ * lambda2);
    }
    if (strong)
      for (Index j = 0; j < p; ++j)
        for (Index l = 0; l < j; ++l) {
          T& one = row_of(next, j, stride)[l];
          T& other = row_of(next, l, stride)[j];
          one = other = T(0.5) * (one + other);
        }
    for (Index j = 0; j < p; ++j) {
      T* to = row_of(next, j, stride);
      T* from = row_of(x, j, stride);
      T* a = row_of(dual, j, stride);
      T* b = row_of(dual_of_sum, j, stride);
      const std::size_t at = std::size_t(k) * p + j;
      const T slope = to[p];
      const T plus = largest(own_.plus[at] + tau_ * (slope - lambda1 - own_.s_plus[at]), T(0));
      const T minus = largest(own_.minus[at] - tau_ * (slope + lambda1 + own_.s_minus[at]), T(0));
      T s_plus = own_.s_plus[at] += sigma_ * (T(2) * plus - own_.plus[at]);
      T s_minus = own_.s_minus[at] += sigma_ * (T(2) * minus - own_.minus[at]);
      T* inside = this->common_.row;
      for (Index l = 0; l < p; ++l) {
        const T ahead = sigma_ * (T(2) * to[l] - from[l]);
        inside[l] = a[l] += ahead;
        if (strong) b[l] = smallest(largest(b[l] + ahead, -lambda2), lambda2);
        const T now = to[l];
        to[l] -= from[l];
        from[l] = now;
      }
      project_row_epigraph(this->penalty_.norm, inside, p, s_plus, s_minus);
      for (Index l = 0; l < p; ++l) a[l] -= inside[l];
      own_.s_plus[at] -= s_plus;
      own_.s_minus[at] -= s_minus;
      own_.plus[at] = plus;
      own_.minus[at] = minus;
      to[p] = plus - minus - from[p];
      from[p] = plus - minus;
    }
  }

  StepRule rule_ = StepRule::printed;
  Memory own_{};
  T curvature_ = T(1);  ///< without that of the loss
  T tau_ = T(0), sigma_ = T(0);
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed
