// Paths of the exact hinge with ℓ1 by the simplex method: objectives by the formula in the test, those of the two
// phases from nothing, and lower bounds that must not lie above the optimum.
#include "tamis/solver/hinge_simplex.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/paths.hpp"
#include "tamis/training.hpp"

namespace tamis {
namespace {

using testing::Compressed;
using testing::GuardedMemory;
using testing::Made;

enum class Kind { plain, uneven, degenerate, outlier };

Made<double> made_of(Index n, Index p, Index K, Kind kind) {
  Made<double> made(n, p, K, 5);
  testing::Generator generator(6);
  for (Index j = 0; j < p; ++j)
    for (Index i = 0; i < n; ++i) {
      double& x = made.values[i + std::size_t(j) * n];
      if (kind == Kind::uneven) x = x * (1 << (4 * (j % 3))) + 100 * (j % 5);
      // Few values, copies of columns and of samples, and a column that is constant.
      if (kind == Kind::degenerate) {
        x = generator.uniform() < -0.3 ? 0 : generator.uniform() < 0 ? 1 : 2;
        if (j % 4 == 3) x = made.values[i + std::size_t(j - 1) * n];
        if (i % 5 == 4) x = made.values[i - 1 + std::size_t(j) * n];
        if (j == 1) x = 7;
      }
    }
  if (kind == Kind::outlier) made.values[n - 1] = 1e6;
  for (Index i = 0; kind == Kind::uneven && i < n; ++i) {
    made.weights.push_back(i % 11 == 3 ? 0 : 1 + i % 4);
    made.margins.push_back(0.25 * (1 + i % 3));
  }
  return made;
}

/// visit(path) at the points of a path with room for `limit` coefficients in the second phase.
template <class Design, class Visit>
void walk(const Made<double>& made, const Design& design, const Options<double>& options, Grid<double> grid,
          Index limit, Visit visit) {
  using S = TwoPhase<double, Hinge, L1, Design>;
  const auto make = [&](const Targets<double>& targets) { return S(design, targets, Hinge{}, L1{}, options); };
  testing::walk_path(made, make, S::requirement(made.shape(), limit), grid, visit);
}

struct Sizes {
  Index n, p, K;
};
constexpr Sizes sizes[] = {{150, 12, 3}, {40, 90, 2}, {90, 30, 5}, {60, 1, 2}, {8, 3, 3}};

TEST(HingeSimplex, PointsAreOptimal) {
  constexpr double tolerance = 2e-6, near = 1e-11;
  for (const auto& [n, p, K] : sizes)
    for (const Kind kind : {Kind::plain, Kind::uneven, Kind::degenerate, Kind::outlier})
      for (const bool intercept : {true, false}) {
        if (p == 1 && kind != Kind::plain) continue;  // no room for a basis
        const auto made = made_of(n, p, K, kind);
        const auto design = made.design();
        const Options<double> options{.tolerance = tolerance, .max_iterations = 100000, .intercept = intercept};
        bool by_vertices = false;
        walk(made, design, options, {.points = 8, .ratio = kind == Kind::outlier ? 1e-7 : 0.02}, 300,
             [&](const auto& at) {
               by_vertices = at.solver().goes_by_vertices();
               const auto& r = at.report();
               EXPECT_EQ(r.status, Status::converged)
                   << made.samples << ' ' << made.features << ' ' << int(kind) << intercept << " gap " << r.relative_gap;
               const double objective = testing::objective(made, at.model(), Hinge{}, L1{}, at.lambda());
               EXPECT_NEAR(r.objective, objective, 100 * near * objective);
               EXPECT_LE(r.dual_objective, objective * (1 + 100 * near));
               if (kind == Kind::uneven || kind == Kind::outlier) return;  // there the two phases take long
               using S = TwoPhase<double, Hinge, L1>;
               Options<double> here = options;
               here.lambda = at.lambda();
               GuardedMemory memory(S::requirement(made.shape(), 300).bytes);
               const auto cold = train<S, double>(S(design, made.targets(), Hinge{}, L1{}, here), memory.span());
               EXPECT_EQ(cold.status, Status::converged);
               EXPECT_NEAR(objective, cold.objective, (tolerance + near) * objective)
                   << made.samples << ' ' << made.features << ' ' << int(kind);
               EXPECT_LE(r.dual_objective, cold.objective * (1 + near));
               EXPECT_LE(cold.dual_objective, objective * (1 + near));
             });
        if (p > 1) EXPECT_TRUE(by_vertices) << n << ' ' << p << ' ' << int(kind) << intercept;
      }
}

/// Objectives of a path, and whether it went by vertices.
template <class Design>
std::pair<std::vector<double>, bool> objectives(const Made<double>& made, const Design& design, Index limit) {
  std::pair<std::vector<double>, bool> out;
  walk(made, design, Options<double>{.tolerance = 2e-6}, {.points = 12, .ratio = 0.02}, limit, [&](const auto& at) {
    out.first.push_back(at.report().objective);
    out.second = at.solver().goes_by_vertices();
  });
  return out;
}

TEST(HingeSimplex, WithoutRoomOrColumnsBothPhasesGoOn) {
  const auto made = made_of(90, 30, 5, Kind::plain);
  const Compressed<double> compressed(made.design());
  const auto [here, by_vertices] = objectives(made, made.design(), 300);
  EXPECT_TRUE(by_vertices);
  for (const auto& [other, also] : {objectives(made, made.design(), 12), objectives(made, compressed.design(), 300)}) {
    EXPECT_FALSE(also);
    for (std::size_t l = 0; l < here.size(); ++l) EXPECT_NEAR(other[l], here[l], 4e-6 * here[l]) << l;
  }
}

TEST(HingeSimplex, GoesUpAndTwiceToTheSameLambda) {
  using S = TwoPhase<double, Hinge, L1>;
  const auto made = made_of(90, 30, 5, Kind::plain);
  const auto design = made.design();
  S solver(design, made.targets(), Hinge{}, L1{}, Options<double>{.lambda = 0.2, .tolerance = 1e-6});
  GuardedMemory memory(S::requirement(made.shape(), 300).bytes);
  solver.start(memory.span());
  while (solver.step()) {
  }
  double before = 0;
  for (const double lambda : {0.02, 0.005, 0.02, 0.02}) {
    solver.warm_start(lambda);
    while (solver.step()) {
    }
    EXPECT_EQ(solver.report().status, Status::converged);
    const double objective = testing::objective(made, solver.model(), Hinge{}, L1{}, lambda);
    EXPECT_NEAR(solver.report().objective, objective, 1e-12);
    if (before > 0 && lambda == 0.02) EXPECT_NEAR(objective, before, 2e-6 * before);
    if (lambda == 0.02) before = objective;
  }
  EXPECT_EQ(solver.report().iterations, 0u) << "the vertex is the one before";
  EXPECT_TRUE(memory.surroundings_intact());
}

TEST(HingeSimplex, EndsAtTheIterationLimitWithAModel) {
  using S = TwoPhase<double, Hinge, L1>;
  const auto made = made_of(90, 30, 5, Kind::plain);
  const auto design = made.design();
  S solver(design, made.targets(), Hinge{}, L1{},
           Options<double>{.lambda = 1, .tolerance = 1e-6, .max_iterations = 100});
  GuardedMemory memory(S::requirement(made.shape(), 300).bytes);
  solver.start(memory.span());
  while (solver.step()) {
  }
  solver.warm_start(0.001);
  while (solver.step()) {
  }
  EXPECT_EQ(solver.report().status, Status::iteration_limit);
  EXPECT_EQ(solver.report().iterations, 100u);
  EXPECT_NEAR(solver.report().objective, testing::objective(made, solver.model(), Hinge{}, L1{}, 0.001), 1e-12);
  EXPECT_LE(solver.report().dual_objective, solver.report().objective);
}

using Solver = TwoPhase<double, Hinge, L1>;

template <class S = Solver>
S run(const Made<double>& made, const auto& design, double lambda, GuardedMemory& memory) {
  S solver(design, made.targets(), Hinge{}, L1{}, Options<double>{.lambda = lambda, .max_iterations = 2000});
  solver.start(memory.span());
  while (solver.step()) {
  }
  EXPECT_TRUE(memory.surroundings_intact());
  return solver;
}

TEST(HingeSimplex, ASolveThatStandsStillGoesByVertices) {
  for (const Kind kind : {Kind::outlier, Kind::plain})
    for (const double lambda : {1e-2, 1e-3}) {
      Made<double> made = made_of(300, 10, 3, kind);
      for (Index j = 0; kind == Kind::plain && j < made.features; ++j)
        for (Index i = 0; i < made.samples; ++i) made.values[i + j * made.samples] *= std::pow(10, 8 * (int(j % 3) - 1));
      const auto design = made.design();
      GuardedMemory memory(Solver::requirement(made.shape(), 300).bytes);
      const auto solver = run(made, design, lambda, memory);
      const auto& r = solver.report();
      EXPECT_EQ(r.status, Status::converged) << r.relative_gap << ' ' << r.iterations;
      EXPECT_TRUE(solver.goes_by_vertices());
      const double objective = testing::objective(made, solver.model(), Hinge{}, L1{}, lambda);
      EXPECT_NEAR(r.objective, objective, 1e-6 * objective);
      EXPECT_LE(r.dual_objective, objective * (1 + 1e-9));
    }
}

/// A design whose columns nobody may read.
struct WithoutColumns : DenseDesign<double> {
  bool has_columns() const { return false; }
};

TEST(HingeSimplex, AnAttemptThatLeadsNowhereLeavesNoTrace) {
  std::uint32_t attempts = 0;
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    Made<double> made(30, 200, 3, seed);
    for (double& x : made.values) x = std::round(x * 1024);
    const WithoutColumns closed{made.design()};
    const auto design = made.design();
    for (const double lambda : {1e-3, 1e-4}) {
      GuardedMemory memory(Solver::requirement(made.shape(), 600).bytes), other(memory.span().size());
      const auto tried = run(made, design, lambda, memory);
      const auto plain = run<TwoPhase<double, Hinge, L1, WithoutColumns>>(made, closed, lambda, other);
      const auto &a = tried.report(), &b = plain.report();
      const bool is_longer = a.epochs > b.epochs;
      if (!tried.goes_by_vertices() && is_longer && a.epochs < 1.3 * b.epochs) {
        ++attempts;
        EXPECT_EQ(a.iterations, b.iterations) << seed << ' ' << lambda;
        EXPECT_EQ(a.objective, b.objective) << seed << ' ' << lambda;
      }
      EXPECT_LE(a.dual_objective, b.objective * (1 + 1e-9));
      EXPECT_LE(b.dual_objective, a.objective * (1 + 1e-9));
    }
  }
  EXPECT_GT(attempts, 0u);
}

TEST(HingeSimplex, StartsAnewWithTheSameBits) {
  const auto made = made_of(90, 30, 5, Kind::degenerate);
  EXPECT_EQ(objectives(made, made.design(), 300), objectives(made, made.design(), 300));
}

}  // namespace
}  // namespace tamis
