#pragma once
/// Text and the exit code handed to the debugger or emulator that runs the program (Arm's semihosting, which RISC-V has
/// taken over).

#include <cstdint>

namespace semihosting {

inline std::uint32_t call(std::uint32_t operation, const void* argument) {
#ifdef __riscv
  register std::uint32_t a0 asm("a0") = operation;
  register const void* a1 asm("a1") = argument;
  // These three, uncompressed and in one page, are the sign to the debugger.
  asm volatile(
      ".balign 16\n"
      ".option push\n"
      ".option norvc\n"
      "slli zero, zero, 0x1f\n"
      "ebreak\n"
      "srai zero, zero, 7\n"
      ".option pop"
      : "+r"(a0)
      : "r"(a1)
      : "memory");
  return a0;
#else
  register std::uint32_t r0 asm("r0") = operation;
  register const void* r1 asm("r1") = argument;
  asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
#endif
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
