#pragma once
/// Text and the exit code handed to the debugger or emulator that runs the program (Arm semihosting).

#include <cstdint>

namespace semihosting {

inline std::uint32_t call(std::uint32_t operation, const void* argument) {
  register std::uint32_t r0 asm("r0") = operation;
  register const void* r1 asm("r1") = argument;
  asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

/// Text that ends with a zero.
inline void write(const char* text) { call(0x04, text); }

[[noreturn]] inline void exit(int code) {
  const std::uint32_t application_exit[] = {0x20026, static_cast<std::uint32_t>(code)};
  call(0x20, application_exit);
  for (;;) {
  }
}

}  // namespace semihosting
