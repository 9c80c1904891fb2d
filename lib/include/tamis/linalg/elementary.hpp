#pragma once
/// The library's own exp, log, tanh and roots of unity: the same bits on every target, without the mathematical library.

#include <cstdint>

#include "scalar.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {

/// How T keeps its numbers, and the polynomials that reach its precision (interpolated at Chebyshev nodes).
template <class T>
struct Floating;

template <>
struct Floating<float> {
  using Bits = std::int32_t;
  static constexpr int fraction = 23;
  static constexpr Bits one = 0x3f800000, root_half = 0x3f3504f3;  ///< of 1 and of √½
  static constexpr float whole = 12582912.0f;                      ///< 1.5·2²³: adding it rounds to a whole number
  static constexpr float inverse_ln2 = 1.44269502f, ln2_high = 0.693145752f, ln2_low = 1.42860677e-06f;
  static constexpr float least_exponent = -87.0f, most_exponent = 88.7228317f;
  static constexpr float exp[] = {0.5f, 0.166665763f, 0.0416665524f, 0.00836335309f, 0.00139264006f};
  static constexpr float log[] = {0.666666865f, 0.399887115f, 0.295830578f};
  static constexpr float sine[] = {-1.66666667e-1f, 8.33333333e-3f, -1.98412698e-4f, 2.75573192e-6f};
  static constexpr float cosine[] = {-0.5f, 4.16666667e-2f, -1.38888889e-3f, 2.48015873e-5f, -2.75573192e-7f};
};

template <>
struct Floating<double> {
  using Bits = std::int64_t;
  static constexpr int fraction = 52;
  static constexpr Bits one = 0x3ff0000000000000, root_half = 0x3fe6a09e667f3bcd;
  static constexpr double whole = 6755399441055744.0;
  static constexpr double inverse_ln2 = 1.4426950408889634, ln2_high = 0.69314718056011770386,
                          ln2_low = -1.7239444525614835e-13;
  static constexpr double least_exponent = -708.0, most_exponent = 709.78271289338397;
  static constexpr double exp[] = {0.5,
                                   0.16666666666666669,
                                   0.04166666666662313,
                                   0.0083333333333299852,
                                   0.0013888888917710368,
                                   0.0001984126986343555,
                                   2.480152052648056e-05,
                                   2.7557267868262007e-06,
                                   2.7620453391695057e-07,
                                   2.5100666142918374e-08};
  static constexpr double log[] = {0.66666666666666696, 0.39999999999897651, 0.28571428626813983, 0.22222210998123745,
                                   0.18182899068063552, 0.15331391597986554, 0.14620522556371995};
  static constexpr double sine[] = {-1.6666666666666667e-1,  8.3333333333333333e-3,  -1.9841269841269841e-4,
                                    2.7557319223985891e-6,   -2.5052108385441719e-8, 1.6059043836821615e-10,
                                    -7.6471637318198165e-13, 2.8114572543455208e-15};
  static constexpr double cosine[] = {-0.5,
                                      4.1666666666666667e-2,
                                      -1.3888888888888889e-3,
                                      2.4801587301587302e-5,
                                      -2.7557319223985891e-7,
                                      2.0876756987868099e-9,
                                      -1.1470745597729725e-11,
                                      4.7794773323873853e-14,
                                      -1.5619206968586226e-16};
};

template <class T, std::size_t count>
[[gnu::always_inline]] constexpr T polynomial(const T (&coefficients)[count], T x) {
  T value = coefficients[count - 1];
  for (int i = static_cast<int>(count) - 2; i >= 0; --i) value = value * x + coefficients[i];
  return value;
}

}  // namespace detail

/// eˣ within 1.1 units in the last place; 0 below −87 (float) or −708 (double), infinite where it overflows. x = n·ln 2
/// + r with |r| ≤ ½ ln 2, and n is added to the exponent of a polynomial in r. Without branches, so that loops over it
/// become vector code.
template <class T>
[[gnu::always_inline]] constexpr T inline_exponential(T x) {
  using F = detail::Floating<T>;
  using Bits = typename F::Bits;
  const T inside = smallest(largest(x, F::least_exponent), F::most_exponent);
  const T shifted = inside * F::inverse_ln2 + F::whole;
  const T n = shifted - F::whole;
  const T r = (inside - n * F::ln2_high) - n * F::ln2_low;
  const T value = T(1) + (r + r * r * detail::polynomial(F::exp, r));
  const Bits twos = __builtin_bit_cast(Bits, shifted) - __builtin_bit_cast(Bits, F::whole);
  const T power = __builtin_bit_cast(T, __builtin_bit_cast(Bits, value) + (twos << F::fraction));
  return x < F::least_exponent ? T(0) : x > F::most_exponent ? infinity<T> : power;
}

/// The same as a function to call.
template <class T>
[[gnu::noinline]] constexpr T exponential(T x) {
  return inline_exponential(x);
}

/// x_k ← exp(x_k), the bits of `exponential`.
template <class T>
[[gnu::noinline]] constexpr void exponentials(T* x, Index count) {
  for (Index k = 0; k < count; ++k) x[k] = inline_exponential(x[k]);
}

/// ln x within 1 unit in the last place for positive x; −∞ at 0. x = 2ⁿ(1 + f) with √½ ≤ 1 + f < √2, and ln(1 + f) =
/// 2 artanh(s), s = f/(2 + f), by a polynomial in s².
template <class T>
[[gnu::noinline]] constexpr T logarithm(T x) {
  using F = detail::Floating<T>;
  using Bits = typename F::Bits;
  if (!(x > T(0))) return x == T(0) ? -infinity<T> : not_a_number<T>;
  if (!finite(x)) return x;
  Bits bits = __builtin_bit_cast(Bits, x);
  T n = T(0);
  if (bits < Bits(1) << F::fraction) {  // subnormal
    bits = __builtin_bit_cast(Bits, x * T(Bits(1) << (F::fraction + 1)));
    n = -T(F::fraction + 1);
  }
  const Bits twos = (bits - F::root_half) >> F::fraction;
  n += T(static_cast<std::int32_t>(twos));
  const T f = __builtin_bit_cast(T, bits - (twos << F::fraction)) - T(1);
  const T s = f / (T(2) + f);
  const T half = T(0.5) * f * f;
  const T tail = s * s * detail::polynomial(F::log, s * s);
  return n * F::ln2_high - ((half - (s * (half + tail) + n * F::ln2_low)) - f);
}

/// What rounding takes from 1 + x.
template <class T>
constexpr T lost_beside_one(T x) {
  return x - ((T(1) + x) - T(1));
}
/// ln(1 + x) with a small relative error however small x is; x > −1.
template <class T>
constexpr T logarithm_beside_one(T x) {
  return logarithm(T(1) + x) + lost_beside_one(x) / (T(1) + x);
}

/// tanh x within 3 units in the last place: by its continued fraction up to ½, from there through exp.
template <class T>
constexpr T hyperbolic_tangent(T x) {
  const T size = absolute(x);
  if (!(size < T(0.5))) {
    if (x != x) return x;
    const T e = exponential(T(-2) * size);
    return sign(x) * ((T(1) - e) / (T(1) + e));
  }
  const T square = x * x;
  T denominator = T(17);
  for (T odd = T(15); odd > T(0); odd -= T(2)) denominator = odd + square / denominator;
  return x / denominator;
}

/// e^{2πi·x} for an x.
template <class T>
struct UnitRoot {
  T cosine = 1, sine = 0;
};

/// cos 2πk/n and sin 2πk/n, n > 0, within one unit in the last place of 1; exact at quarters of a turn. Whole numbers
/// bring the angle into the first eighth of a turn, where Taylor's series end below the precision of T.
template <class T>
[[gnu::noinline]] constexpr UnitRoot<T> unit_root(Index k, Index n) {
  using F = detail::Floating<T>;
  const std::uint64_t eighths = std::uint64_t{k % n} * 8;
  const auto octant = static_cast<Index>(eighths / n);
  Index rest = static_cast<Index>(eighths % n);
  if (octant % 2) rest = n - rest;
  const T x = T(0.785398163397448309616L) * (T(rest) / T(n));
  const T square = x * x;
  T c = T(1) + square * detail::polynomial(F::cosine, square);
  T s = x + x * square * detail::polynomial(F::sine, square);
  if (octant % 2) {
    const T other = c;
    c = s;
    s = other;
  }
  switch (octant / 2) {
    case 0: return {c, s};
    case 1: return {-s, c};
    case 2: return {-c, -s};
    default: return {s, -c};
  }
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
