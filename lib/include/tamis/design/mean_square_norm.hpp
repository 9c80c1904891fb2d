#pragma once
/// How far the samples of a design are from their mean: a scale for λ of ridge.

#include <cstddef>

#include "../linalg/sum.hpp"
#include "column.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// (1/n) Σᵢ ‖xᵢ − m̄‖², without intercepts m̄ = 0: a first λ for ridge, at which scores are about as small as margins.
/// Columns are read where they lie, two times. `scratch`: one number per sample, for designs without columns.
template <class T, class Design>
[[gnu::noinline]] T mean_square_norm(const Design& design, bool intercept, T* scratch) {
  Sum<T> total;
  const Index samples = design.samples();
  for (Index j = 0; j < design.features(); ++j) {
    Column<T> column{scratch, nullptr, samples};
    if constexpr (requires { design.column(j); }) {
      if (has_columns(design)) column = design.column(j);
    }
    if (column.values == scratch) design.gather(j, nullptr, samples, scratch, 1);
    const T mean = intercept ? design.column_sum(j) / T(samples) : T(0);
    for (Index e = 0; e < column.count; ++e) total.add((column.values[e] - mean) * (column.values[e] - mean));
    if (column.count < samples) total.add(T(samples - column.count) * mean * mean);
  }
  return total.value() / T(samples);
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
