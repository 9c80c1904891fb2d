#pragma once
/// Headers of linear models whose weights are integers, and what these lose.

#include <string>

#include "arguments.hpp"
#include "model_file.hpp"

namespace tamis::cli {

/// --quantise, --data and how it is read, --sample-step.
struct QuantiseArguments {
  std::string weights;  // int8 | int16; empty: not quantised
  std::string data;
  std::string step;
  DataArguments reading;

  void declare(const Command& command);
  bool wanted() const { return !weights.empty(); }
  /// Throws ArgumentError for options that mean nothing, or do not go together.
  void check() const;
};

struct QuantisedHeader {
  std::string text;
  std::string said;  // lines for people: what was measured, and what to mind
};

/// Throws ArgumentError for models that need more than sums, and DataError for data of another shape.
QuantisedHeader quantised_header(const StoredModel& model, const std::string& name, const QuantiseArguments& arguments);

}  // namespace tamis::cli
