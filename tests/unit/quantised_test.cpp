// Designs of one or two bytes a number: the bits of the dense design of what they stand for.
#include "tamis/design/quantised.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core.hpp"
#include "support/problems.hpp"
#include "tamis/design/quantise.hpp"
#include "tamis/model/predict_integers.hpp"

namespace {

using namespace tamis;
using tamis::testing::Generator;

/// Integers over their whole range, and the dense design of what they stand for.
template <class T, class Integer>
struct Example {
  Index samples, features;
  std::vector<Integer> columns, rows, zeros;
  std::vector<T> scales, dense;
  Quantisation<T, Integer> meaning;

  Example(Index n, Index p, bool per_feature, std::uint32_t seed)
      : samples(n),
        features(p),
        columns(std::size_t(n) * p),
        rows(columns.size()),
        zeros(p),
        scales(p),
        dense(columns.size()) {
    Generator generator(seed);
    constexpr int least = std::numeric_limits<Integer>::min();
    constexpr std::uint32_t range = std::numeric_limits<Integer>::max() - least + 1;
    const auto draw = [&] {
      return static_cast<Integer>(least + static_cast<int>((generator.draw(256) * 256 + generator.draw(256)) % range));
    };
    for (Integer& zero : zeros) zero = draw();
    for (T& scale : scales) scale = T(2 * generator.uniform() + 3) / T(range);
    if (per_feature) meaning = {.scales = scales.data(), .zeros = zeros.data()};
    else meaning = {.scale = scales[0], .zero = zeros[0]};
    for (Index j = 0; j < p; ++j)
      for (Index i = 0; i < n; ++i) {
        const Integer q = i == 0       ? std::numeric_limits<Integer>::min()
                          : i == 1     ? std::numeric_limits<Integer>::max()
                          : i % 5 == 2 ? (per_feature ? zeros[j] : zeros[0])
                                       : draw();
        columns[i + std::size_t(j) * n] = rows[j + std::size_t(i) * p] = q;
        const double zero = per_feature ? zeros[j] : zeros[0];
        const double scale = static_cast<double>(per_feature ? scales[j] : scales[0]);
        dense[i + std::size_t(j) * n] = static_cast<T>((q - zero) * scale);  // in double, rounded once more for float
      }
  }
  DenseDesign<T> as_dense() const { return {dense.data(), samples, features}; }
  QuantisedDesign<T, Integer> by_columns() const { return {columns.data(), samples, features, meaning}; }
  QuantisedDesign<T, Integer> by_rows() const {
    return {rows.data(), samples, features, meaning, QuantisedLayout::by_rows(features)};
  }
};

template <class Pair>
class Quantised : public ::testing::Test {};
using Pairs = ::testing::Types<std::pair<float, std::uint8_t>, std::pair<float, std::int16_t>,
                               std::pair<float, std::uint16_t>, std::pair<double, std::int8_t>>;
TYPED_TEST_SUITE(Quantised, Pairs);

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

TYPED_TEST(Quantised, ValuesAreTheScaledIntegers) {
  using T = typename TypeParam::first_type;
  using Integer = typename TypeParam::second_type;
  for (const bool per_feature : {false, true}) {
    const Example<T, Integer> e(50, 7, per_feature, 5);
    for (const auto& design : {e.by_columns(), e.by_rows()}) {
      std::vector<Index> length(50), end(50), features(350);
      std::vector<T> column(50), values(350);
      design.count_entries(length.data());
      Index total = 0;
      for (Index i = 0; i < 50; ++i) {
        end[i] = total;
        total += length[i];
      }
      design.gather(0, 50, end.data(), features.data(), values.data());
      for (Index j = 0; j < 7; ++j) {
        design.gather(j, nullptr, 50, column.data(), 1);
        EXPECT_EQ(design.column_sum(j), e.as_dense().column_sum(j));
        for (Index i = 0; i < 50; ++i) {
          ASSERT_EQ(design(i, j), e.as_dense()(i, j)) << i << " " << j;
          ASSERT_EQ(column[i], e.as_dense()(i, j));
        }
      }
      for (Index i = 0; i < 50; ++i) {
        Index at = end[i] - length[i];
        for (Index j = 0; j < 7; ++j) {
          if (e.as_dense()(i, j) == T(0)) continue;
          ASSERT_EQ(features[at], j);
          ASSERT_EQ(values[at++], e.as_dense()(i, j));
        }
        ASSERT_EQ(at, end[i]);
      }
      EXPECT_LT(total, 350u) << "there are zeros";
      EXPECT_EQ(design.entries(nullptr, 7), 350u);
    }
  }
}

TYPED_TEST(Quantised, ProductsHaveTheBitsOfTheDenseDesign) {
  using T = typename TypeParam::first_type;
  using Integer = typename TypeParam::second_type;
  // On both sides of the edges of tiles, strips and blocks.
  for (const Index classes : {2u, 5u, 10u, 26u, 29u, 50u})
    for (const Index samples : {1u, 3u, 17u, 64u, 257u, 600u})
      for (const Index features : {1u, 5u, 13u, 33u, 70u}) {
        const Example<T, Integer> e(samples, features, classes % 2, samples * 31 + features);
        const Index stride = padded<T>(classes);
        Generator generator(classes);
        const auto matrix = [&](Index rows) {
          std::vector<T> out(std::size_t(rows) * stride);
          for (Index i = 0; i < rows; ++i)
            for (Index k = 0; k < classes; ++k) out[i * stride + k] = T(generator.uniform());
          return out;
        };
        const auto w = matrix(features + 1), u = matrix(samples);
        const T* base = &w[std::size_t(features) * stride];
        std::vector<Index> some;
        for (Index j = 0; j < features; j += 1 + j % 3) some.push_back(j);
        for (const bool all : {true, false}) {
          const Index* list = all ? nullptr : some.data();
          const Index count = all ? features : Index(some.size());
          std::vector<T> z(std::size_t(samples) * stride), g(std::size_t(features) * stride, T(7));
          e.as_dense().multiply(list, count, w.data(), stride, base, z.data());
          e.as_dense().transposed_multiply(list, count, u.data(), stride, g.data());
          for (const auto& design : {e.by_columns(), e.by_rows()}) {
            std::vector<T> zq(z.size(), T(3)), gq(g.size(), T(7));
            design.multiply(list, count, w.data(), stride, base, zq.data());
            design.transposed_multiply(list, count, u.data(), stride, gq.data());
            ASSERT_TRUE(same_bits(z, zq)) << classes << " " << samples << " " << features;
            ASSERT_TRUE(same_bits(g, gq)) << classes << " " << samples << " " << features;
          }
        }
      }
}

TYPED_TEST(Quantised, WideVectorsGiveTheSameBits) {
  using T = typename TypeParam::first_type;
  if (!has_wide_vectors()) GTEST_SKIP() << "this processor has none (AVX2)";
  Generator generator(9);
  for (const Index vectors : {1u, 2u, 3u, 5u, 6u, 7u, 13u}) {
    const Index stride = vectors * lanes<T>;
    std::vector<T> a(13 * 20), b(20 * stride), out[2];
    for (auto* matrix : {&a, &b})
      for (T& x : *matrix) x = T(generator.uniform());
    for (const bool wide : {false, true}) {
      out[wide].assign(13 * stride, T(0.25));
      if (wide) {
        detail::add_products_wide<T, true>(a.data(), 20, 13, nullptr, 20, b.data(), stride, stride, out[1].data(),
                                           stride);
        continue;
      }
      for (Index r = 0; r < 13; ++r)
        for (Index k = 0; k < stride; k += lanes<T>)
          detail::add_products_tile<Simd<T>, true, 1, 1>(&a[r * 20], 20, nullptr, 20, &b[k], stride,
                                                         &out[0][r * stride + k], stride);
    }
    EXPECT_TRUE(same_bits(out[0], out[1])) << vectors;
  }
}

/// A problem of 90 samples with 70 features (more than a working set begins with); the first five tell the class.
template <class T, class Integer>
struct Problem : Example<T, Integer> {
  std::vector<Label> labels;
  Problem() : Example<T, Integer>(90, 70, true, 77), labels(90) {
    for (Index i = 0; i < 90; ++i)
      for (Index j = 0; j < 5; ++j)
        if (q(i, j) > q(i, labels[i])) labels[i] = static_cast<Label>(j);
  }
  Integer q(Index i, Index j) const { return this->columns[i + 90 * j]; }
  Targets<T> targets() const { return {labels, 5}; }
};

template <class T>
void expect_same(const tamis::testing::Run<T>& a, const tamis::testing::Run<T>& b) {
  ASSERT_TRUE(has_model(a.fit.status)) << name(a.fit.status);
  EXPECT_EQ(a.fit.status, b.fit.status);
  EXPECT_EQ(a.fit.iterations, b.fit.iterations);
  EXPECT_EQ(a.fit.objective, b.fit.objective);
  EXPECT_EQ(a.fit.gap, b.fit.gap);
  EXPECT_EQ(a.fit.epochs, b.fit.epochs);
  EXPECT_GT(a.fit.nonzeros, 0u);
  EXPECT_TRUE(same_bits(a.coefficients(), b.coefficients()));
}

template <template <class, class, class, class> class Solver, class T, class Integer, class Loss, class Penalty>
void expect_same_training(Loss loss, Penalty penalty, Options<T> options) {
  const Problem<T, Integer> p;
  options.tolerance = T(1e-3);
  options.max_iterations = 3000;
  const auto dense =
      tamis::testing::run<Solver<T, Loss, Penalty, DenseDesign<T>>>(p.as_dense(), p.targets(), loss, penalty, options);
  using Design = QuantisedDesign<T, Integer>;
  expect_same(dense, tamis::testing::run<Solver<T, Loss, Penalty, Design>>(p.by_columns(), p.targets(), loss, penalty,
                                                                           options));
  expect_same(dense,
              tamis::testing::run<Solver<T, Loss, Penalty, Design>>(p.by_rows(), p.targets(), loss, penalty, options));
}

TYPED_TEST(Quantised, SolversGiveTheBitsOfTheDenseDesign) {
  using T = typename TypeParam::first_type;
  using Integer = typename TypeParam::second_type;
  expect_same_training<PrimalDual, T, Integer>(Hinge{}, L1{}, {.lambda = T(0.02)});
  expect_same_training<Fista, T, Integer>(SquaredHinge{}, GroupL2{}, {.lambda = T(0.05)});
  expect_same_training<CrammerSingerDual, T, Integer>(Hinge{}, Ridge{}, {.lambda = T(0.05)});
  expect_same_training<CrammerSingerDual, T, Integer>(Hinge{}, GroupL2{}, {.lambda = T(0.05)});
  expect_same_training<CrammerSingerDual, T, Integer>(Hinge{}, ElasticNet<T>{}, {.lambda = T(0.05)});
  expect_same_training<ConstrainedPrimalDual, T, Integer>(Hinge{}, L1{}, {.eta = T(0.5)});
}

TEST(QuantisedDesign, AllSolversThatAreChosenAtRunTimeTakeIt) {
  const Problem<float, std::int16_t> p;
  const auto dense = p.as_dense();
  const auto quantised = p.by_rows();
  using Training = core::Training<float>;
  for (const LossKind loss : {LossKind::hinge, LossKind::squared_hinge, LossKind::logistic})
    for (const PenaltyKind penalty : {PenaltyKind::l1, PenaltyKind::group_linf, PenaltyKind::ridge}) {
      const bool smooth = loss != LossKind::hinge;
      const ProblemSpec choice{loss, penalty, {}, smooth ? SolverKind::fista : SolverKind::automatic};
      const auto bytes = Training::requirement(choice, {90, 70, 5}, {.entries = 6300, .active_limit = 60}).bytes;
      std::vector<float> coefficients[2];
      Report<float> reports[2];
      for (const bool small : {false, true}) {
        tamis::testing::GuardedMemory memory(bytes);
        Training training(choice, small ? AnyDesign<float>(quantised) : AnyDesign<float>(dense), p.targets(),
                          {.lambda = 0.05f});
        for (training.start(memory.span()); training.step();) {
        }
        reports[small] = training.report();
        ASSERT_EQ(reports[small].status, Status::converged);
        const auto model = training.model();
        coefficients[small].assign(model.coefficients, model.coefficients + 71 * model.stride());
        EXPECT_TRUE(memory.surroundings_intact());
      }
      EXPECT_TRUE(same_bits(coefficients[0], coefficients[1]));
      EXPECT_EQ(reports[0].gap, reports[1].gap);
      EXPECT_EQ(reports[0].iterations, reports[1].iterations);
    }
}

TEST(QuantisedDesign, AScaleThatIsNoNumberIsRefusedWithItsPlace) {
  const Problem<float, std::uint16_t> p;
  for (const float bad : {not_a_number<float>, infinity<float>, 3e38f}) {  // the last overflows for most integers
    auto scales = p.scales;
    scales[4] = bad;
    const std::vector<std::uint16_t> zeros(70, 0);
    const QuantisedDesign<float, std::uint16_t> design(p.columns.data(), 90, 70,
                                                       {.scales = scales.data(), .zeros = zeros.data()});
    using Training = tamis::Training<float, Hinge, L1, QuantisedDesign<float, std::uint16_t>>;
    tamis::testing::GuardedMemory memory(Training::bytes({90, 70, 5}));
    const auto fit = Training({.lambda = 0.02f}).run(design, p.targets(), memory.span());
    EXPECT_EQ(fit.status, Status::invalid_data);
    EXPECT_EQ(fit.column, 4u);
    for (Index i = 0; i < fit.row; ++i) EXPECT_TRUE(finite(design(i, 4)));
    EXPECT_FALSE(finite(design(fit.row, 4)));
    EXPECT_TRUE(memory.untouched());
  }
}

TYPED_TEST(Quantised, IntegersAreStandardisedByWhatTheyStandFor) {
  using T = typename TypeParam::first_type;
  using Integer = typename TypeParam::second_type;
  Example<T, Integer> e(301, 4, true, 8);
  for (Index i = 0; i < 301; ++i) e.columns[i + 3 * 301] = e.rows[3 + 4 * i] = std::numeric_limits<Integer>::max();
  for (const bool by_rows : {false, true}) {
    const auto layout = by_rows ? QuantisedLayout::by_rows(4) : QuantisedLayout::by_columns(301);
    const auto& values = by_rows ? e.rows : e.columns;
    std::vector<T> scales(4);
    std::vector<Integer> zeros(4);
    standardise_integers(values.data(), 301, 4, layout, scales.data(), zeros.data());
    const QuantisedDesign<T, Integer> design(values.data(), 301, 4, {.scales = scales.data(), .zeros = zeros.data()},
                                             layout);
    for (Index j = 0; j < 4; ++j) {
      double sum = 0, square = 0;
      for (Index i = 0; i < 301; ++i) sum += static_cast<double>(design(i, j));
      for (Index i = 0; i < 301; ++i) square += std::pow(static_cast<double>(design(i, j)) - sum / 301, 2);
      if (j == 3) {
        EXPECT_EQ(scales[j], T(1)) << "constant";
        EXPECT_EQ(sum, 0);
        continue;
      }
      EXPECT_NEAR(square / 301, 1, 1e-5);
      EXPECT_LE(std::abs(sum / 301), 0.5001 * static_cast<double>(scales[j])) << "to half a unit";
    }
  }
}

TYPED_TEST(Quantised, NoSamplesHaveScaleOne) {
  using T = typename TypeParam::first_type;
  using Integer = typename TypeParam::second_type;
  std::vector<T> scales(3, T(7));
  std::vector<Integer> zeros(3, Integer(7));
  standardise_integers(static_cast<const Integer*>(nullptr), 0, 3, QuantisedLayout::by_rows(3), scales.data(),
                       zeros.data());
  EXPECT_EQ(scales, std::vector<T>(3, T(1)));
  EXPECT_EQ(zeros, std::vector<Integer>(3, Integer(0)));
}

TYPED_TEST(Quantised, ReadingsOfIntegersHaveTheClassOfWhatTheyStandFor) {
  using T = typename TypeParam::first_type;
  using Integer = typename TypeParam::second_type;
  for (const Index classes : {2, 4, 11})
    for (const bool per_feature : {false, true}) {
      const Example<T, Integer> e(60, 9, per_feature, classes);
      Generator generator(classes);
      std::vector<T> w(10 * padded<T>(classes));
      for (T& entry : w) entry = static_cast<T>(generator.uniform());
      const LinearModel<T> model{w.data(), 9, classes};
      std::vector<Index> seen(classes);
      for (Index i = 0; i < 60; ++i) {
        T x[9];
        e.by_rows().sample(i, x);
        const Label label = predict(model, &e.rows[i * 9], e.meaning);
        EXPECT_EQ(label, model.predict(x));
        ++seen[label];
      }
      EXPECT_LT(*std::max_element(seen.begin(), seen.end()), 60u) << "not always the same class";
      EXPECT_EQ(predict(LinearModel<T>{}, e.rows.data(), e.meaning), no_label);
    }
}

TEST(Scalars, IntegersOf64BitsBecomeTheNearestFloat) {
  std::vector<std::uint64_t> numbers{0, 1, 0xffffffffu, 0x100000000u, ~std::uint64_t(0)};
  for (int top = 23; top < 63; ++top)
    for (const std::uint64_t rest : {0u, 1u, 2u, 3u, 5u, 6u, 7u})
      for (int low = 0; low <= top; ++low) numbers.push_back((std::uint64_t(1) << top) + (rest << low >> 1));
  Generator generator(3);
  for (int i = 0; i < 1000; ++i) {
    std::uint64_t number = 0;
    for (int byte = 0; byte < 8; ++byte) number = number << 8 | generator.draw(256);
    numbers.push_back(number >> i % 64);
  }
  for (const std::uint64_t number : numbers) {
    EXPECT_EQ(from_integer<float>(number), static_cast<float>(number)) << number;
    EXPECT_EQ(from_integer<double>(number), static_cast<double>(number)) << number;
    const auto negative = static_cast<std::int64_t>(~number);
    EXPECT_EQ(from_integer<float>(negative), static_cast<float>(negative)) << negative;
  }
}

TYPED_TEST(Quantised, NumbersAreRoundedToHalfAUnit) {
  using T = typename TypeParam::first_type;
  using Integer = typename TypeParam::second_type;
  Generator generator(4);
  for (const auto& [low, high] : {std::pair{-3.0, 5.0}, {2.0, 9.0}, {-7.0, -1.0}, {-1e-3, 1e-3}, {0.0, 0.0}}) {
    std::vector<T> x(2 * 50);
    std::vector<Integer> q(2 * 50, Integer(1));
    for (Index i = 0; i < 50; ++i) x[2 * i] = T(low + (high - low) * (generator.uniform() + 1) / 2);
    x[0] = T(low);
    x[2] = T(high);
    x[4] = T(0);
    const auto column = quantise_column(x.data(), 50, q.data(), 2);
    const double spread = std::max(high, 0.0) - std::min(low, 0.0);
    EXPECT_LE(static_cast<double>(column.scale), spread > 0 ? spread / (1 << (8 * sizeof(Integer) - 1)) * 1.02 : 1)
        << "as finely as the integers allow, to a factor of two where they have a sign";
    for (Index i = 0; i < 50; ++i) {
      const T value = Quantisation<T, Integer>::value(q[2 * i], column.zero, column.scale);
      EXPECT_NEAR(static_cast<double>(value), static_cast<double>(x[2 * i]), 0.502 * static_cast<double>(column.scale));
      EXPECT_EQ(q[2 * i + 1], Integer(1)) << "what is between stays";
    }
    EXPECT_EQ((Quantisation<T, Integer>::value(q[4], column.zero, column.scale)), T(0)) << "zero stays zero";
  }
}

TEST(QuantisedDesign, StackIsBounded) {  // that of profiles for size by tests/profiles/answers.cpp
  EXPECT_LE((QuantisedDesign<double, std::int16_t>::stack_bytes), 8192u);
}

}  // namespace
