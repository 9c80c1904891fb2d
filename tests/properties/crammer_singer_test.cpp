// Ascent on the dual of the hinge with ridge and with groups: its step against the inequality that defines it, its
// answers against another solver's.
#include <gtest/gtest.h>

#include <cmath>

#include "support/digits.hpp"
#include "support/problems.hpp"
#include "tamis/any.hpp"

namespace {

using namespace tamis;
using tamis::testing::Compressed;
using tamis::testing::Generator;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;
using tamis::testing::Run;

template <class T>
using Dual = CrammerSingerDual<T, Hinge, Ridge>;

/// A point of the simplex of size c; some entries zero.
std::vector<double> simplex_point(Generator& generator, Index classes, double c) {
  std::vector<double> p(classes);
  double total = 0;
  for (double& x : p) total += x = generator.draw(3) ? 0 : std::abs(generator.uniform());
  if (total == 0) p[generator.draw(classes)] = total = 1;
  for (double& x : p) x *= c / total;
  return p;
}

// p maximises ⟨s, p⟩ − ‖p − p₀‖²/2σ iff ⟨σs − (p − p₀), v − p⟩ ≤ 0 for every v in the simplex.
TEST(CrammerSingerStep, SatisfiesItsVariationalInequality) {
  Generator generator(5);
  for (int trial = 0; trial < 5000; ++trial) {
    const Index classes = 2 + generator.draw(trial % 10 ? 12 : 200);
    const double c = trial % 3 ? 1e-3 * (1 + generator.draw(100)) : 1;
    const double sigma = trial % 7 ? std::exp2(static_cast<int>(generator.draw(20)) - 12) : infinity<double>;
    auto p = simplex_point(generator, classes, c);
    if (trial % 2) {  // beyond the simplex, as between two passes; the sum stays
      const double by = 0.3 * c * generator.uniform();
      p[0] += by;
      p[classes - 1] -= by;
    }
    std::vector<double> s(classes), step(classes);
    for (double& x : s) x = trial % 5 ? 3 * generator.uniform() : generator.draw(3);  // ties
    const auto p0 = p, s0 = s;
    double gap = 0;
    const bool moves = crammer_singer_step(s.data(), p.data(), classes, c, sigma, 0.0, step.data(), gap);
    double expected = 0, total = 0;
    const double top = *std::max_element(s0.begin(), s0.end());
    for (Index k = 0; k < classes; ++k) expected += p0[k] * (top - s0[k]);
    EXPECT_NEAR(gap, expected, 1e-12);
    for (Index k = 0; k < classes; ++k) {
      ASSERT_GE(p[k], 0);
      total += p[k];
      EXPECT_NEAR(p[k] - p0[k], moves ? step[k] : 0, 1e-15);
    }
    ASSERT_NEAR(total, c, 1e-12);
    for (int other = 0; other < 20; ++other) {
      const auto v = simplex_point(generator, classes, c);
      double product = 0;
      for (Index k = 0; k < classes; ++k)
        product += (finite(sigma) ? sigma * s0[k] - (p[k] - p0[k]) : s0[k]) * (v[k] - p[k]);
      ASSERT_LE(product, 1e-10 * std::max(1.0, finite(sigma) ? sigma : 1.0));
    }
  }
}

template <class T, class Design, class Penalty = Ridge>
Run<T> run_dual(const Design& design, const Targets<T>& targets, Options<T> options, std::size_t bytes,
                const Penalty& penalty = {}) {
  Run<T> out{std::make_unique<GuardedMemory>(bytes), {}};
  using Solver = CrammerSingerDual<T, Hinge, Penalty, Design>;
  out.fit = train<Solver, T>(Solver(design, targets, Hinge{}, penalty, options), out.memory->span());
  EXPECT_TRUE(out.memory->surroundings_intact());
  return out;
}

template <class Penalty>
constexpr bool penalty_has_zeros = !std::is_same_v<Penalty, Ridge>;

/// Both solvers end converged, at the same value, with bounds on the right sides.
template <class T, class Penalty = Ridge>
void expect_agreement(const Made<T>& made, Options<T> options, const Penalty& penalty = {}) {
  const auto other =
      tamis::testing::run<PrimalDual<T, Hinge, Penalty>, T>(made.design(), made.targets(), Hinge{}, penalty, options);
  ASSERT_EQ(other.fit.status, Status::converged);
  const Compressed<T> compressed(made.design());
  const std::size_t most = made.values.size();
  for (const std::size_t entries : {std::size_t{0}, most / 3, most}) {
    const auto bytes = CrammerSingerDual<T, Hinge, Penalty>::requirement(made.shape(), entries).bytes;
    for (const auto& own : {run_dual<T>(made.design(), made.targets(), options, bytes, penalty),
                            run_dual<T>(compressed.design(), made.targets(), options, bytes, penalty)}) {
      EXPECT_EQ(own.fit.status, Status::converged) << own.fit.relative_gap << " after " << own.fit.iterations;
      const T slack = options.tolerance * 2 * std::abs(other.fit.objective) + T(1e-12);
      EXPECT_NEAR(own.fit.objective, other.fit.objective, slack);
      EXPECT_LE(own.fit.dual_objective, other.fit.objective + T(4) * epsilon<T>);
      EXPECT_NEAR(own.fit.objective,
                  tamis::testing::objective(made, own.fit.model, Hinge{}, penalty, static_cast<double>(options.lambda)),
                  slack);
      if (penalty_has_zeros<Penalty> && finite(other.fit.lambda_max))
        EXPECT_NEAR(own.fit.lambda_max, other.fit.lambda_max, 1e-5 * other.fit.lambda_max);
      for (Index k = 0; k < made.classes && !options.intercept; ++k) {
        EXPECT_EQ(own.fit.model.intercept(k), 0);
      }
    }
  }
}

Made<double> dressed(Index n, Index p, Index K, std::uint32_t seed) {
  Made<double> made(n, p, K, seed);
  Generator generator(seed);
  if (seed % 2)
    for (double& x : made.values)
      if (generator.draw(2)) x = 0;
  if (seed % 3 == 0)
    for (Index i = 0; i < n; ++i)
      made.weights.push_back(i + K < n && generator.draw(4) == 0 ? 0 : 1 + generator.draw(3));
  if (seed % 4 < 2)
    for (Index i = 0; i < n; ++i) made.margins.push_back(0.5 + 0.5 * generator.draw(3));
  if (seed % 5 != 0) return made;
  for (Index i = 0; i + 1 < n / 2; i += 2)  // some samples are zero, some are twice there
    for (Index j = 0; j < p; ++j) {
      made.values[i + j * n] = 0;
      made.values[i + 1 + j * n] = made.values[n - 1 + j * n];
    }
  return made;
}

TEST(CrammerSingerDual, AgreesWithThePrimalDual) {
  for (std::uint32_t seed = 1; seed <= 15; ++seed)
    for (const bool intercept : {true, false})
      for (const double lambda : {0.3, 0.01})
        expect_agreement(dressed(30 + seed, 1 + seed % 9, 2 + seed % 5, seed),
                         {.lambda = lambda, .tolerance = 1e-8, .intercept = intercept});
}
TEST(CrammerSingerDual, AgreesWithThePrimalDualInFloat) {
  for (std::uint32_t seed = 1; seed <= 6; ++seed)
    for (const bool intercept : {true, false})
      expect_agreement(Made<float>(50, 8, 4, seed), {.lambda = 0.02f, .tolerance = 1e-4f, .intercept = intercept});
}
TEST(CrammerSingerDual, AgreesWithThePrimalDualOnGroups) {
  for (std::uint32_t seed = 1; seed <= 15; ++seed)
    for (const bool intercept : {true, false})
      for (const double lambda : {1.0, 0.1, 0.01})
        expect_agreement(dressed(30 + seed, 1 + seed % 9, 2 + seed % 5, seed),
                         {.lambda = lambda, .tolerance = 1e-6, .intercept = intercept}, GroupL2{});
}
TEST(CrammerSingerDual, AgreesWithThePrimalDualOnGroupsInFloat) {
  for (std::uint32_t seed = 1; seed <= 6; ++seed)
    for (const bool intercept : {true, false})
      expect_agreement(Made<float>(50, 8, 4, seed), {.lambda = 0.02f, .tolerance = 1e-4f, .intercept = intercept},
                       GroupL2{});
}
TEST(CrammerSingerDual, AgreesWithThePrimalDualOnListedGroups) {
  const Index order[] = {3, 0, 7, 1, 2, 8, 4, 5, 6}, starts[] = {0, 2, 3, 7, 9};
  for (std::uint32_t seed = 1; seed <= 6; ++seed)
    for (const double lambda : {0.1, 0.01})
      expect_agreement(dressed(60, 9, 3, seed), {.lambda = lambda, .tolerance = 1e-6},
                       GroupL2{Groups::listed(order, starts, 4)});
}
TEST(CrammerSingerDual, AgreesWithThePrimalDualOnElasticNet) {
  for (std::uint32_t seed = 1; seed <= 15; ++seed)
    for (const bool intercept : {true, false})
      for (const double ratio : {0.0, 0.5, 0.9})
        for (const double lambda : {0.3, 0.02})
          expect_agreement(dressed(30 + seed, 1 + seed % 9, 2 + seed % 5, seed),
                           {.lambda = lambda, .tolerance = 1e-7, .intercept = intercept}, ElasticNet<double>{ratio});
}
TEST(CrammerSingerDual, AgreesWithThePrimalDualOnElasticNetInFloat) {
  for (std::uint32_t seed = 1; seed <= 6; ++seed)
    for (const bool intercept : {true, false})
      expect_agreement(Made<float>(50, 8, 4, seed), {.lambda = 0.02f, .tolerance = 1e-4f, .intercept = intercept},
                       ElasticNet<float>{});
}

/// Two columns tell the classes apart, the others are noise; columns differ in scale.
Made<double> few_of_many(Index p, std::uint32_t seed) {
  Made<double> made(120, p, 3, seed);
  for (Index i = 0; i < 120; ++i) {
    made.values[i] += 3.0 * made.labels[i];
    made.values[i + 120] -= made.labels[i] == 1 ? 4.0 : 0.0;
  }
  for (Index j = 0; j < p; ++j)
    for (Index i = 0; i < 120; ++i) made.values[i + j * 120] *= std::exp2(int(j % 5) - 2);
  return made;
}

// Those that the duals do not hold at the bound: the others are zero at the optimum, and ascent does not only come
// near.
TEST(CrammerSingerDual, GroupsAreZeroWhereThoseOfTheOptimumAre) {
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    const auto made = few_of_many(20, seed);
    for (const double lambda : {0.3, 0.1, 0.03}) {
      const Options<double> options{.lambda = lambda, .tolerance = 1e-6};
      const auto other = tamis::testing::run<TwoPhase<double, Hinge, GroupL2>, double>(
          made.design(), made.targets(), Hinge{}, GroupL2{}, {.lambda = lambda, .tolerance = 1e-9});
      const auto own =
          run_dual<double>(made.design(), made.targets(), options,
                           CrammerSingerDual<double, Hinge, GroupL2>::requirement(made.shape()).bytes, GroupL2{});
      ASSERT_EQ(own.fit.status, Status::converged);
      ASSERT_EQ(other.fit.status, Status::converged);
      EXPECT_LE(own.fit.nonzero_rows, other.fit.nonzero_rows + 1) << seed << ' ' << lambda;
      EXPECT_LT(other.fit.nonzero_rows, 20u);
    }
  }
}

// From a λ at which few groups are left to one at which most are needed, and back.
TEST(CrammerSingerDual, GroupsComeBackAlongAPath) {
  const auto made = few_of_many(12, 5);
  using Solver = CrammerSingerDual<double, Hinge, GroupL2>;
  GuardedMemory memory(Solver::requirement(made.shape(), made.values.size()).bytes);
  Solver solver(made.design(), made.targets(), Hinge{}, GroupL2{}, {.lambda = 0.5, .tolerance = 1e-6});
  solver.start(memory.span());
  while (solver.step()) {
  }
  Index most = 0;
  for (const double lambda : {0.2, 0.05, 0.002, 0.3, 1e-4, 100.0, 0.01}) {
    if (solver.warm_start(lambda))
      while (solver.step()) {
      }
    ASSERT_EQ(solver.report().status, Status::converged) << lambda;
    const auto other = tamis::testing::run<TwoPhase<double, Hinge, GroupL2>, double>(
        made.design(), made.targets(), Hinge{}, GroupL2{}, {.lambda = lambda, .tolerance = 1e-8});
    EXPECT_NEAR(solver.report().objective, other.fit.objective, 2e-6 * other.fit.objective) << lambda;
    if (lambda == 0.3) EXPECT_LE(solver.report().nonzero_rows, other.fit.nonzero_rows + 1);
    most = std::max(most, solver.report().nonzero_rows);
  }
  EXPECT_GT(most, 5u);
}

// Coefficients are zero where those of the optimum are, at every λ of a path, there and back.
TEST(CrammerSingerDual, ElasticNetAlongAPath) {
  const auto made = few_of_many(12, 5);
  using Solver = CrammerSingerDual<double, Hinge, ElasticNet<double>>;
  const ElasticNet<double> penalty{0.7};
  GuardedMemory memory(Solver::requirement(made.shape(), made.values.size()).bytes);
  Solver solver(made.design(), made.targets(), Hinge{}, penalty, {.lambda = 0.5, .tolerance = 1e-6});
  solver.start(memory.span());
  while (solver.step()) {
  }
  for (const double lambda : {0.2, 0.05, 0.002, 0.3, 100.0, 0.01}) {
    if (solver.warm_start(lambda))
      while (solver.step()) {
      }
    ASSERT_EQ(solver.report().status, Status::converged) << lambda;
    const auto other = tamis::testing::run<TwoPhase<double, Hinge, ElasticNet<double>>, double>(
        made.design(), made.targets(), Hinge{}, penalty, {.lambda = lambda, .tolerance = 1e-9});
    EXPECT_NEAR(solver.report().objective, other.fit.objective, 2e-6 * other.fit.objective) << lambda;
    EXPECT_NEAR(solver.report().nonzeros, other.fit.nonzeros, 1) << lambda;
  }
  EXPECT_TRUE(memory.surroundings_intact());
}

// Rows less their means, with zeros among the values and room for all samples, some, or one.
TEST(CrammerSingerDual, ElasticNetTakesFeaturesFarFromZero) {
  Made<double> made(200, 6, 3, 1);
  for (std::size_t e = 0; e < made.values.size(); ++e) made.values[e] = e % 50 ? made.values[e] + 40.0 : 0.0;
  for (const std::size_t entries : {std::size_t{0}, made.values.size() / 2, made.values.size()}) {
    const auto bytes = CrammerSingerDual<double, Hinge, ElasticNet<double>>::requirement(made.shape(), entries).bytes;
    const auto own = run_dual<double>(made.design(), made.targets(), {.lambda = 0.1, .tolerance = 1e-6}, bytes,
                                      ElasticNet<double>{});
    EXPECT_EQ(own.fit.status, Status::converged) << entries;
    EXPECT_LT(own.fit.iterations, 2000u) << entries;
  }
}

TEST(CrammerSingerDual, IsTheDefaultOfElasticNetUnlessItsRidgeIsSmall) {
  const ProblemSpec choice{.loss = LossKind::hinge, .penalty = PenaltyKind::elastic_net};
  const auto solver = [&](double lambda, double ratio) {
    return choice.of_sizes({100, 10, 5}, lambda, false, ratio).resolved_solver();
  };
  EXPECT_EQ(solver(0.1, 0.5), SolverKind::crammer_singer_dual);
  EXPECT_EQ(solver(0.1, 1.0), SolverKind::two_phase);
  EXPECT_EQ(solver(1e-5, 0.5), SolverKind::two_phase);
  // n λ (1 − ρ) = 1 beside a tenth of the mean square distance over the classes.
  EXPECT_EQ(choice.lambda_of_ridge(0.02, 0.5), 0.01);
  EXPECT_FALSE(choice.is_tiny(0.01, {100, 10, 5}, 49.0));
  EXPECT_TRUE(choice.is_tiny(0.01, {100, 10, 5}, 51.0));
}

TEST(CrammerSingerDual, IsRefusedWithElasticNetOfNoRidge) {
  const Made<double> made(40, 6, 3, 2);
  const auto bytes = CrammerSingerDual<double, Hinge, ElasticNet<double>>::requirement(made.shape()).bytes;
  EXPECT_EQ(run_dual<double>(made.design(), made.targets(), {.lambda = 0.1}, bytes, ElasticNet<double>{1.0}).fit.status,
            Status::invalid_option);
}

// A group that comes back is needed with little weight: in proportion to itself alone it grew for thousands of passes.
TEST(CrammerSingerDual, SmallGroupsGrowInTime) {
  const Made<double> parts[] = {tamis::testing::digits(false), tamis::testing::digits(true)};
  Made<double> made(0, 64, 10, 1);
  for (const auto& part : parts) made.labels.insert(made.labels.end(), part.labels.begin(), part.labels.end());
  made.samples = static_cast<Index>(made.labels.size());
  for (Index j = 0; j < made.features; ++j)
    for (const auto& part : parts) {
      const double* column = part.values.data() + std::size_t(j) * part.samples;
      made.values.insert(made.values.end(), column, column + part.samples);
    }
  const auto bytes = CrammerSingerDual<double, Hinge, GroupL2>::requirement(made.shape(), made.values.size()).bytes;
  for (const double lambda : {0.001374, 0.00177657}) {
    const auto own = run_dual<double>(made.design(), made.targets(), {.lambda = lambda}, bytes, GroupL2{});
    EXPECT_EQ(own.fit.status, Status::converged);
    EXPECT_LT(own.fit.iterations, 1500u) << lambda;
  }
}

TEST(CrammerSingerDual, IsTheDefaultOfGroupsWithManyClassesAndSamples) {
  using Without = AnyTrainingOf<double, AnyLoss<double>, PrimalDual, TwoPhase>;
  const ProblemSpec choice{.loss = LossKind::hinge, .penalty = PenaltyKind::group_l2};
  const auto solver = [&](Index samples, Index features, Index classes, double lambda) {
    return choice.of_sizes({samples, features, classes}, lambda).resolved_solver();
  };
  EXPECT_EQ(choice.resolved_solver(), SolverKind::two_phase);
  EXPECT_EQ(solver(80, 10, 8, 0.1), SolverKind::crammer_singer_dual);
  EXPECT_EQ(solver(74, 10, 8, 0.1), SolverKind::two_phase);
  EXPECT_EQ(solver(75, 10, 8, 0.1), SolverKind::crammer_singer_dual);
  EXPECT_EQ(solver(40, 10, 15, 0.1), SolverKind::crammer_singer_dual);
  EXPECT_EQ(solver(900, 10, 7, 0.1), SolverKind::two_phase);
  EXPECT_EQ(solver(80, 10, 8, 1e-6), SolverKind::two_phase);
  EXPECT_EQ(Without::resolve(choice.of_sizes({80, 10, 8}, 0.1)), SolverKind::two_phase);
  // The root of the samples' mean square distance beside 12 nλ, in float and for few coefficients.
  EXPECT_FALSE(choice.is_tiny(0.01f, {800, 100, 8}, 9000.0f));
  EXPECT_TRUE(choice.is_tiny(0.01f, {800, 100, 8}, 9500.0f));
  EXPECT_FALSE(choice.is_tiny(0.01, {800, 100, 8}, 9500.0));
  EXPECT_TRUE(choice.is_tiny(0.01, {800, 50, 8}, 9500.0));
}

TEST(CrammerSingerDual, IsRefusedWithGroupsOfOneClassEach) {
  const Made<double> made(40, 6, 3, 2);
  const Targets<double> targets = made.targets();
  ProblemSpec choice{.loss = LossKind::hinge, .penalty = PenaltyKind::group_l2, .groups = Groups::blocks(2)};
  EXPECT_EQ(choice.of_sizes(made.shape(), 0.1).resolved_solver(), SolverKind::two_phase);
  choice.solver = SolverKind::crammer_singer_dual;
  EXPECT_STREQ(choice.refusal(), TAMIS_NEEDS_ALL_CLASSES);
  const auto design = made.design();
  AnyTraining<double> training(choice, AnyDesign<double>(design), targets, {.lambda = 0.1});
  GuardedMemory memory(AnyTraining<double>::requirement(choice, made.shape()).bytes);
  EXPECT_FALSE(training.start(memory.span()));
  EXPECT_EQ(training.report().status, Status::invalid_combination);
}

TEST(CrammerSingerDual, TakesManyClassesAndTwoSamples) {
  for (const bool intercept : {true, false}) {
    expect_agreement(Made<double>(250, 6, 120, 3), {.lambda = 0.01, .tolerance = 1e-5, .intercept = intercept});
    expect_agreement(Made<double>(2, 3, 2, 4), {.lambda = 0.1, .tolerance = 1e-8, .intercept = intercept});
    expect_agreement(Made<double>(250, 6, 120, 3), {.lambda = 0.01, .tolerance = 1e-5, .intercept = intercept},
                     GroupL2{});
    expect_agreement(Made<double>(2, 3, 2, 4), {.lambda = 0.1, .tolerance = 1e-6, .intercept = intercept}, GroupL2{});
  }
}
TEST(CrammerSingerDual, TakesFeaturesFarFromZero) {
  Made<double> made(80, 5, 3, 8);
  for (double& x : made.values) x += 50;
  expect_agreement(made, {.lambda = 0.01, .tolerance = 1e-7});
}

TEST(CrammerSingerDual, GivesTheSameBitsTwice) {
  const Made<float> made(60, 9, 4, 2);
  const auto bytes = Dual<float>::requirement(made.shape(), 200).bytes;
  const auto once = run_dual<float>(made.design(), made.targets(), {.lambda = 0.01f}, bytes);
  const auto again = run_dual<float>(made.design(), made.targets(), {.lambda = 0.01f}, bytes);
  EXPECT_EQ(once.coefficients(), again.coefficients());
  EXPECT_EQ(once.fit.iterations, again.fit.iterations);
}

TEST(CrammerSingerDual, UsesTheMemoryItIsGiven) {
  const Made<double> made(40, 6, 3, 2);
  const auto all = Dual<double>::requirement(made.shape(), made.values.size()).bytes;
  const auto least = Dual<double>::requirement(made.shape()).bytes;
  for (std::size_t bytes = least; bytes <= all + 64; bytes += 40) {
    const auto own = run_dual<double>(made.design(), made.targets(), {.lambda = 0.05}, bytes);
    EXPECT_EQ(own.fit.status, Status::converged);
    EXPECT_EQ(own.fit.arena_bytes, own.fit.arena_used_bytes);
    EXPECT_LE(own.fit.arena_used_bytes, std::min(bytes, all));
    EXPECT_GT(own.fit.arena_used_bytes + 64, std::min(bytes, all));
  }
}

TEST(CrammerSingerDual, RefusesLambdaZeroAndAutomaticFindsAnother) {
  const Made<double> made(40, 6, 3, 2);
  GuardedMemory memory(Dual<double>::requirement(made.shape()).bytes);
  Dual<double> solver(made.design(), made.targets(), Hinge{}, Ridge{}, {.lambda = 0});
  EXPECT_FALSE(solver.start(memory.span()));
  EXPECT_EQ(solver.report().status, Status::invalid_lambda);
  EXPECT_TRUE(memory.untouched());
  ProblemSpec choice{.loss = LossKind::hinge, .penalty = PenaltyKind::ridge};
  EXPECT_EQ(choice.resolved_solver(), SolverKind::crammer_singer_dual);
  choice.tiny_lambda = true;
  EXPECT_EQ(choice.resolved_solver(), SolverKind::two_phase);
}

}  // namespace
