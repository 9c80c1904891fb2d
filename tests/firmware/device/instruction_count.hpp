#pragma once
/// Instructions counted by the board. The emulator is started with one nanosecond per instruction, so that a timer of
/// known rate counts them.

#include <cstdint>

namespace target {

#if defined(__riscv)

/// RISC-V processors count themselves.
inline std::uint32_t instruction_count() {
  std::uint32_t count;
  asm volatile("csrr %0, minstret" : "=r"(count));
  return count;
}
inline std::uint32_t thousand_instruction_count() {
  std::uint32_t high, low, again;
  do {
    asm volatile("csrr %0, minstreth\n csrr %1, minstret\n csrr %2, minstreth" : "=r"(high), "=r"(low), "=r"(again));
  } while (high != again);
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) / 1000);
}

#elif __ARM_ARCH >= 8

/// Counts of the system counter of the Arm SSE-300 (board MPS3 AN547) at 32 MHz: 4 in 125 instructions.
inline std::uint32_t ticks() {
  *reinterpret_cast<volatile std::uint32_t*>(0x58100000u) = 1;
  return *reinterpret_cast<const volatile std::uint32_t*>(0x48101000u);
}
inline std::uint32_t instruction_count() {
  const std::uint32_t count = ticks();
  return count / 4 * 125 + count % 4 * 125 / 4;
}
inline std::uint32_t thousand_instruction_count() { return ticks() / 32; }

#else

/// Counts of a timer of the Arm MPS2 boards at 25 MHz, which counts down: one in 40 instructions.
inline std::uint32_t ticks() {
  struct Timer {
    volatile std::uint32_t control, value, reload;
  };
  Timer& timer = *reinterpret_cast<Timer*>(0x40000000u);
  if (timer.control == 0) {
    timer.reload = 0xffffffff;
    timer.value = 0xffffffff;
    timer.control = 1;
  }
  return 0xffffffff - timer.value;
}
inline std::uint32_t instruction_count() { return ticks() * 40; }
inline std::uint32_t thousand_instruction_count() { return ticks() / 25; }

#endif

}  // namespace target
