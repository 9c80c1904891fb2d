// The terms of a model with interactions: their order, their scores against those of the matrices, and as C.
#include "tamis/model/interaction_terms.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/problems.hpp"
#include "tamis/model/export_interactions_c.hpp"

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

template <class T>
std::string exported(const Taken<T>& taken, const ExportOptions<T>& options, const T* centres = nullptr) {
  std::vector<Index> positions(taken.terms.features);
  std::string text(export_interactions_c<T>(taken.terms, options, positions, {}, centres), '\0');
  EXPECT_EQ(export_interactions_c<T>(taken.terms, options, positions, std::span<char>(text), centres), text.size());
  return text;
}

const std::string as_c = std::string(TAMIS_TEST_COMPILER) + " -x c -std=c99";
const std::string as_cpp = std::string(TAMIS_TEST_COMPILER) + " -x c++ -std=c++17";

/// Prints the scores of samples that it reads as numbers, after a self-test.
const char* const program = R"(#include <stdio.h>
#include "exported.h"
#include "exported.h"
int main(void) {
  SCALAR sample[EXPORTED_FEATURES], scores[EXPORTED_CLASSES];
  double number;
  int j = 0;
  if (exported_self_test() != 0) return 10 + exported_self_test();
  while (scanf("%lf", &number) == 1) {
    sample[j++] = (SCALAR)number;
    if (j < EXPORTED_FEATURES) continue;
    exported_scores(sample, scores);
    for (j = 0; j < EXPORTED_CLASSES; ++j) printf("%.17g ", (double)scores[j]);
#ifdef VALUE
    printf("%.17g\n", (double)exported_value(sample));
#else
    printf("%d\n", exported_predict(sample));
#endif
    j = 0;
  }
  return 0;
}
)";

/// A folder with exported.h, the program that uses it, and samples.
struct Workshop {
  std::filesystem::path folder;

  Workshop() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tamis-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
    std::ofstream(folder / "use.c") << program;
  }
  ~Workshop() { std::filesystem::remove_all(folder); }

  bool compile(const std::string& header, bool single, bool regression, const std::string& compiler) const {
    std::ofstream(folder / "exported.h") << header;
    return std::system((compiler + " -Wall -Wextra -Werror -pedantic -O1 " + (regression ? "-DVALUE " : "") +
                        (single ? "-DSCALAR=float " : "-DSCALAR=double ") + (folder / "use.c").string() + " -o " +
                        (folder / "use").string())
                           .c_str()) == 0;
  }
  int run(const std::string& samples, std::string& output) const {
    std::ofstream(folder / "in") << samples;
    const int code = std::system(
        ((folder / "use").string() + " < " + (folder / "in").string() + " > " + (folder / "out").string()).c_str());
    std::ifstream in(folder / "out");
    output.assign(std::istreambuf_iterator<char>(in), {});
    return code;
  }
};

/// The exported C of a made model gives its scores, as C99 and as C++.
template <class T>
void expect_same_in_c(Index p, Index K, std::uint32_t seed, bool centred = false) {
  const Matrices<T> made(p, K, seed);
  const auto model = made.model();
  const Taken<T> taken(model);
  Generator generator(seed + 1);
  std::vector<T> samples(3 * p), centres(p);
  for (T& x : samples) x = T(generator.uniform());
  for (T& x : centres) x = centred ? T(generator.uniform()) : T(0);
  const std::string header = exported<T>(taken, {.name = "exported", .samples = samples.data(), .sample_count = 3},
                                         centred ? centres.data() : nullptr);
  std::string text;
  for (const T x : samples) {
    char number[40];
    std::snprintf(number, sizeof number, "%.17g\n", double(x));
    text += number;
  }
  const Workshop workshop;
  for (const std::string& compiler : {as_c, as_cpp}) {
    ASSERT_TRUE(workshop.compile(header, sizeof(T) == 4, K == 1, compiler)) << compiler << p << ' ' << K;
    std::string output;
    ASSERT_EQ(workshop.run(text, output), 0) << p << ' ' << K;
    std::istringstream lines(output);
    for (Index i = 0; i < 3; ++i) {
      std::vector<T> x(samples.begin() + i * p, samples.begin() + (i + 1) * p);
      for (Index j = 0; j < p; ++j) x[j] -= centres[j];
      double number = 0;
      for (Index k = 0; k < K; ++k) {
        lines >> number;
        EXPECT_EQ(T(number), taken.terms.score(x.data(), 1, k));
      }
      if (K == 1) {
        lines >> number;
        EXPECT_EQ(T(number), taken.terms.score(x.data()));
      } else {
        lines >> number;
        EXPECT_EQ(number, taken.terms.predict(x.data()));
      }
    }
    EXPECT_FALSE(lines.fail());
  }
  std::string damaged = header;
  const auto first = damaged.find("0x1", damaged.find("_main_effects["));
  damaged.insert(first, damaged[first - 1] == '-' ? " -" : "-");
  ASSERT_TRUE(workshop.compile(damaged, sizeof(T) == 4, K == 1, as_c));
  std::string output;
  EXPECT_NE(workshop.run(text, output), 0) << "the self-test bites";
}

TEST(ExportedInteractions, GiveTheScoresOfTheTerms) {
  expect_same_in_c<float>(6, 1, 5);
  expect_same_in_c<double>(6, 3, 7);
  expect_same_in_c<float>(6, 3, 8, true);
  expect_same_in_c<double>(40, 2, 9, true);
  expect_same_in_c<float>(300, 1, 11);  // positions and ends that do not fit in a byte
}

TEST(ExportedInteractions, CompileWithoutTermsToo) {
  const double intercepts[] = {0.5, -0.5}, centres[] = {1, 2};
  Matrices<double> none(2, 2, 1);
  std::fill(none.coefficients.begin(), none.coefficients.end(), 0.0);
  none.intercepts = {0.5, -0.5};
  const auto model = none.model();
  const Taken<double> empty(model);
  const Workshop workshop;
  for (const double* from : {static_cast<const double*>(nullptr), centres}) {
    std::string output;
    ASSERT_TRUE(workshop.compile(exported<double>(empty, {.name = "exported"}, from), false, false, as_c));
    EXPECT_EQ(workshop.run("3 4", output), 0);
    EXPECT_EQ(output, "0.5 -0.5 0\n");
  }
  // Of four classes and one feature, of which compilers see that nothing sets what is kept.
  const double four[] = {1, 2, 3, 4};
  Taken<double> nothing(model);
  nothing.terms = {{}, four, 1, 4};
  ASSERT_TRUE(workshop.compile(exported<double>(nothing, {.name = "exported"}), false, false, as_c));
  const InteractionTerm<double> list[] = {{0, 1, 1, 2.0}};
  Taken<double> square(model);
  square.terms = {list, intercepts, 2, 1};
  std::string output;
  ASSERT_TRUE(workshop.compile(exported<double>(square, {.name = "exported"}), false, true, as_c));
  EXPECT_EQ(workshop.run("3 4", output), 0);
  EXPECT_EQ(output, "32.5 32.5\n");
}

TEST(ExportedInteractions, CountBeforeTheyWriteAndNeedTheirScratch) {
  const Matrices<float> made(5, 2, 3);
  const auto model = made.model();
  const Taken<float> taken(model);
  const char* const names[] = {"a */ \"b\"", "b", "c", "d", "e"};
  const std::string whole = exported<float>(taken, {.feature_names = names});
  EXPECT_NE(whole.find("a *_ _b_"), std::string::npos) << "no name ends a comment";
  std::vector<Index> positions(5);
  std::string half(whole.size() / 2, '?');
  EXPECT_EQ(export_interactions_c<float>(taken.terms, {.feature_names = names}, positions, std::span<char>(half)),
            whole.size());
  EXPECT_EQ(half, whole.substr(0, half.size()));
  EXPECT_EQ(export_interactions_c<float>(taken.terms, {}, std::span(positions).first(4), std::span<char>(half)), 0u);
  EXPECT_EQ(half, whole.substr(0, half.size()));
}

}  // namespace
}  // namespace tamis
