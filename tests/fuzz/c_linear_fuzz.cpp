// Linear models through tamis.h: any problem either trains, with a model that has a number for an objective, or is
// refused without a touch of the arena; and whatever was refused, nothing outside the memory given is written.
#include <cmath>

#include "c_face.hpp"

namespace {

using namespace tamis::fuzz;

template <class T>
struct Face;
#define TAMIS_FUZZ_FACE(REAL, S)                                                     \
  template <>                                                                        \
  struct Face<REAL> {                                                                \
    using Problem = tamis_problem_##S;                                               \
    using Training = tamis_training_##S;                                             \
    using Report = tamis_report_##S;                                                 \
    using Model = tamis_model_##S;                                                   \
    static constexpr auto defaults = tamis_default_problem_##S;                      \
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

/// A problem with what it points to, all of exactly the size that its shape needs.
template <class T>
struct Problem {
  typename Face<T>::Problem c;
  std::vector<T> values, weights, margins;
  std::vector<std::uint16_t> labels;
  std::vector<std::uint32_t> rows, starts, order, group_starts;

  explicit Problem(Bytes& b) {
    Face<T>::defaults(&c);
    const std::uint8_t odd = b.byte();  // which of the unusual things happen, most of them seldom
    const auto maybe = [&](int bit) { return odd >> bit & 1; };
    c.samples = b.below(10);
    c.features = b.below(7);
    c.classes = b.below(6);
    c.loss = b.below(5);
    c.penalty = b.below(8);
    if (maybe(0)) c.solver = b.below(20);
    c.lambda = maybe(1) ? b.number<T>() : std::ldexp(T(1), -static_cast<int>(b.below(12)));
    if (maybe(2)) {
      c.eta = b.number<T>();
      if (b.flag()) c.lambda = 0;
    }
    c.tolerance = b.flag() ? b.number<T>() : T(1e-3f);
    c.max_iterations = b.below(64);
    c.intercept = b.below(3);
    if (b.flag()) c.margin = b.number<T>();
    if (b.flag()) c.l1_ratio = b.number<T>();
    if (b.flag()) c.epsilon = b.number<T>();
    c.block = b.below(4);
    if (maybe(3)) c.column_stride = b.below(14);
    const std::size_t n = c.samples, p = c.features, stride = c.column_stride ? c.column_stride : n;
    if (maybe(4)) {
      sparse(b);
    } else {
      values = b.numbers<T>(p && stride >= n ? (p - 1) * stride + n : p * n);
    }
    for (std::size_t i = 0; i < n; ++i) labels.push_back(static_cast<std::uint16_t>(label(b)));
    if (maybe(5)) weights = b.numbers<T>(n);
    if (maybe(6)) margins = b.numbers<T>(n);
    if (maybe(7)) {
      c.group_count = b.below(5);
      for (std::size_t j = 0; j < p; ++j) order.push_back(b.below(8));
      for (std::size_t g = 0; g <= c.group_count; ++g) group_starts.push_back(b.below(8));
      c.group_order = order.data();
      c.group_starts = group_starts.data();
    }
    c.values = values.data();
    c.labels = labels.data();
    if (!weights.empty()) c.weights = weights.data();
    if (!margins.empty()) c.margins = margins.data();
    const std::uint8_t null = b.byte();
    if (null == 1) c.values = nullptr;
    if (null == 2) c.labels = nullptr;
    if (null == 3) c.starts = nullptr;
    if (null == 4) c.group_order = nullptr;
    if (null == 5) c.group_starts = nullptr;
  }

  /// Usually one of the classes in turn.
  std::uint32_t label(Bytes& b) {
    const std::uint8_t given = b.byte();
    return given >= 250 ? given * 257u : c.classes ? given % c.classes : given;
  }
  /// Columns that are as they should be, with a fault now and then.
  void sparse(Bytes& b) {
    starts = {0};
    for (std::uint32_t j = 0; j < c.features; ++j) {
      for (std::uint32_t i = 0; i < c.samples; ++i)
        if (b.flag()) {
          rows.push_back(i);
          values.push_back(b.number<T>());
        }
      starts.push_back(static_cast<std::uint32_t>(rows.size()));
    }
    if (const std::uint8_t fault = b.byte(); fault >= 224 && !rows.empty()) rows[fault % rows.size()] = b.byte();
    else if (fault >= 192 && c.features) starts[fault % c.features] = b.byte();
    if (rows.empty()) rows.push_back(0), values.push_back(0);
    c.rows = rows.data();
    c.starts = starts.data();
  }
};

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
void check_model(typename Face<T>::Training& training, const Problem<T>& problem, std::uint32_t status) {
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
  const Problem<T> problem(b);
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
