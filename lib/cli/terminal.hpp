#pragma once
/// What a person at a terminal sees while and after a model is trained.

#include <chrono>
#include <string>

#include "model_file.hpp"
#include "report_file.hpp"

namespace tamis::cli {

/// One line on standard error that is rewritten while training goes on; silent when that is not a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ~ProgressLine();
  void show(std::uint32_t iteration, double objective, double relative_gap, Index nonzeros);

 private:
  bool shown_ = false;
  bool wanted_;
  std::chrono::steady_clock::time_point last_{};
};

/// What rounding may hide in that precision, relative to the objective.
double rounding_of(const std::string& precision);
/// "certified within … % of optimal": no less than what rounding may hide in that precision.
std::string certified(double relative_gap, const std::string& precision);

/// The outcome in a few lines.
std::string summary(const RunReport& report);

/// Each class's weights as a picture of rows × columns, several beside each other: # and + for large and small positive
/// weights, o and - for negative ones; red and blue cells in colour.
std::string weight_map(const StoredModel& model, std::size_t rows, std::size_t columns, bool colour);

}  // namespace tamis::cli
