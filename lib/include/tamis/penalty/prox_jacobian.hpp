#pragma once
/// How the proximity operator of a penalty moves near a point: what Newton's method needs of it.

#include "../linalg/rows.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// An element U = QQᵀ of the generalised Jacobian of prox on one group, given w = prox(v); S are the nonzero entries of
/// w:
///
///   - level 0: Q = scale·I + (along − scale) ŵŵᵀ on S, ŵ = w/‖w‖;
///   - level > 0: the identity on the entries below the level, and one column sign(w)/√|C| on C = {|w| = level}.
template <class T>
struct ProxSlope {
  T scale = T(1);
  T along = T(1);
  T level = T(0);
};

/// The slope on the entries [first_row, first_row + rows) × [first_class, first_class + classes) of the rows that a
/// penalty sees together. `penalty.prox_jacobian(w, step, visit)` visits those that cover the nonzero entries of w.
template <class T>
struct ProxJacobian {
  Index first_row = 0;
  Index rows = 0;
  Index first_class = 0;
  Index classes = 0;
  ProxSlope<T> slope;

  /// Its entries as rows of their own; `feature` of the result is not meaningful.
  template <class V>
  Rows<V> entries(Rows<V> w) const {
    if (w.members) return w;
    return {w.row(first_row) + first_class, rows, classes, w.stride};
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
