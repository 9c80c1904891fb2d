#pragma once
/// What a program needs between the board's first instruction and its last: memory, constructors, main, and the end by
/// semihosting. The symbols come from sections.ld.

#include <cstdint>

#include "semihosting.hpp"

extern "C" {

extern std::uint32_t data_start[], data_end[], data_in_flash[], bss_start[], bss_end[], stack_top[];
extern void (*constructors_start[])();
extern void (*constructors_end[])();

int main();

}  // extern "C"

// Clearing and copying by loops: the compiler must not make calls of them, which may need what they prepare.
[[noreturn, gnu::always_inline, gnu::optimize("no-tree-loop-distribute-patterns")]] inline void run_program() {
  const std::uint32_t* from = data_in_flash;
  for (std::uint32_t* to = data_start; to < data_end;) *to++ = *from++;
  for (std::uint32_t* to = bss_start; to < bss_end;) *to++ = 0;
  for (auto constructor = constructors_start; constructor < constructors_end; ++constructor) (*constructor)();
  semihosting::exit(main());
}

[[noreturn]] inline void report_fault() {
  semihosting::write("fault\n");
  semihosting::exit(99);
}
