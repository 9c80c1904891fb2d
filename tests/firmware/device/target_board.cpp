// The machine as a board in the emulator.
#include "instruction_count.hpp"
#include "semihosting.hpp"
#include "target.hpp"

namespace {

constexpr std::uint32_t marked_words = 4096 / 4;
constexpr std::uint32_t mark = 0x5ca1ab1e;

const volatile std::uint32_t* marked_bottom = nullptr;

}  // namespace

extern "C" std::uint32_t stack_top[];

void target::write(const char* text) { semihosting::write(text); }

std::uint32_t target::instructions() { return instruction_count(); }
std::uint32_t target::thousand_instructions() { return thousand_instruction_count(); }

void target::mark_stack() {
  std::uint32_t* here;
#ifdef __riscv
  asm volatile("mv %0, sp" : "=r"(here));
#else
  asm volatile("mov %0, sp" : "=r"(here));
#endif
  marked_bottom = here - marked_words;
  for (volatile std::uint32_t* word = here; word-- != marked_bottom;) *word = mark;
}

std::uint32_t target::stack_used() {
  const volatile std::uint32_t* deepest = marked_bottom;
  while (deepest < stack_top && *deepest == mark) ++deepest;
  return static_cast<std::uint32_t>(stack_top - deepest) * 4;
}
