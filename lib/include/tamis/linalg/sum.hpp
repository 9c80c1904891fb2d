#pragma once
/// Compensated sums in the working precision: what decides convergence is added with them, so that every target stops
/// at the same iterate and float loses no digits to the number of samples.

#include "simd.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Sum with the rounding error of every addition carried along (Knuth's two-sum). V is T or a Simd.
/// Error: one rounding of the result, to first order, whatever the number of terms.
template <class V>
class Sum {
 public:
  [[gnu::always_inline]] constexpr Sum() = default;
  /// One that goes on from what `total()` and `error()` were.
  [[gnu::always_inline]] constexpr Sum(V total, V error) : total_(total), error_(error) {}

  TAMIS_INLINED_UNLESS_SMALLEST constexpr void add(V term) {
    const V next = total_ + term;
    const V added = next - total_;
    error_ = error_ + ((total_ - (next - added)) + (term - added));
    total_ = next;
  }
  [[gnu::always_inline]] constexpr V value() const { return total_ + error_; }
  constexpr V total() const { return total_; }
  constexpr V error() const { return error_; }

 private:
  V total_{};
  V error_{};
};

/// Single entries are added as numbers: one function for both where code is to be the smallest.
template <class T>
class Sum<Simd<T, 1>> : Sum<T> {
 public:
  [[gnu::always_inline]] constexpr void add(Simd<T, 1> term) { Sum<T>::add(term.entry[0]); }
  [[gnu::always_inline]] constexpr Simd<T, 1> value() const { return {{Sum<T>::value()}}; }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
