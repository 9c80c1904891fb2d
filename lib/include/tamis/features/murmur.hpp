#pragma once
/// The hash function of words.

#include "../shape.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// MurmurHash3 for 32 bits (x86), byte by byte: what is hashed need not stand in memory, and may go on after `value()`.
/// The value is signed as in scikit-learn's murmurhash3_32. Source: A. Appleby, MurmurHash3, public domain.
class Murmur3 {
 public:
  constexpr explicit Murmur3(std::uint32_t seed = 0) : hash_(seed) {}

  constexpr void add(char byte) {
    block_ |= std::uint32_t{static_cast<unsigned char>(byte)} << 8 * (length_ % 4);
    if (++length_ % 4 != 0) return;
    hash_ = rotated(hash_ ^ scrambled(block_), 13) * 5 + 0xe6546b64u;
    block_ = 0;
  }

  /// Of the bytes so far.
  constexpr std::int32_t value() const {
    std::uint32_t h = hash_ ^ scrambled(block_) ^ length_;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return static_cast<std::int32_t>(h ^ h >> 16);
  }

 private:
  static constexpr std::uint32_t rotated(std::uint32_t x, int by) { return x << by | x >> (32 - by); }
  static constexpr std::uint32_t scrambled(std::uint32_t block) {
    return rotated(block * 0xcc9e2d51u, 15) * 0x1b873593u;
  }

  std::uint32_t hash_;
  std::uint32_t block_ = 0;   // of the bytes since the last whole block, the first one lowest
  std::uint32_t length_ = 0;  // modulo 2^32, as defined
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
