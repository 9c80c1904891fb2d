#pragma once
/// Mean, variance, least and largest value of a column that arrives one value at a time.

#include "../linalg/sum.hpp"
#include "standardise.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Values are added once and need not be kept. NaN counts as missing and nothing else.
template <class T>
class ColumnStatistics {
 public:
  void add(T x) {
    if (x != x) {
      ++missing_;
      return;
    }
    if (!count_++) first_ = least_ = most_ = x;
    least_ = smallest(least_, x);
    most_ = largest(most_, x);
    const T shifted = x - first_;  // an offset common to all values takes no digits from their spread
    const T before = shifted - mean_.value();
    mean_.add(before / T(count_));
    squares_.add(before * (shifted - mean_.value()));
  }

  Index count() const { return count_; }  ///< of the values that are not missing
  Index missing() const { return missing_; }

  /// 0 when there are no values, as are the others.
  T mean() const { return first_ + mean_.value(); }
  /// Of the population (divided by the count).
  T variance() const { return count_ ? largest(squares_.value() / T(count_), T(0)) : T(0); }
  T least() const { return least_; }
  T most() const { return most_; }

  /// To mean 0 and variance 1. A constant column gets scale 1.
  ColumnScale<T> standardisation() const {
    const T noise = T(4) * epsilon<T> * absolute(mean());  // a spread below the rounding of the values is none
    return {mean(), variance() > noise * noise ? square_root(variance()) : T(1)};
  }
  /// To least value 0 and largest value 1. A constant column gets scale 1.
  ColumnScale<T> min_max() const { return {least_, most_ > least_ ? most_ - least_ : T(1)}; }

 private:
  Index count_ = 0, missing_ = 0;
  T first_ = 0, least_ = 0, most_ = 0;
  Sum<T> mean_, squares_;  // of the values less the first; of their squared distances to the mean
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
