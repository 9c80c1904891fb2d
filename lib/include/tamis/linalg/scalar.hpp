#pragma once
/// Scalar helpers that compile to one instruction where there is one, and never promote to double.

#include "../shape.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

[[gnu::always_inline]] constexpr float absolute(float x) { return __builtin_fabsf(x); }
[[gnu::always_inline]] constexpr double absolute(double x) { return __builtin_fabs(x); }
template <class T>
[[gnu::always_inline]] constexpr T largest(T a, T b) {
  return a > b ? a : b;
}
template <class T>
[[gnu::always_inline]] constexpr T smallest(T a, T b) {
  return a < b ? a : b;
}
template <class T>
[[gnu::always_inline]] constexpr bool finite(T x) {
  if constexpr (profile.single_entries && sizeof(T) == 4)
    return std::uint8_t(__builtin_bit_cast(std::uint32_t, x) >> 23) != 255;
  return x - x == T(0);
}

[[gnu::always_inline]] inline float square_root(float x) { return __builtin_sqrtf(x); }
[[gnu::always_inline]] inline double square_root(double x) { return __builtin_sqrt(x); }

/// Soft threshold: sign(x)·max(|x| − t, 0).
template <class T>
[[gnu::always_inline]] constexpr T soft(T x, T t) {
  return x > t ? x - t : (x < -t ? x + t : T(0));
}

/// −1, 0 or 1.
template <class T>
[[gnu::always_inline]] constexpr T sign(T x) {
  return x > T(0) ? T(1) : (x < T(0) ? T(-1) : T(0));
}

/// 2ⁿ, |n| ≤ 126, and the n of a positive normal number: x = 2ⁿ times a number from 1 on and below 2.
template <class T>
[[gnu::always_inline]] constexpr T power_of_two(int n) {
  if constexpr (sizeof(T) == 4) return __builtin_bit_cast(T, std::uint32_t(n + 127) << 23);
  else return __builtin_bit_cast(T, std::uint64_t(n + 1023) << 52);
}
template <class T>
[[gnu::always_inline]] constexpr int exponent_of(T x) {
  if constexpr (sizeof(T) == 4) return int(__builtin_bit_cast(std::uint32_t, x) >> 23) - 127;
  else return int(__builtin_bit_cast(std::uint64_t, x) >> 52) - 1023;
}

/// The nearest number, ties to even, as static_cast has it; but of float without the software double precision that
/// some boards take for it.
template <class T>
constexpr T from_integer(std::uint64_t n) {
  if constexpr (sizeof(T) > 4) return static_cast<T>(n);
  int shift = 0;
  for (; n >> 32; ++shift) n = n >> 1 | (n & 1);  // a one that is lost still counts where there is a tie
  return static_cast<T>(static_cast<std::uint32_t>(n)) * power_of_two<T>(shift);
}
template <class T>
constexpr T from_integer(std::int64_t n) {
  return n < 0 ? -from_integer<T>(std::uint64_t(0) - static_cast<std::uint64_t>(n))
               : from_integer<T>(static_cast<std::uint64_t>(n));
}

/// Numbers in [½, 1) without pattern, the same everywhere: what power iterations begin with.
template <class T>
constexpr T scattered(std::uint32_t number) {
  return T(0.5) + T((number + 1u) * 2246822519u >> 16) / T(131072);
}

/// Relative spacing of T at 1.
template <class T>
inline constexpr T epsilon = sizeof(T) == 4 ? T(1.1920928955078125e-07L) : T(2.220446049250313e-16L);

/// The least number with all digits of T.
template <class T>
inline constexpr T least_normal = sizeof(T) == 4 ? T(1.17549435082228751e-38L) : T(2.2250738585072014e-308L);

/// Whether sums of squares are such numbers, and what T leaves out of them is below their rounding.
template <class T>
[[gnu::always_inline]] constexpr bool holds_squares(T sum_of_squares) {
  return sum_of_squares >= least_normal<T> / epsilon<T> && finite(sum_of_squares);
}

template <class T>
inline constexpr T infinity = static_cast<T>(__builtin_huge_valf());

template <class T>
inline constexpr T not_a_number = static_cast<T>(__builtin_nanf(""));

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
