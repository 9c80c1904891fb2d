// What the stand-in for ESP-IDF does: the program, and its end.
#include <cstdio>

extern "C" void app_main();

int main() {
  app_main();
  std::fflush(stdout);
}
