// The experiments of Kowalski et al. (2009) as CSV files. paper_d_experiments EXPERIMENT --output FOLDER [--full |
// --quick] …
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <filesystem>

#include "experiments.hpp"

int main(int argc, char** argv) {
  namespace paper_d = tamis::paper_d;
  using paper_d::Run;
  CLI::App app{"The figure and the errors of the paper on multiple indefinite kernels, and more data, as CSV files."};
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
    CLI::Option* full = command.add_flag(
        "--full", run.full, "100 random splits, every norm of every data set, 120 s for a run of the printed solver");
    CLI::Option* seconds =
        command.add_option("--seconds", run.seconds, "limit of one run of the printed solver instead")
            ->check(CLI::Range(1e-3, 1e6));
    CLI::Option* splits =
        command.add_option("--splits", run.subsets, "this many random splits instead")->check(CLI::Range(1, 1000));
    command.add_flag("--quick", run.quick, "few samples and lambda: whether solvers agree")
        ->excludes(full)
        ->excludes(seconds)
        ->excludes(splits);
    command.callback([&experiments, functions] { experiments = functions; });
  };
  const Experiment titanic{"titanic", paper_d::titanic}, banana{"banana", paper_d::banana},
      digits{"digits", paper_d::digits}, speed{"speed", paper_d::speed};
  declare("titanic", "section 4 and figure 2: three kernels for the Titanic", {titanic});
  declare("banana", "Gaussian kernels of several widths and a sigmoid for the banana benchmark", {banana});
  declare("digits", "digits as histograms, compared by chi-squared and Kullback-Leibler", {digits});
  declare("speed", "how long certified solutions take", {speed});
  declare("all", "all of them", {titanic, banana, digits, speed});
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
