// The Newton phase: its pieces against Eigen and finite differences, the whole against the first phase alone.
#include "tamis/solver/two_phase.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "support/problems.hpp"

namespace tamis {
namespace {

using testing::Compressed;
using testing::Generator;
using testing::GuardedMemory;
using testing::Made;

template <class T>
class Cholesky : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Cholesky, Scalars);

TYPED_TEST(Cholesky, SolvesWhatEigenSolves) {
  using T = TypeParam;
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Generator generator(5);
  for (const Index size : {1u, 2u, 3u, 5u, 8u, 17u, 40u}) {
    Matrix factor(size, size);
    for (Index i = 0; i < size; ++i)
      for (Index j = 0; j < size; ++j) factor(i, j) = generator.uniform();
    const Matrix a = factor * factor.transpose() + Matrix::Identity(size, size);
    Eigen::VectorXd right(size);
    for (Index i = 0; i < size; ++i) right(i) = generator.uniform();
    const Index stride = size + 3;
    std::vector<T> mine(size * stride, T(99)), x(size);
    for (Index i = 0; i < size; ++i) {
      x[i] = static_cast<T>(right(i));
      for (Index j = 0; j <= i; ++j) mine[i * stride + j] = static_cast<T>(a(i, j));
    }
    ASSERT_TRUE(factor_cholesky(mine.data(), size, stride));
    solve_cholesky(mine.data(), size, stride, x.data());
    const Eigen::VectorXd expected = a.llt().solve(right);
    const double within = sizeof(T) == 4 ? 1e-4 : 1e-12;
    for (Index i = 0; i < size; ++i) EXPECT_NEAR(static_cast<double>(x[i]), expected(i), within);
    const Index width = 2 * lanes<T>;  // several right-hand sides at once: multiples of the one
    std::vector<T> rows(size * width);
    for (Index i = 0; i < size; ++i)
      for (Index k = 0; k < width; ++k) rows[i * width + k] = static_cast<T>((k + 1) * right(i));
    solve_cholesky_rows(static_cast<const T*>(mine.data()), size, stride, rows.data(), width);
    for (Index i = 0; i < size; ++i)
      for (Index k = 0; k < width; ++k)
        EXPECT_NEAR(static_cast<double>(rows[i * width + k]), (k + 1) * expected(i), width * within);
  }
}

TYPED_TEST(Cholesky, WideVectorsGiveTheSameBits) {
  using T = TypeParam;
  if (!has_wide_vectors()) GTEST_SKIP() << "this processor has none (AVX2)";
  constexpr Index size = 20, stride = 23;
  Generator generator(9);
  std::vector<T> narrow(size * stride);
  for (T& entry : narrow) entry = static_cast<T>(generator.uniform());
  for (Index i = 0; i < size; ++i) narrow[i * stride + i] += T(3);
  auto wide = narrow;
  for (Index j = 0; j < 16; j += 4) {
    for (const Index pair : {16u, 18u})
      detail::factor_tile<T>(&narrow[pair * stride], &narrow[j * stride], stride, j);
    detail::factor_tile_wide<T>(&wide[16 * stride], &wide[j * stride], stride, j);
  }
  EXPECT_EQ(narrow, wide);
}

TYPED_TEST(Cholesky, PanelsGiveTheBitsOfTheDefinition) {
  using T = TypeParam;
  for (const Index size : {3u, 15u, 16u, 17u, 35u, 50u}) {
    const Index stride = padded<T>(size) + 8;
    Generator generator(size);
    std::vector<T> a(size * stride);
    for (T& entry : a) entry = static_cast<T>(generator.uniform());
    for (Index i = 0; i < size; ++i) a[i * stride + i] += static_cast<T>(size);
    auto expected = a;
    for (Index i = 0; i < size; ++i) {
      T* const row = &expected[i * stride];
      for (Index c = 0; c < i; ++c)
        row[c] = detail::factor_entry<T>(row, &expected[c * stride], c) / expected[c * stride + c];
      row[i] = square_root(detail::factor_entry<T>(row, row, i));
    }
    ASSERT_TRUE(factor_cholesky(a.data(), size, stride));
    EXPECT_EQ(a, expected) << size;
  }
}

TEST(Cholesky, RefusesWhatIsNotDefinite) {
  std::vector<double> a{1, 0, 2, 1};
  EXPECT_FALSE(factor_cholesky(a.data(), 2, 2));
  for (const Index bad : {0u, 15u, 16u, 33u, 39u}) {
    std::vector<double> diagonal(40 * 40);
    for (Index i = 0; i < 40; ++i) diagonal[i * 40 + i] = i == bad ? 0 : 1;
    EXPECT_FALSE(factor_cholesky(diagonal.data(), 40, 40)) << bad;
  }
}

// ---- Jacobians of proximity operators -------------------------------------------------------------------------------

/// U d for the Jacobian that the penalty gives at w = prox(v), assembled from its description.
template <class Penalty>
std::vector<double> slope_along(const Penalty& penalty, Rows<const double> w, double step,
                                const std::vector<double>& d) {
  std::vector<double> out(d.size(), 0);
  const auto at = [&](Index r, Index k) { return static_cast<std::size_t>(r) * w.stride + k; };
  penalty.prox_jacobian(w, step, [&](const ProxJacobian<double>& group) {
    std::vector<std::pair<std::size_t, double>> inside, top;
    double square = 0;
    for (Index r = group.first_row; r < group.first_row + group.rows; ++r)
      for (Index k = group.first_class; k < group.first_class + group.classes; ++k) {
        const double entry = w(r, k);
        if (entry == 0) continue;
        square += entry * entry;
        const bool clipped = group.slope.level > 0 && std::abs(entry) >= group.slope.level;
        (clipped ? top : inside).emplace_back(at(r, k), entry);
      }
    double inner = 0;
    for (const auto& [place, entry] : inside) inner += entry * d[place];
    const double across = group.slope.scale * group.slope.scale, along = group.slope.along * group.slope.along;
    for (const auto& [place, entry] : inside)
      out[place] = group.slope.level > 0 ? d[place] : across * d[place] + (along - across) * inner / square * entry;
    double mean = 0;
    for (const auto& [place, entry] : top) mean += (entry > 0 ? d[place] : -d[place]) / static_cast<double>(top.size());
    for (const auto& [place, entry] : top) out[place] = entry > 0 ? mean : -mean;
  });
  return out;
}

template <class Penalty>
void expect_finite_differences(const Penalty& penalty, Index rows, const char* name) {
  Generator generator(11);
  const Index classes = 3, stride = 4;
  int checked = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> v(rows * stride, 0), d(rows * stride, 0);
    for (Index r = 0; r < rows; ++r)
      for (Index k = 0; k < classes; ++k) {
        v[r * stride + k] = 2 * generator.uniform() + 1e-4 * generator.uniform();
        d[r * stride + k] = generator.uniform();
      }
    const double step = 0.05 + 0.6 * std::abs(generator.uniform()), tiny = 1e-6;
    auto w = v, ahead = v, behind = v;
    for (std::size_t e = 0; e < v.size(); ++e) ahead[e] += tiny * d[e], behind[e] -= tiny * d[e];
    const auto view = [&](auto& matrix) { return Rows<double>{matrix.data(), rows, classes, stride}; };
    penalty.prox(view(w), step);
    penalty.prox(view(ahead), step);
    penalty.prox(view(behind), step);
    bool kink = false;  // a zero or a clipped entry on one side only: no derivative there
    for (std::size_t e = 0; e < v.size(); ++e) kink |= (ahead[e] == 0) != (behind[e] == 0);
    const auto slope = slope_along(penalty, Rows<const double>(view(w)), step, d);
    double worst = 0;
    for (std::size_t e = 0; e < v.size(); ++e)
      worst = std::max(worst, std::abs((ahead[e] - behind[e]) / (2 * tiny) - slope[e]));
    if (kink || worst > 1e-3) continue;  // counted below: kinks are rare
    ++checked;
    EXPECT_LT(worst, 1e-5) << name;
  }
  EXPECT_GT(checked, 1960) << name;
}

TEST(ProxJacobian, IsTheDerivative) {
  expect_finite_differences(L1{}, 2, "l1");
  expect_finite_differences(ElasticNet<double>{0.6}, 2, "elastic net");
  expect_finite_differences(GroupL2{Groups::rows()}, 1, "rows");
  expect_finite_differences(GroupL2{Groups::blocks(4)}, 4, "blocks");
  expect_finite_differences(GroupLinf{Groups::rows()}, 1, "rows, largest entry");
  expect_finite_differences(GroupLinf{Groups::blocks(4)}, 4, "blocks, largest entry");
  expect_finite_differences(SparseGroup<double>{Groups::rows(), {0.4}}, 1, "sparse group");
}

// ---- samples of a design --------------------------------------------------------------------------------------------

TEST(Gather, GivesListedSamplesOfDenseAndSparseColumns) {
  Made<float> made(20, 5, 3, 4);
  for (std::size_t e = 0; e < made.values.size(); e += 3) made.values[e] = 0;
  const auto dense = made.design();
  const Compressed<float> compressed(dense);
  const Index list[] = {0, 3, 4, 11, 19};
  for (Index j = 0; j < 5; ++j) {
    float a[10] = {}, b[10] = {};
    dense.gather(j, list, 5, a, 2);
    compressed.design().gather(j, list, 5, b, 2);
    for (int s = 0; s < 5; ++s) {
      EXPECT_EQ(a[2 * s], dense(list[s], j));
      EXPECT_EQ(b[2 * s], dense(list[s], j));
    }
    float all[20];
    compressed.design().gather(j, nullptr, 20, all, 1);
    for (Index i = 0; i < 20; ++i) EXPECT_EQ(all[i], dense(i, j));
  }
}

// ---- the solver -----------------------------------------------------------------------------------------------------

struct Outcome {
  Report<double> report;
  double objective;
};

/// Trains with room for `active_limit` coefficients; 0 leaves the first phase alone.
template <class Loss = Hinge, class Penalty, class Design>
Outcome train_with(const Made<double>& made, const Design& design, Penalty penalty, double lambda, Index active_limit,
                   bool intercept = true) {
  using Solver = TwoPhase<double, Loss, Penalty, Design>;
  const std::size_t bytes =
      active_limit ? Solver::requirement(made.shape(), active_limit).bytes : Solver::requirement(made.shape()).bytes;
  GuardedMemory memory(bytes);
  const Options<double> options{.lambda = lambda, .tolerance = 1e-8, .max_iterations = 300000, .intercept = intercept};
  const auto fit = train<Solver, double>(Solver(design, made.targets(), Loss{}, penalty, options), memory.span());
  EXPECT_TRUE(memory.surroundings_intact());
  EXPECT_EQ(fit.arena_bytes, bytes);
  EXPECT_EQ(fit.arena_used_bytes, bytes);
  EXPECT_EQ(fit.status, Status::converged);
  return {fit, testing::objective(made, fit.model, Loss{}, penalty, lambda)};
}

template <class Loss = Hinge, class Penalty>
void expect_agreement(const Made<double>& made, Penalty penalty, double lambda, const char* name) {
  for (const bool intercept : {true, false}) {
    const auto first = train_with<Loss>(made, made.design(), penalty, lambda, 0, intercept);
    const auto factored =
        train_with<Loss>(made, made.design(), penalty, lambda, made.classes * (made.features + 1), intercept);
    const auto conjugate = train_with<Loss>(made, made.design(), penalty, lambda, made.classes + 2, intercept);
    const Compressed<double> compressed(made.design());
    const auto sparse =
        train_with<Loss>(made, compressed.design(), penalty, lambda, made.classes * made.features, intercept);
    for (const auto& other : {factored, conjugate, sparse}) {
      EXPECT_NEAR(other.objective, first.objective, 2e-8 * first.objective) << name << " " << intercept;
      EXPECT_NEAR(other.report.objective, other.objective, 1e-9 * first.objective) << name;
      EXPECT_LE(other.report.dual_objective, first.objective * (1 + 1e-10)) << name;
    }
  }
}

TEST(TwoPhase, AgreesWithTheFirstPhaseForEveryPenalty) {
  Made<double> made(60, 12, 4, 21);
  expect_agreement(made, L1{}, 0.01, "l1");
  expect_agreement(made, ElasticNet<double>{0.7}, 0.02, "elastic net");
  expect_agreement(made, GroupL2{Groups::rows()}, 0.02, "rows");
  expect_agreement(made, GroupL2{Groups::blocks(3)}, 0.02, "blocks");
  expect_agreement(made, GroupLinf{Groups::rows()}, 0.03, "rows, largest entry");
  expect_agreement(made, GroupLinf{Groups::blocks(5)}, 0.03, "blocks, largest entry");
  expect_agreement(made, SparseGroup<double>{Groups::rows(), {0.3}}, 0.02, "sparse group");
  const Index order[] = {11, 3, 0, 7, 1, 2, 10, 4, 5, 6, 9, 8}, starts[] = {0, 2, 5, 6, 12};
  expect_agreement(made, GroupL2{Groups::listed(order, starts, 4)}, 0.03, "listed");
  expect_agreement(made, GroupLinf{Groups::listed(order, starts, 4)}, 0.05, "listed, largest entry");
}

TEST(TwoPhase, AgreesWithTheFirstPhaseForTheSquaredHinge) {
  Made<double> made(60, 12, 4, 21);
  for (const bool weighted : {false, true}) {
    expect_agreement<SquaredHinge>(made, L1{}, 0.01, "l1");
    expect_agreement<SquaredHinge>(made, ElasticNet<double>{0.7}, 0.02, "elastic net");
    expect_agreement<SquaredHinge>(made, GroupL2{Groups::blocks(3)}, 0.02, "blocks");
    expect_agreement<SquaredHinge>(made, GroupLinf{Groups::rows()}, 0.03, "rows, largest entry");
    expect_agreement<SquaredHinge>(made, Ridge{}, 0.02, "ridge");
    for (Index i = 0; i < made.samples; ++i) {
      made.weights.push_back(i % 5 == 0 ? 0 : 1 + 0.5 * (i % 3));
      made.margins.push_back(0.5 + 0.25 * (i % 4));
    }
  }
  expect_agreement<SquaredHinge>(Made<double>(50, 8, 2, 33), L1{}, 0.01, "two classes");
}

/// What was in the storage of a solver before it does not matter.
TEST(TwoPhase, GivesTheSameBitsInAnyStorage) {
  using Solver = TwoPhase<double, SquaredHinge, L1>;
  const Made<double> made(40, 300, 3, 21);
  GuardedMemory memory(Solver::requirement(made.shape(), made.classes * (made.features + 1)).bytes);
  alignas(Solver) std::byte storage[sizeof(Solver)];
  const auto objective = [&](unsigned char before) {
    std::fill(std::begin(storage), std::end(storage), std::byte{before});
    auto* const solver =
        ::new (static_cast<void*>(storage)) Solver(made.design(), made.targets(), {}, {}, {.lambda = 1e-7});
    solver->start(memory.span());
    while (solver->step()) {
    }
    EXPECT_EQ(solver->report().status, Status::converged);
    return solver->report().objective;
  };
  EXPECT_EQ(objective(0), objective(0xff));
}

/// Few samples of many features at a small λ: margins are met by far before the penalty counts, and descent crawls.
TEST(TwoPhase, EndsWhereDescentOnTheSquaredHingeCrawls) {
  Made<double> made(40, 300, 3, 4);
  const auto fit = train_with<SquaredHinge>(made, made.design(), L1{}, 1e-5, 903);
  EXPECT_LT(fit.report.iterations, 6000u);
  using Descent = BlockCoordinateDescent<double, SquaredHinge, L1>;
  GuardedMemory memory(Descent::requirement(made.shape(), {made.values.size(), 301}).bytes);
  const auto other = train<Descent, double>(
      Descent(made.design(), made.targets(), {}, {}, {.lambda = 1e-5, .tolerance = 1e-3, .max_iterations = 5000}),
      memory.span());
  EXPECT_LE(fit.report.dual_objective, other.objective);
  EXPECT_GE(fit.objective, other.dual_objective);
}

TEST(TwoPhase, TakesWeightsMarginsAndTwoClasses) {
  Made<double> made(50, 8, 2, 33);
  for (Index i = 0; i < made.samples; ++i) {
    made.weights.push_back(i % 5 == 0 ? 0 : 1 + 0.5 * (i % 3));
    made.margins.push_back(0.5 + 0.25 * (i % 4));
  }
  expect_agreement(made, L1{}, 0.01, "l1");
  expect_agreement(made, GroupL2{}, 0.01, "rows");
}

TEST(TwoPhase, NeedsFarFewerIterationsForHighAccuracy) {
  Made<double> made(150, 40, 5, 8);
  const auto first = train_with(made, made.design(), L1{}, 0.004, 0);
  const auto both = train_with(made, made.design(), L1{}, 0.004, 205);
  EXPECT_LT(both.report.iterations * 4, first.report.iterations);
}

TEST(TwoPhase, WorksOnFewOfManyFeatures) {
  Made<double> made(40, 500, 3, 2);
  const auto first = train_with(made, made.design(), L1{}, 0.02, 0);
  const auto both = train_with(made, made.design(), L1{}, 0.02, 300);
  EXPECT_NEAR(both.objective, first.objective, 2e-8 * first.objective);
  EXPECT_LT(both.report.epochs, first.report.epochs);
}

/// The fewest samples that the second phase worked on.
template <class Penalty, class Design>
std::pair<Report<double>, Index> fewest_samples(const Made<double>& made, const Design& design, Penalty penalty,
                                                double lambda) {
  using Solver = TwoPhase<double, Hinge, Penalty, Design>;
  GuardedMemory memory(Solver::requirement(made.shape(), made.classes * (made.features + 1)).bytes);
  Solver solver(design, made.targets(), {}, penalty, {.lambda = lambda, .tolerance = 1e-8});
  Index fewest = made.samples;
  solver.start(memory.span());
  while (solver.step()) fewest = std::min(fewest, solver.samples_in_use());
  EXPECT_TRUE(memory.surroundings_intact());
  EXPECT_EQ(solver.report().status, Status::converged);
  EXPECT_NEAR(testing::objective(made, solver.model(), Hinge{}, penalty, lambda), solver.report().objective, 1e-9);
  return {solver.report(), fewest};
}

TEST(TwoPhase, LeavesOutSamplesOfDenseDesigns) {
  Made<double> made(700, 10, 4, 6);
  for (Index i = 0; i < made.samples; ++i) made.weights.push_back(i % 7 == 0 && i < 690 ? 0 : 1);  // only clean labels
  const Compressed<double> compressed(made.design());
  const auto expect = [&](auto penalty, double lambda) {
    const auto [all, everyone] = fewest_samples(made, compressed.design(), penalty, lambda);
    const auto [some, fewest] = fewest_samples(made, made.design(), penalty, lambda);
    EXPECT_EQ(everyone, made.samples);
    EXPECT_LE(fewest, made.samples / 2);
    EXPECT_GT(fewest, 0u);
    EXPECT_NEAR(some.objective, all.objective, 2e-8 * all.objective);
    EXPECT_LE(some.dual_objective, all.objective * (1 + 1e-10));
    EXPECT_LT(some.iterations, 2 * all.iterations);
    EXPECT_LT(some.epochs, 0.8 * all.epochs);
  };
  expect(L1{}, 0.002);
  expect(GroupL2{}, 0.002);
  expect(GroupLinf{Groups::blocks(3)}, 0.002);
}

TEST(TwoPhase, LimitFromMemoryIsTheInverseOfMemoryFromLimit) {
  using Solver = TwoPhase<float, Hinge, L1>;
  const Shape shape{100, 30, 4};
  for (const Index limit : {5u, 17u, 100u, 123u}) {
    const auto bytes = Solver::requirement(shape, limit).bytes;
    const Index found =
        Solver::active_limit(shape, bytes, 3000);  // the largest that fits: small ones need the same room
    EXPECT_GE(found, limit);
    EXPECT_LE(Solver::requirement(shape, found).bytes, bytes);
    EXPECT_GT(Solver::requirement(shape, found + 1).bytes, bytes);
    EXPECT_LT(Solver::active_limit(shape, Solver::requirement(shape, found).bytes - 1, 3000), found);
  }
  EXPECT_EQ(Solver::active_limit(shape, Solver::requirement(shape).bytes, 3000), 0u);
  EXPECT_EQ(Solver::active_limit(shape, ~std::size_t(0) / 2, 3000), Solver::highest_active_limit(shape));
}

TEST(TwoPhase, StopsAtTheIterationLimitInEitherPhase) {
  Made<double> made(150, 40, 5, 8);
  using Solver = TwoPhase<double, Hinge, L1>;
  const Shape shape = made.shape();
  for (const std::uint32_t limit : {1u, 40u, 81u, 90u, 121u, 200u}) {
    GuardedMemory memory(Solver::requirement(shape, 205).bytes);
    const Options<double> options{.lambda = 0.004, .tolerance = 1e-12, .max_iterations = limit};
    const auto fit = train<Solver, double>(Solver(made.design(), made.targets(), {}, {}, options), memory.span());
    EXPECT_EQ(fit.status, Status::iteration_limit) << limit;
    EXPECT_EQ(fit.iterations, limit);
    EXPECT_NEAR(testing::objective(made, fit.model, Hinge{}, L1{}, 0.004), fit.objective, 1e-9);
  }
}

}  // namespace
}  // namespace tamis
