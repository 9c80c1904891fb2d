// The experiments of paper C as CSV files. paper_c_experiments EXPERIMENT --output FOLDER [--full | --quick] …
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <set>

#include "experiments.hpp"

int main(int argc, char** argv) {
  namespace paper_c = tamis::paper_c;
  using paper_c::Run;
  CLI::App app{"The figures and tables of the paper on hierarchical interactions, as CSV files."};
  app.require_subcommand(1);
  Run run;
  run.output = ".";
  std::vector<void (*)(Run&)> experiments;
  const auto declare = [&](const char* name, const char* what, std::vector<void (*)(Run&)> functions) {
    CLI::App& command = *app.add_subcommand(name, what);
    command.add_option("--output", run.output, "folder for the CSV files")->capture_default_str();
    CLI::Option* full =
        command.add_flag("--full", run.full, "5 splits, 120 s for a run of a solver, the baselines too");
    CLI::Option* seconds = command.add_option("--seconds", run.seconds, "limit of one run of a solver instead")
                               ->check(CLI::Range(1e-3, 1e6));
    CLI::Option* splits =
        command.add_option("--splits", run.subsets, "this many splits instead")->check(CLI::Range(1, 1000));
    std::set<std::string> names;
    for (const auto& design : paper_c::designs) names.insert(design.name);
    CLI::Option* only =
        command.add_option("--only", run.only, "one synthetic design alone")->check(CLI::IsMember(names));
    command.add_flag("--quick", run.quick, "a small design alone: whether solvers agree")
        ->excludes(full)
        ->excludes(seconds)
        ->excludes(splits)
        ->excludes(only);
    command.callback([&experiments, functions] { experiments = functions; });
  };
  declare("table1", "table 1 and figure 6: errors on the synthetic designs", {paper_c::table1});
  declare("figure25", "figures 2 to 5: solvers against iterations and time", {paper_c::figure25});
  declare("figure79", "figures 7 to 9: HIV, errors and interactions", {paper_c::figure79});
  declare("table2", "table 2 and figure 10: Parkinson, accuracies", {paper_c::table2});
  declare("speed", "how long certified solutions take", {paper_c::speed});
  declare("all", "all of them",
          {paper_c::table1, paper_c::figure25, paper_c::figure79, paper_c::table2, paper_c::speed});
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) ? 2 : 0;
  }

  const char* data = std::getenv("TAMIS_DATA");
  run.data = data ? data : "";
  try {
    std::filesystem::create_directories(run.output);
    for (const auto experiment : experiments) experiment(run);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return run.agreed ? 0 : 1;
}
