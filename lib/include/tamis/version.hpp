#pragma once

namespace tamis {

inline constexpr char version[] = "0.1.0";

}  // namespace tamis
