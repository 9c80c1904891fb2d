// Features in C: the same bits as C++, and every refusal with its status, its place and its sentence.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "support/problems.hpp"
#include "tamis_features.h"

namespace {

using tamis::Index;
using tamis::testing::Generator;
using tamis::testing::GuardedMemory;

// The functions of one scalar by plain names, of images and of signals.
template <class T>
struct Images;
template <class T>
struct Signals;
#define TAMIS_TEST_C(T, S)                                                     \
  template <>                                                                  \
  struct Images<T> {                                                           \
    using Options = tamis_scattering_options;                                  \
    using Transform = tamis_scattering_##S;                                    \
    using Cpp = tamis::ScatteringTransform<T>;                                 \
    static constexpr auto defaults = tamis_default_scattering_options;         \
    static constexpr auto sentence = tamis_scattering_sentence;                \
    static constexpr auto coefficients = tamis_scattering_coefficients;        \
    static constexpr auto bytes = tamis_scattering_bytes_##S;                  \
    static constexpr auto start = tamis_scattering_start_##S;                  \
    static constexpr auto transform = tamis_scattering_transform_##S;          \
    static constexpr auto refusal_of = tamis_scattering_refusal_of_##S;        \
  };                                                                           \
  template <>                                                                  \
  struct Signals<T> {                                                          \
    using Options = tamis_signal_scattering_options;                           \
    using Transform = tamis_signal_scattering_##S;                             \
    using Cpp = tamis::SignalScatteringTransform<T>;                           \
    static constexpr auto defaults = tamis_default_signal_scattering_options;  \
    static constexpr auto sentence = tamis_signal_scattering_sentence;         \
    static constexpr auto coefficients = tamis_signal_scattering_coefficients; \
    static constexpr auto bytes = tamis_signal_scattering_bytes_##S;           \
    static constexpr auto start = tamis_signal_scattering_start_##S;           \
    static constexpr auto transform = tamis_signal_scattering_transform_##S;   \
    static constexpr auto refusal_of = tamis_signal_scattering_refusal_of_##S; \
  };
TAMIS_TEST_C(float, f32)
TAMIS_TEST_C(double, f64)

template <class T>
std::vector<T> made_up(std::size_t count, std::uint32_t seed) {
  Generator generator(seed);
  std::vector<T> out(count);
  for (T& x : out) x = static_cast<T>(generator.uniform());
  return out;
}

template <class C, class T>
void expect_the_bits_of_cpp(const typename C::Options& options, const typename C::Cpp& fresh, std::size_t entries) {
  GuardedMemory memory(C::bytes(&options)), own(C::Cpp::requirement(fresh.options()).bytes);
  ASSERT_EQ(memory.span().size(), own.span().size());
  typename C::Transform transform;
  ASSERT_EQ(C::start(&transform, &options, memory.span().data(), memory.span().size()), TAMIS_RUNNING);
  auto cpp = fresh;
  ASSERT_TRUE(cpp.start(own.span()));
  const std::size_t count = fresh.options().coefficients();
  EXPECT_EQ(C::coefficients(&options), count);
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    const auto input = made_up<T>(entries, seed);
    std::vector<T> out(count), expected(count);
    ASSERT_EQ(C::transform(&transform, input.data(), entries, out.data(), count), TAMIS_RUNNING);
    ASSERT_TRUE(cpp.transform(input, expected));
    EXPECT_EQ(out, expected);
    EXPECT_NE(out[0], out[1]);
  }
  EXPECT_TRUE(memory.surroundings_intact());
  tamis_features_refusal refusal;
  C::refusal_of(&transform, &refusal);
  EXPECT_EQ(refusal.status, std::uint32_t(TAMIS_RUNNING));
  EXPECT_EQ(refusal.sentence, nullptr);
}

tamis_scattering_options of_image(Index height, Index width) {
  tamis_scattering_options o;
  tamis_default_scattering_options(&o);
  o.height = height;
  o.width = width;
  return o;
}
tamis_signal_scattering_options of_signal(Index length) {
  tamis_signal_scattering_options o;
  tamis_default_signal_scattering_options(&o);
  o.length = length;
  return o;
}

TEST(CFeatures, ScatterImagesWithTheBitsOfCpp) {
  auto o = of_image(12, 8);
  expect_the_bits_of_cpp<Images<float>, float>(o, Images<float>::Cpp({.height = 12, .width = 8}), 96);
  expect_the_bits_of_cpp<Images<double>, double>(o, Images<double>::Cpp({.height = 12, .width = 8}), 96);
  o.scales = 3;
  o.orientations = 6;
  o.order = 1;
  o.oversampling = 2;
  o.by_position = 1;
  o.height = 16;
  const tamis::ScatteringOptions all{
      .height = 16, .width = 8, .scales = 3, .orientations = 6, .order = 1, .oversampling = 2, .by_position = true};
  expect_the_bits_of_cpp<Images<float>, float>(o, Images<float>::Cpp(all), 128);
  EXPECT_EQ(tamis_scattering_maps(&o), 1u + 3 * 6);
  EXPECT_EQ(tamis_scattering_coefficients(&o), (1u + 3 * 6) * 8 * 4);
}

TEST(CFeatures, ScatterSignalsWithTheBitsOfCpp) {
  auto o = of_signal(75);
  expect_the_bits_of_cpp<Signals<float>, float>(o, Signals<float>::Cpp({.length = 75}), 75);
  expect_the_bits_of_cpp<Signals<double>, double>(o, Signals<double>::Cpp({.length = 75}), 75);
  o.scales = 5;
  o.per_octave = 4;
  o.order = 1;
  o.oversampling = 1;
  o.by_position = 1;
  const tamis::SignalScatteringOptions all{
      .length = 75, .scales = 5, .per_octave = 4, .order = 1, .oversampling = 1, .by_position = true};
  expect_the_bits_of_cpp<Signals<double>, double>(o, Signals<double>::Cpp(all), 75);
  EXPECT_EQ(tamis_signal_scattering_coefficients(&o), std::size_t{5} * tamis_signal_scattering_lines(&o));
}

/// FNV-1a of the bytes of numbers.
template <class T>
std::uint64_t hash_of(const std::vector<T>& numbers) {
  std::uint64_t hash = 14695981039346656037u;
  for (const std::byte byte : std::as_bytes(std::span(numbers)))
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 1099511628211u;
  return hash;
}
template <class C, class T>
std::uint64_t hash_of_transform(const typename C::Options& options, std::size_t entries) {
  GuardedMemory memory(C::bytes(&options));
  typename C::Transform transform;
  EXPECT_EQ(C::start(&transform, &options, memory.span().data(), memory.span().size()), TAMIS_RUNNING);
  std::vector<T> out(C::coefficients(&options));
  EXPECT_EQ(C::transform(&transform, made_up<T>(entries, 11).data(), entries, out.data(), out.size()), TAMIS_RUNNING);
  return hash_of(out);
}

// The same numbers are in wasm/tests/features.test.mjs: the same bits on every target.
TEST(CFeatures, HaveTheBitsOfEveryTarget) {
  const auto image = of_image(12, 16);
  const auto signal = of_signal(100);
  EXPECT_EQ((hash_of_transform<Images<float>, float>(image, 192)), 15170068914909669702u);
  EXPECT_EQ((hash_of_transform<Images<double>, double>(image, 192)), 17086894092316696236u);
  EXPECT_EQ((hash_of_transform<Signals<float>, float>(signal, 100)), 2538765627572336006u);
  EXPECT_EQ((hash_of_transform<Signals<double>, double>(signal, 100)), 5222541909109648432u);
}

TEST(CFeatures, HaveThePublishedSizes) {
  auto o = of_image(28, 28);
  EXPECT_EQ(tamis_scattering_maps(&o), 81u);
  EXPECT_EQ(tamis_scattering_coefficients(&o), 81u * 7 * 7);
  EXPECT_LT(tamis_scattering_bytes_f32(&o), 256u << 10);
  o.oversampling = 1;
  EXPECT_EQ(tamis_scattering_coefficients(&o), 15876u);
}

/// Options that are refused, with what start says of them; nothing is touched.
template <class C>
void expect_refusal(const typename C::Options& options, tamis_status status, const char* word) {
  ASSERT_NE(C::sentence(&options), nullptr);
  EXPECT_NE(std::strstr(C::sentence(&options), word), nullptr) << C::sentence(&options);
  EXPECT_EQ(C::coefficients(&options), 0u);
  EXPECT_EQ(C::bytes(&options), SIZE_MAX);
  GuardedMemory memory(1 << 16);
  typename C::Transform transform;
  EXPECT_EQ(C::start(&transform, &options, memory.span().data(), memory.span().size()), status) << word;
  EXPECT_TRUE(memory.untouched());
  tamis_features_refusal refusal;
  C::refusal_of(&transform, &refusal);
  EXPECT_EQ(refusal.status, std::uint32_t(status));
  EXPECT_STREQ(refusal.sentence, C::sentence(&options));
}

TEST(CFeatures, RefuseOptions) {
  expect_refusal<Images<float>>(of_image(0, 28), TAMIS_INVALID_SHAPE, "16384 pixels");
  expect_refusal<Images<float>>(of_image(28, 27), TAMIS_INVALID_SHAPE, "crop or pad");
  expect_refusal<Images<double>>(of_image(28, 2), TAMIS_INVALID_OPTION, "fewer scales");
  auto o = of_image(28, 28);
  o.order = 3;
  expect_refusal<Images<float>>(o, TAMIS_INVALID_OPTION, "order");
  o = of_image(28, 28);
  o.scales = 0xffffffffu;
  expect_refusal<Images<float>>(o, TAMIS_INVALID_OPTION, "scales");
  expect_refusal<Signals<float>>(of_signal(0), TAMIS_INVALID_SHAPE, "entries");
  auto s = of_signal(100);
  s.per_octave = 33;
  expect_refusal<Signals<double>>(s, TAMIS_INVALID_OPTION, "octave");
}

template <class C, class T>
void expect_refusals_of_calls(const typename C::Options& options, std::size_t entries, Index row, Index column) {
  const std::size_t bytes = C::bytes(&options), count = C::coefficients(&options);
  GuardedMemory memory(bytes), crooked(bytes, 4), small(bytes - 1);
  typename C::Transform transform;
  EXPECT_EQ(C::start(&transform, &options, small.span().data(), bytes - 1), TAMIS_ARENA_TOO_SMALL);
  EXPECT_EQ(C::start(&transform, &options, crooked.span().data(), bytes), TAMIS_INVALID_ARENA);
  EXPECT_EQ(C::start(&transform, &options, nullptr, bytes), TAMIS_INVALID_ARENA);
  EXPECT_TRUE(small.untouched() && crooked.untouched());
  auto input = made_up<T>(entries, 5);
  std::vector<T> out(count, T(7));
  const auto call = [&](const T* in, std::size_t given, T* to, std::size_t room) {
    return C::transform(&transform, in, given, to, room);
  };
  EXPECT_EQ(call(input.data(), entries, out.data(), count), TAMIS_INVALID_ARENA) << "refused by start";
  ASSERT_EQ(C::start(&transform, &options, memory.span().data(), bytes), TAMIS_RUNNING);
  EXPECT_EQ(call(input.data(), entries - 1, out.data(), count), TAMIS_INVALID_SHAPE);
  EXPECT_EQ(call(input.data(), entries, out.data(), count + 1), TAMIS_INVALID_SHAPE);
  EXPECT_EQ(call(nullptr, entries, out.data(), count), TAMIS_INVALID_SHAPE);
  EXPECT_EQ(call(input.data(), entries, nullptr, count), TAMIS_INVALID_SHAPE);
  input[entries - 2] = std::numeric_limits<T>::infinity();
  EXPECT_EQ(call(input.data(), entries, out.data(), count), TAMIS_INVALID_DATA);
  tamis_features_refusal refusal;
  C::refusal_of(&transform, &refusal);
  EXPECT_EQ(refusal.status, std::uint32_t(TAMIS_INVALID_DATA));
  EXPECT_EQ(refusal.row, row);
  EXPECT_EQ(refusal.column, column);
  EXPECT_NE(std::strstr(refusal.sentence, "not finite"), nullptr);
  EXPECT_EQ(out, std::vector<T>(count, T(7)));
  input[entries - 2] = 0;
  EXPECT_EQ(call(input.data(), entries, out.data(), count), TAMIS_RUNNING);
  C::refusal_of(&transform, &refusal);
  EXPECT_EQ(refusal.sentence, nullptr);
}

TEST(CFeatures, RefuseImagesAndSignals) {
  expect_refusals_of_calls<Images<float>, float>(of_image(8, 12), 96, 7, 10);
  expect_refusals_of_calls<Images<double>, double>(of_image(8, 12), 96, 7, 10);
  expect_refusals_of_calls<Signals<float>, float>(of_signal(40), 40, 0, 38);
  expect_refusals_of_calls<Signals<double>, double>(of_signal(40), 40, 0, 38);
}

// Readings of two channels, the windows that they come to.
template <class T>
struct Windows;
#define TAMIS_TEST_WINDOWS(T, S)                                       \
  template <>                                                          \
  struct Windows<T> {                                                  \
    using State = tamis_windows_##S;                                   \
    static constexpr auto bytes = tamis_windows_bytes_##S;             \
    static constexpr auto start = tamis_windows_start_##S;             \
    static constexpr auto restart = tamis_windows_restart_##S;         \
    static constexpr auto push = tamis_windows_push_##S;               \
    static constexpr auto ready = tamis_windows_ready_##S;             \
    static constexpr auto features_of = tamis_windows_features_of_##S; \
    static constexpr auto refusal_of = tamis_windows_refusal_of_##S;   \
    static constexpr auto hash = tamis_hash_line_##S;                  \
  };
TAMIS_TEST_WINDOWS(float, f32)
TAMIS_TEST_WINDOWS(double, f64)

template <class T>
void expect_the_windows_of_cpp() {
  using W = Windows<T>;
  tamis_windows_options o;
  tamis_default_windows_options(&o);
  EXPECT_EQ(o.channels, 1u);
  o.length = 10;
  o.hop = 4;
  o.channels = 2;
  o.bands = 3;
  ASSERT_EQ(tamis_windows_sentence(&o), nullptr);
  ASSERT_EQ(tamis_windows_features(&o), 14u);
  const std::size_t bytes = W::bytes(&o);
  GuardedMemory memory(bytes), own(bytes), small(bytes - 1);
  typename W::State windows;
  tamis_features_refusal refusal;
  EXPECT_EQ(W::start(&windows, &o, small.span().data(), bytes - 1), TAMIS_ARENA_TOO_SMALL);
  W::refusal_of(&windows, &refusal);
  EXPECT_NE(std::strstr(refusal.sentence, "longer than the buffer"), nullptr);
  EXPECT_TRUE(small.untouched());
  ASSERT_EQ(W::start(&windows, &o, memory.span().data(), bytes), TAMIS_RUNNING);
  tamis::SensorWindows<T> expected({.length = 10, .hop = 4, .channels = 2, .bands = 3});
  ASSERT_TRUE(expected.start(own.span()));
  const auto readings = made_up<T>(60, 3);
  int seen = 0;
  std::vector<T> out(14), wanted(14);
  for (Index i = 0; i < 30; ++i) {
    if (i == 17) {  // refused readings leave no trace
      const T bad[] = {1, tamis::infinity<T>};
      EXPECT_EQ(W::push(&windows, bad, 2), TAMIS_INVALID_DATA);
      W::refusal_of(&windows, &refusal);
      EXPECT_EQ(refusal.status, std::uint32_t(TAMIS_INVALID_DATA));
      EXPECT_EQ(refusal.column, 1u);
      EXPECT_EQ(W::push(&windows, bad, 1), TAMIS_INVALID_SHAPE);
      EXPECT_EQ(W::push(&windows, nullptr, 2), TAMIS_INVALID_SHAPE);
    }
    ASSERT_EQ(W::push(&windows, readings.data() + 2 * i, 2), TAMIS_RUNNING);
    ASSERT_TRUE(expected.push({readings.data() + 2 * i, 2}));
    ASSERT_EQ(W::ready(&windows), expected.ready());
    EXPECT_EQ(expected.ready(), i >= 9 && (i - 9) % 4 == 0);
    if (!expected.ready()) {
      EXPECT_EQ(W::features_of(&windows, out.data(), 14), TAMIS_INVALID_DATA);
      continue;
    }
    ++seen;
    EXPECT_EQ(W::features_of(&windows, out.data(), 13), TAMIS_INVALID_SHAPE);
    EXPECT_EQ(W::features_of(&windows, nullptr, 14), TAMIS_INVALID_SHAPE);
    ASSERT_EQ(W::features_of(&windows, out.data(), 14), TAMIS_RUNNING);
    ASSERT_TRUE(expected.features(wanted));
    EXPECT_EQ(out, wanted);
  }
  EXPECT_EQ(seen, 6);
  EXPECT_TRUE(memory.surroundings_intact());
  W::restart(&windows);
  EXPECT_EQ(W::push(&windows, readings.data(), 2), TAMIS_RUNNING);
  EXPECT_EQ(W::ready(&windows), 0);
}

TEST(CFeatures, WindowsAreThoseOfCpp) {
  expect_the_windows_of_cpp<float>();
  expect_the_windows_of_cpp<double>();
  tamis_windows_options o;
  tamis_default_windows_options(&o);
  o.length = 10;
  tamis_windows_f32 windows;
  GuardedMemory memory(1000);
  EXPECT_NE(tamis_windows_sentence(&o), nullptr);
  EXPECT_EQ(tamis_windows_features(&o), 0u);
  EXPECT_EQ(tamis_windows_bytes_f32(&o), SIZE_MAX);
  EXPECT_EQ(tamis_windows_start_f32(&windows, &o, memory.span().data(), 1000), TAMIS_INVALID_OPTION);
  EXPECT_TRUE(memory.untouched());
  const float reading = 1;
  EXPECT_EQ(tamis_windows_push_f32(&windows, &reading, 1), TAMIS_INVALID_ARENA) << "not started";
  EXPECT_EQ(tamis_windows_ready_f32(&windows), 0);
}

template <class T>
void expect_the_hashes_of_cpp() {
  const std::string line = "The cat, the dog and the cats' THE\xc3\xa9 42";
  tamis_hashing_options o;
  tamis_default_hashing_options(&o);
  EXPECT_EQ(o.bits, 18u);
  EXPECT_EQ(o.norm, std::uint32_t(TAMIS_SAMPLE_NORM_L2));
  for (const std::uint32_t norm : {TAMIS_SAMPLE_NORM_NONE, TAMIS_SAMPLE_NORM_L1, TAMIS_SAMPLE_NORM_MAX}) {
    o.bits = 6 + norm;
    o.ngrams = 1 + norm;
    o.alternating = norm != TAMIS_SAMPLE_NORM_L1;
    o.sublinear = norm == TAMIS_SAMPLE_NORM_L1;
    o.norm = norm;
    tamis::FeatureHashing<T> expected({.bits = o.bits,
                                       .ngrams = o.ngrams,
                                       .alternating = o.alternating != 0,
                                       .sublinear = o.sublinear != 0,
                                       .norm = static_cast<tamis::SampleNorm>(norm)});
    const std::size_t room = tamis_count_terms(line.data(), line.size(), o.ngrams);
    ASSERT_EQ(room, tamis::count_terms(line, o.ngrams));
    std::vector<std::uint32_t> features(room, 7), others(room, 7);
    std::vector<T> values(room, 7), wanted(room, 7);
    std::uint32_t count = 99;
    EXPECT_EQ(Windows<T>::hash(&o, line.data(), line.size(), features.data(), values.data(), room - 1, &count),
              TAMIS_ARENA_TOO_SMALL);
    EXPECT_EQ(count, 0u);
    EXPECT_EQ(features, others);
    ASSERT_EQ(Windows<T>::hash(&o, line.data(), line.size(), features.data(), values.data(), room, &count),
              TAMIS_RUNNING);
    ASSERT_TRUE(expected.transform(line, others, wanted));
    EXPECT_EQ(count, expected.count());
    EXPECT_GT(count, 5u);
    EXPECT_EQ(features, others);
    EXPECT_EQ(values, wanted);
    EXPECT_EQ(Windows<T>::hash(&o, nullptr, 5, nullptr, nullptr, 0, &count), TAMIS_RUNNING) << "no terms";
    EXPECT_EQ(count, 0u);
  }
  o.norm = 4;
  std::uint32_t count, feature;
  T value;
  EXPECT_NE(tamis_hashing_sentence(&o), nullptr);
  EXPECT_EQ(Windows<T>::hash(&o, "a", 1, &feature, &value, 1, &count), TAMIS_INVALID_OPTION);
  o.norm = 0;
  o.bits = 25;
  EXPECT_NE(std::strstr(tamis_hashing_sentence(&o), "bits"), nullptr);
  EXPECT_EQ(Windows<T>::hash(&o, "a", 1, &feature, &value, 1, &count), TAMIS_INVALID_OPTION);
}

TEST(CFeatures, HashesAreThoseOfCpp) {
  expect_the_hashes_of_cpp<float>();
  expect_the_hashes_of_cpp<double>();
}

}  // namespace
