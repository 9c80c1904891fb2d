// Calibration in C: the bits of C++, held-out scores that say what the folds say, every refusal with its place.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "support/problems.hpp"
#include "tamis_calibration.h"

namespace {

using tamis::Index;
using tamis::testing::Generator;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;

// The structs and functions of one scalar by plain names.
template <class T>
struct C;
#define TAMIS_TEST_C(T, S)                                                  \
  template <>                                                               \
  struct C<T> {                                                             \
    using Scored = tamis_scored_##S;                                        \
    using Options = tamis_calibration_options_##S;                          \
    using Calibration = tamis_calibration_##S;                              \
    using Report = tamis_calibration_report_##S;                            \
    using Bin = tamis_reliability_bin_##S;                                  \
    using Reliability = tamis_reliability_##S;                              \
    static constexpr auto bytes = tamis_calibration_bytes_##S;              \
    static constexpr auto defaults = tamis_default_calibration_options_##S; \
    static constexpr auto calibrate = tamis_calibrate_##S;                  \
    static constexpr auto probabilities = tamis_probabilities_##S;          \
    static constexpr auto log_probability = tamis_log_probability_##S;      \
    static constexpr auto most_probable = tamis_most_probable_##S;          \
    static constexpr auto measure = tamis_measure_reliability_##S;          \
  };
TAMIS_TEST_C(float, f32)
TAMIS_TEST_C(double, f64)

constexpr Index samples = 200, classes = 3, stride = 5;

/// Scores that point at the label more often than not.
template <class T>
struct Data {
  std::vector<T> scores = std::vector<T>(samples * stride, tamis::not_a_number<T>);
  std::vector<std::uint16_t> labels = std::vector<std::uint16_t>(samples);
  std::vector<T> weights = std::vector<T>(samples);

  Data() {
    Generator generator(4);
    for (Index i = 0; i < samples; ++i) {
      labels[i] = static_cast<std::uint16_t>(generator.draw(classes));
      weights[i] = static_cast<T>(generator.draw(4));
      for (Index k = 0; k < classes; ++k)
        scores[i * stride + k] = static_cast<T>(generator.uniform() + (k == labels[i] ? 0.5 : 0));
    }
  }
  typename C<T>::Scored scored() const {
    return {scores.data(), labels.data(), weights.data(), samples, classes, stride};
  }
  tamis::Rows<const T> rows() const { return {scores.data(), samples, classes, stride}; }
  tamis::Targets<T> targets() const { return {labels, classes, weights.data()}; }
};

template <class T>
void expect_the_bits_of_cpp(tamis::CalibrationKind kind) {
  const Data<T> data;
  typename C<T>::Options options;
  C<T>::defaults(&options);
  EXPECT_EQ(options.kind, std::uint32_t(TAMIS_CALIBRATION_SOFTMAX));
  options.kind = static_cast<std::uint32_t>(kind);
  const std::size_t bytes = C<T>::bytes(options.kind, classes);
  ASSERT_EQ(bytes, tamis::calibration_requirement<T>(kind, classes).bytes);
  GuardedMemory memory(bytes), own(bytes);
  const auto scored = data.scored();
  typename C<T>::Calibration c;
  typename C<T>::Report report;
  ASSERT_EQ(C<T>::calibrate(&scored, &options, memory.span().data(), bytes, &c, &report), TAMIS_CONVERGED);
  EXPECT_TRUE(memory.surroundings_intact());
  const auto fit = tamis::calibrate<T>(data.rows(), data.targets(), {.kind = kind}, own.span());
  EXPECT_EQ(report.status, std::uint32_t(TAMIS_CONVERGED));
  EXPECT_EQ(report.objective, fit.objective);
  EXPECT_EQ(report.gradient, fit.gradient);
  EXPECT_EQ(report.iterations, fit.iterations);
  EXPECT_EQ(report.arena_bytes, bytes);
  ASSERT_EQ(c.classes, classes);
  EXPECT_EQ(c.kind, options.kind);
  for (Index k = 0; k < classes; ++k) {
    EXPECT_EQ(c.slopes[k], fit.calibration.slopes[k]);
    EXPECT_EQ(c.offsets[k], fit.calibration.offsets[k]);
    EXPECT_GT(c.slopes[k], T(0.5));
  }
  for (Index i = 0; i < samples; ++i) {
    T p[classes], expected[classes];
    const T* row = data.scores.data() + i * stride;
    C<T>::probabilities(&c, row, p);
    fit.calibration.probabilities(row, expected);
    for (Index k = 0; k < classes; ++k) EXPECT_EQ(p[k], expected[k]);
    EXPECT_EQ(C<T>::log_probability(&c, row, 1), fit.calibration.log_probability(row, 1));
    EXPECT_EQ(C<T>::most_probable(&c, row), fit.calibration.predict(row));
  }

  std::vector<typename C<T>::Bin> bins(10);
  std::vector<tamis::ReliabilityBin<T>> expected(10);
  typename C<T>::Reliability reliability;
  tamis::Reliability<T> wanted;
  ASSERT_EQ(C<T>::measure(&c, &scored, bins.data(), 10, &reliability), TAMIS_CONVERGED);
  ASSERT_EQ(tamis::measure_reliability<T>(fit.calibration, data.rows(), data.targets(), expected, wanted),
            tamis::Status::converged);
  EXPECT_EQ(reliability.log_loss, wanted.log_loss);
  EXPECT_EQ(reliability.error, wanted.error);
  EXPECT_EQ(reliability.calibration_error, wanted.calibration_error);
  for (Index b = 0; b < 10; ++b) {
    EXPECT_EQ(bins[b].weight, expected[b].weight);
    EXPECT_EQ(bins[b].confidence, expected[b].confidence);
    EXPECT_EQ(bins[b].accuracy, expected[b].accuracy);
  }
}

TEST(CCalibration, GivesTheBitsOfCpp) {
  for (const auto kind : {tamis::CalibrationKind::sigmoid, tamis::CalibrationKind::softmax}) {
    expect_the_bits_of_cpp<float>(kind);
    expect_the_bits_of_cpp<double>(kind);
  }
}

TEST(CCalibration, WithoutParametersIsTheSoftmaxOfTheScores) {
  const tamis_calibration_f64 plain{nullptr, nullptr, 2, TAMIS_CALIBRATION_SOFTMAX};
  double p[] = {1, -1};
  tamis_probabilities_f64(&plain, p, p);
  EXPECT_NEAR(p[0], 1 / (1 + std::exp(-2.0)), 1e-15);
  EXPECT_NEAR(p[0] + p[1], 1, 1e-15);
}

TEST(CCalibration, SaysWhatIsWrong) {
  const auto expect = [](tamis_status status, auto change, std::uint32_t row = 0, std::uint32_t column = 0,
                         std::size_t missing = 0, std::size_t misalignment = 0) {
    Data<double> data;
    tamis_calibration_options_f64 options;
    tamis_default_calibration_options_f64(&options);
    auto scored = data.scored();
    change(data, scored, options);
    const std::size_t bytes = tamis_calibration_bytes_f64(TAMIS_CALIBRATION_SOFTMAX, classes) - missing;
    GuardedMemory memory(bytes, misalignment);
    tamis_calibration_f64 c;
    tamis_calibration_report_f64 report;
    EXPECT_EQ(tamis_calibrate_f64(&scored, &options, memory.span().data(), bytes, &c, &report), status);
    EXPECT_EQ(report.status, std::uint32_t(status));
    EXPECT_EQ(report.row, row);
    EXPECT_EQ(report.column, column);
    EXPECT_EQ(c.classes, 0u);
    EXPECT_TRUE(memory.untouched());
    EXPECT_EQ(tamis_calibrate_f64(&scored, &options, memory.span().data(), bytes, &c, nullptr), status);
  };
  using D = Data<double>;
  using S = tamis_scored_f64;
  using O = tamis_calibration_options_f64;
  expect(TAMIS_INVALID_SHAPE, [](D&, S& s, O&) { s.scores = nullptr; });
  expect(TAMIS_INVALID_SHAPE, [](D&, S& s, O&) { s.labels = nullptr; });
  expect(TAMIS_INVALID_SHAPE, [](D&, S& s, O&) { s.samples = 0; });
  expect(TAMIS_INVALID_SHAPE, [](D&, S& s, O&) { s.stride = classes - 1; });
  expect(
      TAMIS_INVALID_LABEL, [](D& d, S&, O&) { d.labels[7] = 3; }, 7);
  expect(
      TAMIS_INVALID_WEIGHT, [](D& d, S&, O&) { d.weights[9] = -1; }, 9);
  expect(
      TAMIS_MISSING_CLASS,
      [](D& d, S&, O&) {
        for (auto& y : d.labels) y = y == 1 ? 2 : y;
      },
      0, 1);
  expect(
      TAMIS_INVALID_DATA,
      [](D& d, S&, O&) {
        d.weights[20] = 1;
        d.scores[20 * stride + 2] = tamis::infinity<double>;
      },
      20, 2);
  expect(TAMIS_INVALID_OPTION, [](D&, S&, O& o) { o.kind = 2; });
  expect(TAMIS_INVALID_OPTION, [](D&, S&, O& o) { o.tolerance = 0; });
  expect(TAMIS_INVALID_OPTION, [](D&, S&, O& o) { o.max_iterations = 0; });
  const auto nothing = [](D&, S&, O&) {};
  expect(TAMIS_ARENA_TOO_SMALL, nothing, 0, 0, 1);
  expect(TAMIS_INVALID_ARENA, nothing, 0, 0, 0, 4);
  EXPECT_EQ(tamis_calibration_bytes_f32(2, 3), 0u);

  const Data<float> data;
  const auto scored = data.scored();
  const tamis_calibration_f32 plain{nullptr, nullptr, classes, TAMIS_CALIBRATION_SOFTMAX},
      other{nullptr, nullptr, 4, 1};
  tamis_reliability_bin_f32 bins[4];
  tamis_reliability_f32 reliability;
  EXPECT_EQ(tamis_measure_reliability_f32(&plain, &scored, bins, 0, &reliability), TAMIS_INVALID_OPTION);
  EXPECT_EQ(tamis_measure_reliability_f32(&plain, &scored, nullptr, 4, &reliability), TAMIS_INVALID_OPTION);
  EXPECT_EQ(tamis_measure_reliability_f32(&other, &scored, bins, 4, &reliability), TAMIS_INVALID_SHAPE);
}

// What the folds say of a lambda is what the scores that they leave say; the last sample is never held out.
TEST(CCalibration, FoldsLeaveTheScoresOfWhatTheyHoldOut) {
  const Made<float> made(60, 6, 3, 9);
  tamis_problem_f32 p;
  tamis_default_problem_f32(&p);
  p.loss = TAMIS_SQUARED_HINGE;
  p.samples = 60;
  p.features = 6;
  p.classes = 3;
  p.values = made.values.data();
  p.labels = made.labels.data();
  tamis_grid_f32 grid;
  tamis_default_grid_f32(&grid);
  const float lambdas[] = {0.3f, 0.1f, 0.02f};
  grid.lambdas = lambdas;
  grid.points = 3;
  std::vector<std::uint32_t> fold(60), order(60);
  ASSERT_EQ(tamis_deal_folds(made.labels.data(), 60, 3, 4, 1, 5, fold.data(), order.data(), nullptr), 1);
  fold[59] = TAMIS_NO_FOLD;
  const std::size_t bytes = tamis_cross_validation_bytes_f32(&p, &grid, 4);
  GuardedMemory memory(bytes);
  std::vector<float> scores(3 * 60 * 4, 77);
  tamis_cross_validation_f32 cv;
  auto status = tamis_cross_validation_start_keeping_f32(&cv, &p, &grid, fold.data(), 4, scores.data(),
                                                         memory.span().data(), bytes);
  while (status == TAMIS_RUNNING) status = tamis_cross_validation_step_f32(&cv, 100);
  ASSERT_EQ(status, TAMIS_CONVERGED);
  for (std::uint32_t l = 0; l < 3; ++l) {
    int wrong = 0;
    for (Index i = 0; i < 59; ++i) {
      const float* row = scores.data() + (l * 60 + i) * 4;
      wrong += std::max_element(row, row + 3) - row != made.labels[i];
    }
    EXPECT_EQ(scores[(l * 60 + 59) * 4], 77);
    tamis_held_out_f32 at;
    ASSERT_EQ(tamis_cross_validation_at_f32(&cv, l, &at), TAMIS_CONVERGED);
    EXPECT_NEAR(at.error, wrong / 59.0, 1e-6);
    EXPECT_GT(wrong, 0);
  }
}

}  // namespace
