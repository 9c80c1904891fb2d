// Thresholds for sets of labels, against searches over all of them.
#include "tamis/selection/set_thresholds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/label_sets.hpp"

namespace {

using namespace tamis;
using tamis::testing::Generator;
using tamis::testing::GuardedMemory;

/// Scores of samples and their sets, each class of a sample likelier where its score is high.
struct Scored {
  Index n, K;
  std::vector<double> z;
  std::vector<Index> starts{0};
  std::vector<Label> members, labels;

  Scored(Index samples, Index classes, std::uint32_t seed, double noise) : n(samples), K(classes) {
    Generator generator(seed);
    for (Index i = 0; i < n; ++i) {
      double mean = 0;
      for (Index k = 0; k < K; ++k) {
        z.push_back(generator.uniform() + 0.001 * k);
        mean += z.back() / K;
      }
      for (Index k = 0; k < K; ++k)
        if (z[i * K + k] > mean + 0.2 + noise * generator.uniform()) members.push_back(static_cast<Label>(k));
      starts.push_back(static_cast<Index>(members.size()));
      labels.push_back(static_cast<Label>(i));
    }
  }
  LabelSets sets() const { return {starts.data(), members.data(), n}; }
  std::vector<std::vector<bool>> predicted(const SetThresholds<double>& by) const {
    std::vector<std::vector<bool>> out(n, std::vector<bool>(K));
    for (Index i = 0; i < n; ++i) by.for_each_label(&z[i * K], [&](Index k) { out[i][k] = true; });
    return out;
  }
};

struct Chosen {
  GuardedMemory memory;
  ThresholdChoice<double> choice;
  Status status;

  Chosen(const Scored& of, ThresholdKind kind)
      : memory(ThresholdChoice<double>::requirement(kind, of.n, of.K).bytes), choice(kind, of.n, of.K) {
    status = choice.choose(of.z.data(), of.K, of.sets(), of.labels.data(), memory.span());
  }
};

double f1(const Scored& of, Index k, double threshold) {
  double hits = 0, members = 0, predictions = 0;
  for (Index i = 0; i < of.n; ++i) {
    const bool is = of.sets().contains(of.labels[i], k), says = of.z[i * of.K + k] > threshold;
    hits += is && says;
    members += is;
    predictions += says;
  }
  return members + predictions > 0 ? 2 * hits / (members + predictions) : 0;
}

TEST(SetThresholds, PerClassHaveTheLargestF1HalfwayBetweenTwoScores) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    const Index n = seed % 3 == 0 ? 9 : 40;
    const Scored scored(n, 5, seed, seed % 3 == 0 ? 1.5 : 0.7);
    Chosen chosen(scored, ThresholdKind::per_class);
    ASSERT_EQ(chosen.status, Status::converged);
    EXPECT_TRUE(chosen.memory.surroundings_intact());
    for (Index k = 0; k < 5; ++k) {
      const double threshold = chosen.choice.thresholds().offsets[k];
      double best = f1(scored, k, -10), below = -10, above = 10;
      for (Index i = 0; i < n; ++i) {
        const double z = scored.z[i * 5 + k];
        best = std::max(best, f1(scored, k, z));
        if (z > threshold) above = std::min(above, z);
        else below = std::max(below, z);
      }
      EXPECT_NEAR(f1(scored, k, threshold), best, 1e-12);
      if (above < 10 && below > -10) {
        EXPECT_NEAR(threshold, (above + below) / 2, 1e-12);
      }
    }
  }
}

TEST(SetThresholds, OfAClassThatNoSampleHasIsBeyondAllScores) {
  Scored scored(10, 3, 2, 0);
  std::fill(scored.starts.begin(), scored.starts.end(), 0u);
  Chosen chosen(scored, ThresholdKind::per_class);
  for (const auto& row : scored.predicted(chosen.choice.thresholds()))
    EXPECT_EQ(std::count(row.begin(), row.end(), true), 0);
}

/// The normal equations of least squares on targets found by trying every threshold.
TEST(SetThresholds, LinearOnesAreLeastSquaresToTheBestOfEachSample) {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    const Scored scored(60, 4, seed, 0.5);
    Chosen chosen(scored, ThresholdKind::linear);
    ASSERT_EQ(chosen.status, Status::converged);
    EXPECT_TRUE(chosen.memory.surroundings_intact());
    const auto by = chosen.choice.thresholds();
    std::vector<double> residual(5);
    double size = 0;
    for (Index i = 0; i < scored.n; ++i) {
      std::vector<double> sorted(&scored.z[i * 4], &scored.z[i * 4] + 4);
      std::sort(sorted.begin(), sorted.end());
      sorted.insert(sorted.begin(), sorted.front() - 1);
      sorted.push_back(sorted.back() + 1);
      double target = 0, width = -1;
      int least = 99;
      for (std::size_t e = 0; e + 1 < sorted.size(); ++e) {
        const double at = (sorted[e] + sorted[e + 1]) / 2;
        int wrong = 0;
        for (Index k = 0; k < 4; ++k)
          wrong += scored.sets().contains(scored.labels[i], k) != (scored.z[i * 4 + k] > at);
        if (wrong < least || (wrong == least && sorted[e + 1] - sorted[e] > width)) {
          least = wrong;
          width = sorted[e + 1] - sorted[e];
          target = at;
        }
      }
      double says = by.offsets[0];
      for (Index k = 0; k < 4; ++k) says += by.slopes[k] * scored.z[i * 4 + k];
      for (Index k = 0; k < 4; ++k) residual[k] += (says - target) * scored.z[i * 4 + k];
      residual[4] += says - target;
      size += std::abs(target);
    }
    for (const double r : residual) EXPECT_LT(std::abs(r), 1e-5 * size);
  }
}

/// Scores that add up to zero determine slopes up to a constant: of these, the smallest.
TEST(SetThresholds, LinearOnesOfScoresThatAddUpToZeroAreTheSmallest) {
  Scored scored(60, 4, 1, 0.5);
  for (Index i = 0; i < scored.n; ++i) {
    double mean = 0;
    for (Index k = 0; k < 4; ++k) mean += scored.z[i * 4 + k] / 4;
    for (Index k = 0; k < 4; ++k) scored.z[i * 4 + k] -= mean;
  }
  Chosen chosen(scored, ThresholdKind::linear);
  const auto by = chosen.choice.thresholds();
  double sum = 0, size = 0;
  for (Index k = 0; k < 4; ++k) {
    sum += by.slopes[k];
    size = std::max(size, std::abs(by.slopes[k]));
  }
  EXPECT_GT(size, 1e-3);
  EXPECT_LT(std::abs(sum), 1e-4 * size);
}

TEST(SetThresholds, RecoverARuleOfTheMeanScore) {
  const Scored scored(300, 5, 3, 0);  // z_k > mean + 0.2
  Chosen chosen(scored, ThresholdKind::linear);
  std::size_t wrong = 0;
  const auto predicted = scored.predicted(chosen.choice.thresholds());
  for (Index i = 0; i < scored.n; ++i)
    for (Index k = 0; k < 5; ++k) wrong += predicted[i][k] != scored.sets().contains(scored.labels[i], k);
  EXPECT_LT(wrong, 0.06 * 5 * 300);
}

TEST(SetThresholds, RefusalsWriteNothing) {
  Scored scored(10, 3, 2, 0.2);
  for (const ThresholdKind kind : all_threshold_kinds) {
    const std::size_t bytes = ThresholdChoice<double>::requirement(kind, 10, 3).bytes;
    GuardedMemory memory(bytes);
    ThresholdChoice<double> choice(kind, 10, 3);
    const auto status = [&](const LabelSets& sets, std::span<std::byte> room) {
      return choice.choose(scored.z.data(), 3, sets, scored.labels.data(), room);
    };
    EXPECT_EQ(status(scored.sets(), memory.span().first(bytes - 1)), Status::arena_too_small);
    LabelSets fewer = scored.sets();
    fewer.count = 9;
    EXPECT_EQ(status(fewer, memory.span()), Status::invalid_label);
    const double kept = scored.z[7];
    scored.z[7] = std::nan("");
    EXPECT_EQ(status(scored.sets(), memory.span()), Status::invalid_data);
    scored.z[7] = kept;
    EXPECT_TRUE(memory.untouched());
    EXPECT_EQ(status(scored.sets(), memory.span()), Status::converged);
  }
}

}  // namespace
