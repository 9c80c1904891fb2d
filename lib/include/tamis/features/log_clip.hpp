#pragma once
/// Decimal logarithms of values kept between two bounds.

#include "../linalg/elementary.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// x ↦ log₁₀(min(max(x, low), high)), 0 < low < high, within 3 units in the last place. NaN stays NaN.
template <class T>
struct LogClip {
  T low = 0;
  T high = 0;

  constexpr bool valid() const { return low > T(0) && high > low && finite(high); }
  constexpr T operator()(T x) const { return logarithm(smallest(high, largest(low, x))) * T(0.43429448190325182765L); }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
