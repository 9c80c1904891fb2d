#include "model_file.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model_document.hpp"
#include "output_file.hpp"

namespace tamis::cli {

using Json = nlohmann::ordered_json;

namespace {

/// The steps that were done to samples, and the range of columns: null where there were none.
Json preparation(const StoredModel& model, const ModelWriter& writer) {
  const StoredSteps& steps = model.steps;
  if (!steps.any() && model.min_max.empty()) return nullptr;
  Json means = Json::array();
  for (std::size_t j = 0; steps.fills_missing() && j < model.columns(); ++j)
    if (model.needs(j)) means.push_back(steps.missing_means[j]);
  Json json;
  if (steps.text) json["text"] = to_json(*steps.text);
  json["missing_means"] = steps.fills_missing() ? means : Json(nullptr);
  json["log"] = steps.takes_log() ? Json::array({steps.log.low, steps.log.high}) : Json(nullptr);
  json["normalise"] = steps.norm != SampleNorm::none ? Json(name(steps.norm)) : Json(nullptr);
  if (steps.scattering) json["scattering"] = to_json(*steps.scattering);
  if (steps.windows) json["windows"] = to_json(*steps.windows);
  json["min_max"] = writer.column_scales(model.min_max, "min");
  return json;
}

}  // namespace

std::string to_json(const StoredModel& model) {
  const Coefficients& c = model.coefficients;
  std::vector<std::size_t> kept, needed;
  for (std::size_t j = 0; j < c.features; ++j)
    if (c.uses(j)) kept.push_back(j);
  for (std::size_t j = 0; j < model.columns(); ++j)
    if (model.needs(j)) needed.push_back(j);
  const bool in_float = model.precision == "float";
  ModelWriter json(model, "linear", c.features, kept, in_float);
  Json values = Json::array();
  for (const std::size_t j : kept) values.push_back(json.numbers(c.weights.data() + j * c.classes, c.classes));
  json["coefficients"] = {{"indices", kept}, {"values", values}};
  json.add_scales(c.intercepts);
  json["preparation"] = preparation(model, json);
  json["loss"] = model.loss;
  json["penalty"] = model.penalty;
  json["lambda"] = std::isfinite(model.lambda) ? Json(model.lambda) : Json(nullptr);
  if (std::isfinite(model.eta)) json["eta"] = model.eta;
  if (model.samples) json["samples"] = model.samples;
  json["precision"] = model.precision;
  json["calibration"] = model.calibration ? to_json(*model.calibration) : Json(nullptr);
  if (model.thresholds) json["thresholds"] = to_json(*model.thresholds);
  return json.finish(needed, in_float);
}

void write_model(const std::string& path, const StoredModel& model) { write_file(path, to_json(model)); }

namespace {

/// Reads one linear model.
class ModelReader {
 public:
  explicit ModelReader(const ModelDocument& document) : document_(document), json_(document.json()) {}

  StoredModel read() const {
    if (document_.kind() != "linear") fail("is a kind of model that this command does not read");
    return document_.converted([this] { return convert(); });
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { document_.fail(what); }
  std::vector<double> numbers(const Json& json, std::size_t count) const { return document_.numbers(json, count); }

  StoredModel convert() const {
    StoredModel model;
    model.classes = json_.at("classes").get<std::vector<std::string>>();
    Coefficients& c = model.coefficients;
    c.features = document_.whole(json_.at("feature_count"), "an impossible shape", std::size_t(1) << 32);
    c.classes = model.classes.size();
    if (c.classes < 2 || c.features == 0 || c.features > 0xffffffffu / c.classes) fail("has an impossible shape");
    const auto indices = document_.indices(json_.at("coefficients").at("indices"), c.features);
    const auto& values = json_.at("coefficients").at("values");
    const auto& names = json_.at("features");
    if (values.size() != indices.size() || names.size() != indices.size()) fail("has parts of different lengths");
    c.weights.assign(c.features * c.classes, 0);
    c.intercepts = numbers(json_.at("intercept"), c.classes);
    model.feature_names.resize(c.features);
    for (std::size_t j = 0; j < c.features; ++j) model.feature_names[j] = "x" + std::to_string(j);
    for (std::size_t r = 0; r < indices.size(); ++r) {
      if (r > 0 && indices[r] <= indices[r - 1]) fail("has feature indices out of order");
      const auto row = numbers(values[r], c.classes);
      std::copy(row.begin(), row.end(), c.weights.begin() + static_cast<std::ptrdiff_t>(indices[r] * c.classes));
      model.feature_names[indices[r]] = names[r].get<std::string>();
    }
    document_.read_record(model, indices, c.features);
    if (model.precision == "float")
      for (const auto* numbers : {&c.weights, &c.intercepts}) document_.check_floats(*numbers);
    read_preparation(model, indices);
    model.loss = json_.at("loss").get<std::string>();
    model.penalty = json_.at("penalty").get<std::string>();
    if (!json_.at("lambda").is_null()) model.lambda = json_.at("lambda").get<double>();
    else model.lambda = std::numeric_limits<double>::quiet_NaN();
    if (json_.contains("eta")) model.eta = json_.at("eta").get<double>();
    read_by_class(all_calibrations, "calibration", "a calibration", " with numbers", model.classes.size(),
                  model.calibration);
    read_by_class(all_threshold_kinds, "thresholds", "thresholds", "", model.classes.size(), model.thresholds);
    const auto needed = needed_columns(model, indices);
    for (const auto& row : json_.value("self_test", Json::array())) {
      if (row.size() != needed.size()) fail("has parts of different lengths");
      std::vector<double> sample(model.columns());
      for (std::size_t r = 0; r < needed.size(); ++r)
        sample[needed[r]] = row[r].is_null() && model.steps.fills_missing() ? std::numeric_limits<double>::quiet_NaN()
                                                                            : row[r].get<double>();
      model.self_test.push_back(sample);
    }
    return model;
  }

  /// The columns that the model keeps something about.
  static std::vector<std::size_t> needed_columns(const StoredModel& model, const std::vector<std::size_t>& indices) {
    if (model.steps.norm == SampleNorm::none && !model.steps.transforms()) return indices;
    std::vector<std::size_t> all(model.columns());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }

  /// The names of features are those of the vocabulary, as they were in training.
  void take_words(StoredModel& model, const std::vector<std::size_t>& kept) const {
    const auto& words = model.steps.text->terms;
    if (words.empty()) return;
    for (const std::size_t j : kept)
      if (model.feature_names[j] != words[j])
        fail("has another vocabulary than it was trained with: feature " + std::to_string(j) + " is '" +
             printable(words[j]) + "' there and '" + printable(model.feature_names[j]) + "' among its features");
    model.feature_names = words;
  }

  /// A member that has a kind, and a slope and an offset of each class; null, or none: nothing.
  template <class Kind, std::size_t count, class Stored>
  void read_by_class(const Kind (&kinds)[count], const char* member, const std::string& what,
                     const std::string& with_numbers, std::size_t classes, std::optional<Stored>& out) const {
    const Json json = json_.value(member, Json());
    if (json.is_null()) return;
    const auto text = json.at("kind").get<std::string>();
    const auto* kind = std::find_if(kinds, kinds + count, [&](Kind known) { return text == name(known); });
    if (kind == kinds + count) fail("has " + what + " '" + printable(text) + "' that this command does not know");
    out = {*kind, numbers(json.at("slopes"), classes), numbers(json.at("offsets"), classes)};
    for (const auto* list : {&out->slopes, &out->offsets})
      for (const double x : *list)
        if (!std::isfinite(x)) fail("has " + what + with_numbers + " that are not finite");
  }

  void read_preparation(StoredModel& model, const std::vector<std::size_t>& indices) const {
    const Json json = json_.value("preparation", Json());
    if (json.is_null()) return;
    StoredSteps& steps = model.steps;
    const std::size_t features = model.coefficients.features;
    if (const auto& norm = json.at("normalise"); !norm.is_null()) {
      const auto text = norm.get<std::string>();
      for (const SampleNorm known : {SampleNorm::l1, SampleNorm::l2, SampleNorm::max})
        if (text == name(known)) steps.norm = known;
      if (steps.norm == SampleNorm::none) fail("has an unknown norm");
    }
    if (const Json text = json.value("text", Json()); !text.is_null()) {
      steps.text = read_text(document_, text);
      if (steps.text->features() != features) fail("has not as many features as its vocabulary has words");
      take_words(model, indices);
    }
    if (const auto& log = json.at("log"); !log.is_null()) {
      const auto bounds = numbers(log, 2);
      steps.log = {bounds[0], bounds[1]};
      if (!steps.log.valid()) fail("has impossible bounds of the logarithm");
    }
    if (const Json scattering = json.value("scattering", Json()); !scattering.is_null()) {
      steps.scattering = read_scattering(document_, scattering);
      if (steps.scattering->features() != features) fail("has not as many features as its scattering gives");
    }
    if (const Json windows = json.value("windows", Json()); !windows.is_null()) {
      steps.windows = read_windows(document_, windows);
      if (steps.windows->features() != features) fail("has not as many features as its windows give");
      if (steps.scattering) fail("has both windows and scattering");
    }
    if (const auto& means = json.at("missing_means"); !means.is_null()) {
      const auto needed = needed_columns(model, indices);
      const auto kept = numbers(means, needed.size());
      steps.missing_means.resize(model.columns());
      for (std::size_t r = 0; r < needed.size(); ++r) steps.missing_means[needed[r]] = kept[r];
    }
    if (const auto& range = json.at("min_max"); !range.is_null())
      model.min_max = document_.column_scales(range, "min", indices, features);
    for (const auto& [key, value] : json.items())
      if (key != "text" && key != "missing_means" && key != "log" && key != "normalise" && key != "scattering" &&
          key != "windows" && key != "min_max")
        fail("has a preparation '" + printable(key) + "' that this command does not know");
  }

  const ModelDocument& document_;
  const Json& json_;
};

}  // namespace

bool StoredModel::has_probabilities() const { return calibration || loss == name(LossKind::logistic); }

Calibration<double> StoredModel::probabilities() const {
  return calibration ? calibration->view() : Calibration<double>{.classes = static_cast<Index>(classes.size())};
}

std::vector<std::string> names_to_expect(const StoredModel& model) {
  if (model.steps.text) return {};
  if (const auto inputs = model.steps.input_names(); !inputs.empty()) return inputs;
  std::vector<std::string> names(model.columns());
  if (model.steps.transforms()) return names;
  for (std::size_t j = 0; j < names.size() && !model.feature_names.empty(); ++j)
    if (model.coefficients.uses(j) && model.feature_names[j] != "x" + std::to_string(j))
      names[j] = model.feature_names[j];
  return names;
}

ReadOptions read_options(const StoredModel& model, const DataArguments& reading, const std::string& text_column) {
  ReadOptions out = reading.read_options(model.scale);
  out.missing = model.steps.fills_missing();
  out.names = names_to_expect(model);
  set_text(out, model.steps.text, text_column);
  return out;
}

StoredModel read_model(const ModelDocument& document) { return ModelReader(document).read(); }
StoredModel read_model(const std::string& path) { return read_model(ModelDocument(path)); }

}  // namespace tamis::cli
