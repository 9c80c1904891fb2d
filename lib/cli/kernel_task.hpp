#pragma once
/// `tamis kernels`: its arguments, the problem that they make, and what was found.

#include <optional>
#include <string>
#include <vector>

#include "family.hpp"
#include "kernel_model_file.hpp"
#include "tamis/catalogue.hpp"
#include "tamis/certificate/rademacher.hpp"
#include "tamis/penalty/mixed_norm.hpp"

namespace tamis::cli {

/// The data-dependent bound: --rademacher, --delta.
struct KernelBoundArguments {
  Index draws = 0;
  std::string delta = "0.05";

  void declare(const Command& command);
  bool given() const;
  double probability() const;
  void check() const;

 private:
  Option draws_, delta_;
};

struct KernelArguments : FamilyArguments {
  std::vector<std::string> kernels, matrices;
  int p = 0, q = 0, r = 0;
  std::string form = "auto";
  KernelBoundArguments bound;
  bool intercept = false;

  bool draws() const { return grid.given() || bound.given(); }
};

/// A kernel of the problem: a function, or the matrix of a file.
struct TaskKernel {
  std::string text;  // as it was given
  std::optional<Kernel<double>> function;
  std::vector<double> matrix;  // row-major

  bool is_constant() const { return function && function->kind == KernelKind::constant; }
};

/// The problem as the solver sees it: dense, standardised where asked; without features when only matrices are given.
struct KernelTask : FamilyTask {
  std::vector<TaskKernel> kernels;
  bool binary = false;
  int p, q, r;
  KernelSolver solver;  // resolved

  Index outputs() const { return binary ? 1 : static_cast<Index>(classes.size()); }
  bool has_matrices() const;
  /// Of the samples, by rows.
  std::vector<double> rows() const;
};

/// Row t·n + l of the coefficients is padded.
struct KernelFit : FamilyFit {
  double kernel_seconds = 0;  // of the matrices
  std::optional<DrawnMean<double>> signs;

  KernelCoefficients<double> view(const KernelTask& task) const {
    return {coefficients.data(), intercepts.data(), task.samples(), static_cast<Index>(task.kernels.size()),
            task.outputs()};
  }
};

/// Reads samples, labels and matrices. Throws ArgumentError and DataError.
KernelTask read_task(const KernelArguments& arguments);

/// Throws MemoryError if --memory-limit does not suffice for the solver and the matrices.
void check_memory(const KernelArguments& arguments, const KernelTask& task);

/// Solves; objective and gap are left to the caller. Throws one sentence for a refusal.
KernelFit fit(const KernelArguments& arguments, const KernelTask& task);

}  // namespace tamis::cli
