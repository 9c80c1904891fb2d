#include "interaction_model_file.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "model_document.hpp"
#include "model_file.hpp"
#include "tamis/penalty/hierarchical.hpp"
#include "tamis/version.hpp"

namespace tamis::cli {

using Json = ModelDocument::Json;

std::vector<std::size_t> KeptTerms::kept() const {
  std::set<std::size_t> out;
  for (const auto& term : terms) {
    out.insert(term.first);
    if (term.is_product()) out.insert(term.second);
  }
  return {out.begin(), out.end()};
}

void KeptTerms::round_to_float() {
  for (auto& term : terms) term.coefficient = static_cast<float>(term.coefficient);
  for (double& b : intercepts) b = static_cast<float>(b);
}

namespace {

/// A sum that knows what of it may be rounding.
struct Summed {
  double value = 0, size = 0;
  unsigned count = 0;

  void add(double summand) {
    value += summand;
    size += std::abs(summand);
    ++count;
  }
  bool is_rounding() const { return std::abs(value) <= (4 * count + 16) * epsilon<double> * size; }
};

/// The terms in x that have the scores of `from` in (x − mean)/scale.
KeptTerms substituted(const KeptTerms& from, const std::vector<ColumnScale<double>>& by) {
  KeptTerms out{from.features, {}, {}};
  const auto view = from.view();
  for (Index k = 0; k < view.outputs; ++k) {
    std::vector<Summed> effects(from.features);
    double intercept = view.intercept(k);
    std::vector<InteractionTerm<double>> products;
    for (const auto& term : view.of(k)) {
      const auto [mean, scale] = by[term.first];
      const double slope = term.coefficient / scale;
      if (!term.is_product()) {
        effects[term.first].add(slope);
        intercept -= slope * mean;
        continue;
      }
      const auto [other_mean, other_scale] = by[term.second];
      const double product = slope / other_scale;
      products.push_back({k, term.first, term.second, product});
      effects[term.first].add(-product * other_mean);
      effects[term.second].add(-product * mean);
      intercept += product * mean * other_mean;
    }
    for (Index j = 0; j < view.features; ++j)
      if (!effects[j].is_rounding()) out.terms.push_back({k, j, no_feature, effects[j].value});
    out.terms.insert(out.terms.end(), products.begin(), products.end());
    out.intercepts.push_back(intercept);
  }
  return out;
}

std::string name_of(const StoredInteractions& model, std::size_t feature) {
  return model.feature_names.empty() || model.feature_names[feature].empty() ? "x" + std::to_string(feature)
                                                                             : model.feature_names[feature];
}

}  // namespace

KeptTerms KeptTerms::in_original_units(const std::vector<ColumnScale<double>>& by) const {
  return substituted(*this, by);
}

KeptTerms KeptTerms::around_means(const std::vector<ColumnScale<double>>& by) const {
  std::vector<ColumnScale<double>> back;
  for (const auto& column : by) back.push_back({-column.mean, 1});
  return substituted(*this, back);
}

std::string to_json(const StoredInteractions& model) {
  const auto number = [&](double value) { return model.in_float() ? shortest(static_cast<float>(value)) : value; };
  const auto kept = model.model.kept();
  Json names = Json::array(), means = Json::array(), scales = Json::array(), samples = Json::array();
  for (const std::size_t j : kept) {
    names.push_back(name_of(model, j));
    if (model.standardisation.empty()) continue;
    means.push_back(model.standardisation[j].mean);
    scales.push_back(model.standardisation[j].scale);
  }
  Json effect_outputs = Json::array(), effect_features = Json::array(), effects = Json::array();
  Json product_outputs = Json::array(), first = Json::array(), second = Json::array(), products = Json::array();
  for (const auto& term : model.model.terms) {
    (term.is_product() ? product_outputs : effect_outputs).push_back(term.output);
    (term.is_product() ? first : effect_features).push_back(term.first);
    if (term.is_product()) second.push_back(term.second);
    (term.is_product() ? products : effects).push_back(number(term.coefficient));
  }
  Json intercepts = Json::array();
  for (const double b : model.model.intercepts) intercepts.push_back(number(b));
  for (const auto& sample : model.self_test) {
    Json& row = samples.emplace_back(Json::array());
    for (const std::size_t j : kept) row.push_back(sample[j]);
  }

  Json json;
  json["format"] = "tamis-model";
  json["version"] = 1;
  json["kind"] = "interactions";
  json["written_by"] = std::string("tamis ") + tamis::version;
  json["classes"] = model.regression() ? Json(nullptr) : Json(model.classes);
  json["feature_count"] = model.model.features;
  json["features"] = names;
  json["coefficients"] = {
      {"indices", kept},
      {"main_effects", {{"outputs", effect_outputs}, {"indices", effect_features}, {"values", effects}}},
      {"products", {{"outputs", product_outputs}, {"first", first}, {"second", second}, {"values", products}}}};
  json["intercept"] = intercepts;
  json["scale"] = model.scale;
  json["standardisation"] = model.standardisation.empty() ? Json(nullptr) : Json{{"mean", means}, {"scale", scales}};
  json["preparation"] = nullptr;
  json["loss"] = model.loss;
  json["penalty"] = "hierarchical";
  json["hierarchy"] = model.hierarchy;
  json["norm"] = model.norm;
  json["lambda"] = model.lambda;
  json["lambda2"] = std::isfinite(model.lambda2) ? Json(model.lambda2) : Json(nullptr);
  json["samples"] = model.samples;
  json["precision"] = model.precision;
  json["self_test"] = samples;
  return json.dump(2) + "\n";
}

namespace {

/// Reads one model with interactions.
class InteractionReader {
 public:
  explicit InteractionReader(const ModelDocument& document) : document_(document), json_(document.json()) {}

  StoredInteractions read() const {
    return document_.converted([this] { return convert(); });
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { document_.fail(what); }

  StoredInteractions convert() const {
    StoredInteractions model;
    if (!json_.at("classes").is_null()) {
      model.classes = json_.at("classes").get<std::vector<std::string>>();
      if (model.classes.size() < 2 || model.classes.size() > 65535) fail("has an impossible number of classes");
    }
    KeptTerms& terms = model.model;
    constexpr std::size_t most_features = std::size_t(1) << 20;  // whose squares no memory holds
    terms.features = document_.whole(json_.at("feature_count"), "an impossible shape", most_features + 1);
    if (terms.features == 0) fail("has an impossible shape");
    const Json& coefficients = json_.at("coefficients");
    const auto kept = document_.indices(coefficients.at("indices"), terms.features);
    if (std::adjacent_find(kept.begin(), kept.end(), std::greater_equal<>()) != kept.end())
      fail("has feature indices out of order");
    read_names(model, kept);
    const std::size_t outputs = model.regression() ? 1 : model.classes.size();
    terms.intercepts = document_.numbers(json_.at("intercept"), outputs);
    read_terms(terms, kept, outputs);
    model.scale = json_.at("scale").get<double>();
    if (!std::isfinite(model.scale) || model.scale == 0) fail("has an impossible scale");
    if (const Json& by = json_.at("standardisation"); !by.is_null()) {
      model.standardisation = document_.column_scales(by, "mean", kept, terms.features);
      for (const auto& column : model.standardisation)
        if (!(column.scale > 0)) fail("has an impossible standardisation");
    }
    if (!json_.value("preparation", Json()).is_null()) fail("has a preparation that this command does not know");
    read_training(model);
    if (model.in_float()) terms.round_to_float();
    for (const auto& row : json_.value("self_test", Json::array())) {
      const auto values = document_.numbers(row, kept.size());
      auto& sample = model.self_test.emplace_back(terms.features);
      for (std::size_t r = 0; r < kept.size(); ++r) sample[kept[r]] = values[r];
    }
    return model;
  }

  void read_names(StoredInteractions& model, const std::vector<std::size_t>& kept) const {
    const auto names = json_.at("features").get<std::vector<std::string>>();
    if (names.size() != kept.size()) fail("has parts of different lengths");
    model.feature_names.resize(model.model.features);
    for (std::size_t r = 0; r < kept.size(); ++r) model.feature_names[kept[r]] = names[r];
  }

  void read_terms(KeptTerms& model, const std::vector<std::size_t>& kept, std::size_t outputs) const {
    const Json& effects = json_.at("coefficients").at("main_effects");
    const Json& products = json_.at("coefficients").at("products");
    const auto add = [&](const std::vector<std::size_t>& of, const std::vector<std::size_t>& first,
                         const std::vector<std::size_t>* second, const std::vector<double>& values) {
      if (of.size() != values.size() || first.size() != values.size() || (second && second->size() != values.size()))
        fail("has parts of different lengths");
      for (std::size_t t = 0; t < values.size(); ++t)
        model.terms.push_back({static_cast<Index>(of[t]), static_cast<Index>(first[t]),
                               second ? static_cast<Index>((*second)[t]) : no_feature, values[t]});
    };
    const auto of_effects = document_.indices(effects.at("outputs"), outputs);
    add(of_effects, document_.indices(effects.at("indices"), model.features), nullptr,
        document_.numbers(effects.at("values"), of_effects.size()));
    const auto second = document_.indices(products.at("second"), model.features);
    add(document_.indices(products.at("outputs"), outputs), document_.indices(products.at("first"), model.features),
        &second, document_.numbers(products.at("values"), second.size()));
    const auto order = [](const InteractionTerm<double>& t) {
      return std::tuple(t.output, t.is_product(), t.first, t.second);
    };
    std::sort(model.terms.begin(), model.terms.end(),
              [&](const auto& a, const auto& b) { return order(a) < order(b); });
    for (std::size_t t = 0; t < model.terms.size(); ++t) {
      const auto& term = model.terms[t];
      if (term.is_product() && term.first > term.second) fail("has a product of features out of order");
      if (t && order(term) == order(model.terms[t - 1])) fail("has a term twice");
    }
    if (model.kept() != kept) fail("has other feature indices than those of its terms");
  }

  /// How it was trained.
  void read_training(StoredInteractions& model) const {
    const auto text = [this](const char* key) { return json_.at(key).get<std::string>(); };
    const auto known = [&](const std::string& value, const char* what, std::initializer_list<const char*> names) {
      if (std::none_of(names.begin(), names.end(), [&](const char* name) { return value == name; }))
        fail(std::string("has an unknown ") + what);
      return value;
    };
    model.loss = known(text("loss"), "loss", {model.regression() ? "least-squares" : "squared-hinge"});
    (void)known(text("penalty"), "penalty", {"hierarchical"});
    model.hierarchy =
        known(text("hierarchy"), "hierarchy",
              {name(Hierarchy::weak), name(Hierarchy::strong), name(Hierarchy::full), name(Hierarchy::main)});
    model.norm = known(
        text("norm"), "norm",
        {name(HierarchyNorm::l1), name(HierarchyNorm::linf), name(HierarchyNorm::l2), name(HierarchyNorm::ridge)});
    model.precision = known(text("precision"), "precision", {"float", "double"});
    model.lambda = json_.at("lambda").get<double>();
    if (!json_.at("lambda2").is_null()) model.lambda2 = json_.at("lambda2").get<double>();
    model.samples = document_.samples();
  }

  const ModelDocument& document_;
  const Json& json_;
};

}  // namespace

StoredInteractions read_interactions(const ModelDocument& document) { return InteractionReader(document).read(); }

std::vector<std::string> names_to_expect(const StoredInteractions& model) {
  std::vector<std::string> names = model.feature_names;
  for (std::size_t j = 0; j < names.size(); ++j)
    if (names[j] == "x" + std::to_string(j)) names[j].clear();
  return names;
}

void make_dense(Table& table) {
  if (!table.sparse) return;
  std::vector<double> values(table.samples * table.features);
  for (std::size_t j = 0; j < table.features; ++j)
    for (auto e = table.starts[j]; e < table.starts[j + 1]; ++e)
      values[table.rows[e] + j * table.samples] = table.values[e];
  table.values = std::move(values);
  table.rows.clear();
  table.starts.clear();
  table.sparse = false;
}

std::vector<double> scores(const Table& table, const InteractionTerms<double>& model) {
  std::vector<double> out(table.samples * model.outputs);
  for (std::size_t i = 0; i < table.samples; ++i)
    model.scores(table.values.data() + i, out.data() + i * model.outputs, table.samples);
  return out;
}

}  // namespace tamis::cli
