#pragma once
/// Which classes belong to a sample, where that may be several: the distinct sets, listed once and numbered.

#include <span>

#include "shape.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// A view of caller memory: set y holds members[starts[y]] … members[starts[y + 1] − 1], ascending classes. The label
/// of a sample is the number of its set.
struct LabelSets {
  const Index* starts = nullptr;   ///< count + 1 positions
  const Label* members = nullptr;  ///< starts[count] classes
  Index count = 0;                 ///< at most 65536

  std::span<const Label> operator[](Label y) const { return {members + starts[y], members + starts[y + 1]}; }

  /// Whether there is such a set, of ascending classes.
  [[gnu::noinline]] bool valid(Label y, Index classes) const {
    if (y >= count || starts[y + 1] < starts[y]) return false;
    Index least = 0;
    for (const Label k : (*this)[y]) {
      if (k < least || k >= classes) return false;
      least = k + 1u;
    }
    return true;
  }
  bool contains(Label y, Index k) const {
    for (const Label member : (*this)[y])
      if (member >= k) return member == k;
    return false;
  }
  /// Whether there is something to rank: some class is in the set, and some is not.
  bool has_pairs(Label y, Index classes) const {
    return y < count && starts[y] < starts[y + 1] && starts[y + 1] - starts[y] < classes;
  }
  /// Visits all classes in order, as (class, whether it is in the set).
  template <class Visit>
  void for_each_class(Label y, Index classes, Visit visit) const {
    const auto set = (*this)[y];
    auto next = set.begin();
    for (Index k = 0; k < classes; ++k) {
      const bool inside = next != set.end() && *next == k;
      next += inside;
      visit(k, inside);
    }
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
