#pragma once
/// What the command does to each sample before it is scored, kept with the model.

#include <optional>
#include <string>
#include <vector>

#include "data.hpp"
#include "scattering_step.hpp"
#include "tamis/features/sample_steps.hpp"

namespace tamis::cli {

const char* name(SampleNorm norm);

/// The norm of that name, none for "". Throws ArgumentError naming --normalise.
SampleNorm norm_named(const std::string& text);

/// `LOW:HIGH`. Throws ArgumentError naming --log.
LogClip<double> parse_log(const std::string& text);

/// The steps after --scale, in their order. Everything learned from samples is in `missing_means`.
struct StoredSteps {
  std::vector<double> missing_means = {};  // one per column; none: missing values are refused
  LogClip<double> log = {};
  SampleNorm norm = SampleNorm::none;
  std::optional<ScatteringStep> scattering = {};

  bool takes_log() const { return log.high > 0; }
  bool any() const { return fills_missing() || takes_log() || norm != SampleNorm::none || scattering; }
  bool fills_missing() const { return !missing_means.empty(); }
  /// Throws DataError for sparse samples whose zeros would not stay zeros.
  void apply(Table& table) const;
};

/// The mean of each column over the values that are there. Throws DataError naming a column that has none.
std::vector<double> means_of_present(const Table& table);

}  // namespace tamis::cli
