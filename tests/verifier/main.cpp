// The verifier, for long runs. See README.md beside it.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "interactions.hpp"
#include "kernels.hpp"
#include "tally.hpp"

using namespace tamis;
using namespace tamis::verifier;

namespace {

int usage() {
  std::puts(
      "verifier [--problems N] [--seed S] [--only SOLVER] [--loss LOSS] [--penalty PENALTY] [--passes P]\n"
      "verifier --interactions SEED                            one problem with products of features\n"
      "verifier --interaction-problems N [--seed S]\n"
      "verifier --kernels SEED, --kernel-problems N [--seed S]  the same with several kernels\n"
      "verifier --problem SEED [--only SOLVER] [--passes P]    one problem, all that is known of it\n"
      "A case is a problem and a solver; every problem goes to all solvers that take it.");
  return 2;
}

void print(const Problem& p, const std::vector<Outcome>& outcomes) {
  std::printf("%s\n", p.describe().c_str());
  for (const Outcome& o : outcomes)
    std::printf("  %-42s %-15s objective %.9Lg dual %.9Lg gap %.3Lg relative %.3Lg iterations %u\n", name(o.solver),
                name(o.status), o.objective, o.dual_objective, o.gap, o.relative_gap, o.iterations);
}

int run_cases(const char* what, void (*examine)(std::uint64_t, Findings&), std::uint64_t problems, std::uint64_t seed,
              bool one) {
  Findings found;
  for (std::uint64_t at = 0; at < problems; ++at) {
    found.lines.clear();
    examine(one ? seed : seed_of(seed, at), found);
    for (const std::string& line : found.lines) std::puts(line.c_str());
    std::fflush(stdout);
    found.failures += found.lines.size();
  }
  std::printf("%s: %" PRIu64 " cases, %" PRIu64 " converged, %" PRIu64 " refused, %" PRIu64 " false\n", what,
              found.cases, found.converged, found.refused, found.failures);
  return found.failures == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  std::uint64_t problems = 1000, seed = 1, one = 0, interactions = 0, kernels = 0;
  bool has_one = false;
  int passes = 150;
  const char *only = nullptr, *loss = nullptr, *penalty = nullptr;
  for (int i = 1; i < count; ++i) {
    const auto is = [&](const char* option) { return std::strcmp(arguments[i], option) == 0 && i + 1 < count; };
    if (is("--problems")) problems = std::strtoull(arguments[++i], nullptr, 10);
    else if (is("--seed")) seed = std::strtoull(arguments[++i], nullptr, 10);
    else if (is("--problem")) one = std::strtoull(arguments[++i], nullptr, 10), has_one = true;
    else if (is("--only")) only = arguments[++i];
    else if (is("--loss")) loss = arguments[++i];
    else if (is("--penalty")) penalty = arguments[++i];
    else if (is("--interactions")) interactions = 1, seed = std::strtoull(arguments[++i], nullptr, 10), has_one = true;
    else if (is("--interaction-problems")) interactions = std::strtoull(arguments[++i], nullptr, 10);
    else if (is("--kernels")) kernels = 1, seed = std::strtoull(arguments[++i], nullptr, 10), has_one = true;
    else if (is("--kernel-problems")) kernels = std::strtoull(arguments[++i], nullptr, 10);
    else if (is("--passes")) passes = std::atoi(arguments[++i]);
    else return usage();
  }
  if (interactions > 0) return run_cases("interactions", examine_interactions, interactions, seed, has_one);
  if (kernels > 0) return run_cases("kernels", examine_kernels, kernels, seed, has_one);
  SolverKind chosen = SolverKind::automatic;
  for (const SolverKind solver : all_solvers)
    if (only && std::strcmp(only, name(solver)) == 0) chosen = solver;
  if (only && chosen == SolverKind::automatic) return usage();
  Tally tally;
  for (std::uint64_t at = 0; at < (has_one ? 1 : problems); ++at) {
    const Problem p = make_problem(has_one ? one : seed_of(seed, at));
    if ((loss && std::strcmp(loss, name(p.loss)) != 0) || (penalty && std::strcmp(penalty, name(p.penalty)) != 0))
      continue;
    const std::vector<Outcome> outcomes = run_all(p);
    if (has_one) print(p, outcomes);
    const Examination examination = examine(p, outcomes, chosen, passes);
    for (const Hidden& h : examination.hidden)
      if (has_one)
        std::printf("rounding hides %.3Lg of a tolerance of %.3Lg: %s\n  verifier --problem %" PRIu64 " --only %s\n",
                    h.relative_excess, h.tolerance, p.describe().c_str(), p.seed, name(h.solver));
    for (const std::string& line : tally.add(p, outcomes, examination)) std::puts(line.c_str());
    std::fflush(stdout);
  }
  std::fputs(tally.summary().c_str(), stdout);
  return tally.failures() == 0 ? 0 : 1;
}
