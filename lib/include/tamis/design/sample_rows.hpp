#pragma once
/// A design seen sample by sample: blocks of consecutive samples in compressed rows, as many as the memory holds.

#include <concepts>

#include "../arena.hpp"
#include "../linalg/register_tile.hpp"
#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"
#include "../status.hpp"
#include "column.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// One sample: x at features[e] is values[e] for e < count, zeros left out.
template <class T>
struct SampleRow {
  const T* values;
  const Index* features;
  Index count;
};

namespace detail {

template <class T, int V, class Vector>
[[gnu::always_inline]] inline void row_multiply_strip(SampleRow<T> x, const T* w, Index stride, const T* base, T* z) {
  constexpr Index width = Vector::width;
  Vector total[std::size_t{V}];
  TAMIS_UNROLL
  for (Index v = 0; v < V; ++v) total[v] = Vector::load(base + v * width);
  for (Index e = 0; e < x.count; ++e) {
    const T* row = row_of(w, x.features[e], stride);
    const auto value = Vector::fill(x.values[e]);
    TAMIS_UNROLL
    for (Index v = 0; v < V; ++v) total[v] = total[v] + value * Vector::load(row + v * width);
  }
  TAMIS_UNROLL
  for (Index v = 0; v < V; ++v) total[v].store(z + v * width);
}

template <class T>
TAMIS_WIDE [[gnu::noinline]] void row_multiply_wide(SampleRow<T> x, const T* w, Index stride, const T* base, T* z) {
  constexpr Index width = 2 * lanes<T>;
  using Wide = Simd<T, width>;
  Index k = 0;
  for (; k + 4 * width <= stride; k += 4 * width) row_multiply_strip<T, 4, Wide>(x, w + k, stride, base + k, z + k);
  for (; k + width <= stride; k += width) row_multiply_strip<T, 1, Wide>(x, w + k, stride, base + k, z + k);
  if (k < stride) row_multiply_strip<T, 1, Simd<T>>(x, w + k, stride, base + k, z + k);
}

}  // namespace detail

/// z = base + Wᵀx, added in the order of the features. Cost 2·count·stride flops.
template <class T>
[[gnu::noinline]] void row_multiply(SampleRow<T> x, const T* w, Index stride, const T* base, T* z) {
  if constexpr (profile.wide)
    if (has_wide_vectors()) return detail::row_multiply_wide(x, w, stride, base, z);
  detail::for_each_wide_strip<T>(stride, [&]<int V>(Index k) {
    detail::row_multiply_strip<T, V, SimdOrScalar<T>>(x, w + k, stride, base + k, z + k);
  });
}

/// W += x uᵀ; the pieces of u that are zero cost nothing. `softened`, if it is there, stays soft(W, threshold).
template <class T>
[[gnu::noinline]] void row_update(SampleRow<T> x, const T* u, T* w, Index stride, T threshold = T(0),
                                  T* softened = nullptr) {
  constexpr Index width = SimdOrScalar<T>::width;
  const auto by = SimdOrScalar<T>::fill(threshold), none = SimdOrScalar<T>::fill(T(0));
  for (Index k = 0; k < stride; k += width) {
    bool zero = true;
    for (Index v = 0; v < width; ++v) zero = zero && u[k + v] == T(0);
    if (zero) continue;
    const auto dual = SimdOrScalar<T>::load(u + k);
    for (Index e = 0; e < x.count; ++e) {
      T* row = row_of(w, x.features[e], stride) + k;
      const auto next = SimdOrScalar<T>::load(row) + SimdOrScalar<T>::fill(x.values[e]) * dual;
      next.store(row);
      if (softened) ((next - by).positive_part() - (none - next - by).positive_part()).store(softened + (row - w));
    }
  }
}

/// The design behind it, and the block of its samples that was loaded last. When the block is the whole design,
/// products with all features go through it: zeros cost nothing, and neither do samples whose dual is zero. Rows that
/// have been scaled or shifted are for their reader alone: before a product, `forget` them.
template <class T, class Design>
class SampleRows {
 public:
  struct Memory {
    Index* length;    ///< entries that are not zero, of each sample
    Index* end;       ///< where the row of a loaded sample ends
    Index* features;  ///< of the block
    T* values;

    /// `entries`: room of the block; at least as many as there are features.
    static constexpr Memory lay_out(Arena& arena, Index samples, std::size_t entries) {
      Memory m{};
      m.length = arena.take<Index>(samples);
      m.end = arena.take<Index>(samples);
      m.features = arena.take<Index>(entries);
      m.values = arena.take<T>(entries);
      return m;
    }
  };

  SampleRows() = default;
  explicit SampleRows(const Design& design) : design_(design) {}
  /// Of what the design can be made of.
  template <class D>
  requires(!std::same_as<D, Design> && !std::same_as<D, SampleRows> &&
           std::constructible_from<Design, const D&>) explicit SampleRows(const D& design)
      : design_(design) {}

  const Design& uncopied() const { return design_; }
  Index samples() const { return design_.samples(); }
  Index features() const { return design_.features(); }
  T column_sum(Index feature) const { return design_.column_sum(feature); }
  std::size_t entries(const Index* list, Index count) const { return design_.entries(list, count); }
  bool find_bad_value(Index& row, Index& column) const { return design_.find_bad_value(row, column); }
  Status failure(Index& sample) const requires requires(const Design design) { design.failure(sample); }
  { return design_.failure(sample); }
  void column_sums(T* sums, T* scratch) const requires requires(const Design design) {
    design.column_sums(sums, scratch);
  }
  { design_.column_sums(sums, scratch); }
  void column_squares(const T* means, T* squares) const requires requires(const Design design) {
    design.column_squares(means, squares);
  }
  { design_.column_squares(means, squares); }
  bool has_columns() const { return tamis::has_columns(design_); }
  auto column(Index feature) const requires requires(const Design design) { design.column(feature); }
  { return design_.column(feature); }
  void gather(Index feature, const Index* list, Index count, T* out, Index stride) const {
    design_.gather(feature, list, count, out, stride);
  }
  void gather(Index first, Index last, Index* position, Index* features, T* values) const {
    design_.gather(first, last, position, features, values);
  }
  void count_entries(Index* length) const { design_.count_entries(length); }

  void bind(const Memory& memory, std::size_t room) {
    memory_ = memory;
    room_ = static_cast<Index>(smallest(room, std::size_t{~Index(0)}));
    forget();
  }
  /// Nothing is loaded.
  void forget() {
    first_ = last_ = 0;
    design_.count_entries(memory_.length);
  }
  /// Nothing is loaded, and what will be has room for all features.
  void widen() {
    first_ = last_ = 0;
    for (Index i = 0; i < samples(); ++i) memory_.length[i] = features();
  }

  /// Number of samples from `first` on that fit in the block together, at least one.
  Index block_from(Index first) const {
    std::size_t entries = memory_.length[first];
    Index last = first + 1;
    while (last < samples() && entries + memory_.length[last] <= room_) entries += memory_.length[last++];
    return last - first;
  }

  /// Loads samples first … first + count − 1, which must fit. False: they are there already.
  [[gnu::noinline]] bool load(Index first, Index count) {
    if (first == first_ && first + count == last_) return false;
    first_ = first;
    last_ = first + count;
    Index position = 0;
    for (Index i = first; i < last_; ++i) {
      memory_.end[i] = position;
      position += memory_.length[i];
    }
    design_.gather(first, last_, memory_.end, memory_.features, memory_.values);
    return true;
  }
  /// Makes what was loaded anew rows of X·diag(scales). Entries of scale zero are left out, unless other blocks take
  /// the place of this one.
  [[gnu::noinline]] void scale(const T* scales) {
    const bool leaves_out = whole();
    for (Index i = first_; i < last_; ++i) {
      const Index start = memory_.end[i] - memory_.length[i];
      Index end = start;
      for (Index e = start; e < memory_.end[i]; ++e) {
        const Index feature = memory_.features[e];
        const T scale = scales[feature];
        if (leaves_out && scale == T(0)) continue;
        memory_.features[end] = feature;
        memory_.values[end++] = memory_.values[e] * scale;
      }
      memory_.end[i] = end;
      memory_.length[i] = end - start;
    }
  }
  /// Makes what was loaded anew, with room for all features, rows of X − 1·offsetsᵀ.
  [[gnu::noinline]] void shift(const T* offsets) {
    Index start = 0;
    for (Index i = first_; i < last_; ++i) {
      Index* const feature = memory_.features + start;
      T* const value = memory_.values + start;
      Index left = memory_.end[i] - start;
      for (Index j = features(); j-- > 0;) {
        value[j] = (left > 0 && feature[left - 1] == j ? value[--left] : T(0)) - offsets[j];
        feature[j] = j;
      }
      start += features();
      memory_.end[i] = start;
    }
  }
  SampleRow<T> row(Index sample) const {
    const Index count = memory_.length[sample];
    const Index start = memory_.end[sample] - count;
    return {memory_.values + start, memory_.features + start, count};
  }

  void multiply(const Index* list, Index count, const T* w, Index stride, const T* base, T* z) const {
    if (!whole()) return design_.multiply(list, count, w, stride, base, z);
    for (Index i = 0; i < last_; ++i) row_multiply(row(i), w, stride, base, row_of(z, i, stride));
  }
  void transposed_multiply(const Index* list, Index count, const T* u, Index stride, T* g) const {
    if (!whole()) return design_.transposed_multiply(list, count, u, stride, g);
    fill(g, static_cast<std::size_t>(features()) * stride, T(0));
    for (Index i = 0; i < last_; ++i) row_update(row(i), row_of(u, i, stride), g, stride);
  }

 private:
  bool whole() const { return first_ == 0 && last_ == samples(); }

  Design design_;
  Memory memory_{};
  Index room_ = 0;
  Index first_ = 0;
  Index last_ = 0;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
