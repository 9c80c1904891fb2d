// Start-up code for Cortex-M: vector table and floating-point unit.
#include "start.hpp"

extern "C" {

[[noreturn, gnu::optimize("no-tree-loop-distribute-patterns")]] void reset() {
#ifdef __ARM_FP
  *reinterpret_cast<volatile std::uint32_t*>(0xE000ED88u) |= 0xFu << 20;  // the floating-point unit, for everyone
  asm volatile("dsb\n isb");
#endif
  run_program();
}

[[noreturn]] void fault() { report_fault(); }

using Handler = void (*)();
struct Vectors {
  std::uint32_t* stack;
  Handler handlers[15];
};
[[gnu::section(".vectors"), gnu::used]] const Vectors vectors = {
    stack_top,
    {reset, fault, fault, fault, fault, fault, nullptr, nullptr, nullptr, nullptr, fault, fault, nullptr, fault,
     fault}};

}  // extern "C"
