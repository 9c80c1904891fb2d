// Trains a classifier of three species of iris on the board, from samples in flash, in memory whose size is known when this
// is compiled. Needs C++20: see the README of the library.
#include <tamis.h>  // first: by this Arduino finds the library
#include <tamis/penalty/l1.hpp>
#include <tamis/training.hpp>

#include "iris_table.hpp"

constexpr tamis::Shape shape{.samples = iris::samples, .features = iris::features, .classes = iris::classes};
using Training = tamis::Training<float, tamis::Hinge, tamis::L1, tamis::Smallest>;
alignas(Training::alignment) static std::byte memory[Training::bytes(shape)];

void setup() {
  Serial.begin(115200);
  while (!Serial) {
  }
  const tamis::DenseDesign<float> samples(iris::values, iris::samples, iris::features);
  const auto fit = Training({.lambda = 0.02f}).run(samples, {iris::labels, iris::classes}, memory);

  int right = 0;
  for (tamis::Index i = 0; i < iris::samples; ++i)
    if (fit.model.predict(iris::values + i, iris::samples) == iris::labels[i]) ++right;
  Serial.print(tamis::name(fit.status));
  Serial.print(": ");
  Serial.print(right);
  Serial.print(" of ");
  Serial.print(int(iris::samples));
  Serial.print(" right, trained in ");
  Serial.print(int(sizeof memory));
  Serial.println(" bytes");
}

void loop() {}
