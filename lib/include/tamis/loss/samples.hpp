#pragma once
/// A loss over all samples.

#include "../concepts.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail {

/// Σ cᵢℓᵢ at scores z, samples × stride.
template <class T, class Loss>
TAMIS_CALLED_ONCE T mean_loss(const Loss& loss, const Targets<T>& targets, const T* z, Index stride) {
  Sum<T> total;
  const Index samples = targets.samples();
  for (Index i = 0; i < samples; ++i) {
    const T weight = targets.weight(i);
    if (weight > T(0))
      total.add(weight *
                loss.value(row_of(z, i, stride), targets.classes, label_of(loss, targets, i), targets.margin(i)));
  }
  return total.value();
}
/// The same of a loss with curvature, in a loop of its own where the profile has one for each.
template <class T, class Loss>
T mean_curved_loss(const Loss& loss, const Targets<T>& targets, const T* z, Index stride) {
  T mean = 0;
  visit_smooth_samples(loss, [&](const auto& one) { mean = mean_loss(one, targets, z, stride); });
  return mean;
}

/// U ← cᵢ∇ℓᵢ at scores z, the padding 0.
template <class T, class Loss>
[[gnu::noinline]] void take_gradients(const Loss& loss, const Targets<T>& targets, const T* z, Index stride, T* u) {
  const Index classes = targets.classes, samples = targets.samples();  // or the compiler reads them for each
  for (Index i = 0; i < samples; ++i) {
    T* row = row_of(u, i, stride);
    loss.gradient(row_of(z, i, stride), classes, label_of(loss, targets, i), targets.margin(i), targets.weight(i), row);
    for (Index k = classes; k < stride; ++k) row[k] = T(0);
  }
}
/// The same of a loss with curvature, in a loop of its own where the profile has one for each.
template <class T, class Loss>
void take_curved_gradients(const Loss& loss, const Targets<T>& targets, const T* z, Index stride, T* u) {
  visit_smooth_samples(loss, [&](const auto& one) { take_gradients(one, targets, z, stride, u); });
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail
