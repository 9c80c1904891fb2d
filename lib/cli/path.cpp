#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "interrupt.hpp"
#include "output_file.hpp"
#include "plots.hpp"
#include "selection.hpp"

namespace tamis::cli {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const PathPoint& point) {
  const RunReport& r = point.report;
  return {{"lambda", point.lambda},
          {"status", name(r.solver.status)},
          {"objective", number(r.solver.objective)},
          {"relative_gap", number(r.solver.relative_gap)},
          {"nonzeros", r.solver.nonzeros},
          {"nonzero_rows", r.solver.nonzero_rows},
          {"train_accuracy", r.train.accuracy()},
          {"test_accuracy", r.test ? Json(r.test->accuracy()) : Json(nullptr)},
          {"seconds", r.seconds}};
}

std::string plot_of(const std::vector<PathPoint>& points, const Prepared& prepared, const RunReport& r) {
  PathPlot plot{.title = r.loss + ", " + r.penalty + ": coefficients along the path", .lambdas = {}, .values = {}};
  plot.feature_names = prepared.train.feature_names;
  for (const PathPoint& point : points) {
    const Coefficients c = point.coefficients.among(prepared.train.features);
    const Coefficients in_problem = prepared.standardisation ? c.in_standardised_units(*prepared.standardisation) : c;
    plot.lambdas.push_back(point.lambda);
    auto& norms = plot.values.emplace_back(c.features);
    for (std::size_t j = 0; j < c.features; ++j) {
      for (std::size_t k = 0; k < c.classes; ++k) norms[j] += in_problem.weight(j, k) * in_problem.weight(j, k);
      norms[j] = std::sqrt(norms[j]);
    }
  }
  return coefficient_path(plot);
}

template <class T>
void run_path_command(const PathArguments& a, const Task& task) {
  Fitting<T> fitting(task);
  std::vector<T> values;
  const Grid<T> grid = grid_of(a.grid, fitting, values);
  const auto needed = [&](Requirement solver) { return PathOf<T>::requirement(fitting.shape(), solver).bytes; };
  const ArenaMemory memory(arena_bytes(needed(fitting.least()), needed(fitting.fast()), a.effort.memory_limit));
  std::ostream& people = beside({a.model, a.coefficients, a.report, a.plot});
  ProgressLine progress(!a.quiet, grid.points);
  const auto points =
      run_path(fitting, grid, a.grid.max_features, memory.span(), progress, [&](const PathPoint& point) {
        if (!a.quiet) people << json_of(point).dump() << std::endl;
      });
  if (points.empty()) refuse_first_point(a.grid);
  keep(a, task.prepared, points.back());
  if (!a.plot.empty()) write_file(a.plot, plot_of(points, task.prepared, points.back().report));
  end_if_stopped(points.back().report.solver.status);
}

}  // namespace

void declare_path(const Command& app) {
  auto a = std::make_shared<PathArguments>();
  const Command path = app.add_subcommand("path", "train along descending lambdas, one line of JSON each");
  a->declare(path);
  path.add_option("--plot", a->plot, "write the coefficients along the path as SVG")->type_name(output_type);
  path.callback([a] {
    const auto selection = begin_selection(*a);
    if (a->problem.single_precision()) run_path_command<float>(*a, selection->task);
    else run_path_command<double>(*a, selection->task);
  });
}

}  // namespace tamis::cli
