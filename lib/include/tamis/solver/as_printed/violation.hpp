#pragma once
/// How far a row of coefficients is from being optimal: Blondel et al.'s (2013) stopping criterion.

#include "../../penalty/elastic_net.hpp"
#include "../../penalty/group.hpp"
#include "../../penalty/l1.hpp"
#include "../../penalty/ridge.hpp"
#include "../../penalty/sparse_group.hpp"
#include "../../penalty/weighted_l1.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed {

/// What λΩ is made of on one row w: absolute·Σ|w| + square·½Σw² + norm·‖w‖₂, or with weights absolute·Σ a|w|.
template <class T>
struct RowTerms {
  T absolute = T(0);
  T square = T(0);
  T norm = T(0);
  const T* weights = nullptr;
};

template <class T>
RowTerms<T> row_terms(const L1&, Index, T lambda) {
  return {.absolute = lambda};
}
template <class T>
RowTerms<T> row_terms(const WeightedL1<T>& penalty, Index feature, T lambda) {
  return {.absolute = lambda, .weights = penalty.weights ? row_of(penalty.weights, feature, penalty.stride) : nullptr};
}
template <class T>
RowTerms<T> row_terms(const Ridge&, Index, T lambda) {
  return {.square = lambda};
}
template <class T>
RowTerms<T> row_terms(const ElasticNet<T>& penalty, Index, T lambda) {
  return {.absolute = lambda * penalty.ratio, .square = lambda * (T(1) - penalty.ratio)};
}
template <class T>
RowTerms<T> row_terms(const GroupL2&, Index, T lambda) {
  return {.norm = lambda};
}
template <class T>
RowTerms<T> row_terms(const SparseGroup<T>& penalty, Index, T lambda) {
  return {.absolute = lambda * penalty.norm.ratio, .norm = lambda * (T(1) - penalty.norm.ratio)};
}

/// The distance of −g to the subdifferential of the terms at w: zero just where w is optimal. For the Euclidean norm it
/// is ‖g + λw/‖w‖‖ (Blondel et al. (2013), equation (9), has |‖g‖ − λ| there, which may vanish elsewhere), and (‖g‖ −
/// λ)₊ at w = 0.
template <class T>
T row_violation(const RowTerms<T>& terms, const T* w, const T* g, Index classes) {
  T size = 0;
  for (Index k = 0; k < classes; ++k) size += w[k] * w[k];
  size = square_root(size);
  const T along = size > T(0) ? terms.norm / size : T(0);
  T total = 0;
  for (Index k = 0; k < classes; ++k) {
    const T threshold = terms.weights ? terms.absolute * terms.weights[k] : terms.absolute;
    const T slope = g[k] + (terms.square + along) * w[k];
    const T distance = w[k] > T(0) ? slope + threshold : w[k] < T(0) ? slope - threshold : soft(slope, threshold);
    total += distance * distance;
  }
  total = square_root(total);
  return size > T(0) ? total : largest(total - terms.norm, T(0));
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed
