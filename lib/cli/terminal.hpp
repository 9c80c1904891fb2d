#pragma once
/// What a person at a terminal sees while and after a model is trained.

#include <chrono>
#include <cstdio>
#include <span>
#include <string>

#include "interrupt.hpp"
#include "model_file.hpp"
#include "report_file.hpp"

namespace tamis::cli {

/// One line on standard error that is rewritten while training goes on; silent when that is not a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ~ProgressLine();
  template <class T>
  void show(std::uint32_t iteration, const Report<T>& now) {
    show(iteration, static_cast<double>(now.objective), static_cast<double>(now.relative_gap), now.nonzeros);
  }

 private:
  void show(std::uint32_t iteration, double objective, double relative_gap, Index nonzeros);

  bool shown_ = false;
  bool wanted_;
  std::chrono::steady_clock::time_point last_{};
};

/// Text of numbers, of 400 bytes at most.
template <class... Arguments>
std::string format(const char* pattern, Arguments... arguments) {
  char text[400];
  std::snprintf(text, sizeof text, pattern, arguments...);
  return text;
}

/// Seconds since it was made.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count(); }

 private:
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

/// How a solver came to its end.
struct Run {
  std::vector<TraceEntry> trace;
  double seconds = 0;
};

/// Starts a solver, and advances it until it ends or a signal asks it to.
template <class Solver>
Run run_to_end(Solver& solver, std::span<std::byte> memory, bool quiet) {
  Run run;
  ProgressLine progress(!quiet);
  const Stopwatch watch;
  solver.start(memory);
  advance(solver, [&](const auto& now) {
    run.trace.push_back({now.iterations, watch.seconds(), static_cast<double>(now.objective),
                         static_cast<double>(now.gap), now.nonzeros});
    progress.show(now.iterations, now);
  });
  run.seconds = watch.seconds();
  return run;
}

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
