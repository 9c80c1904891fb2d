#include <cstdio>

#include "commands.hpp"
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
}

}  // namespace

void declare_solvers(CLI::App& app) {
  app.add_subcommand("solvers", "list the solvers and the combinations each accepts")->callback(run);
}

}  // namespace tamis::cli
