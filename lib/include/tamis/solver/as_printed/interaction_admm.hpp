#pragma once
/// hierNet's scheme for the strong hierarchy, as Jiu et al. (2020) compares with it: a baseline.

#include "interaction_workbench.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed {

/// Strong-ADMM-ℓ₁: consensus between Θ, which sees the loss and Ω as if the hierarchy were weak, and its symmetric
/// copy:
///     (v, Θ)⁺ = argmin f + Ω + ⟨U, Θ − S⟩ + ρ/2 ‖Θ − S‖²,   S⁺ = sym(Θ⁺ + U/ρ),   U⁺ = U + ρ(Θ⁺ − S⁺),
/// from 0, the first by proximal gradient steps (v, Θ) ← prox_{tΩ}((v, Θ) − t∇), which begin where the last ended, t =
/// 1/(‖G + G∘G‖ + ρ), G = ΦΦᵀ, the norm from a power iteration, see NormCheck. The model is (v, sym Θ); `iterate()` has
/// Θ as it is, not symmetric. Least squares and ℓ₁ alone.
///
/// Of R's hierNet it differs by: xᵀΘx instead of ½xᵀΘx, squares of features included, no centring, no δ (a multiple of
/// the squares of the coefficients), constant steps instead of a line search, and by default ρ = 1, as Jiu et al.
/// (2020) says, instead of n. λ is hierNet's, divided by n.
///
/// Memory: 5N² + 2n·N entries and a few rows. Cost of an inner step: 4n·N² flops. Sources: Jiu et al. (2020),
/// section 6.1.3; Bien, Taylor and Tibshirani (2013), section 5.2.
template <class T>
class InteractionAdmm : public InteractionWorkbench<T> {
  using Base = InteractionWorkbench<T>;

 public:
  using Base::Base;

  /// Before `start`: ρ > 0, and when the proximal gradient steps of an iteration end.
  void set_splitting(T rho, const InnerLoop<T>& inner) {
    rho_ = rho;
    inner_ = inner;
  }
  /// Proximal gradient steps so far.
  std::uint64_t inner_rounds() const { return rounds_; }

  /// Bytes that `start` needs, aligned to Arena::alignment; `shape.classes` is 1.
  static constexpr Requirement requirement(Shape shape) { return count_bytes<Memory>(shape); }

  /// Checks the problem, takes its memory and certifies the model of zeros. False: it has ended.
  bool start(std::span<std::byte> memory) {
    const char* const refusal = !this->regression() ? "hierNet's splitting is for least squares"
                                : !this->strong()   ? "hierNet's splitting is for the hierarchy strong"
                                : this->penalty_.norm != HierarchyNorm::l1 ? "hierNet's splitting is for the norm l1"
                                                                           : nullptr;
    if (!this->validate(memory, requirement(this->shape_), refusal)) return false;
    if (!(rho_ > T(0)) || !finite(rho_) || !inner_.valid()) {
      this->report_.status = Status::invalid_option;
      return false;
    }
    Arena arena(memory);
    own_ = Memory::lay_out(arena, this->shape_);
    if (!this->bind(own_.common, arena.used(), own_.x)) return false;
    for (T* matrix : {own_.symmetric, own_.multiplier}) fill(matrix, this->matrix_size(), T(0));
    rounds_ = certified_ = 0;
    curvature_ = this->measure_curvature(T(1));
    return true;
  }

  /// One iteration with its inner steps, certificates included; false when the run has ended.
  bool step() {
    if (!this->running()) return false;
    const bool last = !this->count_iteration();
    for (std::uint32_t round = 0; round < inner_.limit; ++round)
      if (step_gradient()) break;
    const Index p = this->shape_.features, stride = this->stride_;
    symmetrise(own_.x, own_.symmetric);  // U is antisymmetric
    for (Index j = 0; j < p; ++j)
      for (Index l = 0; l < p; ++l)
        row_of(own_.multiplier, j, stride)[l] +=
            rho_ * (row_of(own_.x, j, stride)[l] - row_of(own_.symmetric, j, stride)[l]);
    if (last || rounds_ - certified_ >= this->certificate_interval) {  // of inner steps, which are what takes time
      certified_ = rounds_;
      this->certify(own_.symmetric,
                    [this](Index, Index j, Index l) { return -row_of(own_.multiplier, j, this->stride_)[l]; });
      if (last) this->end_at_limit();
    }
    return this->running();
  }

 private:
  struct Memory {
    typename Base::CommonMemory common;
    T* x;           ///< (Θ, v)
    T* symmetric;   ///< (S, v)
    T* multiplier;  ///< U

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      Memory m{};
      m.common = Base::CommonMemory::lay_out(arena, shape);
      for (T** all : {&m.x, &m.symmetric, &m.multiplier})
        *all = arena.take<T>(Base::CommonMemory::matrix_entries(shape));
      return m;
    }
  };

  void symmetrise(const T* from, T* to) const {
    const Index p = this->shape_.features, stride = this->stride_;
    for (Index j = 0; j < p; ++j) {
      for (Index l = 0; l < p; ++l)
        row_of(to, j, stride)[l] = T(0.5) * (row_of(from, j, stride)[l] + row_of(from, l, stride)[j]);
      row_of(to, j, stride)[p] = row_of(from, j, stride)[p];
    }
  }

  /// Whether the step was small.
  [[gnu::noinline]] bool step_gradient() {
    const Index p = this->shape_.features, stride = this->stride_;
    ++rounds_;
    const T rate = T(1) / (curvature_ + rho_);
    this->take_scores(own_.x);
    this->take_residuals();
    this->take_products(0);
    T moved = 0, size = 0;
    for (Index j = 0; j < p; ++j) {
      T* next = row_of(this->common_.g, j, stride);
      T* x = row_of(own_.x, j, stride);
      const T* s = row_of(own_.symmetric, j, stride);
      const T* u = row_of(own_.multiplier, j, stride);
      for (Index l = 0; l < p; ++l) next[l] = x[l] + rate * (next[l] - u[l] - rho_ * (x[l] - s[l]));
      next[p] = x[p] + rate * next[p];
      this->penalty_.prox(next, p, rate);
      for (Index l = 0; l <= p; ++l) {
        const T to = next[l];
        next[l] -= x[l];
        moved += next[l] * next[l];
        size += to * to;
        x[l] = to;
      }
    }
    if (this->is_check_due(rounds_)) this->check_curvature(this->common_.g, 0, T(1), curvature_);
    return moved <= inner_.tolerance * inner_.tolerance * size;
  }

  T rho_ = T(1);
  InnerLoop<T> inner_{sizeof(T) == 4 ? T(1e-5) : T(1e-7), 500};
  Memory own_{};
  T curvature_ = T(1);  ///< ‖G + G∘G‖
  std::uint64_t rounds_ = 0;
  std::uint64_t certified_ = 0;  ///< rounds at the last certificate
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed
