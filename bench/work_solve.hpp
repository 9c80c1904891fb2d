#pragma once
/// Whole solves as workloads: what solvers have in common.

#include "tamis/report.hpp"
#include "work.hpp"

namespace tamis::bench {

inline Report<Real> last_report;  ///< of the last solve

/// Starts the solver in the arena and runs it to its end.
template <class Solver>
void solve_to_end(Solver& solver) {
  solver.start(memory.arena);
  while (solver.step()) {
  }
  last_report = solver.report();
}

/// False: the solve did not reach its tolerance.
inline bool hash_report(Hash& hash) {
  const auto& r = last_report;
  const Real reals[] = {r.objective, r.dual_objective, r.relative_gap, r.epochs};
  for (const Real number : reals) hash.real(number);
  const Index words[] = {Index(r.status), r.iterations, r.nonzeros};
  for (const Index number : words) hash.word(number);
  return r.status == Status::converged;
}

inline Options<Real> options_of(const Case& c) {
  return {.lambda = Real(c.lambda), .tolerance = Real(c.tolerance), .max_iterations = 20000};
}

}  // namespace tamis::bench
