#pragma once
/// Which code runs: the profile of a translation unit, -DTAMIS_PROFILE=speed, size, scalar or narrow; without it size
/// on boards (Arm's M profile, RISC-V and Xtensa without an operating system) and speed elsewhere.
///
///     size    on a Cortex-M0+ … M55 or RISC-V, which have no vectors: plain numbers one after the other, no tiles, one
///             loop for all losses. WebAssembly without SIMD: the same with tiles. Where there are vectors (WebAssembly
///             SIMD, SSE, NEON): vectors and tiles, code for rows of up to three vectors, one loop for all losses.
///     speed   on workstations: vectors of 16 bytes, of 32 where the processor turns out to have AVX2, code for every
///             width of a row, a loop for every loss.
///     scalar  what the others are compared with, in bits and in time: speed with plain numbers instead of vectors.
///     narrow  what processors without AVX2 run, and less code: speed without vectors of 32 bytes.
///
/// All give the same bits of models, objectives and gaps; for more than 512 features, size and WebAssembly take less
/// memory and count more epochs, see ScoreBounds. Everything that the library declares is in an inline namespace of the
/// profile: two profiles in one program are two sets of types, and a function of one that is called from the other is
/// not found when linking. Nothing else that compilers are told chooses, not -Os either: files that differ in that
/// share their functions.

#if !defined(__GNUC__) || __cplusplus < 202002L || (!defined(__clang__) && __GNUC__ < 11) || \
    (defined(__clang__) && !defined(__apple_build_version__) && __clang_major__ < 13)
#error \
    "tamis: the headers are C++20 for g++ 11 or newer and clang++ 13 or newer: compile with -std=c++20 or -std=gnu++20. A header from `tamis export` needs no more than C99"
#endif

// Whether it is a board, whatever the profile: an option or two have another default there.
#if (defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M') || \
    ((defined(__riscv) || defined(__XTENSA__)) && !defined(__unix__))
#define TAMIS_IS_BOARD true
#else
#define TAMIS_IS_BOARD false
#endif

#ifndef TAMIS_PROFILE
#if TAMIS_IS_BOARD
#define TAMIS_PROFILE size
#else
#define TAMIS_PROFILE speed
#endif
#endif
#define TAMIS_JOIN_NAMES(a, b) a##b
#define TAMIS_JOIN(a, b) TAMIS_JOIN_NAMES(a, b)
#define TAMIS_NUMBER_OF_speed 1
#define TAMIS_NUMBER_OF_size 2
#define TAMIS_NUMBER_OF_scalar 3
#define TAMIS_NUMBER_OF_narrow 4
#define TAMIS_PROFILE_IS(name) (TAMIS_JOIN(TAMIS_NUMBER_OF_, TAMIS_PROFILE) == TAMIS_NUMBER_OF_##name)
#if TAMIS_JOIN(TAMIS_NUMBER_OF_, TAMIS_PROFILE) == 0
#error "tamis: TAMIS_PROFILE is speed, size, scalar or narrow"
#endif

// What the compiler has to know before it reads a function: its namespace and its attributes.

#if !TAMIS_PROFILE_IS(scalar) && \
    (defined(__SSE2__) || defined(__ARM_NEON) || defined(__wasm_simd128__) || defined(__ALTIVEC__))
#define TAMIS_HAS_VECTORS true
#define TAMIS_PROFILE_NAMESPACE TAMIS_JOIN(TAMIS_PROFILE, _vectors)
#else
#define TAMIS_HAS_VECTORS false
#define TAMIS_PROFILE_NAMESPACE TAMIS_JOIN(TAMIS_PROFILE, _numbers)
#endif

/// Functions with vectors of 32 bytes are declared with TAMIS_WIDE, and what is inlined into them with TAMIS_TILE.
/// TAMIS_MULTIPLY_TILE: elsewhere a function of its own, whose sums all compilers keep in registers. Fused operations,
/// which would change bits, stay off.
#if defined(__x86_64__) && TAMIS_HAS_VECTORS && TAMIS_PROFILE_IS(speed)
#define TAMIS_HAS_WIDE true
#ifdef __AVX2__
#define TAMIS_WIDE
#else
#define TAMIS_WIDE [[gnu::target("avx2")]]
#endif
#define TAMIS_TILE [[gnu::always_inline]] inline
#define TAMIS_MULTIPLY_TILE TAMIS_TILE
#else
#define TAMIS_HAS_WIDE false
#define TAMIS_WIDE
#define TAMIS_TILE
#define TAMIS_MULTIPLY_TILE [[gnu::noinline]]
#endif

/// What is inlined where speed matters more than size, and what is not inlined where size matters more. Functions with
/// one caller: inlined where size matters more, for compilers keep a template's function beside what they inline of it.
#if TAMIS_PROFILE_IS(size) && !defined(__wasm__) && !TAMIS_HAS_VECTORS
#define TAMIS_HAS_TILES false
#define TAMIS_NOINLINE_IF_SMALLEST [[gnu::noinline]]
#define TAMIS_CALLED_ONCE [[gnu::always_inline]] inline
#define TAMIS_INLINED_UNLESS_SMALLEST [[gnu::noinline]]
#else
#define TAMIS_HAS_TILES true
#define TAMIS_NOINLINE_IF_SMALLEST
#define TAMIS_CALLED_ONCE [[gnu::noinline]]
#define TAMIS_INLINED_UNLESS_SMALLEST [[gnu::always_inline]] inline
#endif

/// What runs once a solve and is compiled for size in WebAssembly modules. For g++ it is no hint: there callers, and
/// the loops in them, would be taken for rare as well.
#ifdef __wasm__
#define TAMIS_IS_MODULE true
#define TAMIS_COLD_IN_MODULES [[gnu::cold]]
#else
#define TAMIS_IS_MODULE false
#define TAMIS_COLD_IN_MODULES
#endif

/// Whether the processor computes with floats itself: where it does not, entries that are only padding cost.
#if (defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && !defined(__ARM_FP)) || \
    (defined(__riscv) && !defined(__riscv_flen))
#define TAMIS_HAS_FLOAT_UNIT false
#else
#define TAMIS_HAS_FLOAT_UNIT true
#endif

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// What a profile takes, for `if constexpr` and for arguments of templates.
struct Profile {
  bool numbers;         ///< a Simd is plain numbers, not a vector of the compiler
  bool lanes;           ///< rows, samples and features are taken several at once, a lane of a vector each
  bool wide;            ///< vectors of 32 bytes where `has_wide_vectors()`
  bool single_entries;  ///< loops over the entries of a row take one at a time
  bool whole_matrices;  ///< loops over entries go over many rows at once, padding included: the smallest code
  bool tiles;           ///< products and factors by tiles, whose sums stay in registers
  bool every_width;     ///< rows of more than three vectors have code for their width
  bool fetches;         ///< rows may be fetched ahead; WebAssembly has no instruction for it
  bool loop_per_loss;   ///< loops over samples are compiled for every loss that is chosen at run time
  bool passes_over;     ///< certificates and norms pass over most of many features: see ScoreBounds
};
inline constexpr Profile profile{
    .numbers = TAMIS_PROFILE_IS(scalar) || (TAMIS_PROFILE_IS(size) && !TAMIS_HAS_VECTORS),
    .lanes = TAMIS_HAS_VECTORS,
    .wide = TAMIS_HAS_WIDE,
    .single_entries = TAMIS_PROFILE_IS(size) && !TAMIS_HAS_VECTORS,
    .whole_matrices = !TAMIS_HAS_TILES && TAMIS_HAS_FLOAT_UNIT,
    .tiles = TAMIS_HAS_TILES,
    .every_width = !TAMIS_PROFILE_IS(size),
    .fetches = !TAMIS_IS_MODULE,
    .loop_per_loss = !TAMIS_PROFILE_IS(size),
    .passes_over = !TAMIS_PROFILE_IS(size) && !TAMIS_IS_MODULE,
};

inline constexpr bool in_webassembly = TAMIS_IS_MODULE;

/// Whether the processor has vectors of 32 bytes.
inline bool has_wide_vectors() {
#if TAMIS_HAS_WIDE
  return __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
