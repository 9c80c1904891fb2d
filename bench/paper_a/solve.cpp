#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
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
  ProblemSpec choice;
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
  const WorkspaceHint hint{.entries = entries, .active_limit = cli::usual_active_limit};
  const std::size_t bytes = cli::CommandTraining<double>::requirement(choice, shape, hint).bytes;
  if (bytes > std::size_t(PTRDIFF_MAX)) throw std::runtime_error(task.name + ": no solver in this build accepts it");
  const std::unique_ptr<std::byte[], decltype(&std::free)> memory(
      static_cast<std::byte*>(std::aligned_alloc(Arena::alignment, bytes)), std::free);
  if (!memory) throw std::runtime_error(task.name + ": no memory for the arena");

  cli::CommandTraining<double> training(choice, problem.samples.design(), targets, options);
  const bool by_iterates = stopping.change > 0;
  if (by_iterates && !training.set_stopping({StoppingRule::iterates, stopping.change}))
    throw std::runtime_error(task.name + ": it does not end by its iterates");
  // The model of an iterate is found out by ending the run; then its state is put back where it was.
  std::vector<std::byte> state(watch && by_iterates ? sizeof training : 0), arena(state.empty() ? 0 : bytes);
  const auto look = [&](double at) {
    std::memcpy(state.data(), static_cast<void*>(&training), sizeof training);
    std::memcpy(arena.data(), memory.get(), bytes);
    training.stop();
    watch(at, training.report(), training.model());
    std::memcpy(static_cast<void*>(&training), state.data(), sizeof training);
    std::memcpy(memory.get(), arena.data(), bytes);
  };
  Solve out;
  double watched = 0;
  const double started = cpu_seconds();
  const auto elapsed = [&] { return cpu_seconds() - started - watched; };
  training.start({memory.get(), bytes});
  std::uint32_t seen = 0;
  double next_look = 0;
  for (bool more = true; more;) {
    const Report<double>& now = training.report();
    const bool due = by_iterates ? now.status == Status::running && now.iterations > 0 && elapsed() >= next_look
                                 : training.certificates() != seen;
    if (watch && due) {
      const double at = cpu_seconds(), of_run = at - started - watched;
      if (by_iterates) look(of_run);
      else watch(of_run, now, training.model());
      watched += cpu_seconds() - at;
      next_look = 1.1 * of_run;
    }
    seen = training.certificates();
    if (now.status == Status::running && (now.iterations % 16 == 0) && elapsed() > stopping.seconds) {
      out.status = "time_limit";
      training.stop();
    }
    more = training.step();
  }
  out.seconds = elapsed();
  out.report = training.report();
  if (out.report.status != Status::stopped) out.status = name(out.report.status);
  else if (out.status.empty()) out.status = "stopping_rule";
  if (has_model(out.report.status)) out.model = copy_of(training.model());
  else if (out.report.status != Status::infeasible)
    throw std::runtime_error(task.name + ": " + describe(out.report.status));
  return out;
}

}  // namespace tamis::paper_a
