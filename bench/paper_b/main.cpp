// The experiments of Blondel et al. (2013) as CSV files. paper_b_experiments EXPERIMENT --output FOLDER [--full |
// --quick] …
#include "../papers/main.hpp"

#include "experiments.hpp"

int main(int count, char** words) {
  using namespace tamis::paper_b;
  using tamis::paper_b::Run;
  return run_experiments<Run>(
      count, words,
      {"The figures and the table of the paper on block coordinate descent for multiclass, as CSV files.",
       "500 digits alone and few passes: whether solvers agree"},
      {{"figure23", "figures 2 to 4: seven solvers against time", figure23},
       {"figure5", "accuracy against rows of coefficients", figure5},
       {"table2", "times of three objectives", table2},
       {"shrinking", "section 5.2.4: with and without shrinking", shrinking}},
      [](CLI::App& command, Run& run) {
        return std::vector{command.add_flag("--full", run.full, "all samples, 3 splits, 300 s for a run of a solver"),
                           add_seconds(command, run, "a solver"), add_subsets(command, run, "splits"),
                           command.add_option("--only", run.only, "one data set alone")
                               ->check(CLI::IsMember({"digits", "news20", "mnist", "usps", "letter", "pendigits"}))};
      });
}
