#pragma once
/// Products with a dense design in column-major order, as the profile takes them: by columns
/// (dense_products_columns.hpp) or by tiles that stay in registers (dense_products_tiles.hpp), of wide vectors where
/// there are any (dense_products_wide.hpp).
///
/// Every entry of a result is one sum in the order of its definition, whatever the tile: the same bits on all targets.

#include "dense_products_columns.hpp"
#include "dense_products_wide.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail {

/// x(i, j) = values[i + j·column_stride].
template <class T>
struct DenseValues {
  static constexpr Index block = rows_of_block;

  const T* values = nullptr;
  std::size_t column_stride = 0;
  Index samples = 0, features = 0;

  const T* column(Index feature) const { return values + feature * column_stride; }
};

/// Z = 1 baseᵀ + X_F W_F.
template <class T>
void multiply(const DenseValues<T>& x, const Index* list, Index count, const T* w, Index stride, const T* base, T* z) {
  if constexpr (!profile.tiles) {
    multiply_columns(x.values, x.samples, x.column_stride, list, count, w, stride, base, z);
  } else {
    const Index classes = occupied_columns(list, count, w, stride);
    if constexpr (profile.wide)
      if (has_wide_vectors())
        return multiply_dense_wide(x.values, x.samples, x.column_stride, list, count, w, stride, classes, base, z);
    multiply_dense<T, tile_width<T>>(x.values, x.samples, x.column_stride, list, count, w, stride, classes, base, z);
  }
}

/// G += X_FᵀU by blocks of samples; where `lower`, its entries (j, k), k ≤ j, at least.
template <class T>
[[gnu::noinline]] void add_transposed_blocks(const DenseValues<T>& x, const Index* list, Index count, const T* u,
                                             Index stride, bool lower, T* g) {
  const Index* const all = nullptr;
  const Index classes = occupied_columns(all, x.samples, u, stride);
  for (Index first = 0; first < x.samples; first += x.block) {
    const Index length = smallest(x.block, x.samples - first);
    const T* values = x.values + first;
    const T* dual = row_of(u, first, stride);
    if constexpr (profile.wide)
      if (has_wide_vectors()) {
        transposed_dense_wide(values, x.column_stride, list, count, length, dual, stride, classes, lower, g);
        continue;
      }
    transposed_dense<T, tile_width<T>>(values, x.column_stride, list, count, length, dual, stride, classes, lower, g);
  }
}

/// G += X_FᵀU.
template <class T>
void add_transposed(const DenseValues<T>& x, const Index* list, Index count, const T* u, Index stride, T* g) {
  if constexpr (profile.tiles) {
    add_transposed_blocks(x, list, count, u, stride, false, g);
  } else {
    for (Index c = 0; c < count; ++c) {
      const Index feature = list ? list[c] : c;
      add_weighted_rows(x.column(feature), 1, x.samples, u, stride, row_of(g, feature, stride));
    }
  }
}

/// G += XᵀU where that is symmetric, its entries (j, k), k ≤ j, at least.
template <class T>
void add_transposed_lower(const DenseValues<T>& x, const T* u, Index stride, T* g) {
  if constexpr (profile.tiles) {
    add_transposed_blocks(x, nullptr, x.features, u, stride, true, g);
  } else {
    for (Index c = 0; c < x.features; ++c) {
      T* row = row_of(g, c, stride);
      for (Index k = 0; k <= c; k += lanes<T>)
        add_weighted_vectors(x.column(c), 1, x.samples, u + k, stride, Simd<T>::load(row + k)).store(row + k);
    }
  }
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail
