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
    const T* const last = z + std::size_t(samples) * stride;
    T* to = z;
    for (; to != last; to += stride) start.store(to);
    for (Index c = 0; c < count; ++c) {
      const Index feature = features ? features[c] : c;
      const T* value = x + feature * column_stride;
      const auto coefficients = Simd<T>::load(row_of(w, feature, stride) + k);
      to = z;
      do {
        (Simd<T>::load(to) + Simd<T>::fill(*value++) * coefficients).store(to);
        to += stride;
      } while (to != last);
    }
  }
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail
