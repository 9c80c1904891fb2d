#include "tamis/arena.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tamis/solver/working_set.hpp"

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

/// Solvers clear all numbers at once, and a path keeps the model of a run, which is what an arena begins with.
TEST(CommonMemory, HasTheModelFirstAndNumbersBeforeLists) {
  for (const Shape shape : {Shape{7, 5, 3}, Shape{1, 1, 1}, Shape{20, 64, 9}}) {
    std::vector<double> room(count_bytes<CommonMemory<double>>(shape).bytes / sizeof(double));
    const std::span<std::byte> memory(reinterpret_cast<std::byte*>(room.data()), room.size() * sizeof(double));
    Arena arena(memory);
    const auto m = CommonMemory<double>::lay_out(arena, shape);
    const double* const list = reinterpret_cast<double*>(m.list);
    EXPECT_EQ(m.best, room.data());
    EXPECT_GE(m.means, m.best + CommonMemory<double>::coefficients(shape));
    for (const double* numbers : {m.means, m.row[0], m.row[1], m.row[2], m.score}) EXPECT_LT(numbers, list);
    EXPECT_LT(reinterpret_cast<std::uint8_t*>(m.list), m.active);
    EXPECT_FALSE(arena.exhausted());
  }
}

}  // namespace
