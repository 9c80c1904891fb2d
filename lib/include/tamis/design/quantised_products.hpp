#pragma once
/// What the integers of a quantised design stand for, and products with a tile of them that have become scalars.

#include <type_traits>

#include "../linalg/register_tile.hpp"
#include "../linalg/rows.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

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

/// Numbers that stand for themselves.
template <class T>
struct Identity {
  static constexpr T scale_of(Index) { return T(1); }
  static constexpr std::int32_t zero_of(Index) { return 0; }
  static T value(T x, Index) { return x; }
  [[gnu::always_inline]] static T value(T x, std::int32_t, T) { return x; }
};

namespace detail {

template <class T, class Entry>
struct MeaningOf;
template <class T>
struct MeaningOf<T, T> {
  using type = Identity<T>;
};
template <class T, QuantisedInteger Integer>
struct MeaningOf<T, Integer> {
  using type = Quantisation<T, Integer>;
};

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
  P total[std::size_t{R}][std::size_t{V}];
  const T* of_row[std::size_t{R}];
  TAMIS_UNROLL
  for (Index r = 0; r < R; ++r) {
    of_row[r] = a + r * (by_rows ? step : Index(1));
    TAMIS_UNROLL
    for (Index v = 0; v < V; ++v) total[r][v] = P::load(row_of(out, r, out_stride) + v * P::width);
  }
  for (Index s = 0; s < count; ++s) {
    const T* row = row_of(b, list ? list[s] : s, stride);
    TAMIS_UNROLL
    for (Index v = 0; v < V; ++v) {
      const auto piece = P::load(row + v * P::width);
      TAMIS_UNROLL
      for (Index r = 0; r < R; ++r) {
        const T entry = by_rows ? of_row[r][s] : a[s * step + r];
        total[r][v] = total[r][v] + P::fill(entry) * piece;
      }
    }
  }
  TAMIS_UNROLL
  for (Index r = 0; r < R; ++r) {
    TAMIS_UNROLL
    for (Index v = 0; v < V; ++v) total[r][v].store(row_of(out, r, out_stride) + v * P::width);
  }
}

/// The same for a strip of N vectors in pairs, and the same bits.
template <class T, bool by_rows, int N, int R>
TAMIS_TILE void add_products_wide_tile(const T* a, Index step, const Index* list, Index count, const T* b, Index stride,
                                       T* out, Index out_stride) {
  using S = RegisterTile<T, N, true>;
  S total[std::size_t{R}];
  const T* of_row[std::size_t{R}];
  TAMIS_UNROLL_STRIP
  for (Index r = 0; r < R; ++r) {
    of_row[r] = a + r * (by_rows ? step : Index(1));
    total[r] = S::load(N, row_of(out, r, out_stride));
  }
  for (Index s = 0; s < count; ++s) {
    const auto piece = S::load(N, row_of(b, list ? list[s] : s, stride));
    TAMIS_UNROLL_STRIP
    for (Index r = 0; r < R; ++r) total[r].add_scaled(by_rows ? of_row[r][s] : a[s * step + r], piece);
  }
  TAMIS_UNROLL_STRIP
  for (Index r = 0; r < R; ++r) total[r].store(N, row_of(out, r, out_stride));
}
template <class T, bool by_rows>
TAMIS_WIDE [[gnu::noinline]] void add_products_wide(const T* a, Index step, Index rows, const Index* list, Index count,
                                                    const T* b, Index stride, Index width, T* out, Index out_stride) {
  for_each_even_strip<T>(
      width, [&]<int N>(Index k, Index) __attribute__((always_inline)) {
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

/// The same for any number of rows of `width` entries, whole vectors.
template <class T, bool by_rows>
[[gnu::noinline]] void add_products(const T* a, Index step, Index rows, const Index* list, Index count, const T* b,
                                    Index stride, Index width, T* out, Index out_stride) {
  if constexpr (profile.wide)
    if (has_wide_vectors())
      return add_products_wide<T, by_rows>(a, step, rows, list, count, b, stride, width, out, out_stride);
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
template <class T>
void convert(const T* from, std::int32_t, T, Index count, T* to) {
  copy(from, count, to);
}
template <class T, QuantisedInteger Integer>
TAMIS_TILE void convert_integers(const Integer* from, std::int32_t zero, T scale, Index count, T* to) {
  Index i = 0;
  if constexpr (!profile.numbers) {
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
  }
  for (; i < count; ++i) to[i] = Quantisation<T, Integer>::value(from[i], zero, scale);
}
template <class T, QuantisedInteger Integer>
TAMIS_WIDE [[gnu::noinline]] void convert_wide(const Integer* from, std::int32_t zero, T scale, Index count, T* to) {
  convert_integers(from, zero, scale, count, to);
}
template <class T, QuantisedInteger Integer>
[[gnu::noinline]] void convert(const Integer* from, std::int32_t zero, T scale, Index count, T* to) {
  if constexpr (profile.wide)
    if (has_wide_vectors()) return convert_wide(from, zero, scale, count, to);
  convert_integers(from, zero, scale, count, to);
}

}  // namespace detail

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
