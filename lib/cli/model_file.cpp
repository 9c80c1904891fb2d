#include "model_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "model_document.hpp"
#include "output_file.hpp"
#include "tamis/version.hpp"

namespace tamis::cli {

using Json = nlohmann::ordered_json;

double shortest(float value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  double out = 0;
  std::from_chars(text, end, out);
  return out;
}

namespace {

/// The steps that were done to samples, and the range of columns: null where there were none.
Json preparation(const StoredModel& model) {
  const StoredSteps& steps = model.steps;
  if (!steps.any() && model.min_max.empty()) return nullptr;
  Json means = Json::array(), least = Json::array(), scales = Json::array();
  for (std::size_t j = 0; steps.fills_missing() && j < model.columns(); ++j)
    if (model.needs(j)) means.push_back(steps.missing_means[j]);
  for (std::size_t j = 0; j < model.coefficients.features; ++j) {
    if (model.min_max.empty() || !model.coefficients.uses(j)) continue;
    least.push_back(model.min_max[j].mean);
    scales.push_back(model.min_max[j].scale);
  }
  Json json;
  if (steps.text) json["text"] = to_json(*steps.text);
  json["missing_means"] = steps.fills_missing() ? means : Json(nullptr);
  json["log"] = steps.takes_log() ? Json::array({steps.log.low, steps.log.high}) : Json(nullptr);
  json["normalise"] = steps.norm != SampleNorm::none ? Json(name(steps.norm)) : Json(nullptr);
  if (steps.scattering) json["scattering"] = to_json(*steps.scattering);
  if (steps.windows) json["windows"] = to_json(*steps.windows);
  json["min_max"] = model.min_max.empty() ? Json(nullptr) : Json{{"min", least}, {"scale", scales}};
  return json;
}

}  // namespace

std::string to_json(const StoredModel& model) {
  const Coefficients& c = model.coefficients;
  const auto number = [&](double value) {
    return model.precision == "float" ? shortest(static_cast<float>(value)) : value;
  };
  Json features = Json::array(), indices = Json::array(), values = Json::array();
  Json means = Json::array(), scales = Json::array(), samples = Json::array();
  for (std::size_t j = 0; j < c.features; ++j) {
    if (!c.uses(j)) continue;
    features.push_back(model.feature_names.empty() ? "x" + std::to_string(j) : model.feature_names[j]);
    indices.push_back(j);
    Json row = Json::array();
    for (std::size_t k = 0; k < c.classes; ++k) row.push_back(number(c.weight(j, k)));
    values.push_back(row);
    if (model.standardised) {
      means.push_back(model.standardisation[j].mean);
      scales.push_back(model.standardisation[j].scale);
    }
  }
  for (const auto& sample : model.self_test) {
    Json row = Json::array();
    for (std::size_t j = 0; j < model.columns(); ++j)
      if (model.needs(j)) row.push_back(std::isnan(sample[j]) ? Json(nullptr) : Json(number(sample[j])));
    samples.push_back(row);
  }
  Json intercepts = Json::array();
  for (const double b : c.intercepts) intercepts.push_back(number(b));

  Json json;
  json["format"] = "tamis-model";
  json["version"] = 1;
  json["kind"] = "linear";
  json["written_by"] = std::string("tamis ") + tamis::version;
  json["classes"] = model.classes;
  json["feature_count"] = c.features;
  json["features"] = features;
  json["coefficients"] = {{"indices", indices}, {"values", values}};
  json["intercept"] = intercepts;
  json["scale"] = model.scale;
  json["standardisation"] = model.standardised ? Json{{"mean", means}, {"scale", scales}} : Json(nullptr);
  json["preparation"] = preparation(model);
  json["loss"] = model.loss;
  json["penalty"] = model.penalty;
  json["lambda"] = std::isfinite(model.lambda) ? Json(model.lambda) : Json(nullptr);
  if (std::isfinite(model.eta)) json["eta"] = model.eta;
  if (model.samples) json["samples"] = model.samples;
  json["precision"] = model.precision;
  json["calibration"] = model.calibration ? to_json(*model.calibration) : Json(nullptr);
  if (model.thresholds) json["thresholds"] = to_json(*model.thresholds);
  json["self_test"] = samples;
  return json.dump(2) + "\n";
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
    model.scale = json_.at("scale").get<double>();
    if (!std::isfinite(model.scale) || model.scale == 0) fail("has an impossible scale");
    if (!json_.at("standardisation").is_null()) {
      model.standardised = true;
      model.standardisation = document_.column_scales(json_.at("standardisation"), "mean", indices, c.features);
    }
    read_preparation(model, indices);
    model.loss = json_.at("loss").get<std::string>();
    model.penalty = json_.at("penalty").get<std::string>();
    if (!json_.at("lambda").is_null()) model.lambda = json_.at("lambda").get<double>();
    else model.lambda = std::numeric_limits<double>::quiet_NaN();
    if (json_.contains("eta")) model.eta = json_.at("eta").get<double>();
    model.samples = document_.samples();
    model.precision = json_.at("precision").get<std::string>();
    if (model.precision != "float" && model.precision != "double") fail("has an unknown precision");
    read_calibration(model);
    read_thresholds(model);
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

  void read_calibration(StoredModel& model) const {
    const Json json = json_.value("calibration", Json());
    if (json.is_null()) return;
    const auto text = json.at("kind").get<std::string>();
    const auto* kind = std::find_if(std::begin(all_calibrations), std::end(all_calibrations),
                                    [&](CalibrationKind known) { return text == name(known); });
    if (kind == std::end(all_calibrations))
      fail("has a calibration '" + printable(text) + "' that this command does not know");
    const std::size_t classes = model.classes.size();
    model.calibration = {*kind, numbers(json.at("slopes"), classes), numbers(json.at("offsets"), classes)};
    for (const auto* list : {&model.calibration->slopes, &model.calibration->offsets})
      for (const double x : *list)
        if (!std::isfinite(x)) fail("has a calibration with numbers that are not finite");
  }

  void read_thresholds(StoredModel& model) const {
    const Json json = json_.value("thresholds", Json());
    if (json.is_null()) return;
    const auto text = json.at("kind").get<std::string>();
    const auto* kind = std::find_if(std::begin(all_threshold_kinds), std::end(all_threshold_kinds),
                                    [&](ThresholdKind known) { return text == name(known); });
    if (kind == std::end(all_threshold_kinds))
      fail("has thresholds '" + printable(text) + "' that this command does not know");
    const std::size_t classes = model.classes.size();
    model.thresholds = {*kind, numbers(json.at("slopes"), classes), numbers(json.at("offsets"), classes)};
    for (const auto* list : {&model.thresholds->slopes, &model.thresholds->offsets})
      for (const double x : *list)
        if (!std::isfinite(x)) fail("has thresholds that are not finite");
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

StoredModel read_model(const ModelDocument& document) { return ModelReader(document).read(); }
StoredModel read_model(const std::string& path) { return read_model(ModelDocument(path)); }

}  // namespace tamis::cli
