#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "experiments.hpp"
#include "training.hpp"

namespace tamis::paper_a {

Options<double> options_for(const Task& task, double alpha, std::size_t samples) {
  Options<double> options;
  if (task.constrained) options.eta = alpha;
  else options.lambda = (task.penalty == PenaltyKind::ridge ? 2 : 1) * alpha / static_cast<double>(samples);
  options.margin = 1;
  options.intercept = task.intercept;
  options.max_iterations = std::numeric_limits<std::uint32_t>::max();
  return options;
}

Solve solve(const Problem& problem, const Task& task, double alpha, const Stopping& stopping, const Watch& watch) {
  Choice choice;
  choice.loss = task.loss;
  choice.penalty = task.penalty;
  choice.groups = task.groups;
  choice.solver = task.solver;
  choice.constrained = task.constrained;
  Options<double> options = options_for(task, alpha, problem.table.samples);
  options.tolerance = stopping.gap;
  const Targets<double> targets{problem.labels, problem.classes};
  const Shape shape{targets.samples(), static_cast<Index>(problem.table.features), problem.classes};
  const auto entries = static_cast<std::size_t>(
      std::count_if(problem.table.values.begin(), problem.table.values.end(), [](double x) { return x != 0; }));
  const Room room{.entries = entries, .active_limit = cli::usual_active_limit};
  const std::size_t bytes = cli::CommandTraining<double>::requirement(choice, shape, room).bytes;
  if (bytes > std::size_t(PTRDIFF_MAX)) throw std::runtime_error(task.name + ": no solver in this build accepts it");
  const std::unique_ptr<std::byte[], decltype(&std::free)> memory(
      static_cast<std::byte*>(std::aligned_alloc(Arena::alignment, bytes)), std::free);
  if (!memory) throw std::runtime_error(task.name + ": no memory for the arena");

  cli::CommandTraining<double> training(choice, problem.samples.design(), targets, options);
  Solve out;
  double watched = 0;
  const double started = cpu_seconds();
  const auto elapsed = [&] { return cpu_seconds() - started - watched; };
  training.start({memory.get(), bytes});
  std::uint32_t seen = 0;
  for (bool more = true; more;) {
    const Report<double>& now = training.report();
    if (training.certificates() != seen) {
      seen = training.certificates();
      if (watch) {
        const double at = cpu_seconds();
        watch(at - started - watched, now, training.model());
        watched += cpu_seconds() - at;
      }
      if (now.status == Status::running && now.iterations > 0 && now.kkt_residual <= stopping.change) {
        out.status = "stopping_rule";
        training.stop();
      }
    }
    if (now.status == Status::running && (now.iterations % 16 == 0) && elapsed() > stopping.seconds) {
      out.status = "time_limit";
      training.stop();
    }
    more = training.step();
  }
  out.seconds = elapsed();
  out.report = training.report();
  if (out.status.empty() || out.report.status != Status::stopped) out.status = name(out.report.status);
  if (has_model(out.report.status)) out.model = copy_of(training.model());
  else if (out.report.status != Status::infeasible)
    throw std::runtime_error(task.name + ": " + describe(out.report.status));
  return out;
}

}  // namespace tamis::paper_a
