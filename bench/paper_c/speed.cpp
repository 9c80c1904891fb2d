// How long certified solutions take: regressions of 30, 100 and 240 features, a path, and classes; beside the printed
// primal–dual algorithm.
#include <algorithm>
#include <array>
#include <cmath>

#include "experiments.hpp"
#include "tamis/solver/as_printed/interaction_primal_dual.hpp"

namespace tamis::paper_c {

namespace {

using Printed = as_printed::InteractionPrimalDual<double>;

struct Timed {
  double seconds = 0;
  Report<double> report;
};

/// One solve; of short ones the fastest of a few.
template <class Solver>
Timed solve_once(const Samples& samples, const Task& task, double gap, double limit) {
  SolverRun<Solver> run(samples, task, {.tolerance = gap, .max_iterations = 100000000u}, [](auto&) {});
  const double before = cpu_seconds();
  for (bool more = run.start(); more && cpu_seconds() - before < limit;) more = run.step();
  return {cpu_seconds() - before, run.solver().report()};
}
Timed solve_fastest(const Samples& samples, const Task& task, double gap, double limit) {
  Timed best = solve_once<Ours>(samples, task, gap, limit);
  for (int again = 0; again < 4 && best.seconds < 0.1; ++again) {
    const Timed other = solve_once<Ours>(samples, task, gap, limit);
    if (other.seconds < best.seconds) best = other;
  }
  return best;
}

class Experiment {
 public:
  Experiment(Run& run, Csv& csv) : run_(run), csv_(csv) {}

  void operator()(const char* data, const Samples& samples, const Task& task, bool printed) {
    const char* const shape = task.hierarchy == Hierarchy::weak ? "weak" : "strong";
    std::printf("  %-13s %-6s %-4s lambda %-5g", data, shape, name(task.norm), task.lambda1);
    Timed ours;
    for (const double gap : {1e-3, 1e-6, 1e-8}) {
      ours = solve_fastest(samples, task, gap, run_.limit());
      const bool reached = ours.report.status == Status::converged;
      std::printf("  %s%8.2f ms", reached ? "" : ">", 1000 * ours.seconds);
      csv_.line("%s,%s,%s,%g,ours,%g,%s,%u,%.6f,%.3g", data, shape, name(task.norm), task.lambda1, gap,
                name(ours.report.status), ours.report.iterations, ours.seconds, ours.report.relative_gap);
      if (gap == 1e-6 && printed) compare(data, shape, samples, task, ours);
    }
    std::printf("  (gap %.1e, %u iterations)\n%s", ours.report.relative_gap, ours.report.iterations, beside_.c_str());
    std::fflush(stdout);
    beside_.clear();
  }

 private:
  void compare(const char* data, const char* shape, const Samples& samples, const Task& task, const Timed& ours) {
    const Timed theirs = solve_once<Printed>(samples, task, 1e-6, run_.limit());
    csv_.line("%s,%s,%s,%g,primal-dual-as-printed,1e-6,%s,%u,%.6f,%.3g", data, shape, name(task.norm), task.lambda1,
              name(theirs.report.status), theirs.report.iterations, theirs.seconds, theirs.report.relative_gap);
    char line[160];
    if (theirs.report.status == Status::converged)
      std::snprintf(line, sizeof line, "    primal-dual as printed to 1e-6: %.2f s, %.0f times ours\n", theirs.seconds,
                    theirs.seconds / ours.seconds);
    else
      std::snprintf(line, sizeof line,
                    "    primal-dual as printed: 1e-6 not reached in %.0f s (gap %.1e), over %.0f times ours\n",
                    theirs.seconds, theirs.report.relative_gap, theirs.seconds / ours.seconds);
    beside_ = line;
  }

  Run& run_;
  Csv& csv_;
  std::string beside_;
};

/// The set of the certified references, which the tests keep.
Samples read_reference(const std::string& set, Index classes) {
  cli::ReadOptions options;
  options.labels_file = std::string(TAMIS_REFERENCE_DATA "/") + set + "_y.csv";
  const cli::Table table = cli::read_table(std::string(TAMIS_REFERENCE_DATA "/") + set + "_X.csv", options);
  Samples out;
  out.x = table.values;
  out.count = static_cast<Index>(table.samples);
  out.features = static_cast<Index>(table.features);
  out.classes = classes;
  for (const std::string& label : table.labels) {
    const double y = std::stod(label);
    if (classes > 1) out.labels.push_back(static_cast<Label>(y));
    else out.y.push_back(y);
  }
  return out;
}

/// Three classes that follow products: 200 samples of 20 features.
Samples make_classes() {
  Samples out = make({"", 20, 10, 10, 200}, first_seed, first_seed).train;
  out.classes = 3;
  std::vector<double> sorted = out.y;
  std::sort(sorted.begin(), sorted.end());
  for (const double y : out.y)
    out.labels.push_back(y < sorted[out.count / 3] ? 0 : y < sorted[2 * out.count / 3] ? 1 : 2);
  out.y.clear();
  return out;
}

void path(Run& run, Csv& csv, const Samples& samples, Hierarchy hierarchy, HierarchyNorm norm) {
  constexpr int points = 20;
  InteractionTargets<double> targets = samples.targets();
  const Memory memory(Ours::requirement({samples.count, samples.features, 1}).bytes);
  const double before = cpu_seconds();
  Ours solver(samples.design(), targets, hierarchy, norm, 1.0, {.lambda = 2.0, .tolerance = 1e-4, .intercept = false});
  solver.start(memory.span());
  const double most = solver.report().lambda_max;
  double worst = 0;
  for (int point = 1; point <= points; ++point) {
    const double lambda = most * std::pow(0.01, point / double(points));
    if (point == 1) solver.stop();
    solver.warm_start(lambda, lambda / 2);
    while (solver.step()) {
    }
    worst = std::max(worst, solver.report().relative_gap);
    if (solver.report().status != Status::converged) run.agreed = false;
  }
  const double seconds = cpu_seconds() - before;
  std::printf("  path of %d λ to lambda_max/100, %s %s: %.2f s, worst gap %.1e\n", points, name(hierarchy), name(norm),
              seconds, worst);
  csv.line("HIV path,%s,%s,%g,ours,1e-4,converged,%d,%.6f,%.3g", name(hierarchy), name(norm),
           most / 100 * samples.count, points, seconds, worst);
}

}  // namespace

void speed(Run& run) {
  std::printf("speed: CPU time of certified solutions to gaps of 1e-3, 1e-6 and 1e-8, without intercepts\n");
  Csv csv(run, "speed.csv", "data,hierarchy,norm,lambda,solver,gap,status,iterations,seconds,relative_gap");
  Experiment experiment(run, csv);
  constexpr std::array hierarchies{Hierarchy::weak, Hierarchy::strong};
  constexpr std::array norms{HierarchyNorm::l1, HierarchyNorm::linf};
  const auto all = [&](const char* data, const Samples& samples, std::initializer_list<double> lambdas, bool printed) {
    for (const double lambda : lambdas)
      for (const Hierarchy hierarchy : hierarchies)
        for (const HierarchyNorm norm : norms)
          experiment(data, samples, regression(hierarchy, norm, lambda), printed && !run.quick);
  };
  all("int30", read_reference("int30", 1), {14, 80}, true);
  all("iris", read_reference("iris50std", 3), {0.2}, false);
  if (run.quick) return;
  Parts parts = make(designs[1], first_seed, first_seed);
  scale_targets(parts);
  all("100 features", parts.train, {2, 8, 14}, false);
  all("200x20x3", make_classes(), {1, 3}, false);
  const Samples hiv = read(run, "HIV, 240 features", "hiv/hiv_nrti_3tc.csv.gz");
  if (hiv.count == 0) return;
  Parts halves;
  halves.train = hiv.select(divide(hiv.count, 2, first_seed)[0]);
  Samples& half = halves.train;
  for (std::size_t j = 0; j < half.features; ++j) {
    double mean = 0;
    for (std::size_t i = 0; i < half.count; ++i) mean += half.x[i + j * half.count] / half.count;
    for (std::size_t i = 0; i < half.count; ++i) half.x[i + j * half.count] -= mean;
  }
  double mean = 0;
  for (const double y : half.y) mean += y / half.count;
  for (double& y : half.y) y -= mean;
  scale_targets(halves);
  all("HIV", half, {2, 5, 14}, false);
  for (const Hierarchy hierarchy : hierarchies)
    for (const HierarchyNorm norm : norms) path(run, csv, half, hierarchy, norm);
}

}  // namespace tamis::paper_c
