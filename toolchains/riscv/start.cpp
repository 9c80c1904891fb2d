// Start-up code for RISC-V: stack, global pointer, traps and floating-point unit.
#include "start.hpp"

extern "C" {

[[noreturn, gnu::used, gnu::optimize("no-tree-loop-distribute-patterns")]] void begin() { run_program(); }

[[noreturn, gnu::used, gnu::aligned(4)]] void fault() { report_fault(); }

// The first instruction of flash. The unit is on where mstatus.FS is not 0.
[[noreturn, gnu::naked, gnu::section(".vectors"), gnu::used]] void reset() {
  asm volatile(
      ".option push\n"
      ".option norelax\n"
      "la gp, __global_pointer$\n"
      ".option pop\n"
      "la sp, stack_top\n"
      "la t0, fault\n"
      "csrw mtvec, t0\n"
#ifdef __riscv_flen
      "li t0, 0x2000\n"
      "csrs mstatus, t0\n"
#endif
      "j begin");
}

}  // extern "C"
