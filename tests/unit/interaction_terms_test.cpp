// The terms of a model with interactions: their order, and their scores against those of the matrices.
#include "tamis/model/interaction_terms.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/problems.hpp"

namespace tamis {
namespace {

using testing::Generator;

/// K matrices with many zeros.
template <class T>
struct Matrices {
  Index features, outputs;
  std::vector<T> coefficients, intercepts;

  Matrices(Index p, Index K, std::uint32_t seed) : features(p), outputs(K) {
    Generator generator(seed);
    const Index stride = padded<T>(p + 1);
    coefficients.assign(std::size_t{K} * p * stride, 0);
    for (std::size_t r = 0; r < std::size_t{K} * p; ++r)
      for (Index l = 0; l <= p; ++l)
        if (generator.draw(3) == 0) coefficients[r * stride + l] = T(generator.uniform());
    for (Index k = 0; k < K; ++k) intercepts.push_back(T(generator.uniform()));
  }
  InteractionModel<T> model() const { return {coefficients.data(), intercepts.data(), features, outputs}; }
};

template <class T>
struct Taken {
  std::vector<InteractionTerm<T>> list;
  InteractionTerms<T> terms;

  explicit Taken(const InteractionModel<T>& model) : list(count_terms(model)) {
    EXPECT_EQ(take_terms<T>(model, list), list.size());
    terms = {list, model.intercepts, model.features, model.outputs};
  }
};

template <class T>
void expect_same_scores(Index p, Index K, std::uint32_t seed) {
  const Matrices<T> made(p, K, seed);
  const auto model = made.model();
  const Taken<T> taken(model);
  Generator generator(seed + 1);
  constexpr std::size_t step = 3;
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<T> x(p * step), packed(p), scores(K);
    for (T& entry : x) entry = T(generator.uniform());
    for (Index j = 0; j < p; ++j) packed[j] = x[j * step];
    taken.terms.scores(x.data(), scores.data(), step);
    Label best = 0;
    for (Index k = 0; k < K; ++k) {
      EXPECT_NEAR(scores[k], model.score(x.data(), step, k), T(p * p) * 4 * epsilon<T>);
      EXPECT_EQ(scores[k], taken.terms.score(packed.data(), 1, k));
      if (scores[k] > scores[best]) best = static_cast<Label>(k);
    }
    EXPECT_EQ(taken.terms.predict(packed.data()), best);
    EXPECT_EQ(taken.terms.predict(x.data(), step), best);
  }
}

TEST(InteractionTerms, GiveTheScoresOfTheMatrices) {
  for (const Index p : {1u, 2u, 7u, 20u})
    for (const Index K : {1u, 2u, 5u}) {
      expect_same_scores<double>(p, K, 7 * p + K);
      expect_same_scores<float>(p, K, 7 * p + K);
    }
}

TEST(InteractionTerms, AreOrderedByOutputThenMainEffectsThenProducts) {
  const Matrices<double> made(9, 4, 3);
  const auto model = made.model();
  const Taken<double> taken(model);
  const auto before = [](const InteractionTerm<double>& a, const InteractionTerm<double>& b) {
    if (a.output != b.output) return a.output < b.output;
    if (a.is_product() != b.is_product()) return b.is_product();
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  };
  for (std::size_t t = 0; t < taken.list.size(); ++t) {
    const auto& term = taken.list[t];
    EXPECT_NE(term.coefficient, 0);
    if (term.is_product()) {
      EXPECT_LE(term.first, term.second);
      EXPECT_EQ(term.coefficient, model.pair(term.first, term.second, term.output));
    } else {
      EXPECT_EQ(term.coefficient, model.main_effect(term.first, term.output));
    }
    if (t) {
      EXPECT_TRUE(before(taken.list[t - 1], term));
    }
  }
  std::size_t total = 0;
  for (Index k = 0; k < 4; ++k) {
    for (const auto& term : taken.terms.of(k)) EXPECT_EQ(term.output, k);
    total += taken.terms.of(k).size();
  }
  EXPECT_EQ(total, taken.list.size());
}

// An output without terms is its intercept; a short span receives the first terms and the count of all.
TEST(InteractionTerms, TakeEmptyModelsAndShortSpans) {
  Matrices<double> made(3, 3, 5);
  const auto stride = padded<double>(4);
  std::fill(made.coefficients.begin() + 3 * stride, made.coefficients.begin() + 6 * stride, 0.0);
  const auto model = made.model();
  const Taken<double> taken(model);
  EXPECT_TRUE(taken.terms.of(1).empty());
  const double x[] = {1, 2, 3};
  double scores[3];
  taken.terms.scores(x, scores);
  EXPECT_EQ(scores[1], made.intercepts[1]);
  EXPECT_NEAR(scores[2], model.score(x, 1, 2), 1e-14);
  ASSERT_GT(taken.list.size(), 2u);
  std::vector<InteractionTerm<double>> few(3, {7, 7, 7, 7.0});
  EXPECT_EQ(take_terms<double>(model, std::span(few).first(2)), taken.list.size());
  EXPECT_EQ(few[1].coefficient, taken.list[1].coefficient);
  EXPECT_EQ(few[2].output, 7u);
  const InteractionModel<double> none;
  EXPECT_EQ(count_terms(none), 0u);
}

}  // namespace
}  // namespace tamis
