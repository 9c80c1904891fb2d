#pragma once
/// A dense design in column-major order, kept where the caller has it (memory, flash): never copied.

#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"
#include "column.hpp"
#include "strip.hpp"

namespace tamis {

namespace detail {

/// Z(i, :) = base + Σ_c x(i, f_c) W(f_c, :) for R consecutive samples and V pieces P of a row, added in the order of c.
template <class P, int V, int R, class T>
void multiply_tile(const T* x, std::size_t column_stride, const Index* features, Index count, const T* w, Index stride,
                   const T* base, T* z) {
  P total[R][V];
  TAMIS_UNROLL
  for (int v = 0; v < V; ++v) {
    const auto start = P::load(base + v * P::width);
    TAMIS_UNROLL
    for (int r = 0; r < R; ++r) total[r][v] = start;
  }
  for (Index c = 0; c < count; ++c) {
    const Index feature = features ? features[c] : c;
    const T* column = x + feature * column_stride;
    const T* row = row_of(w, feature, stride);
    TAMIS_UNROLL
    for (int v = 0; v < V; ++v) {
      const auto coefficients = P::load(row + v * P::width);
      TAMIS_UNROLL
      for (int r = 0; r < R; ++r) total[r][v] = total[r][v] + P::fill(column[r]) * coefficients;
    }
  }
  TAMIS_UNROLL
  for (int r = 0; r < R; ++r) {
    TAMIS_UNROLL
    for (int v = 0; v < V; ++v) total[r][v].store(row_of(z, r, stride) + v * P::width);
  }
}

/// The same for a few samples, one piece at a time: what the tiles of a strip leave over.
template <class T>
[[gnu::noinline]] void multiply_leftover(const T* x, Index samples, std::size_t column_stride, const Index* features,
                                         Index count, const T* w, Index pieces, Index stride, const T* base, T* z) {
  for (Index i = 0; i < samples; ++i)
    for (Index k = 0; k < pieces * Piece<T>::width; k += Piece<T>::width)
      multiply_tile<Piece<T>, 1, 1>(x + i, column_stride, features, count, w + k, stride, base + k,
                                    row_of(z, i, stride) + k);
}

template <class P, int V, int R, class T>
void multiply_strip(const T* x, Index samples, std::size_t column_stride, const Index* features, Index count,
                    const T* w, Index stride, const T* base, T* z) {
  Index i = 0;
  for (; i + R <= samples; i += R)
    multiply_tile<P, V, R>(x + i, column_stride, features, count, w, stride, base, row_of(z, i, stride));
  if (i < samples)
    multiply_leftover(x + i, samples - i, column_stride, features, count, w, V, stride, base, row_of(z, i, stride));
}

/// G(f_c, :) += Σ_i x(i, f_c) U(i, :) for C columns, V pieces P of a row and the samples of one block, in their order.
template <class P, int V, int C, class T>
void transposed_tile(const T* x, std::size_t column_stride, const Index* features, Index first, Index samples,
                     const T* u, Index stride, T* g) {
  P total[C][V];
  const T* column[C];
  T* row[C];
  TAMIS_UNROLL
  for (int c = 0; c < C; ++c) {
    const Index feature = features ? features[first + c] : first + c;
    column[c] = x + feature * column_stride;
    row[c] = row_of(g, feature, stride);
    TAMIS_UNROLL
    for (int v = 0; v < V; ++v) total[c][v] = P::zero();
  }
  Index i = 0;
  do {  // there is a sample
    TAMIS_UNROLL
    for (int v = 0; v < V; ++v) {
      const auto entry = P::load(u + v * P::width);
      TAMIS_UNROLL
      for (int c = 0; c < C; ++c) total[c][v] = total[c][v] + P::fill(column[c][i]) * entry;
    }
    u += stride;
  } while (++i != samples);
  TAMIS_UNROLL
  for (int c = 0; c < C; ++c) {
    TAMIS_UNROLL
    for (int v = 0; v < V; ++v) (P::load(row[c] + v * P::width) + total[c][v]).store(row[c] + v * P::width);
  }
}

/// The same for a few columns, one piece at a time.
template <class T>
[[gnu::noinline]] void transposed_leftover(const T* x, std::size_t column_stride, const Index* features, Index first,
                                           Index count, Index samples, const T* u, Index pieces, Index stride, T* g) {
  for (Index c = first; c < count; ++c)
    for (Index k = 0; k < pieces * Piece<T>::width; k += Piece<T>::width)
      transposed_tile<Piece<T>, 1, 1>(x, column_stride, features, c, samples, u + k, stride, g + k);
}

template <class P, int V, int C, class T>
void transposed_strip(const T* x, std::size_t column_stride, const Index* features, Index count, Index samples,
                      const T* u, Index stride, T* g) {
  Index c = 0;
  for (; c + C <= count; c += C) transposed_tile<P, V, C>(x, column_stride, features, c, samples, u, stride, g);
  if (c < count) transposed_leftover(x, column_stride, features, c, count, samples, u, V, stride, g);
}

/// Covers the `stride` entries of a row with strips of two pieces (wider tiles spill registers) and a last one:
/// calls strip.operator()<V>(k) for the V pieces from entry k on.
template <class T, class Strip>
void for_each_strip(Index stride, Strip strip) {
  constexpr Index width = Piece<T>::width;
  Index k = 0;
  if constexpr (width == lanes<T>) {
    for (; k + 2 * width <= stride; k += 2 * width) strip.template operator()<2>(k);
  }
  for (; k < stride; k += width) strip.template operator()<1>(k);
}

#ifdef TAMIS_SMALLEST
/// Whole rows, a column and a vector at a time: the smallest code.
template <class T>
[[gnu::noinline]] void multiply_rows(const T* x, Index samples, std::size_t column_stride, const Index* features,
                                     Index count, const T* w, Index stride, const T* base, T* z) {
  for (Index k = 0; k < stride; k += lanes<T>, z += lanes<T>) {
    const auto start = Pack<T>::load(base + k);
    T* to = z;
    for (Index i = 0; i < samples; ++i, to += stride) start.store(to);
    for (Index c = 0; c < count; ++c) {
      const Index feature = features ? features[c] : c;
      const T* value = x + feature * column_stride;
      const auto coefficients = Pack<T>::load(row_of(w, feature, stride) + k);
      const T* const end = value + samples;
      to = z;
      do {
        (Pack<T>::load(to) + Pack<T>::fill(*value++) * coefficients).store(to);
        to += stride;
      } while (value != end);
    }
  }
}
/// row += Σ_i x_i U(i, :) for one column x, block by block of samples.
template <class T>
[[gnu::noinline]] void transposed_column(const T* x, Index block, Index samples, const T* u, Index stride, T* row) {
  for (Index k = 0; k < stride; k += lanes<T>) {
    auto sum = Pack<T>::load(row + k);
    const T* value = x;
    const T* dual = u + k;
    for (Index left = samples; left > 0;) {
      auto part = Pack<T>::zero();
      Index here = smallest(block, left);
      left -= here;
      do {
        part = part + Pack<T>::fill(*value++) * Pack<T>::load(dual);
        dual += stride;
      } while (--here > 0);
      sum = sum + part;
    }
    sum.store(row + k);
  }
}
#else
/// The strips of whole rows.
template <class T>
void multiply_rows(const T* x, Index samples, std::size_t column_stride, const Index* features, Index count, const T* w,
                   Index stride, const T* base, T* z) {
  for_each_strip<T>(stride, [&]<int V>(Index k) {
    multiply_strip<Piece<T>, V, 4>(x, samples, column_stride, features, count, w + k, stride, base + k, z + k);
  });
}
template <class T>
void transposed_rows(const T* x, std::size_t column_stride, const Index* features, Index count, Index samples,
                     const T* u, Index stride, T* g) {
  for_each_strip<T>(stride, [&]<int V>(Index k) {
    transposed_strip<Piece<T>, V, 4>(x, column_stride, features, count, samples, u + k, stride, g + k);
  });
}
#endif

/// What of a symmetric G is in its lower triangle: strip by strip, from the diagonal on.
template <class T>
void transposed_lower_rows(const T* x, std::size_t column_stride, Index count, Index samples, const T* u, Index stride,
                           T* g) {
  for_each_strip<T>(stride, [&]<int V>(Index k) {
    if (k < count)
      transposed_strip<Piece<T>, V, 4>(x + k * column_stride, column_stride, static_cast<const Index*>(nullptr),
                                       count - k, samples, u + k, stride, row_of(g, k, stride) + k);
  });
}

#ifdef TAMIS_WIDE
/// The same for a strip of N vectors in pairs, and the same bits: R samples at once, so many that the adders of R rows
/// are busy and the sums stay in registers.
template <class T, int N, int R>
TAMIS_TILE void multiply_wide_tile(const T* x, std::size_t column_stride, const Index* features, Index count,
                                   const T* w, Index stride, const T* base, T* z) {
  using S = Strip<T, N, true>;
  S total[R];
  TAMIS_UNROLL_STRIP
  for (int r = 0; r < R; ++r) total[r] = S::load(N, base);
  for (Index c = 0; c < count; ++c) {
    const Index feature = features ? features[c] : c;
    const T* column = x + feature * column_stride;
    const auto coefficients = S::load(N, row_of(w, feature, stride));
    TAMIS_UNROLL_STRIP
    for (int r = 0; r < R; ++r) total[r].add_scaled(column[r], coefficients);
  }
  TAMIS_UNROLL_STRIP
  for (int r = 0; r < R; ++r) total[r].store(N, row_of(z, r, stride));
}
template <class T, int N, int C>
TAMIS_TILE void transposed_wide_tile(const T* x, std::size_t column_stride, const Index* features, Index first,
                                     Index samples, const T* u, Index stride, T* g) {
  using S = Strip<T, N, true>;
  S total[C];
  const T* column[C];
  T* row[C];
  TAMIS_UNROLL_STRIP
  for (int c = 0; c < C; ++c) {
    const Index feature = features ? features[first + c] : first + c;
    column[c] = x + feature * column_stride;
    row[c] = row_of(g, feature, stride);
    total[c] = S::zero(N);
  }
  for (Index i = 0; i < samples; ++i) {
    const auto dual = S::load(N, row_of(u, i, stride));
    TAMIS_UNROLL_STRIP
    for (int c = 0; c < C; ++c) total[c].add_scaled(column[c][i], dual);
  }
  TAMIS_UNROLL_STRIP
  for (int c = 0; c < C; ++c) {
    auto sum = S::load(N, row[c]);
    sum.add_scaled(T(1), total[c]);
    sum.store(N, row[c]);
  }
}
/// The same where a row is one vector: two of them at once, of samples beside each other, for R samples.
template <class T, int R>
TAMIS_TILE void multiply_paired_tile(const T* x, std::size_t column_stride, const Index* features, Index count,
                                     const T* w, const T* base, T* z) {
  constexpr Index stride = lanes<T>;
  using Pair = Pack<T, 2 * stride>;
  Pair total[R / 2];
  const auto start = twice(Pack<T>::load(base));
  TAMIS_UNROLL_STRIP
  for (int r = 0; r < R / 2; ++r) total[r] = start;
  for (Index c = 0; c < count; ++c) {
    const Index feature = features ? features[c] : c;
    const T* column = x + feature * column_stride;
    const auto coefficients = twice(Pack<T>::load(row_of(w, feature, stride)));
    TAMIS_UNROLL_STRIP
    for (int r = 0; r < R; r += 2 * stride) {
      const auto values = Pair::load(column + r);
      Pair* const sums = total + r / 2;
      sums[0] = sums[0] + spread<0>(values) * coefficients;
      sums[1] = sums[1] + spread<2>(values) * coefficients;
      if constexpr (stride == 4) {
        sums[2] = sums[2] + spread<4>(values) * coefficients;
        sums[3] = sums[3] + spread<6>(values) * coefficients;
      }
    }
  }
  TAMIS_UNROLL_STRIP
  for (int r = 0; r < R / 2; ++r) total[r].store(z + r * Pair::width);
}
/// Of columns beside each other, for C of them.
template <class T, int C>
TAMIS_TILE void transposed_paired_tile(const T* x, std::size_t column_stride, const Index* features, Index first,
                                       Index samples, const T* u, T* g) {
  constexpr Index stride = lanes<T>;
  using Pair = Pack<T, 2 * stride>;
  Pair total[C / 2];
  const T* column[C];
  TAMIS_UNROLL_STRIP
  for (int c = 0; c < C; ++c) column[c] = x + (features ? features[first + c] : first + c) * column_stride;
  TAMIS_UNROLL_STRIP
  for (int c = 0; c < C / 2; ++c) total[c] = Pair::zero();
  Index i = 0;
  for (; i + stride <= samples; i += stride, u += stride * stride) {
    TAMIS_UNROLL_STRIP
    for (int c = 0; c < C; c += 2) {
      const auto values = beside(Pack<T>::load(column[c] + i), Pack<T>::load(column[c + 1] + i));
      total[c / 2] = total[c / 2] + spread_halves<0>(values) * twice(Pack<T>::load(u));
      total[c / 2] = total[c / 2] + spread_halves<1>(values) * twice(Pack<T>::load(u + stride));
      if constexpr (stride == 4) {
        total[c / 2] = total[c / 2] + spread_halves<2>(values) * twice(Pack<T>::load(u + 2 * stride));
        total[c / 2] = total[c / 2] + spread_halves<3>(values) * twice(Pack<T>::load(u + 3 * stride));
      }
    }
  }
  for (; i < samples; ++i, u += stride) {
    const auto dual = twice(Pack<T>::load(u));
    TAMIS_UNROLL_STRIP
    for (int c = 0; c < C; c += 2)
      total[c / 2] = total[c / 2] + beside(Pack<T>::fill(column[c][i]), Pack<T>::fill(column[c + 1][i])) * dual;
  }
  TAMIS_UNROLL_STRIP
  for (int c = 0; c < C; ++c) {
    Pack<T> half[2];
    __builtin_memcpy(half, &total[c / 2], sizeof half);
    T* row = row_of(g, features ? features[first + c] : first + c, stride);
    (Pack<T>::load(row) + half[c % 2]).store(row);
  }
}

/// Rows of a tile of N vectors: as many sums as registers hold beside a row and a number, and at least six chains.
constexpr int wide_tile_rows(int N) { return N <= 2 ? 8 : N <= 4 ? 4 : 3; }

template <class T>
TAMIS_WIDE [[gnu::noinline]] void multiply_rows_wide(const T* x, Index samples, std::size_t column_stride,
                                                     const Index* features, Index count, const T* w, Index stride,
                                                     const T* base, T* z) {
  for_each_even_strip<T>(
      stride, [&]<int N>(Index k, int) __attribute__((always_inline)) {
        constexpr int R = wide_tile_rows(N);
        Index i = 0;
        if constexpr (N == 1) {
          if (stride == lanes<T>) {
            for (; i + 16 <= samples; i += 16)
              multiply_paired_tile<T, 16>(x + i, column_stride, features, count, w, base, row_of(z, i, stride));
            for (; i + 8 <= samples; i += 8)
              multiply_paired_tile<T, 8>(x + i, column_stride, features, count, w, base, row_of(z, i, stride));
          }
        }
        for (; i + R <= samples; i += R)
          multiply_wide_tile<T, N, R>(x + i, column_stride, features, count, w + k, stride, base + k,
                                      row_of(z, i, stride) + k);
        if constexpr (R > 4)
          for (; i + 4 <= samples; i += 4)
            multiply_wide_tile<T, N, 4>(x + i, column_stride, features, count, w + k, stride, base + k,
                                        row_of(z, i, stride) + k);
        for (; i < samples; ++i)
          multiply_wide_tile<T, N, 1>(x + i, column_stride, features, count, w + k, stride, base + k,
                                      row_of(z, i, stride) + k);
      });
}
template <class T>
TAMIS_WIDE [[gnu::noinline]] void transposed_rows_wide(const T* x, std::size_t column_stride, const Index* features,
                                                       Index count, Index samples, const T* u, Index stride, T* g) {
  for_each_even_strip<T>(
      stride, [&]<int N>(Index k, int) __attribute__((always_inline)) {
        constexpr int C = wide_tile_rows(N);
        Index c = 0;
        if constexpr (N == 1) {
          if (stride == lanes<T>) {
            for (; c + 8 <= count; c += 8) transposed_paired_tile<T, 8>(x, column_stride, features, c, samples, u, g);
            for (; c + 4 <= count; c += 4) transposed_paired_tile<T, 4>(x, column_stride, features, c, samples, u, g);
          }
        }
        for (; c + C <= count; c += C)
          transposed_wide_tile<T, N, C>(x, column_stride, features, c, samples, u + k, stride, g + k);
        if constexpr (C > 4)
          for (; c + 4 <= count; c += 4)
            transposed_wide_tile<T, N, 4>(x, column_stride, features, c, samples, u + k, stride, g + k);
        for (; c < count; ++c)
          transposed_wide_tile<T, N, 1>(x, column_stride, features, c, samples, u + k, stride, g + k);
      });
}
template <class T>
TAMIS_WIDE [[gnu::noinline]] void transposed_lower_rows_wide(const T* x, std::size_t column_stride, Index count,
                                                             Index samples, const T* u, Index stride, T* g) {
  for_each_even_strip<T>(
      stride, [&]<int N>(Index k, int) __attribute__((always_inline)) {
        constexpr int C = wide_tile_rows(N);
        const Index* const all = nullptr;
        Index c = k;
        for (; c + C <= count; c += C)
          transposed_wide_tile<T, N, C>(x, column_stride, all, c, samples, u + k, stride, g + k);
        if constexpr (C > 4)
          for (; c + 4 <= count; c += 4)
            transposed_wide_tile<T, N, 4>(x, column_stride, all, c, samples, u + k, stride, g + k);
        for (; c < count; ++c) transposed_wide_tile<T, N, 1>(x, column_stride, all, c, samples, u + k, stride, g + k);
      });
}
#endif

}  // namespace detail

/// Design x(i, j) = values[i + j·column_stride], `samples` × `features`.
///
/// Products cost 2·samples·count·classes flops. Samples are added in blocks of `block` (each block from zero, then to
/// the total), which keeps a block of duals in the first-level cache and the rounding error of a column below that of a
/// plain loop; the order is part of the definition and the same everywhere.
template <class T>
class DenseDesign {
 public:
  static constexpr Index block = 256;

  DenseDesign() = default;
  DenseDesign(const T* values, Index samples, Index features) : DenseDesign(values, samples, features, samples) {}
  /// `column_stride` ≥ samples: entries from one column to the next.
  DenseDesign(const T* values, Index samples, Index features, std::size_t column_stride)
      : values_(values), column_stride_(column_stride), samples_(samples), features_(features) {}

  Index samples() const { return samples_; }
  Index features() const { return features_; }
  T operator()(Index sample, Index feature) const { return values_[sample + feature * column_stride_]; }

  /// Z = 1 baseᵀ + X_F W_F over the listed features (all of them when `list` is null).
  void multiply(const Index* list, Index count, const T* w, Index stride, const T* base, T* z) const {
#ifdef TAMIS_COMPACT
    detail::multiply_rows(values_, samples_, column_stride_, list, count, w, stride, base, z);
#else
    constexpr Index together = 16;  // few enough for the first strip to leave them in a cache
    for (Index first = 0; first < samples_; first += together) {
      const Index length = smallest(together, samples_ - first);
      const T* x = values_ + first;
      T* scores = row_of(z, first, stride);
#ifdef TAMIS_WIDE
      if (has_wide_vectors()) {
        detail::multiply_rows_wide(x, length, column_stride_, list, count, w, stride, base, scores);
        continue;
      }
#endif
      detail::multiply_rows(x, length, column_stride_, list, count, w, stride, base, scores);
    }
#endif
  }

  /// G(j, :) = Σᵢ x(i, j) U(i, :) for the listed features (all of them when `list` is null); other rows untouched.
  void transposed_multiply(const Index* list, Index count, const T* u, Index stride, T* g) const {
#ifdef TAMIS_SMALLEST
    for (Index c = 0; c < count; ++c) {
      const Index feature = list ? list[c] : c;
      T* row = row_of(g, feature, stride);
      fill(row, stride, T(0));
      detail::transposed_column(values_ + feature * column_stride_, block, samples_, u, stride, row);
    }
#else
    for (Index c = 0; c < count; ++c) fill(row_of(g, list ? list[c] : c, stride), stride, T(0));
    add_transposed(list, count, u, stride, g);
#endif
  }
  /// The same, added to what G holds.
  void add_transposed(const Index* list, Index count, const T* u, Index stride, T* g) const {
#ifdef TAMIS_SMALLEST
    for (Index c = 0; c < count; ++c) {
      const Index feature = list ? list[c] : c;
      detail::transposed_column(values_ + feature * column_stride_, block, samples_, u, stride,
                                row_of(g, feature, stride));
    }
#else
    for (Index first = 0; first < samples_; first += block) {
      const Index length = smallest(block, samples_ - first);
      const T* dual = row_of(u, first, stride);
      const T* x = values_ + first;
#ifdef TAMIS_WIDE
      if (has_wide_vectors()) {
        detail::transposed_rows_wide(x, column_stride_, list, count, length, dual, stride, g);
        continue;
      }
#endif
      detail::transposed_rows(x, column_stride_, list, count, length, dual, stride, g);
    }
#endif
  }
  /// G += XᵀU where that is symmetric, its entries (j, k), k ≤ j, at least: about half the flops.
  void add_transposed_lower(const T* u, Index stride, T* g) const {
    for (Index first = 0; first < samples_; first += block) {
      const Index length = smallest(block, samples_ - first);
      const T* dual = row_of(u, first, stride);
      const T* x = values_ + first;
#ifdef TAMIS_WIDE
      if (has_wide_vectors()) {
        detail::transposed_lower_rows_wide(x, column_stride_, features_, length, dual, stride, g);
        continue;
      }
#endif
      detail::transposed_lower_rows(x, column_stride_, features_, length, dual, stride, g);
    }
  }

  /// Σᵢ x(i, j), compensated.
  T column_sum(Index feature) const {
    Sum<T> total;
    for (Index i = 0; i < samples_; ++i) total.add((*this)(i, feature));
    return total.value();
  }

  /// out[s·stride] = x(list[s], feature) for the listed samples, ascending (all when null).
  void gather(Index feature, const Index* list, Index count, T* out, Index stride) const {
    const T* column = values_ + feature * column_stride_;
    for (Index s = 0; s < count; ++s) out[static_cast<std::size_t>(s) * stride] = column[list ? list[s] : s];
  }

  Column<T> column(Index feature) const { return {values_ + feature * column_stride_, nullptr, samples_}; }

  /// Stored entries of the listed features: the work of a product with them.
  std::size_t entries(const Index*, Index count) const { return static_cast<std::size_t>(samples_) * count; }

  /// length[i] = values of sample i that are not zero.
  [[gnu::noinline]] void count_entries(Index* length) const {
    for (Index i = 0; i < samples_; ++i) length[i] = 0;
    for_each_tile(0, samples_, [&](Index first, Index count, Index feature) {
      const T* column = values_ + first + feature * column_stride_;
      for (Index i = 0; i < count; ++i) length[first + i] += column[i] != T(0);
    });
  }

  /// Appends to the row of each sample i, first ≤ i < last, its values that are not zero and their features, ascending:
  /// position[i] is where the next one goes.
  [[gnu::noinline]] void gather(Index first_sample, Index last_sample, Index* position, Index* features,
                                T* values) const {
    for_each_tile(first_sample, last_sample, [&](Index first, Index count, Index feature) {
      const T* column = values_ + first + feature * column_stride_;
      for (Index i = 0; i < count; ++i) {
        if (column[i] == T(0)) continue;
        const Index to = position[first + i]++;
        features[to] = feature;
        values[to] = column[i];
      }
    });
  }

  /// Position of the first value that is NaN or infinite, by columns.
  bool find_bad_value(Index& row, Index& column) const {
    for (Index j = 0; j < features_; ++j)
      for (Index i = 0; i < samples_; ++i)
        if (!finite((*this)(i, j))) {
          row = i;
          column = j;
          return true;
        }
    return false;
  }

 private:
  /// Visits the columns of blocks of samples: few enough rows that what belongs to them stays in the cache.
  template <class Visit>
  void for_each_tile(Index first, Index last, Visit visit) const {
    for (; first < last; first += smallest(block, last - first))
      for (Index j = 0; j < features_; ++j) visit(first, smallest(block, last - first), j);
  }

  const T* values_ = nullptr;
  std::size_t column_stride_ = 0;
  Index samples_ = 0;
  Index features_ = 0;
};

}  // namespace tamis
