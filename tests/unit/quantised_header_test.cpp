// Models of integers: how features become counts, that no counts make the sums overflow, and that the sums are those of
// the model they stand for.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tamis/model/export_quantised_c.hpp"

namespace {

using tamis::CountScale;
using tamis::Index;

/// A dense linear model in memory of its own.
struct Model {
  Model(Index features, Index classes) : stride(tamis::padded<double>(classes)), rows((features + 1) * stride) {
    view = {rows.data(), features, classes};
  }
  double& at(Index j, Index k) { return rows[j * std::size_t(stride) + k]; }
  Index stride;
  std::vector<double> rows;
  tamis::LinearModel<double> view;
};

struct Quantised {
  Quantised(const Model& model, std::vector<CountScale> scales, int largest)
      : counts(std::move(scales)),
        weights(std::size_t(model.view.features) * model.view.classes),
        intercepts(model.view.classes),
        view(tamis::quantise(model.view, counts.data(), largest, weights, intercepts)) {}
  std::vector<CountScale> counts;
  std::vector<std::int16_t> weights;
  std::vector<std::int32_t> intercepts;
  tamis::QuantisedModel view;
};

TEST(Counts, AreRoundedAndCutOff) {
  const CountScale plain;
  EXPECT_EQ(plain.count(2.5f), 3);
  EXPECT_EQ(plain.count(-2.5f), -3);
  EXPECT_EQ(plain.count(2.4375f), 2);
  EXPECT_EQ(plain.count(32767.4f), 32767);
  EXPECT_EQ(plain.count(1e30f), 32767);
  EXPECT_EQ(plain.count(-1e30f), -32768);
  EXPECT_EQ(plain.count(-32768.0f), -32768);
  EXPECT_EQ(plain.count(std::numeric_limits<float>::quiet_NaN()), -32768);
  EXPECT_EQ((CountScale{1.5f, 4}.count(2.0f)), 2);
}

TEST(Counts, SpanTwiceTheRangeInPowersOfTwo) {
  const float ranges[][2] = {{0, 1},           {4.3f, 7.9f}, {-1e-6f, 3e-6f}, {278, 1680},
                             {1e6f, 1e6f + 1}, {-5, -5},     {-3e30f, 1e30f}};
  for (const auto& range : ranges) {
    const CountScale scale = tamis::count_scale(range[0], range[1]);
    int exponent;
    EXPECT_EQ(std::frexp(scale.per_unit, &exponent), 0.5f);
    EXPECT_EQ(std::fmod(scale.zero * scale.per_unit, 1.0f), 0.0f);
    const float middle = range[0] / 2 + range[1] / 2;
    const float half = range[0] == range[1] ? std::abs(range[0]) : range[1] / 2 - range[0] / 2;
    EXPECT_LE(std::abs(middle - scale.zero) * scale.per_unit, 0.51f) << range[0];
    const float reach = half * scale.per_unit;
    EXPECT_LE(reach, 16383.0f) << range[0];
    // No coarser than needed for the range, or for the digits that a float of that size has.
    EXPECT_TRUE(reach > 8191 || std::abs(range[0]) * scale.per_unit > 2097151) << range[0];
  }
  EXPECT_TRUE(tamis::count_scale(0, 0).trivial());
}

TEST(Quantise, IsExactForWeightsThatAreIntegersAlready) {
  Model model(3, 2);
  const int weights[3][2] = {{127, -64}, {0, 0}, {-1, 100}};
  for (Index j = 0; j < 3; ++j)
    for (Index k = 0; k < 2; ++k) model.at(j, k) = weights[j][k] / 128.0;
  model.at(3, 0) = 5 / 128.0;
  model.at(3, 1) = -1000 / 128.0;
  const Quantised q(model, std::vector<CountScale>(3), 127);
  EXPECT_EQ(q.view.scale, 1 / 128.0f);
  for (Index j = 0; j < 3; ++j)
    for (Index k = 0; k < 2; ++k) EXPECT_EQ(q.view.weight(j, k), weights[j][k]);
  EXPECT_EQ(q.intercepts, (std::vector<std::int32_t>{5, -1000}));
  EXPECT_FALSE(q.view.uses(1));
  const float x[] = {3, 17, -2};
  std::int32_t scores[2];
  EXPECT_EQ(q.view.predict(x, scores), 0);
  EXPECT_EQ(scores[0], 5 + 3 * 127 + 2);
  EXPECT_EQ(scores[1], -1000 - 3 * 64 - 200);
}

TEST(Quantise, CountsThatBeginElsewhereMoveTheIntercepts) {
  Model model(1, 2);
  model.at(0, 0) = 1;
  model.at(0, 1) = -0.5;
  model.at(1, 0) = 0.25;
  const Quantised q(model, {{100, 4}}, 127);  // a count is a quarter from 100 on: weights 1/4 and -1/8
  EXPECT_EQ(q.weights, (std::vector<std::int16_t>{127, -64}));  // -63.5, halves away from zero
  EXPECT_NEAR(q.view.scale, 0.25 / 127, 1e-9);
  EXPECT_EQ(q.intercepts, (std::vector<std::int32_t>{50927, -25400}));  // 100.25 * 508 and -50 * 508
}

TEST(Quantise, EndsForNumbersAtTheEndsOfTheirRange) {
  Model model(1, 2);
  for (const double w : {1e-300, 1e-43, 1e-37, 1e-30, 1.0, 1e30, 1e300}) {
    model.at(0, 0) = w;
    model.at(0, 1) = -w;
    for (const double b : {0.0, w, -1e6 * w}) {
      model.at(1, 1) = b;
      const Quantised q(model, {{}}, 127);
      EXPECT_EQ(q.view.classes, w < 1e40 ? 2u : 0u) << w << " " << b;  // 1e300: a scale that is no float
      if (q.view.classes == 0) continue;
      EXPECT_TRUE(tamis::detail::sums_fit(q.view)) << w << " " << b;
      EXPECT_NEAR(q.weights[0] * double(q.view.scale), w, q.view.scale) << b;
      EXPECT_NEAR(q.intercepts[1] * double(q.view.scale), b, double(q.view.scale) + 1e-6 * std::abs(b)) << w;
    }
  }
  for (const float number : {1.0f, 1e-30f, 1e-36f, 1e-43f}) {
    std::vector<float> rows(8);
    rows[4] = number;  // an intercept alone, whose scale is rounded to one that it has 2^31 of
    const tamis::LinearModel<float> floats{rows.data(), 1, 2};
    std::int16_t weights[2];
    std::int32_t intercepts[2];
    const CountScale plain;
    for (const bool weighted : {false, true}) {
      if (weighted) rows[0] = number;
      const auto q = tamis::quantise(floats, &plain, 127, weights, intercepts);
      EXPECT_TRUE(tamis::detail::sums_fit(q)) << number;
      EXPECT_NEAR(intercepts[0] * double(q.scale), double(number), double(q.scale) + 1e-6 * double(number));
      EXPECT_NEAR(weights[0] * double(q.scale), weighted ? double(number) : 0, double(q.scale));
    }
  }
}

TEST(Quantise, NoCountsOverflowAndScoresAreClose) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (const int largest : {127, 32767}) {
    for (const Index features : {1u, 2u, 3u, 17u, 200u, 5000u}) {
      Model model(features, 3);
      std::vector<CountScale> counts(features);
      for (Index j = 0; j < features; ++j) {
        counts[j] = {static_cast<float>(std::ldexp(std::round(100 * normal(random)), -3)),
                     std::ldexp(1.0f, int(j % 9))};
        for (Index k = 0; k < 3; ++k) model.at(j, k) = normal(random) * std::ldexp(1.0, int(j % 9));
      }
      for (Index k = 0; k < 3; ++k) model.at(features, k) = 1000 * normal(random);
      const Quantised q(model, counts, largest);
      ASSERT_EQ(q.view.classes, 3u);
      for (Index k = 0; k < 3; ++k) {
        // The worst counts, in 64 bits.
        std::int64_t high = q.intercepts[k], low = q.intercepts[k];
        for (Index j = 0; j < features; ++j) {
          const std::int64_t w = q.view.weight(j, k);
          EXPECT_LE(std::abs(w), largest);
          high += w > 0 ? w * 32767 : w * -32768;
          low += w > 0 ? w * -32768 : w * 32767;
        }
        EXPECT_LE(high, std::numeric_limits<std::int32_t>::max());
        EXPECT_GE(low, std::numeric_limits<std::int32_t>::min());
      }
      // A sample that counts hold exactly: what is left is the rounding of weights and intercepts, half a scale each.
      std::vector<float> x(features);
      double bound = 0.5;
      for (Index j = 0; j < features; ++j) {
        const double count = std::round(300 * normal(random));
        x[j] = static_cast<float>(double(counts[j].zero) + count / double(counts[j].per_unit));
        ASSERT_EQ(counts[j].count(x[j]), count);
        bound += 0.5 * std::abs(count);
      }
      std::int32_t scores[3];
      q.view.scores(x.data(), scores);
      for (Index k = 0; k < 3; ++k) {
        double exact = model.at(features, k);
        for (Index j = 0; j < features; ++j) exact += double(x[j]) * model.at(j, k);
        EXPECT_LE(std::abs(scores[k] * double(q.view.scale) - exact), bound * double(q.view.scale) * (1 + 1e-5))
            << features;
      }
    }
  }
}

TEST(Quantise, RefusesWhatHasNoIntegers) {
  Model model(2, 2);
  model.at(0, 0) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Quantised(model, std::vector<CountScale>(2), 127).view.classes, 0u);
  Model many(200000, 2);
  for (Index j = 0; j < 200000; ++j) many.at(j, 0) = 1;
  EXPECT_EQ(Quantised(many, std::vector<CountScale>(200000), 127).view.classes, 0u);
  Model nothing(2, 2);  // keeps nothing, and says class 0
  const Quantised q(nothing, std::vector<CountScale>(2), 127);
  const float x[] = {1, 2};
  std::int32_t scores[2];
  EXPECT_EQ(q.view.predict(x, scores), 0);
}

}  // namespace
