// Figures 2 to 4: objective, test accuracy and rows of coefficients against time, for the paper's six solvers and ours.
#include <algorithm>
#include <cmath>

#include "experiments.hpp"

namespace tamis::paper_b {

namespace {

constexpr SolverKind solvers[] = {SolverKind::block_coordinate_descent,
                                  SolverKind::bcd_line_search_as_printed,
                                  SolverKind::bcd_constant_step_as_printed,
                                  SolverKind::fista_line_search_as_printed,
                                  SolverKind::fista_constant_step_as_printed,
                                  SolverKind::sparsa_as_printed,
                                  SolverKind::fobos_as_printed};

constexpr LossKind loss = LossKind::squared_hinge;
constexpr double near_enough = 1e-6;  ///< relative difference to F* at which a run has nothing more to show

struct Measured {
  double seconds, passes, objective, accuracy, rows;
};

struct Curve {
  SolverKind solver;
  std::string status;
  std::vector<Measured> points;
  double best = 0;  ///< least objective
};

/// How near to F* a solver comes within the passes of a quick run: constant steps are slow, and the noise of single
/// samples keeps FOBOS away.
constexpr double tolerance_when_quick(SolverKind solver) {
  switch (solver) {
    case SolverKind::fobos_as_printed: return 0.05;
    case SolverKind::bcd_constant_step_as_printed: return 1e-4;
    case SolverKind::fista_constant_step_as_printed: return 1e-4;
    default: return 2e-6;
  }
}

/// Whether looking at the model after every step changes it; that of FOBOS may round.
bool looks_leave_no_trace(SolverKind solver, const Problem& problem, double lambda) {
  Coefficients found[2];
  for (const double later : {0.0, std::numeric_limits<double>::infinity()}) {
    const auto algorithm = make_algorithm(solver, loss, problem, lambda, {});
    run_algorithm(*algorithm, {.passes = 20, .later = later}, [&](const Point& point) {
      found[later > 0] = point.model;
      return false;
    });
  }
  return solver == SolverKind::fobos_as_printed ? found[0].distance(found[1]) < 1e-9
                                                : found[0].values == found[1].values;
}

}  // namespace

void figure23(Run& run) {
  const double limit = run.limit();
  Limits limits{.seconds = limit};
  if (run.quick) limits = {.passes = 1000, .later = 0};
  std::printf(
      "figures 2 to 4: multiclass squared hinge, l1/l2, no intercepts, 4/5 of the samples to train on (seed %llu).\n"
      "CPU time of one thread, of the steps alone: the models are looked at beside the clock. A run ends %g from F*\n"
      "(relative), or after %s; ours includes its certificates; FOBOS has chosen its learning rate before.\n",
      static_cast<unsigned long long>(first_seed), near_enough,
      run.quick ? "1000 passes" : (std::to_string(std::lround(limit)) + " s").c_str());
  Csv curves(run, "figure23.csv",
             "data,lambda,solver,seconds,passes,objective,relative_difference,accuracy,nonzero_row_percentage");
  Csv runs(run, "figure23_runs.csv",
           "data,lambda,solver,status,seconds,passes,relative_difference,accuracy,nonzero_row_percentage,optimum,"
           "certified_gap,limit_seconds");
  for_each_data_set(run, [&](const DataSet& data) {
    const Split split(data, first_seed);
    for (const double lambda : run.quick ? std::vector{0.1} : std::vector{1e-3, 1e-5}) {
      Optimum optimum = find_optimum(*split.train, loss, lambda, 5 * limit);
      std::vector<Curve> all;
      for (const SolverKind solver : solvers) {
        Curve curve{solver, {}, {}, std::numeric_limits<double>::infinity()};
        const auto algorithm = make_algorithm(solver, loss, *split.train, lambda, {});
        curve.status = run_algorithm(*algorithm, limits, [&](const Point& point) {
          const double value = objective(*split.train, loss, lambda, point.model);
          curve.points.push_back({point.seconds, point.passes, value, 100 - split.test->error_percentage(point.model),
                                  nonzero_row_percentage(point.model)});
          curve.best = std::min(curve.best, value);
          return value - optimum.objective <= near_enough * optimum.objective;
        });
        optimum.objective = std::min(optimum.objective, curve.best);
        all.push_back(std::move(curve));
      }
      const double gap = (optimum.objective - optimum.bound) / optimum.objective;
      const auto difference = [&](double value) { return (value - optimum.objective) / optimum.objective; };
      std::printf("%s, lambda %g: F* %.10g, certified to %.1e\n", data.name.c_str(), lambda, optimum.objective, gap);
      for (const Curve& curve : all) {
        for (const Measured& at : curve.points)
          curves.line("%s,%g,%s,%.6f,%.4f,%.12g,%.4g,%.4f,%.4f", data.name.c_str(), lambda, name(curve.solver),
                      at.seconds, at.passes, at.objective, difference(at.objective), at.accuracy, at.rows);
        const Measured& last = curve.points.back();
        runs.line("%s,%g,%s,%s,%.6f,%.4f,%.4g,%.4f,%.4f,%.12g,%.3g,%g", data.name.c_str(), lambda, name(curve.solver),
                  curve.status.c_str(), last.seconds, last.passes, difference(last.objective), last.accuracy, last.rows,
                  optimum.objective, gap, limit);
        std::printf("  %-30s %-10s %9.3f s %8.1f passes, difference %8.1e, accuracy %5.2f %%, rows %6.2f %%\n",
                    name(curve.solver), curve.status.c_str(), last.seconds, last.passes, difference(last.objective),
                    last.accuracy, last.rows);
        const bool below = curve.best < optimum.bound * (1 - 1e-9);
        const bool far = run.quick && !(difference(curve.best) <= tolerance_when_quick(curve.solver));
        if (below || far) {
          std::printf("  %s is at odds with the optimum: its best objective is %.10g\n", name(curve.solver),
                      curve.best);
          run.agreed = false;
        }
        if (run.quick && !looks_leave_no_trace(curve.solver, *split.train, lambda)) {
          std::printf("  %s ends elsewhere when it is looked at\n", name(curve.solver));
          run.agreed = false;
        }
      }
      std::fflush(stdout);
    }
  });
}

}  // namespace tamis::paper_b
