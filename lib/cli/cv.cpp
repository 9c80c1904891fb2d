#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "commands.hpp"
#include "plots.hpp"
#include "readers.hpp"
#include "selection.hpp"
#include "tamis/selection/cross_validation.hpp"

namespace tamis::cli {

namespace {

using Json = nlohmann::ordered_json;

struct CvArguments : PathArguments {
  Index folds = 5;
  bool stratified = true;
  std::string subjects, validation;
  std::string choose = "1se", measure = "error";
  bool refit = false;
  std::string refit_lambda;
};

template <class T>
using FoldsOf =
    CrossValidation<T, decltype(maker(std::declval<const Fitting<T>&>())), AnyDesign<T>, AnyMultilabelLoss<T>>;

/// The fold of each sample, and how many there are.
struct Folds {
  std::vector<Index> of;
  Index count;
};

/// The subject of each sample: the first field of each line of the file, after a header line if there is one line more.
std::vector<std::string> read_subjects(const std::string& path, std::size_t samples) {
  TextFile file(path);
  std::vector<std::string> names;
  for (std::string line; file.next_line(line);) {
    const std::string field = line.substr(0, line.find(','));
    names.emplace_back(trimmed(field));
  }
  if (names.size() == samples + 1) names.erase(names.begin());
  if (names.size() != samples)
    file.fail(found_expected(names.size(), samples, "subject") + ", one per training sample");
  return names;
}

/// Deals samples with several labels so that every fold has its share of each label: of the labels that still have
/// samples to be dealt, that of the fewest comes next, and each of its samples goes to the fold that has the fewest of
/// it, then the fewest samples; in an order drawn with the seed. Source: Sechidis, Tsoumakas and Vlahavas (2011).
std::vector<Index> deal_label_sets(const Prepared& p, Index folds, std::uint64_t seed) {
  const LabelSets sets = p.sets->view();
  const std::size_t samples = p.labels.size(), classes = p.classes.size();
  std::vector<std::size_t> order(samples);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Draws draws(seed);
  for (std::size_t left = samples; left > 1; --left)
    std::swap(order[left - 1], order[draws.next(static_cast<Index>(left))]);
  std::vector<Index> of(samples, no_fold), sizes(folds);
  std::vector<std::vector<Index>> counts(classes + 1, std::vector<Index>(folds));  // the last: of no label at all
  const auto deal_to = [&](std::size_t i, const std::vector<Index>& have) {
    Index best = 0;
    for (Index f = 1; f < folds; ++f)
      if (std::pair(have[f], sizes[f]) < std::pair(have[best], sizes[best])) best = f;
    of[i] = best;
    ++sizes[best];
    for (const Label k : sets[p.labels[i]]) ++counts[k][best];
  };
  for (;;) {
    std::vector<std::size_t> left(classes);
    for (const std::size_t i : order)
      if (of[i] == no_fold)
        for (const Label k : sets[p.labels[i]]) ++left[k];
    std::size_t rarest = classes;
    for (std::size_t k = 0; k < classes; ++k)
      if (left[k] > 0 && (rarest == classes || left[k] < left[rarest])) rarest = k;
    for (const std::size_t i : order)
      if (of[i] == no_fold && (rarest == classes || sets.contains(p.labels[i], static_cast<Index>(rarest))))
        deal_to(i, counts[rarest]);
    if (rarest == classes) return of;
  }
}

Folds deal(const CvArguments& a, const Prepared& p) {
  const Index samples = static_cast<Index>(p.labels.size());
  const Index classes = p.sets ? p.sets->view().count : static_cast<Index>(p.classes.size());  // that `labels` number
  Index folds = a.folds;
  if (!a.validation.empty()) {  // a fold of that share of the samples, the others are never held out
    const double fraction = parse_number("--validation", a.validation);
    if (!(fraction > 0 && fraction <= 0.5))
      throw ArgumentError("--validation: the fraction must lie between 0 and 1/2");
    folds = static_cast<Index>(std::lround(1 / fraction));
  }
  Folds out{std::vector<Index>(samples), folds};
  std::vector<Index> order(samples + 1);
  const std::vector<std::string> names = a.subjects.empty() ? p.train.subjects : read_subjects(a.subjects, samples);
  if (!names.empty()) {
    std::map<std::string, Index> number;
    std::vector<Index> group;
    for (const auto& name : names)
      group.push_back(number.try_emplace(name, static_cast<Index>(number.size())).first->second);
    std::vector<Index> starts(samples + 1), counts(std::size_t(folds) * classes);
    if (!deal_groups(p.labels, classes, group.data(), folds, out.of.data(), order.data(), starts.data(), counts.data()))
      throw ArgumentError("--folds: " + std::to_string(folds) +
                          " folds of whole subjects need as many subjects, there are " + std::to_string(number.size()));
  } else if (p.sets && a.stratified && folds >= 2 && folds <= samples) {
    out.of = deal_label_sets(p, folds, a.samples.seed);
  } else {
    Index rare = 0;
    if (!deal_folds(p.labels, classes, folds, a.stratified, a.samples.seed, out.of.data(), order.data(), rare)) {
      if (rare < classes)
        throw ArgumentError("--folds: " + std::to_string(folds) +
                            " folds need as many samples of every class: class '" + p.classes[rare] + "' has " +
                            std::to_string(std::count(p.labels.begin(), p.labels.end(), rare)) +
                            "; take fewer folds, or --unstratified");
      throw ArgumentError("--folds: " + std::to_string(folds) + " folds of " + std::to_string(samples) +
                          " samples: there must be two at least, and no more than samples");
    }
  }
  if (!a.validation.empty()) {
    for (Index& fold : out.of)
      if (fold != 0) fold = no_fold;
    out.count = 1;
  }
  return out;
}

Measure measure_of(const CvArguments& a) { return a.measure == "loss" ? Measure::loss : Measure::error; }

/// What the samples of each fold say of each λ.
template <class T>
std::vector<HeldOut<double>> held_out(const CvArguments& a, const Fitting<T>& fitting, const Folds& folds,
                                      const Grid<T>& grid, std::span<std::byte> memory) {
  const Task& task = fitting.task();
  FoldsOf<T> cv(maker(fitting), fitting.design(), fitting.targets(), loss_of<T>(task.choice, task.prepared),
                folds.of.data(), folds.count, grid, fitting.options().margin);
  cv.start(memory);
  ProgressLine progress(!a.quiet);
  while (cv.step()) {
    const auto now = cv.report();
    progress.show(cv.fold() * grid.points + cv.points_done(), static_cast<double>(now.objective),
                  static_cast<double>(now.relative_gap), now.nonzeros);
  }
  if (cv.status() == Status::missing_class && task.prepared.sets)
    throw DataError(a.samples.data + ", label '" + task.prepared.classes[cv.report().column] +
                    "': without the samples of fold " + std::to_string(cv.fold() + 1) +
                    " all have it or none, so that its intercept would diverge; leave the label out, take other folds, "
                    "or use --no-intercept");
  if (cv.status() == Status::missing_class)
    throw DataError(a.samples.data + ", class '" + task.prepared.classes[cv.report().column] +
                    "': all its samples are in fold " + std::to_string(cv.fold() + 1) +
                    ", so that nothing can be learned of it without them; take other folds or subjects");
  if (cv.status() != Status::converged) {
    Report<double> why = in_double(cv.report());
    why.status = cv.status();
    refuse(why, task);
  }
  std::vector<HeldOut<double>> out;
  for (Index l = 0; l < grid.points; ++l) {
    const HeldOut<T> now = cv.at(l);
    out.push_back({static_cast<double>(now.lambda), static_cast<double>(now.error),
                   static_cast<double>(now.error_deviation), static_cast<double>(now.loss),
                   static_cast<double>(now.loss_deviation)});
  }
  return out;
}

template <class T>
ArenaMemory memory_for(const CvArguments& a, const Fitting<T>& fitting, Index folds, Index points) {
  const auto needed = [&](Requirement solver) {
    return FoldsOf<T>::requirement(fitting.shape(), folds, points, solver).bytes;
  };
  return ArenaMemory(arena_bytes(needed(fitting.least()), needed(fitting.fast()), a.effort.memory_limit));
}

/// The points of a path, measured on held-out samples.
struct Selected {
  std::vector<PathPoint> path;
  std::vector<HeldOut<double>> held_out;
  Index least, one_se, chosen;
};

template <class T>
Selected select(const CvArguments& a, const Task& task, const Folds& folds) {
  const Fitting<T> fitting(task);
  std::vector<T> values;
  const Grid<T> asked = grid_of(a.grid, fitting, values);
  const ArenaMemory memory = memory_for(a, fitting, folds.count, asked.points);
  Selected out;
  out.path = run_path(fitting, asked, a.grid.max_features, memory.span(), a.quiet, [](const PathPoint&) {});
  if (out.path.empty()) refuse_first_point(a.grid);
  values.clear();
  for (const PathPoint& point : out.path) values.push_back(static_cast<T>(point.lambda));
  const Grid<T> grid{values.data(), static_cast<Index>(values.size())};
  out.held_out = held_out(a, fitting, folds, grid, memory.span());
  const auto at = [&](Index l) { return out.held_out[l]; };
  out.least = best(grid.points, measure_of(a), at);
  out.one_se = one_standard_error(grid.points, measure_of(a), at);
  out.chosen = a.choose == "min" ? out.least : out.one_se;
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

/// The samples with the kept features alone.
Prepared restricted(const Prepared& p, const std::vector<std::size_t>& features) {
  Prepared out = p;
  const auto restrict_table = [&](Table& table) {
    const Table all = std::move(table);
    table = {};
    table.path = all.path;
    table.samples = all.samples;
    table.features = features.size();
    table.sparse = all.sparse;
    table.labels = all.labels;
    table.lines = all.lines;
    if (all.sparse) table.starts.push_back(0);
    for (const std::size_t j : features) {
      if (!all.feature_names.empty()) table.feature_names.push_back(all.feature_names[j]);
      const std::size_t begin = all.sparse ? all.starts[j] : j * all.samples;
      const std::size_t end = all.sparse ? all.starts[j + 1] : begin + all.samples;
      for (std::size_t e = begin; e < end; ++e) {
        table.values.push_back(all.values[e]);
        if (all.sparse) table.rows.push_back(all.rows[e]);
      }
      if (all.sparse) table.starts.push_back(static_cast<std::uint32_t>(table.values.size()));
    }
  };
  restrict_table(out.train);
  if (out.test) restrict_table(*out.test);
  if (out.standardisation) {
    const auto columns = std::move(out.standardisation->columns);
    out.standardisation->columns.clear();
    for (const std::size_t j : features) out.standardisation->columns.push_back(columns[j]);
  }
  return out;
}

/// The same task with other samples or columns, and ridge.
Task with_ridge(const Task& task, const Prepared& prepared) {
  Task out{task.samples, prepared, task.choice, task.parameters, task.options, task.precision};
  out.choice.penalty = PenaltyKind::ridge;
  out.choice.solver = SolverKind::automatic;
  out.choice.groups = Groups::rows();
  return out;
}

/// The features that the model of the same λ keeps without the samples of a fold.
template <class T>
std::vector<std::size_t> kept_without(const CvArguments& a, const Task& task, double lambda, const Folds& folds,
                                      Index fold) {
  Prepared part = task.prepared;
  part.test.reset();
  if (part.weights.empty()) part.weights.assign(part.labels.size(), 1);
  for (std::size_t i = 0; i < part.weights.size(); ++i)
    if (folds.of[i] == fold) part.weights[i] = 0;
  Task other{task.samples, part, task.choice, task.parameters, task.options, task.precision};
  other.options.lambda = lambda;
  const Fitting<T> fitting(other);
  const ArenaMemory memory(arena_bytes(fitting.least().bytes, fitting.fast().bytes, a.effort.memory_limit));
  auto training = fitting.training(fitting.targets());
  training.start(memory.span());
  while (training.step()) {
  }
  return Kept(fitting.judge(training, 0).coefficients).features;
}

/// Ridge on the features that a model keeps. Its λ is that of the least held-out mean, where each fold keeps the
/// features that its own samples choose: those of the model have already seen what is held out.
template <class T>
PathPoint refit(const CvArguments& a, const Task& task, const PathPoint& model, const Folds& folds) {
  const Prepared prepared = restricted(task.prepared, model.coefficients.features);
  const Fitting<T> fitting(with_ridge(task, prepared));
  GridArguments lambdas;
  lambdas.points = 30;
  lambdas.values = a.refit_lambda;
  std::vector<T> values;
  const Grid<T> grid = grid_of(lambdas, fitting, values);
  const ArenaMemory memory = memory_for(a, fitting, folds.count, grid.points);
  std::vector<PathPoint> path = run_path(fitting, grid, ~Index(0), memory.span(), a.quiet, [](const PathPoint&) {});

  Index chosen = 0;
  if (path.size() > 1) {
    values.clear();
    for (const PathPoint& point : path) values.push_back(static_cast<T>(point.lambda));
    const Grid<T> same{values.data(), static_cast<Index>(values.size())};
    std::vector<HeldOut<double>> sum(path.size());
    for (Index fold = 0; fold < folds.count; ++fold) {
      const auto kept = kept_without<T>(a, task, model.lambda, folds, fold);
      if (kept.empty()) continue;
      Folds one{folds.of, 1};
      double held = 0;
      for (std::size_t i = 0; i < one.of.size(); ++i) {
        if (one.of[i] == fold) held += prepared.weights.empty() ? 1 : prepared.weights[i];
        one.of[i] = one.of[i] == fold ? 0 : no_fold;
      }
      const Prepared its = restricted(task.prepared, kept);
      const Fitting<T> ridge(with_ridge(task, its));
      const ArenaMemory room = memory_for(a, ridge, 1, same.points);
      const auto points = held_out(a, ridge, one, same, room.span());
      for (std::size_t l = 0; l < sum.size(); ++l) {
        sum[l].error += held * points[l].error;
        sum[l].loss += held * points[l].loss;
      }
    }
    chosen = best(same.points, measure_of(a), [&](Index l) { return sum[l]; });
  }
  PathPoint out = std::move(path[chosen]);
  for (std::size_t& j : out.coefficients.features) j = model.coefficients.features[j];
  return out;
}

/// The choice in a sentence or two.
std::string summary(const CvArguments& a, const Selected& s, const std::optional<PathPoint>& again,
                    std::size_t features) {
  const auto held = [&](Index point) {
    const HeldOut<double>& h = s.held_out[point];
    const bool loss = a.measure == "loss";
    char text[64];
    std::snprintf(text, sizeof text, "%.4g +- %.2g at lambda %.4g", loss ? h.loss : h.error,
                  loss ? h.loss_deviation : h.error_deviation, h.lambda);
    return std::string(text);
  };
  const auto accuracy = [](const RunReport& r) {
    char text[64];
    const Evaluation& e = r.test ? *r.test : r.train;
    std::snprintf(text, sizeof text, "; %s: %.1f %% right", r.test ? "test" : "train", 100 * e.accuracy());
    return std::string(text);
  };
  const PathPoint& chosen = s.path[s.chosen];
  std::string out = "held-out " + a.measure + " " + held(s.chosen);
  if (s.chosen != s.least) out += ", the least is " + held(s.least);
  out += "\nkept: " + std::to_string(chosen.report.solver.nonzero_rows) + " of " + in_words(features, "feature") +
         accuracy(chosen.report) + "\n";
  if (again) {
    char text[64];
    std::snprintf(text, sizeof text, "refit with ridge, lambda %.4g", again->lambda);
    out += text + accuracy(again->report) + "\n";
  }
  return out;
}

template <class T>
void run_cv_command(const CvArguments& a, const Task& task) {
  const Folds folds = deal(a, task.prepared);
  Selected s = select<T>(a, task, folds);
  PathPoint& chosen = s.path[s.chosen];
  std::optional<PathPoint> again;
  if (a.refit) {
    if (chosen.coefficients.features.empty())
      throw ArgumentError("--refit: the chosen model keeps no feature; try --choose min, or a smaller --lambda-ratio");
    again = refit<T>(a, task, chosen, folds);
  }
  keep(a, task.prepared, again ? *again : chosen);

  Json points = Json::array();
  CurvePlot plot{.title = std::string(name(task.choice.loss)) + ", " + name(task.choice.penalty) + ": " +
                          (a.validation.empty() ? std::to_string(folds.count) + "-fold cross-validation"
                                                : "validation on held-out samples"),
                 .y_label = a.measure == "loss" ? "held-out loss" : "held-out error",
                 .lambdas = {},
                 .means = {}};
  for (std::size_t l = 0; l < s.path.size(); ++l) {
    const HeldOut<double>& h = s.held_out[l];
    const auto& solver = s.path[l].report.solver;
    points.push_back({{"lambda", h.lambda},
                      {"mean", a.measure == "loss" ? h.loss : h.error},
                      {"standard_error", a.measure == "loss" ? h.loss_deviation : h.error_deviation},
                      {"mean_error", h.error},
                      {"error_standard_error", h.error_deviation},
                      {"mean_loss", h.loss},
                      {"loss_standard_error", h.loss_deviation},
                      {"status", name(solver.status)},
                      {"nonzeros", solver.nonzeros},
                      {"nonzero_rows", solver.nonzero_rows}});
    plot.lambdas.push_back(h.lambda);
    plot.means.push_back(a.measure == "loss" ? h.loss : h.error);
    plot.standard_errors.push_back(a.measure == "loss" ? h.loss_deviation : h.error_deviation);
    plot.kept.push_back(solver.nonzero_rows);
  }
  plot.lambda_min = s.held_out[s.least].lambda;
  plot.lambda_1se = s.held_out[s.one_se].lambda;
  const Json out{{"measure", a.measure},
                 {"folds", folds.count},
                 {"points", points},
                 {"lambda_min", *plot.lambda_min},
                 {"lambda_1se", *plot.lambda_1se},
                 {"lambda", chosen.lambda},
                 {"model", json_of(chosen.report)},
                 {"refit", again ? json_of(again->report) : Json(nullptr)}};
  if (!a.quiet) {
    std::cout << out.dump(1) << std::endl;
    std::cerr << summary(a, s, again, task.prepared.train.features);
  }
  if (!a.plot.empty()) write_file(a.plot, cross_validation_curve(plot));
}

void check_choices(const CvArguments& a) {
  if (a.choose != "min" && a.choose != "1se")
    throw ArgumentError("--choose: '" + a.choose + "' is not one of min, 1se");
  if (a.measure != "error" && a.measure != "loss")
    throw ArgumentError("--measure: '" + a.measure + "' is not one of error, loss");
  if (!a.stratified && !(a.subjects.empty() && a.samples.reading.subject.empty()))
    throw ArgumentError(
        "--unstratified is for folds of samples: those of whole subjects are always as even as they can be");
  if (!a.refit_lambda.empty() && !a.refit) throw ArgumentError("--refit-lambda is for --refit: give both");
  if (!a.refit_lambda.empty() && parse_number("--refit-lambda", a.refit_lambda) <= 0)
    throw ArgumentError("--refit-lambda: " + a.refit_lambda + " is not positive");
}

}  // namespace

void declare_cv(CLI::App& app) {
  auto a = std::make_shared<CvArguments>();
  CLI::App& cv = *app.add_subcommand("cv", "choose lambda by cross-validation, and train with it");
  a->declare(cv);
  auto* folds = cv.add_option("--folds", a->folds, "number of folds")->capture_default_str();
  cv.add_flag("--stratified,!--unstratified", a->stratified, "every fold has its share of every class (default)");
  cv.add_option("--subjects", a->subjects, "file with one subject per sample: folds of whole subjects");
  cv.add_option("--validation", a->validation, "instead of folds: hold out this fraction once, e.g. 1/4")
      ->excludes(folds);
  cv.add_option("--measure", a->measure, "what is compared on held-out samples: error | loss")->capture_default_str();
  cv.add_option("--choose", a->choose,
                "1se: the largest lambda within one standard error of the least mean | min: the least mean; of equal "
                "errors that of the least loss, then the largest lambda")
      ->capture_default_str();
  cv.add_flag("--refit", a->refit, "train again with ridge on the kept features, its lambda by the same folds");
  cv.add_option("--refit-lambda", a->refit_lambda, "the lambda of --refit");
  cv.add_option("--plot", a->plot, "write the held-out curve as SVG");
  cv.callback([a] {
    check_choices(*a);
    const auto selection = begin_selection(*a);
    if (a->problem.single_precision()) run_cv_command<float>(*a, selection->task);
    else run_cv_command<double>(*a, selection->task);
  });
}

}  // namespace tamis::cli
