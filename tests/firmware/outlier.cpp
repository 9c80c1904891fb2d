// One value of iris is not scaled: at 1e19 it is refused, and at 1e17 the default limit of iterations ends the run. On a
// board, where nobody sees a run that goes on for hours, that limit is 10,000; the host is told so.
#include <algorithm>
#include <cstddef>

#include "iris_table.hpp"
#include "tamis/model/text_sink.hpp"
#include "tamis/penalty/l1.hpp"
#include "tamis/training.hpp"
#include "target.hpp"

namespace {

constexpr tamis::Shape shape{.samples = iris::samples, .features = iris::features, .classes = iris::classes};
float values[iris::samples * iris::features];
alignas(16) std::byte memory[32768];
char text[128];

template <class Choice>
bool ends(const char* name, float outlier) {
  using Training = tamis::Training<float, tamis::Hinge, tamis::L1, Choice>;
  static_assert(Training::bytes(shape) <= sizeof memory);
#if defined(__arm__) || defined(__riscv)
  constexpr tamis::Options<float> options{.lambda = 0.02f};
#else
  constexpr tamis::Options<float> options{.lambda = 0.02f, .max_iterations = 10000};
#endif
  static_assert(options.max_iterations == 10000);
  values[70] = outlier;
  const auto fit =
      Training{options}.run({values, iris::samples, iris::features}, {iris::labels, iris::classes}, memory);
  tamis::TextSink out(text);
  out << name << ' ' << tamis::name(fit.status) << " after " << fit.iterations << '\n' << '\0';
  target::write(text);
  return fit.status == tamis::Status::iteration_limit || !has_model(fit.status);
}

}  // namespace

int main() {
  std::copy(std::begin(iris::values), std::end(iris::values), values);
  bool ended = true;
  for (const float outlier : {1e19f, 1e17f})
    ended = ends<tamis::Smallest>("primal-dual", outlier) && ends<tamis::Fastest>("two-phase", outlier) && ended;
  return ended ? 0 : 1;
}
