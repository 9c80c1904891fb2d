// The experiments of Kowalski et al. (2009) as CSV files. paper_d_experiments EXPERIMENT --output FOLDER [--full |
// --quick] …
#include "../papers/main.hpp"

#include "experiments.hpp"

int main(int count, char** words) {
  using namespace tamis::paper_d;
  using tamis::paper_d::Run;
  return run_experiments<Run>(
      count, words,
      {"The figure and the errors of the paper on multiple indefinite kernels, and more data, as CSV files.",
       "few samples and lambda: whether solvers agree"},
      {{"titanic", "section 4 and figure 2: three kernels for the Titanic", titanic},
       {"banana", "Gaussian kernels of several widths and a sigmoid for the banana benchmark", banana},
       {"digits", "digits as histograms, compared by chi-squared and Kullback-Leibler", digits},
       {"speed", "how long certified solutions take", speed}},
      [](CLI::App& command, Run& run) {
        return std::vector{
            command.add_flag("--full", run.full,
                             "100 random splits, every norm of every data set, 120 s for a run of the printed solver"),
            add_seconds(command, run, "the printed solver"), add_subsets(command, run, "splits")};
      });
}
