// What calls the examples of readme_c.c: on a board, and on the host.
#include <cstdint>

#include "target.hpp"

#ifdef README_WINE

extern "C" void show(const float* sample);

#if defined(__arm__) || defined(__riscv)  // what a board has to print with
extern "C" int puts(const char* text) {
  target::write(text);
  target::write("\n");
  return 0;
}
#endif

namespace {
constexpr float samples[][13] = {
    // one of each class
    {14.23f, 1.71f, 2.43f, 15.6f, 127, 2.8f, 3.06f, 0.28f, 2.29f, 5.64f, 1.04f, 3.92f, 1065},
    {12.37f, 0.94f, 1.36f, 10.6f, 88, 1.98f, 0.57f, 0.28f, 0.42f, 1.95f, 1.05f, 1.82f, 520},
    {12.86f, 1.35f, 2.32f, 18, 122, 1.51f, 1.25f, 0.21f, 0.94f, 4.1f, 0.76f, 1.29f, 630}};
}  // namespace

int main() {
  for (const auto& sample : samples) show(sample);
  return 0;
}

#else

extern "C" int classify(const float* samples, const std::uint16_t* labels, const float* reading);

namespace {
const float samples[] = {0.0f, 0.1f, 1.0f, 1.1f, 0.0f, 0.2f, 0.0f, 0.1f, 0.0f, 0.2f, 1.0f, 1.3f};
const std::uint16_t labels[] = {0, 0, 1, 1, 2, 2};
}  // namespace

int main() {
  const float reading[] = {1.2f, 0.1f}, other[] = {0.0f, 0.0f};
  target::mark_stack();
  const bool right = classify(samples, labels, reading) == 1 && classify(samples, labels, other) == 0;
  const std::uint32_t stack = target::stack_used();
  char bytes[] = "measured: stack bytes 0000\n";
  std::uint32_t rest = stack;
  for (int place = 25; place > 21; --place, rest /= 10) bytes[place] = static_cast<char>('0' + rest % 10);
  target::write(right ? "both right\n" : "not both right\n");
  target::write(bytes);
  return right ? 0 : 1;
}

#endif
