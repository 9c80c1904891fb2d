#pragma once
/// Text into caller memory, without printf: what the exporters write through.

#include <cstdint>
#include <span>

#include "../profile.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Appends to a buffer; past its end it only counts, so that a first call with an empty buffer gives the size.
/// Nothing is inlined: exporters are long chains of calls whose size matters more than their speed.
class TextSink {
 public:
  explicit TextSink(std::span<char> out) : out_(out) {}

  /// Characters produced so far, whether or not they fitted.
  std::size_t length() const { return length_; }

  [[gnu::noinline]] TextSink& operator<<(char c) {
    if (length_ < out_.size()) out_[length_] = c;
    ++length_;
    return *this;
  }
  [[gnu::noinline]] TextSink& operator<<(const char* text) {
    while (*text) *this << *text++;
    return *this;
  }
  [[gnu::noinline]] TextSink& operator<<(std::uint32_t number) {
    char digits[10];
    int count = 0;
    do digits[count++] = static_cast<char>('0' + number % 10);
    while (number /= 10);
    while (count) *this << digits[--count];
    return *this;
  }
  /// Hexadecimal floating literals of C: exact, and a few lines on any target.
  [[gnu::noinline]] TextSink& operator<<(float value) {
    std::uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    // 23 bits of fraction make 24 with a zero: six hexadecimal digits.
    hexadecimal(bits >> 31, static_cast<int>(bits >> 23 & 0xff), 127, std::uint64_t(bits & 0x7fffff) << 1, 6);
    return *this << 'f';
  }
  [[gnu::noinline]] TextSink& operator<<(double value) {
    std::uint64_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    hexadecimal(bits >> 63, static_cast<int>(bits >> 52 & 0x7ff), 1023, bits & 0xfffffffffffffu, 13);
    return *this;
  }

 private:
  [[gnu::noinline]] void hexadecimal(bool negative, int exponent, int bias, std::uint64_t fraction, int digits) {
    if (negative) *this << '-';
    if (!exponent && !fraction) {
      *this << "0.0";
      return;
    }
    *this << "0x" << (exponent ? '1' : '0');
    if (fraction) *this << '.';
    for (int d = digits - 1; d >= 0 && fraction; --d) {
      *this << "0123456789abcdef"[fraction >> (4 * d) & 0xf];
      fraction &= (std::uint64_t(1) << (4 * d)) - 1;
    }
    const int power = (exponent ? exponent : 1) - bias;
    *this << 'p' << (power < 0 ? '-' : '+') << static_cast<std::uint32_t>(power < 0 ? -power : power);
  }

  std::span<char> out_;
  std::size_t length_ = 0;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
