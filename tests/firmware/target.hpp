#pragma once
/// What the firmware programs ask of the machine they run on: a board (device/target_board.cpp) or the host
/// (target_host.cpp).

#include <cstdint>

namespace target {

/// Text that ends with a zero, to whoever runs the program.
void write(const char* text);

/// Instructions executed so far, modulo 2³² and to the next 40, and thousands of them: differences count. 0 on the
/// host.
std::uint32_t instructions();
std::uint32_t thousand_instructions();

/// Marks the free part of the stack; `stack_used` then says how many bytes of stack, the caller's included, have been
/// in use since. 0 on the host.
void mark_stack();
std::uint32_t stack_used();

}  // namespace target
