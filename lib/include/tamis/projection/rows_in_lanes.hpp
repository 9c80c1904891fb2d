#pragma once
/// Several rows at once, a lane of a vector each: what profiles with lanes do to short rows.

#include "../linalg/rows.hpp"
#include "../linalg/transpose_registers.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail {

inline constexpr Index rows_in_lanes = 32;  ///< entries of a row that is taken together with others, at most

/// lanes<T> rows at once, a lane each: entry k of all of them is v[k]. Every lane goes through the same operations as a
/// row by itself does, until none changes.
template <class T>
struct RowsInLanes {
  static constexpr Index most = rows_in_lanes;
  using Native = typename Simd<T>::Native;
  using Mask = decltype(Native{} > Native{});
  using Entry = std::remove_reference_t<decltype(Mask{}[0])>;  ///< an integer as large as T
  Simd<T> v[most];

  void load(const T* rows, Index stride, Index count) {
    Index k = 0;
    do {  // there is an entry
      TAMIS_UNROLL
      for (Index r = 0; r < lanes<T>; ++r) v[k + r] = Simd<T>::load(row_of(rows, r, stride) + k);
      transpose_registers<T, lanes<T>>(v + k);
      k += lanes<T>;
    } while (k < count);
  }
  /// Whole vectors: what is beyond `count` becomes zero.
  void store(T* rows, Index stride, Index count) {
    for (Index k = count; k < padded<T>(count); ++k) v[k] = Simd<T>::zero();
    for (Index k = 0; k < count; k += lanes<T>) {
      transpose_registers<T, lanes<T>>(v + k);
      TAMIS_UNROLL
      for (Index r = 0; r < lanes<T>; ++r) v[k + r].store(row_of(rows, r, stride) + k);
    }
  }
  static Native only(Mask where, Native value) {
    return reinterpret_cast<Native>(where & reinterpret_cast<Mask>(value));
  }

  Native highest(Index count) const {
    Native top = v[0].entry;
    for (Index k = 1; k < count; ++k) top = v[k].entry > top ? v[k].entry : top;
    return top;
  }
  /// As project_simplex of one row.
  void project_simplex(Index count, Native radius, Native top) {
    const Native none{};
    Native level = top - radius;
    Mask kept = Mask{} + static_cast<Entry>(count + 1);
    for (bool last = false; !last;) {
      Native total = none;
      const Mask before = kept;
      kept = Mask{};
      for (Index k = 0; k < count; ++k) {
        const Mask above = v[k].entry > level;
        total += only(above, v[k].entry);
        kept -= above;
      }
      const Native next = (total - radius) / __builtin_convertvector(kept, Native);
      const Mask ended = (kept <= 1) | (kept == before) | ((next <= level) & (before <= Entry(count)));
      level = ended ? level : next;
      last = true;
      for (Index r = 0; r < lanes<T>; ++r) last = last && ended[r];
    }
    const Mask alone = kept == 1;
    for (Index k = 0; k < count; ++k) {
      const Native rest = alone ? radius : v[k].entry - level;
      v[k].entry = only(v[k].entry > level, rest);
    }
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail
