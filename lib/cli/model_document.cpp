#include "model_document.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "readers.hpp"
#include "tamis/version.hpp"

namespace tamis::cli {

std::vector<std::string> names_to_expect(const ModelRecord& model) {
  std::vector<std::string> names = model.feature_names;
  for (std::size_t j = 0; j < names.size(); ++j)
    if (names[j] == "x" + std::to_string(j)) names[j].clear();
  return names;
}

double shortest(float value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  double out = 0;
  std::from_chars(text, end, out);
  return out;
}

ModelWriter::ModelWriter(const ModelRecord& model, const char* kind, std::size_t features,
                         std::vector<std::size_t> kept, bool in_float)
    : model_(model), kept_(std::move(kept)), in_float_(in_float) {
  Json names = Json::array();
  for (const std::size_t j : kept_) names.push_back(model.name_of(j));
  json_ = {{"format", "tamis-model"},
           {"version", 1},
           {"kind", kind},
           {"written_by", std::string("tamis ") + tamis::version},
           {"classes", model.regression() ? Json(nullptr) : Json(model.classes)},
           {"feature_count", features},
           {"features", names}};
}

ModelWriter::Json ModelWriter::numbers(const double* values, std::size_t count) const {
  Json out = Json::array();
  for (std::size_t e = 0; e < count; ++e) out.push_back(number(values[e]));
  return out;
}

ModelWriter::Json ModelWriter::column_scales(const std::vector<ColumnScale<double>>& columns, const char* mean) const {
  if (columns.empty()) return nullptr;
  Json means = Json::array(), scales = Json::array();
  for (const std::size_t j : kept_) {
    means.push_back(columns[j].mean);
    scales.push_back(columns[j].scale);
  }
  return {{mean, means}, {"scale", scales}};
}

void ModelWriter::add_scales(const std::vector<double>& intercepts) {
  json_["intercept"] = numbers(intercepts.data(), intercepts.size());
  json_["scale"] = model_.scale;
  json_["standardisation"] = column_scales(model_.standardisation, "mean");
}

std::string ModelWriter::finish(const std::vector<std::size_t>& columns, bool as_floats) {
  Json& samples = json_["self_test"] = Json::array();
  for (const auto& sample : model_.self_test) {
    Json& row = samples.emplace_back(Json::array());
    for (const std::size_t j : columns) {
      const float single = static_cast<float>(sample[j]);  // infinite: steps before the model bring it into its range
      const double x = as_floats && std::isfinite(single) ? shortest(single) : sample[j];
      row.push_back(std::isnan(x) ? Json(nullptr) : Json(x));
    }
  }
  return json_.dump(2) + "\n";
}

ModelDocument::ModelDocument(const std::string& path) : path_(path) {
  TextFile file(path, std::size_t{1} << 14);  // few models are longer
  path_ = file.path();
  std::string text;
  for (std::string line; file.next_line(line); text += line + '\n')
    if (line.starts_with('{') || text.starts_with('{')) check_utf8(file, line);
  json_ = Json::parse(text, nullptr, false);
  if (json_.is_discarded() || !json_.is_object()) fail("is not a JSON model");
  if (json_.value("format", Json()) != "tamis-model") fail("is JSON, but not a tamis model");
  if (json_.value("version", Json()) != 1) fail("is a model of a later version of tamis");
  if (const Json kind = json_.value("kind", Json()); kind.is_string()) kind_ = kind.get<std::string>();
}

void ModelDocument::fail(const std::string& what) const { throw DataError(path_ + ": " + what); }

std::size_t ModelDocument::whole(const Json& json, const std::string& what, std::size_t end) const {
  if (!json.is_number()) (void)json.get<std::size_t>();  // of the wrong type
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() >= end) fail("has " + what);
  return json.get<std::size_t>();
}

std::vector<std::size_t> ModelDocument::indices(const Json& json, std::size_t end) const {
  std::vector<std::size_t> out;
  for (const auto& entry : json.get<std::vector<Json>>()) out.push_back(whole(entry, "an index out of range", end));
  return out;
}

Index ModelDocument::count(const Json& json, const char* member, const std::string& what) const {
  const Json& value = json.at(member);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > ~Index(0))
    fail("has " + what + ": " + member + " is not a whole number");
  return value.get<Index>();
}

std::vector<std::string> ModelDocument::columns(const Json& json, std::size_t count) const {
  if (json.at("columns").is_null()) return {};
  auto out = json.at("columns").get<std::vector<std::string>>();
  if (out.size() != count) fail("has parts of different lengths");
  return out;
}

std::string ModelDocument::known(const char* member, std::initializer_list<const char*> names) const {
  const auto text = json_.at(member).get<std::string>();
  if (std::find(names.begin(), names.end(), text) == names.end()) fail(std::string("has an unknown ") + member);
  return text;
}

std::vector<double> ModelDocument::numbers(const Json& json, std::size_t count) const {
  auto out = json.get<std::vector<double>>();
  if (out.size() != count) fail("has parts of different lengths");
  return out;
}

void ModelDocument::check_floats(const std::vector<double>& numbers) const {
  for (const double x : numbers)
    if (!std::isfinite(static_cast<float>(x))) fail("is a model in float, and has a number that is too large for it");
}

std::vector<ColumnScale<double>> ModelDocument::column_scales(const Json& json, const char* mean,
                                                              const std::vector<std::size_t>& indices,
                                                              std::size_t features) const {
  const auto means = numbers(json.at(mean), indices.size()), scales = numbers(json.at("scale"), indices.size());
  std::vector<ColumnScale<double>> out(features);
  for (std::size_t r = 0; r < indices.size(); ++r) out[indices[r]] = {means[r], scales[r]};
  return out;
}

std::vector<std::string> ModelDocument::class_names() const {
  auto out = json_.at("classes").get<std::vector<std::string>>();
  if (out.size() < 2 || out.size() > 65535) fail("has an impossible number of classes");
  return out;
}

void ModelDocument::read_record(ModelRecord& model, const std::vector<std::size_t>& kept, std::size_t features) const {
  model.scale = json_.at("scale").get<double>();
  if (!std::isfinite(model.scale) || model.scale == 0) fail("has an impossible scale");
  if (const Json& by = json_.at("standardisation"); !by.is_null())
    model.standardisation = column_scales(by, "mean", kept, features);
  if (json_.contains("samples"))
    model.samples =
        static_cast<std::uint32_t>(whole(json_.at("samples"), "an impossible number of samples", std::size_t(1) << 32));
  model.precision = known("precision", {"float", "double"});
}

void ModelDocument::read_plain_record(ModelRecord& model, const std::vector<std::size_t>& kept,
                                      std::size_t features) const {
  read_record(model, kept, features);
  for (const auto& column : model.standardisation)
    if (!(column.scale > 0)) fail("has an impossible standardisation");
  if (!json_.value("preparation", Json()).is_null()) fail("has a preparation that this command does not know");
  model.lambda = json_.at("lambda").get<double>();
  for (const auto& row : json_.value("self_test", Json::array())) {
    const auto values = numbers(row, kept.size());
    auto& sample = model.self_test.emplace_back(features);
    for (std::size_t r = 0; r < kept.size(); ++r) sample[kept[r]] = values[r];
  }
}

}  // namespace tamis::cli
