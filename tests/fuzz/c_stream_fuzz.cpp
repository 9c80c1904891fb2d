// Learners of one sample after the other through tamis_stream.h: a sample that is refused leaves the model as it was,
// and no sample makes it anything but numbers.
#include "c_face.hpp"
#include "tamis_stream.h"

namespace {

using namespace tamis::fuzz;

template <class T>
struct Face;
#define TAMIS_FUZZ_FACE(REAL, S)                                          \
  template <>                                                             \
  struct Face<REAL> {                                                     \
    using Options = tamis_stream_options_##S;                             \
    using Stream = tamis_stream_##S;                                      \
    using Report = tamis_stream_report_##S;                               \
    using Model = tamis_model_##S;                                        \
    static constexpr auto defaults = tamis_default_stream_options_##S;    \
    static constexpr auto bytes = tamis_stream_bytes_##S;                 \
    static constexpr auto begin = tamis_stream_begin_##S;                 \
    static constexpr auto update = tamis_stream_update_##S;               \
    static constexpr auto update_sparse = tamis_stream_update_sparse_##S; \
    static constexpr auto model = tamis_stream_model_##S;                 \
    static constexpr auto report_of = tamis_stream_report_of_##S;         \
    static constexpr auto predict = tamis_predict_##S;                    \
  };
TAMIS_FUZZ_SCALARS(TAMIS_FUZZ_FACE)

template <class T>
void run(Bytes& b) {
  typename Face<T>::Options o;
  Face<T>::defaults(&o);
  const std::uint8_t odd = b.byte(), memory = b.byte();
  o.features = b.below(6);
  o.classes = odd & 1 ? b.below(5) : 2;
  o.loss = b.below(5);
  o.penalty = b.below(odd & 2 ? 8 : 6);
  o.learner = b.below(odd & 4 ? 3 : 2);
  o.intercept = b.below(3);
  o.block = b.below(4);
  o.lambda = odd & 8 ? b.number<T>() : T(0.01f);
  if (odd & 16) o.learning_rate = b.number<T>();
  if (odd & 32) o.margin = b.number<T>();
  if (odd & 64) o.l1_ratio = b.number<T>();
  const std::uint32_t lanes = 16 / sizeof(T), stride = (o.classes + lanes - 1) / lanes * lanes;
  Guarded from((o.features + 1) * std::size_t(stride) * sizeof(T));
  if (odd & 128) {
    auto* const coefficients = reinterpret_cast<T*>(from.data());
    for (std::size_t i = 0; i < from.size() / sizeof(T); ++i)
      coefficients[i] = i % stride < o.classes ? b.number<T>() : T(0);
    o.from = coefficients;
    o.seen = b.word();
  }

  const std::size_t needed = Face<T>::bytes(&o);
  const std::size_t given = memory & 2 && needed ? needed - 1 - memory % needed : needed;
  Guarded arena(given, memory & 4 ? 1 + memory % 15 : 0);
  typename Face<T>::Stream stream;
  const std::uint32_t begun = Face<T>::begin(&stream, &o, memory == 0xff ? nullptr : arena.data(), arena.size());
  arena.check(begun != TAMIS_RUNNING);
  if (given < needed || needed == 0 || memory & 4 || memory == 0xff)
    expect(begun != TAMIS_RUNNING, "an arena that is too small, or not aligned, is refused");
  typename Face<T>::Model model{};
  std::uint32_t learned = 0, refused = 0;
  const auto coefficients = [&] {
    std::vector<T> out;
    for (std::size_t j = 0; j <= model.features; ++j)
      for (std::size_t k = 0; k < model.classes; ++k) out.push_back(model.coefficients[j * stride + k]);
    return out;
  };
  expect((Face<T>::model(&stream, &model) == TAMIS_RUNNING) == (begun == TAMIS_RUNNING), "what has begun has a model");
  if (begun != TAMIS_RUNNING) expect(model.features == 0, "what was refused has no model");

  for (int sample = 0; sample < 32 && !b.empty(); ++sample) {
    const auto before = coefficients();
    const std::uint8_t how = b.byte();
    const std::uint8_t label = b.byte();
    const auto y = static_cast<std::uint16_t>(label >= 250 || !o.classes ? label * 257 : label % o.classes);
    const T weight = how & 1 ? b.number<T>() : T(1);
    std::vector<T> values;
    std::vector<std::uint32_t> indices;
    std::uint32_t status = 0;
    if (how & 2) {
      const std::uint32_t count = b.below(7);
      values = b.numbers<T>(count);
      for (std::uint32_t e = 0; e < count; ++e) indices.push_back(how & 4 ? b.byte() : e);
      status = Face<T>::update_sparse(&stream, indices.data(), values.data(), count, y, weight);
    } else {
      values = b.numbers<T>(o.features);
      status = Face<T>::update(&stream, how == 0xf0 ? nullptr : values.data(), y, weight);
    }
    expect(begun == TAMIS_RUNNING || status == begun, "what was refused refuses samples");
    (status == TAMIS_RUNNING ? learned : refused) += 1;
    (void)Face<T>::model(&stream, &model);
    const auto after = coefficients();
    if (status != TAMIS_RUNNING) expect(same_bits(before, after), "a sample that is refused leaves the model");
    for (const T w : after) expect(w - w == 0, "coefficients are finite");
    arena.check();
  }
  typename Face<T>::Report report;
  Face<T>::report_of(&stream, &report);
  expect(report.status == begun, "the report has the status that was returned");
  if (begun != TAMIS_RUNNING) return;
  const std::uint32_t seen = o.from ? o.seen : 0;
  expect(report.samples == seen + learned || report.samples == ~0u, "samples are counted");
  expect(report.refused == refused, "refusals are counted");
  const std::vector<T> sample(model.features, T(1));
  expect(Face<T>::predict(&model, sample.data(), 1) < model.classes, "predictions are classes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  if (bytes.flag()) run<double>(bytes);
  else run<float>(bytes);
  return 0;
}
