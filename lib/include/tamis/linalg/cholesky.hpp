#pragma once
/// A dense Cholesky factor in caller memory.

#include "pack.hpp"
#include "scalar.hpp"

namespace tamis {

/// Σ a_e b_e: lane by lane over whole vectors, then the rest; the order is part of the definition.
template <class T>
[[gnu::always_inline]] inline T dot(const T* a, const T* b, Index count) {
  auto total = Pack<T>::zero();
  Index e = 0;
  for (; e + lanes<T> <= count; e += lanes<T>) total = total + Pack<T>::load(a + e) * Pack<T>::load(b + e);
  T sum = total.sum();
  for (; e < count; ++e) sum += a[e] * b[e];
  return sum;
}

/// Replaces the lower triangle of the symmetric positive definite `a` (size × size, row-major, rows `stride` apart) by
/// its Cholesky factor L, a = LLᵀ. False when a pivot is not positive. Cost size³/3 flops.
template <class T>
[[gnu::noinline]] bool factor_cholesky(T* a, Index size, Index stride) {
  const auto row_at = [=](Index i) { return a + static_cast<std::size_t>(i) * stride; };
  for (Index i = 0; i < size; ++i) {
    T* row = row_at(i);
    Index j = 0;
    for (; j + 2 <= i; j += 2) {  // two entries at a time share the loads of this row
      const T* first = row_at(j);
      const T* second = row_at(j + 1);
      auto x = Pack<T>::zero(), y = Pack<T>::zero();
      Index e = 0;
      for (; e + lanes<T> <= j; e += lanes<T>) {
        const auto r = Pack<T>::load(row + e);
        x = x + r * Pack<T>::load(first + e);
        y = y + r * Pack<T>::load(second + e);
      }
      T sum_x = x.sum(), sum_y = y.sum();
      for (; e < j; ++e) {
        sum_x += row[e] * first[e];
        sum_y += row[e] * second[e];
      }
      row[j] = (row[j] - sum_x) / first[j];
      row[j + 1] = (row[j + 1] - (sum_y + row[j] * second[j])) / second[j + 1];
    }
    for (; j < i; ++j) row[j] = (row[j] - dot(row, static_cast<const T*>(row_at(j)), j)) / row_at(j)[j];
    const T pivot = row[i] - dot(row, row, i);
    if (!(pivot > T(0)) || !finite(pivot)) return false;
    row[i] = square_root(pivot);
  }
  return true;
}

/// x ← (LLᵀ)⁻¹ x.
template <class T>
[[gnu::noinline]] void solve_cholesky(const T* factor, Index size, Index stride, T* x) {
  const auto row_at = [=](Index i) { return factor + static_cast<std::size_t>(i) * stride; };
  for (Index i = 0; i < size; ++i) x[i] = (x[i] - dot(row_at(i), static_cast<const T*>(x), i)) / row_at(i)[i];
  for (Index i = size; i-- > 0;) {
    x[i] /= row_at(i)[i];
    for (Index j = 0; j < i; ++j) x[j] -= x[i] * row_at(i)[j];
  }
}

}  // namespace tamis
