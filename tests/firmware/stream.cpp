// Learns on the device from samples that come from flash one at a time, some of them damaged, in memory that does not
// depend on their number, and goes on learning later from what it knew.
#include <cstddef>

#include "iris_table.hpp"
#include "tamis/loss/hinge.hpp"
#include "tamis/loss/logistic.hpp"
#include "tamis/model/text_sink.hpp"
#include "tamis/penalty/group.hpp"
#include "tamis/penalty/l1.hpp"
#include "tamis/streaming/dual_averaging.hpp"
#include "tamis/streaming/fobos.hpp"
#include "tamis/streaming/run.hpp"
#include "target.hpp"

namespace {

using Sparse = tamis::DualAveragingLearner<float, tamis::Hinge, tamis::L1>;
using Plain = tamis::FobosLearner<float, tamis::Logistic, tamis::GroupL2>;
alignas(Sparse::alignment) std::byte memory[Sparse::bytes(iris::features, iris::classes)];
alignas(Plain::alignment) std::byte more_memory[Plain::bytes(iris::features, iris::classes)];

/// The samples in flash, as a sensor would give them: every 37th step around the circle, one in fifty lost.
struct Sensor {
  std::uint32_t place = 0, given = 0;
  float row[iris::features] = {};

  tamis::StreamNext next(tamis::StreamSample<float>& sample) {
    if (given == iris::samples) return tamis::StreamNext::end;
    place = (place + 37) % iris::samples;
    for (std::uint32_t j = 0; j < iris::features; ++j) row[j] = iris::values[place + j * iris::samples];
    if (given % 50 == 20) row[1] = tamis::not_a_number<float>;
    ++given;
    sample.x = {row, nullptr, iris::features};
    sample.label = iris::labels[place];
    return tamis::StreamNext::sample;
  }
  bool rewind() {
    place = given = 0;
    return true;
  }
};

char text[1024];

template <class Learner>
void print(const char* name, tamis::StreamEnd end, Learner& learner, std::size_t bytes) {
  const auto report = learner.report();
  const auto model = learner.model();
  tamis::Index right = 0;
  for (tamis::Index i = 0; i < iris::samples; ++i)
    right += model.predict(iris::values + i, iris::samples) == iris::labels[i];
  tamis::TextSink out(text);
  out << name << "\nend " << static_cast<std::uint32_t>(end) << "\nsamples " << report.samples << "\nrefused "
      << report.refused << "\nlearning rate " << report.learning_rate << "\nmean loss " << report.mean_loss
      << "\nright " << right << " of " << iris::samples << "\narena bytes " << static_cast<std::uint32_t>(bytes)
      << '\n';
  for (tamis::Index j = 0; j <= iris::features; ++j) {
    out << (j < iris::features ? "weights" : "intercepts");
    for (tamis::Index k = 0; k < iris::classes; ++k) out << ' ' << model(j, static_cast<tamis::Label>(k));
    out << '\n';
  }
  out << '\0';
  target::write(text);
}

Sensor sensor;

/// Chooses a learning rate and learns; the model stays in `memory`.
[[gnu::noinline]] tamis::StreamEnd learn(tamis::LinearModel<float>& model) {
  Sparse learner(iris::features, iris::classes, {.lambda = 0.02f});
  tamis::StreamEnd end = tamis::choose_learning_rate(learner, sensor, iris::samples, memory);
  if (end == tamis::StreamEnd::complete) end = tamis::learn_stream(learner, sensor, 10);
  print("dual averaging", end, learner, sizeof memory);
  model = learner.model();
  return end;
}

/// Goes on from a model that has learned from `seen` samples.
[[gnu::noinline]] tamis::StreamEnd go_on(const tamis::LinearModel<float>& model, std::uint32_t seen) {
  Plain learner(iris::features, iris::classes, {.lambda = 0.01f});
  sensor.rewind();
  learner.begin(more_memory, model, seen);
  const tamis::StreamEnd end = tamis::learn_stream(learner, sensor);
  print("fobos from there", end, learner, sizeof more_memory);
  return end;
}

}  // namespace

int main() {
  target::mark_stack();
  const std::uint32_t start = target::thousand_instructions();
  tamis::LinearModel<float> model;
  const tamis::StreamEnd first = learn(model);
  const std::uint32_t learned = target::thousand_instructions();
  const tamis::StreamEnd second = go_on(model, 10 * iris::samples);
  const std::uint32_t stack = target::stack_used();
  tamis::TextSink out(text);
  out << "measured: thousand instructions to choose, learn and print " << learned - start << "\nmeasured: stack bytes "
      << stack << "\n"
      << '\0';
  target::write(text);
  return first == tamis::StreamEnd::complete && second == tamis::StreamEnd::complete ? 0 : 1;
}
