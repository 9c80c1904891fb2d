#include "model_document.hpp"

#include "readers.hpp"

namespace tamis::cli {

ModelDocument::ModelDocument(const std::string& path) : path_(path) {
  TextFile file(path);
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

std::uint32_t ModelDocument::samples() const {
  if (!json_.contains("samples")) return 0;
  return static_cast<std::uint32_t>(
      whole(json_.at("samples"), "an impossible number of samples", std::size_t(1) << 32));
}

std::vector<double> ModelDocument::numbers(const Json& json, std::size_t count) const {
  auto out = json.get<std::vector<double>>();
  if (out.size() != count) fail("has parts of different lengths");
  return out;
}

std::vector<ColumnScale<double>> ModelDocument::column_scales(const Json& json, const char* mean,
                                                              const std::vector<std::size_t>& indices,
                                                              std::size_t features) const {
  const auto means = numbers(json.at(mean), indices.size()), scales = numbers(json.at("scale"), indices.size());
  std::vector<ColumnScale<double>> out(features);
  for (std::size_t r = 0; r < indices.size(); ++r) out[indices[r]] = {means[r], scales[r]};
  return out;
}

}  // namespace tamis::cli
