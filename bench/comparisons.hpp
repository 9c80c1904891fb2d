#pragma once
/// Whole solves against another solver of the same problem.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tamis::bench {

/// A whole training by one solver.
struct Solve {
  std::string status;
  std::uint32_t iterations = 0;
  double seconds = 0;
  double relative_gap = 0;
};

/// Two solvers on the same problem; `ratio` is that of iterations or of seconds, baseline over ours.
struct Comparison {
  std::string name;
  std::string baseline, ours;
  std::string measure;  ///< "iterations" or "seconds"
  double target;        ///< the ratio aimed at
  std::function<Solve()> run_baseline, run_ours;
  bool available;  ///< false: the data are not there
};

/// Against the published algorithm. Data sets beyond those that ship come from TAMIS_DATA.
std::vector<Comparison> comparisons();

}  // namespace tamis::bench
