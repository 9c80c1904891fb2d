#include "family.hpp"

#include <algorithm>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "readers.hpp"
#include "tamis/version.hpp"

namespace tamis::cli {

Option FamilyArguments::declare_samples(const Command& command, const std::string& help) {
  const Option out = command.add_option("data", data, help)->type_name(input_type);
  command.add_option("--test", test, "samples to test on")->type_name(input_type);
  reading.declare(command);
  return out;
}

Option FamilyArguments::declare_lambda(const Command& command) {
  return command.add_option("--lambda", lambda,
                            "weight of the penalty: a number or a fraction such as 1/100; this, --lambdas or "
                            "--lambda-values is needed");
}

void FamilyArguments::declare_solver(const Command& command) {
  command.add_option("--solver", solver, "see 'tamis solvers'")->capture_default_str();
  command.add_option("--precision", precision, "float | double")->capture_default_str();
}

void FamilyArguments::declare_outputs(const Command& command, const std::string& seed_help, const std::string& all) {
  effort.declare(command);
  seed_ = command.add_option("--seed", seed, seed_help);
  command.add_option("--model", model, "write the model as JSON")->type_name(output_type);
  command.add_option("--report", report, "write the report, with all " + all + ", as JSON")->type_name(output_type);
  command.add_flag("--quiet", quiet, "print nothing");
}

bool FamilyArguments::seeded() const { return seed_ && seed_->count() > 0; }

void FamilyArguments::check() const {
  check_one_of("--precision", precision, {"float", "double"});
  if (lambda.empty() && !grid.given())
    throw ArgumentError("--lambda is missing: give one, or --lambdas or --lambda-values of which one is chosen");
  grid.check();
}

Options<double> FamilyArguments::options(const std::string& undetermined) const {
  Options<double> out;
  out.lambda = grid.given() ? std::numeric_limits<double>::quiet_NaN() : parse_number("--lambda", lambda);
  if (!grid.given() && !(out.lambda > 0))
    throw ArgumentError("--lambda: " + lambda + " is not positive: without a penalty " + undetermined +
                        " are not determined");
  effort.set(out);
  return out;
}

void FamilyTask::read(const FamilyArguments& a) {
  auto reading = a.reading.read_options();
  train = read_table(a.data, reading);
  if (a.test.empty()) return;
  reading.labels_file.clear();
  reading.names = train.feature_names;
  test = read_table(a.test, reading, train.features);
}

void FamilyTask::encode_classes(const std::string& source, const std::string& otherwise) {
  classes = class_names(train.labels);
  if (classes.size() < 2)
    throw DataError(source + ": all samples have the label '" + classes.front() + "': classes need at least two");
  if (classes.size() > 65535)
    throw DataError(source + ": " + std::to_string(classes.size()) +
                    " different labels: choose the label column with --label" + otherwise);
  labels = encode(train, classes);
  if (test) test_labels = encode_known(*test, classes);
}

void FamilyTask::deal(const FamilyArguments& a) {
  if (a.grid.given()) fold_of = a.grid.deal({labels, classes, train.subjects, train.samples, a.seed}).of;
}

void FamilyTask::fill_zeros() {
  make_dense(train);
  if (test) make_dense(*test);
}

std::vector<std::size_t> FamilyTask::first_of_classes() const {
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < classes.size(); ++k)
    out.push_back(
        static_cast<std::size_t>(std::find(labels.begin(), labels.end(), static_cast<Label>(k)) - labels.begin()));
  return out;
}

void FamilyTask::take_self_test(const std::vector<std::size_t>& rows) {
  for (const std::size_t i : rows) self_test.push_back(select_rows(train, {i}).values);
}

void FamilyTask::standardise() {
  standardisation = cli::standardise(train);
  if (test) standardise_by(*test, standardisation->columns);
}

void FamilyOutcome::evaluate(const FamilyTask& task, const std::vector<double>& scores,
                             const std::vector<double>& test_scores) {
  const std::size_t count = task.classes.size();
  train = cli::evaluate(task.labels, decide(scores, count), count);
  if (!task.test) return;
  test = cli::evaluate(task.test_labels, decide(test_scores, count), count);
  if (test->unseen)
    notes.push_back(in_words(test->unseen, "test sample") + " with labels that were not trained on: counted as wrong");
}

void describe(ModelRecord& model, const FamilyArguments& a, const FamilyTask& task) {
  model.classes = task.classes;
  model.feature_names = task.train.feature_names;
  for (std::size_t j = 0; j < model.feature_names.size(); ++j)
    if (model.feature_names[j].empty()) model.feature_names[j] = "x" + std::to_string(j);
  if (task.standardisation) model.standardisation = task.standardisation->columns;
  model.scale = a.reading.read_options().scale;
  model.precision = a.precision;
  model.lambda = task.options.lambda;
  model.samples = task.samples();
  model.self_test = task.self_test;
}

void add_problem(Json& out, const FamilyArguments& a, const FamilyTask& task, const char* solver) {
  out["solver"] = solver;
  out["precision"] = a.precision;
  out["samples"] = task.train.samples;
  out["features"] = a.data.empty() ? Json(nullptr) : Json(task.train.features);
  out["classes"] = task.regression() ? Json(nullptr) : Json(task.classes.size());
  out["lambda"] = task.options.lambda;
}

void add_judgement(Json& out, const FamilyOutcome& outcome) {
  out["train_accuracy"] = outcome.train->accuracy();
  out["test_accuracy"] = outcome.test ? Json(outcome.test->accuracy()) : Json(nullptr);
  out["confusion"] = (outcome.test ? *outcome.test : *outcome.train).confusion;
}

void add_no_constraint(Json& out) {
  for (const char* none : {"eta", "constraint_value", "multiplier"}) out[none] = nullptr;
}

void add_standardisation(Json& out, const FamilyTask& task, const FamilyOutcome& outcome) {
  out["test_unseen"] = outcome.test ? Json(outcome.test->unseen) : Json(nullptr);
  Json& columns = out["standardisation"] = nullptr;
  if (!task.standardisation) return;
  columns = Json::array();
  for (const auto& [mean, scale] : task.standardisation->columns) columns.push_back({{"mean", mean}, {"scale", scale}});
}

void add_selection(Json& out, const FamilyArguments& a, const FamilyFit& fit) {
  out["selection"] = fit.selection ? in_json(a.grid, *fit.selection) : Json(nullptr);
}

std::string finish(Json& out, const FamilyFit& fit, const FamilyOutcome& outcome) {
  out["notes"] = outcome.notes;
  out["trace"] = in_json(fit.run.trace);
  out["version"] = tamis::version;
  return out.dump(2) + "\n";
}

std::string summary_of_run(const FamilyArguments& a, const FamilyFit& fit) {
  const auto& r = fit.report;
  return (fit.selection ? summary(a.grid, *fit.selection) : "") +
         format("%s: objective %.6g, %s in %.0f ms (%u iterations)\n", name(r.status), r.objective,
                certified(r.relative_gap, a.precision).c_str(), 1000 * fit.run.seconds, r.iterations);
}

std::string summary_of_classes(const FamilyOutcome& outcome) {
  std::string out = format("\ntrain: %zu of %zu right", outcome.train->right, outcome.train->total);
  if (outcome.test) out += format("; test: %zu of %zu right", outcome.test->right, outcome.test->total);
  return out;
}

std::string summary_of_notes(const FamilyOutcome& outcome) {
  std::string out;
  for (const auto& note : outcome.notes) out += "note: " + note + "\n";
  return out;
}

void note_unused_seed(const char* solver) {
  std::cerr << "--seed is not used: " << solver << " draws nothing at random\n";
}

}  // namespace tamis::cli
