// Figures 7 to 9: susceptibility of HIV-1 to 3TC, all 240 loci and 24 bins of ten.
#include <algorithm>
#include <cmath>

#include "experiments.hpp"
#include "tamis/solver/as_printed/interaction_admm.hpp"
#include "tamis/solver/as_printed/interaction_fista.hpp"

namespace tamis::paper_c {

namespace {

struct Approach {
  const char* name;
  Hierarchy hierarchy;
  HierarchyNorm norm;
  bool intercept = false;
};

constexpr Approach approaches[] = {{"Weak-linf", Hierarchy::weak, HierarchyNorm::linf},
                                   {"Strong-linf", Hierarchy::strong, HierarchyNorm::linf},
                                   {"Weak-l1", Hierarchy::weak, HierarchyNorm::l1},
                                   {"Strong-l1", Hierarchy::strong, HierarchyNorm::l1},
                                   {"Strong-l1 with intercept", Hierarchy::strong, HierarchyNorm::l1, true}};

constexpr double gap = 1e-4;

/// A bin is 1 where one of its ten loci is.
Samples binned(const Samples& samples) {
  Samples out = samples;
  out.features = samples.features / 10;
  out.x.assign(std::size_t{out.count} * out.features, 0);
  for (std::size_t j = 0; j < samples.features; ++j)
    for (std::size_t i = 0; i < samples.count; ++i) {
      double& bin = out.x[i + j / 10 * samples.count];
      bin = std::max(bin, samples.x[i + j * samples.count]);
    }
  return out;
}

/// The interactions of one split at the paper's λ: figure 8 with 24 features, figure 9 with 240.
void draw_interactions(const Run& run, const Samples& train, Csv& entries, Csv& rows) {
  const bool bins = train.features == 24;
  for (const HierarchyNorm norm : {HierarchyNorm::linf, HierarchyNorm::l1}) {
    const double lambda = !bins ? 1 : norm == HierarchyNorm::linf ? 12 : 10;
    const Solution found = solve(train, regression(Hierarchy::strong, norm, lambda), 1e-5, 3 * run.limit());
    const auto model = found.model.view();
    for (Index j = 0; j < train.features; ++j) {
      double sum = 0, top = 0;
      for (Index l = 0; l < train.features; ++l) {
        const double theta = model.interaction(j, l);
        if (std::abs(theta) > 1e-9)
          entries.line("%u,%s,%g,%u,%u,%.6g", train.features, name(norm), lambda, j + 1, l + 1, theta);
        sum += std::abs(theta);
        top = std::max(top, std::abs(theta));
      }
      rows.line("%u,%s,%g,%u,%.6g,%.6g,%.6g,%.3g", train.features, name(norm), lambda, j + 1, model.main_effect(j), top,
                sum, found.report.relative_gap);
    }
  }
}

/// A printed solver within a limit of time.
template <class Solver>
Solution run_printed(const Run& run, const Samples& train, const Task& task) {
  SolverRun<Solver> solver(train, task, {.tolerance = gap}, [](auto&) {});
  const double before = cpu_seconds();
  for (bool more = solver.start(); more && cpu_seconds() - before < run.short_limit();) more = solver.step();
  return {copy_of(solver.solver().model()), solver.solver().report(), cpu_seconds() - before};
}

}  // namespace

void figure79(Run& run) {
  const Samples all = run.quick ? Samples{} : read(run, "figures 7 to 9: hiv", "hiv/hiv_nrti_3tc.csv.gz");
  if (all.count == 0) return;
  Csv out(run, "figure79.csv", "features,approach,lambda,seed,train,test,nonzeros,relative_gap,status,seconds");
  Csv entries(run, "figure79_interactions.csv", "features,norm,lambda,row,column,theta");
  Csv rows(run, "figure79_rows.csv", "features,norm,lambda,row,main_effect,linf,l1,relative_gap");
  for (const bool bins : {true, false}) {
    const Samples samples = bins ? binned(all) : all;
    const std::size_t splits = run.splits(5);
    std::vector<double> lambdas = {0.5, 1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20};
    if (!bins)
      lambdas = run.full ? std::vector{0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0}
                         : std::vector{0.25, 0.5, 1.0, 2.0, 4.0, 8.0};
    for (std::size_t split = 0; split < splits; ++split) {
      const std::uint64_t seed = first_seed + split;
      const auto halves = divide(samples.count, 2, seed);
      const Samples train = samples.select(halves[0]), test = samples.select(halves[1]);
      const auto line = [&](const char* approach, double lambda, const Solution& found) {
        out.line("%u,%s,%g,%llu,%.6g,%.6g,%u,%.3g,%s,%.6f", samples.features, approach, lambda,
                 static_cast<unsigned long long>(seed), found.model.mean_square_error(train),
                 found.model.mean_square_error(test), found.model.nonzeros(), found.report.relative_gap,
                 name(found.report.status), found.seconds);
      };
      for (const double lambda : lambdas) {
        for (const Approach& approach : approaches) {
          Task task = regression(approach.hierarchy, approach.norm, lambda);
          task.intercept = approach.intercept;
          line(approach.name, lambda, solve(train, task, gap, run.limit()));
        }
        line("Weak-FISTA-linf", lambda,
             run_printed<as_printed::InteractionFista<double>>(
                 run, train, regression(Hierarchy::weak, HierarchyNorm::linf, lambda)));
        line("Strong-ADMM-l1", lambda,
             run_printed<as_printed::InteractionAdmm<double>>(
                 run, train, regression(Hierarchy::strong, HierarchyNorm::l1, lambda)));
      }
      if (split == 0) draw_interactions(run, train, entries, rows);
      std::printf("hiv, %u features, split %llu done\n", samples.features, static_cast<unsigned long long>(seed));
      std::fflush(stdout);
    }
  }
}

}  // namespace tamis::paper_c
