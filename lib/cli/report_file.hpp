#pragma once
/// The report of a training run as JSON.

#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "calibration.hpp"
#include "problem.hpp"
#include "set_thresholds.hpp"
#include "tamis/any.hpp"

namespace tamis::cli {

struct TraceEntry {
  std::uint32_t iteration;
  double seconds, objective, gap;
  Index nonzeros;
};

/// A figure as reports have it: null where it is not finite.
nlohmann::ordered_json number(double value);
/// From `lambda_max` to `seconds`.
void add_certificate(nlohmann::ordered_json& out, const Report<double>& report, double seconds);
/// `nonzeros` and `nonzero_rows`.
void add_counts(nlohmann::ordered_json& out, const Report<double>& report);
/// From `arena_bytes` to `data_bytes`.
void add_memory(nlohmann::ordered_json& out, const Report<double>& report, std::size_t data_bytes);

/// As the report has it; figures that are not finite are null.
nlohmann::ordered_json in_json(const std::vector<TraceEntry>& trace);

/// How the scores rank samples with several labels: over those with some label and without some other.
struct RankingEvaluation {
  double loss = 0;  // mean fraction of the pairs of a label and another class whose order is wrong, or that are equal
  std::size_t without_pairs = 0;  // samples that have all labels or none, and are not judged
};

/// Accuracy and confusion matrix (rows: the true class, columns: the predicted one). Samples of no class that was
/// trained on have the label `classes`: they count as wrong and have no row.
struct Evaluation {
  std::size_t right = 0;
  std::size_t total = 0;
  std::size_t unseen = 0;
  /// Mean of the classes' F1 = 2 hits / (samples + predictions), over classes with samples or predictions.
  double macro_f1 = 0;
  double log_loss = std::numeric_limits<double>::quiet_NaN();  // of logistic models; infinite with unseen labels
  std::vector<std::vector<std::size_t>> confusion;
  std::optional<RankingEvaluation> ranking;  // of multilabel samples: right is then whose best class is a label, and
                                             // there are no confusion and F1
  std::optional<SetEvaluation> sets;         // of multilabel samples, where the model has thresholds
  double accuracy() const { return total ? static_cast<double>(right) / static_cast<double>(total) : 0; }
};
Evaluation evaluate(const std::vector<Label>& truth, const std::vector<Label>& predicted, std::size_t classes);
/// Labels that were not trained on count as ranked below all classes.
Evaluation evaluate_ranking(const std::vector<LabelSet>& truth, const std::vector<double>& scores, std::size_t classes);
/// Mean of −log p of the true class, p the softmax of the scores.
double log_loss(const std::vector<Label>& truth, const std::vector<double>& scores, std::size_t classes);

/// Everything the report file holds. Objective and gap are in double, from the stored coefficients.
struct RunReport {
  Report<double> solver;
  std::string loss, penalty, solver_name, precision;
  Shape shape;
  double lambda = 0;  // NaN with eta
  double eta = std::numeric_limits<double>::quiet_NaN();
  std::optional<double> l1_ratio, epsilon;                          // where the penalty has them
  double learning_rate = std::numeric_limits<double>::quiet_NaN();  // of solvers that have one
  double seconds = 0;
  std::size_t data_bytes = 0;
  Evaluation train;
  std::optional<Evaluation> test;
  std::optional<CalibrationReport> calibration;
  std::optional<StoredThresholds> thresholds;
  std::vector<TraceEntry> trace;
};
std::string to_json(const RunReport& report);

}  // namespace tamis::cli
