#pragma once
/// One 16-byte vector of T: the unit of all arithmetic over classes.
///
/// One source for SSE, NEON, WASM SIMD and scalar cores. Entries never mix, so the results of `+ − ×` are the same bits
/// whether the compiler emits vector or scalar instructions. The promise needs `-ffp-contract=off`, which the CMake
/// target sets for its users.

#include "../profile.hpp"
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

/// Entries of two vectors of the compiler in another order, as many as one has: g++ 11 knows them by another name.
#if __has_builtin(__builtin_shufflevector)
#define TAMIS_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define TAMIS_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, decltype((a) < (b)){__VA_ARGS__})
#endif

/// Inlines a lambda function even where the compiler optimises for size.
#define TAMIS_INLINED __attribute__((always_inline))

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// N entries, by default a vector: of the compiler (simd_vector.hpp), or plain numbers (simd_numbers.hpp).
template <class T, Index N = lanes<T>, bool numbers = profile.numbers || N == 1>
struct Simd;

/// What a loop takes at once where the entries of a row never meet: a vector, or a single entry, which makes smaller
/// code. Sums over a row need Simd, whose lanes are part of their order.
template <class T>
using SimdOrScalar = Simd<T, profile.single_entries ? 1 : lanes<T>>;

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE

#include "simd_numbers.hpp"
#include "simd_vector.hpp"
