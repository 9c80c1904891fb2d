#include "fitting.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "errors.hpp"
#include "output_file.hpp"
#include "terminal.hpp"

namespace tamis::cli {

namespace {

/// Mean loss and penalty of coefficients in the units of the problem, in double.
struct Parts {
  double loss, penalty;
};
Parts parts(const Prepared& p, const Coefficients& c, const ProblemSpec& choice, const AnyPenalty<double>& penalty,
            const Options<double>& options) {
  const auto z = scores<double>(p.train, c);
  Targets<double> targets{p.labels, static_cast<Index>(c.classes), p.weights.empty() ? nullptr : p.weights.data(),
                          p.margins.empty() ? nullptr : p.margins.data()};
  targets.normalise();
  const auto loss = loss_of<double>(choice, p);
  targets.common_margin = margin_for_all(options, loss);
  const double mean = choice.loss == LossKind::logistic ? logistic_loss(targets, z)
                                                        : detail::mean_loss(loss, targets, z.data(), targets.classes);
  return {mean,
          penalty_value(penalty, c.weights.data(), static_cast<Index>(c.features), targets.classes, targets.classes)};
}

}  // namespace

void EffortArguments::declare(const Command& command) {
  command.add_option("--tolerance", tolerance, "relative duality gap to certify")->capture_default_str();
  command.add_option("--max-iterations", max_iterations, "give up after this many")
      ->between(1, ~std::uint32_t(0))
      ->capture_default_str();
  command.add_option("--memory-limit", memory_limit, "most bytes the arena may take");
}

void EffortArguments::set(Options<double>& options) const {
  options.tolerance = parse_number("--tolerance", tolerance);
  if (!(options.tolerance > 0)) throw ArgumentError("--tolerance: " + tolerance + " is not positive");
  options.max_iterations = max_iterations;
}

void OutputArguments::declare(const Command& command, const std::string& of_model) {
  command.add_option("--model", model, "write the model as JSON")->type_name(output_type);
  command.add_option("--coefficients", coefficients, "write the coefficients of kept features as CSV")
      ->type_name(output_type);
  command.add_option("--report", report, "write the report" + of_model + " as JSON")->type_name(output_type);
  command.add_flag("--quiet", quiet, "print nothing");
}

void OutputArguments::write(const StoredModel& stored, const RunReport& of_run) const {
  if (!model.empty()) write_model(model, stored);
  if (!coefficients.empty()) write_file(coefficients, coefficient_table(stored));
  if (!report.empty()) write_file(report, to_json(of_run));
}

double parse_learning_rate(const std::string& text) {
  if (text.empty() || text == "auto") return std::numeric_limits<double>::quiet_NaN();
  const double rate = parse_number("--learning-rate", text);
  if (!(rate > 0)) throw ArgumentError("--learning-rate: " + text + " is not positive");
  return rate;
}

void StochasticArguments::declare(const Command& command) {
  command.add_option("--learning-rate", learning_rate,
                     "of fobos-as-printed and adaptive-dual-averaging: the first step length, or auto (default): of "
                     "1e-3 ... 1e3 the one with the least loss on a quarter of the samples, held out");
  limit_ = command.get_option("--max-iterations");
  command
      .add_option("--passes", passes, "of the same: passes over the samples, instead of --max-iterations (default: 20)")
      ->between(1, ~std::uint32_t(0))
      ->excludes(limit_);
}

StochasticOptions<double> StochasticArguments::set(SolverKind solver, std::uint64_t seed,
                                                   Options<double>& options) const {
  if (!is_stochastic(solver)) {
    if (!learning_rate.empty() || passes)
      throw ArgumentError(std::string(passes ? "--passes" : "--learning-rate") +
                          " is for fobos-as-printed and adaptive-dual-averaging, not for " + name(solver));
    return {};
  }
  if (passes || !limit_->count()) options.max_iterations = passes ? passes : 20;
  return {parse_learning_rate(learning_rate), seed};
}

[[noreturn]] void refuse(const Report<double>& report, const Task& task) {
  const Prepared& p = task.prepared;
  const SampleArguments& a = task.samples;
  const auto line = [&](std::size_t row) { return ", line " + std::to_string(p.train.lines[row]) + ": "; };
  const std::string sentence = describe(report.status);
  const SolverKind solver = task.choice.resolved_solver();
  switch (report.status) {
    case Status::invalid_weight:
      throw DataError((a.sample_weights.empty() ? a.data : a.sample_weights) + ", sample " +
                      std::to_string(report.row + 1) + ": " + sentence);
    case Status::invalid_margin:
      if (a.margins.empty()) throw ArgumentError("--margin: " + sentence);
      throw DataError(a.margins + ", sample " + std::to_string(report.row + 1) + ": " + sentence);
    case Status::missing_class:
      if (p.sets)
        throw DataError(a.data + ", label '" + p.classes[report.column] +
                        "': no sample of positive weight ranks it above another, or none below: its intercept would "
                        "diverge; leave the label out, or use --no-intercept");
      throw DataError(a.data + ", class '" + p.classes[report.column] + "': " + sentence);
    case Status::invalid_data:
      throw DataError(a.data + line(report.row) + "feature " + std::to_string(report.column + 1) +
                      " does not fit in single precision or is not finite");
    case Status::invalid_lambda:
      throw ArgumentError(solver == SolverKind::primal_dual_as_printed || solver == SolverKind::crammer_singer_dual
                              ? "--lambda: " + std::string(name(solver)) + " needs a positive number, and finite"
                              : "--lambda: " + sentence);
    case Status::invalid_eta: throw ArgumentError("--eta: " + sentence);
    case Status::invalid_option: throw ArgumentError(sentence);
    default: throw DataError(a.data + ": " + sentence);
  }
}

template <class T>
Report<double> in_double(const Report<T>& r) {
  Report<double> out;
  out.status = r.status;
  out.objective = static_cast<double>(r.objective);
  out.dual_objective = static_cast<double>(r.dual_objective);
  out.kkt_residual = static_cast<double>(r.kkt_residual);
  out.lambda_max = static_cast<double>(r.lambda_max);
  out.constraint_value = static_cast<double>(r.constraint_value);
  out.constraint_bound = static_cast<double>(r.constraint_bound);
  out.multiplier = static_cast<double>(r.multiplier);
  out.epochs = static_cast<double>(r.epochs);
  out.iterations = r.iterations;
  out.row = r.row;
  out.column = r.column;
  out.arena_bytes = r.arena_bytes;
  out.arena_used_bytes = r.arena_used_bytes;
  return out;
}

template Report<double> in_double(const Report<float>&);
template Report<double> in_double(const Report<double>&);

Fitted evaluate(const Task& task, Coefficients c, const std::vector<double>& weights_of_penalty,
                const Report<double>& solver, bool feasible) {
  const Prepared& p = task.prepared;
  const ProblemSpec& choice = task.choice;
  const PenaltyParameters<double>& parameters = task.parameters;
  const Options<double>& options = task.options;
  const std::string& precision = task.precision;
  Fitted out;
  RunReport& r = out.report;
  r.solver = solver;
  r.loss = name(choice.loss);
  r.penalty = name(choice.penalty);
  r.solver_name = name(choice.resolved_solver());
  r.precision = precision;
  r.lambda = choice.constrained ? std::numeric_limits<double>::quiet_NaN() : options.lambda;
  if (choice.constrained) r.eta = options.eta;
  if (has_ratio(choice.penalty)) r.l1_ratio = parameters.l1_ratio;
  if (in_rounds(choice.penalty)) r.epsilon = parameters.epsilon;
  if (solver.status == Status::infeasible) {
    for (double* none :
         {&r.solver.objective, &r.solver.dual_objective, &r.solver.gap, &r.solver.relative_gap, &r.solver.multiplier})
      *none = std::numeric_limits<double>::quiet_NaN();
    return out;
  }

  if (p.standardisation) c = c.in_original_units(*p.standardisation);
  if (precision == "float")
    for (auto* numbers : {&c.weights, &c.intercepts})
      for (double& x : *numbers) x = static_cast<double>(static_cast<float>(x));
  const Coefficients in_problem = p.standardisation ? c.in_standardised_units(*p.standardisation) : c;
  const AnyPenalty<double> penalty =
      weights_of_penalty.empty()
          ? AnyPenalty<double>(choice.penalty, choice.groups, parameters)
          : AnyPenalty<double>(WeightedL1<double>{weights_of_penalty.data(), static_cast<Index>(c.classes)});
  const Parts exact = parts(p, in_problem, choice, penalty, options);
  r.solver.objective = choice.constrained ? exact.penalty : exact.loss + options.lambda * exact.penalty;
  if (choice.constrained) r.solver.constraint_value = exact.loss;
  GapMonitor<double>::take_gap(r.solver, rounding_of(precision));
  if (choice.constrained && !feasible)  // there is nothing to compare
    r.solver.gap = r.solver.relative_gap = std::numeric_limits<double>::infinity();
  r.solver.nonzeros = c.nonzeros();
  r.solver.nonzero_rows = c.kept();
  std::vector<LabelSet> sets;
  for (std::size_t i = 0; p.sets && i < p.labels.size(); ++i) {
    const auto set = p.sets->view()[p.labels[i]];
    sets.push_back({{set.begin(), set.end()}});
  }
  const auto evaluated = [&](const Table& table, const Coefficients& by, const std::vector<Label>& truth,
                             const std::vector<LabelSet>& true_sets) {
    const auto z = precision == "float" ? scores<float>(table, by) : scores<double>(table, by);
    if (p.sets) {
      Evaluation e = evaluate_ranking(true_sets, z, c.classes);
      if (task.thresholds && !r.thresholds)  // the training samples come first
        r.thresholds = choose_thresholds(*task.thresholds, z, *p.sets, p.labels, c.classes);
      if (r.thresholds) e.sets = evaluate_sets(true_sets, z, r.thresholds->view());
      return e;
    }
    Evaluation e = evaluate(truth, decide(z, c.classes), c.classes);
    if (choice.loss == LossKind::logistic) e.log_loss = log_loss(truth, z, c.classes);
    return e;
  };
  r.train = evaluated(p.train, in_problem, p.labels, sets);
  if (p.test) r.test = evaluated(*p.test, c, p.test_labels, p.test_sets);
  out.coefficients = std::move(c);
  return out;
}

StoredModel stored(const Prepared& p, const Fitted& trained) {
  StoredModel model;
  p.describe(model);
  model.coefficients = trained.coefficients;
  model.loss = trained.report.loss;
  model.penalty = trained.report.penalty;
  model.precision = trained.report.precision;
  model.lambda = trained.report.lambda;
  model.samples = static_cast<std::uint32_t>(p.train.samples);
  model.eta = trained.report.eta;
  if (trained.report.calibration) model.calibration = trained.report.calibration->calibration;
  model.thresholds = trained.report.thresholds;
  return model;
}

/// One line per kept feature and one of the intercepts, one column per class.
std::string coefficient_table(const StoredModel& model) {
  const Coefficients& c = model.coefficients;
  std::string out = "feature";
  for (const auto& name : model.classes) out += "," + csv_field(name);
  const auto add_numbers = [&](const double* numbers) {
    for (std::size_t k = 0; k < c.classes; ++k) {
      char text[32];
      const double x = model.precision == "float" ? shortest(static_cast<float>(numbers[k])) : numbers[k];
      out += "," + std::string(text, std::to_chars(text, text + sizeof text, x).ptr);
    }
  };
  for (std::size_t j = 0; j < c.features; ++j) {
    if (!c.uses(j)) continue;
    out += "\n" + (model.feature_names.empty() ? std::to_string(j) : csv_field(model.feature_names[j]));
    add_numbers(c.weights.data() + j * c.classes);
  }
  out += "\n(intercept)";
  add_numbers(c.intercepts.data());
  return out + "\n";
}

ArenaMemory::ArenaMemory(std::size_t bytes)
    : bytes_(bytes), memory_(static_cast<std::byte*>(std::aligned_alloc(Arena::alignment, bytes)), std::free) {
  if (!memory_)
    throw MemoryError("training needs an arena of " + std::to_string(bytes) + " bytes, which this machine lacks");
}

std::size_t arena_bytes(std::size_t least, std::size_t fast, std::size_t limit) {
  std::size_t bytes = fast;
  if (limit && bytes > limit) bytes = std::max(least, limit / Arena::alignment * Arena::alignment);
  if (limit && bytes > limit)
    throw MemoryError("--memory-limit: training needs an arena of " + std::to_string(bytes) + " bytes, " +
                      std::to_string(limit) + " are allowed");
  return bytes;
}

}  // namespace tamis::cli
