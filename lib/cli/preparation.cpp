#include "preparation.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "errors.hpp"
#include "readers.hpp"

namespace tamis::cli {

void SampleArguments::declare(CLI::App& command) {
  command.add_option("DATA", data, "CSV, LIBSVM (.svm .libsvm .txt) or idx (IMAGES,LABELS), gzipped or not")
      ->required();
  command.add_option("--test", test, "labelled samples to measure accuracy on");
  command.add_option("--hold-out", held_out, "measure accuracy on this fraction of each class instead, e.g. 1/3");
  reading.declare(command);
  command.add_flag("--no-intercept", no_intercept, "scores without free intercepts");
  command
      .add_option(
          "--missing", missing,
          "missing values (empty, NA, NaN, ?) of CSV data: refuse | mean, that of the column's training samples")
      ->capture_default_str();
  command.add_option("--log", log, "LOW:HIGH: features become log10(min(max(x, LOW), HIGH))");
  command.add_option("--normalise", normalise, "divide each sample by its norm: l1 | l2 | max");
  command.add_flag("--standardise", standardise,
                   "solve with columns of mean 0 and variance 1; the model is in data units");
  command.add_flag("--min-max", min_max, "solve with columns from 0 to 1; the model is in data units");
  command.add_option("--margin", margin, "margin of all samples (default: 1, for logistic 0)");
  command.add_option("--margins", margins, "file with one margin per sample");
  command.add_option("--sample-weights", sample_weights, "file with one weight per sample");
  command.add_option("--class-weights", class_weights, "balanced, or a file of label,weight lines");
  command.add_option("--seed", seed, "for --hold-out, the folds of cv, and solvers that draw at random")
      ->capture_default_str();
}

void SampleArguments::set(Options<double>& options) const {
  options.intercept = !no_intercept;
  if (!margin.empty()) {
    if (!margins.empty()) throw ArgumentError("--margin and --margins both set margins: give one");
    options.margin = parse_number("--margin", margin);
  }
  if (missing != "refuse" && missing != "mean")
    throw ArgumentError("--missing: '" + missing + "' is not one of refuse, mean");
  if (!log.empty()) (void)parse_log(log);
  (void)norm_named(normalise);
  if (standardise && min_max) throw ArgumentError("--standardise and --min-max both scale the columns: give one");
  if (!test.empty() && !held_out.empty()) throw ArgumentError("--test and --hold-out both name test samples: give one");
}

namespace {

std::vector<double> picked(const std::vector<double>& numbers, const std::vector<std::size_t>& rows) {
  std::vector<double> out;
  for (const auto row : rows) out.push_back(numbers[row]);
  return out;
}

/// Multiplies each sample's weight by that of its class.
void apply_class_weights(const std::string& source, Prepared& p) {
  std::vector<double> by_class(p.classes.size(), 0);
  if (source == "balanced") {
    for (const Label y : p.labels) by_class[y] += 1;
    for (double& w : by_class) w = static_cast<double>(p.labels.size()) / (w * static_cast<double>(by_class.size()));
  } else {
    ReadOptions options;
    const Table table = read_table(source, options);
    if (table.features != 1) throw DataError(source + ": class weights are lines of the form label,weight");
    const auto labels = encode(table, p.classes);
    std::fill(by_class.begin(), by_class.end(), -1);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (!(table.values[i] >= 0))
        throw DataError(source + ", line " + std::to_string(table.lines[i]) + ": a class weight is negative");
      by_class[labels[i]] = table.values[i];
    }
    for (std::size_t k = 0; k < by_class.size(); ++k)
      if (by_class[k] < 0) throw DataError(source + ": no weight for class '" + p.classes[k] + "'");
  }
  if (p.weights.empty()) p.weights.assign(p.labels.size(), 1);
  for (std::size_t i = 0; i < p.labels.size(); ++i) p.weights[i] *= by_class[p.labels[i]];
}

/// The first sample of each class.
std::vector<std::vector<double>> one_per_class(const Prepared& p) {
  std::vector<std::vector<double>> samples;
  std::set<Label> seen;
  for (std::size_t i = 0; i < p.labels.size() && samples.size() < p.classes.size(); ++i) {
    if (!seen.insert(p.labels[i]).second) continue;
    Table one = select_rows(p.train, {i});
    if (one.sparse) {
      std::vector<double> sample(one.features);
      for (std::size_t j = 0; j < one.features; ++j)
        if (one.starts[j + 1] > one.starts[j]) sample[j] = one.values[one.starts[j]];
      samples.push_back(std::move(sample));
    } else {
      samples.push_back(std::move(one.values));
    }
  }
  return samples;
}

}  // namespace

LabelledSamples LabelledSamples::rows(const std::vector<std::size_t>& rows) const {
  LabelledSamples out{select_rows(table, rows), {}, {}};
  if (!weights.empty()) out.weights = picked(weights, rows);
  if (!margins.empty()) out.margins = picked(margins, rows);
  return out;
}

ReadOptions SampleArguments::read_options() const {
  ReadOptions options = reading.read_options();
  options.missing = missing == "mean";
  return options;
}

LabelledSamples read_training(const SampleArguments& a) {
  LabelledSamples out{read_table(a.data, a.read_options()), {}, {}};
  if (!a.margins.empty()) out.margins = read_numbers(a.margins, out.table.samples);
  if (!a.sample_weights.empty()) out.weights = read_numbers(a.sample_weights, out.table.samples);
  return out;
}

Prepared prepare(const SampleArguments& a) {
  LabelledSamples train = read_training(a);
  std::optional<Table> test;
  if (!a.test.empty()) {
    ReadOptions options = a.read_options();
    options.labels_file.clear();
    options.names = train.table.feature_names;
    test = read_table(a.test, options, train.table.features);
  }
  if (!a.held_out.empty()) {
    const double fraction = parse_number("--hold-out", a.held_out);
    if (!(fraction > 0 && fraction < 1)) throw ArgumentError("--hold-out: the fraction must lie between 0 and 1");
    const Split split = hold_out(train.table.labels, fraction, a.seed);
    if (split.test.empty()) throw ArgumentError("--hold-out: " + a.held_out + " of these samples is none");
    test = select_rows(train.table, split.test);
    train = train.rows(split.train);
  }
  return prepare(a, std::move(train), std::move(test));
}

Prepared prepare(const SampleArguments& a, LabelledSamples train, std::optional<Table> test) {
  Prepared p;
  p.scale = a.reading.read_options().scale;
  p.train = std::move(train.table);
  p.test = std::move(test);
  p.weights = std::move(train.weights);
  p.margins = std::move(train.margins);
  p.classes = class_names(p.train.labels);
  if (p.classes.size() < 2)
    throw DataError(a.data + ": all " + std::to_string(p.train.samples) + " samples have the label '" +
                    p.classes.front() + "': training needs at least two classes");
  if (p.classes.size() > 65535)
    throw DataError(a.data + ": " + std::to_string(p.classes.size()) +
                    " different labels: choose the label column with --label");
  p.labels = encode(p.train, p.classes);
  if (p.test) p.test_labels = encode_known(*p.test, p.classes);
  if (!a.class_weights.empty()) apply_class_weights(a.class_weights, p);
  p.self_test = one_per_class(p);

  for (const auto& [option, given] : {std::pair{"--missing mean", a.missing == "mean"}, {"--log", !a.log.empty()}})
    if (given && p.train.sparse)
      throw ArgumentError(std::string(option) + " would fill the zeros of sparse data: drop it or give them as CSV");
  if (a.missing == "mean") p.steps.missing_means = means_of_present(p.train);
  if (!a.log.empty()) p.steps.log = parse_log(a.log);
  p.steps.norm = norm_named(a.normalise);
  if (p.steps.any()) {
    p.steps.apply(p.train);
    if (p.test) p.steps.apply(*p.test);
  }
  if (a.standardise || a.min_max) {
    if (p.train.sparse && a.no_intercept)
      throw ArgumentError(std::string(a.standardise ? "--standardise" : "--min-max") +
                          " with --no-intercept would fill the zeros of sparse data: drop one of them");
    p.standardisation = a.standardise ? standardise(p.train) : scale_to_unit_range(p.train);
  }
  return p;
}

std::vector<std::vector<double>> self_test_samples(const Prepared& p) { return p.self_test; }

std::optional<std::size_t> Prepared::unseen() const {
  if (!test) return std::nullopt;
  return static_cast<std::size_t>(
      std::count(test_labels.begin(), test_labels.end(), static_cast<Label>(classes.size())));
}

std::string Prepared::unseen_sentence() const {
  const std::size_t count = unseen().value_or(0);
  if (!count) return "";
  const auto first = static_cast<std::size_t>(
      std::find(test_labels.begin(), test_labels.end(), static_cast<Label>(classes.size())) - test_labels.begin());
  return std::to_string(count) + " of " + std::to_string(test->samples) +
         (count == 1 ? " test samples has a label that was" : " test samples have labels that were") +
         " not trained on (first: '" + printable(test->labels[first]) + "', line " +
         std::to_string(test->lines[first]) + "): counted as wrong";
}

void Prepared::describe(StoredModel& model) const {
  model.classes = classes;
  model.feature_names = train.feature_names;
  model.scale = scale;
  model.steps = steps;
  if (standardisation) {
    model.standardised = !standardisation->min_max;
    (standardisation->min_max ? model.min_max : model.standardisation) = standardisation->columns;
  }
  model.self_test = self_test;
}

}  // namespace tamis::cli
