#pragma once
/// What training samples alone say of the error on others: the data-dependent bound of classifiers with kernels.

#include "../arena.hpp"
#include "../design/dense.hpp"
#include "../linalg/elementary.hpp"
#include "../linalg/random.hpp"
#include "../penalty/mixed_norm.hpp"
#include "../status.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// ‖α‖_{pq;r}, whatever λ.
template <class T>
T norm_of(MixedNorm<T> penalty, Rows<const T> coefficients, Index kernels) {
  penalty.lambda = T(1);
  const T value = penalty.value(coefficients, kernels);
  return penalty.q == 1 ? value : square_root(T(2) * value);
}

/// The norm dual to it, max_α ⟨h, α⟩ over ‖α‖_{pq;r} ≤ 1: ‖h‖_{p'q';r}, 1/p + 1/p' = 1 and 1/q + 1/q' = 1.
template <class T>
T dual_norm_of(MixedNorm<T> penalty, Rows<const T> h, Index kernels) {
  penalty.lambda = T(1);
  return penalty.q == 1 ? penalty.gauge(h, kernels) : square_root(T(2) * penalty.conjugate(h, kernels));
}

/// Whether the complexity of bounded kernels is proved to fall with n as √(ln n / n), whatever the samples: where the
/// dual norm takes the largest over the samples. Proposition 2 of Kowalski et al. (2009) claims it for (p, q; r) = (1,
/// 2; 1) and (2, 1; 2) as well, where it is false: the dual norm is Euclidean over the samples there (as it is for p =
/// q = 2), so that of a constant kernel, whose products are all Σσ, it is |Σσ|/√n, which stays near √(2/π) for all n.
template <class T>
constexpr bool has_proved_rate(const MixedNorm<T>& penalty) {
  return penalty.r == 1 ? penalty.q == 1 : penalty.p == 1;
}

/// A mean of draws, and its standard error.
template <class T>
struct DrawnMean {
  T mean = 0;
  T standard_error = 0;
};

namespace detail {
template <class T>
struct RademacherMemory {
  static constexpr Index width = 2 * lanes<T>;  ///< draws at once
  T* signs;                                     ///< samples × width
  T* products;                                  ///< features × width

  static constexpr RademacherMemory lay_out(Arena& arena, Shape shape) {
    RademacherMemory m{};
    m.signs = arena.take<T>(saturating_multiply(shape.samples, width));
    m.products = arena.take<T>(saturating_multiply(shape.features, width));
    return m;
  }
};
}  // namespace detail

/// Bytes that rademacher_average needs: `shape.features` is n·τ.
template <class T>
constexpr Requirement rademacher_requirement(Shape shape) {
  return count_bytes<detail::RademacherMemory<T>>(shape);
}

/// E (1/n) ‖Kσ‖_{p'q';r} over independent signs σ of the samples, [Kσ]_lt = Σᵢ K_t[l, i] σᵢ: how well functions f with
/// ‖α‖_{pq;r} ≤ 1 can follow labels that mean nothing. By `draws` ≥ 2 of signs with a seed; `design` as for
/// KernelAdmm. `converged`, or a refusal that touches nothing: `invalid_shape`, `invalid_option` (norm or draws),
/// `invalid_data`, `invalid_arena`, `arena_too_small`; `precision_limit` where T does not hold the products.
///
/// Memory: rademacher_requirement: (τ + 1)·n·w numbers, w 8 in float and 4 in double. Cost: n²·τ products a draw.
/// Source: Kowalski et al. (2009), section 2.4, Proposition 1.
template <class T>
Status rademacher_average(const DenseDesign<T>& design, Index kernels, const MixedNorm<T>& penalty, Index draws,
                          std::uint64_t seed, std::span<std::byte> memory, DrawnMean<T>& out) {
  using Memory = detail::RademacherMemory<T>;
  constexpr Index width = Memory::width;
  const Shape shape{design.samples(), design.features(), 1};
  const Index n = shape.samples;
  if (n == 0 || kernels == 0 || shape.features != detail::saturating_multiply(n, kernels)) return Status::invalid_shape;
  if (!penalty.valid() || draws < 2) return Status::invalid_option;
  if (Index row, column; design.find_bad_value(row, column)) return Status::invalid_data;
  if (!Arena::aligned(memory)) return Status::invalid_arena;
  if (memory.size() < rademacher_requirement<T>(shape).bytes) return Status::arena_too_small;
  Arena arena(memory);
  const Memory m = Memory::lay_out(arena, shape);
  Draws signs(seed);
  T first = 0;
  Sum<T> sum, squares;  // of what is above the first draw
  for (Index drawn = 0; drawn < draws; drawn += width) {
    const Index now = smallest(width, draws - drawn);
    fill(m.signs, std::size_t(n) * width, T(0));
    for (Index d = 0; d < now; ++d)
      for (Index i = 0; i < n; ++i) row_of(m.signs, i, width)[d] = signs.next(2) ? T(1) : T(-1);
    design.transposed_multiply(nullptr, shape.features, m.signs, width, m.products);
    for (Index d = 0; d < now; ++d) {
      const T value = dual_norm_of(penalty, Rows<const T>{m.products + d, shape.features, 1, width}, kernels) / T(n);
      if (drawn + d == 0) first = value;
      sum.add(value - first);
      squares.add((value - first) * (value - first));
    }
  }
  const T count = T(draws), mean = sum.value() / count;
  out.mean = first + mean;
  out.standard_error = square_root(largest(squares.value() / count - mean * mean, T(0)) / (count - T(1)));
  return finite(out.mean) && finite(out.standard_error) ? Status::converged : Status::precision_limit;
}

/// min((1 − m)₊², 1) of the margin m = y·f(x), y −1 or 1.
template <class T>
constexpr T clipped_squared_hinge(T margin) {
  const T violation = largest(T(1) - margin, T(0));
  return smallest(violation * violation, T(1));
}

/// P(y·f(x) ≤ 0) ≤ clipped_loss + 16·complexity + deviation for all f with ‖α‖_{pq;r} ≤ radius at once, with
/// probability 1 − δ over the training samples, where `complexity` is radius·E (1/2n) ‖Kσ‖_{p'q';r}, its supremum over
/// samples of size 2n. Two classes with one score, b = 0; a constant kernel is a bias that the norm counts.
///
/// The supremum is not known from samples: rademacher_average of the training samples takes its place, and the norm of
/// the trained model that of a radius chosen beforehand. So `value()` is an estimate of the bound, for comparing
/// kernels, norms and λs, and no guarantee; without has_proved_rate it need not fall with n; above 1 it says nothing of
/// the error itself. Source: Kowalski et al. (2009), Theorem 2.
template <class T>
struct RademacherBound {
  T radius = 0;
  T complexity = 0;
  T standard_error = 0;  ///< of the complexity
  T clipped_loss = 0;    ///< the mean of clipped_squared_hinge over the training samples
  T deviation = 0;       ///< √(ln(1/δ)/2n)

  T value() const { return clipped_loss + T(16) * complexity + deviation; }
};

/// `delta` in (0, 1).
template <class T>
RademacherBound<T> rademacher_bound(T radius, const DrawnMean<T>& average, T clipped_loss, Index samples, T delta) {
  return {radius, radius * average.mean, radius * average.standard_error, clipped_loss,
          square_root(-logarithm(delta) / (T(2) * T(samples)))};
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
