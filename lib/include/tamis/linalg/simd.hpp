#pragma once
/// One 16-byte vector of T: the unit of all arithmetic over classes.
///
/// One source for SSE, NEON, WASM SIMD and scalar cores. Entries never mix, so the results of `+ − ×` are the same bits
/// whether the compiler emits vector or scalar instructions. Define TAMIS_SCALAR for plain loops instead of the vector
/// types of the compiler. The promise needs `-ffp-contract=off`, which the CMake target sets for its users.

#include "../shape.hpp"

#if defined(__FAST_MATH__) || __FINITE_MATH_ONLY__
#error \
    "tamis: -ffast-math and -ffinite-math-only break compensated sums, bit-identity and the check of samples that are no numbers; compile without them"
#endif

/// Unrolls the loop that follows, of at most four rounds known to the compiler: the accumulators of a tile stay in
/// registers even where the compiler optimises for size.
#ifdef __clang__
#define TAMIS_UNROLL _Pragma("clang loop unroll(full)")
#else
#define TAMIS_UNROLL _Pragma("GCC unroll 4")
#endif

/// TAMIS_WIDE: what functions that use vectors of twice the size are declared with, where the processor may have them:
/// `has_wide_vectors()` tells at run time. Fused operations, which would change bits, stay off.
#if defined(__x86_64__) && !defined(TAMIS_SCALAR) && !defined(TAMIS_COMPACT) && !defined(TAMIS_NARROW)
#ifdef __AVX2__
#define TAMIS_WIDE
#else
#define TAMIS_WIDE [[gnu::target("avx2")]]
#endif
#endif

/// What is inlined into functions with wide vectors; where there are none, what is left to the compiler.
#ifdef TAMIS_WIDE
#define TAMIS_TILE [[gnu::always_inline]] inline
#else
#define TAMIS_TILE
#endif

/// TAMIS_VECTORS: rows, samples or features are taken several at once, a lane each, where that pays: on processors with
/// vectors of floating-point numbers, unless they are made of plain numbers or the code is to be small.
#if !defined(TAMIS_SCALAR) && !defined(TAMIS_COMPACT) && \
    (defined(__SSE2__) || defined(__ARM_NEON) || defined(__wasm_simd128__) || defined(__ALTIVEC__))
#define TAMIS_VECTORS
#endif

/// Inlines a lambda function even where the compiler optimises for size.
#define TAMIS_INLINED __attribute__((always_inline))

/// The smallest code, unless TAMIS_TILES asks for products by tiles all the same.
#if defined(TAMIS_COMPACT) && !defined(TAMIS_TILES)
#define TAMIS_SMALLEST
#endif

/// What is inlined where speed matters more than size, and what is not inlined where size matters more.
#ifdef TAMIS_SMALLEST
#define TAMIS_NOINLINE_IF_SMALLEST [[gnu::noinline]]
#define TAMIS_INLINED_UNLESS_SMALLEST [[gnu::noinline]]
#else
#define TAMIS_NOINLINE_IF_SMALLEST
#define TAMIS_INLINED_UNLESS_SMALLEST [[gnu::always_inline]] inline
#endif

namespace tamis {

#ifdef TAMIS_WIDE
inline bool has_wide_vectors() { return __builtin_cpu_supports("avx2"); }
#endif

/// N entries, by default a vector.
template <class T, Index N = lanes<T>>
struct Simd {
  static constexpr Index width = N;

#ifdef TAMIS_SCALAR
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
  [[gnu::always_inline]] static Simd repeat(const T* from) { return fill(*from); }
  [[gnu::always_inline]] static Simd load(const T* from) {
    return map([=](Index i) TAMIS_INLINED { return from[i]; });
  }
  [[gnu::always_inline]] void store(T* to) const {
    TAMIS_UNROLL
    for (Index i = 0; i < N; ++i) to[i] = entry[i];
  }
#else
  typedef T Native __attribute__((vector_size(N * sizeof(T))));
  Native entry;

  [[gnu::always_inline]] static Simd fill(T value) {
    if constexpr (N > lanes<T>) {  // from the first entry, or g++ puts it together entry by entry
      const auto first = Simd<T>::fill(value).entry;
      if constexpr (N == 8) return {__builtin_shufflevector(first, first, 0, 0, 0, 0, 0, 0, 0, 0)};
      else return {__builtin_shufflevector(first, first, 0, 0, 0, 0)};
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
  /// The number at `from` in all entries.
  [[gnu::always_inline]] static Simd repeat(const T* from) {
    if constexpr (N >
                  lanes<T>) {  // this form is one instruction when the number is in memory, others are when it is not
      const Native first{*from};
      if constexpr (N == 8) return {__builtin_shufflevector(first, first, 0, 0, 0, 0, 0, 0, 0, 0)};
      else return {__builtin_shufflevector(first, first, 0, 0, 0, 0)};
    } else {
      return fill(*from);
    }
  }
  [[gnu::always_inline]] static Simd load(const T* from) {
    Simd out;
    __builtin_memcpy(&out.entry, __builtin_assume_aligned(from, alignof(T)), N * sizeof(T));
    return out;
  }
  [[gnu::always_inline]] void store(T* to) const {
    __builtin_memcpy(__builtin_assume_aligned(to, alignof(T)), &entry, N * sizeof(T));
  }
#endif

#ifdef TAMIS_SCALAR
  [[gnu::always_inline]] static Simd zero() { return fill(T(0)); }  // a plain Simd{} may become a call of memset
#else
  [[gnu::always_inline]] static Simd zero() { return Simd{}; }
#endif
  /// Entries added from the first to the last.
  T sum() const {
    T total = entry[0];
    for (Index i = 1; i < N; ++i) total += entry[i];
    return total;
  }
};

/// A single entry: a plain number, which compilers keep in a register as they do not a vector of one.
template <class T>
struct Simd<T, 1> {
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

/// What a loop takes at once where the entries of a row never meet: a vector, or a single entry when TAMIS_COMPACT is
/// defined, which makes smaller code and the same bits. Sums over a row need Simd, whose lanes are part of their order.
#ifdef TAMIS_COMPACT
template <class T>
using SimdOrScalar = Simd<T, 1>;
#else
template <class T>
using SimdOrScalar = Simd<T>;
#endif

}  // namespace tamis
