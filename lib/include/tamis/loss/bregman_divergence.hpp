#pragma once
/// How far a loss lies above its tangent, as precisely as the loss knows.

#include "../concepts.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// ℓ(to) − ℓ(from) − ⟨∇ℓ(from), to − from⟩ of one sample. `scratch` is a row. Relative rounding errors are small where
/// the loss has `bregman_divergence`; elsewhere the error is that of ℓ.
template <class T, class L>
T bregman_divergence(const L& loss, const T* from, const T* to, Index classes, Label y, T margin, T* scratch) {
  if constexpr (requires { loss.bregman_divergence(from, to, classes, y, margin, scratch); }) {
    if (has_bregman_divergence(loss)) return loss.bregman_divergence(from, to, classes, y, margin, scratch);
  }
  T tangent = loss.gradient(from, classes, y, margin, T(1), scratch);
  for (Index k = 0; k < classes; ++k) tangent += scratch[k] * (to[k] - from[k]);
  return loss.value(to, classes, y, margin) - tangent;
}

/// Whether `bregman_divergence` is precise.
template <class T, class L>
constexpr bool knows_bregman_divergence(const L& loss) {
  if constexpr (requires(const T* z, T* row) { loss.bregman_divergence(z, z, Index(), Label(), T(), row); })
    return has_bregman_divergence(loss);
  else return false;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
