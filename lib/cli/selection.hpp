#pragma once
/// Models along descending lambdas: what path and cv share.

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "errors.hpp"
#include "fitting.hpp"
#include "interrupt.hpp"
#include "lambda_choice.hpp"
#include "tamis/selection/path.hpp"
#include "terminal.hpp"

namespace tamis::cli {

/// Which λs: --lambdas, --lambda-values, --lambda-ratio, --max-features.
struct GridArguments {
  Index points = 100;
  std::string values, ratio;
  Index max_features = ~Index(0);

  void declare(const Command& command);
  bool limited() const { return max_features != ~Index(0); }
};

/// What path takes, and cv.
struct PathArguments : OutputArguments {
  SampleArguments samples;
  ProblemArguments problem;
  GridArguments grid;
  EffortArguments effort;
  std::string plot;

  void declare(const Command& command);
};

/// The samples of a run and what is to be done with them, checked.
struct Selection {
  Selection(const PathArguments& arguments, const ProblemSpec& choice, const Options<double>& options);
  Selection(const Selection&) = delete;
  Selection& operator=(const Selection&) = delete;

  const Prepared prepared;
  const std::optional<ListedGroups> groups;
  Task task;
};
/// Throws ArgumentError for what has no path.
std::unique_ptr<Selection> begin_selection(const PathArguments& arguments);

/// Coefficients of the kept features.
struct Kept {
  std::vector<std::size_t> features;
  std::vector<double> weights, intercepts;

  explicit Kept(const Coefficients& c);
  Coefficients among(std::size_t all) const;
};

struct PathPoint {
  double lambda;
  RunReport report;
  Kept coefficients;
};

/// Writes what --model, --coefficients and --report ask for.
void keep(const PathArguments& arguments, const Prepared& prepared, const PathPoint& point);

[[noreturn]] void refuse_first_point(const GridArguments& grid);

/// The λs that were asked for, in the precision of training, for the smallest of which, where it is known, the fitting
/// chooses its solver; `values` has those that were listed.
template <class T>
Grid<T> grid_of(const GridArguments& a, Fitting<T>& fitting, std::vector<T>& values) {
  const bool dense = !makes_zeros(fitting.task().choice.penalty);
  Grid<T> grid;
  if (!a.values.empty()) {
    for (const double value : parse_lambdas(a.values)) values.push_back(static_cast<T>(value));
    grid.values = values.data();
    grid.points = static_cast<Index>(values.size());
    if (!grid.valid()) throw ArgumentError("--lambda-values: " + a.values + " do not descend, or one is negative");
    fitting.choose_solver(values.back(), true);
    return grid;
  }
  grid.points = a.points;
  const Shape shape = fitting.shape();
  grid.ratio = static_cast<T>(!a.ratio.empty()                 ? parse_number("--lambda-ratio", a.ratio)
                              : dense                          ? 1e-4
                              : shape.features > shape.samples ? 1e-2
                                                               : 1e-3);
  if (!grid.valid()) throw ArgumentError("--lambda-ratio: " + a.ratio + " does not lie between 0 and 1");
  if (dense) {
    std::vector<T> scratch(shape.samples);
    grid.first = mean_square_norm(fitting.design(), fitting.options().intercept, scratch.data());
    if (!(grid.first > T(0))) grid.first = T(1);
  }
  fitting.choose_solver(grid.open() ? T(1) : grid.at(grid.points - 1), true);
  return grid;
}

template <class T>
auto maker(const Fitting<T>& fitting) {
  return [&fitting](const Targets<T>& targets) { return fitting.training(targets); };
}
template <class T>
using PathOf = Path<T, decltype(maker(std::declval<const Fitting<T>&>()))>;

/// The λs, where the first has to be found: λ_max of all samples.
template <class T>
void find_first(Grid<T>& grid, const Fitting<T>& fitting, std::span<std::byte> memory) {
  if (!grid.open()) return;
  PathOf<T> path(maker(fitting), fitting.shape().features, fitting.targets(), {.points = 1});
  path.start(memory);
  while (path.grid().open() && path.step()) stop_if_interrupted(before_choice);
  if (path.grid().open()) {
    Report<double> why = in_double(path.report());
    why.status = path.status();
    refuse(why, fitting.task());
  }
  grid.first = path.grid().first;
}

/// Solves along the grid; `visit` sees each point as it is done. A signal stops the point at hand at its certificate,
/// and it is the last.
template <class T, class Visit>
std::vector<PathPoint> run_path(const Fitting<T>& fitting, const Grid<T>& grid, Index max_features,
                                std::span<std::byte> memory, ProgressLine& progress, Visit visit) {
  std::vector<PathPoint> points;
  PathOf<T> path(maker(fitting), fitting.shape().features, fitting.targets(), grid, max_features);
  Stopwatch watch;
  const auto add_point = [&] {
    Task task = fitting.task();
    task.options.lambda = static_cast<double>(path.lambda());
    Fitted fitted = Fitting<T>::judged(task, path.solver());
    fitted.report.seconds = watch.seconds();
    fitted.report.shape = fitting.shape();
    progress.count();
    points.push_back({task.options.lambda, fitted.report, Kept(fitted.coefficients)});
    visit(points.back());
    watch = {};
  };
  path.start(memory);
  for (bool more = path.running();; more = path.step()) {
    if (path.at_point()) add_point();
    if (!more) break;
    if (progress.due()) progress.show(place_of("path", 0, 0, path.lambda()), path.report());
    if (path.grid().open()) stop_if_interrupted("before there was a model");
    else if (interrupted() && !path.at_point() && path.certificates() > 0) {
      path.stop();
      if (path.report().nonzero_rows <= max_features) add_point();
      else if (points.empty()) stop_if_interrupted("before there was a model");
      else points.back().report.solver.status = Status::stopped;
      break;
    }
  }
  if (!has_model(path.status())) {
    Report<double> why;
    why.status = path.status();
    if (path.status() != Status::invalid_lambda) why = in_double(path.report());
    refuse(why, fitting.task());
  }
  return points;
}

}  // namespace tamis::cli
