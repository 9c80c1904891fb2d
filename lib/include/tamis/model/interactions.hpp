#pragma once
/// The result of training with interactions: K scores, quadratic in the features.

#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// A view of K matrices (features × stride, row-major, one after the other), whose row j holds the interactions Θ_jl
/// and then the main effect v_j, and of K intercepts. It points into the arena.
template <class T>
struct InteractionModel {
  const T* coefficients = nullptr;
  const T* intercepts = nullptr;
  Index features = 0;
  Index outputs = 0;  ///< K: 1 for a regression

  Index stride() const { return padded<T>(features + 1); }
  const T* row(Index output, Index feature) const {
    return row_of(coefficients, output * features + feature, stride());
  }
  T main_effect(Index feature, Index output = 0) const { return row(output, feature)[features]; }
  T interaction(Index feature, Index other, Index output = 0) const { return row(output, feature)[other]; }
  /// What multiplies x_j·x_l: Θ_jl + Θ_lj, of the diagonal Θ_jj.
  T pair(Index feature, Index other, Index output = 0) const {
    return feature == other ? interaction(feature, feature, output)
                            : interaction(feature, other, output) + interaction(other, feature, output);
  }
  T intercept(Index output = 0) const { return intercepts[output]; }

  /// b_k + Σ_j x_j (v_j + Σ_l Θ_jl x_l), added in this order; NaN without coefficients. Cost: features².
  T score(const T* x, std::size_t step, Index output = 0) const {
    if (!coefficients) return not_a_number<T>;
    T total = intercepts[output];
    for (Index j = 0; j < features; ++j) {
      const T* from = row(output, j);
      T slope = from[features];
      for (Index l = 0; l < features; ++l) slope += from[l] * x[l * step];
      total += slope * x[j * step];
    }
    return total;
  }

  /// argmax of the scores, the first of equals; `no_label` of a model without coefficients.
  Label predict(const T* x, std::size_t step = 1) const {
    if (!coefficients) return no_label;
    Label best = 0;
    T top = -infinity<T>;
    for (Index k = 0; k < outputs; ++k) {
      const T z = score(x, step, k);
      if (z > top) {
        top = z;
        best = static_cast<Label>(k);
      }
    }
    return best;
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
