// The experiments of Jiu et al. (2020) as CSV files. paper_c_experiments EXPERIMENT --output FOLDER [--full | --quick]
// …
#include "../papers/main.hpp"

#include <set>

#include "experiments.hpp"

int main(int count, char** words) {
  using namespace tamis::paper_c;
  using tamis::paper_c::Run;
  std::set<std::string> names;
  for (const auto& design : designs) names.insert(design.name);
  return run_experiments<Run>(
      count, words,
      {"The figures and tables of the paper on hierarchical interactions, as CSV files.",
       "a small design alone: whether solvers agree"},
      {{"table1", "table 1 and figure 6: errors on the synthetic designs", table1},
       {"figure25", "figures 2 to 5: solvers against iterations and time", figure25},
       {"figure79", "figures 7 to 9: HIV, errors and interactions", figure79},
       {"table2", "table 2 and figure 10: Parkinson, accuracies", table2},
       {"speed", "how long certified solutions take", speed}},
      [&](CLI::App& command, Run& run) {
        return std::vector{
            command.add_flag("--full", run.full, "5 splits, 120 s for a run of a solver, the baselines too"),
            add_seconds(command, run, "a solver"), add_subsets(command, run, "splits"),
            command.add_option("--only", run.only, "one synthetic design alone")->check(CLI::IsMember(names))};
      });
}
