#pragma once
/// Dual rows of samples, several at once where the profile has lanes and the loss takes them so, or one by one.

#include "../concepts.hpp"
#include "../projection/rows_in_lanes.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

using detail::rows_in_lanes;

/// A loss with a dual_prox_rows for lanes<T> rows of at most `rows_in_lanes` classes at once.
template <class L, class T>
concept ProxesRows = profile.lanes&& requires(const L loss, T* u, const Label* y, const T* numbers) {
  loss.dual_prox_rows(u, Index(), Index(), y, numbers, numbers, T());
};

/// A few samples whose dual rows are beside each other, and what they have of their own.
template <class T>
struct DualRows {
  static constexpr Index most = profile.lanes ? lanes<T> : 1;

  Index first, count;
  Label label[most];
  T margin[most], weight[most];

  /// u ← prox_{σ(cℓ)*}(u) for all of them.
  template <class Loss>
  [[gnu::always_inline]] void dual_prox(const Loss& loss, T* u, Index stride, Index classes, T sigma) const {
    if constexpr (ProxesRows<Loss, T>)
      if (count == most) return loss.dual_prox_rows(u, stride, classes, label, margin, weight, sigma);
    for (Index r = 0; r < count; ++r)
      loss.dual_prox(row_of(u, r, stride), classes, label[r], margin[r], weight[r], sigma);
  }
};

/// Calls visit(rows) for all samples, as many at a time as there are lanes if `together`, which are those of targets
/// numbered sample(i).
template <class T, class Sample, class Visit>
[[gnu::always_inline]] inline void for_each_dual_rows(bool together, Index samples, const Targets<T>& targets,
                                                      Sample sample, Visit visit) {
  DualRows<T> rows;
  for (Index r = 0; r < rows.most; ++r) {
    rows.margin[r] = targets.common_margin;
    rows.weight[r] = targets.inverse_total;
  }
  const auto take = [&](Index r, Index i) TAMIS_INLINED {
    rows.label[r] = targets.labels[i];
    if (targets.margins) rows.margin[r] = targets.margins[i];
    if (targets.weights) rows.weight[r] = targets.weights[i] * targets.inverse_total;
  };
  for (rows.first = 0; rows.first < samples; rows.first += rows.count) {
    rows.count = rows.most > 1 && together ? smallest(rows.most, samples - rows.first) : 1;
    if (profile.every_width && rows.count == rows.most) {
      TAMIS_UNROLL
      for (Index r = 0; r < rows.most; ++r) take(r, sample(rows.first + r));
    } else {  // where there are fewer, the last again
      for (Index r = 0; r < rows.most; ++r) take(r, sample(rows.first + smallest(r, rows.count - 1)));
    }
    visit(rows);
  }
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
