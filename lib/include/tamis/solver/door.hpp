#pragma once
/// Checks of the input that solvers share, before they write anything.

#include "../arena.hpp"
#include "../options.hpp"
#include "../status.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail {

/// Whether x is a number that is positive, or zero where that may be.
template <class T>
[[gnu::noinline]] bool in_range(T x, bool may_be_zero) {
  if constexpr (profile.single_entries && sizeof(T) == 4) {
    const auto bits = __builtin_bit_cast(std::uint32_t, x);
    return bits << 1 == 0 ? may_be_zero : bits < 0x7f800000u;  // that is infinity, and numbers below zero are above it
  }
  return (may_be_zero ? x >= T(0) : x > T(0)) && finite(x);
}

/// Of kernels and interactions, λ aside: tolerance and iterations in range, and neither a constrained form nor a margin
/// that is asked for.
template <class T>
Status check_options(const Options<T>& options) {
  if (!(options.tolerance > T(0)) || options.max_iterations == 0) return Status::invalid_option;
  if (options.eta != T(0)) return Status::invalid_eta;
  return has_margin(options) ? Status::invalid_margin : Status::running;  // it is 1
}

inline Status check_memory(std::span<std::byte> memory, std::size_t bytes) {
  if (!Arena::aligned(memory)) return Status::invalid_arena;
  return memory.size() < bytes ? Status::arena_too_small : Status::running;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::detail
