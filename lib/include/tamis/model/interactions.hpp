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
    return score_of(
        [=, this](auto visit) TAMIS_INLINED {
          for (Index j = 0; j < features; ++j) visit(j, x[j * step]);
        },
        output);
  }
  /// The same of what for_each visits, visit(j, x_j) of ascending features j: those left out are zero.
  template <class ForEach>
  [[gnu::always_inline]] T score_of(ForEach for_each, Index output) const {
    if (!coefficients) return not_a_number<T>;
    T total = intercepts[output];
    for_each([&](Index j, T x_j) TAMIS_INLINED {
      const T* from = row(output, j);
      T slope = from[features];
      for_each([&](Index l, T x_l) TAMIS_INLINED { slope += from[l] * x_l; });
      total += slope * x_j;
    });
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
