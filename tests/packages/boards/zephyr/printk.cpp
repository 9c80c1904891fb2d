// What the stand-in for Zephyr prints with.
#include "zephyr/sys/printk.h"

#include <cstdarg>
#include <cstdio>

#include "semihosting.hpp"

void printk(const char* format, ...) {
  char text[160];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  semihosting::write(text);
}
