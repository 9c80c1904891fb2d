// The examples of README.md and lib/docs/boards.md on the device, as they stand there and without any macro. With
// README_FIRST the README's.
#include <tamis/tamis.hpp>  // the snippets' own, which does nothing inside functions

#include "target.hpp"

namespace {

#if defined(__arm__) || defined(__riscv)  // what boards have without being told
static_assert(tamis::profile.single_entries && !tamis::profile.tiles && tamis::default_max_iterations == 10000);
#else
static_assert(tamis::profile.tiles && tamis::default_max_iterations == 1000000);
#endif

char text[512];

void print(bool right, tamis::Index count, std::uint32_t thousands, std::uint32_t stack) {
  tamis::TextSink out(text);
  out << (right ? "all of " : "not all of ") << count << " right\nmeasured: thousand instructions " << thousands
      << "\nmeasured: stack bytes " << stack << "\n"
      << '\0';
  target::write(text);
}

}  // namespace

#ifdef README_FIRST

const float samples[] = {0.0f, 0.1f, 1.0f, 1.1f, 0.0f, 0.2f, 0.0f, 0.1f, 0.0f, 0.2f, 1.0f, 1.3f};
const tamis::Label labels[] = {0, 0, 1, 1, 2, 2};

[[gnu::noinline]] int classify(const float* reading) {
  int label = -1;
#include "first_snippet.hpp"
  return label;
}

int main() {
  const float reading[] = {1.2f, 0.1f}, other[] = {0.0f, 0.0f};
  target::mark_stack();
  const std::uint32_t start = target::thousand_instructions();
  const bool right = classify(reading) == 1 && classify(other) == 0;
  print(right, 2, target::thousand_instructions() - start, target::stack_used());
  return right ? 0 : 1;
}

#else

#include "device_snippet.hpp"

std::int16_t readings[samples * features];
tamis::Label labels[samples];

[[gnu::noinline]] bool train_and_classify() {
  auto solver = begin(readings, labels);
  while (turn(solver)) continue;
  if (solver.report().status != tamis::Status::converged) return false;
  for (tamis::Index i = 0; i < samples; ++i)
    if (classify(solver, readings + i * features) != labels[i]) return false;
  return true;
}

int main() {
  for (tamis::Index i = 0; i < samples; ++i) {
    labels[i] = static_cast<tamis::Label>(i % classes);
    for (tamis::Index j = 0; j < features; ++j)
      readings[i * features + j] =
          static_cast<std::int16_t>(j < classes ? 300 + (j == labels[i] ? 500 : 0) + (i * 37 + j * 101) % 97 : 300);
  }
  target::mark_stack();
  const std::uint32_t start = target::thousand_instructions();
  const bool right = train_and_classify();
  print(right, samples, target::thousand_instructions() - start, target::stack_used());
  return right ? 0 : 1;
}

#endif
