#pragma once
/// Probabilities of a model from its held-out scores: fitted, measured, and as JSON.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tamis/certificate/reliability.hpp"

namespace tamis::cli {

/// What a model keeps of it: it takes the scores of that model.
struct StoredCalibration {
  CalibrationKind kind = CalibrationKind::softmax;
  std::vector<double> slopes, offsets;  // one per class

  Calibration<double> view() const;
};
nlohmann::ordered_json to_json(const StoredCalibration& calibration);

/// How far the probabilities of some samples can be taken at their word.
struct MeasuredProbabilities {
  Reliability<double> means;
  std::vector<ReliabilityBin<double>> bins;  // ten
};
/// `scores`: samples × K. Labels beyond the classes, which were not trained on, have no probability: nothing then.
std::optional<MeasuredProbabilities> measure_probabilities(const Calibration<double>& calibration,
                                                           const std::vector<double>& scores,
                                                           const Targets<double>& targets);

struct CalibrationReport {
  StoredCalibration calibration;
  Status status = Status::running;  // of the fit
  MeasuredProbabilities held_out;   // of each fold, by a calibration that has not seen it
  std::optional<MeasuredProbabilities> test;
  std::optional<MeasuredProbabilities> held_out_before, test_before;  // where scores mean probabilities as they are
};
nlohmann::ordered_json to_json(const CalibrationReport& report);
/// One line for people.
std::string summary(const CalibrationReport& report);

/// Fits a calibration to held-out scores, samples × K, and measures it by cross-validation: for the samples of each
/// fold one is fitted to those of all others. Throws ArgumentError where there is none.
CalibrationReport fit_calibration(CalibrationKind kind, const std::vector<double>& scores,
                                  const Targets<double>& targets, const std::vector<Index>& fold_of, Index folds);

}  // namespace tamis::cli
