#include <CLI/CLI.hpp>
#include <cstdio>

#include "commands.hpp"
#include "interaction_task.hpp"
#include "kernel_task.hpp"
#include "tamis/any.hpp"

namespace tamis::cli {

namespace {

void run() {
  std::printf("%-42s %-26s %s\n", "solver", "loss", "penalties");
  for (const SolverKind solver : all_solvers)
    for (const LossKind loss : all_losses) {
      std::string penalties;
      for (const PenaltyKind penalty : all_penalties)
        if (!incompatibility(solver, loss, penalty))
          penalties += (penalties.empty() ? "" : " ") + std::string(name(penalty));
      if (penalties.empty()) continue;
      if (solver == SolverKind::automatic) {
        penalties = "";
        for (const PenaltyKind penalty : all_penalties)
          penalties += std::string(penalties.empty() ? "" : " ") + name(penalty) + " (" +
                       name(default_solver(loss, penalty)) + ")";
      }
      if (is_constrained(solver)) penalties += "  (with --eta)";
      std::printf("%-42s %-26s %s\n", name(solver), name(loss), penalties.c_str());
    }
  std::printf("\n%-42s %-26s %s\n", "solver of tamis interactions", "loss", "hierarchies and norms");
  constexpr const char* both = "least-squares squared-hinge";
  constexpr const char* all = "weak (l1 linf l2) strong (l1 linf) full main";
  constexpr struct {
    InteractionSolver solver;
    const char *losses, *penalties;
  } lines[] = {
      {InteractionSolver::automatic, both, "all (admm)"},
      {InteractionSolver::admm, both, all},
      {InteractionSolver::weak_primal_dual_as_printed, both, "weak (l1 linf)"},
      {InteractionSolver::strong_primal_dual_as_printed, both, "strong (l1 linf)"},
      {InteractionSolver::weak_fista_as_printed, both, "weak (l1 linf l2) full main"},
      {InteractionSolver::strong_fista_dykstra, both, "strong (l1 linf)"},
      {InteractionSolver::strong_admm_as_printed, "least-squares", "strong (l1)"},
  };
  for (const auto& line : lines) std::printf("%-42s %-26s %s\n", name(line.solver), line.losses, line.penalties);
  std::printf("\n%-42s %-26s %s\n", "solver of tamis kernels", "loss", "norms and forms");
  constexpr const char* norms = "every p, q and r, binary and multiclass";
  for (const KernelSolver solver : all_kernel_solvers)
    std::printf("%-42s %-26s %s\n", name(solver), "squared-hinge",
                solver == KernelSolver::automatic                     ? "all (admm)"
                : solver == KernelSolver::forward_backward_as_printed ? "the same, without intercepts"
                                                                      : norms);
}

}  // namespace

void declare_solvers(CLI::App& app) {
  app.add_subcommand("solvers", "list the solvers and the combinations each accepts")->callback(run);
}

}  // namespace tamis::cli
