// Trains a classifier of three species of iris on the board, from samples in flash, in memory whose size is known when this
// is compiled.
#include <zephyr/sys/printk.h>

#include <tamis/penalty/l1.hpp>
#include <tamis/training.hpp>

#include "iris_table.hpp"

constexpr tamis::Shape shape{.samples = iris::samples, .features = iris::features, .classes = iris::classes};
using Training = tamis::Training<float, tamis::Hinge, tamis::L1, tamis::Smallest>;
alignas(Training::alignment) static std::byte memory[Training::bytes(shape)];

int main() {
  const tamis::DenseDesign<float> samples(iris::values, iris::samples, iris::features);
  const auto fit = Training({.lambda = 0.02f}).run(samples, {iris::labels, iris::classes}, memory);

  int right = 0;
  for (tamis::Index i = 0; i < iris::samples; ++i)
    if (fit.model.predict(iris::values + i, iris::samples) == iris::labels[i]) ++right;
  printk("%s: %d of %d right, trained in %d bytes\n", tamis::name(fit.status), right, int(iris::samples),
         int(sizeof memory));
  return 0;
}
