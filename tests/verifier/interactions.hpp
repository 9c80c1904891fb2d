#pragma once
/// The same for products of features: InteractionAdmm on hard numbers.

#include <string>
#include <vector>

#include "problem.hpp"

namespace tamis::verifier {

struct InteractionFindings {
  std::uint64_t cases = 0, converged = 0, refused = 0, failures = 0;
  std::vector<std::string> lines;  ///< a false report each
};

/// One problem, in the precision that its seed says.
void examine_interactions(std::uint64_t seed, InteractionFindings& out);

}  // namespace tamis::verifier
