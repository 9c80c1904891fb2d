#pragma once
/// What Newton's method asks of a loss: its Hessian at one sample, kept in one row of numbers.

#include <type_traits>

#include "shape.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Which terms max(0, ·)² a loss is the sum of, for solvers that follow them one by one.
enum class Violations : std::uint8_t {
  none,        ///< it is no such sum
  of_pairs,    ///< (μ + z_k − z_y)₊², k ≠ y
  of_classes,  ///< (μ + z_k)₊², k ≠ y, and (μ − z_y)₊²
};

/// Whether a loss is known to be such a sum when the code is compiled; of one that stands for several it is not.
template <class L>
constexpr bool is_sum_of_violations() {
  if constexpr (requires { typename std::bool_constant<L::violations() == Violations::none>; })
    return L::violations() != Violations::none;
  else return false;
}

/// How large a Hessian H = c∇²ℓ is: `mean`, its eigenvalues' mean over the directions in which it can curve; `bound`,
/// at least the largest.
template <class T>
struct CurvatureSize {
  T mean = 0;
  T bound = 0;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
