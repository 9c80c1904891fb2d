#pragma once
/// What a workload is made of, and the memory that all of them share.

#include <cstdint>

#include "tamis/linalg/rows.hpp"

namespace tamis::bench {

#ifdef TAMIS_BENCH_DOUBLE
using Real = double;
#else
using Real = float;
#endif

/// Numbers without pattern: Knuth's linear congruential generator, its upper bits.
struct Random {
  std::uint32_t state = 1;
  std::uint32_t bits() {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
  Real uniform() { return static_cast<Real>(bits()) / Real(8388608) - Real(1); }  ///< in [-1, 1), exact
};

/// FNV-1a with 64 bits.
struct Hash {
  std::uint64_t value = 0xcbf29ce484222325u;
  void word(std::uint32_t bits) {
    for (int shift = 0; shift < 32; shift += 8) value = (value ^ (bits >> shift & 0xff)) * 0x100000001b3u;
  }
  void real(float number) { word(__builtin_bit_cast(std::uint32_t, number)); }
  void real(double number) {
    const auto bits = __builtin_bit_cast(std::uint64_t, number);
    word(static_cast<std::uint32_t>(bits));
    word(static_cast<std::uint32_t>(bits >> 32));
  }
  void matrix(const Real* rows, Index length, Index columns, Index stride) {
    for (Index i = 0; i < length; ++i)
      for (Index k = 0; k < columns; ++k) real(row_of(rows, i, stride)[k]);
  }
};

/// Of one run.
struct Cost {
  double flops = 0;  ///< twice the additions where they are more than the multiplications: the peak has as many of each
  double bytes = 0;  ///< read and written if nothing is cached
  double span = 0;   ///< of memory gone over; 0: as many as `bytes`
};

struct Case;

/// What most traffic does: it reads, or changes numbers in place; in order, or rows of a matrix by their numbers.
enum Traffic { reads, updates, reads_rows, updates_rows };

/// What is done, for any size.
struct Work {
  const char* kind;
  Traffic traffic;
  void (*prepare)(const Case&);
  void (*run)(const Case&);
  Cost (*cost)(const Case&);
  bool (*hash)(const Case&, Hash&);  ///< false: a solve did not reach its tolerance
};

struct Case {
  const char* name;
  const Work* work;
  Index samples, features, classes;
  float lambda = 0, tolerance = 0;  // of a path λ is the ratio of its last to its first

  constexpr Index stride() const { return padded<Real>(classes); }
};

// ---- what there is ------------------------------------------------------------------------------------------------

extern const Work peak, read_memory, update_memory, read_rows, update_rows;  // workloads_floors.cpp
extern const Work inner_product, multiply, transposed_multiply, cholesky;    // workloads_kernels.cpp
extern const Work simplex_projection, epigraph_projection, group_l2_prox, group_linf_prox;
extern const Work column_sum, column_violations, column_update, prediction;
extern const Work hinge_l1, hinge_group_l2, hinge_ridge;                      // workloads_hinge.cpp
extern const Work squared_hinge_group_l2, logistic_group_l2, one_vs_rest_l1;  // workloads_smooth.cpp
extern const Work hinge_path, squared_hinge_path, logistic_path;              // of the same two
extern const Work weak_interactions, strong_interactions;                     // workloads_splitting.cpp
extern const Work kernels_for_samples, kernels_for_pairs;

// ---- memory -------------------------------------------------------------------------------------------------------

inline constexpr std::size_t most_values = (std::size_t{64} << 20) / sizeof(Real);
inline constexpr Index most_samples = 4000, most_scores = most_samples * 28, most_coefficients = 7130 * 4;
inline constexpr Index most_entries = 50000, most_columns = 500;

struct Memory {
  alignas(64) Real x[most_values];        // samples, by columns; by rows for a prediction
  alignas(64) Real w[most_coefficients];  // coefficients, the intercepts last
  alignas(64) Real u[most_scores];        // one row per sample
  alignas(64) Real z[most_scores];        // results of the size of u
  alignas(64) Real g[most_coefficients];  // results of the size of w
  Real targets[most_samples];
  std::uint16_t labels[most_samples];
  Index rows[most_entries], starts[most_columns + 1];  // of sparse columns
  std::uint32_t predicted[most_samples];
  alignas(64) std::byte arena[std::size_t{20} << 20];
};
extern Memory memory;

/// Keeps a run from being dropped because the next one writes the same.
[[gnu::always_inline]] inline void keep() { asm volatile("" ::: "memory"); }

inline void fill_randomly(Real* out, std::size_t entries, Random& random) {
  for (std::size_t e = 0; e < entries; ++e) out[e] = random.uniform();
}

/// Entries of a sparse column, which each is at a sample of its own, ascending.
inline constexpr Index column_entries = 80;
inline void draw_column_rows(const Case& c, Random& random) {
  const Index apart = c.samples / column_entries;
  for (Index j = 0; j < c.features; ++j)
    for (Index e = 0; e < column_entries; ++e) memory.rows[j * column_entries + e] = e * apart + random.bits() % apart;
}

/// Of a pass over sparse columns that goes `times` over the rows of its samples.
inline Cost cost_of_columns(const Case& c, double flops, double times) {
  const double entries = double(c.features) * column_entries, each = sizeof(Real) + sizeof(Index);
  const double row = sizeof(Real) * double(c.stride());
  return {flops * entries * c.classes, entries * (each + times * row), entries * each + row * c.samples};
}

/// Samples to learn from: each class is centred on features of its own, half of the features are noise.
void draw_samples(const Case& c);

}  // namespace tamis::bench
