// Figures 3 and 4: execution times of the paper's algorithms and of ours.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "experiments.hpp"

namespace tamis::paper_a {

namespace {

/// An algorithm, and how its runs end.
struct Contender {
  Task task;
  Stopping stopping;
};

/// Features, and the sizes of the subsets that are solved on them.
struct Setting {
  Features features;
  std::vector<std::size_t> per_class;
};

/// The settings without the sizes that the command line does not ask for.
std::vector<Setting> asked_for(const Run& run, std::vector<Setting> settings) {
  for (Setting& setting : settings)
    if (run.per_class) std::erase_if(setting.per_class, [&](std::size_t size) { return size != run.per_class; });
  std::erase_if(settings, [](const Setting& setting) { return setting.per_class.empty(); });
  return settings;
}

/// A model seen on the way, and when.
struct Snapshot {
  double seconds;
  std::uint32_t iterations;
  double objective;
  Coefficients model;
};

/// Keeps the models seen on the way, each at least a quarter later than the one before.
Watch keep(std::vector<Snapshot>& snapshots) {
  return [&snapshots](double seconds, const Report<double>& report, const LinearModel<double>& model) {
    if (!snapshots.empty() && seconds < 1.25 * snapshots.back().seconds) return;
    snapshots.push_back({seconds, report.iterations, report.objective, copy_of(model)});
  };
}

/// What certificates say of one problem, whoever solved it: no lower bound may lie above an objective.
class Agreement {
 public:
  void add(const std::string& problem, const Report<double>& report) {
    auto& [bound, objective] = bounds_.try_emplace(problem, -infinity<double>, infinity<double>).first->second;
    if (report.dual_objective > bound) bound = report.dual_objective;
    if (report.objective < objective) objective = report.objective;
  }
  void check(Run& run) const {
    for (const auto& [problem, between] : bounds_) {
      if (between.first <= between.second * (1 + 1e-6)) continue;
      std::printf("%s: certified to be at least %.9g, and yet a model has %.9g\n", problem.c_str(), between.first,
                  between.second);
      run.agreed = false;
    }
  }

 private:
  std::map<std::string, std::pair<double, double>> bounds_;
};

std::string problem_of(const Setting& setting, std::size_t per_class, const Task& task, double alpha, std::size_t s) {
  return setting.features.name + ", " + std::to_string(per_class) + " per class, " + name(task.loss) +
         (task.constrained ? " constrained" : "") + ", alpha " + std::to_string(alpha) + ", subset " +
         std::to_string(s);
}

double error_of(const TestFeatures& test, const Solve& found) {
  return found.model.values.empty() ? 100 : test.error_percentage(found.model);
}

void say_setting(const Run& run, const Images& images, std::size_t subsets, std::size_t in_the_paper,
                 std::size_t tested) {
  std::printf("%s; %zu random subsets (paper: %zu) of seeds %llu...%llu; errors on %zu test images.\n",
              images.name.c_str(), subsets, in_the_paper, static_cast<unsigned long long>(first_seed),
              static_cast<unsigned long long>(first_seed + subsets - 1),
              std::min(tested, images.data.test.labels.size()));
  if (run.full) std::printf("As many subsets and values as the paper: hours.\n");
}

/// Test images that errors are counted on: scattering of all takes long and much memory.
std::size_t tested_on(const Run& run) { return run.full ? 10000 : run.quick ? 1000 : 2000; }

std::vector<Contender> contenders_of_figure3(const Groups& blocks, double limit) {
  const PenaltyKind penalty = PenaltyKind::group_linf;
  const Stopping rule{.gap = 1e-9, .change = 1e-5, .seconds = limit}, certified{.gap = 1e-4, .seconds = limit};
  const auto task = [&](const char* name, LossKind loss, SolverKind solver = SolverKind::automatic,
                        bool constrained = false) { return Task{name, loss, penalty, blocks, solver, constrained}; };
  return {
      {task("Algorithm 1", LossKind::hinge, SolverKind::primal_dual_as_printed), rule},
      {task("Algorithm 2", LossKind::hinge, SolverKind::constrained_primal_dual_as_printed, true), rule},
      {task("linear constraints", LossKind::hinge, SolverKind::linear_constraints_primal_dual_as_printed, true), rule},
      {task("FISTA (square)", LossKind::squared_hinge, SolverKind::fista_constant_step), rule},
      {task("forward-backward (logit)", LossKind::logistic, SolverKind::forward_backward), rule},
      {task("FISTA (one-vs-all)", LossKind::one_vs_rest_squared_hinge, SolverKind::fista_constant_step), rule},
      {task("tamis hinge", LossKind::hinge), certified},
      {task("tamis hinge (constrained)", LossKind::hinge, SolverKind::automatic, true), certified},
      {task("tamis square", LossKind::squared_hinge), certified},
      {task("tamis logit", LossKind::logistic), certified},
      {task("tamis one-vs-all", LossKind::one_vs_rest_squared_hinge), certified},
  };
}

}  // namespace

void figure3(Run& run) {
  const double limit = run.full ? 120 : run.quick ? 1 : 5;
  const std::size_t subsets = run.number(1, 10);
  const std::vector<double> alphas = run.full    ? logarithmic(-2, 0.5, 4)
                                     : run.quick ? std::vector{0.1, 0.5}
                                                 : std::vector{0.1, 0.5, 3.0};
  const Images images = read_images(run);
  const std::vector<std::size_t> all{3, 5, 10}, one{3};
  const auto settings =
      asked_for(run, {{pixels(images), run.quick ? one : all}, {scattering_features(images, 1), run.full ? all : one}});
  std::printf(
      "figure 3: l1,inf over blocks of 2 x 2 pixels, and of the 81 scattering values of a position as in the paper;\n"
      "%zu values of alpha; constrained: eta = alpha, only below 1, from where on zero weights will do. CPU time of\n"
      "one thread. The paper's algorithms end when one iteration moves x by no more than 1e-5 of its length, ours\n"
      "(tamis ...) at a certified relative gap of 1e-4; all of them after %.0f s.\n",
      alphas.size(), limit);
  say_setting(run, images, subsets, 10, tested_on(run));
  Csv times(run, "figure3_times.csv",
            "features,per_class,algorithm,alpha,seed,status,iterations,objective,relative_gap,change,error_percentage,"
            "seconds");
  Csv distances(run, "figure3_distances.csv",
                "features,per_class,algorithm,alpha,seconds,iterations,objective,distance");
  Agreement agreement;
  for (const Setting& setting : settings) {
    const char* features = setting.features.name.c_str();
    const TestFeatures test(setting.features, images.data.test, tested_on(run));
    for (const std::size_t per_class : setting.per_class) {
      std::vector<std::unique_ptr<Problem>> problems;
      for (std::size_t s = 0; s < subsets; ++s)
        problems.push_back(subset(images.data.train, setting.features, per_class, first_seed + s));
      for (const Contender& contender : contenders_of_figure3(Groups::blocks(setting.features.block), limit)) {
        const Task& task = contender.task;
        double least = 101, best = 0, of_best = 0;
        std::vector<Snapshot> on_the_way;  // to the model of the best α and the first subset
        Coefficients limit_model;
        for (const double alpha : alphas) {
          if (task.constrained && alpha > 0.99) continue;
          double error = 0, seconds = 0;
          std::vector<Snapshot> snapshots;
          Coefficients last;
          for (std::size_t s = 0; s < subsets; ++s) {
            const Solve found =
                solve(*problems[s], task, alpha, contender.stopping, s == 0 ? keep(snapshots) : Watch{});
            agreement.add(problem_of(setting, per_class, task, alpha, s), found.report);
            if (s == 0) last = found.model;
            const double of_this = error_of(test, found);
            error += of_this / static_cast<double>(subsets);
            seconds += found.seconds / static_cast<double>(subsets);
            times.line("%s,%zu,%s,%.6g,%llu,%s,%u,%.9g,%.3g,%.3g,%.4f,%.6f", features, per_class, task.name.c_str(),
                       alpha, static_cast<unsigned long long>(first_seed + s), found.status.c_str(),
                       found.report.iterations, found.report.objective, found.report.relative_gap,
                       found.report.kkt_residual, of_this, found.seconds);
          }
          if (error <= least) {
            least = error;
            best = alpha;
            of_best = seconds;
            on_the_way = std::move(snapshots);
            limit_model = std::move(last);
          }
        }
        std::printf("%s, %2zu per class, %-26s best alpha %-8.3g error %.2f %%, %.3f s\n", features, per_class,
                    task.name.c_str(), best, least, of_best);
        std::fflush(stdout);
        if (limit_model.values.empty()) continue;
        for (const Snapshot& snapshot : on_the_way)
          distances.line("%s,%zu,%s,%.6g,%.6f,%u,%.9g,%.6g", features, per_class, task.name.c_str(), best,
                         snapshot.seconds, snapshot.iterations, snapshot.objective,
                         snapshot.model.distance(limit_model));
      }
    }
  }
  agreement.check(run);
}

void figure4(Run& run) {
  const PenaltyKind penalty = PenaltyKind::ridge;
  const double limit = run.full ? 300 : run.quick ? 1 : 5;
  const Stopping rule{.gap = 1e-9, .change = 1e-3, .seconds = limit}, certified{.gap = 1e-3, .seconds = limit};
  const auto regularised = [&](const char* name, SolverKind solver) {
    return Task{name, LossKind::hinge, penalty, {}, solver, false, false};
  };
  const auto constrained = [&](const char* name) {
    return Task{name, LossKind::hinge, penalty, {}, SolverKind::constrained_primal_dual_as_printed, true, false};
  };
  const Contender contenders[] = {
      {regularised("Algorithm 1", SolverKind::primal_dual_as_printed), rule},
      {constrained("Algorithm 2"), rule},
      {regularised("Algorithm 1 to a gap of 1e-3", SolverKind::primal_dual_as_printed), certified},
      {constrained("Algorithm 2 to a gap of 1e-3"), certified},
      {regularised("tamis", SolverKind::automatic), certified},
  };
  const std::size_t subsets = run.number(1, 10);
  const Images images = read_images(run);
  const std::vector<std::size_t> full{3, 5, 10, 50, 100, 500}, usual{3, 5, 10, 50, 100}, few{3, 10};
  const auto settings = asked_for(run, {{pixels(images), run.full    ? full
                                                         : run.quick ? few
                                                                     : usual},
                                        {scattering_features(images, 1), run.full ? full : few}});
  const std::vector<double> alphas = run.quick ? std::vector{0.5} : std::vector{0.1, 0.5, 5.0};
  std::printf(
      "figure 4: pixels, and scattering features as in the paper, ridge, without intercepts, %zu values of alpha from\n"
      "%g to %g (eta = alpha only below 1). CPU time of one thread. The paper's algorithms end when an iteration\n"
      "moves x by no more than 1e-3 of its length, and in runs of their own at a certified relative gap of 1e-3, as\n"
      "ours does; all after %.0f s.\n",
      alphas.size(), alphas.front(), alphas.back(), limit);
  say_setting(run, images, subsets, 10, tested_on(run));
  Csv times(run, "figure4.csv",
            "features,per_class,algorithm,alpha,seed,status,iterations,objective,relative_gap,significant,"
            "error_percentage,seconds");
  Csv rows(run, "figure4_rows.csv", "per_class,seed,row");  // of MNIST, for solvers outside this program
  Agreement agreement;
  for (const Setting& setting : settings) {
    const bool plain = !setting.features.scattering;
    const TestFeatures test(setting.features, images.data.test, tested_on(run));
    for (const std::size_t per_class : setting.per_class)
      for (std::size_t s = 0; s < subsets; ++s) {
        if (plain && images.side == 28)
          for (const std::size_t row : draw(images.data.train, per_class, first_seed + s))
            rows.line("%zu,%llu,%zu", per_class, static_cast<unsigned long long>(first_seed + s), row);
        const auto problem = subset(images.data.train, setting.features, per_class, first_seed + s);
        for (const Contender& contender : contenders)
          for (const double alpha : alphas) {
            const Task& task = contender.task;
            if (task.constrained && alpha > 0.99) continue;
            const Solve found = solve(*problem, task, alpha, contender.stopping);
            agreement.add(problem_of(setting, per_class, task, alpha, s), found.report);
            std::size_t significant = 0;
            for (const Index count : found.model.nonzeros(1e-5)) significant += count;
            const double error = error_of(test, found);
            times.line("%s,%zu,%s,%.6g,%llu,%s,%u,%.9g,%.3g,%zu,%.4f,%.6f", setting.features.name.c_str(), per_class,
                       task.name.c_str(), alpha, static_cast<unsigned long long>(first_seed + s), found.status.c_str(),
                       found.report.iterations, found.report.objective, found.report.relative_gap, significant, error,
                       found.seconds);
            if (s == 0)
              std::printf("%s, %3zu per class, %-28s alpha %-5.3g %.4f s (%s, objective %.6g, error %.2f %%)\n",
                          setting.features.name.c_str(), per_class, task.name.c_str(), alpha, found.seconds,
                          found.status.c_str(), found.report.objective, error);
            std::fflush(stdout);
          }
      }
  }
  agreement.check(run);
}

}  // namespace tamis::paper_a
