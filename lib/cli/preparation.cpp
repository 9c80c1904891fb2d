#include "preparation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "errors.hpp"
#include "output_file.hpp"
#include "readers.hpp"

namespace tamis::cli {

void SampleArguments::declare(const Command& command) {
  command.add_option("DATA", data, "CSV, LIBSVM (.svm .libsvm .txt) or idx (IMAGES,LABELS), gzipped or not")
      ->type_name(input_type)
      ->required();
  command.add_option("--test", test, "labelled samples to measure accuracy on")->type_name(input_type);
  command.add_option("--hold-out", held_out, "measure accuracy on this fraction of each class instead, e.g. 1/3");
  reading.declare(command);
  text.declare(command);
  command.add_flag("--no-intercept", no_intercept, "scores without free intercepts");
  command
      .add_option(
          "--missing", missing,
          "missing values (empty, NA, n/a, NaN, null, None, -, ?) of CSV data: refuse | mean, that of the column's training "
          "samples")
      ->capture_default_str();
  command.add_option("--log", log, "LOW:HIGH: features become log10(min(max(x, LOW), HIGH))");
  command.add_option("--normalise", normalise, "divide each sample by its norm: l1 | l2 | max");
  command.add_option("--scattering", scattering, scattering_help());
  command.add_option("--windows", windows, windows_help());
  command.add_flag("--standardise", standardise,
                   "solve with columns of mean 0 and variance 1; the model is in data units");
  command.add_flag("--min-max", min_max, "solve with columns from 0 to 1; the model is in data units");
  command.add_option("--margin", margin, "margin of all samples (default: 1, for logistic 0)");
  command.add_option("--margins", margins, "file with one margin per sample")->type_name(input_type);
  command.add_option("--sample-weights", sample_weights, "file with one weight per sample")->type_name(input_type);
  command.add_option("--class-weights", class_weights, "balanced, or a file of label,weight lines")
      ->type_name(input_type);
  command
      .add_option("--seed", seed,
                  "for --hold-out, the folds of cv, the halves of stability, and solvers that draw at random")
      ->capture_default_str();
}

void SampleArguments::set(Options<double>& options) const {
  options.intercept = !no_intercept;
  if (!margin.empty()) {
    if (!margins.empty()) throw ArgumentError("--margin and --margins both set margins: give one");
    options.margin = parse_number("--margin", margin);
  }
  check_one_of("--missing", missing, {"refuse", "mean"});
  if (!log.empty()) (void)parse_log(log);
  (void)norm_named(normalise);
  if (!scattering.empty()) (void)parse_scattering(scattering);
  if (!windows.empty()) (void)parse_windows(windows);
  if (!windows.empty() && !scattering.empty())
    throw ArgumentError("--windows and --scattering both make features of signals: give one");
  if (text.step())
    for (const auto& [option, given] : {std::pair{"--missing", missing != "refuse"},
                                        {"--log", !log.empty()},
                                        {"--scattering", !scattering.empty()},
                                        {"--windows", !windows.empty()}})
      if (given)
        throw ArgumentError(std::string(option) + " is for numbers, and --text says that the samples are texts");
  if (standardise && min_max) throw ArgumentError("--standardise and --min-max both scale the columns: give one");
  if (!test.empty() && !held_out.empty()) throw ArgumentError("--test and --hold-out both name test samples: give one");
}

namespace {

std::vector<double> picked(const std::vector<double>& numbers, const std::vector<std::size_t>& rows) {
  std::vector<double> out;
  out.reserve(rows.size());
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

/// The kinds of samples of which a fraction is held out each: their set of labels, or "" where so few have the same
/// that none would be held out.
std::vector<std::string> strata(const std::vector<std::vector<std::string>>& sets, double fraction) {
  std::map<std::set<std::string>, std::size_t> number;
  for (const auto& set : sets) ++number[{set.begin(), set.end()}];
  std::vector<std::string> out;
  for (const auto& set : sets) {
    const std::set<std::string> sorted(set.begin(), set.end());
    std::string& name = out.emplace_back();
    if (fraction * static_cast<double>(number[sorted]) < 1) continue;
    for (const auto& label : sorted) name += label + '\n';
  }
  return out;
}

/// Numbers the sets of labels, and checks that there is something to rank.
void encode_multilabel(const std::string& data, Prepared& p) {
  const auto sets = encode_sets(p.train, p.classes);
  if (!list_sets(sets, p.sets.emplace(), p.labels))
    throw DataError(data + ": more than 65536 different sets of labels, which is the most that the loss can number");
  if (p.without_pairs() == p.train.samples)
    throw DataError(data + ": every sample has all labels or none, so that there is nothing to rank");
  if (p.test) p.test_sets = encode_sets(*p.test, p.classes);
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

ReadOptions SampleArguments::read_options(bool multilabel) const {
  ReadOptions options = reading.read_options();
  options.multilabel = multilabel;
  options.missing = missing == "mean";
  set_text(options, text.step(), text.column);
  return options;
}

LabelledSamples read_training(const SampleArguments& a, bool multilabel) {
  LabelledSamples out{read_table(a.data, a.read_options(multilabel)), {}, {}};
  if (!a.margins.empty()) out.margins = read_numbers(a.margins, out.table.samples);
  if (!a.sample_weights.empty()) out.weights = read_numbers(a.sample_weights, out.table.samples);
  return out;
}

Prepared prepare(const SampleArguments& a, bool multilabel) {
  LabelledSamples train = read_training(a, multilabel);
  std::optional<Table> test;
  if (!a.test.empty()) {
    ReadOptions options = a.read_options(multilabel);
    options.labels_file.clear();
    options.names = train.table.feature_names;
    test = read_table(a.test, options, train.table.features);
  }
  if (!a.held_out.empty()) {
    const double fraction = parse_number("--hold-out", a.held_out);
    if (!(fraction > 0 && fraction < 1)) throw ArgumentError("--hold-out: the fraction must lie between 0 and 1");
    const Split split =
        hold_out(multilabel ? strata(train.table.label_sets, fraction) : train.table.labels, fraction, a.seed);
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
  const bool multilabel = !p.train.label_sets.empty();
  std::vector<std::string> all = multilabel ? std::vector<std::string>() : p.train.labels;
  for (const auto& set : p.train.label_sets) all.insert(all.end(), set.begin(), set.end());
  p.classes = class_names(all);
  if (p.classes.empty()) throw DataError(a.data + ": no sample has a label");
  if (p.classes.size() < 2)
    throw DataError(a.data + ": all " + std::to_string(all.size()) + " samples have the label '" + p.classes.front() +
                    "': training needs at least two classes");
  if (p.classes.size() > 65535)
    throw DataError(a.data + ": " + std::to_string(p.classes.size()) +
                    " different labels: choose the label column with --label");
  if (multilabel) {
    if (!a.class_weights.empty())
      throw ArgumentError("--class-weights: samples with several labels have no one class to take the weight of");
    encode_multilabel(a.data, p);
  } else {
    p.labels = encode(p.train, p.classes);
    if (p.test) p.test_labels = encode_known(*p.test, p.classes);
  }
  if (!a.class_weights.empty()) apply_class_weights(a.class_weights, p);
  p.steps.text = a.text.step();
  if (p.steps.text) p.steps.text->learn(p.train);
  else p.self_test = one_per_class(p);

  for (const auto& [option, given] : {std::pair{"--missing mean", a.missing == "mean"},
                                      {"--log", !a.log.empty()},
                                      {"--scattering", !a.scattering.empty()},
                                      {"--windows", !a.windows.empty()}})
    if (given && p.train.sparse)
      throw ArgumentError(std::string(option) + " would fill the zeros of sparse data: drop it or give them as CSV");
  if (a.missing == "mean") p.steps.missing_means = means_of_present(p.train);
  if (!a.log.empty()) p.steps.log = parse_log(a.log);
  p.steps.norm = norm_named(a.normalise);
  if (!a.scattering.empty()) {
    p.steps.scattering = parse_scattering(a.scattering);
    if (const std::size_t inputs = p.steps.scattering->inputs(); inputs != p.train.features)
      throw ArgumentError("--scattering: " + p.steps.scattering->subject() + " have " + std::to_string(inputs) +
                          " features, " + a.data + " has " + std::to_string(p.train.features));
    p.steps.scattering->columns = p.train.feature_names;
  }
  if (!a.windows.empty()) p.steps.windows.emplace(parse_windows(a.windows)).fit(p.train);
  if (p.steps.any()) {
    p.steps.apply(p.train);
    if (p.test) p.steps.apply(*p.test);
    if (p.steps.text && p.train.values.empty()) throw DataError(a.data + ": no text has a word");
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
  if (sets)
    return static_cast<std::size_t>(
        std::count_if(test_sets.begin(), test_sets.end(), [](const LabelSet& set) { return set.unknown > 0; }));
  return static_cast<std::size_t>(
      std::count(test_labels.begin(), test_labels.end(), static_cast<Label>(classes.size())));
}

std::string Prepared::unseen_sentence() const {
  const std::size_t count = unseen().value_or(0);
  if (!count) return "";
  if (sets)
    return std::to_string(count) + " of " + std::to_string(test->samples) +
           (count == 1 ? " test samples has a label that was" : " test samples have labels that were") +
           " not trained on: counted as ranked last";
  const auto first = static_cast<std::size_t>(
      std::find(test_labels.begin(), test_labels.end(), static_cast<Label>(classes.size())) - test_labels.begin());
  return std::to_string(count) + " of " + std::to_string(test->samples) +
         (count == 1 ? " test samples has a label that was" : " test samples have labels that were") +
         " not trained on (first: '" + printable(test->labels[first]) + "', line " +
         std::to_string(test->lines[first]) + "): counted as wrong";
}

std::size_t Prepared::without_pairs() const {
  if (!sets) return 0;
  return static_cast<std::size_t>(std::count_if(labels.begin(), labels.end(), [this](Label y) {
    return !sets->view().has_pairs(y, static_cast<Index>(classes.size()));
  }));
}

std::string Prepared::pairs_sentence() const {
  const std::size_t count = without_pairs();
  if (!count) return "";
  return std::to_string(count) + " of " + std::to_string(train.samples) +
         (count == 1 ? " training samples has" : " training samples have") +
         " all labels or none: nothing is ranked there, and nothing learned from it";
}

std::string Prepared::scale_sentence() const {
  if (standardisation || steps.text) return "";
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (std::size_t j = 0; j < train.features; ++j) {
    const std::size_t begin = train.sparse ? train.starts[j] : j * train.samples;
    const std::size_t end = train.sparse ? train.starts[j + 1] : begin + train.samples;
    const auto column = std::span(train.values).subspan(begin, end - begin);
    const auto others =
        static_cast<std::size_t>(std::count_if(column.begin(), column.end(), [](double x) { return x != 0; }));
    if (train.samples - others > train.samples / 10 * 9) continue;  // nearly empty columns say little
    double mean = 0, squares = 0;
    for (const double x : column) mean += x / double(train.samples);
    for (const double x : column) squares += (x - mean) * (x - mean);
    squares += double(train.samples - (end - begin)) * mean * mean;
    if (!(squares > 0)) continue;
    low = std::min(low, squares);
    high = std::max(high, squares);
  }
  if (!(high > 1e8 * low)) return "";
  return "the deviations of columns differ by a factor of about 1e" +
         std::to_string(std::lround(std::log10(high / low) / 2)) +
         ": the penalty weighs small columns more than large ones; --standardise makes them equal, which is another "
         "problem";
}

std::vector<std::string> Prepared::notes() const {
  std::vector<std::string> out{pairs_sentence(), unseen_sentence(), scale_sentence()};
  if (steps.text) {
    out.push_back(steps.text->empty_sentence(train, "training texts"));
    if (test) out.push_back(steps.text->empty_sentence(*test, "test texts"));
  }
  std::erase(out, "");
  return out;
}

void Prepared::describe(StoredModel& model) const {
  model.classes = classes;
  model.feature_names = train.feature_names;
  model.scale = scale;
  model.steps = steps;
  if (standardisation) {
    (standardisation->min_max ? model.min_max : model.standardisation) = standardisation->columns;
  }
  model.self_test = self_test;
}

}  // namespace tamis::cli
