// The machine as a Cortex-M board in the emulator.
#include "semihosting.hpp"
#include "target.hpp"

namespace {

constexpr std::uint32_t marked_words = 4096 / 4;
constexpr std::uint32_t mark = 0x5ca1ab1e;
// The emulator is started with one nanosecond per instruction; the board's timer counts down at 25 MHz.
constexpr std::uint32_t ticks_per_thousand_instructions = 25;
constexpr std::uint32_t timer_start = 0xffffffff;

struct Timer {
  volatile std::uint32_t control, value, reload;
};
Timer& timer() { return *reinterpret_cast<Timer*>(0x40000000u); }

const volatile std::uint32_t* marked_bottom = nullptr;

}  // namespace

extern "C" std::uint32_t stack_top[];

void target::write(const char* text) { semihosting::write(text); }

std::uint32_t target::thousand_instructions() {
  if (timer().control == 0) {
    timer().reload = timer_start;
    timer().value = timer_start;
    timer().control = 1;
  }
  return (timer_start - timer().value) / ticks_per_thousand_instructions;
}

void target::mark_stack() {
  std::uint32_t* here;
  asm volatile("mov %0, sp" : "=r"(here));
  marked_bottom = here - marked_words;
  for (volatile std::uint32_t* word = here; word-- != marked_bottom;) *word = mark;
}

std::uint32_t target::stack_used() {
  const volatile std::uint32_t* deepest = marked_bottom;
  while (deepest < stack_top && *deepest == mark) ++deepest;
  return static_cast<std::uint32_t>(stack_top - deepest) * 4;
}
