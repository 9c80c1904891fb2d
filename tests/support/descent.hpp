#pragma once
/// Descent over features, to its end.

#include <gtest/gtest.h>

#include "problems.hpp"
#include "tamis/solver/block_coordinate_descent.hpp"

namespace tamis::testing {

/// In just enough memory, with the objective that the formula gives.
template <class T, class Loss, class Penalty, class Design>
Fit<T> fit(const Made<T>& made, const Design& design, Loss loss, Penalty penalty, Options<T> options,
           WorkspaceHint hint) {
  using Solver = BlockCoordinateDescent<T, Loss, Penalty, Design>;
  GuardedMemory memory(hint.entries ? Solver::requirement(made.shape(), hint).bytes
                                    : Solver::requirement(made.shape()).bytes);
  const Fit<T> out = train<Solver, T>(Solver(design, made.targets(), loss, penalty, options), memory.span());
  EXPECT_TRUE(memory.surroundings_intact());
  if (has_model(out.status)) {
    EXPECT_NEAR(static_cast<double>(out.objective),
                objective(made, out.model, loss, penalty, static_cast<double>(options.lambda)),
                sizeof(T) == 4 ? 1e-5 : 1e-12);
  }
  return out;
}

}  // namespace tamis::testing
