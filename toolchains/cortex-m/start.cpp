// Start-up code: vector table, memory, main, and the end of the program by semihosting.
#include <cstdint>

#include "semihosting.hpp"

extern "C" {

extern std::uint32_t data_start[], data_end[], data_in_flash[], bss_start[], bss_end[], stack_top[];
extern void (*constructors_start[])();
extern void (*constructors_end[])();

int main();

// Clearing and copying by loops: the compiler must not make calls of them, which may need what they prepare.
[[noreturn, gnu::optimize("no-tree-loop-distribute-patterns")]] void reset() {
#ifdef __ARM_FP
  *reinterpret_cast<volatile std::uint32_t*>(0xE000ED88u) |= 0xFu << 20;  // the floating-point unit, for everyone
  asm volatile("dsb\n isb");
#endif
  const std::uint32_t* from = data_in_flash;
  for (std::uint32_t* to = data_start; to < data_end;) *to++ = *from++;
  for (std::uint32_t* to = bss_start; to < bss_end;) *to++ = 0;
  for (auto constructor = constructors_start; constructor < constructors_end; ++constructor) (*constructor)();
  semihosting::exit(main());
}

[[noreturn]] void fault() {
  semihosting::write("fault\n");
  semihosting::exit(99);
}

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
