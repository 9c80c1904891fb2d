// What is chosen from scores after training: probabilities through tamis_calibration.h and sets of labels through
// tamis_sets.h. Scores, labels and weights of any kind are refused, or give probabilities and sets.
#include "c_face.hpp"
#include "tamis_calibration.h"
#include "tamis_sets.h"

namespace {

using namespace tamis::fuzz;

template <class T>
struct Face;
#define TAMIS_FUZZ_FACE(REAL, S)                                            \
  template <>                                                               \
  struct Face<REAL> {                                                       \
    using Scored = tamis_scored_##S;                                        \
    using Options = tamis_calibration_options_##S;                          \
    using Calibration = tamis_calibration_##S;                              \
    using Report = tamis_calibration_report_##S;                            \
    using Bin = tamis_reliability_bin_##S;                                  \
    using Reliability = tamis_reliability_##S;                              \
    using ScoredSets = tamis_scored_sets_##S;                               \
    using Thresholds = tamis_thresholds_##S;                                \
    static constexpr auto defaults = tamis_default_calibration_options_##S; \
    static constexpr auto calibration_bytes = tamis_calibration_bytes_##S;  \
    static constexpr auto calibrate = tamis_calibrate_##S;                  \
    static constexpr auto probabilities = tamis_probabilities_##S;          \
    static constexpr auto log_probability = tamis_log_probability_##S;      \
    static constexpr auto most_probable = tamis_most_probable_##S;          \
    static constexpr auto measure = tamis_measure_reliability_##S;          \
    static constexpr auto threshold_bytes = tamis_thresholds_bytes_##S;     \
    static constexpr auto choose = tamis_choose_thresholds_##S;             \
    static constexpr auto set_of = tamis_set_of_##S;                        \
  };
TAMIS_FUZZ_SCALARS(TAMIS_FUZZ_FACE)
#undef TAMIS_FUZZ_FACE

/// Rows of scores, and a label for each that is below `labels` but now and then.
template <class T>
struct Rows {
  std::uint32_t samples, classes, stride;
  std::vector<T> scores;

  explicit Rows(Bytes& b) : samples(b.below(12)), classes(b.below(6)) {
    const std::uint8_t odd = b.byte();
    stride = odd >= 250 ? odd - 250 : classes + odd % 3;
    scores = b.numbers<T>(std::size_t(samples) * (stride > classes ? stride : classes));
  }
  std::vector<std::uint16_t> labels(Bytes& b, std::uint32_t below) const {
    std::vector<std::uint16_t> out(samples);
    for (auto& label : out) {
      const std::uint8_t given = b.byte();
      label = static_cast<std::uint16_t>(given >= 250 || below == 0 ? given * 257u : given % below);
    }
    return out;
  }
};

/// Where not quite enough memory is given, and how it is aligned.
struct Given {
  Guarded arena;
  bool bad;

  Given(std::uint8_t kind, std::size_t needed)
      : arena(given(kind, needed), kind & 4 ? 1 + kind % 15 : 0), bad(given(kind, needed) < needed || kind & 4) {}
  static std::size_t given(std::uint8_t kind, std::size_t needed) {
    const std::size_t least = needed < 1 << 20 ? needed : 1 << 20;
    return kind & 2 && least ? least - 1 - kind % least : least;
  }
  void check(std::uint32_t status) const {
    arena.check(is_refusal(status));
    if (bad) expect(is_refusal(status), "an arena that is too small, or not aligned, is refused");
  }
};

template <class T>
bool is_finite(T x) {
  return x - x == T(0);
}

template <class T>
void check_probabilities(Bytes& b, const typename Face<T>::Calibration& calibration) {
  std::vector<T> scores(calibration.classes), probabilities(calibration.classes);
  for (T& score : scores) score = b.finite<T>();
  Face<T>::probabilities(&calibration, scores.data(), probabilities.data());
  T sum = 0;
  for (std::uint32_t k = 0; k < calibration.classes; ++k) {
    expect(probabilities[k] >= 0 && probabilities[k] <= T(1.0001f), "a probability is one");
    sum += probabilities[k];
    expect(Face<T>::log_probability(&calibration, scores.data(), k) <= T(1e-4f), "a logarithm of one is not positive");
  }
  expect(sum > T(0.999f) && sum < T(1.001f), "probabilities add up to one");
  expect(Face<T>::most_probable(&calibration, scores.data()) < calibration.classes, "the most probable is a class");
}

template <class T>
void run_calibration(Bytes& b) {
  const std::uint8_t kind = b.byte();
  const Rows<T> rows(b);
  const auto labels = rows.labels(b, rows.classes);
  std::vector<T> weights;
  if (kind & 8) weights = b.numbers<T>(rows.samples);
  typename Face<T>::Scored scored{};
  scored.scores = rows.scores.data();
  scored.labels = labels.data();
  scored.weights = weights.empty() ? nullptr : weights.data();
  scored.samples = rows.samples;
  scored.classes = rows.classes;
  scored.stride = rows.stride;
  typename Face<T>::Options options;
  Face<T>::defaults(&options);
  options.kind = b.below(kind & 16 ? 4 : 2);
  if (kind & 32) options.tolerance = b.number<T>();
  if (kind & 64) options.max_iterations = b.below(8);
  Given given(kind, Face<T>::calibration_bytes(options.kind, rows.classes));
  typename Face<T>::Calibration calibration{};
  typename Face<T>::Report report;
  const std::uint32_t status =
      Face<T>::calibrate(&scored, &options, given.arena.data(), given.arena.size(), &calibration, &report);
  given.check(status);
  expect(report.status == status, "the report has the status that was returned");
  if (is_refusal(status)) return expect(calibration.classes == 0, "a refused calibration has no classes");
  expect(report.objective == report.objective, "an objective is a number");
  if (calibration.classes == 0) return;
  expect(calibration.classes == rows.classes, "a calibration has the classes of its scores");
  check_probabilities<T>(b, calibration);
  std::vector<typename Face<T>::Bin> bins(b.below(4));
  typename Face<T>::Reliability reliability{};
  const std::uint32_t measured =
      Face<T>::measure(&calibration, &scored, bins.data(), static_cast<std::uint32_t>(bins.size()), &reliability);
  expect(measured == (bins.empty() ? TAMIS_INVALID_OPTION : TAMIS_CONVERGED), "what was fitted to can be measured");
  if (bins.empty()) return;
  T total = 0;
  for (const auto& bin : bins) {
    expect(bin.accuracy >= 0 && bin.accuracy <= T(1.0001f) && bin.weight >= 0, "a bin has shares");
    total += bin.weight;
  }
  expect(total > T(0.999f) && total < T(1.001f), "bins have all samples");
  expect(reliability.error >= 0 && reliability.error <= T(1.0001f), "an error is a share");
}

template <class T>
void run_sets(Bytes& b) {
  const std::uint8_t kind = b.byte();
  const Rows<T> rows(b);
  std::vector<std::uint32_t> starts{0};
  std::vector<std::uint16_t> members;
  const std::uint32_t count = b.below(5);
  for (std::uint32_t y = 0; y < count; ++y) {
    const std::uint8_t in = b.byte();  // a class for each bit, but now and then any numbers
    for (std::uint32_t k = 0; k < rows.classes && k < 6; ++k)
      if (in >> k & 1) members.push_back(static_cast<std::uint16_t>(in >= 0xf0 ? b.byte() : k));
    starts.push_back(static_cast<std::uint32_t>(members.size()));
  }
  if (members.empty()) members.push_back(0);
  const auto labels = rows.labels(b, count);
  typename Face<T>::ScoredSets scored{};
  scored.scores = rows.scores.data();
  scored.labels = labels.data();
  scored.set_starts = starts.data();
  scored.set_members = members.data();
  scored.set_count = count;
  scored.samples = rows.samples;
  scored.classes = rows.classes;
  scored.stride = rows.stride;
  const std::uint32_t which = b.below(kind & 16 ? 4 : 2);
  Given given(kind, Face<T>::threshold_bytes(which, rows.samples, rows.classes));
  typename Face<T>::Thresholds thresholds{};
  const std::uint32_t status = Face<T>::choose(which, &scored, given.arena.data(), given.arena.size(), &thresholds);
  given.check(status);
  if (is_refusal(status)) return expect(thresholds.classes == 0, "what was refused has no thresholds");
  expect(status == TAMIS_CONVERGED && thresholds.classes == rows.classes, "thresholds are of all classes");
  std::vector<std::uint16_t> set(rows.classes);
  for (std::uint32_t i = 0; i <= rows.samples; ++i) {
    std::vector<T> given_scores(rows.classes);
    for (std::uint32_t k = 0; k < rows.classes; ++k)
      given_scores[k] = i < rows.samples ? rows.scores[std::size_t(i) * rows.stride + k] : b.number<T>();
    const std::uint32_t found = Face<T>::set_of(&thresholds, given_scores.data(), set.data());
    expect(found <= rows.classes, "a set has no more classes than there are");
    for (std::uint32_t e = 0; e < found; ++e) {
      expect(set[e] < rows.classes && (e == 0 || set[e - 1] < set[e]), "a set has classes that ascend");
      expect(given_scores[set[e]] == given_scores[set[e]], "scores that are no numbers belong to no class");
    }
  }
}

template <class T>
void run(Bytes& b) {
  if (b.flag()) run_sets<T>(b);
  else run_calibration<T>(b);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  if (bytes.flag()) run<double>(bytes);
  else run<float>(bytes);
  return 0;
}
