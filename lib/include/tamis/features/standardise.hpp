#pragma once
/// Columns to mean 0 and variance 1, and coefficients back to the original units.

#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Mean and scale of one column: x ↦ (x − mean) / scale. Variance is that of the population (divided by n). A constant
/// column gets scale 1.
template <class T>
struct ColumnScale {
  T mean = 0;
  T scale = 1;
};

/// Two compensated passes over the column. `step` is the distance between its entries.
template <class T>
ColumnScale<T> measure_column(const T* column, Index samples, std::size_t step = 1) {
  Sum<T> total;
  for (Index i = 0; i < samples; ++i) total.add(column[i * step]);
  const T mean = total.value() / T(samples);
  Sum<T> squares, rest;
  for (Index i = 0; i < samples; ++i) {
    const T centred = column[i * step] - mean;
    squares.add(centred * centred);
    rest.add(centred);
  }
  const T correction = rest.value() * rest.value() / T(samples);  // of the rounding of the mean
  const T variance = (squares.value() - correction) / T(samples);
  const T noise = T(4) * epsilon<T> * absolute(mean);  // a spread below the rounding of the values is none
  return {mean, variance > noise * noise ? square_root(variance) : T(1)};
}

template <class T>
void standardise_column(T* column, Index samples, ColumnScale<T> by, std::size_t step = 1) {
  for (Index i = 0; i < samples; ++i) column[i * step] = (column[i * step] - by.mean) / by.scale;
}

/// Turns coefficients of standardised features (features × stride, then a row of intercepts) into those of the original
/// ones: w ← w/scale, b ← b − Σ_j mean_j w_j.
template <class T>
void restore_units(T* coefficients, Index features, Index stride, const ColumnScale<T>* columns) {
  T* intercepts = row_of(coefficients, features, stride);
  for (Index k = 0; k < stride; ++k) {
    Sum<T> shift;
    for (Index j = 0; j < features; ++j) {
      T& entry = row_of(coefficients, j, stride)[k];
      entry /= columns[j].scale;
      shift.add(columns[j].mean * entry);
    }
    intercepts[k] -= shift.value();
  }
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
