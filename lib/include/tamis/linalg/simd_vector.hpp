#pragma once
/// A Simd that is a vector of the compiler.

#include "simd.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

template <class T, Index N>
struct Simd<T, N, false> {
  static constexpr Index width = N;

  typedef T Native __attribute__((vector_size(N * sizeof(T))));
  Native entry;

  [[gnu::always_inline]] static Simd fill(T value) {
    if constexpr (N > lanes<T>) {  // from the first entry, or g++ puts it together entry by entry
#if __has_builtin(__builtin_shufflevector)
      const auto first = Simd<T>::fill(value).entry;
      if constexpr (N == 8) return {__builtin_shufflevector(first, first, 0, 0, 0, 0, 0, 0, 0, 0)};
      else return {__builtin_shufflevector(first, first, 0, 0, 0, 0)};
#else
      return {value - Native{}};
#endif
    } else {
      return {value - Native{}};
    }
  }
  [[gnu::always_inline]] friend Simd operator+(const Simd& a, const Simd& b) { return {a.entry + b.entry}; }
  [[gnu::always_inline]] friend Simd operator-(const Simd& a, const Simd& b) { return {a.entry - b.entry}; }
  [[gnu::always_inline]] friend Simd operator*(const Simd& a, const Simd& b) { return {a.entry * b.entry}; }
  [[gnu::always_inline]] Simd positive_part() const { return {entry > Native{} ? entry : Native{}}; }
  /// Entries of `value` where those of this are positive, 0 elsewhere.
  [[gnu::always_inline]] Simd where_positive(const Simd& value) const {
    return {entry > Native{} ? value.entry : Native{}};
  }
  [[gnu::always_inline]] static Simd zero() { return Simd{}; }
  /// The number at `from` in all entries.
  [[gnu::always_inline]] static Simd repeat(const T* from) {
    if constexpr (N > lanes<T>) {  // one instruction when the number is in memory; the form above is when it is not
      const Native first{*from};
      if constexpr (N == 8) return {TAMIS_SHUFFLE(first, first, 0, 0, 0, 0, 0, 0, 0, 0)};
      else return {TAMIS_SHUFFLE(first, first, 0, 0, 0, 0)};
    } else {
      return fill(*from);
    }
  }
  [[gnu::always_inline]] static Simd load(const T* from) {
    Simd out;
    __builtin_memcpy(&out.entry, __builtin_assume_aligned(from, alignof(T)), N * sizeof(T));
    return out;
  }
  /// Half of the entries from each place.
  [[gnu::always_inline]] static Simd join(const T* low, const T* high) {
#if __has_builtin(__builtin_shufflevector)
    const auto a = Simd<T, N / 2>::load(low).entry, b = Simd<T, N / 2>::load(high).entry;
    if constexpr (N == 8) return {__builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)};
    else return {__builtin_shufflevector(a, b, 0, 1, 2, 3)};
#else
    const Simd<T, N / 2> halves[] = {Simd<T, N / 2>::load(low), Simd<T, N / 2>::load(high)};
    return load(reinterpret_cast<const T*>(halves));
#endif
  }
  [[gnu::always_inline]] void store(T* to) const {
    __builtin_memcpy(__builtin_assume_aligned(to, alignof(T)), &entry, N * sizeof(T));
  }
  /// Entries added from the first to the last.
  [[gnu::always_inline]] T sum() const {
    T total = entry[0];
    for (Index i = 1; i < N; ++i) total += entry[i];
    return total;
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
