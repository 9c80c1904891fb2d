// Linear models through tamis.h: any problem either trains, with a model that has a number for an objective, or is
// refused without a touch of the arena; and whatever was refused, nothing outside the memory given is written.
#include "c_problems.hpp"

namespace {

using namespace tamis::fuzz;

template <class T>
struct Face;
#define TAMIS_FUZZ_FACE(REAL, S)                                                     \
  template <>                                                                        \
  struct Face<REAL> {                                                                \
    using Training = tamis_training_##S;                                             \
    using Report = tamis_report_##S;                                                 \
    using Model = tamis_model_##S;                                                   \
    static constexpr auto bytes = tamis_training_bytes_##S;                          \
    static constexpr auto fast_bytes = tamis_fast_bytes_##S;                         \
    static constexpr auto start = tamis_start_##S;                                   \
    static constexpr auto step = tamis_step_##S;                                     \
    static constexpr auto stop = tamis_stop_##S;                                     \
    static constexpr auto report_of = tamis_report_of_##S;                           \
    static constexpr auto model_of = tamis_model_of_##S;                             \
    static constexpr auto predict = tamis_predict_##S;                               \
    static constexpr auto scores = tamis_scores_##S;                                 \
    static constexpr auto blob_bytes = tamis_blob_bytes_##S;                         \
    static constexpr auto blob_write = tamis_blob_write_##S;                         \
    static constexpr auto blob_coefficient_bytes = tamis_blob_coefficient_bytes_##S; \
    static constexpr auto blob_read = tamis_blob_read_##S;                           \
  };
TAMIS_FUZZ_SCALARS(TAMIS_FUZZ_FACE)

/// A blob of the model gives the same scores.
template <class T>
void check_saving(const typename Face<T>::Model& model, const std::vector<T>& sample, const std::vector<T>& scores) {
  Guarded blob(Face<T>::blob_bytes(&model));
  expect(Face<T>::blob_write(&model, blob.data(), blob.size() - 1) == 0, "a blob that does not fit is not written");
  blob.check(true);
  expect(Face<T>::blob_write(&model, blob.data(), blob.size()) == blob.size(), "a blob has the bytes it says");
  blob.check();
  Guarded memory(Face<T>::blob_coefficient_bytes(blob.data(), blob.size()));
  typename Face<T>::Model read{};
  expect(Face<T>::blob_read(blob.data(), blob.size(), memory.data(), memory.size(), &read) == TAMIS_CONVERGED,
         "a blob that was written can be read");
  memory.check();
  std::vector<T> again(scores.size());
  Face<T>::scores(&read, sample.data(), 1, again.data());
  for (std::size_t k = 0; k < scores.size(); ++k)
    expect(again[k] == scores[k] || again[k] != again[k], "a model that was saved scores the same");
}

template <class T>
void check_model(typename Face<T>::Training& training, const LinearProblem<T>& problem, std::uint32_t status) {
  typename Face<T>::Model model{};
  const auto said = Face<T>::model_of(&training, &model);
  if (!has_model(status)) {
    expect(said == TAMIS_INVALID_SHAPE && model.features == 0, "a refused run has no model");
    return;
  }
  expect(said == status && model.features == problem.c.features && model.classes == problem.c.classes,
         "a model has the shape of its problem");
  std::vector<T> sample(model.features, T(1)), scores(model.classes);
  Face<T>::scores(&model, sample.data(), 1, scores.data());
  expect(Face<T>::predict(&model, sample.data(), 1) < model.classes, "predictions are classes");
  check_saving<T>(model, sample, scores);
}

template <class T>
void run(Bytes& b) {
  const std::uint8_t memory = b.byte(), steps = b.byte();
  const LinearProblem<T> problem(b);
  std::size_t least = Face<T>::bytes(&problem.c);
  if (memory & 1) {
    const std::size_t fast = Face<T>::fast_bytes(&problem.c, b.byte(), b.below(32));
    expect(fast >= least, "more room is never fewer bytes");
    least = fast;
  }
  if (least > 1 << 20) least = 1 << 20;  // impossible shapes; refused
  const std::size_t given = memory & 2 && least ? least - 1 - memory % least : least;
  Guarded arena(given, memory & 4 ? 1 + memory % 15 : 0);
  const bool no_arena = memory == 0xff;

  typename Face<T>::Training training;
  std::uint32_t status = Face<T>::start(&training, &problem.c, no_arena ? nullptr : arena.data(), arena.size());
  arena.check(is_refusal(status));
  const bool small = given < Face<T>::bytes(&problem.c) || memory & 4 || no_arena;
  if (small) expect(is_refusal(status), "an arena that is too small, or not aligned, is refused");
  typename Face<T>::Report report;
  Face<T>::report_of(&training, &report);
  check_report(report, status);
  for (int turn = 0; turn < 40 && status == TAMIS_RUNNING; ++turn) {
    if (turn == steps % 64) Face<T>::stop(&training);
    status = Face<T>::step(&training, steps >> 6 ? 7 : 1);
    Face<T>::report_of(&training, &report);
    check_report(report, status);
  }
  if (status == TAMIS_RUNNING) {
    Face<T>::stop(&training);
    status = Face<T>::step(&training, 1);
    expect(status != TAMIS_RUNNING, "a run that is told to stop stops");
  }
  arena.check(is_refusal(status));
  check_model<T>(training, problem, status);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  if (bytes.flag()) run<double>(bytes);
  else run<float>(bytes);
  return 0;
}
