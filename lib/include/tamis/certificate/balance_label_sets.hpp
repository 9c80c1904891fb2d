#pragma once
/// Repairs a dual point of ranked label sets for the free intercept: its columns must sum to zero.

#include "../label_sets.hpp"
#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"
#include "../targets.hpp"

namespace tamis {

/// Moves mass within the rows of u (samples × stride) until its columns sum to zero up to rounding. Rows sum to zero,
/// with entries ≤ 0 in the set of the sample and ≥ 0 outside, and stay so.
///
/// Each pass lowers entries of columns with a positive sum and raises as much in columns with a negative one: entries
/// of that sign can give what they are, the others cμ, in proportion to what each column needs of all that can be
/// given. Where no row has both, columns with a positive sum pass it on to columns that are balanced. If the sums are
/// zero already, nothing moves. u becomes zero if it cannot be done, which takes labels that no samples tell apart.
/// `surplus` and `share` are scratch of `stride` entries. Cost O(samples·classes) per pass, about one pass per two
/// bits.
template <class T>
[[gnu::noinline]] void balance_label_sets(const LabelSets& sets, const Targets<T>& targets, T* u, Index stride,
                                          T* surplus, T* share) {
  const Index classes = targets.classes;
  const Index samples = targets.samples();
  T before = infinity<T>;
  bool passing_on = false;
  for (int pass = 0; pass < 300; ++pass) {
    column_sums(u, samples, stride, surplus);
    T excess = 0, mass = 0;
    for (Index i = 0; i < samples; ++i)
      for (Index k = 0; k < classes; ++k) mass += largest(row_of(u, i, stride)[k], T(0));
    for (Index k = 0; k < classes; ++k) excess += largest(surplus[k], T(0));
    if (excess <= T(2) * epsilon<T> * mass) return;
    passing_on = !passing_on && excess > T(0.9) * before;
    before = passing_on ? infinity<T> : excess;

    const T noise = epsilon<T> * mass / T(classes);
    const auto gives = [&](Index k) { return surplus[k] > noise; };
    const auto takes = [&](Index k) { return passing_on ? absolute(surplus[k]) <= noise : surplus[k] < -noise; };
    /// Visits (k, room) for the entries of a row that may be lowered, or raised.
    const auto for_each_room = [&](Index i, auto visit) {
      const T* row = row_of(u, i, stride);
      const T unit = targets.weight(i) * targets.margin(i);
      sets.for_each_class(targets.labels[i], classes, [&](Index k, bool inside) {
        if (gives(k)) visit(k, inside ? unit : row[k], true);
        else if (takes(k)) visit(k, inside ? -row[k] : unit, false);
      });
    };

    fill(share, stride, T(0));
    for (const bool measuring : {true, false}) {
      for (Index i = 0; i < samples; ++i) {
        if (!(targets.weight(i) > T(0)) || !sets.has_pairs(targets.labels[i], classes)) continue;
        T down = 0, up = 0;
        for_each_room(i,
                      [&](Index k, T room, bool lower) { (lower ? down : up) += measuring ? room : share[k] * room; });
        if (!(down > T(0) && up > T(0))) continue;
        const T moved = smallest(down, up);
        for_each_room(i, [&](Index k, T room, bool lower) {
          if (measuring) share[k] += room;
          else row_of(u, i, stride)[k] += lower ? -(share[k] * room * (moved / down)) : share[k] * room * (moved / up);
        });
      }
      if (!measuring) break;
      for (Index k = 0; k < classes; ++k)
        share[k] = !(share[k] > T(0))        ? T(0)
                   : gives(k) || !passing_on ? smallest(absolute(surplus[k]) / share[k], T(1))
                                             : T(1);
    }
  }
  fill(u, static_cast<std::size_t>(samples) * stride, T(0));
}

}  // namespace tamis
