#pragma once
/// A dense design in column-major order, kept where the caller has it (memory, flash): never copied.

#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"
#include "column.hpp"
#include "dense_products.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Design x(i, j) = values[i + j·column_stride], `samples` × `features`.
///
/// Products cost 2·samples·count·classes flops. Samples are added in blocks of `block` (each block from zero, then to
/// the total), which keeps a block of duals in the first-level cache and the rounding error of a column below that of a
/// plain loop; the order is part of the definition and the same everywhere.
template <class T>
class DenseDesign {
 public:
  static constexpr Index block = detail::DenseValues<T>::block;

  DenseDesign() = default;
  DenseDesign(const T* values, Index samples, Index features) : DenseDesign(values, samples, features, samples) {}
  /// `column_stride` ≥ samples: entries from one column to the next.
  DenseDesign(const T* values, Index samples, Index features, std::size_t column_stride)
      : x_{values, column_stride, samples, features} {}

  Index samples() const { return x_.samples; }
  Index features() const { return x_.features; }
  [[gnu::always_inline]] T operator()(Index sample, Index feature) const {
    return x_.values[sample + feature * x_.column_stride];
  }

  /// Z = 1 baseᵀ + X_F W_F over the listed features (all of them when `list` is null).
  void multiply(const Index* list, Index count, const T* w, Index stride, const T* base, T* z) const {
    detail::multiply(x_, list, count, w, stride, base, z);
  }

  /// G(j, :) = Σᵢ x(i, j) U(i, :) for the listed features (all of them when `list` is null); other rows untouched.
  void transposed_multiply(const Index* list, Index count, const T* u, Index stride, T* g) const {
    const auto clear = [&](Index feature) { fill(row_of(g, feature, stride), stride, T(0)); };
    if constexpr (profile.tiles) {
      for (Index c = 0; c < count; ++c) clear(list ? list[c] : c);
      add_transposed(list, count, u, stride, g);
    } else {
      for (Index c = 0; c < count; ++c) {
        const Index feature = list ? list[c] : c;
        clear(feature);
        add_transposed(&feature, 1, u, stride, g);
      }
    }
  }
  /// The same, added to what G holds.
  void add_transposed(const Index* list, Index count, const T* u, Index stride, T* g) const {
    detail::add_transposed(x_, list, count, u, stride, g);
  }
  /// G += XᵀU where that is symmetric, its entries (j, k), k ≤ j, at least: about half the flops.
  void add_transposed_lower(const T* u, Index stride, T* g) const { detail::add_transposed_lower(x_, u, stride, g); }

  /// Σᵢ x(i, j), compensated.
  T column_sum(Index feature) const {
    Sum<T> total;
    for (Index i = 0; i < x_.samples; ++i) total.add((*this)(i, feature));
    return total.value();
  }

  /// out[s·stride] = x(list[s], feature) for the listed samples, ascending (all when null).
  void gather(Index feature, const Index* list, Index count, T* out, Index stride) const {
    const T* column = x_.values + feature * x_.column_stride;
    for (Index s = 0; s < count; ++s) out[static_cast<std::size_t>(s) * stride] = column[list ? list[s] : s];
  }

  Column<T> column(Index feature) const { return {x_.values + feature * x_.column_stride, nullptr, x_.samples}; }

  /// Stored entries of the listed features: the work of a product with them.
  std::size_t entries(const Index*, Index count) const { return static_cast<std::size_t>(x_.samples) * count; }

  /// length[i] = values of sample i that are not zero.
  [[gnu::noinline]] void count_entries(Index* length) const {
    for (Index i = 0; i < x_.samples; ++i) length[i] = 0;
    for_each_tile(0, x_.samples, [&](Index first, Index count, Index feature) {
      const T* column = x_.values + first + feature * x_.column_stride;
      for (Index i = 0; i < count; ++i) length[first + i] += column[i] != T(0);
    });
  }

  /// Appends to the row of each sample i, first ≤ i < last, its values that are not zero and their features, ascending:
  /// position[i] is where the next one goes.
  [[gnu::noinline]] void gather(Index first_sample, Index last_sample, Index* position, Index* features,
                                T* values) const {
    for_each_tile(first_sample, last_sample, [&](Index first, Index count, Index feature) {
      const T* column = x_.values + first + feature * x_.column_stride;
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
    for (Index j = 0; j < x_.features; ++j)
      for (Index i = 0; i < x_.samples; ++i)
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
      for (Index j = 0; j < x_.features; ++j) visit(first, smallest(block, last - first), j);
  }

  detail::DenseValues<T> x_;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
