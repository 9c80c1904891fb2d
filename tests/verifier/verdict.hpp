#pragma once
/// All solvers on one problem, and what the independent evaluation says of their reports.

#include "runs.hpp"
#include "witness.hpp"

namespace tamis::verifier {

/// A report that is not true, by which rule.
struct Finding {
  std::string rule;
  SolverKind solver;
  std::string detail;
};

/// A run that ended as converged, and is further above a point that was found than its gap and a few roundings of the
/// objective say; but not further than what rounding in scores and duals may do.
struct Hidden {
  SolverKind solver;
  Real relative_excess;  ///< (F − F')/F
  Real tolerance;
};

struct Examination {
  std::vector<Outcome> outcomes;
  std::vector<Finding> findings;
  std::vector<Hidden> hidden;
};

/// `only`: this solver alone is judged (automatic: all), and `passes`: of the search for other points.
Examination examine(const Problem& problem, SolverKind only = SolverKind::automatic, int passes = 150);

}  // namespace tamis::verifier
