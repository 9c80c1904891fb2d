// Kernel models through tamis_kernels.h, from kernels or from matrices, as c_linear_fuzz.cpp does it for linear ones.
#include <cmath>

#include "c_face.hpp"
#include "tamis_kernels.h"

namespace {

using namespace tamis::fuzz;

template <class T>
struct Face;
#define TAMIS_FUZZ_FACE(REAL, S)                                               \
  template <>                                                                  \
  struct Face<REAL> {                                                          \
    using Problem = tamis_kernels_problem_##S;                                 \
    using Kernel = tamis_kernel_##S;                                           \
    using Run = tamis_kernels_##S;                                             \
    using Report = tamis_report_##S;                                           \
    using Model = tamis_kernels_model_##S;                                     \
    static constexpr auto defaults = tamis_default_kernels_problem_##S;        \
    static constexpr auto bytes = tamis_kernels_bytes_##S;                     \
    static constexpr auto start = tamis_kernels_start_##S;                     \
    static constexpr auto step = tamis_kernels_step_##S;                       \
    static constexpr auto go_on = tamis_kernels_go_on_##S;                     \
    static constexpr auto stop = tamis_kernels_stop_##S;                       \
    static constexpr auto report_of = tamis_kernels_report_of_##S;             \
    static constexpr auto refusal_of = tamis_kernels_refusal_of_##S;           \
    static constexpr auto coefficients_of = tamis_kernels_coefficients_of_##S; \
    static constexpr auto model_bytes = tamis_kernels_model_bytes_##S;         \
    static constexpr auto model_of = tamis_kernels_model_of_##S;               \
    static constexpr auto predict = tamis_kernels_predict_##S;                 \
  };
TAMIS_FUZZ_SCALARS(TAMIS_FUZZ_FACE)

template <class T>
struct Problem {
  typename Face<T>::Problem c;
  std::vector<T> values, matrices;
  std::vector<typename Face<T>::Kernel> kernels;
  std::vector<std::uint16_t> labels;

  explicit Problem(Bytes& b) {
    Face<T>::defaults(&c);
    const std::uint8_t odd = b.byte();
    const auto norm = [&] { return odd & 1 ? b.below(4) : 1 + b.below(2); };
    c.samples = b.below(8);
    c.features = b.below(4);
    c.classes = odd & 2 ? b.below(5) : 2;
    c.kernel_count = b.below(4);
    c.p = norm();
    c.q = norm();
    c.r = norm();
    c.form = b.below(4);
    c.lambda = odd & 4 ? b.number<T>() : std::ldexp(T(1), -static_cast<int>(b.below(8)));
    c.tolerance = odd & 8 ? b.number<T>() : T(1e-3f);
    c.max_iterations = b.below(64);
    c.intercept = b.below(3);
    if (odd & 16) c.column_stride = b.below(10);
    const std::size_t n = c.samples, p = c.features, stride = c.column_stride ? c.column_stride : n;
    if (odd & 32) matrices = b.numbers<T>(c.kernel_count * n * n);
    if (!(odd & 32) || odd & 64) {
      values = b.numbers<T>(p && stride >= n ? (p - 1) * stride + n : p * n);
      for (std::uint32_t t = 0; t < c.kernel_count; ++t)
        kernels.push_back({static_cast<std::uint8_t>(b.below(10)), b.number<T>(), b.number<T>()});
      c.kernels = kernels.data();
    }
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint8_t given = b.byte();
      labels.push_back(static_cast<std::uint16_t>(given >= 250 || !c.classes ? given : given % c.classes));
    }
    c.values = values.data();
    c.labels = odd & 128 && b.flag() ? nullptr : labels.data();
    if (!matrices.empty()) c.matrices = matrices.data();
  }
};

template <class T>
void check_model(const typename Face<T>::Run& run, const Problem<T>& problem, std::uint32_t status) {
  const std::size_t bytes = Face<T>::model_bytes(&run);
  Guarded memory(bytes);
  typename Face<T>::Model model{};
  if (!has_model(status)) {
    expect(Face<T>::coefficients_of(&run, nullptr, nullptr) == 0 && bytes == 0, "a refused run has no coefficients");
    expect(Face<T>::model_of(&run, memory.data(), 0, &model) == TAMIS_INVALID_SHAPE && model.features == 0,
           "a refused run has no model");
    return;
  }
  const std::uint32_t outputs = Face<T>::coefficients_of(&run, nullptr, nullptr);
  std::vector<T> coefficients(std::size_t(outputs) * problem.c.kernel_count * problem.c.samples), intercepts(outputs);
  expect(Face<T>::coefficients_of(&run, coefficients.data(), intercepts.data()) == outputs, "outputs stay");
  const std::uint32_t said = Face<T>::model_of(&run, memory.data(), memory.size(), &model);
  memory.check();
  if (!problem.c.kernels) return expect(said == TAMIS_INVALID_COMBINATION, "matrices make no model");
  expect(said == status && model.outputs == outputs, "a run has a model");
  std::vector<T> sample(model.features, T(1)), scores(outputs);
  expect(Face<T>::predict(&model, sample.data(), 1, scores.data()) < problem.c.classes, "predictions are classes");
  if (bytes) {
    Guarded less(bytes - 1);
    expect(Face<T>::model_of(&run, less.data(), less.size(), &model) == TAMIS_ARENA_TOO_SMALL && model.features == 0,
           "memory that is too small has no model");
    less.check(true);
  }
}

template <class T>
void run(Bytes& b) {
  const std::uint8_t memory = b.byte(), steps = b.byte();
  const Problem<T> problem(b);
  const std::size_t needed = Face<T>::bytes(&problem.c), least = needed < 1 << 20 ? needed : 1 << 20;
  const std::size_t given = memory & 2 && least ? least - 1 - memory % least : least;
  Guarded arena(given, memory & 4 ? 1 + memory % 15 : 0);

  typename Face<T>::Run run;
  std::uint32_t status = Face<T>::start(&run, &problem.c, memory == 0xff ? nullptr : arena.data(), arena.size());
  tamis_kernels_refusal refusal;
  Face<T>::refusal_of(&run, &refusal);
  expect((refusal.fault != TAMIS_KERNELS_NO_FAULT) == is_refusal(status) || status > TAMIS_SHORT_ROW,
         "a refusal has a fault");
  expect(refusal.sentence != nullptr, "a refusal has a sentence");
  arena.check(is_refusal(status) && refusal.fault < TAMIS_KERNELS_KERNEL_VALUE);
  if (given < needed || memory & 4 || memory == 0xff)
    expect(is_refusal(status), "an arena that is too small, or not aligned, is refused");
  typename Face<T>::Report report;
  const auto to_end = [&] {
    Face<T>::report_of(&run, &report);
    check_report(report, status);
    for (int turn = 0; turn < 30 && status == TAMIS_RUNNING; ++turn) {
      if (turn == steps % 32) Face<T>::stop(&run);
      status = Face<T>::step(&run, 1 + steps / 32);
      Face<T>::report_of(&run, &report);
      check_report(report, status);
    }
    arena.check();
  };
  to_end();
  if (b.flag()) {
    const T lambda = b.number<T>();
    const std::uint32_t before = status;
    status = Face<T>::go_on(&run, lambda);
    if (!(lambda > 0 && lambda - lambda == 0)) {
      expect(status == TAMIS_INVALID_LAMBDA || status == before, "a lambda that is none is refused");
      status = before;
    }
    to_end();
  }
  check_model<T>(run, problem, status);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  if (bytes.flag()) run<double>(bytes);
  else run<float>(bytes);
  return 0;
}
