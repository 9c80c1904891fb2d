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
#ifdef __wasm__
    __asm__("" : "+r"(where));  // or the compiler makes a choice between the value and zero of it, which is slower
#endif
    return reinterpret_cast<Native>(where & reinterpret_cast<Mask>(value));
  }
  static Native select(Mask where, Native value, Native other) {
    return reinterpret_cast<Native>((where & reinterpret_cast<Mask>(value)) | (~where & reinterpret_cast<Mask>(other)));
  }
  static bool all(Mask where) {
    std::uint64_t half[2];
    __builtin_memcpy(half, &where, sizeof where);
    return (half[0] & half[1]) == ~std::uint64_t(0);
  }
  /// The entry of that number in each row ← value. Few are written in registers: what is read soon must not be written
  /// in parts.
  void put(Mask number, Native value, Index count) {
    if (!profile.every_width || count <= most_put) {
      Index k = 0;
      do v[k].entry = select(is(number, k), value, v[k].entry);  // there is an entry
      while (++k < count);
    } else {
      TAMIS_UNROLL
      for (Index r = 0; r < lanes<T>; ++r) v[number[r]].entry[r] = value[r];
    }
  }
  /// The entry of that number in each row has the value taken away, and the rows that are not `where` become zero.
  void take_away(Mask number, Native value, Mask where, Index count) {
    if (!profile.every_width || count <= most_put) {
      for (Index k = 0; k < count; ++k) v[k].entry = only(where, v[k].entry - only(is(number, k), value));
    } else {
      TAMIS_UNROLL
      for (Index r = 0; r < lanes<T>; ++r) v[number[r]].entry[r] -= value[r];
      for (Index k = 0; k < count; ++k) v[k].entry = only(where, v[k].entry);
    }
  }

  Native highest(Index count) const {
    Native top = v[0].entry;
    for (Index k = 1; k < count; ++k) top = v[k].entry > top ? v[k].entry : top;
    return top;
  }
  /// As project_simplex of one row.
  void project_simplex(Index count, Native radius, Native top) {
    if (!profile.every_width || count > few) return project<0>(v, count, radius, top);
    Simd<T> entries[few];  // stay in registers; those that there are not are below every level
    for_each<few>(few, [&](Index k) TAMIS_INLINED { entries[k] = k < count ? v[k] : Simd<T>::fill(-infinity<T>); });
    project<few>(entries, few, radius, top);
    for_each<few>(few, [&](Index k) TAMIS_INLINED { v[k] = entries[k]; });
  }

 private:
  static constexpr Index few = 3, most_put = 12;

  static Mask is(Mask number, Index k) { return number == Mask{} + static_cast<Entry>(k); }

  /// Visits the numbers below `count`, or below `known` unless that is 0.
  template <Index known, class Visit>
  [[gnu::always_inline]] static void for_each(Index count, Visit visit) {
    if constexpr (known > 0) {
      TAMIS_UNROLL
      for (Index k = 0; k < known; ++k) visit(k);
    } else {
      for (Index k = 0; k < count; ++k) visit(k);
    }
  }
  template <Index known>
  [[gnu::always_inline]] static void project(Simd<T>* v, Index count, Native radius, Native top) {
    Native level = top - radius;
    const Native one = Simd<T>::fill(T(1)).entry, all_of_them = Simd<T>::fill(T(most)).entry;
    Native kept = all_of_them + one;  // numbers of entries
    for (bool last = false; !last;) {
      Native total{};
      const Native before = kept;
      kept = Native{};
      Mask counted{};
      for_each<known>(count, [&](Index k) TAMIS_INLINED {
        const Mask above = v[k].entry > level;
        total += only(above, v[k].entry);
        if constexpr (known > 0) kept += only(above, one);
        else counted -= above;  // and converted, which pays for many
      });
      if constexpr (known == 0) kept = __builtin_convertvector(counted, Native);
      const Native next = (total - radius) / kept;
      const Mask ended = (kept <= one) | (kept == before) | ((next <= level) & (before <= all_of_them));
      level = select(ended, level, next);
      last = all(ended);
    }
    const Mask alone = kept == one;
    for_each<known>(count, [&](Index k) TAMIS_INLINED {
      v[k].entry = only(v[k].entry > level, select(alone, radius, v[k].entry - level));
    });
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail
