#include "tamis_features.h"

#include "face.hpp"
#include "tamis/features/hashing.hpp"
#include "tamis/features/scattering.hpp"
#include "tamis/features/signal_scattering.hpp"
#include "tamis/features/windows.hpp"

namespace {

using namespace tamis;
using namespace tamis::in_c;

/// Options in C are words, in the order in which C++ has them: what wasm/features.js writes.
static_assert(sizeof(tamis_scattering_options) == 7 * 4 && sizeof(tamis_signal_scattering_options) == 6 * 4 &&
              sizeof(tamis_windows_options) == 4 * 4 && sizeof(tamis_hashing_options) == 5 * 4);
static_assert(TAMIS_SAMPLE_NORM_NONE == int(SampleNorm::none) && TAMIS_SAMPLE_NORM_L1 == int(SampleNorm::l1) &&
              TAMIS_SAMPLE_NORM_L2 == int(SampleNorm::l2) && TAMIS_SAMPLE_NORM_MAX == int(SampleNorm::max));

ScatteringOptions options_of(const tamis_scattering_options& o) {
  return {o.height, o.width, o.scales, o.orientations, o.order, o.oversampling, o.by_position != 0};
}
SignalScatteringOptions options_of(const tamis_signal_scattering_options& o) {
  return {o.length, o.scales, o.per_octave, o.order, o.oversampling, o.by_position != 0};
}
WindowOptions options_of(const tamis_windows_options& o) { return {o.length, o.hop, o.channels, o.bands}; }
HashingOptions options_of(const tamis_hashing_options& o) {
  return {o.bits, o.ngrams, o.alternating != 0, o.sublinear != 0, static_cast<SampleNorm>(o.norm)};
}
const char* sentence_of(const tamis_hashing_options& o) {
  if (o.norm > TAMIS_SAMPLE_NORM_MAX) return "the norm of samples is not known";
  return options_of(o).refusal();
}
template <class T>
ScatteringTransform<T> transform_of(const tamis_scattering_options& o) {
  return ScatteringTransform<T>(options_of(o));
}
template <class T>
SignalScatteringTransform<T> transform_of(const tamis_signal_scattering_options& o) {
  return SignalScatteringTransform<T>(options_of(o));
}

/// Memory of the caller as what lives there.
template <class State, class Memory>
State& in(const Memory* memory) {
  static_assert(sizeof(State) <= sizeof(Memory) && alignof(State) <= alignof(std::uint64_t));
  return *std::launder(reinterpret_cast<State*>(const_cast<Memory*>(memory)));
}

template <class Transform, class Memory>
tamis_status start(Memory* memory, const Transform& fresh, void* arena, std::size_t bytes) {
  static_assert(sizeof(Transform) <= sizeof(Memory) && alignof(Transform) <= alignof(std::uint64_t));
  auto* transform = ::new (static_cast<void*>(memory)) Transform(fresh);
  transform->start({static_cast<std::byte*>(arena), bytes});
  return as_c(transform->status());
}

/// A null pointer is no value at all, whatever the count says.
template <class T, class Transform>
tamis_status transform(Transform& transform, const T* values, std::size_t count, T* out, std::size_t room) {
  transform.transform({values, values ? count : 0}, {out, out ? room : 0});
  return as_c(transform.status());
}

Index row_of_refusal(const auto& transform) {
  if constexpr (requires { transform.row(); }) return transform.row();
  return 0;
}
template <class T>
tamis_status hash(const tamis_hashing_options& o, std::span<const char> line, Index* features, T* values,
                  std::size_t room, std::uint32_t* count) {
  *count = 0;
  if (sentence_of(o)) return TAMIS_INVALID_OPTION;
  FeatureHashing<T> hashing(options_of(o));
  hashing.transform(line, {features, features ? room : 0}, {values, values ? room : 0});
  *count = hashing.count();
  return as_c(hashing.status());
}

template <class Transform>
void write_refusal(const Transform& transform, tamis_features_refusal* out) {
  *out = {static_cast<std::uint32_t>(transform.status()), row_of_refusal(transform), transform.column(),
          transform.refusal()};
}

}  // namespace

#define TAMIS_FEATURES_DEFINE(T, S)                                                                                   \
  std::size_t tamis_scattering_bytes_##S(const tamis_scattering_options* options) {                                   \
    return ScatteringTransform<T>::requirement(options_of(*options)).bytes;                                           \
  }                                                                                                                   \
  std::size_t tamis_signal_scattering_bytes_##S(const tamis_signal_scattering_options* options) {                     \
    return SignalScatteringTransform<T>::requirement(options_of(*options)).bytes;                                     \
  }                                                                                                                   \
  tamis_status tamis_scattering_start_##S(tamis_scattering_##S* scattering, const tamis_scattering_options* options,  \
                                          void* arena, std::size_t arena_bytes) {                                     \
    return start(scattering, transform_of<T>(*options), arena, arena_bytes);                                          \
  }                                                                                                                   \
  tamis_status tamis_signal_scattering_start_##S(tamis_signal_scattering_##S* scattering,                             \
                                                 const tamis_signal_scattering_options* options, void* arena,         \
                                                 std::size_t arena_bytes) {                                           \
    return start(scattering, transform_of<T>(*options), arena, arena_bytes);                                          \
  }                                                                                                                   \
  tamis_status tamis_scattering_transform_##S(tamis_scattering_##S* scattering, const T* image, std::size_t pixels,   \
                                              T* out, std::size_t count) {                                            \
    return transform(in<ScatteringTransform<T>>(scattering), image, pixels, out, count);                              \
  }                                                                                                                   \
  tamis_status tamis_signal_scattering_transform_##S(tamis_signal_scattering_##S* scattering, const T* signal,        \
                                                     std::size_t entries, T* out, std::size_t count) {                \
    return transform(in<SignalScatteringTransform<T>>(scattering), signal, entries, out, count);                      \
  }                                                                                                                   \
  void tamis_scattering_refusal_of_##S(const tamis_scattering_##S* scattering, tamis_features_refusal* refusal) {     \
    write_refusal(in<ScatteringTransform<T>>(scattering), refusal);                                                   \
  }                                                                                                                   \
  void tamis_signal_scattering_refusal_of_##S(const tamis_signal_scattering_##S* scattering,                          \
                                              tamis_features_refusal* refusal) {                                      \
    write_refusal(in<SignalScatteringTransform<T>>(scattering), refusal);                                             \
  }                                                                                                                   \
  std::size_t tamis_windows_bytes_##S(const tamis_windows_options* options) {                                         \
    return SensorWindows<T>::requirement(options_of(*options)).bytes;                                                 \
  }                                                                                                                   \
  tamis_status tamis_windows_start_##S(tamis_windows_##S* windows, const tamis_windows_options* options, void* arena, \
                                       std::size_t arena_bytes) {                                                     \
    return start(windows, SensorWindows<T>(options_of(*options)), arena, arena_bytes);                                \
  }                                                                                                                   \
  void tamis_windows_restart_##S(tamis_windows_##S* windows) { in<SensorWindows<T>>(windows).restart(); }             \
  tamis_status tamis_windows_push_##S(tamis_windows_##S* windows, const T* reading, std::uint32_t channels) {         \
    auto& state = in<SensorWindows<T>>(windows);                                                                      \
    state.push({reading, reading ? channels : 0});                                                                    \
    return as_c(state.status());                                                                                      \
  }                                                                                                                   \
  int tamis_windows_ready_##S(const tamis_windows_##S* windows) { return in<SensorWindows<T>>(windows).ready(); }     \
  tamis_status tamis_windows_features_of_##S(tamis_windows_##S* windows, T* out, std::size_t count) {                 \
    auto& state = in<SensorWindows<T>>(windows);                                                                      \
    state.features({out, out ? count : 0});                                                                           \
    return as_c(state.status());                                                                                      \
  }                                                                                                                   \
  void tamis_windows_refusal_of_##S(const tamis_windows_##S* windows, tamis_features_refusal* refusal) {              \
    write_refusal(in<SensorWindows<T>>(windows), refusal);                                                            \
  }                                                                                                                   \
  tamis_status tamis_hash_line_##S(const tamis_hashing_options* options, const char* line, std::size_t bytes,         \
                                   std::uint32_t* features, T* values, std::size_t room, std::uint32_t* count) {      \
    return hash<T>(*options, {line, line ? bytes : 0}, features, values, room, count);                                \
  }

extern "C" {

void tamis_default_scattering_options(tamis_scattering_options* options) {
  const ScatteringOptions o;
  *options = {o.height, o.width, o.scales, o.orientations, o.order, o.oversampling, o.by_position};
}
void tamis_default_signal_scattering_options(tamis_signal_scattering_options* options) {
  const SignalScatteringOptions o;
  *options = {o.length, o.scales, o.per_octave, o.order, o.oversampling, o.by_position};
}
const char* tamis_scattering_sentence(const tamis_scattering_options* options) {
  return options_of(*options).refusal();
}
const char* tamis_signal_scattering_sentence(const tamis_signal_scattering_options* options) {
  return options_of(*options).refusal();
}
std::uint32_t tamis_scattering_maps(const tamis_scattering_options* options) {
  const ScatteringOptions o = options_of(*options);
  return o.refusal() ? 0 : o.maps();
}
std::size_t tamis_scattering_coefficients(const tamis_scattering_options* options) {
  const ScatteringOptions o = options_of(*options);
  return o.refusal() ? 0 : o.coefficients();
}
std::uint32_t tamis_signal_scattering_lines(const tamis_signal_scattering_options* options) {
  const SignalScatteringOptions o = options_of(*options);
  return o.refusal() ? 0 : o.lines();
}
std::size_t tamis_signal_scattering_coefficients(const tamis_signal_scattering_options* options) {
  const SignalScatteringOptions o = options_of(*options);
  return o.refusal() ? 0 : o.coefficients();
}

void tamis_default_windows_options(tamis_windows_options* options) {
  const WindowOptions o;
  *options = {o.length, o.hop, o.channels, o.bands};
}
const char* tamis_windows_sentence(const tamis_windows_options* options) { return options_of(*options).refusal(); }
std::size_t tamis_windows_features(const tamis_windows_options* options) {
  const WindowOptions o = options_of(*options);
  return o.refusal() ? 0 : o.features();
}
void tamis_default_hashing_options(tamis_hashing_options* options) {
  const HashingOptions o;
  *options = {o.bits, o.ngrams, o.alternating, o.sublinear, static_cast<std::uint32_t>(o.norm)};
}
const char* tamis_hashing_sentence(const tamis_hashing_options* options) { return sentence_of(*options); }
std::size_t tamis_count_terms(const char* line, std::size_t bytes, std::uint32_t ngrams) {
  return count_terms({line, line ? bytes : 0}, ngrams);
}

TAMIS_FOR_SCALARS(TAMIS_FEATURES_DEFINE)

}  // extern "C"
