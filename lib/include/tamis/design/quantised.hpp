#pragma once
/// A dense design of integers, one or two bytes each, or of numbers in any layout, kept where the caller has it
/// (memory, flash): never copied.

#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"
#include "dense.hpp"
#include "quantised_products.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Where integers or numbers lie: that of sample i and feature j at i·sample_stride + j·column_stride.
struct QuantisedLayout {
  std::size_t sample_stride, column_stride;

  static constexpr QuantisedLayout by_columns(Index samples) { return {1, samples}; }
  static constexpr QuantisedLayout by_rows(Index features) { return {features, 1}; }
};

/// Design x(i, j) = (q(i, j) − zero_j)·scale_j, the q of one or two bytes: what a sensor, a picture or flash holds. The
/// bits of all its products, and so of training, are those of a DenseDesign of these numbers (of the whole of it, in
/// the same order).
///
/// Products turn the integers into scalars a tile at a time, which takes `stack_bytes` of stack beside the frames of
/// functions, and cost little more than those of a DenseDesign. Solvers that read columns where they lie (descent over
/// features) do not take it.
template <class T, class Integer>
class QuantisedDesign {
  using Meaning = typename detail::MeaningOf<T, Integer>::type;
  static constexpr bool small = profile.single_entries;
  static constexpr Index tile_rows = small ? 4 : 32, tile_columns = 16;
  static constexpr Index strip_columns = small ? 4 : 12, strip_samples = small ? 16 : 64;
  static constexpr Index strip_width = small ? 16 : 6 * lanes<T>;

 public:
  static constexpr Index block = DenseDesign<T>::block;
  /// Of stack that a product takes for its tiles.
  static constexpr std::size_t stack_bytes =
      sizeof(T) * largest(tile_rows * tile_columns, strip_columns*(strip_samples + strip_width));

  QuantisedDesign() = default;
  /// `values`: columns one after the other.
  QuantisedDesign(const Integer* values, Index samples, Index features, const Meaning& meaning = {})
      : QuantisedDesign(values, samples, features, meaning, QuantisedLayout::by_columns(samples)) {}
  QuantisedDesign(const Integer* values, Index samples, Index features, const Meaning& meaning, QuantisedLayout layout)
      : values_(values), meaning_(meaning), layout_(layout), samples_(samples), features_(features) {}

  Index samples() const { return samples_; }
  Index features() const { return features_; }
  T operator()(Index sample, Index feature) const { return meaning_.value(*at(sample, feature), feature); }

  /// out[j] = x(sample, j): what a model predicts from.
  void sample(Index sample, T* out) const {
    for (Index j = 0; j < features_; ++j) out[j] = (*this)(sample, j);
  }

  /// Z = 1 baseᵀ + X_F W_F over the listed features (all of them when `list` is null).
  [[gnu::noinline]] void multiply(const Index* list, Index count, const T* w, Index stride, const T* base, T* z) const {
    T tile[tile_rows * tile_columns];
    for (Index first = 0; first < samples_; first += tile_rows) {
      const Index length = smallest(tile_rows, samples_ - first);
      T* const scores = row_of(z, first, stride);
      for (Index i = 0; i < length; ++i) copy(base, stride, row_of(scores, i, stride));
      for (Index c = 0; c < count; c += tile_columns) {
        const Index columns = smallest(tile_columns, count - c);
        for (Index r = 0; r < columns; ++r) convert(list ? list[c + r] : c + r, first, length, tile + r * tile_rows);
        detail::add_products<T, false>(tile, tile_rows, length, list ? list + c : list, columns,
                                       list ? w : row_of(w, c, stride), stride, stride, scores, stride);
      }
    }
  }

  /// G(j, :) = Σᵢ x(i, j) U(i, :) for the listed features (all of them when `list` is null); other rows untouched.
  [[gnu::noinline]] void transposed_multiply(const Index* list, Index count, const T* u, Index stride, T* g) const {
    for (Index c = 0; c < count; ++c) fill(row_of(g, list ? list[c] : c, stride), stride, T(0));
    T tile[strip_columns * strip_samples], sums[strip_columns * strip_width];
    for (Index first = 0; first < samples_; first += block)
      for (Index k = 0; k < stride; k += strip_width) {
        const Index width = smallest(strip_width, stride - k);
        for (Index c = 0; c < count; c += strip_columns) {
          const Index columns = smallest(strip_columns, count - c);
          sum_block(list, c, columns, first, row_of(u, first, stride) + k, stride, width, tile, sums);
          for (Index r = 0; r < columns; ++r) {
            T* out = row_of(g, list ? list[c + r] : c + r, stride) + k;
            for (Index v = 0; v < width; ++v) out[v] += sums[r * strip_width + v];
          }
        }
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
    for (Index s = 0; s < count; ++s) out[static_cast<std::size_t>(s) * stride] = (*this)(list ? list[s] : s, feature);
  }

  /// Stored entries of the listed features: the work of a product with them.
  std::size_t entries(const Index*, Index count) const { return static_cast<std::size_t>(samples_) * count; }

  /// length[i] = values of sample i that are not zero.
  [[gnu::noinline]] void count_entries(Index* length) const {
    for (Index i = 0; i < samples_; ++i) {
      length[i] = 0;
      for (Index j = 0; j < features_; ++j) length[i] += (*this)(i, j) != T(0);
    }
  }

  /// Appends to the row of each sample i, first ≤ i < last, its values that are not zero and their features, ascending:
  /// position[i] is where the next one goes.
  [[gnu::noinline]] void gather(Index first, Index last, Index* position, Index* features, T* values) const {
    for (Index i = first; i < last; ++i)
      for (Index j = 0; j < features_; ++j) {
        const T value = (*this)(i, j);
        if (value == T(0)) continue;
        const Index to = position[i]++;
        features[to] = j;
        values[to] = value;
      }
  }

  /// Position of the first value that is NaN or infinite, by columns: that of a scale, or of what overflows by it.
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
  const Integer* at(Index sample, Index feature) const {
    return values_ + sample * layout_.sample_stride + feature * layout_.column_stride;
  }

  /// to[i] = x(first + i, feature), i < count.
  void convert(Index feature, Index first, Index count, T* to) const {
    const Integer* from = at(first, feature);
    const T scale = meaning_.scale_of(feature);
    const std::int32_t zero = meaning_.zero_of(feature);
    if (layout_.sample_stride == 1) detail::convert(from, zero, scale, count, to);
    else
      for (Index i = 0; i < count; ++i) to[i] = meaning_.value(from[i * layout_.sample_stride], zero, scale);
  }
  /// sums(r, :) = Σᵢ x(i, f_r) U(i, :) for the samples of the block from `first` on, in their order.
  void sum_block(const Index* list, Index c, Index columns, Index first, const T* u, Index stride, Index width, T* tile,
                 T* sums) const {
    for (Index r = 0; r < columns; ++r) fill(sums + r * strip_width, width, T(0));
    const Index end = smallest(block, samples_ - first);
    for (Index i = 0; i < end; i += strip_samples) {
      const Index length = smallest(strip_samples, end - i);
      for (Index r = 0; r < columns; ++r)
        convert(list ? list[c + r] : c + r, first + i, length, tile + r * strip_samples);
      detail::add_products<T, true>(tile, strip_samples, columns, nullptr, length, row_of(u, i, stride), stride, width,
                                    sums, strip_width);
    }
  }

  const Integer* values_ = nullptr;
  Meaning meaning_{};
  QuantisedLayout layout_{};
  Index samples_ = 0;
  Index features_ = 0;
};

/// A dense design of numbers that lie in another way than DenseDesign has it: sample after sample, say, or with gaps.
/// Same bits, same cost of stack; solvers that read columns where they lie do not take it.
template <class T>
using StridedDesign = QuantisedDesign<T, T>;

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
