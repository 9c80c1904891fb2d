// Section 5.2.4: what shrinking changes, for block coordinate descent with line search.
#include <cmath>

#include "experiments.hpp"

namespace tamis::paper_b {

namespace {

constexpr LossKind loss = LossKind::squared_hinge;
constexpr double targets[] = {1e-2, 1e-3, 1e-4};  ///< relative differences to F* whose times are told
constexpr double near_enough = 1e-6;

/// A run of the solver, and when it reached the targets; NaN: not.
struct Shrunk {
  std::string status;
  double seconds, passes, objective, rows;
  double reached[std::size(targets)];
};

Shrunk run_one(const Problem& problem, double lambda, double optimum, const Limits& limits, bool shrinking) {
  Shrunk out{};
  for (double& at : out.reached) at = not_a_number<double>;
  const auto algorithm =
      make_algorithm(SolverKind::bcd_line_search_as_printed, loss, problem, lambda, {.shrinking = shrinking});
  out.status = run_algorithm(*algorithm, limits, [&](const Point& point) {
    out.seconds = point.seconds;
    out.passes = point.passes;
    out.objective = objective(problem, loss, lambda, point.model);
    out.rows = nonzero_row_percentage(point.model);
    for (std::size_t t = 0; t < std::size(targets); ++t)
      if (!std::isfinite(out.reached[t]) && out.objective <= optimum * (1 + targets[t])) out.reached[t] = point.seconds;
    return out.objective <= optimum * (1 + near_enough);
  });
  return out;
}

}  // namespace

void shrinking(Run& run) {
  const double limit = run.limit();
  Limits limits{.seconds = limit, .later = 1.02};
  if (run.quick) limits = {.passes = 1000, .later = 0};
  std::printf(
      "shrinking: multiclass squared hinge, l1/l2, block coordinate descent with line search, with and without\n"
      "shrinking, until %g from F* (relative)%s. CPU time of the steps alone.\n",
      near_enough, run.quick ? " or 1000 passes" : (" or " + std::to_string(std::lround(limit)) + " s").c_str());
  Csv csv(run, "shrinking.csv",
          "data,features,lambda,shrinking,status,seconds,passes,relative_difference,nonzero_row_percentage,to_1e-2,"
          "to_1e-3,to_1e-4,certified_gap,limit_seconds");
  for_each_data_set(run, [&](const DataSet& data) {
    const Split split(data, first_seed);
    for (const double lambda : run.quick ? std::vector{0.1} : std::vector{1e-3, 1e-5}) {
      const Optimum optimum = find_optimum(*split.train, loss, lambda, 5 * limit);
      Shrunk found[2];
      for (const bool on : {false, true}) {
        Shrunk& one = found[on] = run_one(*split.train, lambda, optimum.objective, limits, on);
        const double difference = (one.objective - optimum.objective) / optimum.objective;
        csv.line("%s,%zu,%g,%s,%s,%.6f,%.4f,%.4g,%.4f,%.6f,%.6f,%.6f,%.3g,%g", data.name.c_str(),
                 data.samples.table.features, lambda, on ? "on" : "off", one.status.c_str(), one.seconds, one.passes,
                 difference, one.rows, one.reached[0], one.reached[1], one.reached[2],
                 (optimum.objective - optimum.bound) / optimum.objective, limit);
        std::printf("%s, lambda %g, shrinking %-3s %-10s %9.3f s, %8.1f passes, difference %8.1e; to 1e-3 in %.3f s\n",
                    data.name.c_str(), lambda, on ? "on" : "off", one.status.c_str(), one.seconds, one.passes,
                    difference, one.reached[1]);
      }
      std::fflush(stdout);
      const bool at_odds = std::abs(found[0].objective - found[1].objective) > 4e-6 * optimum.objective;
      if (run.quick && at_odds) {
        std::printf("%s: shrinking ends at another objective, %.10g and not %.10g\n", data.name.c_str(),
                    found[1].objective, found[0].objective);
        run.agreed = false;
      }
    }
  });
}

}  // namespace tamis::paper_b
