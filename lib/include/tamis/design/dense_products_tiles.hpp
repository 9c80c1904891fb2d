#pragma once
/// Products with a dense design by tiles that stay in registers, of vectors of W entries.
///
/// The lanes of a vector are samples of A W and classes of AᵀU.

#include "../linalg/register_tile.hpp"
#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"
#include "../linalg/transpose_registers.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail {

/// Entries of a vector whose lanes are samples or features: a single one where the profile has no lanes.
template <class T>
inline constexpr Index tile_width = profile.lanes ? lanes<T> : 1;

/// Vectors of samples or features beside each other in a tile of C classes: so many that adders are busy and the sums
/// of a tile stay in registers.
template <Index W>
constexpr int tile_vectors(int C) {
  return W == 1 || C <= 2 ? 4 : 2;
}
/// The most classes of a tile. Entries of a row are stored as whole vectors, but for plain numbers.
template <class T, Index W>
inline constexpr int tile_classes = W > 1                    ? int(lanes<T>)
                                    : profile.single_entries ? 1
                                                             : 2;

/// Whether all of the listed rows (the first `count` without a list) have a zero here.
template <class T>
bool column_is_zero(const Index* list, Index count, const T* column, Index stride) {
  for (Index c = 0; c < count; ++c)
    if (*row_of(column, list ? list[c] : c, stride) != T(0)) return false;
  return true;
}
/// Leading columns of rows of `stride` entries, but for those of their last vector that are zero in all rows.
template <class T>
[[gnu::noinline]] Index occupied_columns(const Index* list, Index count, const T* rows, Index stride) {
  Index columns = stride;
  const Index whole = stride - lanes<T>;  // vectors but for the last one
  while (columns > whole && column_is_zero(list, count, rows + columns - 1, stride)) --columns;
  return columns;
}

// ---- A W ------------------------------------------------------------------------------------------------------------

/// Z(i, :) = base + Σ_c x(i, f_c) W(f_c, :) for M vectors of samples and C classes, added in the order of c; without a
/// base, to what Z holds; of the other classes of the same vector, the base alone. The first `skipped` rows are not
/// stored. `ahead`: how many samples on X is read next.
template <class T, Index W, int M, int C>
TAMIS_MULTIPLY_TILE void multiply_tile(const T* x, std::size_t column_stride, const Index* features, Index count,
                                       const T* w, Index stride, const T* base, T* z, Index skipped, Index ahead) {
  using P = Simd<T, W>;
  constexpr int turned = W > 1 ? int(lanes<T>) : C;
  P total[std::size_t{M}][std::size_t{turned}];
  if (base) {
    TAMIS_UNROLL
    for (Index k = 0; k < turned; ++k) {
      const auto start = P::repeat(base + k);
      TAMIS_UNROLL
      for (Index m = 0; m < M; ++m) total[m][k] = start;
    }
  } else {
    TAMIS_UNROLL
    for (Index m = 0; m < M; ++m) {
      if constexpr (W == 1) {
        TAMIS_UNROLL
        for (Index k = 0; k < C; ++k) total[m][k] = P::load(row_of(z, m, stride) + k);
      } else {
        TAMIS_UNROLL
        for (Index r = 0; r < turned; ++r) {
          T* row = row_of(z, m * W + r, stride);
          total[m][r] = load_parts<T, W>(row, row + std::size_t{lanes<T>} * stride);
        }
        transpose_registers<T, W>(total[m]);
      }
    }
  }
  for (Index c = 0; c < count; ++c) {
    const Index feature = features ? features[c] : c;
    const T* column = x + feature * column_stride;
    const T* row = row_of(w, feature, stride);
    if constexpr (W > 1 && profile.fetches) {
      if (ahead > 0) __builtin_prefetch(column + ahead);
    }
    P value[std::size_t{M}];
    TAMIS_UNROLL
    for (Index m = 0; m < M; ++m) value[m] = P::load(column + m * W);
    TAMIS_UNROLL
    for (Index k = 0; k < C; ++k) {
      const auto coefficient = P::repeat(row + k);
      TAMIS_UNROLL
      for (Index m = 0; m < M; ++m) total[m][k] = total[m][k] + value[m] * coefficient;
    }
  }
  TAMIS_UNROLL
  for (Index m = 0; m < M; ++m) {
    if constexpr (W == 1) {
      TAMIS_UNROLL
      for (Index k = 0; k < C; ++k) total[m][k].store(row_of(z, m, stride) + k);
    } else {
      transpose_registers<T, W>(total[m]);
      TAMIS_UNROLL
      for (Index r = 0; r < Index(turned); ++r) {
        T* row = row_of(z, m * W + r, stride);
        T* high = row + std::size_t{lanes<T>} * stride;
        if (skipped == 0) {
          store_parts<T, W>(total[m][r], row, high);
        } else {
          Simd<T> half[W / lanes<T>];
          __builtin_memcpy(half, &total[m][r], sizeof half);
          if (m * W + r >= skipped) half[0].store(row);
          if constexpr (W > lanes<T>)
            if (m * W + r + lanes<T> >= skipped) half[1].store(high);
        }
      }
    }
  }
}

/// C classes of `length` samples from `first` on, of `samples` in all.
template <class T, Index W, int C>
TAMIS_TILE void multiply_strip(const T* x, Index first, Index length, std::size_t column_stride, const Index* features,
                               Index count, const T* w, Index stride, const T* base, T* z, Index ahead) {
  constexpr int M = tile_vectors<W>(C);
  const Index end = first + length;
  const auto tile = [=]<Index V, int N>(Index i, Index skipped) TAMIS_INLINED {
    multiply_tile<T, V, N, C>(x + i, column_stride, features, count, w, stride, base, row_of(z, i, stride), skipped,
                              ahead);
  };
  Index i = first;
  for (; i + M * W <= end; i += M * W) tile.template operator()<W, M>(i, 0);
  if (i == end) return;
  if constexpr (W == 1) {
    for (; i < end; ++i) tile.template operator()<1, 1>(i, 0);
  } else {  // tiles that end where the samples do, and leave the rows as they are that others have
    if ((end - i > W || !profile.every_width) && end >= M * W)
      return tile.template operator()<W, M>(end - M * W, M * W - (end - i));
    if constexpr (profile.every_width) {
      for (; i + W <= end; i += W) tile.template operator()<W, 1>(i, 0);
      if (i == end) return;
      if (end >= W) return tile.template operator()<W, 1>(end - W, W - (end - i));
    }
    for (; i < end; ++i)
      for (Index k = 0; k < lanes<T>; ++k)
        multiply_tile<T, 1, 1, 1>(x + i, column_stride, features, count, w + k, stride, base ? base + k : nullptr,
                                  row_of(z, i, stride) + k, 0, 0);
  }
}

/// Calls tile.operator()<C>(k) for the strips of the first `classes` entries of a row.
template <class T, Index W, class Tile>
TAMIS_TILE void for_each_class_tile(Index classes, Tile tile) {
  constexpr int most = tile_classes<T, W>;
  Index k = 0;
  for (; k + most <= classes; k += most) tile.template operator()<most>(k);
  if constexpr (most > 1) {
    const Index left = classes - k;
    if constexpr (most == 4 && !profile.every_width) {  // padding makes one class two, and three four
      if (left > 2) tile.template operator()<4>(k);
      else if (left > 0) tile.template operator()<2>(k);
    } else {
      if constexpr (most > 3)
        if (left == 3) return tile.template operator()<3>(k);
      if constexpr (most > 2)
        if (left == 2) return tile.template operator()<2>(k);
      if (left == 1) tile.template operator()<1>(k);
    }
  }
}

/// Z = 1 baseᵀ + X_F W_F; W(:, k) = 0 from k = `classes` on. Samples and features go by blocks of which X stays in the
/// first-level cache for all strips of classes, the first of which asks for those of the next block.
template <class T, Index W>
TAMIS_TILE void multiply_dense(const T* x, Index samples, std::size_t column_stride, const Index* features, Index count,
                               const T* w, Index stride, Index classes, const T* base, T* z) {
  constexpr Index block = 256 / sizeof(T), chunk = 64;
  for (Index first = 0; first < samples; first += block) {
    const Index length = smallest(block, samples - first);
    const Index stored = count == 0 ? 0 : W == 1 ? classes : padded<T>(classes);
    if (stored < stride)
      for (Index i = first; i < first + length; ++i)
        for (Index k = stored; k < stride; ++k) row_of(z, i, stride)[k] = base[k];
    for (Index begin = 0; begin < count; begin += chunk) {
      const Index here = smallest(chunk, count - begin);
      for_each_class_tile<T, W>(classes, [=]<int C>(Index k) TAMIS_INLINED {
        const T* from = features ? x : x + begin * column_stride;
        const T* coefficients = (features ? w : row_of(w, begin, stride)) + k;
        multiply_strip<T, W, C>(from, first, length, column_stride, features ? features + begin : nullptr, here,
                                coefficients, stride, begin == 0 ? base + k : nullptr, z + k, k == 0 ? block : 0);
      });
    }
  }
}

// ---- AᵀU ------------------------------------------------------------------------------------------------------------

/// The columns of one tile: `live` of them, the last one in the place of those that are missing.
template <class T, Index F>
struct TileColumns {
  const T* of[F];

  TAMIS_TILE TileColumns(const T* x, std::size_t column_stride, const Index* features, Index first, Index live) {
    TAMIS_UNROLL_STRIP
    for (Index f = 0; f < F; ++f) {
      const Index c = first + smallest(f, live - 1);
      of[f] = x + (features ? features[c] : c) * column_stride;
    }
  }
};

/// G(f_c, :) += Σ_i x(i, f_c) U(i, :) for F columns, V vectors of a row and the samples of one block, in their order.
/// The lanes are classes.
template <class T, Index W, int V, Index F>
TAMIS_TILE void transposed_rows_tile(const T* x, std::size_t column_stride, const Index* features, Index first,
                                     Index count, Index samples, const T* u, Index stride, T* g) {
  using P = Simd<T, W>;
  const Index live = smallest(F, count - first);
  const TileColumns<T, F> columns(x, column_stride, features, first, live);
  P sum[std::size_t{F}][std::size_t{V}];
  TAMIS_UNROLL_STRIP
  for (Index f = 0; f < F; ++f) {
    TAMIS_UNROLL
    for (Index v = 0; v < V; ++v) sum[f][v] = P::zero();
  }
  Index i = 0;
  do {  // there is a sample
    P dual[std::size_t{V}];
    TAMIS_UNROLL
    for (Index v = 0; v < V; ++v) dual[v] = P::load(u + v * W);
    TAMIS_UNROLL_STRIP
    for (Index f = 0; f < F; ++f) {
      const auto value = P::repeat(columns.of[f] + i);
      TAMIS_UNROLL
      for (Index v = 0; v < V; ++v) sum[f][v] = sum[f][v] + value * dual[v];
    }
    u += stride;
  } while (++i != samples);
  TAMIS_UNROLL_STRIP
  for (Index f = 0; f < F; ++f) {
    if (f >= live) continue;
    T* row = row_of(g, features ? features[first + f] : first + f, stride);
    TAMIS_UNROLL
    for (Index v = 0; v < V; ++v) (P::load(row + v * W) + sum[f][v]).store(row + v * W);
  }
}

/// V vectors of a row of the columns `begin` to `end`, or from that of the first entry on where `lower`.
template <class T, Index W, int V>
TAMIS_TILE void transposed_rows_strip(const T* x, std::size_t column_stride, const Index* features, Index begin,
                                      Index end, Index samples, const T* u, Index stride, Index k, bool lower, T* g) {
  Index c = lower ? largest(begin, k) : begin;
  if constexpr (profile.every_width && W > 1 && V == 1)
    for (; c + 4 < end; c += 8)
      transposed_rows_tile<T, W, V, 8>(x, column_stride, features, c, end, samples, u + k, stride, g + k);
  for (; c < end; c += 4)
    transposed_rows_tile<T, W, V, 4>(x, column_stride, features, c, end, samples, u + k, stride, g + k);
}

/// G(f_c, :) += Σ_i x(i, f_c) U(i, :) for the samples of one block; U(:, k) = 0 from k = `classes` on. `lower`: of a
/// symmetric G, entries (f, k), k ≤ f, at least. In strips of two vectors, one, and half a vector where rows end with
/// that; where code may be larger, all of them for so many columns that these stay in the second-level cache.
template <class T, Index W>
TAMIS_TILE void transposed_dense(const T* x, std::size_t column_stride, const Index* features, Index count,
                                 Index samples, const T* u, Index stride, Index classes, bool lower, T* g) {
  constexpr Index chunk = 32;
  const Index entries = W == 1 ? classes : padded<T>(classes);
  const auto strips = [=](Index begin, Index end) TAMIS_INLINED {
    Index k = 0;
    const auto strip = [&]<Index N, int V>() TAMIS_INLINED {
      transposed_rows_strip<T, N, V>(x, column_stride, features, begin, end, samples, u, stride, k, lower, g);
      k += N * V;
    };
    if constexpr (!profile.single_entries)
      while (k + 2 * W <= entries) strip.template operator()<W, 2>();
    while (k + W <= entries) strip.template operator()<W, 1>();
    if constexpr (W > lanes<T>)
      if (k < entries) strip.template operator()<lanes<T>, 1>();
  };
  if constexpr (!profile.every_width) {
    strips(0, count);
  } else {
    for (Index begin = 0; begin < count; begin += chunk) strips(begin, begin + smallest(chunk, count - begin));
  }
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail
