#pragma once
/// The program of a paper's experiments: one subcommand each, and `all`.

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <vector>

#include "common.hpp"

namespace tamis::papers {

template <class Run>
struct Experiment {
  const char* name;
  const char* what;
  void (*function)(Run&);
  int threads = 1;
};

/// What a paper's program says of itself and of its short form, and whether that alone does without TAMIS_DATA.
struct Program {
  const char* about;
  const char* quick;
  bool needs_data = false;
};

inline CLI::Option* add_seconds(CLI::App& command, Run& run, const char* solver) {
  return command.add_option("--seconds", run.seconds, std::string("limit of one run of ") + solver + " instead")
      ->check(CLI::Range(1e-3, 1e6));
}
inline CLI::Option* add_subsets(CLI::App& command, Run& run, const char* name) {
  return command
      .add_option(std::string("--") + name, run.subsets, std::string("this many random ") + name + " instead")
      ->check(CLI::Range(1, 1000));
}

/// `add_options(command, run)` adds those of the paper to each subcommand and returns those that --quick excludes.
template <class Run, class AddOptions>
int run_experiments(int count, char** words, const Program& program, const std::vector<Experiment<Run>>& known,
                    AddOptions add_options) {
  CLI::App app{program.about};
  app.require_subcommand(1);
  Run run;
  run.output = ".";
  run.command = command_line(count, words);
  std::vector<Experiment<Run>> chosen;
  const auto declare = [&](const char* name, const char* what, const std::vector<Experiment<Run>>& experiments) {
    CLI::App& command = *app.add_subcommand(name, what);
    command.add_option("--output", run.output, "folder for the CSV files")->capture_default_str();
    const std::vector<CLI::Option*> excluded = add_options(command, run);
    CLI::Option* quick = command.add_flag("--quick", run.quick, program.quick);
    for (CLI::Option* option : excluded) quick->excludes(option);
    command.callback([&chosen, experiments] { chosen = experiments; });
  };
  for (const Experiment<Run>& one : known) declare(one.name, one.what, {one});
  declare("all", "all of them", known);
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) ? 2 : 0;
  }

  const char* data = std::getenv("TAMIS_DATA");
  run.data = data ? data : "";
  if (program.needs_data && run.data.empty() && !run.quick) {
    std::printf("skipped: set TAMIS_DATA to the folder of the data sets, or ask for --quick\n");
    return 0;
  }
  try {
    std::filesystem::create_directories(run.output);
    for (const Experiment<Run>& one : chosen)
      measure(
          run, one.name, [&] { one.function(run); }, one.threads);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return run.agreed ? 0 : 1;
}

}  // namespace tamis::papers
