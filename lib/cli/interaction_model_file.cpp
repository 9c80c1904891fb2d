#include "interaction_model_file.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "model_document.hpp"
#include "tamis/penalty/hierarchical.hpp"

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

}  // namespace

KeptTerms KeptTerms::in_original_units(const std::vector<ColumnScale<double>>& by) const {
  return substituted(*this, by);
}

KeptTerms KeptTerms::around_means(const std::vector<ColumnScale<double>>& by) const {
  std::vector<ColumnScale<double>> back;
  back.reserve(by.size());
  for (const auto& column : by) back.push_back({-column.mean, 1});
  return substituted(*this, back);
}

std::string to_json(const StoredInteractions& model) {
  const auto kept = model.model.kept();
  ModelWriter json(model, "interactions", model.model.features, kept, model.in_float());
  Json effect_outputs = Json::array(), effect_features = Json::array(), effects = Json::array();
  Json product_outputs = Json::array(), first = Json::array(), second = Json::array(), products = Json::array();
  for (const auto& term : model.model.terms) {
    (term.is_product() ? product_outputs : effect_outputs).push_back(term.output);
    (term.is_product() ? first : effect_features).push_back(term.first);
    if (term.is_product()) second.push_back(term.second);
    (term.is_product() ? products : effects).push_back(json.number(term.coefficient));
  }
  json["coefficients"] = {
      {"indices", kept},
      {"main_effects", {{"outputs", effect_outputs}, {"indices", effect_features}, {"values", effects}}},
      {"products", {{"outputs", product_outputs}, {"first", first}, {"second", second}, {"values", products}}}};
  json.add_scales(model.model.intercepts);
  json["preparation"] = nullptr;
  json["loss"] = model.loss;
  json["penalty"] = model.penalty;
  json["hierarchy"] = model.hierarchy;
  json["norm"] = model.norm;
  json["lambda"] = model.lambda;
  json["lambda2"] = std::isfinite(model.lambda2) ? Json(model.lambda2) : Json(nullptr);
  json["samples"] = model.samples;
  json["precision"] = model.precision;
  return json.finish(kept);
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
    if (!json_.at("classes").is_null()) model.classes = document_.class_names();
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
    model.loss = document_.known("loss", {model.regression() ? "least-squares" : "squared-hinge"});
    model.penalty = document_.known("penalty", {"hierarchical"});
    model.hierarchy = document_.known(
        "hierarchy", {name(Hierarchy::weak), name(Hierarchy::strong), name(Hierarchy::full), name(Hierarchy::main)});
    model.norm = document_.known("norm", {name(HierarchyNorm::l1), name(HierarchyNorm::linf), name(HierarchyNorm::l2),
                                          name(HierarchyNorm::ridge)});
    if (!json_.at("lambda2").is_null()) model.lambda2 = json_.at("lambda2").get<double>();
    document_.read_plain_record(model, kept, terms.features);
    if (model.in_float()) {
      terms.round_to_float();
      document_.check_floats(terms.intercepts);
      for (const auto& term : terms.terms) document_.check_floats({term.coefficient});
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

  const ModelDocument& document_;
  const Json& json_;
};

}  // namespace

StoredInteractions read_interactions(const ModelDocument& document) { return InteractionReader(document).read(); }

std::vector<double> scores(const Table& table, const InteractionTerms<double>& model) {
  std::vector<double> out(table.samples * model.outputs);
  for (std::size_t i = 0; i < table.samples; ++i)
    model.scores(table.values.data() + i, out.data() + i * model.outputs, table.samples);
  return out;
}

}  // namespace tamis::cli
