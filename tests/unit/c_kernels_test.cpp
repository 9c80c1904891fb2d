// Kernels in C: the same bits as C++, certified optima, every refusal with its status, its place and its sentence.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "core.hpp"
#include "support/problems.hpp"
#include "tamis/model/export_kernels_c.hpp"
#include "tamis/solver/kernel_admm.hpp"
#include "tamis_kernels.h"

namespace {

using tamis::Index;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;

constexpr Index samples = 30, features = 4;
constexpr std::uint32_t nowhere = TAMIS_KERNELS_NOWHERE;

// The functions of one scalar by plain names.
template <class T>
struct C;
#define TAMIS_TEST_C(T, S)                                                     \
  template <>                                                                  \
  struct C<T> {                                                                \
    using Kernel = tamis_kernel_##S;                                           \
    using Problem = tamis_kernels_problem_##S;                                 \
    using Run = tamis_kernels_##S;                                             \
    using Report = tamis_report_##S;                                           \
    using Model = tamis_kernels_model_##S;                                     \
    static constexpr auto default_problem = tamis_default_kernels_problem_##S; \
    static constexpr auto bytes = tamis_kernels_bytes_##S;                     \
    static constexpr auto train = tamis_kernels_train_##S;                     \
    static constexpr auto report_of = tamis_kernels_report_of_##S;             \
    static constexpr auto coefficients_of = tamis_kernels_coefficients_of_##S; \
    static constexpr auto model_bytes = tamis_kernels_model_bytes_##S;         \
    static constexpr auto model_of = tamis_kernels_model_of_##S;               \
    static constexpr auto scores = tamis_kernels_scores_##S;                   \
    static constexpr auto predict = tamis_kernels_predict_##S;                 \
  };
TAMIS_TEST_C(float, f32)
TAMIS_TEST_C(double, f64)

/// Samples in columns further apart than there are samples, and kernels that are not all positive definite.
template <class T>
struct Data {
  static constexpr Index stride = samples + 3;
  Index classes;
  Made<T> made;
  std::vector<T> values = std::vector<T>(std::size_t{features} * stride, tamis::not_a_number<T>);
  std::vector<typename C<T>::Kernel> kernels = {{TAMIS_KERNEL_LINEAR, 0, 0},
                                                {TAMIS_KERNEL_GAUSSIAN, T(0.7), 0},
                                                {TAMIS_KERNEL_SIGMOID, T(0.5), T(-1)},
                                                {TAMIS_KERNEL_CONSTANT, 0, 0}};

  explicit Data(Index K) : classes(K), made(samples, features, K, 21) {
    for (Index j = 0; j < features; ++j)
      for (Index i = 0; i < samples; ++i) values[i + j * stride] = made.values[i + j * samples];
  }
  typename C<T>::Problem problem() const {
    typename C<T>::Problem p;
    C<T>::default_problem(&p);
    p.lambda = T(0.05);
    p.tolerance = T(1e-3);
    p.p = 2;
    p.q = p.r = 1;
    p.samples = samples;
    p.features = features;
    p.classes = classes;
    p.kernel_count = static_cast<std::uint32_t>(kernels.size());
    p.column_stride = stride;
    p.values = values.data();
    p.kernels = kernels.data();
    p.labels = made.labels.data();
    return p;
  }

  std::vector<tamis::Kernel<T>> functions() const {
    std::vector<tamis::Kernel<T>> out;
    for (const auto& k : kernels) out.push_back({static_cast<tamis::KernelKind>(k.kind), k.a, k.b});
    return out;
  }
  tamis::SampleTable<T> table() const { return {values.data(), samples, features, 1, stride}; }
  std::vector<T> matrices() const {
    std::vector<T> out(kernels.size() * samples * samples);
    tamis::KernelPair bad;
    T* to = out.data();
    for (const auto& kernel : functions()) {
      EXPECT_TRUE(tamis::fill_kernel_matrix(kernel, table(), to, bad));
      to += samples * samples;
    }
    return out;
  }
};

/// A finished run.
template <class T>
struct Trained {
  typename C<T>::Run run{};
  GuardedMemory memory;

  explicit Trained(const typename C<T>::Problem& p) : memory(C<T>::bytes(&p)) {
    C<T>::train(&run, &p, memory.span().data(), memory.span().size(), nullptr, nullptr);
  }
  typename C<T>::Report report() const {
    typename C<T>::Report out;
    C<T>::report_of(&run, &out);
    return out;
  }
};

template <class T>
void expect_the_bits_of_cpp(Index classes, std::uint32_t form) {
  const Data<T> data(classes);
  const auto matrices = data.matrices();
  const auto functions = data.functions();
  for (std::uint32_t norm = 0; norm < 8; ++norm) {
    SCOPED_TRACE(norm);
    auto p = data.problem();
    p.form = form;
    p.p = 1 + norm % 2;
    p.q = 1 + norm / 2 % 2;
    p.r = 1 + norm / 4;
    p.intercept = norm % 3 == 0;
    Trained<T> trained(p);
    EXPECT_TRUE(trained.memory.surroundings_intact());

    const Index outputs = classes == 2 && form != TAMIS_KERNELS_MULTICLASS ? 1 : classes;
    const Index kernels = static_cast<Index>(functions.size());
    tamis::KernelAdmm<T> solver({matrices.data(), samples, samples * kernels}, data.made.labels, kernels, outputs,
                                {int(p.p), int(p.q), int(p.r)},
                                {.lambda = p.lambda, .tolerance = p.tolerance, .intercept = p.intercept != 0});
    GuardedMemory memory(tamis::KernelAdmm<T>::requirement({samples, samples * kernels, outputs}).bytes);
    solver.start(memory.span());
    while (solver.step()) {
    }
    const auto report = trained.report();
    ASSERT_EQ(report.status, std::uint32_t(TAMIS_CONVERGED));
    EXPECT_EQ(report.iterations, solver.report().iterations);
    EXPECT_EQ(report.objective, solver.report().objective);
    EXPECT_EQ(report.dual_objective, solver.report().dual_objective);
    EXPECT_EQ(report.nonzeros, solver.report().nonzeros);
    EXPECT_EQ(report.arena_bytes, trained.memory.span().size());
    EXPECT_EQ(report.arena_used_bytes, trained.memory.span().size());

    // All coefficients, and those of the same matrices given.
    const auto alpha = solver.model();
    std::vector<T> all(std::size_t{kernels} * samples * outputs), same(all.size()), b(outputs), again(outputs);
    EXPECT_EQ(C<T>::coefficients_of(&trained.run, all.data(), b.data()), outputs);
    p.kernels = nullptr;
    p.matrices = matrices.data();
    const Trained<T> given(p);
    EXPECT_EQ(C<T>::coefficients_of(&given.run, same.data(), again.data()), outputs);
    EXPECT_EQ(given.report().arena_bytes, memory.span().size());
    EXPECT_EQ(all, same);
    EXPECT_EQ(b, again);
    for (Index t = 0; t < kernels; ++t)
      for (Index l = 0; l < samples; ++l)
        for (Index k = 0; k < outputs; ++k) EXPECT_EQ(all[(t * samples + l) * outputs + k], alpha(l, t, k));
    for (Index k = 0; k < outputs; ++k) EXPECT_EQ(b[k], alpha.intercept(k));

    // The model, and what it says of samples.
    const auto counts = tamis::count_kept<T>(alpha, functions);
    const std::size_t needed = tamis::kept_requirement<T>(counts, features, outputs).bytes;
    ASSERT_EQ(C<T>::model_bytes(&trained.run), needed);
    GuardedMemory kept(needed), expected_room(needed);
    typename C<T>::Model model;
    ASSERT_EQ(C<T>::model_of(&trained.run, kept.span().data(), needed, &model), TAMIS_CONVERGED);
    EXPECT_TRUE(kept.surroundings_intact());
    std::memset(trained.memory.span().data(), 0xff, trained.memory.span().size());  // nothing of the arena is read
    tamis::KernelExpansion<T> expected;
    ASSERT_TRUE(tamis::take_kept<T>(alpha, functions, data.table(), expected_room.span(), expected));
    EXPECT_EQ(model.kernel_count, expected.kernels.size());
    EXPECT_EQ(model.sample_count, expected.samples.samples);
    EXPECT_EQ(model.term_count, expected.terms.size());
    EXPECT_EQ(model.features, features);
    EXPECT_EQ(model.outputs, outputs);
    for (Index t = 0; t < model.kernel_count; ++t) EXPECT_EQ(model.kernels[t].kind, int(expected.kernels[t].kind));
    for (Index s = 0; s < model.sample_count; ++s) EXPECT_EQ(model.origins[s], expected.origins[s]);
    for (Index e = 0; e < model.term_count; ++e) EXPECT_EQ(model.terms[e].sample, expected.terms[e].sample);
    for (Index i = 0; i < samples; ++i) {
      T scores[8], others[8];
      const auto label = expected.predict(data.table()[i], others);
      EXPECT_EQ(C<T>::predict(&model, data.values.data() + i, Data<T>::stride, scores), label);
      for (Index k = 0; k < outputs; ++k) EXPECT_EQ(scores[k], others[k]);
      scores[0] = 0;
      C<T>::scores(&model, data.values.data() + i, Data<T>::stride, scores);
      EXPECT_EQ(scores[0], others[0]);
    }
  }
}

TEST(CKernels, GiveTheBitsOfCpp) {
  expect_the_bits_of_cpp<float>(2, TAMIS_KERNELS_AUTOMATIC);
  expect_the_bits_of_cpp<double>(2, TAMIS_KERNELS_BINARY);
  expect_the_bits_of_cpp<double>(2, TAMIS_KERNELS_MULTICLASS);
  expect_the_bits_of_cpp<float>(3, TAMIS_KERNELS_MULTICLASS);
  expect_the_bits_of_cpp<double>(3, TAMIS_KERNELS_AUTOMATIC);
}

std::vector<double> numbers_in(const std::string& name) {
  std::ifstream in(std::string(TAMIS_TEST_REFERENCE) + "/data/" + name);
  std::stringstream text;
  text << in.rdbuf();
  std::string all = text.str();
  for (char& c : all) c = c == ',' ? ' ' : c;
  std::istringstream numbers(all);
  std::vector<double> out;
  for (double value; numbers >> value;) out.push_back(value);
  return out;
}

// Optima that were certified elsewhere, of sums over samples; the third matrix is not symmetric.
TEST(CKernels, FindTheOptimaOfGivenMatrices) {
  std::ifstream cases(std::string(TAMIS_TEST_REFERENCE) + "/kernel_cases.csv");
  std::string line;
  std::getline(cases, line);
  int seen = 0;
  while (std::getline(cases, line)) {
    for (char& c : line) c = c == ',' ? ' ' : c;
    std::istringstream fields(line);
    std::string id, data;
    double norm[3], lambda, optimum;
    fields >> id >> data >> norm[0] >> norm[1] >> norm[2] >> lambda >> optimum;
    std::vector<double> matrices;
    for (const char* kernel : {"1", "2", "3"})
      for (const double value : numbers_in(data + "_K" + kernel + ".csv")) matrices.push_back(value);
    std::vector<std::uint16_t> labels;
    for (const double y : numbers_in(data + "_y.csv")) labels.push_back(y > 0);
    const double n = static_cast<double>(labels.size());
    tamis_kernels_problem_f64 p;
    tamis_default_kernels_problem_f64(&p);
    p.lambda = lambda / n;
    p.tolerance = 1e-8;
    p.p = static_cast<std::uint32_t>(norm[0]);
    p.q = static_cast<std::uint32_t>(norm[1]);
    p.r = static_cast<std::uint32_t>(norm[2]);
    p.samples = static_cast<std::uint32_t>(labels.size());
    p.classes = 2;
    p.kernel_count = 3;
    p.matrices = matrices.data();
    p.labels = labels.data();
    const Trained<double> trained(p);
    EXPECT_EQ(trained.report().status, std::uint32_t(TAMIS_CONVERGED)) << id;
    EXPECT_NEAR(trained.report().objective * n, optimum, 2e-8 * optimum) << id;
    EXPECT_LE(trained.report().dual_objective * n, optimum * (1 + 1e-9)) << id;
    EXPECT_EQ(tamis_kernels_model_bytes_f64(&trained.run), 0u);
    ++seen;
  }
  EXPECT_GE(seen, 10);
}

TEST(CKernels, StepAndStop) {
  const Data<float> data(3);
  auto p = data.problem();
  p.tolerance = 1e-4f;
  const Trained<float> whole(p);
  GuardedMemory memory(tamis_kernels_bytes_f32(&p));
  tamis_kernels_f32 run;
  ASSERT_EQ(tamis_kernels_start_f32(&run, &p, memory.span().data(), memory.span().size()), TAMIS_RUNNING);
  EXPECT_EQ(tamis_kernels_step_f32(&run, 3), TAMIS_RUNNING);
  tamis_report_f32 report;
  tamis_kernels_report_of_f32(&run, &report);
  EXPECT_EQ(report.iterations, 3u);
  while (tamis_kernels_step_f32(&run, 7) == TAMIS_RUNNING) {
  }
  tamis_kernels_report_of_f32(&run, &report);
  EXPECT_EQ(report.iterations, whole.report().iterations);
  EXPECT_EQ(report.objective, whole.report().objective);

  p.tolerance = 1e-30f;
  ASSERT_EQ(tamis_kernels_start_f32(&run, &p, memory.span().data(), memory.span().size()), TAMIS_RUNNING);
  tamis_kernels_step_f32(&run, 5);
  tamis_kernels_stop_f32(&run);
  EXPECT_EQ(tamis_kernels_step_f32(&run, 1), TAMIS_STOPPED);
  EXPECT_GT(tamis_kernels_model_bytes_f32(&run), 0u);

  struct Watch {
    std::uint32_t calls = 0, bytes = 0;
    static int look(void* context, const tamis_report_f32* now) {
      EXPECT_GE(now->gap, 0.0f);
      EXPECT_EQ(now->arena_bytes, static_cast<Watch*>(context)->bytes);
      return ++static_cast<Watch*>(context)->calls < 3;
    }
  } watch;
  watch.bytes = static_cast<std::uint32_t>(memory.span().size());
  EXPECT_EQ(tamis_kernels_train_f32(&run, &p, memory.span().data(), memory.span().size(), Watch::look, &watch),
            TAMIS_STOPPED);
  EXPECT_EQ(watch.calls, 3u);
}

TEST(CKernels, GoOnWithAnotherLambda) {
  const Data<double> data(2);
  auto p = data.problem();
  p.tolerance = 1e-8;
  Trained<double> path(p);
  const double objective = path.report().objective;
  EXPECT_EQ(tamis_kernels_go_on_f64(&path.run, 0), TAMIS_INVALID_LAMBDA);
  EXPECT_EQ(tamis_kernels_go_on_f64(&path.run, INFINITY), TAMIS_INVALID_LAMBDA);
  EXPECT_EQ(tamis_kernels_go_on_f64(&path.run, std::nan("")), TAMIS_INVALID_LAMBDA);
  EXPECT_EQ(path.report().objective, objective);
  double last = 0;
  for (const double lambda : {0.02, 0.2, 0.005}) {
    p.lambda = lambda;
    const Trained<double> cold(p);
    if (tamis_kernels_go_on_f64(&path.run, lambda) == TAMIS_RUNNING)
      while (tamis_kernels_step_f64(&path.run, 100) == TAMIS_RUNNING) {
      }
    EXPECT_EQ(path.report().status, std::uint32_t(TAMIS_CONVERGED));
    EXPECT_NEAR(path.report().objective, cold.report().objective, 2e-8);
    EXPECT_NE(path.report().objective, last);
    last = path.report().objective;
  }
  p.samples = 0;
  tamis_kernels_f64 refused;
  EXPECT_EQ(tamis_kernels_start_f64(&refused, &p, nullptr, 0), TAMIS_INVALID_SHAPE);
  EXPECT_EQ(tamis_kernels_go_on_f64(&refused, 0.01), TAMIS_INVALID_SHAPE);
}

TEST(CKernels, RefuseMemoryThatDoesNotHoldTheModel) {
  const Data<float> data(2);
  const Trained<float> trained(data.problem());
  const std::size_t needed = tamis_kernels_model_bytes_f32(&trained.run);
  tamis_kernels_model_f32 model;
  GuardedMemory small(needed - 1), crooked(needed, 4);
  EXPECT_EQ(tamis_kernels_model_of_f32(&trained.run, small.span().data(), needed - 1, &model), TAMIS_ARENA_TOO_SMALL);
  EXPECT_TRUE(small.untouched());
  EXPECT_EQ(model.features, 0u);
  EXPECT_EQ(tamis_kernels_model_of_f32(&trained.run, crooked.span().data(), needed, &model), TAMIS_INVALID_ARENA);
  EXPECT_TRUE(crooked.untouched());
  EXPECT_EQ(tamis_kernels_model_of_f32(&trained.run, nullptr, 0, &model), TAMIS_INVALID_ARENA);
  const auto matrices = data.matrices();
  auto p = data.problem();
  p.kernels = nullptr;
  p.matrices = matrices.data();
  const Trained<float> given(p);
  EXPECT_EQ(tamis_kernels_model_of_f32(&given.run, small.span().data(), needed, &model), TAMIS_INVALID_COMBINATION);
  EXPECT_TRUE(small.untouched());
}

TEST(CKernels, WriteTheHeaderOfCpp) {
  const Data<double> data(3);
  const Trained<double> trained(data.problem());
  GuardedMemory memory(tamis_kernels_model_bytes_f64(&trained.run));
  tamis_kernels_model_f64 model;
  tamis_kernels_model_of_f64(&trained.run, memory.span().data(), memory.span().size(), &model);
  const char* const labels[] = {"a", "b", "c"};
  std::vector<double> tests;
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < features; ++j) tests.push_back(data.values[i + j * Data<double>::stride]);
  double scratch[features + 3];
  std::string text;
  for (int round = 0; round < 2; ++round)
    text.resize(tamis_kernels_export_c_f64(&model, "m", labels, tests.data(), 2, scratch, text.data(), text.size()));

  const auto functions = data.functions();
  GuardedMemory arena(tamis::KernelAdmm<double>::requirement({samples, samples * Index(functions.size()), 3}).bytes),
      room(memory.span().size());
  const auto matrices = data.matrices();
  tamis::KernelAdmm<double> solver({matrices.data(), samples, samples * Index(functions.size())}, data.made.labels,
                                   Index(functions.size()), 3, {2, 1, 1},
                                   {.lambda = 0.05, .tolerance = 1e-3, .intercept = false});
  solver.start(arena.span());
  while (solver.step()) {
  }
  tamis::KernelExpansion<double> expected;
  ASSERT_TRUE(tamis::take_kept<double>(solver.model(), functions, data.table(), room.span(), expected));
  std::string header(text.size(), '\0');
  EXPECT_EQ(tamis::export_kernels_c<double>(expected, {"m", labels, nullptr, tests.data(), 2}, scratch, header),
            text.size());
  EXPECT_EQ(text, header);
  EXPECT_NE(text.find("m_predict"), std::string::npos);
}

TEST(CKernels, SayWhatIsWrong) {
  const Data<float> data(2);
  const auto matrices = data.matrices();
  using Problem = tamis_kernels_problem_f32;
  std::set<std::uint32_t> faults;
  std::set<std::string> sentences;
  tamis_report_f32 report;
  /// Expects the fault, its status and its place.
  const auto expect = [&](tamis_kernels_fault fault, tamis_status status, auto change, std::uint32_t kernel = nowhere,
                          std::uint32_t row = nowhere, std::uint32_t column = nowhere, std::size_t missing = 0,
                          std::size_t misalignment = 0) {
    SCOPED_TRACE(int(fault));
    auto p = data.problem();
    change(p);
    const std::size_t bytes = tamis_kernels_bytes_f32(&p);
    GuardedMemory memory(bytes > (1u << 20) ? 16 : bytes - missing, misalignment);
    tamis_kernels_f32 run;
    EXPECT_EQ(tamis_kernels_start_f32(&run, &p, memory.span().data(), memory.span().size()), status);
    const bool untouched = fault != TAMIS_KERNELS_KERNEL_VALUE && fault != TAMIS_KERNELS_ZERO_KERNEL;
    EXPECT_EQ(memory.untouched(), untouched || !p.kernels);
    EXPECT_TRUE(memory.surroundings_intact());
    EXPECT_EQ(tamis_kernels_step_f32(&run, 5), status);
    tamis_kernels_stop_f32(&run);
    EXPECT_EQ(tamis_kernels_go_on_f32(&run, 1), status);
    tamis_kernels_model_f32 model;
    float intercepts[3];
    EXPECT_EQ(tamis_kernels_coefficients_of_f32(&run, nullptr, intercepts), 0u);
    EXPECT_EQ(tamis_kernels_model_bytes_f32(&run), 0u);
    EXPECT_EQ(tamis_kernels_model_of_f32(&run, memory.span().data(), memory.span().size(), &model),
              TAMIS_INVALID_SHAPE);
    EXPECT_EQ(model.features, 0u);
    tamis_kernels_refusal why;
    tamis_kernels_refusal_of_f32(&run, &why);
    EXPECT_EQ(why.fault, std::uint32_t(fault));
    EXPECT_EQ(why.kernel, kernel);
    EXPECT_EQ(why.row, row);
    EXPECT_EQ(why.column, column);
    EXPECT_GT(std::strlen(why.sentence), 10u);
    faults.insert(why.fault);
    sentences.insert(why.sentence);
    tamis_kernels_report_of_f32(&run, &report);
    EXPECT_EQ(report.status, std::uint32_t(status));
    EXPECT_EQ(report.row, row == nowhere ? 0 : row);
    EXPECT_EQ(report.column, column == nowhere ? 0 : column);
    return std::string(why.sentence);
  };
  const auto nothing = [](Problem&) {};

  for (auto* change : {+[](Problem& p) { p.samples = 0; }, +[](Problem& p) { p.features = 0; },
                       +[](Problem& p) { p.kernel_count = 0; }})
    expect(TAMIS_KERNELS_EMPTY, TAMIS_INVALID_SHAPE, change);
  expect(TAMIS_KERNELS_SOURCE, TAMIS_INVALID_SHAPE, [](Problem& p) { p.kernels = nullptr; });
  expect(TAMIS_KERNELS_SOURCE, TAMIS_INVALID_SHAPE, [&](Problem& p) { p.matrices = matrices.data(); });
  expect(TAMIS_KERNELS_NULL, TAMIS_INVALID_SHAPE, [](Problem& p) { p.labels = nullptr; });
  expect(TAMIS_KERNELS_NULL, TAMIS_INVALID_SHAPE, [](Problem& p) { p.values = nullptr; });
  expect(TAMIS_KERNELS_STRIDE, TAMIS_INVALID_SHAPE, [](Problem& p) { p.column_stride = samples - 1; });
  expect(TAMIS_KERNELS_CLASSES, TAMIS_INVALID_SHAPE, [](Problem& p) { p.classes = 1; });
  expect(TAMIS_KERNELS_CLASSES, TAMIS_INVALID_SHAPE, [](Problem& p) { p.classes = 65537; });
  expect(TAMIS_KERNELS_CLASSES, TAMIS_INVALID_SHAPE, [](Problem& p) {
    p.form = TAMIS_KERNELS_BINARY;
    p.classes = 3;
  });
  expect(TAMIS_KERNELS_SIZE, TAMIS_INVALID_SHAPE, [](Problem& p) {
    p.samples = 0x80000000u;
    p.column_stride = 0;
  });
  expect(TAMIS_KERNELS_CHOICE, TAMIS_INVALID_OPTION, [](Problem& p) { p.form = 3; });
  for (const std::uint32_t wrong : {0u, 3u, 0x80000001u}) {
    expect(TAMIS_KERNELS_NORM, TAMIS_INVALID_OPTION, [=](Problem& p) { p.p = wrong; });
    expect(TAMIS_KERNELS_NORM, TAMIS_INVALID_OPTION, [=](Problem& p) { p.q = wrong; });
    expect(TAMIS_KERNELS_NORM, TAMIS_INVALID_OPTION, [=](Problem& p) { p.r = wrong; });
  }
  expect(TAMIS_KERNELS_EFFORT, TAMIS_INVALID_OPTION, [](Problem& p) { p.tolerance = 0; });
  expect(TAMIS_KERNELS_EFFORT, TAMIS_INVALID_OPTION, [](Problem& p) { p.max_iterations = 0; });
  for (const float wrong : {0.0f, -1.0f, INFINITY, std::nanf("")})
    expect(TAMIS_KERNELS_LAMBDA, TAMIS_INVALID_LAMBDA, [=](Problem& p) { p.lambda = wrong; });
  const auto with = [&](tamis_kernel_f32 kernel, auto& kernels) {
    kernels = data.kernels;
    kernels[2] = kernel;
    return [&](Problem& p) { p.kernels = kernels.data(); };
  };
  auto kernels = data.kernels;
  const std::string unknown = expect(TAMIS_KERNELS_PARAMETERS, TAMIS_INVALID_OPTION, with({9, 0, 0}, kernels), 2);
  const std::string width =
      expect(TAMIS_KERNELS_PARAMETERS, TAMIS_INVALID_OPTION, with({TAMIS_KERNEL_GAUSSIAN, 0, 0}, kernels), 2);
  const std::string degree =
      expect(TAMIS_KERNELS_PARAMETERS, TAMIS_INVALID_OPTION, with({TAMIS_KERNEL_POLYNOMIAL, 1.5f, 0}, kernels), 2);
  EXPECT_TRUE(unknown != width && width != degree);
  auto labels = data.made.labels;
  labels[9] = 2;
  expect(
      TAMIS_KERNELS_LABEL, TAMIS_INVALID_LABEL, [&](Problem& p) { p.labels = labels.data(); }, nowhere, 9);
  const std::vector<std::uint16_t> ones(samples, 1);
  expect(
      TAMIS_KERNELS_MISSING_CLASS, TAMIS_MISSING_CLASS, [&](Problem& p) { p.labels = ones.data(); }, nowhere, nowhere,
      0);
  expect(
      TAMIS_KERNELS_MISSING_CLASS, TAMIS_MISSING_CLASS, [&](Problem& p) { p.classes = 4; }, nowhere, nowhere, 2);
  auto values = data.values;
  values[5 + 2 * Data<float>::stride] = INFINITY;
  expect(
      TAMIS_KERNELS_SAMPLE_VALUE, TAMIS_INVALID_DATA, [&](Problem& p) { p.values = values.data(); }, nowhere, 5, 2);
  expect(TAMIS_KERNELS_ARENA, TAMIS_INVALID_ARENA, nothing, nowhere, nowhere, nowhere, 0, 4);
  expect(TAMIS_KERNELS_ARENA_SIZE, TAMIS_ARENA_TOO_SMALL, nothing, nowhere, nowhere, nowhere, 1);
  const auto whole = data.problem();
  EXPECT_EQ(report.arena_bytes, tamis_kernels_bytes_f32(&whole));

  // Values of kernels: of histograms with a negative entry, beyond what floats hold, and in a matrix.
  values = data.values;
  for (float& value : values) value = std::abs(value);
  values[7 + 1 * Data<float>::stride] = -0.5f;
  kernels = data.kernels;
  kernels[2] = {TAMIS_KERNEL_CHI2, 0, 0};
  expect(
      TAMIS_KERNELS_KERNEL_VALUE, TAMIS_INVALID_DATA,
      [&](Problem& p) {
        p.values = values.data();
        p.kernels = kernels.data();
      },
      2, 0, 7);
  auto wrong = matrices;
  wrong[(1 * samples + 4) * samples + 6] = std::nanf("");
  const auto given = [&](Problem& p) {
    p.kernels = nullptr;
    p.values = nullptr;
    p.features = 0;
    p.matrices = wrong.data();
  };
  expect(TAMIS_KERNELS_KERNEL_VALUE, TAMIS_INVALID_DATA, given, 1, 4, 6);
  wrong = matrices;
  std::fill(wrong.begin() + 2 * samples * samples, wrong.begin() + 3 * samples * samples, 0.0f);
  expect(TAMIS_KERNELS_ZERO_KERNEL, TAMIS_INVALID_DATA, given, 2);
  std::fill(values.begin(), values.end(), 0.0f);
  expect(
      TAMIS_KERNELS_ZERO_KERNEL, TAMIS_INVALID_DATA, [&](Problem& p) { p.values = values.data(); }, 0);

  EXPECT_EQ(faults.size(), std::size_t{TAMIS_KERNELS_ZERO_KERNEL}) << "every fault";
  EXPECT_EQ(sentences.size(), faults.size() + 2) << "each with a sentence of its own, and each kernel with its own";
  tamis_kernels_refusal why;
  const Trained<float> fine(data.problem());
  tamis_kernels_refusal_of_f32(&fine.run, &why);
  EXPECT_EQ(why.fault, std::uint32_t(TAMIS_KERNELS_NO_FAULT));
}

TEST(CKernels, CountBytes) {
  const Data<float> data(2);
  auto p = data.problem();
  p.kernel_count = 3;
  const std::size_t solver = tamis::KernelAdmm<float>::requirement({samples, 3 * samples, 1}).bytes;
  EXPECT_EQ(tamis_kernels_bytes_f32(&p), solver + 48 + 3 * samples * samples * 4);
  p.form = TAMIS_KERNELS_MULTICLASS;
  EXPECT_EQ(tamis_kernels_bytes_f32(&p),
            tamis::KernelAdmm<float>::requirement({samples, 3 * samples, 2}).bytes + 48 + 3 * samples * samples * 4);
  p.form = TAMIS_KERNELS_AUTOMATIC;
  const float matrix = 1;
  p.kernels = nullptr;
  p.matrices = &matrix;
  EXPECT_EQ(tamis_kernels_bytes_f32(&p), solver);
  p.samples = p.kernel_count = 0xffffffffu;
  EXPECT_EQ(tamis_kernels_bytes_f32(&p), SIZE_MAX);
  p.samples = 40000;
  p.kernel_count = 3;
  EXPECT_GT(tamis_kernels_bytes_f32(&p), std::size_t(10) << 30);
}

}  // namespace
