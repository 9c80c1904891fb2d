#include "tamis/features/standardise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using namespace tamis;

TEST(Standardise, ColumnsGetMeanZeroAndVarianceOne) {
  std::vector<double> column{1, 2, 3, 4, 10};
  const auto by = measure_column(column.data(), 5);
  EXPECT_DOUBLE_EQ(by.mean, 4);
  EXPECT_DOUBLE_EQ(by.scale, std::sqrt(10.0));
  standardise_column(column.data(), 5, by);
  EXPECT_NEAR(column[0] + column[1] + column[2] + column[3] + column[4], 0, 1e-15);
}

TEST(Standardise, ConstantColumnsGetScaleOne) {
  const std::vector<float> column(1000, 0.1f);
  const auto by = measure_column(column.data(), 1000);
  EXPECT_EQ(by.scale, 1.0f);
  EXPECT_FLOAT_EQ(by.mean, 0.1f);
}

TEST(Standardise, LargeOffsetsDoNotSpoilTheVariance) {
  std::vector<float> column;
  for (int i = 0; i < 4000; ++i) column.push_back(10000.0f + static_cast<float>(i % 2));
  EXPECT_NEAR(measure_column(column.data(), 4000).scale, 0.5f, 1e-4f);
}

TEST(Standardise, CoefficientsComeBackInOriginalUnits) {
  const ColumnScale<double> columns[] = {{2, 4}, {-1, 0.5}};
  // Two features, two classes, then the intercepts.
  std::vector<double> w{1, 2, 3, 4, 0.5, -0.5};
  const double x[] = {3.0, 7.0};
  double before[2], after[2];
  for (int k = 0; k < 2; ++k) before[k] = w[4 + k] + w[k] * (x[0] - 2) / 4 + w[2 + k] * (x[1] + 1) / 0.5;
  restore_units(w.data(), 2, 2, columns);
  for (int k = 0; k < 2; ++k) {
    after[k] = w[4 + k] + w[k] * x[0] + w[2 + k] * x[1];
    EXPECT_NEAR(after[k], before[k], 1e-12);
  }
}

}  // namespace
