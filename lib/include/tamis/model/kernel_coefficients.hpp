#pragma once
/// The result of training with several kernels: a coefficient for each kernel, sample and output.

#include "../linalg/rows.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// A view of α, the coefficients of kernels × samples × outputs, and of the intercepts. It points into the arena.
template <class T>
struct KernelCoefficients {
  const T* coefficients = nullptr;  ///< row t·n + l of `stride()` entries: kernel t, sample l
  const T* intercepts = nullptr;
  Index samples = 0;
  Index kernels = 0;
  Index outputs = 0;  ///< 1 for two classes with labels −1 and 1

  Index stride() const { return padded<T>(outputs); }
  T operator()(Index sample, Index kernel, Index output = 0) const {
    return row_of(coefficients, kernel * samples + sample, stride())[output];
  }
  T intercept(Index output = 0) const { return intercepts[output]; }
  /// Whether some output compares with the sample by that kernel.
  bool uses(Index sample, Index kernel) const {
    for (Index k = 0; k < outputs; ++k)
      if ((*this)(sample, kernel, k) != T(0)) return true;
    return false;
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
