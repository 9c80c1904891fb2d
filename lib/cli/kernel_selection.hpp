#pragma once
/// How `tamis kernels` chooses λ by cross-validation, and what it says of other samples.

#include <string>
#include <vector>

#include "lambda_choice.hpp"
#include "tamis/certificate/rademacher.hpp"
#include "tamis/selection/kernel_cross_validation.hpp"

namespace tamis::cli {

struct KernelArguments;
struct KernelTask;

/// The data-dependent bound: --rademacher, --delta.
struct KernelBoundArguments {
  Index draws = 0;
  std::string delta = "0.05";

  void declare(CLI::App& command);
  bool given() const;
  double probability() const;
  void check() const;

 private:
  const CLI::Option *draws_ = nullptr, *delta_ = nullptr;
};

/// Bytes of the arena that a choice of λ works in.
template <class T>
std::size_t selection_bytes(const KernelArguments& arguments, const KernelTask& task, Index kernels);

/// Chooses λ; that of the options does not matter. Throws one sentence for a refusal.
template <class T>
LambdaSelection select_lambda(const KernelArguments& arguments, const KernelTask& task, const DenseDesign<T>& design,
                              const Options<T>& options);

/// The average over signs that the bound is made of, for a penalty of norm 1.
template <class T>
DrawnMean<double> draw_signs(const KernelArguments& arguments, const KernelTask& task, const DenseDesign<T>& design);

}  // namespace tamis::cli
