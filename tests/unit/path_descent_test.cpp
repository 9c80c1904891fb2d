// Paths by proximal Newton steps: optimality conditions and objectives by the formula in the test, FISTA from nothing,
// and lower bounds that must not lie above the optimum.
#include "tamis/solver/path_descent.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "support/paths.hpp"
#include "tamis/training.hpp"

namespace tamis {
namespace {

using testing::Compressed;
using testing::GuardedMemory;
using testing::Made;

template <class T>
Made<T> made_of(Index n, Index p, Index K, std::uint32_t seed, bool uneven) {
  Made<T> made(n, p, K, seed);
  testing::Generator generator(seed + 1);
  for (Index j = 0; j < p; ++j)
    for (Index i = 0; i < n; ++i) {
      T& x = made.values[i + std::size_t(j) * n];
      if (generator.uniform() < -0.4) x = 0;
      if (uneven) x = x * T(1 + j % 3) + T(j % 5);  // means that are far from zero
    }
  if (uneven)
    for (Index i = 0; i < n; ++i) {
      made.weights.push_back(T(i % 11 == 3 ? 0 : 1 + i % 4));
      made.margins.push_back(T(0.25) * T(i % 3));
    }
  return made;
}

/// How far the model is from the optimality conditions of λ(ρ|w| + (1 − ρ)½w²), beside λ.
template <class T>
double violation(const Made<T>& made, const LinearModel<T>& model, double lambda, double ratio, bool intercept) {
  const Index n = made.samples, p = made.features, K = made.classes;
  std::vector<double> u(n * K), sums(K);
  double total = 0;
  for (Index i = 0; i < n; ++i) total += made.weights.empty() ? 1 : static_cast<double>(made.weights[i]);
  for (Index i = 0; i < n; ++i) {
    const double weight = (made.weights.empty() ? 1 : static_cast<double>(made.weights[i])) / total;
    double mass = 0;
    for (Index k = 0; k < K; ++k) {
      double z = static_cast<double>(model.intercept(k));
      for (Index j = 0; j < p; ++j) z += static_cast<double>(made.values[i + j * n]) * static_cast<double>(model(j, k));
      if (k != made.labels[i] && !made.margins.empty()) z += static_cast<double>(made.margins[i]);
      mass += u[i * K + k] = std::exp(z);
    }
    for (Index k = 0; k < K; ++k) u[i * K + k] = weight * (u[i * K + k] / mass - (k == made.labels[i]));
    for (Index k = 0; k < K; ++k) sums[k] += u[i * K + k];
  }
  double worst = 0;
  for (Index k = 0; k < K; ++k) {
    if (intercept) worst = std::max(worst, std::abs(sums[k]));
    for (Index j = 0; j < p; ++j) {
      double g = 0;
      for (Index i = 0; i < n; ++i) g += static_cast<double>(made.values[i + j * n]) * u[i * K + k];
      const double w = static_cast<double>(model(j, k));
      g += lambda * (1 - ratio) * w;
      const double side = w > 0 ? 1 : -1;
      worst = std::max(worst, w == 0 ? std::abs(g) - lambda * ratio : std::abs(g + lambda * ratio * side));
    }
  }
  return worst / lambda;
}

/// `visit(path)` at the points of a path of PathDescent with room for `limit` features of Newton's methods.
template <class T, class Penalty, class Design, class Visit>
void walk(const Made<T>& made, const Design& design, const Penalty& penalty, const Options<T>& options, Grid<T> grid,
          Index limit, Visit visit) {
  using S = PathDescent<T, Logistic, Penalty, Design>;
  const auto make = [&](const Targets<T>& targets) { return S(design, targets, Logistic{}, penalty, options); };
  const WorkspaceHint hint{.entries = made.values.size() + 500 * limit, .active_limit = limit};
  testing::walk_path(made, make, S::requirement(made.shape(), hint), grid, visit);
}

struct Sizes {
  Index n, p, K;
};
constexpr Sizes sizes[] = {{150, 12, 3}, {40, 90, 2}, {90, 30, 5}, {60, 1, 2}};

TEST(PathDescent, PointsAreOptimal) {
  for (const auto& [n, p, K] : sizes)
    for (const bool uneven : {false, true})
      for (const bool intercept : {true, false})
        for (const double ratio : {1.0, 0.6}) {
          const auto made = made_of<double>(n, p, K, 5, uneven);
          const auto design = made.design();
          const ElasticNet<double> penalty{ratio};
          const Options<double> options{.tolerance = 1e-8, .intercept = intercept};
          std::uint32_t steps = 0;
          walk(made, design, penalty, options, {.points = 12, .ratio = 0.02}, 60, [&](const auto& at) {
            const auto& r = at.report();
            EXPECT_EQ(r.status, Status::converged);
            EXPECT_LT(violation(made, at.model(), at.lambda(), ratio, intercept), 1e-2)
                << made.samples << ' ' << made.features;
            const double objective = testing::objective(made, at.model(), Logistic{}, penalty, at.lambda());
            EXPECT_NEAR(r.objective, objective, 1e-12);
            EXPECT_LE(r.dual_objective, objective * (1 + 1e-14));
            EXPECT_LT(r.kkt_residual, 0.1);
            steps += r.iterations;
          });
          EXPECT_LT(steps, 12u * 25) << "not by steps of Newton's method: " << n << ' ' << uneven << intercept << ' '
                                     << ratio;
        }
}

/// Few samples of many features that move together: most are left out, and some of those are missed.
TEST(PathDescent, FeaturesLeftOutAreLookedAtAgain) {
  for (const Index K : {Index(2), Index(3)}) {
    double with = 0, without = 0;
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(seed);
      Made<double> made(20, 500, K, seed);
      for (Index j = 1; j < made.features; ++j)
        for (Index i = 0; i < made.samples; ++i)
          made.values[i + std::size_t(j) * made.samples] += 3 * made.values[i + std::size_t(j / 50) * made.samples];
      const auto design = made.design();
      const Grid<double> grid{.points = 30, .ratio = 0.2};
      Options<double> options{.tolerance = 1e-8};
      walk(made, design, L1{}, options, grid, 100, [&](const auto& at) {
        EXPECT_EQ(at.report().status, Status::converged);
        EXPECT_LT(violation(made, at.model(), at.lambda(), 1, true), 1e-2) << at.lambda();
        EXPECT_LT(at.report().iterations, 50u) << "those that are missed join";
        with += at.report().epochs;
        Index first_class = 0;
        for (Index j = 0; j < made.features; ++j) first_class += at.model()(j, 0) != 0;
        EXPECT_EQ(K == 2 ? first_class : 0, 0u) << "one score is enough";
      });
      options.working_sets = false;
      walk(made, design, L1{}, options, grid, 100, [&](const auto& at) { without += at.report().epochs; });
    }
    EXPECT_LT(with, 0.7 * without);
  }
}

/// Coefficients of groups go on as they did: fewer steps than from where they are, and the same objectives.
TEST(PathDescent, GroupsGoOnAsTheyDid) {
  const auto made = made_of<double>(150, 12, 4, 7, true);
  const auto design = made.design();
  using S = PathDescent<double, Logistic, GroupL2>;
  const Options<double> options{.tolerance = 1e-4};
  const auto make = [&](const Targets<double>& targets) {
    return S(design, targets, Logistic{}, GroupL2{Groups::rows()}, options);
  };
  const Requirement room = S::requirement(made.shape(), {.entries = made.values.size(), .active_limit = 13});
  GuardedMemory memory(room.bytes);
  auto from_where_it_is = make(made.targets());
  Index first = 0, without = 0, with = 0;
  testing::walk_path(made, make, room, {.points = 100, .ratio = 1e-2}, [&](const auto& at) {
    EXPECT_EQ(at.report().status, Status::converged);
    if (first++ == 0) {
      from_where_it_is.set_lambda(at.lambda());
      from_where_it_is.start(memory.span());
    } else {
      from_where_it_is.warm_start(at.lambda());
    }
    while (from_where_it_is.step()) {
    }
    EXPECT_NEAR(from_where_it_is.report().objective, at.report().objective, 2e-4 * at.report().objective);
    without += from_where_it_is.report().iterations;
    with += at.report().iterations;
  });
  EXPECT_LT(with, 0.7 * without) << with << ' ' << without;
}

/// Whatever λ comes next: the same again, one that goes up, one that is far. What is there first is not read.
TEST(PathDescent, GroupsGoOnToAnyLambda) {
  const auto made = made_of<double>(90, 30, 3, 3, false);
  const auto design = made.design();
  using S = PathDescent<double, Logistic, GroupL2>;
  const Requirement room = S::requirement(made.shape(), {.entries = made.values.size(), .active_limit = 31});
  GuardedMemory memory(room.bytes), other(room.bytes);
  std::vector<double> before(CommonMemory<double>::coefficients(made.shape()), not_a_number<double>);
  S run(design, made.targets(), Logistic{}, GroupL2{Groups::rows()}, {.lambda = 0.1, .tolerance = 1e-6});
  run.start(memory.span());
  double last = 0.1, before_last = 0.1;
  for (const double lambda : {0.09, 0.08, 0.08, 0.2, 1e-3, 9e-4, 1e-9, 0.05}) {
    while (run.step()) {
    }
    run.warm_start(lambda, before.data(), (lambda - last) / (last - before_last));
    while (run.step()) {
    }
    EXPECT_EQ(run.report().status, Status::converged) << lambda;
    S alone(design, made.targets(), Logistic{}, GroupL2{Groups::rows()}, {.lambda = lambda, .tolerance = 1e-6});
    alone.start(other.span());
    while (alone.step()) {
    }
    EXPECT_NEAR(run.report().objective, alone.report().objective, 2e-6 * alone.report().objective + 1e-9) << lambda;
    before_last = last;
    last = lambda;
  }
}

TEST(PathDescent, PointsAreThoseOfFistaFromNothing) {
  for (const auto& [n, p, K] : sizes) {
    const auto made = made_of<float>(n, p, K, 7, false);
    const auto design = made.design();
    walk(made, design, L1{}, Options<float>{.tolerance = 1e-4f}, {.points = 8, .ratio = 0.05f}, 60,
         [&](const auto& at) {
           const auto cold = testing::run<Fista<float, Logistic, L1>, float>(
               design, made.targets(), Logistic{}, L1{}, {.lambda = at.lambda(), .tolerance = 1e-5f});
           EXPECT_NEAR(at.report().objective, cold.fit.objective, 1.2e-4f * cold.fit.objective);
           EXPECT_LE(at.report().dual_objective, cold.fit.objective * (1 + 1e-6f));
         });
  }
}

TEST(PathDescent, SparseAndDenseAgree) {
  const auto made = made_of<double>(80, 25, 3, 3, false);
  const auto design = made.design();
  const Compressed<double> compressed(design);
  std::vector<double> objectives;
  const Options<double> options{.tolerance = 1e-9};
  walk(made, design, L1{}, options, {.points = 9}, 60,
       [&](const auto& at) { objectives.push_back(at.report().objective); });
  Index point = 0;
  walk(made, compressed.design(), L1{}, options, {.points = 9}, 60, [&](const auto& at) {
    EXPECT_NEAR(at.report().objective, objectives[point], 2e-9);
    ++point;
  });
}

// About one step at each λ: that of the Hessian, which sparse samples have from what is stored alone.
TEST(PathDescent, SparseAndDenseTakeTheSameSteps) {
  for (const bool uneven : {false, true})
    for (const bool intercept : {true, false}) {
      auto made = made_of<double>(120, 25, 3, 3, uneven);
      for (double& x : made.values) x = x > 0.2 ? x : 0;
      const auto dense = made.design();
      const Compressed<double> compressed(dense);
      const SparseDesign<double> sparse = compressed.design();
      const auto objectives = [&](const auto& design) {
        std::vector<double> out;
        walk(made, design, L1{}, Options<double>{.tolerance = 0.9, .intercept = intercept}, {.points = 12}, 60,
             [&](const auto& at) { out.push_back(at.report().objective); });
        return out;
      };
      const auto of_dense = objectives(dense), of_sparse = objectives(sparse);
      for (std::size_t point = 0; point < of_dense.size(); ++point)
        EXPECT_NEAR(of_sparse[point], of_dense[point], 5e-7) << point;
    }
}

// With memory for a few entries alone descent over features takes over, and with none it is that from the first.
TEST(PathDescent, GoesOnByDescentWhereMemoryEnds) {
  const auto made = made_of<double>(150, 30, 3, 11, false);
  const auto design = made.design();
  for (const Index limit : {0u, 2u, 5u, 31u})
    walk(made, design, L1{}, Options<double>{.tolerance = 1e-7}, {.points = 9, .ratio = 0.005}, limit,
         [&](const auto& at) {
           EXPECT_EQ(at.report().status, Status::converged);
           EXPECT_LT(violation(made, at.model(), at.lambda(), 1, true), 2e-2);
         });
}

TEST(PathDescent, GoesUpAndTwiceToTheSameLambda) {
  const auto made = made_of<double>(100, 20, 3, 2, false);
  using S = PathDescent<double, Logistic, L1>;
  GuardedMemory memory(S::requirement(made.shape(), {.entries = made.values.size(), .active_limit = 21}).bytes);
  S solver(made.design(), made.targets(), Logistic{}, L1{}, {.lambda = 0.05, .tolerance = 1e-7});
  EXPECT_FALSE(solver.warm_start(0.1));  // there is no point to go on from
  solver.start(memory.span());
  while (solver.step()) {
  }
  for (const double lambda : {0.02, 0.02, 0.1, 0.0001, 10.0, 0.03}) {
    solver.warm_start(lambda);
    while (solver.step()) {
    }
    EXPECT_EQ(solver.report().status, Status::converged);
    EXPECT_LT(violation(made, solver.model(), lambda, 1, true), 2e-2) << lambda;
  }
  EXPECT_FALSE(solver.warm_start(-1));
  EXPECT_EQ(solver.report().status, Status::invalid_lambda);
  EXPECT_TRUE(solver.warm_start(0.02));
  solver.stop();
  EXPECT_EQ(solver.report().status, Status::stopped);
  EXPECT_FALSE(solver.warm_start(0.01));
}

TEST(PathDescent, LambdaZeroIsByDescent) {
  const auto made = made_of<double>(200, 4, 3, 2, false);
  using S = PathDescent<double, Logistic, L1>;
  GuardedMemory memory(S::requirement(made.shape(), {.entries = made.values.size(), .active_limit = 5}).bytes);
  S solver(made.design(), made.targets(), Logistic{}, L1{}, {.lambda = 0.01, .tolerance = 1e-4, .max_iterations = 200});
  solver.start(memory.span());
  for (const double lambda : {0.01, 0.005, 0.0, 0.005}) {
    solver.warm_start(lambda);
    while (solver.step()) {
    }
    EXPECT_TRUE(has_model(solver.report().status));
    EXPECT_TRUE(lambda == 0 || solver.report().status == Status::converged);
  }
}

TEST(PathDescent, StartsAnewWithTheSameBits) {
  const auto made = made_of<double>(70, 40, 3, 9, true);
  using S = PathDescent<double, Logistic, L1>;
  GuardedMemory memory(S::requirement(made.shape(), {.entries = made.values.size(), .active_limit = 41}).bytes);
  S solver(made.design(), made.targets(), Logistic{}, L1{}, {.lambda = 0.1, .tolerance = 1e-6});
  std::vector<double> objectives[2];
  for (auto& row : objectives) {
    solver.set_lambda(0.1);
    solver.start(memory.span());
    for (const double lambda : {0.1, 0.08, 0.06, 0.03}) {
      if (lambda < 0.1) solver.warm_start(lambda);
      while (solver.step()) {
      }
      row.push_back(solver.report().objective);
      row.push_back(solver.report().dual_objective);
    }
  }
  EXPECT_EQ(objectives[0], objectives[1]);
}

TEST(PathDescent, SaysWhatItHasAtTheLimit) {
  const auto made = made_of<double>(100, 20, 3, 2, false);
  using S = PathDescent<double, Logistic, L1>;
  GuardedMemory memory(S::requirement(made.shape(), {.entries = made.values.size(), .active_limit = 21}).bytes);
  S solver(made.design(), made.targets(), Logistic{}, L1{}, {.lambda = 1, .tolerance = 1e-12, .max_iterations = 2});
  solver.start(memory.span());
  for (const double lambda : {0.01, 0.003, 0.001}) {
    solver.warm_start(lambda);
    while (solver.step()) {
    }
    EXPECT_EQ(solver.report().status, Status::iteration_limit);
    EXPECT_EQ(solver.report().iterations, 2u);
    EXPECT_NEAR(solver.report().objective, testing::objective(made, solver.model(), Logistic{}, L1{}, lambda), 1e-12);
  }
}

// Bounds at every certificate of many small problems, λs far apart, against the optimum to nine digits.
TEST(PathDescent, NoBoundIsAboveTheOptimum) {
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    const Index n = 8 + seed % 23, p = 1 + seed % 7, K = 2 + seed % 3;
    const auto made = made_of<double>(n, p, K, seed, seed % 2 == 0);
    using S = PathDescent<double, Logistic, L1>;
    const WorkspaceHint hint{.entries = made.values.size(), .active_limit = p + 1};
    GuardedMemory memory(S::requirement(made.shape(), hint).bytes);
    S solver(made.design(), made.targets(), Logistic{}, L1{}, {.lambda = 1e3, .tolerance = 1e-10});
    solver.start(memory.span());
    while (solver.step()) {
    }
    double lambda = solver.report().lambda_max;
    for (int point = 0; point < 5; ++point) {
      lambda *= point % 2 ? 0.3 : 0.9;
      double highest = 0;
      solver.warm_start(lambda);
      do {
        highest = std::max(highest, solver.report().dual_objective);
      } while (solver.step());
      highest = std::max(highest, solver.report().dual_objective);
      EXPECT_LE(highest, testing::objective(made, solver.model(), Logistic{}, L1{}, lambda) * (1 + 1e-14)) << seed;
      EXPECT_TRUE(solver.report().status == Status::converged) << seed << ' ' << name(solver.report().status);
    }
  }
}

/// ProximalNewtonDescent from nothing; `highest`: the largest bound of all its certificates.
template <class T, class Penalty>
struct FromNothing {
  using S = ProximalNewtonDescent<T, Logistic, Penalty>;
  GuardedMemory memory;
  S solver;
  double highest = 0;

  FromNothing(const Made<T>& made, const DenseDesign<T>& design, const Penalty& penalty, const Options<T>& options,
              WorkspaceHint hint)
      : memory(hint.entries ? S::requirement(made.shape(), hint).bytes : S::requirement(made.shape()).bytes),
        solver(design, made.targets(), Logistic{}, penalty, options) {
    solver.start(memory.span());
    do {
      highest = std::max(highest, static_cast<double>(solver.report().dual_objective));
    } while (solver.step());
    EXPECT_TRUE(memory.surroundings_intact());
    EXPECT_LE(solver.report().arena_used_bytes, memory.span().size());
  }
};

TEST(ProximalNewtonDescent, ReachesSmallLambdasInFewSteps) {
  for (const auto& [n, p, K] : sizes)
    for (const bool uneven : {false, true})
      for (const double ratio : {1.0, 0.6})
        for (const double share : {0.9, 0.05, 1e-3}) {
          const auto made = made_of<double>(n, p, K, 5, uneven);
          const ElasticNet<double> penalty{ratio};
          const WorkspaceHint hint{.entries = made.values.size(), .active_limit = 60};
          const double top =
              FromNothing<double, ElasticNet<double>>(made, made.design(), penalty, {.lambda = 1e3}, hint)
                  .solver.report()
                  .lambda_max;
          const Options<double> options{.lambda = share * top, .tolerance = 1e-8};
          const FromNothing<double, ElasticNet<double>> run(made, made.design(), penalty, options, hint);
          const auto& r = run.solver.report();
          EXPECT_EQ(r.status, Status::converged) << n << ' ' << p << ' ' << share;
          EXPECT_LT(r.iterations, 150u) << n << ' ' << p << ' ' << share;
          EXPECT_NEAR(r.lambda_max, top, 1e-12 * top);
          EXPECT_LT(violation(made, run.solver.model(), options.lambda, ratio, true), 1e-2) << n << ' ' << share;
          const double objective = testing::objective(made, run.solver.model(), Logistic{}, penalty, options.lambda);
          EXPECT_NEAR(r.objective, objective, 1e-12);
          EXPECT_LE(run.highest, objective * (1 + 1e-14));
        }
}

/// Features that move together: some have entries in the model of a larger λ, but no coefficients, and small gradients
/// meanwhile. Where a step moved them and the scores left them out, objectives were below those of the models.
TEST(ProximalNewtonDescent, FeaturesWithEntriesAreNotLeftOut) {
  for (const auto& [features, classes, together] : {std::array<Index, 3>{600, 2, 50}, {2000, 3, 200}})
    for (std::uint32_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(seed);
      Made<double> made(40, features, classes, seed);
      for (Index j = 1; j < features; ++j)
        for (Index i = 0; i < made.samples; ++i)
          made.values[i + std::size_t(j) * made.samples] +=
              3 * made.values[i + std::size_t(j / together) * made.samples];
      const auto design = made.design();
      for (const double lambda : {1e-2, 1e-3}) {
        using S = ProximalNewtonDescent<double, Logistic, L1>;
        S run(design, made.targets(), Logistic{}, L1{}, {.lambda = lambda});
        GuardedMemory memory(S::requirement(made.shape(), {.entries = made.values.size(), .active_limit = 1500}).bytes);
        run.start(memory.span());
        while (run.step()) {
        }
        EXPECT_EQ(run.report().status, Status::converged) << lambda;
        const double objective = testing::objective(made, run.model(), Logistic{}, L1{}, lambda);
        EXPECT_NEAR(run.report().objective, objective, 1e-12) << lambda;
      }
    }
}

// Columns far from zero: products with them as they are have no digits of what a small λ asks for, those with the copy
// about their means have. What float does not reach with these either is left to
// descent, which ends.
TEST(ProximalNewtonDescent, FloatConvergesOnColumnsFarFromZeroOrEnds) {
  const auto expect = [](Index n, float offset, Status status, std::uint32_t most_iterations) {
    Made<float> made(n, 30, 3, 5);
    for (float& x : made.values) x = offset + 16 * x;
    const WorkspaceHint hint{.entries = made.values.size(), .active_limit = 60};
    const FromNothing<float, L1> run(made, made.design(), L1{}, {.lambda = 1e-4f}, hint);
    const auto& r = run.solver.report();
    EXPECT_EQ(r.status, status) << n << ' ' << offset << ' ' << name(r.status);
    EXPECT_LT(r.iterations, most_iterations) << n << ' ' << offset;
    const double objective = testing::objective(made, run.solver.model(), Logistic{}, L1{}, 1e-4);
    EXPECT_NEAR(r.objective, objective, 1e-4 * objective);
  };
  for (const Index n : {300u, 1000u})
    for (const float offset : {256.f, 512.f, 1024.f, 2048.f}) expect(n, offset, Status::converged, 250);
  expect(300, 8192, Status::precision_limit, 5000);
}

// λ is so small that rounding of scores, and of coefficients, is more than what the gradient has beside it, and the
// model so ill-conditioned that coordinate descent on it takes thousands of sweeps.
TEST(ProximalNewtonDescent, FloatConvergesWhereLambdaIsSmall) {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    Made<float> made(400, 12, 4, seed);
    for (std::size_t i = 0; i < 400; ++i)  // columns that are all but sums of others
      for (std::size_t j = 6; j < 12; ++j)
        made.values[j * 400 + i] =
            0.02f * made.values[j * 400 + i] + made.values[(j - 6) * 400 + i] - made.values[(j - 5) * 400 + i];
    const WorkspaceHint hint{.entries = made.values.size(), .active_limit = 52};
    const FromNothing<float, L1> run(made, made.design(), L1{}, {.lambda = 2e-6f}, hint);
    const auto& r = run.solver.report();
    EXPECT_EQ(r.status, Status::converged) << seed << ' ' << r.relative_gap;
    EXPECT_LT(r.iterations, 200u) << seed;
    const double objective = testing::objective(made, run.solver.model(), Logistic{}, L1{}, 2e-6);
    EXPECT_NEAR(r.objective, objective, 1e-5 * objective);
  }
}

TEST(ProximalNewtonDescent, IsDescentInTheLeastMemoryAndForRidge) {
  const auto made = made_of<double>(60, 8, 3, 4, false);
  const auto design = made.design();
  const auto expect_same = [&](const auto& penalty, WorkspaceHint hint) {
    using Penalty = std::remove_cvref_t<decltype(penalty)>;
    using Descent = BlockCoordinateDescent<double, Logistic, Penalty>;
    const Options<double> options{.lambda = 0.01, .tolerance = 1e-6};
    FromNothing<double, Penalty> mine(made, design, penalty, options, hint);
    GuardedMemory memory(mine.memory.span().size());
    Descent other(design, made.targets(), Logistic{}, penalty, options);
    other.start(memory.span());
    while (other.step()) {
    }
    EXPECT_EQ(mine.solver.report().objective, other.report().objective);
    EXPECT_EQ(mine.solver.report().iterations, other.report().iterations);
  };
  expect_same(L1{}, {});
  expect_same(ElasticNet<double>{0.0}, {.entries = made.values.size(), .active_limit = 9});
}

// λ tiny beside the largest: the certificate ends the run, or the limit says so.
TEST(ProximalNewtonDescent, NoBoundIsAboveTheOptimum) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    const Index n = 8 + seed % 23, p = 1 + seed % 17, K = 2 + seed % 3;
    const auto made = made_of<double>(n, p, K, seed, seed % 2 == 0);
    const Options<double> options{.lambda = seed % 3 ? 1e-3 : 1e-5, .tolerance = 1e-9, .max_iterations = 20000};
    const FromNothing<double, L1> run(made, made.design(), L1{}, options,
                                      {.entries = made.values.size(), .active_limit = p + 1});
    EXPECT_LE(run.highest, testing::objective(made, run.solver.model(), Logistic{}, L1{}, options.lambda) * (1 + 1e-14))
        << seed;
    EXPECT_EQ(run.solver.report().status, Status::converged) << seed << ' ' << name(run.solver.report().status);
  }
}

}  // namespace
}  // namespace tamis
