#pragma once
/// A trained model with everything needed to use it again, and its JSON form.

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "calibration.hpp"
#include "model_record.hpp"
#include "problem.hpp"
#include "sample_steps.hpp"
#include "set_thresholds.hpp"

namespace tamis::cli {

/// A linear model. Coefficients act on columns of the data divided by `scale`, after the steps; rows of features that
/// are not kept are zero.
struct StoredModel : ModelRecord {
  Coefficients coefficients;
  StoredSteps steps;
  std::vector<ColumnScale<double>> min_max;  // per feature, least value and range, when columns were mapped to [0, 1]
  double eta = std::numeric_limits<double>::quiet_NaN();
  std::optional<StoredCalibration> calibration;
  std::optional<StoredThresholds> thresholds;  // of sets of labels

  /// Columns of the data: features, where the steps make none of their own.
  std::size_t columns() const { return steps.transforms() ? steps.inputs() : coefficients.features; }
  /// Whether scores depend on a column: with a norm, scattering or windows they do on all.
  bool needs(std::size_t column) const {
    return steps.norm != SampleNorm::none || steps.transforms() || coefficients.uses(column);
  }
  /// Whether scores become probabilities: with a calibration, or as they are with the logistic loss.
  bool has_probabilities() const;
  /// How, where they do.
  Calibration<double> probabilities() const;
};

/// The names that a file with a header must give the columns: those that the model keeps something about, "" for the
/// others.
std::vector<std::string> names_to_expect(const StoredModel& model);

/// How samples of a model are read, into as many columns as it has.
ReadOptions read_options(const StoredModel& model, const DataArguments& reading, const std::string& text_column);

/// Writes the file whole or not at all. Throws ArgumentError when it cannot be written.
void write_model(const std::string& path, const StoredModel& model);
std::string to_json(const StoredModel& model);

/// Throws DataError naming the file and what is wrong with it: another kind of model, say.
StoredModel read_model(const std::string& path);
StoredModel read_model(const ModelDocument& document);

}  // namespace tamis::cli
