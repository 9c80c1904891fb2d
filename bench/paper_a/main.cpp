// The experiments of Chierchia et al. (2015) as CSV files. paper_a_experiments EXPERIMENT --output FOLDER [--full |
// --quick] …
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <filesystem>

#include "experiments.hpp"

int main(int argc, char** argv) {
  namespace paper_a = tamis::paper_a;
  using paper_a::Run;
  CLI::App app{"The tables and figures of the paper on exact multiclass SVMs with sparse penalties, as CSV files."};
  app.require_subcommand(1);
  Run run;
  run.output = ".";
  run.command = tamis::papers::command_line(argc, argv);
  struct Experiment {
    const char* name;
    const char* what;
    void (*function)(Run&);
    int threads = 1;
  };
  const Experiment known[] = {
      {"table1", "leukemia: four penalties with four models", paper_a::table1},
      {"figure1", "MNIST: errors and zeros against alpha", paper_a::figure1},
      {"figure2", "20 newsgroups: errors and zeros against alpha", paper_a::figure2},
      {"figure3", "MNIST: time against alpha, distance to the limit against time", paper_a::figure3},
      {"figure4", "MNIST: time with a ridge penalty against the number of samples", paper_a::figure4},
      {"scattering", "MNIST: figure 1 with scattering features, and with ridge", paper_a::scattering, 2},
  };
  std::vector<Experiment> experiments;
  const auto declare = [&](const char* name, const char* what, std::vector<Experiment> chosen) {
    CLI::App& command = *app.add_subcommand(name, what);
    command.add_option("--output", run.output, "folder for the CSV files")->capture_default_str();
    CLI::Option* full = command.add_flag("--full", run.full, "as many subsets and values as the paper");
    command.add_option("--subsets", run.subsets, "this many random subsets instead")->check(CLI::Range(1, 1000));
    command.add_option("--per-class", run.per_class, "subsets of this size alone");
    command
        .add_flag("--quick", run.quick,
                  "one subset and few values, of the digits of the repository where there is no TAMIS_DATA")
        ->excludes(full);
    command.callback([&experiments, chosen] { experiments = chosen; });
  };
  for (const Experiment& one : known) declare(one.name, one.what, {one});
  declare("all", "all of them", {std::begin(known), std::end(known)});
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) ? 2 : 0;
  }

  const char* data = std::getenv("TAMIS_DATA");
  run.data = data ? data : "";
  if (run.data.empty() && !run.quick) {
    std::printf("skipped: set TAMIS_DATA to the folder of the data sets, or ask for --quick\n");
    return 0;
  }
  try {
    std::filesystem::create_directories(run.output);
    for (const Experiment& one : experiments)
      tamis::papers::measure(
          run, one.name, [&] { one.function(run); }, one.threads);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return run.agreed ? 0 : 1;
}
