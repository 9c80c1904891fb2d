#include "interaction_task.hpp"

#include <algorithm>
#include <tuple>

#include "errors.hpp"
#include "readers.hpp"

namespace tamis::cli {

namespace {

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

}  // namespace

InteractionTask read_task(const InteractionArguments& a) {
  InteractionTask task;
  constexpr Hierarchy hierarchies[] = {Hierarchy::weak, Hierarchy::strong, Hierarchy::full, Hierarchy::main};
  constexpr HierarchyNorm norms[] = {HierarchyNorm::l1, HierarchyNorm::linf, HierarchyNorm::l2, HierarchyNorm::ridge};
  task.hierarchy = kind_named("--hierarchy", a.hierarchy, hierarchies);
  task.norm = kind_named("--norm", a.norm, norms);
  if (!HierarchicalPenalty<double>{task.hierarchy, task.norm}.valid())
    throw ArgumentError(
        "--norm ridge makes nothing zero, so that there is no hierarchy to keep: take --hierarchy full "
        "or main");
  task.solver = kind_named("--solver", a.solver, all_interaction_solvers);
  if (task.solver == InteractionSolver::automatic) task.solver = InteractionSolver::admm;
  if ((task.solver == InteractionSolver::weak_primal_dual_as_printed && task.hierarchy == Hierarchy::strong) ||
      (task.solver == InteractionSolver::strong_primal_dual_as_printed && task.hierarchy == Hierarchy::weak))
    throw ArgumentError("--solver " + a.solver + " is not for --hierarchy " + a.hierarchy);
  if (a.loss != "least-squares" && a.loss != "squared-hinge")
    throw ArgumentError("--loss: '" + a.loss + "' is not one of least-squares, squared-hinge");
  if (a.precision != "float" && a.precision != "double")
    throw ArgumentError("--precision: '" + a.precision + "' is not one of float, double");
  if (a.lambda.empty() && !a.grid.given())
    throw ArgumentError("--lambda is missing: give one, or --lambdas or --lambda-values of which one is chosen");
  a.grid.check();
  if (a.grid.given() && task.solver != InteractionSolver::admm)
    throw ArgumentError("--solver " + a.solver + " chooses no lambda: that takes admm");
  task.options.lambda = a.grid.given() ? std::numeric_limits<double>::quiet_NaN() : parse_number("--lambda", a.lambda);
  if (!a.grid.given() && !(task.options.lambda > 0))
    throw ArgumentError("--lambda: " + a.lambda +
                        " is not positive: without a penalty interactions are not determined");
  task.ratio = default_lambda2(task.hierarchy, 1.0);
  for (const auto& [option, text, value] :
       {std::tuple{"--lambda2", &a.lambda2, &task.lambda2}, {"--lambda2-ratio", &a.lambda2_ratio, &task.ratio}}) {
    if (text->empty()) continue;
    if (task.hierarchy == Hierarchy::main)
      throw ArgumentError(std::string(option) + " is the weight of interactions, and --hierarchy main has none");
    *value = parse_number(option, *text);
    if (*value < 0) throw ArgumentError(std::string(option) + ": " + *text + " is negative");
    if (task.hierarchy == Hierarchy::full && *value == 0)
      throw ArgumentError(std::string(option) + ": 0 leaves the products of --hierarchy full without a penalty");
  }
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
  if (a.grid.given())
    task.fold_of = deal_folds(a.grid, task.labels, task.classes, task.train.subjects, task.train.samples, a.seed);
  return task;
}

std::vector<std::vector<double>> self_test_samples(const InteractionTask& task) {
  std::vector<std::size_t> rows;
  if (task.regression()) {
    const auto [least, most] = std::minmax_element(task.truth.begin(), task.truth.end());
    rows = {static_cast<std::size_t>(least - task.truth.begin()), static_cast<std::size_t>(most - task.truth.begin())};
    if (rows[0] == rows[1]) rows.pop_back();
  } else {
    for (std::size_t k = 0; k < task.classes.size(); ++k)
      rows.push_back(static_cast<std::size_t>(std::find(task.labels.begin(), task.labels.end(), static_cast<Label>(k)) -
                                              task.labels.begin()));
  }
  std::vector<std::vector<double>> out;
  for (const std::size_t i : rows) {
    auto& sample = out.emplace_back();
    for (std::size_t j = 0; j < task.train.features; ++j)
      sample.push_back(task.train.values[i + j * task.train.samples]);
  }
  return out;
}

}  // namespace tamis::cli
