// A function that a file of another profile calls: see caller.cpp.
#include "tamis/model/linear.hpp"

bool uses_first(const tamis::LinearModel<float>& model) { return model.uses(0); }
