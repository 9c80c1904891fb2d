// Learns ten gestures on the device: 200 strokes of 32 points, two bytes a number, in RAM with all that training needs,
// 96 KiB together with the stack (the linker sees to it). The strokes are those of wand_table.hpp where a build has it,
// made ones otherwise.
#include <cstddef>

#include "tamis/design/quantise.hpp"
#include "tamis/design/quantised.hpp"
#include "tamis/model/text_sink.hpp"
#include "tamis/penalty/l1.hpp"
#include "tamis/solver/primal_dual.hpp"
#include "tamis/training.hpp"
#include "target.hpp"
#ifdef TAMIS_WAND
#include "wand_table.hpp"
#endif

namespace {

constexpr tamis::Index samples = 200, points = 32, features = 2 * points, classes = 10;
using Design = tamis::QuantisedDesign<float, std::int16_t>;
using Training = tamis::Training<float, tamis::Hinge, tamis::L1, Design, tamis::Smallest>;

/// As a sensor delivers them: one stroke after the other.
std::int16_t strokes[samples * features];
tamis::Label labels[samples];
float scales[features];
std::int16_t zeros[features];
alignas(Training::alignment) std::byte memory[Training::bytes({samples, features, classes})];
static_assert(sizeof strokes + sizeof labels + sizeof scales + sizeof zeros + sizeof memory <= 94 * 1024);

char text[2048];

#ifdef TAMIS_WAND
static_assert(wand::samples == samples && wand::features == features);
void record() {
  __builtin_memcpy(strokes, wand::values, sizeof strokes);
  __builtin_memcpy(labels, wand::labels, sizeof labels);
}
#else
/// Every class is a walk of its own; a stroke follows it at its own size, place and pace, with a trembling hand.
void record() {
  std::uint32_t state = 11;
  const auto draw = [&](std::int32_t most) {  // −most … most
    state = state * 1103515245u + 12345u;
    return static_cast<std::int32_t>((state >> 8) % static_cast<std::uint32_t>(2 * most + 1)) - most;
  };
  std::int32_t walk[points + 8];
  for (tamis::Index k = 0; k < classes; ++k)
    for (tamis::Index axis = 0; axis < 2; ++axis) {
      std::int32_t place = 0, pace = 0;
      for (std::int32_t& step : walk) {
        pace += draw(300) - pace / 8;
        step = place += pace;
      }
      for (tamis::Index i = k; i < samples; i += classes) {
        labels[i] = static_cast<tamis::Label>(k);
        const std::int32_t size = 256 + draw(40), shift = draw(500);
        const auto start = static_cast<tamis::Index>(4 + draw(4));
        for (tamis::Index t = 0; t < points; ++t)
          strokes[i * features + 2 * t + axis] =
              static_cast<std::int16_t>(walk[start + t] * size / 256 + shift + draw(150));
      }
    }
}
#endif

Design design() {
  return {strokes, samples, features, {.scales = scales, .zeros = zeros}, tamis::QuantisedLayout::by_rows(features)};
}

[[gnu::noinline]] tamis::Fit<float> learn() {
  tamis::standardise_integers(strokes, samples, features, tamis::QuantisedLayout::by_rows(features), scales, zeros);
  return Training{{.lambda = 0.04f, .tolerance = 1e-2f}}.run(design(), {labels, classes}, memory);
}

[[gnu::noinline]] tamis::Index count_right(const tamis::LinearModel<float>& model) {
  tamis::Index right = 0;
  for (tamis::Index i = 0; i < samples; ++i) {
    float stroke[features];
    design().sample(i, stroke);
    right += model.predict(stroke) == labels[i];
  }
  return right;
}

/// All bits of the coefficients in one number (FNV-1a).
std::uint32_t hash_of(const tamis::LinearModel<float>& model) {
  std::uint32_t hash = 0x811c9dc5u;
  for (tamis::Index j = 0; j <= features; ++j)
    for (tamis::Index k = 0; k < classes; ++k) {
      unsigned char bytes[sizeof(float)];
      const float coefficient = model(j, k);
      __builtin_memcpy(bytes, &coefficient, sizeof bytes);
      for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x01000193u;
    }
  return hash;
}

void print(const tamis::Fit<float>& fit, tamis::Index right) {
  tamis::TextSink out(text);
  out << "status " << tamis::name(fit.status) << "\niterations " << fit.iterations << "\nobjective " << fit.objective
      << "\ngap " << fit.gap << "\nnonzeros " << fit.nonzeros << "\nright " << right << " of " << samples
      << "\ndata bytes " << static_cast<std::uint32_t>(sizeof strokes + sizeof labels) << "\narena bytes "
      << static_cast<std::uint32_t>(sizeof memory) << "\ncoefficients " << hash_of(fit.model) << '\n'
      << '\0';
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
  record();
  const std::uint32_t start = target::thousand_instructions();
  const tamis::Fit<float> fit = learn();
  const std::uint32_t trained = target::thousand_instructions();
  const tamis::Index right = count_right(fit.model);
  const std::uint32_t predicted = target::thousand_instructions();
  const std::uint32_t stack = target::stack_used();
  print(fit, right);
  print_costs(trained - start, predicted - trained, stack);
  return fit.status == tamis::Status::converged && right > samples * 9 / 10 ? 0 : 1;
}
