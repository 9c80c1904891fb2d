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
  const T top = detail::highest(static_cast<const T*>(s), classes);
  gap = T(0);
  bool inside = true;
  T held = T(0);  // where σ leads those that are not zero
  Index holding = 0;
  detail::for_each_entry_that(
      p, classes, [](auto entry) { return entry != T(0); },
      [&](Index k) {
        gap += p[k] * (top - s[k]);
        inside = inside && !(p[k] < T(0));
        held += p[k] - sigma * (top - s[k]);
        ++holding;
      });
  if (inside && !(gap > negligible)) return false;
  if (finite(sigma)) {
    for_each_width<T>(classes, [&]<class Number>(Index k) {
      (Number::load(p + k) - Number::fill(sigma) * (Number::fill(top) - Number::load(s + k))).store(s + k);
    });
    // Alone, those that stood above the water would have it no higher than it gets.
    const T highest = detail::highest(static_cast<const T*>(s), classes), alone = (held - c) / T(holding);
    const T floor = alone < highest ? largest(highest - c, alone) : highest - c;
    Index near = 0;  // those that may stand above it now, in `step`
    detail::for_each_entry_that(
        s, classes, [=](auto entry) { return entry > floor; }, [&](Index k) { step[near++] = s[k]; });
    const T level = detail::water_level(near, c, floor, [=](auto visit) {
      for (Index k = 0; k < near; ++k) visit(step[k]);
    });
    for_each_width<T>(classes, [&]<class Number>(Index k) {
      (Number::load(s + k) - Number::fill(level)).positive_part().store(s + k);
    });
  } else {
    Index best = 0;
    while (s[best] < top) ++best;
    for (Index k = 0; k < classes; ++k) s[k] = k == best ? c : T(0);
  }
  for_each_width<T>(classes, [&]<class Number>(Index k) {
    const auto next = Number::load(s + k);
    (next - Number::load(p + k)).store(step + k);
    next.store(p + k);
  });
  return true;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
