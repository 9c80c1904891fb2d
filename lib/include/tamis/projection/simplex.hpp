#pragma once
/// Thresholds for projections onto the simplex and the ℓ1 ball, without sorting and without scratch.

#include "../linalg/pack.hpp"
#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"

namespace tamis {

namespace detail {

/// θ with Σ (v − θ)₊ = radius over the `count` entries v that each(visit) visits, or over those that exceed `floor` to
/// begin with.
///
/// Michelot's iteration: θ from all candidates, drop those not above it, repeat until none drops. θ only rises, the
/// candidates only shrink, so it ends after at most `count` rounds, ties and equal entries included.
template <class T, class Each>
T water_level(Index count, T radius, T floor, Each each) {
  T threshold = floor;
  Index kept_before = count + 1;
  for (;;) {
    T total = 0;
    Index kept = 0;
    each([&](T v) {
      const bool above = v > threshold;
      total += above ? v : T(0);
      kept += above;
    });
    if (kept == 0 || kept == kept_before) return threshold;
    const T next = (total - radius) / T(kept);
    if (next <= threshold && kept_before <= count) return threshold;
    if (kept == 1) return next;
    threshold = next;
    kept_before = kept;
  }
}

}  // namespace detail

/// Projects v (K entries, in place) onto {u ≥ 0, Σu = radius}: v ← (v − θ)₊. Cost O(K) per round, few rounds.
/// Source: Michelot (1986); paper A, Proposition 3.1.
template <class T>
void project_simplex(T* v, Index count, T radius) {
  T top = v[0];  // entries at top − radius or below end at zero, whatever the level: most often that is all but one
  for (Index j = 1; j < count; ++j) top = largest(top, v[j]);
  const T level = detail::water_level(count, radius, top - radius, [=](auto visit) {
    for (Index j = 0; j < count; ++j) visit(v[j]);
  });
  constexpr Index width = Piece<T>::width;
  Index i = 0;
  for (; i + width <= count; i += width) (Piece<T>::load(v + i) - Piece<T>::fill(level)).positive_part().store(v + i);
  for (; i < count; ++i) v[i] = largest(v[i] - level, T(0));
}

/// The clipping level of the ℓ∞ prox: u − P(u), P the projection onto the ℓ1 ball of `radius`, is u clipped to ±level.
/// Zero when ‖u‖₁ ≤ radius.
template <class T>
T linf_level(Rows<const T> u, T radius) {
  const auto each = [=](auto visit) {
    for (Index r = 0; r < u.rows; ++r) {
      const T* row = u.row(r);
      for (Index k = 0; k < u.classes; ++k) visit(absolute(row[k]));
    }
  };
  T norm = 0;
  each([&](T v) { norm += v; });
  return norm <= radius ? T(0) : detail::water_level(u.rows * u.classes, radius, T(0), each);
}

}  // namespace tamis
