// Descent over features and Newton's method on the support: their pieces against brute force and finite differences,
// the whole against its certificate and against accelerated proximal gradient.
#include "tamis/solver/block_coordinate_descent.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "support/descent.hpp"
#include "support/digits.hpp"
#include "support/problems.hpp"
#include "tamis/any.hpp"

namespace tamis {
namespace {

using testing::Compressed;
using testing::expect_wide;
using testing::fit;
using testing::Generator;
using testing::GuardedMemory;
using testing::Made;

// ---- losses
// -----------------------------------------------------------------------------------------------------------

template <class Loss>
class CurvedLosses : public ::testing::Test {};
using AllCurvedLosses = ::testing::Types<SquaredHinge, Logistic, OneVsRestSquaredHinge>;
TYPED_TEST_SUITE(CurvedLosses, AllCurvedLosses);

TYPED_TEST(CurvedLosses, CurvatureIsTheDerivativeOfTheGradient) {
  const TypeParam loss;
  Generator generator(3);
  int checked = 0;
  for (int round = 0; round < 400; ++round) {
    const Index classes = 2 + generator.draw(6);
    const auto label = static_cast<Label>(generator.draw(classes));
    const double weight = 0.25 + generator.draw(8), margin = 0.8;
    std::vector<double> z(classes), t(classes), h(classes), up(classes), down(classes);
    for (double& score : z) score = 2 * generator.uniform() + 1e-4 * generator.uniform();
    for (double& direction : t) direction = generator.uniform();
    const double tiny = 1e-6;
    auto ahead = z, behind = z;
    for (Index k = 0; k < classes; ++k) ahead[k] += tiny * t[k], behind[k] -= tiny * t[k];
    const bool any = loss.take_curvature(z.data(), classes, label, margin, weight, 0.0, h.data());
    const auto size = loss.curvature_size(static_cast<const double*>(h.data()), classes, label, weight);

    Eigen::MatrixXd hessian(classes, classes);
    for (Index k = 0; k < classes; ++k) {
      std::vector<double> unit(classes, 0);
      unit[k] = 1;
      loss.apply_curvature(h.data(), classes, label, weight, unit.data());
      for (Index l = 0; l < classes; ++l) hessian(l, k) = unit[l];
    }
    EXPECT_LT((hessian - hessian.transpose()).norm(), 1e-14);
    const auto eigenvalues = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(hessian).eigenvalues();
    EXPECT_GE(eigenvalues.minCoeff(), -1e-12);
    EXPECT_LE(eigenvalues.maxCoeff(), size.bound * (1 + 1e-12) + 1e-15);
    const double directions = separate_classes(loss) ? classes : classes - 1;
    EXPECT_NEAR(size.mean, hessian.trace() / directions, 1e-12);
    EXPECT_EQ(any, hessian.norm() > 0);

    loss.gradient(ahead.data(), classes, label, margin, weight, up.data());
    loss.gradient(behind.data(), classes, label, margin, weight, down.data());
    loss.apply_curvature(h.data(), classes, label, weight, t.data());
    double worst = 0;
    for (Index k = 0; k < classes; ++k) worst = std::max(worst, std::abs((up[k] - down[k]) / (2 * tiny) - t[k]));
    if (worst > 1e-3) continue;  // a violation began within `tiny`
    ++checked;
    EXPECT_LT(worst, 1e-6);
  }
  EXPECT_GT(checked, 395);
}

TYPED_TEST(CurvedLosses, SlackOnlyAdds) {
  const TypeParam loss;
  const double z[] = {0.3, -0.7, -1.9, 1.2};
  double without[4], with[4];
  loss.take_curvature(z, 4, Label(0), 1.0, 2.0, 0.0, without);
  loss.take_curvature(z, 4, Label(0), 1.0, 2.0, 5.0, with);
  for (int k = 0; k < 4; ++k) EXPECT_GE(with[k], without[k]);
}

// ---- penalties
// --------------------------------------------------------------------------------------------------------

/// The gradient and its change along d where zeros stay zero, against differences of the value.
template <class Penalty>
void expect_derivatives(const Penalty& penalty, Index rows, bool largest_move_together) {
  Generator generator(17);
  const Index classes = 3, stride = 4;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> w(rows * stride, 0), d(rows * stride, 0), g(rows * stride, 0);
    double top = 0;
    for (Index r = 0; r < rows; ++r)
      for (Index k = 0; k < classes; ++k) {
        double& entry = w[r * stride + k];
        entry = generator.draw(3) == 0 ? 0 : generator.uniform() + 0.01;
        top = std::max(top, std::abs(entry));
        d[r * stride + k] = entry == 0 ? 0 : generator.uniform();
      }
    if (top == 0) continue;
    const auto view = [&](auto& matrix) { return Rows<double>{matrix.data(), rows, classes, stride}; };
    if (largest_move_together)  // the direction of the largest entry alone has a kink when others tie with it
      for (auto& entry : w)
        if (entry != 0 && std::abs(entry) > 0.8 * top && std::abs(entry) < top) entry *= 0.5;
    penalty.gradient(Rows<const double>(view(w)), view(g));
    const double tiny = 1e-6;
    auto ahead = w, behind = w;
    double slope = 0;
    for (std::size_t e = 0; e < w.size(); ++e) {
      ahead[e] += tiny * d[e];
      behind[e] -= tiny * d[e];
      slope += g[e] * d[e];
    }
    const double difference =
        (penalty.value(Rows<const double>(view(ahead))) - penalty.value(Rows<const double>(view(behind)))) / (2 * tiny);
    EXPECT_NEAR(difference, slope, 1e-7);
  }
}

TEST(PenaltyGradient, IsTheDerivativeWhereZerosStay) {
  expect_derivatives(L1{}, 2, false);
  expect_derivatives(ElasticNet<double>{0.3}, 2, false);
  expect_derivatives(Ridge{}, 2, false);
  expect_derivatives(GroupL2{Groups::rows()}, 1, false);
  expect_derivatives(GroupL2{Groups::blocks(4)}, 4, false);
  expect_derivatives(SparseGroup<double>{Groups::rows(), {0.4}}, 1, false);
  expect_derivatives(GroupLinf{Groups::rows()}, 1, true);
}

// ---- passes over columns
// ----------------------------------------------------------------------------------------------

template <class T, Violations terms, class Loss>
void expect_sums_of(Loss loss, Index classes) {
  Made<T> made(60, 5, classes, 4);
  Generator generator(8);
  for (Index i = 0; i < made.samples; ++i) {
    made.weights.push_back(T(0.5) + T(generator.draw(4)) / 4);
    made.margins.push_back(T(0.75) + T(generator.draw(4)) / 4);
  }
  for (std::size_t e = 0; e < made.values.size(); ++e)
    if (generator.draw(3) == 0) made.values[e] = T(0);
  const Index stride = padded<T>(classes);
  std::vector<T> z(made.samples * stride, T(0)), numbers(stride), valid(stride, T(0)), g(stride), h(stride);
  for (Index k = 0; k < stride; ++k) numbers[k] = T(k);
  for (Index k = 0; k < classes; ++k) valid[k] = T(1);
  for (Index i = 0; i < made.samples; ++i)
    for (Index k = 0; k < classes; ++k) z[i * stride + k] = T(generator.uniform());
  const auto dense = made.design();
  const Compressed<T> compressed(dense);
  const detail::ViolationPass<T> pass{z.data(), made.labels.data(), made.weights.data(), made.margins.data(),
                                      T(1),     numbers.data(),     valid.data()};
  for (const bool sparse : {false, true})
    for (Index j = 0; j < 5; ++j) {
      const Column<T> column = sparse ? compressed.design().column(j) : dense.column(j);
      detail::sum_violations<T, terms>(column, pass, stride, g.data(), h.data());
      std::vector<double> gradient(classes, 0), curvature(classes, 0);
      for (Index i = 0; i < made.samples; ++i) {
        std::vector<double> scores(classes), u(classes), row(classes);
        for (Index k = 0; k < classes; ++k) scores[k] = static_cast<double>(z[i * stride + k]);
        const double weight = static_cast<double>(made.weights[i]), margin = static_cast<double>(made.margins[i]);
        const double x = static_cast<double>(dense(i, j));
        loss.gradient(scores.data(), classes, made.labels[i], margin, weight, u.data());
        loss.take_curvature(scores.data(), classes, made.labels[i], margin, weight, 0.0, row.data());
        for (Index k = 0; k < classes; ++k) {
          gradient[k] += x * u[k] / 2;
          std::vector<double> unit(classes, 0);
          unit[k] = 1;
          loss.apply_curvature(row.data(), classes, made.labels[i], weight, unit.data());
          curvature[k] += x * x * unit[k] / 2;
        }
      }
      const double within = sizeof(T) == 4 ? 1e-5 : 1e-12;
      for (Index k = 0; k < classes; ++k) {
        EXPECT_NEAR(static_cast<double>(g[k]), gradient[k], within * 60);
        EXPECT_NEAR(static_cast<double>(h[k]), curvature[k], within * 60);
      }
    }
}

TEST(ColumnPasses, SumTheViolationsOfEveryWidth) {
  for (const Index classes : {2u, 3u, 5u, 10u, 17u, 26u, 40u}) {
    expect_sums_of<float, Violations::of_pairs>(SquaredHinge{}, classes);
    expect_sums_of<double, Violations::of_pairs>(SquaredHinge{}, classes);
    expect_sums_of<float, Violations::of_classes>(OneVsRestSquaredHinge{}, classes);
  }
}

TEST(ColumnPasses, WideVectorsGiveTheSameBits) {
  if (!has_wide_vectors()) GTEST_SKIP() << "this processor has none (AVX2)";
  for (const Index classes : {3u, 10u, 20u, 26u, 40u}) {
    const Made<float> made(50, 3, classes, 4);
    const Index stride = padded<float>(classes);
    Generator generator(2);
    std::vector<float> z(50 * stride), numbers(stride), valid(stride, 0.0f), narrow(2 * stride), wide(2 * stride);
    for (Index k = 0; k < stride; ++k) numbers[k] = float(k);
    for (Index k = 0; k < classes; ++k) valid[k] = 1.0f;
    for (float& score : z) score = static_cast<float>(generator.uniform()) / 3;
    const detail::ViolationPass<float> pass{z.data(), made.labels.data(), nullptr,     nullptr,
                                            1.0f,     numbers.data(),     valid.data()};
    const auto column = made.design().column(1);
    detail::sum_violations_rows<float, false, Violations::of_pairs>(column, pass, stride, narrow.data(),
                                                                    narrow.data() + stride);
    detail::sum_violations_wide<float, Violations::of_pairs>(column, pass, stride, wide.data(), wide.data() + stride);
    EXPECT_EQ(narrow, wide);
    std::vector<float> first(stride), second(stride);
    detail::sum_column_rows<float, false>(column, z.data(), stride, first.data());
    detail::sum_column_wide<float>(column, z.data(), stride, second.data());
    EXPECT_EQ(first, second);
    auto a = z, b = z;
    detail::add_column_rows<float, false>(column, first.data(), stride, a.data());
    detail::add_column_wide<float>(column, first.data(), stride, b.data());
    EXPECT_EQ(a, b);
  }
}

// ---- the whole
// --------------------------------------------------------------------------------------------------------

template <class Loss, class Penalty>
void expect_optimum(Loss loss, Penalty penalty, double lambda, const char* what) {
  Made<double> made(70, 12, 4, 21);
  for (const bool weighted : {false, true}) {
    if (weighted)
      for (Index i = 0; i < made.samples; ++i) made.weights.push_back(i % 5 == 0 ? 2.0 : i % 7 == 0 ? 0.0 : 0.5);
    for (const bool intercept : {false, true}) {
      const Options<double> options{
          .lambda = lambda, .tolerance = 1e-8, .max_iterations = 20000, .intercept = intercept};
      const auto peer =
          testing::run<Fista<double, Loss, Penalty>, double>(made.design(), made.targets(), loss, penalty, options);
      for (const Index limit : {0u, 5u, 40u}) {  // descent alone, no factor, all
        const auto mine =
            fit(made, made.design(), loss, penalty, options, WorkspaceHint{limit ? 70u * 12u : 0u, limit});
        EXPECT_EQ(mine.status, Status::converged) << what << " " << intercept << " " << limit;
        EXPECT_NEAR(mine.objective, peer.fit.objective, 2e-8 * peer.fit.objective) << what;
        if (std::isfinite(peer.fit.lambda_max)) {
          EXPECT_NEAR(mine.lambda_max, peer.fit.lambda_max, 1e-4 * peer.fit.lambda_max) << what;
        }
        if (limit == 40) {
          EXPECT_LT(mine.iterations, 400u) << what;
        }
      }
    }
  }
}

/// Penalties chosen at run time, as the command does: `any_test` checks that the bits are those of the types
/// themselves.
template <class Loss>
void expect_optimum_of_all_penalties(Loss loss, const char* what) {
  const auto check = [&](PenaltyKind kind, Groups groups, double part, double lambda) {
    expect_optimum(loss, AnyPenalty<double>(kind, groups, {part}), lambda, what);
  };
  check(PenaltyKind::group_l2, Groups::rows(), 0, 0.02);
  check(PenaltyKind::l1, {}, 0, 0.02);
  check(PenaltyKind::elastic_net, {}, 0.5, 0.03);
  check(PenaltyKind::group_linf, Groups::rows(), 0, 0.03);
  check(PenaltyKind::group_linf, Groups::blocks(4), 0, 0.03);
  check(PenaltyKind::sparse_group, Groups::rows(), 0.5, 0.02);
  check(PenaltyKind::group_l2, Groups::blocks(5), 0, 0.02);
  check(PenaltyKind::ridge, {}, 0, 0.05);
}
TEST(BlockCoordinateDescent, SolvesSquaredHinge) { expect_optimum_of_all_penalties(SquaredHinge{}, "pairs"); }
TEST(BlockCoordinateDescent, SolvesLogistic) { expect_optimum_of_all_penalties(Logistic{}, "logistic"); }
TEST(BlockCoordinateDescent, SolvesOneVsRest) { expect_optimum_of_all_penalties(OneVsRestSquaredHinge{}, "classes"); }

TEST(BlockCoordinateDescent, SolvesListedGroups) {
  const Index number[] = {3, 0, 0, 1, 3, 1, 2, 2, 5, 5, 0, 2};
  std::vector<Index> order(12), starts(13);
  const Groups groups = list_groups(number, 12, order.data(), starts.data());
  expect_optimum(SquaredHinge{}, GroupL2{groups}, 0.03, "listed");
  expect_optimum(Logistic{}, GroupL2{groups}, 0.02, "listed");
}

/// Columns that hang together, as those of curves do: most coefficients are not zero, many change their signs on the
/// way, and each class has samples of its own that matter.
template <class Loss, class Penalty>
void expect_curves(Loss loss, Penalty penalty, double part, std::uint32_t most_iterations) {
  Made<double> made(120, 30, 6, 5);
  for (Index j = 1; j < made.features; ++j)
    for (Index i = 0; i < made.samples; ++i) {
      const double* before = made.values.data() + std::size_t(j - 1) * made.samples;
      double& x = made.values[std::size_t(j) * made.samples + i];
      x = before[i] + 0.3 * x;
    }
  const auto top = fit(made, made.design(), loss, penalty, {.lambda = 1e6}, {}).lambda_max;
  const Options<double> options{.lambda = part * top, .tolerance = 1e-6, .max_iterations = 100000};
  Options<double> roughly = options;
  roughly.tolerance = 1e-3;
  const auto peer =
      testing::run<Fista<double, Loss, Penalty>, double>(made.design(), made.targets(), loss, penalty, roughly);
  const auto mine = fit(made, made.design(), loss, penalty, options, WorkspaceHint{120 * 30, 31});
  EXPECT_EQ(mine.status, Status::converged);
  EXPECT_LE(mine.iterations, most_iterations);
  EXPECT_LE(mine.objective, peer.fit.objective * (1 + 1e-6));
  EXPECT_GE(mine.objective, peer.fit.objective * (1 - 1e-3));
}
TEST(BlockCoordinateDescent, SolvesWhereColumnsHangTogether) {
  expect_curves(OneVsRestSquaredHinge{}, ElasticNet<double>{0.5}, 1e-3, 60);
  expect_curves(OneVsRestSquaredHinge{}, L1{}, 1e-3, 250);
  expect_curves(SquaredHinge{}, ElasticNet<double>{0.5}, 1e-3, 250);
  expect_curves(SquaredHinge{}, L1{}, 1e-3, 400);
  expect_curves(Logistic{}, ElasticNet<double>{0.5}, 1e-3, 40);
}

/// Where all coefficients of a feature are there, ℓ1 falls without end as they move alike, and systems have no
/// solution: a step towards one would leave scores of which nothing but their size is left, and an objective of zero.
template <class T>
void expect_every_lambda() {
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    Made<T> made(150, 4, 3, 40 + seed);
    for (Index i = 0; i < made.samples; ++i)
      for (Index j = 0; j < made.features; ++j) {
        T& x = made.values[std::size_t(j) * made.samples + i];
        x = std::round(T(10) * (T(3) + T(0.5) * x + T(j % 2) * T(made.labels[i]))) / T(10);
      }
    Options<T> options{.max_iterations = 3000};
    for (options.lambda = T(2); options.lambda > T(2e-5); options.lambda *= T(0.96)) {
      const auto out = fit(made, made.design(), SquaredHinge{}, L1{}, options, WorkspaceHint{150 * 4, 15});
      EXPECT_EQ(out.status, Status::converged) << seed << ' ' << options.lambda << ' ' << out.objective;
    }
  }
}
TEST(BlockCoordinateDescent, SolvesAtEveryLambda) {
  expect_every_lambda<double>();
  expect_every_lambda<float>();
}

/// Of thousands of samples far from their mean: what rounding leaves of sums over them is as large as λ, unless they
/// are added block by block.
TEST(BlockCoordinateDescent, IsCertifiedInFloatWhereFeaturesAreLarge) {
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    Made<float> made(2000, 8, 6, seed);
    for (float& x : made.values) x = 50 * (x + 1);
    const Options<float> options{.lambda = 1e-6f, .max_iterations = 500};
    const auto out = fit(made, made.design(), SquaredHinge{}, Ridge{}, options, WorkspaceHint{2000u * 8u, 54});
    EXPECT_EQ(out.status, Status::converged) << seed;
  }
}

/// Classes that are nearly separated, each with factors of its own: without their common direction, in which nothing is
/// curved but the penalty, systems take few conjugate gradients.
TEST(BlockCoordinateDescent, LeavesWhatAllClassesShareToThePenalty) {
  constexpr Index classes = 10, features = 16;
  Made<double> made(1500, features, classes, 2);
  Generator generator(9);
  std::vector<double> centres(classes * features);
  for (double& x : centres) x = generator.uniform();
  for (Index i = 0; i < made.samples; ++i) {
    made.labels[i] = static_cast<Label>(i % classes);
    for (Index j = 0; j < features; ++j) {
      double& x = made.values[i + j * made.samples];
      x = 50 + 10 * (centres[made.labels[i] * features + j] + x);
    }
  }
  const Options<double> options{.lambda = 1e-6, .tolerance = 1e-9, .max_iterations = 80};
  const auto out =
      fit(made, made.design(), Logistic{}, GroupL2{}, options, WorkspaceHint{1500u * features, features * classes});
  EXPECT_EQ(out.status, Status::converged);
  EXPECT_LE(out.gap, 1e-9 * out.objective);
}

/// A hundred digits: some coefficients of a group that has others are zero, and are to stay so.
TEST(BlockCoordinateDescent, KeepsZerosWithinGroupsWhereClassesHaveFactors) {
  const Made<double> made = testing::some_digits(80, 100);
  const Options<double> options{.lambda = 1e-5, .tolerance = 1e-3, .max_iterations = 2000, .intercept = false};
  const auto out = fit(made, made.design(), SquaredHinge{}, GroupL2{}, options, WorkspaceHint{100u * 64u, 640});
  EXPECT_EQ(out.status, Status::converged);
}

/// Few samples of many features: the systems are as large as the samples are many.
template <class Loss>
void expect_wide_ridge(Loss loss, std::uint32_t most_iterations) {
  Made<double> made(24, 400, 3, 17);
  const Compressed<double> compressed(made.design());
  for (const double scale : {1.0, 30.0})
    for (const double lambda : {1.0, 1e-2, 1e-4}) {
      for (double& x : made.values) x *= scale;
      const Options<double> options{.lambda = lambda, .tolerance = 1e-6, .max_iterations = 2000};
      const WorkspaceHint hint{24u * 400u, 60};
      const auto out = fit(made, made.design(), loss, Ridge{}, options, hint);
      EXPECT_EQ(out.status, Status::converged) << lambda << ' ' << scale;
      EXPECT_LT(out.iterations, most_iterations) << lambda << ' ' << scale;
      EXPECT_LE(out.gap, 1e-6 * out.objective);
      for (double& x : made.values) x /= scale;
    }
  const Options<double> options{.lambda = 1e-3, .tolerance = 1e-7};
  const auto dense = fit(made, made.design(), loss, Ridge{}, options, WorkspaceHint{24u * 400u, 60});
  const auto sparse = fit(made, compressed.design(), loss, Ridge{}, options, WorkspaceHint{24u * 400u, 60});
  EXPECT_NEAR(dense.objective, sparse.objective, 1e-6 * dense.objective);
}
TEST(BlockCoordinateDescent, SolvesWideRidgeOfViolations) {
  expect_wide_ridge(SquaredHinge{}, 400);
  expect_wide_ridge(OneVsRestSquaredHinge{}, 400);
}
TEST(BlockCoordinateDescent, SolvesWideRidgeOfLogistic) { expect_wide_ridge(Logistic{}, 400); }

TEST(BlockCoordinateDescent, SolvesWideProblemsOfLogistic) {
  expect_wide(Logistic{}, GroupL2{Groups::rows()}, 100, 300);
  expect_wide(Logistic{}, GroupLinf{}, 100, 600);
}

TEST(BlockCoordinateDescent, SparseDenseAndCopiedColumnsAgree) {
  Made<double> made(90, 20, 3, 5);
  Generator generator(6);
  for (double& x : made.values)
    if (generator.draw(4)) x = 0;
  const Compressed<double> compressed(made.design());
  const Options<double> options{.lambda = 0.01, .tolerance = 1e-9};
  const GroupL2 rows{Groups::rows()};
  const auto dense = fit(made, made.design(), SquaredHinge{}, rows, options, {});
  const auto sparse = fit(made, compressed.design(), SquaredHinge{}, rows, options, {});
  const auto copied =
      fit(made, compressed.design(), SquaredHinge{}, rows, options, WorkspaceHint{compressed.values.size(), 20});
  for (const auto* other : {&sparse, &copied}) {
    EXPECT_EQ(other->status, Status::converged);
    EXPECT_NEAR(other->objective, dense.objective, 1e-9 * dense.objective);
    EXPECT_EQ(other->nonzero_rows, dense.nonzero_rows);
  }
}

TEST(BlockCoordinateDescent, IsZeroAboveLambdaMax) {
  const Made<double> made(50, 9, 3, 4);
  const auto some = fit(made, made.design(), SquaredHinge{}, GroupL2{Groups::rows()}, {.lambda = 0.01}, {});
  const auto none = fit(made, made.design(), SquaredHinge{}, GroupL2{Groups::rows()},
                        {.lambda = 1.0001 * some.lambda_max}, WorkspaceHint{450, 9});
  EXPECT_EQ(none.status, Status::converged);
  EXPECT_EQ(none.nonzeros, 0u);
  const auto few = fit(made, made.design(), SquaredHinge{}, GroupL2{Groups::rows()},
                       {.lambda = 0.98 * some.lambda_max, .tolerance = 1e-8}, WorkspaceHint{450, 9});
  EXPECT_GT(few.nonzeros, 0u);
}

TEST(BlockCoordinateDescent, SmallLambdaEndsHonestly) {
  Made<double> made(40, 30, 3, 9);  // more than enough features: the loss can be zero
  for (const double lambda : {1e-6, 0.0}) {
    const auto out = fit(made, made.design(), SquaredHinge{}, GroupL2{Groups::rows()},
                         {.lambda = lambda, .tolerance = 1e-6, .max_iterations = 300}, WorkspaceHint{1200, 31});
    EXPECT_TRUE(out.status == Status::converged || out.status == Status::iteration_limit) << name(out.status);
    EXPECT_TRUE(std::isfinite(out.objective));
    EXPECT_LT(out.objective, 0.01);
    EXPECT_LE(out.dual_objective, out.objective);
  }
}

// Nothing is violated any more, so nothing curves: no system is left to solve.
TEST(BlockCoordinateDescent, EndsWhereTheLossIsZero) {
  Made<double> made(12, 3, 3, 2);
  for (Index i = 0; i < 12; ++i) {
    made.labels[i] = static_cast<Label>(i % 3);
    for (Index j = 0; j < 3; ++j) made.values[i + j * 12] = j == i % 3 ? 4.0 + i : 0.0;
  }
  for (const double lambda : {0.0, 1e-12})
    for (const bool intercept : {false, true}) {
      const auto out = fit(made, made.design(), SquaredHinge{}, GroupL2{Groups::rows()},
                           {.lambda = lambda, .tolerance = 1e-6, .max_iterations = 500, .intercept = intercept},
                           WorkspaceHint{36, 4});
      EXPECT_TRUE(has_model(out.status)) << name(out.status);
      EXPECT_LT(out.objective, 1e-6);
      EXPECT_LE(out.dual_objective, out.objective);
    }
}

// One class has nearly all samples: the curvature of the intercepts is far from even.
TEST(BlockCoordinateDescent, DescendsOnInterceptsOfUnevenClasses) {
  Made<double> made(400, 4, 10, 3);
  for (Index i = 0; i < 400; ++i) made.labels[i] = i < 40 ? static_cast<Label>(i % 10) : Label(i % 60 ? 3 : 7);
  const auto check = [&](auto loss) {
    const Options<double> options{.lambda = 0.01, .tolerance = 1e-6, .max_iterations = 3000};
    const auto alone = fit(made, made.design(), loss, GroupL2{Groups::rows()}, options, {});
    const auto whole = fit(made, made.design(), loss, GroupL2{Groups::rows()}, options, WorkspaceHint{1600, 5});
    EXPECT_EQ(alone.status, Status::converged);
    EXPECT_EQ(whole.status, Status::converged);
    EXPECT_NEAR(alone.objective, whole.objective, 2e-6 * whole.objective);
  };
  check(SquaredHinge{});
  check(Logistic{});
  check(OneVsRestSquaredHinge{});
}

TEST(BlockCoordinateDescent, StartsAnewWithTheSameBits) {
  const Made<double> made(60, 9, 3, 8);
  using Solver = BlockCoordinateDescent<double, SquaredHinge, GroupL2>;
  const WorkspaceHint hint{540, 10};
  GuardedMemory memory(Solver::requirement(made.shape(), hint).bytes);
  const auto design = made.design();
  Solver solver(design, made.targets(), SquaredHinge{}, GroupL2{Groups::rows()}, {.lambda = 0.005, .tolerance = 1e-8});
  std::vector<double> first;
  for (int round = 0; round < 2; ++round) {
    solver.start(memory.span());
    while (solver.step()) {
    }
    const auto* from = solver.model().coefficients;
    const std::vector<double> found(from, from + 10 * solver.model().stride());
    if (round == 0) first = found;
    EXPECT_EQ(found, first);
  }
}

TEST(BlockCoordinateDescent, GoesOnWithAnotherLambda) {
  const Made<double> made(80, 15, 4, 33);
  using Solver = BlockCoordinateDescent<double, Logistic, GroupL2>;
  const WorkspaceHint hint{1200, 16};
  GuardedMemory memory(Solver::requirement(made.shape(), hint).bytes);
  const auto design = made.design();
  Solver solver(design, made.targets(), Logistic{}, GroupL2{Groups::rows()}, {.lambda = 0.05, .tolerance = 1e-8});
  solver.start(memory.span());
  while (solver.step()) {
  }
  for (const double lambda : {0.04, 0.02, 0.01, 0.03}) {
    solver.warm_start(lambda);
    while (solver.step()) {
    }
    EXPECT_EQ(solver.report().status, Status::converged);
    const auto cold =
        fit(made, design, Logistic{}, GroupL2{Groups::rows()}, {.lambda = lambda, .tolerance = 1e-8}, hint);
    EXPECT_NEAR(solver.report().objective, cold.objective, 2e-8 * cold.objective);
    EXPECT_EQ(solver.report().nonzero_rows, cold.nonzero_rows);
  }
}

/// Columns that few samples have, after standardising: where none of those is violated their curvature is small until a
/// step has been taken. Without a memory of it this one takes 1551 iterations, and others do not end.
TEST(BlockCoordinateDescent, DoesNotGoInCircles) {
  Made<double> made = testing::digits(true);
  for (Index j = 0; j < made.features; ++j) {
    double* const x = made.values.data() + j * made.samples;
    double mean = 0, square = 0;
    for (Index i = 0; i < made.samples; ++i) mean += x[i] / made.samples;
    for (Index i = 0; i < made.samples; ++i) square += (x[i] - mean) * (x[i] - mean) / made.samples;
    for (Index i = 0; i < made.samples; ++i) x[i] = square > 1e-20 ? (x[i] - mean) / std::sqrt(square) : 0.0;
  }
  const auto out = fit(made, made.design(), SquaredHinge{}, L1{}, {.lambda = 1e-3, .max_iterations = 900},
                       WorkspaceHint{made.values.size(), 1000});
  EXPECT_EQ(out.status, Status::converged) << out.relative_gap;
}

TEST(BlockCoordinateDescent, TakesColumnsOfZeros) {
  Made<float> made(60, 8, 3, 5);
  for (Index i = 0; i < 60; ++i) made.values[2 * 60 + i] = made.values[7 * 60 + i] = 0.0f;
  for (const std::size_t entries : {std::size_t(0), std::size_t(480)}) {
    const auto out =
        fit(made, made.design(), SquaredHinge{}, GroupL2{Groups::rows()}, {.lambda = 0.01f}, WorkspaceHint{entries, 9});
    EXPECT_EQ(out.status, Status::converged);
    EXPECT_LE(out.nonzero_rows, 6u);
  }
}

}  // namespace
}  // namespace tamis
