#pragma once
/// Thresholds for projections onto the simplex and the ℓ1 ball, without sorting and without scratch.

#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"
#include "../linalg/simd.hpp"
#include "rows_in_lanes.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

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

/// Long rows are looked through a vector at a time; the bits are the same.
inline constexpr bool looks_by_lanes = profile.lanes && profile.every_width;

template <class T>
T highest(const T* v, Index count) {
  T top = *v;
  const T* const end = v + count;
  if constexpr (looks_by_lanes) {
    if (count > rows_in_lanes) {
      auto tops = Simd<T>::load(v).entry;
      for (; v + lanes<T> <= end; v += lanes<T>) {
        const auto next = Simd<T>::load(v).entry;
        tops = next > tops ? next : tops;
      }
      for (Index r = 0; r < lanes<T>; ++r) top = largest(top, T(tops[r]));
      --v;
    }
  }
  while (++v != end) top = largest(top, *v);
  return top;
}

/// Calls visit(k) for the entries v_k of which holds(v_k), from the first to the last; few of many are found fast.
/// `holds` takes vectors as well.
template <class T, class Holds, class Visit>
[[gnu::always_inline]] inline void for_each_entry_that(const T* v, Index count, Holds holds, Visit visit) {
  Index k = 0;
  if constexpr (looks_by_lanes) {
    for (; k + lanes<T> <= count; k += lanes<T>) {
      if (RowsInLanes<T>::all(~holds(Simd<T>::load(v + k).entry))) continue;
      for (Index r = k; r < k + lanes<T>; ++r)
        if (holds(v[r])) visit(r);
    }
  }
  for (; k < count; ++k)
    if (holds(v[k])) visit(k);
}

/// As project_simplex, of a long row: the entries that may stand above the water are looked for once. False, and
/// nothing has been written, where they are many.
template <class T>
[[gnu::noinline]] bool project_long_simplex(T* v, Index count, T radius, T top) {
  constexpr Index most = 64;
  T near[most];
  Index near_count = 0;
  const T floor = top - radius;
  for_each_entry_that(
      v, count, [=](auto entry) { return entry > floor; },
      [&](Index k) {
        if (near_count < most) near[near_count] = v[k];
        ++near_count;
      });
  if (near_count > most) return false;
  const T level = near_count > 1 ? water_level(near_count, radius, floor,
                                               [&](auto visit) {
                                                 for (Index k = 0; k < near_count; ++k) visit(near[k]);
                                               })
                                 : floor;
  Index above = 0;
  for (Index k = 0; k < near_count; ++k) above += near[k] > level;
  for_each_width<T>(count, [&]<class Number>(Index k) {
    const auto excess = Number::load(v + k) - Number::fill(level);
    (above == 1 ? excess.where_positive(Number::fill(radius)) : excess.positive_part()).store(v + k);
  });
  return true;
}

/// See below; `top` is the largest entry.
template <class T>
TAMIS_NOINLINE_IF_SMALLEST void project_simplex(T* v, Index count, T radius, T top) {
  if constexpr (looks_by_lanes)
    if (count > rows_in_lanes && project_long_simplex(v, count, radius, top)) return;
  T* const end = v + count;
  T level = top - radius;  // entries at it or below end at zero, wherever the water stands
  Index kept = count + 1;
  for (;;) {  // as in water_level
    T total = 0;
    const Index before = kept;
    kept = 0;
    const T* each = v;
    do {
      if (!(*each > level)) continue;
      total += *each;
      ++kept;
    } while (++each != end);
    if (kept <= 1 || kept == before) break;
    const T next = (total - radius) / T(kept);
    if (next <= level && before <= count) break;
    level = next;
  }
  do {
    *v = *v > level ? (kept == 1 ? radius : *v - level) : T(0);
  } while (++v != end);
}

}  // namespace detail

/// Projects v (K entries, in place) onto {u ≥ 0, Σu = radius}: v ← (v − θ)₊, and just radius·e_k where all other
/// entries are at least the radius below v_k, which is most often so. Cost O(K) per round, few rounds. Source: Michelot
/// (1986); Chierchia et al. (2015), Proposition 3.1.
template <class T>
void project_simplex(T* v, Index count, T radius) {
  detail::project_simplex(v, count, radius, detail::highest(static_cast<const T*>(v), count));
}

/// The same for `rows` rows of `stride` entries, that of row i with the radius radius(i): several at once where there
/// are vectors, and the same bits.
template <class T, class Radius>
void project_simplex_rows(T* v, Index rows, Index count, Index stride, Radius radius) {
  Index i = 0;
  if constexpr (profile.lanes) {
    if (count <= detail::RowsInLanes<T>::most) {
      detail::RowsInLanes<T> together;
      for (; i + lanes<T> <= rows; i += lanes<T>) {
        typename Simd<T>::Native radii{};
        TAMIS_UNROLL
        for (Index r = 0; r < lanes<T>; ++r) radii[r] = radius(i + r);
        together.load(row_of(v, i, stride), stride, count);
        together.project_simplex(count, radii, together.highest(count));
        together.store(row_of(v, i, stride), stride, count);
      }
    }
  }
  for (; i < rows; ++i) project_simplex(row_of(v, i, stride), count, radius(i));
}

/// The clipping level of the ℓ∞ prox: u − P(u), P the projection onto the ℓ1 ball of `radius`, is u clipped to ±level.
/// Zero when ‖u‖₁ ≤ radius.
template <class T>
T linf_level(const Rows<const T>& u, T radius) {
  const auto each = [&](auto visit) {
    for (Index r = 0; r < u.rows; ++r) {
      const T* row = u.row(r);
      for (Index k = 0; k < u.classes; ++k) visit(absolute(row[k]));
    }
  };
  T norm = 0;
  each([&](T v) { norm += v; });
  return norm <= radius ? T(0) : detail::water_level(u.rows * u.classes, radius, T(0), each);
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
