#pragma once
/// Other points with small objectives, found in long double by methods that the library does not have: what they reach
/// bounds the optimum from above, and so every certificate that claims more is a lie.

#include "truth.hpp"

namespace tamis::verifier {

/// Effort of one search, in passes over the samples.
struct Effort {
  int passes = 100;
  bool intercepts_only = false;
};

/// A point at most as high as `from`: of smooth losses by descent over groups of coefficients, then by accelerated
/// steps in units of the columns; of the hinge by primal-dual iterations in the same units. `lambda`: instead of the
/// problem's.
Point descend(const Truth& truth, const Point& from, Real lambda, Effort effort);

/// The least multiple of a point whose mean loss is at most η; false where none was found.
bool make_feasible(const Truth& truth, Point& at);

}  // namespace tamis::verifier
