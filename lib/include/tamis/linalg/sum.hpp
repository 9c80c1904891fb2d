#pragma once
/// Compensated sums in the working precision: what decides convergence is added with them, so that every target stops
/// at the same iterate and float loses no digits to the number of samples.

#include "pack.hpp"

namespace tamis {

/// Sum with the rounding error of every addition carried along (Knuth's two-sum). V is T or a Pack.
/// Error: one rounding of the result, to first order, whatever the number of terms.
template <class V>
class Sum {
 public:
  [[gnu::always_inline]] constexpr Sum() = default;
  /// One that goes on from what `total()` and `error()` were.
  [[gnu::always_inline]] constexpr Sum(V total, V error) : total_(total), error_(error) {}

  [[gnu::always_inline]] constexpr void add(V term) {
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

}  // namespace tamis
