#pragma once

namespace tamis {

/// What one sample adds to the dual objective along the ray s·u, 0 ≤ s ≤ max_scale: s·linear − s²·quadratic.
template <class T>
struct DualTerms {
  T linear = 0;
  T quadratic = 0;
};

}  // namespace tamis
