#pragma once
/// `tamis interactions`: its arguments, the problem that they make, and what was found.

#include <cmath>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "fitting.hpp"
#include "interaction_model_file.hpp"
#include "lambda_choice.hpp"
#include "tamis/model/interactions.hpp"
#include "tamis/penalty/hierarchical.hpp"

namespace tamis::cli {

/// What trains: `admm` with Newton's finish, or an algorithm that it is compared with.
enum class InteractionSolver {
  automatic,
  admm,
  weak_primal_dual_as_printed,
  strong_primal_dual_as_printed,
  weak_fista_as_printed,
  strong_fista_dykstra,
  strong_admm_as_printed
};
inline constexpr InteractionSolver all_interaction_solvers[] = {InteractionSolver::automatic,
                                                                InteractionSolver::admm,
                                                                InteractionSolver::weak_primal_dual_as_printed,
                                                                InteractionSolver::strong_primal_dual_as_printed,
                                                                InteractionSolver::weak_fista_as_printed,
                                                                InteractionSolver::strong_fista_dykstra,
                                                                InteractionSolver::strong_admm_as_printed};
constexpr const char* name(InteractionSolver solver) {
  constexpr const char* names[] = {"auto",
                                   "admm",
                                   "weak-primal-dual-as-printed",
                                   "strong-primal-dual-as-printed",
                                   "weak-fista-as-printed",
                                   "strong-fista-dykstra",
                                   "strong-admm-as-printed"};
  return names[static_cast<int>(solver)];
}

struct InteractionArguments {
  std::string data, test;
  DataArguments reading;
  std::string hierarchy, norm = "l1", loss = "least-squares", solver = "auto";
  std::string lambda, lambda2, lambda2_ratio;
  LambdaGridArguments grid;
  std::string precision = "double";
  EffortArguments effort;
  bool standardise = false, no_intercept = false;
  std::uint64_t seed = 0;
  bool seeded = false;
  std::string model, report;
  bool quiet = false;
};

/// The problem as the solver sees it; `truth` stands for y in a regression.
struct InteractionTask {
  Table train;
  std::optional<Table> test;
  std::vector<std::string> classes;
  std::vector<Label> labels, test_labels;
  std::vector<double> truth, test_truth;
  Hierarchy hierarchy;
  HierarchyNorm norm;
  InteractionSolver solver;                                   // resolved
  double lambda2 = std::numeric_limits<double>::quiet_NaN();  // where it is given
  double ratio;                                               // of λ₂ to λ where it is not
  std::vector<Index> fold_of;                                 // where λ is chosen
  Options<double> options;                                    // λ is NaN where it is chosen
  std::vector<std::vector<double>> self_test;                 // see `self_test_samples`

  bool regression() const { return classes.empty(); }
  Index outputs() const { return regression() ? 1 : static_cast<Index>(classes.size()); }
  double second(double lambda) const { return std::isnan(lambda2) ? ratio * lambda : lambda2; }
};

/// What was found, in double: K matrices of features × (features + 1), the main effects last; and the intercepts.
struct InteractionFit {
  Report<double> report;
  std::vector<double> coefficients, intercepts;
  std::vector<TraceEntry> trace;
  double seconds = 0;
  std::size_t data_bytes = 0;
  double lambda = 0;
  std::optional<LambdaSelection> selection;

  InteractionModel<double> model(Index features, Index outputs) const {
    return {coefficients.data(), intercepts.data(), features, outputs};
  }
};

struct InteractionOutcome {
  std::optional<double> error, test_error;  // of a regression
  std::optional<Evaluation> train, test;    // of classes
  KeptTerms terms;
  std::size_t main_effects = 0;
  std::optional<Standardisation> standardisation;  // of the features that the terms are of
  std::vector<std::string> notes;
};

/// Reads the samples. Throws ArgumentError and DataError.
InteractionTask read_task(const InteractionArguments& arguments);

/// Training samples for the self-test of exported code: one per class, or those of the least and the largest target.
/// They are dense.
std::vector<std::vector<double>> self_test_samples(const InteractionTask& task);

/// Throws MemoryError if --memory-limit does not suffice: before zeros are filled in, which may be most of the memory.
void check_memory(const InteractionArguments& arguments, const InteractionTask& task);

/// Solves; objective and gap are left to the caller. Throws one sentence for a refusal of the core.
InteractionFit fit(const InteractionArguments& arguments, const InteractionTask& task);

/// The report file, and what a person at a terminal sees.
std::string to_json(const InteractionArguments& arguments, const InteractionTask& task, const InteractionFit& fit,
                    const InteractionOutcome& outcome);
std::string summary(const InteractionArguments& arguments, const InteractionTask& task, const InteractionFit& fit,
                    const InteractionOutcome& outcome);

}  // namespace tamis::cli
