#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "interaction_task.hpp"
#include "readers.hpp"

namespace tamis::cli {

namespace {

struct InteractionOutcome : FamilyOutcome {
  std::optional<double> error, test_error;  // of a regression
  KeptTerms terms;
  std::size_t main_effects = 0;
};

double mean_squared_error(const std::vector<double>& truth, const std::vector<double>& scores) {
  Sum<double> total;
  for (std::size_t i = 0; i < truth.size(); ++i) total.add((truth[i] - scores[i]) * (truth[i] - scores[i]));
  return total.value() / static_cast<double>(truth.size());
}

/// F in double, of the coefficients as they are kept.
double objective_of(const InteractionTask& task, const InteractionModel<double>& model,
                    const std::vector<double>& scores) {
  Sum<double> loss;
  for (std::size_t i = 0; i < task.train.samples; ++i) {
    if (task.regression()) {
      loss.add((task.truth[i] - scores[i]) * (task.truth[i] - scores[i]) / 2);
      continue;
    }
    loss.add(SquaredHinge{}.value(scores.data() + i * model.outputs, model.outputs, task.labels[i], 1.0));
  }
  const HierarchicalPenalty<double> penalty{task.hierarchy, task.norm, task.options.lambda,
                                            task.second(task.options.lambda)};
  Sum<double> total;
  for (Index k = 0; k < model.outputs; ++k)
    for (Index j = 0; j < model.features; ++j) total.add(penalty.value(model.row(k, j), model.features));
  return loss.value() / static_cast<double>(task.train.samples) + total.value();
}

/// The terms, rounded to the precision of training.
KeptTerms kept_terms(const InteractionArguments& a, const InteractionTask& task, const InteractionFit& found) {
  const auto model = found.model(static_cast<Index>(task.train.features), task.outputs());
  KeptTerms out{task.train.features, std::vector<InteractionTerm<double>>(count_terms(model)), found.intercepts};
  take_terms<double>(model, out.terms);
  if (a.precision == "float") out.round_to_float();
  return out;
}

StoredInteractions stored(const InteractionArguments& a, const InteractionTask& task,
                          const InteractionOutcome& outcome) {
  StoredInteractions out;
  describe(out, a, task);
  out.model = task.standardisation ? outcome.terms.in_original_units(out.standardisation) : outcome.terms;
  out.loss = a.loss;
  out.penalty = "hierarchical";
  out.hierarchy = name(task.hierarchy);
  out.norm = name(task.norm);
  if (task.hierarchy != Hierarchy::main) out.lambda2 = task.second(task.options.lambda);
  return out;
}

InteractionOutcome outcome_of(const InteractionArguments& a, const InteractionTask& task, InteractionFit& found) {
  InteractionOutcome outcome;
  outcome.notes = task.notes;
  outcome.terms = kept_terms(a, task, found);
  const auto terms = outcome.terms.view();
  for (const auto& term : terms.terms) outcome.main_effects += !term.is_product();
  const auto z = scores(task.train, terms);
  const auto test_z = task.test ? scores(*task.test, terms) : std::vector<double>();
  found.report.objective = objective_of(task, found.model(terms.features, terms.outputs), z);
  if (!task.regression()) {
    outcome.evaluate(task, z, test_z);
  } else {
    outcome.error = mean_squared_error(task.truth, z);
    if (task.test) outcome.test_error = mean_squared_error(task.test_truth, test_z);
  }
  return outcome;
}

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

std::string to_json(const InteractionArguments& a, const InteractionTask& task, const InteractionFit& fit,
                    const InteractionOutcome& outcome) {
  Json terms = Json::array();
  for (const Term& term : sorted(outcome.terms)) {
    Json features = Json::array({name_of(task.train, term.first)});
    if (term.is_product()) features.push_back(name_of(task.train, term.second));
    Json entry{{"features", features}, {"coefficient", term.coefficient}};
    if (!task.regression()) entry["class"] = task.classes[term.output];
    terms.push_back(entry);
  }
  Json out{{"status", name(fit.report.status)},
           {"loss", a.loss},
           {"penalty", "hierarchical"},
           {"hierarchy", name(task.hierarchy)},
           {"norm", name(task.norm)}};
  add_problem(out, a, task, name(task.solver));
  out["lambda2"] = task.hierarchy == Hierarchy::main ? Json(nullptr) : Json(task.second(task.options.lambda));
  add_certificate(out, fit.report, fit.run.seconds);
  add_counts(out, fit.report);
  out["main_effects"] = outcome.main_effects;
  out["interactions"] = outcome.terms.terms.size() - outcome.main_effects;
  add_memory(out, fit.report, fit.data_bytes);
  if (task.regression()) {
    out["train_mse"] = *outcome.error;
    out["test_mse"] = outcome.test_error ? Json(*outcome.test_error) : Json(nullptr);
  } else {
    add_judgement(out, outcome);
  }
  add_no_constraint(out);
  if (task.regression()) out["confusion"] = nullptr;
  add_standardisation(out, task, outcome);
  out["intercepts"] = fit.intercepts;
  out["terms"] = terms;
  add_selection(out, a, fit);
  return finish(out, fit, outcome);
}

std::string summary(const InteractionArguments& a, const InteractionTask& task, const InteractionFit& fit,
                    const InteractionOutcome& outcome) {
  const auto& r = fit.report;
  std::string out = summary_of_run(a, fit);
  out += "kept: " + in_words(outcome.main_effects, "main effect") + ", " +
         in_words(outcome.terms.terms.size() - outcome.main_effects, "interaction");
  if (std::isfinite(r.lambda_max))
    out += format(" (lambda %.3g; none from %.3g times this penalty on)", task.options.lambda,
                  r.lambda_max / task.options.lambda);
  if (task.regression()) {
    out += format("\ntrain: mean squared error %.4g", *outcome.error);
    if (outcome.test_error) out += format("; test: %.4g", *outcome.test_error);
  } else {
    out += summary_of_classes(outcome);
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
  return out + summary_of_notes(outcome);
}

}  // namespace

void declare_interactions(const Command& app) {
  auto a = std::make_shared<InteractionArguments>();
  const Command command = app.add_subcommand(
      "interactions",
      "learn which features, and which products of two, matter together, and certify it:\n"
      "(1/n) sum_i loss(b + v'x_i + x_i'Theta x_i, y_i) + lambda sum_j max(|v_j|, ||Theta_j||) + lambda2 ||Theta||_1");
  a->declare_samples(command, "samples: CSV or LIBSVM text, gzipped or not; targets are read as labels are")
      ->required();
  command
      .add_option("--hierarchy", a->hierarchy,
                  "weak: a product needs one of its features | strong: both | full: products alone as well | main: no "
                  "products")
      ->required();
  command
      .add_option(
          "--norm", a->norm,
          "how a feature pays for its products: l1 | linf | l2 (as one group with them) | ridge (squares of all, "
          "for full and main)")
      ->capture_default_str();
  const Option lambda = a->declare_lambda(command);
  const Option second = command.add_option("--lambda2", a->lambda2,
                                           "weight of the products' l1 norm (default: lambda/2; for full: lambda)");
  command.add_option("--lambda2-ratio", a->lambda2_ratio, "the same as a multiple of lambda")->excludes(second);
  a->grid.declare(command, lambda, "0.01");
  command.add_option("--loss", a->loss, "least-squares, for numbers | squared-hinge, for classes")
      ->capture_default_str();
  a->declare_solver(command);
  command.add_flag("--standardise", a->standardise,
                   "solve with features of mean 0 and variance 1; the terms in the model are of the features as they "
                   "stand");
  command.add_flag("--no-intercept", a->no_intercept, "without a free constant");
  a->declare_outputs(command, "of the folds; nothing else is drawn at random", "terms");
  command.callback([a] { run_family(*a, outcome_of); });
}

}  // namespace tamis::cli
