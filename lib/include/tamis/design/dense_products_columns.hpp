#pragma once
/// Products with a dense design, a column and a vector of each row at a time: the smallest code.

#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail {

/// Z = 1 baseᵀ + X_F W_F.
template <class T>
[[gnu::noinline]] void multiply_columns(const T* x, Index samples, std::size_t column_stride, const Index* features,
                                        Index count, const T* w, Index stride, const T* base, T* z) {
  for (Index k = 0; k < stride; k += lanes<T>, z += lanes<T>) {
    const auto start = Simd<T>::load(base + k);
    T* to = z;
    for (Index i = 0; i < samples; ++i, to += stride) start.store(to);
    for (Index c = 0; c < count; ++c) {
      const Index feature = features ? features[c] : c;
      const T* value = x + feature * column_stride;
      const auto coefficients = Simd<T>::load(row_of(w, feature, stride) + k);
      const T* const end = value + samples;
      to = z;
      do {
        (Simd<T>::load(to) + Simd<T>::fill(*value++) * coefficients).store(to);
        to += stride;
      } while (value != end);
    }
  }
}
/// sum + Σ_i x_i U(i, :) for one column x and one vector of each row, block by block of samples.
template <class T>
[[gnu::always_inline]] inline Simd<T> add_transposed_vector(const T* x, Index block, Index samples, const T* u,
                                                            Index stride, Simd<T> sum) {
  for (Index left = samples; left > 0;) {
    auto part = Simd<T>::zero();
    Index here = smallest(block, left);
    left -= here;
    do {
      part = part + Simd<T>::fill(*x++) * Simd<T>::load(u);
      u += stride;
    } while (--here > 0);
    sum = sum + part;
  }
  return sum;
}
/// row += Σ_i x_i U(i, :) for whole rows.
template <class T>
[[gnu::noinline]] void transposed_column(const T* x, Index block, Index samples, const T* u, Index stride, T* row) {
  for (Index k = 0; k < stride; k += lanes<T>)
    add_transposed_vector(x, block, samples, u + k, stride, Simd<T>::load(row + k)).store(row + k);
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail
