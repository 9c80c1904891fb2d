#pragma once
/// FISTA for interactions, as Jiu et al. (2020) compares with it: baselines.

#include "interaction_workbench.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed {

/// What weak and strong FISTA share: W⁺ = prox_{Ω/L}(Y + Aᵀb/L), b = −∇f of Y's scores, Y = W + (t − 1)/t⁺ (W −
/// W_before), t⁺ = (1 + √(1 + 4t²))/2, from 0, with the constant step 1/L, L = ‖G + G∘G‖ (classes: 2K times that),
/// G = ΦΦᵀ, from a power iteration, see NormCheck. `Derived` has the proximity operator and the certificate.
template <class T, class Derived>
class InteractionFistaBase : public InteractionWorkbench<T> {
  using Base = InteractionWorkbench<T>;

 public:
  using Base::Base;

  /// One iteration, certificates included; false when the run has ended.
  bool step() {
    if (!this->running()) return false;
    const bool last = !this->count_iteration();
    const bool checks = !last && this->is_check_due(this->report_.iterations);
    rate_ = T(1) / (loss_curvature_ * curvature_);
    const T next_momentum = (T(1) + square_root(T(1) + T(4) * momentum_ * momentum_)) * T(0.5);
    const T beta = (momentum_ - T(1)) / next_momentum;
    momentum_ = next_momentum;
    this->take_scores(y_);
    this->take_residuals();
    for (Index k = 0; k < this->shape_.classes; ++k) {
      T* const x = this->matrix(this->x_, k);
      T* const y = this->matrix(y_, k);
      T* const next = this->common_.g;
      this->take_products(k);
      for (std::size_t e = 0; e < this->matrix_size(); ++e) next[e] = y[e] + rate_ * next[e];
      static_cast<Derived*>(this)->prox(k, next);
      if (checks) {
        for (std::size_t e = 0; e < this->matrix_size(); ++e) y[e] = next[e] - y[e];
        this->check_curvature(y, k, T(1), curvature_);
      }
      for (std::size_t e = 0; e < this->matrix_size(); ++e) {
        y[e] = next[e] + beta * (next[e] - x[e]);
        x[e] = next[e];
      }
    }
    if (this->is_due(last)) {
      static_cast<Derived*>(this)->certify_iterate();
      if (last) this->end_at_limit();
    }
    return this->running();
  }

 protected:
  bool begin(T* y) {
    y_ = y;
    fill(y_, this->coefficients(), T(0));
    loss_curvature_ = this->regression() ? T(1) : this->targets_.loss.template curvature<T>(this->shape_.classes);
    curvature_ = this->measure_curvature(T(1));
    momentum_ = T(1);
    return true;
  }

  T* y_ = nullptr;
  T loss_curvature_ = T(1);
  T curvature_ = T(1);  ///< ‖G + G∘G‖
  T rate_ = T(0);
  T momentum_ = T(1);
};

/// Weak-FISTA-ℓ_r: the rows (v_j, Θ_j) do not overlap, so the proximity operator of Ω is exact, row by row; so it is
/// for the hierarchies full (problem (18)) and main. With ℓ_∞ it is that of Jenatton et al.'s tree of groups.
///
/// Memory: (3K + 1)N² + 2n·N + n·K entries and a few rows. Cost per iteration: 4K·n·N² flops. Sources: Jiu et al.
/// (2020), section 6.1.2; Jenatton, Mairal, Obozinski and Bach (2011); Beck and Teboulle (2009).
template <class T>
class InteractionFista : public InteractionFistaBase<T, InteractionFista<T>> {
  using Base = InteractionFistaBase<T, InteractionFista<T>>;
  friend Base;

 public:
  using Base::Base;

  /// Bytes that `start` needs, aligned to Arena::alignment; `shape.classes` is 1 for a regression.
  static constexpr Requirement requirement(Shape shape) { return count_bytes<Memory>(shape); }

  /// Checks the problem, takes its memory and certifies the model of zeros. False: it has ended.
  bool start(std::span<std::byte> memory) {
    if (!this->validate(
            memory, requirement(this->shape_),
            this->strong() ? "rows of the strong hierarchy overlap: it needs FISTA with inner rounds" : nullptr))
      return false;
    Arena arena(memory);
    const Memory own = Memory::lay_out(arena, this->shape_);
    return this->bind(own.common, arena.used(), own.x) && this->begin(own.y);
  }

 private:
  struct Memory {
    typename Base::CommonMemory common;
    T *x, *y;

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      Memory m{};
      m.common = Base::CommonMemory::lay_out(arena, shape);
      for (T** all : {&m.x, &m.y}) *all = arena.take<T>(Base::CommonMemory::coefficient_entries(shape));
      return m;
    }
  };

  void prox(Index, T* next) {
    for (Index j = 0; j < this->shape_.features; ++j)
      this->penalty_.prox(row_of(next, j, this->stride_), this->shape_.features, this->rate_);
  }
  void certify_iterate() { this->certify(this->x_, Base::no_multiplier); }
};

/// Strong-FISTA: the proximity operator of Ω and of {Θ = Θᵀ} together by Dykstra's alternation, from p = x and q = 0:
///     a = sym(p),   p = prox_{Ω/L}(a + q),   q ← a + q − p,   until ‖a − p‖ ≤ tolerance·‖a‖ or the limit of rounds;
/// a is the answer. (A linear space needs no correction of its own.)
///
/// Memory: (4K + 2)N² + 2n·N + n·K entries and a few rows. Cost per iteration: 4K·n·N² flops, and some 30K·N² per
/// inner round. Sources: Jiu et al. (2020), sections 2.2 and 4; Bauschke and Combettes (2008).
template <class T>
class InteractionFistaDykstra : public InteractionFistaBase<T, InteractionFistaDykstra<T>> {
  using Base = InteractionFistaBase<T, InteractionFistaDykstra<T>>;
  friend Base;

 public:
  using Base::Base;

  /// Before `start`: when Dykstra's rounds end.
  void set_inner(const InnerLoop<T>& inner) { inner_ = inner; }
  /// Dykstra's rounds so far.
  std::uint64_t inner_rounds() const { return rounds_; }

  /// Bytes that `start` needs, aligned to Arena::alignment; `shape.classes` is 1 for a regression.
  static constexpr Requirement requirement(Shape shape) { return count_bytes<Memory>(shape); }

  /// Checks the problem, takes its memory and certifies the model of zeros. False: it has ended.
  bool start(std::span<std::byte> memory) {
    if (!this->validate(memory, requirement(this->shape_),
                        this->strong() ? nullptr : "inner rounds are for the hierarchy strong: others need none"))
      return false;
    if (!inner_.valid()) {
      this->report_.status = Status::invalid_option;
      return false;
    }
    Arena arena(memory);
    const Memory own = Memory::lay_out(arena, this->shape_);
    if (!this->bind(own.common, arena.used(), own.x)) return false;
    p_ = own.p;
    q_ = own.q;
    rounds_ = 0;
    fill(q_, this->coefficients(), T(0));
    return this->begin(own.y);
  }

 private:
  struct Memory {
    typename Base::CommonMemory common;
    T *x, *y;
    T* p;  ///< of one output
    T* q;

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      Memory m{};
      m.common = Base::CommonMemory::lay_out(arena, shape);
      for (T** all : {&m.x, &m.y, &m.q}) *all = arena.take<T>(Base::CommonMemory::coefficient_entries(shape));
      m.p = arena.take<T>(Base::CommonMemory::matrix_entries(shape));
      return m;
    }
  };

  [[gnu::noinline]] void prox(Index k, T* next) {
    const Index features = this->shape_.features, stride = this->stride_;
    T* const q = this->matrix(q_, k);
    fill(q, this->matrix_size(), T(0));
    copy(static_cast<const T*>(next), this->matrix_size(), p_);
    for (std::uint32_t round = 0; round < inner_.limit; ++round) {
      ++rounds_;
      T apart = 0, size = 0;
      for (Index j = 0; j < features; ++j) {
        T* a = row_of(next, j, stride);
        const T* from = row_of(p_, j, stride);
        for (Index l = 0; l < features; ++l) a[l] = T(0.5) * (from[l] + row_of(p_, l, stride)[j]);
        a[features] = from[features];
      }
      for (Index j = 0; j < features; ++j) {
        const T* a = row_of(next, j, stride);
        T* p = row_of(p_, j, stride);
        T* correction = row_of(q, j, stride);
        for (Index l = 0; l <= features; ++l) p[l] = correction[l] = a[l] + correction[l];
        this->penalty_.prox(p, features, this->rate_);
        for (Index l = 0; l <= features; ++l) {
          correction[l] -= p[l];
          apart += (a[l] - p[l]) * (a[l] - p[l]);
          size += a[l] * a[l];
        }
      }
      if (apart <= inner_.tolerance * inner_.tolerance * size) break;
    }
  }
  void certify_iterate() {
    this->certify(this->x_, [this](Index k, Index j, Index l) {
      return row_of(this->matrix(q_, k), j, this->stride_)[l] / this->rate_;
    });
  }

  InnerLoop<T> inner_{sizeof(T) == 4 ? T(1e-5) : T(1e-8), 1000};
  T* p_ = nullptr;
  T* q_ = nullptr;
  std::uint64_t rounds_ = 0;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed
