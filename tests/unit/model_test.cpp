// Prediction, the blob and the exported header.
#include <gtest/gtest.h>

#include <string>

#include "support/problems.hpp"
#include "tamis/model/blob.hpp"

namespace {

using namespace tamis;
using tamis::testing::Made;

template <class T>
class Models : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Models, Scalars);

template <class T>
tamis::testing::Run<T> trained(Index classes) {
  const Made<T> made(60, 9, classes, 17);
  return tamis::testing::run_default(made, Hinge{}, L1{}, Options<T>{.lambda = T(0.03)});
}

TYPED_TEST(Models, PredictTheLargestScoreAndTheFirstOfEquals) {
  using T = TypeParam;
  for (const Index classes : {2, 3, 4, 5, 9}) {
    const auto run = trained<T>(classes);
    const Made<T> made(60, 9, classes, 17);
    for (Index i = 0; i < made.samples; ++i) {
      std::vector<T> scores(classes);
      run.fit.model.scores(&made.values[i], scores.data(), made.samples);
      const auto top = std::max_element(scores.begin(), scores.end()) - scores.begin();
      EXPECT_EQ(run.fit.model.predict(&made.values[i], made.samples), top);
    }
  }
  const std::vector<T> zeros(2 * padded<T>(5));
  const LinearModel<T> flat{zeros.data(), 1, 5};
  const T x = 1, nan = not_a_number<T>;
  EXPECT_EQ(flat.predict(&x), 0);
  EXPECT_EQ(flat.predict(&nan), 0);
}

TYPED_TEST(Models, ScoresOfEveryWidthAddTheFeaturesInTheirOrder) {
  using T = TypeParam;
  constexpr Index features = 7;
  for (const Index classes : {1u, 2u, 4u, 5u, 12u, 13u, 16u, 17u, 20u, 26u, 40u}) {
    const Index stride = padded<T>(classes);
    tamis::testing::Generator generator(classes);
    std::vector<T> coefficients((features + 1) * stride), x(2 * features), scores(classes);
    for (T& number : coefficients) number = static_cast<T>(generator.uniform());
    for (T& number : x) number = static_cast<T>(generator.uniform());
    const LinearModel<T> model{coefficients.data(), features, classes};
    for (const Index step : {1u, 2u}) {
      model.scores(x.data(), scores.data(), step);
      Index best = 0;
      for (Index k = 0; k < classes; ++k) {
        T expected = model.intercept(k);
        for (Index j = 0; j < features; ++j) {
          const T product = x[j * step] * model(j, k);
          expected += product;
        }
        EXPECT_EQ(scores[k], expected) << "class " << k << " of " << classes;
        if (scores[k] > scores[best]) best = k;
      }
      EXPECT_EQ(model.predict(x.data(), step), best) << classes;
    }
  }
}

TYPED_TEST(Models, BlobRoundTripKeepsEveryBit) {
  using T = TypeParam;
  const auto run = trained<T>(5);
  const std::size_t size = blob_bytes(run.fit.model);
  std::vector<std::byte> blob(size + 7, std::byte{0x5a});
  EXPECT_EQ(write_blob(run.fit.model, std::span(blob).first(size - 1)), 0u) << "one byte short";
  EXPECT_EQ(blob[0], std::byte{0x5a}) << "and nothing written";
  ASSERT_EQ(write_blob(run.fit.model, std::span(blob)), size);
  EXPECT_EQ(blob[size], std::byte{0x5a});

  const BlobShape shape = inspect_blob(blob);
  ASSERT_TRUE(shape.valid);
  EXPECT_EQ(shape.kept, run.fit.nonzero_rows);
  std::vector<T> coefficients(blob_coefficients<T>(shape));
  LinearModel<T> model;
  EXPECT_EQ(read_blob<T>(blob, std::span(coefficients).first(coefficients.size() - 1), model), Status::arena_too_small);
  ASSERT_EQ(read_blob<T>(blob, coefficients, model), Status::converged);
  EXPECT_EQ(coefficients, run.coefficients());
  using Other = std::conditional_t<sizeof(T) == 4, double, float>;
  std::vector<Other> others(blob_coefficients<Other>(shape));
  LinearModel<Other> other;
  EXPECT_EQ(read_blob<Other>(blob, others, other), Status::invalid_data) << "the other scalar type";
}

TYPED_TEST(Models, DamagedBlobsAreRefused) {
  using T = TypeParam;
  const auto run = trained<T>(3);
  std::vector<std::byte> blob(blob_bytes(run.fit.model));
  write_blob(run.fit.model, std::span(blob));
  for (std::size_t length = 0; length < blob.size(); ++length) {
    const std::vector<std::byte> cut(
        blob.begin(), blob.begin() + static_cast<std::ptrdiff_t>(length));  // so that a reader beyond it is caught
    EXPECT_FALSE(inspect_blob(cut).valid) << "cut to " << length;
  }
  for (std::size_t at = 0; at < blob.size(); ++at)
    for (const int bit : {0, 3, 7}) {
      auto flipped = blob;
      flipped[at] ^= std::byte(1 << bit);
      EXPECT_FALSE(inspect_blob(flipped).valid) << "bit " << bit << " of byte " << at;
    }
}

TYPED_TEST(Models, BlobsAreReadTheSameEverywhere) {
  // The layout byte by byte: one of two features kept, two classes.
  std::vector<float> coefficients(3 * padded<float>(2));
  coefficients[4] = 1.0f;
  coefficients[5] = -2.0f;
  coefficients[8] = 0.5f;
  const LinearModel<float> model{coefficients.data(), 2, 2};
  const unsigned char expected[] = {'T', 'M', 'S', 'B',  1, 4, 0, 0, 2, 0, 0, 0, 2, 0, 0,    0,    1, 0, 0, 0,
                                    0,   0,   0,   0x3f, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0};
  std::byte blob[100];
  ASSERT_EQ(write_blob(model, std::span(blob)), sizeof expected + 4);
  for (std::size_t i = 0; i < sizeof expected; ++i) EXPECT_EQ(std::to_integer<int>(blob[i]), expected[i]) << i;
}

TEST(Blob, ChecksumIsTheCommonCrc32) {
  const char digits[] = "123456789";
  EXPECT_EQ(detail::crc32({reinterpret_cast<const std::byte*>(digits), 9}), 0xcbf43926u);
}

TYPED_TEST(Models, ExportCountsBeforeItWrites) {
  using T = TypeParam;
  const auto run = trained<T>(3);
  const std::size_t length = export_c(run.fit.model, ExportOptions<T>{}, std::span<char>());
  std::string text(length, '\0');
  EXPECT_EQ(export_c(run.fit.model, ExportOptions<T>{}, std::span<char>(text)), length);
  std::string shorter(length / 2, '\0');
  EXPECT_EQ(export_c(run.fit.model, ExportOptions<T>{}, std::span<char>(shorter)), length);
  EXPECT_EQ(shorter, text.substr(0, length / 2));
}

TEST(TextSink, WritesExactHexadecimalNumbers) {
  const auto text = [](auto value) {
    char out[64];
    TextSink sink{std::span<char>(out)};
    sink << value;
    return std::string(out, sink.length());
  };
  for (const float value : {0.0f, 1.0f, -0.1f, 1.17549435e-38f, 1e-45f, 3.4e38f, 123456.789f}) {
    EXPECT_EQ(std::strtof(text(value).c_str(), nullptr), value) << text(value);
  }
  for (const double value : {0.0, 1.0, -0.1, 2.2250738585072014e-308, 5e-324, 1.7e308, 3.141592653589793}) {
    EXPECT_EQ(std::strtod(text(value).c_str(), nullptr), value) << text(value);
  }
}

}  // namespace
