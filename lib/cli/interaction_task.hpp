#pragma once
/// `tamis interactions`: its arguments, the problem that they make, and what was found.

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "family.hpp"
#include "interaction_model_file.hpp"
#include "tamis/catalogue.hpp"
#include "tamis/model/interactions.hpp"
#include "tamis/penalty/hierarchical.hpp"

namespace tamis::cli {

struct InteractionArguments : FamilyArguments {
  std::string hierarchy, norm = "l1", loss = "least-squares";
  std::string lambda2, lambda2_ratio;
  bool no_intercept = false;
};

/// The problem as the solver sees it; `truth` stands for y in a regression.
struct InteractionTask : FamilyTask {
  std::vector<double> truth, test_truth;
  Hierarchy hierarchy;
  HierarchyNorm norm;
  InteractionSolver solver;                                   // resolved
  double lambda2 = std::numeric_limits<double>::quiet_NaN();  // where it is given
  double ratio;                                               // of λ₂ to λ where it is not

  Index outputs() const { return regression() ? 1 : static_cast<Index>(classes.size()); }
  double second(double lambda) const { return std::isnan(lambda2) ? ratio * lambda : lambda2; }
};

/// The coefficients are K matrices of features × (features + 1), the main effects last.
struct InteractionFit : FamilyFit {
  InteractionModel<double> model(Index features, Index outputs) const {
    return {coefficients.data(), intercepts.data(), features, outputs};
  }
};

/// Reads the samples. Throws ArgumentError, DataError and MemoryError.
InteractionTask read_task(const InteractionArguments& arguments);

/// Throws MemoryError if --memory-limit does not suffice: before zeros are filled in, which may be most of the memory.
void check_memory(const InteractionArguments& arguments, const InteractionTask& task);

/// Solves; objective and gap are left to the caller. Throws one sentence for a refusal of the core.
InteractionFit fit(const InteractionArguments& arguments, const InteractionTask& task);

}  // namespace tamis::cli
