#include <chrono>

#include "errors.hpp"
#include "interaction_task.hpp"
#include "readers.hpp"
#include "tamis/observer.hpp"
#include "tamis/solver/interaction_admm.hpp"
#include "terminal.hpp"

namespace tamis::cli {

namespace {

template <class T>
using Solver = InteractionAdmm<T>;

template <class T>
std::size_t bytes_for(const InteractionTask& task, Index features) {
  return Solver<T>::requirement({static_cast<Index>(task.train.samples), features, task.outputs()}).bytes;
}

template <class T>
InteractionFit fit_in(const InteractionArguments& a, const InteractionTask& task) {
  const std::vector<T> values(task.train.values.begin(), task.train.values.end());
  const std::vector<T> truth(task.truth.begin(), task.truth.end());
  const auto samples = static_cast<Index>(task.train.samples), features = static_cast<Index>(task.train.features);
  const DenseDesign<T> design(values.data(), samples, features);
  InteractionTargets<T> targets;
  if (task.regression()) targets.values = truth.data();
  else targets = {nullptr, task.labels, task.outputs()};
  const auto& o = task.options;
  const Options<T> options{.lambda = static_cast<T>(o.lambda),
                           .tolerance = static_cast<T>(o.tolerance),
                           .max_iterations = o.max_iterations,
                           .intercept = o.intercept};
  const ArenaMemory memory(bytes_for<T>(task, features));
  InteractionFit out;
  ProgressLine progress(!a.quiet);
  const auto started = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  };
  Solver<T> solver(design, targets, task.hierarchy, task.norm, static_cast<T>(task.lambda2), options);
  solver.start(memory.span());
  advance_to_end(solver, [&](const Report<T>& now) {
    const auto objective = static_cast<double>(now.objective), gap = static_cast<double>(now.gap);
    out.trace.push_back({now.iterations, seconds(), objective, gap, now.nonzeros});
    progress.show(now.iterations, objective, static_cast<double>(now.relative_gap), now.nonzeros);
    return true;
  });
  out.seconds = seconds();
  const auto& r = solver.report();
  if (r.status == Status::invalid_lambda)
    throw ArgumentError(std::string("--lambda, --lambda2: ") + describe(r.status));
  if (r.status == Status::invalid_option) throw ArgumentError(describe(r.status));
  if (r.status == Status::invalid_data)
    throw DataError(a.data + ", line " + std::to_string(task.train.lines[r.row]) + ": " +
                    (r.column < features ? "feature " + std::to_string(r.column) : "the target") +
                    " is not finite in this precision");
  if (!has_model(r.status)) throw DataError(a.data + ": " + describe(r.status));
  out.report = {.status = r.status,
                .dual_objective = static_cast<double>(r.dual_objective),
                .lambda_max = static_cast<double>(r.lambda_max),
                .epochs = static_cast<double>(r.epochs),
                .iterations = r.iterations,
                .nonzeros = r.nonzeros,
                .nonzero_rows = r.nonzero_rows,
                .arena_bytes = r.arena_bytes,
                .arena_used_bytes = r.arena_used_bytes};
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
    return a.precision == "float" ? bytes_for<float>(task, features) : bytes_for<double>(task, features);
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
  return a.precision == "float" ? fit_in<float>(a, task) : fit_in<double>(a, task);
}

}  // namespace tamis::cli
