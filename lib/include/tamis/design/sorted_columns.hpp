#pragma once
/// A design whose columns are kept a second time, without their zeros and sorted by label: what descent over columns
/// reads fastest.

#include <concepts>

#include "../arena.hpp"
#include "../linalg/rows.hpp"
#include "../status.hpp"
#include "../targets.hpp"
#include "column_passes.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Until `copy_columns` it is the design itself.
template <class T, class Design>
class SortedColumns {
 public:
  struct Memory {
    T* values;
    Index* rows;
    Index* starts;  ///< features + 1

    static constexpr Memory lay_out(Arena& arena, Index features, std::size_t entries) {
      return {arena.take<T>(entries), arena.take<Index>(entries), arena.take<Index>(std::size_t(features) + 1)};
    }
  };

  SortedColumns() = default;
  explicit SortedColumns(const Design& design) : design_(design) {}
  /// Of what the design can be made of.
  template <class D>
  requires(!std::same_as<D, Design> && !std::same_as<D, SortedColumns> &&
           std::constructible_from<Design, const D&>) explicit SortedColumns(const D& design)
      : design_(design) {}

  operator const Design&() const { return design_; }
  Design& uncopied() { return design_; }
  const Design& uncopied() const { return design_; }
  Index samples() const { return design_.samples(); }
  Index features() const { return design_.features(); }
  /// Stored entries of the listed features, those of the copy if there is one.
  std::size_t entries(const Index* list, Index count) const {
    if (!copied_) return design_.entries(list, count);
    if (!list) return memory_.starts[count] - memory_.starts[0];
    std::size_t total = 0;
    for (Index c = 0; c < count; ++c) total += memory_.starts[list[c] + 1] - memory_.starts[list[c]];
    return total;
  }
  bool find_bad_value(Index& row, Index& column) const { return design_.find_bad_value(row, column); }
  T column_sum(Index feature) const { return design_.column_sum(feature); }
  void column_sums(T* sums, T* scratch) const requires requires(const Design design) {
    design.column_sums(sums, scratch);
  }
  { design_.column_sums(sums, scratch); }
  void column_squares(const T* means, T* squares) const requires requires(const Design design) {
    design.column_squares(means, squares);
  }
  { design_.column_squares(means, squares); }
  Status failure(Index& sample) const requires requires(const Design design) { design.failure(sample); }
  { return design_.failure(sample); }
  void gather(Index feature, const Index* list, Index count, T* out, Index stride) const {
    design_.gather(feature, list, count, out, stride);
  }
  void gather(Index first, Index last, Index* position, Index* features, T* values) const {
    design_.gather(first, last, position, features, values);
  }
  void count_entries(Index* length) const { design_.count_entries(length); }

  bool has_columns() const { return copied_ || tamis::has_columns(design_); }
  /// The samples of a column are ascending within each label.
  Column<T> column(Index feature) const {
    if (!copied_) return design_.column(feature);
    const Index start = memory_.starts[feature];
    return {memory_.values + start, memory_.rows + start, memory_.starts[feature + 1] - start};
  }

  /// Values that are not zero. Cost: one look at each.
  [[gnu::noinline]] std::size_t count_nonzeros() const {
    std::size_t total = 0;
    for (Index j = 0; j < features(); ++j) {
      const Column<T> column = design_.column(j);
      Index count = 0;
      for (Index e = 0; e < column.count; ++e) count += column.values[e] != T(0);
      total += count;
    }
    return total;
  }

  /// Copies the columns into memory for `entries` values, as many as are not zero, `sorted` by label or in the order of
  /// samples. Scratch: `order`, an entry per sample; `next`, classes + 1.
  [[gnu::noinline]] void copy_columns(const Memory& memory, std::size_t entries, const Targets<T>& targets, bool sorted,
                                      Index* order, Index* next) {
    memory_ = memory;
    copied_ = multiplies_copy_ = true;
    const Label* labels = targets.labels.data();
    const Index classes = sorted ? largest(targets.classes, Index(2)) : 1;
    const auto label = [&](Index i) { return sorted ? labels[i] : Label(0); };
    for (Index k = 0; k <= classes; ++k) next[k] = 0;
    for (Index i = 0; i < samples(); ++i) ++next[label(i) + 1];
    for (Index k = 0; k < classes; ++k) next[k + 1] += next[k];
    for (Index i = 0; i < samples(); ++i) order[next[label(i)]++] = i;

    const auto room = static_cast<Index>(entries);
    Index position = 0;
    for (Index j = 0; j < features(); ++j) {
      memory_.starts[j] = position;
      const Column<T> column = design_.column(j);
      if (!column.rows) {  // every value is written, and zeros are written over: no branch to guess
        for (Index e = 0; e < column.count && position < room; ++e) {
          const T value = column.values[order[e]];
          memory_.values[position] = value;
          memory_.rows[position] = order[e];
          position += value != T(0);
        }
        continue;
      }
      for (Index k = 0; k <= classes; ++k) next[k] = 0;
      for (Index e = 0; e < column.count; ++e) next[label(column.rows[e]) + 1] += column.values[e] != T(0);
      next[0] = position;
      for (Index k = 0; k < classes; ++k) next[k + 1] += next[k];
      position = next[classes];
      for (Index e = 0; e < column.count; ++e) {
        if (column.values[e] == T(0)) continue;
        const Index to = next[label(column.rows[e])]++;
        memory_.values[to] = column.values[e];
        memory_.rows[to] = column.rows[e];
      }
    }
    memory_.starts[features()] = position;
  }
  bool copied() const { return copied_; }
  /// Whether there are columns that `move` has moved.
  bool is_moved() const { return moved_; }
  /// Adds a number to all values in the copy of a feature that has no zeros; false for others.
  bool move(Index feature, T by) {
    const Index start = copied_ ? memory_.starts[feature] : 0;
    if (!copied_ || memory_.starts[feature + 1] - start != samples()) return false;
    moved_ = true;
    for (Index e = 0; e < samples(); ++e) memory_.values[start + e] += by;
    return true;
  }
  /// Whether products are with the copy, if there is one, rather than the design as it lies.
  void multiply_copy(bool copy) { multiplies_copy_ = copy && copied_; }
  bool multiplies_copy() const { return multiplies_copy_; }

  void multiply(const Index* list, Index count, const T* w, Index stride, const T* base, T* z) const {
    if (!multiplies_copy_) return design_.multiply(list, count, w, stride, base, z);
    for (Index i = 0; i < samples(); ++i) copy(base, stride, row_of(z, i, stride));
    for (Index c = 0; c < count; ++c) {
      const Index feature = list ? list[c] : c;
      add_column(column(feature), row_of(w, feature, stride), stride, z);
    }
  }
  void transposed_multiply(const Index* list, Index count, const T* u, Index stride, T* g) const {
    if (!multiplies_copy_) return design_.transposed_multiply(list, count, u, stride, g);
    for (Index c = 0; c < count; ++c) {
      const Index feature = list ? list[c] : c;
      sum_column(column(feature), u, stride, row_of(g, feature, stride));
    }
  }

 private:
  Design design_;
  Memory memory_{};
  bool moved_ = false;
  bool copied_ = false;
  bool multiplies_copy_ = false;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
