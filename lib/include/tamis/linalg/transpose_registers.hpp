#pragma once
/// Vectors turned around: what lies along them comes to lie across them.

#include "simd.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail {

/// Turns lanes<T> vectors a of W entries around, in place: entry (i, r + h·lanes) becomes entry (r, i + h·lanes).
template <class T, Index W>
TAMIS_TILE void transpose_registers(Simd<T, W>* a) {
  if constexpr (lanes<T> == 4 && W == 4) {
    const auto p = TAMIS_SHUFFLE(a[0].entry, a[1].entry, 0, 4, 1, 5);
    const auto q = TAMIS_SHUFFLE(a[2].entry, a[3].entry, 0, 4, 1, 5);
    const auto r = TAMIS_SHUFFLE(a[0].entry, a[1].entry, 2, 6, 3, 7);
    const auto s = TAMIS_SHUFFLE(a[2].entry, a[3].entry, 2, 6, 3, 7);
    a[0].entry = TAMIS_SHUFFLE(p, q, 0, 1, 4, 5);
    a[1].entry = TAMIS_SHUFFLE(p, q, 2, 3, 6, 7);
    a[2].entry = TAMIS_SHUFFLE(r, s, 0, 1, 4, 5);
    a[3].entry = TAMIS_SHUFFLE(r, s, 2, 3, 6, 7);
  } else if constexpr (lanes<T> == 4) {
    const auto p = TAMIS_SHUFFLE(a[0].entry, a[1].entry, 0, 8, 1, 9, 4, 12, 5, 13);
    const auto q = TAMIS_SHUFFLE(a[2].entry, a[3].entry, 0, 8, 1, 9, 4, 12, 5, 13);
    const auto r = TAMIS_SHUFFLE(a[0].entry, a[1].entry, 2, 10, 3, 11, 6, 14, 7, 15);
    const auto s = TAMIS_SHUFFLE(a[2].entry, a[3].entry, 2, 10, 3, 11, 6, 14, 7, 15);
    a[0].entry = TAMIS_SHUFFLE(p, q, 0, 1, 8, 9, 4, 5, 12, 13);
    a[1].entry = TAMIS_SHUFFLE(p, q, 2, 3, 10, 11, 6, 7, 14, 15);
    a[2].entry = TAMIS_SHUFFLE(r, s, 0, 1, 8, 9, 4, 5, 12, 13);
    a[3].entry = TAMIS_SHUFFLE(r, s, 2, 3, 10, 11, 6, 7, 14, 15);
  } else if constexpr (W == 2) {
    const auto p = TAMIS_SHUFFLE(a[0].entry, a[1].entry, 0, 2);
    a[1].entry = TAMIS_SHUFFLE(a[0].entry, a[1].entry, 1, 3);
    a[0].entry = p;
  } else {
    const auto p = TAMIS_SHUFFLE(a[0].entry, a[1].entry, 0, 4, 2, 6);
    a[1].entry = TAMIS_SHUFFLE(a[0].entry, a[1].entry, 1, 5, 3, 7);
    a[0].entry = p;
  }
}

/// The parts of a vector, or of one of twice its size.
template <class T, Index W>
TAMIS_TILE void store_parts(const Simd<T, W>& a, T* low, T* high) {
  Simd<T> half[W / lanes<T>];
  __builtin_memcpy(half, &a, sizeof half);
  half[0].store(low);
  if constexpr (W > lanes<T>) half[1].store(high);
}
template <class T, Index W>
TAMIS_TILE Simd<T, W> load_parts(const T* low, const T* high) {
  if constexpr (W == lanes<T>) return Simd<T>::load(low);
  else return Simd<T, W>::join(low, high);
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail
