#pragma once
/// Projection onto the epigraph of the multiclass hinge, without sorting and without scratch.

#include "../linalg/scalar.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Projects (z, ζ), in place, onto {max_k (z_k + r_k) ≤ ζ}, r_k = margin for k ≠ y and r_y = 0:
///     θ = (ζ + Σ_{k: z_k + r_k > θ} (z_k + r_k)) / (1 + their number),   z_k ← min(z_k, θ − r_k),   ζ ← θ.
/// θ is the root of θ − ζ − Σ(z_k + r_k − θ)₊, found by Newton's steps from below: they only drop classes, so there are
/// at most `count` of them, ties included. Cost O(K) per step. Source: Chierchia et al. (2015), Proposition 3.3 (which
/// sorts).
template <class T>
void project_hinge_epigraph(T* z, T& zeta, Index count, Index y, T margin) {
  T level = -infinity<T>;
  Index kept_before = count + 1;
  for (;;) {
    T total = zeta;
    Index kept = 0;
    for (Index k = 0; k < count; ++k) {
      const T shifted = k == y ? z[k] : z[k] + margin;
      const bool above = shifted > level;
      total += above ? shifted : T(0);
      kept += above;
    }
    if (kept == kept_before) break;
    kept_before = kept;
    level = total / T(kept + 1);
    if (kept == 0) break;
  }
  if (level < zeta) level = zeta;
  for (Index k = 0; k < count; ++k) z[k] = smallest(z[k], k == y ? level : level - margin);
  zeta = level;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
