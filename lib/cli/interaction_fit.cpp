#include <algorithm>

#include "errors.hpp"
#include "interaction_task.hpp"
#include "readers.hpp"
#include "tamis/selection/interaction_cross_validation.hpp"
#include "tamis/solver/as_printed/interaction_admm.hpp"
#include "tamis/solver/as_printed/interaction_fista.hpp"
#include "tamis/solver/as_printed/interaction_primal_dual.hpp"
#include "tamis/solver/interaction_admm.hpp"

namespace tamis::cli {

namespace {

/// Calls run.operator()<Solver>() for the class of the task's solver.
template <class T, class Run>
auto with_solver(const InteractionTask& task, Run run) {
  switch (task.solver) {
    case InteractionSolver::weak_primal_dual_as_printed:
    case InteractionSolver::strong_primal_dual_as_printed:
      return run.template operator()<as_printed::InteractionPrimalDual<T>>();
    case InteractionSolver::weak_fista_as_printed: return run.template operator()<as_printed::InteractionFista<T>>();
    case InteractionSolver::strong_fista_dykstra:
      return run.template operator()<as_printed::InteractionFistaDykstra<T>>();
    case InteractionSolver::strong_admm_as_printed: return run.template operator()<as_printed::InteractionAdmm<T>>();
    default: return run.template operator()<InteractionAdmm<T>>();
  }
}

template <class T>
std::size_t bytes_for(const InteractionTask& task, Index features) {
  const Shape shape{static_cast<Index>(task.train.samples), features, task.outputs()};
  return with_solver<T>(task, [&]<class Solver>() { return Solver::requirement(shape).bytes; });
}

template <class T>
std::size_t selection_bytes(const InteractionArguments& a, const InteractionTask& task, Index features) {
  const Shape shape{static_cast<Index>(task.train.samples), features, task.outputs()};
  const Index folds = a.grid.held_out_folds(), training = most_training_samples(task.fold_of, folds);
  return (InteractionPath<T>::requirement(shape) |
          InteractionCrossValidation<T>::requirement(shape, training, folds, a.grid.size()))
      .bytes;
}

template <class T>
LambdaSelection select_lambda(const InteractionArguments& a, const InteractionTask& task,
                              const InteractionProblem<T>& problem) {
  std::vector<T> values;
  const Grid<T> grid = a.grid.grid(values, 1e-2, a.precision);
  return choose_lambda(a.grid, grid, problem, selection_bytes<T>(a, task, problem.design.features()),
                       a.effort.memory_limit, a.quiet, a.data, task.classes, [&](const Grid<T>& of) {
                         return InteractionCrossValidation<T>(problem, task.fold_of.data(), a.grid.held_out_folds(),
                                                              of);
                       });
}

/// What the solver says of a combination that it does not know.
template <class Solver>
std::string refusal_of(const InteractionTask& task, const Solver& solver) {
  std::string sentence = describe(solver.report().status);
  if constexpr (requires { solver.refusal(); }) {
    if (*solver.refusal()) sentence = solver.refusal();
    if (task.options.intercept) sentence += " (--no-intercept)";
  }
  return std::string("--solver ") + name(task.solver) + ": " + sentence;
}

template <class T, class Solver>
InteractionFit fit_by(const InteractionArguments& a, const InteractionTask& task) {
  const std::vector<T> values(task.train.values.begin(), task.train.values.end());
  const std::vector<T> truth(task.truth.begin(), task.truth.end());
  const auto samples = static_cast<Index>(task.train.samples), features = static_cast<Index>(task.train.features);
  const DenseDesign<T> design(values.data(), samples, features);
  InteractionTargets<T> targets;
  if (task.regression()) targets.values = truth.data();
  else targets = {nullptr, task.labels, task.outputs()};
  Options<T> options = in_precision<T>(task.options);
  InteractionFit out;
  out.lambda = task.options.lambda;
  if constexpr (std::is_same_v<Solver, InteractionAdmm<T>>)
    if (a.grid.given()) {
      out.selection = select_lambda<T>(a, task,
                                       {design, targets, task.hierarchy, task.norm, options,
                                        static_cast<T>(task.lambda2), static_cast<T>(task.ratio)});
      out.lambda = out.selection->lambda();
    }
  options.lambda = static_cast<T>(out.lambda);
  const ArenaMemory memory(bytes_for<T>(task, features));
  Solver solver(design, targets, task.hierarchy, task.norm, static_cast<T>(task.second(out.lambda)), options);
  out.solve(solver, memory.span(), a.quiet, "--lambda, --lambda2");
  const auto& r = solver.report();
  if (r.status == Status::invalid_combination) throw ArgumentError(refusal_of(task, solver));
  if (r.status == Status::invalid_data)
    throw DataError(a.data + ", line " + std::to_string(task.train.lines[r.row]) + ": " +
                    (r.column < features ? "feature " + std::to_string(r.column) : "the target") +
                    " is not finite in this precision");
  if (!has_model(r.status)) throw DataError(a.data + ": " + describe(r.status));
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

}  // namespace

void check_memory(const InteractionArguments& a, const InteractionTask& task) {
  const auto bytes_of = [&](Index features) {
    const bool single = a.precision == "float";
    const std::size_t least = single ? bytes_for<float>(task, features) : bytes_for<double>(task, features);
    if (!a.grid.given()) return least;
    return std::max(least,
                    single ? selection_bytes<float>(a, task, features) : selection_bytes<double>(a, task, features));
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

InteractionFit fit(const InteractionArguments& a, const InteractionTask& task) {
  const auto fit_in = [&]<class T>(T) {
    return with_solver<T>(task, [&]<class Solver>() { return fit_by<T, Solver>(a, task); });
  };
  return a.precision == "float" ? fit_in(0.0f) : fit_in(0.0);
}

}  // namespace tamis::cli
