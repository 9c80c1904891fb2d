#pragma once
/// Counts of cases by solver.

#include <map>

#include "verdict.hpp"

namespace tamis::verifier {

/// The seed of the problem of that number in a run.
inline std::uint64_t seed_of(std::uint64_t run, std::uint64_t at) { return Draw(Draw(run).next() + at).next() >> 20; }

class Tally {
 public:
  /// Counts, and returns a line for each finding, with the command that shows it again.
  std::vector<std::string> add(const Problem& problem, const std::vector<Outcome>& outcomes,
                               const Examination& examination);
  /// A line for each solver, and one for all.
  std::string summary() const;
  std::uint64_t cases() const { return all_.cases; }
  std::uint64_t converged() const { return all_.converged; }
  std::uint64_t refused() const { return all_.refused; }
  std::uint64_t failures() const { return all_.failures; }

 private:
  struct Counts {
    std::uint64_t cases = 0, converged = 0, limits = 0, precision = 0, infeasible = 0, refused = 0, failures = 0;
    std::uint64_t hidden = 0;  ///< of the converged
    Real worst = 0;            ///< of the hidden: the largest relative excess over the tolerance
  };
  static std::string line(const char* of, const Counts& counts);

  std::map<SolverKind, Counts> of_;
  Counts all_;
  std::map<std::string, std::uint64_t> rules_;
};

}  // namespace tamis::verifier
