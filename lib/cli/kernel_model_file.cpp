#include "kernel_model_file.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "arguments.hpp"
#include "errors.hpp"
#include "model_document.hpp"
#include "model_file.hpp"
#include "tamis/version.hpp"

namespace tamis::cli {

using Json = ModelDocument::Json;

Kernel<double> parse_kernel(const std::string& option, const std::string& text) {
  const auto colon = text.find(':');
  Kernel<double> kernel;
  kernel.kind = kind_named(option, text.substr(0, colon), all_kernels);
  std::vector<std::string> numbers;
  for (auto begin = colon; begin != std::string::npos;) {
    const auto end = text.find(',', begin + 1);
    numbers.push_back(text.substr(begin + 1, end == std::string::npos ? end : end - begin - 1));
    begin = end;
  }
  if (numbers.size() != parameters(kernel.kind)) {
    constexpr const char* of[] = {"no number", "one number, its width, as in ", "two numbers, as in "};
    const Index count = parameters(kernel.kind);
    const std::string usual = count == 0                              ? ""
                              : count == 1                            ? ":0.5"
                              : kernel.kind == KernelKind::polynomial ? ":2,1"
                                                                      : ":0.1,-1";
    throw ArgumentError(option + ": " + name(kernel.kind) + " takes " + of[count] +
                        (count ? name(kernel.kind) + usual : "") + ", and '" + text + "' has " +
                        std::to_string(numbers.size()));
  }
  if (!numbers.empty()) kernel.a = parse_number(option + " " + name(kernel.kind), numbers[0]);
  if (numbers.size() > 1) kernel.b = parse_number(option + " " + name(kernel.kind), numbers[1]);
  if (const char* refusal = kernel.refusal()) throw ArgumentError(option + " " + text + ": " + refusal);
  return kernel;
}

KeptExpansion::KeptExpansion(const KernelExpansion<double>& from)
    : kernels(from.kernels.begin(), from.kernels.end()),
      terms(from.terms.begin(), from.terms.end()),
      coefficients(from.coefficients, from.coefficients + from.terms.size() * from.outputs),
      intercepts(from.intercepts, from.intercepts + from.outputs),
      origins(from.origins, from.origins + from.samples.samples),
      features(from.samples.features) {
  for (Index s = 0; s < from.samples.samples; ++s)
    for (Index j = 0; j < from.samples.features; ++j) samples.push_back(from.samples[s][j]);
}

KernelExpansion<double> KeptExpansion::view() const {
  const auto p = static_cast<Index>(features);
  return {kernels,
          {samples.data(), static_cast<Index>(origins.size()), p, p, 1},
          terms,
          coefficients.data(),
          intercepts.data(),
          static_cast<Index>(intercepts.size()),
          origins.data()};
}

std::string to_json(const StoredKernels& stored) {
  const KeptExpansion& model = stored.model;
  const auto number = [&](double value) {
    return stored.precision == "float" ? shortest(static_cast<float>(value)) : value;
  };
  const auto by_rows = [](const std::vector<double>& values, std::size_t width, const auto& convert) {
    Json rows = Json::array();
    for (std::size_t first = 0; width && first < values.size(); first += width) {
      Json& row = rows.emplace_back(Json::array());
      for (std::size_t e = first; e < first + width; ++e) row.push_back(convert(values[e]));
    }
    return rows;
  };
  Json names = Json::array(), kernels = Json::array(), of_kernels = Json::array(), of_samples = Json::array();
  for (std::size_t j = 0; j < model.features; ++j)
    names.push_back(stored.feature_names.empty() || stored.feature_names[j].empty() ? "x" + std::to_string(j)
                                                                                    : stored.feature_names[j]);
  for (const auto& kernel : model.kernels) {
    Json values = Json::array();
    if (parameters(kernel.kind) > 0) values.push_back(kernel.a);
    if (parameters(kernel.kind) > 1) values.push_back(kernel.b);
    kernels.push_back({{"kind", name(kernel.kind)}, {"parameters", values}});
  }
  for (const auto& term : model.terms) {
    of_kernels.push_back(term.kernel);
    of_samples.push_back(term.sample);
  }
  Json intercepts = Json::array(), means = Json::array(), scales = Json::array();
  for (const double b : model.intercepts) intercepts.push_back(number(b));
  for (const auto& column : stored.standardisation) {
    means.push_back(column.mean);
    scales.push_back(column.scale);
  }
  const auto same = [](double value) { return value; };
  Json json;
  json["format"] = "tamis-model";
  json["version"] = 1;
  json["kind"] = "kernels";
  json["written_by"] = std::string("tamis ") + tamis::version;
  json["classes"] = stored.classes;
  json["feature_count"] = model.features;
  json["features"] = names;
  json["kernels"] = kernels;
  json["coefficients"] = {
      {"samples", {{"indices", model.origins}, {"values", by_rows(model.samples, model.features, same)}}},
      {"terms",
       {{"kernels", of_kernels},
        {"samples", of_samples},
        {"values", by_rows(model.coefficients, model.outputs(), number)}}}};
  json["intercept"] = intercepts;
  json["scale"] = stored.scale;
  json["standardisation"] = means.empty() ? Json(nullptr) : Json{{"mean", means}, {"scale", scales}};
  json["preparation"] = nullptr;
  json["loss"] = "squared-hinge";
  json["form"] = model.outputs() == 1 ? "binary" : "multiclass";
  json["penalty"] = "mixed-norm";
  json["p"] = stored.p;
  json["q"] = stored.q;
  json["r"] = stored.r;
  json["lambda"] = stored.lambda;
  json["samples"] = stored.samples;
  json["precision"] = stored.precision;
  json["self_test"] = stored.self_test;
  return json.dump(2) + "\n";
}

namespace {

/// Reads one kernel expansion.
class KernelReader {
 public:
  explicit KernelReader(const ModelDocument& document) : document_(document), json_(document.json()) {}

  StoredKernels read() const {
    return document_.converted([this] { return convert(); });
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { document_.fail(what); }

  StoredKernels convert() const {
    StoredKernels stored;
    stored.classes = json_.at("classes").get<std::vector<std::string>>();
    if (stored.classes.size() < 2 || stored.classes.size() > 65535) fail("has an impossible number of classes");
    KeptExpansion& model = stored.model;
    model.features = document_.whole(json_.at("feature_count"), "an impossible shape", std::size_t(1) << 31);
    if (model.features == 0) fail("has an impossible shape");
    stored.feature_names = json_.at("features").get<std::vector<std::string>>();
    if (stored.feature_names.size() != model.features) fail("has parts of different lengths");
    const bool binary = known("form", {"binary", "multiclass"}) == "binary";
    if (binary && stored.classes.size() != 2) fail("has an impossible number of classes");
    model.intercepts = document_.numbers(json_.at("intercept"), binary ? 1 : stored.classes.size());
    read_kernels(model);
    read_samples(model);
    read_terms(model);
    stored.scale = json_.at("scale").get<double>();
    if (!std::isfinite(stored.scale) || stored.scale == 0) fail("has an impossible scale");
    if (const Json& by = json_.at("standardisation"); !by.is_null()) {
      std::vector<std::size_t> all(model.features);
      for (std::size_t j = 0; j < all.size(); ++j) all[j] = j;
      stored.standardisation = document_.column_scales(by, "mean", all, model.features);
      for (const auto& column : stored.standardisation)
        if (!(column.scale > 0)) fail("has an impossible standardisation");
    }
    if (!json_.value("preparation", Json()).is_null()) fail("has a preparation that this command does not know");
    (void)known("loss", {"squared-hinge"});
    (void)known("penalty", {"mixed-norm"});
    stored.precision = known("precision", {"float", "double"});
    stored.p = norm("p");
    stored.q = norm("q");
    stored.r = norm("r");
    stored.lambda = json_.at("lambda").get<double>();
    stored.samples = document_.samples();
    if (stored.precision == "float")
      for (auto* values : {&model.coefficients, &model.intercepts})
        for (double& value : *values) value = static_cast<float>(value);
    for (const auto& row : json_.value("self_test", Json::array()))
      stored.self_test.push_back(document_.numbers(row, model.features));
    return stored;
  }

  std::string known(const char* what, std::initializer_list<const char*> names) const {
    const auto value = json_.at(what).get<std::string>();
    if (std::none_of(names.begin(), names.end(), [&](const char* name) { return value == name; }))
      fail(std::string("has an unknown ") + what);
    return value;
  }
  int norm(const char* which) const {
    return static_cast<int>(document_.whole(json_.at(which), "an impossible norm", 3));
  }
  std::vector<Index> indices(const Json& json, std::size_t end) const {
    const auto wide = document_.indices(json, end);
    return {wide.begin(), wide.end()};
  }

  void read_kernels(KeptExpansion& model) const {
    for (const auto& entry : json_.at("kernels").get<std::vector<Json>>()) {
      const auto kind = entry.at("kind").get<std::string>();
      const auto* found =
          std::find_if(std::begin(all_kernels), std::end(all_kernels), [&](KernelKind k) { return kind == name(k); });
      if (found == std::end(all_kernels)) fail("has a kernel that this command does not know");
      const auto values = document_.numbers(entry.at("parameters"), parameters(*found));
      Kernel<double>& kernel = model.kernels.emplace_back();
      kernel.kind = *found;
      if (!values.empty()) kernel.a = values[0];
      if (values.size() > 1) kernel.b = values[1];
      if (kernel.refusal()) fail("has a kernel with impossible parameters");
    }
  }
  void read_samples(KeptExpansion& model) const {
    const Json& samples = json_.at("coefficients").at("samples");
    model.origins = indices(samples.at("indices"), std::size_t(1) << 32);
    if (std::adjacent_find(model.origins.begin(), model.origins.end(), std::greater_equal<>()) != model.origins.end())
      fail("has sample indices out of order");
    const auto rows = samples.at("values").get<std::vector<Json>>();
    if (rows.size() != model.origins.size()) fail("has parts of different lengths");
    for (const auto& row : rows) {
      const auto values = document_.numbers(row, model.features);
      model.samples.insert(model.samples.end(), values.begin(), values.end());
    }
  }
  void read_terms(KeptExpansion& model) const {
    const Json& terms = json_.at("coefficients").at("terms");
    const auto kernels = indices(terms.at("kernels"), model.kernels.size());
    const auto samples = indices(terms.at("samples"), model.origins.size());
    const auto rows = terms.at("values").get<std::vector<Json>>();
    if (samples.size() != kernels.size() || rows.size() != kernels.size()) fail("has parts of different lengths");
    for (std::size_t t = 0; t < rows.size(); ++t) {
      model.terms.push_back({kernels[t], samples[t]});
      const auto values = document_.numbers(rows[t], model.intercepts.size());
      model.coefficients.insert(model.coefficients.end(), values.begin(), values.end());
      if (t && std::tuple(kernels[t - 1], samples[t - 1]) >= std::tuple(kernels[t], samples[t]))
        fail("has terms out of order");
    }
  }

  const ModelDocument& document_;
  const Json& json_;
};

}  // namespace

StoredKernels read_kernels(const ModelDocument& document) { return KernelReader(document).read(); }

std::vector<std::string> names_to_expect(const StoredKernels& model) {
  std::vector<std::string> names = model.feature_names;
  for (std::size_t j = 0; j < names.size(); ++j)
    if (names[j] == "x" + std::to_string(j)) names[j].clear();
  return names;
}

void standardise_by(Table& table, const std::vector<ColumnScale<double>>& columns) {
  for (std::size_t j = 0; j < columns.size(); ++j)
    standardise_column(table.values.data() + j * table.samples, static_cast<Index>(table.samples), columns[j]);
}

std::vector<double> scores(const Table& table, const KernelExpansion<double>& model) {
  std::vector<double> out, row(model.outputs);
  for (std::size_t i = 0; i < table.samples; ++i) {
    model.scores({table.values.data() + i, static_cast<Index>(table.features), table.samples}, row.data());
    for (const double score : row)
      if (!std::isfinite(score))
        throw DataError(table.path + ", line " + std::to_string(table.lines[i]) +
                        ": a kernel of this sample and one of the model has no finite value");
    if (model.outputs == 1) out.push_back(-row[0]);
    out.insert(out.end(), row.begin(), row.end());
  }
  return out;
}

}  // namespace tamis::cli
