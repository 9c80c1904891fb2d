// What only a build of the C library with all solvers has: the others refuse it, each with its sentence, and change
// nothing. Thresholds of label sets are in all of them.
#include <gtest/gtest.h>

#include <string>

#include "core.hpp"
#include "support/label_sets.hpp"
#include "tamis.h"
#include "tamis_device.h"
#include "tamis_sets.h"

namespace {

using tamis::testing::GuardedMemory;
using tamis::testing::MadeSets;

TEST(CSettings, AreRefusedWithoutAllSolvers) {
  const MadeSets<float> made(30, 4, 3, 2);
  tamis_problem_f32 good;
  tamis_default_problem_f32(&good);
  good.samples = made.samples, good.features = made.features, good.classes = made.classes;
  good.values = made.values.data();
  const std::vector<std::uint16_t> labels = [&] {
    std::vector<std::uint16_t> out;
    for (tamis::Index i = 0; i < made.samples; ++i) out.push_back(static_cast<std::uint16_t>(i % 3));
    return out;
  }();
  good.labels = labels.data();
  good.lambda = 0.1f;
  EXPECT_EQ(tamis_problem_refusal_f32(&good), nullptr);
  GuardedMemory memory(tamis_training_bytes_f32(&good));
  tamis_training_f32 training{};
  EXPECT_EQ(tamis_start_f32(&training, &good, memory.span().data(), memory.span().size()), TAMIS_RUNNING);

  const auto refused = [&](const auto& change) {
    auto p = good;
    change(p);
    const char* sentence = tamis_problem_refusal_f32(&p);
    EXPECT_NE(std::string(sentence ? sentence : "").find("TAMIS_ALL_SOLVERS"), std::string::npos);
    EXPECT_EQ(tamis_start_f32(&training, &p, memory.span().data(), memory.span().size()), TAMIS_INVALID_OPTION);
    tamis_path_f32 path{};
    tamis_grid_f32 grid;
    tamis_default_grid_f32(&grid);
    EXPECT_EQ(tamis_path_start_f32(&path, &p, &grid, memory.span().data(), memory.span().size()), TAMIS_INVALID_OPTION);
    tamis_device_f32 device{};
    const std::vector<std::int16_t> values(made.values.size());
    const tamis_quantised_f32 quantised{values.data(), TAMIS_INT16, 1, 1, 0, nullptr, nullptr};
    EXPECT_EQ(tamis_device_start_f32(&device, &p, &quantised, nullptr, memory.span().data(), memory.span().size()),
              TAMIS_INVALID_OPTION);
  };
  refused([&](auto& p) {
    p.loss = TAMIS_RANKING_SQUARED_HINGE;
    p.set_starts = made.starts.data(), p.set_members = made.members.data(), p.set_count = made.sets().count;
  });
  refused([&](auto& p) { p.set_starts = made.starts.data(); });
  refused([&](auto& p) { p.set_members = made.members.data(); });
  refused([](auto& p) { p.set_count = 1; });
  refused([](auto& p) { p.seed = std::uint64_t{1} << 40; });
  refused([](auto& p) { p.learning_rate = 0.5f; });
  refused([](auto& p) { p.learning_rate = tamis::not_a_number<float>; });
  refused([](auto& p) { p.shrinking = 1; });
  refused([](auto& p) { p.stopping = TAMIS_STOPPING_ITERATES; });
  refused([](auto& p) { p.stopping_threshold = 1e-3f; });
  EXPECT_NE(
      std::string(tamis_refusal(TAMIS_AUTOMATIC, TAMIS_RANKING_SQUARED_HINGE, TAMIS_L1)).find("TAMIS_ALL_SOLVERS"),
      std::string::npos);
  auto ranking = good;
  ranking.loss = TAMIS_RANKING_SQUARED_HINGE;
  EXPECT_EQ(tamis_training_bytes_f32(&ranking), 0u);
}

TEST(CSettings, SetsComeOfScores) {
  // Samples whose classes have the scores above 0, by a wide margin.
  const std::vector<float> scores{2, -2, -2, -2, 2, 2, 2, 2, -2, -2, -2, -2};
  const std::uint32_t starts[] = {0, 1, 3, 5, 5};
  const std::uint16_t members[] = {0, 1, 2, 0, 1}, labels[] = {0, 1, 2, 3};
  const tamis_scored_sets_f32 scored{scores.data(), labels, starts, members, 4, 4, 3, 3};
  for (const std::uint32_t kind : {TAMIS_THRESHOLDS_LINEAR, TAMIS_THRESHOLDS_PER_CLASS}) {
    GuardedMemory memory(tamis_thresholds_bytes_f32(kind, 4, 3));
    tamis_thresholds_f32 thresholds;
    ASSERT_EQ(tamis_choose_thresholds_f32(kind, &scored, memory.span().data(), memory.span().size(), &thresholds),
              TAMIS_CONVERGED);
    for (std::uint32_t i = 0; i < 4; ++i) {
      std::uint16_t set[3];
      const std::uint32_t count = tamis_set_of_f32(&thresholds, &scores[3 * i], set);
      ASSERT_EQ(count, starts[i + 1] - starts[i]);
      for (std::uint32_t e = 0; e < count; ++e) EXPECT_EQ(set[e], members[starts[i] + e]);
    }
  }
}

}  // namespace
