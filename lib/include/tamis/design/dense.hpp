#pragma once
/// A dense design in column-major order, kept where the caller has it (memory, flash): never copied.

#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"

namespace tamis {

namespace detail {

/// Z(i, :) = base + Σ_c x(i, f_c) W(f_c, :) for R consecutive samples and V pieces of a row, added in the order of c.
template <class T, int V, int R>
void multiply_tile(const T* x, std::size_t column_stride, const Index* features, Index count, const T* w, Index stride,
                   const T* base, T* z) {
  Piece<T> total[R][V];
  TAMIS_UNROLL
  for (int v = 0; v < V; ++v) {
    const auto start = Piece<T>::load(base + v * Piece<T>::width);
    TAMIS_UNROLL
    for (int r = 0; r < R; ++r) total[r][v] = start;
  }
  for (Index c = 0; c < count; ++c) {
    const Index feature = features ? features[c] : c;
    const T* column = x + feature * column_stride;
    const T* row = row_of(w, feature, stride);
    TAMIS_UNROLL
    for (int v = 0; v < V; ++v) {
      const auto coefficients = Piece<T>::load(row + v * Piece<T>::width);
      TAMIS_UNROLL
      for (int r = 0; r < R; ++r) total[r][v] = total[r][v] + Piece<T>::fill(column[r]) * coefficients;
    }
  }
  TAMIS_UNROLL
  for (int r = 0; r < R; ++r) {
    TAMIS_UNROLL
    for (int v = 0; v < V; ++v) total[r][v].store(row_of(z, r, stride) + v * Piece<T>::width);
  }
}

/// The same for a few samples, one piece at a time: what the tiles of a strip leave over.
template <class T>
[[gnu::noinline]] void multiply_leftover(const T* x, Index samples, std::size_t column_stride, const Index* features,
                                         Index count, const T* w, Index pieces, Index stride, const T* base, T* z) {
  for (Index i = 0; i < samples; ++i)
    for (Index k = 0; k < pieces * Piece<T>::width; k += Piece<T>::width)
      multiply_tile<T, 1, 1>(x + i, column_stride, features, count, w + k, stride, base + k, row_of(z, i, stride) + k);
}

template <class T, int V, int R>
void multiply_strip(const T* x, Index samples, std::size_t column_stride, const Index* features, Index count,
                    const T* w, Index stride, const T* base, T* z) {
  Index i = 0;
  for (; i + R <= samples; i += R)
    multiply_tile<T, V, R>(x + i, column_stride, features, count, w, stride, base, row_of(z, i, stride));
  multiply_leftover(x + i, samples - i, column_stride, features, count, w, V, stride, base, row_of(z, i, stride));
}

/// G(f_c, :) += Σ_i x(i, f_c) U(i, :) for C columns, V pieces of a row and the samples of one block, in their order.
template <class T, int V, int C>
void transposed_tile(const T* x, std::size_t column_stride, const Index* features, Index first, Index samples,
                     const T* u, Index stride, T* g) {
  Piece<T> total[C][V];
  const T* column[C];
  T* row[C];
  TAMIS_UNROLL
  for (int c = 0; c < C; ++c) {
    const Index feature = features ? features[first + c] : first + c;
    column[c] = x + feature * column_stride;
    row[c] = row_of(g, feature, stride);
    TAMIS_UNROLL
    for (int v = 0; v < V; ++v) total[c][v] = Piece<T>::zero();
  }
  for (Index i = 0; i < samples; ++i) {
    const T* dual = row_of(u, i, stride);
    TAMIS_UNROLL
    for (int v = 0; v < V; ++v) {
      const auto entry = Piece<T>::load(dual + v * Piece<T>::width);
      TAMIS_UNROLL
      for (int c = 0; c < C; ++c) total[c][v] = total[c][v] + Piece<T>::fill(column[c][i]) * entry;
    }
  }
  TAMIS_UNROLL
  for (int c = 0; c < C; ++c) {
    TAMIS_UNROLL
    for (int v = 0; v < V; ++v)
      (Piece<T>::load(row[c] + v * Piece<T>::width) + total[c][v]).store(row[c] + v * Piece<T>::width);
  }
}

/// The same for a few columns, one piece at a time.
template <class T>
[[gnu::noinline]] void transposed_leftover(const T* x, std::size_t column_stride, const Index* features, Index first,
                                           Index count, Index samples, const T* u, Index pieces, Index stride, T* g) {
  for (Index c = first; c < count; ++c)
    for (Index k = 0; k < pieces * Piece<T>::width; k += Piece<T>::width)
      transposed_tile<T, 1, 1>(x, column_stride, features, c, samples, u + k, stride, g + k);
}

template <class T, int V, int C>
void transposed_strip(const T* x, std::size_t column_stride, const Index* features, Index count, Index samples,
                      const T* u, Index stride, T* g) {
  Index c = 0;
  for (; c + C <= count; c += C) transposed_tile<T, V, C>(x, column_stride, features, c, samples, u, stride, g);
  transposed_leftover(x, column_stride, features, c, count, samples, u, V, stride, g);
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
    constexpr Index together = 16;  // few enough for the first strip to leave them in a cache
    for (Index first = 0; first < samples_; first += together) {
      const Index length = smallest(together, samples_ - first);
      detail::for_each_strip<T>(stride, [&]<int V>(Index k) {
        detail::multiply_strip<T, V, 4>(values_ + first, length, column_stride_, list, count, w + k, stride, base + k,
                                        row_of(z, first, stride) + k);
      });
    }
  }

  /// G(j, :) = Σᵢ x(i, j) U(i, :) for the listed features (all of them when `list` is null); other rows untouched.
  void transposed_multiply(const Index* list, Index count, const T* u, Index stride, T* g) const {
    for (Index c = 0; c < count; ++c) fill(row_of(g, list ? list[c] : c, stride), stride, T(0));
    for (Index first = 0; first < samples_; first += block) {
      const Index length = smallest(block, samples_ - first);
      const T* dual = row_of(u, first, stride);
      detail::for_each_strip<T>(stride, [&]<int V>(Index k) {
        detail::transposed_strip<T, V, 4>(values_ + first, column_stride_, list, count, length, dual + k, stride,
                                          g + k);
      });
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
