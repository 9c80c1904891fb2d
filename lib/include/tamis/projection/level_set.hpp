#pragma once
/// Projection of all scores at once onto {Z : Σ cᵢ ℓᵢ(zᵢ) ≤ η}, through its one multiplier.

#include "../concepts.hpp"
#include "decreasing_root.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The ν ≥ 0 at which the points (uᵢ − u⁺ᵢ)/σ, u⁺ᵢ = loss.dual_prox(uᵢ) with weight νcᵢ, have a mean loss of η (0 when
/// it is not above η there): those points are the projection of u/σ onto {Σ cᵢℓᵢ ≤ η}, and u⁺ the remainder times σ.
///
/// Each ℓᵢ at its point is convex, decreasing and piecewise linear in ν, so Newton's steps from `start` end, after few
/// rounds when it is near; each O(samples·classes). u: samples × stride.
template <class T, class Loss>
[[gnu::noinline]] T level_set_multiplier(const Loss& loss, const Targets<T>& targets, const T* u, Index stride, T sigma,
                                         T eta, T start) {
  return decreasing_root(start,
                         [&](T nu, T& slope) {
                           Sum<T> value;
                           T slopes = 0;
                           for (Index i = 0; i < targets.samples(); ++i) {
                             const T weight = targets.weight(i);
                             if (!(weight > T(0))) continue;
                             const auto terms =
                                 loss.level_terms(row_of(u, i, stride), targets.classes, targets.labels[i],
                                                  targets.margin(i), nu * weight, sigma);
                             value.add(weight * terms.value);
                             slopes += weight * weight * terms.slope;
                           }
                           slope = slopes;
                           return value.value() - eta;
                         })
      .at;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
