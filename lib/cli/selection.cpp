#include "selection.hpp"

#include <algorithm>
#include <iostream>

namespace tamis::cli {

void GridArguments::declare(const Command& command) {
  const Option count = command.add_option("--lambdas", points, "number of lambdas, equally spaced in logarithm")
                           ->between(1, 100000)
                           ->capture_default_str();
  const Option listed =
      command.add_option("--lambda-values", values, "the lambdas themselves, descending: 0.1,0.05,1/40")
          ->excludes(count);
  command
      .add_option("--lambda-ratio", ratio,
                  "of the smallest to the largest lambda (default: 0.01 with more features than samples, else "
                  "0.001; ridge 0.0001)")
      ->excludes(listed);
  command.add_option("--max-features", max_features, "end before models with more features than this")
      ->between(1, ~Index(0));
}

void PathArguments::declare(const Command& command) {
  samples.declare(command);
  problem.declare(command);
  grid.declare(command);
  effort.declare(command);
  OutputArguments::declare(command, " of the model");
}

Selection::Selection(const PathArguments& a, const ProblemSpec& choice, const Options<double>& options)
    : prepared(prepare(a.samples, has_label_sets(choice.loss))),
      groups(a.problem.listed_groups(prepared.train.features)),
      task{a.samples, prepared, choice, a.problem.parameters(), options, a.problem.precision} {
  if (groups) task.choice.groups = groups->groups;
}

std::unique_ptr<Selection> begin_selection(const PathArguments& a) {
  ProblemSpec choice = a.problem.choice();
  if (is_constrained(choice.resolved_solver()))
    throw ArgumentError("--solver " + a.problem.solver + " solves the form with --eta, which has no path of lambdas");
  if (!CommandTraining<double>::has_path(choice))
    throw ArgumentError("--solver " + a.problem.solver +
                        " cannot go on with another lambda: it is a baseline; choose another solver");
  Options<double> options;
  a.effort.set(options);
  a.samples.set(options);
  auto out = std::make_unique<Selection>(a, choice, options);
  for (const auto& sentence : out->prepared.notes())
    if (!a.quiet) std::cerr << sentence << '\n';
  return out;
}

Kept::Kept(const Coefficients& c) : intercepts(c.intercepts) {
  for (std::size_t j = 0; j < c.features; ++j) {
    if (!c.uses(j)) continue;
    features.push_back(j);
    weights.insert(weights.end(), c.weights.begin() + static_cast<std::ptrdiff_t>(j * c.classes),
                   c.weights.begin() + static_cast<std::ptrdiff_t>((j + 1) * c.classes));
  }
}

Coefficients Kept::among(std::size_t all) const {
  const std::size_t classes = intercepts.size();
  Coefficients c{all, classes, std::vector<double>(all * classes), intercepts};
  for (std::size_t e = 0; e < features.size(); ++e)
    std::copy_n(weights.begin() + static_cast<std::ptrdiff_t>(e * classes), classes,
                c.weights.begin() + static_cast<std::ptrdiff_t>(features[e] * classes));
  return c;
}

void keep(const PathArguments& a, const Prepared& prepared, const PathPoint& point) {
  a.write(stored(prepared, {point.report, point.coefficients.among(prepared.train.features)}), point.report);
}

void refuse_first_point(const GridArguments& grid) {
  throw ArgumentError("--max-features: already the first model has more features than " +
                      std::to_string(grid.max_features));
}

}  // namespace tamis::cli
