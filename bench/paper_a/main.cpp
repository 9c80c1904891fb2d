// The experiments of paper A as CSV files. paper_a EXPERIMENT --output FOLDER [--full] [--subsets N] [--quick]
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <filesystem>

#include "experiments.hpp"

int main(int argc, char** argv) {
  using namespace tamis::paper_a;
  CLI::App app{"The tables and figures of the paper on exact multiclass SVMs with sparse penalties, as CSV files."};
  app.require_subcommand(1);
  Run run;
  run.output = ".";
  void (*experiment)(const Run&) = nullptr;
  const auto declare = [&](const char* name, const char* what, void (*function)(const Run&)) {
    CLI::App& command = *app.add_subcommand(name, what);
    command.add_option("--output", run.output, "folder for the CSV files")->capture_default_str();
    if (function == scattering) command.add_flag("--quick", run.quick, "few subsets and values");
    if (function == scattering)
      command.add_option("--per-class", run.per_class, "subsets of this size alone: 3, 5, 10 or 100");
    command.add_flag("--full", run.full, "as many subsets and values as the paper");
    command.add_option("--subsets", run.subsets, "this many random subsets instead");
    command.callback([&experiment, function] { experiment = function; });
  };
  declare("table1", "leukemia: four penalties with four models", table1);
  declare("figure1", "MNIST: errors and zeros against alpha", figure1);
  declare("figure2", "20 newsgroups: errors and zeros against alpha", figure2);
  declare("figure3", "MNIST: time against alpha, distance to the limit against time", figure3);
  declare("figure4", "MNIST: time with a ridge penalty against the number of samples", figure4);
  declare("scattering", "MNIST: figure 1 with scattering features, and with ridge", scattering);
  CLI11_PARSE(app, argc, argv);

  const char* data = std::getenv("TAMIS_DATA");
  if (!data || !*data) {
    std::printf("skipped: set TAMIS_DATA to the folder of the data sets\n");
    return 0;
  }
  run.data = data;
  try {
    std::filesystem::create_directories(run.output);
    experiment(run);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
