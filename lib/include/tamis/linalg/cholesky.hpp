#pragma once
/// A dense Cholesky factor in caller memory.

#include "pack.hpp"
#include "scalar.hpp"

namespace tamis {

/// Σ a_e b_e: lane by lane over whole vectors, then the rest; the order is part of the definition.
template <class T>
[[gnu::always_inline]] inline T dot(const T* a, const T* b, Index count) {
  auto total = Pack<T>::zero();
  Index e = 0;
  for (; e + lanes<T> <= count; e += lanes<T>) total = total + Pack<T>::load(a + e) * Pack<T>::load(b + e);
  T sum = total.sum();
  for (; e < count; ++e) sum += a[e] * b[e];
  return sum;
}

namespace detail {

/// Entries j … j + 3 of R rows of the factor, j a multiple of four; `columns` is row j of the factor. A tile of inner
/// products shares its loads and keeps the adders busy.
template <class T, int R>
void factor_tile(T* row, const T* columns, std::size_t stride, Index j) {
  static_assert(4 % lanes<T> == 0);
  Pack<T> total[R][4];
  TAMIS_UNROLL
  for (int r = 0; r < R; ++r) {
    TAMIS_UNROLL
    for (int c = 0; c < 4; ++c) total[r][c] = Pack<T>::zero();
  }
  for (Index e = 0; e < j; e += lanes<T>) {
    Pack<T> left[R];
    TAMIS_UNROLL
    for (int r = 0; r < R; ++r) left[r] = Pack<T>::load(row + r * stride + e);
    TAMIS_UNROLL
    for (int c = 0; c < 4; ++c) {
      const auto right = Pack<T>::load(columns + c * stride + e);
      TAMIS_UNROLL
      for (int r = 0; r < R; ++r) total[r][c] = total[r][c] + left[r] * right;
    }
  }
  TAMIS_UNROLL
  for (int r = 0; r < R; ++r) {
    T* entry = row + r * stride + j;
    TAMIS_UNROLL
    for (int c = 0; c < 4; ++c) {
      const T* column = columns + c * stride + j;
      T value = entry[c] - total[r][c].sum();
      for (int d = 0; d < c; ++d) value -= entry[d] * column[d];
      entry[c] = value / column[c];
    }
  }
}

}  // namespace detail

/// Replaces the lower triangle of the symmetric positive definite `a` (size × size, row-major, rows `stride` apart) by
/// its Cholesky factor L, a = LLᵀ. False when a pivot is not positive. Cost size³/3 flops.
template <class T>
[[gnu::noinline]] bool factor_cholesky(T* a, Index size, Index stride) {
  const auto row_at = [=](Index i) { return a + static_cast<std::size_t>(i) * stride; };
  for (Index first = 0; first < size; first += 2) {
    const Index rows = smallest(Index(2), size - first);
    Index j = 0;
    for (; j + 4 <= first; j += 4)
      if (rows == 2) detail::factor_tile<T, 2>(row_at(first), row_at(j), stride, j);
      else detail::factor_tile<T, 1>(row_at(first), row_at(j), stride, j);
    for (Index i = first; i < first + rows; ++i) {
      T* row = row_at(i);
      for (Index c = j; c < i; ++c)
        row[c] = (row[c] - dot(static_cast<const T*>(row), static_cast<const T*>(row_at(c)), c)) / row_at(c)[c];
      const T pivot = row[i] - dot(static_cast<const T*>(row), static_cast<const T*>(row), i);
      if (!(pivot > T(0)) || !finite(pivot)) return false;
      row[i] = square_root(pivot);
    }
  }
  return true;
}

/// x ← (LLᵀ)⁻¹ x.
template <class T>
[[gnu::noinline]] void solve_cholesky(const T* factor, Index size, Index stride, T* x) {
  const auto row_at = [=](Index i) { return factor + static_cast<std::size_t>(i) * stride; };
  for (Index i = 0; i < size; ++i) x[i] = (x[i] - dot(row_at(i), static_cast<const T*>(x), i)) / row_at(i)[i];
  for (Index i = size; i-- > 0;) {
    x[i] /= row_at(i)[i];
    for (Index j = 0; j < i; ++j) x[j] -= x[i] * row_at(i)[j];
  }
}

}  // namespace tamis
