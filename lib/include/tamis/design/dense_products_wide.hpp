#pragma once
/// Products with a dense design by tiles of vectors of 32 bytes.
///
/// The lanes of a vector are features of AᵀU where classes would leave many empty, so that few are spent on the padding
/// of short rows.

#include "dense_products_tiles.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail {

template <class T>
TAMIS_WIDE [[gnu::noinline]] void multiply_dense_wide(const T* x, Index samples, std::size_t column_stride,
                                                      const Index* features, Index count, const T* w, Index stride,
                                                      Index classes, const T* base, T* z) {
  multiply_dense<T, 2 * lanes<T>>(x, samples, column_stride, features, count, w, stride, classes, base, z);
}

/// total(k, f) += Σ_i x(i, f) U(i, k) for M vectors of features and C classes. x is packed: sample by sample, the
/// features of the tile beside each other.
template <class T, Index W, int M, int C>
TAMIS_TILE void transposed_packed_tile(const T* x, Index samples, const T* u, Index stride, T* total) {
  using P = Simd<T, W>;
  P sum[std::size_t{C}][std::size_t{M}];
  TAMIS_UNROLL
  for (Index k = 0; k < C; ++k) {
    TAMIS_UNROLL
    for (Index m = 0; m < M; ++m) sum[k][m] = P::load(total + (k * M + m) * W);
  }
  for (Index i = 0; i < samples; ++i, x += M * W, u += stride) {
    P value[std::size_t{M}];
    TAMIS_UNROLL
    for (Index m = 0; m < M; ++m) value[m] = P::load(x + m * W);
    TAMIS_UNROLL
    for (Index k = 0; k < C; ++k) {
      const auto dual = P::repeat(u + k);
      TAMIS_UNROLL
      for (Index m = 0; m < M; ++m) sum[k][m] = sum[k][m] + value[m] * dual;
    }
  }
  TAMIS_UNROLL
  for (Index k = 0; k < C; ++k) {
    TAMIS_UNROLL
    for (Index m = 0; m < M; ++m) sum[k][m].store(total + (k * M + m) * W);
  }
}

/// The same as transposed_dense for M vectors of features from `first` on. The lanes are features, for which X is
/// packed once for all classes.
template <class T, Index W, int M>
TAMIS_TILE void transposed_packed(const T* x, std::size_t column_stride, const Index* features, Index first,
                                  Index count, Index samples, const T* u, Index stride, Index classes, T* g) {
  constexpr Index together = M * W, chunk = 64, most = 32;  // columns, samples and classes
  const Index live = smallest(together, count - first);
  const TileColumns<T, together> columns(x, column_stride, features, first, live);
  alignas(32) T packed[chunk * together];
  alignas(32) T total[most * together];
  for (Index begin = 0; begin < classes; begin += most) {
    const Index here = smallest(most, classes - begin);
    for (Index t = 0; t < padded<T>(here) * together; ++t) total[t] = T(0);
    for (Index start = 0; start < samples; start += chunk) {
      const Index length = smallest(chunk, samples - start);
      T* to = packed;
      Index i = start;
      for (; i + lanes<T> <= start + length; i += lanes<T>, to += lanes<T> * together) {
        TAMIS_UNROLL
        for (Index m = 0; m < together; m += W) {
          Simd<T, W> part[lanes<T>];
          TAMIS_UNROLL
          for (Index r = 0; r < lanes<T>; ++r)
            part[r] = load_parts<T, W>(columns.of[m + r] + i, columns.of[m + lanes<T> + r] + i);
          transpose_registers<T, W>(part);
          TAMIS_UNROLL
          for (Index r = 0; r < lanes<T>; ++r) part[r].store(to + r * together + m);
        }
      }
      for (; i < start + length; ++i, to += together)
        for (Index f = 0; f < together; ++f) to[f] = columns.of[f][i];
      for_each_class_tile<T, W>(here, [&]<int C>(Index k) TAMIS_INLINED {
        transposed_packed_tile<T, W, M, C>(packed, length, row_of(u, start, stride) + begin + k, stride,
                                           total + k * together);
      });
    }
    for (Index k = 0; k < here; k += lanes<T>) {
      for (Index m = 0; m < together; m += W) {
        Simd<T, W> part[lanes<T>];
        TAMIS_UNROLL
        for (Index r = 0; r < lanes<T>; ++r) part[r] = Simd<T, W>::load(total + (k + r) * together + m);
        transpose_registers<T, W>(part);
        TAMIS_UNROLL
        for (Index r = 0; r < lanes<T>; ++r) {
          Simd<T> half[2];
          __builtin_memcpy(half, part + r, sizeof half);
          for (Index h = 0; h < 2; ++h) {
            const Index f = m + h * lanes<T> + r;
            if (f >= live) continue;
            T* row = row_of(g, features ? features[first + f] : first + f, stride) + begin + k;
            (Simd<T>::load(row) + half[h]).store(row);
          }
        }
      }
    }
  }
}

/// As transposed_dense.
template <class T>
TAMIS_WIDE [[gnu::noinline]] void transposed_dense_wide(const T* x, std::size_t column_stride, const Index* features,
                                                        Index count, Index samples, const T* u, Index stride,
                                                        Index classes, bool lower, T* g) {
  constexpr Index W = 2 * lanes<T>;
  if constexpr (W == 8) {
    const Index vectors = padded<T>(classes) / lanes<T>;
    if (vectors % 2 == 1 && vectors < 8 && count > lanes<T> && !lower) {  // a whole vector would be half empty
      Index c = 0;
      if (classes <= 2)
        for (; c + 2 * W < count; c += 4 * W)
          transposed_packed<T, W, 4>(x, column_stride, features, c, count, samples, u, stride, classes, g);
      for (; c < count; c += 2 * W)
        transposed_packed<T, W, 2>(x, column_stride, features, c, count, samples, u, stride, classes, g);
      return;
    }
  }
  transposed_dense<T, W>(x, column_stride, features, count, samples, u, stride, classes, lower, g);
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail
