#pragma once
/// The training runs that the command offers: the default solvers and the published baselines.

#include "core.hpp"

namespace tamis::cli {

/// Coefficients that the command makes room for in one linear system: 36 MB in double.
inline constexpr Index usual_active_limit = 1500;

template <class T>
using CommandTraining = core::Training<T>;

}  // namespace tamis::cli
