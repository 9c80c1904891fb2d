#include <gtest/gtest.h>
#include <tamis.h>
#include <tamis_kernels.h>

#include <cstdint>
#include <tamis/eigen.hpp>
#include <tamis/tamis.hpp>  // these first, so that the snippets' own includes do nothing inside namespaces and functions
#include <utility>

namespace first_snippet {
int classify(const float* samples, const tamis::Label* labels, const float* reading) {
  int label = -1;
  {
#include "first_snippet.hpp"
  }
  return label;
}
}  // namespace first_snippet
namespace eigen_snippet {
Eigen::VectorXi classify(const Eigen::MatrixXf& X, const Eigen::VectorXi& y) {
  Eigen::VectorXi labels = Eigen::VectorXi::Constant(X.rows(), -1);
  {
#include "eigen_snippet.hpp"
  }
  return labels;
}
}  // namespace eigen_snippet
namespace c_first_snippet {
int classify(const float* samples, const std::uint16_t* labels, const float* reading) {
  alignas(TAMIS_ALIGNMENT) static char arena[4096];
  tamis_problem_f32 problem;
  tamis_training_f32 run;
  tamis_model_f32 model;
  int label = -1;
  {
#include "c_first_snippet.hpp"
  }
  return label;
}
}  // namespace c_first_snippet
namespace c_kernels_snippet {
int classify(const float* samples, const std::uint16_t* labels, const float* reading) {
  alignas(TAMIS_ALIGNMENT) static char arena[1 << 16], room[1 << 12];
  tamis_kernels_problem_f32 problem;
  tamis_kernels_f32 run;
  tamis_kernels_model_f32 model;
  float scores[3];
  int label = -1;
  {
#include "c_kernels_snippet.hpp"
  }
  return label;
}
}  // namespace c_kernels_snippet
namespace c_snippet {
#include "c_snippet.hpp"
}
namespace train_snippet {
#include "train_snippet.hpp"
}
namespace path_snippet {
#include "path_snippet.hpp"
}
namespace penalty_snippet {
#include "penalty_snippet.hpp"
}
namespace loss_snippet {
#include "loss_snippet.hpp"
}
namespace solver_snippet {
#include "solver_snippet.hpp"
}
namespace stream_snippet {
#include "stream_snippet.hpp"
}
namespace device_snippet {
#include "device_snippet.hpp"
}
namespace interactions_snippet {
#include "interactions_snippet.hpp"
}
namespace kernels_snippet {
#include "kernels_snippet.hpp"
}

namespace {

TEST(Readme, TheFirstExamplesClassify) {
  const float reading[] = {1.2f, 0.1f}, other[] = {0.0f, 0.0f};
  alignas(TAMIS_ALIGNMENT) static char arena[4096];
  for (const auto& [sample, label] : {std::pair(reading, 1), std::pair(other, 0)}) {
    EXPECT_EQ(first_snippet::classify(train_snippet::samples, train_snippet::labels, sample), label);
    EXPECT_EQ(c_first_snippet::classify(train_snippet::samples, train_snippet::labels, sample), label);
    EXPECT_EQ(c_kernels_snippet::classify(train_snippet::samples, train_snippet::labels, sample), label);
    EXPECT_EQ(c_snippet::classify(train_snippet::samples, train_snippet::labels, sample, arena, sizeof arena), label);
  }
  EXPECT_EQ(c_snippet::classify(train_snippet::samples, train_snippet::labels, reading, arena, 100), -1);

  Eigen::MatrixXf samples(6, 2);
  Eigen::VectorXi labels(6);
  for (int i = 0; i < 6; ++i) {
    labels[i] = train_snippet::labels[i];
    for (int j = 0; j < 2; ++j) samples(i, j) = train_snippet::samples[i + 6 * j];
  }
  EXPECT_EQ(eigen_snippet::classify(samples, labels), labels);
  labels[0] = -1;
  EXPECT_EQ(eigen_snippet::classify(samples, labels), Eigen::VectorXi::Constant(6, -1));
}

TEST(Readme, TheTrainingExampleClassifies) {
  const float reading[] = {1.2f, 0.1f}, other[] = {0.0f, 0.0f};
  EXPECT_EQ(train_snippet::classify(reading), 1);
  EXPECT_EQ(train_snippet::classify(other), 0);
}

TEST(Readme, ThePathExampleEndsBeforeTooManyFeatures) {
  using path_snippet::Training;
  alignas(Training::alignment) static std::byte memory[4096];
  const tamis::DenseDesign<float> design(train_snippet::samples, 6, 2);
  const tamis::Targets<float> targets{train_snippet::labels, 3};
  EXPECT_EQ(path_snippet::largest_model(design, targets, 2, memory), 2u);
  EXPECT_EQ(path_snippet::largest_model(design, targets, 0, memory), 0u);
}

TEST(Readme, ThePenaltyExampleTrains) {
  using penalty_snippet::Training;
  constexpr tamis::Shape shape{6, 2, 3};
  alignas(Training::alignment) static std::byte memory[Training::bytes(shape)];
  const auto fit = Training({.lambda = 0.02f}).run({train_snippet::samples, 6, 2}, {train_snippet::labels, 3}, memory);
  EXPECT_EQ(fit.status, tamis::Status::converged);
  for (tamis::Index j = 0; j < 2; ++j)
    for (tamis::Index k = 0; k < 3; ++k) EXPECT_GE(fit.model(j, k), 0.0f);
}

TEST(Readme, TheLossExampleTrainsToACertifiedOptimum) {
  using loss_snippet::Training;
  constexpr tamis::Shape shape{6, 2, 3};
  alignas(Training::alignment) static std::byte memory[Training::bytes(shape)];
  for (const float lambda : {0.02f, 0.002f}) {
    const auto fit =
        Training({.lambda = lambda}).run({train_snippet::samples, 6, 2}, {train_snippet::labels, 3}, memory);
    EXPECT_EQ(fit.status, tamis::Status::converged);
    EXPECT_GE(fit.gap, 0.0f);
    EXPECT_LE(fit.relative_gap, 1e-4f);
    for (tamis::Index i = 0; i < 6; ++i)
      EXPECT_EQ(fit.model.predict(train_snippet::samples + i, 6), train_snippet::labels[i]);
  }
}

TEST(Readme, TheSolverExampleAgreesWithTheDefaultAndNeedsEveryByte) {
  using solver_snippet::Training;
  using Default = tamis::Training<float, tamis::SquaredHinge, tamis::GroupL2>;
  constexpr tamis::Shape shape{6, 2, 3};
  constexpr tamis::Options<float> options{.lambda = 0.02f, .tolerance = 1e-3f};
  alignas(Training::alignment) static std::byte memory[Training::bytes(shape)], other[Default::bytes(shape)];
  const tamis::DenseDesign<float> design(train_snippet::samples, 6, 2);
  const tamis::Targets<float> targets{train_snippet::labels, 3};
  const auto fit = Training(options).run(design, targets, memory),
             expected = Default(options).run(design, targets, other);
  EXPECT_EQ(fit.status, tamis::Status::converged);
  EXPECT_LE(fit.relative_gap, options.tolerance);
  EXPECT_NEAR(fit.objective, expected.objective, 2 * options.tolerance * expected.objective);
  EXPECT_EQ(Training(options).run(design, targets, std::span<std::byte>(memory).first(sizeof memory - 1)).status,
            tamis::Status::arena_too_small);
}

TEST(Readme, TheStreamExampleLearnsAndRefuses) {
  auto learner = stream_snippet::begin();
  for (int pass = 0; pass < 30; ++pass)
    for (tamis::Index i = 0; i < 6; ++i) {
      const float reading[] = {train_snippet::samples[i], train_snippet::samples[i + 6]};
      EXPECT_TRUE(stream_snippet::on_reading(learner, reading, train_snippet::labels[i]));
    }
  EXPECT_FALSE(stream_snippet::on_reading(learner, train_snippet::samples, 3));
  const float reading[] = {1.2f, 0.1f}, other[] = {0.0f, 0.0f};
  EXPECT_EQ(learner.model().predict(reading), 1);
  EXPECT_EQ(learner.model().predict(other), 0);
  static_assert(sizeof stream_snippet::room == 144);
}

TEST(Readme, TheDeviceExampleTrainsInTurns) {
  using namespace device_snippet;
  static std::int16_t readings[samples * features];
  static tamis::Label labels[samples];
  for (tamis::Index i = 0; i < samples; ++i) {
    labels[i] = static_cast<tamis::Label>(i % classes);
    for (tamis::Index j = 0; j < features; ++j)
      readings[i * features + j] =
          static_cast<std::int16_t>(300 + (j == labels[i] ? 500 : 0) + (i * 37 + j * 101) % 97);
  }
  auto solver = begin(readings, labels);
  int turns = 1;
  while (turn(solver)) ++turns;
  EXPECT_GT(turns, 1);
  EXPECT_EQ(solver.report().status, tamis::Status::converged);
  static_assert(sizeof memory == 42352);
  for (tamis::Index i = 0; i < samples; ++i) EXPECT_EQ(classify(solver, readings + i * features), labels[i]);
}

TEST(Readme, TheExampleOfProductsLearnsTheExclusiveOr) {
  const float samples[] = {0, 0, 1, 1, 0, 1, 0, 1};
  const tamis::Label labels[] = {0, 1, 1, 0}, wrong[] = {0, 1, 2, 0};
  for (int i = 0; i < 4; ++i) {
    const float reading[] = {samples[i], samples[i + 4]};
    EXPECT_EQ(interactions_snippet::classify(samples, labels, reading), labels[i]);
    EXPECT_EQ(interactions_snippet::classify(samples, wrong, reading), tamis::no_label);
  }
}

TEST(Readme, TheExampleOfKernelsTellsACoreFromARing) {
  const float values[] = {0, 0, 2, 0, 0.3f, 0, 0, 2, 0, 0.3f, -2, 0, -0.3f, 0, 0, -2};
  const tamis::Label labels[] = {0, 1, 0, 1, 0, 1, 0, 1}, wrong[] = {0, 1, 0, 2, 0, 1, 0, 1};
  tamis::KernelExpansion<float> model;
  ASSERT_TRUE(kernels_snippet::train(values, labels, model));
  for (int i = 0; i < 8; ++i) EXPECT_EQ(model.predict({values + 2 * i, 2, 1}), labels[i]);
  const float other[] = {1.4f, 1.4f}, inner[] = {0.1f, -0.1f};
  EXPECT_EQ(model.predict({other, 2, 1}), 1);
  EXPECT_EQ(model.predict({inner, 2, 1}), 0);
  EXPECT_FALSE(kernels_snippet::train(values, wrong, model));
}

}  // namespace
