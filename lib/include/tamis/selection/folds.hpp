#pragma once
/// Which samples are held out together.

#include <algorithm>
#include <cstdint>

#include "../linalg/random.hpp"
#include "../targets.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The fold of a sample that is never held out.
inline constexpr Index no_fold = ~Index(0);

/// Sorts by a total order with little code, and without memory.
template <class Before>
void sort_list(Index* first, Index* last, const Before& before) {
  std::make_heap(first, last, before);
  std::sort_heap(first, last, before);
}

/// Deals the samples, in an order drawn with the seed, to `folds` folds: those of each class in turn when `stratified`,
/// so that every fold has its share of every class. `fold` and the scratch `order` hold one number per sample. False
/// when folds < 2, or more than there are samples (stratified: of some class, which is `rare` then).
inline bool deal_folds(std::span<const Label> labels, Index classes, Index folds, bool stratified, std::uint64_t seed,
                       Index* fold, Index* order, Index& rare) {
  const Index samples = static_cast<Index>(labels.size());
  rare = classes;
  if (folds < 2 || folds > samples) return false;
  for (Index i = 0; i < samples; ++i) order[i] = i;
  Draws draws(seed);
  for (Index left = samples; left > 1; --left) std::swap(order[left - 1], order[draws.next(left)]);
  Index next = 0;
  for (Index k = 0; k < (stratified ? classes : 1); ++k) {
    Index count = 0;
    for (Index e = 0; e < samples; ++e) {
      const Index i = order[e];
      if (stratified && labels[i] != k) continue;
      fold[i] = next++ % folds;
      ++count;
    }
    if (stratified && count < folds) {
      rare = k;
      return false;
    }
  }
  return true;
}

/// Gives whole groups (subjects, say) to folds, so that no group is on both sides: the largest group first, each to the
/// fold where it does most for an even share of every class; equal ones in the order of their numbers. Scratch: `order`
/// and `starts` with samples + 1 numbers each, `counts` with folds · classes. False when there are fewer than two folds
/// or fewer groups than folds.
inline bool deal_groups(std::span<const Label> labels, Index classes, const Index* group, Index folds, Index* fold,
                        Index* order, Index* starts, Index* counts) {
  const Index samples = static_cast<Index>(labels.size());
  for (Index i = 0; i < samples; ++i) order[i] = i;
  const auto end_of = [=](Index start) __attribute__((noinline)) {
    Index end = start + 1;
    while (end < samples && group[order[end]] == group[order[start]]) ++end;
    return end;
  };
  // One comparison for both orders, and not inlined where sorting calls it: that would be most of the code here.
  bool by_size = false;
  const auto before = [&](Index a, Index b) __attribute__((noinline)) {
    const Index x = by_size ? end_of(b) - b : group[a], y = by_size ? end_of(a) - a : group[b];
    return x != y ? x < y : a < b;
  };
  sort_list(order, order + samples, before);
  Index groups = 0;
  for (Index e = 0; e < samples; ++e)
    if (e == 0 || group[order[e]] != group[order[e - 1]]) starts[groups++] = e;
  if (folds < 2 || groups < folds) return false;
  for (Index c = 0; c < folds * classes; ++c) counts[c] = 0;
  by_size = true;
  sort_list(starts, starts + groups, before);
  for (Index g = 0; g < groups; ++g) {
    const Index begin = starts[g], end = end_of(begin);
    Index best = 0;
    float least = 0;
    for (Index f = 0; f < folds; ++f) {
      float cost = 0;
      for (Index k = 0; k < classes; ++k)  // an even number of samples where classes do not decide
        cost += 1e-3f * static_cast<float>(counts[f * classes + k]) / static_cast<float>(samples);
      for (Index e = begin; e < end; ++e) {
        const Label y = labels[order[e]];
        Index size = 0;
        for (Index h = 0; h < folds; ++h) size += counts[h * classes + y];
        cost += static_cast<float>(counts[f * classes + y]) / static_cast<float>(size + 1);
      }
      if (f == 0 || cost < least) {
        best = f;
        least = cost;
      }
    }
    for (Index e = begin; e < end; ++e) {
      fold[order[e]] = best;
      ++counts[best * classes + labels[order[e]]];
    }
  }
  return true;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
