#pragma once
/// What is found, and what the numbers of any report must be.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "problem.hpp"
#include "tamis/status.hpp"

namespace tamis::verifier {

/// Where a case is a solver's run on a problem of its own kind.
struct Findings {
  std::uint64_t cases = 0, converged = 0, refused = 0, failures = 0;
  std::vector<std::string> lines;  ///< a false report each
};

/// The numbers of a report with a model.
struct Claims {
  Status status;
  Real objective, dual_objective, gap, relative_gap, tolerance;
  Real unit;   ///< spacing of the type at 1
  Real least;  ///< its least positive number
  bool was_stopped = false;
};

/// Calls find(rule, number) for all that contradict each other, or are none.
template <class Find>
void judge_claims(const Claims& c, Find find) {
  if (!std::isfinite(c.objective)) find("objective not finite", c.objective);
  if (!std::isfinite(c.dual_objective)) find("dual objective not finite", c.dual_objective);
  if (!std::isfinite(c.gap) || !std::isfinite(c.relative_gap)) return find("gap not finite", c.gap);
  if (c.gap < 0) find("negative gap", c.gap);
  const Real size = std::max({std::abs(c.objective), std::abs(c.dual_objective), Real(1e-12L)});
  // Where rounding has put the bound above the objective, the gap is zero, or as much as that.
  const Real difference = c.objective - c.dual_objective;
  const Real gap = difference < 0 && -difference <= 20 * c.unit * size ? Real(0) : std::abs(difference);
  if (std::abs(c.gap - gap) > 20 * c.unit * size) find("gap is not the difference", c.gap);
  if (std::abs(c.relative_gap - c.gap / size) > 4 * c.unit * c.relative_gap + c.least)
    find("relative gap is not the ratio", c.relative_gap);
  const bool converged = c.status == Status::converged;
  if (converged && -difference > std::max(c.tolerance, 64 * c.unit) * size)
    find("objective below its bound", difference);
  if (converged && !(c.relative_gap <= c.tolerance)) find("converged above the tolerance", c.relative_gap);
  if (c.status == Status::precision_limit && !(c.relative_gap > c.tolerance))
    find("precision limit below the tolerance", c.relative_gap);
  if (c.status == Status::running || (c.status == Status::stopped && !c.was_stopped)) find("did not end", Real(0));
}

}  // namespace tamis::verifier
