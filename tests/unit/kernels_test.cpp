// Kernel functions against their formulas in wider types, matrices of them, and models that keep few samples.
#include "tamis/features/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace {

using namespace tamis;

constexpr Index p = 5, n = 9;

/// Histograms, some with zeros.
template <class T>
std::vector<T> histograms() {
  std::mt19937 generator(7);
  std::vector<T> out;
  for (Index e = 0; e < n * p; ++e) out.push_back(generator() % 4 ? static_cast<T>(generator() % 64) / T(64) : T(0));
  return out;
}

/// k(x, z) as it is written, in long double.
long double plain(KernelKind kind, double a, double b, const double* x, const double* z) {
  long double product = 0, square = 0, sum = 0, chi = 0, kl = 0;
  for (Index j = 0; j < p; ++j) {
    const long double u = x[j], v = z[j], s = std::max(u, 1e-10L), t = std::max(v, 1e-10L);
    product += u * v;
    square += (u - v) * (u - v);
    sum += std::abs(u - v);
    if (u + v > 0) chi += (u - v) * (u - v) / (u + v);
    kl += (s - t) * (std::log(s) - std::log(t));
  }
  switch (kind) {
    case KernelKind::linear: return product;
    case KernelKind::polynomial: return std::pow(product + b, a);
    case KernelKind::gaussian: return std::exp(-square / (2 * a * a));
    case KernelKind::laplacian: return std::exp(-sum / a);
    case KernelKind::sigmoid: return std::tanh(a * product + b);
    case KernelKind::distance: return -square;
    case KernelKind::chi2: return -chi / 2;
    case KernelKind::kl: return -kl / 2;
    case KernelKind::constant: return 1;
  }
  return 0;
}

template <class T>
std::vector<Kernel<T>> kernels() {
  return {{KernelKind::linear},
          {KernelKind::polynomial, T(3), T(0.5)},
          {KernelKind::polynomial, T(2), T(-1)},
          {KernelKind::gaussian, T(0.5)},
          {KernelKind::gaussian, T(100)},
          {KernelKind::laplacian, T(2)},
          {KernelKind::sigmoid, T(0.25), T(-0.5)},
          {KernelKind::sigmoid, T(2), T(1)},
          {KernelKind::distance},
          {KernelKind::chi2},
          {KernelKind::kl},
          {KernelKind::constant}};
}

template <class T>
void expect_formulas() {
  const auto values = histograms<T>();
  const std::vector<double> wide(values.begin(), values.end());
  std::vector<T> columns(n * p);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < p; ++j) columns[j * n + i] = values[i * p + j];
  const SampleTable<T> by_rows{values.data(), n, p, p, 1}, by_columns{columns.data(), n, p, 1, n};
  for (const auto& kernel : kernels<T>()) {
    ASSERT_EQ(kernel.refusal(), nullptr);
    std::vector<T> matrix(n * n, T(-99)), again(n * n), row(n);
    KernelPair bad;
    ASSERT_TRUE(fill_kernel_matrix(kernel, by_rows, matrix.data(), bad));
    ASSERT_TRUE(fill_kernel_matrix(kernel, by_columns, again.data(), bad));
    EXPECT_EQ(matrix, again);
    const auto plain_function = [&](SampleView<T> x, SampleView<T> z) { return kernel(x, z); };
    ASSERT_TRUE(fill_kernel_matrix(plain_function, by_rows, again.data(), bad));
    EXPECT_EQ(matrix, again) << name(kernel.kind);  // all pairs: symmetric to the last bit
    for (Index l = 0; l < n; ++l) {
      fill_kernel_row(kernel, by_columns, by_rows[l], row.data());
      for (Index i = 0; i < n; ++i) {
        const long double exact = plain(kernel.kind, static_cast<double>(kernel.a), static_cast<double>(kernel.b),
                                        wide.data() + l * p, wide.data() + i * p);
        EXPECT_NEAR(static_cast<double>(matrix[l * n + i]), static_cast<double>(exact),
                    60 * static_cast<double>(epsilon<T>) * (1 + std::abs(static_cast<double>(exact))))
            << name(kernel.kind) << " of " << l << " and " << i;
        EXPECT_EQ(matrix[l * n + i], row[i]);
      }
    }
  }
}

TEST(Kernels, AreTheirFormulasInFloat) { expect_formulas<float>(); }
TEST(Kernels, AreTheirFormulasInDouble) { expect_formulas<double>(); }

template <class T>
double error_of_tanh(double x) {
  const long double exact = std::tanh(static_cast<long double>(static_cast<T>(x)));
  return static_cast<double>(std::abs(static_cast<long double>(hyperbolic_tangent(static_cast<T>(x))) - exact) /
                             (static_cast<long double>(epsilon<T>) * std::abs(exact)));
}

TEST(Kernels, TangentsAreAccurate) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> wide(-20, 20), narrow(-1, 1);
  for (int i = 0; i < 20000; ++i)
    for (const double x : {wide(generator), narrow(generator), 1e-6 * narrow(generator)}) {
      EXPECT_LT(error_of_tanh<float>(x), 3) << x;
      EXPECT_LT(error_of_tanh<double>(x), 3) << x;
    }
  EXPECT_EQ(hyperbolic_tangent(0.0), 0);
  EXPECT_EQ(hyperbolic_tangent(1e30f), 1);
  EXPECT_EQ(hyperbolic_tangent(-std::numeric_limits<double>::infinity()), -1);
  EXPECT_TRUE(std::isnan(hyperbolic_tangent(not_a_number<float>)));
}

TEST(Kernels, SayWhatIsWrongWithTheirParameters) {
  const auto refused = [](Kernel<double> kernel) { return kernel.refusal() != nullptr; };
  EXPECT_TRUE(refused({KernelKind::gaussian, 0}));
  EXPECT_TRUE(refused({KernelKind::laplacian, -1}));
  EXPECT_TRUE(refused({KernelKind::polynomial, 0, 1}));
  EXPECT_TRUE(refused({KernelKind::polynomial, 2.5, 1}));
  EXPECT_TRUE(refused({KernelKind::polynomial, 65, 1}));
  EXPECT_TRUE(refused({KernelKind::sigmoid, infinity<double>, 1}));
  EXPECT_TRUE(refused({KernelKind::sigmoid, 1, not_a_number<double>}));
  EXPECT_TRUE(refused({KernelKind::gaussian, not_a_number<double>}));
  EXPECT_FALSE(refused({KernelKind::sigmoid, -1, -1}));  // indefinite is no fault
}

TEST(Kernels, SayWhichPairIsNotFinite) {
  std::vector<float> values = histograms<float>(), matrix(n * n);
  values[3 * p + 2] = -0.5f;
  const SampleTable<float> samples{values.data(), n, p, p, 1};
  for (const KernelKind kind : {KernelKind::chi2, KernelKind::kl}) {
    KernelPair bad;
    EXPECT_FALSE(fill_kernel_matrix(Kernel<float>{kind}, samples, matrix.data(), bad));
    EXPECT_EQ(bad.row, 0u);
    EXPECT_EQ(bad.column, 3u);
  }
  values[3 * p + 2] = 1e30f;
  KernelPair bad;
  EXPECT_FALSE(fill_kernel_matrix(Kernel<float>{KernelKind::linear}, samples, matrix.data(), bad));
  EXPECT_EQ(bad.column, 3u);
  // where widths make up for it, values are what they should be
  EXPECT_TRUE(fill_kernel_matrix(Kernel<float>{KernelKind::gaussian, 1e-30f}, samples, matrix.data(), bad));
  EXPECT_EQ(matrix[0], 1.0f);
  EXPECT_EQ(matrix[3], 0.0f);
  EXPECT_FALSE(is_zero_matrix(matrix.data(), n));
  const std::vector<float> zeros(n * n);
  EXPECT_TRUE(is_zero_matrix(zeros.data(), n));
}

// A user's function need not be symmetric.
TEST(Kernels, MayBeAnyFunction) {
  const std::vector<double> values{1, 2, 3, 5};
  const SampleTable<double> samples{values.data(), 4, 1, 1, 1};
  std::vector<double> matrix(16);
  KernelPair bad;
  ASSERT_TRUE(fill_kernel_matrix([](SampleView<double> x, SampleView<double> z) { return x[0] - 2 * z[0]; }, samples,
                                 matrix.data(), bad));
  EXPECT_EQ(matrix[1], 1 - 2 * 2);
  EXPECT_EQ(matrix[4], 2 - 2 * 1);
  EXPECT_FALSE(
      fill_kernel_matrix([](SampleView<double> x, SampleView<double> z) { return x[0] > 2 && z[0] < 2 ? NAN : 0.0; },
                         samples, matrix.data(), bad));
  EXPECT_EQ(bad.row, 2u);
  EXPECT_EQ(bad.column, 0u);
}

}  // namespace
