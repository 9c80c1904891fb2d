#pragma once
/// How `tamis kernels` chooses λ by cross-validation, and what it says of other samples.

#include <string>
#include <vector>

#include "fitting.hpp"
#include "tamis/certificate/rademacher.hpp"
#include "tamis/selection/kernel_cross_validation.hpp"

namespace tamis::cli {

struct KernelArguments;
struct KernelTask;

/// Which λs are compared, and how: as for `tamis cv`.
struct KernelGridArguments {
  std::string values, ratio, choose = "1se", measure = "error";
  Index points = 0, folds = 5;
  bool stratified = true;

  void declare(CLI::App& command, CLI::Option* lambda);
  /// Whether λ is to be chosen.
  bool given() const { return points > 0 || !values.empty(); }
  /// The λs of `values`, none without.
  std::vector<double> lambdas() const;
  /// Throws ArgumentError for what makes no sense, or is given though λ is not to be chosen.
  void check() const;

 private:
  std::vector<const CLI::Option*> others_;
};

/// The data-dependent bound: --rademacher, --delta.
struct KernelBoundArguments {
  Index draws = 0;
  std::string delta = "0.05";

  void declare(CLI::App& command);
  bool given() const { return draws_ && draws_->count() > 0; }
  double probability() const;
  void check() const;

 private:
  const CLI::Option *draws_ = nullptr, *delta_ = nullptr;
};

/// A λ of the path on all samples.
struct KernelPathPoint {
  Status status;
  Index nonzeros, nonzero_rows;
};

struct KernelSelection {
  std::vector<KernelPathPoint> path;
  std::vector<HeldOut<double>> held_out;
  Index least = 0, one_se = 0, chosen = 0;
  std::size_t arena_bytes = 0;
  double seconds = 0;  // of all solves
};

/// Bytes of the arena that a choice of λ works in.
template <class T>
std::size_t selection_bytes(const KernelArguments& arguments, const KernelTask& task, Index kernels);

/// Chooses λ; that of the options does not matter. Throws one sentence for a refusal.
template <class T>
KernelSelection select_lambda(const KernelArguments& arguments, const KernelTask& task, const DenseDesign<T>& design,
                              const Options<T>& options);

/// The average over signs that the bound is made of, for a penalty of norm 1.
template <class T>
DrawnMean<double> draw_signs(const KernelArguments& arguments, const KernelTask& task, const DenseDesign<T>& design);

}  // namespace tamis::cli
