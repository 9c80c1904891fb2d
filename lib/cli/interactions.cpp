#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "errors.hpp"
#include "fitting.hpp"
#include "readers.hpp"
#include "tamis/observer.hpp"
#include "tamis/solver/interaction_admm.hpp"
#include "tamis/version.hpp"
#include "terminal.hpp"

namespace tamis::cli {

namespace {

using Json = nlohmann::ordered_json;

struct InteractionArguments {
  std::string data, test;
  DataArguments reading;
  std::string hierarchy, norm = "l1", loss = "least-squares";
  std::string lambda, lambda2;
  std::string precision = "double";
  EffortArguments effort;
  bool standardise = false, no_intercept = false;
  std::string report;
  bool quiet = false;
};

/// The problem as the solver sees it; `truth` stands for y in a regression.
struct InteractionTask {
  Table train;
  std::optional<Table> test;
  std::vector<std::string> classes;
  std::vector<Label> labels, test_labels;
  std::vector<double> truth, test_truth;
  Hierarchy hierarchy;
  HierarchyNorm norm;
  double lambda2;
  Options<double> options;

  bool regression() const { return classes.empty(); }
  Index outputs() const { return regression() ? 1 : static_cast<Index>(classes.size()); }
};

/// What was found, in double: K matrices of features × (features + 1), the main effects last; and the intercepts.
struct InteractionFit {
  Report<double> report;
  std::vector<double> coefficients, intercepts;
  std::vector<TraceEntry> trace;
  double seconds = 0;
  std::size_t data_bytes = 0;

  InteractionModel<double> model(Index features, Index outputs) const {
    return {coefficients.data(), intercepts.data(), features, outputs};
  }
};

/// A coefficient that is not zero, of x_first or of x_first·x_second.
struct Term {
  std::size_t output, first, second;
  bool pair;
  double coefficient;
};

std::vector<double> real_targets(const Table& table, const std::string& labels_file) {
  std::vector<double> out;
  for (std::size_t i = 0; i < table.samples; ++i) {
    double value = 0;
    const NumberKind kind = parse_number(std::string_view(table.labels[i]), value);
    if (kind != NumberKind::finite)
      throw DataError((labels_file.empty() ? table.path + ", line " + std::to_string(table.lines[i])
                                           : labels_file + ", sample " + std::to_string(i + 1)) +
                      ": " + refusal(kind, table.labels[i]) + "; for classes give --loss squared-hinge");
    out.push_back(value);
  }
  return out;
}

/// Interactions have no use for zeros that are left out.
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

InteractionTask read_task(const InteractionArguments& a) {
  InteractionTask task;
  constexpr Hierarchy hierarchies[] = {Hierarchy::weak, Hierarchy::strong, Hierarchy::full, Hierarchy::main};
  constexpr HierarchyNorm norms[] = {HierarchyNorm::l1, HierarchyNorm::linf};
  task.hierarchy = kind_named("--hierarchy", a.hierarchy, hierarchies);
  task.norm = kind_named("--norm", a.norm, norms);
  if (a.loss != "least-squares" && a.loss != "squared-hinge")
    throw ArgumentError("--loss: '" + a.loss + "' is not one of least-squares, squared-hinge");
  if (a.precision != "float" && a.precision != "double")
    throw ArgumentError("--precision: '" + a.precision + "' is not one of float, double");
  task.options.lambda = parse_number("--lambda", a.lambda);
  if (!(task.options.lambda > 0))
    throw ArgumentError("--lambda: " + a.lambda +
                        " is not positive: without a penalty interactions are not determined");
  if (task.hierarchy == Hierarchy::main && !a.lambda2.empty())
    throw ArgumentError("--lambda2 is the weight of interactions, and --hierarchy main has none");
  task.lambda2 = !a.lambda2.empty()                  ? parse_number("--lambda2", a.lambda2)
                 : task.hierarchy == Hierarchy::full ? task.options.lambda
                                                     : task.options.lambda / 2;
  if (task.lambda2 < 0) throw ArgumentError("--lambda2: " + a.lambda2 + " is negative");
  if (task.hierarchy == Hierarchy::full && task.lambda2 == 0)
    throw ArgumentError("--lambda2: 0 leaves the products of --hierarchy full without a penalty");
  a.effort.set(task.options);
  task.options.intercept = !a.no_intercept;

  const auto options = a.reading.read_options();
  task.train = read_table(a.data, options);
  if (!a.test.empty()) {
    auto same = options;
    same.labels_file.clear();
    same.names = task.train.feature_names;
    task.test = read_table(a.test, same, task.train.features);
  }
  if (a.loss == "least-squares") {
    task.truth = real_targets(task.train, a.reading.labels_file);
    if (task.test) task.test_truth = real_targets(*task.test, "");
  } else {
    task.classes = class_names(task.train.labels);
    if (task.classes.size() < 2)
      throw DataError(a.data + ": all samples have the label '" + task.classes.front() +
                      "': classes need at least two");
    if (task.classes.size() > 65535)
      throw DataError(a.data + ": " + std::to_string(task.classes.size()) +
                      " different labels: choose the label column with --label, or take --loss least-squares");
    task.labels = encode(task.train, task.classes);
    if (task.test) task.test_labels = encode_known(*task.test, task.classes);
  }
  return task;
}

template <class T>
std::size_t bytes_for(const InteractionTask& task, Index features) {
  return InteractionAdmm<T>::requirement({static_cast<Index>(task.train.samples), features, task.outputs()}).bytes;
}

/// Throws MemoryError if --memory-limit does not suffice: before zeros are filled in, which may be most of the memory.
void check_memory(const InteractionArguments& a, const InteractionTask& task) {
  const auto bytes_of = [&](Index features) {
    return a.precision == "float" ? bytes_for<float>(task, features) : bytes_for<double>(task, features);
  };
  const auto features = static_cast<Index>(task.train.features);
  const std::size_t bytes = bytes_of(features), limit = a.effort.memory_limit;
  if (!limit || bytes <= limit) return;
  Index fits = 0, beyond = features;
  while (beyond - fits > 1) {
    const Index middle = fits + (beyond - fits) / 2;
    (bytes_of(middle) <= limit ? fits : beyond) = middle;
  }
  throw MemoryError("interactions of " + in_words(features, "feature") + " need " + std::to_string(bytes) +
                    " bytes, more than --memory-limit: " +
                    (fits ? in_words(fits, "feature") + " would fit" : "the samples alone are too many"));
}

template <class T>
InteractionFit fit(const InteractionArguments& a, const InteractionTask& task) {
  const std::vector<T> values(task.train.values.begin(), task.train.values.end());
  const std::vector<T> truth(task.truth.begin(), task.truth.end());
  const auto samples = static_cast<Index>(task.train.samples), features = static_cast<Index>(task.train.features);
  const DenseDesign<T> design(values.data(), samples, features);
  InteractionTargets<T> targets;
  if (task.regression()) targets.values = truth.data();
  else targets = {nullptr, task.labels, task.outputs()};
  const auto& o = task.options;
  const Options<T> options{.lambda = static_cast<T>(o.lambda),
                           .tolerance = static_cast<T>(o.tolerance),
                           .max_iterations = o.max_iterations,
                           .intercept = o.intercept};
  const ArenaMemory memory(bytes_for<T>(task, features));
  InteractionFit out;
  ProgressLine progress(!a.quiet);
  const auto started = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  };
  InteractionAdmm<T> solver(design, targets, task.hierarchy, task.norm, static_cast<T>(task.lambda2), options);
  solver.start(memory.span());
  advance_to_end(solver, [&](const Report<T>& now) {
    const auto objective = static_cast<double>(now.objective), gap = static_cast<double>(now.gap);
    out.trace.push_back({now.iterations, seconds(), objective, gap, now.nonzeros});
    progress.show(now.iterations, objective, static_cast<double>(now.relative_gap), now.nonzeros);
    return true;
  });
  out.seconds = seconds();
  const auto& r = solver.report();
  if (r.status == Status::invalid_lambda)
    throw ArgumentError(std::string("--lambda, --lambda2: ") + describe(r.status));
  if (r.status == Status::invalid_option) throw ArgumentError(describe(r.status));
  if (r.status == Status::invalid_data)
    throw DataError(a.data + ", line " + std::to_string(task.train.lines[r.row]) + ": " +
                    (r.column < features ? "feature " + std::to_string(r.column) : "the target") +
                    " is not finite in this precision");
  if (!has_model(r.status)) throw DataError(a.data + ": " + describe(r.status));
  out.report = {.status = r.status,
                .dual_objective = static_cast<double>(r.dual_objective),
                .lambda_max = static_cast<double>(r.lambda_max),
                .epochs = static_cast<double>(r.epochs),
                .iterations = r.iterations,
                .nonzeros = r.nonzeros,
                .nonzero_rows = r.nonzero_rows,
                .arena_bytes = r.arena_bytes,
                .arena_used_bytes = r.arena_used_bytes};
  out.data_bytes = values.size() * sizeof(T);
  const auto model = solver.model();
  const Index stride = padded<double>(features + 1);
  out.coefficients.assign(std::size_t{task.outputs()} * features * stride, 0);
  for (Index k = 0; k < task.outputs(); ++k) {
    for (Index j = 0; j < features; ++j)
      for (Index l = 0; l <= features; ++l)
        out.coefficients[(std::size_t{k} * features + j) * stride + l] = static_cast<double>(model.row(k, j)[l]);
    out.intercepts.push_back(static_cast<double>(model.intercept(k)));
  }
  return out;
}

std::vector<double> scores_of(const Table& table, const InteractionModel<double>& model) {
  std::vector<double> out;
  for (std::size_t i = 0; i < table.samples; ++i)
    for (Index k = 0; k < model.outputs; ++k) out.push_back(model.score(table.values.data() + i, table.samples, k));
  return out;
}

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
  const HierarchicalPenalty<double> penalty{task.hierarchy, task.norm, task.options.lambda, task.lambda2};
  Sum<double> total;
  for (Index k = 0; k < model.outputs; ++k)
    for (Index j = 0; j < model.features; ++j) total.add(penalty.value(model.row(k, j), model.features));
  return loss.value() / static_cast<double>(task.train.samples) + total.value();
}

/// What multiplies each feature and each product of two, by output, the largest first.
std::vector<Term> terms_of(const InteractionModel<double>& model) {
  std::vector<Term> out;
  for (Index k = 0; k < model.outputs; ++k) {
    const auto first = static_cast<std::ptrdiff_t>(out.size());
    for (Index j = 0; j < model.features; ++j) {
      if (model.main_effect(j, k) != 0) out.push_back({k, j, j, false, model.main_effect(j, k)});
      for (Index l = j; l < model.features; ++l)
        if (model.pair(j, l, k) != 0) out.push_back({k, j, l, true, model.pair(j, l, k)});
    }
    std::stable_sort(out.begin() + first, out.end(),
                     [](const Term& a, const Term& b) { return std::abs(a.coefficient) > std::abs(b.coefficient); });
  }
  return out;
}

struct Outcome {
  std::optional<double> error, test_error;  // of a regression
  std::optional<Evaluation> train, test;    // of classes
  std::vector<Term> terms;
  std::size_t main_effects = 0;
  std::optional<Standardisation> standardisation;  // of the features that the terms are of
  std::vector<std::string> notes;
};

std::string name_of(const Table& table, std::size_t feature) {
  return table.feature_names.empty() ? "x" + std::to_string(feature) : table.feature_names[feature];
}
std::string words(const Table& table, const Term& term) {
  return term.pair ? name_of(table, term.first) + "·" + name_of(table, term.second) : name_of(table, term.first);
}

std::string in_json(const InteractionArguments& a, const InteractionTask& task, const InteractionFit& fit,
                    const Outcome& outcome) {
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  const auto& r = fit.report;
  Json terms = Json::array();
  for (const Term& term : outcome.terms) {
    Json features = Json::array({name_of(task.train, term.first)});
    if (term.pair) features.push_back(name_of(task.train, term.second));
    Json entry{{"features", features}, {"coefficient", term.coefficient}};
    if (!task.regression()) entry["class"] = task.classes[term.output];
    terms.push_back(entry);
  }
  Json out{{"status", name(r.status)},
           {"loss", a.loss},
           {"penalty", "hierarchical"},
           {"hierarchy", name(task.hierarchy)},
           {"norm", name(task.norm)},
           {"solver", "admm"},
           {"precision", a.precision},
           {"samples", task.train.samples},
           {"features", task.train.features},
           {"classes", task.regression() ? Json(nullptr) : Json(task.outputs())},
           {"lambda", task.options.lambda},
           {"lambda2", task.hierarchy == Hierarchy::main ? Json(nullptr) : Json(task.lambda2)},
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
           {"interactions", outcome.terms.size() - outcome.main_effects},
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
  out["notes"] = outcome.notes;
  out["trace"] = in_json(fit.trace);
  out["version"] = tamis::version;
  return out.dump(2) + "\n";
}

std::string in_text(const InteractionTask& task, const InteractionFit& fit, const Outcome& outcome) {
  const auto format = [](const char* pattern, auto... values) {
    char line[400];
    std::snprintf(line, sizeof line, pattern, values...);
    return std::string(line);
  };
  const auto& r = fit.report;
  std::string out = format("%s: objective %.6g, certified within %.2g %% of optimal in %.0f ms (%u iterations)\n",
                           name(r.status), r.objective, 100 * r.relative_gap, 1000 * fit.seconds, r.iterations);
  out += "kept: " + in_words(outcome.main_effects, "main effect") + ", " +
         in_words(outcome.terms.size() - outcome.main_effects, "interaction");
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
  std::size_t next = 0;
  for (std::size_t k = 0; k < task.outputs(); ++k) {
    out += task.regression() ? "\n" : "\n" + task.classes[k] + "\n";
    std::size_t shown = 0, more = 0;
    for (; next < outcome.terms.size() && outcome.terms[next].output == k; ++next) {
      const Term& term = outcome.terms[next];
      if (++shown <= most) out += format("  %+-12.4g ", term.coefficient) + words(task.train, term) + "\n";
      else ++more;
    }
    if (more) out += format("  … and %zu smaller terms (--report has them all)\n", more);
    if (fit.intercepts[k] != 0) out += format("  %+-12.4g intercept\n", fit.intercepts[k]);
  }
  for (const auto& note : outcome.notes) out += "note: " + note + "\n";
  return out;
}

void run(const InteractionArguments& a) {
  InteractionTask task = read_task(a);
  check_memory(a, task);
  make_dense(task.train);
  if (task.test) make_dense(*task.test);
  Outcome outcome;
  double least = INFINITY, most = 0;
  for (std::size_t j = 0; j < task.train.features; ++j) {
    double square = 0;
    for (std::size_t i = 0; i < task.train.samples; ++i)
      square += std::pow(task.train.values[i + j * task.train.samples], 2);
    if (square > 0) least = std::min(least, square), most = std::max(most, square);
  }
  if (a.standardise) {
    const Standardisation& by = outcome.standardisation.emplace(standardise(task.train));
    if (task.test)
      for (std::size_t j = 0; j < task.test->features; ++j)
        for (std::size_t i = 0; i < task.test->samples; ++i) {
          double& x = task.test->values[i + j * task.test->samples];
          x = (x - by.columns[j].mean) / by.columns[j].scale;
        }
    outcome.notes.push_back("coefficients are those of features of mean 0 and variance 1");
  } else if (most > 1e6 * least) {
    outcome.notes.push_back(
        "features differ in size by more than 1000 times, and the penalty favours large ones: --standardise makes them "
        "alike");
  }
  InteractionFit found = a.precision == "float" ? fit<float>(a, task) : fit<double>(a, task);
  const auto model = found.model(static_cast<Index>(task.train.features), task.outputs());
  const auto scores = scores_of(task.train, model);
  auto& r = found.report;
  r.objective = objective_of(task, model, scores);
  r.gap = r.objective - r.dual_objective;
  r.relative_gap = r.gap / std::max({std::abs(r.objective), std::abs(r.dual_objective), 1e-12});
  outcome.terms = terms_of(model);
  for (const Term& term : outcome.terms) outcome.main_effects += !term.pair;
  if (task.regression()) {
    outcome.error = mean_squared_error(task.truth, scores);
    if (task.test) outcome.test_error = mean_squared_error(task.test_truth, scores_of(*task.test, model));
  } else {
    const std::size_t classes = task.classes.size();
    outcome.train = evaluate(task.labels, decide(scores, classes), classes);
    if (task.test) outcome.test = evaluate(task.test_labels, decide(scores_of(*task.test, model), classes), classes);
    if (outcome.test && outcome.test->unseen)
      outcome.notes.push_back(in_words(outcome.test->unseen, "test sample") +
                              " with labels that were not trained on: counted as wrong");
  }
  if (!a.report.empty()) write_file(a.report, in_json(a, task, found, outcome));
  if (!a.quiet) std::cout << in_text(task, found, outcome);
}

}  // namespace

void declare_interactions(CLI::App& app) {
  auto a = std::make_shared<InteractionArguments>();
  CLI::App& command = *app.add_subcommand(
      "interactions",
      "learn which features, and which products of two, matter together, and certify it:\n"
      "(1/n) sum_i loss(b + v'x_i + x_i'Theta x_i, y_i) + lambda sum_j max(|v_j|, ||Theta_j||) + lambda2 ||Theta||_1");
  command.add_option("data", a->data, "samples: CSV or LIBSVM text, gzipped or not; targets are read as labels are")
      ->required()
      ->type_name("DATA");
  command.add_option("--test", a->test, "samples to test on");
  a->reading.declare(command);
  command
      .add_option("--hierarchy", a->hierarchy,
                  "weak: a product needs one of its features | strong: both | full: products alone as well | main: no "
                  "products")
      ->required();
  command.add_option("--norm", a->norm, "how a feature pays for its products: l1 | linf")->capture_default_str();
  command.add_option("--lambda", a->lambda, "weight of the penalty: a number or a fraction such as 1/100")->required();
  command.add_option("--lambda2", a->lambda2, "weight of the products' l1 norm (default: lambda/2; for full: lambda)");
  command.add_option("--loss", a->loss, "least-squares, for numbers | squared-hinge, for classes")
      ->capture_default_str();
  command.add_option("--precision", a->precision, "float | double")->capture_default_str();
  command.add_flag("--standardise", a->standardise, "solve with features of mean 0 and variance 1");
  command.add_flag("--no-intercept", a->no_intercept, "without a free constant");
  a->effort.declare(command);
  command.add_option("--report", a->report, "write the report, with all terms, as JSON");
  command.add_flag("--quiet", a->quiet, "print nothing");
  command.callback([a] { run(*a); });
}

}  // namespace tamis::cli
