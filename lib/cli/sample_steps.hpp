#pragma once
/// What the command does to each sample before it is scored, kept with the model.

#include <optional>
#include <string>
#include <vector>

#include "data.hpp"
#include "scattering_step.hpp"
#include "tamis/features/sample_steps.hpp"
#include "text_step.hpp"
#include "windows_step.hpp"

namespace tamis::cli {

const char* name(SampleNorm norm);

/// The norm of that name, none for "". Throws ArgumentError naming --normalise.
SampleNorm norm_named(const std::string& text);

/// `LOW:HIGH`. Throws ArgumentError naming --log.
LogClip<double> parse_log(const std::string& text);

/// The steps after --scale, in their order. What is learned from samples: `missing_means`, and the
/// vocabulary of `text`.
struct StoredSteps {
  std::optional<TextStep> text = {};
  std::vector<double> missing_means = {};  // one per column; none: missing values are refused
  LogClip<double> log = {};
  SampleNorm norm = SampleNorm::none;
  std::optional<ScatteringStep> scattering = {};
  std::optional<WindowsStep> windows = {};

  bool takes_log() const { return log.high > 0; }
  bool any() const { return text || fills_missing() || takes_log() || norm != SampleNorm::none || transforms(); }
  /// Whether features are made of all columns of a sample.
  bool transforms() const { return scattering || windows; }
  /// Of these columns: how many, what they are, and what the data call them, if anything.
  std::size_t inputs() const { return scattering ? scattering->inputs() : windows ? windows->inputs() : 0; }
  std::string subject() const { return scattering ? scattering->subject() : windows ? windows->subject() : ""; }
  std::vector<std::string> input_names() const {
    return scattering ? scattering->columns : windows ? windows->columns : std::vector<std::string>();
  }
  bool fills_missing() const { return !missing_means.empty(); }
  /// Throws DataError for sparse samples whose zeros would not stay zeros.
  void apply(Table& table) const;
};

/// The mean of each column over the values that are there. Throws DataError naming a column that has none.
std::vector<double> means_of_present(const Table& table);

}  // namespace tamis::cli
