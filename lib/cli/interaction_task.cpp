#include "interaction_task.hpp"

#include <algorithm>
#include <limits>
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

/// The samples of the least and the largest target.
std::vector<std::size_t> ends(const std::vector<double>& truth) {
  const auto [least, most] = std::minmax_element(truth.begin(), truth.end());
  std::vector<std::size_t> out{static_cast<std::size_t>(least - truth.begin())};
  if (least != most) out.push_back(static_cast<std::size_t>(most - truth.begin()));
  return out;
}

/// Whether the norms of no two features that are not zero are more than 1000 times apart.
bool of_similar_size(const Table& table) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t j = 0; j < table.features; ++j) {
    double square = 0;
    for (std::size_t i = 0; i < table.samples; ++i) square += std::pow(table.values[i + j * table.samples], 2);
    if (square > 0) least = std::min(least, square), most = std::max(most, square);
  }
  return most <= 1e6 * least;
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
  task.solver = a.solver_among(all_interaction_solvers);
  if ((task.solver == InteractionSolver::weak_primal_dual_as_printed && task.hierarchy == Hierarchy::strong) ||
      (task.solver == InteractionSolver::strong_primal_dual_as_printed && task.hierarchy == Hierarchy::weak))
    throw ArgumentError("--solver " + a.solver + " is not for --hierarchy " + a.hierarchy);
  check_one_of("--loss", a.loss, {"least-squares", "squared-hinge"});
  a.check();
  task.options = a.options("interactions");
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
  task.options.intercept = !a.no_intercept;
  task.read(a);
  if (a.loss == "least-squares") {
    task.truth = real_targets(task.train, a.reading.labels_file);
    if (task.test) task.test_truth = real_targets(*task.test, "");
  } else {
    task.encode_classes(a.data, ", or take --loss least-squares");
  }
  task.deal(a);
  check_memory(a, task);
  task.fill_zeros();
  task.take_self_test(task.regression() ? ends(task.truth) : task.first_of_classes());
  const bool alike = of_similar_size(task.train);
  if (a.standardise) {
    task.standardise();
    task.notes.push_back(
        std::string("coefficients are those of features of mean 0 and variance 1") +
        (a.model.empty() ? "" : ", in the model those of the features as they stand, which has more main effects"));
  } else if (!alike) {
    task.notes.push_back(
        "features differ in size by more than 1000 times, and the penalty favours large ones: --standardise makes them "
        "alike");
  }
  return task;
}

}  // namespace tamis::cli
