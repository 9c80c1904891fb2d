// Kernel models through tamis_kernels.h, from kernels or from matrices, as c_linear_fuzz.cpp does it for linear ones.
#include "c_problems.hpp"

namespace {

using namespace tamis::fuzz;

template <class T>
struct Face;
#define TAMIS_FUZZ_FACE(REAL, S)                                               \
  template <>                                                                  \
  struct Face<REAL> {                                                          \
    using Run = tamis_kernels_##S;                                             \
    using Report = tamis_report_##S;                                           \
    using Model = tamis_kernels_model_##S;                                     \
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
void check_model(const typename Face<T>::Run& run, const KernelsProblem<T>& problem, std::uint32_t status) {
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
  const KernelsProblem<T> problem(b);
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
