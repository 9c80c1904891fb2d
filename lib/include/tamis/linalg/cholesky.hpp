#pragma once
/// A dense Cholesky factor in caller memory.

#include "cholesky_tiles.hpp"
#include "rows.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Σ a_e b_e: lane by lane over whole vectors, then the rest; the order is part of the definition.
template <class T>
TAMIS_INLINED_UNLESS_SMALLEST T dot(const T* a, const T* b, std::size_t count) {
  auto total = Simd<T>::zero();
  std::size_t e = 0;
  for (const std::size_t whole = count - count % lanes<T>; e < whole; e += SimdOrScalar<T>::width)
    add_to_lanes<T>(SimdOrScalar<T>::load(a + e) * SimdOrScalar<T>::load(b + e), e, total);
  T sum = total.sum();
  for (; e < count; ++e) sum += a[e] * b[e];
  return sum;
}

namespace detail {

/// Entry (i, c) of a factor, times its pivot: a_ic − Σ_{d<c} l_id l_cd, over whole blocks of four d at once, then one
/// by one.
template <class T>
TAMIS_NOINLINE_IF_SMALLEST T factor_entry(const T* row, const T* column, Index c) {
  const Index block = c / 4 * 4;
  T value = row[c] - dot(row, column, block);
  for (Index d = block; d < c; ++d) value -= row[d] * column[d];
  return value;
}

}  // namespace detail

/// Replaces the lower triangle of the symmetric positive definite `a` (size × size, row-major, rows `stride` apart) by
/// its Cholesky factor L, a = LLᵀ. False when a pivot is not positive. Cost size³/3 flops.
template <class T>
[[gnu::noinline]] bool factor_cholesky(T* a, Index size, Index stride) {
  const auto row_at = [=](Index i) { return a + static_cast<std::size_t>(i) * stride; };
  constexpr Index panel = profile.every_width ? 16 : 4;  // rows that share what is read of those above them
  for (Index first = 0; first < size; first += 4) {
    const Index rows = smallest(Index(4), size - first);
    const Index tiled = profile.tiles ? rows / 2 * 2 : 0;  // rows; the last of an odd number is by itself
    if constexpr (profile.tiles) {
      const Index top = panel > 4 ? first - first % panel : first;
      const auto take_tiles = [=](Index r, Index count, Index j) {
        detail::factor_rows(row_at(r), count, static_cast<const T*>(row_at(j)), stride, j);
      };
      if (panel > 4) {
        const Index end = top + smallest(panel, size - top);
        for (Index j = 0; j < top && first == top; j += 4)
          for (Index r = top; r < end; r += 4) take_tiles(r, smallest(Index(4), (end - r) / 2 * 2), j);
      }
      for (Index j = panel > 4 ? top : 0; j < first; j += 4) take_tiles(first, tiled, j);
    }
    for (Index i = first; i < first + rows; ++i) {
      T* row = row_at(i);
      for (Index c = i < first + tiled ? first : 0; c < i; ++c)
        row[c] = detail::factor_entry<T>(row, row_at(c), c) / row_at(c)[c];
      const T pivot = detail::factor_entry<T>(row, row, i);
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

/// X ← (LLᵀ)⁻¹ X for a matrix of `size` rows of `width` entries, whole vectors.
template <class T>
[[gnu::noinline]] void solve_cholesky_rows(const T* factor, Index size, Index stride, T* x, Index width) {
  const auto row_at = [=](Index i) { return factor + static_cast<std::size_t>(i) * stride; };
  for (Index i = 0; i < size; ++i)
    for (Index k = 0; k < width; k += lanes<T>) {
      const T* entries = row_at(i);
      T* const out = x + static_cast<std::size_t>(i) * width + k;
      auto value = Simd<T>::load(out);
      for (Index j = 0; j < i; ++j)
        value = value - Simd<T>::fill(entries[j]) * Simd<T>::load(x + static_cast<std::size_t>(j) * width + k);
      (value * Simd<T>::fill(T(1) / entries[i])).store(out);
    }
  for (Index i = size; i-- > 0;)
    for (Index k = 0; k < width; k += lanes<T>) {
      const T* entries = row_at(i);
      T* const out = x + static_cast<std::size_t>(i) * width + k;
      const auto value = Simd<T>::load(out) * Simd<T>::fill(T(1) / entries[i]);
      value.store(out);
      for (Index j = 0; j < i; ++j) {
        T* const other = x + static_cast<std::size_t>(j) * width + k;
        (Simd<T>::load(other) - Simd<T>::fill(entries[j]) * value).store(other);
      }
    }
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
