// A sketch that takes all headers, after the macros of Arduino's cores.
#include <tamis.h>  // first: by this Arduino finds the library
#include <tamis/tamis.hpp>

using Training = tamis::Training<float, tamis::Hinge, tamis::L1, tamis::Smallest>;
alignas(Training::alignment) static std::byte memory[Training::bytes({.samples = 6, .features = 2, .classes = 3})];
static const float samples[] = {0.0f, 0.1f, 1.0f, 1.1f, 0.0f, 0.2f, 0.0f, 0.1f, 0.0f, 0.2f, 1.0f, 1.3f};
static const tamis::Label labels[] = {0, 0, 1, 1, 2, 2};

void setup() {
  const float reading[] = {1.2f, max(0.1f, 0.0f)};
  const auto fit = Training({.lambda = 0.02f}).run({samples, 6, 2}, {{labels, 6}, 3}, memory);
  Serial.print(tamis::name(fit.status));
  Serial.print(": label ");
  Serial.print(int(fit.model.predict(reading)));
  Serial.println("");
}

void loop() {}
