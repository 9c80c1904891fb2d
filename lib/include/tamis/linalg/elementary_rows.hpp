#pragma once
/// exp and log of many numbers at once: the bits of elementary.hpp, in vectors.

#include "elementary.hpp"
#include "simd.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {

/// N numbers and their bits, with `+ − × ÷`, comparisons and choices entry by entry.
template <class T, Index N, bool numbers = profile.numbers>
struct Elements {
  using Number = T;
  using Bits = typename Floating<T>::Bits;
  static constexpr Index width = 1;
  static void load(const T* from, Number& x) { x = *from; }
  static void store(Number x, T* to) { *to = x; }
};
template <class T, Index N>
struct Elements<T, N, false> {
  typedef T Number __attribute__((vector_size(N * sizeof(T))));
  typedef typename Floating<T>::Bits Bits __attribute__((vector_size(N * sizeof(T))));
  static constexpr Index width = N;
  [[gnu::always_inline]] static void load(const T* from, Number& x) { x = Simd<T, N>::load(from).entry; }
  [[gnu::always_inline]] static void store(const Number& x, T* to) { Simd<T, N>{x}.store(to); }
};

/// value ← the polynomial in x.
template <class T, std::size_t count, class V>
[[gnu::always_inline]] inline void take_polynomial(const T (&coefficients)[count], const V& x, V& value) {
  value = V{} + coefficients[count - 1];
  for (int i = static_cast<int>(count) - 2; i >= 0; --i) value = value * x + coefficients[i];
}

/// x ← eˣ, see inline_exponential.
template <class T, Index N>
TAMIS_TILE void take_exponentials(T* x, Index count) {
  using F = Floating<T>;
  using E = Elements<T, N>;
  using V = typename E::Number;
  using Bits = typename E::Bits;
  const V zero = V{}, least = zero + F::least_exponent, most = zero + F::most_exponent;
  for (Index i = 0; i < count; i += E::width) {
    V value;
    E::load(x + i, value);
    V inside = value > least ? value : least;
    inside = inside < most ? inside : most;
    const V shifted = inside * F::inverse_ln2 + F::whole;
    const V n = shifted - F::whole;
    const V r = (inside - n * F::ln2_high) - n * F::ln2_low;
    const auto twos = __builtin_bit_cast(Bits, shifted) - __builtin_bit_cast(Bits, zero + F::whole);
    V tail;
    take_polynomial(F::exp, r, tail);
    const V power = __builtin_bit_cast(V, __builtin_bit_cast(Bits, T(1) + (r + r * r * tail)) + (twos << F::fraction));
    const V large = value > most ? zero + infinity<T> : power;
    E::store(value < least ? zero : large, x + i);
  }
}

/// x ← x ln x of normal numbers, see logarithm, 0 of what is smaller; or x ← ln(1 + x), see logarithm_beside_one.
template <class T, Index N, bool times>
TAMIS_TILE void take_logarithms(T* x, Index count) {
  using F = Floating<T>;
  using E = Elements<T, N>;
  using V = typename E::Number;
  using Bits = typename E::Bits;
  using B = typename F::Bits;
  const V zero = V{};
  const V normal = zero + __builtin_bit_cast(T, B(1) << F::fraction);
  const Bits half = Bits{} + F::root_half;
  for (Index i = 0; i < count; i += E::width) {
    V given, lost = zero;
    E::load(x + i, given);
    if constexpr (!times) {
      const V one = T(1) + given;
      lost = (given - (one - T(1))) / one;
      given = one;
    }
    const V value = given < normal ? normal : given;
    const Bits bits = __builtin_bit_cast(Bits, value);
    // The sign is shifted in as a number of its own: not every processor has the arithmetic shift of long numbers.
    const Bits offset = Bits{} + (B(1) << (sizeof(T) * 8 - 2));
    const Bits twos = ((bits - half + offset) >> F::fraction) - (offset >> F::fraction);
    const V n = __builtin_bit_cast(V, twos + __builtin_bit_cast(Bits, zero + F::whole)) - F::whole;
    const V f = __builtin_bit_cast(V, bits - (twos << F::fraction)) - T(1);
    const V s = f / (T(2) + f);
    const V square = (T(0.5) * f) * f;
    V tail;
    take_polynomial(F::log, V(s * s), tail);
    tail = s * s * tail;
    const V log = n * F::ln2_high - ((square - (s * (square + tail) + n * F::ln2_low)) - f);
    if constexpr (times) E::store(given < normal ? zero : given * log, x + i);
    else E::store(log + lost, x + i);
  }
}

template <class T>
TAMIS_WIDE [[gnu::noinline]] void exponentials_wide(T* x, Index count) {
  take_exponentials<T, 2 * lanes<T>>(x, count);
}
template <class T, bool times>
TAMIS_WIDE [[gnu::noinline]] void logarithms_wide(T* x, Index count) {
  take_logarithms<T, 2 * lanes<T>, times>(x, count);
}

}  // namespace detail

/// x_k ← exp(x_k); `count` is a whole number of vectors of 32 bytes.
template <class T>
[[gnu::noinline]] void row_exponentials(T* x, Index count) {
  if constexpr (profile.wide)
    if (has_wide_vectors()) return detail::exponentials_wide(x, count);
  detail::take_exponentials<T, lanes<T>>(x, count);
}
/// x_k ← x_k ln x_k with `times`, 0 for a number that is below the normal ones; otherwise x_k ← ln(1 + x_k), x_k ≥ 0.
/// As above.
template <bool times, class T>
[[gnu::noinline]] void row_logarithms(T* x, Index count) {
  if constexpr (profile.wide)
    if (has_wide_vectors()) return detail::logarithms_wide<T, times>(x, count);
  detail::take_logarithms<T, lanes<T>, times>(x, count);
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
