#include "calibration.hpp"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "errors.hpp"
#include "fitting.hpp"
#include "tamis/solver/calibration_newton.hpp"

namespace tamis::cli {

using Json = nlohmann::ordered_json;

namespace {

Rows<const double> rows_of(const std::vector<double>& scores, const Targets<double>& targets) {
  return {scores.data(), targets.samples(), targets.classes, targets.classes};
}

StoredCalibration fit(CalibrationKind kind, const std::vector<double>& scores, const Targets<double>& targets,
                      Status& status) {
  const ArenaMemory memory(calibration_requirement<double>(kind, targets.classes).bytes);
  const auto fit =
      calibrate(rows_of(scores, targets), targets, CalibrationOptions<double>{.kind = kind}, memory.span());
  status = fit.status;
  const Index classes = fit.calibration.classes;
  if (classes == 0)
    throw ArgumentError(std::string("--calibrate: the held-out scores have no calibration: ") + describe(status));
  return {kind,
          {fit.calibration.slopes, fit.calibration.slopes + classes},
          {fit.calibration.offsets, fit.calibration.offsets + classes}};
}

Json in_json(const MeasuredProbabilities& measured) {
  Json bins = Json::array();
  for (const auto& bin : measured.bins) {
    const bool any = bin.weight > 0;
    bins.push_back({{"weight", bin.weight},
                    {"confidence", any ? Json(bin.confidence) : Json(nullptr)},
                    {"accuracy", any ? Json(bin.accuracy) : Json(nullptr)}});
  }
  return {{"log_loss", measured.means.log_loss},
          {"calibration_error", measured.means.calibration_error},
          {"error", measured.means.error},
          {"bins", bins}};
}
Json in_json(const std::optional<MeasuredProbabilities>& measured) {
  return measured ? in_json(*measured) : Json(nullptr);
}

}  // namespace

Calibration<double> StoredCalibration::view() const {
  return {kind, static_cast<Index>(slopes.size()), slopes.data(), offsets.data()};
}

Json to_json(const StoredCalibration& c) {
  return {{"kind", name(c.kind)}, {"slopes", c.slopes}, {"offsets", c.offsets}};
}

std::optional<MeasuredProbabilities> measure_probabilities(const Calibration<double>& calibration,
                                                           const std::vector<double>& scores,
                                                           const Targets<double>& targets) {
  MeasuredProbabilities out;
  out.bins.resize(10);
  const Status status =
      measure_reliability(calibration, rows_of(scores, targets), targets, std::span(out.bins), out.means);
  return status == Status::converged ? std::optional(out) : std::nullopt;
}

Json to_json(const CalibrationReport& r) {
  Json out = to_json(r.calibration);
  out["status"] = name(r.status);
  out["held_out"] = in_json(r.held_out);
  out["held_out_before"] = in_json(r.held_out_before);
  out["test"] = in_json(r.test);
  out["test_before"] = in_json(r.test_before);
  return out;
}

std::string summary(const CalibrationReport& r) {
  const auto measured = [](const char* where, const MeasuredProbabilities& now,
                           const std::optional<MeasuredProbabilities>& before) {
    char text[160];
    if (before)
      std::snprintf(text, sizeof text, "%s log-loss %.4g (before: %.4g), calibration error %.2g (before: %.2g)", where,
                    now.means.log_loss, before->means.log_loss, now.means.calibration_error,
                    before->means.calibration_error);
    else
      std::snprintf(text, sizeof text, "%s log-loss %.4g, calibration error %.2g", where, now.means.log_loss,
                    now.means.calibration_error);
    return std::string(text);
  };
  return std::string("calibrated by ") + name(r.calibration.kind) + ": " +
         measured("held-out", r.held_out, r.held_out_before) +
         (r.test ? "; " + measured("test", *r.test, r.test_before) : "") + "\n";
}

CalibrationReport fit_calibration(CalibrationKind kind, const std::vector<double>& scores,
                                  const Targets<double>& targets, const std::vector<Index>& fold_of, Index folds) {
  CalibrationReport out;
  const Index samples = targets.samples(), classes = targets.classes;
  std::vector<double> logarithms(scores.size()), weights(samples);
  for (Index fold = 0; fold < folds; ++fold) {
    for (Index i = 0; i < samples; ++i) weights[i] = fold_of[i] == fold ? 0 : targets.raw_weight(i);
    Targets<double> others = targets;
    others.weights = weights.data();
    const StoredCalibration of_others = fit(kind, scores, others, out.status);
    for (std::size_t i = 0; i < samples; ++i)
      for (Index k = 0; fold_of[i] == fold && k < classes; ++k)
        logarithms[i * classes + k] = of_others.view().log_probability(scores.data() + i * classes, k);
  }
  // The softmax of logarithms of probabilities is the probabilities.
  const auto held_out = measure_probabilities({.classes = classes}, logarithms, targets);
  if (!held_out) throw ArgumentError("--calibrate: the held-out scores are not finite");
  out.held_out = *held_out;
  out.calibration = fit(kind, scores, targets, out.status);
  return out;
}

}  // namespace tamis::cli
