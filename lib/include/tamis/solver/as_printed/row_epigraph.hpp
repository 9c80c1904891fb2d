#pragma once
/// Projections onto the epigraphs of a row of interactions, E_r = {(u, ω⁺, ω⁻) : ‖u‖_r ≤ ω⁺ + ω⁻}.

#include "../../penalty/hierarchical.hpp"
#include "../../projection/decreasing_root.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Projects (u, ω⁺, ω⁻), in place, onto E_r, a closed convex cone. With s = ω⁺ + ω⁻, a point with ‖u‖_r ≤ s stays; of
/// others ω^± grow by α and
///   - l1:   u ← soft(u, α), α the root of Σ(|u_l| − α)₊ = s + 2α;
///   - linf: u ← u cut at ±t, α = (t − s)/2, t the root of Σ(|u_l| − t)₊ = (t − s)/2, or 0 where that is negative.
/// Both roots by Newton's steps from the left, which only drop entries: nothing is sorted, ties and s < 0 included.
/// Cost: count, a few times. Source: Jiu et al. (2020), propositions 4.1 to 4.3, completed for points within E_r and
/// for roots at which no entry is left.
template <class T>
void project_row_epigraph(HierarchyNorm norm, T* u, Index count, T& plus, T& minus) {
  const T room = plus + minus;
  T sum = 0, top = 0;
  for (Index l = 0; l < count; ++l) {
    sum += absolute(u[l]);
    top = largest(top, absolute(u[l]));
  }
  const bool l1 = norm == HierarchyNorm::l1;
  if ((l1 ? sum : top) <= room) return;
  const auto excess = [=](T level, T& slope) {
    T above = 0;
    Index kept = 0;
    for (Index l = 0; l < count; ++l) {
      above += largest(absolute(u[l]) - level, T(0));
      kept += absolute(u[l]) > level;
    }
    slope = -(T(kept) + (l1 ? T(2) : T(0.5)));
    return above - (l1 ? room + T(2) * level : (level - room) / T(2));
  };
  const T level = decreasing_root(l1 ? T(0) : largest(room, T(0)), excess).at;
  for (Index l = 0; l < count; ++l) u[l] = l1 ? soft(u[l], level) : smallest(largest(u[l], -level), level);
  const T growth = l1 ? level : (level - room) / T(2);
  plus += growth;
  minus += growth;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
