#pragma once
/// Sums of norms over groups of coefficients.

#include "../projection/simplex.hpp"
#include "groups.hpp"
#include "prox_jacobian.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {

/// Calls visit(group) with the entries of each group, as rows of their own, within rows that are seen together.
template <class T, class Visit>
void for_each_group(const Groups& groups, const Rows<T>& w, Visit visit) {
  const bool across = groups.block == 0;
  const Index count = groups.is_listed ? 1 : across ? w.rows : w.classes;
  for (Index g = 0; g < count; ++g) {
    Rows<T> group = w;
    if (!groups.is_listed) {
      group.data = across ? w.row(g) : w.data + g;
      (across ? group.rows : group.classes) = 1;
    }
    visit(group);
  }
}

/// Calls visit(entry) with each entry but the padding, row by row.
template <class T, class Visit>
[[gnu::always_inline]] inline void for_each_entry(const Rows<T>& w, Visit visit) {
  for (Index r = 0; r < w.rows; ++r) {
    T* row = w.row(r);
    for (Index k = 0; k < w.classes; ++k) visit(row[k]);
  }
}

template <class T>
T norm_inf(const Rows<const T>& w) {
  T top = 0;
  for_each_entry(w, [&](T entry) { top = largest(top, absolute(entry)); });
  return top;
}
/// ‖w‖₂ where the squares of the entries are too small or too large for T. It takes what rows are made of, so that
/// those of its callers stay in registers.
template <class T>
[[gnu::noinline]] T scaled_norm2(const T* data, Index rows, Index classes, Index stride, const Index* members) {
  const Rows<const T> w{data, rows, classes, stride, 0, members};
  const T top = norm_inf(w);
  if (!(top > T(0)) || !finite(top)) return top;
  T square = 0;
  for_each_entry(w, [&](T entry) { square += (entry / top) * (entry / top); });
  return top * square_root(square);
}
template <class T>
T sum_of_squares(const Rows<const T>& w) {
  T square = 0;
  for_each_entry(w, [&](T entry) { square += entry * entry; });
  return square;
}
/// ‖w‖₂ from the sum of its squares.
template <class T>
T norm2(const Rows<const T>& w, T square) {
  return holds_squares(square) ? square_root(square) : scaled_norm2(w.data, w.rows, w.classes, w.stride, w.members);
}
template <class T>
T norm2(const Rows<const T>& w) {
  return norm2(w, sum_of_squares(w));
}
template <class T>
T norm1(const Rows<const T>& w) {
  T total = 0;
  for_each_entry(w, [&](T entry) { total += absolute(entry); });
  return total;
}

/// w (1 − step/‖w‖₂)₊. Most rows end as zero, and squares tell which as long as T holds that of the step.
template <class T>
void shrink2(const Rows<T>& w, T step) {
  const T square = sum_of_squares<T>(w), limit = step * step;
  T shrink = 0;
  if (!(square <= limit && holds_squares(limit))) {
    const T norm = norm2<T>(w, square);
    if (norm > step) shrink = T(1) - step / norm;
  }
  for_each_entry(w, [=](T& entry) { entry *= shrink; });
}

/// How shrink2 moves: at w = shrink2(v), ‖v‖ = ‖w‖ + step.
template <class T>
ProxSlope<T> shrinkage_slope(const Rows<const T>& w, T step) {
  const T norm = norm2(w);
  return {.scale = norm > T(0) ? square_root(norm / (norm + step)) : T(1)};
}

}  // namespace detail

/// ‖w‖₂. Prox: w (1 − step/‖w‖)₊. Its own dual.
struct EuclideanNorm {
  static constexpr bool knows_sizes_alone = true;  ///< see scores_rows_alike
  template <class T>
  T value(const Rows<const T>& w) const {
    return detail::norm2(w);
  }
  template <class T>
  void prox(const Rows<T>& w, T step) const {
    detail::shrink2(w, step);
  }
  /// See step_coupling.
  template <class T>
  static constexpr T step_coupling() {
    return T(0);
  }
  template <class T>
  T dual(const Rows<const T>& g) const {
    return detail::norm2(g);
  }
  template <class T>
  ProxSlope<T> prox_slope(const Rows<const T>& w, T step) const {
    return detail::shrinkage_slope(w, step);
  }
  template <class T>
  void gradient(const Rows<const T>& w, const Rows<T>& out) const {
    const T scale = T(1) / detail::norm2(w);
    for (Index r = 0; r < w.rows; ++r) {
      const T* from = w.row(r);
      T* to = out.row(r);
      for (Index k = 0; k < w.classes; ++k) to[k] = scale * from[k];
    }
  }
};

/// ‖w‖∞. Prox: clip w to the level at which Σ(|w| − level)₊ = step. Dual: ‖g‖₁.
struct LargestEntryNorm {
  static constexpr bool knows_sizes_alone = true;  ///< see scores_rows_alike
  template <class T>
  T value(const Rows<const T>& w) const {
    return detail::norm_inf(w);
  }
  template <class T>
  void prox(const Rows<T>& w, T step) const {
    const T level = linf_level(Rows<const T>(w), step);
    detail::for_each_entry(w, [=](T& entry) { entry = smallest(largest(entry, -level), level); });
  }
  /// See step_coupling.
  template <class T>
  static constexpr T step_coupling() {
    return T(0);
  }
  template <class T>
  T dual(const Rows<const T>& g) const {
    return detail::norm1(g);
  }
  template <class T>
  ProxSlope<T> prox_slope(const Rows<const T>& w, T) const {
    return {.level = detail::norm_inf(w)};
  }
  /// Shared by the entries that are the largest.
  template <class T>
  void gradient(const Rows<const T>& w, const Rows<T>& out) const {
    const T level = detail::norm_inf(w);
    Index count = 0;
    detail::for_each_entry(w, [&](T entry) { count += absolute(entry) >= level; });
    for (Index r = 0; r < w.rows; ++r) {
      const T* from = w.row(r);
      T* to = out.row(r);
      for (Index k = 0; k < w.classes; ++k) to[k] = absolute(from[k]) >= level ? sign(from[k]) / T(count) : T(0);
    }
  }
};

/// Ω(W) = Σ_g N(w_g) for a norm N of one group. Prox: that of N, group by group. Dual norm: the largest of N's dual.
/// Groups are a feature's row, a block of features within a class, or listed features across all classes.
template <class Norm>
struct GroupSum {
  Groups groups = Groups::rows();
  [[no_unique_address]] Norm norm = {};

  constexpr Groups grouping() const { return groups; }
  constexpr bool valid() const {
    if constexpr (requires { norm.valid(); }) return norm.valid();
    else return true;
  }

  template <class T>
  T value(const Rows<const T>& w) const {
    T total = 0;
    detail::for_each_group(groups, w, [&](const Rows<const T>& group) { total += norm.value(group); });
    return total;
  }

  template <class T>
  void prox(const Rows<T>& w, T step) const {
    detail::for_each_group(groups, w, [&](const Rows<T>& group) { norm.prox(group, step); });
  }

  /// See step_coupling: that of the norm, where it has one.
  template <class T>
  constexpr T step_coupling() const requires requires(const Norm n) {
    n.template step_coupling<T>();
  }
  { return norm.template step_coupling<T>(); }

  /// See ProxJacobian: visits each group with nonzero entries.
  template <class T, class Visit>
  void prox_jacobian(const Rows<const T>& w, T step, Visit&& visit) const requires requires(const Norm n) {
    n.prox_slope(w, step);
  }
  {
    const bool whole = groups.is_listed, across = groups.block == 0;
    for (Index g = 0; g < (whole ? 1 : across ? w.rows : w.classes); ++g) {
      ProxJacobian<T> group{.rows = w.rows, .classes = w.classes, .slope = {}};
      if (!whole && across) group.first_row = g, group.rows = 1;
      if (!whole && !across) group.first_class = g, group.classes = 1;
      const Rows<const T> entries = group.entries(w);
      if (!(detail::norm_inf(entries) > T(0))) continue;
      group.slope = norm.prox_slope(entries, step);
      visit(group);
    }
  }

  constexpr bool scores_rows_alike() const {
    return is_sum_over_rows(*this) && requires { Norm::knows_sizes_alone; };
  }
  constexpr bool keeps_signs() const {
    if constexpr (requires { norm.keeps_signs(); }) return norm.keeps_signs();
    else return false;
  }
  template <class T>
  void gradient(const Rows<const T>& w, const Rows<T>& out) const {
    detail::for_each_group(groups, w, [&](const Rows<const T>& group) {
      Rows<T> to = out;
      to.data += group.data - w.data;
      to.rows = group.rows;
      to.classes = group.classes;
      if (detail::norm_inf(group) > T(0)) norm.gradient(group, to);
      else detail::for_each_entry(to, [](T& entry) { entry = T(0); });
    });
  }

  template <class T>
  T dual_norm(const Rows<const T>& g) const {
    T top = 0;
    detail::for_each_group(groups, g, [&](const Rows<const T>& group) { top = largest(top, norm.dual(group)); });
    return top;
  }

  /// What a norm's power, which is no norm itself, knows of its dual: see DualKind.
  constexpr auto dual_kind() const requires requires(const Norm n) {
    n.dual_kind();
  }
  { return norm.dual_kind(); }
  template <class T>
  T conjugate(const Rows<const T>& g, T lambda) const requires requires(const Norm n) {
    n.conjugate(g, lambda);
  }
  {
    Sum<T> total;
    detail::for_each_group(groups, g, [&](const Rows<const T>& group) { total.add(norm.conjugate(group, lambda)); });
    return total.value();
  }
};

/// Σ_g ‖w_g‖₂. Source: Chierchia et al. (2015); Blondel et al. (2013).
using GroupL2 = GroupSum<EuclideanNorm>;

/// Σ_g ‖w_g‖∞. Source: Chierchia et al. (2015); Blondel et al. (2013).
using GroupLinf = GroupSum<LargestEntryNorm>;

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
