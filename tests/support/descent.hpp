#pragma once
/// Descent over features, to its end.

#include <gtest/gtest.h>

#include <cmath>

#include "problems.hpp"
#include "tamis/solver/block_coordinate_descent.hpp"
#include "tamis/solver/fista.hpp"

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

/// Few samples of many features, with coefficients at few of these: what Newton's method leaves out of its steps is
/// taken in again where a certificate of all features asks for it, and small systems that conjugate gradients do not
/// get far with are solved by their factor. Without either, violations take two to four times as many iterations here,
/// and up to a hundred times as many with golub's 7129 features.
template <class Loss, class Penalty>
void expect_wide(Loss loss, Penalty penalty, std::uint32_t most, std::uint32_t most_on_path) {
  using Solver = BlockCoordinateDescent<double, Loss, Penalty>;
  const Made<double> made(30, 600, 3, 17);
  const WorkspaceHint hint{30u * 600u, 300};
  const auto design = made.design();
  GuardedMemory memory(Solver::requirement(made.shape(), hint).bytes);
  const Options<double> at_the_top{.lambda = 1e9, .tolerance = 1e-5, .max_iterations = 5000};
  Solver path(design, made.targets(), loss, penalty, at_the_top);
  path.start(memory.span());
  while (path.step()) {
  }
  const double top = path.report().lambda_max;
  std::uint32_t iterations = 0;
  for (int point = 1; point <= 40; ++point) {
    const double lambda = top * std::pow(1e-2, point / 40.0);
    path.warm_start(lambda);
    while (path.step()) {
    }
    EXPECT_EQ(path.report().status, Status::converged) << point;
    EXPECT_NEAR(path.report().objective, objective(made, path.model(), loss, penalty, lambda), 1e-12);
    iterations += path.report().iterations;
    if (point % 20 != 0) continue;
    const auto options = Options<double>{.lambda = lambda, .tolerance = 1e-7, .max_iterations = 200000};
    const auto peer = run<Fista<double, Loss, Penalty>, double>(design, made.targets(), loss, penalty, options);
    EXPECT_NEAR(path.report().objective, peer.fit.objective, 2e-5 * peer.fit.objective) << point;
  }
  EXPECT_LE(iterations, most_on_path);
  for (const double part : {1e-2, 1e-4}) {
    const auto out =
        fit(made, design, loss, penalty, {.lambda = part * top, .tolerance = 1e-4, .max_iterations = 5000}, hint);
    EXPECT_EQ(out.status, Status::converged) << part;
    EXPECT_LE(out.iterations, most) << part;
  }
}

}  // namespace tamis::testing
