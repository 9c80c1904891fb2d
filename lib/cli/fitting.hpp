#pragma once
/// From prepared samples to a fitted, judged, stored model: what train, path and cv share.

#include <cstdlib>
#include <memory>

#include "arguments.hpp"
#include "preparation.hpp"
#include "report_file.hpp"
#include "training.hpp"

namespace tamis::cli {

/// How far to go: --tolerance, --max-iterations, --memory-limit.
struct EffortArguments {
  std::string tolerance = "1e-4";
  std::uint32_t max_iterations = 1000000;
  std::size_t memory_limit = 0;

  void declare(const Command& command);
  /// Throws ArgumentError for a tolerance that is not positive.
  void set(Options<double>& options) const;
};

/// How solvers that learn from one sample after the other go: --learning-rate, --passes.
struct StochasticArguments {
  std::string learning_rate;
  std::uint32_t passes = 0;

  /// After EffortArguments.
  void declare(const Command& command);
  /// Sets the limit of iterations; η₀ and the seed are returned. Throws ArgumentError for a solver that has no use for
  /// what is given.
  StochasticOptions<double> set(SolverKind solver, std::uint64_t seed, Options<double>& options) const;

 private:
  Option limit_;
};

/// `auto` or "": NaN. Throws ArgumentError for what is not a positive number.
double parse_learning_rate(const std::string& text);

/// Where results go: --model, --coefficients, --report, --quiet.
struct OutputArguments {
  std::string model, coefficients, report;
  bool quiet = false;

  void declare(const Command& command, const std::string& of_model = "");
  /// Writes the files that are asked for.
  void write(const StoredModel& stored, const RunReport& of_run) const;
};

/// What is fitted: names for people, and the numbers behind them.
struct Task {
  const SampleArguments& samples;
  const Prepared& prepared;
  ProblemSpec choice;
  PenaltyParameters<double> parameters;
  Options<double> options;  // λ in `options` is that of one model, if there is only one
  std::string precision;
  StochasticOptions<double> stochastic = {};
  std::optional<ThresholdKind> thresholds = {};  // of sets of labels
};

struct Fitted {
  RunReport report;
  Coefficients coefficients;  // in original units
};

/// The loss of a task, and the sets that it may rank.
template <class T>
AnyMultilabelLoss<T> loss_of(const ProblemSpec& choice, const Prepared& prepared) {
  return AnyMultilabelLoss<T>(choice.loss, prepared.sets ? prepared.sets->view() : LabelSets{});
}

/// Throws one sentence for a refusal of the core, with the place in the files.
[[noreturn]] void refuse(const Report<double>& report, const Task& task);

template <class T>
Report<double> in_double(const Report<T>& report);

/// Everything that can be said of coefficients in the units of the problem: in the units of the data and the precision
/// of training, with objective and gap in double, judged on training and test samples. `weights_of_penalty`: features ×
/// classes, those of reweighted-l1, or none. `feasible`: the solver's objective is finite.
Fitted evaluate(const Task& task, Coefficients coefficients, const std::vector<double>& weights_of_penalty,
                const Report<double>& solver, bool feasible);

/// The file of a model, of its coefficients.
StoredModel stored(const Prepared& prepared, const Fitted& fitted);
std::string coefficient_table(const StoredModel& model);

/// Aligned memory from the heap. Throws MemoryError where there is not so much.
class ArenaMemory {
 public:
  explicit ArenaMemory(std::size_t bytes);
  std::span<std::byte> span() const { return {memory_.get(), bytes_}; }

 private:
  std::size_t bytes_;
  std::unique_ptr<std::byte[], decltype(&std::free)> memory_;
};

/// The larger of two figures if --memory-limit allows it, else what it allows if the least does. Throws MemoryError.
std::size_t arena_bytes(std::size_t least, std::size_t fast, std::size_t limit);

/// A task in the precision of training.
template <class T>
class Fitting {
 public:
  explicit Fitting(const Task& task)
      : task_(task),
        samples_(task.prepared.train),
        weights_(task.prepared.weights.begin(), task.prepared.weights.end()),
        margins_(task.prepared.margins.begin(), task.prepared.margins.end()),
        options_{.lambda = static_cast<T>(task.options.lambda),
                 .tolerance = static_cast<T>(task.options.tolerance),
                 .max_iterations = task.options.max_iterations,
                 .margin = static_cast<T>(task.options.margin),
                 .intercept = task.options.intercept,
                 .eta = static_cast<T>(task.options.eta)} {
    for (const double x : task.prepared.train.values) nonzero_ += x != 0;
  }
  /// For λs down to `smallest`: see choose_solver.
  Fitting(const Task& task, T smallest, bool path) : Fitting(task) { choose_solver(smallest, path); }
  Fitting(const Fitting&) = delete;
  Fitting& operator=(const Fitting&) = delete;

  const Task& task() const { return task_; }
  const AnyDesign<T>& design() const { return samples_.design(); }
  const Options<T>& options() const { return options_; }
  Targets<T> targets() const {
    return {task_.prepared.labels, static_cast<Index>(task_.prepared.classes.size()),
            weights_.empty() ? nullptr : weights_.data(), margins_.empty() ? nullptr : margins_.data()};
  }
  Shape shape() const { return {targets().samples(), design().features(), targets().classes}; }
  /// What `auto` means on these samples, for one λ or those of a path down to `smallest`.
  void choose_solver(T smallest, bool path) {
    const T l1_ratio = static_cast<T>(task_.parameters.l1_ratio);
    task_.choice =
        CommandTraining<T>::on_samples(task_.choice.of_sizes(shape(), smallest, path, l1_ratio), design(), shape(),
                                       task_.choice.lambda_of_ridge(smallest, l1_ratio), options_.intercept);
  }
  /// A solver that has not started.
  CommandTraining<T> training(const Targets<T>& targets) const {
    return CommandTraining<T>(task_.choice, design(), targets, options_,
                              {static_cast<T>(task_.parameters.l1_ratio), static_cast<T>(task_.parameters.epsilon)},
                              loss_of<T>(task_.choice, task_.prepared),

                              {static_cast<T>(task_.stochastic.learning_rate), task_.stochastic.seed});
  }
  Requirement least() const { return CommandTraining<T>::requirement(task_.choice, shape()); }
  Requirement fast() const {
    return CommandTraining<T>::requirement(task_.choice, shape(), WorkspaceHint{nonzero_, usual_active_limit});
  }

  /// Throws for a refusal.
  Fitted evaluate(const CommandTraining<T>& training, double seconds) const {
    Fitted out = judged(task_, training);
    out.report.shape = shape();
    out.report.data_bytes = samples_.bytes();
    out.report.seconds = seconds;
    out.report.learning_rate = static_cast<double>(training.learning_rate());
    return out;
  }
  static Fitted judged(const Task& task, const CommandTraining<T>& training) {
    const Report<double> solver = in_double(training.report());
    if (solver.status == Status::infeasible) return cli::evaluate(task, {}, {}, solver, false);
    if (!has_model(solver.status)) refuse(solver, task);
    const LinearModel<T> model = training.model();
    Coefficients c{model.features, model.classes, {}, {}};
    for (Index j = 0; j < model.features; ++j)
      for (Index k = 0; k < model.classes; ++k) c.weights.push_back(static_cast<double>(model(j, k)));
    for (Index k = 0; k < model.classes; ++k) c.intercepts.push_back(static_cast<double>(model.intercept(k)));
    std::vector<double> weights;
    if (const T* from = training.weights())
      for (Index j = 0; j < model.features; ++j)
        for (Index k = 0; k < model.classes; ++k)
          weights.push_back(static_cast<double>(row_of(from, j, model.stride())[k]));
    return cli::evaluate(task, std::move(c), weights, solver, finite(training.report().objective));
  }

 private:
  Task task_;
  Samples<T> samples_;
  std::vector<T> weights_, margins_;
  Options<T> options_;
  std::size_t nonzero_ = 0;
};

}  // namespace tamis::cli
