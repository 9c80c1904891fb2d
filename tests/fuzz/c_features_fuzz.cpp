// Scattering, windows and hashing through tamis_features.h: options are refused with a sentence, samples that are not
// finite too, and what is written is finite and stays in its memory.
#include "c_face.hpp"
#include "tamis_features.h"

namespace {

using namespace tamis::fuzz;

template <class T>
struct Face;
#define TAMIS_FUZZ_FACE(REAL, S)                                                    \
  template <>                                                                       \
  struct Face<REAL> {                                                               \
    using Scattering = tamis_scattering_##S;                                        \
    using Signal = tamis_signal_scattering_##S;                                     \
    using Windows = tamis_windows_##S;                                              \
    static constexpr auto scattering_bytes = tamis_scattering_bytes_##S;            \
    static constexpr auto scattering_start = tamis_scattering_start_##S;            \
    static constexpr auto scattering_transform = tamis_scattering_transform_##S;    \
    static constexpr auto scattering_refusal = tamis_scattering_refusal_of_##S;     \
    static constexpr auto signal_bytes = tamis_signal_scattering_bytes_##S;         \
    static constexpr auto signal_start = tamis_signal_scattering_start_##S;         \
    static constexpr auto signal_transform = tamis_signal_scattering_transform_##S; \
    static constexpr auto signal_refusal = tamis_signal_scattering_refusal_of_##S;  \
    static constexpr auto windows_bytes = tamis_windows_bytes_##S;                  \
    static constexpr auto windows_start = tamis_windows_start_##S;                  \
    static constexpr auto windows_push = tamis_windows_push_##S;                    \
    static constexpr auto windows_ready = tamis_windows_ready_##S;                  \
    static constexpr auto windows_restart = tamis_windows_restart_##S;              \
    static constexpr auto windows_features = tamis_windows_features_of_##S;         \
    static constexpr auto hash_line = tamis_hash_line_##S;                          \
  };
TAMIS_FUZZ_SCALARS(TAMIS_FUZZ_FACE)

constexpr std::size_t most = std::size_t(1) << 18;  // bytes, so that it is fast

/// Small numbers, or a word that may be anything.
std::uint32_t option(Bytes& b, std::uint32_t end) { return b.below(16) == 15 ? b.word() : b.below(end); }

template <class T>
std::vector<T> moderate(Bytes& b, std::size_t count, bool& finite) {
  std::vector<T> out(count);
  const bool all = b.flag();
  for (T& x : out) {
    x = b.number<T>();
    finite &= x - x == 0;
    if (!all && !(x > T(-1e6f) && x < T(1e6f))) x = 1;
  }
  if (!all) finite = true;
  return out;
}

/// One transform of one of the kinds; `sides`: entries of a sample.
template <class T, class State, class Options, class BytesOf, class Start, class Transform, class Refusal>
void scatter(Bytes& b, const Options& o, const char* sentence, std::size_t coefficients, std::uint64_t entries,
             BytesOf bytes_of, Start start, Transform transform, Refusal refusal_of) {
  const std::size_t needed = bytes_of(&o);
  expect((needed == SIZE_MAX) >= (sentence != nullptr), "options that are refused need no memory");
  expect((coefficients == 0) == (sentence != nullptr), "options that are refused have no coefficients");
  const std::uint8_t memory = b.byte();
  if (!sentence && (needed > most || coefficients > most || entries > most)) return;
  const std::size_t least = sentence ? 64 : needed;
  const std::size_t given = memory & 2 ? least - 1 - memory % least : least;
  Guarded arena(given, memory & 4 ? 1 + memory % 15 : 0);
  State state;
  const std::uint32_t begun = start(&state, &o, memory == 0xff ? nullptr : arena.data(), arena.size());
  tamis_features_refusal refusal;
  refusal_of(&state, &refusal);
  expect(refusal.status == begun && (refusal.sentence != nullptr) == (begun != TAMIS_RUNNING), "a refusal is said");
  arena.check(begun != TAMIS_RUNNING);
  if (sentence || given < needed || memory & 4 || memory == 0xff)
    return expect(begun != TAMIS_RUNNING, "options, and an arena that is too small, are refused");
  expect(begun == TAMIS_RUNNING, "sound options are taken");
  bool finite = true;
  const auto sample = moderate<T>(b, entries, finite);
  Guarded out(coefficients * sizeof(T));
  auto* const to = reinterpret_cast<T*>(out.data());
  expect(transform(&state, sample.data(), entries - 1, to, coefficients) == TAMIS_INVALID_SHAPE, "counts are checked");
  expect(transform(&state, nullptr, entries, to, coefficients) == TAMIS_INVALID_SHAPE, "NULL is refused");
  out.check(true);
  const std::uint32_t status = transform(&state, sample.data(), entries, to, coefficients);
  expect(status == (finite ? TAMIS_RUNNING : TAMIS_INVALID_DATA), "a sample that is not finite is refused");
  out.check(!finite);
  arena.check();
}

template <class T>
void windows(Bytes& b) {
  tamis_windows_options o;
  tamis_default_windows_options(&o);
  o.length = option(b, 40);
  o.hop = option(b, 40);
  o.channels = option(b, 5);
  o.bands = option(b, 12);
  const char* const sentence = tamis_windows_sentence(&o);
  const std::size_t needed = Face<T>::windows_bytes(&o), features = tamis_windows_features(&o);
  expect((features == 0) == (sentence != nullptr), "options that are refused have no features");
  if (!sentence && (needed > most || features > most)) return;
  const std::uint8_t memory = b.byte();
  const std::size_t least = sentence ? 64 : needed;
  const std::size_t given = memory & 2 ? least - 1 - memory % least : least;
  Guarded arena(given, memory & 4 ? 1 + memory % 15 : 0);
  typename Face<T>::Windows state;
  const std::uint32_t begun = Face<T>::windows_start(&state, &o, memory == 0xff ? nullptr : arena.data(), given);
  arena.check(begun != TAMIS_RUNNING);
  if (sentence || given < needed || memory & 4 || memory == 0xff)
    return expect(begun != TAMIS_RUNNING, "options, and an arena that is too small, are refused");
  expect(begun == TAMIS_RUNNING, "sound options are taken");
  std::uint64_t readings = 0;
  for (int turn = 0; turn < 128 && !b.empty(); ++turn) {
    const std::uint8_t how = b.byte();
    if (how == 0xfe) {
      Face<T>::windows_restart(&state);
      readings = 0;
    }
    const auto reading = b.numbers<T>(o.channels);
    bool finite = true;
    for (const T x : reading) finite &= x - x == 0;
    const bool right = how != 0xfd;
    const std::uint32_t status = Face<T>::windows_push(&state, reading.data(), right ? o.channels : o.channels + 1);
    expect((status == TAMIS_RUNNING) == (finite && right), "a reading that is not finite is refused");
    readings += status == TAMIS_RUNNING;
    const bool ready = readings >= o.length && (readings - o.length) % o.hop == 0;
    if (status == TAMIS_RUNNING) expect(Face<T>::windows_ready(&state) == int(ready), "windows end when they do");
    Guarded out(features * sizeof(T));
    const std::uint32_t made = Face<T>::windows_features(&state, reinterpret_cast<T*>(out.data()), features);
    if (status == TAMIS_RUNNING) expect((made == TAMIS_RUNNING) == ready, "a window that ends has features");
    out.check(made != TAMIS_RUNNING);
    arena.check();
  }
}

template <class T>
void hashing(Bytes& b) {
  tamis_hashing_options o;
  tamis_default_hashing_options(&o);
  o.bits = option(b, 26);
  o.ngrams = option(b, 10);
  o.alternating = b.below(3);
  o.sublinear = b.below(3);
  o.norm = b.below(5);
  const std::uint8_t cut = b.byte();
  const auto rest = b.rest();
  const std::string line(rest.begin(), rest.end());
  const char* const sentence = tamis_hashing_sentence(&o);
  const std::size_t terms = sentence ? 4 : tamis_count_terms(line.data(), line.size(), o.ngrams);
  const std::size_t room = cut & 1 ? terms - (terms ? cut % (terms + 1) : 0) : terms;
  Guarded features(room * sizeof(std::uint32_t)), values(room * sizeof(T));
  auto* const f = reinterpret_cast<std::uint32_t*>(features.data());
  auto* const v = reinterpret_cast<T*>(values.data());
  std::uint32_t count = 77;
  const std::uint32_t status = Face<T>::hash_line(&o, line.data(), line.size(), f, v, room, &count);
  features.check();
  values.check();
  if (sentence) return expect(status == TAMIS_INVALID_OPTION && count == 0, "options that have a sentence are refused");
  if (room < terms) return expect(status == TAMIS_ARENA_TOO_SMALL && count == 0, "room that is too small is refused");
  expect(status == TAMIS_RUNNING && count <= room, "a line becomes features");
  T largest = 0;
  for (std::uint32_t e = 0; e < count; ++e) {
    expect(f[e] < std::uint32_t(1) << o.bits && (e == 0 || f[e - 1] < f[e]), "features ascend");
    expect(v[e] != 0 && v[e] - v[e] == 0, "values are finite, and not zero");
    if (v[e] > largest) largest = v[e];
    if (-v[e] > largest) largest = -v[e];
  }
  if (o.norm != TAMIS_SAMPLE_NORM_NONE) expect(largest <= T(1.001f), "a sample that is divided by its norm is below 1");
}

template <class T>
void run(Bytes& b) {
  switch (b.below(4)) {
    case 0: {
      tamis_scattering_options o;
      tamis_default_scattering_options(&o);
      o.height = option(b, 17);
      o.width = option(b, 17);
      o.scales = option(b, 4);
      o.orientations = option(b, 5);
      o.order = option(b, 4);
      o.oversampling = option(b, 4);
      o.by_position = b.below(2);
      return scatter<T, typename Face<T>::Scattering>(
          b, o, tamis_scattering_sentence(&o), tamis_scattering_coefficients(&o), std::uint64_t(o.height) * o.width,
          Face<T>::scattering_bytes, Face<T>::scattering_start, Face<T>::scattering_transform,
          Face<T>::scattering_refusal);
    }
    case 1: {
      tamis_signal_scattering_options o;
      tamis_default_signal_scattering_options(&o);
      o.length = option(b, 130);
      o.scales = option(b, 6);
      o.per_octave = option(b, 5);
      o.order = option(b, 4);
      o.oversampling = option(b, 5);
      o.by_position = b.below(2);
      return scatter<T, typename Face<T>::Signal>(
          b, o, tamis_signal_scattering_sentence(&o), tamis_signal_scattering_coefficients(&o), o.length,
          Face<T>::signal_bytes, Face<T>::signal_start, Face<T>::signal_transform, Face<T>::signal_refusal);
    }
    case 2: return windows<T>(b);
    default: return hashing<T>(b);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  if (bytes.flag()) run<double>(bytes);
  else run<float>(bytes);
  return 0;
}
