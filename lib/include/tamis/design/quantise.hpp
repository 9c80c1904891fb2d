#pragma once
/// Integers for real numbers, and what integers have to stand for to be standardised.

#include "quantised.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// What the integers of one column stand for: q for (q − zero)·scale.
template <class T, QuantisedInteger Integer>
struct ColumnQuantisation {
  T scale = 1;
  Integer zero = 0;
};

/// Scale and zero with which the integers of a column, `step` apart, have variance 1 (of the population) and a mean
/// within half a unit of 0. A constant column, and one of no samples, gets scale 1. Sums are exact. Source:
/// `measure_column`, in integers.
template <class T, QuantisedInteger Integer>
ColumnQuantisation<T, Integer> standardise_integers(const Integer* column, Index samples, std::size_t step = 1) {
  if (samples == 0) return {};
  std::int64_t total = 0;
  for (Index i = 0; i < samples; ++i) total += column[i * step];
  const std::int64_t half = samples / 2, count = samples;
  const std::int64_t zero = (total + (total < 0 ? -half : half)) / count;
  std::int64_t rest = 0, squares = 0;
  for (Index i = 0; i < samples; ++i) {
    const std::int64_t centred = column[i * step] - zero;
    rest += centred;
    squares += centred * centred;
  }
  const T mean = from_integer<T>(rest) / T(samples);
  const T variance = from_integer<T>(squares) / T(samples) - mean * mean;
  return {variance > T(0) ? T(1) / square_root(variance) : T(1), static_cast<Integer>(zero)};
}

/// Standardises what a design of integers stands for, without touching them: fills in `scales` and `zeros`, one per
/// feature, for Quantisation. Coefficients are then those of standardised features.
template <class T, QuantisedInteger Integer>
[[gnu::noinline]] void standardise_integers(const Integer* values, Index samples, Index features,
                                            QuantisedLayout layout, T* scales, Integer* zeros) {
  for (Index j = 0; j < features; ++j) {
    const auto column = standardise_integers<T>(values + j * layout.column_stride, samples, layout.sample_stride);
    scales[j] = column.scale;
    zeros[j] = column.zero;
  }
}

/// Rounds a column of real numbers to integers, as finely as they allow: the error is at most half the scale returned.
/// Zero stays zero; signed integers use both sides alike. Values must be finite, with a spread that is.
template <class T, QuantisedInteger Integer>
ColumnQuantisation<T, Integer> quantise_column(const T* column, Index samples, Integer* out, std::size_t step = 1) {
  T least = 0, most = 0;
  for (Index i = 0; i < samples; ++i) {
    least = smallest(least, column[i * step]);
    most = largest(most, column[i * step]);
  }
  constexpr bool is_signed = std::is_signed_v<Integer>;
  constexpr std::int32_t top = (1 << (8 * sizeof(Integer) - is_signed)) - 1;
  const T spread = is_signed ? largest(most, -least) : most - least;
  const T scale = spread > T(0) ? spread / T(top) : T(1);
  const auto nearest = [](T x) { return static_cast<std::int32_t>(x < T(0) ? x - T(0.5) : x + T(0.5)); };
  const std::int32_t zero = is_signed ? 0 : smallest(nearest(-least / scale), top);
  for (Index i = 0; i < samples; ++i) {
    const std::int32_t q = nearest(column[i * step] / scale) + zero;
    out[i * step] = static_cast<Integer>(smallest(largest(q, is_signed ? -top : 0), top));
  }
  return {scale, static_cast<Integer>(zero)};
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
