#pragma once
/// Repairs a dual point for the free intercept: its columns must sum to zero.

#include "../concepts.hpp"
#include "../linalg/scalar.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Scales, in each column of u (samples × stride), the entries of the heavier sign until the column sums to zero up to
/// rounding: for a loss that is a sum over classes, whose entries keep their sign and may shrink. Cost
/// O(samples·classes).
template <class T>
[[gnu::noinline]] void scale_columns(T* u, Index samples, Index classes, Index stride) {
  for (Index pass = 0; pass < 2 * classes; ++pass) {  // each column twice: the second removes what rounding left
    const Index k = pass / 2;
    Sum<T> positive, negative;
    for (Index i = 0; i < samples; ++i) {
      const T entry = row_of(u, i, stride)[k];
      (entry > T(0) ? positive : negative).add(entry);
    }
    const T up = positive.value(), down = -negative.value();
    if (up == down) continue;
    const T scale = up > down ? down / up : up / down;
    for (Index i = 0; i < samples; ++i) {
      T& entry = row_of(u, i, stride)[k];
      if ((entry > T(0)) == (up > down)) entry *= scale;
    }
  }
}

/// Moves mass within the rows of u (samples × stride, each in the dual domain of its loss) from classes whose column
/// sum is positive to those whose sum is negative, in proportion to what each row and class can give, until the sums
/// vanish up to rounding. Rows stay in the domain; if the sums are zero already, nothing moves. `surplus` and
/// `available` are scratch of `stride` entries. A loss with separate classes has its columns scaled instead; one with
/// `balance`, true where it has done it, does it itself. Cost O(samples·classes).
template <class T, class Loss>
TAMIS_CALLED_ONCE void make_dual_feasible(const Loss& loss, const Targets<T>& targets, T* u, Index stride, T* surplus,
                                          T* available) {
  const Index classes = targets.classes;
  const Index samples = targets.samples();
  if constexpr (requires { loss.make_dual_feasible(targets, u, stride, surplus, available); })
    if (loss.make_dual_feasible(targets, u, stride, surplus, available)) return;
  if (separate_classes(loss)) return scale_columns(u, samples, classes, stride);
  const bool label_moves = loss.label_mass_moves();

  // What there is to move is added up, then moved; the second time round removes what rounding left of the first.
  for (int pass = 0; pass < 4; ++pass) {
    const bool moving = pass % 2;
    if (!moving) {
      column_sums(u, samples, stride, surplus);
      fill(available, stride, T(0));
    } else {
      T deficit = 0;
      for (Index k = 0; k < classes; ++k) deficit += largest(-surplus[k], T(0));
      if (!(deficit > T(0))) return;
      for (Index k = 0; k < classes; ++k) {  // what part a class gives of that, and what part of the whole it receives
        const T most = available[k];
        available[k] = surplus[k] > T(0) && most > T(0) ? smallest(surplus[k] / most, T(1)) : T(0);
        surplus[k] = smallest(surplus[k], T(0)) / deficit;
      }
    }
    for (Index i = 0; i < samples; ++i) {
      T* row = row_of(u, i, stride);
      const Index label = targets.labels[i];
      const T mass = label_moves ? targets.weight(i) : -infinity<T>;  // beside the label's entry
      T moved = 0;
      for (Index k = 0; k < classes; ++k) {
        const T movable = largest(k == label ? mass + row[k] : row[k], T(0));
        if (moving) {
          const T part = available[k] * movable;
          row[k] -= part;
          moved += part;
        } else {
          available[k] += movable;
        }
      }
      if (moving) add_scaled_row(row, -moved, surplus, stride, row);
    }
  }
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
