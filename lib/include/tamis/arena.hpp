#pragma once
/// The piece of memory a solver works in, and the count of bytes it needs: one code path for both.

#include <cstddef>
#include <cstdint>
#include <span>

#include "profile.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {
inline constexpr std::size_t no_bytes_suffice = static_cast<std::size_t>(-1);

[[gnu::noinline]] constexpr std::size_t saturating_add(std::size_t a, std::size_t b) {
  return a > no_bytes_suffice - b ? no_bytes_suffice : a + b;
}
[[gnu::noinline]] constexpr std::size_t saturating_multiply(std::size_t a, std::size_t b) {
  return b != 0 && a > no_bytes_suffice / b ? no_bytes_suffice : a * b;
}
}  // namespace detail

/// Bytes of arena memory, aligned to Arena::alignment. `a & b`: both at once. `a | b`: one or the other.
/// A size that does not fit in std::size_t saturates: such a requirement is never met.
struct Requirement {
  std::size_t bytes = 0;

  friend constexpr Requirement operator&(Requirement a, Requirement b) {
    return {detail::saturating_add(a.bytes, b.bytes)};
  }
  friend constexpr Requirement operator|(Requirement a, Requirement b) { return a.bytes > b.bytes ? a : b; }
  friend constexpr bool operator==(Requirement, Requirement) = default;
};

/// What a solver should be able to hold beyond the least it needs, to be fast; each solver takes what it has a use for.
struct WorkspaceHint {
  std::size_t entries = 0;         ///< values of the samples that are not zero, all at once
  std::uint32_t active_limit = 0;  ///< coefficients that are not zero, intercepts included, in one linear system
};

/// Hands out aligned blocks of caller memory, never returns any to a heap, and never looks beyond its end.
///
/// A default-constructed arena *counts*: it has no memory, every `take` succeeds with a null pointer, and `used()` says
/// what a real arena would need. Workspaces are laid out by one function over either kind, so that the number known
/// beforehand and the bytes used cannot drift apart.
class Arena {
 public:
  /// Alignment the memory must have, in bytes; every block is aligned to it and padded to a multiple of it.
  static constexpr std::size_t alignment = 16;

  constexpr Arena() = default;
  constexpr explicit Arena(std::span<std::byte> memory)
      : memory_(memory.data()), capacity_(memory.size()), counting_(false) {}

  /// Uninitialised room for `count` entries of the trivial type T. Null when counting or when the memory does not
  /// suffice (`exhausted()` tells which).
  template <class T>
  constexpr T* take(std::size_t count) {
    std::byte* const block = take_bytes(count, sizeof(T));
    return block ? reinterpret_cast<T*>(block) : nullptr;
  }

  /// Bytes handed out (or counted) so far.
  constexpr std::size_t used() const { return used_; }
  constexpr bool exhausted() const { return exhausted_; }
  /// Whether its memory is there, and aligned.
  bool aligned() const { return aligned({memory_, capacity_}); }

  /// Whether `memory` can serve as an arena at all, whatever its size.
  static bool aligned(std::span<std::byte> memory) {
    return memory.data() != nullptr && reinterpret_cast<std::uintptr_t>(memory.data()) % alignment == 0;
  }

 private:
  [[gnu::noinline]] constexpr std::byte* take_bytes(std::size_t count, std::size_t size) {
    const std::size_t wanted = detail::saturating_multiply(count, size);
    const std::size_t padding = (alignment - wanted % alignment) % alignment;
    const std::size_t start = used_;
    used_ = detail::saturating_add(start, detail::saturating_add(wanted, padding));
    if (counting_) return nullptr;
    if (used_ > capacity_) {
      exhausted_ = true;
      return nullptr;
    }
    return memory_ + start;
  }

  std::byte* memory_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
  bool counting_ = true;
  bool exhausted_ = false;
};

/// Bytes that `Workspace::lay_out(arena, …)` takes.
template <class Workspace, class... Arguments>
[[gnu::noinline]] constexpr Requirement count_bytes(const Arguments&... arguments) {
  Arena counter;
  (void)Workspace::lay_out(counter, arguments...);
  return {counter.used()};
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
