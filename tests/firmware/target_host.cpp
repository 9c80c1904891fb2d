// The machine as an ordinary process.
#include <cstdio>

#include "target.hpp"

void target::write(const char* text) { std::fputs(text, stdout); }
std::uint32_t target::instructions() { return 0; }
std::uint32_t target::thousand_instructions() { return 0; }
void target::mark_stack() {}
std::uint32_t target::stack_used() { return 0; }
