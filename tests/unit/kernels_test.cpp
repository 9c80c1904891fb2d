// Kernel functions against their formulas in wider types, matrices of them, and models that keep few samples.
#include "tamis/features/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tamis/model/export_kernels_c.hpp"

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
  EXPECT_FALSE(fill_kernel_matrix(
      [](SampleView<double> x, SampleView<double> z) { return x[0] > 2 && z[0] < 2 ? not_a_number<double> : 0.0; },
      samples, matrix.data(), bad));
  EXPECT_EQ(bad.row, 2u);
  EXPECT_EQ(bad.column, 0u);
}

/// Random coefficients, most of them zero, of all kernels and the histograms; and what is kept of them.
template <class T>
struct MadeExpansion {
  std::vector<T> values = histograms<T>(), coefficients, intercepts;
  std::vector<Kernel<T>> functions = kernels<T>();
  KernelCoefficients<T> alpha;
  SampleTable<T> training{values.data(), n, p, p, 1};
  std::vector<std::byte> room;
  KernelExpansion<T> kept;

  explicit MadeExpansion(Index outputs, unsigned one_in = 6) {
    std::mt19937 generator(outputs);
    const auto number = [&] { return static_cast<T>(static_cast<int>(generator() % 201) - 100) / T(64); };
    const auto tau = static_cast<Index>(functions.size());
    const Index stride = padded<T>(outputs);
    coefficients.assign(std::size_t{n} * tau * stride, T(0));
    for (Index e = 0; e < n * tau; ++e)
      for (Index k = 0; k < outputs; ++k)
        if (one_in && e / n != 2 && generator() % one_in == 0)
          coefficients[e * stride + k] = number();  // 2 is not kept
    for (Index k = 0; k < outputs; ++k) intercepts.push_back(number());
    alpha = {coefficients.data(), intercepts.data(), n, tau, outputs};
    const std::size_t needed = kept_requirement<T>(count_kept<T>(alpha, functions), p, outputs).bytes;
    room.resize(needed + 32);
    EXPECT_FALSE(take_kept<T>(alpha, functions, training, memory(needed - 1), kept));
    EXPECT_TRUE(kept.terms.empty());
    EXPECT_TRUE(take_kept<T>(alpha, functions, training, memory(needed), kept));
  }
  std::span<std::byte> memory(std::size_t bytes) {
    std::byte* from = room.data();
    while (reinterpret_cast<std::uintptr_t>(from) % Arena::alignment) ++from;
    return {from, bytes};
  }
};

template <class T>
void expect_same_scores(Index outputs) {
  MadeExpansion<T> made(outputs);
  const auto& kept = made.kept;
  EXPECT_LT(kept.samples.samples, n + 1);
  EXPECT_EQ(kept.classes(), outputs == 1 ? 2 : outputs);
  std::size_t terms = 0, used = 0;
  for (Index t = 0; t + 1 < made.functions.size(); ++t) {  // without the constant
    const std::size_t before = terms;
    for (Index l = 0; l < n; ++l) terms += made.alpha.uses(l, t);
    used += terms > before;
  }
  EXPECT_EQ(kept.kernels.size(), used);
  EXPECT_EQ(kept.terms.size(), terms);
  EXPECT_EQ(kept.steps(), terms * (p + outputs));
  for (Index s = 0; s < kept.samples.samples; ++s)
    for (Index j = 0; j < p; ++j) EXPECT_EQ(kept.samples[s][j], made.training[kept.origins[s]][j]);
  std::vector<T> x{T(0.5), T(0), T(0.25), T(1), T(0.125)}, scores(outputs);
  const Label label = kept.predict({x.data(), p, 1}, scores.data());
  Label best = 0;
  for (Index k = 0; k < outputs; ++k) {
    long double exact = made.intercepts[k], size = 1;
    for (Index t = 0; t < made.functions.size(); ++t)
      for (Index l = 0; l < n; ++l) {
        const long double part = made.alpha(l, t, k) * made.functions[t](made.training[l], {x.data(), p, 1});
        exact += part;
        size += std::abs(part);
      }
    EXPECT_NEAR(static_cast<double>(scores[k]), static_cast<double>(exact),
                static_cast<double>(size) * 8 * static_cast<double>(epsilon<T>));
    if (scores[k] > scores[best]) best = static_cast<Label>(k);
  }
  EXPECT_EQ(label, outputs == 1 ? scores[0] > 0 : best);
}

TEST(KernelExpansions, GiveTheScoresOfAllCoefficients) {
  for (const Index outputs : {1u, 2u, 3u, 5u}) {
    expect_same_scores<float>(outputs);
    expect_same_scores<double>(outputs);
  }
}

TEST(KernelExpansions, MayKeepNothing) {
  MadeExpansion<double> made(3, 0);
  EXPECT_EQ(made.kept.terms.size() + made.kept.kernels.size() + made.kept.samples.samples, 0u);
  double scores[3];
  made.kept.predict(made.training[0], scores);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(scores[k], made.intercepts[static_cast<std::size_t>(k)]);
  EXPECT_EQ(made.kept.bytes(), 3 * sizeof(double));
}

// Any trivial function can be kept, with its state.
TEST(KernelExpansions, KeepFunctionsOfOnesOwn) {
  struct Shifted {
    double shift;
    double operator()(SampleView<double> x, SampleView<double> z) const { return x[0] * z[0] + shift; }
  };
  const Shifted functions[] = {{1}, {10}};
  const double values[] = {1, 2, 3}, alpha[] = {0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0};
  alignas(16) std::byte memory[256];
  KernelExpansion<double, Shifted> kept;
  ASSERT_TRUE((take_kept<double, Shifted>({alpha, nullptr, 3, 2, 1}, functions, {values, 3, 1, 1, 1}, memory, kept)));
  EXPECT_EQ(kept.samples.samples, 1u);
  const double x = 5;
  double score;
  EXPECT_EQ(kept.predict({&x, 1, 1}, &score), 1);
  EXPECT_EQ(score, 2 * (2 * 5 + 10));
}

// ---- C --------------------------------------------------------------------------------------------------------------

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
    printf("%d\n", exported_predict(sample));
    j = 0;
  }
  return 0;
}
)";

struct Workshop {
  std::filesystem::path folder;

  Workshop() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tamis-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
    std::ofstream(folder / "use.c") << program;
  }
  ~Workshop() { std::filesystem::remove_all(folder); }

  bool compile(const std::string& header, bool single, const std::string& language) const {
    std::ofstream(folder / "exported.h") << header;
    return std::system((std::string(TAMIS_TEST_COMPILER) + " -x " + language +
                        " -Wall -Wextra -Werror -pedantic -O1 -DSCALAR=" + (single ? "float " : "double ") +
                        (folder / "use.c").string() + " -o " + (folder / "use").string() + " -lm")
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

template <class T>
std::string exported(const KernelExpansion<T>& kept, const ExportOptions<T>& options, const ColumnScale<T>* columns) {
  std::vector<T> scratch(kept.samples.features + kept.outputs);
  std::string text(export_kernels_c<T>(kept, options, scratch, {}, columns), '\0');
  EXPECT_EQ(export_kernels_c<T>(kept, options, scratch, text, columns), text.size());
  return text;
}

template <class T>
void expect_same_in_c(Index outputs, bool scaled) {
  MadeExpansion<T> made(outputs);
  std::vector<ColumnScale<T>> columns;
  for (Index j = 0; j < p; ++j) columns.push_back({T(-1) * T(j), T(2)});  // x ≥ 0 stays so
  const ColumnScale<T>* by = scaled ? columns.data() : nullptr;
  const std::string header =
      exported<T>(made.kept, {.name = "exported", .samples = made.values.data(), .sample_count = 3}, by);
  std::string text;
  for (Index e = 0; e < 4 * p; ++e) text += std::to_string(made.values[e]) + "\n";
  const Workshop workshop;
  for (const char* language : {"c -std=c99", "c++ -std=c++17"}) {
    ASSERT_TRUE(workshop.compile(header, sizeof(T) == 4, language));
    std::string output;
    ASSERT_EQ(workshop.run(text, output), 0);
    std::istringstream lines(output);
    for (Index i = 0; i < 4; ++i) {
      std::vector<T> x, scores(outputs);
      for (Index j = 0; j < p; ++j)
        x.push_back(scaled ? (made.training[i][j] - columns[j].mean) / columns[j].scale : made.training[i][j]);
      const Label label = made.kept.predict({x.data(), p, 1}, scores.data());
      if (outputs == 1) scores.insert(scores.begin(), -scores[0]);
      double number;
      for (const T score : scores) {
        lines >> number;
        EXPECT_NEAR(number, static_cast<double>(score), 500 * static_cast<double>(epsilon<T>));
      }
      lines >> number;
      EXPECT_EQ(number, label);
    }
    EXPECT_FALSE(lines.fail());
  }
  std::string output;
  for (const char* what : {"_coefficients_3[", "_intercepts["}) {
    std::string damaged = header;
    const auto first = damaged.find("0x1", damaged.find(what, damaged.find(what) + (what[1] == 'c' ? 0 : 1)));
    damaged.insert(first, damaged[first - 1] == '-' ? " -" : "-");
    ASSERT_TRUE(workshop.compile(damaged, sizeof(T) == 4, "c -std=c99"));
    EXPECT_NE(workshop.run(text, output), 0) << "the self-test bites";
  }
}

TEST(ExportedKernels, GiveTheScoresOfTheExpansion) {
  expect_same_in_c<float>(1, false);
  expect_same_in_c<double>(1, true);
  expect_same_in_c<float>(3, true);
  expect_same_in_c<double>(4, false);
}

TEST(ExportedKernels, CompileWithoutTermsAndCountBeforeTheyWrite) {
  MadeExpansion<float> none(1, 0);
  const std::vector<ColumnScale<float>> columns(p);
  const Workshop workshop;
  for (const ColumnScale<float>* by : {static_cast<const ColumnScale<float>*>(nullptr), columns.data()}) {
    std::string output;
    ASSERT_TRUE(workshop.compile(exported<float>(none.kept, {.name = "exported"}, by), true, "c -std=c99"));
    EXPECT_EQ(workshop.run("1 2 3 4 5", output), 0);
    EXPECT_EQ(output.back(), '\n');
  }
  // A kernel that no term is of, as in a model of two kernels of which one was not needed.
  MadeExpansion<float> unused(2, 0);
  const Kernel<float> kernels[] = {{}, {KernelKind::gaussian, 1}};
  unused.kept.kernels = kernels;
  std::string output;
  ASSERT_TRUE(workshop.compile(exported<float>(unused.kept, {.name = "exported"}, nullptr), true, "c -std=c99"));
  EXPECT_EQ(workshop.run("1 2 3 4 5", output), 0);

  MadeExpansion<float> made(2);
  const char* const names[] = {"a */ \"b\"", "b", "c", "d", "e"};
  const std::string whole = exported<float>(made.kept, {.feature_names = names}, nullptr);
  EXPECT_NE(whole.find("a *_ _b_"), std::string::npos) << "no name ends a comment";
  std::string half(whole.size() / 2, '!');
  std::vector<float> scratch(p + 2);
  EXPECT_EQ(export_kernels_c<float>(made.kept, {.feature_names = names}, scratch, half), whole.size());
  EXPECT_EQ(half, whole.substr(0, half.size()));
  EXPECT_EQ(export_kernels_c<float>(made.kept, {}, std::span(scratch).first(p + 1), half), 0u);
}

}  // namespace
