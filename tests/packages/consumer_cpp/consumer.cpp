// Six samples of two features in three classes, trained on and predicted.
#include <cstddef>
#include <cstdio>

#include <tamis/tamis.hpp>
#include <tamis/version.hpp>

namespace {

constexpr tamis::Shape shape{.samples = 6, .features = 2, .classes = 3};
constexpr float samples[] = {0.0f, 0.2f, 1.0f, 1.2f, 0.1f, 0.3f, 0.1f, 0.0f, 0.1f, 0.3f, 1.0f, 1.1f};  // by columns
constexpr tamis::Label labels[] = {0, 0, 1, 1, 2, 2};
using Training = tamis::Training<float, tamis::Hinge, tamis::L1>;
alignas(Training::alignment) std::byte memory[Training::bytes(shape)];

}  // namespace

int main() {
  const auto fit = Training({.lambda = 0.02f}).run({samples, 6, 2}, {labels, 3}, memory);
  const float reading[] = {1.1f, 0.2f};
  if (fit.status != tamis::Status::converged || fit.model.predict(reading) != 1) return 1;
  std::printf("tamis %s\n", tamis::version);
}
