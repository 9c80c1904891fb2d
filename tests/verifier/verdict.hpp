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
  std::vector<Finding> findings;
  std::vector<Hidden> hidden;
};

/// The answers of all solvers that take the problem.
std::vector<Outcome> run_all(const Problem& problem);

/// `outcomes`: of all solvers, each of which bounds the optimum for the others. `only`: this one alone is judged
/// (automatic: all). `passes`: of the search for points that are lower than all of them.
Examination examine(const Problem& problem, const std::vector<Outcome>& outcomes,
                    SolverKind only = SolverKind::automatic, int passes = 150);

}  // namespace tamis::verifier
