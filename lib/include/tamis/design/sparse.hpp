#pragma once
/// A sparse design by compressed columns, kept where the caller has it: never copied.

#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"
#include "column_passes.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Column j holds values[e] at sample rows[e] for starts[j] ≤ e < starts[j+1]; rows ascending within a column, no
/// duplicates. `starts` has features + 1 entries. With `counts`, columns may have room at their ends: column j holds the
/// first counts[j] of these entries. Products cost 2·(stored entries)·classes flops.
template <class T>
class SparseDesign {
 public:
  SparseDesign() = default;
  SparseDesign(const T* values, const Index* rows, const Index* starts, Index samples, Index features,
               const Index* counts = nullptr)
      : values_(values), rows_(rows), starts_(starts), counts_(counts), samples_(samples), features_(features) {}

  Index samples() const { return samples_; }
  Index features() const { return features_; }

  /// Z = 1 baseᵀ + X_F W_F over the listed features (all of them when `list` is null).
  void multiply(const Index* list, Index count, const T* w, Index stride, const T* base, T* z) const {
    for (Index i = 0; i < samples_; ++i) copy(base, stride, row_of(z, i, stride));
    for (Index c = 0; c < count; ++c) {
      const Index feature = list ? list[c] : c;
      add_column(column(feature), row_of(w, feature, stride), stride, z);
    }
  }

  /// G(j, :) = Σᵢ x(i, j) U(i, :) for the listed features (all of them when `list` is null); other rows untouched.
  void transposed_multiply(const Index* list, Index count, const T* u, Index stride, T* g) const {
    for (Index c = 0; c < count; ++c) {
      const Index feature = list ? list[c] : c;
      // In modules, which would have it twice, the blocks of a sum go by zeros that are stored, too.
      sum_column<!in_webassembly>(column(feature), u, stride, row_of(g, feature, stride));
    }
  }

  /// Σᵢ x(i, j), compensated.
  T column_sum(Index feature) const {
    Sum<T> total;
    for (Index e = starts_[feature], last = end(feature); e < last; ++e) total.add(values_[e]);
    return total.value();
  }

  /// out[s·stride] = x(list[s], feature) for the listed samples, ascending (all when null). Cost: the stored entries of
  /// the column.
  void gather(Index feature, const Index* list, Index count, T* out, Index stride) const {
    Index e = starts_[feature];
    const Index last = this->end(feature);
    for (Index s = 0; s < count; ++s) {
      const Index sample = list ? list[s] : s;
      while (e < last && rows_[e] < sample) ++e;
      out[static_cast<std::size_t>(s) * stride] = e < last && rows_[e] == sample ? values_[e] : T(0);
    }
  }

  Column<T> column(Index feature) const {
    const Index start = starts_[feature];
    return {values_ + start, rows_ + start, end(feature) - start};
  }

  /// Stored entries of the listed features: the work of a product with them.
  std::size_t entries(const Index* list, Index count) const {
    std::size_t total = 0;
    for (Index c = 0; c < count; ++c) {
      const Index feature = list ? list[c] : c;
      total += end(feature) - starts_[feature];
    }
    return total;
  }

  /// length[i] = values of sample i that are not zero.
  [[gnu::noinline]] void count_entries(Index* length) const {
    for (Index i = 0; i < samples_; ++i) length[i] = 0;
    for (Index j = 0; j < features_; ++j)
      for (Index e = starts_[j], last = end(j); e < last; ++e) length[rows_[e]] += values_[e] != T(0);
  }

  /// Appends to the row of each sample i, first ≤ i < last, its values that are not zero and their features, ascending:
  /// position[i] is where the next one goes. Cost: the entries, and a binary search per column.
  [[gnu::noinline]] void gather(Index first, Index last, Index* position, Index* features, T* values) const {
    for (Index j = 0; j < features_; ++j)
      for (Index e = lower_bound(j, first); e < end(j) && rows_[e] < last; ++e) {
        if (values_[e] == T(0)) continue;
        const Index to = position[rows_[e]]++;
        features[to] = j;
        values[to] = values_[e];
      }
  }

  /// Position of the first value that is NaN or infinite, or of an entry outside the design or out of order; first of
  /// all, row 0 of a column that ends before it starts.
  bool find_bad_value(Index& row, Index& column) const {
    row = 0;
    for (column = 0; column < features_; ++column)
      if (starts_[column] > starts_[column + 1]) return true;
    for (Index j = 0; j < features_; ++j)
      for (Index e = starts_[j], last = end(j); e < last; ++e)
        if (!finite(values_[e]) || rows_[e] >= samples_ || (e > starts_[j] && rows_[e] <= rows_[e - 1])) {
          row = rows_[e];
          column = j;
          return true;
        }
    return false;
  }

 private:
  /// Behind the entries of column j.
  Index end(Index j) const { return counts_ ? starts_[j] + counts_[j] : starts_[j + 1]; }
  /// The first entry of column j at sample `first` or later.
  Index lower_bound(Index j, Index first) const {
    Index low = starts_[j], high = first == 0 ? low : end(j);
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (rows_[middle] < first) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  const T* values_ = nullptr;
  const Index* rows_ = nullptr;
  const Index* starts_ = nullptr;
  const Index* counts_ = nullptr;
  Index samples_ = 0;
  Index features_ = 0;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
