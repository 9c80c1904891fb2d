// Figures 2 to 5: objective, distance to the optimum and asymmetry against iterations and time.
#include <cmath>

#include "experiments.hpp"
#include "tamis/solver/as_printed/interaction_admm.hpp"
#include "tamis/solver/as_printed/interaction_fista.hpp"
#include "tamis/solver/as_printed/interaction_primal_dual.hpp"

namespace tamis::paper_c {

namespace {

using as_printed::StepRule;

constexpr double near_enough = 1e-8;  ///< relative difference to F* at which a run has nothing more to show

struct Point {
  double seconds, objective, distance, asymmetry;
  std::uint32_t iterations;
  double epochs;
};

/// One figure: a problem on one of the designs.
struct Figure {
  int number;
  Design design;
  Hierarchy hierarchy;
  HierarchyNorm norm;
  double lambda;
};

struct Experiment {
  Run& run;
  const Figure& figure;
  const Samples& samples;
  const Task task;
  Solution best;
  double lower;
  Csv &curves, &ends;

  template <class Solver, class Prepare>
  void operator()(const char* solver, Prepare prepare) {
    SolverRun<Solver> one(samples, task, {.tolerance = 1e-9, .max_iterations = run.quick ? 20000u : 100000000u},
                          prepare);
    std::vector<Point> points;
    double spent = 0, next = 0;
    const double optimum = objective(samples, task, best.model);
    std::string status;
    const auto timed = [&](auto part) {
      const double before = cpu_seconds();
      const bool more = part();
      spent += cpu_seconds() - before;
      return more;
    };
    bool more = timed([&] { return one.start(); });
    for (;; more = timed([&] { return one.step(); })) {
      const bool late = spent >= run.limit();
      if (!more || late || spent >= next) {
        next = (run.quick ? 2 : 1.12) * spent;
        const Model at = one.iterate();
        const Model model = task.hierarchy == Hierarchy::strong ? at.symmetric() : at;
        const auto& report = one.solver().report();
        points.push_back({spent, objective(samples, task, model), at.distance(best.model),
                          task.hierarchy == Hierarchy::strong ? at.asymmetry() : 0, report.iterations, report.epochs});
        if (points.back().objective - optimum <= near_enough * optimum) status = "enough";
      }
      if (!status.empty()) break;
      if (!more) status = name(one.solver().report().status);
      else if (late) status = "time_limit";
      if (!status.empty()) break;
    }
    for (const Point& at : points)
      curves.line("%d,%s,%s,%u,%.6f,%.12g,%.4g,%.6g,%.6g", figure.number, figure.design.name, solver, at.iterations,
                  at.seconds, at.objective, (at.objective - optimum) / optimum, at.distance, at.asymmetry);
    const auto reach = [&](double within) {
      for (const Point& at : points)
        if (at.objective - optimum <= within * optimum) return at.seconds;
      return std::nan("");
    };
    const Point& last = points.back();
    const double difference = (last.objective - optimum) / optimum;
    ends.line("%d,%s,%s,%g,%s,%u,%.0f,%.6f,%.4g,%.6g,%.6g,%.4g,%.4g,%.4g,%.12g,%.3g", figure.number, figure.design.name,
              solver, task.lambda1, status.c_str(), last.iterations, last.epochs, last.seconds, difference,
              last.distance, last.asymmetry, reach(1e-2), reach(1e-4), reach(1e-6), optimum,
              (optimum - lower) / optimum);
    std::printf("  %-28s %-15s %8u iterations %9.3f s, difference %8.1e, distance %8.1e, asymmetry %8.1e\n", solver,
                status.c_str(), last.iterations, last.seconds, difference, last.distance, last.asymmetry);
    std::fflush(stdout);
    if (last.objective < lower * (1 - 1e-9) || (run.quick && difference > 1e-3)) {
      std::printf("  %s is at odds with the optimum\n", solver);
      run.agreed = false;
    }
  }
};

}  // namespace

void figure25(Run& run) {
  const Figure figures[] = {{2, designs[0], Hierarchy::weak, HierarchyNorm::linf, 14},
                            {3, designs[1], Hierarchy::weak, HierarchyNorm::linf, 8},
                            {4, designs[0], Hierarchy::strong, HierarchyNorm::l1, 8},
                            {5, designs[1], Hierarchy::strong, HierarchyNorm::l1, 10}};
  std::printf(
      "figures 2 to 5: the training samples of seed %llu, the paper's lambda; CPU time of the steps alone. A run ends\n"
      "%g from F* (relative), at a certified gap of 1e-9, or after %g s.\n",
      static_cast<unsigned long long>(first_seed), near_enough, run.limit());
  Csv curves(run, "figure25.csv",
             "figure,data,solver,iterations,seconds,objective,relative_difference,distance,asymmetry");
  Csv ends(
      run, "figure25_runs.csv",
      "figure,data,solver,lambda,status,iterations,epochs,seconds,relative_difference,distance,asymmetry,seconds_1e2,"
      "seconds_1e4,seconds_1e6,optimum,certified_gap");
  for (const Figure& named : figures) {
    Figure figure = named;
    if (run.quick && figure.design.features > 30) continue;
    if (run.quick) figure.design = small_design;
    Parts parts = make(figure.design, first_seed, first_seed);
    scale_targets(parts);
    const Task task = regression(figure.hierarchy, figure.norm, figure.lambda);
    const Solution best = solve(parts.train, task, 1e-11, 3 * run.limit());
    std::printf("figure %d, %s, lambda %g: certified to %.1e\n", figure.number, figure.design.name, figure.lambda,
                best.report.relative_gap);
    Experiment experiment{run,    figure, parts.train, task, best, best.report.dual_objective * parts.train.count,
                          curves, ends};
    const auto as_it_is = [](auto&) {};
    const auto measured = [](auto& solver) { solver.set_steps(StepRule::measured); };
    using PrimalDual = as_printed::InteractionPrimalDual<double>;
    experiment.template operator()<PrimalDual>("PD as printed", as_it_is);
    experiment.template operator()<PrimalDual>("PD with measured norm", measured);
    if (figure.hierarchy == Hierarchy::weak) {
      experiment.template operator()<as_printed::InteractionFista<double>>("FISTA", as_it_is);
    } else {
      const double n = parts.train.count;
      experiment.template operator()<as_printed::InteractionAdmm<double>>("hierNet ADMM with rho 1", as_it_is);
      experiment.template operator()<as_printed::InteractionAdmm<double>>("hierNet ADMM with rho n", [n](auto& solver) {
        solver.set_splitting(n, {1e-7, 500});
      });
      experiment.template operator()<as_printed::InteractionFistaDykstra<double>>("FISTA with Dykstra", as_it_is);
    }
    experiment.template operator()<Ours>("ours", as_it_is);
  }
}

}  // namespace tamis::paper_c
