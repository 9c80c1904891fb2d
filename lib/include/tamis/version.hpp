#pragma once

#include "profile.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

inline constexpr char version[] = "0.2.0";

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
