// Several kernels where numbers leave their range, and where splitting and Newton's method take turns.

#include <gtest/gtest.h>

#include <cmath>

#include "core.hpp"
#include "support/problems.hpp"
#include "tamis/selection/kernel_path.hpp"
#include "tamis/solver/as_printed/kernel_forward_backward.hpp"
#include "tamis/solver/kernel_fista.hpp"

namespace tamis {
namespace {

using testing::GuardedMemory;

template <class T>
class HardKernels : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(HardKernels, Scalars);

/// Linear kernels of made-up samples, and others that are not symmetric.
template <class T>
struct Matrices {
  Index samples, kernels;
  std::vector<T> values;
  std::vector<Label> labels;

  Matrices(Index n, Index count, Index classes, std::uint32_t seed) : samples(n), kernels(count) {
    const testing::Made<double> made(n, 3, classes, seed);
    testing::Generator generator(seed);
    labels = made.labels;
    for (Index t = 0; t < count; ++t)
      for (Index l = 0; l < n; ++l)
        for (Index i = 0; i < n; ++i) {
          double total = 0;
          for (Index j = 0; j < 3; ++j) total += made.values[l + j * n] * made.values[i + j * n];
          values.push_back(static_cast<T>(t == 0 ? total : generator.uniform()));
        }
  }
  DenseDesign<T> design() const { return {values.data(), samples, samples * kernels}; }
  Shape shape(Index outputs) const { return {samples, samples * kernels, outputs}; }
};

TYPED_TEST(HardKernels, NormsOfGroupsDoNotUnderflow) {
  using T = TypeParam;
  const T small = std::numeric_limits<T>::min() * T(8);
  const T entries[] = {T(3) * small, T(4) * small};  // two samples of a kernel
  const Rows<const T> w{entries, 2, 1, 1};
  EXPECT_NEAR((MixedNorm<T>{2, 1, 2, T(1) / small}.value(w, 1)), T(5), T(1e-5));
}

// Products of the slopes with such values are infinite, or no numbers: a norm that passes over them allows any dual.
TYPED_TEST(HardKernels, ValuesWhoseProductsOverflowCertifyNothing) {
  using T = TypeParam;
  const T top = std::numeric_limits<T>::max() * T(0.9);
  for (const Index outputs : {1u, 2u})
    for (const int p : {1, 2})
      for (const int q : {1, 2}) {
        Matrices<T> all(8, 2, 2, 3);
        for (Index e = 0; e < all.values.size(); ++e) all.values[e] = all.values[e] > T(0) ? top : T(0.9) * top;
        const Options<T> options{.lambda = top / T(100), .tolerance = T(1e-3), .max_iterations = 20};
        const MixedNorm<T> norm{p, q, 1};
        const auto expect_nothing = [&](auto&& solver, Requirement requirement) {
          GuardedMemory memory(requirement.bytes);
          for (bool more = solver.start(memory.span()); more;) more = solver.step();
          const Report<T>& report = solver.report();
          EXPECT_NE(report.status, Status::converged) << outputs << p << q;
          EXPECT_LE(report.dual_objective, T(0.5)) << outputs << p << q;
          EXPECT_FALSE(report.lambda_max < top) << outputs << p << q;
        };
        const Shape shape = all.shape(outputs);
        expect_nothing(KernelAdmm<T>(all.design(), all.labels, 2, outputs, norm, options),
                       KernelAdmm<T>::requirement(shape));
        expect_nothing(KernelFista<T>(all.design(), all.labels, 2, outputs, norm, options),
                       KernelFista<T>::requirement(shape));
        Options<T> without = options;
        without.intercept = false;
        using Printed = as_printed::KernelForwardBackward<T>;
        expect_nothing(Printed(all.design(), all.labels, 2, outputs, norm, without), Printed::requirement(shape));

        GuardedMemory memory(KernelPath<T>::requirement(shape).bytes);
        KernelPath<T> path(all.design(), all.labels, 2, outputs, norm, options, {.points = 3});
        EXPECT_FALSE(path.start(memory.span()));
        EXPECT_NE(path.status(), Status::converged) << outputs << p << q;
      }
}

// Newton's method takes the memory of the factor that the iterations have cached. One of other numbers, made before
// these are back, let them diverge: what is beyond the model had no objective.
TYPED_TEST(HardKernels, IterationsGoOnAfterNewtonsMethodFromWhereTheyWere) {
  using T = TypeParam;
  for (std::uint32_t seed = 1; seed <= 12; ++seed)
    for (const Index outputs : {1u, 2u})
      for (const bool intercept : {false, true}) {
        const Matrices<T> all(7, 2, 2, seed);
        Options<T> options{.lambda = T(0.002), .tolerance = T(0.1) * epsilon<T>, .max_iterations = 150};
        options.intercept = intercept;
        GuardedMemory memory(KernelAdmm<T>::requirement(all.shape(outputs)).bytes);
        KernelAdmm<T> solver(all.design(), all.labels, 2, outputs, {1, 1, 1}, options);
        for (bool more = solver.start(memory.span()); more;) more = solver.step();
        const T before = solver.report().objective;
        solver.warm_start(options.lambda * T(1.01));
        ASSERT_TRUE(has_model(solver.report().status)) << seed << ' ' << outputs << intercept;
        EXPECT_LE(solver.report().objective, T(2) * before) << seed << ' ' << outputs << intercept;
      }
}

// Features that become active, or are released and come back, had what scratch memory held in their rows: the model
// that the next run began with was not that of its scores, and entries beyond its outputs were counted.
TYPED_TEST(HardKernels, RunsThatGoOnReportTheModelThatTheyHave) {
  using T = TypeParam;
  constexpr Index n = 40, kernels = 3;
  for (std::uint32_t limit = 1; limit <= 60; ++limit)
    for (const Index outputs : {1u, 3u}) {
      const Matrices<T> all(n, kernels, 3, limit);
      std::vector<Label> labels = all.labels;
      for (Label& y : labels) y = outputs == 1 ? y == 0 : y;
      const Options<T> options{
          .lambda = T(0.2), .tolerance = T(1e-3), .max_iterations = limit, .intercept = limit % 2 > 0};
      GuardedMemory memory(KernelFista<T>::requirement(all.shape(outputs)).bytes);
      KernelFista<T> solver(all.design(), labels, kernels, outputs, {1, 1, 1}, options);
      solver.start(memory.span());
      for (const T lambda : {T(0.2), T(0.01), T(0.1)}) {
        SCOPED_TRACE(std::to_string(limit) + ' ' + std::to_string(outputs) + ' ' + std::to_string(lambda));
        if (lambda != options.lambda) solver.warm_start(lambda);
        while (solver.step()) {
        }
        const auto model = solver.model();
        Index nonzeros = 0;
        double size = 0, loss = 0;
        for (Index e = 0; e < n * kernels * model.stride(); ++e) {
          nonzeros += model.coefficients[e] != T(0);
          size += std::abs(double(model.coefficients[e]));
        }
        for (Index i = 0; i < n; ++i) {
          std::vector<double> z(outputs);
          for (Index k = 0; k < outputs; ++k) {
            z[k] = double(model.intercept(k));
            for (Index j = 0; j < n * kernels; ++j)
              z[k] += double(all.design()(i, j)) * double(model.coefficients[j * model.stride() + k]);
          }
          loss += KernelLoss{outputs}.value(z.data(), outputs, labels[i], 1.0) / n;
        }
        const double objective = loss + double(lambda) * size;
        ASSERT_NEAR(double(solver.report().objective), objective, (sizeof(T) == 4 ? 1e-4 : 1e-10) * (1 + objective));
        ASSERT_EQ(solver.report().nonzeros, nonzeros);
      }
    }
}

// The means of such values are infinite, and so was the intercept of a model that had converged without coefficients.
TYPED_TEST(HardKernels, GoingOnWhereMeansOverflowIsNoModel) {
  using T = TypeParam;
  Matrices<T> all(7, 1, 2, 3);
  for (T& value : all.values) value = std::numeric_limits<T>::max() * T(0.6);
  GuardedMemory memory(KernelFista<T>::requirement(all.shape(2)).bytes);
  const std::vector<Label> labels(7, 0);
  KernelFista<T> solver(all.design(), labels, 1, 2, {1, 2, 2}, {.lambda = T(1)});
  solver.start(memory.span());
  while (solver.step()) {
  }
  ASSERT_EQ(solver.report().status, Status::converged);
  EXPECT_FALSE(solver.warm_start(T(2)));
  EXPECT_EQ(solver.report().status, Status::invalid_scale);
}

}  // namespace
}  // namespace tamis
