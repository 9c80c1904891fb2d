#include "model_file.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "errors.hpp"
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

void write_file(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".part";
  {
    std::ofstream out(temporary, std::ios::binary);
    out << text;
    out.close();
    if (out && std::rename(temporary.c_str(), path.c_str()) == 0) return;
  }
  std::remove(temporary.c_str());
  throw ArgumentError(path + ": cannot be written");
}

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
    for (std::size_t j = 0; j < c.features; ++j)
      if (c.uses(j)) row.push_back(number(sample[j]));
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
  json["loss"] = model.loss;
  json["penalty"] = model.penalty;
  json["lambda"] = std::isfinite(model.lambda) ? Json(model.lambda) : Json(nullptr);
  if (std::isfinite(model.eta)) json["eta"] = model.eta;
  json["precision"] = model.precision;
  json["self_test"] = samples;
  return json.dump(2) + "\n";
}

void write_model(const std::string& path, const StoredModel& model) { write_file(path, to_json(model)); }

namespace {

/// Reads one model file; every complaint names the file.
class ModelReader {
 public:
  explicit ModelReader(const std::string& path) : path_(path) {}

  StoredModel read() {
    std::ifstream in(path_, std::ios::binary);
    if (!in) fail("cannot be opened");
    std::stringstream text;
    text << in.rdbuf();
    json_ = Json::parse(text.str(), nullptr, false);
    if (json_.is_discarded() || !json_.is_object()) fail("is not a JSON model");
    if (json_.value("format", Json()) != "tamis-model") fail("is JSON, but not a tamis model");
    if (json_.value("version", Json()) != 1) fail("is a model of a later version of tamis");
    if (json_.value("kind", Json()) != "linear") fail("is a kind of model that this command does not read");
    try {
      return convert();
    } catch (const nlohmann::json::exception&) {
      fail("lacks a part of a model, or has one of the wrong type");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw DataError(path_ + ": " + what); }

  StoredModel convert() const {
    StoredModel model;
    model.classes = json_.at("classes").get<std::vector<std::string>>();
    Coefficients& c = model.coefficients;
    c.features = json_.at("feature_count").get<std::size_t>();
    c.classes = model.classes.size();
    if (c.classes < 2 || c.features == 0 || c.features > 0xffffffffu / c.classes) fail("has an impossible shape");
    const auto indices = json_.at("coefficients").at("indices").get<std::vector<std::size_t>>();
    const auto& values = json_.at("coefficients").at("values");
    const auto& names = json_.at("features");
    if (values.size() != indices.size() || names.size() != indices.size()) fail("has parts of different lengths");
    c.weights.assign(c.features * c.classes, 0);
    c.intercepts = numbers(json_.at("intercept"), c.classes);
    model.feature_names.resize(c.features);
    for (std::size_t j = 0; j < c.features; ++j) model.feature_names[j] = "x" + std::to_string(j);
    for (std::size_t r = 0; r < indices.size(); ++r) {
      if (indices[r] >= c.features || (r > 0 && indices[r] <= indices[r - 1])) fail("has feature indices out of order");
      const auto row = numbers(values[r], c.classes);
      std::copy(row.begin(), row.end(), c.weights.begin() + static_cast<std::ptrdiff_t>(indices[r] * c.classes));
      model.feature_names[indices[r]] = names[r].get<std::string>();
    }
    model.scale = json_.at("scale").get<double>();
    if (!std::isfinite(model.scale) || model.scale == 0) fail("has an impossible scale");
    if (!json_.at("standardisation").is_null()) {
      model.standardised = true;
      model.standardisation.resize(c.features);
      const auto means = numbers(json_["standardisation"].at("mean"), indices.size());
      const auto scales = numbers(json_["standardisation"].at("scale"), indices.size());
      for (std::size_t r = 0; r < indices.size(); ++r) model.standardisation[indices[r]] = {means[r], scales[r]};
    }
    model.loss = json_.at("loss").get<std::string>();
    model.penalty = json_.at("penalty").get<std::string>();
    if (!json_.at("lambda").is_null()) model.lambda = json_.at("lambda").get<double>();
    else model.lambda = std::numeric_limits<double>::quiet_NaN();
    if (json_.contains("eta")) model.eta = json_.at("eta").get<double>();
    model.precision = json_.at("precision").get<std::string>();
    if (model.precision != "float" && model.precision != "double") fail("has an unknown precision");
    for (const auto& row : json_.value("self_test", Json::array())) {
      const auto kept = numbers(row, indices.size());
      std::vector<double> sample(c.features);
      for (std::size_t r = 0; r < indices.size(); ++r) sample[indices[r]] = kept[r];
      model.self_test.push_back(sample);
    }
    return model;
  }

  std::vector<double> numbers(const Json& json, std::size_t count) const {
    auto out = json.get<std::vector<double>>();
    if (out.size() != count) fail("has parts of different lengths");
    return out;
  }

  std::string path_;
  Json json_;
};

}  // namespace

StoredModel read_model(const std::string& path) { return ModelReader(path).read(); }

}  // namespace tamis::cli
