// The experiments of Chierchia et al. (2015) as CSV files. paper_a_experiments EXPERIMENT --output FOLDER [--full |
// --quick] …
#include "../papers/main.hpp"

#include "experiments.hpp"

int main(int count, char** words) {
  using namespace tamis::paper_a;
  using tamis::paper_a::Run;
  return run_experiments<Run>(
      count, words,
      {"The tables and figures of the paper on exact multiclass SVMs with sparse penalties, as CSV files.",
       "one subset and few values, of the digits of the repository where there is no TAMIS_DATA", true},
      {{"table1", "leukemia: four penalties with four models", table1},
       {"figure1", "MNIST: errors and zeros against alpha", figure1},
       {"figure2", "20 newsgroups: errors and zeros against alpha", figure2},
       {"figure3", "MNIST: time against alpha, distance to the limit against time", figure3},
       {"figure4", "MNIST: time with a ridge penalty against the number of samples", figure4},
       {"scattering", "MNIST: figure 1 with scattering features, and with ridge", scattering, 2}},
      [](CLI::App& command, Run& run) {
        add_subsets(command, run, "subsets");
        command.add_option("--per-class", run.per_class, "subsets of this size alone");
        return std::vector{command.add_flag("--full", run.full, "as many subsets and values as the paper")};
      });
}
