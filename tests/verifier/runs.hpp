#pragma once
/// The library's answer to a problem, taken apart into numbers that the independent evaluation reads.

#include "tamis/status.hpp"
#include "truth.hpp"

namespace tamis::verifier {

struct Effects {
  bool arena_untouched = false;      ///< not one byte written
  bool surroundings_intact = false;  ///< nor around it
};

struct Outcome {
  SolverKind solver = SolverKind::automatic;
  bool single = false;
  bool went_on = false;      ///< from the answer for another λ
  bool was_stopped = false;  ///< had it not ended before
  Status status = Status::running;
  Real objective = 0, dual_objective = 0, gap = 0, relative_gap = 0, kkt_residual = 0, lambda_max = 0;
  Real constraint_value = 0, constraint_bound = 0, multiplier = 0;
  std::uint32_t iterations = 0, max_iterations = 0;
  Index nonzeros = 0, nonzero_rows = 0;
  Real tolerance = 0;
  Effects effects;
  Point model;                   ///< empty after a refusal
  std::vector<Real> l1_weights;  ///< of the last round of reweighted-l1
  bool has_model() const { return tamis::has_model(status); }
  bool converged() const { return status == Status::converged; }
};

/// How to run it: as the problem says, or in double as exactly as may be, for a bound of the optimum.
struct Manner {
  bool single = false;
  bool hinted = false;  ///< an arena for Newton's method
  double tolerance = 0;
  std::uint32_t max_iterations = 0;
  double before = 0;        ///< a λ from whose answer the run goes on; 0: it starts by itself
  std::uint32_t steps = 0;  ///< after which it is stopped; 0: it is not
};
/// The first is to run it to its end; of some problems, there is one that is stopped, and one that goes on as a path does.
std::vector<Manner> manners_of(const Problem& problem, SolverKind solver);

Outcome run(const Problem& problem, SolverKind solver, const Manner& manner);

}  // namespace tamis::verifier
