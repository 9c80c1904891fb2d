// Table 1 and figure 6: errors on the synthetic designs, λ chosen on validation samples.
#include <cmath>
#include <map>

#include "experiments.hpp"
#include "tamis/solver/as_printed/interaction_admm.hpp"
#include "tamis/solver/as_printed/interaction_fista.hpp"
#include "tamis/solver/as_printed/interaction_primal_dual.hpp"

namespace tamis::paper_c {

namespace {

/// A row of the table: a problem, and the solver for it.
struct Approach {
  const char* name;
  Hierarchy hierarchy;
  HierarchyNorm norm;
  enum { ours, primal_dual, fista, admm } solver = ours;
};

constexpr Approach approaches[] = {
    {"SVR-l1", Hierarchy::full, HierarchyNorm::l1},          {"Weak-linf", Hierarchy::weak, HierarchyNorm::linf},
    {"Strong-linf", Hierarchy::strong, HierarchyNorm::linf}, {"Weak-l1", Hierarchy::weak, HierarchyNorm::l1},
    {"Strong-l1", Hierarchy::strong, HierarchyNorm::l1},
};
/// Those that the paper solves the same problems with; with --full.
constexpr Approach printed[] = {
    {"Weak-FISTA-linf", Hierarchy::weak, HierarchyNorm::linf, Approach::fista},
    {"Weak-PD-linf", Hierarchy::weak, HierarchyNorm::linf, Approach::primal_dual},
    {"Strong-PD-linf", Hierarchy::strong, HierarchyNorm::linf, Approach::primal_dual},
    {"Weak-PD-l1", Hierarchy::weak, HierarchyNorm::l1, Approach::primal_dual},
    {"Strong-ADMM-l1", Hierarchy::strong, HierarchyNorm::l1, Approach::admm},
    {"Strong-PD-l1", Hierarchy::strong, HierarchyNorm::l1, Approach::primal_dual},
};

constexpr double gap = 1e-4;

template <class Solver>
Solution run_printed(const Run& run, const Samples& samples, const Task& task) {
  SolverRun<Solver> solver(samples, task, {.tolerance = gap}, [](auto&) {});
  const double before = cpu_seconds();
  for (bool more = solver.start(); more && cpu_seconds() - before < run.short_limit();) more = solver.step();
  return {copy_of(solver.solver().model()), solver.solver().report(), cpu_seconds() - before};
}

Solution solve_by(const Run& run, const Approach& approach, const Samples& samples, const Task& task) {
  switch (approach.solver) {
    case Approach::primal_dual: return run_printed<as_printed::InteractionPrimalDual<double>>(run, samples, task);
    case Approach::fista: return run_printed<as_printed::InteractionFista<double>>(run, samples, task);
    case Approach::admm: return run_printed<as_printed::InteractionAdmm<double>>(run, samples, task);
    // without a limit the least λ of problem (18), which fit the samples exactly, would take most of the time
    default: return solve(samples, task, gap, approach.hierarchy == Hierarchy::full ? run.limit() / 5 : run.limit());
  }
}

std::vector<double> lambdas_of(const Run& run, const Approach& approach) {
  if (run.quick) return {4, 16};
  if (approach.hierarchy == Hierarchy::full) return {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 2, 4, 8, 16, 32};
  std::vector<double> out = {0.5, 1};
  for (int lambda = 2; lambda <= 20; lambda += 2) out.push_back(lambda);
  for (const double lambda : {25, 30, 40}) out.push_back(lambda);
  return out;
}

std::vector<double> errors_of(const Model& model, const Parts& parts) {
  return {model.mean_square_error(parts.train), model.mean_square_error(parts.validation),
          model.mean_square_error(parts.test)};
}

/// The ridge and our approaches on other truths, and with products that weigh more or less beside the main effects.
void other_truths(const Run& run) {
  Csv out(run, "table1_truths.csv", "share,approach,lambda,truth,train,validation,test");
  const std::size_t truths = run.quick ? 2 : 20;
  for (const double share : {1.0, 0.5, 0.25})
    for (std::uint64_t truth = first_seed; truth < first_seed + truths; ++truth) {
      Design design = run.quick ? small_design : designs[0];
      design.share = share;
      Parts parts = make(design, truth, truth);
      scale_targets(parts);
      const auto line = [&](const char* approach, double lambda, const std::vector<double>& errors) {
        out.line("%g,%s,%g,%llu,%.6g,%.6g,%.6g", share, approach, lambda, static_cast<unsigned long long>(truth),
                 errors[0], errors[1], errors[2]);
      };
      line("SVR-l2", 10, ProductRidge(parts).errors(10));
      for (const Approach& approach : approaches)
        for (const double lambda : {2, 4, 6, 8, 10, 12, 16, 20}) {
          const Task task = regression(approach.hierarchy, approach.norm, lambda);
          line(approach.name, lambda, errors_of(solve(parts.train, task, gap, run.limit()).model, parts));
        }
    }
}

}  // namespace

void table1(Run& run) {
  const std::size_t repetitions = run.quick ? 2 : run.number(5, 5);
  std::printf(
      "table 1 and figure 6: one truth (seed %llu), %zu repetitions (seeds from %llu), three parts of 100 samples,\n"
      "targets divided by the standard deviation of the training part; lambda in the paper's units; ours to a\n"
      "certified gap of %g.\n",
      static_cast<unsigned long long>(first_seed), repetitions, static_cast<unsigned long long>(first_seed), gap);
  Csv out(run, "table1.csv",
          "data,approach,lambda,seed,train,validation,test,deviation,nonzeros,relative_gap,status,seconds");
  for (const Design& design : designs_of(run))
    for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
      const std::uint64_t seed = first_seed + repetition;
      Parts parts = make(design, first_seed, seed);
      const double deviation = scale_targets(parts);
      const auto line = [&](const char* approach, double lambda, const std::vector<double>& errors,
                            std::size_t nonzeros, double relative_gap, const char* status, double seconds) {
        out.line("%s,%s,%g,%llu,%.6g,%.6g,%.6g,%.6g,%zu,%.3g,%s,%.6f", design.name, approach, lambda,
                 static_cast<unsigned long long>(seed), errors[0], errors[1], errors[2], deviation, nonzeros,
                 relative_gap, status, seconds);
      };
      const ProductRidge ridge(parts);
      for (double lambda = 10; lambda <= (run.quick ? 20 : 1000); lambda += 10)
        line("SVR-l2", lambda, ridge.errors(lambda), 0, 0, "closed_form", 0);
      std::vector<Approach> rows(std::begin(approaches), std::end(approaches));
      if (run.full || run.quick) rows.insert(rows.end(), std::begin(printed), std::end(printed));
      std::map<std::string, double> best;
      for (const Approach& approach : rows)
        for (const double lambda : lambdas_of(run, approach)) {
          const Task task = regression(approach.hierarchy, approach.norm, lambda);
          const Solution found = solve_by(run, approach, parts.train, task);
          line(approach.name, lambda, errors_of(found.model, parts), found.model.nonzeros(), found.report.relative_gap,
               name(found.report.status), found.seconds);
          const double value = objective(parts.train, task, found.model);
          const std::string problem = std::string(name(task.hierarchy)) + name(task.norm) + std::to_string(lambda);
          if (!best.contains(problem)) best[problem] = value;
          if (run.quick && std::abs(value / best[problem] - 1) > 2 * gap) {
            std::printf("%s at lambda %g is at odds with ours: %.8g, not %.8g\n", approach.name, lambda, value,
                        best[problem]);
            run.agreed = false;
          }
        }
      std::printf("%s, seed %llu done\n", design.name, static_cast<unsigned long long>(seed));
      std::fflush(stdout);
    }
  other_truths(run);
}

}  // namespace tamis::paper_c
