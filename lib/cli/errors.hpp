#pragma once
/// What can go wrong in the command, each with its exit code. Wrong data: see data.hpp.

#include <stdexcept>

namespace tamis::cli {

inline constexpr int exit_arguments = 2;
inline constexpr int exit_data = 3;
inline constexpr int exit_memory = 4;
inline constexpr int exit_interrupted = 5;  // see interrupt.hpp

/// The arguments are wrong or do not go together: exit code 2.
struct ArgumentError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A memory limit does not suffice: exit code 4.
struct MemoryError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tamis::cli
