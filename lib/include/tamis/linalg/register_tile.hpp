#pragma once
/// A few vectors of a row at once, in registers: what loops over samples or features work on.

#include "simd.hpp"

#ifdef __clang__
#define TAMIS_UNROLL_STRIP _Pragma("clang loop unroll(full)")
#else
#define TAMIS_UNROLL_STRIP _Pragma("GCC unroll 8")
#endif

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail {

/// N consecutive vectors of a row, at most six, as registers allow: in pairs where `wide`. N = 0: `count` of them, a
/// number that the compiler does not know, which makes small code.
template <class T, int N, bool wide>
struct RegisterTile {
  static constexpr int pairs = wide ? N / 2 : 0, singles = N ? N - 2 * pairs : 6;
  using Pair = Simd<T, 2 * lanes<T>>;
  Pair pair[std::size_t{pairs ? pairs : 1}];
  Simd<T> single[std::size_t{singles ? singles : 1}];

  /// Every piece of the result is f(place, pieces of the others…).
  template <class F, class... Others>
  [[gnu::always_inline]] static RegisterTile map(Index count, F f, const Others&... others) {
    RegisterTile out;
    TAMIS_UNROLL_STRIP
    for (Index v = 0; v < pairs; ++v) out.pair[v] = f(v * 2 * lanes<T>, others.pair[v]...);
    if constexpr (N > 0) {
      TAMIS_UNROLL_STRIP
      for (Index v = 0; v < singles; ++v) out.single[v] = f((2 * pairs + v) * lanes<T>, others.single[v]...);
    } else {
      for (Index v = 0; v < count; ++v) out.single[v] = f(v * lanes<T>, others.single[v]...);
    }
    return out;
  }
  /// Calls f(place, pieces of the strips…) for every piece, which it may change.
  template <class F, class... Strips>
  [[gnu::always_inline]] static void for_each(Index count, F f, Strips&... strips) {
    TAMIS_UNROLL_STRIP
    for (Index v = 0; v < pairs; ++v) f(v * 2 * lanes<T>, strips.pair[v]...);
    if constexpr (N > 0) {
      TAMIS_UNROLL_STRIP
      for (Index v = 0; v < singles; ++v) f((2 * pairs + v) * lanes<T>, strips.single[v]...);
    } else {
      for (Index v = 0; v < count; ++v) f(v * lanes<T>, strips.single[v]...);
    }
  }
  [[gnu::always_inline]] static RegisterTile load(Index count, const T* from) {
    RegisterTile out;
    TAMIS_UNROLL_STRIP
    for (Index v = 0; v < pairs; ++v) out.pair[v] = Pair::load(from + v * 2 * lanes<T>);
    if constexpr (N > 0) {
      TAMIS_UNROLL_STRIP
      for (Index v = 0; v < singles; ++v) out.single[v] = Simd<T>::load(from + (2 * pairs + v) * lanes<T>);
    } else {
      for (Index v = 0; v < count; ++v) out.single[v] = Simd<T>::load(from + v * lanes<T>);
    }
    return out;
  }
  [[gnu::always_inline]] static RegisterTile zero(Index count) {
    RegisterTile out;
    TAMIS_UNROLL_STRIP
    for (Index v = 0; v < pairs; ++v) out.pair[v] = Pair::zero();
    if constexpr (N > 0) {
      TAMIS_UNROLL_STRIP
      for (Index v = 0; v < singles; ++v) out.single[v] = Simd<T>::zero();
    } else {
      for (Index v = 0; v < count; ++v) out.single[v] = Simd<T>::zero();
    }
    return out;
  }
  [[gnu::always_inline]] void store(Index count, T* to) const {
    TAMIS_UNROLL_STRIP
    for (Index v = 0; v < pairs; ++v) pair[v].store(to + v * 2 * lanes<T>);
    if constexpr (N > 0) {
      TAMIS_UNROLL_STRIP
      for (Index v = 0; v < singles; ++v) single[v].store(to + (2 * pairs + v) * lanes<T>);
    } else {
      for (Index v = 0; v < count; ++v) single[v].store(to + v * lanes<T>);
    }
  }
  /// this += value · other.
  [[gnu::always_inline]] void add_scaled(T value, const RegisterTile& other) {
    TAMIS_UNROLL_STRIP
    for (Index v = 0; v < pairs; ++v) pair[v] = pair[v] + Pair::fill(value) * other.pair[v];
    TAMIS_UNROLL_STRIP
    for (Index v = 0; v < singles; ++v) single[v] = single[v] + Simd<T>::fill(value) * other.single[v];
  }
  /// Vector by vector, then entry by entry.
  [[gnu::always_inline]] T sum(Index count) const {
    auto total = Simd<T>::zero();
    TAMIS_UNROLL_STRIP
    for (Index v = 0; v < pairs; ++v) {
      Simd<T> half[2];
      __builtin_memcpy(half, &pair[v], sizeof half);
      total = (total + half[0]) + half[1];
    }
    if constexpr (N > 0) {
      TAMIS_UNROLL_STRIP
      for (Index v = 0; v < singles; ++v) total = total + single[v];
    } else {
      for (Index v = 0; v < count; ++v) total = total + single[v];
    }
    return total.sum();
  }
};

/// Calls strip.operator()<N>(k, count) for the strips that a row of `stride` entries is cut into, as even as they can
/// be; k is where one begins.
template <class T, class Visit>
[[gnu::always_inline]] inline void for_each_even_strip(Index stride, Visit visit) {
  const Index vectors = stride / lanes<T>;
  const Index strips = (vectors + 5) / 6;
  Index k = 0;
  for (Index s = 0; s < strips; ++s) {
    const Index count = (vectors * (s + 1)) / strips - k / lanes<T>;
    const auto any_width = [&]() TAMIS_INLINED { visit.template operator()<0>(k, count); };
    if constexpr (profile.single_entries) {
      any_width();
    } else {
      switch (count) {
        case 1: visit.template operator()<1>(k, 1); break;
        case 2: visit.template operator()<2>(k, 2); break;
        case 3: visit.template operator()<3>(k, 3); break;
        default:  // rows of up to three vectors are as fast in every profile
          if constexpr (!profile.every_width) any_width();
          else if (count == 4) visit.template operator()<4>(k, 4);
          else if (count == 5) visit.template operator()<5>(k, 5);
          else visit.template operator()<6>(k, 6);
      }
    }
    k += count * lanes<T>;
  }
}

/// Covers the `stride` entries of a row with strips of up to four pieces: calls visit.operator()<V>(k) for the V pieces
/// from entry k on.
template <class T, class Visit>
[[gnu::always_inline]] inline void for_each_wide_strip(Index stride, Visit visit) {
  constexpr Index width = SimdOrScalar<T>::width;
  Index k = 0;
  if constexpr (width == lanes<T>) {
    for (; k + 4 * width < stride; k += 3 * width) visit.template operator()<3>(k);
    switch ((stride - k) / width) {
      case 4: return visit.template operator()<4>(k);
      case 3: return visit.template operator()<3>(k);
      case 2: return visit.template operator()<2>(k);
      default: return visit.template operator()<1>(k);
    }
  } else {
    for (; k < stride; k += width) visit.template operator()<1>(k);
  }
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail
