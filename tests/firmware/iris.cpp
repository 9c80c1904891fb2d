// Trains a sparse classifier on the device, from samples in flash, in memory whose size is known before the start, and
// predicts with it.
#include <cstddef>

#include "iris_table.hpp"
#include "tamis/model/text_sink.hpp"
#include "tamis/penalty/l1.hpp"
#include "tamis/training.hpp"
#include "target.hpp"
#include "trespass.hpp"

namespace {

constexpr tamis::Shape shape{.samples = iris::samples, .features = iris::features, .classes = iris::classes};
using Training = tamis::Training<float, tamis::Hinge, tamis::L1, tamis::Smallest>;
alignas(Training::alignment) std::byte memory[Training::bytes(shape)];

tamis::Fit<float> train() {
  const tamis::DenseDesign<float> samples(iris::values, iris::samples, iris::features);
  return Training{{.lambda = 0.02f}}.run(samples, {iris::labels, iris::classes}, memory);
}

tamis::Index count_right(const tamis::LinearModel<float>& model) {
  tamis::Index right = 0;
  for (tamis::Index i = 0; i < iris::samples; ++i)
    right += model.predict(iris::values + i, iris::samples) == iris::labels[i];
  return right;
}

char text[1024];

void print(const tamis::Fit<float>& fit, tamis::Index right) {
  tamis::TextSink out(text);
  out << "status " << tamis::name(fit.status) << "\niterations " << fit.iterations << "\nobjective " << fit.objective
      << "\ngap " << fit.gap << "\nright " << right << " of " << iris::samples << "\narena bytes "
      << static_cast<std::uint32_t>(sizeof memory) << '\n';
  for (tamis::Index j = 0; j <= iris::features; ++j) {
    out << (j < iris::features ? "weights" : "intercepts");
    for (tamis::Index k = 0; k < iris::classes; ++k) out << ' ' << fit.model(j, k);
    out << '\n';
  }
  out << '\0';
  target::write(text);
}

void print_costs(std::uint32_t training, std::uint32_t prediction, std::uint32_t stack) {
  tamis::TextSink out(text);
  out << "measured: thousand instructions to train " << training << "\nmeasured: thousand instructions to predict all "
      << prediction << "\nmeasured: stack bytes " << stack << "\n"
      << '\0';
  target::write(text);
}

}  // namespace

int main() {
  target::mark_stack();
  const std::uint32_t start = target::thousand_instructions();
  const tamis::Fit<float> fit = train();
  const std::uint32_t trained = target::thousand_instructions();
  const tamis::Index right = count_right(fit.model);
  const std::uint32_t predicted = target::thousand_instructions();
  const std::uint32_t stack = target::stack_used();
  print(fit, right);
  print_costs(trained - start, predicted - trained, stack);
  trespass();
  return fit.status == tamis::Status::converged ? 0 : 1;
}
