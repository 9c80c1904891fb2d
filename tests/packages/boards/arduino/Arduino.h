#pragma once
// A stand-in for the header that cores of Arduino boards have, with what the examples use of it, and with the macros of the
// cores: those of ArduinoCore-API and of the cores for AVR, ESP32 and STM32, abs and round included, which some of them have.
#include <stdint.h>
#include <stdlib.h>

#define INPUT 0x0
#define OUTPUT 0x1
#define INPUT_PULLUP 0x2
#define INPUT_PULLDOWN 0x3
#define OUTPUT_OPENDRAIN 0x4
#define LOW 0x0
#define HIGH 0x1
#define CHANGE 2
#define FALLING 3
#define RISING 4
#define LSBFIRST 0
#define MSBFIRST 1
#define DEFAULT 1
#define EXTERNAL 0
#define INTERNAL 3
#define SERIAL 0x0
#define DISPLAY 0x1
#define DEC 10
#define HEX 16
#define OCT 8
#define BIN 2
#define PI 3.1415926535897932384626433832795
#define HALF_PI 1.5707963267948966192313216916398
#define TWO_PI 6.283185307179586476925286766559
#define DEG_TO_RAD 0.017453292519943295769236907684886
#define RAD_TO_DEG 57.295779513082320876798154814105
#define EULER 2.718281828459045235360287471352
#define NOT_A_PIN 0
#define NOT_A_PORT 0
#define NOT_AN_INTERRUPT -1
#define NOT_ON_TIMER 0
#define LED_BUILTIN 13
#define A0 14
#define A1 15
#define A2 16
#define A3 17
#define SDA 18
#define SCL 19
#define SS 10
#define MOSI 11
#define MISO 12
#define SCK 13
#define abs(x) ((x) > 0 ? (x) : -(x))
#define round(x) ((x) >= 0 ? (long)((x) + 0.5) : (long)((x)-0.5))
#define constrain(amt, low, high) ((amt) < (low) ? (low) : ((amt) > (high) ? (high) : (amt)))
#define radians(deg) ((deg)*DEG_TO_RAD)
#define degrees(rad) ((rad)*RAD_TO_DEG)
#define sq(x) ((x) * (x))
#define sei()
#define cli()
#define interrupts()
#define noInterrupts()
#define clockCyclesPerMicrosecond() (F_CPU / 1000000L)
#define clockCyclesToMicroseconds(a) ((a) / clockCyclesPerMicrosecond())
#define microsecondsToClockCycles(a) ((a)*clockCyclesPerMicrosecond())
#define lowByte(w) ((uint8_t)((w)&0xff))
#define highByte(w) ((uint8_t)((w) >> 8))
#define bitRead(value, bit) (((value) >> (bit)) & 0x01)
#define bitSet(value, bit) ((value) |= (1UL << (bit)))
#define bitClear(value, bit) ((value) &= ~(1UL << (bit)))
#define bitToggle(value, bit) ((value) ^= (1UL << (bit)))
#define bitWrite(value, bit, bitvalue) ((bitvalue) ? bitSet(value, bit) : bitClear(value, bit))
#define bit(b) (1UL << (b))
#define _BV(b) (1UL << (b))
#define cbi(reg, bitmask) *reg &= ~bitmask
#define sbi(reg, bitmask) *reg |= bitmask
#define _NOP() asm volatile("nop")
#define _min(a, b) ((a) < (b) ? (a) : (b))
#define _max(a, b) ((a) > (b) ? (a) : (b))
#define word(...) makeWord(__VA_ARGS__)
#define digitalPinToPort(P) (P)
#define digitalPinToBitMask(P) (P)
#define digitalPinToTimer(P) (P)
#define digitalPinToInterrupt(P) (P)
#define analogInPinToBit(P) (P)
#define portOutputRegister(P) (P)
#define portInputRegister(P) (P)
#define portModeRegister(P) (P)
#define PROGMEM
#define PSTR(text) (text)
#define F(text) (text)
#define Serial1 Serial

// Numbers of up to eight binary digits, as binary.h has them.
#define B0 0
#define B1 1
#define B00 0
#define B01 1
#define B10 2
#define B11 3
#define B000 0
#define B001 1
#define B010 2
#define B011 3
#define B100 4
#define B101 5
#define B110 6
#define B111 7
#define B0000 0
#define B0001 1
#define B0010 2
#define B0011 3
#define B0100 4
#define B0101 5
#define B0110 6
#define B0111 7
#define B1000 8
#define B1001 9
#define B1010 10
#define B1011 11
#define B1100 12
#define B1101 13
#define B1110 14
#define B1111 15
#define B00000000 0
#define B11111111 255

typedef uint8_t byte;
typedef bool boolean;

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
