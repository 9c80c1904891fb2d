#pragma once
/// What the fuzz targets share: reading structured input from bytes, and what must hold.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

/// The one function of a target: whatever the bytes, it returns, or ends the program where something does not hold.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tamis::fuzz {

/// Ends the program where `holds` is false: what libFuzzer and the replay of a corpus take as a find.
inline void expect(bool holds, const char* what, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
  std::abort();
}

/// Input as numbers, one after the other; zeros once it is used up.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : at_(data), left_(size) {}

  bool empty() const { return left_ == 0; }
  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *at_++;
  }
  bool flag() { return byte() & 1; }
  /// A whole number below `end`, which is at most 256.
  std::uint32_t below(std::uint32_t end) { return byte() % end; }
  std::uint32_t word() {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | byte();
    return value;
  }
  /// Mostly a small whole number in 1/8, which solvers can do something with; else the edges of T, or any bits.
  template <class T>
  T number() {
    using Limits = std::numeric_limits<T>;
    constexpr T edges[] = {T(0),          -T(0),         Limits::infinity(), -Limits::infinity(),  Limits::quiet_NaN(),
                           Limits::min(), Limits::max(), -Limits::max(),     Limits::denorm_min(), Limits::epsilon(),
                           T(1e-30f),     T(1e30f)};
    const std::uint8_t kind = byte();
    if (kind < 240) return T(static_cast<int>(kind) - 120) / T(8);
    if (kind < 252) return edges[kind - 240];
    if constexpr (sizeof(T) == 4) return std::bit_cast<T>(word());
    else return std::bit_cast<T>(std::uint64_t(word()) << 32 | word());
  }
  /// The same without what is not finite.
  template <class T>
  T finite() {
    const T value = number<T>();
    return value - value == T(0) ? value : T(1);
  }
  template <class T>
  std::vector<T> numbers(std::size_t count) {
    std::vector<T> out(count);
    for (T& value : out) value = number<T>();
    return out;
  }
  /// Up to `most` of the bytes that follow.
  std::span<const std::uint8_t> some(std::size_t most) {
    const std::span out(at_, most < left_ ? most : left_);
    at_ += out.size();
    left_ -= out.size();
    return out;
  }
  std::span<const std::uint8_t> rest() { return some(left_); }

 private:
  const std::uint8_t* at_;
  std::size_t left_;
};

/// Memory of exactly so many bytes, aligned to 16 unless `off` moves it, between guards that must keep their value.
class Guarded {
 public:
  explicit Guarded(std::size_t bytes, std::size_t off = 0)
      : bytes_(bytes), off_(off), memory_(2 * guard + bytes + 32, mark) {
    begin_ = (16 - reinterpret_cast<std::uintptr_t>(memory_.data()) % 16) % 16 + guard + off_;
  }
  std::byte* data() { return memory_.data() + begin_; }
  std::size_t size() const { return bytes_; }
  std::span<std::byte> span() { return {data(), bytes_}; }

  /// Nothing outside was written; with `refused`, nothing inside either.
  void check(bool refused = false, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    for (std::size_t i = 0; i < memory_.size(); ++i)
      if (refused || i < begin_ || i >= begin_ + bytes_)
        expect(memory_[i] == mark, refused ? "a refusal touches nothing" : "nothing outside the memory is written",
               file, line);
  }

 private:
  static constexpr std::size_t guard = 64;
  static constexpr std::byte mark{0xa5};
  std::size_t bytes_, off_, begin_ = 0;
  std::vector<std::byte> memory_;
};

/// Equal bit by bit, so that NaN equals itself.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  static_assert(std::is_arithmetic_v<T>);
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

}  // namespace tamis::fuzz
