// One training of one kind, or none at all, so that the difference tells what it costs on a board: COSTS_LOSS and
// COSTS_PENALTY by COSTS_SOLVER on iris with COSTS_OPTIONS; COSTS_STREAMED for learners of one sample after the other,
// COSTS_PREDICTION for prediction alone.
#include <cstddef>

#include "iris_table.hpp"
#include "tamis/penalty/elastic_net.hpp"
#include "tamis/penalty/group.hpp"
#include "tamis/penalty/l1.hpp"
#include "tamis/streaming/dual_averaging.hpp"
#include "tamis/streaming/fobos.hpp"
#include "tamis/training.hpp"
#include "target.hpp"

namespace {

struct Result {
  std::uint32_t iterations = 0;
  std::uint32_t arena_bytes = 0;
  tamis::LinearModel<float> model;
};

#if defined(COSTS_STREAMED)

using Learner = tamis::COSTS_SOLVER<float, tamis::COSTS_LOSS, tamis::COSTS_PENALTY>;
alignas(Learner::alignment) std::byte memory[Learner::bytes(iris::features, iris::classes)];

[[gnu::noinline]] void train(Result& result) {
  Learner learner(iris::features, iris::classes, {COSTS_OPTIONS});
  learner.begin(memory);
  for (std::uint32_t i = 0; i < iris::samples; ++i) {
    float row[iris::features];
    const std::uint32_t place = i * 37 % iris::samples;
    for (std::uint32_t j = 0; j < iris::features; ++j) row[j] = iris::values[place + j * iris::samples];
    typename Learner::Sample sample;
    sample.x = {row, nullptr, iris::features};
    sample.label = iris::labels[place];
    if (learner.update(sample) <= tamis::Status::running) ++result.iterations;
  }
  result.arena_bytes = sizeof memory;
  result.model = learner.model();
}

#elif defined(COSTS_SOLVER)

constexpr tamis::Shape shape{.samples = iris::samples, .features = iris::features, .classes = iris::classes};
/// Everything at once: no value of iris is zero, and all coefficients may differ from it.
constexpr tamis::WorkspaceHint hint{.entries = iris::samples * iris::features,
                                    .active_limit = (iris::features + 1) * iris::classes};
using Training = tamis::Training<float, tamis::COSTS_LOSS, tamis::COSTS_PENALTY, tamis::With<tamis::COSTS_SOLVER>>;
alignas(Training::alignment) std::byte memory[Training::bytes(shape, hint)];

[[gnu::noinline]] void train(Result& result) {
  const tamis::DenseDesign<float> samples(iris::values, iris::samples, iris::features);
  static constexpr Training training{{COSTS_OPTIONS}};
  const auto fit = training.run(samples, {iris::labels, iris::classes}, memory);
  if (fit.status != tamis::Status::converged) return;
  result.iterations = fit.iterations;
  result.arena_bytes = sizeof memory;
  result.model = fit.model;
}

#elif defined(COSTS_PREDICTION)

/// What primal–dual iterations find for hinge, ℓ1 and λ = 0.02.
constexpr float coefficients[] = {0,      0, 0,      0, 0.257f, 0, -0.248f, 0,      -1.389f,  0,
                                  2.009f, 0, -0.25f, 0, 2.17f,  0, 0.2477f, 1.246f, -1.4937f, 0};

[[gnu::noinline]] void train(Result& result) { result.model = {coefficients, iris::features, iris::classes}; }

#else

[[gnu::noinline]] void train(Result&) { asm volatile("" : : "r"(iris::values), "r"(iris::labels)); }

#endif

[[gnu::noinline]] std::uint32_t count_right([[maybe_unused]] const Result& result) {
  std::uint32_t right = 0;
#if defined(COSTS_SOLVER) || defined(COSTS_PREDICTION)
  for (std::uint32_t i = 0; i < iris::samples; ++i)
    right += result.model.predict(iris::values + i, iris::samples) == iris::labels[i];
#endif
  return right;
}

void print(const char* name, std::uint32_t number) {
  target::write(name);
  char digits[] = "0123456789\n";
  for (int place = 9; place >= 0; --place, number /= 10) digits[place] = static_cast<char>('0' + number % 10);
  target::write(digits);
}

}  // namespace

int main() {
  static Result result;  // on the stack it would be cleared by a call of memset, which training does without
  target::mark_stack();
  const std::uint32_t start = target::instructions();
  train(result);
  const std::uint32_t trained = target::instructions();
  const std::uint32_t stack = target::stack_used();
  const std::uint32_t predicting = target::instructions();
  const std::uint32_t right = count_right(result);
  const std::uint32_t predicted = target::instructions();
  print("iterations ", result.iterations);
  print("arena ", result.arena_bytes);
  print("stack ", stack);
  print("training ", trained - start);
  print("prediction ", predicted - predicting);
  print("right ", right);
  return 0;
}
