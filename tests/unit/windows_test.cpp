// Windows over the readings of sensors, against closed forms and values worked out independently with numpy.
#include "tamis/features/windows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace tamis;

template <class T>
struct Windows {
  explicit Windows(const WindowOptions& options)
      : memory(SensorWindows<T>::requirement(options).bytes / 16 + 1), windows(options) {
    EXPECT_TRUE(windows.start(room())) << windows.refusal();
  }
  std::span<std::byte> room() {
    const auto& options = windows.options();
    return {reinterpret_cast<std::byte*>(memory.data()), SensorWindows<T>::requirement(options).bytes};
  }
  /// The features of the windows that end within the readings; `reading(i, channel)`.
  template <class Reading>
  std::vector<std::vector<T>> over(Index readings, const Reading& reading) {
    std::vector<std::vector<T>> out;
    for (Index i = 0; i < readings; ++i) {
      std::vector<T> now;
      for (Index c = 0; c < windows.options().channels; ++c) now.push_back(static_cast<T>(reading(i, c)));
      EXPECT_TRUE(windows.push(now));
      if (!windows.ready()) continue;
      out.emplace_back(windows.options().features());
      EXPECT_TRUE(windows.features(out.back())) << windows.refusal();
    }
    EXPECT_EQ(out.size(), windows.options().windows(readings));
    return out;
  }

  struct alignas(16) Block {
    std::byte bytes[16];
  };
  std::vector<Block> memory;
  SensorWindows<T> windows;
};

double made(Index i, Index channel) {
  return channel == 0 ? static_cast<double>(i * 37 % 101) / 32 - 1.5 + static_cast<double>(i % 5) * 0.25
                      : static_cast<double>(i * i * 13 % 97) / 64 - 0.75;
}

template <class T>
void expect_near(const std::vector<T>& found, const std::vector<double>& expected, T tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t e = 0; e < found.size(); ++e)
    EXPECT_NEAR(found[e], static_cast<T>(expected[e]), tolerance) << "feature " << e;
}

template <class T>
void expect_numpy(T tolerance) {
  const auto overlapping = Windows<T>({.length = 12, .hop = 5, .channels = 2, .bands = 3}).over(40, made);
  ASSERT_EQ(overlapping.size(), 6u);
  expect_near(overlapping[0],
              {0.299479166667, 1.03953884236, 1.17032877604, 6, 0.58766551088, 0.434760199653, 0.0582152942415,
               -0.141927083333, 0.399964309796, 0.180114746094, 4, 0.0999672729558, 0.0486958821615, 0.011308293993},
              tolerance);
  expect_near(overlapping[4],
              {0.541666666667, 0.994068781853, 1.28157552083, 8, 0.205077006342, 0.722439236111, 0.0606565006025, 0.125,
               0.421633804508, 0.193400065104, 6, 0.0114705724813, 0.104271782769, 0.0620327098537},
              tolerance);
  const auto odd = Windows<T>({.length = 15, .hop = 7, .channels = 2, .bands = 7}).over(40, made);
  ASSERT_EQ(odd.size(), 4u);
  expect_near(odd[3],
              {0.654166666667,
               0.91930019429,
               1.273046875,
               10,
               0.0314621271308,
               0.0280073272427,
               0.0477661849941,
               0.149459486964,
               0.361727430556,
               0.170827565006,
               0.0558627253289,
               0.119791666667,
               0.473746518603,
               0.238785807292,
               8,
               0.000729532884654,
               0.0169795405473,
               0.00680038280088,
               0.13559539194,
               0.0141037326389,
               0.000176613726902,
               0.0500505693499},
              tolerance);
  const auto apart = Windows<T>({.length = 10, .hop = 10, .channels = 2}).over(40, made);
  ASSERT_EQ(apart.size(), 4u);
  expect_near(apart[2], {0.5, 1.01107152319, 1.272265625, 7, 0.0859375, 0.447936348889, 0.208032226563, 6}, tolerance);
}

TEST(Windows, AgreeWithNumpy) {
  expect_numpy<double>(6e-12);
  expect_numpy<float>(2e-6f);
}

TEST(Windows, OfAConstant) {
  const auto windows = Windows<float>({.length = 50, .hop = 1, .bands = 5}).over(60, [](Index, Index) { return 0.1f; });
  for (const auto& window : windows) {
    EXPECT_EQ(window[0], 0.1f);
    EXPECT_NEAR(window[1], 0, 1e-8f);
    EXPECT_NEAR(window[2], 0.01f, 3e-9f);
    EXPECT_EQ(window[3], 0.0f) << "the rounding of the mean crosses nothing";
    for (Index b = 0; b < 5; ++b) EXPECT_NEAR(window[4 + b], 0, 1e-15f);
  }
}

/// a·sin(2πft + φ) + m over whole periods: mean m, deviation a/√2, energy m² + a²/2, 2f crossings or one fewer, and all
/// the power in the band of f.
TEST(Windows, OfAnOscillation) {
  constexpr Index length = 120;
  for (const Index f : {1u, 7u, 30u, 59u}) {
    Windows<double> made_of({.length = length, .hop = length, .bands = 6});
    const auto window = made_of.over(
        length, [&](Index i, Index) { return 3 + 2 * std::sin(2 * 3.14159265358979323846 * f * i / length + 0.3); })[0];
    EXPECT_NEAR(window[0], 3, 1e-14);
    EXPECT_NEAR(window[1], std::sqrt(2.0), 1e-14);
    EXPECT_NEAR(window[2], 11, 1e-13);
    EXPECT_GE(window[3], 2 * f - 1);
    EXPECT_LE(window[3], 2 * f);
    for (Index b = 0; b < 6; ++b) EXPECT_NEAR(window[4 + b], (f - 1) / 10 == b ? 2 : 0, 1e-14) << f;
  }
}

/// At half the sampling frequency a real signal has one line of its spectrum, not two.
TEST(Windows, PowersAddUpToTheVariance) {
  for (const Index length : {2u, 3u, 8u, 13u, 64u, 97u})
    for (const Index bands : {1u, length / 2}) {
      const auto window = Windows<double>({.length = length, .hop = 1, .bands = bands}).over(length, made)[0];
      double total = 0;
      for (Index b = 0; b < bands; ++b) total += window[4 + b];
      EXPECT_NEAR(total, window[1] * window[1], 1e-14) << length;
    }
  const auto alternating =
      Windows<double>({.length = 8, .hop = 1, .bands = 4}).over(8, [](Index i, Index) { return i % 2 ? -1 : 1; })[0];
  expect_near(alternating, {0, 1, 1, 7, 0, 0, 0, 1}, 1e-15);
}

TEST(Windows, ReadingsAtTheMeanDoNotCrossIt) {
  const std::vector<double> signal{1, 0, 0, -1, 0, -1, 0, 1, 0, 0};
  const auto at = [&](Index i, Index) { return signal[i]; };
  EXPECT_EQ(Windows<double>({.length = 10, .hop = 1}).over(10, at)[0][3], 2);
}

TEST(Windows, LargeOffsetsDoNotSpoilTheDeviation) {
  const auto window = Windows<float>({.length = 1000, .hop = 1}).over(1000, [](Index i, Index) {
    return 10000.0f + static_cast<float>(i % 2);
  })[0];
  EXPECT_EQ(window[0], 10000.5f);
  EXPECT_NEAR(window[1], 0.5f, 1e-6f);
  EXPECT_EQ(window[3], 999.0f);
}

TEST(Windows, HopsLongerThanTheWindowLeaveReadingsOut) {
  const auto windows = Windows<double>({.length = 2, .hop = 5}).over(13, [](Index i, Index) { return i; });
  ASSERT_EQ(windows.size(), 3u);
  for (Index w = 0; w < 3; ++w) EXPECT_EQ(windows[w][0], 5 * w + 0.5);
}

TEST(Windows, OneReadingIsAWindow) {
  const auto windows = Windows<float>({.length = 1, .hop = 1}).over(3, [](Index i, Index) { return i; });
  EXPECT_EQ(windows[2], (std::vector<float>{2, 0, 4, 0}));
}

TEST(Windows, BeginAnew) {
  Windows<double> w({.length = 4, .hop = 2});
  const auto at = [](Index i, Index) { return i * i; };
  const auto first = w.over(6, at);
  w.windows.restart();
  EXPECT_FALSE(w.windows.ready());
  EXPECT_EQ(w.over(6, at), first);
}

TEST(Windows, CountThemselves) {
  constexpr WindowOptions options{.length = 10, .hop = 3, .channels = 2, .bands = 4};
  static_assert(options.windows(9) == 0 && options.windows(10) == 1 && options.windows(12) == 1);
  static_assert(options.windows(13) == 2 && options.windows(100) == 31);
  static_assert(options.per_channel() == 8 && options.features() == 16);
  static_assert(SensorWindows<float>::requirement({.length = 128, .hop = 1, .channels = 3}).bytes == 4 * 128 * 3);
  static_assert(SensorWindows<float>::requirement({.length = 128, .hop = 1, .channels = 3, .bands = 8}).bytes ==
                4 * 128 * 9);
}

// ---- refusals ----

TEST(Windows, OptionsThatAreRefused) {
  std::byte memory[16];
  for (const WindowOptions& options :
       {WindowOptions{}, WindowOptions{.length = 8}, WindowOptions{.length = (1 << 24) + 1, .hop = 1},
        WindowOptions{.length = 8, .hop = 1, .channels = 0}, WindowOptions{.length = 8, .hop = 1, .channels = 65537},
        WindowOptions{.length = 8, .hop = 1, .bands = 5}, WindowOptions{.length = 1, .hop = 1, .bands = 1}}) {
    SensorWindows<float> windows(options);
    EXPECT_FALSE(windows.start(memory));
    EXPECT_EQ(windows.status(), Status::invalid_option);
    EXPECT_NE(windows.refusal(), nullptr);
    EXPECT_EQ(SensorWindows<float>::requirement(options).bytes, detail::no_bytes_suffice);
  }
}

TEST(Windows, LongerThanTheBuffer) {
  Windows<float> w({.length = 64, .hop = 16, .channels = 3, .bands = 4});
  const auto room = w.room();
  EXPECT_FALSE(w.windows.start(room.first(room.size() - 1)));
  EXPECT_EQ(w.windows.status(), Status::arena_too_small);
  EXPECT_NE(std::string(w.windows.refusal()).find("longer than the buffer"), std::string::npos);
  EXPECT_FALSE(w.windows.start(room.subspan(1)));
  EXPECT_EQ(w.windows.status(), Status::invalid_arena);
  EXPECT_FALSE(w.windows.ready());
  EXPECT_FALSE(w.windows.push(std::vector<float>(3))) << "there is no buffer";
  EXPECT_EQ(w.windows.status(), Status::invalid_arena);
}

TEST(Windows, BadReadingsAreAsIfTheyHadNotCome) {
  Windows<float> w({.length = 3, .hop = 1, .channels = 2});
  const auto push = [&](std::vector<float> reading) { return w.windows.push(reading); };
  EXPECT_TRUE(push({1, 4}));
  EXPECT_FALSE(push({2, std::nanf("")}));
  EXPECT_EQ(w.windows.status(), Status::invalid_data);
  EXPECT_EQ(w.windows.column(), 1u);
  EXPECT_FALSE(push({INFINITY, 2}));
  EXPECT_EQ(w.windows.column(), 0u);
  EXPECT_FALSE(push({2}));
  EXPECT_EQ(w.windows.status(), Status::invalid_shape);
  EXPECT_TRUE(push({2, 5}));
  std::vector<float> out(8, 7.0f);
  EXPECT_FALSE(w.windows.features(out));
  EXPECT_EQ(w.windows.status(), Status::invalid_data);
  EXPECT_TRUE(push({6, 0}));
  EXPECT_FALSE(w.windows.features(std::span(out).first(7)));
  EXPECT_EQ(w.windows.status(), Status::invalid_shape);
  EXPECT_EQ(out, std::vector<float>(8, 7.0f)) << "nothing touched";
  ASSERT_TRUE(w.windows.features(out));
  EXPECT_EQ(out[0], 3.0f);
  EXPECT_EQ(out[4], 3.0f);
}

}  // namespace
