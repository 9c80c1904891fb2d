#pragma once
/// How far a loss lies above its tangent, as precisely as the loss knows.

#include "../concepts.hpp"

namespace tamis {

/// ℓ(to) − ℓ(from) − ⟨∇ℓ(from), to − from⟩ of one sample. `scratch` is a row. Relative rounding errors are small where
/// the loss has `excess`; elsewhere the error is that of ℓ.
template <class T, class L>
T tangent_excess(const L& loss, const T* from, const T* to, Index classes, Label y, T margin, T* scratch) {
  if constexpr (requires { loss.excess(from, to, classes, y, margin, scratch); }) {
    if (has_excess(loss)) return loss.excess(from, to, classes, y, margin, scratch);
  }
  T tangent = loss.gradient(from, classes, y, margin, T(1), scratch);
  for (Index k = 0; k < classes; ++k) tangent += scratch[k] * (to[k] - from[k]);
  return loss.value(to, classes, y, margin) - tangent;
}

/// Whether `tangent_excess` is precise.
template <class T, class L>
constexpr bool knows_excess(const L& loss) {
  if constexpr (requires(const T* z, T* row) { loss.excess(z, z, Index(), Label(), T(), row); })
    return has_excess(loss);
  else return false;
}

}  // namespace tamis
