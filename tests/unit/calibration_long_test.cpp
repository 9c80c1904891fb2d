// Probabilities of digits, calibrated by folds.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/digits.hpp"

namespace tamis {
namespace {

using testing::digits;
using testing::GuardedMemory;
using testing::Made;

struct OnDigits {
  Made<double> train = digits(false), test = digits(true);
  DenseDesign<double> design = train.design();

  template <class Trained>
  std::size_t bytes() const {
    return Trained::bytes(train.shape(), {.entries = train.values.size(), .active_limit = 700});
  }
  /// Of the held-out third, with the scores of a model of the other two.
  template <class Trained>
  Reliability<double> reliability(const Trained& training, const Calibration<double>& calibration) const {
    GuardedMemory memory(bytes<Trained>());
    const auto fit = training.run(design, train.targets(), memory.span());
    EXPECT_EQ(fit.status, Status::converged);
    std::vector<double> z(test.samples * 10);
    for (Index i = 0; i < test.samples; ++i) fit.model.scores(test.values.data() + i, &z[i * 10], test.samples);
    ReliabilityBin<double> bins[10];
    Reliability<double> out;
    EXPECT_EQ(measure_reliability<double>(calibration, {z.data(), test.samples, 10, 10}, test.targets(), bins, out),
              Status::converged);
    return out;
  }
  /// The same after calibration by five folds of the two thirds.
  template <class Loss, class Trained>
  Reliability<double> calibrated(const Trained& training, CalibrationKind kind) const {
    const auto make = [&](const Targets<double>& targets) { return training.solver(design, targets); };
    using CV = CrossValidation<double, decltype(make), DenseDesign<double>, Loss>;
    std::vector<Index> fold(train.samples), order(train.samples);
    Index rare = 0;
    EXPECT_TRUE(deal_folds(train.labels, 10, 5, true, 1, fold.data(), order.data(), rare));
    const double lambdas[] = {lambda};
    GuardedMemory memory(CV::requirement(train.shape(), 5, 1, {bytes<Trained>()}).bytes);
    CV cv(make, design, train.targets(), Loss{}, fold.data(), 5, {lambdas, 1});
    std::vector<double> held(train.samples * 10);
    cv.keep_scores(held.data());
    cv.start(memory.span());
    while (cv.step()) {
    }
    EXPECT_EQ(cv.status(), Status::converged);
    GuardedMemory own(calibration_requirement<double>(kind, 10).bytes);
    const auto fit =
        calibrate<double>({held.data(), train.samples, 10, 10}, train.targets(), {.kind = kind}, own.span());
    EXPECT_EQ(fit.status, Status::converged);
    return reliability(training, fit.calibration);
  }
  double lambda = 0.001;
};

TEST(HeldOutScores, MakeProbabilitiesOfDigitsThatCanBeTakenAtTheirWord) {
  const OnDigits digits;
  const Options<double> options{.lambda = digits.lambda, .tolerance = 1e-5};
  const Training<double, SquaredHinge, GroupL2> by_group(options);
  const Training<double, SquaredHinge, L1> by_l1(options);
  const Calibration<double> none{CalibrationKind::softmax, 10};
  double logistic = 1e9;  // the best λ of some, on the very samples that measure it
  for (const double lambda : {3e-4, 1e-4}) {
    const Options<double> now{.lambda = lambda, .tolerance = 1e-5};
    logistic = std::min({logistic, digits.reliability(Training<double, Logistic, GroupL2>(now), none).log_loss,
                         digits.reliability(Training<double, Logistic, L1>(now), none).log_loss});
  }
  RecordProperty("logistic_log_loss", std::to_string(logistic));
  const auto check = [&](const auto& training, const std::string& name) {
    const auto raw = digits.reliability(training, none);
    const auto soft = digits.template calibrated<SquaredHinge>(training, CalibrationKind::softmax);
    const auto sigmoid = digits.template calibrated<SquaredHinge>(training, CalibrationKind::sigmoid);
    for (const auto& [kind, measured] : {std::pair{"raw", raw}, {"softmax", soft}, {"sigmoid", sigmoid}}) {
      RecordProperty(name + "_" + kind + "_log_loss", std::to_string(measured.log_loss));
      RecordProperty(name + "_" + kind + "_calibration_error", std::to_string(measured.calibration_error));
    }
    EXPECT_LT(soft.calibration_error, 0.03) << name;
    EXPECT_LT(soft.log_loss, 1.2 * logistic) << name;
    EXPECT_LT(soft.log_loss, sigmoid.log_loss) << name << ": the default is the better kind";
    EXPECT_LT(sigmoid.log_loss, raw.log_loss) << name;
    EXPECT_LT(sigmoid.calibration_error, raw.calibration_error) << name;
  };
  check(by_group, "group_l2");
  check(by_l1, "l1");
}

}  // namespace
}  // namespace tamis
