#pragma once
/// The hinge problem without coefficients, solved in closed form: the best intercepts and an optimal dual point.

#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"
#include "../targets.hpp"

namespace tamis {

namespace detail {

/// Length of the overlap of [a, b] and [c, d].
template <class T>
T overlap(T a, T b, T c, T d) {
  return largest(smallest(b, d) - largest(a, c), T(0));
}

/// p_k = share of class `label` that lands on class k when the classes, laid side by side on a circle of length 1 as
/// arcs [start, start + share), are turned: the average over `turns` turns between `least` and 1 − `least`, where
/// `least` is the largest share. No arc can then meet itself, and every class receives as much as it sends.
template <class T>
[[gnu::noinline]] void turn_shares(const Targets<T>& targets, const T* share, Index label, T least, T* p) {
  constexpr int turns = 8;
  const Index classes = targets.classes;
  T own_start = 0;
  for (Index k = 0; k < label; ++k) own_start += share[k];
  fill(p, classes, T(0));
  for (int turn = 0; turn < turns; ++turn) {
    const T by = least + (T(1) - T(2) * least) * (T(2 * turn + 1) / T(2 * turns));
    const T from = own_start + by;
    const T to = from + share[label];
    T start = 0;
    for (Index k = 0; k < classes; ++k) {
      const T end = start + share[k];
      if (k != label) p[k] += overlap(from, to, start, end) + overlap(from, to, start + T(1), end + T(1));
      start = end;
    }
  }
  T total = 0;
  for (Index k = 0; k < classes; ++k) total += p[k];
  for (Index k = 0; k < classes; ++k) p[k] /= total;
}

/// For a class that holds more than half of the weight: the t that solves min_t Σ_{others} cᵢ(t + μᵢ) + Σ_{own} cᵢ(μᵢ −
/// t)₊.
template <class T>
[[gnu::noinline]] T majority_intercept(const Targets<T>& targets, Index majority, T others) {
  T t = 0;
  for (;;) {  // t climbs over the margins of the class until at most `others` weight lies above
    Sum<T> above;
    T next = infinity<T>;
    for (Index i = 0; i < targets.samples(); ++i) {
      if (targets.labels[i] != majority || !(targets.margin(i) > t)) continue;
      above.add(targets.weight(i));
      next = smallest(next, targets.margin(i));
    }
    if (!(above.value() > others) || next == infinity<T>) return t;
    t = next;
  }
}

}  // namespace detail

/// Solves min_b Σᵢ cᵢ ℓ(b, yᵢ) (b = 0 without an intercept) and writes the intercepts (K entries, padding included) and
/// an optimal dual point u (samples × stride) whose columns sum to zero.
///
/// No class above half of the weight: b = 0 is optimal, and every sample's mass moves to other classes so that each
/// class gets back what it gave. Otherwise the majority class keeps the surplus. The optimal dual point is not unique;
/// one that spreads the mass makes Ω°(Xᵀu), the certified upper bound of λ_max, small. Cost O(samples·classes); for a
/// majority class with D different margins, O(D·samples).
template <class T>
[[gnu::noinline]] void hinge_null_model(const Targets<T>& targets, bool intercept, T* intercepts, T* u, Index stride) {
  const Index classes = targets.classes;
  const Index samples = targets.samples();
  fill(intercepts, stride, T(0));
  fill(u, static_cast<std::size_t>(samples) * stride, T(0));
  if (!intercept) {
    for (Index i = 0; i < samples; ++i) {
      const T weight = targets.weight(i);
      T* row = row_of(u, i, stride);
      for (Index k = 0; k < classes; ++k) row[k] = weight / T(classes - 1);
      row[targets.labels[i]] = -weight;
    }
    return;
  }

  T* share = intercepts;  // holds the class weights until the end
  Index majority = 0;
  for (Index k = 0; k < classes; ++k) {
    share[k] = targets.class_weight(static_cast<Label>(k));
    if (share[k] > share[majority]) majority = k;
  }
  const T top = share[majority];
  if (top <= T(0.5)) {
    for (Index i = 0; i < samples; ++i) {
      T* row = row_of(u, i, stride);
      detail::turn_shares(targets, share, targets.labels[i], top, row);
      for (Index k = 0; k < classes; ++k) row[k] *= targets.weight(i);
      row[targets.labels[i]] = -targets.weight(i);
    }
    fill(intercepts, stride, T(0));
    return;
  }

  const T others = T(1) - top;
  const T level = detail::majority_intercept(targets, majority, others);
  Sum<T> above, at;
  for (Index i = 0; i < samples; ++i) {
    if (targets.labels[i] != majority) continue;
    if (targets.margin(i) > level) above.add(targets.weight(i));
    if (targets.margin(i) == level) at.add(targets.weight(i));
  }
  const T missing = others - above.value();
  const T part = at.value() > T(0) ? smallest(largest(missing / at.value(), T(0)), T(1)) : T(0);
  for (Index i = 0; i < samples; ++i) {
    T* row = row_of(u, i, stride);
    const T weight = targets.weight(i);
    if (targets.labels[i] != majority) {
      row[majority] = weight;
      row[targets.labels[i]] = -weight;
      continue;
    }
    const T moved = targets.margin(i) > level ? weight : (targets.margin(i) == level ? part * weight : T(0));
    for (Index k = 0; k < classes; ++k) row[k] = k == majority ? -moved : moved * (share[k] / others);
  }
  fill(intercepts, stride, T(0));
  intercepts[majority] = level;
}

}  // namespace tamis
