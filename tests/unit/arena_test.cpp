#include "tamis/arena.hpp"

#include <gtest/gtest.h>

namespace {

using namespace tamis;

TEST(Requirement, BothAddAndEitherTakesTheLarger) {
  constexpr Requirement a{32}, b{48};
  static_assert((a & b).bytes == 80);
  static_assert((a | b).bytes == 48);
}

TEST(Requirement, SaturatesInsteadOfWrapping) {
  constexpr Requirement huge{static_cast<std::size_t>(-1) - 8};
  static_assert((huge & Requirement{32}).bytes == static_cast<std::size_t>(-1));
}

TEST(Arena, CountsWhatItWouldHandOut) {
  alignas(Arena::alignment) std::byte memory[256];
  Arena counting, real{std::span<std::byte>(memory)};
  for (const std::size_t count : {1, 3, 5}) {
    counting.take<float>(count);
    EXPECT_NE(real.take<float>(count), nullptr);
    counting.take<std::uint8_t>(count);
    EXPECT_NE(real.take<std::uint8_t>(count), nullptr);
  }
  EXPECT_EQ(counting.used(), real.used());
  EXPECT_FALSE(real.exhausted());
}

TEST(Arena, BlocksAreAlignedAndDoNotOverlap) {
  alignas(Arena::alignment) std::byte memory[256];
  Arena arena{std::span<std::byte>(memory)};
  const auto a = reinterpret_cast<std::uintptr_t>(arena.take<std::uint8_t>(3));
  const auto b = reinterpret_cast<std::uintptr_t>(arena.take<double>(2));
  EXPECT_EQ(a % Arena::alignment, 0u);
  EXPECT_EQ(b % Arena::alignment, 0u);
  EXPECT_GE(b, a + 3);
}

TEST(Arena, SaysWhenItIsExhausted) {
  alignas(Arena::alignment) std::byte memory[32];
  Arena arena{std::span<std::byte>(memory)};
  EXPECT_NE(arena.take<float>(8), nullptr);
  EXPECT_EQ(arena.take<float>(1), nullptr);
  EXPECT_TRUE(arena.exhausted());
}

TEST(Arena, AbsurdSizesSaturate) {
  Arena counting;
  counting.take<double>(static_cast<std::size_t>(-1) / 4);
  EXPECT_EQ(counting.used(), static_cast<std::size_t>(-1));
  counting.take<double>(1);
  EXPECT_EQ(counting.used(), static_cast<std::size_t>(-1));
}

}  // namespace
