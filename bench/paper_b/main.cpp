// The experiments of Blondel et al. (2013) as CSV files. paper_b_experiments EXPERIMENT --output FOLDER [--full |
// --quick] …
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <filesystem>

#include "experiments.hpp"

int main(int argc, char** argv) {
  namespace paper_b = tamis::paper_b;
  using paper_b::Run;
  CLI::App app{"The figures and the table of the paper on block coordinate descent for multiclass, as CSV files."};
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
    CLI::Option* full = command.add_flag("--full", run.full, "all samples, 3 splits, 300 s for a run of a solver");
    CLI::Option* seconds = command.add_option("--seconds", run.seconds, "limit of one run of a solver instead")
                               ->check(CLI::Range(1e-3, 1e6));
    CLI::Option* splits =
        command.add_option("--splits", run.subsets, "this many splits instead")->check(CLI::Range(1, 1000));
    CLI::Option* only = command.add_option("--only", run.only, "one data set alone")
                            ->check(CLI::IsMember({"digits", "news20", "mnist", "usps", "letter", "pendigits"}));
    command.add_flag("--quick", run.quick, "500 digits alone and few passes: whether solvers agree")
        ->excludes(full)
        ->excludes(seconds)
        ->excludes(splits)
        ->excludes(only);
    command.callback([&experiments, functions] { experiments = functions; });
  };
  const Experiment figure23{"figure23", paper_b::figure23}, figure5{"figure5", paper_b::figure5},
      table2{"table2", paper_b::table2}, shrinking{"shrinking", paper_b::shrinking};
  declare("figure23", "figures 2 to 4: seven solvers against time", {figure23});
  declare("figure5", "accuracy against rows of coefficients", {figure5});
  declare("table2", "times of three objectives", {table2});
  declare("shrinking", "section 5.2.4: with and without shrinking", {shrinking});
  declare("all", "all of them", {figure23, figure5, table2, shrinking});
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
