// A C library of one loss and one penalty: trainings, devices and streams have these, and refuse the rest.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "support/problems.hpp"
#include "tamis_device.h"
#include "tamis_stream.h"

namespace {

using tamis::testing::GuardedMemory;
using tamis::testing::Made;

/// A loss and a penalty, and whether they are the chosen ones.
struct Choice {
  std::uint32_t loss, penalty;
  bool is_chosen;
};
constexpr Choice choices[] = {{TAMIS_HINGE, TAMIS_L1, true},
                              {TAMIS_LOGISTIC, TAMIS_L1, false},
                              {TAMIS_HINGE, TAMIS_RIDGE, false},
                              {TAMIS_HINGE, 1000, false},
                              {1000, TAMIS_L1, false}};

tamis_problem_f32 problem_of(const Made<float>& made, const Choice& choice) {
  tamis_problem_f32 p;
  tamis_default_problem_f32(&p);
  p.samples = made.samples, p.features = made.features, p.classes = 3;
  p.values = made.values.data(), p.labels = made.labels.data();
  p.lambda = 0.02f, p.tolerance = 1e-2f;
  p.loss = choice.loss, p.penalty = choice.penalty;
  return p;
}

TEST(CChosen, TrainingsHaveWhatIsChosen) {
  const Made<float> made(40, 4, 3, 5);
  for (const Choice& choice : choices) {
    const auto p = problem_of(made, choice);
    GuardedMemory memory(8192);
    tamis_training_f32 run;
    EXPECT_EQ(tamis_training_bytes_f32(&p) > 0, choice.is_chosen);
    EXPECT_EQ(tamis_train_f32(&run, &p, memory.span().data(), memory.span().size(), nullptr, nullptr),
              choice.is_chosen ? TAMIS_CONVERGED : TAMIS_INVALID_OPTION);
    EXPECT_EQ(tamis_refusal(TAMIS_AUTOMATIC, choice.loss, choice.penalty) == nullptr, choice.is_chosen);
  }
  EXPECT_STREQ(tamis_refusal(TAMIS_FISTA, TAMIS_HINGE, TAMIS_L1), tamis_refusal(TAMIS_AUTOMATIC, 1000, TAMIS_L1));
}

TEST(CChosen, DevicesHaveWhatIsChosen) {
  const Made<float> made(40, 4, 3, 5);
  std::vector<std::int16_t> integers;
  for (const float value : made.values) integers.push_back(static_cast<std::int16_t>(value * 100));
  tamis_quantised_f32 samples{};
  samples.values = integers.data(), samples.integer = TAMIS_INT16, samples.scale = 0.01f;
  for (const Choice& choice : choices) {
    auto p = problem_of(made, choice);
    p.values = nullptr;
    EXPECT_EQ(tamis_device_bytes_f32(&p) > 0, choice.is_chosen);
    GuardedMemory memory(choice.is_chosen ? tamis_device_bytes_f32(&p) : 8192);
    const auto run = std::make_unique<tamis_device_f32>();
    tamis_status status =
        tamis_device_start_f32(run.get(), &p, &samples, nullptr, memory.span().data(), memory.span().size());
    while (status == TAMIS_RUNNING) status = tamis_device_step_f32(run.get(), 100);
    EXPECT_EQ(status, choice.is_chosen ? TAMIS_CONVERGED : TAMIS_INVALID_OPTION);
  }
}

TEST(CChosen, StreamsHaveWhatIsChosen) {
  for (const Choice& choice : choices)
    for (const std::uint32_t learner : {TAMIS_LEARN_DUAL_AVERAGING, TAMIS_LEARN_FOBOS}) {
      tamis_stream_options_f32 options;
      tamis_default_stream_options_f32(&options);
      options.features = 4, options.classes = 3, options.learner = learner;
      options.loss = choice.loss, options.penalty = choice.penalty;
      const std::size_t bytes = tamis_stream_bytes_f32(&options);
      EXPECT_EQ(bytes > 0, choice.is_chosen);
      GuardedMemory memory(choice.is_chosen ? bytes : 8192);
      const auto stream = std::make_unique<tamis_stream_f32>();
      ASSERT_EQ(tamis_stream_begin_f32(stream.get(), &options, memory.span().data(), memory.span().size()),
                choice.is_chosen ? TAMIS_RUNNING : TAMIS_INVALID_OPTION);
      const float sample[] = {1, 0, 0, 2};
      EXPECT_EQ(tamis_stream_update_f32(stream.get(), sample, 1, 1.0f),
                choice.is_chosen ? TAMIS_RUNNING : TAMIS_INVALID_OPTION);
    }
}

}  // namespace
