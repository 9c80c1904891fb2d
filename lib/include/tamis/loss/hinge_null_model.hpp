#pragma once
/// The hinge problem without coefficients, solved in closed form: the best intercepts and an optimal dual point.

#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"
#include "../targets.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {

/// Length of the overlap of [a, b] and [c, d].
template <class T>
T overlap(T a, T b, T c, T d) {
  return largest(smallest(b, d) - largest(a, c), T(0));
}

/// p_k = share of class `label` that lands on class k when the classes, laid side by side on a circle of length 1 as
/// arcs [start, start + share), are turned: the sum over `turns` turns between `least` and 1 − `least`, where `least`
/// is the largest share. No arc can then meet itself, and every class receives as much as it sends. p must be zero
/// before.
template <class T>
[[gnu::noinline]] void turn_shares(const T* share, Index classes, Index label, T least, T* p) {
  constexpr int turns = 8;
  T own_start = 0;
  for (Index k = 0; k < label; ++k) own_start += share[k];
  for (int turn = 0; turn < 2 * turns; ++turn) {  // each twice, the second time for what has passed the end of the circle
    const T by = least + (T(1) - T(2) * least) * (T(turn | 1) / T(2 * turns));
    const T from = own_start + by;
    T start = T(turn & 1);
    for (Index k = 0; k < classes; ++k) {
      const T end = start + share[k];
      p[k] += overlap(from, from + share[label], start, end);
      start = end;
    }
  }
}

/// Weight of the samples of a class whose margin is above `level`; `next` is the smallest such margin, or ∞.
template <class T>
[[gnu::noinline]] T weight_above(const Targets<T>& targets, Index label, T level, T& next) {
  Sum<T> above;
  next = infinity<T>;
  for (Index i = 0; i < targets.samples(); ++i) {
    const T margin = targets.margin(i);
    if (targets.labels[i] != label || !(margin > level)) continue;
    above.add(targets.weight(i));
    next = smallest(next, margin);
  }
  return above.value();
}

}  // namespace detail

/// Solves min_b Σᵢ cᵢ ℓ(b, yᵢ) (b = 0 without an intercept) and writes the intercepts (K entries, padding included) and
/// an optimal dual point u (samples × stride) whose columns sum to zero.
///
/// No class above half of the weight: b = 0 is optimal, and every sample's mass moves to other classes so that each
/// class gets back what it gave. Otherwise the majority class keeps the surplus, and its intercept solves
/// min_t Σ_{others} cᵢ(t + μᵢ) + Σ_{own} cᵢ(μᵢ − t)₊. The optimal dual point is not unique; one that spreads the mass
/// makes Ω°(Xᵀu), the certified upper bound of λ_max, small. Cost O(samples·classes); for a majority class with D
/// different margins, O(D·samples).
template <class T>
[[gnu::noinline]] void hinge_null_model(const Targets<T>& targets, bool intercept, T* intercepts, T* u, Index stride) {
  const Index classes = targets.classes;
  const Index samples = targets.samples();
  T* share = intercepts;  // holds the class weights until the end
  Index majority = 0;
  T next = 0;
  fill(intercepts, stride, T(0));
  for (Index k = 0; k < classes; ++k) {
    share[k] = detail::weight_above(targets, k, T(-1), next);
    if (share[k] > share[majority]) majority = k;
  }
  const T top = share[majority];
  const T others = largest(T(1) - top, T(0));
  const bool has_majority = intercept && top > others;

  // The intercept climbs over the margins of the majority until at most the weight of the others lies above.
  T level = 0, part = 0;  // those at its level move that part of their weight
  next = T(0);
  for (T above = top; has_majority && above > others;) {
    const T before = above;
    level = next;
    above = detail::weight_above(targets, majority, level, next);
    part = (others - above) / (before - above);
  }

  if (!intercept) fill(share, classes, T(1));
  fill(u, static_cast<std::size_t>(samples) * stride, T(0));
  for (Index i = 0; i < samples; ++i) {
    T* row = row_of(u, i, stride);
    const Index label = targets.labels[i];
    T moved = targets.weight(i);
    if (has_majority && label != majority) {
      row[majority] = T(1);
    } else if (has_majority || !intercept) {
      copy(static_cast<const T*>(share), classes, row);
      const T margin = targets.margin(i);
      if (has_majority && !(margin > level)) moved *= margin == level ? part : T(0);
    } else {
      detail::turn_shares(static_cast<const T*>(share), classes, label, top, row);
    }
    row[label] = T(0);
    T total = 0;
    for (Index k = 0; k < classes; ++k) total += row[k];
    scale_row(row, classes, moved / total);
    row[label] = -moved;
  }
  fill(intercepts, classes, T(0));
  intercepts[majority] = level;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
