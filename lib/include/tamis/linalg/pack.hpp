#pragma once
/// One 16-byte vector of T: the unit of all arithmetic over classes.
///
/// One source for SSE, NEON, WASM SIMD and scalar cores. Entries never mix, so the results of `+ − ×` are the same bits
/// whether the compiler emits vector or scalar instructions. Define TAMIS_SCALAR for plain loops (smaller code on cores
/// without vectors). The promise needs `-ffp-contract=off`, which the CMake target sets for its users.

#include "../shape.hpp"

#ifdef __FAST_MATH__
#error "tamis: -ffast-math breaks compensated sums and bit-identity; compile without it"
#endif

namespace tamis {

template <class T>
struct Pack {
#ifdef TAMIS_SCALAR
  T entry[lanes<T>];

  template <class Operation>
  static Pack map(Operation operation) {
    Pack out;
    for (Index i = 0; i < lanes<T>; ++i) out.entry[i] = operation(i);
    return out;
  }
  static Pack fill(T value) {
    return map([=](Index) { return value; });
  }
  friend Pack operator+(Pack a, Pack b) {
    return map([&](Index i) { return a.entry[i] + b.entry[i]; });
  }
  friend Pack operator-(Pack a, Pack b) {
    return map([&](Index i) { return a.entry[i] - b.entry[i]; });
  }
  friend Pack operator*(Pack a, Pack b) {
    return map([&](Index i) { return a.entry[i] * b.entry[i]; });
  }
#else
  typedef T Native __attribute__((vector_size(vector_bytes)));
  Native entry;

  static Pack fill(T value) { return {value - Native{}}; }
  friend Pack operator+(Pack a, Pack b) { return {a.entry + b.entry}; }
  friend Pack operator-(Pack a, Pack b) { return {a.entry - b.entry}; }
  friend Pack operator*(Pack a, Pack b) { return {a.entry * b.entry}; }
#endif

  static Pack zero() { return Pack{}; }
  static Pack load(const T* from) {
    Pack out;
    __builtin_memcpy(&out.entry, from, vector_bytes);
    return out;
  }
  void store(T* to) const { __builtin_memcpy(to, &entry, vector_bytes); }

  /// Entries added from the first to the last.
  T sum() const {
    T total = entry[0];
    for (Index i = 1; i < lanes<T>; ++i) total += entry[i];
    return total;
  }
};

}  // namespace tamis
