#pragma once
/// Samples where they lie: by rows, by columns, with steps.

#include "../shape.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The features of one sample; `step` is the distance between them.
template <class T>
struct SampleView {
  const T* values = nullptr;
  Index features = 0;
  std::size_t step = 1;

  T operator[](Index feature) const { return values[feature * step]; }
};

/// x(i, j) = values[i·sample_step + j·feature_step]: by rows with steps (features, 1), by columns with (1, samples).
template <class T>
struct SampleTable {
  const T* values = nullptr;
  Index samples = 0;
  Index features = 0;
  std::size_t sample_step = 0;
  std::size_t feature_step = 1;

  SampleView<T> operator[](Index sample) const { return {values + sample * sample_step, features, feature_step}; }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
