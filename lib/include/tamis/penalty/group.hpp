#pragma once
/// Group norms, with the two kinds of groups the papers use.

#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"
#include "../projection/simplex.hpp"

namespace tamis {

/// Which coefficients form a group. `block == 0`: the K weights of one feature (a row across classes).
/// `block == B`: B consecutive features within one class; the last block may be shorter.
struct Groups {
  Index block = 0;

  static constexpr Groups rows() { return {0}; }
  static constexpr Groups blocks(Index size) { return {size}; }

  /// Features that must be seen together.
  constexpr Index features_together() const { return block == 0 ? 1 : block; }
};

namespace detail {

/// Calls visit(first entry, entries, distance between them) for each group within the given rows.
template <class T, class Visit>
void for_each_group(Groups groups, Rows<T> w, Visit visit) {
  const bool across = groups.block == 0;
  const Index count = across ? w.rows : w.classes;
  for (Index g = 0; g < count; ++g)
    visit(across ? &w(g, 0) : &w(0, g), across ? w.classes : w.rows, across ? Index(1) : w.stride);
}

template <class T>
T norm2(const T* entries, Index count, Index stride) {
  T square = 0;
  for (Index i = 0; i < count; ++i) {
    const T entry = entries[static_cast<std::size_t>(i) * stride];
    square += entry * entry;
  }
  return square_root(square);
}
template <class T>
T norm1(const T* entries, Index count, Index stride) {
  T total = 0;
  for (Index i = 0; i < count; ++i) total += absolute(entries[static_cast<std::size_t>(i) * stride]);
  return total;
}
template <class T>
T norm_inf(const T* entries, Index count, Index stride) {
  T top = 0;
  for (Index i = 0; i < count; ++i) top = largest(top, absolute(entries[static_cast<std::size_t>(i) * stride]));
  return top;
}

}  // namespace detail

/// Ω(W) = Σ_g ‖w_g‖₂. Prox: w_g (1 − step/‖w_g‖)₊. Dual norm: max_g ‖g_g‖₂. Source: papers A and B.
struct GroupL2 {
  Groups groups = Groups::rows();

  constexpr Index features_together() const { return groups.features_together(); }

  template <class T>
  T value(Rows<const T> w) const {
    T total = 0;
    detail::for_each_group(groups, w, [&](const T* entries, Index count, Index stride) {
      total += detail::norm2(entries, count, stride);
    });
    return total;
  }

  template <class T>
  void prox(Rows<T> w, T step) const {
    detail::for_each_group(groups, w, [&](T* entries, Index count, Index stride) {
      const T norm = detail::norm2(static_cast<const T*>(entries), count, stride);
      const T shrink = norm > step ? T(1) - step / norm : T(0);
      for (Index i = 0; i < count; ++i) entries[static_cast<std::size_t>(i) * stride] *= shrink;
    });
  }

  template <class T>
  T dual_norm(Rows<const T> g) const {
    T top = 0;
    detail::for_each_group(groups, g, [&](const T* entries, Index count, Index stride) {
      top = largest(top, detail::norm2(entries, count, stride));
    });
    return top;
  }
};

/// Ω(W) = Σ_g ‖w_g‖∞. Prox: clip w_g to the level at which Σ(|w| − level)₊ = step. Dual norm: max_g ‖g_g‖₁.
/// Source: papers A and B.
struct GroupLinf {
  Groups groups = Groups::rows();

  constexpr Index features_together() const { return groups.features_together(); }

  template <class T>
  T value(Rows<const T> w) const {
    T total = 0;
    detail::for_each_group(groups, w, [&](const T* entries, Index count, Index stride) {
      total += detail::norm_inf(entries, count, stride);
    });
    return total;
  }

  template <class T>
  void prox(Rows<T> w, T step) const {
    detail::for_each_group(groups, w, [&](T* entries, Index count, Index stride) {
      const T level = linf_level(static_cast<const T*>(entries), count, stride, step);
      for (Index i = 0; i < count; ++i) {
        T& entry = entries[static_cast<std::size_t>(i) * stride];
        entry = smallest(largest(entry, -level), level);
      }
    });
  }

  template <class T>
  T dual_norm(Rows<const T> g) const {
    T top = 0;
    detail::for_each_group(groups, g, [&](const T* entries, Index count, Index stride) {
      top = largest(top, detail::norm1(entries, count, stride));
    });
    return top;
  }
};

}  // namespace tamis
