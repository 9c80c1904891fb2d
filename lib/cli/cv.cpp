#include "cv.hpp"

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "output_file.hpp"
#include "plots.hpp"
#include "readers.hpp"
#include "reliability_plot.hpp"

namespace tamis::cli {

namespace {

using Json = nlohmann::ordered_json;

/// The points of a path, measured on held-out samples.
struct Selected : LambdaChoice {
  std::vector<PathPoint> models;
};

template <class T>
Selected select(const CvArguments& a, const Task& task, const Folds& folds) {
  Fitting<T> fitting(task);
  std::vector<T> values;
  Grid<T> grid = grid_of(a.grid, fitting, values);
  const std::size_t bytes = bytes_for(a, fitting, folds.count, grid.points);
  find_first(grid, fitting, ArenaMemory(bytes).span());
  Selected out;
  ProgressLine progress(!a.quiet, std::size_t(folds.count + 1) * grid.points);
  PathTask solve_path = [&](Job& job, ProgressLine&) {
    out.models = run_path(fitting, grid, a.grid.max_features, job.arena(bytes), progress, [](const PathPoint&) {});
    job.check();
  };
  if (a.grid.limited()) {  // the folds go as far as it comes
    a.jobs.run({1, bytes}, true, [&](Job& job) { solve_path(job, progress); });
    solve_path = {};
    if (out.models.empty()) refuse_first_point(a.grid);
    values.clear();
    for (const PathPoint& point : out.models) values.push_back(static_cast<T>(point.lambda));
    grid = {.values = values.data(), .points = static_cast<Index>(values.size())};
  }
  out.held_out = held_out(a, a.jobs, fitting, folds, grid, bytes, progress, solve_path);
  for (const PathPoint& point : out.models) {
    const auto& solver = point.report.solver;
    out.path.push_back({solver.status, solver.nonzeros, solver.nonzero_rows});
  }
  choose(a, out);
  return out;
}

Json json_of(const RunReport& r) {
  Json out{{"lambda", r.lambda},
           {"nonzeros", r.solver.nonzeros},
           {"nonzero_rows", r.solver.nonzero_rows},
           {"train_accuracy", r.train.accuracy()},
           {"test_accuracy", r.test ? Json(r.test->accuracy()) : Json(nullptr)},
           {"test_errors", r.test ? Json(r.test->total - r.test->right) : Json(nullptr)},
           {"test_macro_f1", r.test && !r.test->ranking ? Json(r.test->macro_f1) : Json(nullptr)}};
  return out;
}

/// The kind that --calibrate asks for.
CalibrationKind kind_of(const CvArguments& a) { return kind_named("--calibrate", a.calibrate, all_calibrations); }

/// Fits the probabilities of a model to held-out scores of its λ, and measures them.
template <class T>
CalibrationReport calibrated(const CvArguments& a, const Task& task, const Folds& folds, const PathPoint& model,
                             const std::vector<double>& scores) {
  const Prepared& p = task.prepared;
  const auto classes = static_cast<Index>(p.classes.size());
  const Targets<double> targets{p.labels, classes, p.weights.empty() ? nullptr : p.weights.data()};
  CalibrationReport out = fit_calibration(kind_of(a), scores, targets, folds.of, folds.count);
  const bool logistic = model.report.loss == name(LossKind::logistic);
  if (logistic) out.held_out_before = measure_probabilities({.classes = classes}, scores, targets);
  if (!p.test) return out;
  const auto of_test = cli::scores<T>(*p.test, model.coefficients.among(p.train.features));
  const Targets<double> truth{p.test_labels, classes};
  out.test = measure_probabilities(out.calibration.view(), of_test, truth);
  if (logistic) out.test_before = measure_probabilities({.classes = classes}, of_test, truth);
  return out;
}

std::string plot_of(const RunReport& r) {
  const CalibrationReport& c = *r.calibration;
  const MeasuredProbabilities& measured = c.test ? *c.test : c.held_out;
  return reliability_diagram({.title = r.loss + ", " + r.penalty + ", " + name(c.calibration.kind) + ": " +
                                       (c.test ? "test samples" : "held-out samples"),
                              .bins = measured.bins,
                              .calibration_error = measured.means.calibration_error});
}

/// The choice in a sentence or two.
std::string summary(const CvArguments& a, const Selected& s, const std::optional<PathPoint>& again,
                    std::size_t features) {
  const auto accuracy = [](const RunReport& r) {
    const Evaluation& e = r.test ? *r.test : r.train;
    return format("; %s: %.1f %% right", r.test ? "test" : "train", 100 * e.accuracy());
  };
  const PathPoint& chosen = s.models[s.chosen];
  std::string out = summary(a, s);
  out += "kept: " + std::to_string(chosen.report.solver.nonzero_rows) + " of " + in_words(features, "feature") +
         accuracy(chosen.report) + "\n";
  if (again) out += format("refit with ridge, lambda %.4g", again->lambda) + accuracy(again->report) + "\n";
  return out;
}

template <class T>
void run_cv_command(const CvArguments& a, const Task& task) {
  const Folds folds = deal(a, task.prepared);
  Selected s = select<T>(a, task, folds);
  PathPoint& chosen = s.models[s.chosen];
  std::optional<PathPoint> again;
  Refit<T> refit(a, task, chosen, folds);
  if (a.refit) {
    if (chosen.coefficients.features.empty())
      throw ArgumentError("--refit: the chosen model keeps no feature; try --choose min, or a smaller --lambda-ratio");
    again = refit.train();
  }
  PathPoint& kept = again ? *again : chosen;
  if (!a.calibrate.empty()) {
    std::vector<double> scores(task.prepared.labels.size() * task.prepared.classes.size());
    if (again) {
      scores = refit.held_out_scores(again->lambda);
    } else {
      ProgressLine progress(!a.quiet, folds.count);
      hold_out_scores<T>(a, a.jobs, task, folds, chosen.lambda, progress, scores);
    }
    kept.report.calibration = calibrated<T>(a, task, folds, kept, scores);
  }
  keep(a, task.prepared, kept);

  CurvePlot plot{.title = std::string(name(task.choice.loss)) + ", " + name(task.choice.penalty) + ": " +
                          (a.validation.empty() ? std::to_string(folds.count) + "-fold cross-validation"
                                                : "validation on held-out samples"),
                 .y_label = a.what() == Measure::loss ? "held-out loss" : "held-out error",
                 .lambdas = {},
                 .means = {}};
  for (std::size_t l = 0; l < s.path.size(); ++l) {
    const HeldOut<double>& h = s.held_out[l];
    plot.lambdas.push_back(h.lambda);
    plot.means.push_back(a.mean(h));
    plot.standard_errors.push_back(a.standard_error(h));
    plot.kept.push_back(s.path[l].nonzero_rows);
  }
  plot.lambda_min = s.held_out[s.least].lambda;
  plot.lambda_1se = s.held_out[s.one_se].lambda;
  Json out = in_json(a, s);
  out["model"] = json_of(chosen.report);
  out["refit"] = again ? json_of(again->report) : Json(nullptr);
  out["calibration"] = kept.report.calibration ? to_json(*kept.report.calibration) : Json(nullptr);
  if (!a.quiet) {
    beside({a.model, a.coefficients, a.report, a.plot, a.plot_reliability}) << out.dump(1) << std::endl;
    std::cerr << summary(a, s, again, task.prepared.train.features);
    if (kept.report.calibration) std::cerr << summary(*kept.report.calibration);
  }
  if (!a.plot.empty()) write_file(a.plot, cross_validation_curve(plot));
  if (!a.plot_reliability.empty()) write_file(a.plot_reliability, plot_of(kept.report));
}

void check_choices(const CvArguments& a) {
  a.check_choice();
  if (!a.refit_lambda.empty() && !a.refit) throw ArgumentError("--refit-lambda is for --refit: give both");
  if (!a.refit_lambda.empty() && parse_number("--refit-lambda", a.refit_lambda) <= 0)
    throw ArgumentError("--refit-lambda: " + a.refit_lambda + " is not positive");
  if (!a.plot_reliability.empty() && a.calibrate.empty())
    throw ArgumentError("--plot-reliability is for --calibrate: give both");
  if (a.calibrate.empty()) return;
  (void)kind_of(a);
  if (!a.validation.empty())
    throw ArgumentError("--calibrate needs a held-out score of every sample: give --folds instead of --validation");
  if (a.problem.loss == name(LossKind::ranking_squared_hinge))
    throw ArgumentError("--calibrate: with several labels per sample the classes have no probabilities of sum 1");
}

}  // namespace

void declare_cv(const Command& app) {
  auto a = std::make_shared<CvArguments>();
  const Command cv = app.add_subcommand("cv", "choose lambda by cross-validation, and train with it");
  a->declare(cv);
  a->declare_folds(cv);
  cv.add_option("--subjects", a->subjects, "file with one subject per sample: folds of whole subjects")
      ->type_name(input_type);
  a->declare_measure(cv);
  cv.add_flag("--refit", a->refit, "train again with ridge on the kept features, its lambda by the same folds");
  cv.add_option("--refit-lambda", a->refit_lambda, "the lambda of --refit");
  cv.add_option("--calibrate", a->calibrate,
                "give the model probabilities, fitted to its held-out scores: softmax (default) | sigmoid, each class "
                "against the others (Platt)")
      ->without_value(name(CalibrationKind::softmax));
  cv.add_option("--plot-reliability", a->plot_reliability,
                "write how often predictions of --calibrate are right, by their probability, as SVG: of the test "
                "samples, if any")
      ->type_name(output_type);
  cv.add_option("--plot", a->plot, "write the held-out curve as SVG")->type_name(output_type);
  cv.callback([a] {
    check_choices(*a);
    const auto selection = begin_selection(*a);
    if (a->problem.single_precision()) run_cv_command<float>(*a, selection->task);
    else run_cv_command<double>(*a, selection->task);
  });
}

}  // namespace tamis::cli
