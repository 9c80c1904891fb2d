// Links with model.cpp where that has the same profile.
#include "tamis/model/linear.hpp"

bool uses_first(const tamis::LinearModel<float>& model);

int main() {
  const float coefficients[8] = {};
  return uses_first({coefficients, 1, 3}) ? 1 : 0;
}
