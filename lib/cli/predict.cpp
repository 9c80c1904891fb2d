#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iostream>
#include <memory>
#include <numeric>

#include "arguments.hpp"
#include "commands.hpp"
#include "errors.hpp"
#include "interaction_model_file.hpp"
#include "kernel_model_file.hpp"
#include "model_document.hpp"
#include "model_file.hpp"
#include "output_file.hpp"

namespace tamis::cli {

namespace {

struct PredictArguments {
  std::string model;
  std::string data;
  DataArguments reading;
  std::string text_column;
  bool scores = false;
  bool probabilities = false;
  bool sets = false;
  std::size_t top = 1;
};

/// The classes of the largest scores, the largest first, of equal ones that of the smaller number.
std::string best_classes(const double* scores, const std::vector<std::string>& classes, std::size_t count) {
  std::vector<std::size_t> order(classes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [=](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  std::string out;
  for (std::size_t e = 0; e < count; ++e) out += (e ? "," : "") + csv_field(classes[order[e]]);
  return out;
}

constexpr const char* no_thresholds =
    "--sets: the model has no thresholds, which tamis train --loss ranking-squared-hinge --thresholds linear chooses";

/// Refuses options that have no meaning for a model of these classes, none being a regression.
void check_output(const PredictArguments& a, const std::string& loss, std::size_t classes,
                  bool has_probabilities = false) {
  if (a.probabilities && !has_probabilities)
    throw ArgumentError("--probabilities: the model was trained with the loss " + loss +
                        ", and only logistic gives probabilities, or tamis cv --calibrate");
  if (a.probabilities && a.scores) throw ArgumentError("--scores and --probabilities both say what to print: give one");
  if (a.sets && (a.scores || a.probabilities || a.top > 1))
    throw ArgumentError("--sets and --scores, --probabilities or --top both say what to print: give one");
  if (a.top > 1 && (a.scores || a.probabilities))
    throw ArgumentError("--top and --scores or --probabilities both say what to print: give one");
  if (classes == 0 && (a.scores || a.top > 1))
    throw ArgumentError(std::string(a.scores ? "--scores" : "--top") +
                        ": the model is a regression, and the number that it predicts is printed without");
  if (classes && a.top > classes)
    throw ArgumentError("--top: the model has no more than " + std::to_string(classes) + " classes");
}

/// The set of each sample, a line each, empty where there is none.
std::string label_sets(const std::vector<double>& z, const std::vector<std::string>& names,
                       const StoredThresholds& thresholds) {
  std::string out;
  for (std::size_t i = 0; i < z.size(); i += names.size()) {
    bool first = true;
    thresholds.view().for_each_label(z.data() + i, [&](Index k) {
      out += (first ? "" : ",") + csv_field(names[k]);
      first = false;
    });
    out += '\n';
  }
  return out;
}

/// What is printed of samples × K scores; `calibration` for --probabilities alone.
std::string of_classes(const PredictArguments& a, const std::vector<std::string>& names, std::vector<double> z,
                       const char* format, const Calibration<double>& calibration = {}) {
  const std::size_t classes = names.size();
  auto labels = decide(z, classes);
  for (std::size_t i = 0; a.probabilities && i < labels.size(); ++i) {
    double* row = z.data() + i * classes;
    labels[i] = calibration.predict(row);
    calibration.probabilities(row, row);
  }
  const bool numbers = a.scores || a.probabilities;
  std::string out;
  if (numbers) {
    out += "label";
    for (const auto& name : names) out += "," + name;
    out += '\n';
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (a.top > 1) out += best_classes(z.data() + i * classes, names, a.top);
    else out += names[labels[i]];
    for (std::size_t k = 0; numbers && k < classes; ++k) {
      char text[40];
      std::snprintf(text, sizeof text, format, z[i * classes + k]);
      out += text;
    }
    out += '\n';
  }
  return out;
}

/// Scores after the steps. Rows go through scattering a few at a time: their features can be many.
template <class T>
std::vector<double> scores_of(Table table, const StoredModel& model) {
  if (!model.steps.scattering || table.sparse) {
    if (model.steps.any()) model.steps.apply(table);
    if (const auto note = model.steps.text ? model.steps.text->empty_sentence(table, "texts") : ""; !note.empty())
      std::cerr << note << '\n';
    return scores<T>(table, model.coefficients);
  }
  constexpr std::size_t block = 256;
  std::vector<double> out;
  for (std::size_t first = 0; first < table.samples; first += block) {
    std::vector<std::size_t> rows(std::min(block, table.samples - first));
    std::iota(rows.begin(), rows.end(), first);
    Table some = select_rows(table, rows);
    model.steps.apply(some);
    const auto z = scores<T>(some, model.coefficients);
    out.insert(out.end(), z.begin(), z.end());
  }
  return out;
}

std::string predict_linear(const PredictArguments& a, const ModelDocument& document) {
  const StoredModel model = read_model(document);
  check_output(a, model.loss, model.classes.size(), model.has_probabilities());
  if (a.sets && !model.thresholds) throw ArgumentError(no_thresholds);
  ReadOptions options = read_options(model, a.reading, a.text_column);
  options.multilabel = model.loss == name(LossKind::ranking_squared_hinge);
  Table table = read_samples(a.data, options, model.columns());
  if (a.sets)
    return label_sets(model.precision == "float" ? scores_of<float>(std::move(table), model)
                                                 : scores_of<double>(std::move(table), model),
                      model.classes, *model.thresholds);
  const Calibration<double> to_probabilities = model.probabilities();
  return model.precision == "float"
             ? of_classes(a, model.classes, scores_of<float>(std::move(table), model), ",%.9g", to_probabilities)
             : of_classes(a, model.classes, scores_of<double>(std::move(table), model), ",%.17g", to_probabilities);
}

Table read_dense(const PredictArguments& a, const ModelRecord& model, std::size_t features) {
  ReadOptions options = a.reading.read_options(model.scale);
  options.names = names_to_expect(model);
  Table table = read_samples(a.data, options, features);
  make_dense(table);
  return table;
}

std::string predict_interactions(const PredictArguments& a, const ModelDocument& document) {
  const StoredInteractions model = read_interactions(document);
  check_output(a, model.loss, model.classes.size());
  const auto z = scores(read_dense(a, model, model.model.features), model.model.view());
  if (!model.regression()) return of_classes(a, model.classes, z, ",%.17g");
  std::string out;
  for (const double value : z) {
    char text[40];
    out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
    out += '\n';
  }
  return out;
}

std::string predict_kernels(const PredictArguments& a, const ModelDocument& document) {
  const StoredKernels model = read_kernels(document);
  check_output(a, name(LossKind::squared_hinge), model.classes.size());
  Table table = read_dense(a, model, model.model.features);
  standardise_by(table, model.standardisation);
  return of_classes(a, model.classes, scores(table, model.model.view()), ",%.17g");
}

std::string predict(const PredictArguments& a, const ModelDocument& document) {
  if (a.sets && document.kind() != "linear") throw ArgumentError(no_thresholds);
  if (ReadOptions numbers; document.kind() != "linear") set_text(numbers, std::nullopt, a.text_column);
  if (document.kind() == "interactions") return predict_interactions(a, document);
  if (document.kind() == "kernels") return predict_kernels(a, document);
  return predict_linear(a, document);
}

void run(const PredictArguments& a) {
  const ModelDocument document(a.model);
  std::cout << predict(a, document);
}

}  // namespace

void declare_predict(const Command& app) {
  auto a = std::make_shared<PredictArguments>();
  const Command predict = app.add_subcommand(
      "predict", "print the predicted label of each sample, or the number that a regression predicts");
  predict.add_option("MODEL", a->model, "a model written by train, interactions or kernels")
      ->type_name(input_type)
      ->required();
  predict.add_option("DATA", a->data, "samples, with or without labels")->type_name(input_type)->required();
  a->reading.declare(predict);
  predict.add_option(
      "--text-column", a->text_column,
      "of models of texts: which column of a CSV, a name or a number from 0 (default: that of training)");
  predict
      .add_option("--top", a->top, "print the classes of this many largest scores, the best first, separated by commas")
      ->between(1, 65536);
  predict.add_flag("--sets", a->sets,
                   "print the labels of each sample, separated by commas, of models trained with --thresholds");
  predict.add_flag("--scores", a->scores, "print CSV: the label and the score of every class");
  predict.add_flag("--probabilities", a->probabilities,
                   "print CSV: the most probable label and the probability of every class, of models with the logistic "
                   "loss or a calibration");
  predict.callback([a] { run(*a); });
}

}  // namespace tamis::cli
