#pragma once
/// Numbers that look random and are the same everywhere.

#include "../shape.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// A reproducible stream of numbers: Knuth's 64-bit linear congruential generator, its upper bits.
struct Draws {
  std::uint64_t state;
  constexpr explicit Draws(std::uint64_t seed) : state(seed * 2862933555777941757u + 3037000493u) {}
  /// A number below `below` > 0.
  constexpr Index next(Index below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<Index>(((state >> 32) * below) >> 32);
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
