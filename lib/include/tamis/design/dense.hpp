#pragma once
/// A dense design in column-major order, kept where the caller has it (memory, flash): never copied.

#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"
#include "column.hpp"
#include "dense_products.hpp"

namespace tamis {

#ifdef TAMIS_SMALLEST
namespace detail {

/// Whole rows, a column and a vector at a time: the smallest code.
template <class T>
[[gnu::noinline]] void multiply_rows(const T* x, Index samples, std::size_t column_stride, const Index* features,
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

}  // namespace detail
#endif

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
#ifdef TAMIS_SMALLEST
    detail::multiply_rows(values_, samples_, column_stride_, list, count, w, stride, base, z);
#else
    const Index classes = detail::occupied_columns(list, count, w, stride);
#ifdef TAMIS_WIDE
    if (has_wide_vectors())
      return detail::multiply_dense_wide(values_, samples_, column_stride_, list, count, w, stride, classes, base, z);
#endif
    detail::multiply_dense<T, detail::tile_width<T>>(values_, samples_, column_stride_, list, count, w, stride, classes,
                                                     base, z);
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
    add_blocks(list, count, u, stride, false, g);
#endif
  }
  /// G += XᵀU where that is symmetric, its entries (j, k), k ≤ j, at least: about half the flops.
  void add_transposed_lower(const T* u, Index stride, T* g) const {
#ifdef TAMIS_SMALLEST
    for (Index c = 0; c < features_; ++c) {
      T* row = row_of(g, c, stride);
      for (Index k = 0; k <= c; k += lanes<T>)
        detail::add_transposed_vector(values_ + c * column_stride_, block, samples_, u + k, stride,
                                      Simd<T>::load(row + k))
            .store(row + k);
    }
#else
    add_blocks(nullptr, features_, u, stride, true, g);
#endif
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
#ifndef TAMIS_SMALLEST
  [[gnu::noinline]] void add_blocks(const Index* list, Index count, const T* u, Index stride, bool lower, T* g) const {
    const Index* const all = nullptr;
    const Index classes = detail::occupied_columns(all, samples_, u, stride);
    for (Index first = 0; first < samples_; first += block) {
      const Index length = smallest(block, samples_ - first);
      const T* x = values_ + first;
      const T* dual = row_of(u, first, stride);
#ifdef TAMIS_WIDE
      if (has_wide_vectors()) {
        detail::transposed_dense_wide(x, column_stride_, list, count, length, dual, stride, classes, lower, g);
        continue;
      }
#endif
      detail::transposed_dense<T, detail::tile_width<T>>(x, column_stride_, list, count, length, dual, stride, classes,
                                                         lower, g);
    }
  }
#endif

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
