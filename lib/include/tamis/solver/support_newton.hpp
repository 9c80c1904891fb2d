#pragma once
/// Newton's method on the coefficients that are not zero: conjugate gradients with a preconditioner of the size of the
/// support, or of the samples.

#include "../loss/samples.hpp"
#include "support_system.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Steps of Newton's method for f(W) + λΩ(W) where the zeros of W stay zero, on which Ω is smooth (see HasManifold):
///
///     (XᵀHX + λΩ″ + damping) D = −(∇f + λ∇Ω),    W ← W + αD,   α = 1, ½, …
///
/// H is the Hessian of the loss, sample by sample, generalised where it has kinks. The system, see SupportSystem, is
/// solved to `forcing`. An entry with a kink that would change its sign then ends at zero, near the optimum also a
/// group that would turn round, and the system is solved on for the rest; after six such rounds, or 120 conjugate
/// gradients in all (60 where the preconditioner is a diagonal), what still would becomes zero as it is.
///
/// For a loss with kinks two things grow when a step fails and shrink when it succeeds: the slack by which pairs that
/// are not violated yet take part in H, and the damping. For such a loss and with ℓ1 steps are damped from the first on,
/// unless they lead nowhere: where all classes of a feature move alike the scores' differences stay, H is singular, and
/// with ℓ1 the model falls without end. A system without a solution leads to no step.
template <class T>
class SupportNewton : public SupportSystem<T> {
  using Base = SupportSystem<T>;
  using Base::apply_hessian, Base::apply_preconditioner, Base::choose_samples, Base::chosen_, Base::count_work,
      Base::damping_, Base::direction, Base::factor_, Base::factor_classes, Base::image, Base::is_hard_, Base::m_,
      Base::precondition, Base::preconditioned, Base::slack_, Base::stride_, Base::work_, Base::zero_row;
  using typename Base::Factor;

 public:
  using Base::Base;

  /// Whether the last step nearly solved its system, and was taken nearly whole.
  bool went_well() const { return went_well_; }
  /// The least damping of the next step.
  void damp(T least) { damping_ = largest(damping_, least); }
  /// What the last step took, in products with the whole design.
  T work() const { return work_; }

  /// One step; returns the products with the whole design that it took, forth and back counted as one.
  template <class Problem>
  [[gnu::noinline]] T step(Problem& p) {
    stride_ = p.stride;
    work_ = T(0);
    went_well_ = false;
    p.find_support(m_.support);
    if (p.size == 0) return work_;
    take_gradient(p);
    choose_samples(p);
    if (chosen_ == 0) return work_;  // the loss is flat here: descent on the penalty is all there is to do
    precondition(p);
    if (solve(p)) search(p);
    return work_;
  }

 private:
  static constexpr int most_iterations = 120, most_rounds = 6;

  template <class Problem>
  T objective(const Problem& p, const T* w, const T* z) const {
    Sum<T> penalty;
    p.for_each_group([&](FeatureGroup group) { penalty.add(p.penalty.value(p.rows(w, group))); });
    return detail::mean_curved_loss(p.loss, p.targets, z, stride_) + p.lambda * penalty.value();
  }

  /// g ← −(∇f + λ∇Ω) on the support, where W may move.
  template <class Problem>
  [[gnu::noinline]] void take_gradient(const Problem& p) {
    detail::take_curved_gradients(p.loss, p.targets, p.z, stride_, p.u);
    p.design.transposed_multiply(p.support, p.size, p.u, stride_, p.g);
    count_work(p);
    if (p.intercept)
      column_sums(static_cast<const T*>(p.u), p.shape.samples, stride_, row_of(p.g, p.shape.features, stride_));
    p.for_each_group([&](FeatureGroup group) {
      p.penalty.gradient(p.template rows<const T>(p.w, group), p.rows(image(), group));
      for (Index r = 0; r < group.count; ++r) {
        const T* slope = row_of(image(), group.feature(r), stride_);
        T* g = row_of(p.g, group.feature(r), stride_);
        for (Index k = 0; k < p.shape.classes; ++k) g[k] = -(g[k] + p.lambda * slope[k]);
      }
      p.keep_on_manifold(group, p.g);
    });
    if (p.intercept) {
      T* g = row_of(p.g, p.shape.features, stride_);
      for (Index k = 0; k < p.shape.classes; ++k) g[k] = -g[k];
    }
  }

  // ---- conjugate gradients ------------------------------------------------------------------------------------------

  template <class Problem>
  T inner_product(const Problem& p, const T* a, const T* b) const {
    auto total = Simd<T>::zero();
    p.for_each_row([&](Index j) {
      for (Index k = 0; k < stride_; k += lanes<T>)
        total = total + Simd<T>::load(row_of(a, j, stride_) + k) * Simd<T>::load(row_of(b, j, stride_) + k);
    });
    return total.sum();
  }
  /// to ← from + αx.
  template <class Problem>
  [[gnu::noinline]] void add(const Problem& p, const T* from, T alpha, const T* x, T* to) const {
    p.for_each_row([&](Index j) {
      add_scaled_row(row_of(from, j, stride_), alpha, row_of(x, j, stride_), stride_, row_of(to, j, stride_));
    });
  }

  /// d ← the solution for the right-hand side g, which becomes the residual. False: there is none.
  template <class Problem>
  [[gnu::noinline]] bool solve(const Problem& p) {
    T* const d = p.d;
    p.for_each_row([&](Index j) {
      fill(row_of(d, j, stride_), stride_, T(0));
      for (Index k = p.shape.classes; k < stride_; ++k) row_of(p.g, j, stride_)[k] = T(0);
    });
    T size = T(0), enough = T(0), worth = T(0);
    int left = factor_ == Factor::none ? most_iterations / 2 : most_iterations;
    for (int round = 0;;) {
      apply_preconditioner(p);
      p.for_each_row([&](Index j) {
        copy(static_cast<const T*>(row_of(preconditioned(), j, stride_)), stride_, row_of(direction(), j, stride_));
      });
      size = inner_product(p, p.g, preconditioned());
      if (round == 0) {
        const T forcing = factor_ == Factor::of_samples ? T(0.1) * p.forcing : p.forcing;  // a gradient costs as much
        enough = forcing * forcing * size;
        worth = T(0.1) * size;
      }
      for (; !(size <= enough) && left > 0; --left) {
        apply_hessian(p);
        const T curvature = inner_product(p, direction(), image());
        if (!(curvature > T(8) * largest(epsilon<T>, T(1e-9)) * size)) {
          left = -1;
          break;
        }
        const T alpha = size / curvature;
        add(p, d, alpha, direction(), d);
        add(p, p.g, -alpha, image(), p.g);
        apply_preconditioner(p);
        const T next = inner_product(p, p.g, preconditioned());
        add(p, preconditioned(), next / size, direction(), direction());
        size = next;
      }
      if (left <= 0 || ++round == most_rounds || !stop_at_zero(p)) break;
      if (factor_ == Factor::of_classes && !factor_classes(p)) break;
    }
    for (Index c = 0; c < p.size; ++c)
      for (Index k = 0; k < stride_; ++k)  // as they were: what is zero at w otherwise does not move
        if (T& w = row_of(p.w, p.support[c], stride_)[k]; w == T(0)) w -= row_of(d, p.support[c], stride_)[k];
    is_solved_ = size <= worth;
    is_hard_ = is_hard_ || size > enough;
    return left >= 0;
  }
  /// Whether d would lead beyond zero: what turns round ends there, w is zero in the meantime, and g what is left then.
  template <class Problem>
  TAMIS_COLD_IN_MODULES [[gnu::noinline]] bool stop_at_zero(const Problem& p) {
    if (!p.is_near && !p.penalty.keeps_signs()) return false;
    bool any = false;
    add(p, p.w, T(1), p.d, direction());
    fill(row_of(direction(), p.shape.features, stride_), stride_, T(0));
    p.for_each_group([&](FeatureGroup group) {
      const bool stops = p.stop_at_kinks(group, direction());
      for (Index r = 0; r < group.count; ++r)
        for (Index k = 0; k < stride_; ++k) {
          const std::size_t at = std::size_t(group.feature(r)) * stride_ + k;
          T &w = p.w[at], &d = p.d[at], &to = direction()[at];
          const bool is_there = stops && to == T(0) && w != T(0);
          to = is_there ? w + d : T(0);
          if (!is_there) continue;
          d = -w;
          w = T(0);
          any = true;
        }
    });
    if (!any) return false;
    apply_hessian(p);
    add(p, p.g, T(1), image(), p.g);
    p.for_each_group([&](FeatureGroup group) { p.keep_on_manifold(group, p.g); });
    return true;
  }

  // ---- the step -----------------------------------------------------------------------------------------------------

  /// w ← w + αd, z with it, for the first α that descends enough.
  template <class Problem>
  [[gnu::noinline]] void search(Problem& p) {
    const T* base = p.intercept ? row_of(p.d, p.shape.features, stride_) : zero_row(p);
    p.design.multiply(p.support, p.size, p.d, stride_, base, p.u);
    count_work(p);
    T* const candidate = direction();
    T* const scores = p.h;
    T alpha = T(1);
    for (int halving = 0; halving < 8; ++halving, alpha *= T(0.5)) {
      const auto factor = SimdOrScalar<T>::fill(alpha);
      for (std::size_t e = 0; e < std::size_t(p.shape.samples) * stride_; e += SimdOrScalar<T>::width)
        (SimdOrScalar<T>::load(p.z + e) + factor * SimdOrScalar<T>::load(p.u + e)).store(scores + e);
      add(p, p.w, alpha, p.d, candidate);
      p.for_each_group([&](FeatureGroup group) { p.cut(group, candidate, preconditioned(), scores); });
      const T after = objective(p, candidate, scores);
      if (after <= p.value) {
        p.for_each_row([&](Index j) {
          copy(static_cast<const T*>(row_of(candidate, j, stride_)), stride_, row_of(p.w, j, stride_));
        });
        T* const old = p.z;
        p.z = p.h;
        p.h = old;
        p.value = after;
        break;
      }
    }
    went_well_ = alpha >= T(0.5) && is_solved_;
    if (alpha == T(1)) {
      slack_ *= T(0.8);
      damping_ *= T(0.25);
    } else if (alpha < T(0.3)) {
      slack_ = smallest(largest(slack_ / T(0.8), T(0.05)), T(0.5));
      damping_ = smallest(largest(T(4) * damping_, T(1e-4)), T(1e20));
    }
  }

  bool is_solved_ = false;  ///< nearly, though it may be by all iterations
  bool went_well_ = false;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
