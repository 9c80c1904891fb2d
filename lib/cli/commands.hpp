#pragma once
/// The subcommands: each declares its options and what to do when it is chosen.

#include "command_line.hpp"

namespace tamis::cli {

/// The whole command: parses, runs, prints one sentence to standard error when something is wrong. Returns the exit
/// code.
int run_command(int argc, const char* const* argv);

void declare_train(const Command& app);
void declare_path(const Command& app);
void declare_cv(const Command& app);
void declare_stability(const Command& app);
void declare_update(const Command& app);
void declare_interactions(const Command& app);
void declare_kernels(const Command& app);
void declare_predict(const Command& app);
void declare_export(const Command& app);
void declare_size(const Command& app);
void declare_solvers(const Command& app);

}  // namespace tamis::cli
