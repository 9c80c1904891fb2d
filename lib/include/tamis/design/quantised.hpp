#pragma once
/// A dense design of integers, one or two bytes each, kept where the caller has it (memory, flash): never copied.

#include "../linalg/register_tile.hpp"
#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"
#include "dense.hpp"

namespace tamis {

/// An integer that a quantised design can hold: of one or two bytes, so that differences are exact in every scalar.
template <class Integer>
concept QuantisedInteger = std::is_same_v<Integer, std::uint8_t> || std::is_same_v<Integer, std::int8_t> ||
    std::is_same_v<Integer, std::uint16_t> || std::is_same_v<Integer, std::int16_t>;

/// What the integers stand for: q of feature j for (q − zero_j)·scale_j, rounded once.
template <class T, QuantisedInteger Integer>
struct Quantisation {
  T scale = T(1);                  ///< of all features, unless `scales` are given
  Integer zero = 0;                ///< the integer that stands for 0, unless `zeros` are given
  const T* scales = nullptr;       ///< one per feature
  const Integer* zeros = nullptr;  ///< one per feature

  T scale_of(Index feature) const { return scales ? scales[feature] : scale; }
  std::int32_t zero_of(Index feature) const { return zeros ? zeros[feature] : zero; }
  T value(Integer q, Index feature) const { return value(q, zero_of(feature), scale_of(feature)); }

  [[gnu::always_inline]] static T value(Integer q, std::int32_t zero, T scale) {
    return static_cast<T>(static_cast<std::int32_t>(q) - zero) * scale;
  }
};

/// Where the integers lie: that of sample i and feature j at i·sample_stride + j·column_stride.
struct QuantisedLayout {
  std::size_t sample_stride, column_stride;

  static constexpr QuantisedLayout by_columns(Index samples) { return {1, samples}; }
  static constexpr QuantisedLayout by_rows(Index features) { return {features, 1}; }
};

namespace detail {

/// Covers the `stride` entries of a row with strips of two pieces (wider tiles spill registers) and a last one:
/// calls tile.operator()<V>(k) for the V pieces from entry k on.
template <class T, class Tile>
void for_each_tile(Index stride, Tile tile) {
  constexpr Index width = SimdOrScalar<T>::width;
  Index k = 0;
  if constexpr (width == lanes<T>) {
    for (; k + 2 * width <= stride; k += 2 * width) tile.template operator()<2>(k);
  }
  for (; k < stride; k += width) tile.template operator()<1>(k);
}

/// Rows of a tile of N vectors: as many sums as registers hold beside a row and a number, and at least six chains.
constexpr int wide_tile_rows(int N) { return N <= 2 ? 8 : N <= 4 ? 4 : 3; }

/// OUT(r, :) += Σ_s a(r, s) B(f_s, :) for R rows and V pieces P of a row, added in the order of s. Of a, the entries of
/// one s are together and those of one r `step` apart; the other way round where `by_rows`.
template <class P, bool by_rows, int V, int R, class T>
void add_products_tile(const T* a, Index step, const Index* list, Index count, const T* b, Index stride, T* out,
                       Index out_stride) {
  P total[R][V];
  const T* of_row[R];
  TAMIS_UNROLL
  for (int r = 0; r < R; ++r) {
    of_row[r] = a + r * (by_rows ? step : Index(1));
    TAMIS_UNROLL
    for (int v = 0; v < V; ++v) total[r][v] = P::load(row_of(out, r, out_stride) + v * P::width);
  }
  for (Index s = 0; s < count; ++s) {
    const T* row = row_of(b, list ? list[s] : s, stride);
    TAMIS_UNROLL
    for (int v = 0; v < V; ++v) {
      const auto piece = P::load(row + v * P::width);
      TAMIS_UNROLL
      for (int r = 0; r < R; ++r) {
        const T entry = by_rows ? of_row[r][s] : a[s * step + r];
        total[r][v] = total[r][v] + P::fill(entry) * piece;
      }
    }
  }
  TAMIS_UNROLL
  for (int r = 0; r < R; ++r) {
    TAMIS_UNROLL
    for (int v = 0; v < V; ++v) total[r][v].store(row_of(out, r, out_stride) + v * P::width);
  }
}

#ifdef TAMIS_WIDE
/// The same for a strip of N vectors in pairs, and the same bits.
template <class T, bool by_rows, int N, int R>
TAMIS_TILE void add_products_wide_tile(const T* a, Index step, const Index* list, Index count, const T* b, Index stride,
                                       T* out, Index out_stride) {
  using S = RegisterTile<T, N, true>;
  S total[R];
  const T* of_row[R];
  TAMIS_UNROLL_STRIP
  for (int r = 0; r < R; ++r) {
    of_row[r] = a + r * (by_rows ? step : Index(1));
    total[r] = S::load(N, row_of(out, r, out_stride));
  }
  for (Index s = 0; s < count; ++s) {
    const auto piece = S::load(N, row_of(b, list ? list[s] : s, stride));
    TAMIS_UNROLL_STRIP
    for (int r = 0; r < R; ++r) total[r].add_scaled(by_rows ? of_row[r][s] : a[s * step + r], piece);
  }
  TAMIS_UNROLL_STRIP
  for (int r = 0; r < R; ++r) total[r].store(N, row_of(out, r, out_stride));
}
template <class T, bool by_rows>
TAMIS_WIDE [[gnu::noinline]] void add_products_wide(const T* a, Index step, Index rows, const Index* list, Index count,
                                                    const T* b, Index stride, Index width, T* out, Index out_stride) {
  for_each_even_strip<T>(
      width, [&]<int N>(Index k, int) __attribute__((always_inline)) {
        constexpr int R = wide_tile_rows(N);
        Index r = 0;
        for (; r + R <= rows; r += R)
          add_products_wide_tile<T, by_rows, N, R>(a + r * (by_rows ? step : Index(1)), step, list, count, b + k,
                                                   stride, row_of(out, r, out_stride) + k, out_stride);
        for (; r < rows; ++r)
          add_products_wide_tile<T, by_rows, N, 1>(a + r * (by_rows ? step : Index(1)), step, list, count, b + k,
                                                   stride, row_of(out, r, out_stride) + k, out_stride);
      });
}
#endif

/// The same for any number of rows of `width` entries, whole vectors.
template <class T, bool by_rows>
[[gnu::noinline]] void add_products(const T* a, Index step, Index rows, const Index* list, Index count, const T* b,
                                    Index stride, Index width, T* out, Index out_stride) {
#ifdef TAMIS_WIDE
  if (has_wide_vectors())
    return add_products_wide<T, by_rows>(a, step, rows, list, count, b, stride, width, out, out_stride);
#endif
  for_each_tile<T>(width, [&]<int V>(Index k) {
    Index r = 0;
    for (; r + 4 <= rows; r += 4)
      add_products_tile<SimdOrScalar<T>, by_rows, V, 4>(a + r * (by_rows ? step : Index(1)), step, list, count, b + k,
                                                        stride, row_of(out, r, out_stride) + k, out_stride);
    for (; r < rows; ++r)
      for (Index v = k; v < k + V * SimdOrScalar<T>::width; v += SimdOrScalar<T>::width)
        add_products_tile<SimdOrScalar<T>, by_rows, 1, 1>(a + r * (by_rows ? step : Index(1)), step, list, count, b + v,
                                                          stride, row_of(out, r, out_stride) + v, out_stride);
  });
}

/// to[i] = the value of from[i].
template <class T, class Integer>
TAMIS_TILE void convert_integers(const Integer* from, std::int32_t zero, T scale, Index count, T* to) {
  Index i = 0;
#if !defined(TAMIS_COMPACT) && !defined(TAMIS_SCALAR)
  constexpr Index run = 8;
  typedef Integer Narrow __attribute__((vector_size(run * sizeof(Integer))));
  typedef std::conditional_t<std::is_signed_v<Integer>, std::int16_t, std::uint16_t> HalfInteger;
  typedef HalfInteger Half __attribute__((vector_size(run * sizeof(HalfInteger))));
  typedef std::int32_t Whole __attribute__((vector_size(run * sizeof(std::int32_t))));
  typedef T Real __attribute__((vector_size(run * sizeof(T))));
  for (; i + run <= count; i += run) {
    Narrow q;
    __builtin_memcpy(&q, from + i, sizeof q);
    const auto half = __builtin_convertvector(q, Half);  // bytes in two steps, or compilers take them one by one
    const Real x = __builtin_convertvector(__builtin_convertvector(half, Whole) - zero, Real) * scale;
    __builtin_memcpy(to + i, &x, sizeof x);
  }
#endif
  for (; i < count; ++i) to[i] = Quantisation<T, Integer>::value(from[i], zero, scale);
}
#ifdef TAMIS_WIDE
template <class T, class Integer>
TAMIS_WIDE [[gnu::noinline]] void convert_wide(const Integer* from, std::int32_t zero, T scale, Index count, T* to) {
  convert_integers(from, zero, scale, count, to);
}
#endif
template <class T, class Integer>
[[gnu::noinline]] void convert(const Integer* from, std::int32_t zero, T scale, Index count, T* to) {
#ifdef TAMIS_WIDE
  if (has_wide_vectors()) return convert_wide(from, zero, scale, count, to);
#endif
  convert_integers(from, zero, scale, count, to);
}

}  // namespace detail

/// Design x(i, j) = (q(i, j) − zero_j)·scale_j, the q of one or two bytes: what a sensor, a picture or flash holds. The
/// bits of all its products, and so of training, are those of a DenseDesign of these numbers (of the whole of it, in
/// the same order).
///
/// Products turn the integers into scalars a tile at a time, which takes `stack_bytes` of stack beside the frames of
/// functions, and cost little more than those of a DenseDesign. Solvers that read columns where they lie (descent over
/// features) do not take it.
template <class T, QuantisedInteger Integer>
class QuantisedDesign {
#ifdef TAMIS_COMPACT
  static constexpr Index tile_rows = 4, tile_columns = 16, strip_columns = 4, strip_samples = 16, strip_width = 16;
#else
  static constexpr Index tile_rows = 32, tile_columns = 16, strip_columns = 12, strip_samples = 64;
  static constexpr Index strip_width = 6 * lanes<T>;
#endif

 public:
  static constexpr Index block = DenseDesign<T>::block;
  /// Of stack that a product takes for its tiles.
  static constexpr std::size_t stack_bytes =
      sizeof(T) * largest(tile_rows * tile_columns, strip_columns*(strip_samples + strip_width));

  QuantisedDesign() = default;
  /// `values`: columns one after the other.
  QuantisedDesign(const Integer* values, Index samples, Index features, const Quantisation<T, Integer>& meaning = {})
      : QuantisedDesign(values, samples, features, meaning, QuantisedLayout::by_columns(samples)) {}
  QuantisedDesign(const Integer* values, Index samples, Index features, const Quantisation<T, Integer>& meaning,
                  QuantisedLayout layout)
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
  Quantisation<T, Integer> meaning_{};
  QuantisedLayout layout_{};
  Index samples_ = 0;
  Index features_ = 0;
};

}  // namespace tamis
