#pragma once
/// The same for several kernels: KernelAdmm, KernelFista and the printed forward–backward iteration on hard numbers.

#include "findings.hpp"

namespace tamis::verifier {

/// One problem, in the precision that its seed says, by all solvers and at two λs.
void examine_kernels(std::uint64_t seed, Findings& out);

}  // namespace tamis::verifier
