#include <algorithm>
#include <chrono>

#include "errors.hpp"
#include "kernel_task.hpp"
#include "readers.hpp"
#include "tamis/observer.hpp"
#include "tamis/solver/as_printed/kernel_forward_backward.hpp"
#include "tamis/solver/kernel_admm.hpp"
#include "terminal.hpp"

namespace tamis::cli {

namespace {

/// Calls run.operator()<Solver>() for the class of the task's solver.
template <class T, class Run>
auto with_solver(const KernelTask& task, Run run) {
  if (task.solver == KernelSolver::forward_backward_as_printed)
    return run.template operator()<as_printed::KernelForwardBackward<T>>();
  return run.template operator()<KernelAdmm<T>>();
}

std::string place(const KernelTask& task, Index sample) {
  return task.train.path + ", line " + std::to_string(task.train.lines[sample]);
}

/// The matrices of all kernels, one after the other.
template <class T>
std::vector<T> matrices(const KernelTask& task) {
  const Index n = task.samples(), p = static_cast<Index>(task.train.features);
  const std::size_t size = std::size_t{n} * n;
  const auto by_rows = task.rows();
  const std::vector<T> rows(by_rows.begin(), by_rows.end());
  const SampleTable<T> samples{rows.data(), n, p, p, 1};
  std::vector<T> out(task.kernels.size() * size);
  T* matrix = out.data();
  for (const TaskKernel& kernel : task.kernels) {
    KernelPair bad;
    bool fine = true;
    if (kernel.function) {
      const Kernel<T> function{kernel.function->kind, static_cast<T>(kernel.function->a),
                               static_cast<T>(kernel.function->b)};
      if (const char* refusal = function.refusal())
        throw ArgumentError("--kernel " + kernel.text + ": " + refusal + ", in this precision too");
      fine = fill_kernel_matrix(function, samples, matrix, bad);
    } else {
      for (std::size_t e = 0; e < size && fine; ++e) {
        matrix[e] = static_cast<T>(kernel.matrix[e]);
        fine = finite(matrix[e]);
        if (!fine) bad = {static_cast<Index>(e / n), static_cast<Index>(e % n)};
      }
    }
    if (!fine) {
      const bool histograms =
          kernel.function && (kernel.function->kind == KernelKind::chi2 || kernel.function->kind == KernelKind::kl);
      throw DataError("kernel " + kernel.text + ": its value of samples " + std::to_string(bad.row + 1) + " (" +
                      place(task, bad.row) + ") and " + std::to_string(bad.column + 1) + " (" +
                      place(task, bad.column) + ") is not finite" +
                      (histograms ? ": it compares histograms, whose entries are not negative" : ""));
    }
    if (is_zero_matrix(matrix, n))
      throw DataError("kernel " + kernel.text +
                      " is zero for every pair of samples, so nothing can be learned with it: leave it out");
    matrix += size;
  }
  return out;
}

template <class T>
Requirement requirement(const KernelTask& task, std::size_t kernels) {
  const Shape shape{task.samples(), static_cast<Index>(task.samples() * kernels), task.outputs()};
  return with_solver<T>(task, [&]<class Solver>() { return Solver::requirement(shape); });
}

template <class T, class Solver>
KernelFit fit_by(const KernelArguments& a, const KernelTask& task) {
  KernelFit out;
  auto started = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  };
  const auto values = matrices<T>(task);
  out.kernel_seconds = seconds();
  const auto kernels = static_cast<Index>(task.kernels.size());
  const DenseDesign<T> design(values.data(), task.samples(), task.samples() * kernels);
  const auto& o = task.options;
  Options<T> options{
      .tolerance = static_cast<T>(o.tolerance), .max_iterations = o.max_iterations, .intercept = o.intercept};
  out.lambda = o.lambda;
  if (a.grid.given()) {
    out.selection = select_lambda(a, task, design, options);
    out.lambda = out.selection->held_out[out.selection->chosen].lambda;
  }
  if (a.bound.given()) out.signs = draw_signs(a, task, design);
  options.lambda = static_cast<T>(out.lambda);
  const ArenaMemory memory(requirement<T>(task, kernels).bytes);
  ProgressLine progress(!a.quiet);
  started = std::chrono::steady_clock::now();
  Solver solver(design, task.labels, kernels, task.outputs(), MixedNorm<T>{task.p, task.q, task.r}, options);
  solver.start(memory.span());
  advance_to_end(solver, [&](const Report<T>& now) {
    const auto objective = static_cast<double>(now.objective), gap = static_cast<double>(now.gap);
    out.trace.push_back({now.iterations, seconds(), objective, gap, now.nonzeros});
    progress.show(now.iterations, objective, static_cast<double>(now.relative_gap), now.nonzeros);
    return true;
  });
  out.seconds = seconds();
  const auto& r = solver.report();
  if (r.status == Status::invalid_lambda) throw ArgumentError(std::string("--lambda: ") + describe(r.status));
  if (r.status == Status::invalid_option) throw ArgumentError(describe(r.status));
  if constexpr (requires { solver.refusal(); })
    if (*solver.refusal()) throw ArgumentError(std::string("--solver ") + name(task.solver) + ": " + solver.refusal());
  if (!has_model(r.status)) throw DataError(task.train.path + ": " + describe(r.status));
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
  const KernelCoefficients<T> model = solver.model();
  const Index stride = padded<double>(model.outputs);
  out.coefficients.assign(std::size_t{model.kernels} * model.samples * stride, 0);
  for (Index t = 0; t < model.kernels; ++t)
    for (Index l = 0; l < model.samples; ++l)
      for (Index k = 0; k < model.outputs; ++k)
        row_of(out.coefficients.data(), t * model.samples + l, stride)[k] = static_cast<double>(model(l, t, k));
  for (Index k = 0; k < model.outputs; ++k) out.intercepts.push_back(static_cast<double>(model.intercept(k)));
  return out;
}

}  // namespace

void check_memory(const KernelArguments& a, const KernelTask& task) {
  const std::size_t kernels = a.kernels.size() + a.matrices.size(), n = task.train.samples;
  constexpr std::size_t most = std::size_t(1) << 31;  // positions are 32 bits wide
  if (n * kernels * padded<float>(task.outputs()) >= most)
    throw MemoryError(in_words(n, "sample") + ", " + in_words(kernels, "kernel") + " and " +
                      in_words(task.outputs(), "score") + " make more coefficients than can be counted");
  const std::size_t limit = a.effort.memory_limit;
  const bool single = a.precision == "float";
  std::size_t arena = (single ? requirement<float>(task, kernels) : requirement<double>(task, kernels)).bytes;
  const auto count = static_cast<Index>(kernels);
  if (a.grid.given())
    arena = std::max(arena, single ? selection_bytes<float>(a, task, count) : selection_bytes<double>(a, task, count));
  const std::size_t bytes = detail::saturating_add(
      arena, detail::saturating_multiply(detail::saturating_multiply(n * kernels, n), single ? 4 : 8));
  if (limit && bytes > limit)
    throw MemoryError("kernels of " + in_words(n, "sample") + " need " + std::to_string(bytes) +
                      " bytes with their matrices, more than --memory-limit: take fewer samples or kernels" +
                      (single ? "" : ", or --precision float"));
}

KernelFit fit(const KernelArguments& a, const KernelTask& task) {
  const auto fit_in = [&]<class T>(T) {
    return with_solver<T>(task, [&]<class Solver>() { return fit_by<T, Solver>(a, task); });
  };
  return a.precision == "float" ? fit_in(0.0f) : fit_in(0.0);
}

}  // namespace tamis::cli
