#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "commands.hpp"
#include "errors.hpp"
#include "interaction_task.hpp"
#include "interrupt.hpp"
#include "model_file.hpp"
#include "output_file.hpp"
#include "readers.hpp"
#include "terminal.hpp"

namespace tamis::cli {

namespace {

double mean_squared_error(const std::vector<double>& truth, const std::vector<double>& scores) {
  Sum<double> total;
  for (std::size_t i = 0; i < truth.size(); ++i) total.add((truth[i] - scores[i]) * (truth[i] - scores[i]));
  return total.value() / static_cast<double>(truth.size());
}

/// F in double, of the coefficients as they are kept.
double objective_of(const InteractionTask& task, const InteractionModel<double>& model,
                    const std::vector<double>& scores) {
  Sum<double> loss;
  for (std::size_t i = 0; i < task.train.samples; ++i) {
    if (task.regression()) {
      loss.add((task.truth[i] - scores[i]) * (task.truth[i] - scores[i]) / 2);
      continue;
    }
    loss.add(SquaredHinge{}.value(scores.data() + i * model.outputs, model.outputs, task.labels[i], 1.0));
  }
  const HierarchicalPenalty<double> penalty{task.hierarchy, task.norm, task.options.lambda,
                                            task.second(task.options.lambda)};
  Sum<double> total;
  for (Index k = 0; k < model.outputs; ++k)
    for (Index j = 0; j < model.features; ++j) total.add(penalty.value(model.row(k, j), model.features));
  return loss.value() / static_cast<double>(task.train.samples) + total.value();
}

/// The terms, rounded to the precision of training.
KeptTerms kept_terms(const InteractionArguments& a, const InteractionTask& task, const InteractionFit& found) {
  const auto model = found.model(static_cast<Index>(task.train.features), task.outputs());
  KeptTerms out{task.train.features, std::vector<InteractionTerm<double>>(count_terms(model)), found.intercepts};
  take_terms<double>(model, out.terms);
  if (a.precision == "float") out.round_to_float();
  return out;
}

StoredInteractions stored(const InteractionArguments& a, const InteractionTask& task,
                          const InteractionOutcome& outcome) {
  StoredInteractions out;
  out.classes = task.classes;
  out.feature_names = task.train.feature_names;
  out.model = outcome.terms;
  if (outcome.standardisation) {
    out.standardisation = outcome.standardisation->columns;
    out.model = outcome.terms.in_original_units(out.standardisation);
  }
  out.scale = a.reading.read_options().scale;
  out.loss = a.loss;
  out.hierarchy = name(task.hierarchy);
  out.norm = name(task.norm);
  out.precision = a.precision;
  out.lambda = task.options.lambda;
  if (task.hierarchy != Hierarchy::main) out.lambda2 = task.second(task.options.lambda);
  out.samples = static_cast<std::uint32_t>(task.train.samples);
  out.self_test = task.self_test;
  return out;
}

void run(const InteractionArguments& a) {
  InteractionTask task = read_task(a);
  check_memory(a, task);
  make_dense(task.train);
  if (task.test) make_dense(*task.test);
  if (a.seeded && !a.quiet && !a.grid.given())
    std::cerr << "--seed is not used: " << name(task.solver) << " draws nothing at random\n";
  task.self_test = self_test_samples(task);
  InteractionOutcome outcome;
  double least = INFINITY, most = 0;
  for (std::size_t j = 0; j < task.train.features; ++j) {
    double square = 0;
    for (std::size_t i = 0; i < task.train.samples; ++i)
      square += std::pow(task.train.values[i + j * task.train.samples], 2);
    if (square > 0) least = std::min(least, square), most = std::max(most, square);
  }
  if (a.standardise) {
    const Standardisation& by = outcome.standardisation.emplace(standardise(task.train));
    if (task.test)
      for (std::size_t j = 0; j < task.test->features; ++j)
        for (std::size_t i = 0; i < task.test->samples; ++i) {
          double& x = task.test->values[i + j * task.test->samples];
          x = (x - by.columns[j].mean) / by.columns[j].scale;
        }
    outcome.notes.push_back(
        std::string("coefficients are those of features of mean 0 and variance 1") +
        (a.model.empty() ? "" : ", in the model those of the features as they stand, which has more main effects"));
  } else if (most > 1e6 * least) {
    outcome.notes.push_back(
        "features differ in size by more than 1000 times, and the penalty favours large ones: --standardise makes them "
        "alike");
  }
  InteractionFit found = fit(a, task);
  task.options.lambda = found.lambda;
  outcome.terms = kept_terms(a, task, found);
  const auto terms = outcome.terms.view();
  for (const auto& term : terms.terms) outcome.main_effects += !term.is_product();
  const auto z = scores(task.train, terms);
  const auto test_z = task.test ? scores(*task.test, terms) : std::vector<double>();
  auto& r = found.report;
  r.objective = objective_of(task, found.model(terms.features, terms.outputs), z);
  GapMonitor<double>::take_gap(r, rounding_of(a.precision));
  if (task.regression()) {
    outcome.error = mean_squared_error(task.truth, z);
    if (task.test) outcome.test_error = mean_squared_error(task.test_truth, test_z);
  } else {
    const std::size_t classes = task.classes.size();
    outcome.train = evaluate(task.labels, decide(z, classes), classes);
    if (task.test) outcome.test = evaluate(task.test_labels, decide(test_z, classes), classes);
    if (outcome.test && outcome.test->unseen)
      outcome.notes.push_back(in_words(outcome.test->unseen, "test sample") +
                              " with labels that were not trained on: counted as wrong");
  }
  if (!a.model.empty()) write_file(a.model, to_json(stored(a, task, outcome)));
  if (!a.report.empty()) write_file(a.report, to_json(a, task, found, outcome));
  if (!a.quiet) beside({a.model, a.report}) << summary(a, task, found, outcome);
  end_if_stopped(found.report.status);
}

}  // namespace

void declare_interactions(CLI::App& app) {
  auto a = std::make_shared<InteractionArguments>();
  CLI::App& command = *app.add_subcommand(
      "interactions",
      "learn which features, and which products of two, matter together, and certify it:\n"
      "(1/n) sum_i loss(b + v'x_i + x_i'Theta x_i, y_i) + lambda sum_j max(|v_j|, ||Theta_j||) + lambda2 ||Theta||_1");
  command.add_option("data", a->data, "samples: CSV or LIBSVM text, gzipped or not; targets are read as labels are")
      ->type_name(input_type)
      ->required();
  command.add_option("--test", a->test, "samples to test on")->type_name(input_type);
  a->reading.declare(command);
  command
      .add_option("--hierarchy", a->hierarchy,
                  "weak: a product needs one of its features | strong: both | full: products alone as well | main: no "
                  "products")
      ->required();
  command
      .add_option(
          "--norm", a->norm,
          "how a feature pays for its products: l1 | linf | l2 (as one group with them) | ridge (squares of all, "
          "for full and main)")
      ->capture_default_str();
  auto* lambda = command.add_option("--lambda", a->lambda,
                                    "weight of the penalty: a number or a fraction such as 1/100; this, --lambdas or "
                                    "--lambda-values is needed");
  auto* second = command.add_option("--lambda2", a->lambda2,
                                    "weight of the products' l1 norm (default: lambda/2; for full: lambda)");
  command.add_option("--lambda2-ratio", a->lambda2_ratio, "the same as a multiple of lambda")->excludes(second);
  a->grid.declare(command, lambda, "0.01");
  command.add_option("--loss", a->loss, "least-squares, for numbers | squared-hinge, for classes")
      ->capture_default_str();
  command.add_option("--solver", a->solver, "see 'tamis solvers'")->capture_default_str();
  command.add_option("--precision", a->precision, "float | double")->capture_default_str();
  command.add_flag("--standardise", a->standardise,
                   "solve with features of mean 0 and variance 1; the terms in the model are of the features as they "
                   "stand");
  command.add_flag("--no-intercept", a->no_intercept, "without a free constant");
  a->effort.declare(command);
  const auto* seed = command.add_option("--seed", a->seed, "of the folds; nothing else is drawn at random");
  command.add_option("--model", a->model, "write the model as JSON")->type_name(output_type);
  command.add_option("--report", a->report, "write the report, with all terms, as JSON")->type_name(output_type);
  command.add_flag("--quiet", a->quiet, "print nothing");
  command.callback([a, seed] {
    a->seeded = seed->count() > 0;
    run(*a);
  });
}

}  // namespace tamis::cli
