// Standard output on the console of the emulator.
#include "semihosting.hpp"

extern "C" int _write(int, const char* text, int count) {
  for (int i = 0; i < count; ++i) {
    const char one[] = {text[i], 0};
    semihosting::write(one);
  }
  return count;
}
