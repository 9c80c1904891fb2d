#pragma once
/// Trainings on tables whose values are other ones than those of the problem made.

#include <gtest/gtest.h>

#include "problems.hpp"

namespace tamis::testing {

/// What a training ends with.
template <class T>
struct Answer {
  Report<T> report;
  std::vector<T> weights;
};

template <class T, class Loss, template <class, class, class, class> class Solver, class Penalty>
Answer<T> train_on(const std::vector<T>& values, const Made<T>& made, const Options<T>& options, Penalty penalty) {
  using Run = Training<T, Loss, Penalty, With<Solver>>;
  const WorkspaceHint hint{values.size(), 400};
  GuardedMemory memory(Run::bytes(made.shape(), hint));
  const DenseDesign<T> design(values.data(), made.samples, made.features);
  const auto fit = Run(options, {}, penalty).run(design, made.targets(), memory.span());
  EXPECT_TRUE(memory.surroundings_intact());
  Answer<T> answer{fit, {}};
  for (Index j = 0; j < made.features; ++j)
    for (Index k = 0; k < made.classes; ++k)
      answer.weights.push_back(fit.model.coefficients[j * padded<T>(made.classes) + k]);
  return answer;
}

}  // namespace tamis::testing
