// What the stand-in for an Arduino core does: one setup, one loop, and the end of the program.
#include "Arduino.h"

#include <cstdio>

#include "semihosting.hpp"

SerialPort Serial;

void SerialPort::print(const char* text) { semihosting::write(text); }
void SerialPort::print(int number) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%d", number);
  semihosting::write(digits);
}
void SerialPort::println(const char* text) {
  print(text);
  print("\n");
}

int main() {
  setup();
  loop();
}
