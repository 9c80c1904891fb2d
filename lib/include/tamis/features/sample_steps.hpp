#pragma once
/// What is done to a sample, by itself, before it is scored.

#include "log_clip.hpp"
#include "normalise.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// In this order, those that are given: division, missing values (NaN) filled, logarithms, a norm.
template <class T>
struct SampleSteps {
  T divisor = 1;
  const T* means = nullptr;  ///< one per feature, after the division
  LogClip<T> log;            ///< with high = 0: none
  SampleNorm norm = SampleNorm::none;

  bool takes_log() const { return log.high > T(0); }

  /// The value of one feature before the norm.
  T entry(T x, Index feature) const {
    x /= divisor;
    if (means && x != x) x = means[feature];
    return takes_log() ? log(x) : x;
  }
  /// `step` is the distance between the entries of the sample.
  void apply(T* sample, Index features, std::size_t step = 1) const {
    for (Index j = 0; j < features; ++j) sample[j * step] = entry(sample[j * step], j);
    normalise(sample, features, norm, step);
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
