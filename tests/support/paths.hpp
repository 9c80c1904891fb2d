#pragma once
/// Paths to their end.

#include <gtest/gtest.h>

#include "problems.hpp"
#include "tamis/selection/path.hpp"

namespace tamis::testing {

/// visit(path) at the points of the path of the solvers that `make` makes, all of which converge, in just enough memory.
template <class T, class Make, class Visit>
void walk_path(const Made<T>& made, const Make& make, Requirement solver, const Grid<T>& grid, Visit visit) {
  using P = Path<T, Make>;
  GuardedMemory memory(P::requirement(made.shape(), solver).bytes);
  P path(make, made.features, made.targets(), grid);
  path.start(memory.span());
  advance_path(path, [&](const P& at) {
    visit(at);
    return true;
  });
  EXPECT_EQ(path.status(), Status::converged);
  EXPECT_EQ(path.points(), grid.points);
  EXPECT_TRUE(memory.surroundings_intact());
}

}  // namespace tamis::testing
