#pragma once

#include "../profile.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// What one sample adds to the dual objective along the ray s·u, 0 ≤ s ≤ max_scale: s·linear − s²·quadratic.
template <class T>
struct DualTerms {
  T linear = 0;
  T quadratic = 0;
};

/// The loss of one sample at a proximal point, and its derivative with respect to the weight of that sample.
template <class T>
struct LevelTerms {
  T value = 0;
  T slope = 0;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
