#pragma once
/// What `tamis interactions` and `tamis kernels` share: arguments, samples, the run of a solver, its report.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "fitting.hpp"
#include "interrupt.hpp"
#include "lambda_choice.hpp"
#include "output_file.hpp"
#include "terminal.hpp"

namespace tamis::cli {

struct FamilyArguments {
  std::string data, test;
  DataArguments reading;
  std::string lambda, solver = "auto";
  LambdaGridArguments grid;
  std::string precision = "double";
  EffortArguments effort;
  bool standardise = false;
  std::uint64_t seed = 0;
  std::string model, report;
  bool quiet = false;

  /// The data, --test, and how both are read. The data's option is returned, and so is that of --lambda.
  Option declare_samples(const Command& command, const std::string& help);
  Option declare_lambda(const Command& command);
  /// --solver, --precision.
  void declare_solver(const Command& command);
  /// What follows: effort, --seed, files; `all` is what the report has all of.
  void declare_outputs(const Command& command, const std::string& seed_help, const std::string& all);

  /// Whether something is drawn at random.
  bool draws() const { return grid.given(); }
  bool seeded() const;
  /// Refuses an unknown precision, and a λ that is missing or makes no sense. Throws ArgumentError.
  void check() const;
  /// Tolerance, limits and λ, NaN where it is chosen; `undetermined` is what there is without a penalty.
  Options<double> options(const std::string& undetermined) const;
  /// The solver of that name, for `automatic` the usual one, which alone chooses λ. Throws ArgumentError.
  template <class Kind, std::size_t count>
  Kind solver_among(const Kind (&kinds)[count]) const {
    const Kind kind = kind_named("--solver", solver, kinds);
    if (grid.given() && kind != Kind::automatic && kind != Kind::admm)
      throw ArgumentError("--solver " + solver + " chooses no lambda: that takes admm");
    return kind == Kind::automatic ? Kind::admm : kind;
  }

 private:
  Option seed_;
};

/// The samples of a problem, and what every solver of it takes.
struct FamilyTask {
  Table train;
  std::optional<Table> test;
  std::vector<std::string> classes;  // none: a regression
  std::vector<Label> labels, test_labels;
  std::vector<Index> fold_of;  // where λ is chosen
  Options<double> options;     // λ is NaN where it is chosen
  std::optional<Standardisation> standardisation;
  std::vector<std::vector<double>> self_test;  // dense training samples, before they are standardised
  std::vector<std::string> notes;              // for people

  bool regression() const { return classes.empty(); }
  Index samples() const { return static_cast<Index>(train.samples); }

  void read(const FamilyArguments& arguments);
  /// Numbers the classes of `source`; `otherwise` is what to do about too many of them. Throws DataError.
  void encode_classes(const std::string& source, const std::string& otherwise);
  void deal(const FamilyArguments& arguments);
  void fill_zeros();
  /// Keeps those rows for the self-test of exported code.
  void take_self_test(const std::vector<std::size_t>& rows);
  std::vector<std::size_t> first_of_classes() const;
  /// Brings the features to mean 0 and variance 1.
  void standardise();
};

/// What was found, in double.
struct FamilyFit {
  Report<double> report;
  std::vector<double> coefficients, intercepts;
  Run run;
  std::size_t data_bytes = 0;
  double lambda = 0;
  std::optional<LambdaSelection> selection;

  /// Runs a solver, and takes its report. Throws for a λ or an option that it refuses.
  template <class Solver>
  void solve(Solver& solver, std::span<std::byte> memory, bool quiet, const std::string& lambdas) {
    run = run_to_end(solver, memory, quiet);
    const auto& r = solver.report();
    report = in_double(r);
    report.nonzeros = r.nonzeros;
    report.nonzero_rows = r.nonzero_rows;
    if (r.status == Status::invalid_lambda) throw ArgumentError(lambdas + ": " + describe(r.status));
    if (r.status == Status::invalid_option) throw ArgumentError(describe(r.status));
  }
};

template <class T>
Options<T> in_precision(const Options<double>& o) {
  return {.lambda = static_cast<T>(o.lambda),
          .tolerance = static_cast<T>(o.tolerance),
          .max_iterations = o.max_iterations,
          .intercept = o.intercept};
}

struct FamilyOutcome {
  std::optional<Evaluation> train, test;  // of classes
  std::vector<std::string> notes;

  /// Of scores, samples × classes.
  void evaluate(const FamilyTask& task, const std::vector<double>& scores, const std::vector<double>& test_scores);
};

/// What the model file has of these.
void describe(ModelRecord& model, const FamilyArguments& arguments, const FamilyTask& task);

// The report file in parts, which stand in it in this order.
using Json = nlohmann::ordered_json;
void add_problem(Json& out, const FamilyArguments& arguments, const FamilyTask& task, const char* solver);
void add_judgement(Json& out, const FamilyOutcome& outcome);
void add_no_constraint(Json& out);
/// And the test samples that were not seen.
void add_standardisation(Json& out, const FamilyTask& task, const FamilyOutcome& outcome);
void add_selection(Json& out, const FamilyArguments& arguments, const FamilyFit& fit);
std::string finish(Json& out, const FamilyFit& fit, const FamilyOutcome& outcome);

// What a person at a terminal sees, in parts.
std::string summary_of_run(const FamilyArguments& arguments, const FamilyFit& fit);
std::string summary_of_classes(const FamilyOutcome& outcome);
std::string summary_of_notes(const FamilyOutcome& outcome);

/// Says that a seed was given to a solver that has no use for it.
void note_unused_seed(const char* solver);

/// A command from its arguments to its files. A family has read_task(a) and fit(a, task); outcome_of(a, task, fit),
/// which finds the objective in double; and of its outcome stored(), to_json() and summary().
template <class Arguments, class OutcomeOf>
void run_family(const Arguments& a, OutcomeOf outcome_of) {
  auto task = read_task(a);
  if (a.seeded() && !a.quiet && !a.draws()) note_unused_seed(name(task.solver));
  auto found = fit(a, task);
  task.options.lambda = found.lambda;
  const auto outcome = outcome_of(a, task, found);
  GapMonitor<double>::take_gap(found.report, rounding_of(a.precision));
  if (!a.model.empty()) write_file(a.model, to_json(stored(a, task, outcome)));
  if (!a.report.empty()) write_file(a.report, to_json(a, task, found, outcome));
  if (!a.quiet) beside({a.model, a.report}) << summary(a, task, found, outcome);
  end_if_stopped(found.report.status);
}

}  // namespace tamis::cli
