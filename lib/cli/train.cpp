#include <unistd.h>

#include <chrono>
#include <iostream>
#include <memory>

#include "commands.hpp"
#include "errors.hpp"
#include "fitting.hpp"
#include "interrupt.hpp"
#include "output_file.hpp"
#include "plots.hpp"
#include "terminal.hpp"

namespace tamis::cli {

namespace {

struct TrainArguments : OutputArguments {
  SampleArguments samples;
  ProblemArguments problem;
  std::string lambda, eta;
  EffortArguments effort;
  StochasticArguments stochastic;
  std::string stopping = "gap";
  std::string thresholds;
  bool shrinking = false, seeded = false;
  std::string weight_map, plot_weights, plot_confusion;
};

/// --stopping: a rule, and its threshold after a colon. Throws ArgumentError.
Stopping<double> parse_stopping(const std::string& text) {
  const auto colon = text.find(':');
  std::string names;
  for (const StoppingRule rule : all_stopping_rules) {
    const std::string called = name(rule);
    names += (names.empty() ? "" : ", ") + called + (rule == StoppingRule::gap ? "" : ":T");
    if (text.substr(0, colon) != called) continue;
    if (rule == StoppingRule::gap) {
      if (colon == std::string::npos) return {};
      throw ArgumentError("--stopping: gap takes no threshold: --tolerance is the one of the gap");
    }
    if (colon == std::string::npos)
      throw ArgumentError("--stopping: " + called + " needs a threshold, such as " + called + ":1e-3");
    const Stopping<double> out{rule, parse_number("--stopping", text.substr(colon + 1))};
    if (!out.valid()) throw ArgumentError("--stopping: the threshold of " + called + " must be positive");
    return out;
  }
  throw ArgumentError("--stopping: '" + text + "' is not one of " + names);
}

/// Refuses what the solver of a choice does not have. Throws ArgumentError.
void check_meaning(const TrainArguments& a, const Stopping<double>& stopping, const ProblemSpec& choice) {
  const auto refuse_unless = [&](const std::string& option, auto has) {
    const SolverKind solver = choice.resolved_solver();
    if (has(solver)) return;
    std::string names;
    for (const SolverKind kind : all_solvers)
      if (has(kind)) names += (names.empty() ? "" : ", ") + std::string(name(kind));
    throw ArgumentError(option + " is for " + names + ", not for " + name(solver));
  };
  const std::string rule = std::string("--stopping ") + name(stopping.rule);
  refuse_unless(rule, [&](SolverKind kind) { return has_stopping(kind, stopping.rule); });
  if (stopping.rule != StoppingRule::gap && in_rounds(choice.penalty))
    throw ArgumentError(rule + " is not for reweighted-l1, whose rounds end by the gap");
  if (!a.shrinking) return;
  refuse_unless("--shrinking", is_blockwise);
  const DualKind kind = AnyPenalty<double>(choice.penalty, choice.groups, a.problem.parameters()).dual_kind();
  if (kind == DualKind::conjugate)
    throw ArgumentError(std::string("--shrinking leaves out rows of zeros, and this penalty, ") + name(choice.penalty) +
                        ", makes none");
}

template <class T>
Fitted train(const TrainArguments& a, const Task& task, const Stopping<double>& stopping) {
  const Fitting<T> fitting(task, static_cast<T>(task.options.lambda), false);
  const ArenaMemory memory(arena_bytes(fitting.least().bytes, fitting.fast().bytes, a.effort.memory_limit));
  auto training = fitting.training(fitting.targets());
  training.set_stopping({stopping.rule, static_cast<T>(stopping.threshold)});
  training.set_shrinking(a.shrinking);
  training.set_seed(a.samples.seed);
  Run run = run_to_end(training, memory.span(), a.quiet);
  Fitted out = fitting.evaluate(training, run.seconds);
  out.report.trace = std::move(run.trace);
  return out;
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

std::string plot_of(const StoredModel& model, std::pair<std::size_t, std::size_t> map) {
  const Coefficients& c = model.coefficients;
  MapsPlot plot{.title = model.loss + ", " + model.penalty + ": weights of each class",
                .classes = model.classes,
                .rows = map.first,
                .columns = map.second,
                .weights = {}};
  for (std::size_t k = 0; k < c.classes; ++k) {
    auto& weights = plot.weights.emplace_back();
    for (std::size_t j = 0; j < c.features; ++j) weights.push_back(c.weight(j, k));
  }
  return weight_maps(plot);
}

std::string plot_of(const StoredModel& model, const RunReport& report) {
  const std::string samples = report.test ? "test samples" : "training samples";
  return confusion_matrix({.title = model.loss + ", " + model.penalty + ": " + samples,
                           .classes = model.classes,
                           .counts = (report.test ? *report.test : report.train).confusion});
}

void run(const TrainArguments& a) {
  if (a.lambda.empty() == a.eta.empty())
    throw ArgumentError(
        "training needs either --lambda, the weight of the penalty, or --eta, a bound of the mean loss" +
        std::string(a.eta.empty() ? "" : ": both are given"));
  ProblemSpec choice = a.problem.choice(!a.eta.empty());
  if (is_constrained(choice.resolved_solver()) != choice.constrained)
    throw ArgumentError("--solver " + a.problem.solver +
                        (choice.constrained ? " has no constraint: give --lambda instead of --eta"
                                            : " solves the constrained form: give --eta instead of --lambda"));
  Options<double> options{.lambda = choice.constrained ? 0 : parse_number("--lambda", a.lambda),
                          .eta = choice.constrained ? parse_number("--eta", a.eta) : 0};
  if (options.lambda < 0)
    throw ArgumentError("--lambda: " + a.lambda + " is negative: lambda must be zero or positive");
  if (choice.constrained && !(options.eta > 0))
    throw ArgumentError("--eta: " + a.eta + " is not positive: no model has a mean loss below zero, and few have none");
  a.effort.set(options);
  const auto stochastic = a.stochastic.set(choice.resolved_solver(), a.samples.seed, options);
  a.samples.set(options);
  const Stopping<double> stopping = parse_stopping(a.stopping);
  check_meaning(a, stopping, choice);
  if (!a.plot_weights.empty() && a.weight_map.empty())
    throw ArgumentError("--plot-weights needs --weight-map ROWSxCOLUMNS, the shape of the pictures");

  const bool multilabel = has_label_sets(choice.loss);
  if (multilabel && !a.plot_confusion.empty())
    throw ArgumentError("--plot-confusion: with several labels per sample there is no confusion matrix");

  std::optional<ThresholdKind> thresholds;
  if (!a.thresholds.empty()) {
    thresholds = kind_named("--thresholds", a.thresholds, all_threshold_kinds);
    if (!multilabel)
      throw ArgumentError("--thresholds makes sets of labels of scores that rank: it is for ranking-squared-hinge");
  }
  const Prepared p = prepare(a.samples, multilabel);
  for (const auto& sentence : p.notes())
    if (!a.quiet) std::cerr << sentence << '\n';
  if (a.seeded && a.samples.held_out.empty() && !is_random(choice.resolved_solver()) && !a.quiet)
    std::cerr << "--seed is not used: " << name(choice.resolved_solver()) << " draws nothing at random\n";
  const auto groups = a.problem.listed_groups(p.train.features);
  if (groups) choice.groups = groups->groups;
  std::pair<std::size_t, std::size_t> map;
  if (!a.weight_map.empty()) map = map_shape(a.weight_map, p.train.features);
  const Task task{a.samples, p, choice, a.problem.parameters(), options, a.problem.precision, stochastic, thresholds};
  const Fitted trained =
      a.problem.single_precision() ? train<float>(a, task, stopping) : train<double>(a, task, stopping);
  std::ostream& people = beside({a.model, a.report, a.coefficients, a.plot_weights, a.plot_confusion});
  if (trained.report.solver.status == Status::infeasible) {  // there is no model to keep
    if (!a.report.empty()) write_file(a.report, to_json(trained.report));
    if (!a.quiet) people << summary(trained.report);
    return;
  }
  const StoredModel model = stored(p, trained);
  a.write(model, trained.report);
  if (!a.plot_weights.empty()) write_file(a.plot_weights, plot_of(model, map));
  if (!a.plot_confusion.empty()) write_file(a.plot_confusion, plot_of(model, trained.report));
  if (!a.quiet) people << summary(trained.report);
  if (!a.quiet && !a.weight_map.empty())
    people << '\n' << weight_map(model, map.first, map.second, &people == &std::cout && isatty(STDOUT_FILENO));
  end_if_stopped(trained.report.solver.status);
}

}  // namespace

void declare_train(const Command& app) {
  auto a = std::make_shared<TrainArguments>();
  const Command train = app.add_subcommand("train", "train a classifier on labelled samples and certify it");
  a->samples.declare(train);
  a->problem.declare(train);
  train.add_option("--lambda", a->lambda, "weight of the penalty: a number or a fraction such as 1/1797");
  train.add_option("--eta", a->eta, "instead of --lambda: the smallest penalty with a mean loss of at most this");
  a->effort.declare(train);
  a->stochastic.declare(train);
  train
      .add_option("--stopping", a->stopping,
                  "what ends the run: gap | iterates:T | violation-sum:T | violation-max:T; all but the gap for "
                  "published baselines only")
      ->capture_default_str();
  train.add_flag("--shrinking", a->shrinking,
                 "leave out rows that are likely to stay zero, for a while; for bcd-...-as-printed");
  train.add_option("--thresholds", a->thresholds,
                   "with ranking-squared-hinge: linear | per-class, thresholds of the scores that make sets of labels, "
                   "chosen on the training samples, for predict --sets");
  train.add_option("--weight-map", a->weight_map, "show each class's weights as ROWSxCOLUMNS pictures");
  train.add_option("--plot-weights", a->plot_weights, "write the pictures of --weight-map as SVG")
      ->type_name(output_type);
  train
      .add_option("--plot-confusion", a->plot_confusion,
                  "write the confusion matrix as SVG: of the test samples, if any")
      ->type_name(output_type);
  a->OutputArguments::declare(train);
  train.callback([a, seed = train.get_option("--seed")] {
    a->seeded = seed->count() > 0;
    run(*a);
  });
}

}  // namespace tamis::cli
