#pragma once
/// Tiles of a Cholesky factor: what profiles with tiles compute it by.

#include "simd.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail {

/// Entries j … j + 3 of two rows of the factor, j a multiple of four; `columns` is row j of the factor. A tile of inner
/// products shares its loads and keeps the adders busy.
template <class T>
void factor_tile(T* row, const T* columns, std::size_t stride, Index j) {
  static_assert(4 % lanes<T> == 0);
  constexpr Index R = 2;
  Simd<T> total[R][4];
  TAMIS_UNROLL
  for (Index r = 0; r < R; ++r) {
    TAMIS_UNROLL
    for (Index c = 0; c < 4; ++c) total[r][c] = Simd<T>::zero();
  }
  for (Index e = 0; e < j; e += lanes<T>) {
    Simd<T> left[R];
    TAMIS_UNROLL
    for (Index r = 0; r < R; ++r) left[r] = Simd<T>::load(row + r * stride + e);
    TAMIS_UNROLL
    for (Index c = 0; c < 4; ++c) {
      const auto right = Simd<T>::load(columns + c * stride + e);
      TAMIS_UNROLL
      for (Index r = 0; r < R; ++r) total[r][c] = total[r][c] + left[r] * right;
    }
  }
  TAMIS_UNROLL
  for (Index r = 0; r < R; ++r) {
    T* entry = row + r * stride + j;
    TAMIS_UNROLL
    for (Index c = 0; c < 4; ++c) {
      const T* column = columns + c * stride + j;
      T value = entry[c] - total[r][c].sum();
      for (Index d = 0; d < c; ++d) value -= entry[d] * column[d];
      entry[c] = value / column[c];
    }
  }
}

/// The same for four rows, two in a vector each.
template <class T>
TAMIS_WIDE [[gnu::noinline]] void factor_tile_wide(T* row, const T* columns, std::size_t stride, Index j) {
  using Wide = Simd<T, 2 * lanes<T>>;
  Wide total[2][4];
  TAMIS_UNROLL
  for (Index r = 0; r < 2; ++r) {
    TAMIS_UNROLL
    for (Index c = 0; c < 4; ++c) total[r][c] = Wide::zero();
  }
  for (Index e = 0; e < j; e += lanes<T>) {
    const auto top = Wide::join(row + e, row + stride + e);
    const auto bottom = Wide::join(row + 2 * stride + e, row + 3 * stride + e);
    TAMIS_UNROLL
    for (Index c = 0; c < 4; ++c) {
      const auto right = Wide::join(columns + c * stride + e, columns + c * stride + e);
      total[0][c] = total[0][c] + top * right;
      total[1][c] = total[1][c] + bottom * right;
    }
  }
  TAMIS_UNROLL
  for (Index r = 0; r < 4; ++r) {
    T* entry = row + r * stride + j;
    TAMIS_UNROLL
    for (Index c = 0; c < 4; ++c) {
      const T* column = columns + c * stride + j;
      const auto part = total[r / 2][c].entry;
      const Index half = (r % 2) * lanes<T>;
      T sum = part[half];
      for (Index l = 1; l < lanes<T>; ++l) sum += part[half + l];
      T value = entry[c] - sum;
      for (Index d = 0; d < c; ++d) value -= entry[d] * column[d];
      entry[c] = value / column[c];
    }
  }
}

/// `rows` rows of it, two or four.
template <class T>
void factor_rows(T* row, Index rows, const T* columns, std::size_t stride, Index j) {
  if constexpr (profile.wide)
    if (rows == 4 && has_wide_vectors()) return factor_tile_wide(row, columns, stride, j);
  for (Index r = 0; r < rows; r += 2) factor_tile(row + r * stride, columns, stride, j);
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail
