#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <random>

#include "commands.hpp"
#include "errors.hpp"
#include "fitting.hpp"
#include "interrupt.hpp"
#include "output_file.hpp"
#include "readers.hpp"
#include "tamis/streaming/dual_averaging.hpp"
#include "tamis/streaming/run.hpp"

namespace tamis::cli {

namespace {

struct UpdateArguments {
  std::string model, data, out;
  DataArguments reading;
  std::string text_column;
  std::string lambda, l1_ratio, groups, margin, learning_rate;
  bool no_intercept = false;
  std::uint32_t passes = 1;
  std::uint64_t seed = 0;
  bool quiet = false;
};

/// The samples of a table one by one, in an order drawn with the seed, until a signal asks for the end.
template <class T>
class TableSource {
 public:
  TableSource(const Table& table, std::vector<Label> labels, std::uint64_t seed) : labels_(std::move(labels)) {
    rows_.resize(table.samples);
    for (std::size_t j = 0; j < table.features; ++j) {
      const std::size_t first = table.sparse ? table.starts[j] : 0;
      const std::size_t last = table.sparse ? table.starts[j + 1] : table.samples;
      for (std::size_t e = first; e < last; ++e) {
        const double value = table.sparse ? table.values[e] : table.values[j * table.samples + e];
        if (value == 0) continue;
        Row& row = rows_[table.sparse ? table.rows[e] : e];
        row.features.push_back(static_cast<Index>(j));
        row.values.push_back(static_cast<T>(value));
      }
    }
    order_.resize(table.samples);
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    std::mt19937_64 generator(seed);
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[generator() % i]);
  }

  StreamNext next(StreamSample<T>& sample) {
    if (next_ == order_.size() || interrupted()) return StreamNext::end;
    const std::size_t i = order_[next_++];
    const Row& row = rows_[i];
    sample.x = {row.values.data(), row.features.data(), static_cast<Index>(row.values.size())};
    sample.label = labels_[i];
    return StreamNext::sample;
  }
  bool rewind() {
    next_ = 0;
    return !interrupted();
  }

 private:
  struct Row {
    std::vector<Index> features;
    std::vector<T> values;
  };
  std::vector<Row> rows_;
  std::vector<Label> labels_;
  std::vector<std::size_t> order_;
  std::size_t next_ = 0;
};

/// What the coefficients of a model act on, where columns were scaled. A model keeps that, and the means of missing
/// values, for the features that it uses alone.
std::optional<Standardisation> scaling(const StoredModel& model, bool centred) {
  if (model.standardisation.empty() && model.min_max.empty()) return std::nullopt;
  const bool standardised = !model.standardisation.empty();
  return Standardisation{standardised ? model.standardisation : model.min_max, centred, !standardised};
}

/// Columns as in training; those that the model knows nothing about become zero.
void prepare_columns(Table& table, const StoredModel& model, const std::optional<Standardisation>& by) {
  for (std::size_t j = 0; j < table.features; ++j) {
    const std::size_t first = table.sparse ? table.starts[j] : j * table.samples;
    const std::size_t last = table.sparse ? table.starts[j + 1] : first + table.samples;
    const bool unknown = !model.coefficients.uses(j) && (by || model.steps.fills_missing());
    for (std::size_t e = first; e < last; ++e) {
      double& x = table.values[e];
      if (unknown) x = 0;
      else if (by) x = (x - by->offset(j)) / by->columns[j].scale;
    }
  }
}

template <class T>
StreamReport<T> learn(const UpdateArguments& a, const ProblemSpec& choice, const PenaltyParameters<double>& parameters,
                      const StreamOptions<double>& options, const Table& table, std::vector<Label> labels,
                      std::uint32_t seen, Coefficients& c) {
  const auto features = static_cast<Index>(c.features), classes = static_cast<Index>(c.classes);
  const Index stride = padded<T>(classes);
  std::vector<T> from((c.features + 1) * stride);
  for (std::size_t j = 0; j <= c.features; ++j)
    for (std::size_t k = 0; k < c.classes; ++k)
      from[j * stride + k] = static_cast<T>(j < c.features ? c.weight(j, k) : c.intercepts[k]);
  const LinearModel<T> start{from.data(), features, classes};

  const bool tune = std::isnan(options.learning_rate);
  DualAveragingLearner<T, AnyLoss<T>, AnyPenalty<T>> learner(
      features, classes,
      {static_cast<T>(options.lambda), tune ? T(1) : static_cast<T>(options.learning_rate),
       static_cast<T>(options.margin), options.intercept},
      AnyLoss<T>(choice.loss),
      AnyPenalty<T>(choice.penalty, choice.groups, {static_cast<T>(parameters.l1_ratio), T(1)}));
  const ArenaMemory memory(learner.bytes(features, classes, choice.groups.is_listed));
  TableSource<T> source(table, std::move(labels), a.seed);
  if (tune) choose_learning_rate(learner, source, 10000, memory.span(), start, seen);
  else learner.begin(memory.span(), start, seen);
  if (const Status status = learner.report().status; status == Status::invalid_option)
    throw ArgumentError("--learning-rate: steps of " + a.learning_rate + " leave the numbers of this precision");
  else if (status == Status::invalid_data)
    throw DataError(a.model + ": a coefficient is too large for steps of this precision");
  else if (status != Status::running) throw ArgumentError(describe(status));
  stop_if_interrupted("before anything was learned");
  learn_stream(learner, source, a.passes);
  const auto report = learner.report();
  if (report.overflowed)
    throw ArgumentError("--learning-rate: with " + (tune ? "all that were tried" : a.learning_rate) +
                        " the scores overflow: choose a smaller one, or scale the features");
  if (report.refused) throw DataError(table.path + ": a value does not fit in single precision");
  const LinearModel<T> model = learner.model();
  for (Index j = 0; j < features; ++j)
    for (Index k = 0; k < classes; ++k) c.weights[j * c.classes + k] = static_cast<double>(model(j, k));
  for (Index k = 0; k < classes; ++k) c.intercepts[k] = static_cast<double>(model.intercept(k));
  return report;
}

/// The problem that the model was trained for; what it does not record comes from the arguments.
ProblemArguments problem_of(const UpdateArguments& a, const StoredModel& model) {
  ProblemArguments problem;
  problem.loss = model.loss;
  problem.penalty = model.penalty;
  problem.groups = a.groups;
  problem.l1_ratio = a.l1_ratio;
  problem.precision = model.precision;
  return problem;
}

void run(const UpdateArguments& a) {
  StoredModel model = read_model(a.model);
  const std::string which = a.model + ": ";
  if (model.penalty == name(PenaltyKind::reweighted_l1))
    throw DataError(which + "the weights of reweighted-l1 are not kept with a model: train with all samples instead");
  const ProblemArguments problem = problem_of(a, model);
  ProblemSpec choice = problem.choice();
  const auto parameters = problem.parameters();
  StreamOptions<double> options;
  if (a.lambda.empty() && !std::isfinite(model.lambda))
    throw ArgumentError(which + "was trained with --eta, which is not for single samples: give --lambda");
  options.lambda = a.lambda.empty() ? model.lambda : parse_number("--lambda", a.lambda);
  if (options.lambda < 0)
    throw ArgumentError("--lambda: " + a.lambda + " is negative: lambda must be zero or positive");
  if (!a.margin.empty()) options.margin = parse_number("--margin", a.margin);
  options.intercept = !a.no_intercept;
  options.learning_rate = parse_learning_rate(a.learning_rate);
  const auto groups = problem.listed_groups(model.coefficients.features);
  if (groups) choice.groups = groups->groups;

  Table table = read_table(a.data, read_options(model, a.reading, a.text_column), model.columns());
  if (table.samples == 0) throw DataError(a.data + ": there are no samples");
  std::vector<Label> labels = encode(table, model.classes);
  if (model.steps.any()) model.steps.apply(table);
  if (const auto note = model.steps.text ? model.steps.text->empty_sentence(table, "texts") : "";
      !note.empty() && !a.quiet)
    std::cerr << note << '\n';
  const auto by = scaling(model, !table.sparse);
  prepare_columns(table, model, by);

  Coefficients c = by ? model.coefficients.in_standardised_units(*by) : model.coefficients;
  const auto learned = [&]<class T>(T) {
    const auto report = learn<T>(a, choice, parameters, options, table, std::move(labels), model.samples, c);
    return StreamReport<double>{.samples = report.samples,
                                .learning_rate = static_cast<double>(report.learning_rate),
                                .mean_loss = static_cast<double>(report.mean_loss),
                                .mean_error = static_cast<double>(report.mean_error)};
  };
  const auto report = model.precision == "float" ? learned(float{}) : learned(double{});
  model.coefficients = by ? c.in_original_units(*by) : c;
  const std::size_t learned_from = report.samples - model.samples, asked = table.samples * a.passes;
  const bool stopped = interrupted() && learned_from < asked;
  if (learned_from == 0) stop_if_interrupted("before anything was learned");
  model.samples = report.samples;
  model.lambda = options.lambda;
  model.eta = std::numeric_limits<double>::quiet_NaN();
  const bool calibrated = model.calibration.has_value();
  model.calibration.reset();
  const bool had_thresholds = model.thresholds.has_value();
  model.thresholds.reset();
  for (std::size_t j = 0; j < table.feature_names.size(); ++j) model.feature_names[j] = table.feature_names[j];
  write_model(a.out, model);
  if (had_thresholds && !a.quiet)
    std::cerr << "note: the thresholds of " << a.model << " are those of its old scores and are left out\n";
  if (calibrated && !a.quiet)
    std::cerr << "note: the calibration of " << a.model
              << " is that of its old scores and is left out: the new model has no probabilities"
              << (model.has_probabilities() ? " but those of the logistic loss\n" : "\n");
  if (stopped)
    throw Interrupted("stopped by a signal: the model has learned from " + std::to_string(learned_from) + " of " +
                      in_words(asked, "sample"));
  if (a.quiet) return;
  char text[200];
  std::snprintf(
      text, sizeof text,
      "learned from %zu samples, %u pass%s, learning rate %g: before it learned from them it had %.1f %% right, "
      "mean loss %.6g\n",
      table.samples, a.passes, a.passes == 1 ? "" : "es", report.learning_rate, 100 * (1 - report.mean_error),
      report.mean_loss);
  beside({a.out}) << text;
}

}  // namespace

void declare_update(const Command& app) {
  auto a = std::make_shared<UpdateArguments>();
  const Command update = app.add_subcommand(
      "update", "teach a model new samples of its classes and features, without those it was trained on");
  update.add_option("MODEL", a->model, "a model written by train or update")->type_name(input_type)->required();
  update.add_option("DATA", a->data, "labelled samples; they are prepared as the model records")
      ->type_name(input_type)
      ->required();
  update.add_option("--model", a->out, "write the new model as JSON")->type_name(output_type)->required();
  a->reading.declare(update);
  update.add_option("--text-column", a->text_column,
                    "of models of texts: which column of a CSV, a name or a number from 0 (default: that of training)");
  update.add_option("--learning-rate", a->learning_rate,
                    "of adaptive dual averaging, or auto (default): of 1e-3 ... 1e3 the one with the least loss of "
                    "samples before they are learned from");
  update.add_option("--passes", a->passes, "over the samples, in one random order")
      ->between(1, ~std::uint32_t(0))
      ->capture_default_str();
  update.add_option("--seed", a->seed, "of the order")->capture_default_str();
  update.add_option("--lambda", a->lambda, "weight of the penalty (default: that of the model)");
  update.add_option("--l1-ratio", a->l1_ratio, "if the model was trained with one other than 0.5");
  update.add_option("--groups", a->groups, "if the model was trained with others than rows")->type_name(input_type);
  update.add_option("--margin", a->margin, "if the model was trained with one (default: 1, for logistic 0)");
  update.add_flag("--no-intercept", a->no_intercept, "leave the intercepts as they are");
  update.add_flag("--quiet", a->quiet, "print nothing");
  update.callback([a] { run(*a); });
}

}  // namespace tamis::cli
