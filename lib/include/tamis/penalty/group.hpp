#pragma once
/// Sums of norms over groups of coefficients.

#include "../projection/simplex.hpp"
#include "groups.hpp"

namespace tamis {

namespace detail {

/// Calls visit(group) with the entries of each group, as rows of their own, within rows that are seen together.
template <class T, class Visit>
void for_each_group(const Groups& groups, Rows<T> w, Visit visit) {
  if (groups.is_listed) return visit(w);
  const bool across = groups.block == 0;
  for (Index g = 0; g < (across ? w.rows : w.classes); ++g) {
    if (across) visit(Rows<T>{w.row(g), 1, w.classes, w.stride});
    else visit(Rows<T>{w.data + g, w.rows, 1, w.stride});
  }
}

/// Calls visit(entry) with each entry but the padding, row by row.
template <class T, class Visit>
[[gnu::always_inline]] inline void for_each_entry(Rows<T> w, Visit visit) {
  for (Index r = 0; r < w.rows; ++r) {
    T* row = w.row(r);
    for (Index k = 0; k < w.classes; ++k) visit(row[k]);
  }
}

template <class T>
T norm2(Rows<const T> w) {
  T square = 0;
  for_each_entry(w, [&](T entry) { square += entry * entry; });
  return square_root(square);
}
template <class T>
T norm1(Rows<const T> w) {
  T total = 0;
  for_each_entry(w, [&](T entry) { total += absolute(entry); });
  return total;
}
template <class T>
T norm_inf(Rows<const T> w) {
  T top = 0;
  for_each_entry(w, [&](T entry) { top = largest(top, absolute(entry)); });
  return top;
}

/// w (1 − step/‖w‖₂)₊
template <class T>
void shrink2(Rows<T> w, T step) {
  const T norm = norm2<T>(w);
  const T shrink = norm > step ? T(1) - step / norm : T(0);
  for_each_entry(w, [=](T& entry) { entry *= shrink; });
}

}  // namespace detail

/// ‖w‖₂. Prox: w (1 − step/‖w‖)₊. Its own dual.
struct EuclideanNorm {
  template <class T>
  T value(Rows<const T> w) const {
    return detail::norm2(w);
  }
  template <class T>
  void prox(Rows<T> w, T step) const {
    detail::shrink2(w, step);
  }
  template <class T>
  T dual(Rows<const T> g) const {
    return detail::norm2(g);
  }
};

/// ‖w‖∞. Prox: clip w to the level at which Σ(|w| − level)₊ = step. Dual: ‖g‖₁.
struct LargestEntryNorm {
  template <class T>
  T value(Rows<const T> w) const {
    return detail::norm_inf(w);
  }
  template <class T>
  void prox(Rows<T> w, T step) const {
    const T level = linf_level(Rows<const T>(w), step);
    detail::for_each_entry(w, [=](T& entry) { entry = smallest(largest(entry, -level), level); });
  }
  template <class T>
  T dual(Rows<const T> g) const {
    return detail::norm1(g);
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
  T value(Rows<const T> w) const {
    T total = 0;
    detail::for_each_group(groups, w, [&](Rows<const T> group) { total += norm.value(group); });
    return total;
  }

  template <class T>
  void prox(Rows<T> w, T step) const {
    detail::for_each_group(groups, w, [&](Rows<T> group) { norm.prox(group, step); });
  }

  template <class T>
  T dual_norm(Rows<const T> g) const {
    T top = 0;
    detail::for_each_group(groups, g, [&](Rows<const T> group) { top = largest(top, norm.dual(group)); });
    return top;
  }
};

/// Σ_g ‖w_g‖₂. Source: papers A and B.
using GroupL2 = GroupSum<EuclideanNorm>;

/// Σ_g ‖w_g‖∞. Source: papers A and B.
using GroupLinf = GroupSum<LargestEntryNorm>;

}  // namespace tamis
