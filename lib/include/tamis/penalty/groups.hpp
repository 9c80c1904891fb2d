#pragma once
/// Which features belong together: what solvers iterate over and group penalties sum over.

#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The features of one group: `count` consecutive ones from `first`, or members[0 … count − 1] when there are members;
/// then `first` is members[0].
struct FeatureGroup {
  Index first;
  Index count;
  const Index* members = nullptr;

  [[gnu::always_inline]] constexpr Index feature(Index r) const { return members ? members[r] : first + r; }
};

/// The coefficients of a group in a matrix with a row per feature.
template <class T>
[[gnu::always_inline]] inline Rows<T> rows_of(T* matrix, FeatureGroup group, Index classes, Index stride) {
  return {group.members ? matrix : row_of(matrix, group.first, stride),
          group.count,
          classes,
          stride,
          group.first,
          group.members};
}

/// Which coefficients form a group. `block == 0`: the K weights of one feature (a row across classes). `block == B`:
/// B consecutive features within one class; the last block may be shorter. Listed: any features, across all classes.
struct Groups {
  Index block = 0;
  const Index* order = nullptr;   ///< listed: a permutation of the features, group after group
  const Index* starts = nullptr;  ///< listed: group g is order[starts[g]] … order[starts[g + 1] − 1]
  Index count = 0;                ///< listed: number of groups
  bool is_listed = false;

  static constexpr Groups rows() { return {}; }
  static constexpr Groups blocks(Index size) { return {.block = size}; }
  /// Disjoint groups that cover the features, none empty: `starts` has count + 1 entries. Caller memory that must
  /// outlive the training; solvers check it and refuse with `invalid_groups`.
  static constexpr Groups listed(const Index* order, const Index* starts, Index count) {
    return {.block = 0, .order = order, .starts = starts, .count = count, .is_listed = true};
  }

  /// Consecutive features that must be seen together, unless listed.
  constexpr Index features_together() const { return block == 0 ? 1 : block; }

  /// Visits each group of the rows that are seen together as (FeatureGroup).
  template <class Visit>
  constexpr void for_each(Index features, Visit visit) const {
    if (is_listed) {
      for (Index g = 0; g < count; ++g)
        visit(FeatureGroup{order[starts[g]], starts[g + 1] - starts[g], order + starts[g]});
      return;
    }
    const Index together = features_together();
    for (Index first = 0; first < features; first += together) {
      const Index rest = features - first;
      visit(FeatureGroup{first, smallest(together, rest)});
      if (rest <= together) return;
    }
  }

  /// Whether listed groups hold every feature exactly once. If not, `feature` is one that they do not, or the first of
  /// a group without end. Cost O(features²/1024), no memory.
  [[gnu::noinline]] bool cover(Index features, Index& feature) const {
    feature = 0;
    if (!order || !starts || count == 0 || starts[0] != 0) return false;
    for (Index g = 0; g < count; ++g)
      if (starts[g + 1] <= starts[g] || starts[g + 1] > features) {
        feature = starts[g] < features ? order[starts[g]] : features - 1;
        return false;
      }
    constexpr Index words = 32;
    for (Index low = 0; low < features; low += words * 32) {  // features low … low + 1023, a bit for each
      std::uint32_t seen[words] = {};
      const Index width = smallest(words * 32, features - low);
      Index twice = features;
      for (Index i = 0; i < starts[count]; ++i) {
        const Index place = order[i] - low;  // wraps to a large number below `low`
        if (place >= width) continue;
        const std::uint32_t bit = std::uint32_t(1) << place % 32;
        if (seen[place / 32] & bit) twice = smallest(twice, order[i]);
        seen[place / 32] |= bit;
      }
      Index missing = features;
      for (Index place = 0; place < width && missing == features; ++place)
        if (!(seen[place / 32] >> place % 32 & 1)) missing = low + place;
      feature = smallest(twice, missing);
      if (feature < features) return false;
      if (features - low <= words * 32) break;
    }
    feature = 0;
    return true;
  }
};

/// Lists groups given as one number per feature: features of equal number form a group; numbers need not be consecutive
/// but must be less than `features`. `order` takes `features` entries, `starts` features + 1. Cost O(features).
/// Groups come in ascending number, their features in ascending order. Returns groups that no solver accepts, and sets
/// `bad` to the feature, when a number is too large.
[[gnu::noinline]] inline Groups list_groups(const Index* number, Index features, Index* order, Index* starts,
                                            Index* bad = nullptr) {
  for (Index g = 0; g <= features; ++g) starts[g] = 0;
  for (Index j = 0; j < features; ++j) {
    if (number[j] >= features) {
      if (bad) *bad = j;
      return Groups::listed(order, starts, 0);
    }
    ++starts[number[j]];
  }
  // Positions of the groups, empty numbers included; then each feature takes the next place of its group.
  Index place = 0;
  for (Index g = 0; g < features; ++g) {
    const Index size = starts[g];
    starts[g] = place;
    place += size;
  }
  for (Index j = 0; j < features; ++j) order[starts[number[j]]++] = j;
  // starts[g] is now the end of group g: drop the empty ones, and put the first position in front.
  Index count = 0;
  for (Index g = 0; g < features; ++g)
    if (starts[g] > (count == 0 ? 0 : starts[count - 1])) starts[count++] = starts[g];
  for (Index g = count; g > 0; --g) starts[g] = starts[g - 1];
  starts[0] = 0;
  return Groups::listed(order, starts, count);
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
