#pragma once
/// The same for products of features: InteractionAdmm on hard numbers.

#include "findings.hpp"

namespace tamis::verifier {

/// One problem, in the precision that its seed says.
void examine_interactions(std::uint64_t seed, Findings& out);

}  // namespace tamis::verifier
