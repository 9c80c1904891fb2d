#pragma once
/// The root of a convex decreasing function of one number.

#include "../linalg/scalar.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// A number and what the function still is there.
template <class T>
struct Root {
  T at = 0;
  T excess = 0;
};

/// The smallest x ≥ 0 with f(x) ≤ 0 for a convex f, by Newton's steps from `start`; evaluate(x, slope) returns f(x) and
/// sets f'(x). A step from the right of the root lands on its left, and steps from the left climb to it without
/// passing: on a piecewise linear f they are finitely many. Where f is flat below zero they begin anew at 0. Without a
/// root the answer is a point with a positive excess.
template <class T, class Evaluate>
Root<T> decreasing_root(T start, Evaluate evaluate) {
  Root<T> here{start, T(0)};
  T low = 0;
  for (int round = 0; round < 64; ++round) {
    T slope = 0;
    here.excess = evaluate(here.at, slope);
    if (here.excess == T(0)) break;
    if (here.excess > T(0)) {
      if (!(slope < T(0))) break;
      const T next = here.at - here.excess / slope;
      if (!(next - here.at > T(2) * epsilon<T> * here.at) || !finite(next)) break;
      low = here.at = next;
    } else {
      if (here.at <= low) break;
      const T next = slope < T(0) ? here.at - here.excess / slope : low;
      if (!(here.at - next > T(2) * epsilon<T> * here.at)) break;
      here.at = largest(next, low);
    }
  }
  return here;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
