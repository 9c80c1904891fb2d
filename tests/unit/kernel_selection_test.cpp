// Paths of kernels against solves from nothing, and cross-validation against training on matrices that are cut out by
// hand: of any matrices, symmetric or not, so that rows and columns cannot be taken for each other.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core.hpp"
#include "support/problems.hpp"
#include "tamis/selection/kernel_cross_validation.hpp"

namespace tamis {
namespace {

using testing::Generator;
using testing::GuardedMemory;

/// Samples with kernels that are not symmetric: values of two Gaussians of two features, shifted by some noise.
template <class T>
struct MadeKernels {
  Index samples, kernels, classes;
  std::vector<T> values;
  std::vector<Label> labels;

  MadeKernels(Index n, Index tau, Index K, std::uint32_t seed) : samples(n), kernels(tau), classes(K), labels(n) {
    Generator generator(seed);
    std::vector<double> x(2 * n);
    for (Index i = 0; i < n; ++i) {
      labels[i] = static_cast<Label>(i % K);
      const double angle = 6.28 * (labels[i] + generator.uniform()) / K;
      x[2 * i] = std::cos(angle);
      x[2 * i + 1] = std::sin(angle);
    }
    for (Index t = 0; t < tau; ++t)
      for (Index l = 0; l < n; ++l)
        for (Index i = 0; i < n; ++i) {
          const double a = x[2 * l] - x[2 * i], b = x[2 * l + 1] - x[2 * i + 1];
          values.push_back(static_cast<T>(std::exp(-(a * a + b * b) * (t + 1)) + 0.2 * generator.uniform()));
        }
  }
  DenseDesign<T> design() const { return {values.data(), samples, samples * kernels}; }
  Index outputs() const { return classes == 2 ? 1 : classes; }
  Shape shape() const { return {samples, samples * kernels, outputs()}; }
};

struct Norm {
  int p, q, r;
};
const Norm norms[] = {{1, 1, 1}, {2, 1, 1}, {2, 1, 2}, {1, 2, 1}, {1, 2, 2}, {2, 2, 1}};
std::string text(const Norm& norm) {
  return std::to_string(norm.p) + std::to_string(norm.q) + ";" + std::to_string(norm.r);
}

TEST(KernelPath, PointsAreThoseOfSolvesFromNothing) {
  for (const Index classes : {2u, 3u})
    for (const auto& norm : norms) {
      SCOPED_TRACE(text(norm) + " " + std::to_string(classes));
      const MadeKernels<double> made(24, 2, classes, 5);
      const MixedNorm<double> mixed{norm.p, norm.q, norm.r};
      const Options<double> options{.tolerance = 1e-6};
      GuardedMemory memory(KernelPath<double>::requirement(made.shape()).bytes), other(memory.span().size());
      KernelPath<double> path(made.design(), made.labels, 2, made.outputs(), mixed, options,
                              {.points = 6, .ratio = 1e-2});
      path.start(memory.span());
      double last = infinity<double>;
      Index points = 0;
      advance_path(path, [&](const KernelPath<double>& at) {
        EXPECT_LT(at.lambda(), last);
        last = at.lambda();
        EXPECT_EQ(at.report().status, Status::converged);
        Options<double> alone = options;
        alone.lambda = last;
        KernelAdmm<double> cold(made.design(), made.labels, 2, made.outputs(), mixed, alone);
        cold.start(other.span());
        if (points == 0 && norm.q == 1) {
          EXPECT_EQ(at.report().nonzeros, 0u);
          EXPECT_NEAR(cold.report().lambda_max, last, 1e-12 * last);
        }
        if (points == 0 && norm.q == 2) {  // the gap of zeros is that which was said
          EXPECT_NEAR(cold.report().relative_gap, 0.01, 2e-4);
        }
        while (cold.step()) {
        }
        EXPECT_NEAR(at.report().objective, cold.report().objective, 2e-6 * cold.report().objective);
        ++points;
        return true;
      });
      EXPECT_EQ(points, 6u);
      EXPECT_EQ(path.status(), Status::converged);
      EXPECT_TRUE(memory.surroundings_intact());
    }
}

TEST(KernelPath, TakesLambdasAsGivenAndStops) {
  const MadeKernels<double> made(20, 1, 2, 3);
  GuardedMemory memory(KernelPath<double>::requirement(made.shape()).bytes);
  const double values[] = {0.1, 0.05, 0.01};
  KernelPath<double> path(made.design(), made.labels, 1, 1, {2, 1, 1}, {}, {.values = values, .points = 3});
  path.start(memory.span());
  Index points = 0;
  advance_path(path, [&](const KernelPath<double>& at) {
    EXPECT_EQ(at.lambda(), values[points]);
    return ++points < 2;
  });
  EXPECT_EQ(points, 2u);
  EXPECT_EQ(path.status(), Status::stopped);
  const double zero[] = {0.1, 0}, up[] = {0.1, 0.2};
  for (const double* bad : {zero, up}) {
    KernelPath<double> none(made.design(), made.labels, 1, 1, {2, 1, 1}, {}, {.values = bad, .points = 2});
    EXPECT_FALSE(none.start(memory.span()));
    EXPECT_EQ(none.status(), Status::invalid_lambda);
  }
}

// Of classes of very different sizes the null model is not known, and neither is λ_max: the grid begins nearby.
TEST(KernelPath, FindsALambdaOfUnevenClasses) {
  MadeKernels<double> made(60, 2, 3, 5);
  for (Index i = 0; i < 60; ++i) made.labels[i] = static_cast<Label>(i == 0 ? 2 : i < 16 ? 1 : 0);
  GuardedMemory memory(KernelPath<double>::requirement(made.shape()).bytes);
  KernelAdmm<double> alone(made.design(), made.labels, 2, 3, {2, 1, 1}, {.lambda = 1});
  alone.start(memory.span());
  EXPECT_FALSE(finite(alone.report().lambda_max));
  KernelPath<double> path(made.design(), made.labels, 2, 3, {2, 1, 1}, {}, {.points = 4});
  path.start(memory.span());
  advance_path(path, [&](const KernelPath<double>& at) {
    EXPECT_EQ(at.report().status, Status::converged);
    EXPECT_TRUE(at.points() > 1 || at.report().nonzero_rows < 20);
    EXPECT_TRUE(at.points() < 4 || at.report().nonzeros > 0);
    return true;
  });
  EXPECT_EQ(path.status(), Status::converged);
}

template <class T>
struct Deal {
  std::vector<Index> fold, order;
  Deal(const MadeKernels<T>& made, Index folds, bool stratified = true) : fold(made.samples), order(made.samples) {
    Index rare = 0;
    EXPECT_TRUE(deal_folds(made.labels, made.classes, folds, stratified, 7, fold.data(), order.data(), rare));
  }
};

/// Error and loss of the samples of a fold, by a solve from nothing without them.
template <class T>
std::pair<double, double> by_hand(const MadeKernels<T>& made, const std::vector<Index>& fold, Index held,
                                  const MixedNorm<T>& mixed, const Options<T>& options) {
  std::vector<Index> in, out;
  for (Index i = 0; i < made.samples; ++i) (fold[i] == held ? out : in).push_back(i);
  const auto value = [&](Index t, Index l, Index i) {
    return made.values[(std::size_t{t} * made.samples + l) * made.samples + i];
  };
  const auto m = static_cast<Index>(in.size());
  std::vector<T> values;
  std::vector<Label> labels;
  for (const Index l : in) labels.push_back(made.labels[l]);
  for (Index t = 0; t < made.kernels; ++t)
    for (const Index l : in)
      for (const Index i : in) values.push_back(value(t, l, i));
  const Shape shape{m, m * made.kernels, made.outputs()};
  GuardedMemory memory(KernelAdmm<T>::requirement(shape).bytes);
  KernelAdmm<T> solver({values.data(), m, m * made.kernels}, labels, made.kernels, made.outputs(), mixed, options);
  solver.start(memory.span());
  while (solver.step()) {
  }
  EXPECT_TRUE(has_model(solver.report().status));
  const auto model = solver.model();
  double wrong = 0, loss = 0;
  for (const Index i : out) {
    std::vector<double> z;
    for (Index k = 0; k < made.outputs(); ++k) {
      z.push_back(model.intercept(k));
      for (Index t = 0; t < made.kernels; ++t)
        for (Index l = 0; l < m; ++l) z[k] += double(model(l, t, k)) * value(t, in[l], i);
    }
    if (made.outputs() == 1) z.insert(z.begin(), 0);  // one score, against none
    const Label y = made.labels[i];
    wrong += std::max_element(z.begin(), z.end()) - z.begin() != y;
    for (Index k = 0; k < made.classes; ++k) {
      if (k == y) continue;
      const double margin = made.outputs() == 1 ? (y == 1 ? z[1] : -z[1]) : z[y] - z[k];
      loss += std::pow(std::max(1 - margin, 0.0), 2);
    }
  }
  return {wrong / double(out.size()), loss / double(out.size())};
}

template <class T>
void check_folds(Index classes, const Norm& norm, bool intercept, double tolerance, double slack) {
  SCOPED_TRACE(text(norm) + " " + std::to_string(classes) + (intercept ? " b" : ""));
  const Index folds = 4;
  const MadeKernels<T> made(30, 2, classes, 11);
  const Deal<T> deal(made, folds);
  const MixedNorm<T> mixed{norm.p, norm.q, norm.r};
  Options<T> options{.tolerance = static_cast<T>(tolerance), .intercept = intercept};
  const T lambdas[] = {T(0.2), T(0.03), T(0.004)};
  const Index training = most_training_samples(deal.fold, folds);
  EXPECT_GE(training, 22u);
  GuardedMemory memory(KernelCrossValidation<T>::requirement(made.shape(), training, folds, 3).bytes);
  KernelCrossValidation<T> cv(made.design(), made.labels, 2, made.outputs(), mixed, options, deal.fold.data(), folds,
                              {.values = lambdas, .points = 3});
  cv.start(memory.span());
  while (cv.step()) {
  }
  ASSERT_EQ(cv.status(), Status::converged);
  EXPECT_TRUE(memory.surroundings_intact());
  for (Index point = 0; point < 3; ++point) {
    options.lambda = lambdas[point];
    double size[folds], wrong[folds], loss[folds], all = 0, error_mean = 0, loss_mean = 0;
    for (Index f = 0; f < folds; ++f) {
      size[f] = static_cast<double>(std::count(deal.fold.begin(), deal.fold.end(), f));
      std::tie(wrong[f], loss[f]) = by_hand(made, deal.fold, f, mixed, options);
      all += size[f];
      error_mean += size[f] * wrong[f];
      loss_mean += size[f] * loss[f];
    }
    error_mean /= all;
    loss_mean /= all;
    double error_square = 0, loss_square = 0;
    for (Index f = 0; f < folds; ++f) {
      error_square += size[f] / all * std::pow(wrong[f] - error_mean, 2);
      loss_square += size[f] / all * std::pow(loss[f] - loss_mean, 2);
    }
    const HeldOut<T> held = cv.at(point);
    EXPECT_EQ(held.lambda, lambdas[point]);
    EXPECT_NEAR(held.error, error_mean, 1e-6);
    EXPECT_NEAR(held.error_deviation, std::sqrt(error_square / (folds - 1)), 1e-6);
    EXPECT_NEAR(held.loss, loss_mean, slack * loss_mean);
    EXPECT_NEAR(held.loss_deviation, std::sqrt(loss_square / (folds - 1)), slack * loss_mean);
  }
  const auto at = [&](Index l) { return cv.at(l); };
  EXPECT_EQ(cv.best(), best(3, Measure::error, at));
  EXPECT_EQ(cv.one_standard_error(Measure::loss), one_standard_error(3, Measure::loss, at));
}

TEST(KernelCrossValidation, IsTrainingWithoutTheSamplesOfEachFold) {
  for (const Index classes : {2u, 3u})
    for (const auto& norm : norms)
      for (const bool intercept : {false, true}) check_folds<double>(classes, norm, intercept, 1e-9, 2e-4);
}
TEST(KernelCrossValidation, IsTheSameInFloat) {
  for (const Index classes : {2u, 3u})
    for (const auto& norm : {Norm{2, 1, 1}, {1, 2, 2}}) check_folds<float>(classes, norm, true, 1e-5, 2e-2);
}

TEST(KernelCrossValidation, HasTheSameBitsAgain) {
  const MadeKernels<float> made(40, 2, 3, 2);
  const Deal<float> deal(made, 5);
  const Index training = most_training_samples(deal.fold, 5);
  HeldOut<float> before[4];
  for (int round = 0; round < 2; ++round) {
    GuardedMemory memory(KernelCrossValidation<float>::requirement(made.shape(), training, 5, 4).bytes, 16 * round);
    KernelCrossValidation<float> cv(made.design(), made.labels, 2, 3, {2, 1, 2}, {.tolerance = 1e-3f}, deal.fold.data(),
                                    5, {.points = 4, .first = 1.0f});
    cv.start(memory.span());
    while (cv.step()) {
    }
    ASSERT_EQ(cv.status(), Status::converged);
    for (Index l = 0; l < 4; ++l) {
      if (round) {
        EXPECT_EQ(cv.at(l).error, before[l].error);
        EXPECT_EQ(cv.at(l).loss, before[l].loss);
        EXPECT_EQ(cv.at(l).loss_deviation, before[l].loss_deviation);
      }
      before[l] = cv.at(l);
    }
  }
}

TEST(KernelCrossValidation, LeavesOutWhatIsNeverHeldOut) {
  const MadeKernels<double> made(24, 1, 2, 4);
  std::vector<Index> fold(24, no_fold);
  for (Index i = 0; i < 24; i += 3) fold[i] = 0;
  const double lambda[] = {0.02};
  const Options<double> options{.lambda = 0.02, .tolerance = 1e-9};
  const MixedNorm<double> mixed{2, 1, 1};
  EXPECT_EQ(most_training_samples(fold, 1), 16u);
  GuardedMemory memory(KernelCrossValidation<double>::requirement(made.shape(), 16, 1, 1).bytes);
  KernelCrossValidation<double> cv(made.design(), made.labels, 1, 1, mixed, options, fold.data(), 1,
                                   {.values = lambda, .points = 1});
  cv.start(memory.span());
  while (cv.step()) {
  }
  ASSERT_EQ(cv.status(), Status::converged);
  const auto [error, loss] = by_hand(made, fold, 0, mixed, options);
  EXPECT_EQ(cv.at(0).error, error);
  EXPECT_NEAR(cv.at(0).loss, loss, 1e-4 * loss);
  EXPECT_EQ(cv.at(0).error_deviation, 0);
}

TEST(KernelCrossValidation, RefusesWithAStatus) {
  const MadeKernels<double> good(12, 2, 2, 1);
  const Deal<double> deal(good, 3);
  const double lambdas[] = {0.1, 0.01}, zero[] = {0.1, 0};
  const std::size_t bytes = KernelCrossValidation<double>::requirement(good.shape(), 8, 3, 2).bytes;
  struct Call {
    MadeKernels<double> made;
    std::vector<Index> fold;
    Index folds = 3;
    Grid<double> grid;
    MixedNorm<double> norm{2, 1, 1};
    Options<double> options = {};
  };
  const auto refused = [&](auto change, Status status, std::size_t room, bool untouched = true) {
    Call call{good, deal.fold, 3, {.values = lambdas, .points = 2}};
    change(call);
    GuardedMemory memory(room);
    KernelCrossValidation<double> cv(call.made.design(), call.made.labels, call.made.kernels, 1, call.norm,
                                     call.options, call.fold.data(), call.folds, call.grid);
    EXPECT_FALSE(cv.start(memory.span()));
    EXPECT_FALSE(cv.step());
    EXPECT_EQ(cv.status(), status) << name(status);
    EXPECT_EQ(cv.report().status, status);
    EXPECT_EQ(memory.untouched(), untouched) << name(status);
    EXPECT_TRUE(memory.surroundings_intact());
    return cv.report();
  };
  refused([](Call& c) { c.grid = {}; }, Status::invalid_lambda, bytes);
  refused([&](Call& c) { c.grid.values = zero; }, Status::invalid_lambda, bytes, false);
  refused([](Call& c) { c.folds = 0; }, Status::invalid_option, bytes);
  EXPECT_EQ(refused([](Call& c) { c.fold[5] = 3; }, Status::invalid_option, bytes).row, 5u);
  EXPECT_EQ(refused([](Call& c) { c.made.labels[4] = 2; }, Status::invalid_label, bytes).row, 4u);
  refused([](Call& c) { c.made.labels.pop_back(); }, Status::invalid_shape, bytes);
  refused([](Call& c) { c.norm.p = 3; }, Status::invalid_option, bytes, false);
  refused([](Call& c) { c.options.tolerance = 0; }, Status::invalid_option, bytes, false);
  EXPECT_EQ(refused([](Call&) {}, Status::arena_too_small, bytes - 1).arena_bytes, bytes);
  const auto missing = refused(
      [](Call& c) {
        for (Index i = 0; i < 12; ++i) c.fold[i] = c.made.labels[i] == 1 ? 1 : 0;
      },
      Status::missing_class, KernelCrossValidation<double>::requirement(good.shape(), 12, 3, 2).bytes, false);
  EXPECT_EQ(missing.column, 0u);
  GuardedMemory crooked(bytes, 4);
  KernelCrossValidation<double> cv(good.design(), good.labels, 2, 1, {2, 1, 1}, {}, deal.fold.data(), 3,
                                   {.values = lambdas, .points = 2});
  EXPECT_FALSE(cv.start(crooked.span()));
  EXPECT_EQ(cv.status(), Status::invalid_arena);
  EXPECT_TRUE(crooked.untouched());
  // The place of a bad value is that among all samples: fold 0 leaves out what is not bad.
  Index l = 0, i = 0;
  while (deal.fold[l] == 0) ++l;
  for (i = 11; deal.fold[i] == 0;) --i;
  const auto bad = refused([&](Call& c) { c.made.values[(12 + l) * 12 + i] = not_a_number<double>; },
                           Status::invalid_data, bytes, false);
  EXPECT_EQ(bad.row, i);
  EXPECT_EQ(bad.column, 12 + l);
}

}  // namespace
}  // namespace tamis
