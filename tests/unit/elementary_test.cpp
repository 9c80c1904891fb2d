// exp and log against those of a wider type.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tamis/linalg/elementary_rows.hpp"

namespace {

using namespace tamis;

/// |got − exact| in units of the last place of the result.
template <class T, class Wide>
double error_in_ulp(T got, Wide exact) {
  const T rounded = std::abs(static_cast<T>(exact));
  const auto unit = static_cast<Wide>(std::nextafter(rounded, std::numeric_limits<T>::infinity())) - Wide(rounded);
  return static_cast<double>(std::abs(Wide(got) - exact) / unit);
}

template <class T, class Wide>
void expect_accurate(double least, double most) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> whole(least, most), small(-0.4, 0.4), near_one(0.5, 2);
  double exp_error = 0, log_error = 0;
  const auto try_exp = [&](double x) {
    const T at = static_cast<T>(x);
    exp_error = std::max(exp_error, error_in_ulp<T, Wide>(exponential(at), std::exp(Wide(at))));
  };
  const auto try_log = [&](double x) {
    const T at = static_cast<T>(x);
    log_error = std::max(log_error, error_in_ulp<T, Wide>(logarithm(at), std::log(Wide(at))));
  };
  for (int i = 0; i < 1000000; ++i) {
    try_exp(whole(generator));
    try_exp(small(generator));
    try_log(std::exp(0.999 * whole(generator)));
    try_log(near_one(generator));
  }
  EXPECT_LT(exp_error, 1.1);
  EXPECT_LT(log_error, 1.0);
}

TEST(Elementary, FloatIsAccurate) { expect_accurate<float, double>(-87, 88.7); }
TEST(Elementary, DoubleIsAccurate) { expect_accurate<double, long double>(-708, 709.7); }

template <class T>
void expect_ends() {
  EXPECT_EQ(exponential(T(0)), T(1));
  EXPECT_EQ(exponential(T(-1e30)), T(0));
  EXPECT_EQ(exponential(-infinity<T>), T(0));
  EXPECT_EQ(exponential(T(1e30)), infinity<T>);
  EXPECT_EQ(logarithm(T(1)), T(0));
  EXPECT_EQ(logarithm(T(0)), -infinity<T>);
  EXPECT_EQ(logarithm(infinity<T>), infinity<T>);
  EXPECT_TRUE(std::isnan(logarithm(T(-1))));
  const T least = std::numeric_limits<T>::denorm_min();
  EXPECT_NEAR(static_cast<double>(logarithm(least)), std::log(static_cast<double>(least)), 1e-4);
  static_assert(exponential(T(0)) == T(1) && logarithm(T(1)) == T(0), "constant expressions too");
}
TEST(Elementary, EndsOfTheRange) {
  expect_ends<float>();
  expect_ends<double>();
}

TEST(Elementary, ARowHasTheBitsOfItsEntries) {
  std::mt19937 generator(2);
  std::uniform_real_distribution<float> whole(-100, 100);
  std::vector<float> x(1003), row;
  for (float& entry : x) entry = whole(generator);
  row = x;
  exponentials(row.data(), static_cast<Index>(row.size()));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(row[i], exponential(x[i]));
}

template <class T>
void expect_rows_of_the_same_bits() {
  std::mt19937_64 generator(3);
  std::uniform_real_distribution<double> whole(-100, 100);
  std::vector<T> x(1024), row, product;
  for (T& entry : x) entry = static_cast<T>(whole(generator));
  x[0] = T(1e6);
  x[1] = T(-1e6);
  x[2] = infinity<T>;
  x[3] = -infinity<T>;
  row = x;
  row_exponentials(row.data(), static_cast<Index>(row.size()));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(row[i], exponential(x[i]));
  for (T& entry : x) entry = static_cast<T>(std::exp(0.8 * whole(generator)));
  x[0] = least_normal<T>;
  x[1] = T(1);
  row = product = x;
  row_logarithms<false>(row.data(), static_cast<Index>(row.size()));
  row_logarithms<true>(product.data(), static_cast<Index>(row.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(row[i], logarithm_beside_one(x[i]));
    EXPECT_EQ(product[i], x[i] * logarithm(x[i]));
  }
  T small[8] = {T(0), least_normal<T> / 2, T(-1), T(0.5)};
  row_logarithms<true>(small, 8);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(small[i], T(0));
}
template <class T>
void expect_logarithms_beside_one() {
  std::mt19937_64 generator(4);
  std::uniform_real_distribution<double> exponent(-60, 3);
  for (int i = 0; i < 20000; ++i) {
    const T x = static_cast<T>(std::exp(exponent(generator)));
    for (const T given : {x, -x / T(32)}) {
      const double expected = std::log1p(static_cast<double>(given));
      EXPECT_NEAR(static_cast<double>(logarithm_beside_one(given)), expected,
                  2 * static_cast<double>(epsilon<T>) * std::abs(expected));
    }
  }
  EXPECT_EQ(logarithm_beside_one(T(0)), T(0));
}
TEST(Elementary, LogarithmsBesideOneKeepTheirDigits) {
  expect_logarithms_beside_one<float>();
  expect_logarithms_beside_one<double>();
}

TEST(Elementary, RowsInVectorsHaveTheBitsOfTheirEntries) {
  expect_rows_of_the_same_bits<float>();
  expect_rows_of_the_same_bits<double>();
}

}  // namespace
