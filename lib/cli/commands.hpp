#pragma once
/// The subcommands: each declares its options and what to do when it is chosen.

#include "cli_fwd.hpp"

namespace tamis::cli {

/// The whole command: parses, runs, prints one sentence to standard error when something is wrong. Returns the exit
/// code.
int run_command(int argc, const char* const* argv);

void declare_train(CLI::App& app);
void declare_path(CLI::App& app);
void declare_cv(CLI::App& app);
void declare_stability(CLI::App& app);
void declare_update(CLI::App& app);
void declare_interactions(CLI::App& app);
void declare_kernels(CLI::App& app);
void declare_predict(CLI::App& app);
void declare_export(CLI::App& app);
void declare_size(CLI::App& app);
void declare_solvers(CLI::App& app);

}  // namespace tamis::cli
