#pragma once
// A stand-in for the header that cores of Arduino boards have, with what the examples use of it, and with the macros that
// could meet names of the library.
#include <stdint.h>
#include <stdlib.h>

#define HIGH 0x1
#define LOW 0x0
#define INPUT 0x0
#define OUTPUT 0x1
#define CHANGE 2
#define FALLING 3
#define RISING 4
#define DEFAULT 1
#define EXTERNAL 0
#define SERIAL 0x0
#define DISPLAY 0x1
#define DEC 10
#define HEX 16
#define OCT 8
#define BIN 2
#define PI 3.1415926535897932384626433832795
#define HALF_PI 1.5707963267948966192313216916398
#define TWO_PI 6.283185307179586476925286766559
#define EULER 2.718281828459045235360287471352
#define constrain(amt, low, high) ((amt) < (low) ? (low) : ((amt) > (high) ? (high) : (amt)))
#define radians(deg) ((deg) * PI / 180)
#define degrees(rad) ((rad) * 180 / PI)
#define sq(x) ((x) * (x))
#define bit(b) (1UL << (b))
#define _BV(b) (1UL << (b))
#define lowByte(w) ((uint8_t)((w) & 0xff))
#define highByte(w) ((uint8_t)((w) >> 8))
#define bitRead(value, b) (((value) >> (b)) & 0x01)
#define bitSet(value, b) ((value) |= (1UL << (b)))
#define bitClear(value, b) ((value) &= ~(1UL << (b)))
#define F(text) (text)
#define interrupts()
#define noInterrupts()

class SerialPort {
 public:
  void begin(unsigned long) {}
  explicit operator bool() const { return true; }
  void print(const char* text);
  void print(int number);
  void println(const char* text);
};
extern SerialPort Serial;

void setup();
void loop();
