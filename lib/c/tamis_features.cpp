#include "tamis_features.h"

#include "face.hpp"
#include "tamis/features/scattering.hpp"
#include "tamis/features/signal_scattering.hpp"

namespace {

using namespace tamis;
using namespace tamis::in_c;

/// Options in C are words, in the order in which C++ has them: what wasm/features.js writes.
static_assert(sizeof(tamis_scattering_options) == 7 * 4 && sizeof(tamis_signal_scattering_options) == 6 * 4);

ScatteringOptions options_of(const tamis_scattering_options& o) {
  return {o.height, o.width, o.scales, o.orientations, o.order, o.oversampling, o.by_position != 0};
}
SignalScatteringOptions options_of(const tamis_signal_scattering_options& o) {
  return {o.length, o.scales, o.per_octave, o.order, o.oversampling, o.by_position != 0};
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
template <class Transform>
void write_refusal(const Transform& transform, tamis_features_refusal* out) {
  *out = {static_cast<std::uint32_t>(transform.status()), row_of_refusal(transform), transform.column(),
          transform.refusal()};
}

}  // namespace

#define TAMIS_FEATURES_DEFINE(T, S)                                                                                  \
  std::size_t tamis_scattering_bytes_##S(const tamis_scattering_options* options) {                                  \
    return ScatteringTransform<T>::requirement(options_of(*options)).bytes;                                          \
  }                                                                                                                  \
  std::size_t tamis_signal_scattering_bytes_##S(const tamis_signal_scattering_options* options) {                    \
    return SignalScatteringTransform<T>::requirement(options_of(*options)).bytes;                                    \
  }                                                                                                                  \
  tamis_status tamis_scattering_start_##S(tamis_scattering_##S* scattering, const tamis_scattering_options* options, \
                                          void* arena, std::size_t arena_bytes) {                                    \
    return start(scattering, transform_of<T>(*options), arena, arena_bytes);                                         \
  }                                                                                                                  \
  tamis_status tamis_signal_scattering_start_##S(tamis_signal_scattering_##S* scattering,                            \
                                                 const tamis_signal_scattering_options* options, void* arena,        \
                                                 std::size_t arena_bytes) {                                          \
    return start(scattering, transform_of<T>(*options), arena, arena_bytes);                                         \
  }                                                                                                                  \
  tamis_status tamis_scattering_transform_##S(tamis_scattering_##S* scattering, const T* image, std::size_t pixels,  \
                                              T* out, std::size_t count) {                                           \
    return transform(in<ScatteringTransform<T>>(scattering), image, pixels, out, count);                             \
  }                                                                                                                  \
  tamis_status tamis_signal_scattering_transform_##S(tamis_signal_scattering_##S* scattering, const T* signal,       \
                                                     std::size_t entries, T* out, std::size_t count) {               \
    return transform(in<SignalScatteringTransform<T>>(scattering), signal, entries, out, count);                     \
  }                                                                                                                  \
  void tamis_scattering_refusal_of_##S(const tamis_scattering_##S* scattering, tamis_features_refusal* refusal) {    \
    write_refusal(in<ScatteringTransform<T>>(scattering), refusal);                                                  \
  }                                                                                                                  \
  void tamis_signal_scattering_refusal_of_##S(const tamis_signal_scattering_##S* scattering,                         \
                                              tamis_features_refusal* refusal) {                                     \
    write_refusal(in<SignalScatteringTransform<T>>(scattering), refusal);                                            \
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

#ifndef TAMIS_ONLY_F64
TAMIS_FEATURES_DEFINE(float, f32)
#endif
#ifndef TAMIS_ONLY_F32
TAMIS_FEATURES_DEFINE(double, f64)
#endif

}  // extern "C"
