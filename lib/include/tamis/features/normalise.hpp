#pragma once
/// Samples divided by a norm of their own.

#include "../linalg/scalar.hpp"
#include "../linalg/sum.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

enum class SampleNorm : std::uint8_t { none, l1, l2, max };

/// x ← x/‖x‖; a sample of zeros stays. The largest entry is divided out first: a norm beyond the range of T does no
/// harm. `step` is the distance between the entries of the sample, which must be finite.
template <class T>
void normalise(T* sample, Index features, SampleNorm norm, std::size_t step = 1) {
  T top = 0;
  for (Index j = 0; j < features; ++j) top = largest(top, absolute(sample[j * step]));
  if (norm == SampleNorm::none || !(top > T(0))) return;
  Sum<T> total;
  for (Index j = 0; j < features; ++j) {
    T& x = sample[j * step];
    x /= top;
    total.add(norm == SampleNorm::l2 ? x * x : absolute(x));
  }
  if (norm == SampleNorm::max) return;
  const T length = norm == SampleNorm::l2 ? square_root(total.value()) : total.value();
  for (Index j = 0; j < features; ++j) sample[j * step] /= length;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
