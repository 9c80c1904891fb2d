#pragma once
/// Shapes and the integer types of the library.

#include <cstddef>
#include <cstdint>

#include "profile.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Counts and positions of samples, features and classes: 32 bits on every target.
using Index = std::uint32_t;

/// A class, 0 ≤ label < classes. Two bytes each, because labels live in flash beside the samples.
using Label = std::uint16_t;

/// What a model without coefficients predicts: that of a refused run.
inline constexpr Label no_label = static_cast<Label>(-1);

/// The size of a training problem.
struct Shape {
  Index samples = 0;
  Index features = 0;
  Index classes = 0;

  friend constexpr bool operator==(const Shape&, const Shape&) = default;
};

/// Bytes of one vector register as the library uses them, on every target (rule: same layout, same bits).
inline constexpr std::size_t vector_bytes = 16;

/// Entries of one vector: 4 floats, 2 doubles.
template <class T>
inline constexpr Index lanes = static_cast<Index>(vector_bytes / sizeof(T));

/// Number of classes rounded up to whole vectors: the row stride of coefficients, scores and duals. The entries
/// between `classes` and the stride are zero and stay zero.
template <class T>
constexpr Index padded(Index classes) {
  return (classes + lanes<T> - 1) / lanes<T> * lanes<T>;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
