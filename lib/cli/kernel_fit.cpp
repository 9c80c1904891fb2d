#include <algorithm>

#include "errors.hpp"
#include "kernel_task.hpp"
#include "readers.hpp"
#include "tamis/design/kernel_rows.hpp"
#include "tamis/selection/kernel_cross_validation.hpp"
#include "tamis/solver/as_printed/kernel_forward_backward.hpp"
#include "tamis/solver/kernel_admm.hpp"
#include "tamis/solver/kernel_fista.hpp"

namespace tamis::cli {

namespace {

/// Calls run.operator()<Solver>() for the class of the task's solver.
template <class T, class Run>
auto with_solver(const KernelTask& task, Run run) {
  if (task.solver == KernelSolver::forward_backward_as_printed)
    return run.template operator()<as_printed::KernelForwardBackward<T>>();
  if (task.solver == KernelSolver::fista && !task.has_matrices())
    return run.template operator()<KernelFista<T, KernelRows<T>>>();
  if (task.solver == KernelSolver::fista) return run.template operator()<KernelFista<T>>();
  return run.template operator()<KernelAdmm<T>>();
}
template <class T, class Solver>
constexpr bool stores_matrices = !std::is_same_v<Solver, KernelFista<T, KernelRows<T>>>;

std::string place(const KernelTask& task, Index sample) {
  return task.train.path + ", line " + std::to_string(task.train.lines[sample]);
}

template <class T>
Kernel<T> function_of(const TaskKernel& kernel) {
  const Kernel<T> out{kernel.function->kind, static_cast<T>(kernel.function->a), static_cast<T>(kernel.function->b)};
  if (const char* refusal = out.refusal())
    throw ArgumentError("--kernel " + kernel.text + ": " + refusal + ", in this precision too");
  return out;
}
[[noreturn]] void refuse_value(const KernelTask& task, const TaskKernel& kernel, KernelPair bad) {
  const bool histograms =
      kernel.function && (kernel.function->kind == KernelKind::chi2 || kernel.function->kind == KernelKind::kl);
  throw DataError("kernel " + kernel.text + ": its value of samples " + std::to_string(bad.row + 1) + " (" +
                  place(task, bad.row) + ") and " + std::to_string(bad.column + 1) + " (" + place(task, bad.column) +
                  ") is not finite" + (histograms ? ": it compares histograms, whose entries are not negative" : ""));
}
[[noreturn]] void refuse_zero(const TaskKernel& kernel) {
  throw DataError("kernel " + kernel.text +
                  " is zero for every pair of samples, so nothing can be learned with it: leave it out");
}

/// The matrices of all kernels, one after the other.
template <class T>
std::vector<T> matrices(const KernelTask& task, const SampleTable<T>& samples) {
  const Index n = task.samples();
  const std::size_t size = std::size_t{n} * n;
  std::vector<T> out(task.kernels.size() * size);
  T* matrix = out.data();
  for (const TaskKernel& kernel : task.kernels) {
    KernelPair bad;
    bool fine = true;
    if (kernel.function) {
      fine = fill_kernel_matrix(function_of<T>(kernel), samples, matrix, bad);
    } else {
      for (std::size_t e = 0; e < size && fine; ++e) {
        matrix[e] = static_cast<T>(kernel.matrix[e]);
        fine = finite(matrix[e]);
        if (!fine) bad = {static_cast<Index>(e / n), static_cast<Index>(e % n)};
      }
    }
    if (!fine) refuse_value(task, kernel, bad);
    if (is_zero_matrix(matrix, n)) refuse_zero(kernel);
    matrix += size;
  }
  return out;
}
/// The kernels of a problem that stores no matrices: their values are looked at once.
template <class T>
std::vector<Kernel<T>> functions(const KernelTask& task, const SampleTable<T>& samples) {
  std::vector<Kernel<T>> out;
  for (const TaskKernel& kernel : task.kernels) {
    out.push_back(function_of<T>(kernel));
    bool zero = true;
    for (Index l = 0; l < task.samples(); ++l)
      for (Index i = 0; i < task.samples(); ++i) {
        const T value = out.back()(samples[l], samples[i]);
        if (!finite(value)) refuse_value(task, kernel, {l, i});
        zero = zero && value == T(0);
      }
    if (zero) refuse_zero(kernel);
  }
  return out;
}

template <class T>
Requirement requirement(const KernelTask& task, std::size_t kernels) {
  const Shape shape{task.samples(), static_cast<Index>(task.samples() * kernels), task.outputs()};
  return with_solver<T>(task, [&]<class Solver>() { return Solver::requirement(shape); });
}

template <class T>
MixedNorm<T> norm_of_task(const KernelTask& task) {
  return {task.p, task.q, task.r};
}

template <class T>
std::size_t selection_bytes(const KernelArguments& a, const KernelTask& task, Index kernels) {
  const Index n = task.samples(), folds = a.grid.held_out_folds();
  const Index training = most_training_samples(task.fold_of, folds);
  const Shape shape{n, n * kernels, task.outputs()};
  return (KernelPath<T>::requirement(shape) |
          KernelCrossValidation<T>::requirement(shape, training, folds, a.grid.size()))
      .bytes;
}

template <class T>
LambdaSelection select_lambda(const KernelArguments& a, const KernelTask& task, const DenseDesign<T>& design,
                              const Options<T>& options) {
  const auto kernels = static_cast<Index>(task.kernels.size());
  std::vector<T> values;
  const Grid<T> grid = a.grid.grid(values, task.q == 1 ? 1e-3 : 1e-5, a.precision);
  const KernelProblem<T> problem{design, task.labels, kernels, task.outputs(), norm_of_task<T>(task), options};
  const std::size_t limit = a.effort.memory_limit;
  return choose_lambda(a.grid, grid, problem, selection_bytes<T>(a, task, kernels),
                       limit ? limit - sizeof(T) * task.samples() * design.features() : 0, a.quiet, task.train.path,
                       task.classes, [&](const Grid<T>& of) {
                         return KernelCrossValidation<T>(design, task.labels, kernels, task.outputs(), problem.norm,
                                                         options, task.fold_of.data(), a.grid.held_out_folds(), of);
                       });
}

/// The average over signs that the bound is made of, for a penalty of norm 1.
template <class T>
DrawnMean<double> draw_signs(const KernelArguments& a, const KernelTask& task, const DenseDesign<T>& design) {
  const ArenaMemory memory(rademacher_requirement<T>({design.samples(), design.features(), task.outputs()}).bytes);
  DrawnMean<T> out;
  const Status status = rademacher_average(design, static_cast<Index>(task.kernels.size()), norm_of_task<T>(task),
                                           a.bound.draws, a.seed, memory.span(), out);
  if (status != Status::converged) throw DataError(task.train.path + ": --rademacher: " + describe(status));
  return {static_cast<double>(out.mean), static_cast<double>(out.standard_error)};
}

template <class T, class Solver>
KernelFit fit_by(const KernelArguments& a, const KernelTask& task) {
  KernelFit out;
  const Stopwatch watch;
  const Index p = static_cast<Index>(task.train.features);
  const auto by_rows = task.rows();
  const std::vector<T> rows(by_rows.begin(), by_rows.end());
  const SampleTable<T> samples{rows.data(), task.samples(), p, p, 1};
  const auto kernels = static_cast<Index>(task.kernels.size());
  std::vector<T> values;
  std::vector<Kernel<T>> unstored;
  if constexpr (stores_matrices<T, Solver>) values = matrices(task, samples);
  else unstored = functions(task, samples);
  out.kernel_seconds = watch.seconds();
  const auto design = [&] {
    if constexpr (stores_matrices<T, Solver>)
      return DenseDesign<T>(values.data(), task.samples(), task.samples() * kernels);
    else return KernelRows<T>(samples, unstored);
  }();
  Options<T> options = in_precision<T>(task.options);
  out.lambda = task.options.lambda;
  if constexpr (stores_matrices<T, Solver>) {
    if (a.grid.given()) {
      out.selection = select_lambda(a, task, design, options);
      out.lambda = out.selection->lambda();
    }
    if (a.bound.given()) out.signs = draw_signs(a, task, design);
  }
  options.lambda = static_cast<T>(out.lambda);
  const ArenaMemory memory(requirement<T>(task, kernels).bytes);
  Solver solver(design, task.labels, kernels, task.outputs(), norm_of_task<T>(task), options);
  out.solve(solver, memory.span(), a.quiet, "--lambda");
  const auto& r = solver.report();
  if constexpr (requires { solver.refusal(); })
    if (*solver.refusal()) throw ArgumentError(std::string("--solver ") + name(task.solver) + ": " + solver.refusal());
  if (!has_model(r.status)) throw DataError(task.train.path + ": " + describe(r.status));
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
  const bool stored = task.solver != KernelSolver::fista || task.has_matrices();
  const std::size_t bytes = detail::saturating_add(
      arena, detail::saturating_multiply(stored ? detail::saturating_multiply(n * kernels, n) : 0, single ? 4 : 8));
  if (limit && bytes > limit)
    throw MemoryError("kernels of " + in_words(n, "sample") + " need " + std::to_string(bytes) + " bytes" +
                      (stored ? " with their matrices" : "") +
                      ", more than --memory-limit: take fewer samples or kernels" +
                      (single ? "" : ", or --precision float") +
                      (task.solver == KernelSolver::admm && !task.has_matrices() && !a.grid.given()
                           ? ", or --solver fista, which stores no matrices"
                           : ""));
}

KernelFit fit(const KernelArguments& a, const KernelTask& task) {
  const auto fit_in = [&]<class T>(T) {
    return with_solver<T>(task, [&]<class Solver>() { return fit_by<T, Solver>(a, task); });
  };
  return a.precision == "float" ? fit_in(0.0f) : fit_in(0.0);
}

}  // namespace tamis::cli
