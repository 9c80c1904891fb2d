// Steps that prepare samples and columns, against values worked out independently in 50 decimal digits.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tamis/features/column_statistics.hpp"
#include "tamis/features/log_clip.hpp"
#include "tamis/features/normalise.hpp"
#include "tamis/features/sample_steps.hpp"

namespace {

using namespace tamis;

template <class T>
ColumnStatistics<T> statistics(const std::vector<T>& column) {
  ColumnStatistics<T> out;
  for (const T x : column) out.add(x);
  return out;
}

TEST(ColumnStatistics, OneValueAtATime) {
  const auto s = statistics<double>({5.25, -3.5, 0.125, std::nan(""), 17, 2.75, -3.5, 8.0625, std::nan("")});
  EXPECT_EQ(s.count(), 7u);
  EXPECT_EQ(s.missing(), 2u);
  EXPECT_NEAR(s.mean(), 3.74107142857142838110, 4e-15);
  EXPECT_NEAR(s.variance(), 45.09646045918367462946, 4e-14);
  EXPECT_NEAR(s.standardisation().scale, 6.71538982183340404930, 4e-15);
  EXPECT_EQ(s.least(), -3.5);
  EXPECT_EQ(s.most(), 17);
  EXPECT_EQ(s.min_max().mean, -3.5);
  EXPECT_EQ(s.min_max().scale, 20.5);
}

TEST(ColumnStatistics, AgreeWithTwoPassesOverTheColumn) {
  std::vector<float> column;
  for (int i = 0; i < 5000; ++i) column.push_back(1000.0f + static_cast<float>(i * 7919 % 1013) / 64.0f);
  const auto two = measure_column(column.data(), 5000), one = statistics(column).standardisation();
  EXPECT_NEAR(one.mean, two.mean, 1e-4f);
  EXPECT_NEAR(one.scale, two.scale, 1e-5f * two.scale);
}

TEST(ColumnStatistics, LargeOffsetsDoNotSpoilTheVariance) {
  std::vector<float> column;
  for (int i = 0; i < 4000; ++i) column.push_back(10000.0f + static_cast<float>(i % 2));
  EXPECT_NEAR(statistics(column).variance(), 0.25f, 1e-6f);
  EXPECT_EQ(statistics(column).mean(), 10000.5f);
}

TEST(ColumnStatistics, ManyTermsLoseNoDigits) {
  ColumnStatistics<float> s;
  for (int i = 0; i < 1000000; ++i) s.add(0.1f + 0.001f * static_cast<float>(i % 3));
  EXPECT_NEAR(s.mean(), 0.101f, 2e-8f);
  EXPECT_NEAR(s.variance(), 2e-6 / 3, 1e-10);
}

TEST(ColumnStatistics, ConstantAndEmptyColumnsGetScaleOne) {
  const auto constant = statistics(std::vector<float>(1000, 0.1f));
  EXPECT_EQ(constant.standardisation().scale, 1.0f);
  EXPECT_EQ(constant.min_max().scale, 1.0f);
  EXPECT_EQ(constant.min_max().mean, 0.1f);
  const auto rounded = statistics<float>({0.1f, std::nextafter(0.1f, 1.0f), 0.1f});
  EXPECT_EQ(rounded.standardisation().scale, 1.0f) << "a spread of roundings is none";
  const auto empty = statistics<double>({std::nan("")});
  EXPECT_EQ(empty.count(), 0u);
  EXPECT_EQ(empty.mean(), 0);
  EXPECT_EQ(empty.standardisation().scale, 1);
  EXPECT_EQ(empty.min_max().scale, 1);
}

template <class T>
void expect_logarithms(T tolerance) {
  constexpr LogClip<T> wide{T(1e-3), T(1e5)}, narrow{1, 1000};
  static_assert(wide.valid() && narrow.valid());
  const std::vector<std::pair<double, double>> values{
      {0.02, -1.6989700043360188047}, {1, 0},    {7.5, 0.87506126339170004687},
      {999, 2.9995654882259823087},   {1000, 3}, {12345.678, 4.0915149455092012747}};
  for (const auto& [x, y] : values)
    EXPECT_NEAR(wide(T(x)), T(y), tolerance * static_cast<T>(std::max(1.0, std::abs(y)))) << x;
  EXPECT_NEAR(wide(T(-5)), T(-3), 3 * tolerance) << "below the lower bound";
  EXPECT_EQ(wide(T(0)), wide(T(1e-3)));
  EXPECT_EQ(narrow(T(1e30)), narrow(T(1000)));
  EXPECT_EQ(narrow(T(0.5)), T(0));
  EXPECT_TRUE(std::isnan(wide(static_cast<T>(std::nan("")))));
}
TEST(LogClip, DecimalLogarithmsBetweenTheBounds) {
  expect_logarithms<float>(3e-7f);
  expect_logarithms<double>(6e-16);
}

TEST(LogClip, BoundsMustBePositiveAndAscend) {
  EXPECT_FALSE((LogClip<float>{0, 1}.valid()));
  EXPECT_FALSE((LogClip<float>{-1, 1}.valid()));
  EXPECT_FALSE((LogClip<float>{2, 2}.valid()));
  EXPECT_FALSE((LogClip<float>{1, infinity<float>}.valid()));
  EXPECT_FALSE((LogClip<float>{not_a_number<float>, 1}.valid()));
}

TEST(Normalise, DividesByTheNorm) {
  const std::vector<double> sample{3, -4, 0, 12, 0.5};
  const auto expect = [&](SampleNorm norm, const std::vector<double>& by_hand) {
    std::vector<double> x = sample;
    normalise(x.data(), 5, norm);
    for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(x[j], by_hand[j], 3e-16);
  };
  expect(SampleNorm::l1,
         {0.15384615384615384615, -0.2051282051282051282, 0, 0.61538461538461538461, 0.02564102564102564102});
  expect(SampleNorm::l2,
         {0.2305987326072263654646, -0.307464976809635153952, 0, 0.9223949304289054618587, 0.0384331221012043942441});
  expect(SampleNorm::max, {0.25, -0.3333333333333333333, 0, 1, 0.04166666666666666666});
  expect(SampleNorm::none, sample);
}

TEST(Normalise, ZerosStayAndStepsAreKept) {
  std::vector<float> columns{0, 3, 0, 4};  // two samples of two features, a column after the other
  for (std::size_t i = 0; i < 2; ++i) normalise(columns.data() + i, 2, SampleNorm::l2, 2);
  EXPECT_EQ(columns, (std::vector<float>{0, 0.6f, 0, 0.8f}));
}

TEST(Normalise, NormsBeyondTheRangeDoNoHarm) {
  for (const float size : {1e30f, 1e-30f})
    for (const auto& [norm, expected] : {std::pair{SampleNorm::l1, 0.5f}, {SampleNorm::l2, std::sqrt(0.5f)}}) {
      std::vector<float> x{size, -size};
      normalise(x.data(), 2, norm);
      EXPECT_FLOAT_EQ(x[0], expected);
      EXPECT_FLOAT_EQ(x[1], -expected);
    }
}

TEST(SampleSteps, DivisionThenMeansThenLogarithmsThenTheNorm) {
  const double means[] = {7, 100, 7};
  const SampleSteps<double> steps{.divisor = 2, .means = means, .log = {1, 1000}, .norm = SampleNorm::max};
  std::vector<double> x{20, std::nan(""), -3};
  steps.apply(x.data(), 3);
  EXPECT_NEAR(x[0], 0.5, 1e-15);
  EXPECT_NEAR(x[1], 1, 1e-15);
  EXPECT_EQ(x[2], 0);
  x = {20, std::nan(""), -3};
  SampleSteps<double>{}.apply(x.data(), 3);
  EXPECT_EQ(x[0], 20);
  EXPECT_TRUE(std::isnan(x[1]));
  EXPECT_EQ(x[2], -3);
}

}  // namespace
