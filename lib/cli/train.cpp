#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"
#include "errors.hpp"
#include "model_file.hpp"
#include "preparation.hpp"
#include "report_file.hpp"
#include "tamis/observer.hpp"
#include "terminal.hpp"
#include "training.hpp"

namespace tamis::cli {

namespace {

struct TrainArguments {
  SampleArguments samples;
  ProblemArguments problem;
  std::string lambda, eta;
  std::string tolerance = "1e-4";
  std::uint32_t max_iterations = 1000000;
  std::size_t memory_limit = 0;
  std::string weight_map;
  std::string model, report, coefficients;
  bool quiet = false;
};

struct Trained {
  RunReport report;
  Coefficients coefficients;  // in original units
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// ---- training -------------------------------------------------------------------------------------------------------

/// One sentence for a refusal of the core, with the place in the files.
[[noreturn]] void refuse(const Report<double>& report, const TrainArguments& a, const Prepared& p) {
  const auto line = [&](std::size_t row) { return ", line " + std::to_string(p.train.lines[row]) + ": "; };
  const std::string sentence = describe(report.status);
  switch (report.status) {
    case Status::invalid_weight:
      throw DataError((a.samples.sample_weights.empty() ? a.samples.data : a.samples.sample_weights) + ", sample " +
                      std::to_string(report.row + 1) + ": " + sentence);
    case Status::invalid_margin:
      if (a.samples.margins.empty()) throw ArgumentError("--margin: " + sentence);
      throw DataError(a.samples.margins + ", sample " + std::to_string(report.row + 1) + ": " + sentence);
    case Status::missing_class:
      throw DataError(a.samples.data + ", class '" + p.classes[report.column] + "': " + sentence);
    case Status::invalid_data:
      throw DataError(a.samples.data + line(report.row) + "feature " + std::to_string(report.column + 1) +
                      " does not fit in single precision or is not finite");
    case Status::invalid_lambda:
      throw ArgumentError(a.problem.solver == "primal-dual-as-printed" || a.problem.solver == "crammer-singer-dual"
                              ? "--lambda: " + a.problem.solver + " needs a positive number, and finite"
                              : "--lambda: " + sentence);
    case Status::invalid_eta: throw ArgumentError("--eta: " + sentence);
    case Status::invalid_option: throw ArgumentError(sentence);
    default: throw DataError(a.samples.data + ": " + sentence);
  }
}

/// Mean loss and penalty of coefficients in the units of the problem, in double.
struct Parts {
  double loss, penalty;
};
Parts parts(const Prepared& p, const Coefficients& c, const Choice& choice, const AnyPenalty<double>& penalty,
            const Options<double>& options) {
  const auto z = scores<double>(p.train, c);
  Targets<double> targets{p.labels, static_cast<Index>(c.classes), p.weights.empty() ? nullptr : p.weights.data(),
                          p.margins.empty() ? nullptr : p.margins.data()};
  targets.normalise();
  const AnyLoss<double> loss(choice.loss);
  targets.common_margin = margin_for_all(options, loss);
  Sum<double> total;
  for (Index i = 0; i < targets.samples(); ++i)
    total.add(targets.weight(i) *
              loss.value(z.data() + i * c.classes, targets.classes, p.labels[i], targets.margin(i)));
  return {total.value(),
          penalty_value(penalty, c.weights.data(), static_cast<Index>(c.features), targets.classes, targets.classes)};
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

template <class T>
Trained train(const TrainArguments& a, const Choice& choice, const Options<double>& asked, const Prepared& p) {
  const Samples<T> samples(p.train);
  const std::vector<T> weights(p.weights.begin(), p.weights.end()), margins(p.margins.begin(), p.margins.end());
  const Targets<T> targets{p.labels, static_cast<Index>(p.classes.size()), weights.empty() ? nullptr : weights.data(),
                           margins.empty() ? nullptr : margins.data()};
  const Shape shape{targets.samples(), static_cast<Index>(p.train.features), targets.classes};
  const Options<T> options{.lambda = static_cast<T>(asked.lambda),
                           .tolerance = static_cast<T>(asked.tolerance),
                           .max_iterations = asked.max_iterations,
                           .margin = static_cast<T>(asked.margin),
                           .intercept = asked.intercept,
                           .eta = static_cast<T>(asked.eta)};
  const auto nonzero = std::count_if(p.train.values.begin(), p.train.values.end(), [](double x) { return x != 0; });
  const Room room{.entries = static_cast<std::size_t>(nonzero), .active_limit = usual_active_limit};
  std::size_t bytes = CommandTraining<T>::requirement(choice, shape, room).bytes;
  if (a.memory_limit && bytes > a.memory_limit)
    bytes = std::max(CommandTraining<T>::requirement(choice, shape).bytes,
                     a.memory_limit / Arena::alignment * Arena::alignment);
  if (a.memory_limit && bytes > a.memory_limit)
    throw MemoryError("--memory-limit: training needs an arena of " + std::to_string(bytes) + " bytes, " +
                      std::to_string(a.memory_limit) + " are allowed");
  const std::unique_ptr<std::byte[], decltype(&std::free)> memory(
      static_cast<std::byte*>(std::aligned_alloc(Arena::alignment, bytes)), std::free);
  if (!memory)
    throw MemoryError("training needs an arena of " + std::to_string(bytes) + " bytes, which this machine lacks");

  Trained out;
  RunReport& r = out.report;
  ProgressLine progress(!a.quiet);
  const auto started = std::chrono::steady_clock::now();
  const PenaltyParameters<double> parameters = a.problem.parameters();
  CommandTraining<T> training(choice, samples.design(), targets, options,
                              {static_cast<T>(parameters.l1_ratio), static_cast<T>(parameters.epsilon)});
  training.start({memory.get(), bytes});
  advance_to_end(training, [&](const Report<T>& now) {
    const auto objective = static_cast<double>(now.objective), gap = static_cast<double>(now.gap);
    r.trace.push_back({now.iterations, seconds_since(started), objective, gap, now.nonzeros});
    progress.show(now.iterations, objective, static_cast<double>(now.relative_gap), now.nonzeros);
    return true;
  });
  r.seconds = seconds_since(started);
  r.solver = in_double(training.report());
  r.loss = name(choice.loss);
  r.penalty = name(choice.penalty);
  r.solver_name = name(choice.resolved_solver());
  r.precision = a.problem.precision;
  r.shape = shape;
  r.lambda = choice.constrained ? std::numeric_limits<double>::quiet_NaN() : asked.lambda;
  if (choice.constrained) r.eta = asked.eta;
  r.data_bytes = samples.bytes();
  if (r.solver.status == Status::infeasible) {
    for (double* none :
         {&r.solver.objective, &r.solver.dual_objective, &r.solver.gap, &r.solver.relative_gap, &r.solver.multiplier})
      *none = std::numeric_limits<double>::quiet_NaN();
    return out;
  }
  if (!has_model(r.solver.status)) refuse(r.solver, a, p);

  const LinearModel<T> model = training.model();
  Coefficients c{p.train.features, p.classes.size(), {}, {}};
  for (Index j = 0; j < model.features; ++j)
    for (Index k = 0; k < model.classes; ++k) c.weights.push_back(static_cast<double>(model(j, k)));
  for (Index k = 0; k < model.classes; ++k) c.intercepts.push_back(static_cast<double>(model.intercept(k)));
  if (p.standardisation) c = c.in_original_units(*p.standardisation);
  for (auto* numbers : {&c.weights, &c.intercepts})
    for (double& x : *numbers) x = static_cast<double>(static_cast<T>(x));
  out.coefficients = c;

  const Coefficients in_problem = p.standardisation ? c.in_standardised_units(*p.standardisation) : c;
  std::vector<double> weights_of_penalty;  // of the last round of reweighted-l1
  if (const T* from = training.weights())
    for (Index j = 0; j < model.features; ++j)
      for (Index k = 0; k < model.classes; ++k)
        weights_of_penalty.push_back(static_cast<double>(row_of(from, j, model.stride())[k]));
  const AnyPenalty<double> penalty =
      weights_of_penalty.empty()
          ? AnyPenalty<double>(choice.penalty, choice.groups, parameters)
          : AnyPenalty<double>(WeightedL1<double>{weights_of_penalty.data(), static_cast<Index>(c.classes)});
  const Parts exact = parts(p, in_problem, choice, penalty, asked);
  r.solver.objective = choice.constrained ? exact.penalty : exact.loss + asked.lambda * exact.penalty;
  if (choice.constrained) r.solver.constraint_value = exact.loss;
  if (has_ratio(choice.penalty)) r.l1_ratio = parameters.l1_ratio;
  if (choice.penalty == PenaltyKind::reweighted_l1) r.epsilon = parameters.epsilon;
  r.solver.gap = r.solver.objective - r.solver.dual_objective;
  if (choice.constrained && !std::isfinite(static_cast<double>(training.report().objective)))
    r.solver.gap = std::numeric_limits<double>::infinity();  // the model is not feasible: there is nothing to compare
  r.solver.relative_gap =
      r.solver.gap / std::max({std::abs(r.solver.objective), std::abs(r.solver.dual_objective), 1e-12});
  r.solver.nonzeros = c.nonzeros();
  r.solver.nonzero_rows = c.kept();
  const auto judge = [&](const Table& table, const Coefficients& coefficients, const std::vector<Label>& truth) {
    const auto z = scores<T>(table, coefficients);
    Evaluation e = evaluate(truth, decide(z, c.classes), c.classes);
    if (choice.loss == LossKind::logistic) e.log_loss = log_loss(truth, z, c.classes);
    return e;
  };
  r.train = judge(p.train, in_problem, p.labels);
  if (p.test) r.test = judge(*p.test, c, p.test_labels);
  return out;
}

// ---- what is kept ---------------------------------------------------------------------------------------------------

StoredModel stored(const Prepared& p, const Trained& trained) {
  StoredModel model;
  p.describe(model);
  model.coefficients = trained.coefficients;
  model.loss = trained.report.loss;
  model.penalty = trained.report.penalty;
  model.precision = trained.report.precision;
  model.lambda = trained.report.lambda;
  model.eta = trained.report.eta;
  return model;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
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

/// Rows and columns of --weight-map, which must make up the features.
std::pair<std::size_t, std::size_t> map_shape(const std::string& text, std::size_t features) {
  unsigned long rows = 0, columns = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%5lux%5lu%c", &rows, &columns, &rest) != 2 || rows * columns != features)
    throw ArgumentError("--weight-map: '" + text + "' is not ROWSxCOLUMNS with as many cells as the " +
                        std::to_string(features) + " features");
  return {rows, columns};
}

void run(const TrainArguments& a) {
  if (a.lambda.empty() == a.eta.empty())
    throw ArgumentError(
        "training needs either --lambda, the weight of the penalty, or --eta, a bound of the mean loss" +
        std::string(a.eta.empty() ? "" : ": both are given"));
  Choice choice = a.problem.choice(!a.eta.empty());
  if (is_constrained(choice.resolved_solver()) != choice.constrained)
    throw ArgumentError("--solver " + a.problem.solver +
                        (choice.constrained ? " has no constraint: give --lambda instead of --eta"
                                            : " solves the constrained form: give --eta instead of --lambda"));
  Options<double> options{.lambda = choice.constrained ? 0 : parse_number("--lambda", a.lambda),
                          .tolerance = parse_number("--tolerance", a.tolerance),
                          .max_iterations = a.max_iterations,
                          .eta = choice.constrained ? parse_number("--eta", a.eta) : 0};
  if (options.lambda < 0)
    throw ArgumentError("--lambda: " + a.lambda + " is negative: lambda must be zero or positive");
  if (choice.constrained && !(options.eta > 0))
    throw ArgumentError("--eta: " + a.eta + " is not positive: no model has a mean loss below zero, and few have none");
  if (!(options.tolerance > 0)) throw ArgumentError("--tolerance: " + a.tolerance + " is not positive");
  a.samples.set(options);

  const Prepared p = prepare(a.samples);
  if (const auto sentence = p.unseen_sentence(); !a.quiet && !sentence.empty()) std::cerr << sentence << '\n';
  choice.tiny_lambda = Choice::is_tiny(options.lambda, static_cast<Index>(p.train.samples));
  const auto groups = a.problem.listed_groups(p.train.features);
  if (groups) choice.groups = groups->groups;
  std::pair<std::size_t, std::size_t> map;
  if (!a.weight_map.empty()) map = map_shape(a.weight_map, p.train.features);
  const Trained trained =
      a.problem.single_precision() ? train<float>(a, choice, options, p) : train<double>(a, choice, options, p);
  if (trained.report.solver.status == Status::infeasible) {  // there is no model to keep
    if (!a.report.empty()) write_file(a.report, to_json(trained.report));
    if (!a.quiet) std::cout << summary(trained.report);
    return;
  }
  const StoredModel model = stored(p, trained);
  if (!a.model.empty()) write_model(a.model, model);
  if (!a.coefficients.empty()) write_file(a.coefficients, coefficient_table(model));
  if (!a.report.empty()) write_file(a.report, to_json(trained.report));
  if (a.quiet) return;
  std::cout << summary(trained.report);
  if (!a.weight_map.empty()) std::cout << '\n' << weight_map(model, map.first, map.second, isatty(STDOUT_FILENO));
}

}  // namespace

void declare_train(CLI::App& app) {
  auto a = std::make_shared<TrainArguments>();
  CLI::App& train = *app.add_subcommand("train", "train a classifier on labelled samples and certify it");
  a->samples.declare(train);
  a->problem.declare(train);
  train.add_option("--lambda", a->lambda, "weight of the penalty: a number or a fraction such as 1/1797");
  train.add_option("--eta", a->eta, "instead of --lambda: the smallest penalty with a mean loss of at most this");
  train.add_option("--tolerance", a->tolerance, "relative duality gap to certify")->capture_default_str();
  train.add_option("--max-iterations", a->max_iterations, "give up after this many")
      ->check(CLI::Range(std::uint32_t(1), ~std::uint32_t(0)))
      ->capture_default_str();
  train.add_option("--memory-limit", a->memory_limit, "most bytes the arena may take");
  train.add_option("--weight-map", a->weight_map, "show each class's weights as ROWSxCOLUMNS pictures");
  train.add_option("--model", a->model, "write the model as JSON");
  train.add_option("--coefficients", a->coefficients, "write the coefficients of kept features as CSV");
  train.add_option("--report", a->report, "write the report as JSON");
  train.add_flag("--quiet", a->quiet, "print nothing");
  train.callback([a] { run(*a); });
}

}  // namespace tamis::cli
