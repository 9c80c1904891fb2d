#pragma once
/// Chierchia et al.'s (2015) rule for the end of its algorithms, section 4.2.

#include "../../linalg/scalar.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed {

/// How far an iteration of a primal–dual algorithm has moved: squared lengths of the step and of the new point, for the
/// coefficients x and for all that the iteration holds.
template <class T>
struct Movement {
  T of_x = T(0), x = T(0);
  T of_point = T(0), point = T(0);

  /// ‖x⁺ − x‖ ≤ threshold·‖x⁺‖; while x is zero, as it is at first, the same of the whole point.
  bool is_within(T threshold) const {
    const bool from_zero = !(x > T(0));
    return square_root(from_zero ? of_point : of_x) <= threshold * square_root(from_zero ? point : x);
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed
