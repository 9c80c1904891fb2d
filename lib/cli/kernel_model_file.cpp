#include "kernel_model_file.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "arguments.hpp"
#include "errors.hpp"
#include "model_document.hpp"

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

namespace {

std::vector<std::size_t> all_features(const KeptExpansion& model) {
  std::vector<std::size_t> out(model.features);
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

}  // namespace

std::string to_json(const StoredKernels& stored) {
  const KeptExpansion& model = stored.model;
  const auto all = all_features(model);
  ModelWriter json(stored, "kernels", model.features, all, stored.precision == "float");
  Json kernels = Json::array(), of_kernels = Json::array(), of_samples = Json::array();
  Json samples = Json::array(), values = Json::array();
  for (const auto& kernel : model.kernels) {
    Json parameters_of = Json::array();
    if (parameters(kernel.kind) > 0) parameters_of.push_back(kernel.a);
    if (parameters(kernel.kind) > 1) parameters_of.push_back(kernel.b);
    kernels.push_back({{"kind", name(kernel.kind)}, {"parameters", parameters_of}});
  }
  for (auto row = model.samples.begin(); row != model.samples.end(); row += static_cast<std::ptrdiff_t>(all.size()))
    samples.push_back(std::vector<double>(row, row + static_cast<std::ptrdiff_t>(all.size())));
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    of_kernels.push_back(model.terms[t].kernel);
    of_samples.push_back(model.terms[t].sample);
    values.push_back(json.numbers(model.coefficients.data() + t * model.outputs(), model.outputs()));
  }
  json["kernels"] = kernels;
  json["coefficients"] = {{"samples", {{"indices", model.origins}, {"values", samples}}},
                          {"terms", {{"kernels", of_kernels}, {"samples", of_samples}, {"values", values}}}};
  json.add_scales(model.intercepts);
  json["preparation"] = nullptr;
  json["loss"] = stored.loss;
  json["form"] = model.outputs() == 1 ? "binary" : "multiclass";
  json["penalty"] = stored.penalty;
  json["p"] = stored.p;
  json["q"] = stored.q;
  json["r"] = stored.r;
  json["lambda"] = stored.lambda;
  json["samples"] = stored.samples;
  json["precision"] = stored.precision;
  return json.finish(all);
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
    stored.classes = document_.class_names();
    KeptExpansion& model = stored.model;
    model.features = document_.whole(json_.at("feature_count"), "an impossible shape", std::size_t(1) << 31);
    if (model.features == 0) fail("has an impossible shape");
    stored.feature_names = json_.at("features").get<std::vector<std::string>>();
    if (stored.feature_names.size() != model.features) fail("has parts of different lengths");
    const bool binary = document_.known("form", {"binary", "multiclass"}) == "binary";
    if (binary && stored.classes.size() != 2) fail("has an impossible number of classes");
    model.intercepts = document_.numbers(json_.at("intercept"), binary ? 1 : stored.classes.size());
    read_kernels(model);
    read_samples(model);
    read_terms(model);
    stored.loss = document_.known("loss", {"squared-hinge"});
    stored.penalty = document_.known("penalty", {"mixed-norm"});
    stored.p = norm("p");
    stored.q = norm("q");
    stored.r = norm("r");
    document_.read_plain_record(stored, all_features(model), model.features);
    if (stored.precision == "float")
      for (auto* values : {&model.coefficients, &model.intercepts})
        for (double& value : *values) value = static_cast<float>(value);
    return stored;
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
