#pragma once
/// The norms that constant steps are taken from: measured by power iterations, and checked by the steps themselves.

#include "../../linalg/rows.hpp"
#include "../../linalg/sum.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed {

/// ‖AAᵀ‖ from below by a power iteration, and a hundredth more; `apply` makes AAᵀu of u, the first entries of so many
/// rows. 1 where that is zero or leaves the range of T.
template <class T, class Apply>
T measure_square(T* u, Index rows, Index stride, Apply apply) {
  for (Index i = 0; i < rows; ++i) row_of(u, i, stride)[0] = scattered<T>(i * 2654435761u);
  T norm = 0, length = square_root(T(rows));
  for (int round = 0; round < 300; ++round) {
    for (Index i = 0; i < rows; ++i) row_of(u, i, stride)[0] /= length;
    apply();
    Sum<T> square;
    for (Index i = 0; i < rows; ++i) {
      const T entry = row_of(u, i, stride)[0];
      square.add(entry * entry);
    }
    length = square_root(square.value());
    if (!(length > T(0)) || !finite(length)) return T(1);
    const bool settled = round >= 30 && absolute(length - norm) <= T(1e-6) * length;
    norm = length;
    if (settled) break;
  }
  return T(1.01) * norm;
}

/// What makes steps safe whose length is taken from ‖A‖ as a power iteration knows it. Where the largest singular
/// vector has no share in what it began with, that is too little, however long it seems to have settled. Steps that are
/// too long let such a direction grow from iteration to iteration until they are nothing else, and then a step d shows
/// it by ‖Ad‖ > ‖A‖‖d‖. So the 1st, 2nd, 4th, 8th, … iteration pays for one more product; where it finds more, A is
/// taken for a twentieth longer than that, never for more than a twentieth too long, and the next iteration checks it
/// again.
template <class T>
class NormCheck {
 public:
  /// Whether the iteration, counted from 1, is to be followed by `raise`.
  bool is_due(std::uint64_t iteration) {
    if (iteration < next_) return false;
    next_ = 2 * iteration;
    return true;
  }
  /// Of the squared lengths of Ad and d: raises ‖A‖² if it contradicts them.
  bool raise(T& square, T image, T step) {
    const T found = image / step;
    if (!holds_squares(image) || !holds_squares(step) || !(found > square) || !finite(found)) return false;
    square = T(1.05) * T(1.05) * found;
    next_ = 0;
    return true;
  }

 private:
  std::uint64_t next_ = 0;
};

/// next ← x⁺ − x and reflected ← x⁺, where next is x⁺ and reflected 2x⁺ − x.
template <class T>
void separate_step(T* reflected, T* next, std::size_t entries) {
  for (std::size_t e = 0; e < entries; ++e) {
    const T to = next[e];
    next[e] = reflected[e] - to;
    reflected[e] = to;
  }
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE::as_printed
