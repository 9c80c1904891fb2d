// The experiments of Jiu et al. (2020) as CSV files. paper_c_experiments EXPERIMENT --output FOLDER [--full | --quick]
// …
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
  run.command = tamis::papers::command_line(argc, argv);
  struct Experiment {
    const char* name;
    void (*function)(Run&);
  };
  std::vector<Experiment> experiments;
  const auto declare = [&](const char* name, const char* what, std::vector<Experiment> functions) {
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
  const Experiment table1{"table1", paper_c::table1}, figure25{"figure25", paper_c::figure25},
      figure79{"figure79", paper_c::figure79}, table2{"table2", paper_c::table2}, speed{"speed", paper_c::speed};
  declare("table1", "table 1 and figure 6: errors on the synthetic designs", {table1});
  declare("figure25", "figures 2 to 5: solvers against iterations and time", {figure25});
  declare("figure79", "figures 7 to 9: HIV, errors and interactions", {figure79});
  declare("table2", "table 2 and figure 10: Parkinson, accuracies", {table2});
  declare("speed", "how long certified solutions take", {speed});
  declare("all", "all of them", {table1, figure25, figure79, table2, speed});
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) ? 2 : 0;
  }

  const char* data = std::getenv("TAMIS_DATA");
  run.data = data ? data : "";
  try {
    std::filesystem::create_directories(run.output);
    for (const auto& [name, function] : experiments)
      tamis::papers::measure(run, name, [&, function = function] { function(run); });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return run.agreed ? 0 : 1;
}
