#pragma once
/// The exact step on the dual row of one sample of the multiclass hinge.

#include "../projection/simplex.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Moves the dual point p = u + c·e_y of one sample to the maximum of ⟨s, p⟩ − ‖p − p₀‖²/2σ over the simplex of size c,
/// s being the scores plus margins (K entries, overwritten); σ infinite: to a vertex. `gap` becomes Σ_k p₀_k (max s −
/// s_k), the sample's share of the duality gap. Where it is at most `negligible` and p₀ is in the simplex nothing
/// moves: false. Otherwise step = p − p₀ (K entries). p₀ itself need not be in the simplex. Cost O(K). Source: Keerthi
/// et al. (2008), section 3.
template <class T>
bool crammer_singer_step(T* s, T* p, Index classes, T c, T sigma, T negligible, T* step, T& gap) {
  T top = s[0];
  for (Index k = 1; k < classes; ++k) top = largest(top, s[k]);
  gap = T(0);
  bool inside = true;
  for (Index k = 0; k < classes; ++k) {
    s[k] = top - s[k];
    gap += p[k] * s[k];
    inside = inside && !(p[k] < T(0));
  }
  if (inside && !(gap > negligible)) return false;
  if (finite(sigma)) {
    T highest = -infinity<T>;
    for (Index k = 0; k < classes; ++k) {
      s[k] = p[k] - sigma * s[k];
      highest = largest(highest, s[k]);
    }
    const T level = detail::water_level(classes, c, highest - c, [=](auto visit) {
      for (Index k = 0; k < classes; ++k) visit(s[k]);
    });
    for (Index k = 0; k < classes; ++k) s[k] = largest(s[k] - level, T(0));
  } else {
    Index best = 0;
    while (s[best] > T(0)) ++best;
    for (Index k = 0; k < classes; ++k) s[k] = k == best ? c : T(0);
  }
  for (Index k = 0; k < classes; ++k) {
    step[k] = s[k] - p[k];
    p[k] = s[k];
  }
  return true;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
