#pragma once
/// A Simd that is plain numbers, and a single entry.

#include "simd.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

template <class T, Index N>
struct Simd<T, N, true> {
  static constexpr Index width = N;

  T entry[N];

  template <class Operation>
  [[gnu::always_inline]] static Simd map(Operation operation) {
    Simd out;
    TAMIS_UNROLL
    for (Index i = 0; i < N; ++i) out.entry[i] = operation(i);
    return out;
  }
  [[gnu::always_inline]] static Simd fill(T value) {
    return map([=](Index) TAMIS_INLINED { return value; });
  }
  [[gnu::always_inline]] friend Simd operator+(const Simd& a, const Simd& b) {
    return map([&](Index i) TAMIS_INLINED { return a.entry[i] + b.entry[i]; });
  }
  [[gnu::always_inline]] friend Simd operator-(const Simd& a, const Simd& b) {
    return map([&](Index i) TAMIS_INLINED { return a.entry[i] - b.entry[i]; });
  }
  [[gnu::always_inline]] friend Simd operator*(const Simd& a, const Simd& b) {
    return map([&](Index i) TAMIS_INLINED { return a.entry[i] * b.entry[i]; });
  }
  [[gnu::always_inline]] Simd positive_part() const {
    return map([&](Index i) TAMIS_INLINED { return entry[i] > T(0) ? entry[i] : T(0); });
  }
  [[gnu::always_inline]] Simd where_positive(const Simd& value) const {
    return map([&](Index i) TAMIS_INLINED { return entry[i] > T(0) ? value.entry[i] : T(0); });
  }
  [[gnu::always_inline]] static Simd zero() { return fill(T(0)); }  // a plain Simd{} may become a call of memset
  [[gnu::always_inline]] static Simd repeat(const T* from) { return fill(*from); }
  [[gnu::always_inline]] static Simd load(const T* from) {
    return map([=](Index i) TAMIS_INLINED { return from[i]; });
  }
  [[gnu::always_inline]] void store(T* to) const {
    TAMIS_UNROLL
    for (Index i = 0; i < N; ++i) to[i] = entry[i];
  }
  T sum() const {
    T total = entry[0];
    for (Index i = 1; i < N; ++i) total += entry[i];
    return total;
  }
};

/// A single entry, which compilers keep in a register as they do not an array or a vector of one.
template <class T>
struct Simd<T, 1, true> {
  static constexpr Index width = 1;
  T entry[1];

  [[gnu::always_inline]] static Simd fill(T value) { return {{value}}; }
  [[gnu::always_inline]] friend Simd operator+(const Simd& a, const Simd& b) { return {{a.entry[0] + b.entry[0]}}; }
  [[gnu::always_inline]] friend Simd operator-(const Simd& a, const Simd& b) { return {{a.entry[0] - b.entry[0]}}; }
  [[gnu::always_inline]] friend Simd operator*(const Simd& a, const Simd& b) { return {{a.entry[0] * b.entry[0]}}; }
  [[gnu::always_inline]] Simd positive_part() const { return {{entry[0] > T(0) ? entry[0] : T(0)}}; }
  [[gnu::always_inline]] Simd where_positive(const Simd& value) const {
    return {{entry[0] > T(0) ? value.entry[0] : T(0)}};
  }
  [[gnu::always_inline]] static Simd zero() { return {{T(0)}}; }
  [[gnu::always_inline]] static Simd repeat(const T* from) { return {{*from}}; }
  [[gnu::always_inline]] static Simd load(const T* from) { return {{*from}}; }
  [[gnu::always_inline]] void store(T* to) const { *to = entry[0]; }
  T sum() const { return entry[0]; }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
