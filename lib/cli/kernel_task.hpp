#pragma once
/// `tamis kernels`: its arguments, the problem that they make, and what was found.

#include <optional>
#include <string>
#include <vector>

#include "fitting.hpp"
#include "kernel_model_file.hpp"
#include "kernel_selection.hpp"
#include "tamis/penalty/mixed_norm.hpp"

namespace tamis::cli {

/// What trains: `admm`; `fista`, which stores no matrices; or the algorithm that they are compared with.
enum class KernelSolver { automatic, admm, fista, forward_backward_as_printed };
inline constexpr KernelSolver all_kernel_solvers[] = {KernelSolver::automatic, KernelSolver::admm, KernelSolver::fista,
                                                      KernelSolver::forward_backward_as_printed};
constexpr const char* name(KernelSolver solver) {
  constexpr const char* names[] = {"auto", "admm", "fista", "forward-backward-as-printed"};
  return names[static_cast<int>(solver)];
}

struct KernelArguments {
  std::string data, test;
  DataArguments reading;
  std::vector<std::string> kernels, matrices;
  int p = 0, q = 0, r = 0;
  std::string form = "auto", lambda, solver = "auto";
  LambdaGridArguments grid;
  KernelBoundArguments bound;
  std::string precision = "double";
  EffortArguments effort;
  bool standardise = false, intercept = false;
  std::uint64_t seed = 0;
  bool seeded = false;
  std::string model, report;
  bool quiet = false;
};

/// A kernel of the problem: a function, or the matrix of a file.
struct TaskKernel {
  std::string text;  // as it was given
  std::optional<Kernel<double>> function;
  std::vector<double> matrix;  // row-major

  bool is_constant() const { return function && function->kind == KernelKind::constant; }
};

/// The problem as the solver sees it.
struct KernelTask {
  Table train;  // dense, standardised where asked; without features when only matrices are given
  std::optional<Table> test;
  std::vector<std::string> classes;
  std::vector<Label> labels, test_labels;
  std::vector<Index> fold_of;  // where lambda is chosen
  std::vector<TaskKernel> kernels;
  bool binary = false;
  int p, q, r;
  KernelSolver solver;      // resolved
  Options<double> options;  // λ in `options` is NaN where it is chosen
  std::optional<Standardisation> standardisation;
  std::vector<std::vector<double>> self_test;  // one sample per class, before it is standardised

  Index samples() const { return static_cast<Index>(train.samples); }
  Index outputs() const { return binary ? 1 : static_cast<Index>(classes.size()); }
  bool has_matrices() const;
  /// Of the samples, by rows.
  std::vector<double> rows() const;
};

/// What was found, in double.
struct KernelFit {
  Report<double> report;
  std::vector<double> coefficients;  // row t·n + l, padded
  std::vector<double> intercepts;
  std::vector<TraceEntry> trace;
  double seconds = 0, kernel_seconds = 0;  // of the solver; of the matrices
  std::size_t data_bytes = 0;
  double lambda = 0;
  std::optional<LambdaSelection> selection;
  std::optional<DrawnMean<double>> signs;

  KernelCoefficients<double> view(const KernelTask& task) const {
    return {coefficients.data(), intercepts.data(), task.samples(), static_cast<Index>(task.kernels.size()),
            task.outputs()};
  }
};

struct KernelOutcome {
  Evaluation train;
  std::optional<Evaluation> test;
  KernelCounts kept;                   // without constant kernels
  std::optional<KeptExpansion> model;  // where all kernels are functions
  std::optional<RademacherBound<double>> bound;
  std::vector<std::string> notes;
};

/// Reads samples, labels and matrices. Throws ArgumentError and DataError.
KernelTask read_task(const KernelArguments& arguments);

/// Throws MemoryError if --memory-limit does not suffice for the solver and the matrices.
void check_memory(const KernelArguments& arguments, const KernelTask& task);

/// Solves; objective and gap are left to the caller. Throws one sentence for a refusal.
KernelFit fit(const KernelArguments& arguments, const KernelTask& task);

/// The report file, and what a person at a terminal sees.
std::string to_json(const KernelArguments& arguments, const KernelTask& task, const KernelFit& fit,
                    const KernelOutcome& outcome);
std::string summary(const KernelArguments& arguments, const KernelTask& task, const KernelFit& fit,
                    const KernelOutcome& outcome);

}  // namespace tamis::cli
