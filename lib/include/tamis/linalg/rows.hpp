#pragma once
/// Operations on row-major matrices whose rows are `stride` entries, a whole number of vectors, long.

#include <type_traits>

#include "scalar.hpp"
#include "simd.hpp"
#include "sum.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

template <class T>
[[gnu::always_inline]] inline T* row_of(T* matrix, Index row, Index stride) {
  return matrix + static_cast<std::size_t>(row) * stride;
}

/// A view of the rows that a penalty sees together. Without `members` they are consecutive: `data` is the row of
/// feature `first`. With `members`, row r is that of feature members[r], and `data` is where the matrix starts. Entries
/// past `classes` are padding.
template <class T>
struct Rows {
  T* data;
  Index rows;
  Index classes;
  Index stride;
  Index first = 0;
  const Index* members = nullptr;

  /// The entries of a row; loops over them should take this once.
  [[gnu::always_inline]] T* row(Index r) const { return row_of(data, members ? members[r] : r, stride); }
  [[gnu::always_inline]] T& operator()(Index r, Index column) const { return row(r)[column]; }
  /// The feature whose coefficients row r holds.
  [[gnu::always_inline]] Index feature(Index r) const { return members ? members[r] : first + r; }
  [[gnu::always_inline]] operator Rows<const T>() const requires(!std::is_const_v<T>) {
    return {data, rows, classes, stride, first, members};
  }
};

template <class T>
[[gnu::noinline]] void fill(T* entries, std::size_t count, T value) {
  for (std::size_t i = 0; i < count; ++i) {
    entries[i] = value;
    if constexpr (!profile.tiles) __asm__ volatile("");  // or the compiler makes a call of memset of it: see copy
  }
}

template <class T>
TAMIS_NOINLINE_IF_SMALLEST void copy(const T* from, std::size_t count, T* to) {
  if constexpr (profile.tiles) {
    __builtin_memcpy(to, from, count * sizeof(T));
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      to[i] = from[i];
      __asm__ volatile("");  // or the compiler makes a call of memcpy of the loop, which is larger than all of this
    }
  }
}

/// An assignment, which for a large object may become a call of memcpy: not where the code is to be the smallest.
template <class V>
void copy_object(const V& from, V& to) {
  if constexpr (profile.tiles) {
    to = from;
  } else {
    static_assert(std::is_trivially_copyable_v<V>);
    copy(reinterpret_cast<const unsigned char*>(&from), sizeof(V), reinterpret_cast<unsigned char*>(&to));
  }
}

/// Adds a piece that begins at entry k of a row to those of its lanes.
template <class T>
[[gnu::always_inline]] inline void add_to_lanes(const SimdOrScalar<T>& piece, std::size_t k, Simd<T>& total) {
  if constexpr (SimdOrScalar<T>::width == lanes<T>) total = total + piece;
  else total.entry[k % lanes<T>] += piece.entry[0];
}

/// Adds the squares of a piece that begins at entry k of a row to those of its lanes.
template <class T>
[[gnu::always_inline]] inline void add_squares(const SimdOrScalar<T>& piece, std::size_t k, Simd<T>& total) {
  if constexpr (SimdOrScalar<T>::width == lanes<T>) total = total + piece * piece;
  else total.entry[k % lanes<T>] += piece.entry[0] * piece.entry[0];
}

/// to ← from + αx over a row, or over all rows at once: `count` is a whole number of vectors.
template <class T>
TAMIS_NOINLINE_IF_SMALLEST void add_scaled_row(const T* from, T alpha, const T* x, std::size_t count, T* to) {
  const auto factor = SimdOrScalar<T>::fill(alpha);
  for (std::size_t e = 0; e < count; e += SimdOrScalar<T>::width)
    (SimdOrScalar<T>::load(from + e) + factor * SimdOrScalar<T>::load(x + e)).store(to + e);
}

/// Calls visit.operator()<Number>(k) for all of `count` entries, Number being a vector, and a single entry for the
/// rest.
template <class T, class Visit>
[[gnu::always_inline]] inline void for_each_width(Index count, Visit visit) {
  using Numbers = SimdOrScalar<T>;
  Index k = 0;
  for (; k + Numbers::width <= count; k += Numbers::width) visit.template operator()<Numbers>(k);
  if constexpr (Numbers::width > 1)
    for (; k < count; ++k) visit.template operator()<Simd<T, 1>>(k);
}

/// row ← α·row.
template <class T>
TAMIS_NOINLINE_IF_SMALLEST void scale_row(T* row, Index count, T alpha) {
  for (Index k = 0; k < count; ++k) row[k] *= alpha;
}

/// s² Σ (aᵢ − bᵢ)² over a row, or over all rows at once: `count` is a whole number of vectors. Without b, s² Σ aᵢ².
template <class T>
TAMIS_NOINLINE_IF_SMALLEST void add_squared_distance(const T* a, const T* b, std::size_t count, Simd<T>& total,
                                                     T scale = T(1)) {
  for (std::size_t k = 0; k < count; k += SimdOrScalar<T>::width) {
    auto difference = SimdOrScalar<T>::load(a + k);
    if (b) difference = difference - SimdOrScalar<T>::load(b + k);
    add_squares<T>(SimdOrScalar<T>::fill(scale) * difference, k, total);
  }
}
template <class T>
Simd<T> squared_distance(const T* a, const T* b, std::size_t count, Simd<T> start) {
  add_squared_distance(a, b, count, start);
  return start;
}

template <class T>
Simd<T> squared_norm(const T* a, std::size_t count, Simd<T> start) {
  return squared_distance(a, static_cast<const T*>(nullptr), count, start);
}

/// The largest |x_e|; NaN where an entry is none or infinite. Four at once, which do not wait for each other.
template <class T>
[[gnu::noinline]] T largest_magnitude(const T* x, std::size_t count) {
  T most[4] = {}, bad[4] = {};
  std::size_t e = 0;
  for (; e + 4 <= count; e += 4) {
    TAMIS_UNROLL
    for (Index lane = 0; lane < 4; ++lane) {
      most[lane] = largest(most[lane], absolute(x[e + lane]));
      bad[lane] += x[e + lane] * T(0);
    }
  }
  for (; e < count; ++e) {
    most[0] = largest(most[0], absolute(x[e]));
    bad[0] += x[e] * T(0);
  }
  return largest(largest(most[0], most[1]), largest(most[2], most[3])) + ((bad[0] + bad[1]) + (bad[2] + bad[3]));
}

inline constexpr Index rows_of_block = 256;  ///< that are added before their sum is, so that few roundings add up

/// sum + Σᵢ xᵢ matrix(i, :), block by block, for one vector of each row. `step` is the distance between the entries of
/// x.
template <class T>
[[gnu::always_inline]] inline Simd<T> add_weighted_vectors(const T* x, std::size_t step, Index rows, const T* matrix,
                                                           Index stride, Simd<T> sum) {
  for (Index left = rows; left > 0;) {
    auto part = Simd<T>::zero();
    Index here = smallest(rows_of_block, left);
    left -= here;
    do {
      part = part + Simd<T>::fill(*x) * Simd<T>::load(matrix);
      x += step;
      matrix += stride;
    } while (--here > 0);
    sum = sum + part;
  }
  return sum;
}
/// out += Σᵢ xᵢ matrix(i, :) for whole rows: the smallest code.
template <class T>
[[gnu::noinline]] void add_weighted_rows(const T* x, std::size_t step, Index rows, const T* matrix, Index stride,
                                         T* out) {
  for (Index k = 0; k < stride; k += lanes<T>)
    add_weighted_vectors(x, step, rows, matrix + k, stride, Simd<T>::load(out + k)).store(out + k);
}

/// sums_k = Σᵢ matrix(i, k), block by block: as precise as the products of a design, for what is used beside them.
template <class T>
TAMIS_CALLED_ONCE void block_sums(const T* matrix, Index rows, Index stride, T* sums) {
  if constexpr (profile.whole_matrices) {
    const T one = T(1);
    fill(sums, stride, T(0));
    return add_weighted_rows(&one, 0, rows, matrix, stride, sums);
  }
  for (Index k = 0; k < stride; k += SimdOrScalar<T>::width) {
    auto total = SimdOrScalar<T>::zero();
    const T* row = matrix + k;
    for (Index left = rows; left > 0;) {
      auto part = SimdOrScalar<T>::zero();
      Index here = smallest(rows_of_block, left);
      left -= here;
      do {
        part = part + SimdOrScalar<T>::load(row);
        row += stride;
      } while (--here > 0);
      total = total + part;
    }
    total.store(sums + k);
  }
}

/// sums_k = Σᵢ matrix(i, k), compensated; `sums` holds `stride` entries.
template <class T>
[[gnu::noinline]] void column_sums(const T* matrix, Index rows, Index stride, T* sums) {
  for (Index k = 0; k < stride; k += SimdOrScalar<T>::width) {
    Sum<SimdOrScalar<T>> total;
    for (Index i = 0; i < rows; ++i) total.add(SimdOrScalar<T>::load(row_of(matrix, i, stride) + k));
    total.value().store(sums + k);
  }
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
