#include <cstdio>
#include <string>

#include "commands.hpp"
#include "tamis/catalogue.hpp"

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
  const auto print = [](int, const char* solver, const char* loss, const char* penalties) {
    std::printf("%-42s %-26s %s\n", solver, loss, penalties);
  };
#define TAMIS_PRINT(number, kind, ...) print(number, __VA_ARGS__);
  TAMIS_INTERACTION_SOLVERS(TAMIS_PRINT)
  std::printf("\n%-42s %-26s %s\n", "solver of tamis kernels", "loss", "norms and forms");
  TAMIS_KERNEL_SOLVERS(TAMIS_PRINT)
#undef TAMIS_PRINT
}

}  // namespace

void declare_solvers(const Command& app) {
  app.add_subcommand("solvers", "list the solvers and the combinations each accepts").callback(run);
}

}  // namespace tamis::cli
