#pragma once
/// The matrix with given row and column sums whose entries are not negative and whose squares sum to the least.

#include "../linalg/scalar.hpp"
#include "../linalg/simd.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {

/// Σ (t + vⱼ)₊.
template <class T>
T raised_sum(const T* v, Index count, T t) {
  auto sums = Simd<T>::zero();
  const auto level = Simd<T>::fill(t);
  Index j = 0;
  for (; j + lanes<T> <= count; j += lanes<T>) sums = sums + (Simd<T>::load(v + j) + level).positive_part();
  T sum = sums.sum();
  for (; j < count; ++j) sum += largest(v[j] + t, T(0));
  return sum;
}

/// t with Σ (t + vⱼ)₊ = total, by Newton's steps from `start`: after the first they only fall, and they end when the
/// terms that are not zero stay the same.
template <class T>
T raised_level(const T* v, Index count, T total, T start) {
  T t = start;
  Index before = count + 1;
  for (int round = 0; round < 64; ++round) {
    Index kept = 0;
    for (Index j = 0; j < count; ++j) kept += v[j] + t > T(0);
    if (kept == before) break;
    before = kept;
    if (kept > 0) {
      t += (total - raised_sum(v, count, t)) / T(kept);
      continue;
    }
    T top = v[0];
    for (Index j = 1; j < count; ++j) top = largest(top, v[j]);
    t = total - top;  // at or above the answer
    if (!(total > T(0))) break;
  }
  return t;
}

}  // namespace detail

/// Σ β² of a matrix β ≥ 0 with those row and column sums (none negative, of the same total): never below the least that
/// there is, and that up to 1e-11 of it or to rounding unless 100 rounds do not suffice.
///
/// The least has β_rk = (a_r + b_k)₊. From the answer without signs on, a and b are set in turn to what the row sums
/// and the column sums demand; the rate is that of the graph of the entries that are not zero, which is nested: 5 to 40
/// rounds. Then entries of columns with too much are scaled down, and what is missing is spread as the product of what
/// rows and columns lack. `row`, `column` and the scratch a, b hold one number per row or column; `row` is overwritten.
/// Cost O(rows·columns) per round.
template <class T>
[[gnu::noinline]] T least_squares_coupling(T* row, Index rows, const T* column, Index columns, T* a, T* b) {
  T total = 0;
  for (Index k = 0; k < columns; ++k) total += column[k];
  if (!(total > T(0))) return T(0);
  for (Index k = 0; k < columns; ++k) b[k] = (column[k] - total / T(columns)) / T(rows);
  for (Index r = 0; r < rows; ++r) a[r] = row[r] / T(columns);
  const auto column_sum = [=](Index k) { return detail::raised_sum(a, rows, b[k]); };
  constexpr T enough = largest(T(16) * epsilon<T>, T(1e-12));
  for (int round = 1;; ++round) {  // it ends with the rows: their sums are right then
    for (Index r = 0; r < rows; ++r) a[r] = detail::raised_level(b, columns, row[r], a[r]);
    T off = 0;
    for (Index k = 0; k < columns; ++k) off += absolute(column_sum(k) - column[k]);
    if (off <= enough * total || round == 100) break;
    for (Index k = 0; k < columns; ++k) b[k] = detail::raised_level(a, rows, column[k], b[k]);
  }

  const auto share = [=](T sum, T wanted) { return sum > wanted ? wanted / sum : T(1); };
  for (Index k = 0; k < columns; ++k) {
    const T kept = share(column_sum(k), column[k]);
    for (Index r = 0; r < rows; ++r) row[r] -= kept * largest(a[r] + b[k], T(0));
  }
  T lacking = 0;
  for (Index r = 0; r < rows; ++r) lacking += row[r] = largest(row[r], T(0));
  T square = 0;
  for (Index k = 0; k < columns; ++k) {
    const T sum = column_sum(k), kept = share(sum, column[k]);
    const T part = lacking > T(0) ? largest(column[k] - sum, T(0)) / lacking : T(0);
    for (Index r = 0; r < rows; ++r) {
      const T entry = kept * largest(a[r] + b[k], T(0)) + part * row[r];
      square += entry * entry;
    }
  }
  return square;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
