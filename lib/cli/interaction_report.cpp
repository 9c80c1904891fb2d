#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "interaction_task.hpp"
#include "readers.hpp"
#include "tamis/version.hpp"
#include "terminal.hpp"

namespace tamis::cli {

namespace {

using Json = nlohmann::ordered_json;
using Term = InteractionTerm<double>;

std::string name_of(const Table& table, std::size_t feature) {
  return table.feature_names.empty() ? "x" + std::to_string(feature) : table.feature_names[feature];
}
std::string words(const Table& table, const Term& term) {
  return term.is_product() ? name_of(table, term.first) + "·" + name_of(table, term.second)
                           : name_of(table, term.first);
}

/// The terms, by output, the largest first.
std::vector<Term> sorted(const KeptTerms& terms) {
  std::vector<Term> out = terms.terms;
  std::stable_sort(out.begin(), out.end(), [](const Term& a, const Term& b) {
    return a.output != b.output ? a.output < b.output : std::abs(a.coefficient) > std::abs(b.coefficient);
  });
  return out;
}

}  // namespace

std::string to_json(const InteractionArguments& a, const InteractionTask& task, const InteractionFit& fit,
                    const InteractionOutcome& outcome) {
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  const auto& r = fit.report;
  Json terms = Json::array();
  for (const Term& term : sorted(outcome.terms)) {
    Json features = Json::array({name_of(task.train, term.first)});
    if (term.is_product()) features.push_back(name_of(task.train, term.second));
    Json entry{{"features", features}, {"coefficient", term.coefficient}};
    if (!task.regression()) entry["class"] = task.classes[term.output];
    terms.push_back(entry);
  }
  Json out{{"status", name(r.status)},
           {"loss", a.loss},
           {"penalty", "hierarchical"},
           {"hierarchy", name(task.hierarchy)},
           {"norm", name(task.norm)},
           {"solver", name(task.solver)},
           {"precision", a.precision},
           {"samples", task.train.samples},
           {"features", task.train.features},
           {"classes", task.regression() ? Json(nullptr) : Json(task.outputs())},
           {"lambda", task.options.lambda},
           {"lambda2", task.hierarchy == Hierarchy::main ? Json(nullptr) : Json(task.second(task.options.lambda))},
           {"lambda_max", number(r.lambda_max)},
           {"objective", number(r.objective)},
           {"dual_objective", number(r.dual_objective)},
           {"gap", number(r.gap)},
           {"relative_gap", number(r.relative_gap)},
           {"kkt_residual", nullptr},
           {"iterations", r.iterations},
           {"epochs", number(r.epochs)},
           {"seconds", fit.seconds},
           {"nonzeros", r.nonzeros},
           {"nonzero_rows", r.nonzero_rows},
           {"main_effects", outcome.main_effects},
           {"interactions", outcome.terms.terms.size() - outcome.main_effects},
           {"arena_bytes", r.arena_bytes},
           {"arena_used_bytes", r.arena_used_bytes},
           {"data_bytes", fit.data_bytes}};
  if (task.regression()) {
    out["train_mse"] = *outcome.error;
    out["test_mse"] = outcome.test_error ? Json(*outcome.test_error) : Json(nullptr);
  } else {
    out["train_accuracy"] = outcome.train->accuracy();
    out["test_accuracy"] = outcome.test ? Json(outcome.test->accuracy()) : Json(nullptr);
    out["confusion"] = (outcome.test ? *outcome.test : *outcome.train).confusion;
  }
  for (const char* none : {"eta", "constraint_value", "multiplier"}) out[none] = nullptr;
  if (!out.contains("confusion")) out["confusion"] = nullptr;
  out["test_unseen"] = outcome.test ? Json(outcome.test->unseen) : Json(nullptr);
  out["standardisation"] = nullptr;
  if (outcome.standardisation) {
    out["standardisation"] = Json::array();
    for (const auto& column : outcome.standardisation->columns)
      out["standardisation"].push_back({{"mean", column.mean}, {"scale", column.scale}});
  }
  out["intercepts"] = fit.intercepts;
  out["terms"] = terms;
  out["selection"] = fit.selection ? in_json(a.grid, *fit.selection) : Json(nullptr);
  out["notes"] = outcome.notes;
  out["trace"] = in_json(fit.trace);
  out["version"] = tamis::version;
  return out.dump(2) + "\n";
}

std::string summary(const InteractionArguments& a, const InteractionTask& task, const InteractionFit& fit,
                    const InteractionOutcome& outcome) {
  const auto format = [](const char* pattern, auto... values) {
    char line[400];
    std::snprintf(line, sizeof line, pattern, values...);
    return std::string(line);
  };
  const auto& r = fit.report;
  std::string out;
  if (fit.selection) out += summary(a.grid, *fit.selection);
  out += format("%s: objective %.6g, %s in %.0f ms (%u iterations)\n", name(r.status), r.objective,
                certified(r.relative_gap, a.precision).c_str(), 1000 * fit.seconds, r.iterations);
  out += "kept: " + in_words(outcome.main_effects, "main effect") + ", " +
         in_words(outcome.terms.terms.size() - outcome.main_effects, "interaction");
  if (std::isfinite(r.lambda_max))
    out += format(" (lambda %.3g; none from %.3g times this penalty on)", task.options.lambda,
                  r.lambda_max / task.options.lambda);
  if (task.regression()) {
    out += format("\ntrain: mean squared error %.4g", *outcome.error);
    if (outcome.test_error) out += format("; test: %.4g", *outcome.test_error);
  } else {
    out += format("\ntrain: %zu of %zu right", outcome.train->right, outcome.train->total);
    if (outcome.test) out += format("; test: %zu of %zu right", outcome.test->right, outcome.test->total);
  }
  out += format("\narena: %zu bytes, data: %zu bytes\n", r.arena_bytes, fit.data_bytes);
  constexpr std::size_t most = 12;
  const auto terms = sorted(outcome.terms);
  std::size_t next = 0;
  for (std::size_t k = 0; k < task.outputs(); ++k) {
    out += task.regression() ? "\n" : "\n" + task.classes[k] + "\n";
    std::size_t shown = 0, more = 0;
    for (; next < terms.size() && terms[next].output == k; ++next) {
      const Term& term = terms[next];
      if (++shown <= most) out += format("  %+-12.4g ", term.coefficient) + words(task.train, term) + "\n";
      else ++more;
    }
    if (more) out += format("  … and %zu smaller terms (--report has them all)\n", more);
    if (fit.intercepts[k] != 0) out += format("  %+-12.4g intercept\n", fit.intercepts[k]);
  }
  for (const auto& note : outcome.notes) out += "note: " + note + "\n";
  return out;
}

}  // namespace tamis::cli
