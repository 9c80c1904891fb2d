#pragma once
/// What a person at a terminal sees while and after a model is trained.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <span>
#include <string>

#include "interrupt.hpp"
#include "model_file.hpp"
#include "report_file.hpp"

namespace tamis::cli {

/// Seconds, since whenever, of the clock by which progress is shown. Tests set one of their own.
inline double (*progress_clock)() = [] {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
};

/// One line on standard error that is rewritten while a run goes on, once that has taken two seconds; silent when it is
/// not a terminal. Threads may share it.
class ProgressLine {
 public:
  /// `parts`: that the run has in all; 0: it is one.
  explicit ProgressLine(bool wanted, std::size_t parts = 0);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// So many more parts are done.
  void count(std::size_t parts = 1) { done_.fetch_add(parts, std::memory_order_relaxed); }
  /// Whether something is to be shown by now; who is told so has to show it.
  bool due();
  /// What a solver has come to; `place` says which one: "fold 2 of 5, lambda 0.01: ".
  template <class T>
  void show(const std::string& place, const Report<T>& now) {
    show(place, now.iterations, static_cast<double>(now.relative_gap), now.nonzeros);
  }

 private:
  void show(const std::string& place, std::uint32_t iteration, double relative_gap, Index nonzeros);

  const bool wanted_;
  const std::size_t parts_;
  const double started_;
  std::atomic<std::size_t> done_{0};
  std::mutex guard_;
  double last_ = 0;
  bool shown_ = false;
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
    if (progress.due()) progress.show("", now);
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
