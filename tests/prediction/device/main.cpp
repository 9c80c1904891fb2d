// Counts the instructions of a predictor on the board, and how many samples it has right.
#include "predictor.h"
#include "samples.hpp"
#include "tamis/model/text_sink.hpp"
#include "target.hpp"

namespace {

constexpr unsigned repeats = 100;

/// Thousands of instructions of all samples, each predicted so often.
std::uint32_t cost(unsigned times) {
  const std::uint32_t start = target::thousand_instructions();
  for (const auto& sample : samples) {
    prepare(sample);
    for (unsigned i = 0; i < times; ++i) {
      const volatile int label = predict();
      (void)label;
    }
  }
  return target::thousand_instructions() - start;
}

char text[256];

}  // namespace

int main() {
  std::uint32_t right = 0;
  for (std::uint32_t i = 0; i < sample_count; ++i) {
    prepare(samples[i]);
    right += predict() == labels[i];
  }
  const std::uint32_t without = cost(0), with = cost(repeats);
  const std::uint32_t tenths = (with - without) * (10000 / repeats) / sample_count;
  tamis::TextSink out(text);
  out << "self-test " << static_cast<std::uint32_t>(self_test()) << "\nright " << right << " of " << sample_count
      << "\ninstructions a prediction " << tenths / 10 << '.' << tenths % 10 << '\n'
      << '\0';
  target::write(text);
  return 0;
}
