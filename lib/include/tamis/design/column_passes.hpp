#pragma once
/// Passes over the stored entries of one column beside a matrix of samples × classes: what descent over columns does.

#include "../curvature.hpp"
#include "../linalg/register_tile.hpp"
#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"
#include "../targets.hpp"
#include "column.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {

/// What a pass over violations reads.
template <class T>
struct ViolationPass {
  const T* scores;  ///< samples × stride
  const Label* labels;
  const T* weights;  ///< null: all 1
  const T* margins;  ///< null: `margin`
  T margin;
  const T* numbers;  ///< the labels that scores stand for
  const T* valid;    ///< 1 for a class, 0 for padding
  bool far = false;  ///< the scores do not fit caches near the processor: they are fetched ahead
};

/// Fetches the row of scores that the pass comes to a few entries from now: which one no hardware can guess.
template <class T>
[[gnu::always_inline]] inline void fetch_ahead(const Column<T>& x, Index e, const T* matrix, Index stride) {
  constexpr Index ahead = 12, line = 64 / sizeof(T);
  const T* row = row_of(matrix, x.rows[e + ahead < x.count ? e + ahead : e], stride);
  for (Index k = 0; k < stride; k += line) __builtin_prefetch(row + k);
}

template <class T, int N, bool wide, Violations terms>
TAMIS_TILE void sum_violations_strip(Column<T> x, const ViolationPass<T>& pass, Index stride, Index first, Index count,
                                     T* gradient, T* curvature) {
  using S = RegisterTile<T, N, wide>;
  const auto numbers = S::load(count, pass.numbers + first), valid = S::load(count, pass.valid + first);
  const bool far = profile.fetches && pass.far;
  const bool special = far || pass.weights || pass.margins;
  auto g = S::zero(count), h = S::zero(count);
  Index e = 0;
  while (e < x.count) {
    const Label label = pass.labels[x.sample(e)];
    // 1 where the class is not the label
    const auto others = S::map(
        count,
        [&](auto, const auto& number, const auto& is_class) __attribute__((always_inline)) {
          using P = std::remove_cvref_t<decltype(number)>;
          const auto distance = number - P::fill(T(label));
          return (distance * distance).where_positive(is_class);
        },
        numbers, valid);
    // 1 for them, −1 for the label, 0 for padding
    const auto signs = S::map(
        count, [](auto, const auto& other, const auto& is_class) __attribute__((always_inline)) {
          return (other + other) - is_class;
        },
        others, valid);
    auto run_g = S::zero(count), run_h = S::zero(count);
    Index i = x.sample(e);
    do {
      T value = x.values[e];
      T square = value * value;
      T margin = pass.margin;
      if (special) {  // one question an entry where there is nothing of these
        if (far && x.rows) fetch_ahead(x, e, pass.scores, stride);
        if (pass.weights) {
          value *= pass.weights[i];
          square *= pass.weights[i];
        }
        if (pass.margins) margin = pass.margins[i];
      }
      const T* row = row_of(pass.scores, i, stride);
      if constexpr (terms == Violations::of_pairs) {
        const T shift = margin - row[label];
        S::for_each(
            count,
            [&](auto offset, auto& total_g, auto& total_h) __attribute__((always_inline)) {
              using P = std::remove_cvref_t<decltype(total_g)>;
              const auto excess = P::load(row + first + offset) + P::fill(shift);
              total_g = total_g + P::fill(value) * excess.positive_part();
              total_h = total_h + excess.where_positive(P::fill(square));
            },
            run_g, run_h);
      } else {
        S::for_each(
            count,
            [&](auto offset, const auto& sign, auto& total_g, auto& total_h) __attribute__((always_inline)) {
              using P = std::remove_cvref_t<decltype(sign)>;
              const auto excess = P::fill(margin) + sign * P::load(row + first + offset);
              total_g = total_g + P::fill(value) * (sign * excess.positive_part());
              total_h = total_h + excess.where_positive(P::fill(square));
            },
            signs, run_g, run_h);
      }
      if (++e == x.count) break;
      i = x.sample(e);
    } while (pass.labels[i] == label);
    const auto add = [](auto, const auto& a, const auto& b) __attribute__((always_inline)) { return a + b; };
    if constexpr (terms == Violations::of_pairs) {  // what the other classes gain the label loses
      const auto times = [](auto, const auto& a, const auto& b) __attribute__((always_inline)) { return a * b; };
      run_g = S::map(count, times, run_g, others);
      run_h = S::map(count, times, run_h, others);
      gradient[label] -= run_g.sum(count);
      curvature[label] += run_h.sum(count);
    }
    g = S::map(count, add, g, run_g);
    h = S::map(count, add, h, run_h);
  }
  const auto add_to = [&](const S& total, T* out) {
    S::map(
        count,
        [&](auto offset, const auto& piece) __attribute__((always_inline)) {
          using P = std::remove_cvref_t<decltype(piece)>;
          return P::load(out + offset) + piece;
        },
        total)
        .store(count, out);
  };
  add_to(g, gradient + first);
  add_to(h, curvature + first);
}

template <class T, bool wide, Violations terms>
TAMIS_TILE void sum_violations_rows(Column<T> x, const ViolationPass<T>& pass, Index stride, T* gradient,
                                    T* curvature) {
  for_each_even_strip<T>(
      stride, [&]<int N>(Index k, Index count) __attribute__((always_inline)) {
        sum_violations_strip<T, N, wide, terms>(x, pass, stride, k, count, gradient, curvature);
      });
}

template <class T, int N, bool wide>
TAMIS_TILE void add_column_strip(Column<T> x, const T* row, Index stride, Index count, T* z) {
  using S = RegisterTile<T, N, wide>;
  const auto coefficients = S::load(count, row);
  for (Index e = 0; e < x.count; ++e) {
    T* scores = row_of(z, x.sample(e), stride);
    const T value = x.values[e];
    S::map(
        count,
        [&](auto offset, const auto& c) __attribute__((always_inline)) {
          using P = std::remove_cvref_t<decltype(c)>;
          return P::load(scores + offset) + P::fill(value) * c;
        },
        coefficients)
        .store(count, scores);
  }
}
template <class T, bool wide>
TAMIS_TILE void add_column_rows(Column<T> x, const T* row, Index stride, T* z) {
  for_each_even_strip<T>(
      stride, [&]<int N>(Index k, Index count)
                  __attribute__((always_inline)) { add_column_strip<T, N, wide>(x, row + k, stride, count, z + k); });
}

template <class T, int N, bool wide>
TAMIS_TILE void sum_column_strip(Column<T> x, Index first, Index last, const T* u, Index stride, Index count, T* out) {
  using S = RegisterTile<T, N, wide>;
  auto total = S::zero(count);
  for (Index e = first; e < last; ++e) {
    const T* dual = row_of(u, x.sample(e), stride);
    const T value = x.values[e];
    total = S::map(
        count,
        [&](auto offset, const auto& t) __attribute__((always_inline)) {
          using P = std::remove_cvref_t<decltype(t)>;
          return t + P::fill(value) * P::load(dual + offset);
        },
        total);
  }
  S::map(
      count,
      [&](auto offset, const auto& t) __attribute__((always_inline)) {
        using P = std::remove_cvref_t<decltype(t)>;
        return P::load(out + offset) + t;
      },
      total)
      .store(count, out);
}
template <class T, bool wide, bool may_store_zeros = false>
TAMIS_TILE void sum_column_rows(Column<T> x, const T* u, Index stride, T* out) {
  fill(out, stride, T(0));
  for (Index first = 0, last = 0; first < x.count; first = last) {
    last = may_store_zeros ? x.end_of_block(first) : first + smallest(rows_of_block, x.count - first);
    for_each_even_strip<T>(
        stride, [&]<int N>(Index k, Index count) __attribute__((always_inline)) {
          sum_column_strip<T, N, wide>(x, first, last, u + k, stride, count, out + k);
        });
  }
}

template <class T, Violations terms>
TAMIS_WIDE [[gnu::noinline]] void sum_violations_wide(Column<T> x, const ViolationPass<T>& pass, Index stride,
                                                      T* gradient, T* curvature) {
  sum_violations_rows<T, true, terms>(x, pass, stride, gradient, curvature);
}
template <class T>
TAMIS_WIDE [[gnu::noinline]] void add_column_wide(Column<T> x, const T* row, Index stride, T* z) {
  add_column_rows<T, true>(x, row, stride, z);
}
template <class T, bool may_store_zeros = false>
TAMIS_WIDE [[gnu::noinline]] void sum_column_wide(Column<T> x, const T* u, Index stride, T* out) {
  sum_column_rows<T, true, may_store_zeros>(x, u, stride, out);
}

/// gradient ← Σᵢ x_i cᵢ ∂ℓᵢ/2 and curvature ← Σᵢ x_i² cᵢ ∂²ℓᵢ/2 at scores, for a loss that is a sum of squared
/// violations and the entries of one column; cᵢ are the weights as they are given. Cost: the column's entries ×
/// classes. Runs of entries with one label cost least. The padding of the curvature has no meaning.
template <class T, Violations terms>
[[gnu::noinline]] void sum_violations(Column<T> x, const ViolationPass<T>& pass, Index stride, T* gradient,
                                      T* curvature) {
  for (Index k = 0; k < stride; ++k) gradient[k] = curvature[k] = T(0);
  if constexpr (profile.wide)
    if (has_wide_vectors()) return sum_violations_wide<T, terms>(x, pass, stride, gradient, curvature);
  sum_violations_rows<T, false, terms>(x, pass, stride, gradient, curvature);
}

}  // namespace detail

/// Z(i, :) += x_i row for the entries of a column.
template <class T>
[[gnu::noinline]] void add_column(Column<T> x, const T* row, Index stride, T* z) {
  if constexpr (profile.wide)
    if (has_wide_vectors()) return detail::add_column_wide(x, row, stride, z);
  detail::add_column_rows<T, false>(x, row, stride, z);
}

/// out ← Σᵢ x_i U(i, :), block by block; where zeros may be stored, to the bits of the column without them.
template <bool may_store_zeros = false, class T>
[[gnu::noinline]] void sum_column(Column<T> x, const T* u, Index stride, T* out) {
  if constexpr (profile.wide)
    if (has_wide_vectors()) return detail::sum_column_wide<T, may_store_zeros>(x, u, stride, out);
  detail::sum_column_rows<T, false, may_store_zeros>(x, u, stride, out);
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
