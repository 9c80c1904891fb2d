#include "quantised_header.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "errors.hpp"
#include "header_options.hpp"
#include "output_file.hpp"
#include "tamis/model/export_quantised_c.hpp"

namespace tamis::cli {

namespace {

/// The model on features as they stand in the data file.
Coefficients unscaled(const StoredModel& model) {
  Coefficients out = model.coefficients;
  for (double& weight : out.weights) weight /= model.scale;
  return out;
}

Table read_data(const StoredModel& model, const QuantiseArguments& a) {
  ReadOptions options = a.reading.read_options();
  options.names = names_to_expect(model);
  options.multilabel = model.loss == name(LossKind::ranking_squared_hinge);
  Table table = read_samples(a.data, options, model.coefficients.features);
  make_dense(table);
  return table;
}

/// How features that are used become counts: themselves where all of them are integers of 16 bits, by their ranges
/// otherwise.
std::vector<CountScale> counts_of(const Table& table, const Coefficients& coefficients) {
  std::vector<CountScale> out(table.features);
  bool integers = true;
  for (std::size_t j = 0; j < table.features; ++j) {
    if (!coefficients.uses(j)) continue;
    const auto first = table.values.begin() + static_cast<std::ptrdiff_t>(j * table.samples);
    const auto last = first + static_cast<std::ptrdiff_t>(table.samples);
    const auto ends = std::minmax_element(first, last);
    out[j] = count_scale(static_cast<float>(*ends.first), static_cast<float>(*ends.second));
    integers &= std::all_of(first, last, [](double x) { return x == std::floor(x) && x >= -32768 && x <= 32767; });
  }
  if (integers) std::fill(out.begin(), out.end(), CountScale{});
  return out;
}

/// Predictions for samples in columns, and how many values are cut off on the way.
std::vector<Label> predict(const QuantisedModel& model, const std::vector<float>& values, std::size_t samples,
                           std::size_t& cut) {
  std::vector<Label> out(samples);
  std::vector<std::int32_t> scores(model.classes);
  for (std::size_t i = 0; i < samples; ++i) out[i] = model.predict(values.data() + i, scores.data(), samples);
  for (Index j = 0; j < model.features; ++j) {
    if (!model.uses(j)) continue;
    for (std::size_t i = 0; i < samples; ++i) {
      const float v = (values[j * samples + i] - model.counts[j].zero) * model.counts[j].per_unit;
      cut += !(v > -32768.5f && v < 32767.5f);
    }
  }
  return out;
}

std::size_t count_right(const std::vector<Label>& predicted, const StoredModel& model, const Table& table) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const std::string& label = model.classes[predicted[i]];
    if (table.label_sets.empty()) {
      right += table.labels[i] == label;
    } else {
      const auto& labels = table.label_sets[i];
      right += std::find(labels.begin(), labels.end(), label) != labels.end();
    }
  }
  return right;
}

std::string percent(std::size_t part, std::size_t whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

std::string counted(std::size_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

void QuantiseArguments::declare(const Command& command) {
  command.add_option("--quantise", weights,
                     "int8 | int16: weights, samples (of 16 bits) and scores of a C header are integers");
  command
      .add_option("--data", data,
                  "with --quantise: samples whose ranges say how features become integers, and on which the loss of "
                  "accuracy is measured")
      ->type_name(input_type);
  command.add_option("--sample-step", step,
                     "with --quantise: an integer of the device is this much of every feature (default: from --data)");
  reading.declare(command);
}

void QuantiseArguments::check() const {
  const auto refuse = [](const std::string& option, bool given) {
    if (given)
      throw ArgumentError(option + " says how --data are read, which are for --quantise: give both, or neither");
  };
  const bool reads = wanted() && !data.empty();
  refuse("--label", !reads && !reading.label.empty());
  refuse("--labels", !reads && !reading.labels_file.empty());
  refuse("--header", !reads && reading.header);
  refuse("--no-header", !reads && reading.no_header);
  refuse("--subject-column", !reads && !reading.subject.empty());
  if (!reading.scale.empty())
    throw ArgumentError(
        "--scale: a header takes features as they stand in the data file, whatever the model divides by");
  if (!wanted()) {
    if (!data.empty()) throw ArgumentError("--data: nothing is measured without --quantise int8 or int16");
    if (!step.empty()) throw ArgumentError("--sample-step: samples are integers with --quantise int8 or int16 alone");
    return;
  }
  check_one_of("--quantise", weights, {"int8", "int16"});
  if (data.empty() && step.empty())
    throw ArgumentError(
        "--quantise: how features become integers is not known: give --data FILE, such as the training data, or "
        "--sample-step X, 1 where the model was trained on the integers that the device measures");
}

QuantisedHeader quantised_header(const StoredModel& model, const std::string& name, const QuantiseArguments& a) {
  if (model.steps.any())
    throw ArgumentError(
        "--quantise: this model fills missing values, takes logarithms, normalises samples or takes scattering or "
        "window "
        "features, which integers cannot do: export it without, or train it without those steps");
  const Coefficients coefficients = unscaled(model);
  const bool bytes = a.weights == "int8";
  std::optional<Table> table;
  std::vector<float> values;
  if (!a.data.empty()) {
    table = read_data(model, a);
    values.assign(table->values.begin(), table->values.end());
    if (!std::all_of(values.begin(), values.end(), [](float x) { return finite(x); }))
      throw ArgumentError("--data: numbers in '" + a.data + "' do not fit in float, which counts are made of");
  }

  std::vector<CountScale> counts;
  if (a.step.empty()) {
    counts = counts_of(*table, coefficients);
  } else {
    const double step = parse_number("--sample-step", a.step);
    const auto per_unit = static_cast<float>(1 / step);
    if (!(step > 0) || !finite(per_unit) || per_unit < std::numeric_limits<float>::min())
      throw ArgumentError("--sample-step: " + a.step + " is not a positive number that fits in float");
    counts.assign(coefficients.features, CountScale{0, per_unit});
  }

  const auto features = static_cast<Index>(coefficients.features), classes = static_cast<Index>(coefficients.classes);
  const Index stride = padded<double>(classes);
  std::vector<double> rows((coefficients.features + 1) * stride);
  for (Index j = 0; j <= features; ++j)
    for (Index k = 0; k < classes; ++k)
      rows[j * std::size_t(stride) + k] = j < features ? coefficients.weight(j, k) : coefficients.intercepts[k];
  std::vector<std::int16_t> weights(coefficients.features * classes);
  std::vector<std::int32_t> intercepts(classes);
  const QuantisedModel quantised = quantise(LinearModel<double>{rows.data(), features, classes}, counts.data(),
                                            bytes ? 127 : 32767, weights, intercepts);
  if (quantised.classes == 0 || !(quantised.scale > 0) || !finite(quantised.scale))
    throw ArgumentError(
        "--quantise: the numbers of this model are too many, too large or too small for sums of 32 bits");

  QuantisedHeader out;
  std::string remark;
  if (table) {
    const std::string file = std::filesystem::path(a.data).filename().string();
    std::size_t cut = 0, others = 0;
    const auto predicted = predict(quantised, values, table->samples, cut);
    const auto before = decide(scores<float>(*table, coefficients), coefficients.classes);
    for (std::size_t i = 0; i < before.size(); ++i) others += before[i] != predicted[i];
    if (table->has_labels() || !table->label_sets.empty())
      remark = "On " + file + " accuracy " + percent(count_right(predicted, model, *table), table->samples) +
               " instead of " + percent(count_right(before, model, *table), table->samples) +
               " with weights of float; ";
    else remark = "On " + file + " ";
    remark += std::to_string(others) + " of " + std::to_string(table->samples) +
              (others == 1 ? " predictions differs." : " predictions differ.");
    out.said += a.weights + ": " + remark + "\n";
    if (cut)
      out.said += "note: " + counted(cut, "value of a feature is", "values of features are") +
                  " cut off at the ends of 16 bits: a larger --sample-step reaches further\n";
  }
  Index kept = 0, used = 0;
  for (Index j = 0; j < features; ++j) {
    used += coefficients.uses(j);
    kept += quantised.uses(j);
  }
  if (kept < used)
    out.said += "note: the weights of " + counted(used - kept, "feature", "features") +
                " round to zero: left out, they need not be measured\n";

  if (model.has_probabilities()) out.said += "note: the header has no probabilities, which need floating point\n";

  const HeaderOptions<float> options(model, name);
  out.text = written([&](std::span<char> text) {
    return export_quantised_c(quantised, options, bytes, text, remark.empty() ? nullptr : remark.c_str());
  });
  return out;
}

}  // namespace tamis::cli
