#pragma once

#include "profile.hpp"

namespace tamis {

inline constexpr char version[] = "0.1.0";

}  // namespace tamis
