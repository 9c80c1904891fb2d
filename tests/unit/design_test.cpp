#include <gtest/gtest.h>

#include <cmath>

#include "support/problems.hpp"

namespace {

using namespace tamis;
using tamis::testing::Compressed;
using tamis::testing::Generator;

template <class T>
class Designs : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Designs, Scalars);

/// A design with about half zeros, inside a larger matrix.
template <class T>
struct Example {
  Index samples, features, classes;
  std::size_t column_stride;
  std::vector<T> values;

  Example(Index n, Index p, Index K) : samples(n), features(p), classes(K), column_stride(n + 3), values((n + 3) * p) {
    Generator generator(n * 31 + p * 7 + K);
    for (T& x : values) x = generator.draw(2) ? static_cast<T>(generator.uniform()) : T(0);
  }
  DenseDesign<T> dense() const { return {values.data(), samples, features, column_stride}; }
};

template <class T>
std::vector<T> padded_matrix(Index rows, Index classes, std::uint32_t seed) {
  const Index stride = padded<T>(classes);
  std::vector<T> out(rows * stride);
  Generator generator(seed);
  for (Index i = 0; i < rows; ++i)
    for (Index k = 0; k < classes; ++k) out[i * stride + k] = static_cast<T>(generator.uniform());
  return out;
}

TYPED_TEST(Designs, WideVectorsGiveTheSameBits) {
  using T = TypeParam;
  if (!has_wide_vectors()) GTEST_SKIP() << "this processor has none (AVX2)";
  const Index list[] = {0, 2, 3, 4, 6, 7, 8, 10, 11};
  for (const Index classes : {2u, 3u, 4u, 5u, 7u, 8u, 10u, 12u, 17u, 26u})
    for (const Index samples : {1u, 3u, 4u, 9u, 25u, 37u})
      for (const Index count : {1u, 4u, 9u}) {
        const Example<T> example(samples, 12, classes);
        const Index stride = padded<T>(classes);
        const auto w = padded_matrix<T>(13, classes, 5), u = padded_matrix<T>(samples, classes, 6);
        const auto start = padded_matrix<T>(12, classes, 7);
        const T* x = example.values.data();
        std::vector<T> scores[2], gradient[2];
        for (const bool wide : {false, true}) {
          scores[wide].assign(samples * stride, T(0));
          gradient[wide] = start;
          (wide ? detail::multiply_dense_wide<T>
                : detail::multiply_dense<T, lanes<T>>)(x, samples, example.column_stride, list, count, w.data(), stride,
                                                       classes, w.data() + 12 * stride, scores[wide].data());
          (wide ? detail::transposed_dense_wide<T>
                : detail::transposed_dense<T, lanes<T>>)(x, example.column_stride, list, count, samples, u.data(),
                                                         stride, classes, false, gradient[wide].data());
        }
        EXPECT_EQ(scores[0], scores[1]) << classes << " " << samples << " " << count;
        EXPECT_EQ(gradient[0], gradient[1]) << classes << " " << samples << " " << count;
      }
}

TYPED_TEST(Designs, ProductsEqualTheDefinition) {
  using T = TypeParam;
  // Shapes on both sides of every tile and block edge: 1 … 9 vectors of classes, 3 … 600 samples.
  for (const Index classes : {2, 3, 4, 5, 8, 9, 12, 13, 17, 20, 26})
    for (const Index samples : {1, 3, 4, 7, 255, 257, 600})
      for (const Index features : {1, 4, 5, 11, 70}) {
        if (features == 70 && !(samples == 257 && classes % 4 == 1)) continue;  // more columns than are taken together
        const Example<T> e(samples, features, classes);
        const Index stride = padded<T>(classes);
        const auto w = padded_matrix<T>(features, classes, 1), u = padded_matrix<T>(samples, classes, 2);
        const auto base = padded_matrix<T>(1, classes, 3);
        const Compressed<T> compressed(e.dense());
        const std::vector<Index> some =
            features > 2 ? std::vector<Index>{0, features / 2, features - 1} : std::vector<Index>{0};
        for (const bool all : {true, false}) {
          const Index* list = all ? nullptr : some.data();
          const Index count = all ? features : static_cast<Index>(some.size());
          std::vector<T> z(samples * stride, T(7)), zs(samples * stride, T(7));
          e.dense().multiply(list, count, w.data(), stride, base.data(), z.data());
          compressed.design().multiply(list, count, w.data(), stride, base.data(), zs.data());
          EXPECT_EQ(z, zs) << "dense and sparse products have the same bits";
          std::vector<T> g(features * stride, T(7)), gs(features * stride, T(7));
          e.dense().transposed_multiply(list, count, u.data(), stride, g.data());
          compressed.design().transposed_multiply(list, count, u.data(), stride, gs.data());

          const double tolerance = 40 * static_cast<double>(epsilon<T>) * std::sqrt(samples + features);
          for (Index k = 0; k < classes; ++k) {
            for (Index i = 0; i < samples; ++i) {
              double expected = static_cast<double>(base[k]);
              for (Index c = 0; c < count; ++c) {
                const Index j = all ? c : some[c];
                expected += static_cast<double>(e.dense()(i, j)) * static_cast<double>(w[j * stride + k]);
              }
              ASSERT_NEAR(static_cast<double>(z[i * stride + k]), expected, tolerance);
            }
            for (Index c = 0; c < count; ++c) {
              const Index j = all ? c : some[c];
              double expected = 0;
              for (Index i = 0; i < samples; ++i)
                expected += static_cast<double>(e.dense()(i, j)) * static_cast<double>(u[i * stride + k]);
              ASSERT_NEAR(static_cast<double>(g[j * stride + k]), expected, tolerance);
              ASSERT_NEAR(static_cast<double>(gs[j * stride + k]), expected, tolerance);
            }
          }
          for (Index i = 0; i < samples; ++i)
            for (Index k = classes; k < stride; ++k) ASSERT_EQ(z[i * stride + k], T(0)) << "padding stays zero";
          if (!all && features > 2) {
            EXPECT_EQ(g[stride], T(7)) << "rows that are not listed stay as they were";
          }
        }
      }
}

TYPED_TEST(Designs, StoredZerosDoNotChangeASum) {
  using T = TypeParam;
  const Example<T> e(1300, 3, 5);  // more entries than are added in one block
  const Compressed<T> compressed(e.dense());
  const Index stride = padded<T>(5);
  std::vector<T> values;
  std::vector<Index> rows, starts{0};
  for (Index j = 0; j < 3; ++j, starts.push_back(static_cast<Index>(values.size())))
    for (Index i = 0; i < e.samples; ++i) {
      values.push_back(e.dense()(i, j));
      rows.push_back(i);
    }
  const SparseDesign<T> stored(values.data(), rows.data(), starts.data(), e.samples, 3);
  const auto u = padded_matrix<T>(e.samples, 5, 2);
  std::vector<T> g(3 * stride), expected(3 * stride);
  stored.transposed_multiply(nullptr, 3, u.data(), stride, g.data());
  compressed.design().transposed_multiply(nullptr, 3, u.data(), stride, expected.data());
  EXPECT_EQ(g, expected);
  for (Index j = 0; j < 3; ++j) sum_column<true>(stored.column(j), u.data(), stride, g.data() + j * stride);
  EXPECT_EQ(g, expected);
}

TYPED_TEST(Designs, GiveClassesWithoutCoefficientsTheirIntercepts) {
  using T = TypeParam;
  for (const Index classes : {2u, 3u, 4u, 5u, 8u, 10u, 26u})
    for (const Index samples : {1u, 5u, 20u, 130u})
      for (const Index features : {1u, 70u}) {
        const Example<T> e(samples, features, classes);
        const Index stride = padded<T>(classes);
        auto w = padded_matrix<T>(features, classes, 1);
        const auto base = padded_matrix<T>(1, classes, 3);
        for (Index zero = 1; zero <= classes; zero = 2 * zero + 1) {  // so many of the last classes have none
          for (Index j = 0; j < features; ++j)
            for (Index k = classes - zero; k < classes; ++k) w[j * stride + k] = T(0);
          std::vector<T> z(samples * stride, T(7));
          e.dense().multiply(nullptr, features, w.data(), stride, base.data(), z.data());
          for (Index i = 0; i < samples; ++i)
            for (Index k = classes - zero; k < stride; ++k)
              ASSERT_EQ(z[i * stride + k], base[k]) << classes << " " << k;
        }
      }
}

TYPED_TEST(Designs, CountEntriesAndColumnSums) {
  using T = TypeParam;
  const Example<T> e(50, 6, 3);
  const Compressed<T> compressed(e.dense());
  EXPECT_EQ(e.dense().entries(nullptr, 6), 300u);
  EXPECT_EQ(compressed.design().entries(nullptr, 6), compressed.values.size());
  for (Index j = 0; j < 6; ++j) EXPECT_EQ(e.dense().column_sum(j), compressed.design().column_sum(j));
}

TYPED_TEST(Designs, FindTheFirstBadValue) {
  using T = TypeParam;
  for (const T bad : {not_a_number<T>, infinity<T>, -infinity<T>}) {
    Example<T> e(20, 5, 3);
    Index row = 99, column = 99;
    EXPECT_FALSE(e.dense().find_bad_value(row, column));
    e.values[7 + 2 * e.column_stride] = bad;
    e.values[1 + 4 * e.column_stride] = bad;
    EXPECT_TRUE(e.dense().find_bad_value(row, column));
    EXPECT_EQ(row, 7u);
    EXPECT_EQ(column, 2u);
    Compressed<T> compressed(e.dense());
    row = column = 99;
    EXPECT_TRUE(compressed.design().find_bad_value(row, column));
    EXPECT_EQ(row, 7u);
    EXPECT_EQ(column, 2u);
  }
  const Example<T> good(20, 5, 3);
  Compressed<T> outside(good.dense());
  outside.rows[3] = 20;
  Index row = 0, column = 0;
  EXPECT_TRUE(outside.design().find_bad_value(row, column)) << "an entry beyond the last sample";

  Compressed<T> backwards(good.dense());
  EXPECT_FALSE(backwards.design().find_bad_value(row, column));
  backwards.starts[2] = 1000000;  // no such entry is looked at
  EXPECT_TRUE(backwards.design().find_bad_value(row, column)) << "a column that ends before it starts";
  EXPECT_EQ(row, 0u);
  EXPECT_EQ(column, 2u);
}

TEST(Sum, CarriesTheRoundingErrors) {
  Sum<float> total;
  total.add(1e8f);
  for (int i = 0; i < 1000; ++i) total.add(1.0f);
  total.add(-1e8f);
  EXPECT_EQ(total.value(), 1000.0f);
}

}  // namespace
